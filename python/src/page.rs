//! `Page` and `Extractor`.
use crate::errors::{ExtractionError, raise};
use crate::many::Results;
use crate::options::{ALL, options};
use maintext_core::{Analysis, Input, Warning, WarningCode};
use maintext_util::guard;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};

/// The main content and metadata of a page.
#[pyclass(frozen, module = "maintext", skip_from_py_object)]
pub struct Page {
    pub page: maintext_core::Page,
    pub blocks: Vec<Block>,
    /// The reason why the extraction failed.
    pub error: Option<String>,
}

/// A text block.
#[derive(Clone, Debug)]
pub struct Block {
    pub text: String,
    pub tag: String,
    pub score: f32,
    pub probability: Option<f32>,
    pub keep: bool,
    pub span: (u32, u32),
}

impl Block {
    pub fn to_py<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let block = PyDict::new(py);
        block.set_item("text", &self.text)?;
        block.set_item("tag", &self.tag)?;
        block.set_item("score", self.score)?;
        block.set_item("probability", self.probability)?;
        block.set_item("keep", self.keep)?;
        block.set_item("span", self.span)?;
        Ok(block)
    }
}

/// Returns the blocks of a page: all of them, or only the kept ones.
pub fn blocks(analysis: &Analysis<'_>, all: bool) -> Vec<Block> {
    let blocks = &analysis.blocks;
    let judged = blocks.blocks.iter().zip(&analysis.verdicts).enumerate();
    let wanted = judged.filter(|(_, (_, verdict))| all || verdict.keep);
    let made = wanted.map(|(i, (block, verdict))| Block {
        text: blocks.text(i).to_owned(),
        tag: analysis.dom.tag_name(blocks.elements[block.container as usize].node).to_owned(),
        score: verdict.score,
        probability: verdict.probability,
        keep: verdict.keep,
        span: (block.span.start, block.span.end),
    });
    made.collect()
}

