//! The options of an extractor, from the JSON object that a caller in JavaScript writes.
use crate::Failure;
use encoding_rs::Encoding;
use maintext_core::metadata::Stamp;
use maintext_core::model::Weights;
use maintext_core::render::{AltText, TitleHeading};
use maintext_core::rules::{Rules, SiteRules};
use maintext_core::schema::Schema;
use maintext_core::{Favor, Formats, Options};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt::Display;

/// The names of all options, in the order of the documentation. `url`, `charset` and `whole` belong to one page.
pub const NAMES: [&str; 38] = [
    "url",
    "charset",
    "whole",
    "formats",
    "favor",
    "method",
    "metadata",
    "comments",
    "pageType",
    "things",
    "schema",
    "tables",
    "images",
    "links",
    "externalLinks",
    "referenceLinks",
    "htmlTables",
    "repeatSpans",
    "listNumbers",
    "postHeaders",
    "title",
    "footnotes",
    "levelHeadings",
    "altText",
    "keepHidden",
    "rules",
    "siteRules",
    "now",
    "threshold",
    "k",
    "smoothing",
    "classifier",
    "fdr",
    "model",
    "maxBytes",
    "maxNodes",
    "maxDepth",
    "maxWork",
];

/// The options of an extractor, and the charset and the manner of reading that hold for each of its pages.
#[derive(Debug)]
pub struct Settings {
    /// The library's options.
    pub options: Options,
    /// Whether all of a page is content.
    pub whole: bool,
}

/// Reads the options. `model` is the content of a model file, or empty.
///
/// # Errors
/// An option is unknown, has a value of the wrong type, or does not go with the method.
pub fn settings(json: &[u8], model: &[u8]) -> Result<Settings, Failure> {
    // Raw values keep the order of a schema's properties.
    let object: BTreeMap<String, &RawValue> =
        serde_json::from_slice(json).map_err(|_| Failure::option("options: expected an object".to_owned()))?;
    let formats = if cfg!(feature = "full") { FULL } else { LITE };
    let mut settings = Settings { options: Options { formats, ..Options::default() }, whole: false };
    for (name, value) in &object {
        set(&mut settings, name, value.get())?;
    }
    let options = &mut settings.options;
    if !model.is_empty() {
        read_model(options, model)?;
    }
    // Reports a combination that no method has now instead of with the first page.
    options.parameters.method(&options.method).map_err(Failure::option)?;
    Ok(settings)
}

/// The default formats: those of the command's JSON.
const FULL: Formats = Formats { text: true, markdown: true, html: true, ..Formats::NONE };
/// The formats of the small module.
const LITE: Formats = Formats { text: true, markdown: true, ..Formats::NONE };

fn set(settings: &mut Settings, name: &str, json: &str) -> Result<(), Failure> {
    let options = &mut settings.options;
    let render = &mut options.render;
    let value = Value { name, json };
    match name {
        "url" => options.url = value.text()?,
        "charset" => {
            options.charset = value.text()?;
            if options.charset.as_ref().is_some_and(|label| Encoding::for_label(label.as_bytes()).is_none()) {
                return Err(value.wrong("the name of an encoding, such as \"windows-1252\""));
            }
        }
        "whole" => settings.whole = value.flag(false)?,
        "formats" => options.formats = formats(&value, options.formats)?,
        "favor" => {
            options.favor = match value.text()?.as_deref() {
                None | Some("balance") => Favor::Balance,
                Some("precision") => Favor::Precision,
                Some("recall") => Favor::Recall,
                Some(_) => return Err(value.wrong("\"precision\", \"recall\" or \"balance\"")),
            }
        }
        "method" => options.method = value.text()?.unwrap_or_else(|| Options::default().method),
        "metadata" => options.metadata = value.flag(true)?,
        "comments" => options.comments = value.flag(true)?,
        "pageType" => options.page_type = value.flag(false)?,
        "things" => options.things = value.flag(false)? && full(name)?,
        "schema" => options.schema = schema(&value)?,
        "tables" => render.tables = value.flag(true)?,
        "images" => render.images = value.flag(true)?,
        "links" => render.links = value.flag(true)?,
        "externalLinks" => render.external_links = value.flag(false)?,
        "referenceLinks" => render.reference_links = value.flag(false)?,
        "htmlTables" => render.html_tables = value.flag(true)?,
        "repeatSpans" => render.repeat_spans = value.flag(true)?,
        "listNumbers" => render.list_numbers = value.flag(true)?,
        "postHeaders" => render.post_headers = value.flag(true)?,
        "title" => {
            let named = value.text()?.map_or(Some(TitleHeading::default()), |name| TitleHeading::named(&name));
            render.title = named.ok_or_else(|| value.wrong("\"once\", \"never\" or \"as-is\""))?;
        }
        "footnotes" => render.footnotes = value.flag(true)?,
        "levelHeadings" => render.level_headings = value.flag(false)?,
        "altText" => {
            let named = value.text()?.map_or(Some(AltText::default()), |name| AltText::named(&name));
            render.alt_text = named.ok_or_else(|| value.wrong("\"never\", \"images\" or \"all\""))?;
        }
        "keepHidden" => options.keep_hidden = value.flag(false)?,
        "rules" => options.rules = value.described::<Rules>()?,
        "siteRules" => options.site_rules = value.described::<SiteRules>()?,
        "now" => {
            let date = "a Date, or a date such as \"2024-05-17\" or \"2024-05-17T10:00+02:00\"";
            let parse = |text: String| Stamp::parse(&text).ok_or_else(|| value.wrong(date));
            options.now = value.read::<Option<String>>(date)?.map(parse).transpose()?;
        }
        "threshold" => options.parameters.threshold = value.read("a number")?,
        "fdr" => options.parameters.fdr = value.read("a number")?,
        "k" => options.parameters.k = value.read("a whole number")?,
        "smoothing" => options.parameters.smoothing = value.flag(false)?,
        "classifier" => options.parameters.classifier = value.text()?,
        "maxBytes" => set_bound(&mut options.budget.bytes, &value)?,
        "maxNodes" => set_bound(&mut options.budget.nodes, &value)?,
        "maxDepth" => set_bound(&mut options.budget.depth, &value)?,
        "maxWork" => set_bound(&mut options.budget.work, &value)?,
        _ => return Err(unknown(name)),
    }
    Ok(())
}

