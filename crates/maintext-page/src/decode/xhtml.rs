//! Pages that were written as XML: there `<script src="x"/>` and `<div/>` are whole elements, while HTML ignores the slash
//! and puts the rest of the page into the script or the div.
use std::ops::Range;

/// Elements without content, which have no end tags in HTML.
const VOID: [&str; 15] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    "frame",
];
/// Elements whose content HTML reads as text up to their end tag.
const TEXT: [&str; 8] = ["script", "style", "title", "textarea", "iframe", "noscript", "xmp", "noembed"];

/// Minimum number of void elements for a decision.
const MIN_VOIDS: usize = 3;

/// Returns the page as HTML if it was written as XML and HTML parsing would lose part of it; `None` for all others.
///
/// A page counts as written as XML if nearly all its void elements end with a slash (`<br/>`), and if it has three of them, or an XML
/// declaration, or a self-closed `<script/>` or `<title/>` that would swallow the rest of the page. Scripts and styles stay; CDATA sections
/// become text.
///
/// ```
/// let html = maintext_page::decode::html_of_xml("<meta name='a'/><meta name='b'/><script src='c'/><p>text<br/></p>");
/// assert_eq!(html.as_deref(), Some("<meta name='a'/><meta name='b'/><script src='c'></script><p>text<br/></p>"));
/// let html = maintext_page::decode::html_of_xml("<?xml version='1.0'?><title/><p>a");
/// assert_eq!(html.as_deref(), Some("<?xml version='1.0'?><title></title><p>a"));
/// let page = "<meta name='a'><meta name='b'><script src='b'/><p>text</p><script></script>";
/// assert_eq!(maintext_page::decode::html_of_xml(page), None);
/// ```
pub fn html_of_xml(page: &str) -> Option<String> {
    let bytes = page.as_bytes();
    let is_declared = page.trim_start().starts_with("<?xml");
    let mut edits: Vec<Edit> = Vec::new();
    let (mut closed_voids, mut open_voids) = (0, 0);
    let mut swallows = false;
    let mut last_ends = LastEnds::default();
    let mut at = 0;
    while let Some(i) = memchr::memchr(b'<', &bytes[at..]).map(|i| at + i) {
        at = i + 1;
        if bytes[at..].starts_with(b"!--") {
            at = memchr::memmem::find(&bytes[at..], b"-->").map_or(bytes.len(), |e| at + e + 3);
            continue;
        }
        if is_declared && bytes[at..].starts_with(b"![CDATA[") {
            let text = i + 9;
            let end = memchr::memmem::find(&bytes[text..], b"]]>").map_or(bytes.len(), |e| text + e);
            edits.push(Edit::Text(i..(end + 3).min(bytes.len()), text..end));
            at = end;
            continue;
        }
        let name_end = at + bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count();
        if name_end == at || !bytes[at].is_ascii_alphabetic() {
            continue;
        }
        let name = &page[at..name_end];
        let end = tag_end(bytes, name_end)?;
        let closed = bytes[end - 1] == b'/';
        let is_void = is_one_of(&VOID, name);
        if is_void {
            closed_voids += closed as usize;
            open_voids += !closed as usize;
            if open_voids > 1 && open_voids * 20 > closed_voids {
                return None;
            }
        }
        let is_text = is_one_of(&TEXT, name) && !name.eq_ignore_ascii_case("noscript");
        if closed && !is_void {
            swallows |= is_text && !last_ends.is_after(bytes, name, end);
            edits.push(Edit::Close(end, at..name_end));
        }
        at = end + 1;
        if !closed && is_text {
            at = text_end(bytes, at, name.as_bytes());
        }
    }
    let is_xml = closed_voids >= MIN_VOIDS || (open_voids <= closed_voids && (is_declared || swallows));
    if edits.is_empty() || !is_xml {
        return None;
    }
    let mut out = String::with_capacity(page.len() + 16 * edits.len());
    let mut from = 0;
    for edit in edits {
        match edit {
            Edit::Close(end, name) => {
                out.push_str(&page[from..end - 1]);
                out.push_str("></");
                out.push_str(&page[name]);
                out.push('>');
                from = end + 1;
            }
            Edit::Text(section, text) => {
                out.push_str(&page[from..section.start]);
                out.push_str(&page[text].replace('&', "&amp;").replace('<', "&lt;"));
                from = section.end;
            }
        }
    }
    out.push_str(&page[from..]);
    Some(out)
}

