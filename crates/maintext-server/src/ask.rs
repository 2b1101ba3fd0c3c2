//! Parsed requests: a page and its extraction options.
use crate::body::Received;
use crate::memory::Share;
use crate::problem::Problem;
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::metadata::Stamp;
use maintext_core::render::{AltText, PieceForm, TitleHeading};
use maintext_core::rules::{FieldRule, SiteRules};
use maintext_core::schema::Schema;
use maintext_core::select::Selector;
use maintext_core::{Favor, Fields, Formats, Options};
use maintext_fetch::Representation;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

mod strict;

use strict::{Given, Kind};
pub use strict::{bad_options, body_only};

/// A request for one page: the body of a JSON request or a line of `/v1/batch`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// Returned unchanged in the response; for `/v1/batch`.
    pub id: Option<serde_json::Value>,
    /// The page's address. The page is fetched from it if the request contains no page.
    pub url: Option<String>,
    /// The page as text.
    pub html: Option<String>,
    /// The page as bytes in base64.
    pub html_base64: Option<String>,
    /// Charset in the HTTP header of the original response.
    pub charset: Option<String>,
    /// The form of the answer of `/v1/extract`, instead of the one that `Accept` names.
    pub format: Option<AnswerFormat>,
    /// Extraction options.
    #[serde(deserialize_with = "strict::options")]
    pub options: Choices,
    /// The page, if the request body is the page itself.
    #[serde(skip)]
    pub body: Option<Vec<u8>>,
    /// The request's share of the memory, released when the work is done.
    #[serde(skip)]
    pub memory: Option<Share>,
}

/// Extraction options.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Choices {
    /// Name of the content method.
    pub method: String,
    /// The side on which to err.
    pub favor: FavorName,
    /// The formats of the content in the response.
    pub formats: Vec<FormatName>,
    /// Whether the response includes title, author, date and the other metadata.
    pub metadata: bool,
    /// Whether readers' comments are detected.
    pub comments: bool,
    /// Whether tables are written.
    pub tables: bool,
    /// Whether images are written.
    pub images: bool,
    /// Whether links are written as links; otherwise only their text is written.
    pub links: bool,
    /// Whether only links to other sites are written as links.
    pub external_links: bool,
    /// Whether Markdown has links as references, with their addresses at the end.
    pub reference_links: bool,
    /// Whether tables that Markdown cannot hold are written as HTML inside it.
    pub html_tables: bool,
    /// Whether Markdown repeats the value of a cell in each row and column that it spans.
    pub repeat_spans: bool,
    /// Whether plain text has the numbers of ordered lists and the boxes of task lists.
    pub list_numbers: bool,
    /// Whether the posts of a thread begin with their authors and dates.
    pub post_headers: bool,
    /// Whether Markdown and HTML begin with the title.
    pub title: TitleHeading,
    /// Whether footnotes and the references to them are written.
    pub footnotes: bool,
    /// Whether the levels of headings are closed up where the page skips some.
    pub level_headings: bool,
    /// Where alternative texts of images are written.
    pub alt_text: AltText,
    /// Whether text that no visitor sees is kept.
    pub keep_hidden: bool,
    /// The method's threshold.
    pub threshold: Option<f32>,
    /// Lines per group for `line-blocks`.
    pub k: Option<usize>,
    /// Whether `markup-ratio` averages over five lines.
    pub smoothing: bool,
    /// Classifier for `line-density` or `markup-ratio`.
    pub classifier: Option<String>,
    /// Maximum expected share of boilerplate words.
    pub fdr: Option<f32>,
    /// Whether the model of the page's site is used, if one exists.
    pub site_model: bool,
    /// When an address is loaded in a browser, if the service has one.
    pub render: RenderName,
    /// Whether an address may be answered from the service's cache.
    pub cache: bool,
    /// The representation of an address to ask its site for.
    pub representation: RepresentationName,
    /// Whether the answer is a text to read, for which the representation `auto` is Markdown.
    #[serde(skip)]
    pub reading: bool,
    /// Whether the page type is classified and the entries of list pages are extracted.
    pub page_type: bool,
    /// Whether products, recipes, events and other objects are read.
    pub things: bool,
    /// JSON Schema of the key `data`.
    pub schema: Option<serde_json::Map<String, serde_json::Value>>,
    /// CSS selector of the content.
    pub content_selector: Option<String>,
    /// CSS selector of elements that are never content.
    pub drop_selector: Option<String>,
    /// CSS selectors of fields of the metadata, by the name of the field.
    pub field: Option<BTreeMap<String, String>>,
    /// Selectors by host; `*` is every host without its own.
    pub rules: Option<serde_json::Map<String, serde_json::Value>>,
    /// The time that relative dates count from.
    pub now: Option<String>,
    /// The names of the options that the client gave.
    #[serde(skip)]
    pub given: Given,
    /// Bounds on the cost of this page, set by the service.
    #[serde(skip)]
    pub budget: maintext_core::Budget,
    /// Set when nobody waits for the answer any more.
    #[serde(skip)]
    pub stop: Option<Arc<AtomicBool>>,
    /// The parts of the page, beside the formats, that the answer has.
    #[serde(skip)]
    pub parts: Fields,
    /// The text whose pieces are recorded.
    #[serde(skip)]
    pub pieces: Option<PieceForm>,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            method: maintext_core::method::NAMES[0].into(),
            favor: FavorName::Balance,
            formats: vec![FormatName::Text, FormatName::Markdown, FormatName::Html],
            metadata: true,
            comments: true,
            tables: true,
            images: true,
            links: true,
            external_links: false,
            reference_links: false,
            html_tables: true,
            repeat_spans: true,
            list_numbers: true,
            post_headers: true,
            title: TitleHeading::Once,
            footnotes: true,
            level_headings: false,
            alt_text: AltText::Images,
            keep_hidden: false,
            threshold: None,
            k: None,
            smoothing: false,
            classifier: None,
            fdr: None,
            site_model: false,
            render: RenderName::Auto,
            cache: true,
            representation: RepresentationName::Auto,
            reading: false,
            page_type: false,
            things: false,
            schema: None,
            content_selector: None,
            drop_selector: None,
            field: None,
            rules: None,
            now: None,
            budget: maintext_core::Budget::default(),
            stop: None,
            parts: Fields::ALL,
            pieces: None,
            given: Given::default(),
        }
    }
}

