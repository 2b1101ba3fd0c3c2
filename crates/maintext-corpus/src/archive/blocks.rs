//! Random access to a file on a server, for Parquet: blocks are kept, because readers take a page of a column at a time.
use super::{Location, Ranges};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Size of a block in bytes.
const BLOCK: u64 = 1 << 20;
/// Number of blocks that are kept.
const KEPT: usize = 64;

type Block = Arc<Vec<u8>>;

/// A file that is read in blocks. Clones share the blocks.
#[derive(Clone)]
pub(crate) struct FileBlocks {
    ranges: Ranges,
    place: Arc<Location>,
    length: u64,
    kept: Arc<Mutex<VecDeque<(u64, Block)>>>,
}

impl FileBlocks {
    /// Asks for the size of the file.
    pub(crate) fn open(ranges: Ranges, place: Location) -> io::Result<FileBlocks> {
        let found = ranges.read(&place, 0, 4).map_err(io::Error::other)?;
        let length = found.total.ok_or_else(|| io::Error::other("the server does not give the size of the file"))?;
        Ok(FileBlocks { ranges, place: Arc::new(place), length, kept: Arc::default() })
    }

    /// Returns the block with this number: from memory, or from the server.
    fn block(&self, number: u64) -> io::Result<Block> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = kept.iter().find(|(n, _)| *n == number) {
            return Ok(block.clone());
        }
        let start = number * BLOCK;
        let length = self.length.saturating_sub(start).min(BLOCK) as usize;
        let found = self.ranges.read(&self.place, start, length).map_err(io::Error::other)?;
        if found.bytes.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let block = Arc::new(found.bytes);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((number, block.clone()));
        Ok(block)
    }
}

impl Length for FileBlocks {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for FileBlocks {
    type T = BufReader<BlockReader>;

    fn get_read(&self, start: u64) -> Result<BufReader<BlockReader>> {
        Ok(BufReader::new(BlockReader { blocks: self.clone(), at: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        let mut bytes = Vec::new();
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            Err(ParquetError::EOF(format!("{} of {length} bytes at byte {start}", bytes.len())))
        }
    }
}

/// The bytes of a file from an offset on.
pub(crate) struct BlockReader {
    blocks: FileBlocks,
    at: u64,
}

impl Read for BlockReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.blocks.length {
            return Ok(0);
        }
        let block = self.blocks.block(self.at / BLOCK)?;
        let rest = &block[(self.at % BLOCK) as usize..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length as u64;
        Ok(length)
    }
}
