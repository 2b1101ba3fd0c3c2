//! Writes tokens as CommonMark and chooses delimiters and escapes by their neighbours.
//!
//! Where the flanking rules would not read `**` or `_` as emphasis, for example inside a Chinese word with a full stop before
//! the end, it writes the HTML element instead.
use super::super::tree::{InlineMark, KeptTree};
use super::escape::{self, Around, MARKUP, NOTE};
use super::token::{LeafContext, LeafToken, LineState, References};
use maintext_page::dom::single_spaced;

/// How the flanking rules classify a neighbouring character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlankClass {
    Space,
    Punctuation,
    Word,
    /// Punctuation in some versions of the rules only.
    Unsure,
}

fn class(c: char) -> FlankClass {
    if c.is_whitespace() {
        FlankClass::Space
    } else if c.is_ascii_punctuation() || is_mark_of_text(c) {
        FlankClass::Punctuation
    } else if c.is_alphanumeric() {
        FlankClass::Word
    } else {
        FlankClass::Unsure
    }
}

/// Whether a character is a mark of text that all versions of the rules count as punctuation: quotation marks, dashes, stops and brackets.
fn is_mark_of_text(c: char) -> bool {
    matches!(c, '‐'..='‧' | '‹' | '›' | '«' | '»' | '¡' | '¿' | '·' | '、' | '。' | '〈'..='】' | '！' | '（' | '）' | '，' | '：' | '；' | '？')
}

/// Appends the tokens of a leaf.
pub(super) fn write(
    tree: &KeptTree<'_>,
    tokens: &[LeafToken<'_>],
    line: LineState,
    references: Option<&mut References>,
    out: &mut String,
) {
    let mut e = Emitter {
        tree,
        tokens,
        line,
        tildes: false,
        dollars: false,
        line_start: matches!(line.context, LeafContext::Block | LeafContext::Line),
        note_at_start: false,
        links: 0,
        delimiters: Vec::new(),
        references,
        out,
    };
    (e.tildes, e.dollars) = e.paragraph_flags();
    for i in 0..tokens.len() {
        e.token(i);
    }
    e.trim_spaces();
}

struct Emitter<'e, 't> {
    tree: &'e KeptTree<'e>,
    tokens: &'e [LeafToken<'t>],
    line: LineState,
    /// Whether a tilde or a dollar sign in the text could find a partner.
    tildes: bool,
    dollars: bool,
    /// Whether the line is still empty.
    line_start: bool,
    /// Whether the line holds only a footnote reference so far.
    note_at_start: bool,
    links: usize,
    /// The delimiter that opened each open mark; empty for an HTML element.
    delimiters: Vec<&'static str>,
    references: Option<&'e mut References>,
    out: &'e mut String,
}

impl Emitter<'_, '_> {
    fn token(&mut self, i: usize) {
        let line_start = std::mem::replace(&mut self.line_start, false);
        let note_at_start = std::mem::replace(&mut self.note_at_start, false);
        let tokens = self.tokens;
        match &tokens[i] {
            LeafToken::Text(t) => {
                let text = if line_start { t.trim_start() } else { t };
                // "[^1]:" at the beginning of a line would be read as a note.
                if note_at_start && text.starts_with(':') {
                    self.out.push('\\');
                }
                self.text(i, text, line_start);
            }
            LeafToken::Code(code) => {
                // Spaces at the ends separate words and are not code.
                self.out.push_str(if code.starts_with(' ') { " " } else { "" });
                write_code(code.trim(), self.line.context, self.out);
                self.out.push_str(if code.ends_with(' ') { " " } else { "" });
            }
            &LeafToken::Open(inline) => self.open(i, inline),
            &LeafToken::Close(inline) => self.close(inline),
            LeafToken::Break if self.line.context == LeafContext::Cell => {
                self.trim_spaces();
                self.out.push(' ');
            }
            LeafToken::Break if line_start => self.line_start = true,
            LeafToken::Break => {
                self.trim_spaces();
                self.out.push_str("  \n");
                self.line_start = true;
            }
            LeafToken::Image { address, alt, title } => self.image(address, alt, title),
            LeafToken::Media { address, title } => {
                self.out.push('[');
                self.bracketed(title);
                self.target(address);
            }
            LeafToken::Math { tex, display } => self.math(i, tex, *display, line_start),
            LeafToken::Note { label, .. } => {
                self.note_at_start = line_start;
                self.out.extend(["[^", label, "]"]);
            }
        }
    }

