//! Fetches one page and reads it as a detail page, a list, a feed or a sitemap.
use crate::robots::RobotsRules;
use crate::starts;
use crate::store::{AddressSource, PageRole, Waiting};
use crate::{Error, Options, SharedHost};
use maintext_core::hash::{FNV64, fnv64};
use maintext_core::list::Lists;
use maintext_core::page_type::PageType;
use maintext_core::preferences::{Preferences, Use};
use maintext_core::{Analysis, Extractor, Page};
use maintext_fetch::{Answer, Ask, FetchError, Fetched, Fetcher, Representation};
use maintext_formats::{Document, Format, Hint, Limits};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use url::Url;

mod links;

/// Minimum probability at which a page with entries is only a list.
const LIST: f32 = 0.5;
/// The same for a page that has the text of an article besides; higher, because a row too many is better than a missing article.
const LIST_WITH_TEXT: f32 = 0.8;
/// Number of words in paragraphs from which a page has the text of an article, and the least number of words of a paragraph.
const ARTICLE_WORDS: u32 = 150;
const PARAGRAPH_WORDS: u32 = 20;
/// Minimum probability at which a starting point is also written as a detail page; higher, because most starting points are lists.
const DETAIL: f32 = 0.8;

/// Probability of a list below which the links of an article that is a starting point are a menu.
const LIST_OF_START: f32 = 0.1;

/// The contents of a page.
#[derive(Debug, Default)]
pub struct PageContents {
    /// The detail page, if the page is one.
    pub detail: Option<Detail>,
    /// The entries and further pages, if it is a list.
    pub list: Option<ListedLinks>,
    /// The use that the site forbids, if the page is left out because of it.
    pub unwanted: Option<Use>,
    /// `ETag`, to be sent with the next request.
    pub etag: Option<String>,
    /// `Last-Modified`, to be sent with the next request.
    pub modified: Option<String>,
}

/// A detail page.
#[derive(Debug)]
pub struct Detail {
    /// The output record: one line of JSON.
    pub line: String,
    /// The page's canonical address, or the address that answered.
    pub own: Option<String>,
    /// Equal for pages with the same title and text; `None` without text.
    pub fingerprint: Option<i64>,
    /// Equal for pages with the same set of words, without digits; `None` without text. Only for whole sites.
    pub words: Option<i64>,
    /// Its title.
    pub title: Option<String>,
}

/// The links of a list page, a feed or a sitemap.
#[derive(Debug, Default)]
pub struct ListedLinks {
    /// Addresses and titles of the entries, in order.
    pub entries: Vec<(String, String)>,
    /// When each entry was last changed, if this is a feed or a sitemap.
    pub lastmods: Vec<Option<String>>,
    /// What the entries are from.
    pub source: AddressSource,
    /// The list's other pages, the next one first.
    pub more: Vec<String>,
    /// Feeds declared by the page, or the sitemaps of an index.
    pub indices: Vec<String>,
    /// Whether this is a feed or a sitemap, whose `indices` are its parts.
    pub is_index: bool,
}

/// The result of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The page was read.
    Read(Box<PageContents>),
    /// The page has not changed.
    Unchanged,
    /// The page has moved.
    Moved(String),
    /// The page failed.
    Failed(PageFailure),
}

/// Why a page failed.
#[derive(Debug, Default)]
pub struct PageFailure {
    /// A message for users, in one line.
    pub message: String,
    /// The reason in a few words that many pages share.
    pub reason: Cow<'static, str>,
    /// The HTTP status, if that is the reason.
    pub status: Option<u16>,
    /// Whether there is a document, but no page: a PDF, an image.
    pub is_file: bool,
    /// Whether a later request may succeed.
    pub temporary: bool,
    /// Whether no request was sent, because the server had asked to wait.
    pub unsent: bool,
    /// Set if the server is busy: how long to wait before the next request, or zero if the server does not say.
    pub busy: Option<Duration>,
}

