//! Bytes to text: which encoding a page is in, and its text.
//!
//! The order is the HTML standard's ("determining the character encoding"): byte-order mark, `charset` of the
//! HTTP `Content-Type`, `<meta>` (or XML declaration) in the first bytes, detection, default. A browser believes
//! the first witness that speaks; a page read by a machine has nobody who would notice the garbage and reload, so
//! here a witness is believed only while the bytes do not refute it:
//!
//! * **A page that is UTF-8 is UTF-8.** Bytes that form valid UTF-8 with [`MIN_UTF8_SEQUENCES`] or more multi-byte
//!   sequences (one is enough against windows-1252, the default that servers add unasked) are not any legacy
//!   encoding, whatever the header says. Random legacy text passes that test with a probability of about 1 in 5 for
//!   each sequence, and 4 in a row is rarer than a wrong header.
//! * **UTF-8 with a few stray bytes stays UTF-8**: it is overruled only if more sequences are broken than whole.
//! * **A declared legacy encoding** whose text holds replacement characters is overruled if the detected one has
//!   fewer and more than 1 in [`TOLERATED_ERRORS`] of the non-ASCII characters are broken. Below that, they are
//!   damage (text cut inside a character), not a wrong label.
//! * **Two witnesses against one**: if HTTP and `<meta>` disagree, HTTP names a single-byte encoding (which cannot
//!   fail and so proves nothing), and detection agrees with `<meta>`, then `<meta>` is believed.
//! * **UTF-16 shows itself** by its NUL bytes, with or without a declaration, and a page without them is not UTF-16.
//!
//! Every step is linear in the size of the page, and detection looks at no more than [`DETECTION_WINDOW`] bytes.
//!
//! ```
//! use maintext::decode::{EncodingSource, decode};
//!
//! let page = b"<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>";
//! let decoded = decode(page, None);
//! assert_eq!(decoded.encoding, "windows-1251");
//! assert_eq!(decoded.source, EncodingSource::Meta);
//! assert!(decoded.text.ends_with("<p>Привет</p>"));
//! ```

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Bytes in which the standard looks for `<meta charset>` before it parses anything.
pub const PRESCAN_WINDOW: usize = 1024;

/// Bytes in which a `<meta charset>` is looked for if the first [`PRESCAN_WINDOW`] hold none. A browser that meets
/// such a late one while parsing reloads the page with it ("changing the encoding while parsing"); looking further
/// from the start comes to the same. It stops at 64 KiB because what follows is rarely the head of a page.
pub const LATE_PRESCAN_WINDOW: usize = 64 * 1024;

/// Bytes, counted from shortly before the first non-ASCII one, that are shown to the detector.
pub const DETECTION_WINDOW: usize = 256 * 1024;

/// Valid multi-byte UTF-8 sequences (and no invalid one) that overrule a declared legacy encoding.
pub const MIN_UTF8_SEQUENCES: usize = 4;

/// One broken character among this many non-ASCII ones is taken for damage and not for a wrong declaration.
pub const TOLERATED_ERRORS: usize = 20;

/// Who named the encoding that was used.
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
    /// Nobody: nothing was declared and the page is plain ASCII.
    Default,
}

/// The text of a page and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text without its byte-order mark; borrowed if the bytes were ASCII or valid UTF-8.
    pub text: Cow<'a, str>,
    /// Name of the encoding used, as in the Encoding Standard: `UTF-8`, `windows-1252`, `Shift_JIS`, `GBK`.
    pub encoding: &'static str,
    /// Who named it.
    pub source: EncodingSource,
    /// Whether some bytes were malformed in that encoding and became U+FFFD.
    pub had_errors: bool,
}

