//! Whether the numeric dates of a page put the month first: 12/22/2026 can be read in one order only.

/// Returns whether numeric dates with slashes put the month first, if some of these texts have dates that can be read in one order only and
/// none that can be read in the other only.
///
/// ```
/// # use maintext_facts::metadata::text::dates::month_first;
/// assert_eq!(month_first(["12/22/2026", "12/1/2026"]), Some(true));
/// assert_eq!(month_first(["22/12/2026 at the mill", "1/12/2026"]), Some(false));
/// assert_eq!(month_first(["12/1/2026"]), None);
/// ```
pub fn month_first<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<bool> {
    let (mut month, mut day) = (false, false);
    for text in texts {
        for at in memchr::memchr_iter(b'/', text.as_bytes()) {
            let Some((first, second)) = numbers_around(text, at) else { continue };
            month |= (1..=12).contains(&first) && (13..=31).contains(&second);
            day |= (13..=31).contains(&first) && (1..=12).contains(&second);
        }
    }
    if month == day { None } else { Some(month) }
}

/// Returns the two numbers around the first slash of a date: both of one or two digits, the second before a slash and a year.
fn numbers_around(text: &str, slash: usize) -> Option<(u32, u32)> {
    let (before, after) = (&text.as_bytes()[..slash], &text.as_bytes()[slash + 1..]);
    let first = leading_digits(before.iter().rev());
    let second = leading_digits(after.iter());
    let year = leading_digits(after.get(second + 1..)?.iter());
    let is_path = before.len() > first && before[before.len() - first - 1] == b'/';
    if after.get(second) != Some(&b'/') || is_path || !matches!(first, 1 | 2) || !matches!(second, 1 | 2) || year != 4 {
        return None;
    }
    Some((text[slash - first..slash].parse().ok()?, text[slash + 1..slash + 1 + second].parse().ok()?))
}

fn leading_digits<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    bytes.take_while(|b| b.is_ascii_digit()).count()
}
