//! A Parquet file. Until it is finished it is a chain of small Parquet files with one row group each, because the footer of a Parquet file
//! can only be written at its end. Finishing copies the compressed row groups into one file.
use super::{Encoded, Progressed, Sink, reopen};
use crate::columns::{Columns, Values, row_size};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Approximate size of a row group, in bytes that its rows have as JSON.
const MAX_BYTES: usize = 32 << 20;
/// Maximum size of a row in the same unit. With the rows before it, no column reaches the 2 GiB of Arrow's offsets.
const MAX_ROW: usize = 1 << 30;

pub(crate) struct TableWriter {
    columns: Columns,
    /// Largest number of rows in a row group.
    max_rows: usize,
    /// [`MAX_BYTES`] and [`MAX_ROW`].
    max_bytes: usize,
    max_row: usize,
    path: PathBuf,
    /// The file that collects the parts.
    file: File,
    written: Progressed,
    rows: Vec<Values>,
    bytes: usize,
}

impl TableWriter {
    /// Resumes writing parts to the file `path`.
    pub(crate) fn resume(
        path: &Path,
        columns: &Columns,
        max_rows: usize,
        from: &Progressed,
    ) -> io::Result<TableWriter> {
        let file = reopen(path, from.bytes)?;
        Ok(TableWriter {
            columns: columns.clone(),
            max_rows,
            max_bytes: MAX_BYTES,
            max_row: MAX_ROW,
            path: path.to_owned(),
            file,
            written: from.clone(),
            rows: Vec::new(),
            bytes: 0,
        })
    }

    fn end_part(&mut self) -> io::Result<()> {
        let table = self.columns.table(&std::mem::take(&mut self.rows)).map_err(io::Error::other)?;
        self.bytes = 0;
        let mut part = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut part, self.columns.schema(), Some(properties()))?;
        writer.write(&table)?;
        writer.close()?;
        self.file.write_all(&part)?;
        self.written.bytes += part.len() as u64;
        self.written.parts.push(self.written.bytes);
        Ok(())
    }
}

/// Returns the writer properties of the parts and the final file.
fn properties() -> WriterProperties {
    let level = ZstdLevel::try_new(3).unwrap_or_default();
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(usize::MAX))
        .set_created_by(format!("maintext {}", env!("CARGO_PKG_VERSION")))
        .build()
}

impl Sink for TableWriter {
    fn write(&mut self, row: Encoded) -> io::Result<()> {
        self.written.rows += row.rows;
        // A page may have many rows: its chunks.
        for row in row.values {
            let row = if row_size(&row) > self.max_row { Columns::too_large(row, self.max_row) } else { row };
            self.bytes += row_size(&row);
            self.rows.push(row);
            if self.rows.len() >= self.max_rows || self.bytes >= self.max_bytes {
                self.end_part()?;
            }
        }
        Ok(())
    }

    fn at_boundary(&self) -> bool {
        self.rows.is_empty()
    }

    fn sync(&mut self) -> io::Result<Progressed> {
        self.file.sync_data()?;
        Ok(self.written.clone())
    }

    fn finish(&mut self) -> io::Result<()> {
        // A table without rows still has a schema.
        if !self.rows.is_empty() || self.written.parts.is_empty() {
            self.end_part()?;
        }
        // The chain stays until the whole file is recorded, so that a run that is killed here can resume.
        let whole = whole(&self.path);
        let out = BufWriter::new(File::create(&whole)?);
        let schema = parquet::arrow::ArrowSchemaConverter::new().convert(&self.columns.schema())?;
        let mut properties = properties();
        parquet::arrow::add_encoded_arrow_schema_to_metadata(&self.columns.schema(), &mut properties);
        let mut writer = SerializedFileWriter::new(out, schema.root_schema_ptr(), Arc::new(properties))?;
        let mut start = 0;
        for end in &self.written.parts {
            copy_part(&Slice { file: &self.file, start, length: end - start }, &mut writer)?;
            start = *end;
        }
        let out = writer.into_inner()?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// Returns the path of the finished table whose parts are collected in a file.
pub(crate) fn whole(parts: &Path) -> PathBuf {
    parts.with_extension("whole")
}

/// Appends the row group of a part without decompressing it.
fn copy_part<W: Write + Send>(part: &Slice<'_>, writer: &mut SerializedFileWriter<W>) -> Result<(), ParquetError> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(part)?;
    for group in metadata.row_groups() {
        let mut out = writer.next_row_group()?;
        for column in group.columns() {
            let close = ColumnCloseResult {
                bytes_written: column.compressed_size() as u64,
                rows_written: group.num_rows() as u64,
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            out.append_column(part, close)?;
        }
        out.close()?;
    }
    Ok(())
}

/// One file in the chain.
struct Slice<'a> {
    file: &'a File,
    start: u64,
    length: u64,
}

impl Length for Slice<'_> {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Slice<'_> {
    type T = BufReader<io::Take<File>>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(self.start + start))?;
        Ok(BufReader::new(file.take(self.length.saturating_sub(start))))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("a part of the table is truncated".into()));
        }
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    /// Writes a page of ten chunks, one of them long, and returns the rows of the row groups and the errors.
    fn groups(stops: bool) -> (Vec<i64>, Vec<Option<String>>) {
        let name = format!("maintext-table-{}-{stops}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let columns = Columns::new(&["id", "text", "error"]).unwrap();
        let row = |i: usize| {
            let text = "a".repeat(if i == 7 { 1900 } else { 60 });
            let values = [("id", Some(i.to_string())), ("text", Some(text)), ("error", None)];
            values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
        };
        let page = || Encoded { values: (0..10).map(row).collect(), rows: 10, ..Encoded::default() };
        let open = |from: &Progressed| TableWriter {
            max_bytes: 300,
            max_row: 500,
            ..TableWriter::resume(&path, &columns, 100, from).unwrap()
        };
        let mut table = open(&Progressed::default());
        table.write(page()).unwrap();
        if stops {
            // A run that ends before its checkpoint writes the page again.
            table = open(&Progressed::default());
            table.write(page()).unwrap();
        }
        table.finish().unwrap();
        let file = SerializedFileReader::new(File::open(whole(&path)).unwrap()).unwrap();
        let rows = file.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
        let cell =
            |row: parquet::record::Row| row.get_column_iter().nth(2).map(|c| c.1.to_string()).filter(|e| e != "null");
        let errors = file.get_row_iter(None).unwrap().map(|row| cell(row.unwrap())).collect();
        for path in [whole(&path), path] {
            std::fs::remove_file(path).unwrap();
        }
        (rows, errors)
    }

    #[test]
    fn row_groups_end_by_bytes_and_a_row_that_is_too_large_is_an_error() {
        let (rows, errors) = groups(false);
        assert_eq!(rows, [4, 4, 2]);
        assert_eq!(errors.len(), 10);
        for (i, error) in errors.iter().enumerate() {
            assert_eq!(error.as_ref().is_some_and(|e| e.contains("more than the 500")), i == 7, "{i}: {error:?}");
        }
        assert_eq!(groups(true), (rows, errors));
    }
}
