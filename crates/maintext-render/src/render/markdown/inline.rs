//! Turns the content of a paragraph (emphasis, links, code, formulas) into tokens.
//!
//! Adjacent runs of one kind are merged; [`emit`] writes the tokens.
use super::super::footnote;
use super::super::tree::{BlockKind, InlineMark, KeptTree, RunKind};
use super::emit;
use super::token::{LeafContext, LeafToken, LineState, References};
use maintext_page::dom::Tag;

/// Writes leaves and reuses its buffers from one to the next.
pub(super) struct Inlines<'t> {
    tree: &'t KeptTree<'t>,
    tokens: Vec<LeafToken<'t>>,
    open: Vec<u32>,
    /// Whether other leaves are on the same line, so that a sign may find its partner there.
    pub(super) crowded: bool,
    /// The addresses of links, if they are written at the end.
    pub(super) references: Option<References>,
    /// Whether the leaf belongs to a footnote. Its links back are left out, as Markdown renderers add their own.
    pub(super) in_note: bool,
    /// Whether the leaf belongs to a header of a table, which renderers write in bold themselves.
    pub(super) in_header: bool,
    /// Whether the leaf belongs to a term, which is written in bold.
    pub(super) in_term: bool,
    /// Whether references and labels are written as the page shows them, for a leaf without its notes.
    pub(super) plain_notes: bool,
}

impl<'t> Inlines<'t> {
    pub(super) fn new(tree: &'t KeptTree<'t>) -> Self {
        Inlines {
            tree,
            tokens: Vec::new(),
            open: Vec::new(),
            crowded: false,
            references: None,
            in_note: false,
            in_header: false,
            in_term: false,
            plain_notes: false,
        }
    }

    /// Appends a leaf. A hard line break is `"  \n"`, elsewhere than in a block a space.
    pub(super) fn write(&mut self, leaf: usize, context: LeafContext, out: &mut String) {
        self.tokenize(leaf, context);
        let line = LineState { context, crowded: self.crowded };
        emit::write(self.tree, &self.tokens, line, self.references.as_mut(), out);
        self.tokens.clear();
    }

    /// `in_bold`: renderers or markup around it make the leaf bold already.
    fn shown(&self, inline: u32, in_bold: bool) -> bool {
        let i = &self.tree.inlines[inline as usize];
        match i.mark {
            InlineMark::Link => !(self.in_note && footnote::fragment(self.tree, i.node).is_some()),
            InlineMark::Emphasis | InlineMark::Strike | InlineMark::Sub | InlineMark::Sup => true,
            InlineMark::Strong => !in_bold,
            // Code holds no markup.
            InlineMark::Other(Tag::KBD | Tag::MARK | Tag::INS) => !self.tree.is_in(i.parent, InlineMark::Code),
            InlineMark::Root | InlineMark::Code | InlineMark::Other(_) => false,
        }
    }

