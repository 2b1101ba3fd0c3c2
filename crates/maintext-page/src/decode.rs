//! Bytes to text: finds the encoding of a page and decodes it.
//!
//! The order follows the HTML standard ("determining the character encoding"): byte-order mark, `charset` of the
//! HTTP `Content-Type`, `<meta>` (or XML declaration) in the first bytes, detection, default. A browser believes
//! the first source that names an encoding. No reader would notice garbage here and reload the page, so a source is
//! believed only if the bytes do not refute it:
//!
//! * **A page that is UTF-8 is UTF-8.** Bytes that form valid UTF-8 with [`MIN_UTF8_SEQUENCES`] or more multi-byte
//!   sequences (one is enough against windows-1252, the default that servers add on their own) are not in a legacy
//!   encoding, whatever the header says. Random legacy text passes that test with a probability of about 1 in 5 for
//!   each sequence, and 4 in a row is rarer than a wrong header.
//! * **UTF-8 with a few stray bytes stays UTF-8**: it is overruled only if more sequences are broken than whole.
//! * **A declared legacy encoding** whose text holds replacement characters is overruled if the detected one has
//!   fewer and more than 1 in [`TOLERATED_ERRORS`] of the non-ASCII characters are broken. Below that, they are
//!   damage (text cut inside a character), not a wrong label.
//! * **Two sources against one**: if HTTP and `<meta>` disagree, HTTP names a single-byte encoding (which cannot
//!   fail and so proves nothing), and detection agrees with `<meta>`, then `<meta>` is believed.
//! * **UTF-16 is recognised** by its NUL bytes, with or without a declaration, and a page without them is not UTF-16.
//!
//! Detection is by chardetng, with three corrections of its guesses (`decode/detect.rs`): UTF-8 may be damaged, text
//! in a multi-byte encoding may be damaged, and an English page with a few signs like "£" is windows-1252.
//!
//! Every step is linear in the size of the page, and detection reads at most [`DETECTION_WINDOW`] bytes.
//!
//! ```
//! use maintext_page::decode::{EncodingSource, decode};
//!
//! let page = b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>";
//! let decoded = decode(page, None);
//! assert_eq!(decoded.encoding, "windows-1251");
//! assert_eq!(decoded.source, EncodingSource::Meta);
//! assert!(decoded.text.ends_with("<p>Привет</p>"));
//! ```

mod detect;
mod foreign;
mod prescan;
mod xhtml;

pub use foreign::{Reference, foreign, foreign_xml, root_name};
pub use xhtml::html_of_xml;

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use detect::{Utf8Count, detect, utf16_by_nuls};
use prescan::prescan;

/// Bytes in which the standard looks for `<meta charset>` before parsing.
pub const PRESCAN_WINDOW: usize = 1024;

/// Bytes in which a `<meta charset>` is looked for if the first [`PRESCAN_WINDOW`] hold none. A browser that finds
/// a late one while parsing reloads the page with it ("changing the encoding while parsing"); looking further
/// has the same result. The window ends at 64 KiB because the text after it is rarely the head of a page.
pub const LATE_PRESCAN_WINDOW: usize = 64 * 1024;

/// Bytes that the detector sees: non-ASCII ones and those next to them.
pub const DETECTION_WINDOW: usize = 32 * 1024;

/// Valid multi-byte UTF-8 sequences (and no invalid one) that overrule a declared legacy encoding.
pub const MIN_UTF8_SEQUENCES: usize = 4;

/// Up to one broken character per this many non-ASCII ones counts as damage, not as a wrong declaration.
pub const TOLERATED_ERRORS: usize = 20;

/// The source of the encoding that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncodingSource {
    /// A byte-order mark.
    Bom,
    /// The `charset` parameter of the HTTP `Content-Type` header.
    Http,
    /// `<meta charset>`, `<meta http-equiv=content-type>` or an XML declaration.
    Meta,
    /// The bytes themselves: nothing was declared, or the declaration was refuted.
    Detected,
    /// The default: nothing was declared and the page is plain ASCII.
    Default,
}

/// The text of a page and its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text without its byte-order mark; borrowed if the bytes were ASCII or valid UTF-8.
    pub text: Cow<'a, str>,
    /// Name of the encoding used, as in the Encoding Standard: `UTF-8`, `windows-1252`, `Shift_JIS`, `GBK`.
    pub encoding: &'static str,
    /// The source of the encoding.
    pub source: EncodingSource,
    /// Whether some bytes were malformed in that encoding and became U+FFFD.
    pub had_errors: bool,
}

