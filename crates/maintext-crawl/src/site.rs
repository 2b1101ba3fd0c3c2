//! The borders of a whole site: which addresses belong to it, and which of them are pages.
use crate::Pattern;
use crate::address::Address;
use std::collections::HashSet;

/// Settings for a crawl of whole sites.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Only addresses that match one of these are fetched; all if empty. Starting points, feeds and sitemaps are fetched anyway.
    pub include: Vec<Pattern>,
    /// Addresses that match one of these are not fetched.
    pub exclude: Vec<Pattern>,
    /// Largest number of links between a starting point and a page. The entries of sitemaps and feeds count like links of the
    /// starting points.
    pub depth: Option<u32>,
    /// Whether subdomains of the starting points' hosts belong to the site.
    pub subdomains: bool,
    /// Whether pages at the largest depth are only listed.
    pub map: bool,
    /// Whether the whole host of a starting point belongs to the site, instead of the addresses below its path.
    pub whole_host: bool,
    /// Whether sitemaps and feeds are left out.
    pub no_sitemaps: bool,
    /// Whether links of pages are not followed, so that only sitemaps and feeds name pages.
    pub no_links: bool,
    /// Whether addresses lose their queries.
    pub no_queries: bool,
}

impl Site {
    /// Returns why an address within the site is not fetched, if it is not.
    #[must_use]
    pub fn refuses(&self, url: &str) -> Option<&'static str> {
        if self.exclude.iter().any(|p| p.matches(url)) {
            return Some("excluded by --exclude");
        }
        if !self.includes(url) {
            return Some("not in --include");
        }
        None
    }

    /// Whether an address matches `include`.
    #[must_use]
    pub fn includes(&self, url: &str) -> bool {
        self.include.is_empty() || self.include.iter().any(|p| p.matches(url))
    }

    /// Returns the settings that must not change when a crawl resumes, with their values.
    pub(crate) fn settings(&self) -> [(&'static str, String); 4] {
        [
            ("--include", joined(&self.include)),
            ("--exclude", joined(&self.exclude)),
            ("--depth", self.depth.map_or("any".into(), |depth| depth.to_string())),
            ("--subdomains", self.subdomains.to_string()),
        ]
    }
}

