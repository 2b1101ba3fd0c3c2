//! robots.txt (RFC 9309): the addresses of a server that may not be fetched, the delay between requests, and the uses of pages that the
//! server allows or forbids.
use maintext_core::preferences::{Preferences, StatedIn, Vocabulary};
use maintext_fetch::{Answer, Ask, FetchError, Fetcher, Representation};
use std::cmp::Reverse;
use std::ops::Range;
use std::time::Duration;
use url::{Position, Url};

/// Largest number of redirects to follow from a robots.txt (RFC 9309, 2.3.1.2).
const REDIRECTS: usize = 5;
/// Number of bytes of a robots.txt that are read; RFC 9309 requires at least 500 KiB.
pub const MAX_SIZE: usize = 512 * 1024;
/// A longer `Crawl-delay` is shortened to this.
const LONGEST_DELAY: Duration = Duration::from_secs(3600);

/// The rules of a server for crawlers.
#[derive(Debug, Default)]
pub struct RobotsRules {
    /// The patterns, one after the other.
    patterns: String,
    /// The rules, with the longest pattern first: the first that matches decides.
    rules: Vec<RobotsRule>,
    /// Minimum time between two requests, if specified.
    pub delay: Option<Duration>,
    /// Addresses of sitemaps.
    pub sitemaps: Vec<String>,
    /// The lines that allow or forbid uses, `Content-Signal` and `Content-Usage`.
    usage: Vec<Usage>,
}

impl RobotsRules {
    /// Allows everything: the rules of a server without robots.txt.
    pub fn open() -> RobotsRules {
        RobotsRules::default()
    }

    /// Fetches the rules of a server, such as `https://example.org`, for the crawler `agent`. Without robots.txt everything is allowed;
    /// while the server fails to answer, nothing is.
    ///
    /// # Errors
    /// The server failed, or is busy.
    pub fn fetch(fetcher: &Fetcher, agent: &str, origin: &str) -> Result<RobotsRules, FetchError> {
        let mut url = format!("{origin}/robots.txt");
        for _ in 0..=REDIRECTS {
            match fetcher.ask(&Ask { any_type: true, representation: Some(Representation::Html), ..Ask::new(&url) }) {
                Ok(Answer::Page(page)) => return Ok(RobotsRules::read(agent, &page.body)),
                Ok(Answer::Moved(to)) => url = to,
                Ok(Answer::Unchanged) => break,
                // Nothing was asked, or the server is busy.
                Err(e @ FetchError::Status { sent: false, .. }) => return Err(e),
                Err(e @ FetchError::Status { status: 429, .. }) => return Err(e),
                // A demand for payment is like any other client error.
                Err(FetchError::Payment { .. } | FetchError::Status { status: 400..=499, .. }) => break,
                Err(FetchError::TooLarge { limit, .. }) if limit > MAX_SIZE => break,
                Err(e) => return Err(e),
            }
        }
        Ok(RobotsRules::open())
    }

    /// Parses a robots.txt for the crawler `agent`, which may be a whole `User-Agent` header; its first product name is used.
    /// The rules take about three times the memory of the text.
    ///
    /// ```
    /// use maintext_crawl::robots::RobotsRules;
    /// let rules = RobotsRules::read("maintext/0.1", b"User-agent: *\nDisallow: /private\nCrawl-delay: 2");
    /// assert!(rules.allows("https://example.org/a") && !rules.allows("https://example.org/private/a"));
    /// assert_eq!(rules.delay.unwrap().as_secs(), 2);
    /// ```
    pub fn read(agent: &str, text: &[u8]) -> RobotsRules {
        let product = product(agent);
        let text = String::from_utf8_lossy(whole_lines(text));
        let (mut sitemaps, mut has_own) = (Vec::new(), false);
        let (mut own, mut general) = (RobotsRules::default(), RobotsRules::default());
        let (mut for_own, mut for_all, mut begins, mut grouped) = (false, false, true, false);
        for (key, value) in text.trim_start_matches('\u{feff}').split(['\n', '\r']).filter_map(line) {
            match key {
                RobotsKey::Agent => {
                    grouped = true;
                    if !std::mem::replace(&mut begins, true) {
                        (for_own, for_all) = (false, false);
                    }
                    let is_own = value != "*" && self::product(value).eq_ignore_ascii_case(product);
                    has_own |= is_own;
                    for_own |= is_own;
                    for_all |= value == "*";
                }
                RobotsKey::Sitemap => sitemaps.push(value.to_owned()),
                // Before the first group, they are for every crawler.
                RobotsKey::Usage(_) if begins && !grouped => {
                    own.add(key, value);
                    general.add(key, value);
                }
                RobotsKey::Rule(_) | RobotsKey::Delay | RobotsKey::Usage(_) => {
                    begins = false;
                    [(for_own, &mut own), (for_all, &mut general)]
                        .into_iter()
                        .filter(|g| g.0)
                        .for_each(|g| g.1.add(key, value));
                }
            }
        }
        let mut found = if has_own { own } else { general };
        found.rules.sort_by_key(|rule| (Reverse(rule.pattern.len()), !rule.allow));
        RobotsRules { sitemaps, ..found }
    }

