//! Records of running text that link to themselves by a sign or a date: "[l]", "#", "12 May".
//!
//! The links in their sentences lead elsewhere, so the permalink is the entry's link.
use super::columns::Keys;
use super::table::{LinkTable, MIN_RECORDS};
use super::title;
use maintext_facts::metadata::text::dates::scan;
use maintext_facts::metadata::text::node_text;
use maintext_html::Attr;
use maintext_page::dom::{NodeId, Tag};
use std::collections::BTreeMap;
use std::ops::Range;

/// Minimum number of characters of a record outside links, and their minimum ratio to the characters of its other links.
const MIN_CHARS: u32 = 20;
const MIN_TIMES_LINKED: u32 = 2;
/// Minimum share of the records with the sign that are running text.
const MIN_SHARE: f32 = 0.8;
/// Maximum number of bytes of a sign or a date.
const MAX_SIGN: usize = 60;
/// Maximum number of links of a record that are examined.
const MAX_LINKS: usize = 30;
/// Maximum number of bytes of a time.
const MAX_TIME: usize = 8;
/// Maximum number of levels between a link and the heading around it.
const MAX_LEVELS_TO_HEADING: usize = 4;
/// Signs around a permalink: "[link]".
pub(super) const BRACKETS: [char; 4] = ['[', ']', '(', ')'];
/// Signs of buttons to vote, to add and to remove.
const VOTES: [char; 14] = ['▲', '▼', '△', '▽', '↑', '↓', '⬆', '⬇', '+', '-', '−', '×', '✕', '♥'];
/// Words for a permalink.
const WORDS: [&str; 6] = ["link", "permalink", "permanent link", "permalien", "permanentlink", "enlace permanente"];

/// A record and the link that leads to what it is about, as indices of the links.
pub(super) struct OwnLink {
    pub record: Range<usize>,
    pub link: usize,
}

/// Returns the records of running text that link to themselves by a sign or a date, in document order.
pub(super) fn find(t: &LinkTable<'_>, keys: &Keys) -> Vec<OwnLink> {
    let mut alike: BTreeMap<(u32, String), Vec<usize>> = BTreeMap::new();
    for i in 0..t.links.len() {
        if let Some(sign) = sign(t, i) {
            alike.entry((keys.path[i], sign)).or_default().push(i);
        }
    }
    let mut found: Vec<OwnLink> = Vec::new();
    for links in alike.into_values().filter(|links| links.len() >= MIN_RECORDS) {
        let records = t.record_elements_with_single(&links);
        let fits = records.iter().filter(|(e, own)| is_running_text(t, *e, *own)).count();
        if fits > 0 && fits as f32 >= MIN_SHARE * records.len() as f32 {
            found.extend(records.into_iter().map(|(e, link)| OwnLink { record: links_of(t, e), link }));
        }
    }
    found.sort_by_key(|p| p.link);
    found
}

/// Returns the links of a record.
fn links_of(t: &LinkTable<'_>, record: usize) -> Range<usize> {
    let last = parts(t, record).last().unwrap_or(record);
    t.links_in(record).start..t.links_in(last).end
}

/// Returns the sign of a link that may be a permalink; dates and numbers count as one sign each.
fn sign(t: &LinkTable<'_>, i: usize) -> Option<String> {
    let link = &t.links[i];
    // The link may have got the heading of its record as text.
    let label = node_text(t.dom, link.node, MAX_SIGN);
    if link.url.is_none() || label.is_empty() || label.len() >= MAX_SIGN {
        None
    } else if is_sign(&label) || [Attr::REL, Attr::CLASS].into_iter().any(|name| names_permalink(t, link.node, name)) {
        Some(label.replace(|c: char| c.is_ascii_digit(), ""))
    } else {
        title::is_date(&label, &scan::Hint::default()).then(|| "date".to_owned())
    }
}

fn names_permalink(t: &LinkTable<'_>, link: NodeId, attribute: Attr) -> bool {
    let value = t.dom.attribute(link, attribute).unwrap_or("");
    value.split_ascii_whitespace().any(|w| w == "bookmark" || w.contains("permalink"))
}

/// Returns whether the label of a link is a sign, a number or a time, and so does not describe its page.
pub(super) fn is_sign(label: &str) -> bool {
    let inner = label.trim_matches(BRACKETS);
    let is_letter = inner.len() < label.len() && inner.chars().filter(|c| c.is_alphanumeric()).count() == 1;
    let is_mark = !inner.contains(char::is_alphanumeric) && !inner.contains(VOTES);
    let is_number = inner.strip_prefix('#').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    is_letter
        || is_mark
        || is_number
        || label.len() <= MAX_TIME && label.contains(':') && !label.contains(char::is_alphabetic)
        || WORDS.contains(&inner.to_lowercase().as_str())
}

