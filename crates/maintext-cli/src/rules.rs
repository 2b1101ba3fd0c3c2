//! The flags for the caller's own rules: CSS selectors for content and metadata.
use maintext_core::Options;
use maintext_core::metadata::Stamp;
use maintext_core::rules::{FieldRule, Rules, SiteRules};
use maintext_core::select::Selector;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Extraction rules")]
pub struct RuleArgs {
    /// CSS selector of the content; everything else is dropped
    ///
    /// If the selector matches nothing on a page, it is ignored with a warning.
    #[arg(long, value_name = "SELECTOR", value_parser = Selector::parse)]
    content_selector: Option<Selector>,

    /// CSS selector of elements to drop; can be repeated
    #[arg(long, value_name = "SELECTOR", value_parser = Selector::parse)]
    drop_selector: Vec<Selector>,

    /// CSS selector of a metadata field; can be repeated
    ///
    /// Examples: author=.byline takes the element's text, date=time@datetime takes an attribute. If several rules name the same
    /// field, the first one that finds a value wins.
    #[arg(long, value_name = "NAME=SELECTOR", value_parser = FieldRule::parse)]
    field: Vec<FieldRule>,

    /// Rules by site: a TOML file with one table for each host
    ///
    /// Keys of a TOML table: content, drop (one or a list), fields (a table of names and selectors). A table applies to its host
    /// and its subdomains, the most specific host first; "*" applies to every site. Flags override the file.
    #[arg(long, value_name = "FILE", value_parser = rules_file)]
    rules: Option<SiteRules>,

    /// Reference time for dates such as "3 hours ago": 2024-05-17, 2024-05-17T10:00+02:00 or now; later dates are rejected
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Stamp>,
}

impl RuleArgs {
    /// Adds the rules to the library's options.
    pub fn apply(&self, options: &mut Options) {
        options.rules = Rules {
            content: self.content_selector.clone(),
            drop: self.drop_selector.clone(),
            fields: self.field.clone(),
        };
        if let Some(rules) = &self.rules {
            options.site_rules = rules.clone();
        }
        options.now = self.now;
    }
}

fn rules_file(path: &str) -> Result<SiteRules, String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    toml::from_str(&text).map_err(|e| {
        let place = e.span().map(|span| {
            let before = &text[..span.start.min(text.len())];
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("line {}, column {column}: ", before.matches('\n').count() + 1)
        });
        format!("{}{}", place.unwrap_or_default(), e.message())
    })
}

/// Parses the value of `--now`.
pub fn time(text: &str) -> Result<Stamp, String> {
    let stamp = if text == "now" {
        Stamp::parse(&SystemTime::now().duration_since(UNIX_EPOCH).map(|d| d.as_secs().to_string()).unwrap_or_default())
    } else {
        Stamp::parse(text)
    };
    stamp.ok_or_else(|| "expected a date, such as 2024-05-17 or 2024-05-17T10:00+02:00, or the word now".into())
}
