//! Features of a value's surroundings: the headings around it, repeated siblings, the type of the page.
//!
//! A page's own date is under the page's heading and is not repeated. Dates of entries, reviews and events are under headings of their own,
//! in elements with siblings of the same kind.
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::Features;
use crate::metadata::text::dates::Hit;
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of ancestors and siblings of an element that are examined.
const MAX_ANCESTORS: usize = 7;
const MAX_SIBLINGS: usize = 12;
/// Maximum number of blocks between a value and a heading below it that still belongs to the value.
const MAX_BLOCKS_TO_HEADING: u32 = 3;
/// Maximum number of characters next to a date that are counted.
const MAX_CHARS_BESIDE: usize = 120;

/// The headings of a page by their first blocks.
pub struct Surroundings {
    /// Block of each heading and whether it is a link, in document order.
    headings: Vec<(u32, bool)>,
    /// Features of the page as a whole.
    features: Features,
}

impl Surroundings {
    /// Finds the headings.
    pub fn new(page: &Layout<'_>) -> Surroundings {
        let blocks = page.blocks;
        let mut headings: Vec<(u32, bool)> = Vec::new();
        for e in &blocks.elements {
            if matches!(e.tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
                && !e.blocks.is_empty()
                && !e.hidden
            {
                let first = e.blocks.start;
                let b = &blocks.blocks[first as usize];
                if headings.last().is_none_or(|h| h.0 != first) {
                    headings.push((first, b.link_chars * 2 > b.chars));
                }
            }
        }
        let features = features(page, &headings);
        Surroundings { headings, features }
    }

    /// Returns features of the page as a whole.
    pub fn of_page(&self) -> &Features {
        &self.features
    }

    /// Adds features of a value in block `at` and element `node`.
    pub fn describe(&self, page: &Layout<'_>, at: u32, node: NodeId, f: &mut Features) {
        let after = self.headings.partition_point(|h| h.0 <= at);
        let own = page.heading;
        let before = after.checked_sub(1).map(|i| self.headings[i]);
        f.set(&["under:", before.map_or("none", |heading| heading_kind(own, heading))], 1.0);
        let next = self.headings.get(after).copied().filter(|h| h.0 - at <= MAX_BLOCKS_TO_HEADING);
        f.set(&["over:", next.map_or("none", |heading| heading_kind(own, heading))], 1.0);
        if let Some(h) = own.filter(|h| *h <= at) {
            let between = after - self.headings.partition_point(|x| x.0 <= h);
            f.bucket("heads.between", between);
        }
        if let Some(b) = page.blocks.blocks.get(at as usize) {
            f.flag("in.code", b.code_chars * 2 > b.chars);
        }
        f.bucket("repeats", repeats(page, node));
    }
}

/// Returns the largest number of siblings with the same tag and class that a node or one of its nearest ancestors has.
fn repeats(page: &Layout<'_>, node: NodeId) -> usize {
    let dom = page.dom;
    let chain = std::iter::once(node).chain(dom.ancestors(node)).take(MAX_ANCESTORS);
    let chain = chain.filter(|n| !matches!(dom.tag(*n), Tag::P | Tag::BR | Tag::SPAN | Tag::A | Tag::BODY | Tag::HTML));
    chain
        .map(|n| count_alike(dom, n, dom.next_siblings(n)) + count_alike(dom, n, dom.prev_siblings(n)))
        .max()
        .unwrap_or(0)
}

/// Returns what a heading is for a date or name near it: the title of the page, a link, or neither.
fn heading_kind(title: Option<u32>, (block, is_link): (u32, bool)) -> &'static str {
    if title == Some(block) {
        "own"
    } else if is_link {
        "link"
    } else {
        "other"
    }
}

/// Returns how many of the first elements among some siblings have the tag and the classes of `n`.
fn count_alike(dom: &Dom, n: NodeId, siblings: impl Iterator<Item = NodeId>) -> usize {
    let elements = siblings.take(4 * MAX_SIBLINGS).filter(|k| dom.kind(*k) == NodeKind::Element).take(MAX_SIBLINGS);
    let own = (dom.tag(n), dom.attribute(n, Attr::CLASS));
    elements.filter(|k| (dom.tag(*k), dom.attribute(*k, Attr::CLASS)) == own).count()
}

