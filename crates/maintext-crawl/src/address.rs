//! Decides which addresses name the same page and which are traps.
//!
//! The rules follow RFC 3986, section 6, and remove the parameters that software adds to addresses to track readers and carry sessions. The
//! parameter names belong to that software, not to particular sites.
use maintext_core::list::without_tracking;
use std::collections::BTreeSet;
use url::Url;

/// Length of the longest address that is followed, in bytes.
const MAX_ADDRESS_BYTES: usize = 2000;
/// How often a path segment may repeat: links relative to a wrong base produce endlessly repeating paths.
const REPEATS: usize = 3;
/// Query parameters that carry a session (PHP, Java, ColdFusion, phpBB and vBulletin, osCommerce, and common hand-written names).
const SESSIONS: [&str; 10] =
    ["phpsessid", "jsessionid", "cfid", "cftoken", "sid", "oscsid", "zenid", "sessionid", "session_id", "session"];

/// An address that can be fetched, without the parts that do not change the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The address to fetch, without fragment, session and tracking parameters.
    pub url: String,
    /// The same for all spellings of the address: without scheme, `www.` and a trailing `index.html`, parameters sorted.
    pub key: String,
    /// Scheme, host and port; each origin has its own robots.txt.
    pub origin: String,
    /// Host and port without `www.`; hosts define the scope of a crawl.
    pub host: String,
}

impl Address {
    /// Parses an address. Returns `None` if it is neither http nor https, or looks like a trap.
    ///
    /// ```
    /// use maintext_crawl::address::Address;
    /// let a = Address::new("HTTP://www.Example.org:80/a;jsessionid=1F?b=2&a=1&utm_source=x#top").unwrap();
    /// assert_eq!(a.url, "http://www.example.org/a?b=2&a=1");
    /// assert_eq!(a.key, Address::new("https://example.org/a?a=1&b=2").unwrap().key);
    /// ```
    pub fn new(text: &str) -> Option<Address> {
        if text.len() > MAX_ADDRESS_BYTES {
            return None;
        }
        let url = cleaned(text)?;
        if repeats(url.path()) {
            return None;
        }
        let host = host(&url)?;
        let query = sorted_query(&url).map(|query| format!("?{query}")).unwrap_or_default();
        // The session stays in the address: without it, the server redirects to a new one.
        let path = without_session_segment(&even_escapes(url.path()));
        let path = match path.strip_suffix("/index.html") {
            Some(folder) => format!("{folder}/"),
            None => path,
        };
        let key = format!("{host}{path}{query}");
        Some(Address { key, host, origin: url.origin().ascii_serialization(), url: url.into() })
    }

    /// Returns the key that identifies an entry within a list: its title and path, so that a session parameter of any name does not make
    /// it look new. An entry without a title is identified by its whole address.
    pub fn entry(&self, title: &str) -> String {
        match title.trim() {
            "" => self.key.clone(),
            title => format!("{} {title}", self.key.split('?').next().unwrap_or("")),
        }
    }

