//! Compressed files: gzip, zstd, zlib and brotli, also one within another.
use crate::Refusal;
use maintext_fetch::body::{self, BodyError};
use std::io::Cursor;

/// Layers of compression that are undone; more are refused.
const MAX_LAYERS: usize = 4;

/// A kind of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstd,
    /// brotli, `.br`. Nothing in its bytes shows it.
    Brotli,
    /// zlib, `.zz`, which HTTP calls deflate.
    Zlib,
}

impl Packed {
    /// Recognises compression by the first bytes.
    #[must_use]
    pub fn by_content(bytes: &[u8]) -> Option<Packed> {
        match bytes {
            [0x1f, 0x8b, 8, ..] => Some(Packed::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packed::Zstd),
            [_, _, _, ..]
                if bytes[0] == 0x78
                    && bytes[1] != b'^'
                    && (u16::from(bytes[0]) * 256 + u16::from(bytes[1])).is_multiple_of(31) =>
            {
                Some(Packed::Zlib)
            }
            _ => None,
        }
    }

    /// Returns the compression that a name ends with, and the name without it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<(Packed, &str)> {
        let (stem, extension) = name.rsplit_once('.')?;
        let packed = match extension.to_ascii_lowercase().as_str() {
            "gz" => Packed::Gzip,
            "zst" | "zstd" => Packed::Zstd,
            "br" => Packed::Brotli,
            "zz" | "zlib" | "deflate" => Packed::Zlib,
            _ => return None,
        };
        Some((packed, stem))
    }

    fn coding(self) -> &'static str {
        match self {
            Packed::Gzip => "gzip",
            Packed::Zstd => "zstd",
            Packed::Brotli => "br",
            Packed::Zlib => "deflate",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packed::Gzip => "gzip-compressed data",
            Packed::Zstd => "zstd-compressed data",
            Packed::Brotli => "brotli-compressed data",
            Packed::Zlib => "zlib-compressed data",
        }
    }
}

/// Undoes all compression. Returns the bytes, and the name without its endings.
///
/// # Errors
/// The data are damaged, or larger than `max_size` bytes.
pub fn unpack(mut bytes: Vec<u8>, name: Option<&str>, max_size: usize) -> Result<(Vec<u8>, Option<String>), Refusal> {
    let mut name = name.map(str::to_owned);
    for layer in 0.. {
        let named = name.as_deref().and_then(Packed::by_name).map(|(packed, stem)| (packed, stem.to_owned()));
        // Nothing in its bytes shows brotli: a file of that name is brotli unless it begins with a tag or cannot be decoded.
        let is_tagged = bytes.trim_ascii_start().starts_with(b"<");
        let named_brotli = named.as_ref().map(|(packed, _)| *packed).filter(|p| *p == Packed::Brotli && !is_tagged);
        let Some(packed) = Packed::by_content(&bytes).or(named_brotli) else { break };
        if layer == MAX_LAYERS {
            return Err(Refusal::NotAPage(format!("data compressed more than {MAX_LAYERS} times").into()));
        }
        bytes = match body::read(Cursor::new(bytes.clone()), packed.coding(), max_size, None) {
            Ok(plain) => plain,
            Err(BodyError::TooLarge) => return Err(Refusal::TooLarge(max_size)),
            // The two bytes that begin zlib may begin a text.
            Err(_) if packed == Packed::Zlib && named.is_none() => break,
            Err(_) if packed == Packed::Brotli && std::str::from_utf8(&bytes).is_ok() => break,
            Err(BodyError::Damaged(reason)) => return Err(Refusal::Damaged(packed.name().into(), reason)),
            Err(error) => return Err(Refusal::Damaged(packed.name().into(), format!("{error:?}"))),
        };
        name = named.map(|(_, stem)| stem).or(name);
    }
    Ok((bytes, name))
}
