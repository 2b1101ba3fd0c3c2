//! Writes clean HTML: a well-formed fragment of known elements with known attributes.
mod formulas;
mod inlines;

use super::grid::{self, Align};
use super::tree::{BlockKind, InlineMark, KeptTree, RunKind, WalkStep};
use super::{callout, escape, lists};
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::markup::{Role, code};
use std::ops::Range;

pub(super) use inlines::pixels;

/// Writes the fragment, without scripts, handlers, styles, classes (except on code, callouts and notes) and addresses that run code.
pub(super) fn write(tree: &KeptTree<'_>) -> String {
    let mut w = HtmlWriter::new(tree, String::with_capacity(tree.text.len() * 2));
    w.is_rtl = is_rtl(tree.content.dom);
    w.heading();
    w.blocks(0..tree.blocks.len());
    w.out
}

/// Whether the text of the page runs from right to left. The elements that declare it for the whole page are not in the fragment.
fn is_rtl(dom: &Dom<'_>) -> bool {
    let directions = [Tag::BODY, Tag::HTML].into_iter().filter_map(|tag| dom.attr(dom.find(NodeId::ROOT, tag)?, "dir"));
    directions.into_iter().next().is_some_and(|dir| dir.trim().eq_ignore_ascii_case("rtl"))
}

/// Returns the name of a heading's element.
pub(super) fn heading_name(level: u8) -> &'static str {
    ["h1", "h2", "h3", "h4", "h5", "h6"][usize::from(level.clamp(1, 6)) - 1]
}

/// Writes one table.
pub(super) fn table(tree: &KeptTree<'_>, table: usize) -> String {
    let mut w = HtmlWriter::new(tree, String::new());
    w.blocks(table..tree.blocks[table].end as usize);
    w.out
}

struct HtmlWriter<'t> {
    tree: &'t KeptTree<'t>,
    dom: &'t Dom<'t>,
    out: String,
    /// The open inline markup, and a buffer for the next run's.
    open: Vec<u32>,
    /// The title of the callout that was opened last.
    title: Option<usize>,
    /// The notes to which references were written.
    referenced: HashSet<u32>,
    /// Whether the outermost elements state that their text runs from right to left.
    is_rtl: bool,
}

