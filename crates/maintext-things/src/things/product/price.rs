//! Prices in printed text: numbers with a currency.
use super::locale;

/// Maximum length of a sign or name of a currency, in characters.
const MAX_SIGN: usize = 6;

/// A number in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PrintedNumber {
    /// Where the number begins and ends.
    pub range: std::ops::Range<usize>,
    /// The number with a point before its fraction.
    pub number: String,
    /// The currency's sign, name or code, as written.
    pub sign: Option<String>,
    /// Whether a fraction of two digits, or a dash in its place, is written.
    pub has_cents: bool,
    /// Whether the number is followed by a dash and another number, or by `-` or `~` as the start of a range.
    pub starts_range: bool,
    /// Whether the number ends a range.
    pub ends_range: bool,
}

/// Returns the numbers of a text that may be prices. `raised` are the starts of parts that are marked as cents.
pub(super) fn find(text: &str, raised: &[usize]) -> Vec<PrintedNumber> {
    let mut out: Vec<PrintedNumber> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|i| at + i) {
        let (end, number, has_cents) = number(text, start, raised);
        at = end.max(start + 1);
        let Some(number) = number else { continue };
        let before = text[..start].chars().next_back();
        // Part of a word or a larger number: `x100`, `v2`, `1/2`.
        if before.is_some_and(|c| matches!(c, '/' | ':' | '#' | '%' | '_')) {
            continue;
        }
        let rest = &text[end..];
        if rest.starts_with(['%', '/', ':', '_']) || rest.trim_start().starts_with('%') {
            continue;
        }
        let sign = sign_before(&text[..start]).or_else(|| sign_after(rest));
        if sign.is_none() && before.is_some_and(char::is_alphabetic) {
            continue;
        }
        let after = match &sign {
            Some(s) => rest.trim_start().strip_prefix(s.as_str()).unwrap_or(rest),
            None => rest,
        };
        let after = after.trim_start();
        let next = after.trim_start_matches(['-', '–', '—', '~', '～', '〜']);
        let opens = after.starts_with(['~', '～']);
        let follows = next.len() < after.len() && next.trim_start().chars().take(4).any(|c| c.is_ascii_digit());
        let ends_range = out.last().is_some_and(|p: &PrintedNumber| p.starts_range && start - p.range.end <= 12);
        out.push(PrintedNumber {
            range: start..end,
            number,
            sign,
            has_cents,
            starts_range: (opens || follows) && !ends_range,
            ends_range,
        });
    }
    // A range often has its sign at one end only.
    for i in 1..out.len() {
        if out[i].ends_range {
            let sign = out[i].sign.clone().or_else(|| out[i - 1].sign.clone());
            out[i].sign = sign.clone();
            out[i - 1].sign = sign;
        }
    }
    out
}

/// Reads a number: its end, its value, and whether it has a fraction of two digits.
fn number(text: &str, start: usize, raised: &[usize]) -> (usize, Option<String>, bool) {
    let bytes = text.as_bytes();
    let mut at = start;
    // Groups of digits, and the mark before each.
    let mut groups: Vec<(char, usize, usize)> = Vec::new();
    let mut mark = '\0';
    loop {
        let mut n = digits_from(bytes, at);
        // Cents in a raised part need no mark.
        if let Some(cut) = raised.iter().find(|r| **r > at && **r < at + n && at + n - **r == 2) {
            n = cut - at;
            groups.push((mark, at, n));
            (mark, at) = ('^', at + n);
            continue;
        }
        groups.push((mark, at, n));
        at += n;
        if groups.len() > 12 || n > 15 {
            return (at, None, false);
        }
        let Some(c) = text[at..].chars().next() else { break };
        let next = at + c.len_utf8();
        let n = if next < bytes.len() { digits_from(bytes, next) } else { 0 };
        let is_space = matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
        let raised_here = raised.contains(&next) && n == 2 && digits_from(bytes, next) == 2;
        let joins = match c {
            '.' | ',' | '\'' | '’' => n > 0,
            _ if is_space && raised_here => true,
            _ if is_space => n == 3 && groups[0].2 <= 3 && (groups.len() == 1 || groups[1].0 != '.'),
            _ => false,
        };
        if !joins {
            break;
        }
        mark = if is_space && raised_here { '^' } else { c };
        at = next;
    }
    let whole = &text[start..at];
    let part = |g: &(char, usize, usize)| &text[g.1..g.1 + g.2];
    let has_raised = groups.iter().any(|g| g.0 == '^');
    let (number, has_cents) = if has_raised {
        let last = groups.len() - 1;
        let head: String = groups[..last].iter().map(part).collect();
        (Some(format!("{head}.{}", part(&groups[last]))), true)
    } else {
        let number = crate::things::money::number(whole);
        let cents = number.as_ref().is_some_and(|n| n.split_once('.').is_some_and(|f| f.1.len() == 2));
        (number, cents)
    };
    // `19.-`, `19,–`: a dash in place of cents.
    let rest = &text[at..];
    if let Some(tail) = rest.strip_prefix(['.', ',']).filter(|t| t.starts_with(['-', '–', '—'])) {
        let used = tail.chars().take_while(|c| matches!(c, '-' | '–' | '—')).map(char::len_utf8).sum::<usize>();
        return (at + 1 + used, number, true);
    }
    (at, number, has_cents)
}

