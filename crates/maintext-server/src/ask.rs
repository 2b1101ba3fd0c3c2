//! What a request asks for: a page, and how it is to be extracted.
use crate::body::Received;
use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::select::Selector;
use maintext_core::{Favor, Formats, Options};
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// A request for one page, as the body of a JSON request or a line of `/v1/batch`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// Handed back in the answer; for `/v1/batch`.
    pub id: Option<serde_json::Value>,
    /// The page's address. Without a page, the page is fetched from there.
    pub url: Option<String>,
    /// The page as text.
    pub html: Option<String>,
    /// The page as bytes in base64.
    pub html_base64: Option<String>,
    /// Charset of the HTTP header that the bytes came with.
    pub charset: Option<String>,
    /// How it is to be extracted.
    pub options: Choices,
    /// The page as the bytes of the request itself.
    #[serde(skip)]
    pub body: Option<Vec<u8>>,
    /// The memory that the request takes, given back when the work is done.
    #[serde(skip)]
    pub memory: Option<OwnedSemaphorePermit>,
}

/// How a page is to be extracted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Choices {
    /// Name of the content method.
    pub method: String,
    /// Which way to err.
    pub favor: FavorName,
    /// What is rendered.
    pub formats: Vec<FormatName>,
    /// Whether title, author, date and the rest are read.
    pub metadata: bool,
    /// Whether readers' comments are looked for.
    pub comments: bool,
    /// Whether tables are written.
    pub tables: bool,
    /// Whether images are written.
    pub images: bool,
    /// Whether links are written, or their text only.
    pub links: bool,
    /// Whether the posts of a thread begin with their authors and dates.
    pub post_headers: bool,
    /// The method's threshold.
    pub threshold: Option<f32>,
    /// Lines in a group of `line-blocks`.
    pub k: Option<usize>,
    /// Whether `markup-ratio` averages over five lines.
    pub smoothing: bool,
    /// Classifier of `line-density` or `markup-ratio`.
    pub classifier: Option<String>,
    /// Largest expected share of boilerplate words.
    pub fdr: Option<f32>,
    /// Whether a model that was taught for the page's site is used, if there is one.
    pub site_model: bool,
    /// Whether an address is loaded in a browser, if the service has one.
    pub render: RenderName,
    /// Whether the kind of page is told, and the entries of list pages are listed.
    pub page_type: bool,
    /// A CSS selector: the content is what stands in the elements that match.
    pub content_selector: Option<String>,
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
            post_headers: true,
            threshold: None,
            k: None,
            smoothing: false,
            classifier: None,
            fdr: None,
            site_model: false,
            render: RenderName::Auto,
            page_type: false,
            content_selector: None,
        }
    }
}

/// [`Favor`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FavorName {
    /// Neither.
    Balance,
    /// Rather lose content.
    Precision,
    /// Rather keep boilerplate.
    Recall,
}

/// When an address is loaded in a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RenderName {
    /// Never.
    Never,
    /// When the page says that its text is there only after rendering.
    Auto,
    /// Always.
    Always,
}

/// A rendering by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// Clean HTML.
    Html,
}

impl Choices {
    /// The same for a look at the page that nothing is rendered of, but its kind is told.
    #[must_use]
    pub fn bare(&self) -> Choices {
        Choices { formats: Vec::new(), page_type: true, ..self.clone() }
    }

    /// The library's options.
    ///
    /// # Errors
    /// The selector is malformed.
    pub fn options(&self) -> Result<Options, Problem> {
        let has = |f| self.formats.contains(&f);
        let mut options = Options { method: self.method.clone(), metadata: self.metadata, ..Options::default() };
        options.comments = self.comments;
        options.page_type = self.page_type;
        if let Some(selector) = &self.content_selector {
            let selector = Selector::parse(selector);
            let wrong = |e| Problem::new(StatusCode::BAD_REQUEST, "bad_options", format!("content_selector: {e}"));
            options.rules.content = Some(selector.map_err(wrong)?);
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
        };
        options.render.tables = self.tables;
        options.render.images = self.images;
        options.render.links = self.links;
        options.render.post_headers = self.post_headers;
        options.parameters.threshold = self.threshold;
        options.parameters.k = self.k;
        options.parameters.smoothing = self.smoothing;
        options.parameters.classifier = self.classifier.clone();
        options.parameters.fdr = self.fdr;
        Ok(options)
    }
}

/// A page that is to be worked on.
#[derive(Debug)]
pub struct Job {
    /// Where the page comes from.
    pub page: Input,
    /// Its address.
    pub url: Option<String>,
    /// How it is to be extracted.
    pub choices: Choices,
    /// The memory that the request takes.
    pub memory: Option<OwnedSemaphorePermit>,
}

/// What a client wants to be different when its page is fetched.
#[derive(Debug, Default)]
pub struct Fetch {
    /// Headers in place of the service's own. A page that needs them is not loaded in a browser, which would send them to others too.
    pub headers: Vec<(String, String)>,
    /// A shorter time.
    pub limit: Option<Duration>,
}

