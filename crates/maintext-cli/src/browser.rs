//! The flags that load pages in a browser, and the browser itself.
use clap::ValueEnum;
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_core::Page;

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
    /// chrome on the PATH. Images, fonts and media are not loaded; invisible elements are dropped. The method text-density weights
    /// elements by their area on the rendered page.
    #[arg(long, value_name = "WHEN", default_value = "never", num_args = 0..=1, default_missing_value = "auto", require_equals = true)]
    render: When,

    /// Start the browser without its sandbox, which does not work as root; use only for pages that you trust
    #[arg(long)]
    no_browser_sandbox: bool,
}

/// A browser and the rule for its use.
pub struct Browser {
    when: When,
    browsers: BrowserPool,
}

impl BrowserArgs {
    /// Returns when pages are loaded in a browser.
    #[cfg(feature = "batch")]
    pub fn when(&self) -> When {
        self.render
    }

    /// Whether the browser runs in its sandbox.
    pub fn sandbox(&self) -> bool {
        !self.no_browser_sandbox
    }

    /// Returns a browser if the flags ask for one. With `auto`, a missing browser is not an error.
    pub fn browser(&self) -> Result<Option<Browser>, String> {
        if self.render == When::Never {
            return Ok(None);
        }
        let options = BrowserOptions { sandbox: self.sandbox(), browsers: 1, ..BrowserOptions::default() };
        match BrowserPool::new(options) {
            Ok(browsers) => Ok(Some(Browser { when: self.render, browsers })),
            Err(_) if self.render == When::Auto => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Browser {
    /// Whether pages go to the browser without a plain fetch first.
    pub fn always(&self) -> bool {
        self.when == When::Always
    }

    /// Whether a page needs the browser because its scripts produce the text.
    pub fn needed(page: &Page) -> bool {
        page.warnings.iter().any(|w| w.code.as_str() == "needs_rendering")
    }

    /// Returns the HTML after scripts have run, prepared for a content method, and the page's final address.
    pub fn html(&self, url: &str, method: &str) -> Result<(String, String), String> {
        let page = self.browsers.load(url).map_err(|e| e.to_string())?;
        let url = page.url.clone();
        Ok((page.html_for(method), url))
    }
}
