//! Distinguishes labels and times from names among short texts.
use crate::metadata::text::dates;
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

/// Words of buttons, ranks and labels next to names, in lower case.
static LABELS: Words = LazyLock::new(|| lexicon!("record-labels.txt").iter().copied().collect());
/// More such words, for the lenient search.
static MORE_LABELS: Words = LazyLock::new(|| lexicon!("record-labels-more.txt").iter().copied().collect());

/// Returns whether a text is a button, a label, a rank or a count.
pub(super) fn is_label(text: &str) -> bool {
    is_made_of(text, &[&LABELS])
}

/// The same with more words, for the lenient search.
pub(super) fn is_likely_label(text: &str) -> bool {
    is_made_of(text, &[&LABELS, &MORE_LABELS])
}

fn is_made_of(text: &str, lists: &[&Words]) -> bool {
    let mut any = false;
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let all = words.all(|w| {
        any = true;
        if w.chars().any(char::is_uppercase) { is_known(lists, &w.to_lowercase()) } else { is_known(lists, w) }
    });
    any && all
}

fn is_known(lists: &[&Words], w: &str) -> bool {
    lists.iter().any(|l| l.contains(w)) || w.chars().all(char::is_numeric)
}

/// Returns whether a text states a time: a date, a weekday, `3 hours ago`.
pub(super) fn is_time(text: &str) -> bool {
    let digits = text.chars().any(char::is_numeric);
    dates::is_relative(text)
        || digits
            && (text
                .as_bytes()
                .windows(4)
                .any(|w| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit())
                || dates::partial(text, "").is_some()
                || !dates::find(text, &dates::Hint::default()).is_empty())
}
