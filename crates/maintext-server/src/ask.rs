//! Parsed requests: a page and its extraction options.
use crate::body::Received;
use crate::memory::MemoryShare;
use crate::problem::Problem;
use axum::http::header::{self, AsHeaderName, HeaderMap};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::settings::{SETTINGS, Setting, SettingError, html_only};
use maintext_core::{Formats, Options};
use maintext_fetch::Representation;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

mod strict;

use strict::BodyKind;
pub use strict::{bad_options, body_only, unused};

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
    /// The one format of the content that a query names, for a page in the body.
    #[serde(skip)]
    pub only_format: Option<AnswerFormat>,
    /// Extraction options.
    pub options: Choices,
    /// The page, if the request body is the page itself.
    #[serde(skip)]
    pub body: Option<Vec<u8>>,
    /// The media type of that body, without parameters.
    #[serde(skip)]
    pub body_type: Option<String>,
    /// The request's share of the memory, released when the work is done.
    #[serde(skip)]
    pub memory: Option<MemoryShare>,
}

/// Extraction options: the settings of an extraction, and the service's own options.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The settings of the extraction. The service itself sets the ones in [`LEFT_OUT`]. Boxed, because futures hold copies of choices.
    pub options: Box<Options>,
    /// Whether the model of the page's site is used, if one exists.
    pub site_model: bool,
    /// When an address is loaded in a browser, if the service has one.
    pub render: RenderName,
    /// Whether an address may be answered from the service's cache.
    pub cache: bool,
    /// The representation of an address to ask its site for.
    pub representation: RepresentationName,
    /// Whether the answer is a text to read, for which the representation `auto` is Markdown.
    pub reading: bool,
    /// The names of the options that the client gave.
    given: Vec<String>,
    /// The first option that is wrong.
    wrong: Option<SettingError>,
}

/// The settings of an extraction that are not options: the charset belongs to the page, site models replace models, and the operator sets
/// the limits.
pub const LEFT_OUT: [&str; 6] = ["charset", "model", "max_bytes", "max_nodes", "max_depth", "max_work"];
/// The options that are not settings of an extraction.
pub const OWN: [&str; 4] = ["site_model", "render", "representation", "cache"];

impl Default for Choices {
    fn default() -> Self {
        let formats = Formats { text: true, markdown: true, html: true, ..Formats::NONE };
        Choices {
            options: Box::new(Options { formats, ..Options::default() }),
            site_model: false,
            render: RenderName::Auto,
            cache: true,
            representation: RepresentationName::Auto,
            reading: false,
            given: Vec::new(),
            wrong: None,
        }
    }
}

/// Whether an option has this name.
pub fn is_option(name: &str) -> bool {
    OWN.contains(&name) || settings().any(|setting| setting.name == name)
}

/// Returns the settings of an extraction that are options.
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| !LEFT_OUT.contains(&setting.name))
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The names of formats: of the whole result, then of its content.
const FORMATS: [(&str, AnswerFormat); 4] = [
    ("json", AnswerFormat::Json),
    ("markdown", AnswerFormat::Markdown),
    ("text", AnswerFormat::Text),
    ("html", AnswerFormat::Html),
];
const FORMAT_NAMES: [&str; FORMATS.len()] = [FORMATS[0].0, FORMATS[1].0, FORMATS[2].0, FORMATS[3].0];

// A derived implementation calls an array or a number invalid JSON.
impl<'de> Deserialize<'de> for AnswerFormat {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<AnswerFormat, D::Error> {
        from.deserialize_str(FormatVisitor)
    }
}

struct FormatVisitor;

impl Visitor<'_> for FormatVisitor {
    type Value = AnswerFormat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string: one of {}", FORMAT_NAMES.join(", "))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<AnswerFormat, E> {
        let found = FORMATS.iter().find(|format| format.0 == name);
        found.map(|format| format.1).ok_or_else(|| E::unknown_variant(name, &FORMAT_NAMES))
    }
}

