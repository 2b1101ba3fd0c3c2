//! Reads the dates that pages state: in attributes, in addresses and in running text of any language.
mod hit;
pub mod labels;
mod months;
mod order;
mod relative;
pub mod scan;

pub use hit::{Hint, Hit, Style};
pub use order::month_first;
pub use relative::is_relative;
pub use scan::find;

use crate::metadata::text::cap;
use jiff::civil::{Date, Time};
use std::fmt;

/// A point in time, as precise as the page states it.
///
/// ```
/// use maintext_facts::metadata::Stamp;
/// let stamp = Stamp::parse("2024-05-17T09:30:00+0200").unwrap();
/// assert_eq!(stamp.to_string(), "2024-05-17T09:30:00+02:00");
/// assert_eq!(Stamp::parse("17 May 2024").unwrap().to_string(), "2024-05-17");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The day, in the zone that the page states or implies.
    pub date: Date,
    /// The time of day, if stated.
    pub time: Option<Time>,
    /// Whether the seconds are stated.
    pub seconds: bool,
    /// Minutes east of Greenwich, if the zone is stated.
    pub offset: Option<i16>,
}

impl Stamp {
    /// Returns a day without time.
    pub fn day(date: Date) -> Stamp {
        Stamp { date, time: None, seconds: false, offset: None }
    }

    /// Reads the value of an attribute or a script: ISO 8601, RFC 2822, seconds or milliseconds since 1970, or any date that is the whole
    /// text.
    pub fn parse(value: &str) -> Option<Stamp> {
        let value = cap(value.trim(), 200);
        if let Some(stamp) = epoch(value) {
            return Some(stamp);
        }
        let hint = Hint { compact: true, ..Hint::default() };
        find(value, &hint).into_iter().next().map(|hit| hit.stamp)
    }

    /// Returns the precision: `day`, `minute` or `second`.
    pub fn precision(&self) -> &'static str {
        match (self.time, self.seconds) {
            (None, _) => "day",
            (Some(_), false) => "minute",
            (Some(_), true) => "second",
        }
    }
}

impl fmt::Display for Stamp {
    /// Writes ISO 8601, as precise as the stamp is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let d = self.date;
        write!(f, "{:04}-{:02}-{:02}", d.year(), d.month(), d.day())?;
        let Some(t) = self.time else { return Ok(()) };
        write!(f, "T{:02}:{:02}", t.hour(), t.minute())?;
        if self.seconds {
            write!(f, ":{:02}", t.second())?;
        }
        match self.offset {
            Some(0) => f.write_str("Z"),
            Some(o) => write!(f, "{}{:02}:{:02}", if o < 0 { '-' } else { '+' }, o.abs() / 60, o.abs() % 60),
            None => Ok(()),
        }
    }
}

/// Returns a text without the times that pass without a change of the content: times relative to today (`3 hours ago`), and the date of the
/// page's last change (`Updated 17 May 2024, 10:20`) with a label that is nothing else. Another date is content: it may be the date of a meeting.
/// `language` is a BCP 47 tag, `""` if it is unknown.
///
/// ```
/// use maintext_facts::metadata::without_passing_times;
/// assert_eq!(without_passing_times("Posted 3 hours ago by Ann", ""), "Posted by Ann");
/// assert_eq!(without_passing_times("Last updated: 17 May 2024, 10:20", "en"), "");
/// assert_eq!(without_passing_times("17 May 2024", "en"), "17 May 2024");
/// ```
pub fn without_passing_times(text: &str, language: &str) -> String {
    let mut ranges = relative::ranges(text);
    ranges.extend(date_of_change(text, language));
    if ranges.is_empty() {
        return text.to_owned();
    }
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        push_words(&mut out, &text[at..range.start.max(at)]);
        at = range.end.max(at);
    }
    push_words(&mut out, &text[at..]);
    if is_label_of_change(&out) || !out.contains(char::is_alphanumeric) { String::new() } else { out }
}

fn push_words(out: &mut String, text: &str) {
    let text = text.trim();
    if !out.is_empty() && text.starts_with(char::is_alphanumeric) {
        out.push(' ');
    }
    out.push_str(text);
}