    /// Returns about how many bytes of memory the rules take.
    pub fn size(&self) -> usize {
        let sitemaps: usize = self.sitemaps.iter().map(|s| size_of::<String>() + s.capacity()).sum();
        let usage: usize = self.usage.iter().map(|u| size_of::<Usage>() + u.path.capacity() + u.text.capacity()).sum();
        size_of::<RobotsRules>()
            + self.patterns.capacity()
            + self.rules.capacity() * size_of::<RobotsRule>()
            + sitemaps
            + usage
    }

    /// Whether an address may be fetched.
    pub fn allows(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else { return false };
        let path = normal(&url[Position::BeforePath..Position::AfterQuery]);
        let first = self.rules.iter().find(|rule| matches(&self.patterns[rule.pattern.clone()], &path));
        path == "/robots.txt" || first.is_none_or(|rule| rule.allow)
    }

    /// Returns the uses of an address that the server allows or forbids. Of the lines of either kind, the longest path that matches
    /// decides, as with rules.
    ///
    /// ```
    /// use maintext_core::preferences::Use;
    /// use maintext_crawl::robots::RobotsRules;
    /// let text = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /open/ train-ai=y";
    /// let preferences = RobotsRules::read("maintext/0.1", text).preferences("https://example.org/a");
    /// assert!(preferences.forbids(Use::AiTrain) && !preferences.forbids(Use::Search));
    /// ```
    pub fn preferences(&self, url: &str) -> Preferences {
        let mut found = Preferences::default();
        if self.usage.is_empty() {
            return found;
        }
        let Ok(url) = Url::parse(url) else { return found };
        let path = normal(&url[Position::BeforePath..Position::AfterQuery]);
        let matching: Vec<&Usage> = self.usage.iter().filter(|usage| matches(&usage.path, &path)).collect();
        for vocabulary in [Vocabulary::Signal, Vocabulary::Usage] {
            let of = || matching.iter().filter(move |usage| usage.vocabulary == vocabulary);
            let longest = of().map(|usage| usage.path.len()).max();
            for usage in of().filter(|usage| Some(usage.path.len()) == longest) {
                found.add_line(StatedIn::Robots, vocabulary, &usage.text);
            }
        }
        found
    }

    fn add(&mut self, key: RobotsKey, value: &str) {
        match key {
            RobotsKey::Rule(allow) if !value.is_empty() => {
                let start = self.patterns.len();
                self.patterns += &normal(value);
                self.rules.push(RobotsRule { allow, pattern: start..self.patterns.len() });
            }
            RobotsKey::Usage(vocabulary) => {
                let (path, text) = if value.starts_with(['/', '*']) {
                    value.split_once(char::is_whitespace).unwrap_or((value, ""))
                } else {
                    ("", value)
                };
                self.usage.push(Usage { vocabulary, path: normal(path), text: text.trim().to_owned() });
            }
            RobotsKey::Delay => {
                let delay = value.parse().ok().and_then(|s| Duration::try_from_secs_f32(s).ok());
                self.delay = self.delay.or(delay.map(|d| d.min(LONGEST_DELAY)));
            }
            _ => {}
        }
    }
}

