//! Durations as ISO 8601 writes them.

/// Maximum number of digits of a number in a duration.
const MAX_DIGITS: usize = 6;

/// Returns a duration in ISO 8601, if the text is one, a number of minutes, or a clock time: `PT1H30M`, `90`, `1:30:00`.
pub(super) fn iso(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 60 {
        return None;
    }
    let upper = text.to_ascii_uppercase();
    if upper.starts_with('P') {
        return from_iso(&upper).map(write);
    }
    let parts: Vec<&str> = text.split(':').collect();
    if parts.iter().any(|p| p.len() > MAX_DIGITS) {
        return None;
    }
    let numbers: Option<Vec<u64>> = parts.iter().map(|p| p.parse().ok()).collect();
    match numbers?.as_slice() {
        [minutes] => Some(write(minutes * 60)),
        [minutes, seconds] => Some(write(minutes * 60 + seconds)),
        [hours, minutes, seconds] => Some(write(hours * 3600 + minutes * 60 + seconds)),
        _ => None,
    }
}

/// Reads a duration of ISO 8601 in seconds. Months and years have no fixed length, so they are refused.
fn from_iso(text: &str) -> Option<u64> {
    let (mut seconds, mut number, mut is_time) = (0u64, String::new(), false);
    for c in text.chars().skip(1).filter(|c| !c.is_whitespace()) {
        match c {
            'T' => is_time = true,
            '0'..='9' if number.len() < MAX_DIGITS => number.push(c),
            '.' | ',' if !number.contains('.') => number.push('.'),
            _ => {
                let unit = match c {
                    'W' => 7 * 86_400,
                    'D' => 86_400,
                    'H' => 3_600,
                    'M' if is_time => 60,
                    'S' => 1,
                    _ => return None,
                };
                let value: f64 = number.parse().ok()?;
                seconds += (value * unit as f64).round() as u64;
                number.clear();
            }
        }
    }
    number.is_empty().then_some(seconds)
}

/// Writes seconds as hours, minutes and seconds: `PT1H30M`.
pub(super) fn write(seconds: u64) -> String {
    let mut out = String::from("PT");
    for (value, unit) in [(seconds / 3600, 'H'), (seconds / 60 % 60, 'M'), (seconds % 60, 'S')] {
        if value > 0 {
            out.push_str(&format!("{value}{unit}"));
        }
    }
    if out == "PT" { "PT0S".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn durations_have_one_form() {
        let cases = [
            ("PT1H30M", "PT1H30M"),
            ("PT90M", "PT1H30M"),
            ("P0DT0H45M", "PT45M"),
            ("pt5m", "PT5M"),
            ("P1DT2H", "PT26H"),
            ("PT0.5H", "PT30M"),
            ("90", "PT1H30M"),
            ("2:05", "PT2M5S"),
            ("1:02:03", "PT1H2M3S"),
            ("PT0S", "PT0S"),
        ];
        for (text, expected) in cases {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "soon", "P1Y", "1:2:3:4", "PT99999999999999999999H", "PTM"] {
            assert_eq!(iso(text), None, "{text}");
        }
    }
}
