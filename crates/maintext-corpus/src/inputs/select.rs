//! The captures of an index that a run reads.
use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::ops::Bound;
use url::Url;

/// Conditions on the rows of an index, as text.
pub const CONDITIONS: &str = "host=NAME, domain=NAME, tld=NAME, lang=CODE, mime=TYPE, status=NUMBER";

/// Conditions on the rows of an index. A row must meet all of them; an empty set of values admits every row.
///
/// ```
/// use maintext_corpus::inputs::Selection;
/// let selection = Selection::parse("domain=example.org|example.net,lang=deu").unwrap();
/// assert!(Selection::parse("colour=red").is_err());
/// # let _ = selection;
/// ```
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Selection {
    hosts: Names,
    /// Names whose subdomains belong to them.
    domains: Names,
    languages: Names,
    mimes: Names,
    statuses: Names,
    /// The starts of the sort keys of all hosts and domains.
    keys: Names,
}

/// The values of a condition.
type Names = BTreeSet<String>;

impl Default for Selection {
    /// Pages: HTML with the status 200.
    fn default() -> Selection {
        Selection {
            hosts: Names::default(),
            domains: Names::default(),
            languages: Names::default(),
            mimes: ["text/html", "application/xhtml+xml"].map(str::to_owned).into(),
            statuses: ["200".to_owned()].into(),
            keys: Names::default(),
        }
    }
}

/// The facts about a capture in an index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Capture<'a> {
    pub(crate) url: &'a str,
    /// The languages of its text, the most frequent first, separated by commas.
    pub(crate) languages: Option<&'a str>,
    pub(crate) mime: Option<&'a str>,
    pub(crate) status: Option<&'a str>,
}

impl Selection {
    /// Parses conditions separated by commas. Several values are separated by `|`; `@FILE` reads them from a file, one per line.
    ///
    /// # Errors
    /// A message that names the invalid part.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let mut selection = Selection::default();
        let (mut mimes, mut statuses) = (Names::default(), Names::default());
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || format!("'{part}' is not a condition; the conditions are: {CONDITIONS}");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let values = match value.trim().strip_prefix('@') {
                Some(file) => {
                    let text = fs::read_to_string(file).map_err(|e| format!("{file}: cannot be read: {e}"))?;
                    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                    lines.map(str::to_ascii_lowercase).collect()
                }
                None => value.split('|').map(|v| v.trim().to_ascii_lowercase()).collect::<Vec<_>>(),
            };
            if values.is_empty() || values.iter().any(String::is_empty) {
                return Err(wrong());
            }
            match name.trim().to_ascii_lowercase().as_str() {
                "host" => selection.hosts.extend(values),
                "domain" => selection.domains.extend(values),
                // A top-level domain is a domain with all its subdomains.
                "tld" => selection.domains.extend(values.iter().map(|v| v.trim_start_matches('.').to_owned())),
                "lang" | "language" => selection.languages.extend(values),
                "mime" => mimes.extend(values),
                "status" => statuses.extend(values),
                _ => return Err(wrong()),
            }
        }
        if !mimes.is_empty() {
            selection.mimes = mimes;
        }
        if !statuses.is_empty() {
            selection.statuses = statuses;
        }
        selection.keys = selection.hosts.iter().chain(&selection.domains).map(|name| reversed(name)).collect();
        Ok(selection)
    }

    /// Returns a short line that differs for other conditions: a selection can name many hosts.
    pub(crate) fn describe(&self) -> String {
        let mut hash = DefaultHasher::new();
        self.hash(&mut hash);
        format!("selection {:x}", hash.finish())
    }

    pub(crate) fn needs_languages(&self) -> bool {
        !self.languages.is_empty()
    }

    /// Whether a capture meets all conditions. What the index does not know about media type and status does not count against it.
    pub(crate) fn admits(&self, capture: &Capture<'_>) -> bool {
        let first = capture.languages.and_then(|all| all.split(',').next());
        is_known(&self.statuses, capture.status)
            && is_known(&self.mimes, capture.mime)
            && (self.languages.is_empty() || first.is_some_and(|first| self.languages.contains(first)))
            && self.admits_host(capture.url)
    }

    fn admits_host(&self, url: &str) -> bool {
        if self.hosts.is_empty() && self.domains.is_empty() {
            return true;
        }
        let Ok(url) = Url::parse(url) else { return false };
        let Some(host) = url.host_str() else { return false };
        let mut name = host;
        loop {
            if self.domains.contains(name) {
                return true;
            }
            match name.split_once('.') {
                Some((_, rest)) => name = rest,
                None => return self.hosts.contains(host),
            }
        }
    }

    /// Whether captures with sort keys from `least` to `most` can meet the conditions on hosts. A sort key starts with the labels of the
    /// host in reverse order: `org,example)/`. Either bound may be cut.
    pub(crate) fn may_admit(&self, least: &str, most: &str) -> bool {
        let from = |start: &str| self.keys.range::<str, _>((Bound::Included(start), Bound::Unbounded)).next();
        // A bound that is cut can be longer than the key of a host, or shorter.
        self.keys.is_empty()
            || from(least).is_some_and(|key| key.as_str() <= most)
            || from(most).is_some_and(|key| key.starts_with(most))
            || least.char_indices().any(|(at, _)| self.keys.contains(&least[..at]))
    }
}

