//! Writes TEI P5: a whole document with a header from the metadata.
//!
//! Each heading opens a `<div>`, as TEI's content model requires. Inside lists, cells and quotes, where TEI allows no `<head>`,
//! and inside `<details>`, after which a `<div>` could not end, a heading is written as `<ab type="head">`.
mod glossary;
mod header;
mod inlines;

use super::tree::{BlockKind, InlineMark, KeptTree, RunKind, WalkStep};
use super::{callout, escape, grid, html, lists};
use header::{is_language, posters};
use maintext_facts::Metadata;
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::markup::code;

/// Writes the document.
pub(super) fn write(tree: &KeptTree<'_>, metadata: &Metadata) -> String {
    let out = String::with_capacity(tree.text.len() * 2 + 2048);
    let mut w = TeiWriter {
        tree,
        dom: tree.content.dom,
        out,
        open: Vec::new(),
        parents: Vec::new(),
        sections: Vec::new(),
        title: None,
        referenced: HashSet::default(),
        posters: posters(tree.content.posts),
        numbers: Vec::new(),
        glossaries: Vec::new(),
    };
    w.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n");
    w.header(metadata);
    w.out.push_str("<text");
    if let Some(language) = metadata.language.as_deref().filter(|l| is_language(l)) {
        w.attribute("xml:lang", language);
    }
    w.out.push_str(">\n<body>\n");
    w.body();
    w.out.push_str("</body>\n</text>\n</TEI>\n");
    w.out
}

struct TeiWriter<'t> {
    tree: &'t KeptTree<'t>,
    dom: &'t Dom<'t>,
    out: String,
    open: Vec<u32>,
    parents: Vec<usize>,
    /// The levels of the headings whose sections are open.
    sections: Vec<u8>,
    /// The title of the callout that was opened last.
    title: Option<usize>,
    /// The notes to which references were written.
    referenced: HashSet<u32>,
    posters: HashMap<&'t str, usize>,
    /// For each open list, if it is ordered, its numbers, and whether to write them.
    numbers: Vec<Option<(lists::Numbers, bool)>>,
    /// The open definition lists.
    glossaries: Vec<glossary::OpenGlossary>,
}

