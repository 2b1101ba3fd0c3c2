//! Pages from the rows of Parquet files: one column holds the page as text or bytes, optional columns hold its address and id.
mod cells;
mod header;

use crate::in_order::InOrder;
use crate::pages::PageRecord;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use cells::RowGroup;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::file::metadata::RowGroupMetaData;
use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows decoded at once. Each may be as large as the largest page, whatever its neighbours are.
const ROWS: usize = 1;
/// Maximum number of bytes of row groups that are decoded ahead; larger groups are decoded on one thread.
const AHEAD: usize = 256 << 20;

/// The reason of rows that cannot be read.
const UNREADABLE: &str = "unreadable input";

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The columns to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Column of the page: strings or binary, also as a dictionary.
    pub html: String,
    /// Column of the address; optional.
    pub url: String,
    /// Column of the id, of any type with single values; optional.
    pub id: String,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { html: "html".into(), url: "url".into(), id: "id".into() }
    }
}

/// A row without a page, or the end of the readable part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The id of the row, if it can be read.
    pub id: Option<String>,
    /// Its address, if it can be read.
    pub url: Option<String>,
    /// A few words that many rows share, to count failures by.
    pub reason: &'static str,
    /// The reason, in one line that names the file and the row.
    pub message: String,
}

/// An iterator over the pages of a file.
pub struct ParquetPages {
    file: String,
    rows: u64,
    next: u64,
    source: Option<Batches>,
    decoded: VecDeque<Result<PageRecord, RowError>>,
    columns: Columns,
    max_size: usize,
    /// The number of rows up to the end of each row group.
    ends: Vec<u64>,
}

impl ParquetPages {
    /// Opens a file and skips its first `skip` rows. Up to `threads` threads decode its row groups. A row with a page of more than `max_size` bytes
    /// is an error, and its page is never held in memory.
    ///
    /// # Errors
    /// Returns a message that names the file if it cannot be opened, is not Parquet, lacks the page column, or has a column of a type
    /// that cannot be read.
    pub fn open(
        path: &Path,
        columns: &Columns,
        skip: u64,
        threads: usize,
        max_size: usize,
    ) -> Result<ParquetPages, String> {
        let file = path.display().to_string();
        let named = |message: String| format!("{file}: {message}");
        let open = || File::open(path).map_err(|e| named(format!("cannot be opened: {e}")));
        let metadata = ArrowReaderMetadata::load(&open()?, Default::default()).map_err(|e| named(e.to_string()))?;
        let rows = u64::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        let schema = metadata.schema().clone();
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
        let usual = Columns::default();
        for (name, usual, option) in
            [(&columns.url, &usual.url, "--url-column"), (&columns.id, &usual.id, "--id-column")]
        {
            match schema.field_with_name(name) {
                Ok(field) if field.data_type().is_nested() => {
                    let kind = field.data_type();
                    let message = format!("column '{name}' is {kind}, not single values; name another with {option}");
                    return Err(named(message));
                }
                // A table may do without the usual column, but a name that was given is meant.
                Err(_) if name != usual => {
                    return Err(named(format!("has no column '{name}' ({option}); it has: {}", names.join(", "))));
                }
                _ => {}
            }
        }
        let wanted = [&columns.html, &columns.url, &columns.id].map(String::as_str);
        let indices = names.iter().enumerate().filter(|(_, name)| wanted.contains(name)).map(|(i, _)| i);
        let mask = ProjectionMask::roots(metadata.parquet_schema(), indices);
        let skipped = usize::try_from(skip.min(rows)).unwrap_or(usize::MAX);
        let ends = metadata.metadata().row_groups().iter().scan(0_u64, |end, group| {
            *end = end.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            Some(*end)
        });
        let ends = ends.collect();
        let fields = Some(schema.fields());
        let levels = parquet_to_arrow_field_levels(metadata.parquet_schema(), mask.clone(), fields);
        let levels = Arc::new(levels.map_err(|e| named(e.to_string()))?);
        let table = DecodedColumns { path: path.to_owned(), metadata, mask, levels, max_size };
        let source = table.read(threads, skipped).map_err(|e| named(e.to_string()))?;
        let (source, decoded) = (Some(source), VecDeque::new());
        Ok(ParquetPages { file, rows, next: skip, source, decoded, columns: columns.clone(), max_size, ends })
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
            let line = self.next;
            let (id, url) = (text_of(id, row), text_of(url, row));
            let failed = |id, url, reason, why: &str| {
                let group = self.ends.partition_point(|end| *end < line);
                let message = format!("{} row {line} (row group {group}): {why}", self.file);
                Err(RowError { id, url, reason, message })
            };
            self.decoded.push_back(match html.and_then(|column| bytes_at(column, row)) {
                Some((bytes, _)) if bytes.len() > self.max_size => {
                    let why = format!("the page is larger than the limit of {} bytes", self.max_size);
                    failed(id, url, "too large", &why)
                }
                Some((bytes, charset)) => Ok(PageRecord { line, id, url, bytes, charset }),
                None => failed(id, url, UNREADABLE, "the page is null"),
            });
        }
    }
}

