//! The flag for the representation of pages to ask servers for.
use crate::report;
use clap::ValueEnum;
use maintext_fetch::Representation;

/// The representation to ask for.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WantedRepresentation {
    /// Markdown for text and Markdown without metadata, unless another flag needs HTML; else HTML
    #[default]
    Auto,
    /// HTML
    Html,
    /// Markdown, also the version that a page declares on its host; else HTML
    Markdown,
}

impl WantedRepresentation {
    /// Returns the representation to ask for. `needs_html` is the flag that needs HTML, and `is_plain` whether the output holds no more than
    /// text or Markdown.
    pub fn resolve(self, needs_html: Option<String>, is_plain: bool) -> Representation {
        match (self, needs_html) {
            (WantedRepresentation::Markdown, Some(flag)) => {
                report::usage(&format!("--representation markdown: {flag} has an effect on HTML only"))
            }
            (WantedRepresentation::Markdown, None) if !cfg!(feature = "formats") => report::usage(
                &"--representation markdown: this build cannot read Markdown; build with '--features full'",
            ),
            (WantedRepresentation::Markdown, None) => Representation::Markdown,
            (WantedRepresentation::Auto, None) if is_plain && cfg!(feature = "formats") => Representation::Markdown,
            _ => Representation::Html,
        }
    }
}
