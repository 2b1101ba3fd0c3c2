//! Loads pages in a headless Chromium and returns the HTML that their scripts produce.
//!
//! Each page gets its own browser context without the cookies of other pages. Images, fonts and media are not loaded. Styles
//! that hide text become part of the elements, and each element is returned with its box. A browser is replaced after a set number of pages. Dropping
//! the [`BrowserPool`] ends all processes and deletes their profiles.

mod chromium;
mod page;
mod socks;

pub use chromium::Browser;
use maintext_fetch::Policy;
use socks::Socks;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// How a [`BrowserPool`] loads pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserOptions {
    /// The browser; `None`: `$CHROMIUM`, or else the first of `chromium`, `chromium-browser`, `google-chrome`, `chrome` on the `PATH`.
    pub browser: Option<PathBuf>,
    /// Limit for one page. When it passes, the document is returned as it is.
    pub timeout: Duration,
    /// The network counts as idle after this long without a new request.
    pub idle: Duration,
    /// Largest HTML in bytes.
    pub max_size: usize,
    /// Largest number of browsers at a time.
    pub browsers: usize,
    /// Number of pages after which a browser is replaced.
    pub pages_per_browser: usize,
    /// A CSS selector: the page is complete only when an element matches it.
    pub wait_for: Option<String>,
    /// Whether to scroll to the end of the page, so that what loads on scrolling is loaded; at most [`MAX_SCROLLS`] windows.
    pub scroll: bool,
    /// Whether to take a picture of the whole page. Images and fonts are loaded then.
    pub screenshot: bool,
    /// Whether the picture shows only the window.
    pub window_only: bool,
    /// How long to wait after the page is loaded.
    pub pause: Duration,
    /// Whether the browser presents itself as a phone's.
    pub mobile: bool,
    /// Width and height of the window, in pixels.
    pub window: (u32, u32),
    /// Whether the browser's own sandbox is on. Chromium does not run as root with its sandbox on.
    pub sandbox: bool,
    /// The servers that the page and its scripts may contact; `None` allows all.
    pub policy: Option<Policy>,
}

impl Default for BrowserOptions {
    fn default() -> Self {
        Self {
            browser: None,
            timeout: Duration::from_secs(30),
            idle: Duration::from_millis(500),
            max_size: 20 * 1024 * 1024,
            browsers: 2,
            pages_per_browser: 50,
            wait_for: None,
            scroll: false,
            screenshot: false,
            window_only: false,
            pause: Duration::ZERO,
            mobile: false,
            window: (1280, 1000),
            sandbox: true,
            policy: None,
        }
    }
}

/// A page as it was when the browser finished loading it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The address after redirects.
    pub url: String,
    /// HTTP status of the response; 0 without a response.
    pub status: u16,
    /// The document at the end. Styles that hide text, also from style sheets, are in the elements' own `style` attributes.
    pub html: String,
    /// The same document, with the box of each element in its attribute [`BOX_ATTRIBUTE`].
    pub html_with_boxes: String,
    /// Whether the timeout passed before the network was idle.
    pub timed_out: bool,
    /// Whether no element matched [`BrowserOptions::wait_for`] before the timeout.
    pub waited_in_vain: bool,
    /// The page as PNG, if requested: the whole page, up to [`MAX_HEIGHT`].
    pub screenshot: Option<Vec<u8>>,
}

/// Maximum number of windows that are scrolled, since some pages never end.
pub const MAX_SCROLLS: u32 = 50;

/// Greatest height of a screenshot in pixels; browsers draw no larger ones.
pub const MAX_HEIGHT: u32 = 16_000;

impl Snapshot {
    /// Returns the HTML to pass to a content method: with boxes for `text-density`, which weighs elements by their area, and without
    /// them for all others, some of which measure the amount of markup.
    #[must_use]
    pub fn html_for(self, method: &str) -> String {
        if method == "text-density" { self.html_with_boxes } else { self.html }
    }
}

/// Name of the attribute that holds an element's box, as `x y width height font-size` in CSS pixels.
pub const BOX_ATTRIBUTE: &str = "data-maintext-box";

/// Why the browser did not load a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BrowserError {
    /// No browser was found.
    NoBrowser,
    /// The browser did not start.
    Start(String),
    /// The browser exited.
    Gone,
    /// The browser rejected a command or did not answer.
    Protocol(String),
    /// The page was not loaded.
    Load {
        /// Its address.
        url: String,
        /// The browser's error message.
        reason: String,
    },
    /// The selector to wait for is malformed.
    BadSelector(String),
    /// The page is larger than allowed.
    TooLarge {
        /// Its address.
        url: String,
        /// The limit in bytes.
        limit: usize,
    },
}

impl fmt::Display for BrowserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBrowser => f.write_str("no browser found: install chromium, or set $CHROMIUM to its path"),
            Self::Start(reason) => write!(f, "the browser did not start: {reason}"),
            Self::Gone => f.write_str("the browser exited; as root, it starts without its sandbox only (--no-browser-sandbox, for pages that you trust)"),
            Self::Protocol(what) => write!(f, "browser error: {what}"),
            Self::Load { url, reason } => write!(f, "{url}: not loaded ({reason})"),
            Self::BadSelector(selector) => write!(f, "'{selector}' is not a CSS selector"),
            Self::TooLarge { url, limit } => write!(f, "{url}: larger than {limit} bytes after its scripts ran"),
        }
    }
}