/// [`Favor`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FavorName {
    /// Favor neither side.
    Balance,
    /// Lose content rather than keep boilerplate.
    Precision,
    /// Keep boilerplate rather than lose content.
    Recall,
}

/// When an address is loaded in a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RenderName {
    /// Never.
    Never,
    /// When scripts produce the page's text.
    Auto,
    /// Always.
    Always,
}

/// The representation to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RepresentationName {
    /// Markdown for answers that are a text to read, unless an option needs HTML; else HTML.
    Auto,
    /// HTML.
    Html,
    /// Markdown, also the version that a page declares on its host; else HTML.
    Markdown,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerFormat {
    /// The whole result as JSON.
    Json,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// Clean HTML.
    Html,
}

/// Format of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// Clean HTML.
    Html,
    /// Typed blocks.
    Blocks,
}

impl Choices {
    /// Returns an option that has an effect on HTML only, if one is set.
    pub fn needs_html(&self) -> Option<&'static str> {
        let usual = Choices::default();
        let options = [
            ("content_selector", self.content_selector.is_some()),
            ("drop_selector", self.drop_selector.is_some()),
            ("schema", self.schema.is_some()),
            ("things", self.things),
            ("page_type", self.page_type),
            ("site_model", self.site_model),
            ("keep_hidden", self.keep_hidden),
            ("favor", self.favor != usual.favor),
            ("method", self.method != usual.method),
            ("fdr", self.fdr.is_some()),
            ("threshold", self.threshold.is_some()),
            ("render", self.render == RenderName::Always),
        ];
        options.into_iter().find(|option| option.1).map(|option| option.0)
    }

    /// Returns the representation to ask the site of an address for.
    pub fn wanted_representation(&self) -> Representation {
        let is_text = self.formats.iter().all(|f| matches!(f, FormatName::Text | FormatName::Markdown));
        match self.representation {
            RepresentationName::Markdown => Representation::Markdown,
            RepresentationName::Auto if self.reading && is_text && self.needs_html().is_none() => {
                Representation::Markdown
            }
            _ => Representation::Html,
        }
    }

    /// Returns these options without output formats but with the page type.
    #[must_use]
    pub fn bare(&self) -> Choices {
        Choices { formats: Vec::new(), page_type: true, things: false, schema: None, ..self.clone() }
    }

    /// Converts to the library's options.
    ///
    /// # Errors
    /// The selector is malformed.
    pub fn options(&self) -> Result<Options, Problem> {
        let has = |f| self.formats.contains(&f);
        let mut options = Options { method: self.method.clone(), metadata: self.metadata, ..Options::default() };
        (options.fields, options.pieces) = (self.parts, self.pieces);
        options.comments = self.comments;
        options.page_type = self.page_type;
        options.things = self.things;
        let parsed = |name: &str, selector: &Option<String>| {
            let wrong = |e| bad_options(format!("{name}: {e}"));
            selector.as_deref().map(|s| Selector::parse(s).map_err(wrong)).transpose()
        };
        options.rules.content = parsed("content_selector", &self.content_selector)?;
        options.rules.drop = parsed("drop_selector", &self.drop_selector)?.into_iter().collect();
        for (name, selector) in self.field.iter().flatten() {
            let rule = FieldRule::parse(&format!("{name}={selector}"));
            options.rules.fields.push(rule.map_err(|e| bad_options(format!("field: {name}: {e}")))?);
        }
        if let Some(rules) = &self.rules {
            let rules = serde_json::Value::from(rules.clone());
            options.site_rules = SiteRules::deserialize(rules).map_err(|e| bad_options(format!("rules: {e}")))?;
        }
        let wrong = |now: &str| {
            bad_options(format!("now: expected a date, such as 2024-05-17 or 2024-05-17T10:00+02:00, not '{now}'"))
        };
        options.now = self.now.as_deref().map(|now| Stamp::parse(now).ok_or_else(|| wrong(now))).transpose()?;
        if let Some(schema) = &self.schema {
            // The order of the properties is lost in the map; the service writes them in alphabetical order.
            let schema = serde_json::to_string(schema).map_err(|_| Problem::internal())?;
            let wrong = |e| bad_options(format!("schema: {e}"));
            options.schema = Some(Schema::parse(&schema).map_err(wrong)?);
        }
        options.favor = match self.favor {
            FavorName::Balance => Favor::Balance,
            FavorName::Precision => Favor::Precision,
            FavorName::Recall => Favor::Recall,
        };
        options.formats = Formats {
            text: has(FormatName::Text),
            markdown: has(FormatName::Markdown),
            html: has(FormatName::Html),
            xml: false,
            blocks: has(FormatName::Blocks),
        };
        options.render.tables = self.tables;
        options.render.images = self.images;
        options.render.links = self.links;
        options.render.external_links = self.external_links;
        options.render.reference_links = self.reference_links;
        options.render.html_tables = self.html_tables;
        options.render.repeat_spans = self.repeat_spans;
        options.render.list_numbers = self.list_numbers;
        options.render.post_headers = self.post_headers;
        options.render.title = self.title;
        options.render.footnotes = self.footnotes;
        options.render.level_headings = self.level_headings;
        options.render.alt_text = self.alt_text;
        options.keep_hidden = self.keep_hidden;
        options.parameters.threshold = self.threshold;
        options.parameters.k = self.k;
        options.parameters.smoothing = self.smoothing;
        options.parameters.classifier = self.classifier.clone();
        options.parameters.fdr = self.fdr;
        Ok(options)
    }
}