/// Decodes a page. `http_charset` is the `charset` parameter of its `Content-Type` header, if there was one; an
/// unknown name is ignored. Never fails: what cannot be read becomes U+FFFD and `had_errors` says so.
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
    // UTF-16 was decided above; the `replacement` encoding says only that browsers do not support the real one.
    let believable = |e: &'static Encoding| !is_utf16(e) && e != REPLACEMENT;
    match declared.into_iter().flatten().find(|d| believable(d.0)) {
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
/// assert_eq!(maintext::decode::declared_encoding(page), Some("windows-1252"));
/// ```
pub fn declared_encoding(bytes: &[u8]) -> Option<&'static str> {
    prescan(bytes, PRESCAN_WINDOW).map(Encoding::name)
}

/// `utf-8`, and also what servers really send: `"utf-8"`, `'utf-8'`, `utf-8;`, `utf-8,utf-8`.
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

/// Decodes by the declared encoding unless the bytes refute it (module documentation).
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
    // Text borrowed from the input means ASCII: every encoding says the same.
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
        // Compared by text, since related encodings (KOI8-R and KOI8-U) are guessed for each other.
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

/// Multi-byte UTF-8 sequences in a page.
struct Utf8Count {
    whole: usize,
    broken: usize,
}

impl Utf8Count {
    fn of(bytes: &[u8]) -> Self {
        let mut count = Utf8Count { whole: 0, broken: 0 };
        for chunk in bytes.utf8_chunks() {
            count.whole += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
            count.broken += usize::from(!chunk.invalid().is_empty());
        }
        count
    }

    fn mostly_whole(&self) -> bool {
        self.broken <= self.whole
    }

    /// Whether the bytes can be nothing but UTF-8, with some damage perhaps.
    fn is_utf8(&self) -> bool {
        self.whole >= MIN_UTF8_SEQUENCES && self.broken * TOLERATED_ERRORS <= self.whole
    }

    fn refutes(&self, declared: &'static Encoding) -> bool {
        self.is_utf8() || (declared == WINDOWS_1252 && self.broken == 0 && self.whole > 0)
    }
}

/// The encoding that the bytes look like. UTF-8 first, since chardetng gives it up at the first broken sequence.
fn detect(bytes: &[u8]) -> &'static Encoding {
    let utf8 = Utf8Count::of(bytes);
    if utf8.broken == 0 || utf8.is_utf8() {
        return UTF_8;
    }
    let ascii = Encoding::ascii_valid_up_to(bytes);
    // chardetng reads up to two characters before the first non-ASCII one.
    let start = ascii.saturating_sub(2);
    let end = bytes.len().min(start + DETECTION_WINDOW);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[start..end], end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// UTF-16 without a byte-order mark: markup is ASCII, so at least a third of the first units have a NUL as their
/// high byte and (almost) none as their low byte. One such NUL is enough if the server says UTF-16.
fn utf16_by_nuls(bytes: &[u8], declared: bool) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN_WINDOW)];
    let units = head.len() / 2;
    let (mut even, mut odd) = (0, 0);
    for unit in head.chunks_exact(2) {
        even += usize::from(unit[0] == 0);
        odd += usize::from(unit[1] == 0);
    }
    let needed = if declared { 1 } else { (units / 3).max(2) };
    if odd >= needed && even * 10 <= odd {
        Some(UTF_16LE)
    } else if even >= needed && odd * 10 <= even {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// "Prescan a byte stream to determine its encoding" over at most `window` bytes. Running out of bytes anywhere
/// ends it, and then an XML declaration counts.
fn prescan(bytes: &[u8], window: usize) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(window)];
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let mut scan = Prescan { head, at: 0 };
    match scan.run() {
        Some(encoding) => Some(for_meta(encoding)),
        None => xml_encoding(head),
    }
}

