//! Extra fields of a document: the passages that answer a question (`highlights`), by our `find`, and the changes since the client's last
//! reading (`changeTracking`), by our `changes`.
use super::fields::{JsonFields, now, refused, time};
use crate::app::App;
use crate::problem::Problem;
use crate::store::readings::StoredReading;
use maintext_chunks::{Finder, Reading, Settings, Tokenizer, changes};
use maintext_core::Page;
use serde_json::{Map, Value, json};

/// Maximum number of words of a highlight, about a paragraph, and the number of highlights.
const HIGHLIGHT_WORDS: usize = 80;
const HIGHLIGHTS: usize = 5;

/// The extras that a client wants.
#[derive(Clone, Debug, Default)]
pub struct WantedExtras {
    /// The question of `highlights`.
    pub highlights: Option<String>,
    /// The settings of `changeTracking`.
    pub changes: Option<Tracking>,
}

/// The settings of `changeTracking`.
#[derive(Clone, Debug)]
pub struct Tracking {
    /// Readings with other tags are not compared.
    tag: String,
    /// Whether the answer has the changes themselves.
    with_diff: bool,
}

/// Facts about the request of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestFacts<'a> {
    /// The holder of the client's token.
    pub holder: &'a str,
    /// The address that the client asked for.
    pub asked: &'a str,
    /// The address that answered.
    pub url: Option<&'a str>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// A picture, as PNG.
    pub picture: Option<&'a [u8]>,
}

impl WantedExtras {
    /// Reads the options of `highlights`.
    ///
    /// # Errors
    /// The question is missing or has no word.
    pub fn highlight(&mut self, options: &mut JsonFields) -> Result<(), Problem> {
        let query = options.text("query")?.unwrap_or_default();
        Finder::new(&query).map_err(|e| refused(format!("the format 'highlights' needs a 'query': {e}")))?;
        self.highlights = Some(query);
        Ok(())
    }

    /// Reads the options of `changeTracking`.
    ///
    /// # Errors
    /// An option needs a language model.
    pub fn track(&mut self, options: &mut JsonFields) -> Result<(), Problem> {
        let modes = options.texts("modes")?;
        if let Some(mode) = modes.iter().find(|mode| *mode != "git-diff") {
            let why = if mode == "json" { ": it needs a language model" } else { "" };
            return Err(refused(format!("'modes': '{mode}' is not supported{why}; use git-diff")));
        }
        let tag = options.text("tag")?.unwrap_or_default();
        self.changes = Some(Tracking { tag, with_diff: !modes.is_empty() });
        Ok(())
    }

    /// Returns the extras of a page. `reading` makes the reading that is compared, only if it is wanted.
    ///
    /// # Errors
    /// The store fails.
    pub fn of(
        &self,
        app: &App,
        seen: &RequestFacts<'_>,
        page: &Page,
        reading: impl FnOnce() -> Reading,
    ) -> Result<Map<String, Value>, Problem> {
        let mut out = Map::new();
        if let Some(question) = &self.highlights {
            out.insert("highlights".into(), highlights(question, seen.asked, page)?.into());
        }
        if let Some(tracking) = &self.changes {
            out.insert("changeTracking".into(), tracking.compared(app, seen, page, &reading())?);
        }
        Ok(out)
    }
}

/// Returns the passages that answer a question, best first.
fn highlights(question: &str, url: &str, page: &Page) -> Result<String, Problem> {
    let mut finder = Finder::new(question).map_err(refused)?;
    let words = Tokenizer::named("words").map_err(|_| Problem::internal())?;
    finder.add(url, Some(url), page, &Settings::new(words, HIGHLIGHT_WORDS));
    let found = finder.answer(&finder.ranking(), HIGHLIGHTS, None);
    let texts: Vec<&str> = found.passages.iter().map(|passage| passage.text.trim()).collect();
    Ok(texts.join("\n\n"))
}

impl Tracking {
    /// Compares a reading with the client's last one of the address, and keeps it for the next time.
    fn compared(&self, app: &App, seen: &RequestFacts<'_>, page: &Page, reading: &Reading) -> Result<Value, Problem> {
        let key = [seen.holder, seen.asked, &self.tag];
        let before = app.store.reading(key)?;
        let is_gone = matches!(seen.status, Some(404 | 410));
        if !is_gone {
            let metadata = &page.metadata;
            let stored = StoredReading {
                text: page.text().to_owned(),
                title: metadata.title.clone(),
                language: metadata.language.clone(),
                made: now(),
            };
            app.store.keep_reading(key, &stored)?;
        }
        let mut out = json!({"previousScrapeAt": null, "changeStatus": "new", "visibility": "visible"});
        let Some(before) = before else { return Ok(out) };
        out["previousScrapeAt"] = time(before.made).into();
        if is_gone {
            out["changeStatus"] = "removed".into();
            return Ok(out);
        }
        let earlier = Reading::of_text(&before.text, before.language.as_deref().unwrap_or(""));
        let found = changes(&earlier.with_title(before.title.as_deref()), reading);
        out["changeStatus"] = if found.changed { "changed" } else { "same" }.into();
        if self.with_diff && found.changed {
            out["diff"] = json!({"text": found.to_text(), "json": found});
        }
        Ok(out)
    }
}
