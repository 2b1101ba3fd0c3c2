//! Politeness towards the sites that are fetched: how many requests at once, how far apart, and what robots.txt forbids.
use crate::problem::Problem;
use axum::http::StatusCode;
use maintext_core::Preferences;
use maintext_crawl::robots::RobotsRules;
use maintext_fetch::Fetcher;
use maintext_util::guard::lock;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// How long the rules of a site are used (RFC 9309 allows a day).
const RULES_AGE: Duration = Duration::from_secs(3600);
/// Largest number of sites whose last visits are remembered.
const SITES: usize = 10_000;
/// Part of the service's memory for the rules of sites.
const RULES_SHARE: usize = 64;

/// The settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Largest number of simultaneous requests to one host; `None` means no limit.
    pub per_host: Option<usize>,
    /// Minimum time between the beginnings of two requests to one host.
    pub delay: Duration,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
}

/// The state of sites that manners need.
#[derive(Debug, Default)]
pub struct Sites {
    manners: Manners,
    agent: String,
    hosts: Mutex<HashMap<String, SiteHost>>,
    /// Notified at the end of each request.
    ended: Condvar,
    rules: Mutex<KeptRules>,
}

/// The rules of sites, within a limit of memory.
#[derive(Debug, Default)]
struct KeptRules {
    sites: HashMap<String, (Instant, Arc<RobotsRules>)>,
    bytes: usize,
    limit: usize,
}

impl KeptRules {
    /// Returns the rules of an origin unless they are too old.
    fn get(&self, origin: &str, now: Instant) -> Option<Arc<RobotsRules>> {
        self.sites.get(origin).filter(|(read, _)| now - *read < RULES_AGE).map(|(_, rules)| rules.clone())
    }

    /// Keeps rules. Forgets all others if the memory is used up.
    fn insert(&mut self, origin: String, now: Instant, rules: Arc<RobotsRules>) {
        let bytes = origin.len() + rules.size();
        if self.bytes + bytes > self.limit {
            self.sites.clear();
            self.bytes = 0;
        }
        if bytes <= self.limit {
            let length = origin.len();
            let before = self.sites.insert(origin, (now, rules));
            self.bytes += bytes;
            self.bytes -= before.map_or(0, |(_, rules)| length + rules.size());
        }
    }
}

#[derive(Debug, Default)]
struct SiteHost {
    active: usize,
    /// When the next request may begin.
    next: Option<Instant>,
}

/// A request to a host that is in progress until it is dropped.
#[derive(Debug)]
pub struct Visit {
    sites: Arc<Sites>,
    host: String,
}

impl Sites {
    /// Creates an empty set. `agent` is the `User-Agent` header, to which robots.txt may refer; `memory` is the service's memory in bytes.
    pub fn new(manners: Manners, agent: &str, memory: usize) -> Arc<Sites> {
        let rules = KeptRules { limit: memory / RULES_SHARE, ..KeptRules::default() };
        Arc::new(Sites { manners, agent: agent.to_owned(), rules: Mutex::new(rules), ..Sites::default() })
    }

    /// Waits until an address may be requested, until `deadline` at the latest.
    ///
    /// # Errors
    /// robots.txt forbids it or cannot be read, or the host is busy until the deadline.
    pub fn visit(self: &Arc<Self>, fetcher: &Fetcher, url: &Url, deadline: Instant) -> Result<Option<Visit>, Problem> {
        let mut delay = self.manners.delay;
        if self.manners.robots {
            let rules = self.rules(fetcher, url)?;
            if !rules.allows(url.as_str()) {
                let detail =
                    format!("the robots.txt of {} does not allow {}", url.host_str().unwrap_or(""), url.path());
                return Err(Problem::new(StatusCode::FORBIDDEN, "robots_refused", detail));
            }
            delay = delay.max(rules.delay.unwrap_or_default());
        }
        if self.manners.per_host.is_none() && delay.is_zero() {
            return Ok(None);
        }
        let host = format!("{}:{}", url.host_str().unwrap_or(""), url.port_or_known_default().unwrap_or(0));
        self.wait(&host, delay, deadline)?;
        Ok(Some(Visit { sites: self.clone(), host }))
    }

