//! Decodes any bytes with any label: the result is valid, deterministic, and at most three bytes long for each input byte.
use maintext_core::decode::decode;

const LABELS: [&str; 16] = [
    "",
    "utf-8",
    "utf-16le",
    "utf-16be",
    "gbk",
    "gb18030",
    "big5",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "euc-kr",
    "koi8-r",
    "windows-1252",
    "windows-1255",
    "x-user-defined",
    "iso-2022-kr",
];

/// Tries one input.
pub fn run(data: &[u8]) {
    let [label, rest @ ..] = data else { return };
    let label = LABELS.get(*label as usize).copied().filter(|l| !l.is_empty());
    let decoded = decode(rest, label);
    assert!(decoded.text.len() <= 3 * rest.len() + 3, "{} bytes from {}", decoded.text.len(), rest.len());
    assert_eq!(decode(rest, label).text, decoded.text);
    // Without a charset in the header, the page's own declaration or its bytes determine it.
    let declared = [b"<meta charset=", label.unwrap_or("x").as_bytes(), b">", rest].concat();
    let _ = decode(&declared, None);
}