/// A validated request for one page.
#[derive(Debug)]
pub struct Job {
    /// Source of the page.
    pub page: Input,
    /// Its address.
    pub url: Option<String>,
    /// Extraction options.
    pub choices: Choices,
    /// The client's share of the memory; `None` for work of the service itself.
    pub memory: Option<Share>,
}

/// A client's settings for one fetch.
#[derive(Debug, Default)]
pub struct Fetch {
    /// HTTP headers to send. A page that needs them is never loaded in the browser, which would send them to other sites too.
    pub headers: Vec<(String, String)>,
    /// Time limit, if shorter than the service's own.
    pub limit: Option<Duration>,
    /// Largest age of a page from the cache; zero always asks the site.
    pub max_age: Option<Duration>,
    /// Whether a page with an error status, such as 404, is an answer rather than a failure.
    pub error_pages: bool,
    /// The representation to ask the site for; set from the options.
    pub representation: Representation,
    /// What only a browser can do; the page is then loaded in one.
    pub look: Look,
}

/// What only a browser can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// How long to wait after the page is loaded.
    pub pause: Option<Duration>,
    /// CSS selector of an element to wait for.
    pub wait_for: Option<String>,
    /// Whether the browser is that of a phone.
    pub mobile: bool,
    /// A picture: of the whole page if true, else of the window.
    pub picture: Option<bool>,
    /// Size of the window.
    pub window: Option<(u32, u32)>,
}

