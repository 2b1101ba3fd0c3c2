//! A cache of fetched pages, as a shared cache of RFC 9111, within limits of bytes, entries and age. It holds the bytes as fetched, so
//! that requests with other options share them.
use maintext_fetch::Fetched;
use maintext_util::guard::lock;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// Bytes that an entry takes in addition to its page: the maps and the allocations.
const OVERHEAD: usize = 512;

/// Limits of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// Total size of the pages with their headers, in bytes.
    pub bytes: usize,
    /// Number of pages.
    pub entries: usize,
    /// Longest time that a page is used without asking its site, and the time for pages that declare none.
    pub age: Duration,
}

/// Pages by their address, the least recently used of which are dropped first.
#[derive(Debug)]
pub struct Cache {
    limits: CacheLimits,
    pages: Mutex<CachedPages>,
}

#[derive(Debug, Default)]
struct CachedPages {
    entries: HashMap<String, CacheEntry>,
    /// Addresses in the order of their last use.
    order: BTreeMap<u64, String>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct CacheEntry {
    page: Arc<Fetched>,
    stored: Instant,
    /// Age of the page when it was stored, as its headers say.
    age: Duration,
    /// How long it may be used without asking its site.
    lifetime: Duration,
    bytes: usize,
    used: u64,
}

/// The result of a lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheHit {
    /// A page that may be used, and its age.
    Fresh(Arc<Fetched>, Duration),
    /// A page whose site must be asked first whether it has changed.
    Stale(Arc<Fetched>),
    /// No page.
    Nothing,
}

impl Cache {
    /// Creates an empty cache.
    pub fn new(limits: CacheLimits) -> Cache {
        Cache { limits, pages: Mutex::default() }
    }

    /// Returns the number of pages and their total size.
    pub fn size(&self) -> (usize, usize) {
        let pages = lock(&self.pages);
        (pages.entries.len(), pages.bytes)
    }

    /// Looks up a page that is not older than `limit`.
    pub fn find(&self, url: &str, limit: Option<Duration>, now: Instant) -> CacheHit {
        let mut pages = lock(&self.pages);
        pages.touch(url);
        let Some(entry) = pages.entries.get(url) else { return CacheHit::Nothing };
        let since = now.saturating_duration_since(entry.stored);
        let age = entry.age + since;
        let longest = limit.map_or(self.limits.age, |limit| limit.min(self.limits.age));
        if since < entry.lifetime && age < longest {
            CacheHit::Fresh(entry.page.clone(), age)
        } else {
            CacheHit::Stale(entry.page.clone())
        }
    }

    /// Stores a page if its headers allow that, and drops others if necessary. A page that cannot be stored replaces an older copy all the
    /// same.
    pub fn store(&self, url: &str, page: &Arc<Fetched>, now: Instant) {
        let mut pages = lock(&self.pages);
        pages.remove(url);
        let Some(lifetime) = lifetime(page, self.limits.age) else { return };
        let headers: usize = page.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        let bytes = page.body.len() + headers + 2 * url.len() + OVERHEAD;
        let can_ask = page.header("etag").is_some() || page.header("last-modified").is_some();
        if bytes > self.limits.bytes || self.limits.entries == 0 || (lifetime.is_zero() && !can_ask) {
            return;
        }
        while pages.bytes + bytes > self.limits.bytes || pages.entries.len() >= self.limits.entries {
            let Some((_, oldest)) = pages.order.pop_first() else { break };
            pages.remove(&oldest);
        }
        let age = header_seconds(page, "age").unwrap_or_default();
        pages.bytes += bytes;
        pages
            .entries
            .insert(url.to_owned(), CacheEntry { page: page.clone(), stored: now, age, lifetime, bytes, used: 0 });
        pages.touch(url);
    }

    /// Makes a stale page fresh again, because its site says that it has not changed.
    pub fn confirm(&self, url: &str, now: Instant) {
        if let Some(entry) = lock(&self.pages).entries.get_mut(url) {
            (entry.stored, entry.age) = (now, Duration::ZERO);
        }
    }

    /// Drops a page.
    pub fn drop_page(&self, url: &str) {
        lock(&self.pages).remove(url);
    }
}

impl CachedPages {
    fn touch(&mut self, url: &str) {
        let Some(entry) = self.entries.get_mut(url) else { return };
        self.order.remove(&entry.used);
        self.uses += 1;
        entry.used = self.uses;
        self.order.insert(self.uses, url.to_owned());
    }

