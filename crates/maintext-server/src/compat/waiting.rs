//! The pages of a batch that have no result yet. While a server wants no request, the pages of others go on.
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use url::Url;

/// The longest pause that a batch waits for, as in a crawl.
pub const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

/// A page without a result.
#[derive(Debug)]
pub struct WaitingPage {
    /// Its number in the batch.
    pub n: i64,
    /// Its address.
    pub url: String,
    /// Whether it was answered with a pause, so that this is the last try.
    pub is_retry: bool,
    server: String,
    /// Earliest time of the request.
    free: Instant,
}

/// A pause that a server asked for.
#[derive(Debug)]
pub struct Pause {
    /// How long.
    pub wait: Duration,
    /// Whether it is the answer to the page; otherwise no request was sent.
    pub is_answer: bool,
    /// Whether the server of the address asked, and not one that it redirects to.
    pub is_of_server: bool,
}

/// The pages without a result, in the order of their addresses.
#[derive(Debug)]
pub struct WaitingPages {
    pages: VecDeque<WaitingPage>,
    /// Until when servers get no request.
    rests: HashMap<String, Instant>,
}

impl WaitingPage {
    fn new(n: i64, url: String, free: Instant) -> WaitingPage {
        let server = Url::parse(&url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization());
        WaitingPage { n, url, is_retry: false, server, free }
    }
}

impl WaitingPages {
    /// Lists pages by their numbers and addresses.
    pub fn new(urls: Vec<(i64, String)>) -> WaitingPages {
        let free = Instant::now();
        let pages = urls.into_iter().map(|(n, url)| WaitingPage::new(n, url, free));
        WaitingPages { pages: pages.collect(), rests: HashMap::new() }
    }

    /// Whether no page is left.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Takes the first page that may be requested.
    pub fn next(&mut self, now: Instant) -> Option<WaitingPage> {
        let first = self.pages.iter().position(|page| page.free <= now && !self.is_resting(&page.server, now))?;
        self.pages.remove(first)
    }

    fn is_resting(&self, server: &str, now: Instant) -> bool {
        self.rests.get(server).is_some_and(|end| *end > now)
    }

    /// Returns a page that is to be requested after a pause.
    pub fn put_back(&mut self, page: WaitingPage, pause: &Pause) {
        let free = Instant::now() + pause.wait;
        if pause.is_of_server {
            let end = self.rests.entry(page.server.clone()).or_insert(free);
            *end = free.max(*end);
        }
        self.pages.push_front(WaitingPage { is_retry: page.is_retry || pause.is_answer, free, ..page });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_server_wait_until_the_end_of_its_pause() {
        let urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://b.example/2"];
        let mut pages = WaitingPages::new((0..).zip(urls.map(str::to_owned)).collect());
        let now = Instant::now();
        let numbers = |pages: &mut WaitingPages, now| {
            std::iter::from_fn(|| pages.next(now)).map(|page| (page.n, page.is_retry)).collect::<Vec<_>>()
        };
        let wait = Duration::from_secs(600);
        let first = pages.next(now).unwrap();
        pages.put_back(first, &Pause { wait, is_answer: true, is_of_server: true });
        // A shorter pause, known from another client, does not end the longer one.
        let second = pages.pages.remove(1).unwrap();
        pages.put_back(second, &Pause { wait: wait / 2, is_answer: false, is_of_server: true });
        // The server of another address asked.
        let third = pages.next(now).unwrap();
        pages.put_back(third, &Pause { wait, is_answer: true, is_of_server: false });
        assert_eq!(numbers(&mut pages, now), [(3, false)]);
        assert_eq!(numbers(&mut pages, now + wait / 2), []);
        assert_eq!(numbers(&mut pages, now + wait * 2), [(2, true), (1, false), (0, true)]);
        assert!(pages.is_empty());
    }
}
