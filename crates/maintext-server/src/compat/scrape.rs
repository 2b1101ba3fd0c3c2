//! Firecrawl's options of one page, and `POST /v2/scrape`.
use super::document::{PageLinks, ScrapedPage, WantedFormats};
use super::extras::RequestFacts;
use super::fields::{JsonFields, address, refused};
use crate::api::{json_response, receive_json};
use crate::app::{App, Source};
use crate::ask::{Choices, Fetch, Look, PageJob, RenderName};
use crate::problem::Problem;
use crate::trace;
use axum::extract::{Request, State};
use axum::response::Response;
use maintext_chunks::{PieceForm, Reading, words_of};
use maintext_core::render::TitleHeading;
use maintext_core::select::Selector;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Longest wait after a page is loaded, in milliseconds, as in the original.
const LONGEST_PAUSE: u64 = 60_000;

/// The options of one page.
#[derive(Clone, Debug, Default)]
pub struct Scrape {
    /// What the answer contains.
    pub formats: WantedFormats,
    /// How to extract.
    pub choices: Choices,
    /// Headers of the request.
    pub headers: Vec<(String, String)>,
    /// Time limit.
    pub limit: Option<Duration>,
    /// Largest age of a page from the cache.
    pub max_age: Option<Duration>,
    /// What only a browser can do.
    pub look: Look,
}

impl Scrape {
    /// Takes the options of one page from `fields`; others remain.
    ///
    /// # Errors
    /// An option is invalid or not supported.
    pub fn take(fields: &mut JsonFields, can_render: bool) -> Result<Scrape, Problem> {
        let mut choices = Choices::default();
        let mut look = Look::default();
        let formats = formats(fields, &mut choices, &mut look)?;
        let only_main = fields.flag("onlyMainContent")?.unwrap_or(true);
        // Everything on the page, including menus.
        let whole = if only_main { None } else { Selector::parse("body").ok() };
        choices.options.rules.content = selectors(fields, "includeTags")?.or(whole);
        choices.options.rules.drop = selectors(fields, "excludeTags")?.into_iter().collect();
        if !choices.options.rules.drop.is_empty() {
            // The heading may be what the client excludes.
            choices.options.render.title = TitleHeading::AsIs;
        }
        let limit = fields.number("timeout")?.map(|ms| Duration::from_millis(ms.clamp(1, 300_000)));
        let max_age = fields.number("maxAge")?.map(Duration::from_millis);
        if let Some(render) = fields.take("render") {
            choices.render =
                serde_json::from_value(render).map_err(|_| refused("'render' must be 'auto', 'always' or 'never'"))?;
        }
        if fields.flag("fastMode")? == Some(true) {
            choices.render = RenderName::Never;
        }
        look.pause =
            fields.number("waitFor")?.filter(|ms| *ms > 0).map(|ms| Duration::from_millis(ms.min(LONGEST_PAUSE)));
        look.mobile = fields.flag("mobile")?.unwrap_or(false);
        let mut headers = headers(fields)?;
        location(fields, &mut headers)?;
        the_rest(fields)?;
        let scrape = Scrape { formats, choices, headers, limit, max_age, look };
        scrape.check(can_render)?;
        Ok(scrape)
    }

    /// Refuses options that need a browser, unless the service has one and may use it.
    fn check(&self, can_render: bool) -> Result<(), Problem> {
        let name = match &self.look {
            look if look.picture.is_some() => "the format 'screenshot'",
            look if look.pause.is_some() => "'waitFor'",
            look if look.mobile => "'mobile'",
            _ if self.choices.render == RenderName::Always => "'render': 'always'",
            _ => return Ok(()),
        };
        if !can_render {
            return Err(refused(format!("{name} needs a browser; this service runs without --render")));
        }
        if self.choices.render == RenderName::Never {
            return Err(refused(format!("{name} needs a browser, which 'fastMode' and 'render': 'never' exclude")));
        }
        if !self.headers.is_empty() {
            let why = "since the browser would send them to other sites too";
            return Err(refused(format!("'headers' and 'location' cannot be used with {name}, {why}")));
        }
        Ok(())
    }

    /// Returns the request for a page.
    pub fn job(&self, url: &str) -> PageJob {
        let fetch = Fetch {
            headers: self.headers.clone(),
            limit: self.limit,
            max_age: self.max_age,
            error_pages: true,
            look: self.look.clone(),
            ..Fetch::default()
        };
        PageJob::at(url, fetch, self.choices.clone())
    }

