//! Masks of personal data. Mail addresses and IPv4 addresses follow datatrove 0.10.1 (the patterns of FineWeb); card numbers have 13 to 19
//! digits, a known leading digit and a valid check digit (Luhn, ISO/IEC 7812-1); telephone numbers follow the forms of ITU-T E.123 and of
//! the North American plan; IPv6 addresses are those that the standard library reads. Only public addresses are masked.
use regex::{Captures, Regex};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

fn compiled(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(concat!(
        r"(?-u:\b)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*",
        r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    ))
});
static CARD: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(r"[0-9](?:[ -]?[0-9]){12,18}"));
static IPV4: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(r"(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)")
});
static IPV6: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:(?:[0-9A-Fa-f:.]*[0-9A-Fa-f:])?"));
// With a plus: the country code and groups. Without: (212) 555-0123, 212-555-0123, 212.555.0123.
static PHONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(concat!(
        r"\+[1-9][0-9]{0,3}(?:[ .\-\u{a0}]?\(?[0-9]{1,5}\)?){1,6}|\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[-. ][0-9]{4}",
        r"|[2-9][0-9]{2}([-.])[2-9][0-9]{2}[-.][0-9]{4}"
    ))
});

/// What to mask, and by which words.
///
/// ```
/// use maintext_quality::Mask;
/// let masked = Mask::all().apply("Write to ann@mail.net or call +44 20 7946 0958.");
/// assert_eq!(masked.text, "Write to email@example.com or call <PHONE>.");
/// assert_eq!((masked.emails, masked.phones), (1, 1));
/// ```
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Mask {
    /// The word for mail addresses; `None` keeps them.
    pub email: Option<String>,
    /// The word for telephone numbers.
    pub phone: Option<String>,
    /// The word for payment-card numbers.
    pub card: Option<String>,
    /// The word for public IP addresses.
    pub ip: Option<String>,
}

/// A masked text with the number of replacements of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    /// The text.
    pub text: String,
    /// Mail addresses.
    pub emails: usize,
    /// Telephone numbers.
    pub phones: usize,
    /// Payment-card numbers.
    pub cards: usize,
    /// IP addresses.
    pub ips: usize,
}

impl Mask {
    /// Masks all kinds, by `email@example.com`, `<PHONE>`, `<CARD>` and `192.0.2.1` (an address that RFC 5737 reserves for documents).
    #[must_use]
    pub fn all() -> Mask {
        Mask {
            email: Some("email@example.com".to_owned()),
            phone: Some("<PHONE>".to_owned()),
            card: Some("<CARD>".to_owned()),
            ip: Some("192.0.2.1".to_owned()),
        }
    }

    /// Masks the named kinds: `email`, `phone`, `card`, `ip` or `all`.
    ///
    /// # Errors
    /// A message with the first unknown name and all known names.
    pub fn new<S: AsRef<str>>(kinds: &[S]) -> Result<Mask, String> {
        let all = Mask::all();
        let mut mask = Mask { email: None, phone: None, card: None, ip: None };
        for kind in kinds.iter().map(|k| k.as_ref().trim()) {
            match kind {
                "email" => mask.email.clone_from(&all.email),
                "phone" => mask.phone.clone_from(&all.phone),
                "card" => mask.card.clone_from(&all.card),
                "ip" => mask.ip.clone_from(&all.ip),
                "all" => mask = all.clone(),
                _ => return Err(format!("unknown kind of data '{kind}'; the kinds are: email, phone, card, ip, all")),
            }
        }
        Ok(mask)
    }

    /// Replaces the chosen kinds in a text: mail addresses, cards, IP addresses, then telephone numbers.
    #[must_use]
    pub fn apply(&self, text: &str) -> Masked {
        let mut out = Masked { text: text.to_owned(), ..Masked::default() };
        if out.text.contains('@') {
            (out.text, out.emails) = replace(out.text, &EMAIL, self.email.as_deref(), |_, _, _| true);
        }
        (out.text, out.cards) =
            replace(out.text, &CARD, self.card.as_deref(), |s, a, b| alone(s, a, b) && is_card(&s[a..b]));
        (out.text, out.ips) = replace(out.text, &IPV4, self.ip.as_deref(), |s, a, b| {
            alone(s, a, b) && s[a..b].parse().is_ok_and(is_public4)
        });
        let (text, ips) = replace(out.text, &IPV6, self.ip.as_deref(), |s, a, b| {
            alone(s, a, b) && b - a <= 45 && s[a..b].parse().is_ok_and(is_public6)
        });
        (out.text, out.ips) = (text, out.ips + ips);
        (out.text, out.phones) =
            replace(out.text, &PHONE, self.phone.as_deref(), |s, a, b| alone(s, a, b) && is_phone(&s[a..b]));
        out
    }
}

fn replace(
    text: String,
    pattern: &LazyLock<Option<Regex>>,
    word: Option<&str>,
    ok: impl Fn(&str, usize, usize) -> bool,
) -> (String, usize) {
    let (Some(word), Some(pattern)) = (word, pattern.as_ref()) else { return (text, 0) };
    let mut count = 0;
    let out = pattern.replace_all(&text, |found: &Captures<'_>| {
        let Some(span) = found.get(0) else { return String::new() };
        if !ok(&text, span.start(), span.end()) {
            return span.as_str().to_owned();
        }
        count += 1;
        word.to_owned()
    });
    (out.into_owned(), count)
}

/// Whether a match is not part of a longer number, word, path or version.
fn alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let mut rest = text[end..].chars();
    let after = rest.next();
    let tail = match after {
        Some('.' | ',' | ':') => rest.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => joins(c),
        None => false,
    };
    !tail && !before.is_some_and(|c| joins(c) || c == '.' || c == ',')
}

fn joins(c: char) -> bool {
    c.is_alphanumeric() || "_-/=#$€£%&+".contains(c)
}

fn is_card(found: &str) -> bool {
    let digits: Vec<u32> = found.chars().filter_map(|c| c.to_digit(10)).collect();
    // The leading digits of the large networks: American Express and Diners (3), Visa (4), Mastercard (5, 2), Discover and UnionPay (6).
    let known = matches!(digits.first(), Some(2..=6));
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(i, d)| if i % 2 == 0 { *d } else { d * 2 / 10 + d * 2 % 10 }).sum();
    known && sum.is_multiple_of(10) && digits.iter().any(|d| *d != digits[0])
}

/// A number with a plus has 8 to 15 digits (ITU-T E.164); brackets are balanced.
fn is_phone(found: &str) -> bool {
    let digits = found.chars().filter(char::is_ascii_digit).count();
    found.matches('(').count() == found.matches(')').count()
        && (!found.starts_with('+') && digits == 10 || (8..=15).contains(&digits))
}

fn is_public4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let special = a == 0 || a >= 240 || (a, b, c) == (192, 0, 0) || a == 198 && (b == 18 || b == 19);
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || ip.is_broadcast()
        || shared
        || special)
}

fn is_public6(ip: Ipv6Addr) -> bool {
    // 2000::/3 without the range for documents.
    let s = ip.segments();
    s[0] & 0xe000 == 0x2000 && !(s[0] == 0x2001 && (s[1] == 0xdb8 || s[1] < 0x200))
}
