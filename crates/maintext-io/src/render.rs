//! Pages that scripts make: loaded in a headless Chromium, given as the HTML that a reader sees.
//!
//! Each page has a browser context of its own, without cookies of others; images, fonts and media are not loaded. What is invisible is
//! dropped, and each element comes with its box. Browsers are kept for some pages and then replaced; processes and profiles are gone
//! with the [`Renderer`].

mod browser;
mod page;
mod socks;

use crate::fetch::Policy;
pub use browser::Browser;
use socks::Socks;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// How pages are rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// The browser; `None`: `$CHROMIUM`, or else the first of `chromium`, `chromium-browser`, `google-chrome`, `chrome` on the `PATH`.
    pub browser: Option<PathBuf>,
    /// Limit for one page. What is there by then is taken.
    pub timeout: Duration,
    /// The network counts as idle when nothing was asked for this long.
    pub idle: Duration,
    /// Largest HTML in bytes.
    pub max_size: usize,
    /// Browsers at once.
    pub browsers: usize,
    /// Pages after which a browser is replaced.
    pub pages_per_browser: usize,
    /// Width and height of the window, in pixels.
    pub window: (u32, u32),
    /// Whether the browser's own sandbox is on. Chromium needs it off to run as root.
    pub sandbox: bool,
    /// Which servers may be talked to, by the page and by all of its scripts; `None`: all.
    pub policy: Option<Policy>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            browser: None,
            timeout: Duration::from_secs(30),
            idle: Duration::from_millis(500),
            max_size: 20 * 1024 * 1024,
            browsers: 2,
            pages_per_browser: 50,
            window: (1280, 1000),
            sandbox: true,
            policy: None,
        }
    }
}

/// A rendered page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendered {
    /// The address after redirects.
    pub url: String,
    /// Status of the answer; 0 if there was none.
    pub status: u16,
    /// The document as it stood at the end, without what is invisible.
    pub html: String,
    /// The same with the box of each element in its attribute [`BOX_ATTRIBUTE`].
    pub html_with_boxes: String,
    /// A box for each element of the document, in document order.
    pub boxes: Vec<ElementBox>,
    /// Whether the time was up before the network was idle.
    pub timed_out: bool,
}

impl Rendered {
    /// The HTML that a content method is to see: with boxes for `text-density`, which weighs elements by their area; without for
    /// the others, some of which measure how much markup there is.
    #[must_use]
    pub fn html_for(self, method: &str) -> String {
        if method == "text-density" { self.html_with_boxes } else { self.html }
    }
}

/// Name of the attribute that holds an element's box, as `x y width height font-size` in CSS pixels.
pub const BOX_ATTRIBUTE: &str = "data-maintext-box";

/// Where an element stands on the page, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementBox {
    /// Left edge.
    pub x: f32,
    /// Upper edge, from the top of the page.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Font size.
    pub font_size: f32,
}

/// Why a page was not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no browser.
    NoBrowser,
    /// The browser did not start.
    Start(String),
    /// The browser ended by itself.
    Gone,
    /// The browser does not understand, or does not answer.
    Protocol(String),
    /// The page was not loaded.
    Load {
        /// Its address.
        url: String,
        /// What the browser says.
        reason: String,
    },
    /// The page is larger than allowed.
    TooLarge {
        /// Its address.
        url: String,
        /// The limit in bytes.
        limit: usize,
    },
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBrowser => f.write_str("no browser: install chromium, or name one in $CHROMIUM"),
            Self::Start(reason) => write!(f, "the browser did not start: {reason}"),
            Self::Gone => f.write_str("the browser ended; as root it needs to be started without its sandbox"),
            Self::Protocol(what) => write!(f, "the browser: {what}"),
            Self::Load { url, reason } => write!(f, "{url}: not loaded ({reason})"),
            Self::TooLarge { url, limit } => write!(f, "{url}: larger than {limit} bytes after rendering"),
        }
    }
}

impl std::error::Error for RenderError {}

/// The browser that is used: the one named, or else the first that is found.
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

/// Renders pages, several at once from several threads.
pub struct Renderer {
    options: RenderOptions,
    program: PathBuf,
    socks: Option<Socks>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

#[derive(Default)]
struct Pool {
    /// Browsers that wait, with the pages that each has rendered.
    idle: Vec<(Browser, usize)>,
    /// Browsers at work.
    busy: usize,
}

impl Renderer {
    /// Finds the browser; starts none yet.
    ///
    /// # Errors
    /// There is none.
    pub fn new(options: RenderOptions) -> Result<Renderer, RenderError> {
        let program = find_browser(options.browser.as_deref()).ok_or(RenderError::NoBrowser)?;
        let socks = options.policy.clone().map(Socks::start).transpose();
        let socks = socks.map_err(|e| RenderError::Start(e.to_string()))?;
        Ok(Renderer { options, program, socks, pool: Mutex::default(), freed: Condvar::new() })
    }

    /// Renders the page at an address. Waits for a free browser if all are at work.
    ///
    /// # Errors
    /// The browser or the page failed; the next page gets a new browser then.
    pub fn render(&self, url: &str) -> Result<Rendered, RenderError> {
        self.check(url)?;
        let (browser, pages) = self.take()?;
        let mut held = Held { renderer: self, browser: Some((browser, pages + 1)) };
        let result = match &mut held.browser {
            Some((browser, _)) => page::render(browser, &self.options, url),
            None => Err(RenderError::Gone),
        };
        // Scripts may have gone elsewhere.
        let result = result.and_then(|page| self.check(&page.url).map(|()| page));
        if matches!(result, Err(RenderError::Gone | RenderError::Protocol(_))) {
            held.browser = None;
        }
        result
    }

    /// Only http and https; what the policy says of names and addresses is seen to where the connections go through.
    fn check(&self, url: &str) -> Result<(), RenderError> {
        let refused = |reason: String| RenderError::Load { url: url.into(), reason };
        let parsed = Url::parse(url).map_err(|e| refused(e.to_string()))?;
        match &self.options.policy {
            Some(policy) => policy.check_url(&parsed).map_err(refused),
            None if matches!(parsed.scheme(), "http" | "https") => Ok(()),
            None => Err(refused(format!("the scheme '{}' is not rendered", parsed.scheme()))),
        }
    }

    fn take(&self) -> Result<(Browser, usize), RenderError> {
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
        let worn = |b: &(Browser, usize)| b.1 >= self.options.pages_per_browser;
        // A browser ends outside of the lock: that takes a moment.
        let (kept, ended) = match browser {
            Some(b) if worn(&b) => (None, Some(b)),
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

/// A browser that goes back to the pool whatever happens.
struct Held<'a> {
    renderer: &'a Renderer,
    browser: Option<(Browser, usize)>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.renderer.give(self.browser.take());
    }
}

/// The earlier of two times.
fn earlier(a: Instant, b: Instant) -> Instant {
    if a < b { a } else { b }
}