    /// Returns the document of a loaded page.
    ///
    /// # Errors
    /// The source is not an HTML page, or an option is invalid.
    pub fn document(&self, app: &App, holder: &str, asked: &str, source: &Source) -> Result<Value, Problem> {
        let base = source.url.as_deref().and_then(|url| url::Url::parse(url).ok());
        let extras = &self.formats.extras;
        let (page, (links, words)) = app.extract_seen(&self.choices, source, |analysis| {
            let words = extras.changes.is_some().then(|| words_of(&analysis.blocks));
            (PageLinks::of(&self.formats, &analysis.dom, base.as_ref()), words)
        })?;
        let charset = if source.text { Some("utf-8") } else { source.charset.as_deref() };
        let html =
            self.formats.raw_html.then(|| maintext_core::decode::decode(&source.bytes, charset).text.into_owned());
        let seen = RequestFacts {
            holder,
            asked,
            url: source.url.as_deref(),
            status: source.status,
            content_type: source.content_type.as_deref(),
            picture: source.picture.as_deref(),
        };
        let extras = extras.of(app, &seen, &page, || Reading::of_page(&page).with_words(words.unwrap_or_default()))?;
        Ok(ScrapedPage { formats: &self.formats, page: &page, html, links, seen, extras }.value())
    }
}

/// Reads the formats; values in the form of a schema and pictures need further options.
fn formats(fields: &mut JsonFields, choices: &mut Choices, look: &mut Look) -> Result<WantedFormats, Problem> {
    let list = match fields.take("formats") {
        None => vec![json!("markdown")],
        Some(Value::Array(list)) if list.is_empty() => vec![json!("markdown")],
        Some(Value::Array(list)) => list,
        Some(_) => return Err(refused("'formats' must be a list")),
    };
    let mut wanted = WantedFormats::default();
    for format in list {
        let (name, mut options) = match format {
            Value::String(name) => (name, JsonFields::new(json!({}), "formats")?),
            other => {
                let mut options = JsonFields::new(other, "formats")?;
                (options.text("type")?.unwrap_or_default(), options)
            }
        };
        match name.as_str() {
            "markdown" => wanted.markdown = true,
            "html" => wanted.html = true,
            "rawHtml" => wanted.raw_html = true,
            "links" => wanted.links = true,
            "images" => wanted.images = true,
            "json" => {
                wanted.json = true;
                schema(&mut options, choices)?;
            }
            "screenshot" => {
                let whole = options.flag("fullPage")?.unwrap_or(false);
                options.accept(&["quality"]);
                wanted.picture = Some(whole);
                look.picture = Some(whole);
                if let Some(window) = options.take("viewport") {
                    let mut window = JsonFields::new(window, "formats.viewport")?;
                    look.window = Some((side(window.number("width")?, 1280), side(window.number("height")?, 1000)));
                    window.end()?;
                }
            }
            "highlights" => wanted.extras.highlight(&mut options)?,
            "changeTracking" => wanted.extras.track(&mut options)?,
            other => {
                let why = match other {
                    "product" | "menu" => "; use 'json' with a schema, which reads the page's products",
                    "summary" | "query" | "question" | "branding" => {
                        ": it needs a language model; 'json' with a schema reads values without one"
                    }
                    _ => {
                        "; use markdown, html, rawHtml, links, images, screenshot, highlights, changeTracking or json with a schema"
                    }
                };
                return Err(refused(format!("the format '{name}' is not supported{why}")));
            }
        }
        options.end()?;
    }
    let WantedFormats { markdown, html, .. } = wanted;
    let text = wanted.extras.changes.is_some();
    choices.options.formats = maintext_core::Formats { text, markdown, html, ..maintext_core::Formats::NONE };
    choices.options.pieces = wanted.extras.highlights.is_some().then_some(PieceForm::Markdown);
    Ok(wanted)
}

fn side(n: Option<u64>, usual: u64) -> u32 {
    n.unwrap_or(usual).clamp(100, 4000) as u32
}

/// Reads the schema of `json`.
fn schema(options: &mut JsonFields, choices: &mut Choices) -> Result<(), Problem> {
    options.accept(&["mode"]);
    match options.take("schema") {
        Some(Value::Object(schema)) => choices.set("schema", &Value::from(schema).to_string()),
        _ => return Err(refused("the format 'json' needs a 'schema', a JSON Schema of an object")),
    }
    choices.check()
}

/// Takes a list of selectors as one.
fn selectors(fields: &mut JsonFields, name: &str) -> Result<Option<Selector>, Problem> {
    let list = fields.texts(name)?;
    list.iter().try_for_each(|selector| parsed(name, selector).map(drop))?;
    (!list.is_empty()).then(|| parsed(name, &list.join(", "))).transpose()
}

fn parsed(name: &str, selector: &str) -> Result<Selector, Problem> {
    Selector::parse(selector).map_err(|e| refused(format!("'{name}': {e}")))
}

fn headers(fields: &mut JsonFields) -> Result<Vec<(String, String)>, Problem> {
    let Some(value) = fields.take("headers") else { return Ok(Vec::new()) };
    let headers: Result<std::collections::BTreeMap<String, String>, _> = serde_json::from_value(value);
    headers.map(|h| h.into_iter().collect()).map_err(|_| refused("'headers' must be an object of texts"))
}

