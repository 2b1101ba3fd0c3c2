//! The metadata of a page: title, authors, dates, site, language, image, tags.
//!
//! Each field is chosen among candidates. [`candidates`] returns all of them with their evidence and scores; [`extract`] returns the best.
//! A ranker fitted to annotated pages chooses title, authors and publication date (see [`Candidate`]); the other fields come from the most
//! trusted statement.
mod fields;
pub mod layout;
pub mod ranking;
mod records;
pub mod sources;
pub mod text;

use fields::{author, date, image, language, site, tags, title};
use layout::Layout;
use ranking::rank::Source as S;
use sources::facts::Facts;
use text::dates;

pub use dates::{Stamp, without_passing_times};
pub use fields::given::apply as apply_rules;
pub use ranking::rank::{Candidate, Evidence, Source};
pub use ranking::rankers::Rankers;
pub use records::{Found, Record, RecordModel, comments, names_comments, records};

use crate::fields::Fields;
use maintext_page::address::is_front_page;
use maintext_page::lexicon::lexicon;
use maintext_reading::choice::Choice;
use maintext_reading::method::View;
use serde::Serialize;
use std::collections::BTreeMap;
use url::Url;

/// The metadata of a page. Fields that the page does not state are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metadata {
    /// Canonical address, absolute.
    pub url: Option<String>,
    /// Host of the page's address, or of [`Metadata::url`] if that is unknown: a page may declare any host as its canonical one.
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
    /// The page's own summary.
    pub description: Option<String>,
    /// Language as a BCP 47 tag, declared or detected.
    pub language: Option<String>,
    /// The language detected in the text, independent of the declared one.
    pub language_detected: Option<String>,
    /// Address of the lead image, absolute.
    pub image: Option<String>,
    /// Addresses of the videos in the content, absolute.
    pub videos: Vec<String>,
    /// Sections that the page belongs to.
    pub categories: Vec<String>,
    /// Keywords.
    pub tags: Vec<String>,
    /// Licence of the content, as an address or a name.
    pub license: Option<String>,
    /// The path from the site's front page to the page, outermost first.
    pub breadcrumb: Vec<String>,
    /// Whether the page declares that it is free to read; `false` marks a paywall.
    pub accessible_for_free: Option<bool>,
    /// Other languages of the page: BCP 47 tag or `x-default`, and address.
    pub alternates: Vec<Alternate>,
    /// Words of the main content; in Han, Kana and Hangul each character counts as one.
    pub words: u32,
    /// Minutes to read the main content at [`WORDS_A_MINUTE`], rounded up.
    pub reading_minutes: u32,
    /// Addresses of the page's feeds.
    pub feeds: Vec<String>,
    /// The statement that each chosen field comes from: `title` from `h1`, `date` from `ld.datePublished`.
    #[serde(rename = "metadata_sources")]
    pub sources: BTreeMap<&'static str, String>,
}

impl Metadata {
    /// Returns metadata that has only a title.
    pub fn titled(title: Option<String>) -> Metadata {
        Metadata { title, ..Metadata::default() }
    }
}

/// Words per minute of silent reading by adults (Brysbaert, *How many words do we read per minute?*, 2019: 238 in English non-fiction;
/// readers of Chinese manage about as many characters).
pub const WORDS_A_MINUTE: u32 = 238;

/// The page in another language.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Alternate {
    /// BCP 47 tag, or `x-default`.
    pub language: String,
    /// The address, absolute if the page's address is known.
    pub url: String,
}

/// All candidates for the fields chosen by rankers, best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Candidates {
    /// Titles.
    pub title: Vec<Candidate>,
    /// Lists of authors, joined by `", "`.
    pub author: Vec<Candidate>,
    /// Publication dates.
    pub date: Vec<Candidate>,
}

/// Settings for reading metadata.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a> {
    /// The address against which the page's addresses are resolved.
    pub base: Option<&'a Url>,
    /// The time that relative dates (`3 hours ago`) count from; later dates are not candidates. Without it, relative dates are ignored.
    pub now: Option<Stamp>,
    /// The rankers that choose among the candidates; [`Rankers::shipped`] if `None`.
    pub rankers: Option<&'a Rankers>,
}