fn unknown(name: &str) -> Failure {
    Failure::option(format!("unknown option '{name}'; the options are {}", NAMES.join(", ")))
}

/// An option as it was given.
struct Value<'a> {
    name: &'a str,
    json: &'a str,
}

impl Value<'_> {
    fn wrong(&self, expected: &str) -> Failure {
        const SHOWN: usize = 80;
        let end = self.json.char_indices().nth(SHOWN).map(|(i, _)| i);
        let shown = end.map_or_else(|| self.json.to_owned(), |end| format!("{}...", &self.json[..end]));
        Failure::option(format!("{}: expected {expected}, not {shown}", self.name))
    }

    fn read<T: for<'de> Deserialize<'de>>(&self, expected: &str) -> Result<T, Failure> {
        serde_json::from_str(self.json).map_err(|_| self.wrong(expected))
    }

    fn text(&self) -> Result<Option<String>, Failure> {
        self.read("a string")
    }

    fn flag(&self, default: bool) -> Result<bool, Failure> {
        Ok(self.read::<Option<bool>>("true or false")?.unwrap_or(default))
    }

    /// Reads a value whose type describes its errors.
    fn described<T: for<'de> Deserialize<'de> + Default>(&self) -> Result<T, Failure> {
        let read: Result<Option<T>, _> = serde_json::from_str(self.json);
        read.map(Option::unwrap_or_default).map_err(|e| self.refused(&e))
    }

    fn refused(&self, why: &dyn Display) -> Failure {
        Failure::option(format!("{}: {why}", self.name))
    }
}

/// Sets a limit of the budget; `null` keeps the default.
fn set_bound<N: for<'de> Deserialize<'de>>(bound: &mut N, value: &Value<'_>) -> Result<(), Failure> {
    if let Some(n) = value.read::<Option<N>>("a whole number")? {
        *bound = n;
    }
    Ok(())
}

fn formats(value: &Value<'_>, default: Formats) -> Result<Formats, Failure> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Many(Vec<String>),
    }
    let names = match value.read::<Option<Names>>("the name of a format or an array of names")? {
        None => return Ok(default),
        Some(Names::One(name)) => vec![name],
        Some(Names::Many(names)) => names,
    };
    let mut formats = Formats::NONE;
    for name in names {
        match name.as_str() {
            "text" => formats.text = true,
            "markdown" => formats.markdown = true,
            "html" if cfg!(feature = "full") => formats.html = true,
            "xml" if cfg!(feature = "full") => formats.xml = true,
            "blocks" if cfg!(feature = "full") => formats.blocks = true,
            _ if cfg!(feature = "full") => {
                return Err(value.refused(&format!(
                    "unknown format '{name}'; the formats are text, markdown, html, xml and blocks"
                )));
            }
            _ => {
                return Err(
                    value.refused(&format!("this build has no format '{name}'; its formats are text and markdown"))
                );
            }
        }
    }
    Ok(formats)
}

