//! When two addresses are one, and which addresses are traps.
//!
//! The rules are those of RFC 3986, section 6, and of what servers add to addresses: the names of parameters that track readers and that
//! carry sessions are those of the software that makes them, not of sites.
use maintext_core::list::without_tracking;
use url::Url;

/// Bytes of the longest address that is followed.
const LONGEST: usize = 2000;
/// How often a segment of a path may come again: links relative to a wrong base make paths that repeat themselves without end.
const REPEATS: usize = 3;
/// Parameters of the query that carry the session (PHP, Java, ColdFusion, phpBB and vBulletin, osCommerce, and what many write by hand).
const SESSIONS: [&str; 10] =
    ["phpsessid", "jsessionid", "cfid", "cftoken", "sid", "oscsid", "zenid", "sessionid", "session_id", "session"];

/// An address that can be fetched, without what does not change the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// What is fetched: without fragment, session and tracking parameters.
    pub url: String,
    /// Equal for all spellings of the address: without scheme and `www.`, parameters in order.
    pub key: String,
    /// Scheme, host and port: what has a robots.txt of its own.
    pub origin: String,
    /// Host and port, without `www.`: what the scope of a crawl is made of.
    pub host: String,
}

impl Address {
    /// Reads an address. `None` if it is none of http or https, or a trap by its form.
    ///
    /// ```
    /// use maintext_crawl::address::Address;
    /// let a = Address::new("HTTP://www.Example.org:80/a;jsessionid=1F?b=2&a=1&utm_source=x#top").unwrap();
    /// assert_eq!(a.url, "http://www.example.org/a?b=2&a=1");
    /// assert_eq!(a.key, Address::new("https://example.org/a?a=1&b=2").unwrap().key);
    /// ```
    pub fn new(text: &str) -> Option<Address> {
        let mut url = Url::parse(&without_tracking(text.trim())).ok()?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || text.len() > LONGEST {
            return None;
        }
        url.set_fragment(None);
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        without_session(&mut url);
        if repeats(url.path()) {
            return None;
        }
        let host = host(&url)?;
        let mut pairs: Vec<&str> = url.query().map(|q| q.split('&').collect()).unwrap_or_default();
        pairs.sort_unstable();
        let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
        let key = format!("{host}{}{query}", even_escapes(url.path()));
        Some(Address { key, host, origin: url.origin().ascii_serialization(), url: url.into() })
    }

    /// What an entry of a list is known by in that list: its title with the path that it leads to, so that a session in the query, whatever
    /// its name, makes no new one of it; its whole address if it has no title.
    pub fn entry(&self, title: &str) -> String {
        match title.trim() {
            "" => self.key.clone(),
            title => format!("{} {title}", self.key.split('?').next().unwrap_or("")),
        }
    }

    /// The form of the address: its digits and long hexadecimal runs as `0`, the values of its parameters left out. Calendars and
    /// filters make many addresses of one form.
    ///
    /// ```
    /// use maintext_crawl::address::Address;
    /// let form = |url| Address::new(url).unwrap().form();
    /// assert_eq!(form("https://e.org/cal/2024/05?view=day"), form("https://e.org/cal/1999/12?view=week"));
    /// assert_ne!(form("https://e.org/cal/2024"), form("https://e.org/news/2024"));
    /// ```
    pub fn form(&self) -> String {
        let (path, query) = self.key.split_once('?').unwrap_or((&self.key, ""));
        let mut out = String::with_capacity(path.len());
        for c in path.chars() {
            match c.is_ascii_digit() {
                true if out.ends_with('0') => {}
                true => out.push('0'),
                false => out.push(c),
            }
        }
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            out.push('&');
            out.push_str(pair.split('=').next().unwrap_or(""));
        }
        out
    }
}

fn host(url: &Url) -> Option<String> {
    let name = url.host_str()?;
    let name = name.strip_prefix("www.").unwrap_or(name).trim_end_matches('.');
    Some(url.port().map_or(name.to_owned(), |p| format!("{name}:{p}")))
}

/// Takes parameters that carry a session out of query and path.
fn without_session(url: &mut Url) {
    let session = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or("").to_ascii_lowercase();
        SESSIONS.contains(&name.as_str()) || name.starts_with("aspsessionid")
    };
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !session(p)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|q| !q.is_empty()));
    }
    let path = url.path();
    if let Some(at) = path.to_ascii_lowercase().find(";jsessionid=") {
        let rest = path[at + 1..].find(['/', ';']).map_or("", |n| &path[at + 1 + n..]);
        let path = format!("{}{rest}", &path[..at]);
        url.set_path(&path);
    }
}

/// Whether a segment of the path stands in it more often than in any path that somebody meant.
fn repeats(path: &str) -> bool {
    let mut segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    segments.sort_unstable();
    segments.chunk_by(|a, b| a == b).any(|same| same.len() > REPEATS)
}

/// Escapes in upper case, and unreserved characters unescaped (RFC 3986, 6.2.2).
fn even_escapes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(c) if c.is_ascii_alphanumeric() || b"-._~".contains(&c) => out.push(c as char),
            Some(c) => out.push_str(&format!("%{c:02X}")),
            None => out.push('%'),
        }
        rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: &str) -> String {
        Address::new(url).unwrap().key
    }

    #[test]
    fn spellings_of_an_address_are_one() {
        let same = [
            "https://example.org/a/%7Ejo?x=1&y=2",
            "http://www.example.org:80/a/~jo?y=2&x=1",
            "https://EXAMPLE.org./a/~jo?x=1&y=2#part",
            "https://example.org/a/~jo?x=1&PHPSESSID=9f&y=2&utm_medium=mail",
            "https://me:secret@example.org/a/~jo;jsessionid=AB12?x=1&y=2",
            "https://example.org/b/../a/~jo?x=1&&y=2",
        ];
        for url in same {
            assert_eq!(key(url), "example.org/a/~jo?x=1&y=2", "{url}");
        }
        assert_eq!(key("https://e.org/%e4%b8%ad"), key("https://e.org/中"));
    }

    #[test]
    fn other_pages_stay_others() {
        for (a, b) in [("/a", "/a/"), ("/a?page=1", "/a?page=2"), ("/A", "/a"), ("/a%2Fb", "/a/b")] {
            assert_ne!(key(&format!("https://e.org{a}")), key(&format!("https://e.org{b}")), "{a} {b}");
        }
        assert_ne!(key("https://e.org:8080/"), key("https://e.org/"));
    }

    #[test]
    fn what_cannot_be_followed_is_none() {
        let long = format!("https://e.org/{}", "x".repeat(3000));
        for url in
            ["", "mailto:a@e.org", "javascript:void(0)", "/a", "ftp://e.org/", "https://e.org/a/b/a/b/a/b/a/b", &long]
        {
            assert_eq!(Address::new(url), None, "{url}");
        }
        assert!(Address::new("https://e.org/100%/%zz/%").is_some());
    }
}