/// What the standard puts in place of encodings that a page whose `<meta>` was readable cannot be in.
fn for_meta(encoding: &'static Encoding) -> &'static Encoding {
    if is_utf16(encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// A position in the first bytes of a page. Every method returns `None` when it runs out of bytes.
struct Prescan<'a> {
    head: &'a [u8],
    at: usize,
}

/// Name (lower case) and value of an attribute.
type Attribute = (Vec<u8>, Vec<u8>);

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

impl Prescan<'_> {
    fn run(&mut self) -> Option<&'static Encoding> {
        loop {
            self.skip_while(|byte| byte != b'<')?;
            let rest = &self.head[self.at..];
            if rest.starts_with(b"<!--") {
                // The dashes may be those of "<!--".
                self.at += 2;
                self.skip_past(b"-->")?;
            } else if is_meta(rest) {
                self.at += 5;
                if let Some(encoding) = self.meta()? {
                    return Some(encoding);
                }
                self.at += 1;
            } else if is_tag(rest) {
                self.skip_while(|byte| !is_space(byte) && byte != b'>')?;
                while self.attribute()?.is_some() {}
                self.at += 1;
            } else if rest.len() > 1 && matches!(rest[1], b'!' | b'/' | b'?') {
                self.skip_past(b">")?;
            } else {
                self.at += 1;
            }
        }
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) -> Option<()> {
        self.at += self.head[self.at..].iter().position(|byte| !skip(*byte))?;
        Some(())
    }

    fn skip_past(&mut self, end: &[u8]) -> Option<()> {
        let rest = &self.head[self.at..];
        self.at += rest.windows(end.len()).position(|window| window == end)? + end.len();
        Some(())
    }

    fn byte(&self) -> Option<u8> {
        self.head.get(self.at).copied()
    }

    /// The attributes of a `<meta`; leaves `at` on its last byte.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let (mut seen_pragma, mut seen_content, mut seen_charset) = (false, false, false);
        let mut got_pragma = false;
        let mut need_pragma = None;
        // Outer None: not set. Inner None: an unknown name.
        let mut charset: Option<Option<&'static Encoding>> = None;
        while let Some((name, value)) = self.attribute()? {
            match name.as_slice() {
                b"http-equiv" if !seen_pragma => {
                    seen_pragma = true;
                    got_pragma = value == b"content-type";
                }
                b"content" if !seen_content => {
                    seen_content = true;
                    if charset.is_none()
                        && let Some(encoding) = encoding_in_content(&value)
                    {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" if !seen_charset => {
                    seen_charset = true;
                    charset = Some(Encoding::for_label(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
        }
        Some(match need_pragma {
            None => None,
            Some(true) if !got_pragma => None,
            Some(_) => charset.flatten(),
        })
    }

    /// "Get an attribute": the inner `None` is the end of the tag, `at` then being on its `>`.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        self.skip_while(|byte| is_space(byte) || byte == b'/')?;
        if self.byte()? == b'>' {
            return Some(None);
        }
        let start = self.at;
        // A '=' at the very start belongs to the name.
        self.at += 1;
        self.skip_while(|byte| !is_space(byte) && !matches!(byte, b'=' | b'/' | b'>'))?;
        let name = self.head[start..self.at].to_ascii_lowercase();
        if is_space(self.byte()?) {
            self.skip_while(is_space)?;
        }
        if self.byte()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.at += 1;
        let value = self.value()?;
        Some(Some((name, value)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        self.skip_while(is_space)?;
        let first = self.byte()?;
        if matches!(first, b'"' | b'\'') {
            self.at += 1;
            let start = self.at;
            self.skip_while(|byte| byte != first)?;
            self.at += 1;
            return Some(self.head[start..self.at - 1].to_ascii_lowercase());
        }
        let start = self.at;
        self.skip_while(|byte| !is_space(byte) && byte != b'>')?;
        Some(self.head[start..self.at].to_ascii_lowercase())
    }
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[..5].eq_ignore_ascii_case(b"<meta") && (is_space(rest[5]) || rest[5] == b'/')
}

/// `<a` or `</a`.
fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").unwrap_or(&rest[1..]);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// "Extract a character encoding from a meta element": `content` is in lower case already.
fn encoding_in_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|window| window == b"charset")?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return encoding_label(value.trim_ascii_start());
        }
    }
}

fn encoding_label(value: &[u8]) -> Option<&'static Encoding> {
    let label = match value.first()? {
        quote @ (b'"' | b'\'') => {
            let inner = &value[1..];
            &inner[..inner.iter().position(|byte| byte == quote)?]
        }
        _ => {
            let end = value.iter().position(|byte| is_space(*byte) || *byte == b';').unwrap_or(value.len());
            &value[..end]
        }
    };
    Encoding::for_label(label)
}

