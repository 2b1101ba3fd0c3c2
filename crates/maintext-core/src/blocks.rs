//! The page as a sequence of text blocks.
//!
//! A text block is the longest run of text that no block-level border interrupts: inline markup is merged, block-level elements
//! and `<br><br>` are borders. Every method scores blocks and every renderer writes the kept ones, so each text node belongs to
//! exactly one block.
use crate::dom::{self, Dom, Edge, NodeId, NodeKind, Tag, Traverse};
use crate::markup::math::delimiters;
use crate::markup::seams::is_seam;
use crate::markup::{Markup, Role};
use maintext_html::Attr;
use std::ops::Range;

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
    /// Whether markup hides it or an ancestor: `hidden`, `aria-hidden`, `display:none`, `visibility:hidden`, a closed `<dialog>`.
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
    text: String,
}

impl Blocks {
    /// Cuts a page into its text blocks.
    ///
    /// ```
    /// use maintext_core::{blocks::Blocks, dom};
    /// let dom = dom::parse("<h1>A <i>title</i></h1><p>One<br>two<br><br>three", &Default::default());
    /// let blocks = Blocks::new(&dom);
    /// let texts: Vec<_> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    /// assert_eq!(texts, ["A title", "One two", "three"]);
    /// ```
    pub fn new(dom: &Dom) -> Blocks {
        let mut b = Builder::new(dom);
        b.run();
        b.out
    }
    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }
    /// Whether the page has no text.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
    /// Returns the text of block `i` with white space collapsed.
    pub fn text(&self, i: usize) -> &str {
        let r = &self.blocks[i].text;
        &self.text[r.start as usize..r.end as usize]
    }
    /// Replaces the texts of some blocks, given in order, each with the number of characters of formulas that it gains.
    fn replace_texts(&mut self, changes: &[(usize, String, u32)]) {
        let mut text = String::with_capacity(self.text.len());
        let mut changes = changes.iter().peekable();
        for (i, b) in self.blocks.iter_mut().enumerate() {
            let start = text.len() as u32;
            match changes.next_if(|c| c.0 == i) {
                Some((_, changed, formulas)) => {
                    text.push_str(changed);
                    b.formula_chars += formulas;
                    b.chars = changed.chars().count() as u32;
                    b.words = count_words(changed);
                    for part in [&mut b.link_chars, &mut b.emphasis_chars, &mut b.code_chars, &mut b.formula_chars] {
                        *part = (*part).min(b.chars);
                    }
                }
                None => text.push_str(&self.text[b.text.start as usize..b.text.end as usize]),
            }
            b.text = start..text.len() as u32;
        }
        self.text = text;
    }
    /// Removes the blocks without text.
    fn remove_empty(&mut self) {
        // For each block, and for the end, the number of blocks that stay before it.
        let mut stay = vec![0];
        let (mut leaves, mut blocks) = (Vec::with_capacity(self.leaves.len()), Vec::with_capacity(self.blocks.len()));
        for mut b in std::mem::take(&mut self.blocks) {
            if !b.text.is_empty() {
                let start = leaves.len() as u32;
                leaves.extend_from_slice(&self.leaves[b.leaves.start as usize..b.leaves.end as usize]);
                b.leaves = start..leaves.len() as u32;
                blocks.push(b);
            }
            stay.push(blocks.len() as u32);
        }
        for e in &mut self.elements {
            e.blocks = stay[e.blocks.start as usize]..stay[e.blocks.end as usize];
        }
        for m in &mut self.media {
            m.position = stay[m.position as usize];
        }
        (self.leaves, self.blocks) = (leaves, blocks);
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
}

/// Whether a character is written without spaces between words and counts as a word of its own: Kana, Han, Hangul.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ac00}'..='\u{d7af}')
}

/// Counts words: runs of letters, digits and `_`; each character for which [`is_cjk`] holds is a word.
pub fn count_words(text: &str) -> u32 {
    let (mut words, mut inside) = (0, false);
    for c in text.chars() {
        if is_cjk(c) {
            words += 1;
            inside = false;
        } else {
            let w = c.is_alphanumeric() || c == '_';
            words += (w && !inside) as u32;
            inside = w;
        }
    }
    words
}