    /// Returns the form of the address: digits and tokens, such as hashes and session ids, become `0`, values of parameters are dropped, and of each
    /// name of a parameter one remains. Calendars, filters and queries that grow produce many addresses of the same form.
    ///
    /// ```
    /// use maintext_crawl::address::Address;
    /// let form = |url| Address::new(url).unwrap().form();
    /// assert_eq!(form("https://e.org/cal/2024/05?view=day"), form("https://e.org/cal/1999/12?view=week"));
    /// assert_ne!(form("https://e.org/cal/2024"), form("https://e.org/news/2024"));
    /// assert_eq!(form("https://e.org/s-9f86d081/a"), form("https://e.org/s-2c26b46b/a"));
    /// assert_eq!(form("https://e.org/find?b=1&a2=1"), form("https://e.org/find?a1=1&a2=2&b=1&b=2"));
    /// ```
    pub fn form(&self) -> String {
        let (path, query) = self.key.split_once('?').unwrap_or((&self.key, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let names: BTreeSet<String> = pairs.filter_map(|pair| pair.split('=').next()).map(general).collect();
        names.iter().fold(general(path), |form, name| form + "&" + name)
    }
}

/// Returns a text with `0` for digits and tokens.
fn general(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let end = match word {
            0 => c.len_utf8(),
            // The parts of a UUID are one token.
            _ if is_token(&rest[..word]) => word,
            _ => rest.find('-').filter(|at| *at < word).map_or(word, |at| at.max(1)),
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        if is_token(part) {
            out.push('0');
            continue;
        }
        for c in part.chars() {
            if !c.is_ascii_digit() {
                out.push(c);
            } else if !out.ends_with('0') {
                out.push('0');
            }
        }
    }
    out
}

/// Shortest token in hexadecimal notation: 32 bits.
const HEX_TOKEN: usize = 8;
/// Shortest token of any letters and digits. Names with a number in them are shorter, or change between letters and digits less often.
const TOKEN: usize = 16;
const TOKEN_CHANGES: usize = 4;

/// Whether a word is one that a program made, such as a hash, a UUID, or a session id.
fn is_token(word: &str) -> bool {
    let bytes: Vec<u8> = word.bytes().filter(|b| *b != b'-').collect();
    let length = bytes.len();
    let has_both = bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic);
    if !has_both || !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        return length >= if word.contains('-') { TOKEN } else { HEX_TOKEN };
    }
    let mut kinds = word.bytes().map(|b| b.is_ascii_digit());
    let mut last = kinds.next();
    let changes = kinds.filter(|kind| last.replace(*kind) != Some(*kind)).count();
    length >= TOKEN && !word.contains('-') && changes >= TOKEN_CHANGES
}

/// Whether a path segment holds a token.
fn holds_token(segment: &str) -> bool {
    segment
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| is_token(word) || word.split('-').any(is_token))
}

/// Returns the beginning of a key up to the one path segment in which another key differs, if both have a token there and more of the path
/// follows. If the pages are the same, the segment may be a session.
pub(crate) fn session_place<'a>(key: &'a str, other: &str) -> Option<&'a str> {
    let (mut own, mut others, mut at, mut place) = (key.split('/'), other.split('/'), 0, None);
    loop {
        match (own.next(), others.next()) {
            (None, None) => return place,
            (Some(a), Some(b)) if a == b => at += a.len() + 1,
            (Some(a), Some(b)) if place.is_none() && at > 0 && holds_token(a) && holds_token(b) => {
                place = Some(&key[..at]);
                at += a.len() + 1;
                // The last segment names the page.
                if at >= key.len() {
                    return None;
                }
            }
            _ => return None,
        }
    }
}

/// Returns a key with `0` for the session after `place`. `None` if it has no session there.
pub(crate) fn without_session_at(key: &str, place: &str) -> Option<String> {
    let (session, rest) = key.strip_prefix(place)?.split_once('/')?;
    (!rest.is_empty() && holds_token(session)).then(|| format!("{place}0/{rest}"))
}

/// Returns a path without the segment in which ASP.NET keeps a session: `/(S(lit3py55t21z5v55vlm25s55))/a`.
fn without_session_segment(path: &str) -> String {
    let kept: Vec<&str> = path.split('/').filter(|segment| !is_session_segment(segment)).collect();
    kept.join("/")
}

fn is_session_segment(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|s| s.strip_suffix("))"));
    inner
        .is_some_and(|s| s.starts_with(|c: char| c.is_ascii_uppercase()) && s.contains("S(") && s[1..].starts_with('('))
}

/// Returns the normal form of an address, by which spellings of the same address are found. Returns `None` if the address is neither
/// http nor https.
///
/// The rules follow RFC 3986, section 6.2: case of the scheme, the host and escapes, default ports, dot segments, unreserved
/// characters. User names, fragments, sessions and tracking parameters are removed, and parameters are sorted. The scheme, `www.` and a
/// final slash stay, since they may lead to another page.
///
/// ```
/// use maintext_crawl::address::normalize;
/// let url = normalize("HTTP://Example.org:80/a/../%7ejo/?b=2&utm_source=x&a=%c3%a4#top");
/// assert_eq!(url.as_deref(), Some("http://example.org/~jo/?a=%C3%A4&b=2"));
/// assert_eq!(normalize("mailto:jo@example.org"), None);
/// ```
pub fn normalize(text: &str) -> Option<String> {
    let mut url = cleaned(text)?;
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    url.set_host(Some(&host)).ok()?;
    let path = even_escapes(url.path());
    url.set_path(&path);
    let query = sorted_query(&url).map(|query| even_escapes(&query));
    url.set_query(query.as_deref());
    Some(url.into())
}