/// Source of a page.
#[derive(Debug)]
pub enum Input {
    /// The page is fetched from its address.
    Address(Fetch),
    /// The request contains the page as text.
    Text(String),
    /// The request contains the page as bytes, with a charset if the client named one.
    Bytes(Vec<u8>, Option<String>),
}

impl Ask {
    /// Validates the request.
    ///
    /// # Errors
    /// The request has neither a page nor an address, has both `html` and `html_base64`, `html_base64` is malformed, or an option cannot
    /// have an effect.
    pub fn job(self) -> Result<Job, Problem> {
        self.options.check()?;
        let fetched = self.body.is_none() && self.html.is_none() && self.html_base64.is_none();
        if self.options.render == RenderName::Always && !fetched {
            return Err(bad_options(
                "'render': 'always' has an effect only on an address, not on a page in the request",
            ));
        }
        if !self.options.cache && !fetched {
            return Err(bad_options("'cache' has an effect only on an address, not on a page in the request"));
        }
        if self.options.representation != RepresentationName::Auto && !fetched {
            return Err(bad_options("'representation' has an effect only on an address, not on a page in the request"));
        }
        if self.charset.is_some() && (fetched || self.html.is_some()) {
            return Err(bad_options("'charset' has an effect only on bytes: 'html_base64', or a page as the body"));
        }
        if let Some(body) = self.body {
            let page = Input::Bytes(body, self.charset);
            return Ok(Job { page, url: self.url, choices: self.options, memory: self.memory });
        }
        let page = match (self.html, self.html_base64) {
            (Some(_), Some(_)) => return Err(Problem::bad_request("send either 'html' or 'html_base64', not both")),
            (Some(html), None) => Input::Text(html),
            (None, Some(coded)) => {
                let bytes = BASE64.decode(coded.as_bytes());
                let bytes =
                    bytes.map_err(|e| Problem::bad_request(format!("'html_base64' is not valid base64: {e}")))?;
                Input::Bytes(bytes, self.charset)
            }
            (None, None) if self.url.is_none() => {
                return Err(Problem::bad_request("expected 'url', 'html' or 'html_base64'"));
            }
            (None, None) => {
                let max_age = (!self.options.cache).then_some(Duration::ZERO);
                Input::Address(Fetch { max_age, ..Fetch::default() })
            }
        };
        Ok(Job { page, url: self.url, choices: self.options, memory: self.memory })
    }

    /// Parses a request. If its body is JSON, it is an [`Ask`]; otherwise the body is the page and the query holds the options.
    ///
    /// # Errors
    /// The content type is not supported or wrong, the JSON is malformed, or an option is invalid or has no effect.
    pub fn read(headers: &HeaderMap, query: Option<&str>, body: Received) -> Result<Ask, Problem> {
        strict::no_reader_headers(headers)?;
        let declared = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("");
        let essence = declared.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let ask = match strict::kind(&essence, &body.bytes)? {
            Kind::Json => {
                strict::no_query(
                    query,
                    "a JSON body holds 'url' and 'charset' itself, and the others in its 'options'",
                )?;
                let ask: Ask = from_json(&body.bytes)?;
                if ask.id.is_some() {
                    return Err(Problem::bad_request("'id' has an effect on /v1/batch only"));
                }
                ask
            }
            Kind::Page => from_page(query.unwrap_or(""), charset(declared), body.bytes)?,
        };
        let mut ask = Ask { memory: body.memory, ..ask };
        // A header like that of a browser's reload; nothing is cached of a page in the request.
        ask.options.cache &= ask.body.is_some() || !headers.contains_key("x-no-cache");
        Ok(ask)
    }
}

