//! Indexes of web archives: the places of captures, as Parquet tables or lines of CDXJ.
//!
//! Tables have the columns of Common Crawl's columnar index: `url`, `warc_filename`, `warc_record_offset`, `warc_record_length`, and
//! optionally `url_surtkey`, `content_languages`, `content_mime_detected`, `fetch_status`. Lines have a JSON object with `url`, `filename`,
//! `offset`, `length`, as in the answers of its index server, with or without the sort key and the time before it.
use super::select::{Capture, Selection};
use crate::archive::Location;
use crate::archive::blocks::FileBlocks;
use crate::archive::prefetch::FileSpan;
use crate::parquet::text_at;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use maintext_util::guard;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::RowGroupMetaData;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::iter::Peekable;
use std::path::Path;
use std::sync::Arc;

/// Number of rows decoded at once.
const ROWS: usize = 1024;
/// Longest line in bytes.
const MAX_LINE: u64 = 1 << 20;
/// Largest number of bytes between two records that are read for nothing to save a request. Common Crawl puts the request and the metadata
/// of a capture between the responses.
const MAX_GAP: u64 = 64 << 10;
/// Largest number of bytes of several records that are read with one request.
const MAX_TOGETHER: u64 = 4 << 20;
/// Bytes that the record of a page of the largest size may have beyond it.
const ALLOWANCE: u64 = 1 << 20;

const URL: &str = "url";
const KEY: &str = "url_surtkey";
const LANGUAGES: &str = "content_languages";
const MIME: &str = "content_mime_detected";
const STATUS: &str = "fetch_status";
const FILE: &str = "warc_filename";
const OFFSET: &str = "warc_record_offset";
const LENGTH: &str = "warc_record_length";

/// Where a capture is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaptureRow {
    /// Number of the row or line, from 1.
    pub(crate) number: u64,
    pub(crate) url: String,
    pub(crate) file: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// A row that cannot be used, with the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) number: u64,
    pub(crate) url: Option<String>,
    pub(crate) message: String,
}

pub(crate) type Rows = Box<dyn Iterator<Item = Result<CaptureRow, Broken>> + Send>;

/// Whether a Parquet file is an index and not a table of pages.
pub(crate) fn is_index(path: &Path, html_column: &str) -> bool {
    let names = File::open(path).ok().and_then(|file| ArrowReaderMetadata::load(&file, Default::default()).ok());
    names.is_some_and(|found| {
        found.schema().field_with_name(html_column).is_err()
            && [URL, FILE, OFFSET, LENGTH].iter().all(|name| found.schema().field_with_name(name).is_ok())
    })
}

/// Reads the selected rows of a table after the first `skip` ones.
///
/// # Errors
/// The file is not Parquet, or lacks a column.
pub(crate) fn table(name: &str, reader: FileBlocks, selection: Selection, skip: u64) -> Result<Rows, String> {
    let named = |message: String| format!("{name}: {message}");
    let metadata = guard::catch(|| ArrowReaderMetadata::load(&reader, Default::default()))
        .and_then(|m| m.map_err(|e| e.to_string()))
        .map_err(named)?;
    let languages = selection.needs_languages().then_some(LANGUAGES);
    for wanted in [URL, FILE, OFFSET, LENGTH].into_iter().chain(languages) {
        if metadata.schema().field_with_name(wanted).is_err() {
            return Err(named(format!("is not an index of web archives: it has no column '{wanted}'")));
        }
    }
    let mut groups = VecDeque::new();
    let mut start = 0;
    for (group, found) in metadata.metadata().row_groups().iter().enumerate() {
        let rows = u64::try_from(found.num_rows()).unwrap_or(0);
        if start + rows > skip && may_admit(&selection, found) {
            groups.push_back((group, start, skip.saturating_sub(start)));
        }
        start += rows;
    }
    let (name, open, next, file) = (name.to_owned(), None, 0, None);
    let rows = TableRows { name, reader, metadata, selection, groups, open, next, file, decoded: VecDeque::new() };
    Ok(Box::new(rows))
}

/// Whether a row group can have selected rows, by the bounds of its sort keys.
fn may_admit(selection: &Selection, group: &RowGroupMetaData) -> bool {
    let column = group.columns().iter().find(|column| column.column_path().string() == KEY);
    let statistics = column.and_then(|column| column.statistics());
    let bounds = statistics.and_then(|s| Some((s.min_bytes_opt()?, s.max_bytes_opt()?)));
    bounds.is_none_or(|(least, most)| {
        // Bounds that were cut within a character cannot be compared.
        let (Ok(least), Ok(most)) = (std::str::from_utf8(least), std::str::from_utf8(most)) else { return true };
        selection.may_admit(least, most)
    })
}

