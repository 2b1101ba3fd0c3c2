//! Lists of addresses, one per line. Blank lines and lines that start with `#` are skipped.
use crate::pages;
use std::io::{self, BufRead, Read};

/// Longest line in bytes.
const MAX_LINE: u64 = 64 * 1024;

pub(super) struct Addresses {
    file: String,
    source: Option<ListSource>,
    line: u64,
}

enum ListSource {
    Unopened(Box<dyn Read + Send>),
    Open(Box<dyn BufRead + Send>),
}

impl Addresses {
    pub(super) fn new(file: &str, reader: Box<dyn Read + Send>) -> Addresses {
        Addresses { file: file.to_owned(), source: Some(ListSource::Unopened(reader)), line: 0 }
    }

    fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut reader = match self.source.take() {
            Some(ListSource::Unopened(reader)) => pages::decompress(reader)?,
            Some(ListSource::Open(reader)) => reader,
            None => return Ok(None),
        };
        let mut line = Vec::new();
        if (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            reader.skip_until(b'\n')?;
        }
        self.source = Some(ListSource::Open(reader));
        self.line += 1;
        Ok(Some(String::from_utf8_lossy(&line).trim().trim_start_matches('\u{feff}').to_owned()))
    }
}

impl Iterator for Addresses {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_line() {
                Ok(Some(line)) if line.is_empty() || line.starts_with('#') => {}
                Ok(Some(line)) => return Some(Ok(line)),
                Ok(None) => return None,
                Err(e) => {
                    let line = self.line + 1;
                    return Some(Err(format!("{} line {line}: cannot read further: {e}", self.file)));
                }
            }
        }
    }
}
