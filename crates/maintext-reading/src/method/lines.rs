//! The page as lines: the measurements of the line-based methods, and the step from decisions about lines to decisions about blocks.
use super::View;
use super::scan::{Kind, is_player, pieces};
use crate::choice::Choice;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use std::ops::Range;

/// Share of a block's source bytes that must lie on kept lines for the block to be kept.
const KEPT_SHARE: f32 = 0.5;

/// A line (or paragraph) of a page and a method's decision about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Number, counted from 1.
    pub number: u32,
    /// Source bytes from the line's beginning to its end, including anything that was cut from it.
    pub span: Range<u32>,
    /// Length of the line's HTML in the method's unit (bytes or characters), without the parts that were cut.
    pub bytes: u32,
    /// Length of its text in characters.
    pub chars: u32,
    /// The method's density: of text or of markup.
    pub density: f32,
    /// The number that is compared with the method's threshold.
    pub score: f32,
    /// The probability that the line is content, if the method estimates one.
    pub probability: Option<f32>,
    /// Whether the line is content.
    pub keep: bool,
    /// Bytes of [`Lines::text`].
    pub text: Range<u32>,
}

/// A page's lines after a method has judged them: the table that `maintext inspect` shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The lines in page order.
    pub lines: Vec<Line>,
    /// The threshold that scores are compared with, if any.
    pub threshold: Option<f32>,
    /// Whether lines below the threshold are kept instead of those above it.
    pub keep_below: bool,
    /// Other values that the method computed for the page, by name.
    pub facts: Vec<(&'static str, f64)>,
    text: String,
}

impl Lines {
    /// Returns the text of line `i` with white space collapsed.
    pub fn text(&self, i: usize) -> &str {
        let r = &self.lines[i].text;
        &self.text[r.start as usize..r.end as usize]
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether the page has no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Decides by threshold: keeps lines whose score is above it, or below it if [`Lines::keep_below`] is set.
    pub fn decide(&mut self, threshold: f32) {
        self.threshold = Some(threshold);
        for l in &mut self.lines {
            l.keep = if self.keep_below { l.score < threshold } else { l.score > threshold };
        }
    }

    /// Turns decisions about lines into decisions about blocks: a block has the mean score and probability of the lines that hold its text,
    /// weighted by bytes, and is kept if at least half of its bytes are on kept lines.
    ///
    /// Linear in the size of the page, apart from one binary search for each text node.
    pub fn choice(&self, dom: &Dom, blocks: &Blocks) -> Choice {
        let mut scores = Vec::with_capacity(blocks.len());
        let mut probabilities = Vec::with_capacity(blocks.len());
        let mut keep = Vec::with_capacity(blocks.len());
        let mut known = true;
        for block in &blocks.blocks {
            let (mut total, mut kept, mut score, mut probability) = (0.0f64, 0.0, 0.0, 0.0);
            for &leaf in blocks.leaves_of(block) {
                let span = dom.span(leaf);
                let first = self.lines.partition_point(|l| l.span.end as usize <= span.start);
                for l in self.lines[first..].iter().take_while(|l| (l.span.start as usize) < span.end) {
                    let from = span.start.max(l.span.start as usize);
                    let bytes = span.end.min(l.span.end as usize).saturating_sub(from) as f64;
                    total += bytes;
                    kept += if l.keep { bytes } else { 0.0 };
                    score += bytes * l.score as f64;
                    match l.probability {
                        Some(p) => probability += bytes * p as f64,
                        None => known = false,
                    }
                }
            }
            // A block without a byte of its own in the source lies on no line, and is dropped.
            let total = if total == 0.0 { f64::INFINITY } else { total };
            scores.push((score / total) as f32);
            probabilities.push((probability / total) as f32);
            keep.push(kept / total >= KEPT_SHARE as f64);
        }
        Choice::new(scores, known.then_some(probabilities), keep)
    }
}

/// A line of source after cutting, before it is judged.
#[derive(Clone, Debug, Default)]
pub struct SourceLine {
    /// Bytes of the source.
    pub span: Range<usize>,
    /// Characters of the line without indentation.
    pub length: u32,
    /// Characters outside markup, without white space at the ends.
    pub text_chars: u32,
    /// Characters of the text inside links.
    pub link_chars: u32,
    /// Number of images.
    pub images: u32,
    /// Number of videos.
    pub videos: u32,
    /// Bytes of the shared text.
    pub text: Range<u32>,
}

/// The elements that are cut besides comments, scripts and styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Scripts, styles and comments.
    Code,
    /// Also `<meta>`, and `<ins>` with its content.
    CodeMetaIns,
}