/// Reads the metadata of a page whose content is chosen.
pub fn extract(page: &View<'_>, choice: &Choice, settings: &Settings<'_>) -> Metadata {
    with_layout(page, choice, settings, |layout| read(layout, choice, Fields::ALL).0)
}

/// Finds the records of a page as the shipped model decides, and passes them on with the facts.
pub fn with_layout<T>(
    page: &View<'_>,
    choice: &Choice,
    settings: &Settings<'_>,
    read: impl FnOnce(Layout<'_>) -> T,
) -> T {
    let facts = Facts::new(page, settings);
    // Tests load the shipped model, so this cannot fail in a release.
    let found = RecordModel::shipped().map_or_else(|_| Found::default(), |model| records(&facts, choice, &model));
    read(Layout::new(&facts, choice.kept(), found.of_page()))
}

/// Reads the wanted metadata, and what it depends on. Also returns the layout with the heading of the chosen title.
pub fn read<'a>(mut layout: Layout<'a>, choice: &Choice, wanted: Fields) -> (Metadata, Layout<'a>) {
    let mut out = Metadata::default();
    let sitename = site::name(&layout);
    // Authors, dates and pictures are looked for around the title's heading.
    if wanted.has(Fields::TITLE | Fields::AUTHOR | Fields::DATE | Fields::PICTURES)
        && let Some(best) = title::candidates(&layout, sitename.as_deref()).first()
    {
        out.title = Some(best.value.clone());
        out.sources.insert("title", source_of(best));
        layout.heading = heading_of(best);
    }
    if wanted.has(Fields::AUTHOR) {
        read_author(&layout, sitename.as_deref(), &mut out);
    }
    if wanted.has(Fields::DATE) {
        read_dates(&layout, &mut out);
    }
    out.sitename = sitename;
    if wanted.has(Fields::LANGUAGE) {
        (out.language, out.language_detected) = language::language(&layout, choice.kept());
    }
    out.words = layout.words as u32;
    out.reading_minutes = out.words.div_ceil(WORDS_A_MINUTE);
    if wanted.has(Fields::ADDRESS) {
        out.url = canonical(&layout);
        let url = out.url.as_deref().and_then(|u| Url::parse(u).ok());
        out.hostname = layout.url.as_ref().or(url.as_ref()).and_then(|u| u.host_str()).map(str::to_owned);
    }
    if wanted.has(Fields::PICTURES) {
        out.image = image::lead(&layout);
        out.videos = image::videos(&layout);
    }
    if wanted.has(Fields::STATEMENTS) {
        simple_fields(&layout, &mut out);
    }
    (out, layout)
}

fn read_author(layout: &Layout<'_>, sitename: Option<&str>, out: &mut Metadata) {
    let authors = author::candidates(layout, sitename, out.title.as_deref());
    if let Some((names, best)) = authors.into_iter().next().filter(|c| c.1.score > author::threshold(layout, &c.1)) {
        out.sources.insert("author", source_of(&best));
        out.author = Some(names.join(", "));
        out.authors = names;
    }
}

fn read_dates(layout: &Layout<'_>, out: &mut Metadata) {
    /// Maximum number of days between a date above the first post and that post, which is then an answer.
    const MAX_DAYS_TO_ANSWER: i32 = 31;
    let found = date::candidates(layout);
    let best = found.published.into_iter().next().filter(|c| c.1.score > date::threshold(layout, &c.1));
    // A thread's page prints dates of its members and of later posts. The first post may be read as part of the text above the others.
    let first = layout.records.first().filter(|r| r.is_post).and_then(|r| r.stamp.as_ref());
    let is_of_first = |stamp: &Stamp| match &best {
        // Reviews of a product are read as posts, too, and do not date it.
        None => records::forum::is_forum(layout),
        Some((best, c)) => {
            let is_printed = c.evidence.iter().all(|e| !e.source.is_declared());
            is_printed && (best.date > stamp.date || (stamp.date - best.date).get_days() > MAX_DAYS_TO_ANSWER)
        }
    };
    if let Some(stamp) = first.filter(|stamp| is_of_first(stamp)) {
        out.sources.insert("date", "post".to_owned());
        out.date = Some(stamp.to_string());
    } else if let Some((_, best)) = best {
        out.sources.insert("date", source_of(&best));
        out.date = Some(best.value);
    }
    if let Some((stamp, place)) = found.modified {
        out.sources.insert("date_modified", place.key);
        out.date_modified = Some(stamp.to_string());
    }
}