/// A line that allows or forbids uses.
#[derive(Debug)]
struct Usage {
    vocabulary: Vocabulary,
    /// The pattern of the paths for which it holds; empty for all.
    path: String,
    text: String,
}

/// A rule: whether it allows, and where its pattern is.
#[derive(Debug)]
struct RobotsRule {
    allow: bool,
    pattern: Range<usize>,
}

/// The keys of lines with a meaning; a rule's key includes whether it allows.
#[derive(Clone, Copy)]
enum RobotsKey {
    Agent,
    Rule(bool),
    Delay,
    Sitemap,
    Usage(Vocabulary),
}

/// Returns the lines within the size limit, without one that the limit cuts.
fn whole_lines(text: &[u8]) -> &[u8] {
    let Some(head) = text.get(..MAX_SIZE).filter(|head| head.len() < text.len()) else { return text };
    &head[..head.iter().rposition(|b| matches!(b, b'\n' | b'\r')).unwrap_or(0)]
}

/// Reads a line: its key, with the usual misspellings, and its value.
fn line(line: &str) -> Option<(RobotsKey, &str)> {
    let line = line.split('#').next().unwrap_or("").trim();
    let (key, value) = line.split_once(':').or_else(|| line.split_once(char::is_whitespace))?;
    let key = match key.trim().to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => RobotsKey::Agent,
        "allow" => RobotsKey::Rule(true),
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => RobotsKey::Rule(false),
        "crawl-delay" | "crawldelay" => RobotsKey::Delay,
        "sitemap" | "site-map" => RobotsKey::Sitemap,
        "content-signal" | "content-signals" => RobotsKey::Usage(Vocabulary::Signal),
        "content-usage" => RobotsKey::Usage(Vocabulary::Usage),
        _ => return None,
    };
    Some((key, value.trim()))
}

/// Returns the first product name of a `User-Agent` header.
fn product(agent: &str) -> &str {
    agent.split(['/', ' ']).next().unwrap_or(agent)
}

/// Writes percent-encoding in one way: characters that need none are decoded, others are encoded in upper case.
fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let encoded = (byte == b'%').then(|| Some((hex_digit(after, 0)? * 16 + hex_digit(after, 1)?) as u8)).flatten();
        rest = if encoded.is_some() { &after[2..] } else { after };
        match (encoded, byte) {
            (Some(b), _) if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => out.push(char::from(b)),
            (Some(b), _) => out += &format!("%{b:02X}"),
            (None, b) if b.is_ascii_graphic() => out.push(char::from(b)),
            (None, b) => out += &format!("%{b:02X}"),
        }
    }
    out
}

fn hex_digit(after: &[u8], i: usize) -> Option<u32> {
    char::from(*after.get(i)?).to_digit(16)
}

