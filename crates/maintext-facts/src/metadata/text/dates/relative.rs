//! Dates relative to today: `3 hours ago`, `yesterday`, `昨天`.
use super::Stamp;
use super::hit::{Hint, Hit, Style};
use crate::metadata::text::digit;
use jiff::ToSpan;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Lengths of units of time in minutes, and beginnings of words for them in many languages.
static UNITS: LazyLock<Vec<(i64, &str)>> = LazyLock::new(|| numbered(lexicon!("time-units.txt")));

/// Words before or after a span that place it in the past.
const AGO: &[&str] = lexicon!("ago.txt");

/// The number of days since a day with a name, and its names.
static NAMED_DAYS: LazyLock<Vec<(i64, &str)>> = LazyLock::new(|| numbered(lexicon!("named-days.txt")));

/// Splits lines of a number and words.
fn numbered(lines: &[&'static str]) -> Vec<(i64, &'static str)> {
    lines
        .iter()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(n, words)| Some((n.parse().ok()?, words)))
        .collect()
}

/// The words of [`NAMED_DAYS`] that are whole words, sorted, each with the number of days since; then the words that need another lookup: with a
/// hyphen, or in a script without spaces.
static WORDS_OF_NAMED_DAYS: LazyLock<[Vec<(&str, i64)>; 2]> = LazyLock::new(|| {
    let all = NAMED_DAYS.iter().flat_map(|(days, words)| words.split(' ').map(|w| (w, *days)));
    let (other, mut alone): (Vec<_>, Vec<_>) = all.partition(|(w, _)| w.contains('-') || is_cjk_word(w));
    alone.sort_unstable();
    alone.dedup_by_key(|w| w.0);
    [alone, other]
});

/// The words of [`AGO`] that are whole words, and those that may occur anywhere.
static AGO_WORDS: LazyLock<[Vec<&str>; 2]> = LazyLock::new(|| {
    let (anywhere, alone) = AGO.iter().partition(|a| a.contains(' ') || is_cjk_word(a));
    [alone, anywhere]
});

/// The words in ASCII that a relative date needs, by their first byte.
static NEEDED: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let mut words = vec![Vec::new(); 128];
    let named = NAMED_DAYS.iter().flat_map(|(_, words)| words.split(' '));
    for word in AGO.iter().copied().chain(named).filter(|w| w.is_ascii()).flat_map(|w| w.split([' ', '-'])) {
        words[word.as_bytes()[0] as usize].push(word);
    }
    words
});

/// Returns whether a text may hold a relative date: in ASCII, only if one of its words is needed for one.
fn may_be_relative(text: &str) -> bool {
    let needed = &**NEEDED;
    let mut words = text.as_bytes().split(|b| !b.is_ascii_alphanumeric() && *b != b'\'');
    !text.is_ascii()
        || words.any(|word| {
            let first = word.first().map_or(0, u8::to_ascii_lowercase);
            needed[first as usize].iter().any(|n| n.as_bytes().eq_ignore_ascii_case(word))
        })
}

/// Longest text that is searched; in a longer one, "yesterday" belongs to a story and is not the page's date.
const MAX_CHARS: usize = 60;

/// Finds one relative date in a short text, if today is known.
pub(super) fn find(text: &str, hint: &Hint<'_>, hits: &mut Vec<Hit>) {
    let Some(now) = hint.now else { return };
    if text.is_empty() || text.chars().count() > MAX_CHARS || !may_be_relative(text) {
        return;
    }
    let lower = text.to_lowercase();
    let stamp = span(&lower).and_then(|m| before(now, m)).or_else(|| before(now, 1440 * named(&lower)?));
    let Some(stamp) = stamp else { return };
    hits.push(Hit { range: 0..text.len(), stamp, swapped: None, style: Style::Relative });
}

/// Subtracts minutes from a time. Spans in days give only the day.
fn before(now: Stamp, minutes: i64) -> Option<Stamp> {
    match now.time {
        Some(t) if minutes % 1440 != 0 => {
            let at = now.date.to_datetime(t).checked_sub(minutes.minutes()).ok()?;
            let time = jiff::civil::Time::new(at.hour(), at.minute(), 0, 0).ok();
            Some(Stamp { date: at.date(), time, seconds: false, offset: now.offset })
        }
        _ => now.date.checked_sub((minutes / 1440).days()).ok().map(Stamp::day),
    }
}

