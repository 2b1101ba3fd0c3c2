//! Pages from Python, and their extraction.
use crate::block::blocks;
use crate::errors::{ExtractionError, InvalidInputError, raise, wrong_option};
use crate::page::Page;
use maintext_cli::AddressFacts;
use maintext_core::decode::{Reference, foreign};
use maintext_core::{Options, Warning, WarningCode};
use maintext_formats::{Document, Format, Hint, Limits, Refusal};
use maintext_util::guard;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

/// A page, borrowed from a Python str or bytes object.
pub enum Html {
    Text(PyBackedStr),
    /// A str with lone surrogates, as UTF-8.
    Mended(PyBackedBytes),
    /// The bytes of a file.
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
                    Html::Mended(bytes.cast_into::<PyBytes>().map_err(PyErr::from)?.into())
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

    pub fn input(&self) -> maintext_core::Html<'_> {
        match self {
            Html::Text(text) => maintext_core::Html::Text(text),
            Html::Mended(bytes) | Html::Bytes(bytes) => maintext_core::Html::Bytes(bytes),
        }
    }

    /// Refuses an address, the name of a file, and another kind of file that was read as text.
    ///
    /// # Errors
    /// `InvalidInputError`, with advice.
    pub fn check(&self) -> PyResult<()> {
        let bytes = match self {
            Html::Text(text) => text.as_bytes(),
            Html::Mended(bytes) | Html::Bytes(bytes) => bytes,
        };
        if let Some(reference) = Reference::of(bytes) {
            let line = String::from_utf8_lossy(bytes.trim_ascii());
            let advice = match reference {
                Reference::Address => format!("maintext.fetch({line:?}) gets and extracts the page"),
                Reference::FileName => format!("pass its bytes: pathlib.Path({line:?}).read_bytes()"),
            };
            return Err(InvalidInputError::new_err(format!("the input is {}, not HTML; {advice}", reference.name())));
        }
        if matches!(self, Html::Bytes(_)) {
            return Ok(());
        }
        match foreign(bytes, None) {
            Some(what) => Err(InvalidInputError::new_err(format!(
                "the input is {what} as str, not HTML; pass other formats that maintext reads (docs/inputs.md) as bytes"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the source of a page and the charset to read it with. An opened file replaces both.
    pub fn source<'s>(
        &'s self,
        file: Option<&'s Document>,
        charset: Option<&'s str>,
    ) -> (maintext_core::Html<'s>, Option<&'s str>) {
        match file {
            Some(file) => (maintext_core::Html::Bytes(&file.bytes), file.charset.as_deref()),
            None if matches!(self, Html::Mended(_)) => (self.input(), Some("utf-8")),
            None => (self.input(), charset),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Html::Text(text) => text.len(),
            Html::Mended(bytes) | Html::Bytes(bytes) => bytes.len(),
        }
    }

    /// Opens a page given as bytes, which may be in any of the formats that the command reads. Returns `None` for text, and for the pages
    /// of read(), which are open.
    pub fn open(&self, facts: &Facts, options: &Options) -> PyResult<Option<(Format, Document)>> {
        let Html::Bytes(bytes) = self else { return Ok(None) };
        if facts.whole.is_some() {
            return Ok(None);
        }
        let charset = facts.charset.as_deref().or(options.charset.as_deref());
        let answer = facts.answer.as_ref();
        let path = answer.and_then(|answer| url::Url::parse(&answer.url).ok()).map(|url| url.path().to_owned());
        let content_type = answer.and_then(|answer| answer.content_type.as_deref());
        let hint = Hint { name: path.as_deref(), url: facts.url.as_deref(), content_type, charset };
        let max_size = options.budget.bytes.max(bytes.len());
        let limits = Limits { max_size, ..Limits::default() };
        let opened = guard::catch(|| {
            let mut documents = maintext_formats::documents(bytes.to_vec(), &hint, &limits)?;
            let format = documents.format();
            // Archives hold records that are not pages.
            let first = documents.next();
            Ok((format, first, documents.next().is_some()))
        });
        match opened.map_err(ExtractionError::new_err)? {
            Ok((format, Some(Ok(document)), false)) => Ok(Some((format, document))),
            Ok((format, Some(_), true)) => {
                let message = format!("the input is {format} with several pages; read the file with maintext.read()");
                Err(InvalidInputError::new_err(message))
            }
            Ok((format, None, _)) => Err(InvalidInputError::new_err(format!("the input is {format} without pages"))),
            Ok((_, Some(Err(refusal)), _)) | Err(refusal) => Err(InvalidInputError::new_err(refused(refusal))),
        }
    }
}

/// Parses an address that the caller gives.
///
/// # Errors
/// `InvalidOptionError` if it cannot be parsed.
pub fn parsed(url: &str) -> PyResult<url::Url> {
    url::Url::parse(url).map_err(|e| wrong_option(format!("'{url}': {e}")))
}

fn refused(refusal: Refusal) -> String {
    match refusal {
        Refusal::TooLarge(limit) => {
            format!("larger than {limit} bytes after decompression; raise max_bytes to read it")
        }
        other => other.to_string(),
    }
}

/// Facts about a page besides its bytes.
#[derive(Default)]
pub struct Facts {
    pub url: Option<String>,
    pub charset: Option<String>,
    /// For the pages of read(): whether all of it is content.
    pub whole: Option<bool>,
    /// For pages that were fetched.
    pub answer: Option<AddressFacts>,
}

/// Extracts a page. A panic becomes an exception.
pub fn extract_page(extractor: &mut maintext_core::Extractor, html: &Html, facts: &Facts) -> Result<Page, PyErr> {
    html.check()?;
    let (format, file) = html.open(facts, extractor.options())?.unzip();
    let given = facts.charset.clone().or_else(|| extractor.options().charset.clone());
    let (input, charset) = html.source(file.as_ref(), given.as_deref());
    let whole = file.as_ref().map_or(facts.whole == Some(true), |file| file.whole);
    let url = facts.url.as_deref().or(file.as_ref().and_then(|file| file.url.as_deref()));
    let result = guard::catch(|| {
        // An address is a hint: a page without a usable one is extracted all the same.
        let parsed = url.and_then(|url| maintext_core::page_url(url).ok());
        let mut source = extractor.decode(input, charset)?;
        if let (Some(url), None) = (url, &parsed) {
            let message = format!("'{url}' is not an absolute address: ignored");
            source.warnings.insert(0, Warning::new(WarningCode::BadUrl, message));
        }
        let cut = file.as_ref().and_then(|file| file.warning.clone());
        source.warnings.extend(cut.map(|message| Warning::new(WarningCode::LimitReached, message)));
        let (mut page, blocks) =
            extractor.extract_source(&source, parsed.as_ref(), whole, |analysis| blocks(analysis, false));
        if let (Some(answer), Some(format)) = (&facts.answer, format) {
            answer.complete(&mut page, format);
        }
        Ok(Page::new(page, blocks))
    });
    match result {
        Ok(Ok(page)) => Ok(page),
        Ok(Err(error)) => Err(raise(&error)),
        Err(panic) => Err(ExtractionError::new_err(panic)),
    }
}