/// Converts JSON to Python objects.
pub fn to_py<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => number.as_f64().into_pyobject(py)?,
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        // Recursion is safe: the JSON of a page has a fixed depth.
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| to_py(py, item)).collect::<PyResult<_>>()?;
            items.into_pyobject(py)?
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, value) in map {
                dict.set_item(key, to_py(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

impl Page {
    pub fn failed(url: Option<String>, error: String) -> Page {
        let mut page = maintext_core::Page::default();
        page.metadata.url = url;
        Page { page, blocks: Vec::new(), error: Some(error) }
    }

    fn json(&self) -> Value {
        // Converts through text, so that numbers are the same as in the command's output.
        serde_json::from_str(&self.to_json()).unwrap_or_default()
    }

    fn key<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        to_py(py, &self.json()[key])
    }
}

#[pymethods]
impl Page {
    /// The main text, one line per block; "" if no content was found or text was not requested.
    #[getter]
    fn text(&self) -> &str {
        self.page.text()
    }

    /// The main content as CommonMark with GFM tables; None if it was not requested.
    #[getter]
    fn markdown(&self) -> Option<&str> {
        self.page.markdown.as_deref()
    }

    /// The main content as clean HTML; None if it was not requested.
    #[getter]
    fn html(&self) -> Option<&str> {
        self.page.html.as_deref()
    }

    /// The page as TEI XML; None if it was not requested.
    #[getter]
    fn xml(&self) -> Option<&str> {
        self.page.xml.as_deref()
    }

    /// The main content as typed blocks, a list of dicts as docs/blocks.schema.json describes them; None if it was not requested.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.page.blocks.as_deref().and_then(|json| serde_json::from_str(json).ok());
        to_py(py, &json.unwrap_or_default())
    }

    /// The metadata (title, authors, dates, ...) as a dict.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_py(py, &serde_json::to_value(&self.page.metadata).unwrap_or_default())
    }

    /// The title.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.page.metadata.title.as_deref()
    }

    /// The authors, joined by ", ".
    #[getter]
    fn author(&self) -> Option<&str> {
        self.page.metadata.author.as_deref()
    }

    /// The authors, one by one.
    #[getter]
    fn authors(&self) -> Vec<&str> {
        self.page.metadata.authors.iter().map(String::as_str).collect()
    }

    /// The page's summary of itself.
    #[getter]
    fn description(&self) -> Option<&str> {
        self.page.metadata.description.as_deref()
    }

    /// The name of the site.
    #[getter]
    fn sitename(&self) -> Option<&str> {
        self.page.metadata.sitename.as_deref()
    }

    /// The address of the lead image.
    #[getter]
    fn image(&self) -> Option<&str> {
        self.page.metadata.image.as_deref()
    }

    /// The page's own keywords.
    #[getter]
    fn tags(&self) -> Vec<&str> {
        self.page.metadata.tags.iter().map(String::as_str).collect()
    }

    /// The publication date in ISO 8601.
    #[getter]
    fn date(&self) -> Option<&str> {
        self.page.metadata.date.as_deref()
    }

    /// The language as a BCP 47 tag.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.page.metadata.language.as_deref()
    }

    /// The address of the page.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.page.metadata.url.as_deref()
    }

    /// The page type: "article", "forum", "product", ...; None if it was not requested.
    #[getter]
    fn page_type(&self) -> Option<&str> {
        self.page.page_type.as_deref()
    }

    /// Expected F1 of the text, 0 to 1; None if the method does not estimate it.
    #[getter]
    fn confidence(&self) -> Option<f32> {
        self.page.confidence
    }

    /// The text blocks of the main content, as dicts: text, tag, score, probability, keep, span (bytes of the decoded page).
    #[getter]
    fn text_blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.blocks.iter().map(|block| block.to_py(py)).collect()
    }

    /// The readers' comments, as dicts.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "comments")
    }

    /// The posts of a thread, as dicts.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "posts")
    }

    /// The images of the main content, as dicts: src, alt, caption.
    #[getter]
    fn images<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "images")
    }

    /// The entries of a list page, as dicts: title, url.
    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "entries")
    }

    /// Products, recipes, events and other objects, as dicts with type, sources and the fields of docs/things.schema.json; [] if they were
    /// not requested.
    #[getter]
    fn things<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "things")
    }

    /// The values of the option schema, as a dict; None without a schema, and if a required property has no value.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Python's own reader keeps the order of the schema.
        match &self.page.data {
            Some(json) => py.import("json")?.call_method1("loads", (json,)),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// Warnings about the result, as dicts: code, message.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "warnings")
    }

    /// The reason why the extraction failed, or None; only extract_many() sets it.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns all fields as a dict with the keys of the command's JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_py(py, &self.json())
    }

    /// Returns all fields as JSON, identical to the command's output.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.page).unwrap_or_default()
    }

    fn __str__(&self) -> &str {
        self.page.text()
    }

    /// Shows the main content in a notebook: the HTML without scripts, styles and handlers; None if HTML was not requested.
    fn _repr_html_(&self) -> Option<&str> {
        self.page.html.as_deref()
    }

    fn __repr__(&self) -> String {
        let title = self.page.metadata.title.as_deref().unwrap_or("");
        match &self.error {
            Some(error) => format!("Page(error={error:?})"),
            None => format!("Page(title={title:?}, {} characters)", self.page.text().chars().count()),
        }
    }
}

/// The HTML of a page, borrowed from a Python str or bytes object.
pub enum Html {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Html {
    /// Converts `str`, `bytes`, `bytearray` or `memoryview`.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Html> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Html::Text(text),
                // Lone surrogates, for example from json.loads, are not valid UTF-8 and become replacement characters.
                Err(_) => {
                    let bytes = text.call_method1("encode", ("utf-8", "replace"))?;
                    Html::Bytes(bytes.cast_into::<PyBytes>().map_err(PyErr::from)?.into())
                }
            });
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Html::Bytes(bytes.clone().into()));
        }
        let kind = object.get_type().name()?;
        if object.hasattr("__buffer__")? || matches!(kind.to_cow()?.as_ref(), "bytearray" | "memoryview") {
            let bytes = object.py().get_type::<PyBytes>().call1((object,))?;
            return Ok(Html::Bytes(bytes.cast_into::<PyBytes>().map_err(PyErr::from)?.into()));
        }
        Err(PyTypeError::new_err(format!("html is {kind}; expected str or bytes")))
    }

    pub fn input(&self) -> Input<'_> {
        match self {
            Html::Text(text) => Input::Text(text),
            Html::Bytes(bytes) => Input::Bytes(bytes),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Html::Text(text) => text.len(),
            Html::Bytes(bytes) => bytes.len(),
        }
    }
}