/// Whether a pattern, in which `*` stands for any text and a `$` at the end for the end, matches the beginning of a path.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = pattern.strip_suffix('$').map_or((pattern, false), |p| (p, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if to_end && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    !to_end || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_for_the_agent_overrides_the_general_group() {
        let text = b"User-agent: *\nDisallow: /\n\nUser-agent: MainText\nDisallow: /no\nAllow: /no/but\n\n\
            Sitemap: https://e.org/s.xml";
        let rules = RobotsRules::read("maintext/0.1 (+https://example.org/bot)", text);
        assert!(rules.allows("https://e.org/a") && rules.allows("https://e.org/no/but/this"));
        assert!(!rules.allows("https://e.org/no/thing"));
        assert_eq!(rules.sitemaps, ["https://e.org/s.xml"]);
        assert!(!RobotsRules::read("other", text).allows("https://e.org/a"));
    }

    #[test]
    fn the_longest_matching_pattern_decides() {
        let text =
            b"User-agent: *\nUser-agent: other # two\nDisallow: /a*/b$\nAllow: /a/x/b\nDisallow:\nDisallow: /*.PDF$\n\
            Disallow /%7euser/\xc3\xa4\nDisallow: /*?id=\n\nUser-agent: maintext2\nDisallow: /";
        for agent in ["maintext/0.1", "Other"] {
            let rules = RobotsRules::read(agent, text);
            for path in ["/a/b", "/ab/c/b/b", "/f.PDF", "/~user/%c3%A4/x", "/p?x=1&y?id=2", "/p?id="] {
                assert!(!rules.allows(&format!("https://e.org{path}")), "{path}");
            }
            for path in ["/", "/a/x/b", "/a/b/c", "/f.PDF?x", "/f.pdf", "/~user/a", "/robots.txt"] {
                assert!(rules.allows(&format!("https://e.org{path}")), "{path}");
            }
        }
    }

    #[test]
    fn many_rules_take_little_memory_and_time() {
        let text = "User-agent: *\n".to_owned() + &"Disallow: /*a*b*c$\n".repeat(MAX_SIZE / 19 + 10);
        let rules = RobotsRules::read("maintext", text.as_bytes());
        let bytes = rules.patterns.len() + rules.rules.len() * size_of::<RobotsRule>();
        assert!(rules.rules.len() > 27_000 && bytes < 3 * MAX_SIZE, "{bytes}");
        assert!(rules.allows(&format!("https://e.org/{}", "a".repeat(2000))));
        // The line at the limit is cut, and would forbid more than it says.
        let cut = format!("User-agent: *\n#{}\nDisallow: /private", "x".repeat(MAX_SIZE - 15 - 12));
        assert!(RobotsRules::read("maintext", cut.as_bytes()).allows("https://e.org/a"));
    }

    #[test]
    fn uses_are_allowed_and_forbidden_by_group_and_path() {
        use maintext_core::preferences::Use;
        let text = b"Content-Usage: train-ai=n\n\nUser-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference # as of 2026\nAllow: /\n\
            Content-Signal: /shop/ search=no\nContent-Usage: /open/ train-ai=y\nContent-Usage: /open/not$ train-ai=n\n\n\
            User-agent: otherbot\nContent-Signal: ai-input=no\n";
        let said = |agent: &str, path: &str| {
            let found = RobotsRules::read(agent, text).preferences(&format!("https://e.org{path}"));
            (found.search, found.ai_input, found.ai_train)
        };
        assert_eq!(said("maintext/0.1", "/a"), (Some(true), None, Some(false)));
        // The longer path replaces the whole line of its kind; the other kind still holds.
        assert_eq!(said("maintext/0.1", "/shop/a"), (Some(false), None, Some(false)));
        assert_eq!(said("maintext/0.1", "/open/a"), (Some(true), None, Some(false)));
        assert_eq!(said("otherbot", "/a"), (None, Some(false), Some(false)));
        let usage = b"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\nDisallow: /x";
        let rules = RobotsRules::read("m", usage);
        assert_eq!(rules.preferences("https://e.org/open/a").allows(Use::AiTrain), Some(true));
        assert_eq!(rules.preferences("https://e.org/a").allows(Use::AiTrain), Some(false));
        assert!(!rules.allows("https://e.org/x") && rules.preferences("no address").is_empty());
        assert!(
            RobotsRules::read("m", b"User-agent: b\nContent-Signal: ai-train=no")
                .preferences("https://e.org/")
                .is_empty()
        );
    }

    #[test]
    fn an_invalid_robots_txt_forbids_nothing() {
        for text in
            [&b""[..], b"<html><body>not found", b"\xff\xfe\0D\0i\0s", b"Disallow", b"Crawl-delay: -3\nUser-agent"]
        {
            assert!(RobotsRules::read("maintext", text).allows("https://e.org/a"), "{text:?}");
        }
        let delay = |text: &str| RobotsRules::read("m", text.as_bytes()).delay;
        assert_eq!(delay("User-agent: *\nCrawl-delay: 99999999999"), Some(LONGEST_DELAY));
        assert_eq!(delay("User-agent: *\nCrawl-delay: soon"), None);
    }
}
