//! Finds the phrases of the word lists in a text, in one pass over its words.
use maintext_page::blocks::is_cjk;
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use std::sync::OnceLock;

/// What a phrase says, as bits.
pub(super) mod says {
    pub const ERROR: u8 = 1;
    pub const CHALLENGE: u8 = 1 << 1;
    pub const PARKED: u8 = 1 << 2;
    pub const LOGIN: u8 = 1 << 3;
    /// The title of a login page.
    pub const LOGIN_TITLE: u8 = 1 << 4;
    pub const PAYWALL: u8 = 1 << 5;
    /// The label of a text for subscribers.
    pub const SUBSCRIBER_LABEL: u8 = 1 << 6;
}

const LISTS: [(u8, &[&str]); 7] = [
    (says::ERROR, lexicon!("barrier-errors.txt")),
    (says::CHALLENGE, lexicon!("barrier-challenges.txt")),
    (says::PARKED, lexicon!("barrier-parked.txt")),
    (says::LOGIN, lexicon!("barrier-logins.txt")),
    (says::LOGIN_TITLE, lexicon!("barrier-login-titles.txt")),
    (says::PAYWALL, lexicon!("barrier-paywalls.txt")),
    (says::SUBSCRIBER_LABEL, lexicon!("barrier-paywall-labels.txt")),
];

/// The statements in a text, as bits of [`says`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PhraseBits {
    /// With its first words.
    pub first: u8,
    /// Anywhere.
    pub anywhere: u8,
}

impl PhraseBits {
    /// Adds what another text says.
    pub fn add(&mut self, other: PhraseBits) {
        self.first |= other.first;
        self.anywhere |= other.anywhere;
    }
    /// Takes something back.
    pub fn drop(&mut self, bit: u8) {
        self.first &= !bit;
        self.anywhere &= !bit;
    }
}

/// The phrases by their first two characters.
type Index = HashMap<(char, char), Vec<(u8, &'static str)>>;

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index::default();
        for (says, list) in LISTS {
            for phrase in list {
                let mut chars = phrase.chars();
                if let (Some(a), Some(b)) = (chars.next(), chars.next()) {
                    index.entry((a, b)).or_default().push((says, phrase));
                }
            }
        }
        index
    })
}

/// Returns the statements in a text. A phrase begins with a word of the text; in scripts without spaces, anywhere.
pub(super) fn said(text: &str) -> PhraseBits {
    let index = index();
    let text = plain(text);
    let mut said = PhraseBits::default();
    let mut before = ' ';
    let mut is_first = true;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !before.is_alphanumeric() || is_cjk(c) {
            let next = chars.peek().map_or(' ', |n| n.1);
            let rest = &text[at..];
            for (bit, phrase) in index.get(&(c, next)).into_iter().flatten() {
                if rest.starts_with(phrase) && (*bit != says::LOGIN_TITLE || ends_word(&rest[phrase.len()..])) {
                    said.anywhere |= bit;
                    said.first |= if is_first { *bit } else { 0 };
                }
            }
        }
        is_first &= !c.is_alphanumeric();
        before = c;
    }
    said
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| !c.is_alphanumeric() || is_cjk(c))
}

/// Returns a text in lower case with plain apostrophes and single spaces.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '’' | 'ʼ' | '`' => out.push('\''),
            // A Turkish I in lower case leaves its dot behind.
            '\u{307}' => {}
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_begin_with_a_word() {
        assert_eq!(said("Sorry: Page Not Found").first, 0);
        assert_eq!(said("Sorry: Page Not Found").anywhere, says::ERROR);
        assert_eq!(said("“Page not found”").first, says::ERROR);
        assert_eq!(said("An unforbidden way").anywhere, 0);
        assert_eq!(said("Oops! That page can’t be found.").first, says::ERROR);
        assert_eq!(said("抱歉，您访问的页面不存在").anywhere, says::ERROR);
    }

    #[test]
    fn titles_of_login_pages_end_with_a_word() {
        assert_eq!(said("Log in").first, says::LOGIN_TITLE);
        assert_eq!(said("Joinery of boats"), PhraseBits::default());
        assert_eq!(said("Giriş yap").first, says::LOGIN_TITLE);
    }

    #[test]
    fn every_phrase_is_found_in_itself() {
        for (bit, list) in LISTS {
            for phrase in list {
                assert_eq!(said(phrase).first & bit, bit, "{phrase}");
            }
        }
    }
}
