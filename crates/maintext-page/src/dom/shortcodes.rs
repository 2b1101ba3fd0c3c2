//! Removes the shortcodes of page builders that a site never rendered: `[vc_row type="wide"]Text[/vc_row]` becomes `Text`.
//!
//! Texts hold brackets for many reasons. A name counts as a shortcode if one of its tags begins or ends a text, and has attributes with
//! quoted values or is half of a pair, or if a text has a pair of its tags with such attributes. Code stays as it is.
use crate::hash::HashSet;
use maintext_html::{Document, NodeId, NodeKind, Tag};
use std::ops::Range;

/// Number of elements above a text among which code is looked for.
const MAX_LEVELS_TO_CODE: usize = 6;
/// Maximum number of bytes of a name.
const MAX_NAME_BYTES: usize = 60;
/// The pairs of forums and lists of values, which have other readers.
const OTHER_BRACKETS: [&str; 9] = ["url", "img", "quote", "code", "size", "color", "list", "sic", "font"];

/// One tag of a shortcode.
struct Shortcode<'t> {
    name: &'t str,
    range: Range<usize>,
    closes: bool,
    has_attributes: bool,
    /// Whether only shortcodes precede or follow it in its text.
    at_edge: bool,
    /// Whether its text holds nothing but shortcodes.
    is_alone: bool,
}

/// Names of the plug-ins of Joomla that a text calls in braces: `{loadposition left}`, `{youtube}id{/youtube}`.
const PLUGINS: [&str; 15] = [
    "attachments",
    "emailcloak",
    "gallery",
    "jathumbnail",
    "jcomments",
    "loadformmaker",
    "loadmodule",
    "loadmoduleid",
    "loadposition",
    "mosimage",
    "mosmap",
    "phocadownload",
    "phocagallery",
    "vimeo",
    "youtube",
];

/// Removes the calls of plug-ins from texts.
fn remove_calls(document: &mut Document<'_>, texts: &[NodeId]) {
    for &n in texts {
        let text = document.text(n);
        let (mut rest, mut at) = (String::new(), 0);
        while let Some(open) = memchr::memchr(b'{', &text.as_bytes()[at..]).map(|i| at + i) {
            // Two braces belong to a template.
            let is_single = !text[..open].ends_with('{');
            let end = if is_single { end_of_call(&text[open..]).map(|length| open + length) } else { None };
            rest.push_str(&text[at..end.map_or(open + 1, |_| open)]);
            at = end.unwrap_or(open + 1);
        }
        if rest.len() + text.len() - at < text.len() {
            rest.push_str(&text[at..]);
            document.set_text(n, rest);
        }
    }
}

/// Returns the length of the plug-in call that begins a text, including the content between its two halves.
fn end_of_call(text: &str) -> Option<usize> {
    const MAX_BYTES: usize = 300;
    let inner = text.strip_prefix('{')?;
    let name = &inner[..inner.bytes().take_while(u8::is_ascii_lowercase).count()];
    if !PLUGINS.contains(&name) || !inner[name.len()..].starts_with(['}', ' ', '=', '|']) {
        return None;
    }
    let close = inner.find(['}', '{']).filter(|&i| i <= MAX_BYTES && inner[i..].starts_with('}'))?;
    let end = close + 2;
    let second = format!("{{/{name}}}");
    let half = text[end..text.floor_char_boundary(end + MAX_BYTES)].find(&second);
    Some(half.map_or(end, |i| end + i + second.len()))
}