/// Where a page comes from.
#[derive(Debug)]
pub enum Input {
    /// Its address, and how it is fetched.
    Address(Fetch),
    /// The request, as text.
    Text(String),
    /// The request, as bytes in a charset that may have been named.
    Bytes(Vec<u8>, Option<String>),
}

impl Ask {
    /// What is to be done.
    ///
    /// # Errors
    /// There is no page and no address, or both `html` and `html_base64`.
    pub fn job(self) -> Result<Job, Problem> {
        if let Some(body) = self.body {
            let page = Input::Bytes(body, self.charset);
            return Ok(Job { page, url: self.url, choices: self.options, memory: self.memory });
        }
        let page = match (self.html, self.html_base64) {
            (Some(_), Some(_)) => return Err(Problem::bad_request("'html' and 'html_base64' exclude each other")),
            (Some(html), None) => Input::Text(html),
            (None, Some(coded)) => {
                let bytes = BASE64.decode(coded.as_bytes());
                let bytes = bytes.map_err(|e| Problem::bad_request(format!("'html_base64' is no base64: {e}")))?;
                Input::Bytes(bytes, self.charset)
            }
            (None, None) if self.url.is_none() => {
                return Err(Problem::bad_request("expected 'url', 'html' or 'html_base64'"));
            }
            (None, None) => Input::Address(Fetch::default()),
        };
        Ok(Job { page, url: self.url, choices: self.options, memory: self.memory })
    }

    /// Reads a request: JSON if its `Content-Type` says so, else the page itself with the settings in the query.
    ///
    /// # Errors
    /// The body is neither, or a setting is wrong.
    pub fn read(headers: &HeaderMap, query: Option<&str>, body: Received) -> Result<Ask, Problem> {
        let declared = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("");
        let essence = declared.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let ask: Result<Ask, Problem> = match essence.as_str() {
            "application/json" => from_json(&body.bytes),
            ""
            | "text/html"
            | "application/xhtml+xml"
            | "application/xml"
            | "text/xml"
            | "text/plain"
            | "application/octet-stream"
            | "application/x-www-form-urlencoded" => from_page(query.unwrap_or(""), charset(declared), body.bytes),
            other => {
                let detail =
                    format!("a body of the type '{other}' is not understood; send application/json or text/html");
                Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail))
            }
        };
        Ok(Ask { memory: body.memory, ..ask? })
    }
}

/// A JSON value of a request, with the place of what is wrong in the problem.
pub fn from_json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|e| Problem::bad_request(format!("the JSON is not as expected: {e}")))
}

/// The page is the body, the settings are in the query: `?url=https://example.org/&method=text-density&images=false`.
fn from_page(query: &str, charset: Option<String>, body: Vec<u8>) -> Result<Ask, Problem> {
    if body.is_empty() {
        return Err(Problem::bad_request("the body is empty; send a page, or JSON with 'url' or 'html'"));
    }
    let mut ask = serde_json::Map::new();
    let mut options = serde_json::Map::new();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let text = || serde_json::Value::from(&*value);
        // Numbers and truth values look the same in a query and in JSON.
        let scalar = || serde_json::from_str(&value).unwrap_or_else(|_| text());
        match &*key {
            "url" | "charset" => drop(ask.insert(key.into_owned(), text())),
            "formats" => drop(options.insert(key.into_owned(), value.split(',').collect())),
            "method" | "favor" | "classifier" | "render" | "content_selector" => {
                drop(options.insert(key.into_owned(), text()))
            }
            _ => drop(options.insert(key.into_owned(), scalar())),
        }
    }
    ask.insert("options".into(), options.into());
    let ask: Result<Ask, _> = serde_json::from_value(ask.into());
    let mut ask = ask.map_err(|e| Problem::bad_request(format!("the query is not as expected: {e}")))?;
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
    fn settings_of_a_query() {
        let ask = from_page("url=https://e.org/&method=line-blocks&k=2&images=false&formats=text", None, b"<p>".into());
        let job = ask.unwrap().job().unwrap();
        assert_eq!((job.url.as_deref(), job.choices.k, job.choices.images), (Some("https://e.org/"), Some(2), false));
        let options = job.choices.options().unwrap();
        assert!(options.formats.text && !options.formats.markdown && options.method == "line-blocks");
        for wrong in ["k=x", "colour=red", "favor=all", "formats=pdf", "images=2"] {
            assert_eq!(from_page(wrong, None, b"<p>".into()).unwrap_err().status, 400, "{wrong}");
        }
        let ask = from_page("content_selector=p[", None, b"<p>".into()).unwrap().job().unwrap();
        assert_eq!(ask.choices.options().unwrap_err().code, "bad_options");
    }

    #[test]
    fn a_request_has_one_page() {
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
    fn charsets_of_content_types() {
        assert_eq!(charset("text/html; Charset=\"koi8-r\"").as_deref(), Some("koi8-r"));
        assert_eq!(charset("text/html"), None);
    }
}
