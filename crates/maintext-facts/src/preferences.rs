//! The uses of a page that its site allows or forbids: content signals, AI preferences of the IETF, `noai`.
//!
//! A site states them in `robots.txt`, in HTTP headers and in the page. The library reads the page's statements; callers that fetch pages
//! add the headers ([`Preferences::add_header`]) and robots.txt ([`Preferences::add`]).
use maintext_page::dom::Dom;
use maintext_page::signs::PageSigns;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Maximum number of statements that are kept with their words, and the maximum number of characters of each.
const MAX_STATEMENTS: usize = 20;
const MAX_CHARACTERS: usize = 300;
/// Maximum number of parts of one statement that are read.
const MAX_PARTS: usize = 200;

/// A use of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Use {
    /// Building a search index.
    Search,
    /// Giving the page to a model as input, such as for an answer with sources.
    AiInput,
    /// Training a model.
    AiTrain,
}

impl Use {
    /// All uses.
    pub const ALL: [Use; 3] = [Use::Search, Use::AiInput, Use::AiTrain];
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Use::Search => "search",
            Use::AiInput => "ai-input",
            Use::AiTrain => "ai-train",
        })
    }
}

impl FromStr for Use {
    type Err = String;

    fn from_str(text: &str) -> Result<Use, String> {
        let known = Use::ALL.into_iter().find(|u| u.to_string() == text);
        known.ok_or_else(|| format!("'{text}' is not a use; the uses are search, ai-input and ai-train"))
    }
}

/// Where a preference was stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum StatedIn {
    /// The robots.txt of the site.
    #[serde(rename = "robots.txt")]
    Robots,
    /// A header of the answer.
    #[serde(rename = "header")]
    Header,
    /// A `<meta>` of the page.
    #[serde(rename = "meta")]
    Meta,
}

/// A preference in the words of the site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Statement {
    /// Where it was found.
    #[serde(rename = "in")]
    pub place: StatedIn,
    /// The line, such as `Content-Signal: search=yes, ai-train=no`.
    pub text: String,
}

/// The uses of a page that its site allows or forbids.
///
/// A use is `None` if no statement names it. If statements contradict each other, the prohibition holds.
///
/// ```
/// # mod maintext { pub use maintext_facts::preferences::*; }
/// use maintext::{Preferences, Use};
/// let mut preferences = Preferences::default();
/// preferences.add_header("Content-Signal", "search=yes, ai-train=no", "mybot/1.0");
/// assert_eq!((preferences.search, preferences.ai_train), (Some(true), Some(false)));
/// assert!(preferences.forbids(Use::AiTrain) && !preferences.forbids(Use::AiInput));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Preferences {
    /// Building a search index. `noindex`, an instruction to search engines, is not read.
    pub search: Option<bool>,
    /// Giving the page to a model as input.
    pub ai_input: Option<bool>,
    /// Training a model.
    pub ai_train: Option<bool>,
    /// Training a model on the images of the page.
    pub ai_train_images: Option<bool>,
    /// The statements, at most 20.
    pub statements: Vec<Statement>,
}

impl Preferences {
    /// Whether it has no statements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Returns whether the site allows a use; `None` if it states nothing.
    #[must_use]
    pub fn allows(&self, purpose: Use) -> Option<bool> {
        match purpose {
            Use::Search => self.search,
            Use::AiInput => self.ai_input,
            Use::AiTrain => self.ai_train,
        }
    }

    /// Whether the site forbids a use.
    #[must_use]
    pub fn forbids(&self, purpose: Use) -> bool {
        self.allows(purpose) == Some(false)
    }

    /// Adds the preferences of another source.
    pub fn add(&mut self, other: &Preferences) {
        merge(&mut self.search, other.search);
        merge(&mut self.ai_input, other.ai_input);
        merge(&mut self.ai_train, other.ai_train);
        merge(&mut self.ai_train_images, other.ai_train_images);
        for statement in &other.statements {
            if self.statements.len() < MAX_STATEMENTS && !self.statements.contains(statement) {
                self.statements.push(statement.clone());
            }
        }
    }

