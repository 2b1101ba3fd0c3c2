//! Words before a date that state its meaning, in over thirty languages.
use crate::metadata::text::{ByFirst, by_first};
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Returns whether the words before a date, in lower case, announce a publication.
pub fn announces_publication(label: &str) -> bool {
    static WORDS: LazyLock<ByFirst> = LazyLock::new(|| by_first(PUBLISHED));
    is_label(label, &WORDS)
}

/// Returns whether the words before a date, in lower case, announce a change.
pub fn announces_change(label: &str) -> bool {
    static WORDS: LazyLock<ByFirst> = LazyLock::new(|| by_first(MODIFIED));
    is_label(label, &WORDS)
}

/// Returns whether a word of the label has one of these beginnings; East Asian characters may begin a word anywhere.
fn is_label(label: &str, words: &ByFirst) -> bool {
    let mut before = ' ';
    label.char_indices().any(|(i, c)| {
        let begins = !before.is_alphabetic() || maintext_page::blocks::is_cjk(c);
        before = c;
        begins && words.get(&c).is_some_and(|list| list.iter().any(|w| label[i..].starts_with(w)))
    })
}

/// Beginnings of words that announce a publication date, in over 30 languages.
const PUBLISHED: &[&str] = lexicon!("date-published.txt");
/// Beginnings of words that announce the date of a change.
const MODIFIED: &[&str] = lexicon!("date-modified.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_recognised_by_their_beginnings() {
        assert!(announces_publication("veröffentlicht am") && announces_publication("发布时间："));
        assert!(announces_change("zuletzt aktualisiert: ") && !announces_change("posted on"));
        // A beginning does not count inside a word, except in scripts without spaces.
        assert!(!announces_publication("unposted") && announces_publication("文章发布于"));
        assert!(!announces_publication("") && !announces_change("12 comments"));
    }
}
