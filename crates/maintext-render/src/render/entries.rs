//! Finds entries of lists in the kept content: similar elements in a row, each with a linked title.
//!
//! Shops, blogs and link aggregators write their lists as divisions or as rows of a layout table. The renderers write such records as list
//! items. The rule uses only markup and counts and is linear in the page: elements whose ancestors have the same tags form a group, and a
//! group is a list if its records are short, have a title that is a link, and hold nearly all of the content between the first and the last.
use super::Content;
use maintext_html::Attr;
use maintext_page::blocks::Block;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Minimum number of records that make a group a list.
const MIN_ENTRIES: usize = 3;
/// Mean words of a record above which it is a text and not an entry.
const MAX_WORDS: u32 = 80;
/// Minimum share of the kept words, from the first record to the last, that the records must hold.
const MIN_COVERED_SHARE: f32 = 0.75;
/// Minimum mean number of words of a title: tags and numbers are shorter.
const MIN_TITLE_WORDS: f32 = 2.0;
/// Maximum share of a record's words that may precede its title: a date, a category, a badge.
const BEFORE_TITLE: f32 = 0.5;
/// Minimum share of a table row's words that the title must have. Rows of data have less.
const TITLE_OF_ROW: f32 = 0.5;
/// Maximum number of links in a title: the address next to it may be a second one. Lines of tags or buttons have more.
const MAX_LINKS: u32 = 2;
/// Maximum number of lists in the content of one page.
const MAX_LISTS: usize = 8;

/// The role of an element in its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EntryRole {
    /// A record: an item of the list.
    Entry,
    /// A table whose rows are records.
    Table,
    /// The first row of an entry; the rows up to the next such row belong to it.
    Row,
    /// A cell of such a table: it only separates words.
    Cell,
}

/// The role of each element that belongs to a list.
#[derive(Default)]
pub(super) struct Entries(HashMap<NodeId, EntryRole>);

impl Entries {
    pub(super) fn role(&self, n: NodeId) -> Option<EntryRole> {
        if self.0.is_empty() { None } else { self.0.get(&n).copied() }
    }
}

/// Finds the lists of the kept content.
pub(super) fn find(content: &Content<'_>) -> Entries {
    let mut out = Entries::default();
    // Most pages are articles and hold hardly any titles of other pages.
    let titles = content.blocks.blocks.iter().filter(|b| is_title(content, b) && is_kept(content, b));
    if titles.take(MIN_ENTRIES).count() < MIN_ENTRIES {
        return out;
    }
    let finder = EntryFinder::new(content);
    let mut taken = vec![0u32; content.blocks.len() + 1];
    let mut lists = 0;
    for group in finder.groups() {
        if !group.elements.iter().all(|e| EntryFinder::sum(&taken, &finder.blocks(*e)) == 0) {
            continue;
        }
        if group.is_rows {
            finder.mark_rows(&group.elements, &mut out.0);
        } else {
            out.0.extend(group.elements.iter().map(|&e| (finder.node(e), EntryRole::Entry)));
        }
        lists += 1;
        if lists == MAX_LISTS {
            break;
        }
        take(&mut taken, group.elements.iter().flat_map(|&e| finder.blocks(e)));
    }
    out
}

fn is_kept(content: &Content<'_>, b: &Block) -> bool {
    content.blocks.leaves.get(b.leaves.start as usize).is_some_and(|n| content.keep[n.index()])
}

/// Whether a block may be the title of an entry: mostly text of links to other places. The blocks of a card that is one link contain no start
/// of a link.
fn is_title(content: &Content<'_>, b: &Block) -> bool {
    b.link_chars * 2 > b.chars && b.links <= MAX_LINKS && !leads_to_fragment(content, b)
}

