//! Labels of pagination links in many languages.
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// The role of a link in a pagination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkRole {
    /// The page after this one.
    Next,
    /// The page before this one.
    Previous,
    /// The first page.
    First,
    /// The last page.
    Last,
    /// A page with a number.
    Page,
}

impl LinkRole {
    /// All roles, in the order of the model's forests.
    pub const ALL: [LinkRole; 5] =
        [LinkRole::Next, LinkRole::Previous, LinkRole::First, LinkRole::Last, LinkRole::Page];

    /// Returns the name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            LinkRole::Next => "next",
            LinkRole::Previous => "previous",
            LinkRole::First => "first",
            LinkRole::Last => "last",
            LinkRole::Page => "page",
        }
    }
}

/// Kinds of words in labels: the roles except [`LinkRole::Page`], words for a page, words for more, and words for chronological order, which
/// pages use in either direction.
pub const KINDS: [&str; 8] = ["next", "previous", "first", "last", "page", "more", "older", "newer"];

/// Words and phrases in lower case, by kind. In languages without spaces, a word may occur anywhere in the text.
const WORDS: [&[&str]; KINDS.len()] = [
    lexicon!("pagination-next.txt"),
    lexicon!("pagination-previous.txt"),
    lexicon!("pagination-first.txt"),
    lexicon!("pagination-last.txt"),
    lexicon!("pagination-page.txt"),
    lexicon!("pagination-more.txt"),
    lexicon!("pagination-older.txt"),
    lexicon!("pagination-newer.txt"),
];

/// The words by the way they are looked up; a word's mask has the bits of its kinds.
#[derive(Default)]
struct Lexicon {
    all: HashMap<&'static str, u16>,
    words: HashMap<&'static str, u16>,
    /// Phrases by the bytes around their first space: the phrase, the index of that space, the mask.
    phrases: HashMap<[u8; 2], Vec<(&'static str, usize, u16)>>,
    unspaced: Vec<(&'static str, u16)>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut out = Lexicon::default();
    for (k, list) in WORDS.iter().enumerate() {
        for w in list.iter() {
            *out.all.entry(w).or_default() |= 1 << k;
            if w.chars().any(maintext_page::blocks::is_cjk) {
                out.unspaced.push((w, 1 << k))
            } else {
                match w.bytes().position(|b| b == b' ').and_then(|at| Some((at, around(w, at)?))) {
                    Some((at, around)) => out.phrases.entry(around).or_default().push((w, at, 1 << k)),
                    None => *out.words.entry(w).or_default() |= 1 << k,
                }
            }
        }
    }
    out
});

/// Returns the bytes before and after a position in a text.
fn around(text: &str, at: usize) -> Option<[u8; 2]> {
    let bytes = text.as_bytes();
    Some([*bytes.get(at.checked_sub(1)?)?, *bytes.get(at + 1)?])
}

/// Scores a text for each of [`KINDS`]: 2 if it consists of such a word or phrase, signs and numbers, 1 if it contains one.
pub fn fit(text: &str) -> [f32; 8] {
    let mut out = [0.0; 8];
    // A long text is not a label of a pagination link.
    if text.is_empty() || text.len() > 120 {
        return out;
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|w| !w.is_empty()).collect();
    let bare = words.iter().filter(|w| !w.chars().all(char::is_numeric)).copied().collect::<Vec<_>>().join(" ");
    let lexicon: &Lexicon = &LEXICON;
    let mut holds =
        |mask: u16| out.iter_mut().enumerate().filter(|(k, _)| mask >> k & 1 == 1).for_each(|(_, f)| *f = 1.0);
    words.iter().filter_map(|w| lexicon.words.get(w)).for_each(|m| holds(*m));
    // Every phrase has a space, so only the positions of spaces are examined.
    for at in bare.bytes().enumerate().filter(|(_, b)| *b == b' ').map(|(at, _)| at) {
        let near = around(&bare, at).and_then(|around| lexicon.phrases.get(&around));
        for (phrase, space, mask) in near.into_iter().flatten() {
            if at.checked_sub(*space).is_some_and(|start| bare.as_bytes()[start..].starts_with(phrase.as_bytes())) {
                holds(*mask);
            }
        }
    }
    if lower.chars().any(maintext_page::blocks::is_cjk) {
        lexicon.unspaced.iter().filter(|(p, _)| lower.contains(p)).for_each(|(_, m)| holds(*m));
    }
    let exact = lexicon.all.get(bare.as_str()).copied().unwrap_or(0);
    out.iter_mut().enumerate().filter(|(k, _)| exact >> k & 1 == 1).for_each(|(_, f)| *f = 2.0);
    out
}

/// Marks that are parts of letters in the scripts of India and Thailand.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}')
}

/// Returns the direction of the arrows in a text: 1 forward, 2 to the end, -1 back, -2 to the beginning, 0 none.
pub fn arrow(text: &str) -> f32 {
    let (mut on, mut back) = (0.0f32, 0.0f32);
    for c in text.chars() {
        match c {
            '>' | '\u{203a}' | '\u{2192}' | '\u{25b6}' | '\u{25ba}' | '\u{276f}' | '\u{27e9}' | '\u{2c3}'
            | '\u{25b8}' | '\u{ff1e}' => on += 1.0,
            '<' | '\u{2039}' | '\u{2190}' | '\u{25c0}' | '\u{25c4}' | '\u{276e}' | '\u{27e8}' | '\u{2c2}'
            | '\u{25c2}' | '\u{ff1c}' => back += 1.0,
            '\u{bb}' | '\u{226b}' | '\u{21e5}' | '\u{300b}' => on += 2.0,
            '\u{ab}' | '\u{226a}' | '\u{21e4}' | '\u{300a}' => back += 2.0,
            _ => {}
        }
    }
    if (on > 0.0) == (back > 0.0) {
        0.0
    } else if on > 0.0 {
        on.min(2.0)
    } else {
        -back.min(2.0)
    }
}

/// Returns a text with all numbers alike: "3 colours" and "12 colours" are the same label.
pub(super) fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('0') {
            out.push('0');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_several_languages_are_recognised() {
        let next = |s: &str| fit(s)[0];
        for s in [
            "Next",
            "next \u{bb}",
            "N\u{e4}chste",
            "\u{4e0b}\u{4e00}\u{9875}",
            "\u{421}\u{43b}\u{435}\u{434}\u{443}\u{44e}\u{449}\u{430}\u{44f}",
            "\u{905}\u{917}\u{932}\u{93e}",
        ] {
            assert_eq!(next(s), 2.0, "{s}");
        }
        assert_eq!((next("Next page"), fit("Next page")[4]), (1.0, 1.0));
        assert_eq!(next("Nextcloud released"), 0.0);
        assert_eq!(fit("Load more")[5], 2.0);
        // A phrase is found at any position, after any number of spaces.
        assert_eq!(
            (fit("1 2 load more posts")[5], fit("load more")[5], fit("load mor e")[5], fit("loa d more")[5]),
            (1.0, 2.0, 0.0, 0.0)
        );
        assert_eq!((arrow("\u{203a}"), arrow("\u{ab}"), arrow("<>"), arrow("x")), (1.0, -2.0, 0.0, 0.0));
    }
}
