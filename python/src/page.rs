//! `Page`.
use crate::block::Block;
use crate::chunks::{Cutting, to_py as chunk_to_py};
use crate::errors::wrong_option;
use crate::state;
use maintext_chunks::PieceForm;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use serde_json::Value;
use std::borrow::Cow;

/// The main content and metadata of a page, as extract() returns it.
///
/// Pages do not change, are equal if their contents are, and can be pickled: pools of processes, Dask, Ray and Spark may return them.
/// to_dict() returns all fields with plain types.
#[pyclass(frozen, module = "maintext", skip_from_py_object)]
pub struct Page {
    page: maintext_core::Page,
    /// The JSON of a page that was pickled. `page` then has only the values that single attributes return.
    json: Option<String>,
    blocks: Vec<Block>,
    /// The reason why the extraction failed.
    error: Option<String>,
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
    pub fn new(page: maintext_core::Page, blocks: Vec<Block>) -> Page {
        Page { page, json: None, blocks, error: None }
    }

    pub fn failed(url: Option<String>, error: String) -> Page {
        let mut page = maintext_core::Page::default();
        page.metadata.url = url;
        Page { error: Some(error), ..Page::new(page, Vec::new()) }
    }

    fn json(&self) -> Value {
        // Converts through text, so that numbers are the same as in the command's output.
        serde_json::from_str(&self.fields()).unwrap_or_default()
    }

    /// Returns the JSON of all fields but `xml`.
    fn fields(&self) -> Cow<'_, str> {
        match &self.json {
            Some(json) => json.into(),
            None => serde_json::to_string(&self.page).unwrap_or_default().into(),
        }
    }

    fn state(&self) -> Vec<u8> {
        state::bytes(&self.fields(), self.page.xml.as_deref(), &self.blocks, self.error.as_deref())
    }

    fn key<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        to_py(py, &self.json()[key])
    }
}

#[pymethods]
impl Page {
    /// The main text, one line per block; "" if no content was found or the extraction failed, None if text was not requested.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.page.text.as_deref().or(self.error.as_ref().map(|_| ""))
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
        let mut metadata = serde_json::to_value(&self.page.metadata).unwrap_or_default();
        if let (Some(_), Some(fields)) = (&self.json, metadata.as_object_mut()) {
            let mut json = self.json();
            fields.iter_mut().for_each(|(name, value)| *value = json[name].take());
        }
        to_py(py, &metadata)
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

    /// The publication date as a datetime, with a time zone if the page states one; midnight if the page states no time.
    #[getter]
    fn datetime<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(date) = &self.page.metadata.date else { return Ok(None) };
        // Before 3.11, Python does not read Z.
        let date = date.replace('Z', "+00:00");
        py.import("datetime")?.getattr("datetime")?.call_method1("fromisoformat", (date,)).map(Some)
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