impl AnswerFormat {
    /// Returns the format of content with this name.
    pub fn of_content(name: &str) -> Option<AnswerFormat> {
        FORMATS[1..].iter().find(|format| format.0 == name.trim()).map(|format| format.1)
    }

    /// Returns the formats of the content to write; none for the whole result.
    pub fn formats(self) -> Formats {
        let [text, markdown, html] =
            [AnswerFormat::Text, AnswerFormat::Markdown, AnswerFormat::Html].map(|f| f == self);
        Formats { text, markdown, html, ..Formats::NONE }
    }
}

impl Choices {
    /// Returns an option that has an effect on HTML only, if one is set.
    pub fn needs_html(&self) -> Option<&'static str> {
        let own = [("site_model", self.site_model), ("render", self.render == RenderName::Always)];
        own.into_iter().find(|option| option.1).map(|option| option.0).or(html_only(&self.options))
    }

    /// Returns the representation to ask the site of an address for.
    pub fn wanted_representation(&self) -> Representation {
        let is_text = !self.options.formats.html && !self.options.formats.blocks;
        match self.representation {
            RepresentationName::Markdown => Representation::Markdown,
            RepresentationName::Auto if self.reading && is_text && self.needs_html().is_none() => {
                Representation::Markdown
            }
            _ => Representation::Html,
        }
    }

    /// Returns these options with others of the extraction.
    #[must_use]
    pub fn with(&self, set: impl FnOnce(&mut Options)) -> Choices {
        let mut choices = self.clone();
        set(&mut choices.options);
        choices
    }

    /// Returns these options without output formats but with the page type.
    #[must_use]
    pub fn bare(&self) -> Choices {
        self.with(|o| (o.formats, o.page_type, o.things, o.schema) = (Formats::NONE, true, false, None))
    }

    /// Sets an option to a value in JSON. The first wrong one is kept for [`Choices::check`].
    pub fn set(&mut self, name: &str, json: &str) {
        self.set_by(name, json, |setting, options| setting.read(options, json));
    }

    /// Sets an option to a value as a query has it.
    fn set_text(&mut self, name: &str, text: &str) {
        let json = match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Cow::Borrowed(text),
            Err(_) => serde_json::Value::from(text).to_string().into(),
        };
        self.set_by(name, &json, |setting, options| setting.read_text(options, text));
    }

    fn set_by(
        &mut self,
        name: &str,
        json: &str,
        read: impl FnOnce(&Setting, &mut Options) -> Result<(), SettingError>,
    ) {
        let set = match name {
            _ if json == "null" => return,
            "site_model" => own(&mut self.site_model, name, json, "true or false"),
            "cache" => own(&mut self.cache, name, json, "true or false"),
            "render" => own(&mut self.render, name, json, "\"never\", \"auto\" or \"always\""),
            "representation" => own(&mut self.representation, name, json, "\"auto\", \"html\" or \"markdown\""),
            _ => match settings().find(|setting| setting.name == name) {
                Some(setting) => read(setting, &mut self.options),
                None => Err(SettingError::unknown(name, settings().map(|setting| setting.name).chain(OWN))),
            },
        };
        self.given.push(name.to_owned());
        self.wrong = self.wrong.take().or(set.err());
    }
}

/// Reads an option of the service.
fn own<T: DeserializeOwned>(option: &mut T, name: &str, json: &str, expected: &str) -> Result<(), SettingError> {
    *option = serde_json::from_str(json).map_err(|_| SettingError::expected(name, expected, json))?;
    Ok(())
}

impl<'de> Deserialize<'de> for Choices {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Choices, D::Error> {
        from.deserialize_map(ChoicesVisitor)
    }
}

struct ChoicesVisitor;

impl<'de> Visitor<'de> for ChoicesVisitor {
    type Value = Choices;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with options")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Choices, A::Error> {
        let mut choices = Choices::default();
        // Raw values keep the order of a schema's properties.
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            if choices.given.contains(&name) {
                return Err(serde::de::Error::custom(format!("duplicate field `{name}`")));
            }
            choices.set(&name, value.get());
        }
        Ok(choices)
    }
}

