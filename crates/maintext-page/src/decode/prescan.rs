//! Reads the encoding that a page's first bytes declare: the HTML standard's "prescan a byte stream to determine its
//! encoding", step by step.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::is_utf16;

/// Runs "prescan a byte stream to determine its encoding" over at most `window` bytes. Running out of bytes anywhere
/// ends it, and then an XML declaration counts.
pub(super) fn prescan(bytes: &[u8], window: usize) -> Option<&'static Encoding> {
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

/// Returns the standard's replacement for an encoding that cannot be right if its `<meta>` was readable.
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
                // The dashes of "<!--" may also end the comment.
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

    /// Reads the attributes of a `<meta` and leaves `at` on its last byte.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let (mut seen_pragma, mut seen_content, mut seen_charset) = (false, false, false);
        let mut got_pragma = false;
        let mut need_pragma = None;
        // Outer None: no charset. Inner None: an unknown name.
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

    /// Runs "get an attribute": the inner `None` is the end of the tag, with `at` on its `>`.
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

/// Whether the bytes begin with `<a` or `</a`, for any letter.
fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").unwrap_or(&rest[1..]);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Runs "extract a character encoding from a meta element"; `content` is in lower case already.
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

/// Runs "get an XML encoding": `<?xml version="1.0" encoding="gbk"?>`.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let declaration = &head[..head.iter().position(|byte| *byte == b'>')?];
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    let rest = &declaration[at + 8..];
    let rest = rest[visible(rest)?..].strip_prefix(b"=")?;
    let rest = &rest[visible(rest)?..];
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inner = &rest[1..];
    let label = &inner[..inner.iter().position(|byte| *byte == quote)?];
    if label.iter().any(|byte| *byte <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if is_utf16(encoding) { UTF_8 } else { encoding })
}

fn visible(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte > b' ')
}

#[cfg(test)]
mod tests {
    use super::super::declared_encoding;

    #[test]
    fn prescan_follows_the_standard() {
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
}
