//! The decisions about a page on which its fields depend: which blocks are content, which are records, which heading is the title.
use crate::metadata::ranking::rank::Features;
use crate::metadata::records::{Record, is_named_for_comments, names_comments};
use crate::metadata::sources::facts::Facts;
use crate::metadata::sources::jsonld::Graph;
use std::cell::OnceCell;
use std::ops::{Deref, Range};

/// Maximum number of words of labels and buttons around a comment.
const MAX_LABEL_WORDS: u32 = 12;
/// Maximum number of words of a heading that announces comments.
const MAX_HEADING_WORDS: u32 = 6;
/// Maximum number of levels between a block and an element that is named for comments.
const MAX_LEVELS: usize = 12;

/// The facts of a page, and where its content, its records and its title are.
#[derive(Clone)]
pub struct Layout<'a> {
    facts: &'a Facts<'a>,
    /// First and last block of the content.
    pub content: (u32, u32),
    /// Number of words of the content.
    pub words: usize,
    /// Tenths of the characters of the content that are in links.
    link_tenths: usize,
    /// The posts of the page, or else its comments.
    pub records: &'a [Record],
    /// The block of the title's heading; `None` until the title is chosen.
    pub heading: Option<u32>,
    /// Whether features keep their names, for inspection and training.
    pub named: bool,
    /// The blocks of the headings that announce comments, in order; found on first use.
    comment_headings: OnceCell<Vec<u32>>,
}

impl<'a> Deref for Layout<'a> {
    type Target = Facts<'a>;

    fn deref(&self) -> &Facts<'a> {
        self.facts
    }
}

impl<'a> Layout<'a> {
    /// Describes a page whose title is not chosen yet.
    pub fn new(facts: &'a Facts<'a>, kept: &[bool], records: &'a [Record]) -> Layout<'a> {
        let first = kept.iter().position(|k| *k).unwrap_or(0) as u32;
        let last = kept.iter().rposition(|k| *k).unwrap_or(0) as u32;
        let (mut chars, mut link_chars, mut words) = (0, 0, 0);
        for (block, _) in facts.blocks.blocks.iter().zip(kept).filter(|(_, kept)| **kept) {
            chars += block.chars as usize;
            link_chars += block.link_chars as usize;
            words += block.words as usize;
        }
        let link_tenths = link_chars * 10 / chars.max(1);
        Layout {
            facts,
            content: (first, last),
            words,
            link_tenths,
            records,
            heading: None,
            named: false,
            comment_headings: OnceCell::new(),
        }
    }

    /// Returns the position of a block relative to the content.
    pub fn side_of_content(&self, block: u32) -> &'static str {
        match self.content {
            (first, _) if block < first => "before",
            (_, last) if block <= last => "inside",
            _ => "after",
        }
    }