fn joined(patterns: &[Pattern]) -> String {
    patterns.iter().map(Pattern::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the part of a site that a starting point names: its host, and its path. The path of a file is its folder.
///
/// ```
/// use maintext_crawl::{address::Address, site_of};
/// let site = |url| site_of(&Address::new(url).unwrap());
/// assert_eq!(site("https://www.example.org"), "example.org/");
/// assert_eq!(site("https://example.org/docs/"), "example.org/docs/");
/// assert_eq!(site("https://example.org/docs"), "example.org/docs");
/// assert_eq!(site("https://example.org/docs/start.html?x=1"), "example.org/docs/");
/// assert_eq!(site("https://example.org/docs/v1.2"), "example.org/docs/v1.2");
/// ```
#[must_use]
pub fn site_of(start: &Address) -> String {
    let path = start.key.split('?').next().unwrap_or("");
    match path.rsplit_once('/') {
        Some((folder, file)) if is_file(file) => format!("{folder}/"),
        _ => path.to_owned(),
    }
}

/// Whether a segment has the ending of a file: `a.html`, not `v1.2`.
fn is_file(segment: &str) -> bool {
    let ending = segment.rsplit_once('.').map_or("", |(_, ending)| ending);
    (2..=5).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether an address belongs to one of the sites, which are hosts with paths.
#[must_use]
pub fn within(sites: &HashSet<String>, address: &Address, subdomains: bool) -> SitePlace {
    let mut place = SitePlace::Foreign;
    for site in sites {
        let (host, path) = site.split_at(site.find('/').unwrap_or(site.len()));
        if address.host == host || subdomains && address.host.strip_suffix(host).is_some_and(|sub| sub.ends_with('.')) {
            if leads_into(&address.key[address.host.len()..], path) {
                return SitePlace::Inside;
            }
            place = SitePlace::OutsidePath;
        }
    }
    place
}

fn leads_into(key: &str, path: &str) -> bool {
    key.strip_prefix(path).is_some_and(|r| path.ends_with('/') || r.is_empty() || r.starts_with(['/', '?']))
}

/// Where an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitePlace {
    /// Within the site.
    Inside,
    /// On the same host, but not below the path of the starting point.
    OutsidePath,
    /// On another host.
    Foreign,
}

/// Endings of files that are not pages: requesting them wastes the server's time.
const FILES: [&str; 80] = [
    "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "css", "csv", "deb", "dmg", "doc", "docx", "eot", "eps",
    "epub", "exe", "flac", "flv", "gif", "gz", "heic", "ico", "ics", "iso", "jar", "jpeg", "jpg", "js", "json", "m4a",
    "m4v", "map", "mjs", "mkv", "mobi", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg", "ogv",
    "opus", "otf", "pdf", "pkg", "png", "ppt", "pptx", "ps", "psd", "rar", "rpm", "rtf", "svg", "swf", "tar", "tgz",
    "tif", "tiff", "torrent", "ttf", "wasm", "wav", "webm", "webp", "whl", "wmv", "woff", "woff2", "xls", "xlsx", "xz",
    "zip",
];

/// Returns the ending of an address whose file is not a page, in lower case.
#[must_use]
pub fn file_type(url: &str) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let (_, path) = path.split_once("://")?;
    let (_, file) = path.rsplit_once('/')?;
    let ending = file.rsplit_once('.')?.1.to_ascii_lowercase();
    FILES.binary_search(&ending.as_str()).ok().map(|at| FILES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_host_or_a_folder_of_it() {
        let address = |url: &str| Address::new(url).unwrap();
        let place = |start: &str, url: &str, subdomains| {
            within(&HashSet::from([site_of(&address(start))]), &address(url), subdomains)
        };
        assert_eq!(place("https://www.e.org/", "http://e.org/a?b", false), SitePlace::Inside);
        assert_eq!(place("https://e.org/", "https://notes.e.org/", false), SitePlace::Foreign);
        assert_eq!(place("https://e.org/", "https://notes.e.org/", true), SitePlace::Inside);
        assert_eq!(place("https://e.org/", "https://note.org/", true), SitePlace::Foreign);
        assert_eq!(place("https://e.org/", "https://e.org:8080/", true), SitePlace::Foreign);
        assert_eq!(place("https://e.org/docs", "https://e.org/docs/a", false), SitePlace::Inside);
        assert_eq!(place("https://e.org/docs", "https://e.org/docs?x=1", false), SitePlace::Inside);
        assert_eq!(place("https://e.org/docs", "https://e.org/docs-old", false), SitePlace::OutsidePath);
        assert_eq!(place("https://e.org/docs/a.html", "https://e.org/docs/b/c", false), SitePlace::Inside);
        assert_eq!(place("https://e.org/docs/index.html", "https://e.org/", false), SitePlace::OutsidePath);
    }

    #[test]
    fn files_that_are_not_pages_are_known_by_their_endings() {
        assert!(FILES.is_sorted());
        assert_eq!(file_type("https://e.org/a/b.PDF?x=1"), Some("pdf"));
        for page in [
            "https://e.org/a.html",
            "https://e.org",
            "https://example.zip",
            "https://e.org/a.b/c",
            "https://e.org/v1.2",
        ] {
            assert_eq!(file_type(page), None, "{page}");
        }
    }

    #[test]
    fn exclude_takes_precedence_over_include() {
        let pattern = |p: &str| Pattern::new(p).unwrap();
        let site = Site { include: vec![pattern("/docs/")], exclude: vec![pattern("*/print/*")], ..Site::default() };
        assert_eq!(site.refuses("https://e.org/docs/a"), None);
        assert_eq!(site.refuses("https://e.org/docs/print/a"), Some("excluded by --exclude"));
        assert_eq!(site.refuses("https://e.org/blog"), Some("not in --include"));
    }
}
