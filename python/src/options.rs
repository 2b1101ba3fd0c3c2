//! Conversion of keyword arguments to options.
use crate::errors::{raise, wrong_option};
use encoding_rs::Encoding;
use maintext_core::metadata::Stamp;
use maintext_core::model::Weights;
use maintext_core::render::{AltText, PieceForm, TitleHeading};
use maintext_core::rules::{FieldRule, SiteRules};
use maintext_core::schema::Schema;
use maintext_core::select::Selector;
use maintext_core::{Favor, Formats, Options};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The names of all options, for error messages.
const NAMES: &str = "charset, method, favor, formats, metadata, comments, tables, images, links, external_links, reference_links, html_tables, repeat_spans, list_numbers, \
                     post_headers, title, footnotes, level_headings, alt_text, keep_hidden, threshold, k, smoothing, classifier, model, fdr, page_type, things, schema, \
                     content_selector, drop_selector, field, rules, now, max_bytes, max_nodes, max_depth, max_work";

/// Reads the options of an extractor. `formats` is the default for the option of that name.
pub fn options(keywords: Option<&Bound<'_, PyDict>>, formats: Formats) -> PyResult<Options> {
    let mut options = Options { formats, ..Options::default() };
    for (name, value) in keywords.into_iter().flat_map(|k| k.iter()) {
        let name: String = name.extract()?;
        set(&mut options, &name, &value)?;
    }
    // Page.chunks() cuts the Markdown if there is one, else the text.
    let form = if options.formats.markdown { Some(PieceForm::Markdown) } else { Some(PieceForm::Text) };
    options.pieces = form.filter(|_| options.formats.markdown || options.formats.text);
    // Reports invalid combinations now instead of with the first page.
    options.parameters.method(&options.method).map_err(|e| raise(&e))?;
    Ok(options)
}

fn set(options: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let wrong = |expected: &str| {
        let value = value.repr().map(|r| r.to_string()).unwrap_or_default();
        wrong_option(format!("{name}={value}: expected {expected}"))
    };
    let flag = || value.extract::<bool>().map_err(|_| wrong("True or False"));
    let number = || value.extract::<Option<f32>>().map_err(|_| wrong("a number"));
    let text = || value.extract::<Option<String>>().map_err(|_| wrong("a string"));
    match name {
        "charset" => {
            options.charset = text()?;
            if options.charset.as_ref().is_some_and(|label| Encoding::for_label(label.as_bytes()).is_none()) {
                return Err(wrong("the name of an encoding, such as 'windows-1252'"));
            }
        }
        "method" => options.method = text()?.unwrap_or_else(|| Options::default().method),
        "favor" => {
            options.favor = match text()?.as_deref() {
                None | Some("balance") => Favor::Balance,
                Some("precision") => Favor::Precision,
                Some("recall") => Favor::Recall,
                Some(_) => return Err(wrong("'balance', 'precision' or 'recall'")),
            }
        }
        "formats" => options.formats = formats(value)?,
        "metadata" => options.metadata = flag()?,
        "comments" => options.comments = flag()?,
        "tables" => options.render.tables = flag()?,
        "images" => options.render.images = flag()?,
        "links" => options.render.links = flag()?,
        "external_links" => options.render.external_links = flag()?,
        "reference_links" => options.render.reference_links = flag()?,
        "html_tables" => options.render.html_tables = flag()?,
        "repeat_spans" => options.render.repeat_spans = flag()?,
        "list_numbers" => options.render.list_numbers = flag()?,
        "post_headers" => options.render.post_headers = flag()?,
        "title" => {
            let named = text()?.map_or(Some(TitleHeading::default()), |name| TitleHeading::named(&name));
            options.render.title = named.ok_or_else(|| wrong("'once', 'never' or 'as-is'"))?;
        }
        "footnotes" => options.render.footnotes = flag()?,
        "level_headings" => options.render.level_headings = flag()?,
        "alt_text" => {
            let named = text()?.map_or(Some(AltText::default()), |name| AltText::named(&name));
            options.render.alt_text = named.ok_or_else(|| wrong("'never', 'images' or 'all'"))?;
        }
        "keep_hidden" => options.keep_hidden = flag()?,
        "threshold" => options.parameters.threshold = number()?,
        "fdr" => options.parameters.fdr = number()?,
        "k" => options.parameters.k = value.extract().map_err(|_| wrong("a whole number"))?,
        "smoothing" => options.parameters.smoothing = flag()?,
        "classifier" => options.parameters.classifier = text()?,
        "model" => match value.extract::<&[u8]>() {
            Ok(file) => {
                let weights = Weights::from_bytes(file).map_err(|e| wrong_option(format!("model: {e}")))?;
                options.parameters.weights = Some(weights);
            }
            Err(_) => options.parameters.model = text()?,
        },
        "page_type" => options.page_type = flag()?,
        "things" => options.things = flag()?,
        "schema" => options.schema = schema(value)?,
        "content_selector" => options.rules.content = text()?.map(|s| selector(name, &s)).transpose()?,
        "drop_selector" => {
            let texts: Vec<String> = match value.extract::<Option<String>>() {
                Ok(one) => one.into_iter().collect(),
                Err(_) => value
                    .try_iter()
                    .and_then(|all| all.map(|s| s?.extract()).collect())
                    .map_err(|_| wrong("a selector, or several"))?,
            };
            options.rules.drop = texts.iter().map(|s| selector(name, s)).collect::<PyResult<_>>()?;
        }
        "field" => {
            let wrong = || wrong("a dict of names and selectors, such as {'date': 'time@datetime'}");
            let pairs = value.call_method0("items").unwrap_or_else(|_| value.clone());
            let pairs = if value.is_none() { None } else { Some(pairs.try_iter().map_err(|_| wrong())?) };
            let fields: PyResult<Vec<(String, String)>> =
                pairs.into_iter().flatten().map(|pair| pair?.extract()).collect();
            let fields = fields.map_err(|_| wrong())?;
            let rule = |(field, selector): (String, String)| {
                FieldRule::parse(&format!("{field}={selector}"))
                    .map_err(|e| wrong_option(format!("field={field:?}: {e}")))
            };
            options.rules.fields = fields.into_iter().map(rule).collect::<PyResult<_>>()?;
        }
        "rules" => {
            if !value.is_none() {
                let rules = serde_json::from_str::<SiteRules>(&json(value)?);
                options.site_rules = rules.map_err(|e| wrong_option(format!("rules: {e}")))?;
            }
        }
        "now" => {
            let text: Option<String> = match value.call_method0("isoformat") {
                Ok(text) => Some(text.extract()?),
                Err(_) => text()?,
            };
            let parse = |t: String| {
                Stamp::parse(&t).ok_or_else(|| wrong("a datetime, or a date such as '2024-05-17T10:00+02:00'"))
            };
            options.now = text.map(parse).transpose()?;
        }
        "max_bytes" => set_bound(&mut options.budget.bytes, value, wrong)?,
        "max_nodes" => set_bound(&mut options.budget.nodes, value, wrong)?,
        "max_depth" => set_bound(&mut options.budget.depth, value, wrong)?,
        "max_work" => set_bound(&mut options.budget.work, value, wrong)?,
        _ => return Err(wrong_option(format!("unknown option '{name}'; the options are {NAMES}"))),
    }
    Ok(())
}