/// Mean line length in characters above which a page counts as written without line breaks.
///
/// Lines that people or templates break are shorter than 200 characters on average; minified pages have thousands.
const WITHOUT_BREAKS: usize = 400;

/// Returns the lines of the source that are not blank, and their shared text. Lines end at the line breaks of the source, as published; at
/// block elements, too, if the page has almost no line breaks.
pub fn source_lines(source: &str, cut: Cut) -> (Vec<SourceLine>, String) {
    let by_source = Collector::run(source, cut, false);
    let total: usize = by_source.0.iter().map(|l| l.length as usize).sum();
    if total > WITHOUT_BREAKS * by_source.0.len() { Collector::run(source, cut, true) } else { by_source }
}

struct Collector<'a> {
    source: &'a str,
    lines: Vec<SourceLine>,
    text: String,
    line: SourceLine,
    /// Trailing white space, which counts only if more follows on the line.
    pending: u32,
    pending_text: u32,
    links: u32,
    space: bool,
}

impl<'a> Collector<'a> {
    fn run(source: &'a str, cut: Cut, at_blocks: bool) -> (Vec<SourceLine>, String) {
        let mut c = Collector {
            source,
            lines: Vec::new(),
            text: String::new(),
            line: SourceLine::default(),
            pending: 0,
            pending_text: 0,
            links: 0,
            space: false,
        };
        let mut inserted = 0u32;
        for piece in pieces(source) {
            let end = piece.span.end;
            match piece.kind {
                Kind::Comment | Kind::Code => {}
                Kind::Start(Tag::META) | Kind::End(Tag::META) if cut == Cut::CodeMetaIns => {}
                Kind::Start(Tag::INS) if cut == Cut::CodeMetaIns => inserted += 1,
                Kind::End(Tag::INS) if cut == Cut::CodeMetaIns => inserted = inserted.saturating_sub(1),
                _ if inserted > 0 => {}
                Kind::Text => c.text(piece.span),
                Kind::Start(tag) => {
                    if at_blocks && tag.is_block() {
                        c.flush(piece.span.start);
                    }
                    c.start(tag, &source[piece.span.clone()]);
                    c.markup(piece.span);
                    if at_blocks && tag == Tag::BR {
                        c.flush(end);
                    }
                }
                Kind::End(tag) => {
                    if tag == Tag::A {
                        c.links = c.links.saturating_sub(1);
                    }
                    c.markup(piece.span);
                    if at_blocks && tag.is_block() {
                        c.flush(end);
                    }
                }
                Kind::Declaration => c.markup(piece.span),
            }
        }
        c.flush(source.len());
        (c.lines, c.text)
    }

    fn start(&mut self, tag: Tag, source: &str) {
        match tag {
            Tag::IMG => self.line.images += 1,
            Tag::EMBED | Tag::VIDEO => self.line.videos += 1,
            Tag::IFRAME if is_player(source) => self.line.videos += 1,
            // Links do not nest, so a second start tag ends the first link.
            Tag::A => self.links = 1,
            _ => {}
        }
    }

    /// Adds markup to the line's length. A line break inside a tag ends the line like any other.
    fn markup(&mut self, span: Range<usize>) {
        for (i, c) in self.source[span.clone()].char_indices() {
            if c == '\n' {
                self.flush(span.start + i + 1);
            } else {
                self.count(c);
            }
        }
    }

