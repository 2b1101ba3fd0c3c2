//! Site configurations of FiveFilters, as Full-Text RSS, wallabag and FreshRSS read them: text files with a rule on each line.
//!
//! ```text
//! title: //h1[@class='headline']
//! body: //div[@id='story']
//! strip_id_or_class: promo
//! next_page_link: //a[@rel='next']
//! ```
//!
//! Expressions are XPath 1.0. Several rules for a field are tried in order until one finds something.
mod apply;

pub use apply::Applied;

use maintext_page::lexicon::lexicon;
use maintext_page::select::beginning;
use maintext_page::xpath::XPath;
use std::collections::BTreeMap;
use std::fmt;

/// Maximum number of rules in a file.
const MAX_RULES: usize = 1_000;
/// The keys that other readers know and that have no effect here: how to fetch, how to clean, how to test.
const IGNORED: &[&str] = lexicon!("site-config-ignored.txt");

/// The rules of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteConfig {
    name: String,
    /// The expressions of each key of [`EXPRESSIONS`].
    rules: [Vec<Rule>; EXPRESSIONS.len()],
    strip_id_or_class: Vec<String>,
    strip_image_src: Vec<String>,
    replace: Vec<(String, String)>,
    /// Whether a page that `body` does not match is judged as without rules.
    falls_back: bool,
}

/// A rule, with a condition for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    xpath: XPath,
    /// `if_page_contains`.
    condition: Option<XPath>,
}

/// What a file holds: its rules, and the lines that are no rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The rules.
    pub config: SiteConfig,
    /// The lines that cannot be read; the other rules hold.
    pub errors: Vec<LineError>,
    /// The keys that are known and have no effect, with the number of their lines.
    pub ignored: BTreeMap<&'static str, usize>,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The error in words, with the expression.
    pub message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for LineError {}

impl SiteConfig {
    /// Reads a file. `name` is what messages call it.
    ///
    /// ```
    /// use maintext_facts::site_config::SiteConfig;
    /// let read = SiteConfig::read("example.org.txt", "body: //article\nauthor: //p[@class='by'\ntidy: no\n");
    /// assert_eq!(read.errors[0].to_string(), "example.org.txt, line 2: author: //p[@class='by': column 16: expected ']'");
    /// assert_eq!(read.ignored["tidy"], 1);
    /// ```
    pub fn read(name: &str, text: &str) -> Read {
        let config = SiteConfig { name: name.to_owned(), falls_back: true, ..SiteConfig::default() };
        let mut reader =
            Reader { config, errors: Vec::new(), ignored: BTreeMap::new(), line: 0, find: None, last: None, rules: 0 };
        for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            reader.line = i + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            reader.rules += 1;
            if reader.rules > MAX_RULES {
                reader.wrong(format!("more than {MAX_RULES} rules; the rest is left out"));
                break;
            }
            reader.read(line);
        }
        if let Some((line, find)) = reader.find.take() {
            reader.line = line;
            reader.wrong(format!("find_string: '{}' has no replace_string", beginning(&find)));
        }
        Read { config: reader.config, errors: reader.errors, ignored: reader.ignored }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether other rules and the method choose what these rules do not find: `autodetect_on_failure`.
    pub fn falls_back(&self) -> bool {
        self.falls_back
    }
}

struct Reader {
    config: SiteConfig,
    errors: Vec<LineError>,
    ignored: BTreeMap<&'static str, usize>,
    line: usize,
    /// A `find_string` that waits for its `replace_string`, and its line.
    find: Option<(usize, String)>,
    /// The last expression by the index of its key; a condition belongs to it.
    last: Option<usize>,
    rules: usize,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let Some((key, value)) = parted(line) else {
            return self.wrong(format!("'{}' is not of the form KEY: VALUE", beginning(line)));
        };
        let (name, argument) = match key.split_once('(') {
            Some((name, rest)) => (name.trim().to_ascii_lowercase(), rest.strip_suffix(')')),
            None => (key.to_ascii_lowercase(), None),
        };
        match name.as_str() {
            "replace_string" => self.replace(argument, value),
            "find_string" => {
                if let Some((at, find)) = self.find.replace((self.line, value.to_owned())) {
                    let message = format!("find_string: '{}' has no replace_string", beginning(&find));
                    self.errors.push(LineError { file: self.config.name.clone(), line: at, message });
                }
            }
            name if IGNORED.contains(&name) => {
                let known = IGNORED.iter().find(|known| **known == name);
                known.into_iter().for_each(|known| *self.ignored.entry(known).or_default() += 1);
            }
            _ if value.is_empty() => self.wrong(format!("{name}: expected a value")),
            "autodetect_on_failure" => match value.to_ascii_lowercase().as_str() {
                "yes" => self.config.falls_back = true,
                "no" => self.config.falls_back = false,
                _ => self.wrong(format!("{name}: expected yes or no, not '{}'", beginning(value))),
            },
            "strip_id_or_class" => self.config.strip_id_or_class.push(unquoted(value)),
            "strip_image_src" => self.config.strip_image_src.push(unquoted(value)),
            "if_page_contains" => {
                let Some(condition) = self.xpath(&name, value) else { return };
                match self.last.and_then(|last| self.config.rules[last].last_mut()) {
                    Some(rule) => rule.condition = Some(condition),
                    None => self.wrong("if_page_contains: expected after the rule that depends on it".into()),
                }
            }
            name => match EXPRESSIONS.iter().position(|key| *key == name) {
                Some(key) => {
                    self.last = None;
                    let Some(xpath) = self.xpath(name, value) else { return };
                    self.last = Some(key);
                    self.config.rules[key].push(Rule { xpath, condition: None });
                }
                None => self.wrong(format!("there is no rule '{}'", beginning(name))),
            },
        }
    }

    fn xpath(&mut self, name: &str, value: &str) -> Option<XPath> {
        let parsed = XPath::parse(value);
        parsed.map_err(|e| self.wrong(format!("{name}: {}: {e}", beginning(value)))).ok()
    }

    /// `replace_string(FIND): REPLACE`, or `replace_string: REPLACE` after `find_string: FIND`.
    fn replace(&mut self, argument: Option<&str>, value: &str) {
        let find = match argument {
            Some(find) => Some(find.to_owned()),
            None => self.find.take().map(|f| f.1),
        };
        match find.filter(|find| !find.is_empty()) {
            Some(find) => self.config.replace.push((find, value.to_owned())),
            None => self.wrong("replace_string: expected find_string before it".into()),
        }
    }

    fn wrong(&mut self, message: String) {
        self.errors.push(LineError { file: self.config.name.clone(), line: self.line, message });
    }
}

/// The keys whose values are expressions.
const EXPRESSIONS: [&str; 7] = ["title", "body", "author", "date", "strip", "single_page_link", "next_page_link"];

impl SiteConfig {
    /// Returns the rules of a key whose values are expressions; none of another key.
    fn rules(&self, key: &str) -> &[Rule] {
        EXPRESSIONS.iter().position(|k| *k == key).map_or(&[], |i| &self.rules[i])
    }
}

/// Parts a line into key and value. The text in the parentheses of a key may hold colons.
fn parted(line: &str) -> Option<(&str, &str)> {
    let colon = match (line.find('('), line.find(':')) {
        (Some(open), Some(colon)) if open < colon => line.find("):").map(|i| i + 1)?,
        (_, colon) => colon?,
    };
    Some((line[..colon].trim(), line[colon + 1..].trim()))
}

/// Returns a value without the quotes that some files have around it.
fn unquoted(value: &str) -> String {
    value.chars().filter(|c| !matches!(c, '"' | '\'')).collect()
}