fn is_known(names: &Names, value: Option<&str>) -> bool {
    value.is_none_or(|value| names.contains(value))
}

/// Returns the start of the sort keys of a host. They leave out `www`.
fn reversed(host: &str) -> String {
    let host = match host.split_once('.') {
        Some((first, rest)) if first.strip_prefix("www").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) => rest,
        _ => host,
    };
    host.rsplit('.').collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_must_meet_all_conditions() {
        let selection = Selection::parse("domain=example.org|b.net, host=www.c.org,lang=deu,status=200|304").unwrap();
        let row = Capture {
            url: "https://news.example.org/a",
            languages: Some("deu,eng"),
            mime: Some("text/html"),
            status: Some("304"),
        };
        assert!(selection.admits(&row));
        for url in ["http://b.net", "http://a.b.net:80/", "https://www.c.org/x"] {
            assert!(selection.admits(&Capture { url, ..row }), "{url}");
        }
        for url in ["http://notexample.org", "https://c.org/", "https://a.www.c.org/", "nonsense"] {
            assert!(!selection.admits(&Capture { url, ..row }), "{url}");
        }
        assert!(!selection.admits(&Capture { languages: Some("eng,deu"), ..row }));
        assert!(!selection.admits(&Capture { languages: None, ..row }));
        assert!(!selection.admits(&Capture { mime: Some("application/pdf"), ..row }));
        assert!(!selection.admits(&Capture { status: Some("404"), ..row }));
        assert!(selection.admits(&Capture { mime: None, status: None, ..row }));
    }

    #[test]
    fn a_top_level_domain_includes_its_names() {
        let selection = Selection::parse("tld=de|.at").unwrap();
        let admits = |url| selection.admits(&Capture { url, ..Capture::default() });
        assert!(admits("https://a.de/") && admits("https://b.c.at/") && !admits("https://a.dev/"));
    }

    #[test]
    fn row_groups_are_passed_over_by_their_sort_keys() {
        let selection = Selection::parse("domain=example.org,host=www.b.de").unwrap();
        let may = |least: &str, most: &str| selection.may_admit(least, most);
        assert!(may("org,a)/", "org,z)/"));
        assert!(may("org,example)/a", "org,example)/b"));
        assert!(may("org,example,news)/", "org,example,news)/z"));
        assert!(may("de,b)/", "de,b)/x"));
        // Cut bounds.
        assert!(may("o", "p") && may("org,ex", "org,ey"));
        assert!(!may("org,f)/", "org,z)/"));
        assert!(!may("net,a)/", "org,ei"));
        assert!(Selection::default().may_admit("a", "b"));
    }

    #[test]
    fn invalid_conditions_are_named() {
        for wrong in ["colour=red", "host", "host=", "host=a||b"] {
            let message = Selection::parse(wrong).unwrap_err();
            assert!(message.starts_with(&format!("'{wrong}' is not a condition")), "{message}");
        }
        assert!(Selection::parse("host=@/nowhere/hosts").unwrap_err().starts_with("/nowhere/hosts: cannot be read"));
        assert_eq!(Selection::parse(""), Ok(Selection::default()));
    }
}
