//! The header of a page of Parquet, in the compact protocol of Thrift. The library knows it too, but keeps the sizes to itself.
use parquet::errors::{ParquetError, Result};
use std::io::{self, Read};

/// How deep the values of a header may nest; the format needs three levels.
const DEPTH: u8 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    Data,
    Dictionary,
    V2,
    /// An index, which readers pass over.
    Other,
}

/// The header of a page.
#[derive(Debug)]
pub(super) struct Header {
    pub kind: PageKind,
    /// Size in bytes after decompression.
    pub size: usize,
    /// Size in the file.
    pub packed: usize,
    pub values: u32,
    /// Whether the values are written one after another.
    pub is_plain: bool,
    /// Of a page of version 2: the sizes of its levels, and whether its values are packed.
    pub definition_bytes: u32,
    pub repetition_bytes: u32,
    pub is_packed: bool,
}

impl Header {
    /// Reads a header, and nothing behind it.
    pub fn read(reader: &mut impl Read) -> Result<Header> {
        let mut found = Header {
            kind: PageKind::Other,
            size: 0,
            packed: 0,
            values: 0,
            is_plain: false,
            definition_bytes: 0,
            repetition_bytes: 0,
            is_packed: true,
        };
        let mut last = 0;
        while let Some((id, kind)) = field(reader, &mut last)? {
            match (id, kind) {
                (1, I32) => {
                    found.kind = match integer(reader)? {
                        0 => PageKind::Data,
                        2 => PageKind::Dictionary,
                        3 => PageKind::V2,
                        _ => PageKind::Other,
                    }
                }
                (2, I32) => found.size = size(reader)?,
                (3, I32) => found.packed = size(reader)?,
                (5 | 7 | 8, STRUCT) => found.of_kind(id, reader)?,
                _ => skip(reader, kind, DEPTH)?,
            }
        }
        Ok(found)
    }

    /// Reads the part for pages of a kind: 5 for data, 7 for dictionaries, 8 for data of version 2.
    fn of_kind(&mut self, part: i64, reader: &mut impl Read) -> Result<()> {
        let mut last = 0;
        while let Some((id, kind)) = field(reader, &mut last)? {
            match (part, id, kind) {
                (_, 1, I32) => self.values = size(reader)? as u32,
                // PLAIN, which dictionaries may call PLAIN_DICTIONARY.
                (5, 2, I32) | (8, 4, I32) => self.is_plain = integer(reader)? == 0,
                (7, 2, I32) => self.is_plain = matches!(integer(reader)?, 0 | 2),
                (8, 5, I32) => self.definition_bytes = size(reader)? as u32,
                (8, 6, I32) => self.repetition_bytes = size(reader)? as u32,
                (8, 7, TRUE | FALSE) => self.is_packed = kind == TRUE,
                _ => skip(reader, kind, DEPTH)?,
            }
        }
        Ok(())
    }
}

// The types of the protocol.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I32: u8 = 5;
const STRUCT: u8 = 12;

/// Returns the number and the type of the next field; `None` at the end of a structure.
fn field(reader: &mut impl Read, last: &mut i64) -> Result<Option<(i64, u8)>> {
    let head = byte(reader)?;
    if head == 0 {
        return Ok(None);
    }
    *last = match head >> 4 {
        0 => integer(reader)?,
        step => last.saturating_add(i64::from(step)),
    };
    Ok(Some((*last, head & 15)))
}

fn skip(reader: &mut impl Read, kind: u8, depth: u8) -> Result<()> {
    let Some(depth) = depth.checked_sub(1) else { return Err(broken()) };
    match kind {
        TRUE | FALSE => {}
        3 => _ = byte(reader)?,
        4..=6 => _ = varint(reader)?,
        7 => pass(reader, 8)?,
        8 => {
            let length = varint(reader)?;
            pass(reader, length)?;
        }
        9 | 10 => {
            let head = byte(reader)?;
            let length = if head >> 4 == 15 { varint(reader)? } else { u64::from(head >> 4) };
            for _ in 0..length {
                // Within a list a boolean takes a byte.
                match head & 15 {
                    TRUE | FALSE => _ = byte(reader)?,
                    kind => skip(reader, kind, depth)?,
                }
            }
        }
        STRUCT => {
            let mut last = 0;
            while let Some((_, kind)) = field(reader, &mut last)? {
                skip(reader, kind, depth)?;
            }
        }
        _ => return Err(broken()),
    }
    Ok(())
}

fn pass(reader: &mut impl Read, length: u64) -> Result<()> {
    if io::copy(&mut reader.take(length), &mut io::sink())? < length {
        return Err(broken());
    }
    Ok(())
}

pub(super) fn byte(reader: &mut impl Read) -> Result<u8> {
    let mut byte = [0];
    reader.read_exact(&mut byte)?;
    Ok(byte[0])
}

pub(super) fn varint(reader: &mut impl Read) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let next = byte(reader)?;
        value |= u64::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(broken())
}

/// Reads an integer in zigzag notation.
fn integer(reader: &mut impl Read) -> Result<i64> {
    let value = varint(reader)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn size(reader: &mut impl Read) -> Result<usize> {
    i32::try_from(integer(reader)?).ok().and_then(|size| usize::try_from(size).ok()).ok_or_else(broken)
}

fn broken() -> ParquetError {
    ParquetError::General("the file has a page with an invalid header".into())
}
