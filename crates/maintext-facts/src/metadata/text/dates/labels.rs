//! Words before a date that state its meaning, in over thirty languages.
use super::scan::is_word;
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

/// Returns whether the label of a date, in lower case, announces a publication or a change. A short word such as "date" does so only as the
/// first: "Date: ", but not "Closing date: ". The label of a deadline or a beginning never does.
pub fn may_date_page(label: &str) -> bool {
    const MAX_SHORT: usize = 4;
    let label = label.trim_start_matches(|c: char| !c.is_alphanumeric());
    let words = label.split(|c: char| !c.is_alphanumeric() && !is_word(c));
    let mut words = words.filter(|w| !w.is_ascii() || w.len() > MAX_SHORT);
    !announces_deadline(label)
        && (PUBLISHED.iter().any(|w| begins_with(label, w))
            || announces_change(label)
            || words.any(announces_publication))
}

/// Whether a label begins with the beginning of a word. Two letters are a word of their own: "le", but not "ledig".
fn begins_with(label: &str, word: &str) -> bool {
    let rest = label.strip_prefix(word);
    rest.is_some_and(|rest| word.len() > 2 || !rest.starts_with(char::is_alphabetic))
}

/// Returns whether the words before a date end with a preposition that makes it a beginning or an end: "Available from".
pub fn bounds_time(label: &str) -> bool {
    let label = label.trim_end().to_lowercase();
    let mut before = BOUNDS.iter().filter_map(|w| label.strip_suffix(w));
    before.any(|rest| !rest.ends_with(char::is_alphabetic))
}

/// Returns whether the label of a date ends, or a short one begins, with a word for the last or the first day of something: "Application
/// deadline", "Deadline for papers".
pub fn announces_deadline(label: &str) -> bool {
    const MAX_WORDS: usize = 4;
    static BEGINNINGS: LazyLock<ByFirst> = LazyLock::new(|| by_first(DEADLINES));
    static ENDS: LazyLock<ByFirst> = LazyLock::new(|| {
        let mut map = ByFirst::default();
        DEADLINES.iter().for_each(|word| map.entry(word.chars().next_back().unwrap_or(' ')).or_default().push(word));
        map
    });
    let label = label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    words_of(&ENDS, label.chars().next_back())
        .any(|w| label.strip_suffix(w).is_some_and(|rest| is_border(rest.chars().next_back())))
        || words_of(&BEGINNINGS, label.chars().next())
            .any(|w| label.strip_prefix(w).is_some_and(|rest| is_border(rest.chars().next())))
            && label.split_whitespace().count() <= MAX_WORDS
            // "Deadline moved, posted" is about the report.
            && !announces_publication(label.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or(""))
}

/// Returns the words that a map has for a character.
fn words_of(map: &ByFirst, c: Option<char>) -> impl Iterator<Item = &&'static str> {
    c.and_then(|c| map.get(&c)).into_iter().flatten()
}

/// Whether a character, or the end of a text, separates words.
fn is_border(c: Option<char>) -> bool {
    c.is_none_or(|c| !c.is_alphabetic() || maintext_page::blocks::is_cjk(c))
}

/// Returns whether a word of the label has one of these beginnings; East Asian characters may begin a word anywhere.
fn is_label(label: &str, words: &ByFirst) -> bool {
    let mut before = ' ';
    label.char_indices().any(|(i, c)| {
        let begins = !before.is_alphabetic() || maintext_page::blocks::is_cjk(c);
        before = c;
        begins && words.get(&c).is_some_and(|list| list.iter().any(|w| begins_with(&label[i..], w)))
    })
}

/// Beginnings of words that announce a publication date, in over 30 languages.
const PUBLISHED: &[&str] = lexicon!("date-published.txt");
/// Beginnings of words that announce the date of a change.
const MODIFIED: &[&str] = lexicon!("date-modified.txt");
/// Words for the last day of a chance, or the first day of a job or a course.
const DEADLINES: &[&str] = lexicon!("date-deadlines.txt");
/// Prepositions before the first or last day of something.
const BOUNDS: &[&str] = lexicon!("date-bounds.txt");

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

    #[test]
    fn a_label_of_something_else_does_not_date_the_page() {
        for label in [
            "published:",
            "date:",
            "« on:",
            "date posted",
            "last updated:",
            "datum",
            "发布时间：",
            "written on",
            "geschreven op",
            "написано",
            "मीनाक्षी दुबे प्रकाशित: ",
        ] {
            assert!(may_date_page(label), "{label}");
        }
        for label in [
            "free from:",
            "available on",
            "closing date:",
            "deadline",
            "bezugsfrei ab",
            "ledig fra",
            "release date:",
            "date limite",
            "募集締切：",
            "campaign ends",
            "deadline for papers",
            "ende der kampagne:",
            "fin de la campaña",
            "konec sbírky",
            "zakończenie zbiórki",
            "estimated delivery",
            "fecha del evento:",
            "veranstaltung am",
            "geboren am",
            "дата рождения:",
            "開催日：",
        ] {
            assert!(!may_date_page(label), "{label}");
        }
        assert!(bounds_time("Available from ") && bounds_time("disponible à partir du"));
        assert!(may_date_page("Termin publikacji:") && !announces_deadline("Deadline moved, posted on"));
        assert!(!bounds_time("Tab") && !bounds_time("posted on") && !bounds_time(""));
    }
}
