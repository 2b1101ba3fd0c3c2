//! Patterns of addresses, for `--include` and `--exclude`.
use regex::Regex;
use std::fmt;

/// A pattern of addresses: a glob, or a regular expression.
///
/// In a glob, `*` stands for any characters, slashes too; all others stand for themselves. A glob that begins with `/` describes the whole
/// path, with or without the query; one with `://` the whole address; any other may begin anywhere in the address. A glob that ends with
/// `/` also covers everything below. A pattern after `re:` is a regular expression that must match somewhere in the address.
///
/// ```
/// use maintext_crawl::Pattern;
/// let matches = |pattern: &str, url| Pattern::new(pattern).unwrap().matches(url);
/// assert!(matches("/docs/", "https://example.org/docs/a/b.html"));
/// assert!(matches("*.html", "https://example.org/docs/a.html?x=1"));
/// assert!(!matches("/a*", "https://example.org/docs/a.html"));
/// assert!(matches(r"re:/\d{4}/\d{2}/$", "https://example.org/2024/05/"));
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
    /// Whether only the path of an address counts.
    of_path: bool,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// A message if the pattern is empty or the regular expression is invalid.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let text = text.trim();
        let expression = match text.strip_prefix("re:") {
            Some(expression) => expression.to_owned(),
            None if text.is_empty() => return Err("the pattern is empty".into()),
            None => glob(text),
        };
        let regex = Regex::new(&expression).map_err(|e| e.to_string().lines().last().unwrap_or_default().to_owned())?;
        Ok(Pattern { text: text.to_owned(), regex, of_path: false })
    }

    /// Parses a regular expression that must match somewhere in the path of an address, without the query.
    ///
    /// # Errors
    /// A message if the regular expression is invalid.
    pub fn of_path(expression: &str) -> Result<Pattern, String> {
        let pattern = Pattern::new(&format!("re:{expression}"))?;
        Ok(Pattern { of_path: true, ..pattern })
    }

    /// Whether the pattern matches an absolute address.
    #[must_use]
    pub fn matches(&self, url: &str) -> bool {
        if !self.of_path {
            return self.regex.is_match(url);
        }
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        self.regex.is_match(path.split(['?', '#']).next().unwrap_or(path))
    }
}

/// The pattern as it was given.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the regular expression of a glob, for whole addresses.
fn glob(text: &str) -> String {
    let body: Vec<String> = text.split('*').map(regex::escape).collect();
    let body = body.join(".*");
    let start = match text {
        _ if text.contains("://") => "^",
        _ if text.starts_with('/') => "^[a-zA-Z]+://[^/]*",
        _ => "",
    };
    let end = match text {
        _ if text.ends_with('/') => "",
        _ if text.contains('?') => "$",
        _ => r"(?:\?.*)?$",
    };
    format!("{start}{body}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_paths_addresses_and_ends() {
        let matches = |pattern: &str, url: &str| Pattern::new(pattern).unwrap().matches(url);
        let url = "https://example.org/docs/v1.2/a.html?print=1";
        for pattern in [
            "/docs/*",
            "/docs/",
            "/docs/*.html",
            "/docs/v1.2/a.html",
            "*print=1",
            "*?print=*",
            "*.html",
            "a.html",
            "https://example.org/*",
            "https://example.org/",
            "example.org/docs/",
        ] {
            assert!(matches(pattern, url), "{pattern}");
        }
        for pattern in ["/docs", "docs/*/b.html", "/v1.2/*", "http://example.org/*", "*.htm", "/docs/v1x2/*"] {
            assert!(!matches(pattern, url), "{pattern}");
        }
    }

    #[test]
    fn invalid_patterns_are_errors() {
        assert!(Pattern::new(" ").is_err());
        assert!(Pattern::new("re:(").unwrap_err().contains("unclosed group"));
        assert!(Pattern::new("re:^https").unwrap().matches("https://e.org/"));
        assert_eq!(Pattern::new("/a*").unwrap().to_string(), "/a*");
    }

    #[test]
    fn a_pattern_of_the_path_ignores_host_and_query() {
        let pattern = Pattern::of_path("^/docs/.*$").unwrap();
        assert!(
            pattern.matches("https://docs.example.org/docs/a?x=/b")
                && !pattern.matches("https://e.org/a/docs/?q=/docs/")
        );
        assert!(Pattern::of_path("^/$").unwrap().matches("https://e.org") && Pattern::of_path("(").is_err());
    }
}
