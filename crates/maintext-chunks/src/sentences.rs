//! Where a paragraph may be cut: between sentences, words and graphemes.
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations after which a capital letter or a number does not begin a sentence.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "art", "bzw", "ca", "cf", "dr", "ed", "eq", "fig", "gen", "hr", "jr", "lt", "mr", "mrs", "ms",
    "mt", "no", "nr", "pp", "prof", "sr", "st", "vgl", "vol", "vs",
];

/// Returns the sentences of a paragraph without the white space between them. A line break ends a sentence.
///
/// A sentence ends after `.`, `!`, `?` and their like in other scripts, and the quotation marks and brackets that follow. Scripts that write
/// spaces need one there; the next letter must not be small, and a full stop must not belong to an abbreviation, an
/// initial or the number of a list item. Nothing in `whole`, sorted ranges, is cut.
pub(crate) fn sentences(text: &str, whole: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    let mut word = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let wide = matches!(c, '。' | '！' | '？' | '｡');
        if c == '\n' {
            cuts.push(end);
        } else if wide || matches!(c, '.' | '!' | '?' | '…' | '।' | '॥' | '؟' | '۔' | '።' | '។') {
            let mut end = end;
            while let Some(&(at, c)) =
                chars.peek().filter(|c| is_closer(c.1) || matches!(c.1, '.' | '!' | '?' | '！' | '？'))
            {
                end = at + c.len_utf8();
                chars.next();
            }
            let next = text[end..].chars().next();
            let spaced = next.is_none_or(char::is_whitespace);
            if wide || spaced && !goes_on(text, word, at, end) {
                cuts.push(end);
            }
            word = end;
        } else if c.is_whitespace() {
            word = end;
        }
    }
    between(text, cuts, whole)
}

/// Whether the sentence goes on after a sign.
fn goes_on(text: &str, word: usize, stop: usize, end: usize) -> bool {
    // Few spaces: a long run of them is counted once per stop.
    let next = text[end..].chars().take(8).find(|c| !c.is_whitespace());
    if next.is_some_and(char::is_lowercase) {
        return true;
    }
    if !text[stop..].starts_with('.') {
        return false;
    }
    let before = text[word..stop].trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut letters = before.chars();
    match (letters.next(), letters.next()) {
        (Some(c), None) if c.is_alphabetic() => true,
        (Some(c), _) if c.is_ascii_digit() => text[..word].trim().is_empty() && before.len() < 4,
        _ => before.len() < 8 && ABBREVIATIONS.contains(&before.to_lowercase().as_str()),
    }
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '›' | '」' | '』' | '）' | '】' | '》' | '*' | '_' | '`')
}

/// Returns the words between white space.
pub(crate) fn words(text: &str, whole: &[Range<usize>]) -> Vec<Range<usize>> {
    let cuts = text.char_indices().filter(|c| c.1.is_whitespace()).map(|(at, c)| at + c.len_utf8()).collect();
    between(text, cuts, whole)
}

/// Returns the words of scripts without spaces, as Unicode's standard annex 29 finds them without a dictionary: an ideograph is a word, a run of
/// Thai letters falls into graphemes.
pub(crate) fn bounds(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.split_word_bound_indices().map(|(at, w)| at..at + w.len())
}

/// Returns the longest beginning of a text, cut between graphemes, of at most `bytes` bytes; at least one grapheme.
pub(crate) fn beginning(text: &str, bytes: usize) -> usize {
    let mut end = 0;
    for (at, g) in text.grapheme_indices(true) {
        if at > 0 && at + g.len() > bytes {
            break;
        }
        end = at + g.len();
    }
    end
}

/// Returns the parts between cuts, without the white space at their ends. Cuts inside of `whole` do not count.
fn between(text: &str, cuts: Vec<usize>, whole: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut w) = (0, 0);
    for cut in cuts.into_iter().chain([text.len()]) {
        while whole.get(w).is_some_and(|r| r.end <= cut) {
            w += 1;
        }
        if cut < text.len() && whole.get(w).is_some_and(|r| r.start < cut) {
            continue;
        }
        let part = &text[start..cut];
        let from = start + (part.len() - part.trim_start().len());
        let to = start + part.trim_end().len();
        if from < to {
            parts.push(from..to);
        }
        start = cut;
    }
    parts
}

/// Returns the links, images, code and formulas in a line of Markdown, as sorted ranges without overlaps.
pub(crate) fn markup(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut open, mut at) = (Vec::<Range<usize>>::new(), Vec::new(), 0);
    // Steps that may be taken in vain, so that the work stays linear.
    let mut spare = 2 * bytes.len();
    let mut find = |from: usize, is_end: &dyn Fn(usize) -> bool| -> Option<usize> {
        let mut i = from;
        while i < bytes.len() && spare > 0 {
            spare -= 1;
            match bytes[i] {
                b'\\' => i += 2,
                _ if is_end(i) => return Some(i),
                _ => i += 1,
            }
        }
        None
    };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => open.push(at),
            b']' => {
                let Some(start) = open.pop() else {
                    at += 1;
                    continue;
                };
                if bytes.get(at + 1) == Some(&b'(')
                    && let Some(end) = find(at + 2, &|i| bytes[i] == b')')
                {
                    found.push(start..end + 1);
                    at = end;
                }
            }
            c @ (b'`' | b'$') => {
                let run = bytes[at..].iter().take_while(|&&b| b == c).count();
                let fence = &bytes[at..at + run];
                if run < 16
                    && let Some(end) = find(at + run, &|i| {
                        bytes[i..].starts_with(fence) && bytes.get(i + run) != Some(&c) && bytes[i - 1] != c
                    })
                {
                    found.push(at..end + run);
                    at = end + run - 1;
                } else {
                    at += run - 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
    let mut end = 0;
    found.retain(|r| {
        let is_outer = end <= r.start;
        end = end.max(r.end);
        is_outer
    });
    found.retain(|r| text.is_char_boundary(r.start) && text.is_char_boundary(r.end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<'a>(text: &'a str, whole: &[Range<usize>]) -> Vec<&'a str> {
        sentences(text, whole).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn sentences_end_at_their_signs_and_not_at_abbreviations() {
        let text = "Dr. J. Field (b. 1920) left. \"Why?\" he asked. It cost 3.5 pounds! Nr. 5 stayed.\nA line";
        let expected =
            ["Dr. J. Field (b. 1920) left.", "\"Why?\" he asked.", "It cost 3.5 pounds!", "Nr. 5 stayed.", "A line"];
        assert_eq!(all(text, &[]), expected);
        assert_eq!(all("1. First item. Second", &[]), ["1. First item.", "Second"]);
        assert_eq!(all("渡船九点开。（晚上回来。）没有人。", &[]), ["渡船九点开。", "（晚上回来。）", "没有人。"]);
    }

    #[test]
    fn markup_is_not_cut() {
        let text = r"See [A. B? C](http://e.org/a\)b) and `x. Y` or \[no. Yes\] $a. B$.";
        let found: Vec<&str> = markup(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found[0], r"[A. B? C](http://e.org/a\)b)");
        assert_eq!(&found[1..], ["`x. Y`", "$a. B$"]);
        assert_eq!(all("See [A? B](u). Then", &markup("See [A? B](u). Then")), ["See [A? B](u).", "Then"]);
    }

    #[test]
    fn long_words_are_cut_between_graphemes() {
        assert_eq!(beginning("e\u{301}e\u{301}e\u{301}", 4), 3);
        assert_eq!(beginning("👩‍👩‍👧‍👦x", 3), "👩‍👩‍👧‍👦".len());
    }
}