/// A place to rewrite.
enum Edit {
    /// The end of a self-closing tag that HTML would leave open, and the range of its name.
    Close(usize, Range<usize>),
    /// A CDATA section, and its text.
    Text(Range<usize>, Range<usize>),
}

/// The position of the last end tag of each element with text content, found once.
#[derive(Default)]
struct LastEnds([Option<Option<usize>>; TEXT.len()]);

impl LastEnds {
    /// Whether an end tag of that name follows.
    fn is_after(&mut self, bytes: &[u8], name: &str, at: usize) -> bool {
        let Some(k) = TEXT.iter().position(|n| n.eq_ignore_ascii_case(name)) else { return true };
        let last = self.0[k].get_or_insert_with(|| {
            memchr::memmem::rfind_iter(bytes, b"</")
                .find(|i| bytes.get(i + 2..i + 2 + name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes())))
        });
        last.is_some_and(|last| last > at)
    }
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|n| n.len() == name.len() && n.eq_ignore_ascii_case(name))
}

/// Returns the position of the `>` that ends the tag at `at`.
fn tag_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        if bytes[at] == b'>' {
            return Some(at);
        }
        at += 1 + memchr::memchr(bytes[at], &bytes[at + 1..])? + 1;
    }
}

/// Returns the position of the end tag that ends a text, or the end of the page.
fn text_end(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    let mut at = from;
    let end_tag = memchr::memmem::Finder::new(b"</");
    while let Some(i) = end_tag.find(&bytes[at..]).map(|i| at + i) {
        let rest = &bytes[i + 2..];
        if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name) {
            return i;
        }
        at = i + 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_written_as_xml_are_rewritten() {
        let voids = "<br/><hr /><br/>";
        let of = |page: &str| html_of_xml(&format!("{voids}{page}")).map(|h| h[voids.len()..].to_owned());
        assert_eq!(of("<p>a<br/>b</p>"), None);
        assert_eq!(html_of_xml("<br/><div/>"), None);
        assert_eq!(of("<br><img src=a><div/>"), None);
        let declared = "<?xml version='1.0'?><html><head>\
            <title/><script src='a'/></head><body><p><![CDATA[a < b]]></p></body></html>";
        let html = html_of_xml(declared).unwrap();
        assert!(
            html.ends_with("<title></title><script src='a'></script></head><body><p>a &lt; b</p></body></html>"),
            "{html}"
        );
        assert!(html_of_xml("<title/><p>Words.</p>").is_some());
        assert_eq!(html_of_xml("<script src=a/><p>Words.</p><script>x</script>"), None);
        for cut in ["<?xml?><![CDATA[", "<?xml?><![CDATA[é", "<?xml?><p/><![CDATA[]]", "<?xml?><title/>"] {
            let _ = html_of_xml(cut);
        }
        let rewritten = "<iframe src='a>b'></iframe><DIV id=\"x\"></DIV><br/>";
        assert_eq!(of("<iframe src='a>b'/><DIV id=\"x\"/><br/>").as_deref(), Some(rewritten));
        // Tags in scripts and comments do not count.
        let page = "<script>'<br>'</script><!-- <br><i/> --><title";
        assert_eq!(of(&format!("{page}/>")), Some(format!("{page}></title>")));
        for cut in ["<", "<a", "<script", "<script>", "<script/", "<!--", "</", "<p/><script/><p x='"] {
            let _ = of(cut);
        }
    }
}