/// A validated request for one page.
#[derive(Debug)]
pub struct PageJob {
    /// Source of the page.
    pub page: PageInput,
    /// Its address.
    pub url: Option<String>,
    /// Extraction options.
    pub choices: Choices,
    /// The client's share of the memory; `None` for work of the service itself.
    pub memory: Option<MemoryShare>,
}

impl PageJob {
    /// Returns the job of the service itself that loads an address.
    pub fn at(url: &str, fetch: Fetch, choices: Choices) -> PageJob {
        PageJob { page: PageInput::Address(fetch), url: Some(url.to_owned()), choices, memory: None }
    }
}

/// A client's settings for one fetch.
#[derive(Clone, Debug, Default)]
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
    /// Whether the browser emulates a phone.
    pub mobile: bool,
    /// A picture: of the whole page if true, else of the window.
    pub picture: Option<bool>,
    /// Size of the window.
    pub window: Option<(u32, u32)>,
}

/// Source of a page.
#[derive(Debug)]
pub enum PageInput {
    /// The page is fetched from its address.
    Address(Fetch),
    /// The request contains the page as text.
    Text(String),
    /// The request contains the page as bytes, with a charset and a media type if the client named them.
    Bytes { bytes: Vec<u8>, charset: Option<String>, media_type: Option<String> },
}

impl Ask {
    /// Validates the request.
    ///
    /// # Errors
    /// The request has neither a page nor an address, has both `html` and `html_base64`, `html_base64` is malformed, or an option cannot
    /// have an effect.
    pub fn job(self) -> Result<PageJob, Problem> {
        self.options.check()?;
        let fetched = self.body.is_none() && self.html.is_none() && self.html_base64.is_none();
        let options_of_addresses = [
            ("'render': 'always'", self.options.render == RenderName::Always),
            ("'cache'", !self.options.cache),
            ("'representation'", self.options.representation != RepresentationName::Auto),
        ];
        if let Some((name, _)) = options_of_addresses.into_iter().find(|(_, is_set)| *is_set && !fetched) {
            let why = "has an effect only on an address, not on a page in the request";
            return Err(bad_options(format!("{name} {why}")));
        }
        if self.charset.is_some() && (fetched || self.html.is_some()) {
            return Err(bad_options("'charset' has an effect only on bytes: 'html_base64', or a page as the body"));
        }
        let page = match (self.body, self.html, self.html_base64) {
            (Some(bytes), ..) => PageInput::Bytes { bytes, charset: self.charset, media_type: self.body_type },
            (_, Some(_), Some(_)) => return Err(Problem::bad_request("send either 'html' or 'html_base64', not both")),
            (_, Some(html), None) => PageInput::Text(html),
            (_, None, Some(coded)) => {
                let bytes = BASE64.decode(coded.as_bytes());
                let bytes =
                    bytes.map_err(|e| Problem::bad_request(format!("'html_base64' is not valid base64: {e}")))?;
                PageInput::Bytes { bytes, charset: self.charset, media_type: None }
            }
            (None, None, None) if self.url.is_none() => {
                return Err(Problem::bad_request("expected 'url', 'html' or 'html_base64'"));
            }
            (None, None, None) => {
                let max_age = (!self.options.cache).then_some(Duration::ZERO);
                PageInput::Address(Fetch { max_age, ..Fetch::default() })
            }
        };
        Ok(PageJob { page, url: self.url, choices: self.options, memory: self.memory })
    }

    /// Validates a request whose answer has one form.
    ///
    /// # Errors
    /// As for [`Ask::job`], or the request names a form.
    pub fn job_of_one_form(self) -> Result<PageJob, Problem> {
        match self.format {
            None => self.job(),
            Some(_) => Err(bad_options("'format' has an effect on /v1/extract only")),
        }
    }

