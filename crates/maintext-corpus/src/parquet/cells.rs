//! Row groups whose cells are bounded before they are decoded.
//!
//! A data page of Parquet holds any number of cells of any size, and a decoder unpacks it whole: 59 kB become 1.9 GB. Here a large page of strings
//! is unpacked as a stream and becomes several pages, and a cell over the limit loses its end on the way.
use super::header::{Header, PageKind};
use bytes::Bytes;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A page of more bytes is divided: most writers begin a new page after 1 MiB.
const DIVIDED: usize = 16 << 20;
/// Largest page, in bytes, that cannot be divided: a dictionary, or data that are packed in another way. Writers look at the size of a page, or a
/// dictionary, after every 1,024 values, so that one of pages of 250 kB passes.
const LARGEST: usize = 256 << 20;
/// Bytes kept of a cell beyond the limit: the cell stays too long even if half a character is cut from it.
const BEYOND: usize = 8;

/// A row group of a file.
pub(super) struct RowGroup {
    pub path: PathBuf,
    pub metadata: Arc<ParquetMetaData>,
    pub number: usize,
    /// Longest cell in bytes; of a longer one, up to eight bytes more are kept.
    pub max_cell: usize,
}

impl RowGroups for RowGroup {
    fn num_rows(&self) -> usize {
        usize::try_from(self.metadata.row_group(self.number).num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.number);
        let pages = ColumnPages::open(&self.path, group.column(column), self.num_rows(), self.max_cell)?;
        Ok(Box::new(ColumnPart(iter::once(Ok(Box::new(pages))))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(iter::once(self.metadata.row_group(self.number)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The one part of a column in a row group.
struct ColumnPart(iter::Once<Result<Box<dyn PageReader>>>);

impl Iterator for ColumnPart {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl PageIterator for ColumnPart {}

/// The pages of a column in a row group. Small pages come from the reader of the library.
struct ColumnPages {
    path: PathBuf,
    column: ColumnChunkMetaData,
    inner: SerializedPageReader<File>,
    headers: File,
    /// Where the header of the next page of `inner` begins, and the end of the column.
    at: u64,
    end: u64,
    max_cell: usize,
    /// The large page that is being divided.
    open: Option<Cells>,
    /// The next page, if it was looked at.
    next: Option<Page>,
}

impl ColumnPages {
    fn open(path: &Path, column: &ColumnChunkMetaData, rows: usize, max_cell: usize) -> Result<ColumnPages> {
        let at = offset(column.dictionary_page_offset().unwrap_or(column.data_page_offset()))?;
        let end = at.saturating_add(offset(column.compressed_size())?);
        let headers = File::open(path)?;
        let inner = SerializedPageReader::new(Arc::new(File::open(path)?), column, rows, None)?;
        let (path, column) = (path.to_owned(), column.clone());
        Ok(ColumnPages { path, column, inner, headers, at, end, max_cell, open: None, next: None })
    }

    /// Reads the header of the next page, and moves behind that page. Returns the header and where its data begin.
    fn header(&mut self) -> Result<Option<(Header, u64)>> {
        if self.at >= self.end {
            return Ok(None);
        }
        self.headers.seek(SeekFrom::Start(self.at))?;
        let mut reader = BufReader::with_capacity(256, &self.headers).take(self.end - self.at);
        let header = Header::read(&mut reader)?;
        let data = self.end - reader.limit();
        self.at = data.saturating_add(header.packed as u64);
        Ok(Some((header, data)))
    }

    fn read(&mut self) -> Result<Option<Page>> {
        loop {
            if let Some(cells) = &mut self.open {
                match cells.page(DIVIDED)? {
                    Some(page) => return Ok(Some(page)),
                    None => self.open = None,
                }
            }
            let Some((header, data)) = self.header()? else { return Ok(None) };
            if header.size <= DIVIDED {
                return self.inner.get_next_page();
            }
            let Some(mut cells) = self.cells(&header, data)? else {
                if header.size > LARGEST {
                    let size = header.size;
                    return Err(broken(&format!(
                        "a page of {size} bytes, more than {LARGEST}, that cannot be divided"
                    )));
                }
                return self.inner.get_next_page();
            };
            self.inner.skip_next_page()?;
            if header.kind != PageKind::Dictionary {
                self.open = Some(cells);
                continue;
            }
            // The numbers of values refer to a whole dictionary.
            let Some(Page::DataPage { buf, num_values, .. }) = cells.page(LARGEST)? else { continue };
            if num_values != header.values {
                return Err(broken(&format!("a dictionary of more than {LARGEST} bytes")));
            }
            return Ok(Some(Page::DictionaryPage { buf, num_values, encoding: Encoding::PLAIN, is_sorted: false }));
        }
    }

    /// Opens the cells of a page. Returns `None` if they are not strings, or packed in a way that is not known here.
    fn cells(&self, header: &Header, data: u64) -> Result<Option<Cells>> {
        let column = self.column.column_descr();
        let is_flat = column.max_rep_level() == 0 && column.max_def_level() <= 1;
        let is_text = column.physical_type() == Type::BYTE_ARRAY && header.is_plain;
        let is_known = header.kind != PageKind::Other && (header.kind != PageKind::V2 || header.repetition_bytes == 0);
        if !is_flat || !is_text || !is_known {
            return Ok(None);
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(data))?;
        let mut packed = BufReader::new(file).take(header.packed as u64);
        let is_nullable = column.max_def_level() == 1 && header.kind != PageKind::Dictionary;
        // Version 2 packs the values only.
        let levels = match header.kind {
            PageKind::V2 => Some(bytes_of(&mut packed, header.definition_bytes)?),
            _ => None,
        };
        let is_packed = header.kind != PageKind::V2 || header.is_packed;
        let mut values: Box<dyn Read + Send> = match self.column.compression() {
            Compression::UNCOMPRESSED => Box::new(packed),
            _ if !is_packed => Box::new(packed),
            Compression::ZSTD(_) => Box::new(zstd::stream::read::Decoder::with_buffer(BufReader::new(packed))?),
            Compression::GZIP(_) => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            _ => return Ok(None),
        };
        let levels = match levels {
            Some(levels) => levels,
            None if is_nullable => {
                let length = number(&mut values)?;
                bytes_of(&mut values, length)?
            }
            None => Vec::new(),
        };
        let levels = is_nullable.then(|| Levels::new(levels));
        Ok(Some(Cells { values: BufReader::new(values), levels, left: header.values, max_cell: self.max_cell }))
    }

    fn next_page(&mut self) -> Result<Option<Page>> {
        match self.next.take() {
            Some(page) => Ok(Some(page)),
            None => self.read(),
        }
    }
}

fn offset(n: i64) -> Result<u64> {
    u64::try_from(n).map_err(|_| broken("a column at a negative place"))
}

impl Iterator for ColumnPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_page().transpose()
    }
}

impl PageReader for ColumnPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.next_page()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        if self.next.is_none() && self.open.is_none() {
            return self.inner.peek_next_page();
        }
        self.next = self.next_page()?;
        Ok(match &self.next {
            Some(page) => {
                let values = Some(page.num_values() as usize);
                Some(PageMetadata { num_rows: None, num_levels: values, is_dict: false })
            }
            None => None,
        })
    }

    fn skip_next_page(&mut self) -> Result<()> {
        if self.open.is_some() || self.next.is_some() {
            return self.next_page().map(drop);
        }
        if self.header()?.is_some() {
            self.inner.skip_next_page()?;
        }
        Ok(())
    }
}

/// The cells of a large page, read one after another.
struct Cells {
    values: BufReader<Box<dyn Read + Send>>,
    /// Which cells are not null. `None` if none is.
    levels: Option<Levels>,
    left: u32,
    max_cell: usize,
}

impl Cells {
    /// Returns the next cells as a page of about `size` bytes, or a cell more. `None` after the last cell.
    fn page(&mut self, size: usize) -> Result<Option<Page>> {
        let (mut levels, mut values, mut count) = (Vec::new(), Vec::new(), 0);
        while self.left > 0 && levels.len() + values.len() < size {
            self.left -= 1;
            count += 1;
            let is_there = match &mut self.levels {
                Some(known) => known.next().ok_or_else(|| broken("a page without all its levels"))?,
                None => true,
            };
            // A run of one level.
            levels.extend([2, u8::from(is_there)]);
            if is_there {
                self.cell(&mut values)?;
            }
        }
        if count == 0 {
            return Ok(None);
        }
        let buf = match self.levels {
            Some(_) => [&(levels.len() as u32).to_le_bytes()[..], &levels, &values].concat(),
            None => values,
        };
        Ok(Some(Page::DataPage {
            buf: Bytes::from(buf),
            num_values: count,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }))
    }

    /// Copies a cell. One over the limit loses its end.
    fn cell(&mut self, values: &mut Vec<u8>) -> Result<()> {
        let length = number(&mut self.values)? as usize;
        let kept = length.min(self.max_cell.saturating_add(BEYOND));
        let at = values.len();
        values.extend([0; 4]);
        let start = values.len();
        let read = (&mut self.values).take(kept as u64).read_to_end(values)?;
        let rest = (length - kept) as u64;
        if read < kept || io::copy(&mut (&mut self.values).take(rest), &mut io::sink())? < rest {
            return Err(broken("a page that ends within a cell"));
        }
        if rest > 0 {
            // Half a character would make the whole page invalid.
            let tail = values[start..].iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80).unwrap_or(0);
            values.truncate(values.len() - tail - 1);
        }
        let length = (values.len() - start) as u32;
        values[at..start].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }
}

/// Definition levels of one bit each: runs of a repeated level, and groups of eight.
struct Levels {
    bytes: io::Cursor<Vec<u8>>,
    run: CellRun,
}

enum CellRun {
    Repeated { level: bool, left: u64 },
    Packed { bits: u8, left: u8, groups: u64 },
}

impl Levels {
    fn new(bytes: Vec<u8>) -> Levels {
        Levels { bytes: io::Cursor::new(bytes), run: CellRun::Repeated { level: false, left: 0 } }
    }
}

impl Iterator for Levels {
    type Item = bool;

    fn next(&mut self) -> Option<bool> {
        loop {
            match &mut self.run {
                CellRun::Repeated { level, left } if *left > 0 => {
                    *left -= 1;
                    return Some(*level);
                }
                CellRun::Packed { bits, left, .. } if *left > 0 => {
                    *left -= 1;
                    let level = *bits & 1 == 1;
                    *bits >>= 1;
                    return Some(level);
                }
                CellRun::Packed { bits, left, groups } if *groups > 0 => {
                    (*bits, *left, *groups) = (super::header::byte(&mut self.bytes).ok()?, 8, *groups - 1);
                }
                _ => {
                    let run = super::header::varint(&mut self.bytes).ok()?;
                    self.run = if run & 1 == 1 {
                        CellRun::Packed { bits: 0, left: 0, groups: run >> 1 }
                    } else {
                        let level = super::header::byte(&mut self.bytes).ok()? & 1 == 1;
                        CellRun::Repeated { level, left: run >> 1 }
                    };
                }
            }
        }
    }
}

fn broken(what: &str) -> ParquetError {
    ParquetError::General(format!("the file has {what}"))
}

fn number(reader: &mut impl Read) -> Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Reads the levels of a page.
fn bytes_of(reader: &mut impl Read, length: u32) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if length as usize > DIVIDED {
        return Err(broken(&format!("levels of {length} bytes")));
    }
    if reader.take(u64::from(length)).read_to_end(&mut bytes)? < length as usize {
        return Err(broken("a page that ends within its levels"));
    }
    Ok(bytes)
}
