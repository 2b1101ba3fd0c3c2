//! Formulas as TeX between delimiters in running text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`, `\begin{equation}`.
//!
//! A page that loads MathJax or KaTeX writes its formulas in this way and leaves the rest to the reader's browser. Like these renderers, the
//! search reads adjacent text nodes and the line breaks between them as one string. On other pages only TeX beyond doubt counts.
use super::renderers::Renderer;
use super::tex;
use crate::dom::{Dom, NodeId, NodeKind, Tag, single_spaced};
use crate::lexicon::lexicon;

/// Maximum number of bytes of a formula.
const MAX_FORMULA_BYTES: usize = 20_000;
/// Follows the dollar sign of a formula in posts of WordPress.
const WORDPRESS: &str = "latex ";
/// Number of ancestors among which code is looked for.
const MAX_LEVELS_TO_CODE: usize = 8;
/// Maximum number of nodes between two parts of a string.
const MAX_NODES_BETWEEN: usize = 16;

/// A formula between delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimited {
    /// The text node in which it begins, and its first byte there.
    pub first: (NodeId, usize),
    /// The text node in which it ends, and the byte after it.
    pub last: (NodeId, usize),
    /// Source in LaTeX.
    pub tex: String,
    /// Whether the formula is a block and not a part of a line.
    pub display: bool,
    /// Everything with the delimiters, white space collapsed.
    whole: String,
    /// The characters before it in the block, without white space and the formulas of elements.
    ink: usize,
    /// Whether a space separates it from the text before and after it: it is displayed, or another formula is there.
    apart: (bool, bool),
}

/// Whether a text may hold formulas: it has both ends of a delimiter.
pub fn may_hold(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut dollars, mut commands) = (0, 0);
    for i in memchr::memchr2_iter(b'$', b'\\', bytes) {
        match bytes[i] {
            b'\\' => commands += matches!(bytes.get(i + 1), Some(b'(' | b'[' | b'b' | b')' | b']' | b'e')) as usize,
            _ => dollars += 1,
        }
        if dollars > 1 || commands > 1 {
            return true;
        }
    }
    false
}

/// Returns the number of characters other than spaces.
fn ink(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Whether dollar signs in the text could be delimiters, or others are there: each one of a price is followed by a digit, and none ends there.
fn has_pair(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'$', b'\\', bytes).any(|i| {
        let is_price = bytes.get(i + 1).is_some_and(u8::is_ascii_digit);
        bytes[i] != b'$' || i > 0 && !is_price
    })
}

/// The search for the formulas of a page, block after block.
pub struct Search<'d> {
    dom: &'d Dom<'d>,
    scripts: &'d [NodeId],
    /// What the scripts do, once it matters.
    renderer: Option<Renderer>,
    /// Formulas in order.
    pub found: Vec<Delimited>,
}

impl<'d> Search<'d> {
    /// `scripts`: those outside of the head.
    pub fn new(dom: &'d Dom<'d>, scripts: &'d [NodeId]) -> Search<'d> {
        Search { dom, scripts, renderer: None, found: Vec::new() }
    }

    fn renderer(&mut self) -> Renderer {
        *self.renderer.get_or_insert_with(|| Renderer::of_page(self.dom, self.scripts))
    }

    /// Begins again as on a page that loads a renderer, if the formulas beyond doubt show that the page writes TeX; returns whether it does.
    pub fn again(&mut self) -> bool {
        /// Minimum number of formulas beyond doubt of such a page.
        const MIN_CERTAIN_FORMULAS: usize = 4;
        let again = self.found.len() >= MIN_CERTAIN_FORMULAS && !self.renderer().loaded;
        if again {
            self.renderer = Some(Renderer { loaded: true });
            self.found.clear();
        }
        again
    }

    /// Finds the formulas in the leaves of a block, and returns its text with TeX instead of the formulas and the number of characters of
    /// the formulas, if it has any; `code`: whether some of it is code.
    pub fn block(&mut self, leaves: &[NodeId], text: &str, code: bool) -> Option<(String, u32)> {
        let from = self.found.len();
        for string in strings(self.dom, leaves, code) {
            if may_hold(&string.text) && has_pair(&string.text) {
                let renderer = self.renderer();
                search(&string, renderer, &mut self.found);
            }
        }
        let found = &mut self.found[from..];
        if found.is_empty() {
            return None;
        }
        let (mut at, mut counted, mut before) = (0, 0, 0);
        for f in found.iter_mut() {
            let is_formula = |i: usize| leaves.get(i).is_some_and(|&n| self.dom.kind(n) != NodeKind::Text);
            at += leaves[at..].iter().position(|&n| n == f.first.0).unwrap_or(0);
            if code {
                before += leaves[counted..at].iter().map(|&n| ink(self.dom.text(n))).sum::<usize>();
                counted = at;
                f.ink = before + ink(&self.dom.text(f.first.0)[..f.first.1]);
            }
            f.apart.0 |= f.first.1 == 0 && at > 0 && is_formula(at - 1);
            at += leaves[at..].iter().position(|&n| n == f.last.0).unwrap_or(0);
            f.apart.1 |= f.last.1 == self.dom.text(f.last.0).len() && is_formula(at + 1);
        }
        Some(rewrite(text, found))
    }
}

/// Adjacent text nodes, and the line breaks between them, as one text.
#[derive(Default)]
struct Str {
    text: String,
    /// The nodes with their first bytes in the text.
    nodes: Vec<(NodeId, usize)>,
}

impl Str {
    fn place(&self, at: usize) -> (NodeId, usize) {
        let i = self.nodes.partition_point(|n| n.1 <= at).saturating_sub(1);
        let (node, start) = self.nodes[i];
        (node, at - start)
    }