/// Parses a JSON object in a request; the problem reports the position of an error.
pub fn from_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // serde would fill the fields of an object from the values of an array.
    if bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[') {
        return Err(Problem::bad_request("invalid JSON: expected an object, not an array"));
    }
    if parts(bytes) > MAX_PARTS {
        return Err(Problem::bad_request(format!("the JSON has more than {MAX_PARTS} values")));
    }
    serde_json::from_slice(&whole_surrogates(bytes)).map_err(|e| Problem::bad_request(format!("invalid JSON: {e}")))
}

/// Replaces escapes of lone surrogates (`\ud83d`), which Python writes without complaint, by the escape of U+FFFD. Places stay the same.
fn whole_surrogates(json: &[u8]) -> Cow<'_, [u8]> {
    let unit = |at: usize| match json.get(at..at + 6) {
        Some([b'\\', b'u', digits @ ..]) => {
            std::str::from_utf8(digits).ok().and_then(|d| u16::from_str_radix(d, 16).ok())
        }
        _ => None,
    };
    let mut out = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', json.get(at..).unwrap_or_default()) {
        at += next;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            // Both characters of an escape such as a backslash.
            _ => 2,
        };
    }
    out
}

/// Maximum number of values in JSON. A small object needs hundreds of bytes of memory for a few bytes of text.
const MAX_PARTS: usize = 50_000;

/// Returns how much memory an object needs at most when it has been parsed; nothing for a page.
pub fn json_weight(bytes: &[u8]) -> usize {
    if bytes.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
        return 0;
    }
    bytes.len() + 700 * parts(bytes).min(MAX_PARTS)
}