/// Parses an address and removes the parts that do not change the page: fragment, user, session and tracking parameters.
fn cleaned(text: &str) -> Option<Url> {
    let mut url = Url::parse(&without_tracking(text.trim())).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_fragment(None);
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    without_session(&mut url);
    Some(url)
}

/// Returns the parameters in sorted order, or `None` without parameters.
fn sorted_query(url: &Url) -> Option<String> {
    let mut pairs: Vec<&str> = url.query()?.split('&').collect();
    pairs.sort_unstable();
    Some(pairs.join("&")).filter(|query| !query.is_empty())
}

fn host(url: &Url) -> Option<String> {
    let name = url.host_str()?;
    let name = name.strip_prefix("www.").unwrap_or(name).trim_end_matches('.');
    Some(url.port().map_or(name.to_owned(), |p| format!("{name}:{p}")))
}

/// Removes session parameters from the query and the path.
fn without_session(url: &mut Url) {
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !is_session(p)).collect();
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

fn is_session(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or("").to_ascii_lowercase();
    SESSIONS.contains(&name.as_str()) || name.starts_with("aspsessionid")
}

/// Whether a path segment repeats more often than in any intended path.
fn repeats(path: &str) -> bool {
    let mut segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    segments.sort_unstable();
    segments.chunk_by(|a, b| a == b).any(|same| same.len() > REPEATS)
}