    /// Adds a header of the answer: `Content-Signal`, `Content-Usage` or `X-Robots-Tag`; others are ignored. `agent` is the `User-Agent` of
    /// the request: a line of `X-Robots-Tag` for another one does not count.
    pub fn add_header(&mut self, name: &str, value: &str, agent: &str) {
        match name.to_ascii_lowercase().as_str() {
            "content-signal" => self.add_line(StatedIn::Header, Vocabulary::Signal, value),
            "content-usage" => self.add_line(StatedIn::Header, Vocabulary::Usage, value),
            "x-robots-tag" => {
                if let Some(directives) = for_agent(value, agent) {
                    self.add_directives(StatedIn::Header, "X-Robots-Tag", directives);
                }
            }
            _ => {}
        }
    }

    /// Adds a line of either vocabulary, without its name and without the path that it may have in robots.txt.
    pub fn add_line(&mut self, place: StatedIn, vocabulary: Vocabulary, value: &str) {
        let (mut all, mut said) = (None, Preferences::default());
        for part in value.split(',').take(MAX_PARTS) {
            // Parameters of structured fields follow a semicolon.
            let Some((key, word)) = part.split(';').next().unwrap_or("").split_once('=') else { continue };
            let word = word.trim().trim_matches('"');
            let allowed = match word.to_ascii_lowercase().as_str() {
                "yes" | "y" => true,
                "no" | "n" => false,
                _ => continue,
            };
            let purpose = match key.trim().to_ascii_lowercase().as_str() {
                "search" => &mut said.search,
                "ai-input" | "ai-use" => &mut said.ai_input,
                // `train-genai` is a class within `train-ai`: training is allowed only if neither is refused.
                "ai-train" | "train-ai" | "train-genai" => &mut said.ai_train,
                "bots" => &mut all,
                _ => continue,
            };
            merge(purpose, Some(allowed));
        }
        // All automated processing: it holds for the uses that the line does not name.
        for purpose in [&mut said.search, &mut said.ai_input, &mut said.ai_train] {
            *purpose = purpose.or(all);
        }
        if Use::ALL.iter().any(|u| said.allows(*u).is_some()) {
            said.state(place, vocabulary.name(), value);
            self.add(&said);
        }
    }

    /// Adds the directives of a robots tag: `noindex, noai`.
    fn add_directives(&mut self, place: StatedIn, name: &str, directives: &str) {
        let mut said = Preferences::default();
        for directive in directives.split(',').take(MAX_PARTS) {
            match directive.trim().to_ascii_lowercase().as_str() {
                "noai" => (said.ai_train, said.ai_train_images) = (Some(false), Some(false)),
                "noimageai" => said.ai_train_images = Some(false),
                _ => {}
            }
        }
        if said.ai_train_images.is_some() {
            said.state(place, name, directives);
            self.add(&said);
        }
    }

    fn state(&mut self, place: StatedIn, name: &str, value: &str) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = format!("{name}: {value}").chars().take(MAX_CHARACTERS).collect();
        self.statements.push(Statement { place, text });
    }

    /// Reads the `<meta name=robots>` of a page.
    pub fn of_page(dom: &Dom<'_>, signs: &PageSigns) -> Preferences {
        let mut found = Preferences::default();
        for node in signs.metas(dom) {
            let name = dom.attr(node, "name").unwrap_or("").trim();
            if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case("maintext") {
                found.add_directives(StatedIn::Meta, "robots", dom.attr(node, "content").unwrap_or(""));
            }
        }
        found
    }
}

/// A form of the lines that state preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// `Content-Signal`: `search=yes, ai-input=no, ai-train=no`.
    Signal,
    /// `Content-Usage` of the IETF's working group aipref: `train-ai=n, search=y`.
    Usage,
}

impl Vocabulary {
    fn name(self) -> &'static str {
        match self {
            Vocabulary::Signal => "Content-Signal",
            Vocabulary::Usage => "Content-Usage",
        }
    }
}

fn merge(one: &mut Option<bool>, other: Option<bool>) {
    *one = match (*one, other) {
        (Some(a), Some(b)) => Some(a && b),
        (a, b) => a.or(b),
    };
}

