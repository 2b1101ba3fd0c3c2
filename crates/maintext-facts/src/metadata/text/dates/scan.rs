//! Finds the dates in a text: first the numbers, then the words and signs around them.
pub use super::hit::Hint;
use super::hit::{Hit, Style};
use super::months::{jalali_month, may_be_month, may_begin_two, month};
use super::{Stamp, day, jalali, relative};
use crate::metadata::text::{ByFirst, by_first, digit, half_width};
use jiff::civil::{Date, Time};
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Lines of the hours east of Greenwich and the time zones there.
const ZONES: &[&str] = lexicon!("time-zones.txt");
/// Words for the halves of the day.
const BEFORE_NOON: &[&str] = lexicon!("before-noon.txt");
const AFTER_NOON: &[&str] = lexicon!("after-noon.txt");
/// All of them by first letter.
static NOON: LazyLock<ByFirst> = LazyLock::new(|| by_first(&[BEFORE_NOON, AFTER_NOON].concat()));
/// Maximum number of tokens of such a word: "ب.ظ", "بعد از ظهر".
const MAX_NOON_TOKENS: usize = 4;
/// Without a known today, larger two-digit years belong to the last century.
const LAST_TWO_DIGIT_YEAR: u32 = 40;

#[derive(Clone, Copy, Debug, PartialEq)]
enum TokenKind {
    Number { value: u64, digits: u8 },
    Word,
    Sign(char),
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    start: u32,
    end: u32,
    /// Whether white space precedes it.
    space: bool,
}

struct Scan<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    hint: &'a Hint<'a>,
}

/// A date read from some tokens: its value, its other reading, its style, and the first token after it.
struct Reading {
    date: Date,
    swapped: Option<Date>,
    style: Style,
    next: usize,
}

impl Reading {
    fn new(date: Date, style: Style, next: usize) -> Option<Reading> {
        Some(Reading { date, swapped: None, style, next })
    }
}

/// Finds all dates of a text, in order and without overlaps. Linear in the length of the text.
pub fn find(text: &str, hint: &Hint<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    if !has_digits(text) {
        relative::find(text, hint, &mut hits);
        return hits;
    }
    let scan = Scan { text, tokens: tokenize(text), hint };
    let mut i = 0;
    while i < scan.tokens.len() {
        match scan.read(i) {
            Some((first, r)) => {
                let (next, stamp) = scan.with_time(first, &r);
                let range = scan.tokens[first].start as usize..scan.tokens[next - 1].end as usize;
                hits.push(Hit { range, stamp, swapped: r.swapped, style: r.style });
                i = next.max(i + 1);
            }
            None => i += 1,
        }
    }
    if hits.is_empty() {
        relative::find(text, hint, &mut hits);
    }
    hits
}

/// Returns whether there are as many digits as in the shortest date: `May 5, 24`.
fn has_digits(text: &str) -> bool {
    const MIN_DIGITS: usize = 3;
    let mut found = 0;
    // Each piece is short enough for a byte to count its digits, so that the compiler can use vector instructions.
    for piece in text.as_bytes().chunks(64) {
        found += usize::from(piece.iter().map(|b| b.is_ascii_digit() as u8).sum::<u8>());
        if found >= MIN_DIGITS {
            return true;
        }
    }
    !text.is_ascii() && text.chars().filter(|c| digit(*c).is_some()).nth(MIN_DIGITS - 1).is_some()
}

/// Whether a character belongs to a word: a letter, or a sign within a word, such as the viramas of Indic scripts.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.is_alphabetic()
        || matches!(c, '\u{900}'..='\u{dff}' | '\u{e00}'..='\u{e7f}' | '\u{64b}'..='\u{65f}' if digit(c).is_none() && c != '।')
}

/// Returns whether a character is a word of its own: Han and Kana, which are written without spaces.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 4);
    let (mut space, mut at) = (false, 0);
    while let Some(c) = text[at..].chars().next() {
        let start = at as u32;
        at += c.len_utf8();
        // Most characters are letters of a word after the first one.
        if c.is_ascii_alphabetic() {
            at += text.as_bytes()[at..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        }
        let end = at as u32;
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}') {
            continue;
        }
        let glued = !std::mem::take(&mut space);
        let number = digit(c);
        if let (true, Some(last)) = (glued, tokens.last_mut()) {
            match (&mut last.kind, number) {
                (TokenKind::Number { value, digits }, Some(d)) => {
                    *value = value.saturating_mul(10).saturating_add(u64::from(d));
                    *digits = digits.saturating_add(1);
                    last.end = end;
                    continue;
                }
                (TokenKind::Word, None) if is_word(c) && !is_sign(c) => {
                    last.end = end;
                    continue;
                }
                _ => {}
            }
        }
        let kind = match number {
            Some(d) => TokenKind::Number { value: u64::from(d), digits: 1 },
            None if is_sign(c) => TokenKind::Sign(c),
            None if is_word(c) => TokenKind::Word,
            None => TokenKind::Sign(half_width(c)),
        };
        tokens.push(Token { kind, start, end, space: !glued });
    }
    tokens
}

