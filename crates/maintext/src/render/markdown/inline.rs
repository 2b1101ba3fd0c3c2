//! The inside of a paragraph: emphasis, links, code, formulas.
//!
//! A leaf's runs become tokens, and each delimiter is chosen when its neighbours are known: where CommonMark's flanking rules
//! would not take `**` or `_` for emphasis, as inside a word of Chinese with a full stop before the end, the HTML element is
//! written instead.
use super::super::math;
use super::super::tree::{Kind, Mark, RunKind, Tree};
use super::escape::{self, Around, MARKUP, NOTE};
use super::footnote::{self, Footnotes};
use std::borrow::Cow;

/// Where a leaf is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Block,
    /// One line, and `#` at its end is markup.
    Heading,
    /// One line, and `|` is markup.
    Cell,
}

enum Token<'t> {
    Text(Cow<'t, str>),
    Code(Cow<'t, str>),
    Open(u32),
    Close(u32),
    Break,
    Image {
        address: &'t str,
        alt: &'t str,
    },
    Math {
        tex: &'t str,
        display: bool,
    },
    /// A reference to a footnote.
    Note {
        link: u32,
        label: String,
    },
}

/// How a neighbour counts in the flanking rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Punctuation,
    Word,
    /// Punctuation to some versions of the rules.
    Unsure,
}

fn class(c: char) -> Class {
    if c.is_whitespace() {
        Class::Space
    } else if c.is_ascii_punctuation() {
        Class::Punctuation
    } else if c.is_alphanumeric() {
        Class::Word
    } else {
        Class::Unsure
    }
}

/// Writes leaves; keeps its buffers from one to the next.
pub(super) struct Inlines<'t> {
    tree: &'t Tree<'t>,
    tokens: Vec<Token<'t>>,
    open: Vec<u32>,
    /// For each open mark, whether and how it was written.
    delimiters: Vec<&'static str>,
    /// Whether other leaves stand on the same line, so that a sign may find its partner there.
    pub(super) crowded: bool,
    footnotes: Footnotes,
    /// Whether the leaf is a footnote's: its links back are made by the reader of the Markdown.
    pub(super) in_note: bool,
}

impl<'t> Inlines<'t> {
    pub(super) fn new(tree: &'t Tree<'t>, footnotes: Footnotes) -> Self {
        Inlines {
            tree,
            tokens: Vec::new(),
            open: Vec::new(),
            delimiters: Vec::new(),
            crowded: false,
            footnotes,
            in_note: false,
        }
    }

    /// Appends a leaf. A hard line break is `"  \n"`, in a cell `<br>`, in a heading a space.
    pub(super) fn write(&mut self, leaf: usize, place: Place, out: &mut String) {
        self.tokenize(leaf, place);
        self.emit(place, out);
        self.tokens.clear();
    }

    fn shown(&self, inline: u32, in_heading: bool) -> bool {
        let i = &self.tree.inlines[inline as usize];
        match i.mark {
            Mark::Link => !(self.in_note && footnote::fragment(self.tree.content.dom, i.node).is_some()),
            Mark::Emphasis | Mark::Strike | Mark::Sub | Mark::Sup => true,
            Mark::Strong => !in_heading,
            Mark::Root | Mark::Code | Mark::Other(_) => false,
        }
    }

    fn tokenize(&mut self, leaf: usize, place: Place) {
        let tree = self.tree;
        let heading = matches!(tree.blocks[leaf].kind, Kind::Heading(_));
        let (mut chain, mut last_reference) = (Vec::new(), None);
        for run in tree.runs(leaf) {
            tree.chain(run.inline, &mut chain);
            if let Some((link, label)) = self.reference(&chain) {
                // The reference is raised by itself.
                chain.retain(|&c| {
                    c != link && self.shown(c, heading) && self.tree.inlines[c as usize].mark != Mark::Sup
                });
                self.change(&chain);
                if last_reference.replace(link) != Some(link) {
                    self.tokens.push(Token::Note { link, label });
                }
                continue;
            }
            chain.retain(|&c| self.shown(c, heading));
            let text = tree.slice(&run.text);
            if matches!(run.kind, RunKind::Media(_)) {
                continue;
            }
            self.change(&chain);
            let code = tree.is_in(run.inline, Mark::Code);
            match run.kind {
                RunKind::Text if code && (text != " " || matches!(self.tokens.last(), Some(Token::Code(_)))) => {
                    match self.tokens.last_mut() {
                        Some(Token::Code(c)) => c.to_mut().push_str(text),
                        _ => self.tokens.push(Token::Code(text.into())),
                    }
                }
                RunKind::Text => self.push_text(text),
                RunKind::Break if place == Place::Heading => self.push_text(" "),
                RunKind::Break => self.tokens.push(Token::Break),
                RunKind::Image(n) => {
                    let alt = tree.content.dom.attr(n, "alt").unwrap_or("");
                    self.tokens.push(Token::Image { address: text, alt });
                }
                RunKind::Math(n) => {
                    self.tokens.push(Token::Math { tex: text, display: math::is_display(tree.content.dom, n) });
                }
                RunKind::Media(_) => {}
            }
        }
        self.change(&[]);
        self.disarm_links();
    }