/// Returns the range of a date that a short text introduces as the one of a change.
fn date_of_change(text: &str, language: &str) -> Option<std::ops::Range<usize>> {
    /// Maximum number of bytes of the text.
    const MAX_BYTES: usize = 200;
    /// Maximum number of characters of the words next to the date.
    const MAX_CHARS_BESIDE: usize = 40;
    if text.len() > MAX_BYTES {
        return None;
    }
    let hits = find(text, &Hint { language, ..Hint::default() });
    let (first, last) = hits.first().zip(hits.last())?;
    let (before, after) = (text[..first.range.start].trim(), text[last.range.end..].trim());
    let is_introduced = before.chars().count() + after.chars().count() <= MAX_CHARS_BESIDE
        && labels::announces_change(&before.to_lowercase());
    is_introduced.then(|| first.range.clone())
}

/// Returns whether words without a number only announce the date of a change: `Last updated on:`.
fn is_label_of_change(text: &str) -> bool {
    /// Maximum number of letters of a word between the others: `on`, `at`, `the`.
    const MAX_SHORT: usize = 3;
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let mut announced = false;
    words.all(|word| {
        let announces = labels::announces_change(&word.to_lowercase());
        announced |= announces;
        announces
            || word.chars().count() <= MAX_SHORT && !word.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
    }) && announced
}

/// Returns whether the word is neither the name nor an abbreviation of an English month (`May` and `April` are also persons' names).
pub fn is_not_a_month(word: &str) -> bool {
    let lower = word.to_lowercase();
    matches!(lower.as_str(), "april" | "june" | "august") || months::month(lower.trim_end_matches('.'), "en").is_none()
}

/// Finds a date without a year, `Apr 24` or `23rd April`, and returns its range in the text.
pub fn partial(text: &str, language: &str) -> Option<std::ops::Range<usize>> {
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let words: Vec<(usize, &str)> = text
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .scan(0, |at, piece| {
            let start = *at;
            *at += piece.len();
            Some((start, piece.trim_end_matches(|c: char| !c.is_alphanumeric())))
        })
        .filter(|w| !w.1.is_empty())
        .collect();
    words.windows(2).find_map(|pair| {
        let fits = (is_day(pair[0].1) && is_month(pair[1].1, language))
            || (is_day(pair[1].1) && is_month(pair[0].1, language));
        fits.then(|| pair[0].0..pair[1].0 + pair[1].1.len())
    })
}

fn is_day(w: &str) -> bool {
    if w.len() > 4 || !w.as_bytes()[0].is_ascii_digit() {
        return false;
    }
    let n = w.trim_end_matches(|c: char| c.is_alphabetic());
    (1..=2).contains(&n.len()) && w.len() <= n.len() + 2 && n.parse().is_ok_and(|d: u32| (1..=31).contains(&d))
}

fn is_month(w: &str, language: &str) -> bool {
    w.chars().count() > 2 && months::may_be_month(w) && months::month(&w.to_lowercase(), language).is_some()
}

/// Reads seconds or milliseconds since 1970, for the years 1990 to 2100.
fn epoch(value: &str) -> Option<Stamp> {
    if !(9..=13).contains(&value.len()) || !value.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: i64 = value.parse().ok()?;
    let seconds = if value.len() >= 12 { n / 1000 } else { n };
    if !(631_152_000..4_133_980_800).contains(&seconds) {
        return None;
    }
    let at = jiff::Timestamp::from_second(seconds).ok()?.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    Some(Stamp { date: at.date(), time: Some(at.time()), seconds: true, offset: Some(0) })
}

/// Returns a day of the Gregorian calendar, if the numbers name one that a page may state.
pub fn day(year: i32, month: u32, day: u32) -> Option<Date> {
    let plausible = (1900..2200).contains(&year) && month <= 12 && day <= 31;
    plausible.then(|| Date::new(year as i16, month as i8, day as i8).ok()).flatten()
}