/// Removes the shortcodes from the texts of a page.
pub(super) fn remove(document: &mut Document<'_>) {
    let texts: Vec<NodeId> = (0..document.len() as u32).map(NodeId).filter(|&n| may_hold(document, n)).collect();
    remove_calls(document, &texts);
    let mut names = HashSet::default();
    let (mut at_edge, mut opened, mut closed) = (HashSet::default(), HashSet::default(), HashSet::default());
    for text in texts.iter().map(|&n| document.text(n)) {
        let mut begun = HashSet::default();
        for s in tags(text) {
            if s.at_edge && s.has_attributes || s.closes && begun.contains(s.name) {
                names.insert(s.name.to_owned());
            }
            if s.has_attributes {
                begun.insert(s.name);
            }
            if s.at_edge {
                at_edge.insert(s.name.to_owned());
            }
            let half = if s.closes { &mut closed } else { &mut opened };
            half.insert(s.name.to_owned());
        }
    }
    names.extend(at_edge.into_iter().filter(|name| opened.contains(name) && closed.contains(name)));
    if names.is_empty() {
        return;
    }
    // "vc_empty_space" belongs to the builder of "vc_row".
    let families: HashSet<String> = names.iter().filter_map(|name| family(name)).collect();
    let is_known = |s: &Shortcode<'_>| {
        names.contains(s.name) || family(s.name).is_some_and(|f| s.is_alone || families.contains(&f))
    };
    for n in texts {
        let text = document.text(n);
        let (mut rest, mut at) = (String::with_capacity(text.len()), 0);
        for s in tags(text).into_iter().filter(is_known) {
            rest.push_str(&text[at..s.range.start]);
            at = s.range.end;
            if rest.ends_with(|c: char| !c.is_whitespace())
                && !(s.closes && ends_with_initial(&rest))
                && text[at..].starts_with(|c: char| {
                    !c.is_whitespace() && !matches!(c, '[' | ',' | '.' | ';' | ':' | '!' | '?' | ')')
                })
            {
                rest.push(' ');
            }
        }
        if at > 0 {
            rest.push_str(&text[at..]);
            document.set_text(n, rest);
        }
    }
}

/// Whether a text ends with a single letter, which a drop cap sets apart from its word.
fn ends_with_initial(text: &str) -> bool {
    let mut chars = text.chars().rev();
    chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none_or(char::is_whitespace)
}

fn family(name: &str) -> Option<String> {
    name.split_once('_').map(|(family, _)| family.to_owned())
}

/// Whether a node is a text outside of code that may hold a shortcode or a call.
fn may_hold(document: &Document<'_>, n: NodeId) -> bool {
    document.kind(n) == NodeKind::Text
        && memchr::memchr2(b'[', b'{', document.text(n).as_bytes()).is_some()
        && !document.ancestors(n).take(MAX_LEVELS_TO_CODE).any(|a| is_code(document, a))
}

fn is_code(document: &Document<'_>, a: NodeId) -> bool {
    [Tag::SCRIPT, Tag::STYLE, Tag::PRE, Tag::CODE, Tag::KBD, Tag::SAMP, Tag::TEXTAREA, Tag::XMP]
        .iter()
        .any(|tag| document.is_element(a, *tag))
}

/// Returns the tags of shortcodes in a text.
fn tags(text: &str) -> Vec<Shortcode<'_>> {
    let mut found: Vec<Shortcode<'_>> = Vec::new();
    let mut at = 0;
    let mut end = 0;
    let mut only_tags = true;
    while let Some(open) = memchr::memchr(b'[', &text.as_bytes()[at..]).map(|i| at + i) {
        at = open + 1;
        let Some(mut tag) = tag(text, open) else { continue };
        only_tags &= text[end..open].trim().is_empty();
        tag.at_edge = only_tags;
        (at, end) = (tag.range.end, tag.range.end);
        found.push(tag);
    }
    let mut after = text.len();
    for tag in found.iter_mut().rev() {
        if !text[tag.range.end..after].trim().is_empty() {
            break;
        }
        tag.at_edge = true;
        after = tag.range.start;
    }
    if only_tags && text[end..].trim().is_empty() {
        found.iter_mut().for_each(|tag| tag.is_alone = true);
    }
    found
}

/// Reads the tag that begins at a bracket.
fn tag(text: &str, open: usize) -> Option<Shortcode<'_>> {
    // A second bracket escapes the tag, or begins a link of a wiki.
    if text[..open].ends_with('[') {
        return None;
    }
    let rest = &text[open + 1..];
    let closes = rest.starts_with('/');
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    let (name, mut rest) = rest.split_at(length);
    let is_name = (3..=MAX_NAME_BYTES).contains(&length) && name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !is_name || OTHER_BRACKETS.iter().any(|other| name.eq_ignore_ascii_case(other)) {
        return None;
    }
    let mut has_attributes = false;
    loop {
        let next = rest.trim_start();
        let next = next.strip_prefix('/').unwrap_or(next);
        if let Some(after) = next.strip_prefix(']') {
            let end = text.len() - after.len();
            let is_link = after.starts_with(['(', '[', ':']) && !has_attributes && !closes && !after.starts_with("[/");
            let is_tag = !after.starts_with(']') && (!is_link || tag_follows(after));
            let range = open..end;
            return is_tag.then_some(Shortcode {
                name,
                range,
                closes,
                has_attributes,
                at_edge: false,
                is_alone: false,
            });
        }
        if closes || next.len() == rest.len() {
            return None;
        }
        rest = attribute(next)?;
        has_attributes = true;
    }
}