struct TableRows {
    name: String,
    reader: FileBlocks,
    metadata: ArrowReaderMetadata,
    selection: Selection,
    /// Number, first row, and rows to skip of each row group.
    groups: VecDeque<(usize, u64, u64)>,
    open: Option<ParquetRecordBatchReader>,
    /// Number of the rows before the next batch.
    next: u64,
    /// The last name of an archive, which many rows share.
    file: Option<Arc<str>>,
    decoded: VecDeque<Result<CaptureRow, Broken>>,
}

impl TableRows {
    fn open(&self, group: usize, skip: u64) -> Result<ParquetRecordBatchReader, String> {
        let wanted = [URL, LANGUAGES, MIME, STATUS, FILE, OFFSET, LENGTH];
        let fields = self.metadata.schema().fields().iter().enumerate();
        let indices = fields.filter(|(_, field)| wanted.contains(&field.name().as_str())).map(|(at, _)| at);
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), indices);
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.reader.clone(), self.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(ROWS)
            .with_offset(usize::try_from(skip).unwrap_or(usize::MAX))
            .build()
            .map_err(|e| e.to_string())
    }

    /// Decodes the next batch. Returns false at the end.
    fn decode(&mut self) -> Result<bool, String> {
        loop {
            if self.open.is_none() {
                let Some((group, start, skip)) = self.groups.pop_front() else { return Ok(false) };
                self.open = Some(self.open(group, skip)?);
                self.next = start + skip;
            }
            match self.open.as_mut().and_then(Iterator::next) {
                Some(batch) => {
                    self.take(&batch.map_err(|e| e.to_string())?);
                    return Ok(true);
                }
                None => self.open = None,
            }
        }
    }

    fn take(&mut self, batch: &RecordBatch) {
        let column = |name: &str| batch.column_by_name(name);
        let text = |name: &str, row: usize| column(name).and_then(|column| str_at(column, row));
        let number = |name: &str, row: usize| text(name, row).and_then(|text| text.parse::<u64>().ok());
        for row in 0..batch.num_rows() {
            self.next += 1;
            let url = text(URL, row).unwrap_or_default();
            let (languages, mime, status) = (text(LANGUAGES, row), text(MIME, row), text(STATUS, row));
            let (languages, mime, status) = (languages.as_deref(), mime.as_deref(), status.as_deref());
            if !self.selection.admits(&Capture { url: &url, languages, mime, status }) {
                continue;
            }
            let place = (text(FILE, row), number(OFFSET, row), number(LENGTH, row));
            self.decoded.push_back(match place {
                (Some(name), Some(offset), Some(length)) => {
                    let file = self.file.take().filter(|file| **file == *name).unwrap_or_else(|| name.as_ref().into());
                    self.file = Some(file.clone());
                    Ok(CaptureRow { number: self.next, url: url.into_owned(), file, offset, length })
                }
                _ => {
                    let message = format!("{} row {}: no file name, offset or length", self.name, self.next);
                    Err(Broken { number: self.next, url: Some(url.into_owned()), message })
                }
            });
        }
    }
}

impl Iterator for TableRows {
    type Item = Result<CaptureRow, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.decoded.is_empty() {
            match guard::catch(|| self.decode()).and_then(|result| result) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    (self.open, self.groups) = (None, VecDeque::new());
                    let number = self.next + 1;
                    let message = format!("{} row {number}: cannot read further: {error}", self.name);
                    return Some(Err(Broken { number, url: None, message }));
                }
            }
        }
        self.decoded.pop_front()
    }
}

/// Returns a string or an integer of a row as text. `None` for null.
fn str_at(column: &ArrayRef, row: usize) -> Option<Cow<'_, str>> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into(),
        DataType::Utf8View => column.as_string_view().value(row).into(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).to_string().into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).to_string().into(),
        _ => text_at(column, row)?.into(),
    })
}

/// Reads the selected lines of a CDXJ file after the first `skip` ones.
pub(crate) fn lines(name: &str, reader: Box<dyn BufRead + Send>, selection: Selection, skip: u64) -> Rows {
    Box::new(LineRows { name: name.to_owned(), reader: Some(reader), selection, skip, number: 0 })
}

struct LineRows {
    name: String,
    reader: Option<Box<dyn BufRead + Send>>,
    selection: Selection,
    skip: u64,
    number: u64,
}