/// Converts a day in the Persian solar calendar, by the 33-year rule (exact for the years 1206 to 1498).
pub fn jalali(year: i32, month: u32, day_of_month: u32) -> Option<Date> {
    if !(1250..1500).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day_of_month) {
        return None;
    }
    // Days since 1 Farvardin 1; leap years are 1, 5, 9, 13, 17, 22, 26, 30 of each 33.
    let y = i64::from(year) + 1595;
    let days = -355_668
        + 365 * y
        + (y / 33) * 8
        + (y % 33 + 3) / 4
        + i64::from(day_of_month)
        + if month < 7 { (i64::from(month) - 1) * 31 } else { (i64::from(month) - 7) * 30 + 186 };
    // `days` counts from the Gregorian year 0; 1970-01-01 is day 719 528.
    let base = Date::new(1970, 1, 1).ok()?;
    base.checked_add(jiff::Span::new().try_days(days - 719_528).ok()?).ok()
}

/// Returns the date in an address, `/2024/05/17/`, `2024-05-17` or `20240517`, and whether it states the day.
pub fn in_address(url: &str) -> Option<(Date, bool)> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = &path[path.find('/')?..];
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let hint = Hint { compact: true, address: true, ..Hint::default() };
    if let Some(hit) = find(path, &hint).first() {
        return Some((hit.stamp.date, true));
    }
    let parts: Vec<&str> = path.split('/').collect();
    parts.windows(2).find_map(|w| {
        let year = (w[0].len() == 4).then(|| w[0].parse::<i32>().ok()).flatten()?;
        let month = (w[1].len() == 2).then(|| w[1].parse::<u32>().ok()).flatten()?;
        (1995..2100).contains(&year).then(|| day(year, month, 1)).flatten().map(|d| (d, false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(s: &str) -> String {
        Stamp::parse(s).map_or_else(String::new, |s| s.to_string())
    }

    #[test]
    fn values_keep_their_precision_and_zone() {
        for (value, stamp) in [
            ("2024-05-17", "2024-05-17"),
            ("2024-05-17T09:30Z", "2024-05-17T09:30Z"),
            ("2024-05-17 09:30:05.123 -0430", "2024-05-17T09:30:05-04:30"),
            ("Fri, 17 May 2024 09:30:05 GMT", "2024-05-17T09:30:05Z"),
            ("Fri May 17 09:30:05 CEST 2024", "2024-05-17T09:30:05+02:00"),
            ("20240517", "2024-05-17"),
            ("20240517093005", "2024-05-17T09:30:05"),
            ("20240517T0930Z", "2024-05-17T09:30Z"),
            ("1715938205", "2024-05-17T09:30:05Z"),
            ("1715938205000", "2024-05-17T09:30:05Z"),
            ("2024-02-31", ""),
            ("soon", ""),
        ] {
            assert_eq!(parse(value), stamp, "{value}");
        }
    }

    #[test]
    fn days_without_a_year_are_found() {
        let text = |t: &'static str| partial(t, "en").map(|r| &t[r]);
        assert_eq!(text("12:42am On Apr 24"), Some("Apr 24"));
        assert_eq!(text("Thursday 23rd April, late"), Some("23rd April"));
        assert_eq!((text("may be"), text("40 May")), (None, None));
    }

    #[test]
    fn the_persian_new_year_is_converted() {
        assert_eq!(jalali(1403, 1, 1), Date::new(2024, 3, 20).ok());
        assert_eq!(jalali(1399, 12, 30), Date::new(2021, 3, 20).ok());
    }

    #[test]
    fn addresses_name_days_and_months() {
        let date = |u: &str| in_address(u).map(|(d, whole)| (d.to_string(), whole));
        assert_eq!(date("https://e.org/2024/05/17/a-walk"), Some(("2024-05-17".into(), true)));
        assert_eq!(date("https://e.org/news/2024-5-7-walk.html"), Some(("2024-05-07".into(), true)));
        assert_eq!(date("https://e.org/n/20240517-walk"), Some(("2024-05-17".into(), true)));
        assert_eq!(date("https://e.org/2024/05/walk"), Some(("2024-05-01".into(), false)));
        assert_eq!(date("https://e.org/article/1234567"), None);
    }
}
