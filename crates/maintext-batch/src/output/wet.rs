//! Records of WET files: the text of a page as a WARC record of type `conversion`.
//!
//! The format: <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#conversion>.
use sha2::{Digest, Sha256};

/// The date of pages whose archive names none; the format requires one.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

/// A page on its way to a WET file.
#[derive(Debug, Default)]
pub(crate) struct WetPage<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) url: Option<&'a str>,
    pub(crate) captured: Option<&'a str>,
    pub(crate) language: Option<&'a str>,
    pub(crate) text: &'a str,
}

/// Returns the record at the start of a file.
pub(crate) fn header(name: &str) -> Vec<u8> {
    let block = format!(
        "software: maintext {}\r\nformat: WARC File Format 1.1\r\nconformsTo: \
         https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let id = record_id(&[name, &block]);
    let fields = format!(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: {NO_DATE}\r\nWARC-Filename: {name}\r\nWARC-Record-ID: {id}\r\n\
         Content-Type: application/warc-fields\r\n"
    );
    record(fields, block.as_bytes())
}

/// Returns the record of a page. The same page gives the same record, with the same id.
pub(crate) fn conversion(page: &WetPage<'_>) -> Vec<u8> {
    let mut fields = "WARC/1.1\r\nWARC-Type: conversion\r\n".to_owned();
    if let Some(url) = page.url {
        fields += &format!("WARC-Target-URI: {}\r\n", one_line(url));
    }
    fields += &format!("WARC-Date: {}\r\n", one_line(page.captured.unwrap_or(NO_DATE)));
    fields += &format!("WARC-Record-ID: {}\r\n", record_id(&[page.id.unwrap_or_default(), page.text]));
    if let Some(id) = page.id.filter(|id| id.starts_with("urn:")) {
        fields += &format!("WARC-Refers-To: <{}>\r\n", one_line(id));
    }
    fields += &format!("WARC-Block-Digest: sha256:{}\r\n", hex(&Sha256::digest(page.text.as_bytes())));
    if let Some(language) = page.language {
        fields += &format!("WARC-Identified-Content-Language: {}\r\n", one_line(language));
    }
    fields += "Content-Type: text/plain\r\n";
    record(fields, page.text.as_bytes())
}

fn one_line(value: &str) -> String {
    value.chars().filter(|c| !c.is_control()).collect::<String>()
}

fn record(fields: String, block: &[u8]) -> Vec<u8> {
    let mut record = format!("{fields}Content-Length: {}\r\n\r\n", block.len()).into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// Returns a UUID of version 8 made from the texts, as an address in angle brackets.
fn record_id(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let mut bytes: Vec<u8> = digest.finalize()[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Returns the digits of a digest.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_fields_of_its_page() {
        let page = WetPage {
            id: Some("urn:uuid:1"),
            url: Some("http://e.org/\r\nX: y"),
            captured: Some("2026-01-02T03:04:05Z"),
            language: Some("en"),
            text: "Words.\n",
        };
        let record = String::from_utf8(conversion(&page)).unwrap();
        assert!(record.contains("\r\nWARC-Target-URI: http://e.org/X: y\r\n"), "{record}");
        assert!(record.contains("\r\nWARC-Refers-To: <urn:uuid:1>\r\n"), "{record}");
        assert!(record.ends_with("Content-Length: 7\r\n\r\nWords.\n\r\n\r\n"), "{record}");
        assert_eq!(record.as_bytes(), conversion(&page));
        let other = WetPage { text: "Other.\n", ..page };
        assert_ne!(record.lines().nth(4), String::from_utf8(conversion(&other)).unwrap().lines().nth(4));
    }
}
