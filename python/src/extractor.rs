//! `Extractor`.
use crate::errors::{ExtractionError, raise};
use crate::fetch::FetchedPage;
use crate::input::{Facts, Html, extract_page};
use crate::many::Results;
use crate::options::from_keywords;
use crate::page::Page;
use maintext_core::Options;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::{Mutex, PoisonError};

/// An extractor for many pages. It checks its options and loads its model once.
///
/// Extractors are safe to use from several threads, are equal if their options are, and can be pickled.
///
/// :param charset: the charset of the HTTP header, for pages given as bytes; without it the page's own declaration or its bytes decide
/// :param method: the content method, one of maintext.METHODS
/// :param favor: the kind of error to avoid: "precision" (less boilerplate), "recall" (less missing text), "balance" (both alike)
/// :param formats: the formats to write, a name or several: "text", "markdown", "html", "xml" (TEI), "blocks" (typed blocks); others are None
/// :param metadata: whether to read title, author, date and other metadata
/// :param comments: whether to look for readers' comments
/// :param tables: whether to write tables; without it their text is left out
/// :param images: whether to write images
/// :param links: whether to write links; without it only their text
/// :param external_links: whether to write only links to other sites as links
/// :param reference_links: whether Markdown writes links as references, with their addresses at the end
/// :param html_tables: whether Markdown writes tables that it cannot hold as HTML; without it each cell becomes one line
/// :param repeat_spans: whether Markdown repeats a cell that spans rows in each row, and a heading that spans columns in each column
/// :param list_numbers: whether text has the numbers of ordered lists and the boxes of task lists
/// :param post_headers: whether to write author and date above each post of a thread; text never has them
/// :param title: whether Markdown and HTML begin with the title: "once", "never" or "as-is" (if the content has it)
/// :param footnotes: whether to write footnotes and the references to them
/// :param level_headings: whether to close gaps in the levels of headings
/// :param alt_text: where alternative texts of images are written: "never", "images" (with the images) or "all" (in plain text too)
/// :param keep_hidden: whether to keep text that no visitor sees; Page.hidden lists it otherwise
/// :param threshold: the threshold of the scores, for the methods "line-density", "markup-ratio" and "density-statistics"; None for the
///     published value
/// :param k: lines per group, for the method "line-blocks"; None for the published value
/// :param smoothing: whether to average scores over five lines, for the method "markup-ratio"
/// :param classifier: "perceptron" (method "line-density") or "mlp" (method "markup-ratio") instead of the threshold
/// :param model: a model instead of the shipped one: bytes of an .mtx file for the method "learned", JSON as str of a trained classifier, which names its method
/// :param fdr: largest expected share of boilerplate in the kept words, 0 to 1, for methods that give probabilities; None for no limit
/// :param page_type: whether to classify the page and to list the entries of list pages
/// :param things: whether to read products, recipes, events and other objects
/// :param schema: the schema of Page.data: a JSON Schema as a dict or as JSON, or a Pydantic class
/// :param content_selector: a CSS selector of the content, instead of the method
/// :param drop_selector: a CSS selector of elements that are never content, or several
/// :param field: selectors of metadata fields: {"author": ".byline", "date": "time@datetime"}
/// :param rules: selectors by host: {"example.org": {"content": "article", "drop": [".ad"], "fields": {"date": "time@datetime"}}}; "*" is
///     every host without its own
/// :param now: the time that relative dates such as "3 hours ago" count from, a datetime or a string; without it they are ignored
/// :param max_bytes: bytes of decoded text that are read, the rest is left out; None for 64 MiB
/// :param max_nodes: nodes of the tree that are read, about 150 bytes of memory each; None for 4,000,000
/// :param max_depth: levels of nesting; deeper elements become siblings; None for 512
/// :param max_work: steps of the extraction after parsing, each about 10 nanoseconds; None for 2**30
/// :raises InvalidOptionError: if an option is unknown or has an invalid value
#[pyclass(frozen, module = "maintext", skip_from_py_object)]
pub struct Extractor {
    options: Options,
    /// The options as they were given, from which a copy in another process is made.
    keywords: Option<Py<PyDict>>,
    /// Idle extractors, at most as many as threads have ever extracted at the same time.
    idle: Mutex<Vec<maintext_core::Extractor>>,
}