    /// Parses a request. If its body is JSON, it is an [`Ask`]; otherwise the body is the page and the query holds the options.
    ///
    /// # Errors
    /// The content type is not supported or wrong, the JSON is malformed, or an option is invalid or has no effect.
    pub fn read(headers: &HeaderMap, query: Option<&str>, body: Received) -> Result<Ask, Problem> {
        let declared = header_text(headers, header::CONTENT_TYPE).unwrap_or("");
        let essence = declared.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let ask = match strict::kind(&essence, &body.bytes)? {
            BodyKind::Json => {
                strict::no_query(
                    query,
                    "a JSON body holds 'url', 'charset' and 'format' itself, and the others in its 'options'",
                )?;
                let ask: Ask = from_json(&body.bytes)?;
                if ask.id.is_some() {
                    return Err(Problem::bad_request("'id' has an effect on /v1/batch only"));
                }
                ask
            }
            BodyKind::Page => {
                let ask = from_page(query.unwrap_or(""), charset(declared), body.bytes)?;
                Ask { body_type: Some(essence), ..ask }
            }
        };
        let mut ask = Ask { memory: Some(body.memory), ..ask };
        // The header works like a browser's reload; a page in the request is never cached.
        ask.options.cache &= ask.body.is_some() || !headers.contains_key("x-no-cache");
        Ok(ask)
    }
}

/// Returns a header that is text.
pub fn header_text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Parses a JSON object in a request; the problem reports the position of an error.
pub fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    parsed(bytes, ToString::to_string)
}

/// Parses a JSON object that is a line of a request; the problem reports the column of an error, and the caller the line.
pub fn from_json_line<T: DeserializeOwned>(line: &[u8]) -> Result<T, Problem> {
    parsed(line.trim_ascii_end(), |error| error.to_string().replacen(" at line 1 column ", " at column ", 1))
}

fn parsed<T: DeserializeOwned>(bytes: &[u8], message: impl FnOnce(&serde_json::Error) -> String) -> Result<T, Problem> {
    if is_array(bytes) {
        return Err(Problem::bad_request("expected a JSON object, not an array"));
    }
    if parts(bytes) > MAX_PARTS {
        return Err(Problem::bad_request(format!("the JSON has more than {MAX_PARTS} values")));
    }
    serde_json::from_slice(&whole_surrogates(bytes)).map_err(|e| {
        // A field that is not known, or a value of another type: the JSON itself is right.
        if e.is_data() {
            Problem::bad_request(wrong_field(bytes, &e))
        } else {
            Problem::bad_request(format!("invalid JSON: {}", message(&e)))
        }
    })
}

/// Whether JSON is an array. From its values, serde would fill the fields of an object.
pub fn is_array(json: &[u8]) -> bool {
    json.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[')
}

/// Describes the error of a field by its name, without the names of our types.
fn wrong_field(bytes: &[u8], error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let name = rest.split('`').next().unwrap_or("");
        return if is_option(name) {
            format!("{message}; '{name}' belongs into 'options'")
        } else {
            message.to_owned()
        };
    }
    if message.starts_with("missing field") || message.starts_with("duplicate field") {
        return message.to_owned();
    }
    let message = message.replacen("unknown variant", "unknown value", 1);
    let message = message.replacen("expected usize", "expected a whole number, at least 0", 1);
    let message = match message.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected an object"),
        None => message,
    };
    let lines = bytes.split_inclusive(|b| *b == b'\n').take(error.line().saturating_sub(1));
    let end = lines.map(<[u8]>::len).sum::<usize>() + error.column();
    match last_name(&bytes[..end.min(bytes.len())]) {
        Some(name) => format!("'{name}': {message}"),
        None => message,
    }
}

