//! The options of an extractor, from the JSON object that a caller in JavaScript writes.
use crate::CallFailure;
use maintext_core::model::Weights;
use maintext_core::rules::Rules;
use maintext_core::settings::{SETTINGS, SettingError};
use maintext_core::{Formats, Options};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The options that are not settings of every front end. `url`, `charset` and `whole` belong to one page.
const OWN: [&str; 3] = ["url", "whole", "rules"];
/// The settings that `rules` holds together.
const IN_RULES: [&str; 3] = ["content_selector", "drop_selector", "field"];

/// The options of an extractor, and the way of reading that applies to each of its pages.
#[derive(Debug)]
pub struct CallSettings {
    /// The library's options.
    pub options: Options,
    /// Whether all of a page is content.
    pub whole: bool,
}

/// Reads the options. `model` is the content of a model file, or empty.
///
/// # Errors
/// An option is unknown, has a value of the wrong type, or does not fit the method.
pub fn settings(json: &[u8], model: &[u8]) -> Result<CallSettings, CallFailure> {
    // Raw values keep the order of a schema's properties.
    let object: BTreeMap<String, &RawValue> =
        serde_json::from_slice(json).map_err(|_| CallFailure::option("options: expected an object"))?;
    let formats = Formats { text: true, markdown: true, html: cfg!(feature = "full"), ..Formats::NONE };
    let mut settings = CallSettings { options: Options { formats, ..Options::default() }, whole: false };
    for (name, value) in &object {
        set(&mut settings, name, value.get())?;
    }
    let options = &mut settings.options;
    if !cfg!(feature = "full") {
        check_lite(options)?;
    }
    if !model.is_empty() {
        read_model(options, model)?;
    }
    // Reports a combination that no method has now instead of with the first page.
    options.parameters.method(&options.method).map_err(CallFailure::option)?;
    Ok(settings)
}

fn set(settings: &mut CallSettings, name: &str, json: &str) -> Result<(), CallFailure> {
    let wrong = |expected: &str| CallFailure::option(SettingError::expected(name, expected, json));
    match name {
        "url" => settings.options.url = serde_json::from_str(json).map_err(|_| wrong("a string"))?,
        "whole" => {
            settings.whole =
                serde_json::from_str::<Option<bool>>(json).map_err(|_| wrong("true or false"))? == Some(true)
        }
        "rules" => {
            let rules: Option<Rules> =
                serde_json::from_str(json).map_err(|e| CallFailure::option(format!("rules: {}", without_place(&e))))?;
            settings.options.rules = rules.unwrap_or_default();
        }
        _ => {
            let Some(setting) = known().find(|setting| camel_case(setting.name) == name) else {
                let names: Vec<String> = known().map(|setting| camel_case(setting.name)).collect();
                let names = OWN.into_iter().chain(names.iter().map(String::as_str));
                return Err(CallFailure::option(SettingError::unknown(name, names)));
            };
            setting.read_as(name, &mut settings.options, json).map_err(CallFailure::option)?;
        }
    }
    Ok(())
}

/// Returns the message of an error without its place in the JSON, which the caller has not written.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.clone(), |(before, _)| before.to_owned())
}

fn known() -> impl Iterator<Item = &'static maintext_core::settings::Setting> {
    SETTINGS.iter().filter(|setting| !IN_RULES.contains(&setting.name))
}

/// Returns the name of a setting in JavaScript.
fn camel_case(name: &str) -> String {
    let name = if name == "rules" { "site_rules" } else { name };
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_ascii_uppercase() + &word[1..])
}

/// Refuses options that the small module lacks.
fn check_lite(options: &Options) -> Result<(), CallFailure> {
    let lacking = [("things", options.things), ("schema", options.schema.is_some())];
    if let Some((name, _)) = lacking.into_iter().find(|option| option.1) {
        return Err(CallFailure::option(format!("maintext/lite has no {name}")));
    }
    let formats = Formats { text: false, markdown: false, ..options.formats };
    match formats.names().next() {
        Some(name) => {
            let why = format!("formats: this build has no format '{name}'; its formats are text and markdown");
            Err(CallFailure::option(why))
        }
        None => Ok(()),
    }
}

/// Reads a model file: one for the method `learned`, or the JSON of a classifier of a published method.
fn read_model(options: &mut Options, file: &[u8]) -> Result<(), CallFailure> {
    if options.method == Options::default().method {
        let weights = Weights::from_bytes(file).map_err(|e| CallFailure::option(format!("model: {e}")))?;
        options.parameters.weights = Some(weights);
    } else {
        let json = std::str::from_utf8(file).map_err(|_| CallFailure::option("model: expected JSON"))?;
        options.parameters.model = Some(json.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_core::Favor;
    use maintext_core::render::TitleHeading;

    fn refusal(json: &str) -> String {
        settings(json.as_bytes(), b"").unwrap_err().message
    }

    #[test]
    fn options_have_their_effects() {
        let json = r##"{"url": "https://example.org/a", "charset": "latin1", "whole": true, "formats": ["markdown", "text"], "favor": "recall",
            "method": "line-blocks", "k": 4, "metadata": false, "links": false, "title": "never", "now": "2024-05-17", "maxDepth": 30,
            "rules": {"content": "#story", "drop": [".ad"], "fields": {"date": ".when"}}, "tables": null}"##;
        let CallSettings { options, whole } = settings(json.as_bytes(), b"").unwrap();
        assert!(
            whole
                && options.formats == (Formats { text: true, markdown: true, ..Formats::NONE })
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
            (r#"{"markdwon": true}"#, "unknown option 'markdwon'; the options are url, whole, rules, charset, method,"),
            (r#"{"page_type": true}"#, "unknown option 'page_type'"),
            (r#"{"pageType": 1}"#, "pageType: expected true or false, not 1"),
            (r#"{"url": 7}"#, "url: expected a string, not 7"),
            (r#"{"rules": {"content": "p["}}"#, "rules: "),
            (r#"{"rules": {"drop": [1]}}"#, "rules: expected a text or a list of texts"),
            (r#"{"siteRules": {"e.org": 1}}"#, "siteRules: "),
            (r#"{"threshold": 0.5}"#, "the method 'learned' has no parameter 'threshold'"),
            (r#"{"method": "magic"}"#, "unknown method 'magic'"),
            (r#"[]"#, "options: expected an object"),
        ];
        for (json, message) in cases {
            assert!(refusal(json).starts_with(message), "{json}: {}", refusal(json));
        }
        assert!(settings(b"{}", b"no model").unwrap_err().message.starts_with("model: "));
    }

    #[test]
    fn the_small_module_names_what_it_lacks() {
        let lacks = |set: fn(&mut Options)| {
            let mut options = Options::default();
            set(&mut options);
            check_lite(&options).map_err(|failure| failure.message)
        };
        assert_eq!(lacks(|o| o.things = true).unwrap_err(), "maintext/lite has no things");
        let html = lacks(|o| o.formats.html = true).unwrap_err();
        assert!(html.starts_with("formats: this build has no format 'html'"), "{html}");
        assert!(lacks(|o| o.formats.markdown = true).is_ok());
    }
}