/// Counts the values of JSON, that is, its brackets and commas outside of strings.
fn parts(bytes: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' | b',' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// Builds a request whose body is the page and whose query holds the options, such as
/// `?url=https://example.org/&method=text-density&images=false`.
fn from_page(query: &str, charset: Option<String>, body: Vec<u8>) -> Result<Ask, Problem> {
    if body.is_empty() {
        return Err(Problem::bad_request("the body is empty; send a page, or JSON with 'url' or 'html'"));
    }
    let mut ask = serde_json::Map::new();
    let mut options = serde_json::Map::new();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if ask.contains_key(&*key) || options.contains_key(&*key) {
            return Err(bad_options(format!("the query has '{key}' twice; several formats are separated by commas")));
        }
        let text = || serde_json::Value::from(&*value);
        // Numbers and booleans have the same syntax in a query and in JSON.
        let scalar = || serde_json::from_str(&value).unwrap_or_else(|_| text());
        match &*key {
            "url" | "charset" | "format" => drop(ask.insert(key.into_owned(), text())),
            "formats" => drop(options.insert(key.into_owned(), value.split(',').collect())),
            "method" | "favor" | "classifier" | "render" | "representation" | "content_selector" | "drop_selector"
            | "now" => drop(options.insert(key.into_owned(), text())),
            _ => drop(options.insert(key.into_owned(), scalar())),
        }
    }
    ask.insert("options".into(), options.into());
    let ask: Result<Ask, _> = serde_json::from_value(ask.into());
    let mut ask = ask.map_err(|e| Problem::bad_request(format!("invalid query: {e}")))?;
    ask.charset = ask.charset.or(charset);
    ask.body = Some(body);
    Ok(ask)
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|p| p.split_once('=')).find(|(k, _)| k.trim().eq_ignore_ascii_case("charset"));
    named.map(|(_, v)| v.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_holds_the_options() {
        let ask = from_page("url=https://e.org/&method=line-blocks&k=2&images=false&formats=text", None, b"<p>".into());
        let job = ask.unwrap().job().unwrap();
        assert_eq!((job.url.as_deref(), job.choices.k, job.choices.images), (Some("https://e.org/"), Some(2), false));
        let options = job.choices.options().unwrap();
        assert!(options.formats.text && !options.formats.markdown && options.method == "line-blocks");
        let query = "now=2024-05-17&repeat_spans=false&list_numbers=false";
        let options = from_page(query, None, b"<p>".into()).unwrap().job().unwrap().choices.options().unwrap();
        assert!(options.now.is_some() && !options.render.repeat_spans && !options.render.list_numbers);
        for wrong in ["k=x", "colour=red", "favor=all", "formats=pdf", "images=2"] {
            assert_eq!(from_page(wrong, None, b"<p>".into()).unwrap_err().status, 400, "{wrong}");
        }
        let ask = from_page("content_selector=p[", None, b"<p>".into()).unwrap().job().unwrap();
        assert_eq!(ask.choices.options().unwrap_err().code, "bad_options");
    }

    #[test]
    fn selectors_of_fields_and_of_hosts_are_read() {
        let options = |options: &str| {
            let ask = from_json::<Ask>(format!("{{\"html\": \"<p>\", \"options\": {options}}}").as_bytes())?;
            ask.job()?.choices.options()
        };
        let good = r#"{"field": {"date": "time@datetime"}, "rules": {"E.org": {"content": "article", "drop": ".ad"}}}"#;
        let good = options(good).unwrap();
        assert_eq!(good.rules.fields[0].attribute.as_deref(), Some("datetime"));
        assert!(good.site_rules.of(Some("www.e.org")).is_some_and(|rules| rules.content.is_some()));
        for (wrong, named) in [
            (r#"{"field": {"dates": "time"}}"#, "field: dates: no field 'dates'"),
            (r#"{"field": {"date": "p["}}"#, "field: date"),
            (r#"{"rules": {"e.org": {"contents": "p"}}}"#, "rules: unknown field `contents`"),
            (r#"{"now": "soon"}"#, "now: expected a date"),
        ] {
            let problem = options(wrong).unwrap_err();
            assert!(problem.status == 400 && problem.detail.contains(named), "{problem:?}");
        }
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let text =
            |json: &str| from_json::<serde_json::Value>(json.as_bytes()).map(|v| v["html"].as_str().map(str::to_owned));
        let json = r#"{"html": "a \ud83d b \udc00\ud83d\ude00 \\ud83d \uD800"}"#;
        assert_eq!(text(json).unwrap().unwrap(), "a \u{fffd} b \u{fffd}\u{1f600} \\ud83d \u{fffd}");
        for wrong in [r#"{"html": "\ud83"}"#, r#"{"html": "\ud83d"#, "\\", r"\ud83d\"] {
            assert_eq!(text(wrong).unwrap_err().status, 400, "{wrong}");
        }
    }

    #[test]
    fn a_request_has_exactly_one_page() {
        let job = |text: &str| from_json::<Ask>(text.as_bytes()).and_then(Ask::job);
        assert!(matches!(job(r#"{"url": "https://e.org"}"#).unwrap().page, Input::Address(_)));
        assert!(matches!(job(r#"{"html_base64": "PHA+"}"#).unwrap().page, Input::Bytes(b, None) if b == b"<p>"));
        for wrong in
            ["{}", "[]", r#"{"html": "a", "html_base64": "PHA+"}"#, r#"{"html_base64": "?"}"#, r#"{"htm": ""}"#]
        {
            assert!(job(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_of_json_are_counted() {
        assert_eq!(parts(br#"{"a, {": [1, 2], "b\",": {}}"#), 5);
        let bomb = format!("{{\"a\": [{}0]}}", "{},".repeat(MAX_PARTS));
        assert!(from_json::<serde_json::Value>(bomb.as_bytes()).unwrap_err().detail.contains("values"));
        let long = format!("{{\"a\": \"{}\"}}", "{},".repeat(MAX_PARTS));
        assert!(from_json::<serde_json::Value>(long.as_bytes()).is_ok());
        assert!(json_weight(long.as_bytes()) < long.len() + 2000);
    }

    #[test]
    fn content_types_name_the_charset() {
        assert_eq!(charset("text/html; Charset=\"koi8-r\"").as_deref(), Some("koi8-r"));
        assert_eq!(charset("text/html"), None);
    }
}
