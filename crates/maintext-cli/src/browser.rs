//! The flags that load pages in a browser, and the browser itself.
use clap::ValueEnum;
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_core::{Page, Warning, WarningCode};
use maintext_util::atomic::write_atomic;
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// When a page is loaded in the browser.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Never; pages are extracted as the server sends them
    Never,
    /// If scripts produce the page's text and a browser is installed
    Auto,
    /// Always
    Always,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// Load fetched pages in headless Chromium, so that their scripts run
    ///
    /// Without a value, this means auto. The browser is $CHROMIUM, or else the first of chromium, chromium-browser, google-chrome and
    /// chrome on the PATH. Images, fonts and media are not loaded. The styles that Chromium computes decide which text is hidden. The
    /// method text-density weights elements by their area on the rendered page.
    #[arg(long, value_name = "WHEN", default_value = "never", num_args = 0..=1, default_missing_value = "auto", require_equals = true)]
    render: When,

    /// Render a page only when an element matches this CSS selector, within the time limit for a page
    #[arg(long, value_name = "SELECTOR")]
    wait_for: Option<String>,

    /// Scroll rendered pages to their end, at most 50 windows, to load content that appears on scrolling
    #[arg(long)]
    scroll: bool,

    /// Start the browser without its sandbox, which does not work as root; use only for pages that you trust
    #[arg(long)]
    no_browser_sandbox: bool,
}

/// A browser and the rule for its use.
pub struct PageBrowser {
    when: When,
    browsers: BrowserPool,
    wait_for: Option<String>,
    /// The file for a picture of the first page that is loaded.
    screenshot: Cell<Option<PathBuf>>,
}

/// A page whose scripts have run.
pub struct LoadedPage {
    /// The document, prepared for a content method.
    pub html: String,
    /// The address at the end.
    pub url: String,
    /// The HTTP status; 0 without a response.
    pub status: u16,
    pub warning: Option<Warning>,
}

impl BrowserArgs {
    /// Returns when pages are loaded in a browser.
    #[cfg(feature = "batch")]
    pub fn when(&self) -> When {
        self.render
    }

    /// Whether pages may be loaded in a browser.
    pub fn is_used(&self) -> bool {
        self.render != When::Never
    }

    /// Returns the settings of the browser.
    pub fn options(&self) -> BrowserOptions {
        let (wait_for, scroll) = (self.wait_for.clone(), self.scroll);
        BrowserOptions { sandbox: !self.no_browser_sandbox, wait_for, scroll, ..BrowserOptions::default() }
    }

    /// Checks that no flag needs a browser that is not used.
    pub fn check(&self, screenshot: Option<&Path>) -> Result<(), String> {
        let flags = [
            ("--wait-for", self.wait_for.is_some()),
            ("--scroll", self.scroll),
            ("--screenshot", screenshot.is_some()),
        ];
        match flags.into_iter().find(|f| f.1 && self.render == When::Never) {
            Some((flag, _)) => Err(format!("{flag} needs --render")),
            None => Ok(()),
        }
    }

    /// Returns a browser if the flags ask for one. With `auto`, a missing browser is not an error, unless a picture is wanted.
    pub fn browser(&self, screenshot: Option<&Path>) -> Result<Option<PageBrowser>, String> {
        self.check(screenshot)?;
        if self.render == When::Never {
            return Ok(None);
        }
        let options = BrowserOptions { browsers: 1, screenshot: screenshot.is_some(), ..self.options() };
        let when = if screenshot.is_some() { When::Always } else { self.render };
        let (wait_for, screenshot) = (self.wait_for.clone(), Cell::new(screenshot.map(Path::to_owned)));
        match BrowserPool::new(options) {
            Ok(browsers) => Ok(Some(PageBrowser { when, browsers, wait_for, screenshot })),
            Err(_) if when == When::Auto => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl PageBrowser {
    /// Whether pages go to the browser without a plain fetch first.
    pub fn always(&self) -> bool {
        self.when == When::Always
    }

    /// Whether a page needs the browser because its scripts produce the text.
    pub fn needed(page: &Page) -> bool {
        page.needs_rendering()
    }

    /// Loads a page, and writes its picture if one is wanted.
    pub fn load(&self, url: &str, method: &str) -> Result<LoadedPage, String> {
        let mut page = self.browsers.load(url).map_err(|e| e.to_string())?;
        if let (Some(path), Some(png)) = (self.screenshot.take(), page.screenshot.take()) {
            let written = write_atomic(&path, |file| file.write_all(&png));
            written.map_err(|e| format!("{}: {e}", path.display()))?;
        }
        let selector = if page.waited_in_vain { self.wait_for.as_ref() } else { None };
        let warning = selector.map(|selector| {
            Warning::new(WarningCode::RenderFailed, format!("no element matched '{selector}' within the time limit"))
        });
        let (url, status) = (page.url.clone(), page.status);
        Ok(LoadedPage { html: page.html_for(method), url, status, warning })
    }
}
