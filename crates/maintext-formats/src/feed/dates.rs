//! Dates of feeds as ISO 8601, with the zone that the feed states.
use jiff::fmt::rfc2822::DateTimeParser;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ZONES: [&str; 12] = ["GMT", "UT", "UTC", "Z", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT"];

/// Reads RFC 2822, as RSS demands, or ISO 8601; with an unknown zone only the day counts.
pub fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    let is_iso = text.len() >= 10 && text.is_char_boundary(10) && text.len() <= 40 && {
        let day = &text.as_bytes()[..10];
        day.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() })
    };
    if is_iso {
        return Some(text.replacen(' ', "T", 1))
            .filter(|t| t.bytes().all(|b| b.is_ascii_graphic()))
            .or(Some(text[..10].to_owned()));
    }
    // RFC 2822 takes unknown names of zones for UTC.
    let zone = text.rsplit(' ').next().unwrap_or("");
    let is_known = !zone.bytes().all(|b| b.is_ascii_alphabetic()) || ZONES.contains(&zone);
    if is_known && let Some(time) = DateTimeParser::new().relaxed_weekday(true).parse_zoned(text).ok() {
        return Some(time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string());
    }
    let words: Vec<&str> = text.split([' ', ',', '-', '\t']).filter(|w| !w.is_empty()).take(8).collect();
    let month = |w: &str| MONTHS.iter().position(|m| w.get(..3).is_some_and(|w| w.eq_ignore_ascii_case(m)));
    let (at, month) = words.iter().enumerate().find_map(|(i, w)| Some((i, month(w)? + 1)))?;
    let day: u8 = words.get(at.checked_sub(1)?)?.parse().ok().filter(|d| (1..=31).contains(d))?;
    let year: u16 = words.get(at + 1)?.parse().ok()?;
    let year = if year < 100 { 2000 + year } else { year };
    (1990..2200).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn zones_are_kept_and_unknown_ones_leave_the_day() {
        for (text, expected) in [
            ("Fri, 17 May 2024 23:30:00 +0900", Some("2024-05-17T23:30:00+09:00")),
            ("17 May 2024 23:30 GMT", Some("2024-05-17T23:30:00+00:00")),
            ("Fri, 17 May 2024 23:30:00 CEST", Some("2024-05-17")),
            ("2024-05-17T23:30:00+09:00", Some("2024-05-17T23:30:00+09:00")),
            ("2024-05-17 23:30:00", Some("2024-05-17T23:30:00")),
            ("2024-05-17", Some("2024-05-17")),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(super::iso(text).as_deref(), expected, "{text}");
        }
    }
}