/// Whether the link of a block leads to a place on its own page (the block is a heading with its own address, or a line of a table of
/// contents), or is the anchor of an old page, which leads nowhere and may contain everything after it.
fn leads_to_fragment(content: &Content<'_>, b: &Block) -> bool {
    /// Maximum number of elements between the link and its text.
    const MAX_LEVELS_TO_LINK: usize = 6;
    let dom = content.dom;
    let Some(&leaf) = content.blocks.leaves.get(b.leaves.start as usize) else { return false };
    let link = dom.ancestors(leaf).take(MAX_LEVELS_TO_LINK).find(|&n| dom.tag(n) == Tag::A);
    link.is_some_and(|n| match dom.attr(n, "href") {
        Some(href) => href.starts_with('#'),
        None => dom.attribute(n, Attr::NAME).is_some() || dom.attribute(n, Attr::ID).is_some(),
    })
}

/// Marks more blocks as taken. `taken` holds sums over blocks `0..i`.
fn take(taken: &mut [u32], blocks: impl Iterator<Item = usize>) {
    let mut own = vec![0; taken.len()];
    blocks.for_each(|b| own[b + 1] = 1);
    let mut sum = 0;
    for (taken, own) in taken.iter_mut().zip(own) {
        sum += own;
        *taken += sum;
    }
}

/// Elements that may be the entries of one list, in document order.
struct EntryGroup {
    elements: Vec<u32>,
    words: u32,
    is_rows: bool,
}

struct EntryFinder<'a> {
    content: &'a Content<'a>,
    /// Kept words in blocks `0..i`.
    words: Vec<u32>,
    /// For each block, the first block at or after it that may be a title.
    next_title: Vec<u32>,
}