/// Decodes a page. `http_charset` is the `charset` parameter of its `Content-Type` header, if there was one; an
/// unknown name is ignored. Never fails: malformed bytes become U+FFFD and set `had_errors`.
///
/// The rules are in the [module's documentation](self).
pub fn decode<'a>(bytes: &'a [u8], http_charset: Option<&str>) -> Decoded<'a> {
    let (bytes, bom) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (&bytes[length..], Some(encoding)),
        None => (bytes, None),
    };
    let http = http_charset.and_then(http_encoding);
    if let Some(encoding) = bom.filter(|e| is_utf16(e)) {
        return decode_as(bytes, encoding, EncodingSource::Bom);
    }
    if let Some(encoding) = utf16_by_nuls(bytes, http.is_some_and(is_utf16)) {
        let source = if http == Some(encoding) { EncodingSource::Http } else { EncodingSource::Detected };
        return decode_as(bytes, encoding, source);
    }
    let meta = prescan(bytes, PRESCAN_WINDOW).or_else(|| prescan(bytes, LATE_PRESCAN_WINDOW));
    let declared = [
        bom.map(|e| (e, EncodingSource::Bom)),
        http.map(|e| (e, EncodingSource::Http)),
        meta.map(|e| (e, EncodingSource::Meta)),
    ];
    // UTF-16 was decided above; the `replacement` encoding only marks encodings that browsers do not support.
    match declared.into_iter().flatten().find(|d| !is_utf16(d.0) && d.0 != REPLACEMENT) {
        Some((encoding, source)) => verify(bytes, encoding, source, meta),
        None if bytes.is_ascii() => decode_as(bytes, WINDOWS_1252, EncodingSource::Default),
        None => decode_as(bytes, detect(bytes), EncodingSource::Detected),
    }
}

/// The encoding that the page's own first bytes declare, by the standard's "prescan a byte stream to determine its
/// encoding" over the first [`PRESCAN_WINDOW`] bytes: `<meta charset>`, `<meta http-equiv=content-type>`, an XML
/// declaration. The name is the Encoding Standard's (`iso-8859-1` gives `windows-1252`).
///
/// ```
/// let page = b"<!doctype html><meta charset='latin1'>";
/// assert_eq!(maintext_page::decode::declared_encoding(page), Some("windows-1252"));
/// ```
pub fn declared_encoding(bytes: &[u8]) -> Option<&'static str> {
    prescan(bytes, PRESCAN_WINDOW).map(Encoding::name)
}

/// Accepts `utf-8`, and also the forms that servers send: `"utf-8"`, `'utf-8'`, `utf-8;`, `utf-8,utf-8`.
fn http_encoding(charset: &str) -> Option<&'static Encoding> {
    let label = charset.trim_matches(|c: char| c.is_whitespace() || "\"';,".contains(c));
    let label = label.split([';', ',']).next()?;
    Encoding::for_label(label.as_bytes())
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn decode_as<'a>(bytes: &'a [u8], encoding: &'static Encoding, source: EncodingSource) -> Decoded<'a> {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), source, had_errors }
}

/// Decodes with the declared encoding unless the bytes refute it (see the module documentation).
fn verify<'a>(
    bytes: &'a [u8],
    declared: &'static Encoding,
    source: EncodingSource,
    meta: Option<&'static Encoding>,
) -> Decoded<'a> {
    let overruled_by = |encoding: &'static Encoding| {
        let source = match meta {
            Some(meta) if meta == encoding => EncodingSource::Meta,
            _ => EncodingSource::Detected,
        };
        decode_as(bytes, encoding, source)
    };
    let as_declared = decode_as(bytes, declared, source);
    if declared == UTF_8 {
        if !as_declared.had_errors || Utf8Count::of(bytes).mostly_whole() {
            return as_declared;
        }
        return overruled_by(detect(bytes));
    }
    // Text borrowed from the input means ASCII, which is the same in every encoding.
    if matches!(as_declared.text, Cow::Borrowed(_)) {
        return as_declared;
    }
    if declared != ISO_2022_JP && Utf8Count::of(bytes).refutes(declared) {
        return overruled_by(UTF_8);
    }
    if let Some(meta) = meta
        && meta != declared
        && declared.is_single_byte()
    {
        // Texts are compared, not encodings, since related ones (KOI8-R and KOI8-U) are guessed for each other.
        let confirmed = overruled_by(meta);
        if !confirmed.had_errors && decode_as(bytes, detect(bytes), source).text == confirmed.text {
            return confirmed;
        }
    }
    if !as_declared.had_errors || !is_wrong(&as_declared.text) {
        return as_declared;
    }
    let detected = overruled_by(detect(bytes));
    if replacements(&detected.text) < replacements(&as_declared.text) { detected } else { as_declared }
}