impl Extractor {
    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<maintext_core::Extractor>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Extracts a page with an idle extractor, or else with a new one.
    fn page(&self, py: Python<'_>, html: &Html, facts: &Facts) -> PyResult<Page> {
        py.detach(|| {
            let waiting = self.idle().pop();
            let mut extractor = match waiting {
                Some(extractor) => extractor,
                None => maintext_core::Extractor::new(self.options.clone()).map_err(|e| raise(&e))?,
            };
            let result = extract_page(&mut extractor, html, facts);
            // An extractor that has panicked is not reused.
            if !result.as_ref().is_err_and(|e| Python::attach(|py| e.is_instance_of::<ExtractionError>(py))) {
                self.idle().push(extractor);
            }
            result
        })
    }
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(
        signature = (**options),
        text_signature = "(*, charset=None, method='learned', favor='balance', formats=('text', 'markdown', 'html'), metadata=True, \
            comments=True, tables=True, images=True, links=True, external_links=False, reference_links=False, html_tables=True, \
            repeat_spans=True, list_numbers=True, post_headers=True, title='once', footnotes=True, level_headings=False, \
            alt_text='images', keep_hidden=False, threshold=None, k=None, smoothing=False, classifier=None, model=None, fdr=None, page_type=False, things=False, \
            schema=None, content_selector=None, drop_selector=(), field=None, rules=None, now=None, max_bytes=None, max_nodes=None, max_depth=None, max_work=None)"
    )]
    fn new(options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        let keywords = options.map(|o| o.copy()).transpose()?.map(Bound::unbind);
        Ok(Extractor { options: from_keywords(options)?, keywords, idle: Mutex::default() })
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

    /// Extracts a page.
    ///
    /// :param html: the page, as str or as bytes in any encoding; bytes may also be another format that the command reads (docs/inputs.md)
    /// :param url: its address; relative links and images are resolved against it
    /// :returns: a Page
    /// :raises InvalidInputError: if the input is not a page but, for example, a PDF
    #[pyo3(signature = (html, url=None))]
    fn extract(&self, py: Python<'_>, html: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Page> {
        self.page(py, &Html::of(html)?, &Facts { url, ..Facts::default() })
    }

    /// Fetches a page and extracts it.
    ///
    /// :param url: its address
    /// :param timeout: time limit for the request in seconds
    /// :param max_size: maximum size of the page in bytes
    /// :param representation: the form to ask the server for: "html", or "markdown", which takes an answer in Markdown or plain text as a whole
    /// :returns: a Page with status, final_url and representation
    /// :raises OSError: if the page cannot be fetched
    #[pyo3(signature = (url, *, timeout=30.0, max_size=20 << 20, representation="html"))]
    fn fetch(&self, py: Python<'_>, url: &str, timeout: f64, max_size: usize, representation: &str) -> PyResult<Page> {
        let FetchedPage { body, charset, facts } = FetchedPage::of(py, url, timeout, max_size, representation)?;
        let html = Html::Bytes(PyBytes::new(py, &body).into());
        let charset = self.options.charset.clone().or(charset);
        let url = Some(facts.url.clone());
        self.page(py, &html, &Facts { url, charset, answer: Some(facts), ..Facts::default() })
    }

    /// Extracts many pages on all cores, in input order and in bounded memory.
    ///
    /// :param pages: an iterable of str or bytes, pairs (html, url), or dicts with "html" and "url"
    /// :param threads: number of worker threads; None for one per core
    /// :param timeout: time limit for one page in seconds; None for no limit
    /// :returns: an iterator of pages. A failed page has the reason in error and does not end the iteration.
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
