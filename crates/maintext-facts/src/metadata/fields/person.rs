//! Features that distinguish names of persons from other texts.
use crate::metadata::ranking::rank::{FastSet, Features};
use crate::metadata::text::cjk::{is_chinese_name, is_organisation};
use maintext_page::blocks::is_cjk;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Words of buttons, menus and notices, in lower case.
static INTERFACE: LazyLock<FastSet<&'static str>> =
    LazyLock::new(|| lexicon!("interface-words.txt").iter().copied().collect());

/// Number of words of a value that become features.
const MAX_WORDS: usize = 5;
/// Longest such word, in bytes.
const MAX_WORD_BYTES: usize = 16;

/// Returns the number of words that belong to interfaces.
pub(super) fn interface_words(key: &str) -> usize {
    key.split(' ').filter(|w| INTERFACE.contains(w)).count()
}

/// Adds features of the names and of `key`, their comparison key: which words they hold, and whether they end as organisations do.
///
/// Words that occur on few sites have no weight, so that the ranker learns `news`, `staff` and `team` but no person.
pub(super) fn features(names: &[String], key: &str, f: &mut Features) {
    if key.is_ascii() {
        for w in key.split(' ').take(MAX_WORDS).filter(|w| w.len() <= MAX_WORD_BYTES) {
            f.set(&["v:", w], 1.0);
        }
    } else if let Some(last) = key.char_indices().next_back().filter(|(_, c)| is_cjk(*c)) {
        f.set(&["v$", &key[last.0..]], 1.0);
        f.flag("east.name", names.iter().all(|n| is_chinese_name(n)));
        f.flag("east.organisation", names.iter().any(|n| is_organisation(n)));
    }
    let interface = interface_words(key);
    if interface > 0 {
        f.bucket("interface", interface);
    }
    let chars = key.chars().count() / names.len().max(1);
    f.bucket("chars", chars);
}