/// Returns the directives of an `X-Robots-Tag` unless they are for another crawler: `otherbot: noai`.
fn for_agent<'v>(value: &'v str, agent: &str) -> Option<&'v str> {
    let Some((name, rest)) = value.split_once(':') else { return Some(value) };
    let name = name.trim();
    // A directive with a value of its own.
    let is_directive = name.contains([',', ' ']) || name == "unavailable_after" || name.starts_with("max-");
    if is_directive {
        return Some(value);
    }
    let product = agent.split(['/', ' ']).next().unwrap_or("");
    (name == "*" || name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(product)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&str, &str)]) -> Preferences {
        let mut found = Preferences::default();
        lines.iter().for_each(|(name, value)| found.add_header(name, value, "maintext/0.1 (+https://example.org)"));
        found
    }

    #[test]
    fn signals_and_usage_name_the_same_uses() {
        let signal = headers(&[("content-signal", "search=yes,ai-input=no, AI-Train=No, use=reference")]);
        assert_eq!((signal.search, signal.ai_input, signal.ai_train), (Some(true), Some(false), Some(false)));
        assert_eq!(signal.statements[0].text, "Content-Signal: search=yes,ai-input=no, AI-Train=No, use=reference");
        let usage = headers(&[("Content-Usage", "train-ai=n;reason=\"x=y\", search=\"y\", other=n")]);
        assert_eq!((usage.search, usage.ai_input, usage.ai_train), (Some(true), None, Some(false)));
        for nothing in ["", "search", "search=maybe", "=no", "ai-train=", ",,,"] {
            assert!(headers(&[("content-signal", nothing)]).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn a_general_class_holds_for_the_uses_that_the_line_does_not_name() {
        let found = headers(&[("content-usage", "bots=n, search=y")]);
        assert_eq!((found.search, found.ai_input, found.ai_train), (Some(true), Some(false), Some(false)));
        assert_eq!(headers(&[("content-usage", "train-ai=y, train-genai=n")]).ai_train, Some(false));
    }

    #[test]
    fn the_statement_that_forbids_holds() {
        for order in [["yes", "no"], ["no", "yes"]] {
            let lines = order.map(|word| format!("ai-train={word}"));
            let found = headers(&[("content-signal", &lines[0]), ("content-signal", &lines[1])]);
            assert!(found.forbids(Use::AiTrain) && found.statements.len() == 2);
        }
    }

    #[test]
    fn robots_tags_for_other_crawlers_do_not_count() {
        for (value, forbidden) in [
            ("noai", true),
            ("noindex, NoAI , noimageai", true),
            ("maintext: noai", true),
            ("*: noai", true),
            ("otherbot: noai", false),
            ("unavailable_after: 25 Jun 2030 15:00:00 PST, noai", true),
            ("max-snippet:20, noai", true),
            ("noindex, max-snippet:20, noai", true),
            ("noaid, xnoai", false),
        ] {
            assert_eq!(headers(&[("X-Robots-Tag", value)]).forbids(Use::AiTrain), forbidden, "{value}");
        }
        let images = headers(&[("x-robots-tag", "noimageai")]);
        assert_eq!((images.ai_train, images.ai_train_images), (None, Some(false)));
    }

    fn of_page(html: &str) -> Preferences {
        let dom = maintext_page::dom::parse(html, &Default::default());
        Preferences::of_page(&dom, &PageSigns::new(&dom))
    }

    #[test]
    fn metas_of_a_page_are_read_and_no_text_of_it() {
        let html = "<head><meta name=Robots content='index, noai'><meta name=description content=noai></head><p>noai";
        let found = of_page(html);
        assert_eq!(serde_json::to_value(&found.statements).unwrap()[0]["in"], "meta");
        assert_eq!((found.statements.len(), found.ai_train), (1, Some(false)));
        assert!(of_page("<p>noai").is_empty());
    }

    #[test]
    fn endless_statements_are_bounded() {
        let long = "ai-train=no,".repeat(100_000);
        let mut found = Preferences::default();
        for i in 0..1000 {
            found.add_header("content-signal", &format!("x{i}=1,{}", &long[..2000]), "a");
        }
        found.add_header("content-signal", &long, "a");
        assert!(found.statements.len() == MAX_STATEMENTS && found.forbids(Use::AiTrain));
        assert!(found.statements.iter().all(|s| s.text.chars().count() <= MAX_CHARACTERS));
    }

    #[test]
    fn uses_have_names() {
        for purpose in Use::ALL {
            assert_eq!(purpose.to_string().parse(), Ok(purpose));
        }
        assert!("training".parse::<Use>().unwrap_err().contains("ai-train"));
    }
}