    /// Returns what the page declares to be: a written work, an article, or nothing.
    pub fn declared_kind(&self) -> &'static str {
        if self.graph().things.iter().any(|t| t.depth == 0 && Graph::is_work(&t.kind)) {
            "work"
        } else if self.metas("og:type").any(|t| t.contains("article")) {
            "article"
        } else {
            "plain"
        }
    }

    /// Returns whether the records are the content.
    pub fn is_thread(&self) -> bool {
        self.records.first().is_some_and(|r| r.is_post)
    }

    /// Returns whether the record around a block is the first; `None` outside comments and posts.
    pub fn in_record(&self, block: u32) -> Option<bool> {
        let i = self.records.partition_point(|r| r.blocks.end <= block);
        self.records.get(i).filter(|r| r.blocks.contains(&block)).map(|_| i == 0)
    }

    /// Returns whether a block is in an element that is named for comments, or has a heading for them, and holds neither the page's heading nor
    /// most of its content.
    pub fn is_in_comments(&self, block: u32) -> bool {
        let elements = &self.blocks.elements;
        // No block holds the elements after the last text.
        if block as usize >= self.blocks.len() {
            return false;
        }
        let inner = self.blocks.ancestors(block as usize).take(MAX_LEVELS);
        let inner = inner.take_while(|e| !self.holds_content(&elements[*e].blocks));
        let mut named =
            inner.filter(|e| is_named_for_comments(self, elements[*e].node) || self.is_headed_for_comments(*e));
        // A line with a date and a link to the comments may be named for them, and so may the text of a page.
        named.any(|e| !self.is_line(&elements[e].blocks) && !self.is_most_of_content(&elements[e].blocks))
    }

    /// Whether the first text of an element, or the one before it, is a heading that announces comments: "Comments (3)".
    fn is_headed_for_comments(&self, element: usize) -> bool {
        let start = self.blocks.elements[element].blocks.start;
        let headings = self.comment_headings.get_or_init(|| self.comment_headings());
        let next = headings.partition_point(|heading| *heading + 1 < start);
        headings.get(next).is_some_and(|heading| *heading <= start)
    }

    fn comment_headings(&self) -> Vec<u32> {
        let headings = self.blocks.elements.iter().filter(|e| e.tag.heading_level().is_some() && !e.blocks.is_empty());
        headings.map(|e| e.blocks.start).filter(|block| self.announces_comments(*block as usize)).collect()
    }

    fn announces_comments(&self, block: usize) -> bool {
        let text = self.blocks.text(block);
        // The French "comment" asks how.
        let asks = self.declared.starts_with("fr") && text.split(' ').any(|w| w.eq_ignore_ascii_case("comment"));
        self.blocks.blocks[block].words <= MAX_HEADING_WORDS && !asks && names_comments(text)
    }

    /// Whether blocks include the whole content, or the page's heading.
    fn holds_content(&self, blocks: &Range<u32>) -> bool {
        let (first, last) = self.content;
        blocks.contains(&first) && blocks.contains(&last) || self.heading.is_some_and(|h| blocks.contains(&h))
    }

    /// Whether blocks have the length of a label.
    fn is_line(&self, blocks: &Range<u32>) -> bool {
        let end = blocks.end.min(blocks.start + MAX_LABEL_WORDS + 1);
        self.blocks.blocks[blocks.start as usize..end as usize].iter().map(|b| b.words).sum::<u32>() <= MAX_LABEL_WORDS
    }

    /// Whether blocks have more than half of the text of a page that is not a thread.
    fn is_most_of_content(&self, blocks: &Range<u32>) -> bool {
        let (first, last) = self.content;
        let shared = blocks.start.max(first)..blocks.end.min(last + 1);
        !shared.is_empty() && !self.is_thread() && 2 * self.chars(shared) > self.chars(first..last + 1)
    }

    fn chars(&self, blocks: Range<u32>) -> u32 {
        self.blocks.blocks[blocks.start as usize..blocks.end as usize].iter().map(|b| b.chars).sum()
    }

    /// Adds features of a value in these blocks: in the first post of a thread, in another post, in a comment.
    pub fn record_features(&self, blocks: impl Iterator<Item = u32>, f: &mut Features) {
        if self.records.is_empty() {
            return;
        }
        let kind = if self.is_thread() { "post" } else { "comment" };
        let places: Vec<Option<bool>> = blocks.map(|b| self.in_record(b)).collect();
        let [first, other, outside] = [Some(true), Some(false), None].map(|place| places.contains(&place));
        f.flag_parts(&[kind, ".first"], first);
        f.flag_parts(&[kind, ".later"], other && !first);
        f.flag_parts(&[kind, ".outside"], outside);
    }

    /// Returns features of the page as a whole: pages of some types have no author or date of their own.
    pub fn page_features(&self) -> Features {
        let mut features = Features::new(self.named);
        let f = &mut features;
        let size = ["0", "1", "2-3", "4-7", "8-15", "16-31", "32-63", "64-"];
        let step = (usize::BITS - (self.words / 25).leading_zeros()) as usize;
        f.set(&["page.words:", size[step.min(7)]], 1.0);
        f.set(&["page.log.words"], step as f32);
        f.bucket("page.links", self.link_tenths);
        let depth = self.url.as_ref().map_or(0, |u| u.path().split('/').filter(|s| !s.is_empty()).count());
        f.bucket("page.depth", depth);
        for t in self.metas("og:type").take(2) {
            f.set(&["page.og:", t], 1.0);
        }
        let mut kinds: Vec<&str> =
            self.graph().things.iter().filter(|t| t.depth == 0).map(|t| t.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for k in kinds.iter().take(12) {
            f.set(&["page.ld:", k], 1.0);
        }
        f.flag(
            "page.product",
            kinds.iter().any(|k| k.contains("Product")) || self.metas("og:type").any(|t| t.contains("product")),
        );
        f.flag(
            "page.list",
            kinds.iter().any(|k| k.contains("List") && *k != "BreadcrumbList" || k.contains("Collection")),
        );
        features
    }
}