/// Whether a link is only the sign at a heading from which people copy its address: it leads to a place on the page, contains neither letters
/// nor digits, and is inside a heading or a term, or is a pilcrow.
///
/// ```
/// use maintext_core::{blocks::is_permalink, dom};
/// let dom = dom::parse("<h2>Setup<a href='#setup'>#</a></h2><p>Five stars<a href='#note'>*</a>", &Default::default());
/// let links: Vec<_> = dom.descendants(dom::NodeId::ROOT).filter(|&n| dom.tag(n) == dom::Tag::A).collect();
/// assert_eq!(links.iter().map(|&n| is_permalink(&dom, n)).collect::<Vec<_>>(), [true, false]);
/// ```
pub fn is_permalink(dom: &Dom, id: NodeId) -> bool {
    /// Number of ancestors among which the heading is looked for.
    const REACH: usize = 4;
    /// Most nodes of the sign.
    const NODES: usize = 16;
    if dom.tag(id) != Tag::A || !dom.attr(id, "href").is_some_and(|href| href.starts_with('#')) {
        return false;
    }
    let texts = || dom.descendants(id).take(NODES + 1).map(|n| dom.text(n));
    let heads = |n: NodeId| dom.tag(n).heading_level().is_some() || dom.tag(n) == Tag::DT;
    texts().count() <= NODES
        && !texts().any(|t| t.contains(char::is_alphanumeric))
        && (texts().any(|t| t.contains('¶')) || dom.ancestors(id).take(REACH).any(heads))
}

/// Whether the element's own markup hides it.
pub fn is_hidden(dom: &Dom, id: NodeId) -> bool {
    let tag = dom.tag(id);
    let mut open = false;
    for (name, value) in dom.attributes(id) {
        match name {
            Attr::HIDDEN if value != "until-found" => return true,
            Attr::ARIA_HIDDEN if value.eq_ignore_ascii_case("true") => return true,
            Attr::STYLE if dom::style_hides(value) => return true,
            Attr::OPEN => open = true,
            _ => {}
        }
    }
    tag == Tag::DIALOG && !open
}

/// Marks a letter, a digit or `_` in [`VISIBLE`].
const IN_WORD: u8 = 2;

/// For each byte: 0 for white space and non-ASCII bytes, [`IN_WORD`] for parts of words, 1 for the rest.
const VISIBLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0u8;
    while b < 128 {
        let space = matches!(b, b' ' | 9..=13);
        let word = b.is_ascii_alphanumeric() || b == b'_';
        table[b as usize] = if space { 0 } else { 1 + word as u8 };
        b += 1;
    }
    table
};

/// Whether the text is only white space.
fn is_blank(s: &str) -> bool {
    match s.bytes().find(|b| VISIBLE[*b as usize] != 0 || *b >= 128) {
        None => true,
        Some(b) => b >= 128 && s.chars().all(char::is_whitespace),
    }
}

/// Visible ASCII with single spaces in it, which is copied unchanged.
struct Run {
    /// Length in bytes, which is also the length in characters.
    len: usize,
    /// Number of words that begin in it.
    words: u32,
    /// Whether its end is inside a word.
    in_word: bool,
}

impl Run {
    /// Returns the run at the beginning of `bytes`, whose first byte is visible; `in_word`: whether a word precedes it directly.
    fn new(bytes: &[u8], mut in_word: bool) -> Run {
        let class = |at: usize| bytes.get(at).map_or(0, |&b| VISIBLE[b as usize]);
        let (mut len, mut words) = (0, 0);
        loop {
            let c = class(len);
            if c == 0 && (bytes.get(len) != Some(&b' ') || class(len + 1) == 0) {
                return Run { len, words, in_word };
            }
            let is_word = c == IN_WORD;
            words += (is_word && !in_word) as u32;
            in_word = is_word;
            len += 1;
        }
    }
}

#[derive(Default, Clone, Copy)]
struct Inside {
    link: u32,
    emphasis: u32,
    code: u32,
    noscript: u32,
}