/// Whether another tag follows directly.
fn tag_follows(text: &str) -> bool {
    text.strip_prefix('[').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'))
}

/// Skips an attribute with a quoted value. Typography may have turned its quotation marks.
fn attribute(text: &str) -> Option<&str> {
    const QUOTES: [char; 8] = ['"', '\'', '”', '“', '″', '’', '‘', '′'];
    let name = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':')).count();
    if name == 0 {
        return None;
    }
    let value = text[name..].trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| QUOTES.contains(c))?;
    let inside = &value[quote.len_utf8()..];
    let ends = |c: char| if matches!(quote, '"' | '\'') { c == quote } else { QUOTES.contains(&c) };
    let end = inside.find(ends)?;
    inside[end..].strip_prefix(ends)
}

#[cfg(test)]
mod tests {
    /// Returns the text of a body after the removal.
    fn text(body: &str) -> String {
        let dom = crate::dom::parse(body, &Default::default());
        dom.text_content(crate::dom::NodeId::ROOT)
    }

    #[test]
    fn tags_are_removed_and_their_contents_stay() {
        for (html, want) in [
            ("<p>[vc_row type=\"full\"][vc_column]A text[/vc_column][vc_empty_space][/vc_row]", "A text"),
            ("<p>[gallery ids=\"1,2\"]<p>[rev_slider]<p>After", "After"),
            ("<p>[su_box title=”Tip” style=”soft”]Sort first.[/su_box]", "Sort first."),
            ("<p>[heading]One[/heading]", "One"),
            ("<p>It takes [tooltip text=\"12 km\"]four hours[/tooltip], or five.", "It takes four hours, or five."),
            ("<p>[caption id='a' width=\"300\"]<img src=a>The mill[/caption]", "The mill"),
            ("<p>[dropcap]T[/dropcap]he mill", "The mill"),
            ("<p>[one_half]Left[/one_half][one_half_last]Right[/one_half_last]", "Left Right"),
            ("<p>[button link=\"/a?b[]=1\" /]Go on", "Go on"),
        ] {
            assert_eq!(text(html), want, "{html}");
        }
    }

    #[test]
    fn calls_of_plug_ins_are_removed() {
        for (html, want) in [
            ("<p>{loadposition left-top}<p>The mill", "The mill"),
            ("<p>{gallery}mill/before{/gallery}<p>{youtube}dQw4{/youtube} The mill {jcomments on}", " The mill "),
            ("<p>Write to {emailcloak=off}us.", "Write to us."),
        ] {
            assert_eq!(text(html), want, "{html}");
        }
        for html in ["The set {Miller, Roe} and {source code}.", "{gallery", "a {gallery {b} c}", "{{youtube}}"] {
            assert_eq!(text(html), html);
        }
    }

    #[test]
    fn other_brackets_stay() {
        for html in [
            "He wrote [sic] in the margin.",
            "The array a[0] and [1, 2].",
            "[[Main page]] and [a link](/a) and [text][ref]",
            "<p>Write <code>[gallery ids=\"1\"]</code> there.",
            "<pre>[vc_row type=\"x\"]</pre>",
            "<p>Write [gallery ids=\"1\"] in the middle of a text.",
            "[Editor: this is a note]",
            "[b]bold[/b] and [quote]said[/quote]",
            "[[gallery ids=\"1\"]]",
        ] {
            let dom = crate::dom::parse(html, &Default::default());
            let raw = html.replace("<p>", "").replace("<code>", "").replace("</code>", "").replace("<pre>", "");
            assert_eq!(dom.text_content(crate::dom::NodeId::ROOT), raw.replace("</pre>", ""), "{html}");
        }
    }
}