    fn remove(&mut self, url: &str) {
        if let Some(entry) = self.entries.remove(url) {
            self.order.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

/// Returns how long a page may be used without asking its site, at most `longest`; `None` if it must not be stored by a cache that serves
/// many clients.
fn lifetime(page: &Fetched, longest: Duration) -> Option<Duration> {
    let control = header_values(page, "cache-control").to_ascii_lowercase();
    let directives: Vec<(&str, &str)> =
        control.split(',').map(|d| d.split_once('=').map_or((d.trim(), ""), |(n, v)| (n.trim(), v.trim()))).collect();
    let has = |name: &str| directives.iter().any(|d| d.0 == name);
    let seconds = |name: &str| {
        let value = directives.iter().find(|d| d.0 == name)?.1.trim_matches('"');
        // A value that cannot be read counts as zero.
        Some(Duration::from_secs(value.parse().unwrap_or(0)))
    };
    // A page that sets a cookie may be made for one visitor.
    let own = has("no-store") || has("private") || page.header("set-cookie").is_some();
    if page.status != 200 || own || header_values(page, "vary").split(',').any(|name| name.trim() == "*") {
        return None;
    }
    let pragma = control.is_empty() && header_values(page, "pragma").to_ascii_lowercase().contains("no-cache");
    if has("no-cache") || pragma {
        return Some(Duration::ZERO);
    }
    let declared = seconds("s-maxage").or_else(|| seconds("max-age")).or_else(|| until_expiry(page));
    let age = header_seconds(page, "age").unwrap_or_default();
    Some(declared.map_or(longest, |declared| declared.saturating_sub(age).min(longest)))
}

fn header_values(page: &Fetched, name: &str) -> String {
    page.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect::<Vec<_>>().join(",")
}

/// Returns the time from `Date` to `Expires`; zero for `Expires: 0` and other values that are no dates.
fn until_expiry(page: &Fetched) -> Option<Duration> {
    let expires = httpdate::parse_http_date(page.header("expires")?).unwrap_or(SystemTime::UNIX_EPOCH);
    let date =
        page.header("date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or_else(SystemTime::now);
    Some(expires.duration_since(date).unwrap_or_default())
}

fn header_seconds(page: &Fetched, name: &str) -> Option<Duration> {
    page.header(name)?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn page(headers: &[(&str, &str)], body: usize) -> Arc<Fetched> {
        Arc::new(Fetched {
            url: "https://e.org/".into(),
            status: 200,
            content_type: None,
            charset: None,
            headers: headers.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect(),
            body: vec![b'x'; body],
        })
    }

    #[test]
    fn headers_decide_how_long_a_page_is_used() {
        let seconds = |headers: &[(&str, &str)]| lifetime(&page(headers, 1), HOUR).map(|d| d.as_secs());
        for (headers, expected) in [
            (&[][..], Some(3600)),
            (&[("cache-control", "max-age=60")], Some(60)),
            (&[("cache-control", "public"), ("cache-control", "Max-Age=\"60\"")], Some(60)),
            (&[("cache-control", "max-age=60, s-maxage=7")], Some(7)),
            (&[("cache-control", "max-age=60"), ("age", "50")], Some(10)),
            (&[("cache-control", "max-age=99999")], Some(3600)),
            (&[("cache-control", "max-age=soon")], Some(0)),
            (&[("cache-control", "no-cache, max-age=60")], Some(0)),
            (&[("pragma", "no-cache")], Some(0)),
            (&[("expires", "0")], Some(0)),
            (&[("date", "Mon, 01 Jan 2024 00:00:00 GMT"), ("expires", "Mon, 01 Jan 2024 00:02:00 GMT")], Some(120)),
            (&[("cache-control", "no-store")], None),
            (&[("cache-control", "max-age=60, private")], None),
            (&[("vary", "Accept, *")], None),
            (&[("vary", "Accept-Encoding, Cookie")], Some(3600)),
            (&[("set-cookie", "id=7")], None),
        ] {
            assert_eq!(seconds(headers), expected, "{headers:?}");
        }
        let missing = Fetched { status: 404, ..(*page(&[], 1)).clone() };
        assert_eq!(lifetime(&missing, HOUR), None);
    }

    #[test]
    fn pages_age_and_are_confirmed() {
        let cache = Cache::new(CacheLimits { bytes: 10_000, entries: 10, age: HOUR });
        let (now, stored) =
            (Instant::now(), page(&[("cache-control", "max-age=60"), ("age", "10"), ("etag", "\"1\"")], 10));
        let after = |seconds| now + Duration::from_secs(seconds);
        cache.store("a", &stored, now);
        assert_eq!(cache.find("a", None, after(49)), CacheHit::Fresh(stored.clone(), Duration::from_secs(59)));
        assert_eq!(cache.find("a", Some(Duration::from_secs(30)), after(49)), CacheHit::Stale(stored.clone()));
        assert_eq!(cache.find("a", None, after(50)), CacheHit::Stale(stored.clone()));
        cache.confirm("a", after(50));
        assert_eq!(cache.find("a", None, after(51)), CacheHit::Fresh(stored, Duration::from_secs(1)));
        cache.store("a", &page(&[("cache-control", "no-store")], 10), after(52));
        assert_eq!((cache.find("a", None, after(52)), cache.size()), (CacheHit::Nothing, (0, 0)));
        cache.store("b", &page(&[("cache-control", "no-cache")], 10), now);
        assert_eq!(cache.find("b", None, now), CacheHit::Nothing, "it could neither be used nor be confirmed");
    }

    #[test]
    fn the_least_recently_used_pages_are_dropped() {
        let cache = Cache::new(CacheLimits { bytes: 4 * (1000 + OVERHEAD + 2), entries: 3, age: HOUR });
        let now = Instant::now();
        let has = |url: &str| cache.find(url, None, now) != CacheHit::Nothing;
        for url in ["a", "b", "c"] {
            cache.store(url, &page(&[], 1000), now);
        }
        assert!(has("a"));
        cache.store("d", &page(&[], 1000), now);
        assert!(has("a") && !has("b") && has("c") && has("d"));
        cache.store("e", &page(&[], 4000), now);
        assert!(!has("a") && has("d") && has("e"), "{:?}", cache.size());
        cache.store("f", &page(&[], 7000), now);
        assert!(!has("f") && has("e") && cache.size().1 <= 4 * (1000 + OVERHEAD + 2));
    }
}
