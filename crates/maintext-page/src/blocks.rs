//! The page as a sequence of text blocks.
//!
//! A text block is the longest run of text that no block-level border interrupts: inline markup is merged, block-level elements
//! and `<br><br>` are borders. Every method scores blocks and every renderer writes the kept ones, so each text that a visitor can see belongs to
//! exactly one block.
mod build;
mod code;
mod events;
mod formula;
mod names;

pub use crate::dom::is_hidden;
use crate::dom::{Dom, NodeId, Tag};
use crate::markup::Markup;
use crate::signs::PageSigns;
use crate::sums::RunningSums;
use crate::visibility::Hidden;
pub use crate::words::is_zero_width;
pub use crate::words::{count_words, is_cjk};
use build::Builder;
pub use events::{Event, EventKind};
pub use names::{ElementTokens, token_hash};
use std::ops::Range;
use std::sync::OnceLock;

/// An element above a text block, with the blocks below it.
///
/// Elements are in document order: a parent precedes its children, and [`Element::blocks`] is contiguous, so that
/// statistics of a subtree are differences of prefix sums.
#[derive(Clone, Debug)]
pub struct Element {
    /// The node.
    pub node: NodeId,
    /// Its tag.
    pub tag: Tag,
    /// Index of the parent in [`Blocks::elements`]; the root is its own parent.
    pub parent: u32,
    /// Nesting depth, 0 for the root.
    pub depth: u16,
    /// Whether markup hides it or an ancestor until a visitor or a script shows it, or hides it from screen readers.
    pub hidden: bool,
    /// The blocks below it.
    pub blocks: Range<u32>,
    /// Number of element nodes in the subtree, excluding itself.
    pub descendants: u32,
}

/// A text block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index in [`Blocks::elements`] of the element that directly holds the block's first text.
    pub element: u32,
    /// Index in [`Blocks::elements`] of the nearest block-level element.
    pub container: u32,
    /// Bytes of [`Blocks::text`].
    pub text: Range<u32>,
    /// Entries of [`Blocks::leaves`].
    pub leaves: Range<u32>,
    /// Source bytes, from the beginning of the first text to the end of the last.
    pub span: Range<u32>,
    /// Characters (Unicode scalar values) of the text.
    pub chars: u32,
    /// Words: runs of letters and digits; each Han, Kana and Hangul character counts as one.
    pub words: u32,
    /// Characters inside links.
    pub link_chars: u32,
    /// Links that begin in the block.
    pub links: u32,
    /// Characters inside `<b>`, `<strong>`, `<em>`, `<i>`, `<mark>`.
    pub emphasis_chars: u32,
    /// Characters inside `<code>`, `<kbd>`, `<samp>`, `<pre>`.
    pub code_chars: u32,
    /// Characters of formulas.
    pub formula_chars: u32,
    /// Line breaks (`<br>`) inside.
    pub breaks: u32,
    /// Whether markup hides it.
    pub hidden: bool,
    /// Whether it is inside `<noscript>`.
    pub noscript: bool,
}

impl Block {
    /// Whether all of its text is inside links.
    pub fn is_linked(&self) -> bool {
        self.link_chars == self.chars
    }
}

/// An image or a video, and its position between the blocks.
#[derive(Clone, Copy, Debug)]
pub struct Media {
    /// The `<img>`, `<video>`, `<audio>`, `<iframe>`, `<embed>` or `<object>`, or the `<script>` of a gist.
    pub node: NodeId,
    /// Index in [`Blocks::elements`] of its parent.
    pub element: u32,
    /// Number of blocks that begin before it.
    pub position: u32,
}