impl<'a> EntryFinder<'a> {
    fn new(content: &'a Content<'a>) -> EntryFinder<'a> {
        let blocks = &content.blocks.blocks;
        let mut words = vec![0; blocks.len() + 1];
        let mut next_title = vec![blocks.len() as u32; blocks.len() + 1];
        for (i, b) in blocks.iter().enumerate() {
            words[i + 1] = words[i] + if is_kept(content, b) { b.words } else { 0 };
        }
        for (i, b) in blocks.iter().enumerate().rev() {
            next_title[i] = if is_title(content, b) && is_kept(content, b) { i as u32 } else { next_title[i + 1] };
        }
        EntryFinder { content, words, next_title }
    }

    fn sum(sums: &[u32], r: &Range<usize>) -> u32 {
        sums[r.end] - sums[r.start]
    }

    fn blocks(&self, e: u32) -> Range<usize> {
        let r = &self.content.blocks.elements[e as usize].blocks;
        r.start as usize..r.end as usize
    }

    fn node(&self, e: u32) -> NodeId {
        self.content.blocks.elements[e as usize].node
    }

    fn tag(&self, e: u32) -> Tag {
        self.content.blocks.elements[e as usize].tag
    }

    /// Returns the groups that are lists, the largest first. Of nested elements with the same blocks, the outermost counts.
    fn groups(&self) -> Vec<EntryGroup> {
        let elements = &self.content.blocks.elements;
        let mut path: Vec<u32> = Vec::with_capacity(elements.len());
        let mut by_path: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, e) in elements.iter().enumerate() {
            let above = path.get(e.parent as usize).copied().unwrap_or(0);
            path.push(maintext_page::hash::fnv(above, e.tag.0 as u32 + 1));
            if self.may_be_entry(i as u32) {
                by_path.entry(path[i]).or_default().push(i as u32);
            }
        }
        let groups = by_path.into_values().filter_map(|elements| self.group(elements));
        let mut groups: Vec<EntryGroup> = groups.collect();
        groups.sort_by_key(|g| (std::cmp::Reverse((g.elements.len(), g.words)), g.elements.first().copied()));
        groups
    }

    fn may_be_entry(&self, e: u32) -> bool {
        let of_kind = match self.tag(e) {
            Tag::DIV | Tag::ARTICLE | Tag::SECTION | Tag::P | Tag::LI | Tag::TR => true,
            // The anchor of an old page that nothing closes holds all that follows.
            Tag::A => self.content.dom.attribute(self.node(e), Attr::HREF).is_some() && self.holds_blocks(e),
            _ => false,
        };
        of_kind && self.title(e).is_some()
    }

    fn holds_blocks(&self, e: u32) -> bool {
        let elements = &self.content.blocks.elements;
        let below = e as usize + 1..e as usize + 1 + elements[e as usize].descendants as usize;
        elements[below].iter().any(|x| x.tag.is_block())
    }

    /// Returns the block of a record's title, if there is one in the first half of the record.
    fn title(&self, e: u32) -> Option<usize> {
        let blocks = self.blocks(e);
        let title = *self.next_title.get(blocks.start)? as usize;
        let before = Self::sum(&self.words, &(blocks.start..title.min(blocks.end))) as f32;
        (title < blocks.end && before <= BEFORE_TITLE * Self::sum(&self.words, &blocks) as f32).then_some(title)
    }

    fn group(&self, elements: Vec<u32>) -> Option<EntryGroup> {
        let (first, last) = (*elements.first()?, *elements.last()?);
        let n = elements.len();
        let span = self.blocks(first).start..self.blocks(last).end;
        let words: u32 = elements.iter().map(|&e| Self::sum(&self.words, &self.blocks(e))).sum();
        let titles: u32 =
            elements.iter().filter_map(|&e| self.title(e)).map(|b| self.content.blocks.blocks[b].words).sum();
        let all = Self::sum(&self.words, &span);
        let is_rows = self.tag(first) == Tag::TR;
        let fits = if is_rows {
            titles as f32 >= TITLE_OF_ROW * words as f32 && self.is_layout(first, last)
        } else {
            words as f32 >= MIN_COVERED_SHARE * all as f32
        };
        let entries =
            n >= MIN_ENTRIES && titles as f32 >= MIN_TITLE_WORDS * n as f32 && all.max(words) <= MAX_WORDS * n as u32;
        (fits && entries).then_some(EntryGroup { elements, words, is_rows })
    }

    fn table_of(&self, e: u32) -> Option<u32> {
        let mut chain = self.content.blocks.element_chain(e as usize).map(|e| e as u32).take(4);
        chain.find(|&e| self.tag(e) == Tag::TABLE)
    }

    /// Whether the rows share one table that has no column headers and no nested table.
    fn is_layout(&self, first: u32, last: u32) -> bool {
        let Some(table) = self.table_of(first).filter(|t| self.table_of(last) == Some(*t)) else { return false };
        let elements = &self.content.blocks.elements;
        let below = table as usize + 1..table as usize + 1 + elements[table as usize].descendants as usize;
        !elements[below].iter().any(|e| matches!(e.tag, Tag::TH | Tag::TABLE | Tag::CAPTION))
    }

    fn mark_rows(&self, starts: &[u32], roles: &mut HashMap<NodeId, EntryRole>) {
        let Some(table) = starts.first().and_then(|&e| self.table_of(e)) else { return };
        let elements = &self.content.blocks.elements;
        roles.insert(self.node(table), EntryRole::Table);
        roles.extend(starts.iter().map(|&e| (self.node(e), EntryRole::Row)));
        let end = table + 1 + elements[table as usize].descendants;
        let cells = (table + 1..end).filter(|&e| matches!(self.tag(e), Tag::TD));
        roles.extend(cells.map(|e| (self.node(e), EntryRole::Cell)));
        // The last entry gets no more rows than the longest of the others: a link to the next page follows it.
        let longest = starts.windows(2).map(|w| self.kept_rows(w[0], w[1]).len()).max().unwrap_or(0);
        let rest = starts.last().map(|&e| self.kept_rows(e, end)).unwrap_or_default();
        roles.extend(rest.get(longest).map(|&e| (self.node(e), EntryRole::Row)));
    }

    fn kept_rows(&self, from: u32, to: u32) -> Vec<u32> {
        (from + 1..to).filter(|e| self.tag(*e) == Tag::TR && Self::sum(&self.words, &self.blocks(*e)) > 0).collect()
    }
}