/// Whether too many non-ASCII characters are broken to be mere damage.
fn is_wrong(text: &str) -> bool {
    let non_ascii = text.bytes().filter(|byte| *byte >= 0xC0).count();
    replacements(text) * TOLERATED_ERRORS > non_ascii
}

fn replacements(text: &str) -> usize {
    text.matches(char::REPLACEMENT_CHARACTER).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str = "Вчера вечером мы долго гуляли по набережной и смотрели, как рыбаки возвращаются домой.";
    const SIMPLIFIED: &str = "昨天晚上我们沿着河边散步,看着渔民们回家。天气很好,风也不大,孩子们在桥上放风筝。";
    const TRADITIONAL: &str = "昨天晚上我們沿著河邊散步,看著漁民們回家。天氣很好,風也不大,孩子們在橋上放風箏。";
    const JAPANESE: &str = "昨日の夕方、川沿いを散歩しながら漁師たちが帰るのを見ていました。とても天気が良く、子供たちは橋の上でカタカナの練習をしていました。";
    const KOREAN: &str =
        "어제 저녁에 우리는 강가를 오래 걸으면서 어부들이 집으로 돌아가는 모습을 보았습니다. 날씨가 아주 좋았습니다.";
    const GERMAN: &str =
        "Gestern Abend gingen wir über die Brücke und sahen, wie die Fischer müde nach Hause fuhren – schön.";
    const FRENCH: &str = "Hier soir, nous avons longé la rivière et regardé les pêcheurs rentrer chez eux, fatigués.";

    /// Each language with an encoding that was used for it on the old web.
    const LEGACY: [(&str, &str); 11] = [
        (SIMPLIFIED, "GBK"),
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "Big5"),
        (JAPANESE, "Shift_JIS"),
        (JAPANESE, "EUC-JP"),
        (JAPANESE, "ISO-2022-JP"),
        (KOREAN, "EUC-KR"),
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "KOI8-R"),
        (GERMAN, "windows-1252"),
        (FRENCH, "windows-1252"),
    ];

    fn encode(text: &str, encoding: &str) -> Vec<u8> {
        let encoding = Encoding::for_label(encoding.as_bytes()).unwrap();
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable, "{text} is not in {}", encoding.name());
        bytes.into_owned()
    }

    fn page(text: &str, head: &str) -> String {
        format!("<!doctype html><html><head>{head}</head><body><p>{text}</p></body></html>")
    }

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn assert_decodes(bytes: &[u8], http: Option<&str>, text: &str, source: EncodingSource) {
        let decoded = decode(bytes, http);
        assert!(decoded.text.contains(text), "{http:?}, read as {}: {}", decoded.encoding, decoded.text);
        assert_eq!(decoded.source, source, "{http:?} {}", decoded.encoding);
    }

    #[test]
    fn every_legacy_encoding_is_read_from_meta() {
        for (text, encoding) in LEGACY {
            for head in [
                format!("<meta charset={encoding}>"),
                format!("<META content='text/html; charset={encoding}' http-equiv=Content-Type />"),
            ] {
                let bytes = encode(&page(text, &head), encoding);
                assert_decodes(&bytes, None, text, EncodingSource::Meta);
                assert!(!decode(&bytes, None).had_errors);
            }
        }
    }

    #[test]
    fn every_legacy_encoding_is_read_from_the_http_header() {
        for (text, encoding) in LEGACY {
            let bytes = encode(&page(text, ""), encoding);
            assert_decodes(&bytes, Some(encoding), text, EncodingSource::Http);
            let quoted = format!("\"{encoding}\"");
            assert_decodes(&bytes, Some(&quoted), text, EncodingSource::Http);
        }
    }

    #[test]
    fn every_legacy_encoding_is_detected() {
        for (text, encoding) in LEGACY {
            if encoding == "ISO-2022-JP" {
                continue; // Never guessed on the web: apart from its escapes it is ASCII.
            }
            let bytes = encode(&page(text, ""), encoding);
            assert_decodes(&bytes, None, text, EncodingSource::Detected);
        }
    }

    #[test]
    fn wrong_declaration_with_replacement_characters_is_overruled() {
        for (text, encoding) in LEGACY {
            if encoding == "ISO-2022-JP" {
                continue;
            }
            let bytes = encode(&page(text, "<meta charset=utf-8>"), encoding);
            assert_decodes(&bytes, None, text, EncodingSource::Detected);
            assert_decodes(&bytes, Some("utf-8"), text, EncodingSource::Detected);
        }
        for wrong in ["gbk", "big5", "shift_jis", "euc-jp", "euc-kr"] {
            for (text, encoding) in LEGACY {
                let bytes = encode(&page(text, ""), encoding);
                let declared = Encoding::for_label(wrong.as_bytes()).unwrap();
                let garbage = declared.decode(&bytes).0;
                if is_wrong(&garbage) {
                    assert_decodes(&bytes, Some(wrong), text, EncodingSource::Detected);
                }
            }
        }
    }

    #[test]
    fn wrong_http_header_gives_way_to_the_meta_that_detection_confirms() {
        for (text, encoding) in LEGACY {
            if encoding == "windows-1252" || encoding == "ISO-2022-JP" || encoding == "gb18030" {
                continue;
            }
            let head = format!("<meta charset={encoding}>");
            let bytes = encode(&page(text, &head), encoding);
            assert_decodes(&bytes, Some("iso-8859-1"), text, EncodingSource::Meta);
        }
        // A transcoding proxy: the header is right and the page's own declaration is stale.
        let bytes = encode(&page(RUSSIAN, "<meta charset=koi8-r>"), "windows-1251");
        assert_decodes(&bytes, Some("windows-1251"), RUSSIAN, EncodingSource::Http);
    }

    #[test]
    fn utf8_declared_as_something_else_is_utf8() {
        for text in [RUSSIAN, SIMPLIFIED, JAPANESE, KOREAN, GERMAN] {
            for wrong in ["iso-8859-1", "windows-1251", "gbk", "shift_jis", "koi8-r"] {
                let bytes = page(text, "");
                let decoded = decode(bytes.as_bytes(), Some(wrong));
                assert_eq!(decoded.encoding, "UTF-8", "{text} declared {wrong}");
                assert!(matches!(decoded.text, Cow::Borrowed(_)));
            }
            let bytes = page(text, "<meta charset=utf-8>");
            let decoded = decode(bytes.as_bytes(), Some("iso-8859-1"));
            assert_eq!(decoded.source, EncodingSource::Meta);
        }
    }

    #[test]
    fn a_short_legacy_page_that_happens_to_be_valid_utf8_keeps_its_declaration() {
        let bytes = encode("<p>Я»</p>", "windows-1251");
        assert!(std::str::from_utf8(&bytes).is_ok());
        assert_decodes(&bytes, Some("windows-1251"), "Я»", EncodingSource::Http);
    }

    #[test]
    fn utf8_with_stray_bytes_stays_utf8() {
        for head in ["<meta charset=utf-8>", ""] {
            let mut bytes = page(RUSSIAN, head).into_bytes();
            bytes.extend_from_slice(b"<p>\x96 \xe9</p>");
            let decoded = decode(&bytes, None);
            assert_eq!(decoded.encoding, "UTF-8");
            assert!(decoded.had_errors && decoded.text.contains(RUSSIAN));
        }
        // The text ends in the middle of a character.
        let text = page(SIMPLIFIED, "");
        let cut = &text.as_bytes()[..text.find('昨').unwrap() + 4];
        assert_eq!(decode(cut, Some("utf-8")).encoding, "UTF-8");
    }

    #[test]
    fn legacy_page_with_stray_bytes_keeps_its_declaration() {
        for (text, encoding) in LEGACY {
            if encoding == "ISO-2022-JP" {
                continue;
            }
            let mut bytes = encode(&page(&text.repeat(2), ""), encoding);
            bytes.extend_from_slice(b"<p>\xff</p>");
            let decoded = decode(&bytes, Some(encoding));
            let name = Encoding::for_label(encoding.as_bytes()).unwrap().name();
            assert_eq!(decoded.encoding, name);
        }
    }

    #[test]
    fn byte_order_marks() {
        let text = page(RUSSIAN, "<meta charset=koi8-r>");
        let utf8 = format!("\u{feff}{text}");
        let decoded = decode(utf8.as_bytes(), Some("koi8-r"));
        assert_eq!(decoded.source, EncodingSource::Bom);
        assert!(matches!(decoded.text, Cow::Borrowed(t) if t == text));
        for (big_endian, name) in [(false, "UTF-16LE"), (true, "UTF-16BE")] {
            let decoded_bytes = utf16(&utf8, big_endian);
            let decoded = decode(&decoded_bytes, Some("utf-8"));
            assert_eq!((decoded.encoding, decoded.source), (name, EncodingSource::Bom));
            assert_eq!(decoded.text, text);
        }
    }

    #[test]
    fn byte_order_mark_before_a_legacy_page_is_overruled() {
        let mut bytes = b"\xef\xbb\xbf".to_vec();
        bytes.extend(encode(&page(RUSSIAN, ""), "windows-1251"));
        assert_decodes(&bytes, None, RUSSIAN, EncodingSource::Detected);
        assert!(decode(&bytes, None).text.starts_with("<!doctype"));
    }

    #[test]
    fn utf16_is_recognised_without_byte_order_mark() {
        for text in [RUSSIAN, SIMPLIFIED, GERMAN] {
            for (big_endian, name) in [(false, "UTF-16LE"), (true, "UTF-16BE")] {
                let text = page(text, "<meta charset=utf-8>");
                let bytes = utf16(&text, big_endian);
                for http in [None, Some("utf-16"), Some("utf-8"), Some(name)] {
                    let decoded = decode(&bytes, http);
                    assert_eq!(decoded.encoding, name, "declared {http:?}");
                    assert_eq!(decoded.text, text);
                }
            }
        }
    }

    #[test]
    fn a_wrong_utf16_declaration_is_overruled() {
        let text = page(RUSSIAN, "<meta charset=utf-16>");
        for http in [None, Some("utf-16"), Some("utf-16be")] {
            assert_eq!(decode(text.as_bytes(), http).encoding, "UTF-8");
        }
        let bytes = encode(&page(RUSSIAN, ""), "koi8-r");
        assert_decodes(&bytes, Some("utf-16"), RUSSIAN, EncodingSource::Detected);
    }

    #[test]
    fn plain_ascii_is_borrowed_and_named_by_its_declaration() {
        let cases = [
            (None, "<p>plain", "windows-1252", EncodingSource::Default),
            (Some("utf-8"), "<p>plain", "UTF-8", EncodingSource::Http),
            (None, "<meta charset=big5>", "Big5", EncodingSource::Meta),
            (Some("nonsense"), "", "windows-1252", EncodingSource::Default),
        ];
        for (http, text, encoding, source) in cases {
            let decoded = decode(text.as_bytes(), http);
            assert!(matches!(decoded.text, Cow::Borrowed(t) if t == text));
            assert_eq!((decoded.encoding, decoded.source), (encoding, source));
        }
        assert_eq!(decode(b"\xef\xbb\xbf", None).text, "");
    }

    #[test]
    fn pages_in_encodings_that_browsers_refuse_are_still_read() {
        let decoded = decode(b"<meta charset=hz-gb-2312><p>plain</p>", None);
        assert!(decoded.text.contains("plain"));
    }

    #[test]
    fn meta_beyond_the_standard_window_is_found() {
        let head = format!("<style>{}</style><meta charset=koi8-r>", "x".repeat(9000));
        let bytes = encode(&page("Я", &head), "koi8-r");
        assert_eq!(declared_encoding(&bytes), None);
        assert_decodes(&bytes, None, "<p>Я</p>", EncodingSource::Meta);
    }

    /// Tests `decode` and not only the prescan: some cases have a byte-order mark, or a `<meta>` beyond
    /// the window, which a browser finds while parsing.
    #[test]
    #[ignore = "needs MAINTEXT_DATA with html5lib-tests"]
    fn html5lib_encoding_tests() {
        let folder = std::env::var("MAINTEXT_DATA").unwrap() + "/html5lib-tests/encoding/";
        // The one exception in test-yahoo-jp.dat declares EUC-JP, but its bytes are UTF-8.
        for (name, exceptions) in [("tests1.dat", 0), ("tests2.dat", 0), ("test-yahoo-jp.dat", 1)] {
            let file = std::fs::read(folder.clone() + name).unwrap();
            let lines = file.windows(6).enumerate();
            let starts = lines.filter_map(|(at, line)| (line == b"#data\n").then_some(at + 6));
            let starts: Vec<usize> = starts.chain([file.len() + 6]).collect();
            let mut failed = Vec::new();
            for bounds in starts.windows(2) {
                let case = &file[bounds[0]..bounds[1] - 6];
                let at = case.windows(11).rposition(|w| w == b"\n#encoding\n").unwrap();
                let expected = Encoding::for_label(case[at + 11..].trim_ascii()).unwrap();
                let decoded = decode(&case[..at], None);
                if decoded.encoding != expected.name() {
                    failed.push((bounds[0], expected.name(), decoded.encoding));
                }
            }
            assert_eq!(failed.len(), exceptions, "{name}: {failed:?}");
            assert!(starts.len() > 1, "{name} holds no case");
        }
    }
}