    /// Returns the place after a byte: at a border between nodes, the end of the first.
    fn end_place(&self, at: usize) -> (NodeId, usize) {
        let (node, offset) = self.place(at - 1);
        (node, offset + 1)
    }
}

fn strings(dom: &Dom<'_>, leaves: &[NodeId], code: bool) -> Vec<Str> {
    let mut out: Vec<Str> = Vec::new();
    let mut last: Option<NodeId> = None;
    for &leaf in leaves {
        if dom.kind(leaf) != NodeKind::Text {
            last = None;
            continue;
        }
        let is_code = code && dom.ancestors(leaf).take(MAX_LEVELS_TO_CODE).any(|a| is_code(dom.tag(a)));
        if is_code {
            last = None;
            continue;
        }
        let gap = last.and_then(|l| gap(dom, l, leaf));
        if gap.is_none() {
            out.push(Str::default());
        }
        if let Some(string) = out.last_mut() {
            string.text.push_str(gap.unwrap_or(""));
            string.nodes.push((leaf, string.text.len()));
            string.text.push_str(dom.text(leaf));
        }
        last = Some(leaf);
    }
    out
}

fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::CODE | Tag::PRE | Tag::KBD | Tag::SAMP | Tag::XMP)
}

/// Returns the gap between two text nodes if it holds only line breaks, comments and white space.
fn gap(dom: &Dom<'_>, from: NodeId, to: NodeId) -> Option<&'static str> {
    let mut gap = "";
    let between = dom.next_siblings(from);
    for n in between.take(MAX_NODES_BETWEEN) {
        if n == to {
            return Some(gap);
        }
        match dom.kind(n) {
            NodeKind::Text if dom.text(n).trim().is_empty() => gap = "\n",
            NodeKind::Element if dom.tag(n) == Tag::BR => gap = "\n",
            NodeKind::Element if dom.tag(n) == Tag::WBR => {}
            NodeKind::Other => {}
            _ => return None,
        }
    }
    None
}

/// The opening delimiter at a place.
struct Opening {
    len: usize,
    close: Close,
    display: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum Close {
    Sign(&'static str),
    /// The end of an environment, which belongs to the TeX.
    Environment(String),
}

/// Finds the formulas of one string. Each closing delimiter without a partner is looked for once.
fn search(string: &Str, renderer: Renderer, out: &mut Vec<Delimited>) {
    let text = &*string.text;
    // The delimiters that no later one closes.
    let mut missing: Vec<Close> = Vec::new();
    // Braces may hide one closing delimiter from many opening ones, so the steps of all searches are bounded together.
    let mut steps = text.len().saturating_mul(8) + MAX_FORMULA_BYTES;
    let mut at = 0;
    while let Some(i) = memchr::memchr2(b'$', b'\\', &text.as_bytes()[at..]).map(|i| i + at) {
        at = i + 1;
        let Some(opening) = opening(&text[i..]) else {
            // An escaped sign opens nothing.
            at += (text.as_bytes()[i] == b'\\' && text.is_char_boundary(i + 2) && i + 2 <= text.len()) as usize;
            continue;
        };
        let start = i + opening.len;
        if missing.contains(&opening.close) {
            at = start;
            continue;
        }
        let end = closing(text, start, &opening.close);
        let taken = end.as_ref().map_or(text.len(), |e| e.end) - start;
        let Some(left) = steps.checked_sub(taken) else { return };
        steps = left;
        let Some(end) = end else {
            at = start;
            // A brace without a partner may have hidden the end.
            if tex::is_balanced(&text[start..]) {
                missing.push(opening.close);
            }
            continue;
        };
        let accepted = end.start - i <= MAX_FORMULA_BYTES && accepts(text, i, start, &end, &opening, renderer);
        if !accepted {
            at = start;
            continue;
        }
        let inner =
            if matches!(opening.close, Close::Environment(_)) { &text[i..end.end] } else { &text[start..end.start] };
        let tex = tex::clean(inner.strip_prefix(WORDPRESS).unwrap_or(inner));
        let (first, last) = (string.place(i), string.end_place(end.end));
        let whole = single_spaced(&text[i..end.end]);
        out.push(Delimited {
            first,
            last,
            tex,
            display: opening.display,
            whole,
            ink: 0,
            apart: (opening.display, opening.display),
        });
        at = end.end;
    }
}

fn opening(text: &str) -> Option<Opening> {
    let sign = |len, close, display| Some(Opening { len, close: Close::Sign(close), display });
    let bytes = text.as_bytes();
    match (bytes[0], bytes.get(1)) {
        (b'$', Some(b'$')) if text.starts_with("$$$$$$") => sign(6, "$$$$$$", true),
        (b'$', Some(b'$')) if text.starts_with("$$$") => sign(3, "$$$", false),
        (b'$', Some(b'$')) => sign(2, "$$", true),
        (b'$', Some(_)) => sign(1, "$", false),
        (b'\\', Some(b'(')) => sign(2, "\\)", false),
        (b'\\', Some(b'[')) => sign(2, "\\]", true),
        (b'\\', Some(b'b')) => {
            let name = text.strip_prefix("\\begin{")?;
            let name = &name[..name.bytes().take(16).position(|b| b == b'}')?];
            let known = ENVIRONMENTS.contains(&name.trim_end_matches('*'));
            known.then(|| Opening {
                len: 8 + name.len(),
                close: Close::Environment(format!("\\end{{{name}}}")),
                display: true,
            })
        }
        _ => None,
    }
}

/// The environments that stand for a formula of their own.
const ENVIRONMENTS: &[&str] = lexicon!("tex-environments.txt");

/// Whether a formula with this source between delimiters would end inside of it, at the closing one.
pub fn closes(tex: &str, sign: &'static str) -> bool {
    closing(tex, 0, &Close::Sign(sign)).is_some()
}

/// Returns the position of the closing delimiter; one in braces or behind a backslash closes nothing.
fn closing(text: &str, start: usize, close: &Close) -> Option<std::ops::Range<usize>> {
    let sign = match close {
        Close::Environment(end) => {
            return text[start..].find(end.as_str()).map(|i| start + i..start + i + end.len());
        }
        Close::Sign(sign) => *sign,
    };
    let bytes = text.as_bytes();
    let mut depth = 0;
    let mut at = start;
    while at < bytes.len() {
        let b = bytes[at];
        if depth <= 0 && b == sign.as_bytes()[0] && text[at..].starts_with(sign) {
            return Some(at..at + sign.len());
        }
        match b {
            b'\\' => at += 1,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

fn accepts(
    text: &str,
    i: usize,
    start: usize,
    end: &std::ops::Range<usize>,
    opening: &Opening,
    renderer: Renderer,
) -> bool {
    let inner = &text[start..end.start];
    let trimmed = inner.trim();
    let beyond_doubt = tex::is_beyond_doubt(trimmed) || inner.starts_with(WORDPRESS);
    if trimmed.is_empty() || !tex::is_balanced(trimmed) || !(renderer.loaded || beyond_doubt) {
        return false;
    }
    let Close::Sign(sign) = &opening.close else { return true };
    match *sign {
        "$" => {
            let before = text[..i].chars().next_back();
            let after = text[end.end..].chars().next();
            if after.is_some_and(|c| c.is_ascii_digit()) || trimmed.len() > 2000 || trimmed.contains("\n\n") {
                return false;
            }
            let in_word = before.is_some_and(char::is_alphanumeric);
            let spaced = inner.starts_with(char::is_whitespace) != inner.ends_with(char::is_whitespace);
            beyond_doubt || !spaced && !in_word && !tex::is_prose(inner)
        }
        "$$" | "$$$" | "$$$$$$" => beyond_doubt || tex::has_signs(trimmed) || !tex::is_prose(inner),
        _ => true,
    }
}

/// Returns the text of a block with its formulas as TeX, and the number of characters of the formulas. Spaces separate adjacent formulas and
/// those on lines of their own.
fn rewrite(text: &str, formulas: &[Delimited]) -> (String, u32) {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut apart, mut chars) = (0, false, 0);
    // The code of the block may hold the same source, so the search begins where the formula can begin.
    let (mut from, mut ink) = (0, 0);
    for f in formulas {
        while ink < f.ink
            && let Some(c) = text[from..].chars().next()
        {
            ink += !c.is_whitespace() as usize;
            from += c.len_utf8();
        }
        let skipped = from.saturating_sub(at);
        let Some(i) = text[at + skipped..].find(&f.whole).map(|i| i + skipped) else { break };
        let between = &text[at..at + i];
        if apart && !between.starts_with(' ') {
            out.push(' ');
        }
        out.push_str(between);
        if (f.apart.0 || between.is_empty()) && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(&f.tex);
        chars += f.tex.chars().count();
        apart = f.apart.1;
        at += i + f.whole.len();
    }
    let rest = &text[at..];
    if apart && !rest.is_empty() && !rest.starts_with(' ') {
        out.push(' ');
    }
    out.push_str(rest);
    (out, chars as u32)
}

#[cfg(test)]
mod tests {
    use crate::blocks::Blocks;

    const MATHJAX: &str = "<script src='https://cdn.example.org/mathjax@3/es5/tex-chtml.js'></script>";

    /// Returns the texts of the blocks of a page that loads MathJax, or of one that does not.
    fn texts(loads: bool, body: &str) -> Vec<String> {
        let html = format!("{}{body}", if loads { MATHJAX } else { "" });
        let dom = crate::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn delimiters_go_where_a_renderer_reads_them() {
        assert_eq!(texts(true, "<p>Let $x$ and \\(n\\) be given."), ["Let x and n be given."]);
        assert_eq!(texts(true, "<p>So $$a + b$$ holds."), ["So a + b holds."]);
        assert_eq!(texts(true, "<p>\\[ F = ma \\]"), ["F = ma"]);
        assert_eq!(texts(true, "<p>\\begin{align} a &= b \\end{align}"), ["\\begin{align} a &= b \\end{align}"]);
        assert_eq!(texts(false, "<p>Let $x$ and \\(n\\) be given."), ["Let $x$ and \\(n\\) be given."]);
    }

    #[test]
    fn tex_beyond_doubt_needs_no_renderer() {
        assert_eq!(texts(false, "<p>We have $\\frac{a}{b}$ here."), ["We have \\frac{a}{b} here."]);
        assert_eq!(texts(false, "<p>\\[\\sum_{i} x_{i}\\]"), ["\\sum_{i} x_{i}"]);
        assert_eq!(texts(false, "<p>grep '\\(a\\)' and $HOME or $PATH"), ["grep '\\(a\\)' and $HOME or $PATH"]);
    }

    #[test]
    fn dialects_of_dollar_signs_are_known() {
        assert_eq!(texts(false, "<p>Let $latex x$ be"), ["Let x be"]);
        assert_eq!(texts(true, "<p>Let $$$n$$$ be"), ["Let n be"]);
        assert_eq!(texts(true, "<p>Cafés: $$ or $$$, bars: $ to $$"), ["Cafés: $$ or $$$, bars: $ to $$"]);
    }

    #[test]
    fn prices_stay_prices() {
        for text in [
            "It costs $5 here and $7 there.",
            "From $5 to $10, or 20$ in all.",
            "Either 5$ or 6$ each.",
            "US$100-US$200 and A$AP, Ke$ha",
            "($5) and ($6)",
            "A budget of $1,000,000 and a price of $300 per year",
            "a price of \\$5 and \\$6",
        ] {
            assert_eq!(texts(true, &format!("<p>{text}")), [text]);
            assert_eq!(texts(false, &format!("<p>{text}")), [text]);
        }
    }

    #[test]
    fn formulas_span_line_breaks_and_comments_but_no_other_elements() {
        assert_eq!(
            texts(true, "<p>\\begin{align}<br>a &= b \\\\<br>c &= d<br>\\end{align} so"),
            ["\\begin{align} a &= b \\\\ c &= d \\end{align} so"]
        );
        assert_eq!(texts(true, "<p>$a<!-- x --> + b$"), ["a + b"]);
        assert_eq!(texts(true, "<p>$a <b>bold</b> b$"), ["$a bold b$"]);
        assert_eq!(texts(true, "<p><code>$a$ $b$</code> and $c$"), ["$a$ $b$ and c"]);
        assert_eq!(texts(true, "<pre>$a$ $b$</pre>"), ["$a$ $b$"]);
    }

    #[test]
    fn delimiters_without_partners_take_linear_time() {
        for unit in ["$", "\\(", "\\[", "$$ ", "${", "$a{", "\\begin{align}", "${$}", "\\"] {
            let body = unit.repeat(300_000 / unit.len());
            let start = std::time::Instant::now();
            texts(true, &format!("<p>{body}"));
            texts(true, &format!("<p>{body}$\\frac{{a}}{{b}}$"));
            assert!(start.elapsed().as_secs() < 10, "{unit}");
        }
    }
}
