//! Overrides by the caller, in CSS selectors.
use crate::error::Error;
use maintext_core::rules::{FieldRule, RuleError};
use maintext_core::select::Selector;

/// CSS selectors that choose or exclude content, or give a field of the metadata, for the pages of a site.
///
/// ```
/// use maintext::{Options, Rules};
/// let rules = Rules::new().with_content("#story")?.with_drop(".ad")?.with_field("date", ".when@data-day")?;
/// let html = "<p class=when data-day=2024-05-17>Friday<div id=story>Two herons. <i class=ad>Buy!</i></div><p>Another text";
/// let page = maintext::extract(html, &Options::new().with_rules(rules))?;
/// assert_eq!(page.text(), "Two herons.\n");
/// assert_eq!(page.metadata.date.as_deref(), Some("2024-05-17"));
/// # Ok::<(), maintext::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(pub(crate) maintext_core::rules::Rules);

impl Rules {
    /// No rules.
    pub fn new() -> Rules {
        Rules::default()
    }

    /// The main content is the content of the elements that match, and nothing else.
    ///
    /// # Errors
    /// The selector is malformed.
    pub fn with_content(mut self, selector: &str) -> Result<Rules, Error> {
        self.0.content = Some(parse(selector)?);
        Ok(self)
    }

    /// Elements that match are never content.
    ///
    /// # Errors
    /// The selector is malformed.
    pub fn with_drop(mut self, selector: &str) -> Result<Rules, Error> {
        self.0.drop.push(parse(selector)?);
        Ok(self)
    }

    /// A field of the metadata, such as `title` or `date`, has the value of the first element that matches: its text, or with
    /// `SELECTOR@ATTRIBUTE` that attribute.
    ///
    /// # Errors
    /// The field is unknown, or the selector is malformed.
    pub fn with_field(mut self, field: &str, selector: &str) -> Result<Rules, Error> {
        self.0.fields.push(FieldRule::parse(&format!("{field}={selector}"))?);
        Ok(self)
    }
}

fn parse(selector: &str) -> Result<Selector, Error> {
    Ok(Selector::parse(selector).map_err(RuleError::Selector)?)
}
