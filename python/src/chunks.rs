//! Settings of chunks, and the chunks of a page as dicts.
use crate::errors::{raise_type, wrong_option};
use maintext_chunks::{Chunk, PieceForm, Settings, Tokenizer};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The names of the settings, for error messages.
const NAMES: &str = "size, tokenizer, overlap, min, split_large and, in tables, form";

/// How pages are cut, and the first exception of the caller's tokenizer.
pub struct Cutting {
    pub settings: Settings,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Cutting {
    /// Reads settings from a dict: `size`, `tokenizer`, `overlap`, `min`, `split_large`, `form`.
    pub fn new(given: Option<&Bound<'_, PyDict>>) -> PyResult<Cutting> {
        let raised = Arc::default();
        let given: Vec<(String, Bound<'_, PyAny>)> = given
            .into_iter()
            .flat_map(|dict| dict.iter())
            .map(|(name, value)| Ok::<_, PyErr>((name.extract()?, value)))
            .collect::<PyResult<_>>()?;
        let tokenizer = match given.iter().find(|(name, value)| name == "tokenizer" && !value.is_none()) {
            Some((_, value)) => tokenizer(value, &raised)?,
            None => Tokenizer::named("words").map_err(wrong_option)?,
        };
        let limit = tokenizer.usual_limit();
        let mut settings = Settings::new(tokenizer, limit);
        for (name, value) in &given {
            set(&mut settings, name, value)?;
        }
        settings.check().map_err(|message| wrong_option(format!("chunks: {message}")))?;
        Ok(Cutting { settings, raised })
    }

    /// Raises the exception of the caller's tokenizer, if there was one.
    pub fn raise(&self) -> PyResult<()> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// Returns the chunks of a page.
    pub fn chunks(&self, py: Python<'_>, page: &maintext_core::Page) -> PyResult<Vec<Chunk>> {
        let chunks = py.detach(|| maintext_chunks::chunks(page, &self.settings));
        self.raise()?;
        Ok(chunks)
    }
}

fn set(settings: &mut Settings, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let wrong = |expected: &str| {
        let value = value.repr().map(|r| r.to_string()).unwrap_or_default();
        wrong_option(format!("{name}={value}: expected {expected}"))
    };
    let number = || value.extract::<usize>().map_err(|_| wrong("a whole number"));
    match name {
        "tokenizer" => {}
        "size" if value.is_none() => {}
        "size" => settings.limit = number()?,
        "overlap" => settings.overlap = number()?,
        "min" => settings.min = number()?,
        "split_large" => settings.split_large = value.extract().map_err(|_| wrong("True or False"))?,
        "form" => {
            settings.form = match value.extract::<String>().ok().as_deref() {
                Some("markdown") => PieceForm::Markdown,
                Some("text") => PieceForm::Text,
                _ => return Err(wrong("'markdown' or 'text'")),
            }
        }
        _ => return Err(wrong_option(format!("unknown setting '{name}' of chunks; the settings are {NAMES}"))),
    }
    Ok(())
}

/// Returns a tokenizer: a name, the path of a `tokenizer.json`, or a function that counts the tokens of a str.
fn tokenizer(value: &Bound<'_, PyAny>, raised: &Arc<Mutex<Option<PyErr>>>) -> PyResult<Tokenizer> {
    if value.is_callable() {
        let (function, raised) = (value.clone().unbind(), raised.clone());
        return Ok(Tokenizer::custom("a function", move |text| {
            let count: PyResult<usize> = Python::attach(|py| function.call1(py, (text,))?.extract(py));
            count.unwrap_or_else(|error| {
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                text.len()
            })
        }));
    }
    let fspath = value.py().import("os")?.getattr("fspath")?;
    let Ok(name) = fspath.call1((value,)).and_then(|path| path.extract::<String>()) else {
        return Err(raise_type("tokenizer: expected a name, the path of a tokenizer.json, or a function"));
    };
    named(&name)
}

/// Returns a tokenizer by its name or from its file.
pub fn named(name: &str) -> PyResult<Tokenizer> {
    let wrong = |error: String| wrong_option(format!("tokenizer={name:?}: {error}"));
    if name.ends_with(".json") || Path::new(name).is_file() {
        let json = std::fs::read(name).map_err(|e| crate::errors::io_error(format!("{name}: {e}")))?;
        return Tokenizer::from_json(name, &json).map_err(wrong);
    }
    Tokenizer::named(name).map_err(wrong)
}

/// Returns a chunk as a dict.
pub fn to_py<'py>(py: Python<'py>, chunk: &Chunk) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("index", chunk.index)?;
    out.set_item("text", &chunk.text)?;
    out.set_item("tokens", chunk.tokens)?;
    out.set_item("headings", &chunk.headings)?;
    out.set_item("kinds", &chunk.kinds)?;
    let links = chunk.links.iter().map(|link| {
        let out = PyDict::new(py);
        out.set_item("text", &link.text)?;
        out.set_item("href", &link.href)?;
        Ok(out)
    });
    out.set_item("links", links.collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("start", chunk.start)?;
    out.set_item("end", chunk.end)?;
    out.set_item("overlap", chunk.overlap)?;
    out.set_item("source_start", chunk.source_start)?;
    out.set_item("source_end", chunk.source_end)?;
    out.set_item("oversized", chunk.oversized)?;
    Ok(out)
}