impl std::error::Error for BrowserError {}

/// Returns the browser to use: `named`, or else the first that is found.
pub fn find_browser(named: Option<&Path>) -> Option<PathBuf> {
    if let Some(path) = named {
        return Some(path.to_owned());
    }
    if let Some(path) = std::env::var_os("CHROMIUM").filter(|p| !p.is_empty()) {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|p| p.is_file())
}

/// Loads pages in a limited number of browsers. May be shared between threads.
pub struct BrowserPool {
    options: BrowserOptions,
    program: PathBuf,
    socks: Option<Socks>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

#[derive(Default)]
struct Pool {
    /// Browsers waiting for a page, each with the number of pages it has loaded.
    idle: Vec<(Browser, usize)>,
    /// Number of browsers that are loading a page.
    busy: usize,
}

impl BrowserPool {
    /// Finds the browser program but does not start it yet.
    ///
    /// # Errors
    /// No browser was found, or the proxy that enforces the policy did not start.
    pub fn new(options: BrowserOptions) -> Result<BrowserPool, BrowserError> {
        let program = find_browser(options.browser.as_deref()).ok_or(BrowserError::NoBrowser)?;
        let socks = options.policy.clone().map(Socks::start).transpose();
        let socks = socks.map_err(|e| BrowserError::Start(e.to_string()))?;
        Ok(BrowserPool { options, program, socks, pool: Mutex::default(), freed: Condvar::new() })
    }

    /// Loads the page at an address. Blocks until a browser is free.
    ///
    /// # Errors
    /// The browser or the page failed. After a browser failure the next page gets a new browser.
    pub fn load(&self, url: &str) -> Result<Snapshot, BrowserError> {
        self.load_with(url, &self.options)
    }

    /// Returns the options of the pool.
    pub fn options(&self) -> &BrowserOptions {
        &self.options
    }

    /// Loads a page with its own options. The pool's options still apply to the browsers and the policy.
    ///
    /// # Errors
    /// As for [`BrowserPool::load`].
    pub fn load_with(&self, url: &str, options: &BrowserOptions) -> Result<Snapshot, BrowserError> {
        self.check(url)?;
        let (browser, pages) = self.take()?;
        let mut held = Held { browsers: self, browser: Some((browser, pages + 1)) };
        let result = match &mut held.browser {
            Some((browser, _)) => page::load(browser, options, url),
            None => Err(BrowserError::Gone),
        };
        // Scripts may have navigated to another address.
        let result = result.and_then(|page| self.check(&page.url).map(|()| page));
        if matches!(result, Err(BrowserError::Gone | BrowserError::Protocol(_))) {
            held.browser = None;
        }
        result
    }

    /// Allows http and https only. The SOCKS proxy checks the policy for each connection.
    fn check(&self, url: &str) -> Result<(), BrowserError> {
        let refused = |reason: String| BrowserError::Load { url: url.into(), reason };
        let parsed = Url::parse(url).map_err(|e| refused(e.to_string()))?;
        match &self.options.policy {
            Some(policy) => policy.check_url(&parsed).map_err(refused),
            None if matches!(parsed.scheme(), "http" | "https") => Ok(()),
            None => Err(refused(format!("the scheme '{}' cannot be loaded in a browser", parsed.scheme()))),
        }
    }

    fn take(&self) -> Result<(Browser, usize), BrowserError> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        while pool.idle.is_empty() && pool.busy >= self.options.browsers.max(1) {
            pool = self.freed.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        pool.busy += 1;
        if let Some(browser) = pool.idle.pop() {
            return Ok(browser);
        }
        drop(pool);
        let started = Browser::start(&self.program, &self.flags());
        if started.is_err() {
            self.give(None);
        }
        Ok((started?, 0))
    }

    fn give(&self, browser: Option<(Browser, usize)>) {
        // Ends the browser outside of the lock, since that takes a moment.
        let (kept, ended) = match browser {
            Some(b) if b.1 >= self.options.pages_per_browser => (None, Some(b)),
            other => (other, None),
        };
        drop(ended);
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.busy = pool.busy.saturating_sub(1);
        pool.idle.extend(kept);
        self.freed.notify_one();
    }

    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if !self.options.sandbox {
            flags.push("--no-sandbox".into());
        }
        if let Some(socks) = &self.socks {
            flags.push(format!("--proxy-server=socks5://{}", socks.address()));
            flags.push("--proxy-bypass-list=<-loopback>".into());
            flags.push("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1".into());
        }
        flags
    }
}

/// A browser that returns to the pool when dropped, even after a panic.
struct Held<'a> {
    browsers: &'a BrowserPool,
    browser: Option<(Browser, usize)>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.browsers.give(self.browser.take());
    }
}
