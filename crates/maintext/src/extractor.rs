//! Extraction of one page or of many.
use crate::error::Error;
use crate::options::Options;
use maintext_core::Page;
use maintext_core::list::{ListPage, Lists};
use std::fmt;

/// A page: its source, its address and the charset of its HTTP header.
///
/// Text and bytes convert into it; bytes are decoded by their byte order mark, the charset, the page's own declaration, or a guess.
///
/// ```
/// use maintext::{Input, Options};
/// let html = b"<p>Caf\xe9 and <a href=/menu>menu</a>, each day from nine in the morning.";
/// let input = Input::from(html).with_url("https://example.org/").with_charset("windows-1252");
/// let page = maintext::extract(input, &Options::new())?;
/// assert!(page.text().starts_with("Café"));
/// # Ok::<(), maintext::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    source: maintext_core::Html<'a>,
    url: Option<&'a str>,
    charset: Option<&'a str>,
}

impl<'a> Input<'a> {
    /// The page's address: links and images become absolute, and rules for its site apply.
    pub fn with_url(mut self, url: &'a str) -> Input<'a> {
        self.url = Some(url);
        self
    }

    /// The charset of the HTTP `Content-Type` header, for bytes.
    pub fn with_charset(mut self, charset: &'a str) -> Input<'a> {
        self.charset = Some(charset);
        self
    }
}

impl<'a, T: Into<maintext_core::Html<'a>>> From<T> for Input<'a> {
    fn from(source: T) -> Input<'a> {
        Input { source: source.into(), url: None, charset: None }
    }
}

/// An extractor for many pages: it checks its settings once and reuses its buffers. Each thread has its own.
///
/// ```
/// use maintext::{Extractor, Input, Options};
/// let mut extractor = Extractor::new(Options::new())?;
/// for (url, html) in [("https://example.org/1", "<p>One page."), ("https://example.org/2", "<p>Another page.")] {
///     let page = extractor.extract(Input::from(html).with_url(url))?;
///     println!("{url}: {}", page.text());
/// }
/// # Ok::<(), maintext::Error>(())
/// ```
pub struct Extractor(maintext_core::Extractor);

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Extractor").field(self.0.options()).finish()
    }
}

impl Extractor {
    /// Checks the settings and loads the models.
    ///
    /// # Errors
    /// This build lacks the method's model, or a feature that a setting needs.
    pub fn new(options: Options) -> Result<Extractor, Error> {
        Ok(Extractor(maintext_core::Extractor::new(options.inner)?))
    }

    /// Extracts a page.
    ///
    /// # Errors
    /// The input is not a web page, or its address is not an absolute address.
    pub fn extract<'a>(&mut self, page: impl Into<Input<'a>>) -> Result<Page, Error> {
        let Input { source, url, charset } = page.into();
        Ok(self.0.extract_at(source, url, charset)?)
    }

    /// Finds the entries of a list page and the links to its other pages, whatever kind of page it seems to be.
    ///
    /// # Errors
    /// The input is not a web page, its address is not an absolute address, or this build lacks the feature `lists`.
    pub fn list<'a>(&mut self, page: impl Into<Input<'a>>) -> Result<ListPage, Error> {
        let Input { source, url, charset } = page.into();
        let url = url.map(maintext_core::page_url).transpose()?;
        let source = self.0.decode(source, charset)?;
        let analysis = self.0.analyze(&source.text, url.as_ref());
        Ok(Lists::named("learned")?.page(&analysis.view(url.as_ref())))
    }
}

/// Extracts one page. For many pages, keep an [`Extractor`].
///
/// # Errors
/// The same as of [`Extractor::new`] and [`Extractor::extract`].
pub fn extract<'a>(page: impl Into<Input<'a>>, options: &Options) -> Result<Page, Error> {
    Extractor::new(options.clone())?.extract(page)
}