/// Normalises percent-escapes: upper case, and unreserved characters unescaped (RFC 3986, 6.2.2).
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
    fn spellings_of_the_same_address_have_equal_keys() {
        let same = [
            "https://example.org/a/%7Ejo?x=1&y=2",
            "http://www.example.org:80/a/~jo?y=2&x=1",
            "https://EXAMPLE.org./a/~jo?x=1&y=2#part",
            "https://example.org/a/~jo?x=1&PHPSESSID=9f&y=2&utm_medium=mail",
            "https://me:secret@example.org/a/~jo;jsessionid=AB12?x=1&y=2",
            "https://example.org/b/../a/~jo?x=1&&y=2",
        ];
        assert_eq!(key("https://e.org/a/index.html?x=1#y"), key("https://e.org/a/?x=1"));
        assert_eq!(key("https://e.org/index.html"), "e.org/");
        for url in same {
            assert_eq!(key(url), "example.org/a/~jo?x=1&y=2", "{url}");
        }
        assert_eq!(key("https://e.org/%e4%b8%ad"), key("https://e.org/中"));
    }

    #[test]
    fn tokens_are_no_part_of_a_form() {
        let form = |path: &str| Address::new(&format!("https://e.org{path}")).unwrap().form();
        for (a, b) in [
            ("/9f86d081884c/p3", "/e3b0c44298fc/p3"),
            ("/123e4567-e89b-12d3-a456-426614174000", "/99cc45ff-e89b-12d3-a456-abcdef174000"),
            ("/x;s=lit3py55t21z5v55vlm25s55/a", "/x;s=x1qq8py5t2az5v5kvl9m2ts5/a"),
            ("/s-9f86d081/a", "/s-2c26b46b/a"),
            ("/a?k9f86d081=1", "/a?k77=1&k3=2"),
        ] {
            let (a, b) = (form(a), form(b));
            assert!(a == b || a.starts_with("e.org/a&"), "{a} {b}");
        }
        for (a, b) in
            [("/facade/a", "/decade/a"), ("/internationalization", "/internationalisation"), ("/ab12", "/cd34")]
        {
            assert_ne!(form(a), form(b));
        }
    }

    #[test]
    fn a_session_in_the_path_is_no_part_of_the_key() {
        for session in ["(S(lit3py55t21z5v55vlm25s55))", "(X(1)S(lit3py55))", "(A(9f86d081)F(2c)S(1))"] {
            assert_eq!(key(&format!("https://e.org/{session}/p3")), "e.org/p3");
        }
        assert_eq!(key("https://e.org/f(x)/(S)/((a))"), "e.org/f(x)/(S)/((a))");
    }

    #[test]
    fn keys_that_differ_in_a_token_only_have_a_session_there() {
        assert_eq!(session_place("e.org/a/9f86d081/p", "e.org/a/2c26b46b/p"), Some("e.org/a/"));
        for (a, b) in [
            ("e.org/9f86d081", "e.org/2c26b46b"),
            ("e.org/9f86d081/", "e.org/2c26b46b/"),
            ("e.org/9f86d081/p", "e.org/2c26b46b/q"),
            ("e.org/cats/p", "e.org/dogs/p"),
            ("9f86d081.e.org/p", "2c26b46b.e.org/p"),
            ("e.org/9f86d081/p", "e.org/p"),
        ] {
            assert_eq!(session_place(a, b), None, "{a} {b}");
        }
        assert_eq!(without_session_at("e.org/a/9f86d081/p/q", "e.org/a/").as_deref(), Some("e.org/a/0/p/q"));
        assert_eq!(without_session_at("e.org/a/cats/p", "e.org/a/"), None);
    }

    #[test]
    fn addresses_of_different_pages_have_different_keys() {
        for (a, b) in [("/a", "/a/"), ("/a?page=1", "/a?page=2"), ("/A", "/a"), ("/a%2Fb", "/a/b")] {
            assert_ne!(key(&format!("https://e.org{a}")), key(&format!("https://e.org{b}")), "{a} {b}");
        }
        assert_ne!(key("https://e.org:8080/"), key("https://e.org/"));
    }

    #[test]
    fn normal_forms_follow_rfc_3986() {
        let pairs = [
            ("HTTPS://Example.ORG/A", "https://example.org/A"),
            ("http://example.org:80", "http://example.org/"),
            ("https://example.org:443/", "https://example.org/"),
            ("https://example.org:8443/", "https://example.org:8443/"),
            ("https://example.org./a", "https://example.org/a"),
            ("https://e.org/a/./b/../c", "https://e.org/a/c"),
            ("https://e.org/%7ea%2fb?q=%c3%a9", "https://e.org/~a%2Fb?q=%C3%A9"),
            ("https://e.org/a#part", "https://e.org/a"),
            ("https://e.org/a/", "https://e.org/a/"),
            ("https://e.org/a?", "https://e.org/a"),
            ("https://e.org/?b=1&a=2&a=1", "https://e.org/?a=1&a=2&b=1"),
            ("https://e.org/?UTM_Source=x&gclid=1&fbclid=2&id=3", "https://e.org/?id=3"),
            ("https://me:pw@e.org/a;jsessionid=1?PHPSESSID=2", "https://e.org/a"),
            (" https://www.e.org/a/b/a/b/a/b/a/b ", "https://www.e.org/a/b/a/b/a/b/a/b"),
            ("https://e.org/100%/%zz", "https://e.org/100%/%zz"),
        ];
        for (url, normal) in pairs {
            assert_eq!(normalize(url).as_deref(), Some(normal), "{url}");
            assert_eq!(normalize(normal).as_deref(), Some(normal), "{normal} again");
        }
        for url in ["", "/a", "a b", "ftp://e.org/", "javascript:void(0)", "http://", "\0"] {
            assert_eq!(normalize(url), None, "{url}");
        }
    }

    #[test]
    fn traps_and_other_schemes_are_rejected() {
        let long = format!("https://e.org/{}", "x".repeat(3000));
        for url in
            ["", "mailto:a@e.org", "javascript:void(0)", "/a", "ftp://e.org/", "https://e.org/a/b/a/b/a/b/a/b", &long]
        {
            assert_eq!(Address::new(url), None, "{url}");
        }
        assert!(Address::new("https://e.org/100%/%zz/%").is_some());
    }
}