impl From<FetchError> for PageFailure {
    fn from(e: FetchError) -> Self {
        let busy = match &e {
            FetchError::Status { retry_after: Some(wait), .. } => Some(*wait),
            FetchError::Status { status: 429 | 503, .. } => Some(Duration::ZERO),
            _ => None,
        };
        let (reason, is_file) = match &e {
            FetchError::ContentType { content_type, .. } => {
                (format!("type {}", content_type.split(';').next().unwrap_or("").trim()).into(), true)
            }
            FetchError::Binary { kind, .. } => ((*kind).into(), true),
            other => (other.reason(), false),
        };
        let unsent = matches!(e, FetchError::Status { sent: false, .. });
        let (status, temporary) = (e.status(), e.is_temporary());
        PageFailure { status, temporary, unsent, busy, message: e.to_string(), reason, is_file }
    }
}

/// Fetches and reads pages; one per thread.
pub struct Worker {
    fetcher: Fetcher,
    extractor: Extractor,
    lists: Lists,
    agent: String,
    max_size: usize,
    max_depth: u32,
    /// Whether all links of pages are followed.
    site: bool,
    embed: Option<SharedHost>,
    /// The uses for which pages are wanted.
    uses: Vec<Use>,
}

/// A page as text, with further facts from its answer.
struct Given<'a> {
    fetched: &'a Fetched,
    /// The uses that robots.txt and the headers allow or forbid.
    preferences: Preferences,
    /// The format of the answer.
    format: Format,
}

impl Given<'_> {
    /// Adds the preferences, the address and the media type to a page.
    fn complete(&self, page: &mut Page) {
        page.preferences.add(&self.preferences);
        page.markdown_url = page.markdown_url.take().or_else(|| self.fetched.markdown_link());
        page.representation = Some(self.format.media_type(self.fetched.content_type.as_deref()));
        page.answered(self.fetched.status, Some(self.fetched.url.clone()));
    }
}

impl Worker {
    /// Creates as many workers as `options` asks for. They share the fetcher.
    ///
    /// # Errors
    /// The settings are invalid.
    pub fn team(options: &Options) -> Result<Vec<Worker>, Error> {
        let own = Fetcher::new(options.fetch.clone())?;
        let fetcher = match &options.resting_with {
            Some(other) => own.resting_with(other),
            None => own,
        };
        let lists = Lists::named("learned")?;
        let one = |_| {
            Ok(Worker {
                fetcher: fetcher.clone(),
                extractor: Extractor::new(options.extract.clone())?,
                lists: lists.clone(),
                agent: options.fetch.user_agent.clone(),
                max_size: options.fetch.max_size,
                max_depth: options.max_depth,
                site: options.site.is_some(),
                embed: options.embed.clone(),
                uses: options.obey_preferences.clone(),
            })
        };
        (0..options.concurrency.max(1)).map(one).collect()
    }

    /// Returns the rules of a server. Without robots.txt everything is allowed; while the server fails to answer, nothing is.
    ///
    /// # Errors
    /// The server failed.
    pub fn rules(&self, origin: &str) -> Result<RobotsRules, PageFailure> {
        RobotsRules::fetch(&self.fetcher, &self.agent, origin).map_err(PageFailure::from)
    }