    /// Code and formulas with `]:` in a link become text: at the beginning of a line they would end the label of a reference
    /// definition, which is looked for before anything else.
    fn disarm_links(&mut self) {
        let mut links = 0;
        for t in &mut self.tokens {
            match t {
                Token::Open(i) => links += (self.tree.inlines[*i as usize].mark == Mark::Link) as usize,
                Token::Close(i) => links -= (self.tree.inlines[*i as usize].mark == Mark::Link) as usize,
                Token::Code(code) if links > 0 && code.contains("]:") => *t = Token::Text(std::mem::take(code)),
                Token::Math { tex, .. } if links > 0 && tex.contains("]:") => *t = Token::Text((*tex).into()),
                _ => {}
            }
        }
    }

    /// Makes the references that were written last links again: brackets right behind them would be read with them.
    fn unnote(&mut self) {
        let from = self.tokens.iter().rposition(|t| !matches!(t, Token::Note { .. })).map_or(0, |i| i + 1);
        for note in self.tokens.split_off(from) {
            if let Token::Note { link, label } = note {
                self.tokens.extend([Token::Open(link), Token::Text(label.into()), Token::Close(link)]);
            }
        }
    }

    /// The link in the chain that refers to a footnote, with its label.
    fn reference(&self, chain: &[u32]) -> Option<(u32, String)> {
        if self.footnotes.references.is_empty() {
            return None;
        }
        chain.iter().find_map(|c| self.footnotes.references.get(c).map(|l| (*c, l.clone())))
    }

    /// The label of the note that a block is.
    pub(super) fn note(&self, block: usize) -> Option<&str> {
        self.footnotes.notes.get(&block).map(String::as_str)
    }

    /// Whether the items of a list are notes.
    pub(super) fn is_note_list(&self, list: usize) -> bool {
        self.footnotes.lists.contains(&list)
    }

    fn push_text(&mut self, text: &'t str) {
        match self.tokens.last_mut() {
            Some(Token::Text(t)) => t.to_mut().push_str(text),
            _ => self.tokens.push(Token::Text(text.into())),
        }
    }

    fn change(&mut self, chain: &[u32]) {
        // Of two pieces of emphasis side by side the delimiters would run together: they are one.
        let tree = self.tree;
        let mark = |i: u32| tree.inlines[i as usize].mark;
        let alike = |a: u32, b: u32| a == b || (mark(a) == mark(b) && mark(a) != Mark::Link);
        let same = self.open.iter().zip(chain).take_while(|(a, b)| alike(**a, **b)).count();
        while self.open.len() > same {
            if let Some(i) = self.open.pop() {
                self.tokens.push(Token::Close(i));
            }
        }
        for &i in &chain[same..] {
            if mark(i) == Mark::Link {
                self.unnote();
            }
            self.tokens.push(Token::Open(i));
            self.open.push(i);
        }
    }

    /// How the token's beginning counts for the delimiter before it, or its end for the one behind.
    fn edge(&self, token: Option<usize>, first: bool) -> Class {
        match token.and_then(|i| self.tokens.get(i)) {
            None | Some(Token::Break) => Class::Space,
            Some(Token::Text(t)) => {
                let c = if first { t.chars().next() } else { t.chars().next_back() };
                c.map_or(Class::Space, class)
            }
            Some(_) => Class::Punctuation,
        }
    }

    /// Index of the token that closes the one at `open`.
    fn closing(&self, open: usize, inline: u32) -> usize {
        let is_end = |t: &Token<'_>| matches!(t, Token::Close(i) if *i == inline);
        open + 1 + self.tokens[open + 1..].iter().position(is_end).unwrap_or(0)
    }