    fn count(&mut self, c: char) {
        if c.is_whitespace() {
            self.pending += (self.line.length > 0) as u32;
        } else {
            self.line.length += self.pending + 1;
            self.pending = 0;
        }
    }

    fn text(&mut self, span: Range<usize>) {
        for (i, c) in self.source[span.clone()].char_indices() {
            if c == '\n' {
                self.flush(span.start + i + 1);
                continue;
            }
            self.count(c);
            if c.is_whitespace() {
                self.pending_text += (self.line.text_chars > 0) as u32;
                self.space = true;
                continue;
            }
            let inside = self.line.text_chars > 0;
            self.line.text_chars += self.pending_text + 1;
            self.line.link_chars += if self.links > 0 { self.pending_text + 1 } else { 0 };
            self.pending_text = 0;
            if std::mem::take(&mut self.space) && inside {
                self.text.push(' ');
            }
            self.text.push(c);
        }
    }

    /// Ends the line at source byte `end`. The span of the next line includes blank lines before it.
    fn flush(&mut self, end: usize) {
        (self.pending, self.pending_text, self.space) = (0, 0, false);
        if self.line.length == 0 {
            return;
        }
        let next = SourceLine {
            span: end..end,
            text: self.text.len() as u32..self.text.len() as u32,
            ..SourceLine::default()
        };
        let mut line = std::mem::replace(&mut self.line, next);
        line.span.end = end;
        line.text.end = self.text.len() as u32;
        self.lines.push(line);
    }
}

/// Turns lines of source into judged lines; `density` gives the density of each.
pub fn judged(lines: &[SourceLine], text: String, density: impl Fn(&SourceLine) -> f32) -> Lines {
    Lines {
        lines: lines
            .iter()
            .enumerate()
            .map(|(i, l)| Line {
                number: i as u32 + 1,
                span: l.span.start as u32..l.span.end as u32,
                bytes: l.length,
                chars: l.text_chars,
                density: density(l),
                text: l.text.clone(),
                ..Line::default()
            })
            .collect(),
        text,
        ..Lines::default()
    }
}

/// Returns the page as paragraphs: a new one begins at every block-level element and every `<br>`. The bytes of a paragraph are counted
/// from the end of the previous text to the end of its own, so the markup before the text counts.
///
/// Density is text divided by bytes, both in bytes of UTF-8, and at most 1.
pub fn paragraphs(page: &View<'_>) -> Lines {
    let mut p = Paragraphs { page, out: Lines::default(), line: Line::default(), text_bytes: 0, space: false };
    p.run();
    p.out
}

struct Paragraphs<'a> {
    page: &'a View<'a>,
    out: Lines,
    line: Line,
    text_bytes: u32,
    space: bool,
}

