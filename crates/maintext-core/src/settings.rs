//! The settings of an extraction by name: the one place for the names, defaults, ranges, descriptions and messages of all front ends.
//!
//! A front end reads each value that its caller names into [`Options`]. All front ends share the defaults of [`Options`]:
//!
//! ```
//! use maintext_core::{Options, settings::Setting};
//! let mut options = Options::default();
//! Setting::named("alt_text").unwrap().read(&mut options, "\"all\"")?;
//! let error = Setting::named("tables").unwrap().read(&mut options, "7").unwrap_err();
//! assert_eq!(error.to_string(), "tables: expected true or false, not 7");
//! # Ok::<(), maintext_core::settings::SettingError>(())
//! ```
use crate::options::{Formats, Options};
use crate::schema::Schema;
use encoding_rs::Encoding;
use maintext_facts::metadata::Stamp;
use maintext_facts::rules::{FieldRule, OneOrMany, SiteRules};
use maintext_page::select::Selector;
use maintext_reading::method::{Favor, NAMES};
use maintext_render::render::{AltText, TitleHeading};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// A setting of [`Options`].
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    field: fn(&mut Options) -> OptionField<'_>,
}

/// A field of [`Options`], by the values that it takes.
#[derive(Debug)]
enum OptionField<'o> {
    Flag(&'o mut bool),
    Favor(&'o mut Favor),
    Title(&'o mut TitleHeading),
    AltText(&'o mut AltText),
    Formats(&'o mut Formats),
    Method(&'o mut String),
    Classifier(&'o mut Option<String>),
    Charset(&'o mut Option<String>),
    Text(&'o mut Option<String>),
    /// A number from 0 to 1.
    Share(&'o mut Option<f32>),
    Count(&'o mut Option<usize>),
    /// Limits of the budget.
    Bytes(&'o mut usize),
    Number(&'o mut u32),
    Work(&'o mut u64),
    Selector(&'o mut Option<Selector>),
    Selectors(&'o mut Vec<Selector>),
    Rules(&'o mut Vec<FieldRule>),
    Sites(&'o mut SiteRules),
    Schema(&'o mut Option<Schema>),
    Date(&'o mut Option<Stamp>),
}

/// The settings, in the order of the documentation.
#[rustfmt::skip]
pub static SETTINGS: [Setting; 38] = [
    Setting { name: "charset", field: |o| OptionField::Charset(&mut o.charset),
        about: "The charset in the HTTP header, for a page given as bytes. Without it the page's own declaration or its bytes decide." },
    Setting { name: "method", field: |o| OptionField::Method(&mut o.method), about: "Method that finds the main content." },
    Setting { name: "favor", field: |o| OptionField::Favor(&mut o.favor),
        about: "The kind of error to avoid: precision (less boilerplate), recall (less missing text), or neither." },
    Setting { name: "formats", field: |o| OptionField::Formats(&mut o.formats),
        about: "Formats of the content in the response; the other ones are null." },
    Setting { name: "metadata", field: |o| OptionField::Flag(&mut o.metadata),
        about: "Whether title, author, date and other metadata are read." },
    Setting { name: "comments", field: |o| OptionField::Flag(&mut o.comments), about: "Whether readers' comments are detected." },
    Setting { name: "tables", field: |o| OptionField::Flag(&mut o.render.tables),
        about: "Whether tables are written; otherwise their text is left out." },
    Setting { name: "images", field: |o| OptionField::Flag(&mut o.render.images), about: "Whether images are written." },
    Setting { name: "links", field: |o| OptionField::Flag(&mut o.render.links),
        about: "Whether links are written as links; otherwise only their text is written." },
    Setting { name: "external_links", field: |o| OptionField::Flag(&mut o.render.external_links),
        about: "Whether only links to other sites are written as links; of other links, only the text is written." },
    Setting { name: "reference_links", field: |o| OptionField::Flag(&mut o.render.reference_links),
        about: "Whether Markdown has links as references, `[text][1]`, with their addresses at the end." },
    Setting { name: "html_tables", field: |o| OptionField::Flag(&mut o.render.html_tables),
        about: "Whether tables that Markdown cannot hold are written as HTML inside it." },
    Setting { name: "repeat_spans", field: |o| OptionField::Flag(&mut o.render.repeat_spans),
        about: "Whether Markdown repeats a cell that spans rows in each row, and a heading that spans columns in each column." },
    Setting { name: "list_numbers", field: |o| OptionField::Flag(&mut o.render.list_numbers),
        about: "Whether plain text has the numbers of ordered lists and the boxes of task lists." },
    Setting { name: "post_headers", field: |o| OptionField::Flag(&mut o.render.post_headers),
        about: "Whether the posts of a thread begin with their authors and dates, in all formats but plain text." },
    Setting { name: "title", field: |o| OptionField::Title(&mut o.render.title),
        about: "Whether Markdown and HTML begin with the title: once, never, or as the content has it." },
    Setting { name: "footnotes", field: |o| OptionField::Flag(&mut o.render.footnotes),
        about: "Whether footnotes, citations included, and the references to them are written." },
    Setting { name: "level_headings", field: |o| OptionField::Flag(&mut o.render.level_headings),
        about: "Whether to renumber headings so that no level is skipped." },
    Setting { name: "alt_text", field: |o| OptionField::AltText(&mut o.render.alt_text),
        about: "Where alternative texts of images are written: nowhere, with the images, or in plain text too." },
    Setting { name: "keep_hidden", field: |o| OptionField::Flag(&mut o.keep_hidden),
        about: "Whether text that no visitor sees is kept." },
    Setting { name: "threshold", field: |o| OptionField::Share(&mut o.parameters.threshold),
        about: "Threshold of the scores, for line-density, markup-ratio and density-statistics." },
    Setting { name: "k", field: |o| OptionField::Count(&mut o.parameters.k), about: "Lines per group, for line-blocks." },
    Setting { name: "smoothing", field: |o| OptionField::Flag(&mut o.parameters.smoothing),
        about: "Whether scores are averaged over five lines, for markup-ratio." },
    Setting { name: "classifier", field: |o| OptionField::Classifier(&mut o.parameters.classifier),
        about: "A trained classifier instead of the threshold: perceptron for line-density, mlp for markup-ratio." },
    Setting { name: "model", field: |o| OptionField::Text(&mut o.parameters.model),
        about: "A model instead of the shipped one: the JSON of a classifier." },
    Setting { name: "fdr", field: |o| OptionField::Share(&mut o.parameters.fdr),
        about: "Maximum expected share of boilerplate words, for methods that return probabilities." },
    Setting { name: "page_type", field: |o| OptionField::Flag(&mut o.page_type),
        about: "Whether to classify the page type and extract the entries of list pages." },
    Setting { name: "things", field: |o| OptionField::Flag(&mut o.things),
        about: "Whether to read products, recipes, events and other objects as data." },
    Setting { name: "schema", field: |o| OptionField::Schema(&mut o.schema),
        about: "JSON Schema of the key data. Its properties name things, fields of the page or, with x-selector, elements." },
    Setting { name: "content_selector", field: |o| OptionField::Selector(&mut o.rules.content), about: "CSS selector of the content." },
    Setting { name: "drop_selector", field: |o| OptionField::Selectors(&mut o.rules.drop),
        about: "CSS selector of elements that are never content, or several." },
    Setting { name: "field", field: |o| OptionField::Rules(&mut o.rules.fields),
        about: "CSS selectors of fields of the metadata, such as {\"date\": \"time@datetime\"}." },
    Setting { name: "rules", field: |o| OptionField::Sites(&mut o.site_rules),
        about: "Selectors by host; * is every host without its own. content, drop and fields are like content_selector, drop_selector and field." },
    Setting { name: "now", field: |o| OptionField::Date(&mut o.now),
        about: "The time that relative dates such as \"3 hours ago\" count from: 2024-05-17 or 2024-05-17T10:00+02:00. Without it they are ignored." },
    Setting { name: "max_bytes", field: |o| OptionField::Bytes(&mut o.budget.bytes),
        about: "Bytes of decoded text that are read; the rest is left out." },
    Setting { name: "max_nodes", field: |o| OptionField::Number(&mut o.budget.nodes),
        about: "Nodes of the tree that are read, about 150 bytes of memory each." },
    Setting { name: "max_depth", field: |o| OptionField::Number(&mut o.budget.depth),
        about: "Levels of nesting; deeper elements become siblings." },
    Setting { name: "max_work", field: |o| OptionField::Work(&mut o.budget.work),
        about: "Steps of the extraction after parsing, each about 10 nanoseconds." },
];

/// Returns the name of a setting that is not the default and has an effect on HTML only: all of another document is content.
pub fn html_only(options: &Options) -> Option<&'static str> {
    let (usual, rules, parameters) = (Options::default(), &options.rules, &options.parameters);
    let set = [
        ("favor", options.favor != usual.favor),
        ("page_type", options.page_type),
        ("things", options.things),
        ("schema", options.schema.is_some()),
        ("keep_hidden", options.keep_hidden),
        ("method", options.method != usual.method),
        ("threshold", parameters.threshold.is_some()),
        ("k", parameters.k.is_some()),
        ("smoothing", parameters.smoothing),
        ("classifier", parameters.classifier.is_some()),
        ("model", parameters.model.is_some() || parameters.weights.is_some()),
        ("fdr", parameters.fdr.is_some()),
        ("content_selector", rules.content.is_some()),
        ("drop_selector", !rules.drop.is_empty()),
        ("field", !rules.fields.is_empty()),
        ("rules", options.site_rules != usual.site_rules),
    ];
    set.into_iter().find(|setting| setting.1).map(|setting| setting.0)
}

/// The reason for refusing a value or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError(String);

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}

impl SettingError {
    /// A value of another type than expected, shown up to a bounded length.
    pub fn expected(name: &str, expected: &str, json: &str) -> SettingError {
        /// Maximum number of characters of the value that are shown.
        const MAX_SHOWN: usize = 80;
        let shown = json
            .char_indices()
            .nth(MAX_SHOWN)
            .map_or_else(|| json.to_owned(), |(end, _)| format!("{}...", &json[..end]));
        SettingError(format!("{name}: expected {expected}, not {shown}"))
    }

    /// A name that no setting has; `known` are all names of the front end.
    pub fn unknown<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> SettingError {
        let known: Vec<&str> = known.into_iter().collect();
        SettingError(match similar(name, &known) {
            Some(meant) => format!("unknown option '{name}'; did you mean '{meant}'?"),
            None => format!("unknown option '{name}'; the options are {}", known.join(", ")),
        })
    }
}

/// Returns the known name that a wrong one most likely means: one that differs in case, underscores or a few letters, or one that is a part
/// of it, such as `links` in `include_links`. Names of more than 40 bytes resemble none.
///
/// ```
/// use maintext_core::settings::similar;
/// let known = ["favor", "page_type", "formats"];
/// assert_eq!(similar("pageType", &known), Some("page_type"));
/// assert_eq!(similar("favor_recall", &known), Some("favor"));
/// assert_eq!(similar("output_format", &known), Some("formats"));
/// assert_eq!(similar("colour", &known), None);
/// ```
pub fn similar<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    /// The longest name that is compared, which bounds the cost of a hostile one.
    const LONGEST: usize = 40;
    if name.len() > LONGEST {
        return None;
    }
    let wanted = joined(name);
    let parts = name.split(['_', '-']).map(joined);
    let whole = known.iter().filter_map(|known| Some((near(&wanted, &joined(known))?, *known))).min_by_key(|k| k.0);
    if let Some((_, known)) = whole {
        return Some(known);
    }
    // Short names resemble too much.
    let mut long = known.iter().filter(|known| known.len() > 3);
    long.find(|known| parts.clone().any(|part| edits(&part, &joined(known)) <= 1)).copied()
}

fn near(a: &str, b: &str) -> Option<usize> {
    // A third of the letters may differ, at most two.
    let distance = edits(a, b);
    (distance <= 2 && distance * 3 <= b.len()).then_some(distance)
}

/// Returns a name in lower case, without underscores and hyphens.
fn joined(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// Returns the number of letters to insert, remove or replace between two words (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Why a value was refused.
enum Wrong {
    /// It has another type.
    Type,
    /// It has the right type, but is malformed.
    Value(String),
}

impl Setting {
    /// Returns the setting with that name.
    pub fn named(name: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Returns the value that the options have, for messages and comparisons.
    pub fn shown(&self, options: &mut Options) -> String {
        let shown = format!("{:?}", (self.field)(options));
        let value = shown.split_once('(').map_or("", |(_, value)| value);
        value.strip_suffix(')').unwrap_or(value).trim_matches('"').to_owned()
    }

    /// Reads a value in JSON. `null` leaves the option as it is.
    ///
    /// # Errors
    /// The value has another type, is malformed, or is out of range.
    pub fn read(&self, options: &mut Options, json: &str) -> Result<(), SettingError> {
        self.read_as(self.name, options, json)
    }

    /// Reads a value in JSON like [`Setting::read`], for a front end that has its own name for the setting.
    ///
    /// # Errors
    /// The same as of [`Setting::read`], with this name.
    pub fn read_as(&self, name: &str, options: &mut Options, json: &str) -> Result<(), SettingError> {
        if json == "null" {
            return Ok(());
        }
        let mut field = (self.field)(options);
        field.read(json).map_err(|wrong| match wrong {
            Wrong::Type => SettingError::expected(name, &field.expected(), json),
            Wrong::Value(message) => SettingError(format!("{name}: {message}")),
        })
    }

    /// Reads a value as it appears in a query or a form: numbers and flags as in JSON, words without quotes, formats separated by commas.
    ///
    /// # Errors
    /// The same as of [`Setting::read`].
    pub fn read_text(&self, options: &mut Options, text: &str) -> Result<(), SettingError> {
        let json = match (self.field)(options) {
            OptionField::Formats(_) => Some(text.split(',').collect()),
            OptionField::Flag(_)
            | OptionField::Share(_)
            | OptionField::Count(_)
            | OptionField::Bytes(_)
            | OptionField::Number(_)
            | OptionField::Work(_)
            | OptionField::Rules(_)
            | OptionField::Sites(_)
            | OptionField::Schema(_) => serde_json::from_str(text).ok(),
            _ => None,
        };
        self.read(options, &json.unwrap_or_else(|| Value::from(text)).to_string())
    }

    /// Returns the JSON Schema of the values, with the default and the description.
    pub fn schema(&self) -> Value {
        let mut schema = (self.field)(&mut Options::default()).schema();
        schema["description"] = self.about.into();
        schema
    }
}

fn value<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, Wrong> {
    serde_json::from_str(json).map_err(|_| Wrong::Type)
}

fn selector(text: &str) -> Result<Selector, Wrong> {
    Selector::parse(text).map_err(|e| Wrong::Value(e.to_string()))
}

impl OptionField<'_> {
    fn read(&mut self, json: &str) -> Result<(), Wrong> {
        match self {
            OptionField::Flag(on) => **on = value(json)?,
            OptionField::Favor(favor) => **favor = value(json)?,
            OptionField::Title(title) => **title = value(json)?,
            OptionField::AltText(place) => **place = value(json)?,
            OptionField::Formats(formats) => {
                **formats = Formats::named(value::<OneOrMany>(json)?.list()).map_err(Wrong::Value)?
            }
            OptionField::Method(name) => **name = value(json)?,
            OptionField::Classifier(text) | OptionField::Text(text) => **text = value(json)?,
            OptionField::Charset(label) => {
                let given: String = value(json)?;
                Encoding::for_label(given.as_bytes()).ok_or(Wrong::Type)?;
                **label = Some(given);
            }
            OptionField::Share(number) => {
                let given: f32 = value(json)?;
                **number = Some((0.0..=1.0).contains(&given).then_some(given).ok_or(Wrong::Type)?);
            }
            OptionField::Count(n) => **n = value(json)?,
            OptionField::Bytes(n) => **n = value(json)?,
            OptionField::Number(n) => **n = value(json)?,
            OptionField::Work(n) => **n = value(json)?,
            OptionField::Selector(one) => **one = Some(selector(value(json)?)?),
            OptionField::Selectors(list) => {
                **list = value::<OneOrMany>(json)?.list().iter().map(|s| selector(s)).collect::<Result<_, _>>()?;
            }
            OptionField::Rules(rules) => {
                let given: BTreeMap<String, OneOrMany> = value(json)?;
                let all =
                    given.into_iter().flat_map(|(name, list)| list.list().into_iter().map(move |s| (name.clone(), s)));
                **rules = all.map(|(name, rule)| named_rule(&name, &rule)).collect::<Result<_, _>>()?;
            }
            OptionField::Sites(rules) => {
                **rules = serde_json::from_str(json).map_err(|e| Wrong::Value(e.to_string()))?
            }
            OptionField::Schema(schema) => {
                // JSON as a string, too: some callers hold it so.
                let text: Option<String> = serde_json::from_str(json).ok();
                let parsed = Schema::parse(text.as_deref().unwrap_or(json));
                **schema = Some(parsed.map_err(|e| Wrong::Value(e.to_string()))?);
            }
            OptionField::Date(now) => **now = Some(Stamp::parse(&value::<String>(json)?).ok_or(Wrong::Type)?),
        }
        Ok(())
    }

    /// Returns the description of possible values, for messages.
    fn expected(&self) -> String {
        let text = match self {
            OptionField::Flag(_) => "true or false",
            OptionField::Formats(_) => "the name of a format or an array of names",
            OptionField::Method(_) | OptionField::Text(_) => "a string",
            OptionField::Favor(_) | OptionField::Title(_) | OptionField::AltText(_) | OptionField::Classifier(_) => {
                return self.words();
            }
            OptionField::Charset(_) => "the name of an encoding, such as \"windows-1252\"",
            OptionField::Share(_) => "a number from 0 to 1",
            OptionField::Count(_) | OptionField::Bytes(_) | OptionField::Number(_) | OptionField::Work(_) => {
                "a whole number"
            }
            OptionField::Selector(_) => "a selector",
            OptionField::Selectors(_) => "a selector or an array of selectors",
            OptionField::Rules(_) => "an object of names and selectors, such as {\"date\": \"time@datetime\"}",
            OptionField::Sites(_) => "an object of hosts and their rules",
            OptionField::Schema(_) => "a JSON Schema",
            OptionField::Date(_) => "a date, such as \"2024-05-17\" or \"2024-05-17T10:00+02:00\"",
        };
        text.to_owned()
    }

    /// Returns the possible words as part of a sentence.
    fn words(&self) -> String {
        let words = self.schema()["enum"].as_array().cloned().unwrap_or_default();
        let words: Vec<String> = words.iter().filter(|word| !word.is_null()).map(Value::to_string).collect();
        match words.split_last() {
            Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => words.concat(),
        }
    }

    fn schema(&self) -> Value {
        let texts = json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]});
        let fields = json!({"type": "object", "additionalProperties": texts});
        match self {
            OptionField::Flag(on) => json!({"type": "boolean", "default": **on}),
            OptionField::Favor(favor) => word_schema(&Favor::NAMES, json!(favor)),
            OptionField::Title(title) => word_schema(&TitleHeading::NAMES, json!(title)),
            OptionField::AltText(place) => word_schema(&AltText::NAMES, json!(place)),
            OptionField::Method(name) => word_schema(NAMES, json!(name)),
            OptionField::Formats(formats) => {
                json!({"type": "array", "items": {"type": "string", "enum": Formats::NAMES}, "default": formats.names().collect::<Vec<_>>()})
            }
            OptionField::Classifier(_) => json!({"type": ["string", "null"], "enum": ["perceptron", "mlp", null]}),
            OptionField::Charset(_) | OptionField::Text(_) | OptionField::Selector(_) | OptionField::Date(_) => {
                json!({"type": "string"})
            }
            OptionField::Share(_) => json!({"type": ["number", "null"], "minimum": 0, "maximum": 1}),
            OptionField::Count(_) => json!({"type": ["integer", "null"], "minimum": 1}),
            OptionField::Bytes(n) => bound_schema(json!(n)),
            OptionField::Number(n) => bound_schema(json!(n)),
            OptionField::Work(n) => bound_schema(json!(n)),
            OptionField::Selectors(_) => texts,
            OptionField::Rules(_) => fields,
            OptionField::Sites(_) => {
                let host = json!({"content": {"type": "string"}, "drop": texts, "fields": fields});
                json!({"type": "object", "additionalProperties": {"type": "object", "properties": host}})
            }
            OptionField::Schema(_) => json!({"type": "object"}),
        }
    }
}

fn named_rule(name: &str, rule: &str) -> Result<FieldRule, Wrong> {
    FieldRule::new(name, rule).map_err(|e| Wrong::Value(format!("{name}: {e}")))
}

fn word_schema(names: &[&str], default: Value) -> Value {
    json!({"type": "string", "enum": names, "default": default})
}

fn bound_schema(default: Value) -> Value {
    json!({"type": "integer", "minimum": 0, "default": default})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, json: &str) -> String {
        Setting::named(name).unwrap().read(&mut Options::default(), json).unwrap_err().to_string()
    }

    #[test]
    fn wrong_values_are_named_with_what_is_expected() {
        for (name, json, message) in [
            ("links", "1", "links: expected true or false, not 1"),
            ("favor", "\"both\"", "favor: expected \"balance\", \"precision\" or \"recall\", not \"both\""),
            ("classifier", "7", "classifier: expected \"perceptron\" or \"mlp\", not 7"),
            ("k", "1.5", "k: expected a whole number, not 1.5"),
            ("fdr", "2", "fdr: expected a number from 0 to 1, not 2"),
            ("max_work", "-1", "max_work: expected a whole number, not -1"),
            (
                "formats",
                "[\"pdf\"]",
                "formats: unknown format 'pdf'; the formats are text, markdown, html, xml and blocks",
            ),
            ("formats", "3", "formats: expected the name of a format or an array of names, not 3"),
            (
                "charset",
                "\"klingon\"",
                "charset: expected the name of an encoding, such as \"windows-1252\", not \"klingon\"",
            ),
            ("content_selector", "\"p[\"", "content_selector: selector 'p['"),
            ("drop_selector", "3", "drop_selector: expected a selector or an array of selectors, not 3"),
            ("field", "{\"dates\": \"time\"}", "field: dates: no field 'dates'"),
            ("rules", "{\"e.org\": {\"contents\": \"p\"}}", "rules: unknown field `contents`"),
            ("schema", "{\"type\": \"array\"}", "schema: "),
            ("now", "\"soon\"", "now: expected a date, such as "),
        ] {
            assert!(refusal(name, json).starts_with(message), "{name}: {}", refusal(name, json));
        }
        let long = refusal("links", &format!("\"{}\"", "x".repeat(500)));
        assert!(long.len() < 140, "{long}");
        assert_eq!(SettingError::unknown("x", ["a", "b"]).to_string(), "unknown option 'x'; the options are a, b");
    }

    /// Each default of a schema is a value that leaves the options as they are, and so is `null`.
    #[test]
    fn defaults_are_those_of_the_options() {
        let default = format!("{:?}", Options::default());
        for setting in &SETTINGS {
            let mut options = Options::default();
            for value in [&setting.schema()["default"], &Value::Null] {
                setting.read(&mut options, &value.to_string()).unwrap();
            }
            assert_eq!(format!("{options:?}"), default, "{}", setting.name);
        }
    }

    /// Each setting changes a field of its own.
    #[test]
    fn each_setting_changes_the_options() {
        let mut seen = std::collections::HashSet::from([format!("{:?}", Options::default())]);
        for setting in &SETTINGS {
            let schema = setting.schema();
            let other = match (&schema["type"], &schema["enum"]) {
                (_, Value::Array(words)) => words.iter().find(|word| **word != schema["default"]).unwrap().clone(),
                (Value::String(kind), _) if kind == "boolean" => json!(schema["default"] == false),
                (Value::String(kind), _) if kind == "integer" => json!(7),
                (Value::Array(kinds), _) => json!(i32::from(kinds[0] == "integer" || kinds[0] == "number")),
                _ => match setting.name {
                    "formats" => json!("html"),
                    "charset" => json!("latin1"),
                    "now" => json!("2024-05-17"),
                    "field" => json!({"date": [".when", "time"]}),
                    "rules" => json!({"e.org": {"drop": ".ad"}}),
                    "schema" => json!("{\"type\": \"object\", \"properties\": {\"title\": {\"type\": \"string\"}}}"),
                    _ => json!("p"),
                },
            };
            let mut options = Options::default();
            setting.read(&mut options, &other.to_string()).unwrap();
            assert!(seen.insert(format!("{options:?}")), "{} {other}", setting.name);
        }
    }

    #[test]
    fn a_query_has_words_without_quotes() {
        let mut options = Options::default();
        let mut read = |name: &str, text: &str| Setting::named(name).unwrap().read_text(&mut options, text);
        read("formats", "html,text").unwrap();
        read("k", "3").unwrap();
        read("images", "false").unwrap();
        read("content_selector", "p").unwrap();
        read("field", "{\"date\": \"time\"}").unwrap();
        assert_eq!(read("images", "no").unwrap_err().to_string(), "images: expected true or false, not \"no\"");
        assert_eq!(options.formats, Formats { text: true, html: true, ..Formats::NONE });
        assert!(options.parameters.k == Some(3) && !options.render.images && options.rules.fields.len() == 1);
    }
}