/// The page as text blocks, with the elements around them.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// The blocks in document order.
    pub blocks: Vec<Block>,
    /// The elements in document order.
    pub elements: Vec<Element>,
    /// The text nodes, formulas and editors that make up the blocks, in document order.
    pub leaves: Vec<NodeId>,
    /// Images and videos, in document order.
    pub media: Vec<Media>,
    /// The roles of elements whose tags do not name them.
    pub markup: Markup,
    /// The invisible parts, in document order.
    pub hidden: Vec<Hidden>,
    /// What took more work than the page allows, so that it was not read to its end.
    pub cut: Vec<&'static str>,
    /// The walk over the page, from which formats are written.
    pub events: Vec<Event>,
    text: String,
    names: OnceLock<ElementTokens>,
    signs: OnceLock<PageSigns>,
    sums: OnceLock<RunningSums<u32, 3>>,
}

impl Blocks {
    /// Cuts a page into its text blocks.
    ///
    /// ```
    /// use maintext_page::{blocks::Blocks, dom};
    /// let dom = dom::parse("<h1>A <i>title</i></h1><p>One<br>two<br><br>three", &Default::default());
    /// let blocks = Blocks::new(&dom);
    /// let texts: Vec<_> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    /// assert_eq!(texts, ["A title", "One two", "three"]);
    /// ```
    pub fn new(dom: &Dom) -> Blocks {
        Builder::cut(dom)
    }
    /// Returns the names of the elements. `dom` is the page from which the blocks were cut; its names are read once.
    pub fn names(&self, dom: &Dom) -> &ElementTokens {
        self.names.get_or_init(|| ElementTokens::new(dom, self))
    }
    /// Returns the signs of the kind of page. `dom` is the page from which the blocks were cut; it is read once.
    pub fn signs(&self, dom: &Dom) -> &PageSigns {
        self.signs.get_or_init(|| PageSigns::new(dom))
    }
    /// Returns the numbers of words, of characters and of characters in links of a range of blocks, in the same time for each range.
    pub fn sums(&self, range: &Range<u32>) -> [u32; 3] {
        let rows = self.blocks.iter().map(|b| [b.words, b.chars, b.link_chars]);
        self.sums.get_or_init(|| RunningSums::new(rows)).of(range.start as usize..range.end as usize)
    }
    /// Returns the text nodes, formulas and editors that make up a block.
    pub fn leaves_of(&self, block: &Block) -> &[NodeId] {
        &self.leaves[block.leaves.start as usize..block.leaves.end as usize]
    }
    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }
    /// Whether the page has no text.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
    /// Returns the number of words of the kept blocks.
    pub fn kept_words(&self, kept: &[bool]) -> u32 {
        self.blocks.iter().zip(kept).filter(|(_, kept)| **kept).map(|(block, _)| block.words).sum()
    }
    /// Returns the text of block `i` with white space collapsed.
    pub fn text(&self, i: usize) -> &str {
        let r = &self.blocks[i].text;
        &self.text[r.start as usize..r.end as usize]
    }
    /// Whether block `i` is formulas, apart from a sign or a number.
    pub fn is_formula(&self, i: usize) -> bool {
        let b = &self.blocks[i];
        b.formula_chars > 0 && b.chars - b.formula_chars.min(b.chars) <= 1 + b.formula_chars / 4
    }
    /// Returns the elements around block `i`, innermost first, as indices of [`Blocks::elements`].
    pub fn ancestors(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        self.element_chain(self.blocks[i].element as usize)
    }
    /// Returns `element` and its ancestors, as indices of [`Blocks::elements`].
    pub fn element_chain(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(element), |&e| {
            let p = self.elements[e].parent as usize;
            (p != e).then_some(p)
        })
    }
    /// Returns the elements that begin with a block, from the outside, as indices of [`Blocks::elements`].
    pub fn beginning_with(&self, block: u32) -> impl Iterator<Item = usize> + '_ {
        // Elements begin in the order of their blocks.
        let from = self.elements.partition_point(|e| e.blocks.start < block);
        (from..self.elements.len()).take_while(move |e| self.elements[*e].blocks.start == block)
    }
    /// Returns the elements below `element`, as indices of [`Blocks::elements`].
    pub fn below(&self, element: usize) -> Range<usize> {
        element + 1..element + 1 + self.elements[element].descendants as usize
    }
    /// Returns the outermost elements of a range, in order: for the range below an element, its children.
    pub fn outermost(&self, elements: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut at = elements.start;
        std::iter::from_fn(move || {
            let e = at;
            (e < elements.end).then(|| {
                at = self.below(e).end;
                e
            })
        })
    }
}