    /// Returns the preferences in the robots.txt of an address about the use of its page, if it was read.
    pub fn preferences(&self, url: &Url) -> Preferences {
        let rules = lock(&self.rules).get(&url.origin().ascii_serialization(), Instant::now());
        rules.map(|rules| rules.preferences(url.as_str())).unwrap_or_default()
    }

    fn wait(&self, host: &str, delay: Duration, deadline: Instant) -> Result<(), Problem> {
        let mut hosts = lock(&self.hosts);
        loop {
            let now = Instant::now();
            if hosts.len() >= SITES {
                hosts.retain(|_, h| h.active > 0 || h.next.is_some_and(|next| next > now));
            }
            let entry = hosts.entry(host.to_owned()).or_default();
            let full = self.manners.per_host.is_some_and(|most| entry.active >= most);
            let next = entry.next.filter(|next| *next > now);
            if !full && next.is_none() {
                entry.active += 1;
                entry.next = (!delay.is_zero()).then(|| now + delay);
                return Ok(());
            }
            if now >= deadline || next.is_some_and(|next| next > deadline) {
                let wait = next.map_or(1, |next| (next - now).as_secs() + 1);
                let detail = format!("other requests to {host} are in progress or were just made; try again");
                return Err(Problem { retry_after: Some(wait), ..Problem::busy(detail) });
            }
            let end = if full { deadline } else { next.unwrap_or(deadline).min(deadline) };
            hosts = self.ended.wait_timeout(hosts, end - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn rules(&self, fetcher: &Fetcher, url: &Url) -> Result<Arc<RobotsRules>, Problem> {
        let origin = url.origin().ascii_serialization();
        let now = Instant::now();
        if let Some(rules) = lock(&self.rules).get(&origin, now) {
            return Ok(rules);
        }
        // Two requests may read the same rules at once, which is better than one waiting for the other.
        let rules = RobotsRules::fetch(fetcher, &self.agent, &origin).map_err(|e| {
            let problem = Problem::from(e);
            Problem {
                detail: format!("robots.txt cannot be read, so nothing is allowed: {}", problem.detail),
                ..problem
            }
        })?;
        let rules = Arc::new(rules);
        lock(&self.rules).insert(origin, now, rules.clone());
        Ok(rules)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(host) = lock(&self.sites.hosts).get_mut(&self.host) {
            host.active -= 1;
        }
        self.sites.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_many_sites_stay_within_their_memory() {
        let text = "User-agent: *\n".to_owned() + &"Disallow: /*a*b$\n".repeat(1000);
        let rules = Arc::new(RobotsRules::read("a", text.as_bytes()));
        let mut kept = KeptRules { limit: 10 * rules.size(), ..KeptRules::default() };
        let now = Instant::now();
        for i in 0..1000 {
            kept.insert(format!("http://{}.example", i / 2), now, rules.clone());
            let size: usize = kept.sites.iter().map(|(origin, (_, rules))| origin.len() + rules.size()).sum();
            assert!(kept.bytes == size && size <= kept.limit, "{i}: {size} and {} of {}", kept.bytes, kept.limit);
        }
        assert!(kept.get("http://499.example", now).is_some() && kept.get("http://1.example", now).is_none());
        assert!(kept.get("http://499.example", now + RULES_AGE).is_none());
    }

    #[test]
    fn requests_to_one_host_wait_for_each_other() {
        let manners = Manners { per_host: Some(1), delay: Duration::from_millis(200), robots: false };
        let sites = Sites::new(manners, "a", 1 << 20);
        let fetcher = Fetcher::new(Default::default()).unwrap();
        let visit = |url: &str, ms| {
            let deadline = Instant::now() + Duration::from_millis(ms);
            sites.visit(&fetcher, &Url::parse(url).unwrap(), deadline)
        };
        let start = Instant::now();
        let first = visit("http://a.example/1", 0).unwrap().unwrap();
        let _other = visit("http://b.example/1", 0).unwrap();
        let _port = visit("http://a.example:8080/1", 0).unwrap();
        let problem = visit("http://a.example/2", 300).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.retry_after), (503, Some(1)));
        drop(first);
        let _second = visit("http://a.example/2", 5000).unwrap();
        assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
        assert!(
            Sites::new(Manners::default(), "a", 1 << 20)
                .visit(&fetcher, &Url::parse("http://a/").unwrap(), start)
                .unwrap()
                .is_none()
        );
    }
}