/// Returns all candidates of a page, each with the features behind its score.
///
/// ```
/// use maintext_facts::metadata;
/// use maintext_page::{blocks::Blocks, dom};
/// use maintext_reading::View;
/// let html = "<title>A walk - The Paper</title><h1>A walk</h1><p>By <a rel=author>Jane Doe</a>, 17 May 2024";
/// let dom = dom::parse(html, &Default::default());
/// let blocks = Blocks::new(&dom);
/// let page = View { source: html, dom: &dom, blocks: &blocks, url: None };
/// let found = metadata::candidates(&page, &Default::default(), &metadata::Settings::default());
/// assert_eq!(found.title[0].value, "A walk");
/// assert_eq!(found.date[0].value, "2024-05-17");
/// ```
pub fn candidates(page: &View<'_>, choice: &Choice, settings: &Settings<'_>) -> Candidates {
    with_layout(page, choice, settings, |mut layout| {
        layout.named = true;
        let sitename = site::name(&layout);
        let title = title::candidates(&layout, sitename.as_deref());
        let best = title.first();
        layout.heading = best.and_then(heading_of);
        let author = author::candidates(&layout, sitename.as_deref(), best.map(|best| best.value.as_str()));
        let date = date::candidates(&layout).published;
        Candidates {
            title,
            author: author.into_iter().map(|c| c.1).collect(),
            date: date.into_iter().map(|c| c.1).collect(),
        }
    })
}

/// Parts of the ranker that the trainer needs.
#[doc(hidden)]
pub mod training {
    pub use super::ranking::rank::{
        AUTHOR_THRESHOLD, COMPARED, COMPUTED, DATE_THRESHOLD, GROUPS, Known, Model, Tree, group,
    };
    pub use super::records::training as records;
}

/// Returns the hash under which a feature's weight is stored. For the trainer.
#[doc(hidden)]
pub fn feature_hash(name: &str) -> u64 {
    ranking::rank::hash(ranking::rank::SEED, name)
}

/// Returns the block of the heading that states a title.
fn heading_of(title: &Candidate) -> Option<u32> {
    let heading = title.evidence.iter().find(|e| e.source == S::Heading);
    heading.or_else(|| title.evidence.iter().find(|e| e.source == S::Text))?.block
}

fn source_of(c: &Candidate) -> String {
    c.evidence.first().map_or_else(String::new, |e| e.key.clone())
}

/// Fills the fields that are taken from the most trusted statement.
fn simple_fields(facts: &Layout<'_>, out: &mut Metadata) {
    out.description = description(facts);
    out.categories = tags::categories(facts);
    out.tags = tags::tags(facts);
    out.license = tags::license(facts);
    out.breadcrumb = tags::breadcrumb(facts);
    out.accessible_for_free = is_free(facts);
    for &n in &facts.links {
        let rel = facts.dom.attr(n, "rel").unwrap_or("").to_ascii_lowercase();
        if !rel.contains("alternate") {
            continue;
        }
        let Some(href) = facts.dom.attr(n, "href") else { continue };
        let url = facts.address(href).unwrap_or_else(|| href.to_owned());
        let kind = facts.dom.attr(n, "type").unwrap_or("");
        if kind.contains("rss") || kind.contains("atom+xml") || kind.contains("feed+json") {
            out.feeds.push(url);
        } else if out.alternates.len() < 200
            && let Some(l) = facts.dom.attr(n, "hreflang")
        {
            let language = language::tag(l).unwrap_or_else(|| l.to_ascii_lowercase());
            out.alternates.push(Alternate { language, url });
        }
    }
}

