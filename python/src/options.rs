//! Conversion of keyword arguments to options.
use crate::errors::{raise, wrong_option};
use encoding_rs::Encoding;
use maintext_core::model::Weights;
use maintext_core::render::PieceForm;
use maintext_core::settings::{SETTINGS, Setting, SettingError};
use maintext_core::{Formats, Options};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyType};

/// The default formats, the same as in the command's JSON.
const FORMATS: Formats = Formats { xml: false, blocks: false, ..Formats::ALL };

/// Reads the options of an extractor.
pub fn from_keywords(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options { formats: FORMATS, ..Options::default() };
    for (name, value) in keywords.into_iter().flat_map(|k| k.iter()) {
        let name: String = name.extract()?;
        let setting = Setting::named(&name)
            .ok_or_else(|| wrong_option(SettingError::unknown(&name, SETTINGS.iter().map(|setting| setting.name))))?;
        match value.extract::<&[u8]>() {
            Ok(file) if name == "model" => {
                let weights = Weights::from_bytes(file).map_err(|e| wrong_option(format!("model: {e}")))?;
                options.parameters.weights = Some(weights);
            }
            _ if is_no_object(&name, &value) => return Err(wrong_option(instead(&name, &value)?)),
            _ => setting.read(&mut options, &json(&name, &value)?).map_err(wrong_option)?,
        }
    }
    choose_by_model(&mut options, keywords)?;
    // Page.chunks() cuts the Markdown if there is one, else the text.
    options.pieces = if options.formats.markdown {
        Some(PieceForm::Markdown)
    } else if options.formats.text {
        Some(PieceForm::Text)
    } else {
        None
    };
    // Reports invalid combinations now instead of with the first page.
    options.parameters.method(&options.method).map_err(|e| raise(&e))?;
    Ok(options)
}

/// A trained classifier names its method, so that `model=` alone suffices.
fn choose_by_model(options: &mut Options, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(model) = &options.parameters.model else { return Ok(()) };
    if keywords.is_some_and(|given| given.contains("method").unwrap_or_default()) {
        return Ok(());
    }
    let model: serde_json::Value = serde_json::from_str(model).map_err(|e| wrong_option(format!("model: {e}")))?;
    match model["method"].as_str() {
        Some(method) => options.method = method.to_owned(),
        None => return Err(wrong_option("model: expected the JSON of maintext.train(), or the bytes of an .mtx file")),
    }
    Ok(())
}

/// Returns whether a value is neither an object nor JSON of one, but most likely the name of a file.
fn is_no_object(name: &str, value: &Bound<'_, PyAny>) -> bool {
    match (name, value.extract::<String>()) {
        ("rules" | "model" | "schema", Ok(text)) => !text.trim_start().starts_with('{'),
        ("model", Err(_)) => value.hasattr("__fspath__").unwrap_or_default(),
        ("schema", Err(_)) => {
            value.is_instance_of::<PyType>() && !value.hasattr("model_json_schema").unwrap_or_default()
        }
        _ => false,
    }
}

/// Returns what an option takes instead of such a value, and how to get it.
fn instead(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    /// Maximum number of characters of the value that are shown.
    const MAX_SHOWN: usize = 80;
    let shown: String = value.repr()?.to_string().chars().take(MAX_SHOWN).collect();
    let (takes, advice) = match name {
        "model" => (
            "the bytes of an .mtx file or the JSON of maintext.train()",
            "open(path, 'rb').read() gives the bytes of a file",
        ),
        "rules" => ("a dict or JSON", "tomllib.load() and json.load() read a dict from a file"),
        _ => ("a dict, JSON or a Pydantic class", "json.load() reads a dict from a file"),
    };
    Ok(format!("{name}: expected {takes}, not {shown}; {advice}"))
}

/// Returns the value of an option as JSON.
fn json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let is_text = value.is_instance_of::<PyString>();
    // The rules by host may be JSON already.
    if is_text && name == "rules" {
        return value.extract();
    }
    let plain = match name {
        _ if is_text && name != "charset" || value.is_none() => value.clone(),
        "now" if value.hasattr("isoformat")? => value.call_method0("isoformat")?,
        // A class of Pydantic.
        "schema" if value.hasattr("model_json_schema")? => value.call_method0("model_json_schema")?,
        "charset" if is_text => web_charset(value)?,
        // What maintext.train() returns.
        "model" if value.hasattr("report")? => value.getattr("model")?,
        "field" => grouped(value)?.unwrap_or_else(|| value.clone()),
        // Any iterable of texts.
        "formats" | "drop_selector" if value.hasattr("__iter__")? => py.get_type::<PyList>().call1((value,))?,
        _ => value.clone(),
    };
    let dumps = py.import("json")?.getattr("dumps")?;
    // NumPy's numbers are not JSON, but give their value.
    match dumps.call1((&plain,)).or_else(|_| dumps.call1((plain.call_method0("item")?,))) {
        Ok(json) => json.extract(),
        // The message then shows the value as Python writes it.
        Err(_) => Ok(serde_json::Value::from(value.repr()?.to_string()).to_string()),
    }
}

/// Returns the web's name of an encoding that Python calls otherwise, such as `latin-1`; other names stay.
fn web_charset<'py>(name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    const OTHER_NAMES: [(&str, &str); 6] = [
        ("cp932", "shift_jis"),
        ("cp949", "euc-kr"),
        ("mac-roman", "macintosh"),
        ("utf-8-sig", "utf-8"),
        ("utf-16-le", "utf-16le"),
        ("utf-16-be", "utf-16be"),
    ];
    let py = name.py();
    if Encoding::for_label(name.extract::<String>()?.as_bytes()).is_some() {
        return Ok(name.clone());
    }
    let Ok(codec) = py.import("codecs")?.call_method1("lookup", (name,)) else { return Ok(name.clone()) };
    let known: String = codec.getattr("name")?.extract::<String>()?.replace('_', "-");
    let web = OTHER_NAMES.iter().find(|other| other.0 == known).map_or(known.as_str(), |other| other.1);
    Ok(PyString::new(py, web).into_any())
}

/// Returns pairs of names and selectors as a dict of lists. `None` if they are something else.
fn grouped<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let pairs = match value.cast::<PyMapping>() {
        Ok(mapping) => mapping.items()?.into_any(),
        Err(_) => value.clone(),
    };
    let all = PyDict::new(value.py());
    let Ok(pairs) = pairs.try_iter() else { return Ok(None) };
    for pair in pairs {
        let Ok((field, selector)) = pair?.extract::<(String, String)>() else { return Ok(None) };
        let mut selectors: Vec<String> = all.get_item(&field)?.map_or(Ok(Vec::new()), |list| list.extract())?;
        selectors.push(selector);
        all.set_item(field, selectors)?;
    }
    Ok(Some(all.into_any()))
}