struct Builder<'a> {
    dom: &'a Dom<'a>,
    out: Blocks,
    inside: Inside,
    /// The element of the current node.
    element: u32,
    /// The open block-level elements.
    containers: Vec<u32>,
    /// The open element that displays code, see [`Role::Code`].
    code: Option<NodeId>,
    open: Option<Block>,
    /// Number of links that began since the last block ended.
    links: u32,
    space: bool,
    breaks: u32,
    in_word: bool,
    /// Whether the last text was a formula.
    after_formula: bool,
    /// The notes beside the text of the open block.
    notes: Vec<NodeId>,
    /// Whether such a note is being read.
    in_note: bool,
}

impl<'a> Builder<'a> {
    fn new(dom: &'a Dom) -> Self {
        Builder {
            dom,
            out: Blocks { text: String::with_capacity(dom.len() * 8), ..Blocks::default() },
            inside: Inside::default(),
            element: 0,
            containers: Vec::new(),
            code: None,
            open: None,
            links: 0,
            space: false,
            breaks: 0,
            in_word: false,
            after_formula: false,
            notes: Vec::new(),
            in_note: false,
        }
    }

    fn run(&mut self) {
        let root = NodeId::ROOT;
        self.out.elements.push(Element {
            node: root,
            tag: Tag::OTHER,
            parent: 0,
            depth: 0,
            hidden: false,
            blocks: 0..0,
            descendants: 0,
        });
        self.containers.push(0);
        let mut walk = self.dom.traverse(root);
        walk.next();
        self.walk(walk);
        self.flush();
        self.out.elements[0].blocks.end = self.out.blocks.len() as u32;
        self.find_delimited();
    }

