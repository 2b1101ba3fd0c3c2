//! The pages of a WARC file in memory, or of several.
use super::{Records, WarcError};
use crate::{Document, Refusal};
use std::borrow::Cow;
use std::io::{Cursor, ErrorKind};

/// Iterates over the responses that are pages.
pub(crate) struct ResponsePages {
    records: Records,
    max_size: usize,
}

impl ResponsePages {
    /// Reads files one after another, each plain or compressed.
    pub fn new(files: Vec<Vec<u8>>, max_size: usize) -> ResponsePages {
        let records = Records::from_files("the archive", files.into_iter().map(Cursor::new));
        ResponsePages { records: records.max_record(max_size as u64).max_size(max_size as u64), max_size }
    }
}

impl Iterator for ResponsePages {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = match self.records.next()? {
                Ok(record) => record,
                Err(WarcError::Read { error, .. }) if error.kind() == ErrorKind::FileTooLarge => {
                    return Some(Err(Refusal::TooLarge(self.max_size)));
                }
                Err(error) => return damaged(error.to_string()),
            };
            match record.page(self.max_size) {
                Ok(Ok(page)) => {
                    return Some(Ok(Document {
                        part: Some(record.number.to_string()),
                        url: record.url,
                        bytes: page.body,
                        charset: page.charset.map(Cow::Owned),
                        ..Document::default()
                    }));
                }
                Ok(Err(_)) => {}
                Err(reason) => return damaged(format!("record {}: {reason}", record.number)),
            }
        }
    }
}

fn damaged(reason: String) -> Option<Result<Document, Refusal>> {
    Some(Err(Refusal::Damaged("a WARC archive".into(), reason)))
}