    /// Fetches a page and reads it. A panic counts as a failure of that page and does not end the crawl. `stated` are the preferences of
    /// robots.txt.
    pub fn ask(&mut self, row: &Waiting, stated: Preferences) -> Outcome {
        let ask = Ask {
            url: &row.url,
            etag: row.etag.as_deref(),
            last_modified: row.modified.as_deref(),
            any_type: matches!(row.role, PageRole::Start | PageRole::Index | PageRole::Guess),
            // Feeds and sitemaps have no other form.
            representation: matches!(row.role, PageRole::Index | PageRole::Guess).then_some(Representation::Html),
        };
        let page = match self.fetcher.ask(&ask) {
            Ok(Answer::Page(page)) => page,
            Ok(Answer::Moved(to)) => return Outcome::Moved(to),
            Ok(Answer::Unchanged) => return Outcome::Unchanged,
            Err(e) => return Outcome::Failed(e.into()),
        };
        let wrong =
            |message| Outcome::Failed(PageFailure { message, reason: "not readable".into(), ..PageFailure::default() });
        let _turn = self.embed.as_ref().map(|embed| embed.0.turn());
        match catch_unwind(AssertUnwindSafe(|| self.read(row, &page, stated))) {
            Ok(Ok(mut read)) => {
                read.etag = page.header("etag").map(str::to_owned);
                read.modified = page.header("last-modified").map(str::to_owned);
                Outcome::Read(Box::new(read))
            }
            Ok(Err(message)) => wrong(format!("{}: {message}", row.url)),
            Err(_) => wrong(format!("{}: a bug in maintext, please report it with the page", row.url)),
        }
    }

    fn read(&mut self, row: &Waiting, page: &Fetched, stated: Preferences) -> Result<PageContents, String> {
        if let Some(index) = self.index(row, page) {
            let more = index.next.into_iter().collect();
            let source = if index.is_sitemap {
                AddressSource::Sitemap
            } else if index.is_llms {
                AddressSource::Llms
            } else {
                AddressSource::Feed
            };
            let (entries, lastmods) = index.pages.into_iter().map(|p| ((p.url, p.title), p.lastmod)).unzip();
            let list = ListedLinks { entries, lastmods, source, more, indices: index.sitemaps, is_index: true };
            return Ok(PageContents { list: Some(list), ..PageContents::default() });
        }
        let url = Url::parse(&page.url).map_err(|e| e.to_string())?;
        let (format, document) = self.document(page)?;
        if matches!(row.role, PageRole::Index | PageRole::Guess) {
            return Err("is neither a feed nor a sitemap".into());
        }
        let mut given = Given { fetched: page, preferences: stated, format };
        page.headers.iter().for_each(|(name, value)| given.preferences.add_header(name, value, &self.agent));
        let (bytes, charset) = match &document {
            Some(document) => (document.bytes.as_slice(), document.charset.as_deref()),
            None => (page.body.as_slice(), page.charset.as_deref()),
        };
        let source = maintext_core::source(bytes, charset).map_err(|e| e.to_string())?;
        // All later steps share this analysis.
        let analysis = self.extractor.analyze_source(&source, Some(&url), document.is_some());
        if self.site {
            return self.whole(row, analysis, url, &given);
        }
        let (is_list, is_detail) = self.parts(row, &analysis, &url)?;
        let list = is_list.then(|| {
            let found = self.lists.page(&analysis.view(Some(&url)));
            let mut more: Vec<String> = found.pagination.next.into_iter().map(|l| l.url).collect();
            more.extend(found.pagination.pages.into_iter().map(|l| l.url));
            let entries = found.groups.into_iter().flat_map(|g| g.entries);
            let entries = entries.filter_map(|e| Some((e.url?, e.title))).collect();
            let indices = if row.role == PageRole::Start { links::feeds(&analysis.dom, &url) } else { Vec::new() };
            ListedLinks { entries, more, indices, ..ListedLinks::default() }
        });
        if !is_detail {
            return Ok(PageContents { list, ..PageContents::default() });
        }
        let mut found = self.extractor.assemble(analysis, Some(url));
        given.complete(&mut found);
        Ok(match self.unwanted(&found) {
            Some(purpose) => PageContents { list, unwanted: Some(purpose), ..PageContents::default() },
            None => {
                let detail = Some(detail(record(&row.url, &found)?, found));
                PageContents { detail, list, ..PageContents::default() }
            }
        })
    }