    /// The kind of page that the site shows instead of its content: "login", "paywall", "challenge", "error" or "parked"; None for ordinary pages.
    #[getter]
    fn barrier<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "barrier")
    }

    /// The HTTP status of the page; None unless it was fetched.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "status")
    }

    /// The address that answered, after redirects; None unless the page was fetched.
    #[getter]
    fn final_url<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "final_url")
    }

    /// The media type of the page, such as "text/html" or "text/markdown"; None unless the page was fetched.
    #[getter]
    fn representation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "representation")
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

    /// The entries of a list page, as dicts: title, url (None without a link), date, price, category, links and others.
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

    /// The parts that no visitor sees and that were left out, the first hundred, as dicts: reason, element, words, text.
    #[getter]
    fn hidden<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "hidden")
    }

    /// Number of words of all parts that no visitor sees.
    #[getter]
    fn hidden_words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py, "hidden_words")
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

    /// Cuts the Markdown into passages for retrieval, or the text of a page that was extracted without Markdown.
    ///
    /// Chunks follow the headings and paragraphs. Tables, code and formulas are not cut: one above the limit is a chunk of its own, marked as
    /// oversized. docs/chunks.md describes the keys.
    ///
    /// :param size: most tokens of a chunk; by default 512, 350 of "words" or 2000 of "chars"
    /// :param tokenizer: "words", "chars", the path of a tokenizer.json, or a function that returns the number of tokens of a str
    /// :param overlap: most tokens that a chunk repeats from the end of the one before it, in whole sentences
    /// :param min: chunks with fewer tokens are joined to their neighbours under the same heading
    /// :param split_large: whether to cut large tables between rows, and code between lines
    /// :returns: a list of dicts with text, tokens, headings, kinds, links, and the places in the Markdown and in the source
    /// :raises InvalidOptionError: if a size is invalid, or the page has neither Markdown nor text, or was pickled
    #[pyo3(signature = (size=None, **settings), text_signature = "($self, size=None, *, tokenizer='words', overlap=0, min=0, split_large=False)")]
    fn chunks<'py>(
        &self,
        py: Python<'py>,
        size: Option<&Bound<'py, PyAny>>,
        settings: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let given = settings.map_or_else(|| Ok(PyDict::new(py)), |s| s.copy())?;
        if given.contains("form")? {
            return Err(wrong_option(
                "form: chunks cut the page's Markdown; extract it with formats=\"text\" to cut its text",
            ));
        }
        given.set_item("size", size)?;
        let mut cutting = Cutting::new(Some(&given))?;
        match (&self.page.markdown, &self.page.text) {
            _ if self.json.is_some() => {
                return Err(wrong_option(
                    "a page that was pickled cannot be cut; call chunks() where it was extracted",
                ));
            }
            (Some(_), _) => cutting.settings.form = PieceForm::Markdown,
            (None, Some(_)) => cutting.settings.form = PieceForm::Text,
            (None, None) if self.error.is_some() => return Ok(Vec::new()),
            (None, None) => return Err(wrong_option("chunks need the format markdown or text")),
        }
        cutting.chunks(py, &self.page)?.iter().map(|chunk| chunk_to_py(py, chunk)).collect()
    }

    /// Returns all fields as a dict with the keys of the command's JSON, and `error` if the extraction failed.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut fields = self.json();
        if let Some(xml) = &self.page.xml {
            fields["xml"] = xml.as_str().into();
        }
        if let Some(error) = &self.error {
            fields["error"] = error.as_str().into();
        }
        to_py(py, &fields)
    }

    /// Returns all fields as JSON, identical to the command's output; `xml` is added if TEI was requested, and `error` if the extraction failed.
    fn to_json(&self) -> String {
        let added = [("xml", &self.page.xml), ("error", &self.error)];
        let mut fields = self.fields().into_owned();
        for (name, text) in added.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?))) {
            // The object ends with a brace.
            fields.pop();
            fields.push_str(&format!(",\"{name}\":{}}}", Value::from(text)));
        }
        fields
    }

    /// Pages are pickled as bytes with the number of their form.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("maintext._maintext")?.getattr("_restored")?;
        Ok((restore, (PyBytes::new(py, &self.state()),)))
    }

    /// A page does not change: its copy is the page itself.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (memo, /))]
    fn __deepcopy__(this: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        this
    }

    /// Pages are equal if all their fields are.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Page>() else { return false };
        let other = other.get();
        std::ptr::eq(self, other) || (self.page.text == other.page.text && self.state() == other.state())
    }

    fn __hash__(&self) -> u64 {
        maintext_core::hash::of64(self.page.text().as_bytes())
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

/// Returns the page that was pickled as `state`.
#[pyfunction(name = "_restored")]
#[pyo3(signature = (state, /))]
pub fn restored(state: &[u8]) -> PyResult<Page> {
    let state = state::read(state)?;
    Ok(Page { page: state.page, json: Some(state.json), blocks: state.blocks, error: state.error })
}