    fn text(&mut self, i: usize, text: &str, line_start: bool) {
        let next = self.tokens.get(i + 1);
        let before_link = match next {
            Some(LeafToken::Open(n)) => self.tree.inlines[*n as usize].mark == InlineMark::Link,
            Some(LeafToken::Note { .. } | LeafToken::Media { .. }) => true,
            _ => false,
        };
        let around = Around {
            before: self.neighbour(i.checked_sub(1), false),
            after: self.neighbour(Some(i + 1), true),
            line_start,
            // Brackets in the text could be read as references.
            in_link: self.links > 0 || self.references.is_some(),
            before_link,
            in_table: self.line.context == LeafContext::Cell,
            tildes: self.tildes,
            dollars: self.dollars,
        };
        match text.strip_suffix('#') {
            // A run of hashes would close the heading.
            Some(rest) if next.is_none() && self.line.context == LeafContext::Heading => {
                escape::text(rest, Around { after: MARKUP, ..around }, self.out);
                self.out.push_str("\\#");
            }
            _ => escape::text(text, around, self.out),
        }
    }

    /// Returns the character next to a text.
    fn neighbour(&self, token: Option<usize>, first: bool) -> char {
        match token.and_then(|i| self.tokens.get(i)) {
            None | Some(LeafToken::Break) => ' ',
            Some(LeafToken::Note { .. }) if !first => NOTE,
            Some(LeafToken::Text(t)) if first => t.chars().next().unwrap_or(' '),
            Some(LeafToken::Text(t)) => t.chars().next_back().unwrap_or(' '),
            Some(_) => MARKUP,
        }
    }

    fn open(&mut self, i: usize, inline: u32) {
        let delimiter = match self.tree.inlines[inline as usize].mark {
            InlineMark::Link => {
                self.links += 1;
                "["
            }
            InlineMark::Strong | InlineMark::Emphasis | InlineMark::Strike => self.delimiter(i, inline),
            _ => "",
        };
        self.delimiters.push(delimiter);
        if delimiter.is_empty() {
            self.out.extend(["<", self.html_name(inline), ">"]);
        } else {
            self.out.push_str(delimiter);
        }
    }

    fn close(&mut self, inline: u32) {
        match self.delimiters.pop() {
            Some("[") => {
                self.links -= 1;
                let tree = self.tree;
                self.target(tree.slice(&tree.inlines[inline as usize].href));
            }
            Some("") | None => {
                self.out.extend(["</", self.html_name(inline), ">"]);
            }
            Some(delimiter) => self.out.push_str(delimiter),
        }
    }

    /// Ends a link: with its address, or with the number of it.
    fn target(&mut self, address: &str) {
        if let Some(references) = &mut self.references {
            let number = references.number(address);
            return self.out.push_str(&format!("][{number}]"));
        }
        self.out.push_str("](");
        escape::destination(address, self.out);
        self.out.push(')');
    }

    fn image(&mut self, address: &str, alt: &str, title: &str) {
        self.out.push_str("![");
        self.bracketed(alt);
        self.out.push_str("](");
        escape::destination(address, self.out);
        if !title.is_empty() && title != alt.trim() {
            escape::title(title, self.line.context == LeafContext::Cell, self.out);
        }
        self.out.push(')');
    }

