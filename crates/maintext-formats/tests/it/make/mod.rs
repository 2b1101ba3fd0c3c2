//! Files for tests: archives and compressed data.
#![allow(dead_code)]
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A brotli stream of one uncompressed block of fewer than 65,536 bytes, and the empty last block.
pub fn brotli(bytes: &[u8]) -> Vec<u8> {
    // Window of 16 bits (one bit 0), not the last block (0), four nibbles of the length (00), the length less one, uncompressed (1).
    let head = ((bytes.len() - 1) as u32) << 4 | 1 << 20;
    let mut out = head.to_le_bytes()[..3].to_vec();
    out.extend_from_slice(bytes);
    out.push(3);
    out
}

/// A ZIP archive of named files. The first is stored, as OpenDocument demands, and all WARC files are.
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (i, (name, bytes)) in files.iter().enumerate() {
        let stored = i == 0 || name.contains(".warc");
        let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A WARC file with a response for each page.
pub fn warc(pages: &[(&str, &str)]) -> Vec<u8> {
    let record = |(url, html): &(&str, &str)| {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Target-URI: {url}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    pages.iter().map(record).collect::<String>().into_bytes()
}