fn digits_from(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Returns whether a character may begin or end the sign or name of a currency.
fn may_be_edge(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphabetic() || matches!(c, '$' | '.' | '/')
}

/// Fills an array, and returns the part that is filled.
fn collect<T>(to: &mut [T], from: impl Iterator<Item = T>) -> &[T] {
    let count = to.iter_mut().zip(from).map(|(to, from)| *to = from).count();
    &to[..count]
}

/// Returns the currency that ends a text.
fn sign_before(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '\u{200e}' | '\u{200f}'));
    if !text.ends_with(may_be_edge) {
        return None;
    }
    let mut tail = [(0, ' '); MAX_SIGN + 1];
    let tail = collect(&mut tail, text.char_indices().rev());
    (1..=tail.len().min(MAX_SIGN)).rev().find_map(|n| {
        let (at, first) = tail[n - 1];
        let sign = &text[at..];
        let cuts_word = first.is_alphabetic() && tail.get(n).is_some_and(|b| b.1.is_alphabetic());
        let one_letter =
            sign.chars().count() == 1 && first.is_alphabetic() && !matches!(first, 'R' | '元' | '원' | '円');
        (!first.is_whitespace() && !cuts_word && !one_letter && !locale::meanings(sign).is_empty())
            .then(|| sign.to_owned())
    })
}

/// Returns the currency that begins a text.
fn sign_after(text: &str) -> Option<String> {
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}'));
    // A sign after a wide gap belongs to the next number.
    if text.len() - trimmed.len() > 6 {
        return None;
    }
    let text = trimmed.strip_prefix("-").filter(|t| !t.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(trimmed);
    if !text.starts_with(may_be_edge) {
        return None;
    }
    let mut head = [(0, ' '); MAX_SIGN + 1];
    let head = collect(&mut head, text.char_indices());
    (1..=head.len().min(MAX_SIGN)).rev().find_map(|n| {
        let (at, last) = head[n - 1];
        let sign = &text[..at + last.len_utf8()];
        let next = head.get(n).map(|c| c.1);
        // Text in scripts without spaces continues after the sign.
        let spaced = last.is_alphabetic() && last < '\u{2e80}';
        let cuts_word = spaced && next.is_some_and(|c| c.is_alphanumeric());
        let one_letter = sign.chars().count() == 1 && spaced && last != 'р';
        // The sign of the next number: `10 $20`.
        let of_next = last == '$' && next.is_some_and(|c| c.is_ascii_digit());
        (!last.is_whitespace() && !cuts_word && !one_letter && !of_next && !locale::meanings(sign).is_empty())
            .then(|| sign.to_owned())
    })
}

/// Returns a number in its shortest form, by which prices are compared: `49.90` is `49.9`.
pub(super) fn key(number: &str) -> String {
    match number.split_once('.') {
        Some((whole, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        None => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, Option<String>)> {
        find(text, &[]).into_iter().map(|p| (p.number, p.sign)).collect()
    }

    #[test]
    fn prices_of_all_locales() {
        for (text, number, sign) in [
            ("1.299,00 €", "1299.00", "€"),
            ("₹1,23,456", "123456", "₹"),
            ("1 299 Kč", "1299", "Kč"),
            ("CHF 19.–", "19", "CHF"),
            ("€ 20,-", "20", "€"),
            ("¥12,800(税込)", "12800", "¥"),
            ("12,800円", "12800", "円"),
            ("4,900원~", "4900", "원"),
            ("US$ 3.99", "3.99", "US$"),
            ("R$ 1.759,99", "1759.99", "R$"),
            ("Rs 23,450", "23450", "Rs"),
            ("Price:£34.99", "34.99", "£"),
            ("525,00 б.р.", "525.00", "б.р."),
            ("1\u{a0}599,00\u{a0}zł", "1599.00", "zł"),
            ("270,00Kn", "270.00", "Kn"),
            ("1'299.95 CHF", "1299.95", "CHF"),
            ("99 ر.س", "99", "ر.س"),
        ] {
            assert_eq!(all(text), [(number.to_owned(), Some(sign.to_owned()))], "{text}");
        }
    }

    #[test]
    fn numbers_of_other_things_are_not_prices() {
        assert_eq!(all("-20% v2 1/2 10:30"), []);
        assert_eq!(all("12 Royal Road"), [("12".to_owned(), None)]);
        assert_eq!(all("10 $20"), [("10".to_owned(), None), ("20".to_owned(), Some("$".to_owned()))]);
        assert_eq!(all(&"9".repeat(10_000)).len(), 0);
    }

    #[test]
    fn ranges_share_their_sign() {
        let found = find("502,20 – 558,00 б.р.", &[]);
        assert!(found[0].starts_range && found[1].ends_range);
        assert_eq!(found[0].sign.as_deref(), Some("б.р."));
        let found = find("$10 - $20", &[]);
        assert!(found[0].starts_range && found[1].ends_range);
    }

    #[test]
    fn raised_cents_need_no_mark() {
        let found = find("17334 Lei", &[3]);
        assert_eq!((found[0].number.as_str(), found[0].sign.as_deref()), ("173.34", Some("Lei")));
        assert_eq!(find("1.29900 €", &[5])[0].number, "1299.00");
    }

    #[test]
    fn equal_prices_have_one_key() {
        assert_eq!((key("49.90"), key("49.00"), key("100")), ("49.9".into(), "49".into(), "100".into()));
    }
}
