//! A crawl as a part of another program, which decides about the output's content and when a page may be read.
use maintext_core::Page;
use maintext_fetch::Fetched;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The program that a crawl of a whole site is a part of.
pub trait Host: Send + Sync {
    /// Waits until a page may be read. The crawl drops the result when it has read the page.
    fn turn(&self) -> Box<dyn Any>;
    /// Returns the row of a page in the output, without a line break.
    fn row(&self, seen: &EmbeddedPage<'_>) -> String;
    /// Returns the row of an address that robots.txt forbids, if it gets one.
    fn forbidden(&self, _url: &str) -> Option<String> {
        None
    }
}

/// A page that was read.
#[derive(Clone, Copy)]
pub struct EmbeddedPage<'a> {
    /// The address that was requested.
    pub asked: &'a str,
    /// The response.
    pub fetched: &'a Fetched,
    /// Its body as text.
    pub html: &'a str,
    /// The extracted page.
    pub page: &'a Page,
}

/// A shared [`Host`].
#[derive(Clone)]
pub struct SharedHost(pub Arc<dyn Host>);

impl fmt::Debug for SharedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embed")
    }
}
