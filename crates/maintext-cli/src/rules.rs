//! The flags by which a user says where content and fields stand.
use maintext_core::Options;
use maintext_core::metadata::Stamp;
use maintext_core::rules::{FieldRule, Rules, SiteRules};
use maintext_core::select::Selector;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Rules of your own")]
pub struct RuleArgs {
    /// The content is what stands in the elements that match this CSS selector, and nothing else
    ///
    /// A selector that matches nothing on a page is a warning, and the result is what it would be without it.
    #[arg(long, value_name = "SELECTOR", value_parser = Selector::parse)]
    content_selector: Option<Selector>,

    /// Elements that are never content; may be given several times
    #[arg(long, value_name = "SELECTOR", value_parser = Selector::parse)]
    drop_selector: Vec<Selector>,

    /// Where a field of the metadata stands; may be given several times
    ///
    /// As author=.byline or date=time@datetime, with @ and an attribute if the value is not the element's text. Of several rules
    /// for one field the first that finds a value counts.
    #[arg(long, value_name = "NAME=SELECTOR", value_parser = FieldRule::parse)]
    field: Vec<FieldRule>,

    /// Rules by site, a TOML file with a table for each host
    ///
    /// Keys of a table: content, drop (one or a list), fields (a table of names and selectors). A table counts for its host
    /// and all below it, the longest host first; "*" is every site. Flags go before the file.
    #[arg(long, value_name = "FILE", value_parser = rules_file)]
    rules: Option<SiteRules>,

    /// Time that "3 hours ago" counts from, as 2024-05-17, 2024-05-17T10:00+02:00 or the word now; later dates are not believed
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Stamp>,
}

impl RuleArgs {
    /// Puts the rules into the library's options.
    pub fn apply(&self, options: &mut Options) {
        options.rules = Rules {
            content: self.content_selector.clone(),
            drop: self.drop_selector.clone(),
            fields: self.field.clone(),
        };
        options.site_rules = self.rules.clone().unwrap_or_default();
        options.now = self.now;
    }
}

fn rules_file(path: &str) -> Result<SiteRules, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    toml::from_str(&text).map_err(|e| {
        let place = e.span().map(|span| {
            let before = &text[..span.start.min(text.len())];
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("line {}, column {column}: ", before.matches('\n').count() + 1)
        });
        format!("{}{}", place.unwrap_or_default(), e.message())
    })
}

/// A time for `--now`.
pub fn time(text: &str) -> Result<Stamp, String> {
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map(|d| d.as_secs().to_string()).unwrap_or_default();
    let stamp = if text == "now" { Stamp::parse(&seconds()) } else { Stamp::parse(text) };
    stamp.ok_or_else(|| "expected a date, as 2024-05-17 or 2024-05-17T10:00+02:00, or the word now".into())
}