fn description(facts: &Facts<'_>) -> Option<String> {
    facts.meta(lexicon!("description-names.txt")).or_else(|| {
        let works = facts.graph().things.iter().filter(|t| t.depth == 0 && sources::jsonld::Graph::is_work(&t.kind));
        works.filter_map(|t| facts.graph().text(t.id, "description")).map(text::plain).find(|s| !s.is_empty())
    })
}

/// Returns the canonical address. One that names the front page on any other page, or the first page on a later one, is a template's mistake and
/// is ignored.
fn canonical(facts: &Facts<'_>) -> Option<String> {
    let link = facts.link("canonical").and_then(|href| facts.address(href));
    let page = facts.url.as_ref();
    let link = link.filter(|url| may_be_of(url, page));
    link.or_else(|| facts.metas("og:url").find_map(|u| facts.address(u)).filter(|url| may_be_of(url, page)))
}

/// Whether a page may declare this address as its own: the front page of a site and the first page of a list are not another page's.
fn may_be_of(url: &str, page: Option<&Url>) -> bool {
    let (Ok(url), Some(page)) = (Url::parse(url), page) else { return true };
    !(is_front_page(&url) && page.path().len() > 1 || is_later_page(page, &url))
}

/// Whether an address adds the number of a page after the first to another one: `/news/page/3`, `/news?page=3`.
fn is_later_page(page: &Url, first: &Url) -> bool {
    let (own, path) = (page.path().trim_end_matches('/'), first.path().trim_end_matches('/'));
    let number = match own.strip_prefix(path) {
        Some("") if page_in_query(first).is_none() => page_in_query(page),
        Some(rest) => rest.strip_prefix("/page/").and_then(|number| number.parse().ok()),
        None => None,
    };
    number.is_some_and(|n: u32| n > 1)
}

fn page_in_query(url: &Url) -> Option<u32> {
    url.query_pairs().filter(|(name, _)| name == "page").find_map(|(_, value)| value.parse().ok())
}