/// Returns a day of the Gregorian or of the Persian calendar.
fn date_in(persian: bool, year: i32, month: u32, of_month: u32) -> Option<Date> {
    if persian { jalali(year, month, of_month) } else { day(year, month, of_month) }
}

impl Scan<'_> {
    fn number(&self, i: usize) -> Option<(u32, u8)> {
        match self.tokens.get(i)?.kind {
            TokenKind::Number { value, digits } => Some((u32::try_from(value).ok()?, digits)),
            _ => None,
        }
    }
    /// Returns a number of one or two digits, at most `max`.
    fn small(&self, i: usize, max: u32) -> Option<u32> {
        self.number(i).filter(|&(n, digits)| digits <= 2 && n <= max).map(|(n, _)| n)
    }
    fn sign(&self, i: usize) -> Option<char> {
        match self.tokens.get(i)?.kind {
            TokenKind::Sign(c) => Some(c),
            _ => None,
        }
    }
    fn is_sign(&self, i: usize, any: &[char]) -> bool {
        self.sign(i).is_some_and(|c| any.contains(&c))
    }
    fn glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| !t.space)
    }
    fn word(&self, i: usize) -> Option<&str> {
        let t = self.tokens.get(i)?;
        (t.kind == TokenKind::Word).then(|| &self.text[t.start as usize..t.end as usize])
    }

    /// Reads a month's name at `i`: the month, the first token after it, and whether it belongs to the Persian calendar.
    fn month_name(&self, i: usize) -> Option<(u32, usize, bool)> {
        if self.word(i).is_some_and(|word| matches!(word, "tháng" | "Tháng")) {
            return self.vietnamese_month(i + 1).map(|(month, next)| (month, next, false));
        }
        let word = self.word(i).filter(|w| may_be_month(w))?.to_lowercase();
        if word.len() > 40 {
            return None;
        }
        // Names of two words, or of letters with dots: کانون الثانی, ม.ค.
        let two: &[_] = if may_begin_two(&word) { &[(i + 1, false), (i + 2, true)] } else { &[] };
        for &(second, dotted) in two {
            if dotted != self.is_sign(i + 1, &['.']) {
                continue;
            }
            if let Some(m) =
                self.word(second).and_then(|w| month(&format!("{word}-{}", w.to_lowercase()), self.hint.language))
            {
                let end = second + 1 + self.is_sign(second + 1, &['.']) as usize;
                return Some((u32::from(m), end, false));
            }
        }
        if !word.is_ascii()
            && (self.hint.language.starts_with("fa") || self.hint.language.is_empty())
            && let Some(m) = jalali_month(&word)
        {
            return Some((u32::from(m), i + 1, true));
        }
        let m = month(&word, self.hint.language).or_else(|| month(strip_particles(&word), self.hint.language))?;
        let end = i + 1 + self.is_sign(i + 1, &['.']) as usize;
        Some((u32::from(m), end, false))
    }

    /// Reads the number of a month as Vietnamese writes it, behind the word for month: `tháng 3`, `Tháng Ba`, `Tháng Mười Một`. Returns the month
    /// and the first token after it.
    fn vietnamese_month(&self, i: usize) -> Option<(u32, usize)> {
        const NUMBERS: [&str; 10] = ["một", "hai", "ba", "tư", "năm", "sáu", "bảy", "tám", "chín", "mười"];
        if let Some(month) = self.small(i, 12) {
            return Some((month, i + 1));
        }
        let number = |i: usize| {
            let word = self.word(i)?.to_lowercase();
            if word == "giêng" { Some(1) } else { NUMBERS.iter().position(|n| *n == word).map(|n| n as u32 + 1) }
        };
        let first = number(i)?;
        match number(i + 1) {
            Some(more @ (1 | 2)) if first == 10 => Some((first + more, i + 2)),
            _ => Some((first, i + 1)),
        }
    }

    /// Whether a number is the one of a volume or an issue: "Volume 16, April 2017".
    fn is_of_volume(&self, number: usize) -> bool {
        const NAMES: [&str; 6] = ["volume", "vol", "issue", "band", "heft", "tome"];
        let before = number.checked_sub(1).and_then(|i| self.word(i).or_else(|| self.word(i.checked_sub(1)?)));
        before.is_some_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
    }

    /// Reads a date at token `i`; a date with a month's name may begin with the name.
    fn read(&self, i: usize) -> Option<(usize, Reading)> {
        let r = match self.tokens[i].kind {
            TokenKind::Number { .. } => {
                // The digits of a longer code are not a date; but a date may follow a name without a space: `Jane Doe17.5.2024`.
                let glued = i > 0 && self.glued(i) && !self.hint.compact && !self.hint.address;
                if glued
                    && let Some(before) = self.word(i - 1)
                    && before != "T"
                    && (before.chars().count() < 3 || !self.is_numeric(i))
                {
                    return None;
                }
                self.year_first(i).or_else(|| {
                    let may_be_day = !self.hint.address && !self.is_of_volume(i);
                    if may_be_day { self.day_month_name(i).or_else(|| self.year_last(i)) } else { None }
                })
            }
            TokenKind::Word if !self.hint.address => self.month_name_first(i),
            TokenKind::Word | TokenKind::Sign(_) => None,
        };
        r.map(|r| (i, r))
    }

    /// Returns whether three numbers with signs between them begin at token `i`, one of them a four-digit year.
    fn is_numeric(&self, i: usize) -> bool {
        let signs = [i + 1, i + 3].iter().all(|&k| self.is_sign(k, &['.', '/', '-']));
        signs && [i, i + 4].iter().any(|&k| self.number(k).is_some_and(|n| n.1 == 4 && (1990..2100).contains(&n.0)))
    }

    fn year_first(&self, i: usize) -> Option<Reading> {
        if let TokenKind::Number { value, digits: 14 } = self.tokens[i].kind
            && self.hint.compact
        {
            let ymd = (value / 1_000_000) as u32;
            let date = day((ymd / 10_000) as i32, ymd / 100 % 100, ymd % 100)?;
            return Reading::new(date, Style::Compact, i + 1);
        }
        let (y, digits) = self.number(i)?;
        if digits == 8 && self.hint.compact {
            let date = day((y / 10_000) as i32, y / 100 % 100, y % 100).filter(|d| d.year() > 1985)?;
            return Reading::new(date, Style::Compact, i + 1);
        }
        if self.is_sign(i + 1, &['年', '년']) {
            return self.east_asian(i, y, digits);
        }
        if digits != 4 {
            return None;
        }
        let year = year(y);
        if i >= 2 && self.glued(i) && self.glued(i - 1) && self.is_sign(i - 1, &['.']) && self.number(i - 2).is_some() {
            return None;
        }
        if self.is_sign(i + 1, &['-', '/', '.', '‐', '–', '−', '_']) && self.number(i + 2).is_some() {
            let sign = self.sign(i + 1);
            let m = self.small(i + 2, 12)?;
            if self.sign(i + 3) != sign {
                return None;
            }
            let d = self.small(i + 4, 31)?;
            // 2024-05-17-123 and 1.2024.5.17.3 are codes.
            let date = if (1300..1450).contains(&y) { jalali(y as i32, m, d)? } else { day(year, m, d)? };
            return Reading::new(date, Style::YearFirst, i + 5);
        }
        self.year_month_name(i, year)
    }

    /// `2024 May 17`, `2024. május 17.`, `2024 m. gegužės 17 d.`, `2024ko maiatzaren 17a`
    fn year_month_name(&self, i: usize, year: i32) -> Option<Reading> {
        if self.hint.address {
            // /2024/may/17/
            let parts = self.is_sign(i + 1, &['/', '-']) && self.is_sign(i + 3, &['/', '-']);
            if !parts {
                return None;
            }
            let (m, ..) = self.month_name(i + 2)?;
            let date = day(year, m, self.small(i + 4, 31)?)?;
            return Reading::new(date, Style::Named, i + 5);
        }
        for j in i + 1..i + 4 {
            if let Some((m, next, persian)) = self.month_name(j) {
                let next = next + self.is_sign(next, &[',', '-', '/']) as usize;
                let d = self.small(next, 31)?;
                let date = date_in(persian, year, m, d)?;
                return Reading::new(date, Style::Named, next + 1);
            }
            let filler = self.is_sign(j, &['.', ',', '-', '/']) || self.word(j).is_some_and(|w| w.chars().count() <= 3);
            if !filler {
                return None;
            }
        }
        None
    }

    fn east_asian(&self, i: usize, y: u32, digits: u8) -> Option<Reading> {
        let year = match digits {
            4 => year(y),
            // 令和6年, 平成31年, 民國113年
            1..=3 => match (i.checked_sub(2).and_then(|p| self.sign(p)), i.checked_sub(1).and_then(|p| self.sign(p))) {
                (Some('令'), Some('和')) => 2018 + y as i32,
                (Some('平'), Some('成')) => 1988 + y as i32,
                (_, Some('國' | '国')) => 1911 + y as i32,
                _ if digits == 2 => self.two_digit(y),
                _ => return None,
            },
            _ => return None,
        };
        let m = self.small(i + 2, 12)?;
        if !self.is_sign(i + 3, &['月', '월']) {
            return None;
        }
        let d = self.small(i + 4, 31)?;
        let next = i + 5 + self.is_sign(i + 5, &['日', '일', '号']) as usize;
        Reading::new(day(year, m, d)?, Style::YearFirst, next)
    }

    /// `17 May 2024`, `17. Mai 2024`, `17 de mayo de 2024`, `le 1er juin 2024`, `17-May-2024`, `17 พฤษภาคม 2567`
    fn day_month_name(&self, i: usize) -> Option<Reading> {
        let d = self.small(i, 31)?;
        // 5:22am On Apr 24
        let clock = i > 1 && self.is_sign(i - 1, &[':']) && self.glued(i) && self.number(i - 2).is_some();
        if clock || (self.glued(i + 1) && self.word(i + 1).is_some_and(|w| matches!(w, "am" | "pm" | "AM" | "PM"))) {
            return None;
        }
        for j in i + 1..i + 4 {
            if let Some((m, next, persian)) = self.month_name(j) {
                let (year, next) = self.year_after(next, self.joint(j), true)?;
                let date = date_in(persian, year, m, d)?;
                return Reading::new(date, Style::Named, next);
            }
            let filler = self.is_sign(j, &['.', '-', '/', ',', 'º', 'ª', '°', '\'', '’'])
                || self.word(j).is_some_and(|w| w.chars().count() <= 3);
            if !filler {
                return None;
            }
        }
        None
    }

    /// `May 17, 2024`, `May 17th 2024`, `Mai 17 2024`, `May 17 09:30:05 CEST 2024`
    fn month_name_first(&self, i: usize) -> Option<Reading> {
        // Without a number among the next tokens this is not a date; the check saves looking up every word of the text.
        if !(self.number(i + 1).is_some() || self.number(i + 2).is_some() || self.number(i + 3).is_some()) {
            return None;
        }
        let (m, next, persian) = self.month_name(i)?;
        let next = next + self.is_sign(next, &['-', '/', ',']) as usize;
        let d = self.small(next, 31)?;
        if self.is_sign(next + 1, &[':']) {
            return None;
        }
        let joint = self.joint(next);
        let mut k = next + 1;
        if let Some((_, _, after)) = self.clock(k) {
            let after = self.zone(after).map_or(after, |z| z.1);
            if let Some((y, 4)) = self.number(after) {
                return Reading::new(day(year(y), m, d)?, Style::Named, after + 1);
            }
        }
        if self.glued(k) && self.word(k).is_some_and(|w| matches!(w, "st" | "nd" | "rd" | "th" | "a" | "an" | "er")) {
            k += 1;
        }
        let (year, next) = self.year_after(k, joint, false)?;
        let date = date_in(persian, year, m, d)?;
        Reading::new(date, Style::Named, next)
    }

    /// Returns the sign that joins token `k` to the one before, as in `17-May` and `May/17`.
    fn joint(&self, k: usize) -> Option<char> {
        k.checked_sub(1).and_then(|p| self.sign(p)).filter(|c| matches!(c, '-' | '/' | '–'))
    }

    /// Returns whether the two digits at `j` may be a year, rather than an hour (`May 17 12pm`) or a day of a range (`May 17-23`, `May 17 -
    /// Jun 14, 2024`).
    fn short_year(&self, j: usize, k: usize, joint: Option<char>, day_first: bool) -> bool {
        let Some((y, 2)) = self.number(j) else { return false };
        let hour = self.half_day(j + 1, usize::MAX).is_some()
            || self.word(j + 1).is_some_and(|w| matches!(w.to_ascii_lowercase().as_str(), "h" | "hrs" | "uhr"));
        let range = self.is_sign(j + 1, &['-', '–', '/']) && self.number(j + 2).is_some();
        let day = self.number(j + 1 + self.is_sign(j + 1, &[',']) as usize).is_some_and(|n| n.1 == 4);
        if self.is_sign(j + 1, &[':', '%']) || hour || range || day {
            return false;
        }
        match self.joint(j) {
            _ if j == k => {
                // 9 Jan 08
                joint.is_none()
                    && (y >= 10 || day_first && self.word(j + 1).is_none() && self.number(j + 1).is_none())
                    && !self.is_sign(j + 1, &['.'])
            }
            Some(sign) => joint == Some(sign),
            None => self.is_sign(j - 1, &['’', '\'']) && !self.is_sign(j + 1, &['.']),
        }
    }

    /// Reads a year at `k` or after at most two short words or signs; `joint` is the sign between day and month, which comes last if
    /// `day_first`.
    fn year_after(&self, k: usize, joint: Option<char>, day_first: bool) -> Option<(i32, usize)> {
        for j in k..k + 3 {
            match self.number(j) {
                Some((y, 4)) if !self.is_sign(j + 1, &[':']) => return Some((year(y), j + 1)),
                Some((y, 2)) if self.short_year(j, k, joint, day_first) => return Some((self.two_digit(y), j + 1)),
                Some(_) => return None,
                None => {}
            }
            let filler = self.is_sign(j, &['.', ',', '-', '/', '’', '\'', '،'])
                || self.word(j).is_some_and(|w| w.chars().count() <= 4);
            if !filler {
                return None;
            }
        }
        None
    }

    /// `17/05/2024`, `17.05.24`, `5-17-2024`
    fn year_last(&self, i: usize) -> Option<Reading> {
        let a = self.small(i, 31)?;
        let sign = self.sign(i + 1).filter(|c| ['/', '.', '-', '–', '‐'].contains(c))?;
        let b = self.small(i + 2, 31)?;
        if self.sign(i + 3) != Some(sign) || (sign != '.' && !(self.glued(i + 2) && self.glued(i + 4))) {
            return None;
        }
        // 1.2.3.4 is a version or a network address.
        if i > 0 && self.glued(i) && self.is_sign(i - 1, &[sign]) {
            return None;
        }
        let (y, digits) = self.number(i + 4)?;
        // 1.1.16 is a version where dates are not written with dots.
        let padded = [i, i + 2].iter().all(|&k| self.number(k).is_some_and(|n| n.1 == 2));
        if sign == '.' && digits == 2 && !padded && !self.dotted_language() {
            return None;
        }
        if self.is_sign(i + 5, &[sign]) && self.glued(i + 6) && self.number(i + 6).is_some() {
            return None;
        }
        let year = match digits {
            4 => year(y),
            // 24.05.17 and 24/05/17 have the year first if the first number cannot be a day.
            2 if a > 12 && b <= 12 && y <= 31 && self.year_first_language() => {
                let date = day(self.two_digit(a), b, y)?;
                return Reading::new(date, Style::YearFirst, i + 5);
            }
            2 => self.two_digit(y),
            _ => return None,
        };
        let (dmy, mdy) = (day(year, b, a), day(year, a, b));
        // Dates with dots are never American, unless nothing else fits.
        let month_first = self.hint.month_first && sign != '.';
        let (date, swapped) = match (dmy, mdy) {
            (Some(d), Some(m)) if d != m && month_first => (m, Some(d)),
            (Some(d), Some(m)) if d != m => (d, Some(m)),
            (Some(d), _) => (d, None),
            (None, m) => (m?, None),
        };
        Some(Reading { date, swapped, style: Style::YearLast, next: i + 5 })
    }

    /// Returns whether the text is declared to be in a language other than English.
    fn dotted_language(&self) -> bool {
        !matches!(self.hint.language.split(['-', '_']).next(), None | Some("" | "en" | "EN"))
    }

    fn year_first_language(&self) -> bool {
        let primary = self.hint.language.split(['-', '_']).next().unwrap_or("");
        matches!(primary, "zh" | "ja" | "ko" | "hu" | "lt" | "mn")
    }

    fn two_digit(&self, y: u32) -> i32 {
        let last = self.hint.now.map_or(LAST_TWO_DIGIT_YEAR, |d| (d.date.year() as u32 + 1) % 100);
        (if y <= last { 2000 + y } else { 1900 + y }) as i32
    }

    /// Adds the time of day after or before a date, and returns the first token after both.
    fn with_time(&self, first: usize, r: &Reading) -> (usize, Stamp) {
        let mut stamp = Stamp::day(r.date);
        if let TokenKind::Number { value, digits: 14 } = self.tokens[first].kind {
            let hms = (value % 1_000_000) as u32;
            if let Ok(t) = Time::new((hms / 10_000) as i8, (hms / 100 % 100) as i8, (hms % 100) as i8, 0) {
                (stamp.time, stamp.seconds) = (Some(t), true);
            }
            return (r.next, stamp);
        }
        // Fri May 17 09:30:05 CEST 2024: the time is inside the date.
        let mut inside = if r.style == Style::Named { first..r.next } else { 0..0 };
        if let Some((time, seconds, after)) = inside.find_map(|k| self.clock(k)).filter(|c| c.2 <= r.next) {
            (stamp.time, stamp.seconds) = (Some(time), seconds);
            stamp.offset = self.zone(after).or_else(|| self.zone(r.next)).map(|z| z.0);
            return (r.next, stamp);
        }
        for j in r.next..r.next + 6 {
            if let Some((time, seconds, after)) = self.clock(j) {
                (stamp.time, stamp.seconds) = (Some(time), seconds);
                let zone = self.zone(after);
                stamp.offset = zone.map(|z| z.0);
                return (zone.map_or(after, |z| z.1), stamp);
            }
            let filler = self.is_sign(
                j,
                &[
                    ',', '-', '–', '—', '|', '•', '·', '(', ')', '@', '.', '/', '日', '，', '،', ':', '下', '上', '午',
                    'в',
                ],
            ) || self.word(j).is_some_and(|w| w.chars().count() <= 5 || w.len() <= 9)
                || self.noon_word(j).is_some()
                || (self.sign(j).is_some_and(is_sign) && j < r.next + 4);
            if !filler {
                break;
            }
        }
        if let Some((time, seconds)) = self.time_before(first) {
            (stamp.time, stamp.seconds) = (Some(time), seconds);
        }
        (r.next, stamp)
    }

    /// Reads the time in `15:30, 17 May 2024` and `15:30 Uhr am 17.5.2024`.
    fn time_before(&self, first: usize) -> Option<(Time, bool)> {
        let from = first.checked_sub(3)?;
        (first.saturating_sub(10)..=from).rev().find_map(|k| {
            let (time, seconds, after) = self.clock(k)?;
            if k > 0 && self.is_sign(k - 1, &[':']) || after > first {
                return None;
            }
            let is_before = (after..first).all(|j| {
                self.is_sign(j, &[',', '-', '–', '|', '.', '·']) || self.word(j).is_some_and(|w| w.len() <= 4)
            });
            is_before.then_some((time, seconds))
        })
    }

    /// Reads a time of day at `k`, such as `09:30`, `9:30:05.123`, `9h30`, `9.30 Uhr`, `9:30 pm` or `下午3时30分`, and returns the first token
    /// after it.
    fn clock(&self, k: usize) -> Option<(Time, bool, usize)> {
        if self.glued(k)
            && self.word(k).is_some_and(|w| w == "T")
            && let Some((hm, 4 | 6)) = self.number(k + 1)
        {
            let (hms, seconds) = if self.number(k + 1)?.1 == 6 { (hm, true) } else { (hm * 100, false) };
            let t = Time::new((hms / 10_000) as i8, (hms / 100 % 100) as i8, (hms % 100) as i8, 0).ok()?;
            return Some((t, seconds, k + 2));
        }
        let mut h = self.small(k, 24)?;
        let colon = self.is_sign(k + 1, &[':', '时', '時', '시', '点']);
        let letter = self.word(k + 1).is_some_and(|w| w == "h" || w == "H") && self.glued(k + 1);
        let dot = self.is_sign(k + 1, &['.']) && self.glued(k + 1) && self.glued(k + 2);
        if !(colon || letter || dot) {
            // 9 am
            let (pm, next) = self.half_day(k + 1, k)?;
            let hour = if pm { h % 12 + 12 } else { h % 12 };
            return (h <= 12).then(|| Time::new(hour as i8, 0, 0, 0).ok()).flatten().map(|t| (t, false, next));
        }
        let (m, digits) = self.number(k + 2)?;
        if digits != 2 && !self.is_sign(k + 3, &['分', '분']) || m > 59 {
            return None;
        }
        let mut next = k + 3 + self.is_sign(k + 3, &['分', '분']) as usize;
        let mut s = None;
        if colon
            && (self.is_sign(k + 3, &[':']) || next > k + 3)
            && let Some(seconds) = self.small(k + 4, 59)
        {
            s = Some(seconds);
            next = k + 5 + self.is_sign(k + 5, &['秒', '초']) as usize;
            if self.is_sign(next, &['.', ','])
                && self.glued(next)
                && self.glued(next + 1)
                && self.number(next + 1).is_some()
            {
                next += 2;
            }
        }
        if let Some((pm, after)) = self.half_day(next, k) {
            if h <= 12 {
                h = if pm { h % 12 + 12 } else { h % 12 };
            }
            next = after;
        } else if dot
            && self.word(next).is_none_or(|w| w.len() > 4)
            && !k
                .checked_sub(1)
                .and_then(|p| self.word(p))
                .is_some_and(|w| matches!(w, "kl" | "klo" | "um" | "alle" | "ob"))
        {
            // 17.05 alone is not a time; 9.30 Uhr and kl. 9.30 are.
            return None;
        }
        let time = Time::new((h % 24) as i8, m as i8, s.unwrap_or(0) as i8, 0).ok()?;
        Some((time, s.is_some(), next))
    }

    /// Returns whether the second half of the day is stated at `j` (after the time) or before token `k`.
    fn half_day(&self, j: usize, k: usize) -> Option<(bool, usize)> {
        if let Some(w) = self.word(j) {
            let w = w.to_ascii_lowercase();
            if w == "am" || w == "pm" {
                return Some((w == "pm", j + 1));
            }
            let dotted = self.is_sign(j + 1, &['.']) && self.word(j + 2).is_some_and(|m| m.eq_ignore_ascii_case("m"));
            if dotted && (w == "a" || w == "p") {
                return Some((w == "p", j + 3 + self.is_sign(j + 3, &['.']) as usize));
            }
        }
        if let Some((pm, next)) = self.noon_word(j) {
            return Some((pm, next + usize::from(self.glued(next) && self.is_sign(next, &['.']))));
        }
        if j <= k.saturating_add(1) {
            return None;
        }
        // A single letter before a time belongs to the year: "2024 م".
        let before = (k.saturating_sub(MAX_NOON_TOKENS)..k).find_map(|i| {
            let (pm, next) = self.noon_word(i)?;
            let is_letter = next == i + 1 && self.word(i).is_some_and(|w| w.chars().count() == 1);
            (next + usize::from(self.is_sign(next, &['.'])) >= k && !is_letter).then_some(pm)
        });
        before.map(|pm| (pm, j))
    }

    /// Returns whether the words at `i` name the hours after noon instead of those before it, and the first token after them.
    fn noon_word(&self, i: usize) -> Option<(bool, usize)> {
        let text = &self.text[self.tokens.get(i)?.start as usize..];
        let words = NOON.get(&text.chars().next()?)?.iter();
        let word = words.filter(|word| text.starts_with(**word)).max_by_key(|word| word.len())?;
        let pm = AFTER_NOON.contains(word);
        let end = self.tokens[i].start as usize + word.len();
        let last = (i..self.tokens.len().min(i + MAX_NOON_TOKENS)).find(|&t| self.tokens[t].end as usize == end)?;
        Some((pm, last + 1))
    }

    /// Reads a time zone at `k` in minutes east of Greenwich, and returns the first token after it.
    fn zone(&self, k: usize) -> Option<(i16, usize)> {
        if self.is_sign(k, &['(', ',']) {
            return if self.word(k + 1).is_some() { self.zone(k + 1) } else { None };
        }
        if let Some(sign) = self.sign(k).filter(|c| ['+', '-', '−'].contains(c)) {
            if !self.glued(k + 1) {
                return None;
            }
            let (n, digits) = self.number(k + 1)?;
            let (h, m, next) = match digits {
                4 => (n / 100, n % 100, k + 2),
                1 | 2 if self.is_sign(k + 2, &[':']) => (n, self.small(k + 3, 59)?, k + 4),
                2 => (n, 0, k + 2),
                _ => return None,
            };
            let minutes = (h * 60 + m) as i16;
            return (h <= 14).then_some((if sign == '+' { minutes } else { -minutes }, next));
        }
        let name = self.word(k)?;
        let zones = ZONES.iter().filter_map(|line| line.split_once(' '));
        let hours: f32 =
            zones.filter(|zone| zone.1.split(' ').any(|n| n == name)).find_map(|zone| zone.0.parse().ok())?;
        // GMT+0200
        let offset = if hours == 0.0 && self.is_sign(k + 1, &['+', '-']) { self.zone(k + 1) } else { None };
        Some(offset.unwrap_or(((hours * 60.0) as i16, k + 1)))
    }
}

