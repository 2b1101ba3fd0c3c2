//! Links that open a page at a passage: text fragments, as in <https://wicg.github.io/scroll-to-text-fragment/>.
use super::terms::is_dense;
use std::fmt::Write as _;
use std::ops::Range;

/// Lengths of the beginning of a fragment, the least and the largest, and the least one of its end.
struct Lengths {
    start: Range<usize>,
    end: usize,
}

/// In words.
const IN_WORDS: Lengths = Lengths { start: 4..12, end: 4 };
/// In characters, for scripts without spaces.
const IN_CHARS: Lengths = Lengths { start: 8..24, end: 6 };

/// A page's text as fragments are compared: in lower case, with single spaces.
#[derive(Debug)]
pub(crate) struct FoldedPage(String);

impl FoldedPage {
    pub(crate) fn new(text: &str) -> FoldedPage {
        FoldedPage(squeezed(text))
    }

    /// Whether a phrase is in the text once at most. In the text it may be between marks of Markdown that the page does not show.
    fn holds_once(&self, phrase: &str) -> bool {
        let phrase = squeezed(phrase);
        self.0.find(&phrase) == self.0.rfind(&phrase)
    }
}

fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Returns an address that opens the page at a passage of its text or Markdown.
///
/// The fragment names words of one line of the passage, which are part of one block of the page, without any markup between them. It is as long as
/// needed to name the passage alone. Of a long line it names the beginning and the end.
pub(crate) fn link(url: &str, passage: &str, page: &FoldedPage) -> String {
    let url = url.split('#').next().unwrap_or(url);
    match directive(passage, page) {
        Some(directive) => format!("{url}#:~:text={directive}"),
        None => url.to_owned(),
    }
}

fn directive(passage: &str, page: &FoldedPage) -> Option<String> {
    let mut best: Option<(bool, usize, String)> = None;
    // A passage has few lines; some dozens are enough for one that is unique.
    for line in passage.lines().filter(|l| !l.trim().is_empty()).take(40) {
        let is_heading = line.starts_with('#');
        for run in runs(line) {
            let words = spans(run);
            let is_long = !is_heading && length(run, &words) >= lengths(run).start.start;
            let Some((text, unique)) = fragment(run, &words, page) else { continue };
            if is_long && unique {
                return Some(text);
            }
            let worth = usize::from(unique) * 1000 + words.len().min(900) / (1 + usize::from(is_heading));
            if best.as_ref().is_none_or(|b| worth > b.1) {
                best = Some((unique, worth, text));
            }
        }
    }
    best.map(|b| b.2)
}

fn lengths(run: &str) -> Lengths {
    if run.contains(is_dense) { IN_CHARS } else { IN_WORDS }
}

/// Returns the length of some words of a run.
fn length(run: &str, words: &[Range<usize>]) -> usize {
    if run.contains(is_dense) { words.iter().map(|w| run[w.clone()].chars().count()).sum() } else { words.len() }
}

/// Returns the directive for a run of words, and whether its beginning is in the page once.
fn fragment(run: &str, words: &[Range<usize>], page: &FoldedPage) -> Option<(String, bool)> {
    let Lengths { start: bounds, end: least_end } = lengths(run);
    let first = words.first()?.start;
    let beginning = |n: usize| &run[first..words[n - 1].end];
    let start = (1..words.len())
        .find(|n| {
            let length = length(run, &words[..*n]);
            length >= bounds.start && (length >= bounds.end || page.holds_once(beginning(*n)))
        })
        .unwrap_or(words.len());
    let unique = page.holds_once(beginning(start));
    let mut text = encoded(beginning(start));
    let rest = &words[start..];
    if let Some(n) = (1..=rest.len()).find(|n| length(run, &rest[rest.len() - n..]) >= least_end) {
        let _ = write!(text, ",{}", encoded(&run[rest[rest.len() - n].start..rest[rest.len() - 1].end]));
    }
    Some((text, unique))
}

/// Returns the words of a run, without the signs around it. Words lie between spaces. In scripts without spaces, the text between two signs counts as a
/// word, since browsers find only whole words and separate them by a dictionary.
fn spans(run: &str) -> Vec<Range<usize>> {
    let is_dense_run = run.contains(is_dense);
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        let is_border = c.is_whitespace() || is_dense_run && !c.is_alphanumeric() && !c.is_ascii();
        match spans.last_mut() {
            _ if is_border => open = false,
            Some(last) if open => last.end = end,
            _ => {
                spans.push(at..end);
                open = true;
            }
        }
    }
    spans.retain(|s| run[s.clone()].contains(char::is_alphanumeric));
    // Browsers find whole words, and punctuation next to them may differ on the page.
    if let Some(first) = spans.first_mut() {
        first.start += run[first.clone()].find(char::is_alphanumeric).unwrap_or(0);
    }
    if let Some(last) = spans.last_mut() {
        let word = &run[last.clone()];
        let end =
            word.char_indices().rev().find(|c| c.1.is_alphanumeric()).map_or(word.len(), |c| c.0 + c.1.len_utf8());
        last.end = last.start + end;
    }
    spans
}

