//! Pages from the rows of Parquet files: one column holds the page as text or bytes, optional columns hold its address and id.
use crate::pages::PageRecord;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

/// Number of rows decoded at once; small, because pages are large.
const ROWS: usize = 32;

/// The columns to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Column of the page: strings or binary.
    pub html: String,
    /// Column of the address; optional.
    pub url: String,
    /// Column of the id, strings or integers; optional.
    pub id: String,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { html: "html".into(), url: "url".into(), id: "id".into() }
    }
}

/// An iterator over the pages of a file. A row without a page and a truncated file both give an error message.
pub struct ParquetPages {
    file: String,
    rows: u64,
    next: u64,
    source: Option<ParquetRecordBatchReader>,
    decoded: VecDeque<Result<PageRecord, String>>,
    columns: Columns,
}

impl ParquetPages {
    /// Opens a file and skips its first `skip` rows.
    ///
    /// # Errors
    /// Returns a message that names the file if it cannot be opened, is not Parquet, or lacks the page column.
    pub fn open(path: &Path, columns: &Columns, skip: u64) -> Result<ParquetPages, String> {
        let file = path.display().to_string();
        let named = |message: String| format!("{file}: {message}");
        let opened = File::open(path).map_err(|e| named(format!("cannot be opened: {e}")))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(opened).map_err(|e| named(e.to_string()))?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        let schema = builder.schema().clone();
        let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        let Ok(page) = schema.field_with_name(&columns.html) else {
            let known = names.join(", ");
            return Err(named(format!("has no column '{}' with the pages; it has: {known}", columns.html)));
        };
        if !is_text(page.data_type()) {
            return Err(named(format!(
                "column '{}' is {}, neither strings nor binary",
                columns.html,
                page.data_type()
            )));
        }
        let wanted = [&columns.html, &columns.url, &columns.id].map(String::as_str);
        let indices = names.iter().enumerate().filter(|(_, name)| wanted.contains(name)).map(|(i, _)| i);
        let mask = ProjectionMask::roots(builder.parquet_schema(), indices);
        let skipped = usize::try_from(skip.min(rows)).unwrap_or(usize::MAX);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).with_offset(skipped).build();
        let source = Some(reader.map_err(|e| named(e.to_string()))?);
        Ok(ParquetPages { file, rows, next: skip, source, decoded: VecDeque::new(), columns: columns.clone() })
    }

    /// Returns the number of rows according to the footer.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn decode(&mut self, batch: &RecordBatch) {
        let column = |name: &str| batch.column_by_name(name);
        let (html, url, id) = (column(&self.columns.html), column(&self.columns.url), column(&self.columns.id));
        for row in 0..batch.num_rows() {
            self.next += 1;
            let record = html.and_then(|column| bytes_at(column, row)).map(|(bytes, charset)| PageRecord {
                line: self.next,
                id: id.and_then(|column| text_at(column, row)),
                url: url.and_then(|column| text_at(column, row)),
                bytes,
                charset,
            });
            self.decoded.push_back(record.ok_or_else(|| format!("{} row {}: the page is null", self.file, self.next)));
        }
    }
}

impl Iterator for ParquetPages {
    type Item = Result<PageRecord, String>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.decoded.is_empty() {
            match self.source.as_mut()?.next() {
                Some(Ok(batch)) => self.decode(&batch),
                Some(Err(error)) => {
                    self.source = None;
                    let row = self.next + 1;
                    return Some(Err(format!("{} row {row}: cannot read further: {error}", self.file)));
                }
                None => self.source = None,
            }
        }
        self.decoded.pop_front()
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// Returns the page of a row, and `utf-8` as its charset if the column holds text. `None` for null.
pub fn bytes_at(column: &ArrayRef, row: usize) -> Option<(Vec<u8>, Option<&'static str>)> {
    if column.is_null(row) {
        return None;
    }
    let text = |s: &str| Some((s.as_bytes().to_vec(), Some("utf-8")));
    let bytes = |b: &[u8]| Some((b.to_vec(), None));
    match column.data_type() {
        DataType::Utf8 => text(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text(column.as_string::<i64>().value(row)),
        DataType::Utf8View => text(column.as_string_view().value(row)),
        DataType::Binary => bytes(column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(column.as_binary::<i64>().value(row)),
        DataType::BinaryView => bytes(column.as_binary_view().value(row)),
        _ => None,
    }
}

/// Returns a string or an integer of a row as text. `None` for null and for other types.
pub fn text_at(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).to_string(),
        kind if is_text(kind) => String::from_utf8_lossy(&bytes_at(column, row)?.0).into_owned(),
        _ => return None,
    })
}