/// Extracts a page. A panic becomes an exception.
pub fn extract_page(extractor: &mut maintext_core::Extractor, html: &Html, url: Option<&str>) -> Result<Page, PyErr> {
    let charset = extractor.options().charset.clone();
    let result = guard::catch(|| {
        // An address is a hint: a page without a usable one is extracted all the same.
        let parsed = url.and_then(|url| maintext_core::page_url(url).ok());
        let source = extractor.decode(html.input(), charset.as_deref())?;
        let mut analysis = extractor.analyze(&source.text, parsed.as_ref());
        analysis.warnings.splice(0..0, source.warnings);
        if let (Some(url), None) = (url, &parsed) {
            let message = format!("'{url}' is not an absolute address: ignored");
            analysis.warnings.insert(0, Warning::new(WarningCode::BadUrl, message));
        }
        analysis.rewritten = source.rewritten;
        let blocks = blocks(&analysis, false);
        Ok(Page { page: extractor.assemble(analysis, parsed), blocks, error: None })
    });
    match result {
        Ok(Ok(page)) => Ok(page),
        Ok(Err(error)) => Err(raise(&error)),
        Err(panic) => Err(ExtractionError::new_err(panic)),
    }
}

/// An extractor for many pages. It checks its options and loads its model once.
#[pyclass(frozen, module = "maintext", skip_from_py_object)]
pub struct Extractor {
    options: maintext_core::Options,
    /// The options as they were given, from which a copy in another process is made.
    keywords: Option<Py<PyDict>>,
    /// Idle extractors, at most as many as threads have ever extracted at the same time.
    idle: Mutex<Vec<maintext_core::Extractor>>,
}

impl Extractor {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<maintext_core::Extractor>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        let keywords = options.map(|o| o.copy()).transpose()?.map(Bound::unbind);
        Ok(Extractor { options: crate::options::options(options, ALL)?, keywords, idle: Mutex::default() })
    }

    /// Pickling and copying make an extractor with the same options.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = self.keywords.as_ref().map_or_else(|| Ok(PyDict::new(py)), |k| k.bind(py).copy())?;
        Ok((PyTuple::empty(py), keywords))
    }

    /// Extractors with equal options are equal.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Extractor>() else { return Ok(false) };
        let dict = |extractor: &Extractor| extractor.__getnewargs_ex__(py).map(|args| args.1);
        dict(self)?.eq(dict(other.get())?)
    }

    /// Returns a hash of the method's name; equal extractors have equal hashes.
    fn __hash__(&self) -> u64 {
        maintext_core::hash::of64(self.options.method.as_bytes())
    }

    /// Extracts a page, given as str or as bytes in any encoding.
    #[pyo3(signature = (html, url=None))]
    fn extract(&self, py: Python<'_>, html: &Bound<'_, PyAny>, url: Option<&str>) -> PyResult<Page> {
        let html = Html::of(html)?;
        py.detach(|| {
            let waiting = self.idle().pop();
            let mut extractor = match waiting {
                Some(extractor) => extractor,
                None => maintext_core::Extractor::new(self.options.clone()).map_err(|e| raise(&e))?,
            };
            let result = extract_page(&mut extractor, &html, url);
            // An extractor that has panicked is not reused.
            if !result.as_ref().is_err_and(|e| Python::attach(|py| e.is_instance_of::<ExtractionError>(py))) {
                self.idle().push(extractor);
            }
            result
        })
    }

    /// Extracts many pages on all cores. Returns an iterator of pages in input order.
    #[pyo3(signature = (pages, threads=None, timeout=None))]
    fn extract_many(
        &self,
        pages: &Bound<'_, PyAny>,
        threads: Option<usize>,
        timeout: Option<f64>,
    ) -> PyResult<Results> {
        Results::new(self.options.clone(), pages, threads, timeout)
    }

    fn __repr__(&self) -> String {
        format!("Extractor(method={:?})", self.options.method)
    }
}

/// Reads options from keyword arguments, for functions outside an extractor.
pub fn from_keywords(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<maintext_core::Options> {
    options(keywords, ALL)
}
