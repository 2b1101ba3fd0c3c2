//! The pages of a WARC file in memory.
use super::Records;
use crate::{Document, Refusal};
use std::borrow::Cow;
use std::io::Cursor;

/// Iterates over the responses that are pages.
pub(crate) struct Pages {
    records: Records,
    max_size: usize,
}

impl Pages {
    pub fn new(bytes: Vec<u8>, max_size: usize) -> Pages {
        Pages { records: Records::from_reader("the archive", Cursor::new(bytes)).max_record(max_size as u64), max_size }
    }
}

impl Iterator for Pages {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let damaged = |reason: String| Some(Err(Refusal::Damaged("a WARC archive".into(), reason)));
            let record = match self.records.next()? {
                Ok(record) => record,
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