/// The object of a line. Numbers are strings in the answers of index servers.
#[derive(Deserialize)]
struct Line {
    url: String,
    filename: String,
    offset: Number,
    length: Number,
    status: Option<Number>,
    mime: Option<String>,
    #[serde(rename = "mime-detected")]
    mime_detected: Option<String>,
    languages: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Number::Number(number) => number.to_string(),
            Number::Text(text) => text.clone(),
        }
    }

    fn value(&self) -> Option<u64> {
        match self {
            Number::Number(number) => Some(*number),
            Number::Text(text) => text.parse().ok(),
        }
    }
}

impl LineRows {
    /// Returns the next line without its line break; `None` at the end.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let mut line = Vec::new();
        if reader.take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            reader.skip_until(b'\n')?;
        }
        self.number += 1;
        Ok(Some(line))
    }

    /// Returns the row of a line, or `None` if it is not selected.
    fn row(&self, line: &[u8]) -> Result<Option<CaptureRow>, String> {
        let object = line.iter().position(|b| *b == b'{').map(|at| &line[at..]).ok_or("no JSON object")?;
        let found: Line = serde_json::from_slice(object).map_err(|e| e.to_string())?;
        let status = found.status.as_ref().map(Number::text);
        // Redirects and other captures without a page have no media type there.
        let mime = found.mime_detected.as_deref().or(found.mime.as_deref());
        let capture =
            Capture { url: &found.url, languages: found.languages.as_deref(), mime, status: status.as_deref() };
        if !self.selection.admits(&capture) {
            return Ok(None);
        }
        let (Some(offset), Some(length)) = (found.offset.value(), found.length.value()) else {
            return Err("offset and length are not numbers".into());
        };
        Ok(Some(CaptureRow { number: self.number, url: found.url, file: found.filename.into(), offset, length }))
    }
}

impl Iterator for LineRows {
    type Item = Result<CaptureRow, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.read() {
                Ok(line) => line?,
                Err(error) => {
                    self.reader = None;
                    let number = self.number + 1;
                    let message = format!("{} line {number}: cannot read further: {error}", self.name);
                    return Some(Err(Broken { number, url: None, message }));
                }
            };
            if self.number <= self.skip || line.trim_ascii().is_empty() {
                continue;
            }
            match self.row(&line) {
                Ok(Some(row)) => return Some(Ok(row)),
                Ok(None) => {}
                Err(reason) => {
                    let message = format!("{} line {}: not a line of CDXJ: {reason}", self.name, self.number);
                    return Some(Err(Broken { number: self.number, url: None, message }));
                }
            }
        }
    }
}

/// Puts rows together that one request can read: records of one file that follow each other there and in the index.
pub(crate) struct Spans {
    name: String,
    rows: Peekable<Rows>,
    base: Option<String>,
    max_length: u64,
}

/// The rows of a span.
pub(crate) type Together = VecDeque<Result<CaptureRow, Broken>>;

impl Spans {
    /// Records longer than a page of `max_size` bytes can be are not read.
    pub(crate) fn new(name: &str, rows: Rows, base: Option<String>, max_size: usize) -> Spans {
        Spans { name: name.to_owned(), rows: rows.peekable(), base, max_length: max_size as u64 + ALLOWANCE }
    }

    /// Returns the row with the location of its file, or the reason why it cannot be read.
    fn located(&self, row: CaptureRow) -> Result<(CaptureRow, Location), Broken> {
        let broken = |reason: String| Broken {
            number: row.number,
            url: Some(row.url.clone()),
            message: format!("{} row {}: {reason}", self.name, row.number),
        };
        if row.length == 0 || row.length > self.max_length {
            return Err(broken(format!("a record of {} bytes; the limit is {}", row.length, self.max_length)));
        }
        if row.offset.checked_add(row.length).is_none() {
            return Err(broken(format!("an offset of {} bytes", row.offset)));
        }
        let place = Location::new(&row.file, self.base.as_deref()).map_err(broken)?;
        Ok((row, place))
    }
}

impl Iterator for Spans {
    type Item = FileSpan<Together>;