impl TeiWriter<'_> {
    fn attribute(&mut self, name: &str, value: &str) {
        self.out.extend([" ", name, "=\""]);
        escape::xml_attribute(value, &mut self.out);
        self.out.push('"');
    }

    /// Writes an element that holds only text, on its own line.
    fn line(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.out.extend(["<", name]);
        for (name, value) in attributes {
            self.attribute(name, value);
        }
        self.out.push('>');
        escape::xml_text(text, &mut self.out);
        self.out.extend(["</", name, ">\n"]);
    }

    fn body(&mut self) {
        if self.tree.blocks.is_empty() {
            self.out.push_str("<p/>\n");
        }
        for step in self.tree.walk() {
            match step {
                WalkStep::Open(i) => {
                    if let BlockKind::List { ordered, .. } = self.tree.blocks[i].kind {
                        self.numbers.push(ordered.then(|| {
                            let numbers = lists::Numbers::of(self.tree, i);
                            (numbers, !numbers.are_usual(self.tree, i))
                        }));
                    }
                    self.start(i);
                    self.parents.push(i);
                }
                WalkStep::Close(i) => {
                    if matches!(self.tree.blocks[i].kind, BlockKind::List { .. }) {
                        self.numbers.pop();
                    }
                    self.parents.pop();
                    if self.end_in_glossary(i) {
                        continue;
                    }
                    if !self.tree.blocks[i].kind.is_leaf()
                        && let Some(name) = self.element(i)
                    {
                        self.out.extend(["</", name, ">\n"]);
                    }
                }
            }
        }
        self.close_sections(0);
    }

    fn close_sections(&mut self, level: u8) {
        while self.sections.last().is_some_and(|&l| l >= level) {
            self.sections.pop();
            self.out.push_str("</div>\n");
        }
    }

    /// Returns the open containers that are written, innermost first.
    fn written_parents(&self) -> impl Iterator<Item = usize> + '_ {
        self.parents.iter().rev().copied().filter(move |p| {
            !matches!(
                self.tree.blocks[*p].kind,
                BlockKind::Group | BlockKind::Notes | BlockKind::Details | BlockKind::Summary
            )
        })
    }

    fn parent_kind(&self) -> Option<BlockKind> {
        self.written_parents().next().map(|p| self.tree.blocks[p].kind)
    }

    /// Whether the leaf is inside a head, which holds phrases but no paragraphs; line breaks separate its leaves.
    fn is_in_head(&mut self, leaf: usize) -> bool {
        let caption = self.written_parents().next().filter(|&p| self.tree.blocks[p].kind == BlockKind::Caption);
        let Some(caption) = caption else { return false };
        if (caption..leaf).any(|b| self.tree.blocks[b].kind.is_leaf()) {
            self.out.push_str("<lb/>");
        }
        true
    }

    fn element(&self, i: usize) -> Option<&'static str> {
        Some(match self.tree.blocks[i].kind {
            BlockKind::Group | BlockKind::Notes | BlockKind::Label | BlockKind::Summary => return None,
            BlockKind::Note(_) | BlockKind::NoteText(_) => "note",
            BlockKind::Caption => match self.parent_kind() {
                // After its rows a table can have no head.
                Some(BlockKind::Table) if self.parents.last().is_some_and(|&t| i > t + 1) => "trailer",
                _ => "head",
            },
            BlockKind::List { .. } | BlockKind::Glossary => "list",
            BlockKind::Item | BlockKind::Term | BlockKind::Definition => "item",
            BlockKind::Quote => "quote",
            BlockKind::Callout(_) => "note",
            BlockKind::Table => "table",
            BlockKind::Row => "row",
            BlockKind::Cell { .. } => "cell",
            BlockKind::Figure => "figure",
            BlockKind::Details => return None,
            BlockKind::Post(_) => "post",
            BlockKind::Byline => "head",
            BlockKind::Paragraph | BlockKind::Heading(_) | BlockKind::Pre | BlockKind::Rule => "p",
        })
    }

    fn start(&mut self, i: usize) {
        let kind = self.tree.blocks[i].kind;
        match kind {
            BlockKind::Paragraph | BlockKind::Heading(_) if self.title == Some(i) => return self.label(i),
            BlockKind::Label => return,
            BlockKind::NoteText(_) => return self.note(i),
            BlockKind::Paragraph => return self.paragraph(i),
            BlockKind::Byline => return self.byline(i),
            BlockKind::Heading(level) => return self.heading(i, level),
            BlockKind::Pre => return self.preformatted(i),
            BlockKind::Rule => return self.out.push_str("<milestone unit=\"section\" rend=\"rule\"/>\n"),
            _ => {}
        }
        if self.start_in_glossary(i) {
            return;
        }
        let Some(name) = self.element(i) else { return };
        self.out.extend(["<", name]);
        match kind {
            BlockKind::Post(n) => self.post_attributes(n),
            BlockKind::List { ordered: true, .. } => match lists::NumberStyle::of(self.dom, self.tree.blocks[i].node) {
                lists::NumberStyle::Decimal => self.attribute("rend", "numbered"),
                style => self.attribute("rend", &format!("numbered {}", style.name())),
            },
            BlockKind::Item => self.item_attributes(i),
            BlockKind::Row if grid::is_header_row(self.tree, i) => self.attribute("role", "label"),
            BlockKind::Note(k) => self.note_attributes(k),
            BlockKind::Callout(callout) => {
                self.attribute("type", callout.name());
                self.title = callout::title(self.tree, i);
            }
            BlockKind::List { .. } => self.attribute("rend", "bulleted"),
            BlockKind::Glossary => self.attribute("rend", "glossary"),
            BlockKind::Term => self.attribute("rend", "term"),
            BlockKind::Definition => self.attribute("rend", "definition"),
            BlockKind::Cell { header, cols, rows } => {
                if header {
                    self.attribute("role", "label");
                }
                if cols > 1 {
                    self.attribute("cols", &cols.to_string());
                }
                if rows > 1 {
                    self.attribute("rows", &rows.to_string());
                }
            }
            _ => {}
        }
        self.block_language(i);
        self.out.push('>');
        if matches!(
            kind,
            BlockKind::List { .. }
                | BlockKind::Post(_)
                | BlockKind::Glossary
                | BlockKind::Quote
                | BlockKind::Callout(_)
                | BlockKind::Table
                | BlockKind::Row
                | BlockKind::Figure
        ) {
            self.out.push('\n');
        }
    }

    /// Adds the number of an item whose list does not count 1, 2, 3, and the state of a task.
    fn item_attributes(&mut self, i: usize) {
        let number = self.numbers.last_mut().and_then(Option::as_mut).filter(|n| n.1);
        let number = number.map(|(numbers, _)| numbers.number(self.tree, i));
        if let Some(number) = number {
            self.attribute("n", &number.to_string());
        }
        if let Some(done) = self.tree.task(i) {
            self.attribute("rend", if done { "done" } else { "open" });
        }
    }

    fn paragraph(&mut self, i: usize) {
        if self.is_in_head(i) {
            return self.leaf(i);
        }
        let parent = self.parents.last().copied();
        let bare = match parent.map(|p| self.tree.blocks[p].kind) {
            Some(BlockKind::Item | BlockKind::Cell { .. } | BlockKind::Term | BlockKind::Definition) => {
                let next = self.tree.blocks[i].end as usize;
                parent.is_some_and(|p| {
                    if self.is_joined_definition(p) {
                        return false;
                    }
                    let last = next == self.tree.blocks[p].end as usize;
                    i == p + 1 && (last || matches!(self.tree.blocks[next].kind, BlockKind::List { .. }))
                })
            }
            Some(BlockKind::Figure) => {
                !self.tree.has_text(i) && !self.tree.runs(i).iter().any(|r| r.kind == RunKind::Sign)
            }
            _ => false,
        };
        if bare {
            return self.leaf(i);
        }
        self.out.push_str("<p");
        self.block_language(i);
        self.out.push('>');
        self.leaf(i);
        self.out.push_str("</p>\n");
    }

    /// Adds the language that the page states for the element of a block.
    fn block_language(&mut self, i: usize) {
        let node = self.tree.blocks[i].node;
        let inherited = self.parents.last().is_some_and(|&p| self.tree.blocks[p].node == node);
        if !inherited && !matches!(self.dom.tag(node), Tag::BODY | Tag::HTML) {
            self.language(node);
        }
    }

    /// Writes a note of one paragraph.
    fn note(&mut self, i: usize) {
        let BlockKind::NoteText(k) = self.tree.blocks[i].kind else { return };
        self.out.push_str("<note");
        self.note_attributes(k);
        self.out.push_str("><p>");
        self.leaf(i);
        self.out.push_str("</p></note>\n");
    }

    fn note_attributes(&mut self, k: u32) {
        self.attribute("xml:id", &format!("fn-{}", k + 1));
        self.attribute("n", &self.tree.notes[k as usize]);
        self.attribute("place", "end");
        if self.referenced.contains(&k) {
            self.attribute("target", &format!("#fnref-{}", k + 1));
        }
    }

    /// Writes a reference to a note. The first one has the identifier to which the note leads back.
    fn reference(&mut self, k: u32, text: &str) {
        self.out.push_str("<ref type=\"noteAnchor\"");
        self.attribute("target", &format!("#fn-{}", k + 1));
        if self.referenced.insert(k) {
            self.attribute("xml:id", &format!("fnref-{}", k + 1));
        }
        self.out.push('>');
        escape::xml_text(if text.is_empty() { &self.tree.notes[k as usize] } else { text }, &mut self.out);
        self.out.push_str("</ref>");
    }

    /// Writes the title of a callout.
    fn label(&mut self, i: usize) {
        self.out.push_str("<label>");
        self.leaf(i);
        self.out.push_str("</label>\n");
    }

    /// Writes the author and date of a post.
    fn byline(&mut self, i: usize) {
        self.out.push_str("<head>");
        self.leaf(i);
        self.out.push_str("</head>\n");
    }

    /// Adds a post's author, as a pointer into the header, and its date as attributes.
    fn post_attributes(&mut self, n: u32) {
        let posts = self.tree.content.posts;
        let Some(post) = posts.get(n as usize) else { return };
        if let Some(i) = self.posters.get(post.author.as_str()) {
            self.attribute("who", &format!("#poster-{i}"));
        }
        if !post.when.is_empty() {
            self.attribute("when", &post.when);
        }
    }

    fn heading(&mut self, i: usize, level: u8) {
        let top = self.parents.iter().all(|&p| matches!(self.tree.blocks[p].kind, BlockKind::Group | BlockKind::Notes));
        if self.is_in_head(i) {
            return self.leaf(i);
        }
        if top {
            self.close_sections(level);
            self.sections.push(level);
            self.out.push_str("<div type=\"section\">\n");
        }
        self.out.push_str(if top { "<head" } else { "<ab type=\"head\"" });
        self.attribute("rend", html::heading_name(level));
        self.block_language(i);
        self.out.push('>');
        self.leaf(i);
        self.out.push_str(if top { "</head>\n" } else { "</ab>\n" });
    }

    fn preformatted(&mut self, i: usize) {
        let in_caption = self.is_in_head(i);
        self.out.push_str(if in_caption { "<code" } else { "<ab type=\"code\"><code" });
        if let Some(language) = code::language::language(self.dom, self.tree.blocks[i].node) {
            self.attribute("lang", &language);
        }
        self.out.push_str(" xml:space=\"preserve\">");
        // In TEI, <code> holds only characters.
        for run in self.tree.runs(i) {
            if run.kind == RunKind::Text {
                escape::xml_text(self.tree.slice(&run.text), &mut self.out);
            }
        }
        self.out.push_str(if in_caption { "</code>" } else { "</code></ab>\n" });
    }

    fn leaf(&mut self, i: usize) {
        let mut chain = Vec::new();
        let tree = self.tree;
        for run in tree.runs(i) {
            tree.chain(run.inline, &mut chain);
            // <code> is the innermost element, as it holds only characters; content that it cannot hold is left out.
            let in_code = run.kind == RunKind::Text && tree.is_in(run.inline, InlineMark::Code);
            chain.retain(|&c| {
                !matches!(tree.inlines[c as usize].mark, InlineMark::Code | InlineMark::Root)
                    && self.inline_start(c).is_some()
            });
            if let RunKind::Reference(_) | RunKind::Label = run.kind {
                chain.retain(|&c| !matches!(tree.inlines[c as usize].mark, InlineMark::Link | InlineMark::Sup));
            }
            self.change_inline(&chain);
            let text = tree.slice(&run.text);
            match run.kind {
                RunKind::Reference(k) => self.reference(k, text),
                RunKind::Label => {}
                RunKind::Text if in_code => {
                    self.out.push_str("<code>");
                    escape::xml_text(text, &mut self.out);
                    self.out.push_str("</code>");
                }
                RunKind::Text => escape::xml_text(text, &mut self.out),
                // TEI has an element for quotations and none for ruby text.
                RunKind::Sign if tree.inlines[run.inline as usize].mark == InlineMark::Other(Tag::Q) => {}
                RunKind::Sign => escape::xml_text(text, &mut self.out),
                RunKind::Break => self.out.push_str("<lb/>"),
                RunKind::Image(n) => self.graphic(text, n),
                RunKind::Media { medium, title, .. } => self.media(text, medium, tree.media_title(run, title)),
                RunKind::Math { display, .. } => {
                    let rend = if display { " rend=\"display\"" } else { "" };
                    self.out.push_str(&format!("<formula notation=\"TeX\"{rend}>"));
                    escape::xml_text(text, &mut self.out);
                    self.out.push_str("</formula>");
                }
            }
        }
        self.change_inline(&[]);
    }
}