    /// Writes a text between brackets.
    fn bracketed(&mut self, text: &str) {
        let (tildes, dollars) = (self.tildes, self.dollars);
        let around = Around { in_link: true, tildes, dollars, ..Around::between_markup(self.line.context) };
        escape::text(&single_spaced(text), around, self.out);
    }

    /// Writes a formula. A displayed one takes lines of its own if its position allows it.
    fn math(&mut self, i: usize, tex: &str, display: bool, line_start: bool) {
        let free = self.line.context == LeafContext::Block && !self.line.crowded && self.delimiters.is_empty();
        if !display || !free || !escape::is_readable_tex(tex) || !escape::is_safe_line(tex) {
            return write_math(tex, display, self.line.context, self.out);
        }
        self.trim_spaces();
        let broken = line_start && self.out.ends_with("  \n");
        if broken {
            // The formula's own line needs no line break before it.
            self.out.truncate(self.out.len() - 3);
        }
        if i > 0 && (broken || !line_start) {
            // A backslash at the end of a line would be a line break.
            let slashes = self.out.bytes().rev().take_while(|&b| b == b'\\').count();
            self.out.push_str(if slashes % 2 == 1 { "\\\n" } else { "\n" });
        }
        self.out.extend(["$$\n", &*escape::tex(tex), "\n$$"]);
        if self.tokens[i + 1..].iter().any(|t| !matches!(t, LeafToken::Text(t) if t.trim().is_empty())) {
            self.out.push('\n');
            self.line_start = true;
        }
    }

    fn trim_spaces(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
    }

    /// Returns the class of the token's first character (for the delimiter before it) or of its last (for the delimiter after it).
    fn edge(&self, token: Option<usize>, first: bool) -> FlankClass {
        match token.and_then(|i| self.tokens.get(i)) {
            None | Some(LeafToken::Break) => FlankClass::Space,
            Some(LeafToken::Text(t)) => {
                let c = if first { t.chars().next() } else { t.chars().next_back() };
                c.map_or(FlankClass::Space, class)
            }
            Some(_) => FlankClass::Punctuation,
        }
    }

    /// Returns the index of the token that closes the one at `open`.
    fn closing(&self, open: usize, inline: u32) -> usize {
        open + 1
            + self.tokens[open + 1..].iter().position(|t| matches!(t, LeafToken::Close(i) if *i == inline)).unwrap_or(0)
    }

