//! The flags that say whether pages go through a browser, and the way there.
use clap::ValueEnum;
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_core::Page;

/// When a page is rendered.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Pages are taken as they come over the wire
    Never,
    /// Pages that are shells which scripts fill, if there is a browser
    Auto,
    /// All pages
    Always,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Rendering")]
pub struct RenderArgs {
    /// Load pages of the web in a headless Chromium, for those whose text scripts make
    ///
    /// Without a value: auto. The browser is $CHROMIUM, or else the first of chromium, chromium-browser, google-chrome and chrome
    /// on the PATH. Images, fonts and media are not loaded; what is invisible is left out. The method text-density weighs elements
    /// by their area on the rendered page.
    #[arg(long, value_name = "WHEN", default_value = "never", num_args = 0..=1, default_missing_value = "auto", require_equals = true)]
    render: When,

    /// Start the browser without its own sandbox, which it cannot have as root; only for pages that you trust
    #[arg(long)]
    no_browser_sandbox: bool,
}

/// A browser, if pages are to be rendered.
pub struct Rendering {
    when: When,
    browsers: BrowserPool,
}

impl RenderArgs {
    /// When pages are rendered.
    pub fn when(&self) -> When {
        self.render
    }

    /// Whether the browser has its own sandbox.
    pub fn sandbox(&self) -> bool {
        !self.no_browser_sandbox
    }

    /// A browser if one is wanted. For `auto`, no browser is no error.
    pub fn rendering(&self) -> Result<Option<Rendering>, String> {
        if self.render == When::Never {
            return Ok(None);
        }
        let options = BrowserOptions { sandbox: self.sandbox(), browsers: 1, ..BrowserOptions::default() };
        match BrowserPool::new(options) {
            Ok(browsers) => Ok(Some(Rendering { when: self.render, browsers })),
            Err(_) if self.render == When::Auto => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Rendering {
    /// Whether the page is rendered without a look at what comes over the wire.
    pub fn always(&self) -> bool {
        self.when == When::Always
    }

    /// Whether a page says that its text is there only after rendering.
    pub fn needed(page: &Page) -> bool {
        page.warnings.iter().any(|w| w.code.as_str() == "needs_rendering")
    }

    /// The HTML as it stands after scripts have run, for a content method, with the page's address.
    pub fn html(&self, url: &str, method: &str) -> Result<(String, String), String> {
        let page = self.browsers.load(url).map_err(|e| e.to_string())?;
        let url = page.url.clone();
        Ok((page.html_for(method), url))
    }
}