    fn next(&mut self) -> Option<Self::Item> {
        let (row, place) = match self.rows.next()?.and_then(|row| self.located(row)) {
            Ok(located) => located,
            Err(broken) => {
                let place = Arc::new(Location::Local(String::new().into()));
                return Some(FileSpan { place, start: 0, end: Some(0), tag: [Err(broken)].into() });
            }
        };
        let start = row.offset;
        let mut end = start + row.length;
        let (file, max_length) = (row.file.clone(), self.max_length);
        let mut tag = Together::from([Ok(row)]);
        let follows = |next: &Result<CaptureRow, Broken>, end: u64| {
            next.as_ref().is_ok_and(|next| {
                let fits = next.length > 0 && next.length <= max_length && next.offset >= end;
                fits && next.file == file
                    && next.offset - end <= MAX_GAP
                    && next.offset.saturating_add(next.length) - start <= MAX_TOGETHER
            })
        };
        while let Some(Ok(next)) = self.rows.next_if(|next| follows(next, end)) {
            end = next.offset + next.length;
            tag.push_back(Ok(next));
        }
        Some(FileSpan { place: Arc::new(place), start, end: Some(end), tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, selection: &str, skip: u64) -> Vec<Result<CaptureRow, String>> {
        let reader = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        let rows = lines("a.cdxj", reader, Selection::parse(selection).unwrap(), skip);
        rows.map(|row| row.map_err(|broken| broken.message)).collect()
    }

    const CDXJ: &str = r#"org,example)/a 20260101000000 {"url": "https://example.org/a", "mime": "text/html", "status": "200", "length": "10", "offset": "5", "filename": "x.warc.gz", "languages": "deu,eng"}

{"url": "https://example.org/b", "mime": "unk", "mime-detected": "text/html", "status": 200, "length": 20, "offset": 15, "filename": "x.warc.gz"}
org,example)/c 20260101000000 {"url": "https://example.org/c", "mime": "application/pdf", "status": "200", "length": "1", "offset": "2", "filename": "x.warc.gz"}
org,example)/d 20260101000000
{"url": "https://example.org/e", "length": "x", "offset": "2", "filename": "x.warc.gz"}
"#;

    #[test]
    fn lines_of_index_servers_are_read() {
        let found = rows(CDXJ, "", 0);
        assert_eq!(found.len(), 4, "{found:?}");
        let row = |number, url: &str, offset, length| {
            Ok(CaptureRow { number, url: url.into(), file: "x.warc.gz".into(), offset, length })
        };
        assert_eq!(found[..2], [row(1, "https://example.org/a", 5, 10), row(3, "https://example.org/b", 15, 20)]);
        let messages = [found[2].clone().unwrap_err(), found[3].clone().unwrap_err()];
        assert_eq!(messages[0], "a.cdxj line 5: not a line of CDXJ: no JSON object");
        assert_eq!(messages[1], "a.cdxj line 6: not a line of CDXJ: offset and length are not numbers");
        assert_eq!(rows(CDXJ, "lang=deu", 0)[..1], [row(1, "https://example.org/a", 5, 10)]);
        assert_eq!(rows(CDXJ, "", 3).len(), 2);
    }

    #[test]
    fn neighbours_in_a_file_are_read_together() {
        let row = |number, file: &str, offset, length| CaptureRow {
            number,
            url: String::new(),
            file: file.into(),
            offset,
            length,
        };
        let listed = [
            row(1, "a", 0, 100),
            row(2, "a", 100, 50),
            row(3, "a", 1000, 50),
            row(4, "b", 1050, 50),
            row(5, "b", 0, 50),
            row(6, "b", 50 + MAX_GAP + 1, 50),
            row(7, "b", 0, 0),
            row(8, "b", u64::MAX - 10, 50),
            row(9, "s3://c", 0, 50),
        ];
        let rows: Rows = Box::new(listed.into_iter().map(Ok));
        let spans: Vec<_> = Spans::new("i", rows, Some("http://h/".into()), 1000).collect();
        let found: Vec<_> = spans.iter().map(|s| (s.place.to_string(), s.start, s.end, s.tag.len())).collect();
        let expected = [("http://h/a", 0, 1050, 3), ("http://h/b", 1050, 1100, 1), ("http://h/b", 0, 50, 1)];
        for (found, (place, start, end, rows)) in found.iter().zip(expected) {
            assert_eq!(found, &(place.to_owned(), start, Some(end), rows));
        }
        let messages: Vec<_> = spans[4..].iter().map(|s| s.tag[0].clone().unwrap_err().message).collect();
        assert_eq!(messages[0], "i row 7: a record of 0 bytes; the limit is 1049576");
        assert_eq!(messages[1], "i row 8: an offset of 18446744073709551605 bytes");
        assert!(messages[2].starts_with("i row 9: s3://c: s3: addresses cannot be read"));
    }
}