    /// The delimiter that CommonMark takes for the mark here: `*`, `_` for emphasis, `""` if none does.
    fn delimiter(&self, open: usize, inline: u32) -> &'static str {
        let close = self.closing(open, inline);
        let before_open = self.edge(open.checked_sub(1), false);
        let after_open = self.edge(Some(open + 1), true);
        let before_close = self.edge(close.checked_sub(1), false);
        let after_close = self.edge(Some(close + 1), true);
        let flanks = |inner: Class, outer: Class| match inner {
            Class::Space => false,
            Class::Word => true,
            Class::Punctuation | Class::Unsure => matches!(outer, Class::Space | Class::Punctuation),
        };
        if !flanks(after_open, before_open) || !flanks(before_close, after_close) {
            return "";
        }
        let is_emphasis = |i: Option<usize>| {
            i.and_then(|i| self.tokens.get(i)).is_some_and(|t| match t {
                Token::Open(i) | Token::Close(i) => {
                    matches!(self.tree.inlines[*i as usize].mark, Mark::Strong | Mark::Emphasis)
                }
                _ => false,
            })
        };
        match self.tree.inlines[inline as usize].mark {
            Mark::Strong => "**",
            Mark::Strike => "~~",
            Mark::Emphasis => {
                let neighbours = [open.checked_sub(1), Some(open + 1), close.checked_sub(1), Some(close + 1)];
                let free = |c: Class| matches!(c, Class::Space | Class::Punctuation);
                if !neighbours.into_iter().any(is_emphasis) {
                    "*"
                } else if free(before_open) && free(after_close) {
                    "_"
                } else {
                    ""
                }
            }
            _ => "",
        }
    }

    fn emit(&mut self, place: Place, out: &mut String) {
        let (tildes, dollars) = self.paragraph_flags();
        let mut line_start = place == Place::Block;
        let (mut links, mut note_at_start) = (0, false);
        for i in 0..self.tokens.len() {
            let was_line_start = std::mem::replace(&mut line_start, false);
            // "[^1]:" at the beginning of a line would be a note itself.
            let note_began_line = std::mem::replace(&mut note_at_start, false);
            match &self.tokens[i] {
                Token::Text(t) => {
                    let neighbour = |c: Option<usize>, first: bool| match c.and_then(|c| self.tokens.get(c)) {
                        // In a cell a tag stands for the end of the line.
                        Some(Token::Break) if place == Place::Cell => MARKUP,
                        Some(Token::Note { .. }) if !first => NOTE,
                        None if self.crowded => MARKUP,
                        None | Some(Token::Break) => ' ',
                        Some(Token::Text(t)) if first => t.chars().next().unwrap_or(' '),
                        Some(Token::Text(t)) => t.chars().next_back().unwrap_or(' '),
                        Some(_) => MARKUP,
                    };
                    let next_is_link = match self.tokens.get(i + 1) {
                        Some(Token::Open(n)) => self.tree.inlines[*n as usize].mark == Mark::Link,
                        Some(Token::Note { .. }) => true,
                        _ => false,
                    };
                    let around = Around {
                        before: neighbour(i.checked_sub(1), false),
                        after: neighbour(Some(i + 1), true),
                        line_start: was_line_start,
                        in_link: links > 0,
                        before_link: next_is_link,
                        in_table: place == Place::Cell,
                        tildes,
                        dollars,
                    };
                    let mut text = &t[..];
                    if was_line_start {
                        text = text.trim_start();
                    }
                    if note_began_line && text.starts_with(':') {
                        out.push('\\');
                    }
                    let last = i + 1 == self.tokens.len();
                    match text.strip_suffix('#') {
                        // A heading may be closed by hashes.
                        Some(rest) if last && place == Place::Heading => {
                            escape::text(rest, Around { after: MARKUP, ..around }, out);
                            out.push_str("\\#");
                        }
                        _ => escape::text(text, around, out),
                    }
                }
                Token::Code(code) => {
                    // Spaces at the ends stand between words, not in the code.
                    if code.starts_with(' ') {
                        out.push(' ');
                    }
                    write_code(code.trim(), place, out);
                    if code.ends_with(' ') {
                        out.push(' ');
                    }
                }
                &Token::Open(inline) => {
                    let delimiter = match self.tree.inlines[inline as usize].mark {
                        Mark::Link => {
                            links += 1;
                            "["
                        }
                        Mark::Strong | Mark::Emphasis | Mark::Strike => self.delimiter(i, inline),
                        _ => "",
                    };
                    self.delimiters.push(delimiter);
                    if delimiter.is_empty() {
                        out.push('<');
                        out.push_str(self.html_name(inline));
                        out.push('>');
                    } else {
                        out.push_str(delimiter);
                    }
                }
                &Token::Close(inline) => match self.delimiters.pop() {
                    Some("[") => {
                        links -= 1;
                        out.push_str("](");
                        escape::destination(self.tree.slice(&self.tree.inlines[inline as usize].href), out);
                        out.push(')');
                    }
                    Some("") | None => {
                        out.push_str("</");
                        out.push_str(self.html_name(inline));
                        out.push('>');
                    }
                    Some(delimiter) => out.push_str(delimiter),
                },
                Token::Break if place == Place::Cell => {
                    trim_spaces(out);
                    out.push_str("<br>");
                }
                Token::Break => {
                    trim_spaces(out);
                    out.push_str("  \n");
                    line_start = true;
                }
                Token::Image { address, alt } => write_image(address, alt, place, (tildes, dollars), out),
                Token::Math { tex, display } => write_math(tex, *display, place, out),
                Token::Note { label, .. } => {
                    note_at_start = was_line_start;
                    out.push_str("[^");
                    out.push_str(label);
                    out.push(']');
                }
            }
        }
        trim_spaces(out);
    }

    fn html_name(&self, inline: u32) -> &'static str {
        match self.tree.inlines[inline as usize].mark {
            Mark::Strong => "strong",
            Mark::Emphasis => "em",
            Mark::Strike => "del",
            Mark::Sub => "sub",
            _ => "sup",
        }
    }

    /// Whether tildes and dollar signs of the text could find partners.
    fn paragraph_flags(&self) -> (bool, bool) {
        let (mut tildes, mut dollars, mut formulas) = (0, false, false);
        let (mut count, mut pieces) = (0, 0);
        for t in &self.tokens {
            match t {
                Token::Text(t) => {
                    tildes += memchr::memchr_iter(b'~', t.as_bytes()).count();
                    let here = memchr::memchr_iter(b'$', t.as_bytes()).count();
                    dollars |= escape::has_dollar_pair(t);
                    pieces += (here > 0) as usize;
                    count += here;
                }
                Token::Open(i) => tildes += 2 * (self.tree.inlines[*i as usize].mark == Mark::Strike) as usize,
                Token::Code(c) => pieces += c.contains('$') as usize,
                Token::Image { alt, .. } => dollars |= alt.contains('$'),
                Token::Math { .. } => formulas = true,
                _ => {}
            }
        }
        // Between two pieces of text anything may stand, so that two signs in two pieces are a pair.
        dollars |= pieces > 1;
        let crowded = |signs: usize| self.crowded && signs > 0;
        (tildes > 1 || crowded(tildes), dollars || formulas || crowded(count))
    }
}

