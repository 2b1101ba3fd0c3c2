//! Escapes text and attribute values for HTML and XML.

/// Appends text with its special characters escaped.
pub(super) fn text(s: &str, out: &mut String) {
    escape(s, false, out);
}

/// Appends an attribute value to be put between double quotes.
pub(super) fn attribute(s: &str, out: &mut String) {
    escape(s, true, out);
}

/// Returns a text with its special characters escaped, for elements and attribute values of HTML.
///
/// ```
/// assert_eq!(maintext_render::render::escape::html("<a> & \"b\""), "&lt;a&gt; &amp; &quot;b&quot;");
/// ```
pub fn html(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    escape(s, true, &mut out);
    out
}

/// Returns a text for elements and attribute values of XML: escaped, without the characters that XML 1.0 forbids, on one line.
pub fn xml(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    xml_attribute(s, &mut out);
    out
}

fn escape(s: &str, quotes: bool, out: &mut String) {
    let mut from = 0;
    for (i, b) in s.bytes().enumerate() {
        let with = match b {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' if quotes => "&quot;",
            _ => continue,
        };
        out.extend([&s[from..i], with]);
        from = i + 1;
    }
    out.push_str(&s[from..]);
}

/// Whether XML 1.0 can hold the character.
pub(super) fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Like [`text`], without the characters that XML 1.0 forbids.
pub(super) fn xml_text(s: &str, out: &mut String) {
    if s.chars().all(is_xml_char) {
        return escape(s, false, out);
    }
    let allowed: String = s.chars().filter(|&c| is_xml_char(c)).collect();
    escape(&allowed, false, out);
}

/// Like [`attribute`], without the characters that XML 1.0 forbids and with white space collapsed.
pub(super) fn xml_attribute(s: &str, out: &mut String) {
    let mut space = false;
    let start = out.len();
    for word in s.split_whitespace() {
        if space {
            out.push(' ');
        }
        let allowed: String = word.chars().filter(|&c| is_xml_char(c)).collect();
        escape(&allowed, true, out);
        space = out.len() > start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        let mut out = String::new();
        text("a < b & \"c\" > d", &mut out);
        assert_eq!(out, "a &lt; b &amp; \"c\" &gt; d");
        out.clear();
        xml_attribute("\u{1}\"x\"\n <y>", &mut out);
        assert_eq!(out, "&quot;x&quot; &lt;y&gt;");
        out.clear();
        xml_text("a\u{0}\u{b}\u{ffff}b\u{1f600}", &mut out);
        assert_eq!(out, "ab\u{1f600}");
    }
}