/// "Get an XML encoding": `<?xml version="1.0" encoding="gbk"?>`.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..head.iter().position(|byte| *byte == b'>')?];
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    let skip = |bytes: &[u8]| bytes.iter().position(|byte| *byte > b' ');
    let rest = &declaration[at + 8..];
    let rest = rest[skip(rest)?..].strip_prefix(b"=")?;
    let rest = &rest[skip(rest)?..];
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inner = &rest[1..];
    let label = &inner[..inner.iter().position(|byte| *byte == quote)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if is_utf16(encoding) { UTF_8 } else { encoding })
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

    /// Language, encoding it was written in on the old web.
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
    fn every_legacy_encoding_by_meta() {
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
    fn every_legacy_encoding_by_http_header() {
        for (text, encoding) in LEGACY {
            let bytes = encode(&page(text, ""), encoding);
            assert_decodes(&bytes, Some(encoding), text, EncodingSource::Http);
            let quoted = format!("\"{encoding}\"");
            assert_decodes(&bytes, Some(&quoted), text, EncodingSource::Http);
        }
    }

    #[test]
    fn every_legacy_encoding_by_detection() {
        for (text, encoding) in LEGACY {
            if encoding == "ISO-2022-JP" {
                continue; // Never guessed on the web: it is ASCII but for its escapes.
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
        // A transcoding proxy: the header is right and the page's own word is stale.
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
        // Cut in the middle of a character.
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
    fn byte_order_mark_in_front_of_a_legacy_page_is_overruled() {
        let mut bytes = b"\xef\xbb\xbf".to_vec();
        bytes.extend(encode(&page(RUSSIAN, ""), "windows-1251"));
        assert_decodes(&bytes, None, RUSSIAN, EncodingSource::Detected);
        assert!(decode(&bytes, None).text.starts_with("<!doctype"));
    }

    #[test]
    fn utf16_without_byte_order_mark() {
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
    fn page_declared_utf16_that_is_not() {
        let text = page(RUSSIAN, "<meta charset=utf-16>");
        for http in [None, Some("utf-16"), Some("utf-16be")] {
            assert_eq!(decode(text.as_bytes(), http).encoding, "UTF-8");
        }
        let bytes = encode(&page(RUSSIAN, ""), "koi8-r");
        assert_decodes(&bytes, Some("utf-16"), RUSSIAN, EncodingSource::Detected);
    }

    #[test]
    fn plain_ascii_is_borrowed_and_called_by_its_declaration() {
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
    fn encoding_that_browsers_refuse_is_not_replaced_by_one_character() {
        let decoded = decode(b"<meta charset=hz-gb-2312><p>plain</p>", None);
        assert!(decoded.text.contains("plain"));
    }

    #[test]
    fn meta_behind_the_standard_window_is_found() {
        let head = format!("<style>{}</style><meta charset=koi8-r>", "x".repeat(9000));
        let bytes = encode(&page("Я", &head), "koi8-r");
        assert_eq!(declared_encoding(&bytes), None);
        assert_decodes(&bytes, None, "<p>Я</p>", EncodingSource::Meta);
    }

    #[test]
    fn prescan_of_the_standard() {
        let cases = [
            ("<meta charset=iso-8859-2>", Some("ISO-8859-2")),
            ("<META CHARSET = 'ISO-8859-2' >", Some("ISO-8859-2")),
            ("<meta/charset=latin2/>", None), // the label is "latin2/"
            ("<meta/charset=latin2 />", Some("ISO-8859-2")),
            ("<meta charset=latin2", None), // cut off
            ("<metacharset=latin2>", None),
            ("<meta charset=bogus><meta charset=latin2>", Some("ISO-8859-2")),
            ("<meta charset=bogus charset=latin2>", None),
            ("<meta charset='latin2'x>", Some("ISO-8859-2")),
            ("<meta =charset=latin2>", None), // the name is "=charset"
            ("<meta charset=utf-16be>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<!--<meta charset=gbk>--><meta charset=big5>", Some("Big5")),
            ("<!--><meta charset=gbk>-->", Some("GBK")),
            ("<!-<meta charset=gbk>", None),
            ("<p title='<meta charset=gbk>'><meta charset=big5>", Some("Big5")),
            ("</p title='<meta charset=gbk>'><meta charset=big5>", Some("Big5")),
            ("</ <meta charset=gbk><meta charset=big5>", Some("Big5")),
            ("<? <meta charset=gbk><meta charset=big5>", Some("Big5")),
            ("< p <meta charset=gbk>", Some("GBK")),
            ("<title><meta charset=gbk></title>", Some("GBK")),
            ("<meta content='text/html;charset=gbk'>", None),
            ("<meta http-equiv=content-type content='charset=gbk'>", Some("GBK")),
            ("<meta http-equiv=refresh content='charset=gbk'>", None),
            ("<meta http-equiv=content-type content='charset charset = gbk'>", Some("GBK")),
            ("<meta http-equiv=content-type content='charset=\"gbk'>", None),
            ("<meta http-equiv=content-type content='charset=\"gbk\"'>", Some("GBK")),
            ("<meta http-equiv=content-type content='charset=gbk;x'>", Some("GBK")),
            ("<meta content='charset=gbk' charset=big5>", Some("Big5")),
            ("<meta charset=big5 http-equiv=content-type content='charset=gbk'>", Some("Big5")),
            ("<?xml version='1.0' encoding='gbk'?><p>", Some("GBK")),
            ("<?xml version='1.0' encoding = \"utf-16\"?><p>", Some("UTF-8")),
            ("<?xml version='1.0' encoding='gbk'?><meta charset=big5>", Some("Big5")),
            (" <?xml version='1.0' encoding='gbk'?>", None),
            ("<?xml encoding='g bk'?>", None),
            ("<?xml encoding=gbk?>", None),
            ("<", None),
            ("</", None),
            ("<meta charset", None),
            ("", None),
        ];
        for (head, encoding) in cases {
            assert_eq!(declared_encoding(head.as_bytes()), encoding, "{head}");
        }
        assert_eq!(declared_encoding(b"<\0?\0x\0"), Some("UTF-16LE"));
        assert_eq!(declared_encoding(b"\0<\0?\0x"), Some("UTF-16BE"));
    }

    #[test]
    fn prescan_survives_every_cut() {
        let head = b"<!--x--><?y?></z a='b' c=d e><meta http-equiv=content-type content='charset=gbk'>";
        for end in 0..head.len() {
            for start in 0..=end {
                assert_eq!(declared_encoding(&head[start..end]), None);
            }
        }
    }

    /// By `decode` and not by the prescan alone: the cases with a byte-order mark, and those with a `<meta>` beyond
    /// the window, which a browser finds while parsing, are among them.
    #[test]
    #[ignore = "needs MAINTEXT_DATA with html5lib-tests"]
    fn html5lib_encoding_tests() {
        let folder = std::env::var("MAINTEXT_DATA").unwrap() + "/html5lib-tests/encoding/";
        // The one in test-yahoo-jp.dat declares EUC-JP, but its bytes are UTF-8.
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