impl Around {
    /// A text with delimiters on both sides.
    fn between_markup(place: Place) -> Around {
        Around {
            before: MARKUP,
            after: MARKUP,
            line_start: false,
            in_link: false,
            before_link: false,
            in_table: place == Place::Cell,
            tildes: false,
            dollars: false,
        }
    }
}

fn trim_spaces(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
}

/// A code span with a fence longer than any run of backticks inside.
pub(super) fn write_code(code: &str, place: Place, out: &mut String) {
    let fence = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    out.push_str(&fence);
    out.push_str(pad);
    if place == Place::Cell {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    out.push_str(pad);
    out.push_str(&fence);
}

/// Text in which every sign that could be markup is escaped.
fn write_plain(s: &str, place: Place, out: &mut String) {
    let around = Around { in_link: true, dollars: true, tildes: true, ..Around::between_markup(place) };
    escape::text(s, around, out);
}

/// The length of the longest run of backticks.
pub(super) fn longest_run(code: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for b in code.bytes() {
        run = if b == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn write_image(address: &str, alt: &str, place: Place, (tildes, dollars): (bool, bool), out: &mut String) {
    out.push_str("![");
    let around = Around { in_link: true, tildes, dollars, ..Around::between_markup(place) };
    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
    escape::text(&alt, around, out);
    out.push_str("](");
    escape::destination(address, out);
    out.push(')');
}

/// `$tex$`, or GitHub's and GitLab's form with backticks where a parser without formulas would read the source otherwise.
fn write_math(tex: &str, display: bool, place: Place, out: &mut String) {
    let sign = if display { "$$" } else { "$" };
    if escape::is_plain_tex(tex) {
        out.push_str(sign);
        out.push_str(tex);
        out.push_str(sign);
    } else if tex.contains(['$', '`']) {
        // Nothing delimits such a formula.
        write_plain(tex, place, out);
    } else {
        out.push('$');
        write_code(tex, place, out);
        out.push('$');
    }
}