/// Languages become a header; the place from which pages are fetched cannot be chosen.
fn location(fields: &mut JsonFields, headers: &mut Vec<(String, String)>) -> Result<(), Problem> {
    let Some(location) = fields.take("location") else { return Ok(()) };
    let mut location = JsonFields::new(location, "location")?;
    let languages = location.texts("languages")?;
    if !languages.is_empty() {
        headers.push(("Accept-Language".into(), languages.join(", ")));
    }
    location.end()
}

/// Options that the original knows and this service need not honour.
fn the_rest(fields: &mut JsonFields) -> Result<(), Problem> {
    // The caller, and what may be kept; the settings of the service decide that. PDFs are refused in any case; advertisements and pictures
    // in data URLs are never content. Certificates are always verified: the original's client sends `skipTlsVerification` with every
    // request, and a wrong certificate is an error.
    fields.accept(&["origin", "integration", "storeInCache", "parsers", "blockAds", "removeBase64Images"]);
    fields.accept(&["auditMetadata", "skipTlsVerification"]);
    fields.only("proxy", &["basic", "auto"])
}

/// `POST /v2/scrape`: returns one page.
pub async fn scrape(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (asked, memory) = receive_json(&app, request).await?;
    let mut fields = JsonFields::new(asked, "")?;
    let url = address(&mut fields)?;
    let scrape = Scrape::take(&mut fields, app.can_render())?;
    // Nothing of a single page is kept.
    fields.accept(&["zeroDataRetention"]);
    fields.end()?;
    let job = PageJob { memory: Some(memory), ..scrape.job(&url) };
    let holder = trace::client().holder().to_owned();
    let data = app.on_page(job, move |app, _, source| scrape.document(app, &holder, &url, source)).await?;
    Ok(json_response(&json!({"success": true, "data": data})))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(value: Value, can_render: bool) -> Result<Scrape, Problem> {
        let mut fields = JsonFields::new(value, "")?;
        let scrape = Scrape::take(&mut fields, can_render)?;
        fields.end()?;
        Ok(scrape)
    }

    #[test]
    fn options_are_honoured() {
        let scrape = take(
            json!({"formats": ["html", {"type": "json", "schema": {"type": "object", "properties": {"title": {"type": "string"}}}}],
                "includeTags": ["article", ".main > p"], "excludeTags": ["aside"], "timeout": 5000, "headers": {"X-A": "b"},
                "location": {"languages": ["de", "en"]}, "maxAge": 0, "proxy": "auto", "mobile": false, "waitFor": 0}),
            false,
        )
        .unwrap();
        assert!(scrape.formats.html && !scrape.formats.markdown && scrape.formats.json);
        let rules = &scrape.choices.options.rules;
        assert_eq!(rules.content.as_ref().map(Selector::as_str), Some("article, .main > p"));
        assert_eq!(rules.drop.iter().map(Selector::as_str).collect::<Vec<_>>(), ["aside"]);
        assert_eq!(scrape.headers, [("X-A".into(), "b".into()), ("Accept-Language".into(), "de, en".to_owned())]);
        assert_eq!((scrape.limit, scrape.look), (Some(Duration::from_secs(5)), Look::default()));
        let picture =
            json!({"formats": [{"type": "screenshot", "fullPage": true, "viewport": {"width": 800, "height": 600}}]});
        let look = take(picture, true).unwrap().look;
        assert_eq!((look.picture, look.window), (Some(true), Some((800, 600))));
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name() {
        for (value, name) in [
            (json!({"formats": ["summary"]}), "summary"),
            (json!({"formats": ["pdf"]}), "pdf"),
            (json!({"formats": ["json"]}), "schema"),
            (json!({"formats": [{"type": "json", "prompt": "x", "schema": {"type": "object"}}]}), "prompt"),
            (json!({"formats": [{"type": "changeTracking", "modes": ["json"]}]}), "git-diff"),
            (json!({"formats": [{"type": "highlights"}]}), "query"),
            (json!({"formats": ["screenshot"]}), "screenshot"),
            (json!({"waitFor": 100}), "waitFor"),
            (json!({"mobile": true}), "mobile"),
            (json!({"render": "always"}), "render"),
            (json!({"actions": [{"type": "click"}]}), "actions"),
            (json!({"proxy": "stealth"}), "proxy"),
            (json!({"location": {"country": "DE"}}), "location.country"),
            (json!({"includeTags": ["p["]}), "includeTags"),
            (json!({"checkPromptInjection": true}), "checkPromptInjection"),
            (json!({"colour": 1}), "colour"),
            (json!({"onlyMainContent": "yes"}), "onlyMainContent"),
        ] {
            let problem = take(value, false).unwrap_err();
            assert!(problem.status == 400 && problem.detail.contains(name), "{name}: {problem:?}");
        }
        let both = json!({"mobile": true, "headers": {"A": "b"}});
        assert!(take(both, true).unwrap_err().detail.contains("headers"));
        assert!(take(json!({"mobile": true, "fastMode": true}), true).unwrap_err().detail.contains("fastMode"));
    }
}