/// Converts a year of the Buddhist calendar (Thailand); Gregorian and Persian years are unchanged.
fn year(y: u32) -> i32 {
    if (2440..2643).contains(&y) { y as i32 - 543 } else { y as i32 }
}

/// Returns the word without the particles that some languages attach to a month's name, such as Maltese and Romance articles.
fn strip_particles(word: &str) -> &str {
    ["d’", "d'", "ב", "د"].iter().find_map(|p| word.strip_prefix(p)).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str, language: &str) -> Vec<String> {
        let hint = Hint { language, month_first: language == "en-US", ..Hint::default() };
        find(text, &hint).iter().map(|h| h.stamp.to_string()).collect()
    }

    #[test]
    fn minutes_are_not_days() {
        assert!(find("5:22am On Apr 24", &Hint::default()).is_empty());
        assert!(find("9pm May 2024", &Hint::default()).is_empty());
        assert_eq!(dates("Datum:26. Januar 2022", "de"), ["2022-01-26"]);
    }

    #[test]
    fn the_formats_of_the_published_table_are_read() {
        for (text, date) in [
            ("2024-05-17 09:30:05", "2024-05-17T09:30:05"),
            ("2024/5/7 21:30", "2024-05-07T21:30"),
            ("2024.05.17", "2024-05-17"),
            ("24-05-17 09:30", "2017-05-24T09:30"),
            ("2024年5月17日 09:30", "2024-05-17T09:30"),
            ("2024年05月17日09时30分", "2024-05-17T09:30"),
            ("24年5月17日", "2024-05-17"),
            ("发布时间：2024年5月17日下午3:05", "2024-05-17T15:05"),
            ("令和6年5月17日", "2024-05-17"),
            ("2024년 5월 17일 오후 3:05", "2024-05-17T15:05"),
            ("2024年5月17日 午後3時05分", "2024-05-17T15:05"),
            ("2024年5月17日凌晨0:05", "2024-05-17T00:05"),
        ] {
            assert_eq!(dates(text, ""), [date], "{text}");
        }
        assert_eq!(dates("24-05-17 09:30", "zh"), ["2024-05-17T09:30"]);
    }

    #[test]
    fn month_names_in_many_languages_are_read() {
        for (text, language, date) in [
            ("May 17, 2024 at 9:30 p.m. EDT", "en", "2024-05-17T21:30-04:00"),
            ("on the 3rd of May 2024", "en", "2024-05-03"),
            ("Posted Friday, Sept. 6th, 2024 |", "en", "2024-09-06"),
            ("17-May-24", "en", "2024-05-17"),
            ("17. März 2024, 9.30 Uhr", "de", "2024-03-17T09:30"),
            ("le 1er juin 2024 à 15h30", "fr", "2024-06-01T15:30"),
            ("17 de mayo de 2024", "es", "2024-05-17"),
            ("Lunedì 17 maggio 2024", "it", "2024-05-17"),
            ("17 мая 2024 г., 15:30 МСК", "ru", "2024-05-17T15:30"),
            ("2024. május 17. 9:30", "hu", "2024-05-17T09:30"),
            ("2024 m. gegužės 17 d.", "lt", "2024-05-17"),
            ("17 พฤษภาคม 2567", "th", "2024-05-17"),
            ("17 ม.ค. 2567", "th", "2024-01-17"),
            ("١٧ مايو ٢٠٢٤", "ar", "2024-05-17"),
            ("۲۸ اردیبهشت ۱۴۰۳", "fa", "2024-05-17"),
            ("17 मई 2024", "hi", "2024-05-17"),
            ("१७ अक्टूबर २०२४", "hi", "2024-10-17"),
            ("17 Μαΐου 2024", "el", "2024-05-17"),
            ("2024ko maiatzaren 17a", "eu", "2024-05-17"),
            ("17.toukokuuta 2024 klo 9.30", "fi", "2024-05-17T09:30"),
            ("15:30, 17 May 2024", "en", "2024-05-17T15:30"),
            ("17 मई 2024 को 3:05 अपराह्न", "hi", "2024-05-17T15:05"),
            ("17 मई 2024, अपराह्न 3:05", "hi", "2024-05-17T15:05"),
            ("17 मई 2024, 3:05 शाम", "hi", "2024-05-17T15:05"),
            ("17 मे 2024 3:05 म.उ.", "mr", "2024-05-17T15:05"),
            ("১৭ মে ২০২৪, ৩:০৫ অপরাহ্ণ", "bn", "2024-05-17T15:05"),
            ("17 மே 2024, பிற்பகல் 3:05", "ta", "2024-05-17T15:05"),
            ("17/05/2024 3:05 CH", "vi", "2024-05-17T15:05"),
            ("lúc 07:12 20 tháng 3, 2026", "vi", "2026-03-20T07:12"),
            ("Ngày 20 tháng 3 năm 2026", "vi", "2026-03-20"),
            ("Tháng Mười Một 5, 2025", "vi", "2025-11-05"),
            ("5 Tháng Năm, 2025", "vi", "2025-05-05"),
            ("17 Μαΐου 2024, 3:05 μ.μ.", "el", "2024-05-17T15:05"),
            ("3:05 μ.μ., 17 Μαΐου 2024", "el", "2024-05-17T15:05"),
            ("17 Mayıs 2024 ÖS 3:05", "tr", "2024-05-17T15:05"),
            ("17 مايو 2024م، 3:05 م", "ar", "2024-05-17T15:05"),
            ("17 مايو 2024 م 3:05", "ar", "2024-05-17T03:05"),
            ("17 مايو 2024 12:05 صباحًا", "ar", "2024-05-17T00:05"),
            ("۲۸ اردیبهشت ۱۴۰۳ ۳:۰۵ ب.ظ", "fa", "2024-05-17T15:05"),
            ("2024. május 17. du. 3:05", "hu", "2024-05-17T15:05"),
            ("17.5.2024 г., 3:05 сл.об.", "bg", "2024-05-17T15:05"),
            ("17 mai 2024 3:05 du matin", "fr", "2024-05-17T03:05"),
            ("17 Mei 2024 3:05 ptg", "ms", "2024-05-17T15:05"),
            ("17 במאי 2024, 3:05 אחה״צ", "he", "2024-05-17T15:05"),
            ("17 mayo 2024, 3:05 p. m.", "es", "2024-05-17T15:05"),
        ] {
            let found = dates(text, language);
            assert!(found.len() == 1 && found[0].starts_with(date), "{text}: {found:?}");
        }
    }

    #[test]
    fn day_and_month_follow_the_language() {
        assert_eq!(dates("05/06/2024", "en-US"), ["2024-05-06"]);
        assert_eq!(dates("05/06/2024", "fr"), ["2024-06-05"]);
        assert_eq!(dates("05/16/2024", "fr"), ["2024-05-16"]);
        assert_eq!(dates("5.6.24", "de"), ["2024-06-05"]);
    }

    #[test]
    fn spans_hours_and_versions_have_no_two_digit_year() {
        for text in [
            "Order today to get by Mar 17-27",
            "Mar 23-Apr 14",
            "The workshop (Nov 16-20): what is next",
            "in town April 29–30.",
            "October 29 12pm 1pm",
            "October 29 12-1pm",
            "until versions 1.1.16 and 1.0.13",
        ] {
            assert!(dates(text, "en").is_empty(), "{text}: {:?}", dates(text, "en"));
        }
        assert_eq!(dates("March 23 - April 14, 2024", "en"), ["2024-04-14"]);
        for text in ["17-May-24", "17/May/24", "May 17 '24", "17 May 24", "May-17-24", "17.05.24"] {
            assert_eq!(dates(text, "en"), ["2024-05-17"], "{text}");
        }
        assert_eq!(dates("am 5.6.24 um neun", "de"), ["2024-06-05"]);
        assert_eq!(dates("4:05pm Tue 1 Jan 08", "en"), ["2008-01-01T16:05"]);
        assert_eq!(dates("Jan 9 08", "en"), Vec::<String>::new());
        assert_eq!(dates("9 Jan 08:30, 9 Jan 08 hours", "en"), Vec::<String>::new());
    }

    #[test]
    fn a_date_may_follow_a_name_without_a_space() {
        assert_eq!(dates("Jane Doe3/4/2025", "en-US"), ["2025-03-04"]);
        assert_eq!(dates("Von Jane Doe17.5.2024", "de"), ["2024-05-17"]);
        for text in ["v3.11.2023", "RFC2024", "Section4.11.20"] {
            assert!(dates(text, "en").is_empty(), "{text}: {:?}", dates(text, "en"));
        }
    }

    #[test]
    fn codes_versions_and_prices_are_not_dates() {
        for text in [
            "version 1.2.2024.3.4",
            "call 0171-555-1234",
            "192.168.10.12",
            "ISBN 978-3-16-148410-0",
            "99.95",
            "may 2024",
            "Volume 16, April 2017",
            "Issue 5, September 2016",
            "Vol. 7 (May 2019)",
        ] {
            assert!(dates(text, "en").is_empty(), "{text}: {:?}", dates(text, "en"));
        }
    }
}