/// Refuses an option that the small module lacks.
fn full(name: &str) -> Result<bool, Failure> {
    if cfg!(feature = "full") { Ok(true) } else { Err(Failure::option(format!("maintext/lite has no {name}"))) }
}

/// Reads a JSON Schema: an object, or JSON as a string.
fn schema(value: &Value<'_>) -> Result<Option<Schema>, Failure> {
    let text: Result<Option<String>, _> = serde_json::from_str(value.json);
    if matches!(text, Ok(None)) {
        return Ok(None);
    }
    full(value.name)?;
    let json = text.ok().flatten();
    let schema = Schema::parse(json.as_deref().unwrap_or(value.json));
    schema.map(Some).map_err(|e| value.refused(&e))
}

/// Reads a model file: one for the method `learned`, or the JSON of a classifier of a published method.
fn read_model(options: &mut Options, file: &[u8]) -> Result<(), Failure> {
    if options.method == Options::default().method {
        let weights = Weights::from_bytes(file).map_err(|e| Failure::option(format!("model: {e}")))?;
        options.parameters.weights = Some(weights);
    } else {
        let json = std::str::from_utf8(file).map_err(|_| Failure::option("model: expected JSON".to_owned()))?;
        options.parameters.model = Some(json.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(json: &str) -> String {
        settings(json.as_bytes(), b"").unwrap_err().message
    }

    #[test]
    fn options_have_their_effects() {
        let json = r##"{"url": "https://example.org/a", "charset": "latin1", "whole": true, "formats": ["markdown", "text"], "favor": "recall",
            "method": "line-blocks", "k": 4, "metadata": false, "links": false, "title": "never", "now": "2024-05-17", "maxDepth": 30,
            "rules": {"content": "#story", "drop": [".ad"], "fields": {"date": ".when"}}, "tables": null}"##;
        let Settings { options, whole } = settings(json.as_bytes(), b"").unwrap();
        assert!(
            whole
                && options.formats == LITE
                && options.favor == Favor::Recall
                && !options.metadata
                && !options.render.links
        );
        assert!(options.render.tables && options.render.title == TitleHeading::Never && options.now.is_some());
        assert_eq!((options.parameters.k, options.budget.depth, options.method.as_str()), (Some(4), 30, "line-blocks"));
        assert_eq!((options.rules.drop.len(), options.rules.fields.len()), (1, 1));
        assert_eq!(
            (options.url.as_deref(), options.charset.as_deref()),
            (Some("https://example.org/a"), Some("latin1"))
        );
    }

    #[test]
    fn wrong_options_are_named() {
        let cases = [
            (r#"{"markdwon": true}"#, "unknown option 'markdwon'; the options are url, charset,"),
            (r#"{"links": 1}"#, "links: expected true or false, not 1"),
            (r#"{"favor": "both"}"#, "favor: expected \"precision\", \"recall\" or \"balance\", not \"both\""),
            (r#"{"k": 1.5, "method": "line-blocks"}"#, "k: expected a whole number, not 1.5"),
            (r#"{"formats": ["pdf"]}"#, "formats: "),
            (r#"{"charset": "klingon"}"#, "charset: expected the name of an encoding"),
            (r#"{"rules": {"content": "p["}}"#, "rules: "),
            (r#"{"schema": {"type": "array"}}"#, "schema: "),
            (r#"{"now": "soon"}"#, "now: expected a Date"),
            (r#"{"threshold": 0.5}"#, "the method 'learned' has no parameter 'threshold'"),
            (r#"{"method": "magic"}"#, "unknown method 'magic'"),
            (r#"[]"#, "options: expected an object"),
        ];
        for (json, message) in cases {
            assert!(refusal(json).starts_with(message), "{json}: {}", refusal(json));
        }
        assert!(settings(b"{}", b"no model").unwrap_err().message.starts_with("model: "));
        let long = refusal(&format!(r#"{{"links": "{}"}}"#, "x".repeat(500)));
        assert!(long.len() < 140, "{long}");
    }

    /// Each name is known: `null` is refused for none of them.
    #[test]
    fn all_names_are_options() {
        for name in NAMES.iter().filter(|n| **n != "model") {
            let read = settings(format!("{{\"{name}\": null}}").as_bytes(), b"");
            assert!(read.is_ok(), "{name}: {read:?}");
        }
    }
}