impl<'t> HtmlWriter<'t> {
    fn new(tree: &'t KeptTree<'t>, out: String) -> HtmlWriter<'t> {
        let referenced = HashSet::default();
        HtmlWriter { tree, dom: tree.content.dom, out, open: Vec::new(), title: None, referenced, is_rtl: false }
    }

    fn blocks(&mut self, range: Range<usize>) {
        let mut parents: Vec<usize> = Vec::new();
        // For each open table, the first row of its body.
        let mut bodies: Vec<Option<usize>> = Vec::new();
        for step in self.tree.walk_range(range) {
            match step {
                WalkStep::Open(i) => {
                    let parent = parents.last().copied();
                    self.section(i, parent, &mut bodies);
                    self.start(i, parent);
                    parents.push(i);
                }
                WalkStep::Close(i) => {
                    parents.pop();
                    if self.kind(i) == BlockKind::Table && bodies.pop().flatten().is_some() {
                        self.out.push_str("</tbody>\n");
                    }
                    self.end(i, parents.last().copied());
                }
            }
        }
    }

    /// Opens the head of a table that has rows of headers before its first row, and its body after them.
    fn section(&mut self, i: usize, parent: Option<usize>, bodies: &mut Vec<Option<usize>>) {
        match self.kind(i) {
            BlockKind::Table => {
                let heads = grid::header_rows(self.tree, i);
                let mut rows = self.tree.children(i).filter(|&r| self.kind(r) == BlockKind::Row);
                let body = if heads > 0 { rows.nth(heads) } else { None };
                bodies.push(body);
            }
            BlockKind::Row => {
                let Some(body) = bodies.last().copied().flatten() else { return };
                if i == body {
                    self.out.push_str("</thead>\n<tbody>\n");
                } else if parent.and_then(|t| self.tree.children(t).find(|&r| self.kind(r) == BlockKind::Row))
                    == Some(i)
                {
                    self.out.push_str("<thead>\n");
                }
            }
            _ => {}
        }
    }

    fn kind(&self, block: usize) -> BlockKind {
        self.tree.blocks[block].kind
    }

    /// Returns the element of a block, or `None` if only its content is written.
    fn element(&self, i: usize, parent: Option<usize>) -> Option<&'static str> {
        let parent_kind = parent.map(|p| self.kind(p));
        Some(match self.kind(i) {
            BlockKind::Group | BlockKind::Label => return None,
            BlockKind::Notes => "ol",
            BlockKind::Note(_) if parent_kind == Some(BlockKind::Notes) => "li",
            BlockKind::Note(_) | BlockKind::NoteText(_) => "aside",
            BlockKind::List { ordered: true, .. } => "ol",
            BlockKind::List { .. } => "ul",
            BlockKind::Item => "li",
            BlockKind::Quote => "blockquote",
            BlockKind::Callout(_) => "aside",
            BlockKind::Table => "table",
            BlockKind::Row => "tr",
            BlockKind::Cell { header: true, .. } => "th",
            BlockKind::Cell { .. } => "td",
            BlockKind::Figure => "figure",
            BlockKind::Caption if parent_kind == Some(BlockKind::Table) => "caption",
            BlockKind::Caption if parent_kind == Some(BlockKind::Figure) => "figcaption",
            BlockKind::Caption => return None,
            BlockKind::Details => "details",
            BlockKind::Summary => "summary",
            BlockKind::Glossary => "dl",
            BlockKind::Term => "dt",
            BlockKind::Definition => "dd",
            BlockKind::Paragraph if self.is_bare(i, parent) => return None,
            BlockKind::Paragraph => "p",
            BlockKind::Heading(_) if self.title == Some(i) => "p",
            BlockKind::Heading(level) => heading_name(level),
            BlockKind::Pre => "pre",
            BlockKind::Post(_) => "article",
            BlockKind::Byline => "header",
            BlockKind::Rule => "hr",
        })
    }

    /// Whether a paragraph needs no `<p>`: the first text of an item or a cell that only lists follow, or an image in a figure.
    fn is_bare(&self, i: usize, parent: Option<usize>) -> bool {
        let Some(p) = parent else { return false };
        match self.kind(p) {
            BlockKind::Figure => !self.tree.has_text(i),
            BlockKind::Item
            | BlockKind::Note(_)
            | BlockKind::Cell { .. }
            | BlockKind::Caption
            | BlockKind::Term
            | BlockKind::Definition
            | BlockKind::Summary => {
                // The sibling after the first child begins at its end, so one look shows whether it is a list or absent.
                let next = self.tree.blocks[i].end as usize;
                i == p + 1
                    && (next == self.tree.blocks[p].end as usize || matches!(self.kind(next), BlockKind::List { .. }))
            }
            _ => false,
        }
    }

    /// Writes the title that the content lacks.
    fn heading(&mut self) {
        if let Some(title) = &self.tree.title {
            self.out.push_str(if self.is_rtl { "<h1 dir=\"rtl\">" } else { "<h1>" });
            escape::text(title, &mut self.out);
            self.out.push_str("</h1>\n");
        }
    }

    fn start(&mut self, i: usize, parent: Option<usize>) {
        if self.tree.hidden.contains(&i) {
            return;
        }
        let element = self.element(i, parent);
        if self.kind(i) == BlockKind::Notes {
            self.out.push_str("<section class=\"footnotes\" role=\"doc-endnotes\">\n");
        }
        if let Some(name) = element {
            self.out.extend(["<", name]);
            self.block_attributes(i, parent);
            self.out.push('>');
        }
        match self.kind(i) {
            BlockKind::Callout(_) => {
                self.title = callout::title(self.tree, i);
                self.out.push('\n');
            }
            BlockKind::Rule => self.out.push('\n'),
            BlockKind::Pre => self.preformatted(i),
            BlockKind::Label => {}
            BlockKind::NoteText(_) => {
                self.out.push_str("<p>");
                self.leaf(i);
                self.out.push_str("</p>\n");
            }
            BlockKind::Notes => self.out.push('\n'),
            kind if kind.is_leaf() => self.leaf(i),
            BlockKind::Item => {
                if let Some(done) = self.tree.task(i) {
                    let checked = if done { " checked" } else { "" };
                    self.out.push_str(&format!("<input type=\"checkbox\" disabled{checked}> "));
                }
            }
            BlockKind::List { .. }
            | BlockKind::Post(_)
            | BlockKind::Quote
            | BlockKind::Table
            | BlockKind::Row
            | BlockKind::Figure
            | BlockKind::Details
            | BlockKind::Glossary => {
                self.out.push('\n');
            }
            _ => {}
        }
    }

    fn end(&mut self, i: usize, parent: Option<usize>) {
        if self.tree.hidden.contains(&i) {
            return;
        }
        if let BlockKind::Note(k) | BlockKind::NoteText(k) = self.kind(i) {
            self.back_link(k);
        }
        match self.element(i, parent) {
            Some("hr") => {}
            Some(name) => {
                self.out.extend(["</", name, ">\n"]);
                if self.kind(i) == BlockKind::Notes {
                    self.out.push_str("</section>\n");
                }
            }
            // A list after the item's own text begins on a new line.
            None if self.kind(i) == BlockKind::Paragraph
                && parent.is_some_and(|p| self.tree.blocks[p].end > i as u32 + 1) =>
            {
                self.out.push('\n');
            }
            None => {}
        }
    }

    fn block_attributes(&mut self, i: usize, parent: Option<usize>) {
        let block = &self.tree.blocks[i];
        match block.kind {
            BlockKind::List { ordered: true, start } => {
                if start != 1 {
                    self.attribute("start", &start.to_string());
                }
                if lists::is_reversed(self.dom, block.node) {
                    self.attribute("reversed", "");
                }
                if let Some(style) = lists::NumberStyle::of(self.dom, block.node).html() {
                    self.attribute("type", style);
                }
            }
            BlockKind::Item
                if parent.is_some_and(|p| matches!(self.kind(p), BlockKind::List { ordered: true, .. })) =>
            {
                if let Some(value) = lists::value(self.dom, block.node) {
                    self.attribute("value", &value.to_string());
                }
            }
            BlockKind::Cell { header, cols, rows } => {
                let row = parent.filter(|&r| header && i == r + 1);
                if row.is_some_and(|r| !grid::is_header_row(self.tree, r)) {
                    self.attribute("scope", if rows > 1 { "rowgroup" } else { "row" });
                }
                if cols > 1 {
                    self.attribute("colspan", &cols.to_string());
                }
                if rows > 1 {
                    self.attribute("rowspan", &rows.to_string());
                }
                if let Some(align) = Align::of(self.dom, block.node) {
                    self.attribute("align", align.name());
                }
            }
            BlockKind::Quote => self.address(block.node, "cite"),
            BlockKind::Callout(callout) => {
                self.attribute("class", "callout");
                self.attribute("data-callout", callout.name());
            }
            BlockKind::Note(k) | BlockKind::NoteText(k) => {
                let label = &self.tree.notes[k as usize];
                self.attribute("id", &format!("fn:{label}"));
                if parent.is_none_or(|p| self.kind(p) != BlockKind::Notes) {
                    self.attribute("class", "footnote");
                    self.attribute("role", "doc-footnote");
                }
            }
            BlockKind::Paragraph | BlockKind::Heading(_) if self.title == Some(i) => {
                self.attribute("class", "callout-title")
            }
            _ => {}
        }
        let inherited = parent.is_some_and(|p| self.tree.blocks[p].node == block.node);
        if !inherited && !matches!(self.dom.tag(block.node), Tag::BODY | Tag::HTML) {
            self.language(block.node);
        }
        if self.is_rtl && parent.is_none() && !self.has_direction(block.node) {
            self.attribute("dir", "rtl");
        }
    }

    /// Whether an element, or one between it and the body, states a direction of its own.
    fn has_direction(&self, n: NodeId) -> bool {
        /// Maximum number of elements above a block that are read.
        const MAX_LEVELS: usize = 16;
        let chain = std::iter::once(n).chain(self.dom.ancestors(n)).take(MAX_LEVELS);
        let mut inside = chain.into_iter().take_while(|&a| !matches!(self.dom.tag(a), Tag::BODY | Tag::HTML));
        inside.any(|a| self.dom.attr(a, "dir").is_some())
    }

    /// Writes a reference to a note. The first one has the id to which the note leads back.
    fn reference(&mut self, k: u32, text: &str) {
        let label = &self.tree.notes[k as usize];
        self.out.push_str("<sup");
        if self.referenced.insert(k) {
            self.attribute("id", &format!("fnref:{label}"));
        }
        self.out.push_str("><a");
        self.attribute("href", &format!("#fn:{label}"));
        self.out.push('>');
        escape::text(if text.is_empty() { label } else { text }, &mut self.out);
        self.out.push_str("</a></sup>");
    }

    fn back_link(&mut self, k: u32) {
        if !self.referenced.contains(&k) {
            return;
        }
        const PARAGRAPH_END: &str = "</p>\n";
        let in_paragraph = self.out.ends_with(PARAGRAPH_END);
        if in_paragraph {
            self.out.truncate(self.out.len() - PARAGRAPH_END.len());
        }
        self.out.push_str(" <a");
        self.attribute("href", &format!("#fnref:{}", self.tree.notes[k as usize]));
        self.out.push_str(" class=\"footnote-backref\" role=\"doc-backlink\">↩</a>");
        if in_paragraph {
            self.out.push_str(PARAGRAPH_END);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.extend([" ", name, "=\""]);
        escape::attribute(value, &mut self.out);
        self.out.push('"');
    }

    /// Copies an attribute if it is present and not empty.
    fn copy(&mut self, n: NodeId, name: &str) {
        let value = self.dom.attr(n, name).map(str::trim).filter(|v| !v.is_empty()).map(str::to_owned);
        if let Some(value) = value {
            self.attribute(name, &value);
        }
    }

    fn address(&mut self, n: NodeId, name: &str) {
        let value =
            self.dom.attr(n, name).and_then(|v| maintext_page::address::resolve(self.dom, v, self.tree.content.base));
        if let Some(value) = value {
            self.attribute(name, &value);
        }
    }

    fn language(&mut self, n: NodeId) {
        // The `lang` of code names a programming language.
        if !matches!(self.dom.tag(n), Tag::PRE | Tag::CODE) {
            self.copy(n, "lang");
        }
        self.copy(n, "dir");
    }

    fn preformatted(&mut self, i: usize) {
        let node = self.tree.blocks[i].node;
        let language = code::language::language(self.dom, node);
        let role = self.tree.content.blocks.markup.role(node);
        let is_code = language.is_some()
            || matches!(role, Role::Code(_))
            || self.dom.children(node).any(|c| self.dom.tag(c) == Tag::CODE);
        if is_code {
            self.out.push_str("<code");
            if let Some(language) = language {
                self.attribute("class", &format!("language-{language}"));
            }
            self.out.push('>');
        }
        self.leaf(i);
        if is_code {
            self.out.push_str("</code>");
        }
    }

    fn leaf(&mut self, i: usize) {
        let in_pre = self.kind(i) == BlockKind::Pre;
        let mut chain = Vec::new();
        let tree = self.tree;
        for run in tree.runs(i) {
            tree.chain(run.inline, &mut chain);
            if in_pre {
                chain.retain(|&c| tree.inlines[c as usize].mark != InlineMark::Code);
            }
            if let RunKind::Reference(_) | RunKind::Label = run.kind {
                chain.retain(|&c| !matches!(tree.inlines[c as usize].mark, InlineMark::Link | InlineMark::Sup));
            }
            self.change_inline(&chain);
            let text = tree.slice(&run.text);
            match run.kind {
                RunKind::Reference(k) => self.reference(k, text),
                RunKind::Label => {}
                RunKind::Text => escape::text(text, &mut self.out),
                RunKind::Sign => {}
                RunKind::Break => self.out.push_str("<br>"),
                RunKind::Image(n) => self.image(n, text),
                RunKind::Media { node, title, .. } => self.media(node, text, tree.media_title(run, title)),
                RunKind::Math { math: Some(n), display } => self.math(n, display, text),
                RunKind::Math { math: None, display } => self.tex(display, text),
            }
        }
        self.change_inline(&[]);
    }
}