    /// Returns the delimiter that CommonMark accepts for the mark here: `*` or `_` for emphasis, `""` if none works.
    fn delimiter(&self, open: usize, inline: u32) -> &'static str {
        let close = self.closing(open, inline);
        let before_open = self.edge(open.checked_sub(1), false);
        let after_open = self.edge(Some(open + 1), true);
        let before_close = self.edge(close.checked_sub(1), false);
        let after_close = self.edge(Some(close + 1), true);
        if !flanks(after_open, before_open) || !flanks(before_close, after_close) {
            return "";
        }
        match self.tree.inlines[inline as usize].mark {
            InlineMark::Strong => "**",
            InlineMark::Strike => "~~",
            InlineMark::Emphasis => {
                let neighbours = [open.checked_sub(1), Some(open + 1), close.checked_sub(1), Some(close + 1)];
                if !neighbours.into_iter().any(|i| self.is_emphasis(i)) {
                    "*"
                } else if matches!(before_open, FlankClass::Space | FlankClass::Punctuation)
                    && matches!(after_close, FlankClass::Space | FlankClass::Punctuation)
                {
                    "_"
                } else {
                    ""
                }
            }
            _ => "",
        }
    }

    fn is_emphasis(&self, i: Option<usize>) -> bool {
        i.and_then(|i| self.tokens.get(i)).is_some_and(|t| match t {
            LeafToken::Open(i) | LeafToken::Close(i) => {
                matches!(self.tree.inlines[*i as usize].mark, InlineMark::Strong | InlineMark::Emphasis)
            }
            _ => false,
        })
    }

    fn html_name(&self, inline: u32) -> &'static str {
        match self.tree.inlines[inline as usize].mark {
            InlineMark::Strong => "strong",
            InlineMark::Emphasis => "em",
            InlineMark::Strike => "del",
            InlineMark::Sub => "sub",
            InlineMark::Other(tag) => tag.name(),
            _ => "sup",
        }
    }

    /// Whether tildes and whether dollar signs in the text could find partners.
    fn paragraph_flags(&self) -> (bool, bool) {
        let (mut tildes, mut dollars, mut formulas) = (0, false, false);
        let (mut count, mut pieces) = (0, 0);
        for t in self.tokens {
            match t {
                LeafToken::Text(t) => {
                    tildes += memchr::memchr_iter(b'~', t.as_bytes()).count();
                    let here = memchr::memchr_iter(b'$', t.as_bytes()).count();
                    dollars |= escape::has_dollar_pair(t);
                    pieces += (here > 0) as usize;
                    count += here;
                }
                LeafToken::Open(i) => {
                    tildes += 2 * (self.tree.inlines[*i as usize].mark == InlineMark::Strike) as usize
                }
                LeafToken::Code(c) => pieces += c.contains('$') as usize,
                LeafToken::Image { alt: text, title, .. } | LeafToken::Media { title: text, address: title } => {
                    dollars |= text.contains('$') || title.contains('$');
                    tildes += memchr::memchr_iter(b'~', text.as_bytes()).count();
                }
                LeafToken::Math { .. } => formulas = true,
                _ => {}
            }
        }
        // Anything may be written between two pieces of text, so signs in two pieces count as a pair.
        dollars |= pieces > 1;
        (tildes > 1 || self.line.crowded && tildes > 0, dollars || formulas || self.line.crowded && count > 0)
    }
}

fn flanks(inner: FlankClass, outer: FlankClass) -> bool {
    match inner {
        FlankClass::Space => false,
        FlankClass::Word => true,
        FlankClass::Punctuation | FlankClass::Unsure => matches!(outer, FlankClass::Space | FlankClass::Punctuation),
    }
}

impl Around {
    /// The surroundings of a text with delimiters on both sides.
    fn between_markup(context: LeafContext) -> Around {
        Around {
            before: MARKUP,
            after: MARKUP,
            line_start: false,
            in_link: false,
            before_link: false,
            in_table: context == LeafContext::Cell,
            tildes: false,
            dollars: false,
        }
    }
}

/// Writes a code span with a fence longer than any run of backticks inside.
pub(super) fn write_code(code: &str, context: LeafContext, out: &mut String) {
    let fence = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    out.extend([&*fence, pad]);
    if context == LeafContext::Cell {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    out.extend([pad, &*fence]);
}

/// Writes text with every character escaped that could be markup.
pub(super) fn write_plain(s: &str, context: LeafContext, out: &mut String) {
    let around = Around { in_link: true, dollars: true, tildes: true, ..Around::between_markup(context) };
    escape::text(s, around, out);
}

/// Returns the length of the longest run of backticks.
pub(super) fn longest_run(code: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for b in code.bytes() {
        run = if b == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Writes `$tex$` or `$$tex$$`. Source that would end there too early takes the form of GitHub and GitLab with backticks.
fn write_math(tex: &str, display: bool, context: LeafContext, out: &mut String) {
    let sign = if display { "$$" } else { "$" };
    if escape::is_readable_tex(tex) {
        out.push_str(sign);
        if context == LeafContext::Cell {
            out.push_str(&escape::tex(tex).replace('|', "\\|"));
        } else {
            out.push_str(&escape::tex(tex));
        }
        out.push_str(sign);
    } else if tex.contains(['$', '`']) {
        // No delimiter can hold such a formula.
        write_plain(tex, context, out);
    } else {
        out.push('$');
        write_code(tex, context, out);
        out.push('$');
    }
}