impl Paragraphs<'_> {
    fn run(&mut self) {
        let dom = self.page.dom;
        let mut walk = dom.traverse(NodeId::ROOT);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) if dom.kind(n) == NodeKind::Text => self.text(dom.text(n), dom.span(n)),
                Edge::Enter(n) => {
                    let tag = dom.tag(n);
                    if tag.is_block() || tag == Tag::BR {
                        self.flush();
                    }
                    if tag.is_skipped() || dom.kind(n) == NodeKind::Other {
                        walk.skip_children();
                    }
                }
                Edge::Leave(n) if dom.tag(n).is_block() => self.flush(),
                Edge::Leave(_) => {}
            }
        }
        self.flush();
    }

    fn text(&mut self, text: &str, span: Range<usize>) {
        if text.chars().all(char::is_whitespace) {
            self.space = true;
            return;
        }
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
                continue;
            }
            if std::mem::take(&mut self.space) && self.text_bytes > 0 {
                self.out.text.push(' ');
                self.line.chars += 1;
                self.text_bytes += 1;
            }
            self.out.text.push(c);
            self.line.chars += 1;
            self.text_bytes += c.len_utf8() as u32;
        }
        // Misnested tables move text: a span may begin earlier than the last, but never end earlier.
        self.line.span.end = self.line.span.end.max(span.end as u32);
    }

    fn flush(&mut self) {
        self.space = false;
        if self.text_bytes == 0 {
            return;
        }
        let end = self.line.span.end;
        let next = self.out.text.len() as u32;
        let mut line = std::mem::take(&mut self.line);
        self.line.span = end..end;
        self.line.text = next..next;
        line.text.end = next;
        line.number = self.out.lines.len() as u32 + 1;
        line.bytes = (line.span.end - line.span.start).max(self.text_bytes);
        line.density = self.text_bytes as f32 / line.bytes as f32;
        self.out.lines.push(line);
        self.text_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_code_are_cut() {
        let html = "<p>One</p>\n   \n<script>\nvar a;\n</script>\n  <p>Two <!-- x\ny --> three</p>  \n";
        let (lines, text) = Collector::run(html, Cut::Code, false);
        let got: Vec<_> =
            lines.iter().map(|l| (l.length, l.text_chars, &text[l.text.start as usize..l.text.end as usize])).collect();
        // "<p>One</p>" is 10 characters; "<p>Two  three</p>" 17, its text "Two  three" 10.
        assert_eq!(got, [(10, 3, "One"), (17, 10, "Two three")]);
        assert_eq!(lines[1].span.end, html.len());
    }

    #[test]
    fn link_text_images_and_videos_are_counted() {
        let html =
            "<a href=x>ab c</a> de<img src=y><video></video><embed><iframe src=/ad></iframe><ins>no<img></ins><meta x>";
        let (lines, _) = Collector::run(html, Cut::CodeMetaIns, false);
        let l = &lines[0];
        assert_eq!((l.text_chars, l.link_chars, l.images, l.videos), (7, 4, 1, 2));
    }

    #[test]
    fn pages_without_line_breaks_are_broken_at_blocks() {
        let html = format!("<div><p>{}</p><p>b<br>c</p></div>", "a".repeat(500));
        let chars = |lines: Vec<SourceLine>| lines.iter().map(|l| l.text_chars).collect::<Vec<_>>();
        assert_eq!(chars(Collector::run(&html, Cut::Code, false).0), [502]);
        // The opening div is on its own line, and so is its end.
        assert_eq!(chars(source_lines(&html, Cut::Code).0), [0, 500, 1, 1, 0]);
    }

    #[test]
    fn paragraphs_take_the_bytes_since_the_last_text() {
        let html = "<ul><li><a href=/a>Home</a><li>News</ul><p>A long <b>line</b>.</p>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let lines = paragraphs(&view);
        let got: Vec<_> =
            (0..lines.len()).map(|i| (lines.lines[i].bytes, lines.lines[i].chars, lines.text(i))).collect();
        // "<ul><li><a href=/a>Home" 23, "</a><li>News" 12, "</ul><p>A long <b>line</b>." 27.
        assert_eq!(got, [(23, 4, "Home"), (12, 4, "News"), (27, 12, "A long line.")]);
        assert_eq!(lines.lines[1].density, 4.0 / 12.0);
    }

    #[test]
    fn blocks_follow_the_lines_that_hold_their_bytes() {
        let html = "<p>aa\nbbbbbb</p><p>c</p>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let (lines, text) = Collector::run(html, Cut::Code, false);
        let mut lines = judged(&lines, text, |_| 0.0);
        lines.lines[1].keep = true;
        lines.lines[1].score = 9.0;
        let choice = lines.choice(&dom, &blocks);
        // Of the 9 bytes "aa\nbbbbbb", 3 are on the dropped line and 6 on the kept one: 6 * 9 / 9.
        assert_eq!((choice.kept(), choice.scores()[0]), (&[true, true][..], 6.0));
        lines.lines[1].keep = false;
        assert!(!lines.choice(&dom, &blocks).keeps(0));
    }
}