/// Whether a link is only the sign from which people copy an address: a single sign such as `#` or a pilcrow, or the word "permalink"; or a
/// text without letters and digits that leads to a place on the page, inside a heading or a term.
///
/// ```
/// use maintext_page::{blocks::is_permalink, dom};
/// let dom = dom::parse("<h2>Setup<a href='#setup'>#</a></h2><p>Five stars<a href='#note'>*</a>", &Default::default());
/// let links: Vec<_> = dom.descendants(dom::NodeId::ROOT).filter(|&n| dom.tag(n) == dom::Tag::A).collect();
/// assert_eq!(links.iter().map(|&n| is_permalink(&dom, n)).collect::<Vec<_>>(), [true, false]);
/// ```
pub fn is_permalink(dom: &Dom, id: NodeId) -> bool {
    /// Number of ancestors among which the heading is looked for.
    const MAX_LEVELS_TO_HEADING: usize = 4;
    /// Maximum number of nodes of the sign.
    const MAX_SIGN_NODES: usize = 16;
    /// Signs of permalinks. Notes have other marks.
    const SIGNS: [char; 8] = ['#', '¶', '■', '□', '◆', '∞', '🔗', '⚓'];
    /// Words for a permalink.
    const WORDS: [&str; 5] = ["permalink", "permanent link", "permalien", "permanentlink", "enlace permanente"];
    if dom.tag(id) != Tag::A {
        return false;
    }
    let Some(href) = dom.attr(id, "href") else { return false };
    // Read once, since this is asked of each link.
    let (mut texts, mut count) = ([""; MAX_SIGN_NODES], 0);
    for n in dom.descendants(id).take(MAX_SIGN_NODES + 1) {
        let Some(text) = texts.get_mut(count) else { return false };
        *text = dom.text(n);
        count += 1;
    }
    let texts = &texts[..count];
    let mut signs = texts.iter().flat_map(|text| text.chars().filter(|c| !c.is_whitespace()));
    if let (Some(sign), None) = (signs.next(), signs.next())
        && SIGNS.contains(&sign)
    {
        return true;
    }
    if texts.iter().any(|text| WORDS.iter().any(|word| text.trim().eq_ignore_ascii_case(word))) {
        return true;
    }
    href.starts_with('#')
        && !texts.iter().any(|t| t.contains(char::is_alphanumeric))
        && dom
            .ancestors(id)
            .take(MAX_LEVELS_TO_HEADING)
            .any(|n| dom.tag(n).heading_level().is_some() || dom.tag(n) == Tag::DT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(html: &str) -> Vec<String> {
        let dom = crate::dom::parse(html, &Default::default());
        let b = Blocks::new(&dom);
        (0..b.len()).map(|i| b.text(i).to_owned()).collect()
    }

    #[test]
    fn inline_markup_is_merged_without_gluing_words() {
        assert_eq!(texts("<p>foo<b>bar</b> a<br>b<span> c</span>"), ["foobar a b c"]);
        assert_eq!(texts("<p>中文<b>字</b><br>行"), ["中文字 行"]);
    }

    #[test]
    fn block_borders_and_double_breaks_cut() {
        assert_eq!(
            texts("a<div>b<p>c</p>d</div>e<br> <br>f<table><td>g<td>h"),
            ["a", "b", "c", "d", "e", "f", "g", "h"]
        );
    }

    #[test]
    fn scripts_and_form_values_are_not_text() {
        assert_eq!(
            texts("<script>x</script><style>y</style><p>a<select><option>z</select><textarea>q</textarea>b"),
            ["a", "b"]
        );
    }

    #[test]
    fn counts_links_words_and_emphasis() {
        let dom = crate::dom::parse("<p><a href=x>One two</a> three <b>four</b>。漢字", &Default::default());
        let b = &Blocks::new(&dom).blocks[0];
        assert_eq!((b.words, b.links, b.link_chars, b.emphasis_chars), (6, 1, 7, 5));
        assert_eq!(b.chars, "One two three four。漢字".chars().count() as u32);
    }

    #[test]
    fn hidden_elements_are_marked() {
        let dom = crate::dom::parse(
            "<p>a<p hidden>b<div style='Display : NONE !important'><p>c</div><p aria-hidden=true>d",
            &Default::default(),
        );
        let b = Blocks::new(&dom);
        let hidden: Vec<_> = b.blocks.iter().map(|b| b.hidden).collect();
        assert_eq!(hidden, [false, true, true, true]);
    }

    #[test]
    fn prices_before_and_after_a_reduction_are_hidden_from_screen_readers_alone() {
        let reader = |text: &str| format!("<span class=screen-reader-text>{text}</span>");
        for (old, new) in [("del", "ins"), ("s", "ins")] {
            let html = format!(
                "<p><{old} aria-hidden=true><span>20 kr</span></{old}> {}<{new} aria-hidden=true>15 kr</{new}>{}",
                reader("Before: 20 kr."),
                reader("Now: 15 kr.")
            );
            let b = Blocks::new(&crate::dom::parse(&html, &Default::default()));
            assert_eq!((b.text(0), b.blocks[0].hidden), ("20 kr 15 kr", false), "{html}");
        }
    }

    #[test]
    fn a_formula_appears_once_and_is_not_hidden() {
        let katex = "<p>So <span class=katex><span class=katex-mathml><math><semantics><mi>x</mi>\
            <annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span>\
            <span class=katex-html aria-hidden=true><span>x2</span></span></span> holds.";
        assert_eq!(texts(katex), ["So x^2 holds."]);
        let wiki =
            "<dl><dd><span><span style='display:none'><math><mi>y</mi></math></span><img aria-hidden=true></span>";
        let dom = crate::dom::parse(wiki, &Default::default());
        assert!(!Blocks::new(&dom).blocks[0].hidden);
    }

    #[test]
    fn definitions_of_commands_are_no_text() {
        let html = "<script src=mathjax.js></script><div><p>a<p>\\(\\newcommand{\\x}{y}\\)</p><img src=i.png></div><p>b \\(\\x\\)";
        let dom = crate::dom::parse(html, &Default::default());
        let b = Blocks::new(&dom);
        assert_eq!((0..b.len()).map(|i| b.text(i)).collect::<Vec<_>>(), ["a", "b \\x"]);
        let ranges: Vec<_> = b.elements.iter().filter(|e| e.tag == Tag::P).map(|e| e.blocks.clone()).collect();
        assert_eq!((ranges, b.leaves.len(), b.media[0].position), (vec![0..1, 1..1, 1..2], 2, 1));
    }

    #[test]
    fn elements_know_their_blocks() {
        let dom =
            crate::dom::parse("<body><nav><a>x</a></nav><main><h1>t</h1><p>a<i>b</i></p></main>", &Default::default());
        let b = Blocks::new(&dom);
        let range = |t: Tag| b.elements.iter().find(|e| e.tag == t).map(|e| e.blocks.clone()).unwrap();
        assert_eq!(range(Tag::NAV), 0..1);
        assert_eq!(range(Tag::A), 0..1);
        assert_eq!(range(Tag::MAIN), 1..3);
        assert_eq!(range(Tag::P), 2..3);
        assert_eq!(range(Tag::I), 2..3);
        assert_eq!(b.elements[0].blocks, 0..3);
    }

    #[test]
    fn each_text_node_is_in_one_block() {
        let dom = crate::dom::parse("<div>a<p>b<b>c</b></p>d<br><br>e</div>", &Default::default());
        let b = Blocks::new(&dom);
        assert_eq!(b.leaves.len(), 5);
        let mut at = 0;
        for x in &b.blocks {
            assert_eq!(x.leaves.start, at);
            at = x.leaves.end;
        }
        assert_eq!(at, 5);
    }
}