    /// Returns the first use that the crawl wants and the site forbids.
    fn unwanted(&self, page: &Page) -> Option<Use> {
        self.uses.iter().copied().find(|purpose| page.preferences.forbids(*purpose))
    }

    /// Returns the format of an answer, and the document for one in Markdown or plain text.
    fn document(&self, page: &Fetched) -> Result<(Format, Option<Document>), String> {
        let content_type = page.content_type.as_deref();
        let url = Url::parse(&page.url).ok();
        // llms.txt is Markdown by definition.
        let is_llms = url.as_ref().is_some_and(starts::is_llms_file);
        let hint = Hint {
            name: url.as_ref().map(Url::path),
            url: Some(&page.url),
            content_type: if is_llms { Some("text/markdown") } else { content_type },
            charset: page.charset.as_deref(),
        };
        let limits = Limits { max_size: self.max_size, ..Limits::default() };
        maintext_formats::declared_text(&page.body, &hint, &limits).map_err(|e| e.to_string())
    }

    fn index(&self, row: &Waiting, page: &Fetched) -> Option<starts::FeedIndex> {
        let xml = page.content_type.as_deref().is_some_and(|t| t.contains("xml") && !t.contains("xhtml"));
        let wanted = xml || matches!(row.role, PageRole::Start | PageRole::Index | PageRole::Guess);
        if wanted { starts::read(&page.body, &page.url, self.max_size) } else { None }
    }

    /// Whether to follow a page as a list, and whether to write it as a detail page. A page with entries that may be an article is both.
    fn parts(&self, row: &Waiting, analysis: &Analysis<'_>, url: &Url) -> Result<(bool, bool), String> {
        if matches!(row.role, PageRole::More | PageRole::Index | PageRole::Guess) {
            return Ok((true, false));
        }
        let kind = self.extractor.page_type(analysis, Some(url)).map_err(|e| e.to_string())?;
        if row.role == PageRole::Start {
            let is_detail = probability(&kind, "article") + probability(&kind, "product") >= DETAIL;
            return Ok((!is_detail || kind.list >= LIST_OF_START, is_detail));
        }
        let has_entries = matches!(kind.page_type, Some("listing" | "collection"));
        let least = if has_article_text(analysis) { LIST_WITH_TEXT } else { LIST };
        Ok((has_entries && row.depth <= self.max_depth, !(has_entries && kind.list >= least)))
    }
}

/// Whether the content of a page has paragraphs with the words of an article.
fn has_article_text(analysis: &Analysis<'_>) -> bool {
    let blocks = analysis.blocks.blocks.iter().enumerate().filter(|(i, _)| analysis.choice.keeps(*i));
    let paragraphs = blocks.filter(|(_, b)| b.words >= PARAGRAPH_WORDS && b.link_chars * 2 <= b.chars);
    paragraphs.map(|(_, b)| b.words).sum::<u32>() >= ARTICLE_WORDS
}

fn probability(kind: &PageType, name: &str) -> f32 {
    kind.probabilities.get(name).copied().unwrap_or(0.0)
}

fn record(id: &str, page: &Page) -> Result<String, String> {
    #[derive(serde::Serialize)]
    struct PageRow<'a> {
        id: &'a str,
        #[serde(flatten)]
        page: &'a Page,
    }
    serde_json::to_string(&PageRow { id, page }).map_err(|e| e.to_string())
}

/// Returns a detail page with its record. The fingerprint is the FNV-1a hash, 64 bits, of title and text.
fn detail(line: String, page: Page) -> Detail {
    let (title, text) = (page.metadata.title, page.text.unwrap_or_default());
    let bytes = title.as_deref().unwrap_or("").bytes().chain([0]).chain(text.bytes());
    let fingerprint = (!text.trim().is_empty()).then(|| bytes.fold(FNV64, fnv64) as i64);
    Detail { line, own: page.metadata.url, fingerprint, words: None, title }
}
