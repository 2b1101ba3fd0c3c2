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

/// A ZIP archive of named files. The first is stored, as EPUB demands, and all WARC files are.
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

pub const CONTAINER: &str = "<?xml version='1.0'?><container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>\
    <rootfile full-path='OEBPS/content.opf' media-type='application/oebps-package+xml'/></rootfiles></container>";

/// A book of chapters with these paths, bodies and places in the spine.
pub fn epub(chapters: &[(&str, &str)], spine: &str) -> Vec<u8> {
    let items: String = chapters
        .iter()
        .map(|(path, _)| format!("<item id='{path}' href='{path}' media-type='application/xhtml+xml'/>"))
        .collect();
    let opf = format!(
        "<?xml version='1.0'?><package xmlns='http://www.idpf.org/2007/opf' xmlns:dc='http://purl.org/dc/elements/1.1/' \
         xmlns:opf='http://www.idpf.org/2007/opf'><metadata><dc:title>Herons of the Delta</dc:title>\
         <dc:creator opf:role='aut'>Jane Doe</dc:creator><dc:creator opf:role='ill'>John Roe</dc:creator><dc:language>en</dc:language>\
         <dc:date>2019-04-02</dc:date></metadata><manifest>{items}<item id='nav' href='nav.xhtml' properties='nav' \
         media-type='application/xhtml+xml'/></manifest>{spine}</package>"
    );
    let nav = "<html><body><nav><ol><li><a href='text/one.xhtml'>The first chapter</a></li></ol></nav></body></html>";
    let page = |body: &str| {
        format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{body}</body></html>"
        )
    };
    let pages: Vec<(String, String)> =
        chapters.iter().map(|(path, body)| (format!("OEBPS/{path}"), page(body))).collect();
    let mut files: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/content.opf", opf.as_bytes()),
        ("OEBPS/nav.xhtml", nav.as_bytes()),
    ];
    files.extend(pages.iter().map(|(path, page)| (path.as_str(), page.as_bytes())));
    zip(&files)
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