/// Returns whether a short text is a time relative to today, however distant: `3 weeks ago`, `vor einem Jahr`, `昨天`.
pub fn is_relative(text: &str) -> bool {
    if text.is_empty() || text.chars().count() > MAX_CHARS / 2 || !may_be_relative(text) {
        return false;
    }
    let lower = text.to_lowercase();
    let counted = lower.contains(|c| digit(c).is_some()) || span(&lower).is_some();
    (counted && is_ago(&lower)) || named(&lower).is_some()
}

fn is_ago(text: &str) -> bool {
    let ascii = text.is_ascii();
    let [alone, anywhere] = &*AGO_WORDS;
    words(text).any(|w| alone.contains(&w)) || anywhere.iter().any(|a| (!ascii || a.is_ascii()) && text.contains(a))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty())
}

/// Returns whether a word is in a script without spaces, so that it may occur anywhere.
fn is_cjk_word(word: &str) -> bool {
    word.chars().next().is_some_and(maintext_page::blocks::is_cjk)
}

/// Returns the number of days since the day named in a text, the latest of several.
fn named(text: &str) -> Option<i64> {
    let [alone, other] = &*WORDS_OF_NAMED_DAYS;
    let parts = text.split([' ', ',', ':', '|', '·']);
    let alone = parts.filter_map(|t| alone.binary_search_by(|w| w.0.cmp(t)).ok().map(|i| alone[i].1)).min();
    let ascii = text.is_ascii();
    let other = other.iter().filter(|(word, _)| {
        if ascii && !word.is_ascii() {
            false
        } else if is_cjk_word(word) {
            text.contains(word)
        } else {
            // The name has two words.
            text.len() == word.len() && text.bytes().zip(word.bytes()).all(|(t, w)| t == w || (t == b' ' && w == b'-'))
        }
    });
    other.map(|w| w.1).chain(alone).min()
}

fn span(text: &str) -> Option<i64> {
    if !is_ago(text) {
        return None;
    }
    let at = text.char_indices().find(|(_, c)| digit(*c).is_some());
    let (number, rest) = match at {
        Some((i, _)) => {
            let digits = text[i..].chars().map_while(digit);
            let n = digits.take(4).fold(0i64, |n, d| n * 10 + i64::from(d));
            (n, text[i..].trim_start_matches(|c| digit(c).is_some()).trim_start())
        }
        // "an hour ago", "vor einer Stunde".
        None => (1, words(text).find(|w| unit(w).is_some())?),
    };
    Some(number * unit(rest)?)
}

fn unit(word: &str) -> Option<i64> {
    UNITS.iter().find_map(|(minutes, starts)| starts.split(' ').any(|s| word.starts_with(s)).then_some(*minutes))
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn relative_dates_need_the_current_time() {
        let now = Stamp::parse("2024-05-17");
        let date = |text: &str| find(text, &Hint { now, ..Hint::default() }).first().map(|h| h.stamp.to_string());
        for (text, expected) in [
            ("3 hours ago", "2024-05-17"),
            ("vor 2 Tagen", "2024-05-15"),
            ("il y a 1 semaine", "2024-05-10"),
            ("hace 3 días", "2024-05-14"),
            ("3小时前", "2024-05-17"),
            ("2天前", "2024-05-15"),
            ("昨天 12:30", "2024-05-16"),
            ("Yesterday", "2024-05-16"),
            ("позавчера", "2024-05-15"),
        ] {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
        }
        let now = Stamp::parse("2024-05-17T01:20+02:00");
        let date = |text: &str| find(text, &Hint { now, ..Hint::default() }).first().map(|h| h.stamp.to_string());
        assert_eq!(date("3 hours ago").as_deref(), Some("2024-05-16T22:20+02:00"));
        assert_eq!(date("2 days ago").as_deref(), Some("2024-05-15"));
        assert_eq!(date("He left yesterday, and nobody has heard of him since then, they say."), None);
        assert!(find("3 hours ago", &Hint::default()).is_empty());
    }
}