/// Returns a value as JSON; a string is JSON already.
fn json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.extract() {
        Ok(json) => Ok(json),
        Err(_) => value.py().import("json")?.call_method1("dumps", (value,))?.extract(),
    }
}

fn selector(name: &str, text: &str) -> PyResult<Selector> {
    Selector::parse(text).map_err(|e| wrong_option(format!("{name}={text:?}: {e}")))
}

/// Reads a JSON Schema: a dict, or JSON as a string.
fn schema(value: &Bound<'_, PyAny>) -> PyResult<Option<Schema>> {
    if value.is_none() {
        return Ok(None);
    }
    Schema::parse(&json(value)?).map(Some).map_err(|e| wrong_option(format!("schema: {e}")))
}

/// Sets a limit of the budget; `None` keeps the default.
fn set_bound<'py, N: FromPyObjectOwned<'py>>(
    bound: &mut N,
    value: &Bound<'py, PyAny>,
    wrong: impl Fn(&str) -> PyErr,
) -> PyResult<()> {
    if let Some(n) = value.extract::<Option<N>>().map_err(|_| wrong("a whole number"))? {
        *bound = n;
    }
    Ok(())
}

fn formats(value: &Bound<'_, PyAny>) -> PyResult<Formats> {
    let names: Vec<String> = match value.extract::<String>() {
        Ok(one) => vec![one],
        Err(_) => value
            .extract()
            .map_err(|_| wrong_option("formats: expected the name of a format, or an iterable of names"))?,
    };
    let mut formats = Formats::NONE;
    for name in names {
        match name.as_str() {
            "text" => formats.text = true,
            "markdown" => formats.markdown = true,
            "html" => formats.html = true,
            "xml" => formats.xml = true,
            "blocks" => formats.blocks = true,
            _ => {
                let message = format!("unknown format '{name}'; the formats are text, markdown, html, xml and blocks");
                return Err(wrong_option(message));
            }
        }
    }
    Ok(formats)
}

/// The default formats, the same as in the command's JSON.
pub const ALL: Formats = Formats { xml: false, blocks: false, ..Formats::ALL };