/// Returns the last name of a field in the beginning of an object.
fn last_name(json: &[u8]) -> Option<&str> {
    let (mut last, mut at) = (None, 0);
    while let Some(begin) = memchr::memchr(b'"', &json[at..]).map(|n| at + n + 1) {
        let mut end = begin;
        while json.get(end).is_some_and(|b| *b != b'"') {
            end += if json[end] == b'\\' { 2 } else { 1 };
        }
        let Some(after) = json.get(end + 1..) else { break };
        if after.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':') {
            last = std::str::from_utf8(&json[begin..end]).ok();
        }
        at = end + 1;
    }
    last
}

/// Replaces escapes of lone surrogates (`\ud83d`), which Python writes without complaint, by the escape of U+FFFD. Places stay the same.
fn whole_surrogates(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', json.get(at..).unwrap_or_default()) {
        at += next;
        at += match (escaped_unit(json, at), escaped_unit(json, at + 6)) {
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

fn escaped_unit(json: &[u8], at: usize) -> Option<u16> {
    match json.get(at..at + 6) {
        Some([b'\\', b'u', digits @ ..]) => {
            std::str::from_utf8(digits).ok().and_then(|d| u16::from_str_radix(d, 16).ok())
        }
        _ => None,
    }
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
    let mut ask = Ask::default();
    let mut seen = HashSet::new();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if !seen.insert(key.clone()) {
            return Err(bad_options(format!("the query has '{key}' twice; several formats are separated by commas")));
        }
        match &*key {
            "url" => ask.url = Some(value.into_owned()),
            "charset" => ask.charset = Some(value.into_owned()),
            "format" => {
                let format: Result<AnswerFormat, _> = serde_json::from_value((*value).into());
                ask.format = Some(format.map_err(|e| bad_options(format!("format: {e}")))?);
            }
            name => {
                if name == "formats" {
                    ask.only_format = AnswerFormat::of_content(&value);
                }
                ask.options.set_text(name, &value);
            }
        }
    }
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
        let options = job.choices.options;
        let (k, images) = (options.parameters.k, options.render.images);
        assert_eq!((job.url.as_deref(), k, images), (Some("https://e.org/"), Some(2), false));
        assert!(options.formats.text && !options.formats.markdown && options.method == "line-blocks");
        let query = "now=2024-05-17&repeat_spans=false&list_numbers=false";
        let options = from_page(query, None, b"<p>".into()).unwrap().job().unwrap().choices.options;
        assert!(options.now.is_some() && !options.render.repeat_spans && !options.render.list_numbers);
        for (wrong, message) in [
            ("k=x", "k: expected a whole number, not \"x\""),
            ("colour=red", "unknown option 'colour'; the options are method, "),
            ("favor=all", "favor: expected"),
            ("formats=pdf", "formats: unknown format 'pdf'; the formats are text, markdown, html and blocks"),
            ("formats=xml", "formats: unknown format 'xml'; the formats are text, markdown, html and blocks"),
            ("images=2", "images: expected true or false, not 2"),
            ("render=soon", "render: expected \"never\", \"auto\" or \"always\", not \"soon\""),
            ("content_selector=p[", "content_selector: selector 'p['"),
            ("max_bytes=1", "unknown option 'max_bytes'"),
        ] {
            let problem = from_page(wrong, None, b"<p>".into()).and_then(Ask::job).unwrap_err();
            assert!(problem.status == 400 && problem.code == "bad_options", "{wrong}: {problem:?}");
            assert!(problem.detail.starts_with(message), "{wrong}: {problem:?}");
        }
    }

    #[test]
    fn selectors_of_fields_and_of_hosts_are_read() {
        let options = |options: &str| {
            let ask = from_json::<Ask>(format!("{{\"html\": \"<p>\", \"options\": {options}}}").as_bytes())?;
            Ok::<_, Problem>(ask.job()?.choices.options)
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
        assert!(matches!(job(r#"{"url": "https://e.org"}"#).unwrap().page, PageInput::Address(_)));
        assert!(
            matches!(job(r#"{"html_base64": "PHA+"}"#).unwrap().page, PageInput::Bytes { bytes, .. } if bytes == b"<p>")
        );
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
