//! robots.txt (RFC 9309): the addresses of a server that may not be fetched, and the delay between requests.
use maintext_fetch::{Answer, Ask, FetchError, Fetcher};
use std::time::Duration;
use texting_robots::Robot;

/// Largest number of redirects to follow from a robots.txt (RFC 9309, 2.3.1.2).
const REDIRECTS: usize = 5;
/// Number of bytes of a robots.txt that are read; RFC 9309 requires at least 500 KiB.
pub const MAX_SIZE: usize = 512 * 1024;
/// A longer `Crawl-delay` is shortened to this.
const LONGEST_DELAY: Duration = Duration::from_secs(3600);

/// The rules of a server for crawlers.
#[derive(Debug, Default)]
pub struct Rules {
    robot: Option<Robot>,
    /// Least time between two requests, if specified.
    pub delay: Option<Duration>,
    /// Addresses of sitemaps.
    pub sitemaps: Vec<String>,
}

impl Rules {
    /// Allows everything: the rules of a server without robots.txt.
    pub fn open() -> Rules {
        Rules::default()
    }

    /// Fetches the rules of a server, such as `https://example.org`, for the crawler `agent`. Without robots.txt everything is allowed;
    /// while the server fails to answer, nothing is.
    ///
    /// # Errors
    /// The server failed, or is busy.
    pub fn fetch(fetcher: &Fetcher, agent: &str, origin: &str) -> Result<Rules, FetchError> {
        let mut url = format!("{origin}/robots.txt");
        for _ in 0..=REDIRECTS {
            match fetcher.ask(&Ask { any_type: true, ..Ask::new(&url) }) {
                Ok(Answer::Page(page)) => return Ok(Rules::read(agent, &page.body)),
                Ok(Answer::Moved(to)) => url = to,
                Ok(Answer::Unchanged) => return Ok(Rules::open()),
                Err(FetchError::Status { status: 429, url, retry_after }) => {
                    return Err(FetchError::Status { status: 429, url, retry_after });
                }
                Err(FetchError::Status { status: 400..=499, .. }) => return Ok(Rules::open()),
                Err(FetchError::TooLarge { limit, .. }) if limit > MAX_SIZE => return Ok(Rules::open()),
                Err(e) => return Err(e),
            }
        }
        Ok(Rules::open())
    }

    /// Parses a robots.txt for the crawler `agent`, which may be a whole `User-Agent` header; its first product name is used.
    ///
    /// ```
    /// use maintext_crawl::robots::Rules;
    /// let rules = Rules::read("maintext/0.1", b"User-agent: *\nDisallow: /private\nCrawl-delay: 2");
    /// assert!(rules.allows("https://example.org/a") && !rules.allows("https://example.org/private/a"));
    /// assert_eq!(rules.delay.unwrap().as_secs(), 2);
    /// ```
    pub fn read(agent: &str, text: &[u8]) -> Rules {
        let product = agent.split(['/', ' ']).next().unwrap_or(agent);
        let text = &text[..text.len().min(MAX_SIZE)];
        // The parser is widely used but not ours; if it panics, nothing is forbidden.
        let robot = std::panic::catch_unwind(|| Robot::new(product, text)).ok().and_then(Result::ok);
        let Some(robot) = robot else { return Rules::open() };
        let delay = robot.delay.and_then(|s| Duration::try_from_secs_f32(s).ok()).map(|d| d.min(LONGEST_DELAY));
        Rules { delay, sitemaps: robot.sitemaps.clone(), robot: Some(robot) }
    }

    /// Whether an address may be fetched.
    pub fn allows(&self, url: &str) -> bool {
        self.robot.as_ref().is_none_or(|robot| robot.allowed(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_for_the_agent_overrides_the_general_group() {
        let text = b"User-agent: *\nDisallow: /\n\nUser-agent: MainText\nDisallow: /no\nAllow: /no/but\n\n\
            Sitemap: https://e.org/s.xml";
        let rules = Rules::read("maintext/0.1 (+https://example.org/bot)", text);
        assert!(rules.allows("https://e.org/a") && rules.allows("https://e.org/no/but/this"));
        assert!(!rules.allows("https://e.org/no/thing"));
        assert_eq!(rules.sitemaps, ["https://e.org/s.xml"]);
        assert!(!Rules::read("other", text).allows("https://e.org/a"));
    }

    #[test]
    fn an_invalid_robots_txt_forbids_nothing() {
        for text in
            [&b""[..], b"<html><body>not found", b"\xff\xfe\0D\0i\0s", b"Disallow", b"Crawl-delay: -3\nUser-agent"]
        {
            assert!(Rules::read("maintext", text).allows("https://e.org/a"), "{text:?}");
        }
        let delay = |text: &str| Rules::read("m", text.as_bytes()).delay;
        assert_eq!(delay("User-agent: *\nCrawl-delay: 99999999999"), Some(LONGEST_DELAY));
        assert_eq!(delay("User-agent: *\nCrawl-delay: soon"), None);
    }
}