/// Returns whether a record is running text: most of it is outside of links, and neither a heading with a link nor another link is its
/// title.
fn is_running_text(t: &LinkTable<'_>, record: usize, own: usize) -> bool {
    let (mut all, mut linked) = (0, 0);
    for part in parts(t, record) {
        let chars = t.chars_below(part);
        (all, linked) = (all + chars[0], linked + chars[1]);
    }
    let label = node_text(t.dom, t.links[own].node, MAX_SIGN);
    let others = linked.saturating_sub(label.chars().count() as u32);
    let mut links = parts(t, record).flat_map(|part| t.links_in(part)).take(MAX_LINKS);
    all.saturating_sub(linked) >= MIN_CHARS.max(MIN_TIMES_LINKED * others)
        && !links.any(|i| is_title(t, i, own, &label))
}

/// Returns whether a link of a record begins a text, after the permalink, or is in a heading.
fn is_title(t: &LinkTable<'_>, i: usize, own: usize, sign: &str) -> bool {
    let link = &t.links[i];
    let block = t.blocks.elements[link.element].blocks.start as usize;
    let text = t.blocks.blocks.get(block).map_or("", |_| t.blocks.text(block));
    let text = text.strip_prefix(sign).unwrap_or(text).trim_start();
    let mut around = t.blocks.element_chain(link.element).take(MAX_LEVELS_TO_HEADING);
    link.target != t.links[own].target
        && (!link.text.is_empty() && text.starts_with(&link.text)
            || around.any(|e| t.blocks.elements[e].tag.heading_level().is_some()))
}

/// Returns the elements of a record: a term of a glossary has its descriptions.
fn parts<'t>(t: &'t LinkTable<'_>, record: usize) -> impl Iterator<Item = usize> + 't {
    let descriptions =
        std::iter::successors(next_description(t, record, record), move |e| next_description(t, record, *e));
    std::iter::once(record).chain(descriptions.take(MAX_LINKS))
}

/// Returns the description of a term that follows an element, if that is the term or another of its descriptions.
fn next_description(t: &LinkTable<'_>, term: usize, e: usize) -> Option<usize> {
    let (own, end) = (&t.blocks.elements[term], t.subtree(e).end);
    let next = t.blocks.elements.get(end)?;
    (own.tag == Tag::DT && next.tag == Tag::DD && next.parent == own.parent).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::super::columns;
    use super::*;
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    fn permalinks(record: &dyn Fn(usize) -> String) -> Vec<String> {
        let html = format!("<ul>{}</ul>", (1..5).map(record).collect::<String>());
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let t = LinkTable::new(&dom, &blocks, None);
        find(&t, &columns::columns(&t, None).1).iter().map(|p| t.links[p.link].href.clone()).collect()
    }

    #[test]
    fn a_sign_or_a_date_links_a_record_of_running_text() {
        let own = ["/1", "/2", "/3", "/4"];
        let text =
            |n: usize| format!("The crane has left on a barge after <a href=/x{n}>two tides</a>, and nobody was hurt.");
        assert_eq!(permalinks(&|n| format!("<li><a href=/{n}>[l]</a> {}", text(n))), own);
        assert_eq!(permalinks(&|n| format!("<li><p>{}</p><p><a href=/{n}>#</a></p>", text(n))), own);
        assert_eq!(permalinks(&|n| format!("<li><a href=/{n}>1{n} May 2026</a><p>{}</p>", text(n))), own);
        assert_eq!(permalinks(&|n| format!("<dt><a href=/{n}>1{n}:05</a><dd>{}", text(n))), own);
        assert_eq!(permalinks(&|n| format!("<li><h3>Crane {n}</h3>{} <a href=/{n}>→</a>", text(n))), own);
        assert_eq!(permalinks(&|n| format!("<li>{} <a rel=bookmark href=/{n}>Lien</a>", text(n))), own);
        let of_day = |n: usize| format!("<p><a href=/{n}>[l]</a> {}</p>", text(n));
        let days = |n: usize| match n {
            1 => format!("<li>{}", (1..5).map(of_day).collect::<String>()),
            _ => format!("<li>{}", of_day(n + 3)),
        };
        assert_eq!(permalinks(&days), ["/1", "/2", "/3", "/4", "/5", "/6", "/7"]);
        assert_eq!(permalinks(&|n| format!("<li>The quince has turned. <a href=/{n}>#</a>")), own);
        // Where another link is the title of the record, the sign is a note.
        assert!(permalinks(&|n| format!("<li><a href=/x{n}>Crane {n}</a> {} <a href=/{n}>#</a>", text(n))).is_empty());
        let headed = |n: usize| format!("<li><h3><a href=/x{n}>Crane</a></h3>{} <a href=/{n}>#</a>", text(n));
        assert!(permalinks(&headed).is_empty());
        // A button to vote is not a permalink.
        assert!(permalinks(&|n| format!("<li><a href=/{n}>\u{25b2}</a> {}", text(n))).is_empty());
    }
}