/// Returns whether the page declares that it is free to read.
pub fn is_free(facts: &Facts<'_>) -> Option<bool> {
    let works = facts
        .graph()
        .things
        .iter()
        .filter(|t| t.depth <= 1 && (sources::jsonld::Graph::is_work(&t.kind) || t.kind.ends_with("Page")));
    works.filter_map(|t| facts.graph().boolean(t.id, "isAccessibleForFree")).next().or_else(|| {
        let tier = facts.meta(&["article:content_tier"])?;
        match tier.as_str() {
            "free" => Some(true),
            "locked" | "metered" => Some(false),
            _ => None,
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::metadata::*;
    use maintext_page::blocks::Blocks;

    pub(crate) fn layout_of(html: &str, check: impl FnOnce(&Layout<'_>)) {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let page = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let kept: Vec<bool> = blocks.blocks.iter().map(|b| b.chars > 40).collect();
        check(&Layout::new(&Facts::new(&page, &Settings::default()), &kept, &[]));
    }

    fn read(html: &str) -> Metadata {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let url = Url::parse("https://www.example.org/news/a-walk").unwrap();
        let page = View { source: html, dom: &dom, blocks: &blocks, url: Some(url.as_str()) };
        let kept: Vec<bool> = blocks.blocks.iter().map(|b| b.chars > 40).collect();
        extract(&page, &Choice::of(kept), &Settings { base: Some(&url), ..Settings::default() })
    }

    #[test]
    fn a_later_page_is_not_the_first_one() {
        let is_later = |page: &str, first: &str| {
            let [page, first] = [page, first].map(|path| Url::parse(&format!("https://e.org{path}")).unwrap());
            is_later_page(&page, &first)
        };
        assert!(is_later("/blog/page/91/", "/blog/") && is_later("/blog?page=3", "/blog?sort=new"));
        for (page, first) in [
            ("/blog/page/1", "/blog"),
            ("/blog/page/two", "/blog"),
            ("/blog?page=3", "/blog?page=3"),
            ("/blog/a?page=3", "/blog"),
            ("/blog/page/3", "/news"),
        ] {
            assert!(!is_later(page, first), "{page} {first}");
        }
    }

    #[test]
    fn sections_joined_by_a_system_are_several() {
        let sections = |text: &str| {
            let head = format!("<title>A walk</title><meta property=article:section content='{text}'>");
            read(&format!("{head}<h1>A walk</h1><p>We left early, and the road was empty until the hills.</p>"))
                .categories
        };
        assert_eq!(sections("Marketing,Social Media"), ["Marketing", "Social Media"]);
        assert_eq!(sections("Food, Drink and Travel"), ["Food, Drink and Travel"]);
    }

    #[test]
    fn authors_with_lines_of_their_own_are_a_list() {
        for lines in [
            "<div class=author>Jane Doe</div><div class=author>John Roe</div>",
            "<p><a rel=author href=/authors/jane-doe>Jane Doe</a></p><p><a rel=author href=/authors/john-roe>John Roe</a></p>",
        ] {
            let html = format!(
                "<title>A walk in the hills</title><article><h1>A walk in the hills</h1>{lines}<p>We left early, and the road was empty. Nobody \
                 spoke until the hills, where the fog lifted.</p></article>"
            );
            assert_eq!(read(&html).authors, ["Jane Doe", "John Roe"], "{lines}");
        }
    }

    #[test]
    fn an_ordinary_article_is_read() {
        let m = read(
            r#"<html lang=en-gb><title>A walk in the hills - The Daily Example</title>
            <meta property=og:site_name content="The Daily Example"><meta name=description content="Fog &amp;amp; foxes">
            <meta property=og:image content=/i/fox.jpg><meta property=article:section content=Outdoors><meta name=keywords content="fog, foxes">
            <link rel=canonical href=/news/a-walk><link rel=license href=https://creativecommons.org/licenses/by/4.0/>
            <link rel=alternate hreflang=de href=/de/a-walk><link rel=alternate type=application/rss+xml href=/feed>
            <script type=application/ld+json>{"@type":"NewsArticle","headline":"A walk in the hills","author":{"@type":"Person","name":"Jane Doe"},
            "datePublished":"2024-05-17T09:30:00+01:00","dateModified":"2024-05-18T10:00:00Z","isAccessibleForFree":"False"}</script>
            <body><header><a href=/>The Daily Example</a></header><article><h1>A walk in the hills</h1><p>By <a rel=author href=/authors/jane-doe>Jane Doe</a></p>
            <time datetime=2024-05-17T09:30:00+01:00>17 May 2024</time><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p><iframe src=https://video.example.org/embed/1></iframe></article>"#,
        );
        assert_eq!(m.title.as_deref(), Some("A walk in the hills"));
        assert_eq!(m.authors, ["Jane Doe"]);
        assert_eq!(m.date.as_deref(), Some("2024-05-17T09:30:00+01:00"));
        assert_eq!(m.date_modified.as_deref(), Some("2024-05-18T10:00:00Z"));
        assert_eq!(m.sitename.as_deref(), Some("The Daily Example"));
        assert_eq!(m.description.as_deref(), Some("Fog & foxes"));
        assert_eq!(m.language.as_deref(), Some("en-GB"));
        assert_eq!(m.url.as_deref(), Some("https://www.example.org/news/a-walk"));
        assert_eq!(m.image.as_deref(), Some("https://www.example.org/i/fox.jpg"));
        assert_eq!((m.categories, m.tags), (vec!["Outdoors".to_owned()], vec!["fog".to_owned(), "foxes".to_owned()]));
        assert_eq!(m.license.as_deref(), Some("https://creativecommons.org/licenses/by/4.0/"));
        assert_eq!(m.accessible_for_free, Some(false));
        assert_eq!(m.videos, ["https://video.example.org/embed/1"]);
        assert_eq!((m.words, m.reading_minutes), (17, 1));
        assert_eq!(m.feeds, ["https://www.example.org/feed"]);
        assert_eq!(m.alternates[0].language, "de");
    }

    #[test]
    fn a_page_without_statements_has_no_metadata() {
        let m =
            read("<p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>");
        assert_eq!((m.author, m.date, m.description, m.license), (None, None, None, None));
    }
}