fn text_of(column: Option<&ArrayRef>, row: usize) -> Option<String> {
    column.and_then(|column| text_at(column, row))
}

/// The columns of a file to decode.
#[derive(Clone)]
struct DecodedColumns {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    levels: Arc<FieldLevels>,
    max_size: usize,
}

impl DecodedColumns {
    /// Returns the rows of a group after the first `skip`.
    fn batches(&self, group: usize, skip: usize) -> Batches {
        match self.open(group, skip) {
            Ok(rows) => Box::new(rows),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    fn open(&self, number: usize, skip: usize) -> Result<ParquetRecordBatchReader, ArrowError> {
        let metadata = self.metadata.metadata().clone();
        let group = RowGroup { path: self.path.clone(), metadata, number, max_cell: self.max_size };
        let left = group.num_rows().saturating_sub(skip);
        let rows = RowSelection::from(vec![RowSelector::skip(skip), RowSelector::select(left)]);
        Ok(ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, ROWS, Some(rows))?)
    }

    /// Decodes a group up to a number of bytes. Returns the rest to read, if there is one. A dictionary can make a small group large.
    fn decode(&self, group: usize, skip: usize, max_bytes: usize) -> DecodedRows {
        let (mut batches, mut bytes, mut rows) = (Vec::new(), 0, skip);
        for batch in self.batches(group, skip) {
            if let Ok(batch) = &batch {
                bytes += batch.get_array_memory_size();
                rows += batch.num_rows();
            }
            batches.push(batch);
            if bytes > max_bytes {
                return DecodedRows { batches, rest: Some(rows) };
            }
        }
        DecodedRows { batches, rest: None }
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    /// Returns how many groups may be decoded ahead by `threads` threads; `None` if one thread is enough, or several groups are too large.
    fn groups_ahead(&self, threads: usize) -> Option<usize> {
        let largest = self
            .groups()
            .iter()
            .map(|group| {
                let columns = group.columns().iter().enumerate().filter(|(i, _)| self.mask.leaf_included(*i));
                columns.map(|(_, column)| usize::try_from(column.uncompressed_size()).unwrap_or(0)).sum::<usize>()
            })
            .max()?
            .max(1);
        let ahead = (AHEAD / largest).min(threads + 2).checked_sub(2)?;
        (threads > 1 && self.groups().len() > 1 && ahead > 0).then_some(ahead)
    }

    /// Returns the rows after the first `skip`, in order.
    fn read(self, threads: usize, skip: usize) -> Result<Batches, ArrowError> {
        let mut before = 0;
        let mut groups = Vec::new();
        for (group, metadata) in self.groups().iter().enumerate() {
            let rows = usize::try_from(metadata.num_rows()).unwrap_or(0);
            if before + rows > skip {
                groups.push((group, skip.saturating_sub(before)));
            }
            before += rows;
        }
        let groups = groups.into_iter();
        let Some(ahead) = self.groups_ahead(threads) else {
            return Ok(Box::new(groups.flat_map(move |(group, skip)| self.batches(group, skip))));
        };
        let (table, share) = (self.clone(), AHEAD / (ahead + 2));
        let decoded = InOrder::new(threads, ahead, groups.map(|job| (job.0, Some(job))), move |(group, skip)| {
            table.decode(group, skip, share)
        })?;
        let rows = decoded.flat_map(move |(group, decoded)| {
            let Some(DecodedRows { batches, rest }) = decoded else {
                let lost = ArrowError::ParquetError(format!("row group {group} cannot be decoded"));
                return Box::new(std::iter::once(Err(lost))) as Batches;
            };
            let rest = rest.into_iter().flat_map({
                let table = self.clone();
                move |skip| table.batches(group, skip)
            });
            Box::new(batches.into_iter().chain(rest))
        });
        Ok(Box::new(rows))
    }
}

/// The decoded rows of a group, and the number of its rows before those that are not decoded.
struct DecodedRows {
    batches: Vec<Result<RecordBatch, ArrowError>>,
    rest: Option<usize>,
}

impl Iterator for ParquetPages {
    type Item = Result<PageRecord, RowError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.decoded.is_empty() {
            match self.source.as_mut()?.next() {
                Some(Ok(batch)) => self.decode(&batch),
                Some(Err(error)) => {
                    self.source = None;
                    let row = self.next + 1;
                    let message = format!("{} row {row}: cannot read further: {error}", self.file);
                    return Some(Err(RowError { id: None, url: None, reason: UNREADABLE, message }));
                }
                None => self.source = None,
            }
        }
        self.decoded.pop_front()
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        kind => kind.is_string() || kind.is_binary(),
    }
}

/// Returns the values of a dictionary, and the index of a row's value.
fn looked_up(column: &ArrayRef, row: usize) -> (ArrayRef, usize) {
    // Arrow computes the keys of all rows of an array at once, so this one has a single row.
    let row = column.slice(row, 1);
    let row = row.as_any_dictionary();
    (row.values().clone(), row.normalized_keys()[0])
}

/// Returns the page of a row, and `utf-8` as its charset if the column holds text. `None` for null.
pub fn bytes_at(column: &ArrayRef, row: usize) -> Option<(Vec<u8>, Option<&'static str>)> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Utf8 => text_bytes(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => text_bytes(column.as_string::<i64>().value(row)),
        DataType::Utf8View => text_bytes(column.as_string_view().value(row)),
        DataType::Binary => raw_bytes(column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => raw_bytes(column.as_binary::<i64>().value(row)),
        DataType::BinaryView => raw_bytes(column.as_binary_view().value(row)),
        DataType::Dictionary(..) => {
            let (values, key) = looked_up(column, row);
            bytes_at(&values, key)
        }
        _ => None,
    }
}

fn text_bytes(s: &str) -> Option<(Vec<u8>, Option<&'static str>)> {
    Some((s.as_bytes().to_vec(), Some("utf-8")))
}

fn raw_bytes(b: &[u8]) -> Option<(Vec<u8>, Option<&'static str>)> {
    Some((b.to_vec(), None))
}

/// Returns a single value of a row as text: numbers and times as Arrow prints them, times with a zone in UTC, bytes that are not UTF-8 in
/// hexadecimal. `None` for null, intervals, and for lists, maps and structures.
pub fn text_at(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) || column.data_type().is_nested() {
        return None;
    }
    if let Some((bytes, _)) = bytes_at(column, row) {
        return Some(String::from_utf8(bytes).unwrap_or_else(|e| hexadecimal(e.as_bytes())));
    }
    match column.data_type() {
        DataType::Boolean => Some(column.as_boolean().value(row).to_string()),
        DataType::FixedSizeBinary(_) => Some(hexadecimal(column.as_fixed_size_binary().value(row))),
        DataType::Dictionary(..) => {
            let (values, key) = looked_up(column, row);
            text_at(&values, key)
        }
        DataType::Int8 => number::<Int8Type>(column, row),
        DataType::Int16 => number::<Int16Type>(column, row),
        DataType::Int32 => number::<Int32Type>(column, row),
        DataType::Int64 => number::<Int64Type>(column, row),
        DataType::UInt8 => number::<UInt8Type>(column, row),
        DataType::UInt16 => number::<UInt16Type>(column, row),
        DataType::UInt32 => number::<UInt32Type>(column, row),
        DataType::UInt64 => number::<UInt64Type>(column, row),
        DataType::Float16 => number::<Float16Type>(column, row),
        DataType::Float32 => number::<Float32Type>(column, row),
        DataType::Float64 => number::<Float64Type>(column, row),
        DataType::Duration(TimeUnit::Second) => number::<DurationSecondType>(column, row),
        DataType::Duration(TimeUnit::Millisecond) => number::<DurationMillisecondType>(column, row),
        DataType::Duration(TimeUnit::Microsecond) => number::<DurationMicrosecondType>(column, row),
        DataType::Duration(TimeUnit::Nanosecond) => number::<DurationNanosecondType>(column, row),
        DataType::Decimal32(..) => Some(column.as_primitive::<Decimal32Type>().value_as_string(row)),
        DataType::Decimal64(..) => Some(column.as_primitive::<Decimal64Type>().value_as_string(row)),
        DataType::Decimal128(..) => Some(column.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => Some(column.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Date32 => Some(format!("{:?}", column.as_primitive::<Date32Type>().value_as_date(row)?)),
        DataType::Date64 => time(column.as_primitive::<Date64Type>(), row),
        DataType::Time32(TimeUnit::Second) => clock(column.as_primitive::<Time32SecondType>(), row),
        DataType::Time32(_) => clock(column.as_primitive::<Time32MillisecondType>(), row),
        DataType::Time64(TimeUnit::Nanosecond) => clock(column.as_primitive::<Time64NanosecondType>(), row),
        DataType::Time64(_) => clock(column.as_primitive::<Time64MicrosecondType>(), row),
        DataType::Timestamp(unit, zone) => {
            let time = match unit {
                TimeUnit::Second => time(column.as_primitive::<TimestampSecondType>(), row),
                TimeUnit::Millisecond => time(column.as_primitive::<TimestampMillisecondType>(), row),
                TimeUnit::Microsecond => time(column.as_primitive::<TimestampMicrosecondType>(), row),
                TimeUnit::Nanosecond => time(column.as_primitive::<TimestampNanosecondType>(), row),
            };
            time.map(|time| time + if zone.is_some() { "Z" } else { "" })
        }
        _ => None,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn number<T: ArrowPrimitiveType>(column: &ArrayRef, row: usize) -> Option<String> {
    Some(format!("{:?}", column.as_primitive::<T>().value(row)))
}

fn time<T: ArrowTemporalType>(column: &PrimitiveArray<T>, row: usize) -> Option<String>
where
    i64: From<T::Native>,
{
    column.value_as_datetime(row).map(|time| format!("{time:?}"))
}

fn clock<T: ArrowTemporalType>(column: &PrimitiveArray<T>, row: usize) -> Option<String>
where
    i64: From<T::Native>,
{
    column.value_as_time(row).map(|time| format!("{time:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringArray;
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use std::sync::Arc;

    /// Writes pages of about 200 bytes, 50 to a group.
    fn write(path: &Path, rows: usize) {
        let page = |i: usize| (i % 9 != 4).then(|| format!("<p>{i}{}", "x".repeat(100 + i % 200)));
        let pages: ArrayRef = Arc::new((0..rows).map(page).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter_with_nullable([("html", pages, true)]).unwrap();
        let groups = WriterProperties::builder().set_max_row_group_row_count(Some(50)).build();
        let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(groups)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn rows_are_the_same_on_several_threads() {
        let path = std::env::temp_dir().join(format!("maintext-groups-{}.parquet", std::process::id()));
        let read = |skip, threads| -> Vec<_> {
            let pages = ParquetPages::open(&path, &Columns::default(), skip, threads, 1 << 20).unwrap();
            pages.map(|page| page.map(|page| (page.line, page.bytes.len()))).collect()
        };
        write(&path, 420);
        let all = read(0, 1);
        assert_eq!((all.len(), all.iter().filter(|row| row.is_err()).count()), (420, 47));
        for skip in [0, 1, 49, 50, 51, 399, 419, 420, 500] {
            assert_eq!(read(skip, 3), read(skip, 1), "{skip}");
            assert_eq!(read(skip, 3), all[(skip as usize).min(420)..], "{skip}");
        }
        // Damage in the middle of the file.
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 400].fill(0xff);
        std::fs::write(&path, bytes).unwrap();
        let damaged = read(0, 1);
        assert!(damaged.len() < 420 && damaged.last().unwrap().is_err());
        assert_eq!(read(0, 3), damaged);
        std::fs::remove_file(&path).unwrap();
    }

    fn read(columns: Vec<(&str, ArrayRef)>, wanted: &Columns) -> Result<Vec<Result<PageRecord, RowError>>, String> {
        let name = format!("maintext-ids-{}-{:?}.parquet", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let pages = ParquetPages::open(&path, wanted, 0, 1, 1 << 20).map(Iterator::collect);
        std::fs::remove_file(&path).unwrap();
        pages
    }

    /// A past bug: ids of other types than strings and integers became row numbers.
    #[test]
    fn ids_of_all_types_with_single_values_are_kept() {
        use arrow_array::types::Int32Type;
        use arrow_array::*;
        let ids: Vec<(ArrayRef, &str)> = vec![
            (Arc::new(["a", "a"].into_iter().collect::<DictionaryArray<Int32Type>>()), "a"),
            (Arc::new(Float64Array::from(vec![0.1 + 0.2, 1.0])), "0.30000000000000004"),
            (Arc::new(UInt64Array::from(vec![u64::MAX, 0])), "18446744073709551615"),
            (Arc::new(Int8Array::from(vec![-8, 0])), "-8"),
            (Arc::new(BooleanArray::from(vec![true, false])), "true"),
            (Arc::new(TimestampMicrosecondArray::from(vec![1_700_000_000_000_001, 0])), "2023-11-14T22:13:20.000001"),
            (
                Arc::new(TimestampMillisecondArray::from(vec![86_399_500, 0]).with_timezone("UTC")),
                "1970-01-01T23:59:59.500Z",
            ),
            (Arc::new(TimestampSecondArray::from(vec![3600, 0]).with_timezone("Europe/Oslo")), "1970-01-01T01:00:00Z"),
            (Arc::new(Date32Array::from(vec![19_000, 0])), "2022-01-08"),
            (Arc::new(Time64NanosecondArray::from(vec![3_600_000_000_001, 0])), "01:00:00.000000001"),
            (Arc::new([Some("a"), None].into_iter().collect::<StringArray>()), "a"),
            (Arc::new(Decimal128Array::from(vec![12_345, 0]).with_precision_and_scale(9, 2).unwrap()), "123.45"),
            (Arc::new(BinaryArray::from(vec![&b"\xff\x00"[..], b"x"])), "ff00"),
            (Arc::new(FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].into_iter()).unwrap()), "6162"),
            (Arc::new(StringViewArray::from(vec!["v", "w"])), "v"),
        ];
        let pages: ArrayRef = Arc::new([Some("<p>x"), None].into_iter().collect::<DictionaryArray<Int32Type>>());
        for (column, expected) in ids {
            let second = text_at(&column, 1);
            let rows = read(vec![("html", pages.clone()), ("id", column)], &Columns::default()).unwrap();
            let page = rows[0].as_ref().unwrap();
            assert_eq!((page.id.as_deref(), page.bytes.as_slice()), (Some(expected), &b"<p>x"[..]));
            // The error of a null page keeps the id.
            let error = rows[1].as_ref().unwrap_err();
            assert!(
                error.id == second && error.message.ends_with("row 2 (row group 0): the page is null"),
                "{error:?}"
            );
        }
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)]), None]);
        let error = read(vec![("html", pages), ("id", Arc::new(list))], &Columns::default()).unwrap_err();
        assert!(error.contains("column 'id' is List") && error.contains("name another with --id-column"), "{error}");
    }

    #[test]
    fn a_column_that_was_named_must_be_there() {
        let pages: ArrayRef = Arc::new(StringArray::from(vec!["<p>x"]));
        let read = |wanted| read(vec![("html", pages.clone()), ("link", pages.clone())], &wanted);
        assert!(read(Columns { url: "link".into(), ..Columns::default() }).is_ok());
        let error = read(Columns { url: "links".into(), ..Columns::default() }).unwrap_err();
        assert!(error.ends_with("has no column 'links' (--url-column); it has: html, link"), "{error}");
        let error = read(Columns { id: "key".into(), ..Columns::default() }).unwrap_err();
        assert!(error.contains("'key' (--id-column)"), "{error}");
    }

    /// Writes a table of one row group and reads it.
    fn read_packed(
        name: &str,
        columns: Vec<(&str, ArrayRef)>,
        settings: WriterProperties,
        max_size: usize,
    ) -> Vec<Result<PageRecord, RowError>> {
        let path = std::env::temp_dir().join(format!("maintext-{name}-{}.parquet", std::process::id()));
        let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true))).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(settings)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let pages = ParquetPages::open(&path, &Columns::default(), 0, 1, max_size).unwrap().collect();
        std::fs::remove_file(&path).unwrap();
        pages
    }

    fn packed(version: WriterVersion, compression: Compression, dictionary: bool) -> WriterProperties {
        WriterProperties::builder()
            .set_writer_version(version)
            .set_compression(compression)
            .set_dictionary_enabled(dictionary)
            .set_encoding(Encoding::PLAIN)
            .set_data_page_size_limit(1 << 30)
            .build()
    }

    #[test]
    fn cells_of_large_pages_are_the_same_and_those_over_the_limit_are_errors() {
        let cell = |i: usize| match i % 7 {
            3 => None,
            5 => Some("ü".repeat(300_000 + i)),
            _ => Some(format!("<p>{i}").repeat(i * 9000)),
        };
        let (rows, max_size) = (60, 500_000);
        let pages: ArrayRef = Arc::new((0..rows).map(cell).collect::<StringArray>());
        let ids: ArrayRef = Arc::new((0..rows).map(|i| Some(i.to_string())).collect::<StringArray>());
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for (number, (version, compression, dictionary)) in [
            (WriterVersion::PARQUET_1_0, zstd, false),
            (WriterVersion::PARQUET_2_0, zstd, false),
            (WriterVersion::PARQUET_1_0, Compression::GZIP(GzipLevel::default()), false),
            (WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED, false),
            (WriterVersion::PARQUET_1_0, Compression::SNAPPY, false),
            (WriterVersion::PARQUET_1_0, zstd, true),
        ]
        .into_iter()
        .enumerate()
        {
            let settings = packed(version, compression, dictionary);
            let columns = vec![("html", pages.clone()), ("id", ids.clone())];
            let found = read_packed(&format!("cells-{number}"), columns, settings, max_size);
            assert_eq!(found.len(), rows, "{number}");
            for (i, row) in found.into_iter().enumerate() {
                let place = format!("row {} (row group 0): ", i + 1);
                match (row, cell(i)) {
                    (Ok(page), Some(expected)) => {
                        assert!(page.bytes == expected.as_bytes(), "{number}: {i}");
                        assert_eq!(page.id, Some(i.to_string()));
                    }
                    (Err(error), Some(expected)) => {
                        let (start, _) = error.message.split_at(error.message.find(&place).expect(&error.message));
                        assert!(start.contains(".parquet ") && error.message.contains("limit of 500000 bytes"));
                        assert!(expected.len() > max_size && error.reason == "too large", "{number}: {i}");
                        assert_eq!(error.id, Some(i.to_string()));
                    }
                    (Err(error), None) => assert!(error.message.ends_with("the page is null"), "{error:?}"),
                    (Ok(_), None) => panic!("{number}: {i}"),
                }
            }
        }
    }

    #[test]
    fn a_small_file_of_huge_cells_takes_little_memory() {
        let peak = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok()).unwrap_or(0)
        };
        let pages: ArrayRef = Arc::new(StringArray::from(vec!["a".repeat(300 << 20), "<p>b".into()]));
        let settings = packed(WriterVersion::PARQUET_1_0, Compression::ZSTD(ZstdLevel::default()), false);
        let path = std::env::temp_dir().join(format!("maintext-huge-{}.parquet", std::process::id()));
        let batch = RecordBatch::try_from_iter([("html", pages)]).unwrap();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(settings)).unwrap();
        writer.write(&batch).unwrap();
        drop(batch);
        writer.close().unwrap();
        // Writing has set the peak; this resets it on Linux.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let before = peak();
        let found: Vec<_> = ParquetPages::open(&path, &Columns::default(), 0, 1, 1 << 20).unwrap().collect();
        let grown = peak().saturating_sub(before);
        std::fs::remove_file(&path).unwrap();
        assert!(found[0].is_err() && found[1].as_ref().unwrap().bytes == b"<p>b");
        assert!(grown < 100 << 10, "{grown} kB");
    }

    #[test]
    fn a_dictionary_repeated_in_many_rows_is_never_held_as_often_on_threads() {
        let path = std::env::temp_dir().join(format!("maintext-repeated-{}.parquet", std::process::id()));
        let page = "<p>a".repeat(100_000);
        let pages: ArrayRef = Arc::new(vec![page.as_str(); 2000].into_iter().map(Some).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter([("html", pages)]).unwrap();
        let groups = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
        let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), Some(groups)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let metadata = ArrowReaderMetadata::load(&File::open(&path).unwrap(), Default::default()).unwrap();
        let mask = ProjectionMask::all();
        let levels = parquet_to_arrow_field_levels(metadata.parquet_schema(), mask.clone(), None).unwrap();
        let table = DecodedColumns { path: path.clone(), metadata, mask, levels: Arc::new(levels), max_size: 1 << 20 };
        assert!(table.groups_ahead(2).is_some());
        let decoded = table.decode(0, 0, 4 << 20);
        assert!(decoded.batches.len() <= 11 && decoded.rest == Some(decoded.batches.len()));
        let all = ParquetPages::open(&path, &Columns::default(), 0, 2, 1 << 20).unwrap();
        assert_eq!(all.filter(|row| row.as_ref().unwrap().bytes == page.as_bytes()).count(), 2000);
        std::fs::remove_file(&path).unwrap();
    }
}
