//! Dates relative to today: `3 hours ago`, `yesterday`, `昨天`.
use super::Stamp;
use super::hit::{Hint, Hit, Style};
use crate::metadata::text::digit;
use jiff::ToSpan;
use maintext_page::lexicon::lexicon;
use std::ops::Range;
use std::sync::LazyLock;

/// Lengths of units of time in minutes, and beginnings of words for them in many languages.
static UNITS: LazyLock<Vec<(i64, &str)>> = LazyLock::new(|| numbered(lexicon!("time-units.txt")));

/// Words before or after a span that place it in the past.
const AGO: &[&str] = lexicon!("ago.txt");

/// The words of [`AGO`] that precede the number: `vor 3 Tagen`. The others follow the unit: `3 days ago`.
const AGO_BEFORE: &[&str] = lexicon!("ago-before.txt");

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

/// Returns the parts of a text that are times relative to today: `3 minutes ago`, and in a short text `an hour ago` or `yesterday at 12:30`.
/// Other numbers and words are not in them.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    if !may_be_relative(text) {
        return Vec::new();
    }
    let tokens = tokens(text);
    // In a longer text, "yesterday" belongs to a story.
    let is_short = text.chars().count() <= MAX_CHARS / 2;
    let is_counted = tokens.iter().any(|t| t.is_number);
    let mut found: Vec<Range<usize>> = Vec::new();
    for i in 0..tokens.len() {
        let range = match &tokens[i] {
            t if t.is_number => span_at(&tokens, i, i + 1),
            _ if is_short => named_at(&tokens, i).or_else(|| if is_counted { None } else { span_at(&tokens, i, i) }),
            _ => None,
        };
        found.extend(range.filter(|range| found.last().is_none_or(|last| last.end <= range.start)));
    }
    found
}

/// A number with its separators, or a word in lower case.
struct RelativeToken {
    range: Range<usize>,
    word: String,
    is_number: bool,
}

fn tokens(text: &str) -> Vec<RelativeToken> {
    let mut tokens: Vec<RelativeToken> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut is_open = false;
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let is_number = digit(c).is_some();
        let joins_digits = matches!(c, '.' | ',' | ':') && chars.peek().is_some_and(|next| digit(next.1).is_some());
        let is_word = !is_number && (c.is_alphanumeric() || c == '\'');
        match tokens.last_mut() {
            Some(last)
                if is_open
                    && (last.is_number == is_number && (is_number || is_word) || last.is_number && joins_digits) =>
            {
                last.range.end = end;
                last.word.extend(c.to_lowercase());
            }
            _ if is_number || is_word => {
                tokens.push(RelativeToken { range: at..end, word: c.to_lowercase().collect(), is_number });
                is_open = true;
            }
            _ => is_open = false,
        }
    }
    tokens
}

/// Returns the range of a span whose unit is the token `unit_at`, and whose number, if it has one, is the token `number`.
fn span_at(tokens: &[RelativeToken], number: usize, unit_at: usize) -> Option<Range<usize>> {
    let unit_token = tokens.get(unit_at)?;
    unit(&unit_token.word)?;
    // "3分钟前": the word that places it in the past has no space before it.
    let joined = AGO_WORDS[1].iter().filter(|a| is_cjk_word(a)).find_map(|a| Some(unit_token.word.find(a)? + a.len()));
    let follows = tokens.get(unit_at + 1).is_some_and(|t| AGO.contains(&&*t.word) && !AGO_BEFORE.contains(&&*t.word));
    let end = match joined {
        Some(length) if number < unit_at => Some(unit_token.range.start + length),
        _ if follows => Some(tokens[unit_at + 1].range.end),
        _ => None,
    };
    let (start, end) = match end {
        Some(end) => {
            // "an hour ago", "1 hour 20 minutes ago".
            let mut first = if number == unit_at { number.saturating_sub(1) } else { number };
            while first >= 2 && tokens[first - 2].is_number && unit(&tokens[first - 1].word).is_some() {
                first -= 2;
            }
            (tokens[first].range.start, end)
        }
        None => {
            // "vor 3 Stunden", "vor etwa 3 Stunden".
            let first = (number.saturating_sub(2)..number).rev().find(|&i| AGO_BEFORE.contains(&&*tokens[i].word))?;
            let is_il_y_a = first >= 2 && tokens[first - 1].word == "y" && tokens[first - 2].word == "il";
            let first = match tokens[first].word.as_str() {
                "a" if is_il_y_a => first - 2,
                "a" => return None,
                _ => first,
            };
            (tokens[first].range.start, unit_token.range.end)
        }
    };
    Some(start..end)
}

/// Returns the range of a day with a name and of the time of day after it: `Yesterday at 12:30`.
fn named_at(tokens: &[RelativeToken], i: usize) -> Option<Range<usize>> {
    let [alone, other] = &*WORDS_OF_NAMED_DAYS;
    let token = &tokens[i];
    let is_named = |word: &str| alone.binary_search_by(|w| w.0.cmp(word)).is_ok();
    let (last, range) = if is_named(&token.word) {
        (i, token.range.clone())
    } else if let Some(next) = tokens.get(i + 1)
        && other.iter().any(|w| w.0.split_once('-') == Some((&token.word, &next.word)))
    {
        (i + 1, token.range.start..next.range.end)
    } else {
        let names = other.iter().filter(|w| is_cjk_word(w.0));
        let (at, name) = names.filter_map(|w| Some((token.word.find(w.0)?, w.0))).max_by_key(|found| found.1.len())?;
        (i, token.range.start + at..token.range.start + at + name.len())
    };
    let clock = (last + 1..tokens.len().min(last + 3)).find(|&i| tokens[i].is_number && tokens[i].word.contains(':'));
    let Some(clock) = clock else { return Some(range) };
    let half = tokens.get(clock + 1).filter(|t| matches!(&*t.word, "am" | "pm" | "uhr"));
    Some(range.start..half.unwrap_or(&tokens[clock]).range.end)
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