/// Returns the parts of a line without markup, with whole words only.
fn runs(line: &str) -> Vec<&str> {
    let marker =
        line.find(|c: char| !matches!(c, '#' | '>' | '-' | '+' | '*' | '•' | ' ' | '\t')).unwrap_or(line.len());
    let digits = line[marker..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let is_number =
        digits > 0 && line[marker + digits..].starts_with([')', '.']) && line[marker + digits + 1..].starts_with(' ');
    let line = if is_number { &line[marker + digits + 1..] } else { &line[marker..] };
    let mut runs = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < line.len() {
        let rest = &line[at..];
        let c = rest.chars().next().unwrap_or(' ');
        let skipped = match c {
            // The address of a link, an image, a tag, a character reference.
            ']' if rest[1..].starts_with('(') => rest.find(')').map_or(1, |n| n + 1),
            '!' if rest[1..].starts_with('[') => rest.find(')').map_or(2, |n| n + 1),
            '<' => rest.find('>').map_or(1, |n| n + 1),
            '&' => rest[..rest.floor_char_boundary(12)].find(';').map_or(1, |n| n + 1),
            '*' | '_' | '[' | ']' | '`' | '\\' | '|' | '~' | '^' | '#' | '{' | '}' | '=' | '$' | '\u{ad}' => {
                c.len_utf8()
            }
            _ => {
                at += c.len_utf8();
                continue;
            }
        };
        push_run(line, start..at, &mut runs);
        at += skipped;
        start = at;
    }
    push_run(line, start..line.len(), &mut runs);
    runs
}

/// Adds a run without words that continue beyond it.
fn push_run<'a>(line: &'a str, range: Range<usize>, runs: &mut Vec<&'a str>) {
    let Range { mut start, mut end } = range;
    let run = &line[start..end];
    if start > 0 && !run.starts_with(char::is_whitespace) {
        start += run.find(char::is_whitespace).unwrap_or(run.len());
    }
    let run = &line[start..end];
    if end < line.len() && !run.ends_with(char::is_whitespace) {
        end = start + run.rfind(char::is_whitespace).unwrap_or(0);
    }
    let run = line[start..end].trim();
    if run.contains(char::is_alphanumeric) {
        runs.push(run);
    }
}

/// Encodes all but letters, digits and `._~`: a hyphen, a comma and an ampersand would be signs of the directive.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'~' => out.push(byte as char),
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passage: &str, page: &str) -> String {
        link("https://e.org/a#old", passage, &FoldedPage::new(page)).replace("https://e.org/a", "")
    }

    #[test]
    fn a_short_line_is_named_whole_and_a_long_one_by_its_ends() {
        assert_eq!(of("Tickets, non-stop: four & more", "…"), "#:~:text=Tickets%2C%20non%2Dstop%3A%20four");
        let long = "Tickets are sold on board of the ferry, and cards are accepted everywhere.";
        assert_eq!(of(long, long), "#:~:text=Tickets%20are%20sold%20on,cards%20are%20accepted%20everywhere");
        assert_eq!(of("***", ""), "");
    }

    #[test]
    fn a_beginning_that_is_not_alone_grows() {
        let page = "Tickets are sold on board. Tickets are sold on the pier.";
        assert_eq!(of("Tickets are sold on the pier.", page), "#:~:text=Tickets%20are%20sold%20on%20the");
        // Another line is alone.
        let passage = "Tickets are sold on board.\n\nThey cost four pounds each.";
        let twice = format!("Tickets are sold on board. {passage}");
        assert_eq!(of(passage, &twice), "#:~:text=They%20cost%20four%20pounds");
    }

    #[test]
    fn markup_is_never_in_a_fragment() {
        let text = of("## Prices\n\n- Write to [the of*fice* here](https://e.org/x) for groups of more than ten.", "");
        assert_eq!(text, "#:~:text=for%20groups%20of%20more");
        assert_eq!(runs("1. un*believ*able words here"), ["words here"]);
        assert_eq!(runs("a &amp; b ![alt](x.png) c <br> d"), ["a", "b", "c", "d"]);
        assert_eq!(of("## Prices", "Prices"), "#:~:text=Prices");
    }

    #[test]
    fn scripts_without_spaces_are_cut_at_signs() {
        let text = "渡船每天早上九点从码头出发，晚上六点返回，票价是四元整。";
        let expected = format!("#:~:text={},{}", encoded("渡船每天早上九点从码头出发"), encoded("票价是四元整"));
        assert_eq!(of(text, text), expected);
    }
}