    fn walk(&mut self, mut walk: Traverse<'_>) {
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) => match self.dom.kind(n) {
                    NodeKind::Text => self.text(n, self.dom.text(n)),
                    NodeKind::Element if self.enter(n) => {}
                    NodeKind::Document => {}
                    _ => walk.skip_children(),
                },
                Edge::Leave(n) if self.out.elements[self.element as usize].node == n => self.leave(),
                Edge::Leave(_) => {}
            }
        }
    }

    /// Adds the notes beside the text of the block that ended, each as a block of its own.
    fn notes(&mut self) {
        self.in_note = true;
        let (element, inside) = (self.element, self.inside);
        for n in std::mem::take(&mut self.notes) {
            self.element = self.containers.last().copied().unwrap_or(0);
            self.inside = Inside { noscript: inside.noscript, ..Inside::default() };
            self.walk(self.dom.traverse(n));
            self.flush();
        }
        (self.element, self.inside) = (element, inside);
        self.in_note = false;
    }

    /// Finds the formulas that the page writes as TeX in its text.
    fn find_delimited(&mut self) {
        if !delimiters::may_hold(&self.out.text) {
            return;
        }
        let mut search = delimiters::Search::new(self.dom, self.out.markup.scripts());
        let mut changes = self.search(&mut search);
        if search.again() {
            changes = self.search(&mut search);
        }
        let found = search.found;
        if !changes.is_empty() {
            self.out.replace_texts(&changes);
            // Definitions of commands show nothing.
            if changes.iter().any(|c| c.1.is_empty()) {
                self.out.remove_empty();
            }
            self.out.markup.set_delimited(found);
        }
    }

    /// Returns the blocks with formulas between delimiters: each with its new text and the number of characters of the formulas.
    fn search(&self, search: &mut delimiters::Search<'_>) -> Vec<(usize, String, u32)> {
        let mut changes = Vec::new();
        for (i, b) in self.out.blocks.iter().enumerate() {
            let text = &self.out.text[b.text.start as usize..b.text.end as usize];
            if b.code_chars < b.chars && delimiters::may_hold(text) {
                let leaves = &self.out.leaves[b.leaves.start as usize..b.leaves.end as usize];
                changes.extend(search.block(leaves, text, b.code_chars > 0).map(|(text, chars)| (i, text, chars)));
            }
        }
        changes
    }

    fn media(&mut self, n: NodeId) {
        let position = (self.out.blocks.len() + self.open.is_some() as usize) as u32;
        self.out.media.push(Media { node: n, element: self.element, position });
    }

    /// Opens a node and returns whether to walk its children.
    fn enter(&mut self, n: NodeId) -> bool {
        let tag = self.dom.tag(n);
        let role = self.out.markup.enter(self.dom, n, tag);
        let code = matches!(role, Role::Code(_)) && self.code.is_none();
        // Borders inside code separate lines, not blocks.
        let border = self.code.is_none() && (tag.is_block() || code);
        if self.code.is_some() && (tag.is_block() && !tag.is_skipped() && role != Role::Skip || role == Role::Line) {
            self.space = true;
        }
        if border && role != Role::Plain {
            self.flush();
        }
        match role {
            Role::Skip => return false,
            Role::Formula(number) => {
                self.formula(n, number);
                if border {
                    self.flush();
                }
                return false;
            }
            Role::Code(number) if self.out.markup.code(number).text.is_some() => {
                self.sorted_code(n, number);
                return false;
            }
            _ => {}
        }
        match tag {
            Tag::BR => {
                self.line_break();
                return false;
            }
            Tag::IMG | Tag::VIDEO | Tag::AUDIO | Tag::IFRAME | Tag::EMBED | Tag::OBJECT => self.media(n),
            Tag::SCRIPT if crate::embed::is_gist(self.dom, n) => self.media(n),
            _ => {}
        }
        let amid = self.open.is_some() && self.code.is_none();
        if amid && !self.in_note && self.out.markup.enter_amid(self.dom, n, tag) {
            self.notes.push(n);
            return false;
        }
        if !self.space && amid && is_seam(self.dom, n, tag) {
            self.space = true;
        }
        if border {
            self.flush();
        }
        if tag.is_skipped() {
            return false;
        }
        let parent = &self.out.elements[self.element as usize];
        let hidden = parent.hidden || is_hidden(self.dom, n);
        let depth = parent.depth.saturating_add(1);
        let at = self.out.blocks.len() as u32;
        let descendants = 0;
        self.out.elements.push(Element {
            node: n,
            tag,
            parent: self.element,
            depth,
            hidden,
            blocks: at..at,
            descendants,
        });
        self.element = self.out.elements.len() as u32 - 1;
        if border {
            self.containers.push(self.element);
        }
        if code {
            self.code = Some(n);
            self.inside.code += 1;
        }
        self.count(tag, 1);
        if tag == Tag::A {
            match &mut self.open {
                Some(b) => b.links += 1,
                None => self.links += 1,
            }
        }
        true
    }

    fn leave(&mut self) {
        let (node, tag, parent, start) = {
            let e = &self.out.elements[self.element as usize];
            (e.node, e.tag, e.parent, self.element)
        };
        if self.code == Some(node) {
            self.code = None;
            self.inside.code -= 1;
            self.flush();
            self.containers.pop();
        } else if self.code.is_some() {
            self.space |= tag.is_block() || self.out.markup.role(node) == Role::Line;
        } else if tag.is_block() {
            self.flush();
            self.containers.pop();
        }
        self.count(tag, -1);
        // An open block began inside this inline element or before it; it will get the next index.
        let open = self.open.is_some() as u32;
        let end = self.out.blocks.len() as u32 + open;
        let next = self.out.elements.len() as u32;
        let e = &mut self.out.elements[start as usize];
        e.blocks.end = end;
        e.descendants = next - start - 1;
        self.element = parent;
    }

    fn count(&mut self, tag: Tag, by: i32) {
        let i = &mut self.inside;
        let counter = match tag {
            Tag::A => &mut i.link,
            Tag::B | Tag::STRONG | Tag::EM | Tag::I | Tag::MARK => &mut i.emphasis,
            Tag::CODE | Tag::KBD | Tag::SAMP | Tag::PRE => &mut i.code,
            Tag::NOSCRIPT => &mut i.noscript,
            _ => return,
        };
        *counter = counter.saturating_add_signed(by);
    }

    fn line_break(&mut self) {
        self.breaks += 1;
        self.space = true;
        if self.breaks == 2 && self.code.is_none() {
            self.flush();
        } else if let Some(b) = &mut self.open {
            b.breaks += 1;
        }
    }

    /// Adds a formula's source. It is hidden only if the block around it is: pages hide the `<math>` itself to show a drawing.
    fn formula(&mut self, n: NodeId, number: u32) {
        let begins = self.open.is_none();
        let (tex, display) = {
            let formula = self.out.markup.formula(number);
            (formula.tex.clone(), formula.display)
        };
        // Two adjacent formulas are two words, and a displayed one stands alone.
        self.space |= self.after_formula || display;
        self.text(n, &tex);
        self.space |= display;
        self.after_formula = !tex.is_empty();
        if let Some(b) = self.open.as_mut() {
            b.formula_chars += tex.chars().count() as u32;
        }
        let container = self.containers.last().map_or(0, |&c| c as usize);
        let hidden = self.out.elements[container].hidden;
        if let Some(b) = self.open.as_mut().filter(|_| begins) {
            b.hidden = hidden;
        }
    }

    /// Adds code whose lines are not in the order of the page.
    fn sorted_code(&mut self, n: NodeId, number: u32) {
        let text = self.out.markup.code(number).text.clone().unwrap_or_default();
        self.space |= self.code.is_some();
        self.inside.code += 1;
        self.text(n, &text);
        self.inside.code -= 1;
        if self.code.is_none() {
            self.flush();
        } else {
            self.space = true;
        }
    }

    fn text(&mut self, n: NodeId, s: &str) {
        if is_blank(s) {
            self.space = true;
            return;
        }
        self.breaks = 0;
        self.after_formula = false;
        let start = self.out.text.len();
        let span = self.dom.span(n);
        if self.open.is_none() {
            let hidden = self.out.elements[self.element as usize].hidden;
            let at = self.out.leaves.len() as u32;
            self.open = Some(Block {
                element: self.element,
                container: self.containers.last().copied().unwrap_or(0),
                text: start as u32..start as u32,
                leaves: at..at,
                span: span.start as u32..span.end as u32,
                chars: 0,
                words: 0,
                link_chars: 0,
                links: std::mem::take(&mut self.links),
                emphasis_chars: 0,
                code_chars: 0,
                formula_chars: 0,
                breaks: 0,
                hidden,
                noscript: self.inside.noscript > 0,
            });
            self.space = false;
            self.in_word = false;
        }
        let Some(b) = &mut self.open else { return };
        self.out.leaves.push(n);
        let (mut chars, mut words) = (0, 0);
        let bytes = s.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let from = at;
            if byte < 128 {
                if VISIBLE[byte as usize] == 0 {
                    self.space = true;
                    at += 1;
                    continue;
                }
                if std::mem::take(&mut self.space) && self.out.text.len() > b.text.start as usize {
                    self.out.text.push(' ');
                    chars += 1;
                    self.in_word = false;
                }
                let run = Run::new(&bytes[from..], self.in_word);
                at += run.len;
                chars += run.len as u32;
                words += run.words;
                self.in_word = run.in_word;
                self.out.text.push_str(&s[from..at]);
                continue;
            }
            let c = s[at..].chars().next().unwrap_or(' ');
            at += c.len_utf8();
            if c.is_whitespace() {
                self.space = true;
                continue;
            }
            if std::mem::take(&mut self.space) && self.out.text.len() > b.text.start as usize {
                self.out.text.push(' ');
                chars += 1;
                self.in_word = false;
            }
            self.out.text.push(c);
            chars += 1;
            let cjk = is_cjk(c);
            let w = !cjk && c.is_alphanumeric();
            words += (cjk || w && !self.in_word) as u32;
            self.in_word = w;
        }
        b.chars += chars;
        b.words += words;
        b.link_chars += if self.inside.link > 0 { chars } else { 0 };
        b.emphasis_chars += if self.inside.emphasis > 0 { chars } else { 0 };
        b.code_chars += if self.inside.code > 0 { chars } else { 0 };
        b.span.end = b.span.end.max(span.end as u32);
    }

    /// Ends the open block, if any.
    fn flush(&mut self) {
        self.space = false;
        self.breaks = 0;
        self.links = 0;
        if let Some(mut b) = self.open.take() {
            b.text.end = self.out.text.len() as u32;
            b.leaves.end = self.out.leaves.len() as u32;
            self.out.blocks.push(b);
        }
        if !self.notes.is_empty() && !self.in_note {
            self.notes();
        }
    }
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