/// Returns features that separate page types by counts: articles have long blocks, shops and front pages have links and linked headings.
fn features(page: &Layout<'_>, headings: &[(u32, bool)]) -> Features {
    let mut features = Features::new(page.named);
    let f = &mut features;
    let blocks = &page.blocks.blocks;
    let (mut long, mut chars, mut links, mut shown) = (0usize, 0u64, 0u64, 0usize);
    for b in blocks.iter().filter(|b| !b.hidden) {
        shown += 1;
        long += (b.chars >= 200 && b.link_chars * 4 < b.chars) as usize;
        chars += u64::from(b.chars);
        links += u64::from(b.link_chars);
    }
    f.set(&["page.long"], log(long));
    f.set(&["page.blocks"], log(shown));
    f.set(&["page.linked"], links as f32 / chars.max(1) as f32);
    f.set(&["page.heads"], log(headings.len()));
    f.set(&["page.linked.heads"], log(headings.iter().filter(|h| h.1).count()));
    let times = page.blocks.elements.iter().filter(|e| e.tag == Tag::TIME).count();
    f.set(&["page.times"], log(times));
    f.set(&["page.dates"], log(page.hits().iter().map(|h| h.1.len()).sum()));
    let path = page.url.as_ref().map_or("", |u| u.path()).trim_end_matches('/');
    let slug = path.rsplit('/').next().unwrap_or("");
    f.set(&["page.slug"], slug.matches(['-', '_']).count() as f32);
    f.flag("page.slug.digits", slug.bytes().filter(u8::is_ascii_digit).count() >= 4);
    f.flag("page.query", page.url.as_ref().is_some_and(|u| u.query().is_some()));
    features
}

fn log(n: usize) -> f32 {
    maintext_page::num::ln(n as f32 + 1.0)
}

/// Adds features of the text around a date, for example whether it begins or ends a span of time, as dates of events do.
pub fn beside(text: &str, hit: &Hit, f: &mut Features) {
    let before = text.get(..hit.range.start).unwrap_or("").trim_end();
    let after = text.get(hit.range.end..).unwrap_or("");
    let ends: String = before.chars().rev().take(14).collect();
    let span = after
        .trim_start()
        .strip_prefix(|c: char| matches!(c, '-' | '–' | '—' | '~' | '～'))
        .is_some_and(|s| s.chars().take(12).any(|c| c.is_ascii_digit()))
        || ends
            .strip_prefix(|c: char| matches!(c, '-' | '–' | '—' | '~' | '～'))
            .is_some_and(|e| e.chars().any(|c| c.is_ascii_digit()));
    f.flag("hit.span", span);
    f.bucket("hit.before", before.chars().take(MAX_CHARS_BESIDE).count());
    f.bucket("hit.after", after.trim().chars().take(MAX_CHARS_BESIDE).count());
    f.flag(
        "hit.glued",
        is_glued(after.chars().next()) || is_glued(text.get(..hit.range.start).and_then(|t| t.chars().next_back())),
    );
    let dotted = after.strip_prefix('.').is_some_and(|t| t.starts_with(char::is_alphanumeric));
    f.flag("hit.dotted", dotted);
    let words = after.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    for w in words.take(1) {
        f.set(&["w:>", &w.to_lowercase()], 1.0);
    }
}

fn is_glued(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '='))
}

/// Adds features of a block's position relative to heading and content, and of the regions of the element `e`.
pub fn place_block(page: &Layout<'_>, at: u32, e: usize, f: &mut Features) {
    let last = page.content.1;
    f.set(&["at:", page.side_of_content(at)], 1.0);
    match page.heading {
        Some(h) if at >= h => f.bucket("below.heading", (at - h) as usize),
        Some(h) => f.bucket("above.heading", (h - at) as usize),
        None => f.flag("no.heading", true),
    }
    if at > last {
        f.bucket("below.content", (at - last) as usize);
    }
    page.region_names(e).for_each(|r| f.set(&["in:", r], 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::layout_of;

    #[test]
    fn a_list_entry_has_its_own_heading_and_siblings() {
        let entry = |i: usize| {
            format!("<div class=entry><h3><a href=/{i}>Walk number {i}</a></h3><time>1{i} May 2024</time></div>")
        };
        let entries: String = (1..6).map(entry).collect();
        let html = format!(
            "<h1>Walks</h1><p class=date>9 May 2024</p><p>All walks of the year, by the day on which we went.</p>{entries}"
        );
        layout_of(&html, |page| {
            let around = Surroundings::new(page);
            assert_eq!(around.headings.iter().filter(|h| h.1).count(), 5);
            let names = |tag: Tag| {
                let node = page.blocks.elements.iter().rfind(|e| e.tag == tag).map(|e| e.node).unwrap();
                let mut f = Features::new(true);
                around.describe(page, page.block_of(node).unwrap(), node, &mut f);
                f.names().to_vec()
            };
            let entry = names(Tag::TIME);
            assert!(entry.contains(&"under:link".into()) && entry.contains(&"repeats:4-5".into()), "{entry:?}");
            let own = names(Tag::P);
            assert!(own.contains(&"under:other".into()) && own.contains(&"repeats:0".into()), "{own:?}");
        });
    }
}
