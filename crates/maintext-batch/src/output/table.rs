//! A Parquet file. Until it is finished it is a chain of small Parquet files with one row group each, because the footer of a Parquet file
//! can only be written at its end. Finishing copies the compressed row groups into one file.
use super::{Encoded, Progressed, Sink, reopen};
use crate::columns::Columns;
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

/// Approximate size of a row group in bytes of JSON.
const MAX_BYTES: usize = 32 << 20;

pub(crate) struct Table {
    columns: Columns,
    /// Largest number of rows in a row group.
    max_rows: usize,
    path: PathBuf,
    /// The file that collects the parts.
    file: File,
    written: Progressed,
    rows: Vec<Vec<u8>>,
    /// Number of rows in `rows`, whose items may hold several.
    count: u64,
    bytes: usize,
}

impl Table {
    /// Resumes writing parts to the file `path`.
    pub(crate) fn resume(path: &Path, columns: &Columns, max_rows: usize, from: &Progressed) -> io::Result<Table> {
        let file = reopen(path, from.bytes)?;
        Ok(Table {
            columns: columns.clone(),
            max_rows,
            path: path.to_owned(),
            file,
            written: from.clone(),
            rows: Vec::new(),
            count: 0,
            bytes: 0,
        })
    }

    fn end_part(&mut self) -> io::Result<()> {
        let table = self.columns.table(&std::mem::take(&mut self.rows)).map_err(io::Error::other)?;
        (self.bytes, self.count) = (0, 0);
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

impl Sink for Table {
    fn write(&mut self, row: Encoded) -> io::Result<()> {
        self.written.rows += row.rows;
        self.count += row.rows;
        self.bytes += row.line.len();
        if row.rows > 0 {
            self.rows.push(row.line);
        }
        if self.count >= self.max_rows as u64 || self.bytes >= MAX_BYTES { self.end_part() } else { Ok(()) }
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