    fn tokenize(&mut self, leaf: usize, context: LeafContext) {
        let tree = self.tree;
        let heading = matches!(tree.blocks[leaf].kind, BlockKind::Heading(_));
        let term = if self.in_term && !heading { tree.bold } else { None };
        let bold = heading || self.in_header || term.is_some();
        let mut chain = Vec::new();
        for run in tree.runs(leaf) {
            tree.chain(run.inline, &mut chain);
            if let RunKind::Reference(note) = run.kind
                && !self.plain_notes
            {
                // Renderers raise a reference, so its own superscript is dropped.
                chain.retain(|&c| {
                    !matches!(tree.inlines[c as usize].mark, InlineMark::Link | InlineMark::Sup) && self.shown(c, bold)
                });
                self.change(&chain);
                self.tokens.push(LeafToken::Note { link: tree.link(run.inline), label: &tree.notes[note as usize] });
                continue;
            }
            if matches!(run.kind, RunKind::Media { .. }) && !tree.content.options.links {
                continue;
            }
            chain.retain(|&c| self.shown(c, bold));
            if let Some(term) = term {
                chain.insert(0, term);
            }
            let text = tree.slice(&run.text);
            if run.kind == RunKind::Label && !self.plain_notes {
                continue;
            }
            self.change(&chain);
            let code = tree.is_in(run.inline, InlineMark::Code);
            match run.kind {
                RunKind::Text if code && (text != " " || matches!(self.tokens.last(), Some(LeafToken::Code(_)))) => {
                    match self.tokens.last_mut() {
                        Some(LeafToken::Code(c)) => c.to_mut().push_str(text),
                        _ => self.tokens.push(LeafToken::Code(text.into())),
                    }
                }
                RunKind::Text | RunKind::Sign | RunKind::Reference(_) | RunKind::Label => self.push_text(text),
                RunKind::Break if matches!(context, LeafContext::Heading | LeafContext::Line) => self.push_text(" "),
                RunKind::Break => self.tokens.push(LeafToken::Break),
                RunKind::Image(n) => {
                    let alt = tree.content.alt(n);
                    let title = tree.content.image_title(n).unwrap_or("");
                    self.tokens.push(LeafToken::Image { address: text, alt, title });
                }
                RunKind::Math { display, .. } => self.tokens.push(LeafToken::Math { tex: text, display }),
                RunKind::Media { title, .. } => {
                    self.unnote();
                    self.tokens.push(LeafToken::Media { address: text, title: tree.media_title(run, title) });
                }
            }
        }
        self.change(&[]);
        self.disarm_links();
    }

    /// Turns links whose code or formulas contain `]:` into text: at the beginning of a line it would end the label of a link reference
    /// definition, which parsers look for first.
    fn disarm_links(&mut self) {
        let mut links = 0;
        for t in &mut self.tokens {
            match t {
                LeafToken::Open(i) => links += (self.tree.inlines[*i as usize].mark == InlineMark::Link) as usize,
                LeafToken::Close(i) => links -= (self.tree.inlines[*i as usize].mark == InlineMark::Link) as usize,
                LeafToken::Code(code) if links > 0 && code.contains("]:") => *t = LeafToken::Text(std::mem::take(code)),
                LeafToken::Math { tex, .. } if links > 0 && tex.contains("]:") => *t = LeafToken::Text((*tex).into()),
                _ => {}
            }
        }
    }

    /// Turns the last references back into links: a parser would read brackets right after them as part of them.
    fn unnote(&mut self) {
        let from = self.tokens.iter().rposition(|t| !matches!(t, LeafToken::Note { .. })).map_or(0, |i| i + 1);
        for note in self.tokens.split_off(from) {
            if let LeafToken::Note { link, label } = note {
                match link {
                    Some(link) => self.tokens.extend([
                        LeafToken::Open(link),
                        LeafToken::Text(label.into()),
                        LeafToken::Close(link),
                    ]),
                    None => self.push_text(label),
                }
            }
        }
    }

    fn push_text(&mut self, text: &'t str) {
        match self.tokens.last_mut() {
            Some(LeafToken::Text(t)) => t.to_mut().push_str(text),
            _ => self.tokens.push(LeafToken::Text(text.into())),
        }
    }

    fn change(&mut self, chain: &[u32]) {
        // The delimiters of two adjacent pieces of emphasis would run together, so the pieces are merged.
        let tree = self.tree;
        let same = self.open.iter().zip(chain).take_while(|(a, b)| alike(tree, **a, **b)).count();
        while self.open.len() > same {
            if let Some(i) = self.open.pop() {
                self.tokens.push(LeafToken::Close(i));
            }
        }
        for &i in &chain[same..] {
            if tree.inlines[i as usize].mark == InlineMark::Link {
                self.unnote();
            }
            self.tokens.push(LeafToken::Open(i));
            self.open.push(i);
        }
    }
}

fn alike(tree: &KeptTree<'_>, a: u32, b: u32) -> bool {
    a == b
        || (tree.inlines[a as usize].mark == tree.inlines[b as usize].mark
            && tree.inlines[a as usize].mark != InlineMark::Link)
}
