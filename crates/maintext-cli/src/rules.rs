//! The flags for the caller's own rules: CSS selectors for content and metadata, and site configurations of FiveFilters.
use crate::report;
use maintext_core::Options;
use maintext_core::metadata::Stamp;
use maintext_core::rules::{FieldRule, Rules, SiteRules};
use maintext_core::select::Selector;
use maintext_core::site_config::SiteConfig;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
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

    /// Rules by site: a TOML file with one table for each host, or FiveFilters site configurations (a folder of them, or one .txt file)
    ///
    /// Keys of a TOML table: content, drop (one or a list), fields (a table of names and selectors). A table applies to its host
    /// and its subdomains, the most specific host first; "*" applies to every site. Flags override the file.
    ///
    /// A site configuration is named after its host, such as example.org.txt, .example.org.txt for other subdomains, or global.txt.
    /// A line that cannot be read is a warning. Links to a single or next page are followed with --follow and --follow-pages.
    #[arg(long, value_name = "PATH", value_parser = rules_file)]
    rules: Option<RuleFiles>,

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
            configs: Vec::new(),
        };
        if let Some(files) = &self.rules {
            options.site_rules = files.rules.clone();
            files.notes.iter().for_each(report::note);
        }
        options.now = self.now;
    }
}

/// Maximum size of a site configuration in bytes.
const MAX_CONFIG: u64 = 1 << 20;
/// Maximum number of lines that cannot be read and are named.
const MAX_NAMED: usize = 20;

/// Rules by site, and what their files hold besides.
#[derive(Clone, Debug, Default)]
struct RuleFiles {
    rules: SiteRules,
    notes: Vec<String>,
}

fn rules_file(path: &str) -> Result<RuleFiles, String> {
    let path = Path::new(path);
    if path.is_dir() {
        let mut files = Vec::new();
        for entry in fs::read_dir(path).map_err(|e| e.to_string())? {
            let file = entry.map_err(|e| e.to_string())?.path();
            if is_config(&file) && file.is_file() {
                files.push(file);
            }
        }
        files.sort();
        return match files.is_empty() {
            true => Err("the folder holds no site configurations, such as example.org.txt".into()),
            false => configs(&files),
        };
    }
    if is_config(path) {
        return configs(&[path.to_owned()]);
    }
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let rules = toml::from_str(&text).map_err(|e| {
        let place = e.span().map(|span| {
            let before = &text[..span.start.min(text.len())];
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("line {}, column {column}: ", before.matches('\n').count() + 1)
        });
        format!("{}{}", place.unwrap_or_default(), e.message())
    })?;
    Ok(RuleFiles { rules, notes: Vec::new() })
}

fn is_config(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt"))
}

/// Reads site configurations.
fn configs(files: &[PathBuf]) -> Result<RuleFiles, String> {
    let mut out = RuleFiles::default();
    let (mut errors, mut ignored) = (0, BTreeMap::<&str, usize>::new());
    for file in files {
        let name = file.display().to_string();
        let named = |e: std::io::Error| match files.len() {
            1 => e.to_string(),
            _ => format!("{name}: {e}"),
        };
        let mut bytes = Vec::new();
        fs::File::open(file).and_then(|f| f.take(MAX_CONFIG + 1).read_to_end(&mut bytes)).map_err(named)?;
        if bytes.len() as u64 > MAX_CONFIG {
            return Err(format!("{name} is larger than {MAX_CONFIG} bytes, and no site configuration"));
        }
        let read = SiteConfig::read(&name, &String::from_utf8_lossy(&bytes));
        for error in &read.errors {
            errors += 1;
            if errors <= MAX_NAMED {
                out.notes.push(format!("warning: {error}"));
            }
        }
        read.ignored.into_iter().for_each(|(key, lines)| *ignored.entry(key).or_default() += lines);
        out.rules.add_config(read.config);
    }
    if errors > MAX_NAMED {
        out.notes.push(format!("warning: {} more lines of site configurations cannot be read", errors - MAX_NAMED));
    }
    if !ignored.is_empty() {
        let keys: Vec<String> = ignored.into_iter().map(|(key, lines)| format!("{key} ({lines})")).collect();
        out.notes.push(format!("site configurations: these rules have no effect: {}", keys.join(", ")));
    }
    Ok(out)
}

/// Parses the value of `--now`.
pub fn time(text: &str) -> Result<Stamp, String> {
    let seconds = || SystemTime::now().duration_since(UNIX_EPOCH).map(|d| d.as_secs().to_string()).unwrap_or_default();
    let stamp = if text == "now" { Stamp::parse(&seconds()) } else { Stamp::parse(text) };
    stamp.ok_or_else(|| "expected a date, such as 2024-05-17 or 2024-05-17T10:00+02:00, or the word now".into())
}
