//! Conditions that select pages: `lang=zh,page_type=article,min-words=50`.
use maintext_core::Page;
use maintext_core::blocks::count_words;
use maintext_core::features::tokens::KINDS;
use maintext_core::settings::similar;

/// Conditions that a page must meet, all of them.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Filter {
    languages: Vec<String>,
    page_types: Vec<String>,
    min_words: Option<u32>,
    max_words: Option<u32>,
    min_confidence: Option<f32>,
}

/// The available conditions, for messages and help.
pub const CONDITIONS: &str = "lang=CODE, page_type=TYPE, min-words=N, max-words=N, min-confidence=0..1; several values of lang and page_type with |";

/// The names of conditions, in the spelling that messages propose.
const NAMES: [&str; 5] = ["lang", "page_type", "min-words", "max-words", "min-confidence"];

/// Whether a value in lower case has the form of a language tag (BCP 47): a language of two or three letters, then further parts.
fn is_language(value: &str) -> bool {
    let (language, rest) = value.split_once('-').map_or((value, None), |(language, rest)| (language, Some(rest)));
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|b| b.is_ascii_lowercase())
        && rest.is_none_or(|rest| {
            rest.split('-').all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
        })
}

impl Filter {
    /// Parses conditions separated by commas. Several languages or page types are separated by `|`.
    ///
    /// # Errors
    /// A message that names the invalid part.
    ///
    /// ```
    /// let filter = maintext_batch::Filter::parse("lang=zh|ja,min-words=50")?;
    /// assert!(maintext_batch::Filter::parse("words=50").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Filter, String> {
        let mut filter = Filter::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let wrong = || format!("'{part}' is not a condition; the conditions are: {CONDITIONS}");
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let (name, value) = (name.trim(), value.trim());
            if value.starts_with('=') || name.ends_with(['!', '<', '>', '~']) {
                return Err(format!("'{part}': the only operator is =, and its value follows it"));
            }
            let values = || value.split('|').map(|v| v.trim().to_ascii_lowercase());
            if value.is_empty() {
                return Err(wrong());
            }
            match name.to_ascii_lowercase().replace('_', "-").as_str() {
                "lang" | "language" => {
                    if let Some(other) = values().find(|value| !is_language(value)) {
                        return Err(format!(
                            "'{part}': '{other}' is not the code of a language, such as en or zh-Hant"
                        ));
                    }
                    filter.languages.extend(values());
                }
                "page-type" => {
                    if let Some(other) = values().find(|value| !KINDS.contains(&value.as_str())) {
                        let kinds = KINDS.join(", ");
                        let help = match similar(&other, &KINDS) {
                            Some(kind) => format!("did you mean {kind}? The types are {kinds}"),
                            None => format!("the types are {kinds}"),
                        };
                        return Err(format!("'{part}': no page type '{other}'; {help}"));
                    }
                    filter.page_types.extend(values());
                }
                "min-words" => filter.min_words = Some(value.parse().map_err(|_| wrong())?),
                "max-words" => filter.max_words = Some(value.parse().map_err(|_| wrong())?),
                "min-confidence" => {
                    let confidence = value.parse().ok().filter(|c| (0.0..=1.0).contains(c));
                    filter.min_confidence = Some(confidence.ok_or_else(wrong)?);
                }
                other => {
                    return Err(match similar(other, &NAMES) {
                        Some(meant) => format!("'{part}' is not a condition; did you mean {meant}={value}?"),
                        None => wrong(),
                    });
                }
            }
        }
        Ok(filter)
    }

    /// Whether any condition depends on the text of the page.
    #[must_use]
    pub fn needs_text(&self) -> bool {
        self.min_words.is_some() || self.max_words.is_some()
    }

    /// Whether any condition depends on the language.
    #[must_use]
    pub fn needs_language(&self) -> bool {
        !self.languages.is_empty()
    }

    /// Whether any condition depends on the page type.
    #[must_use]
    pub fn needs_page_type(&self) -> bool {
        !self.page_types.is_empty()
    }

    /// Whether the page meets all conditions. A missing value meets none.
    #[must_use]
    pub fn keeps(&self, page: &Page) -> bool {
        let language = page.metadata.language.as_deref().map(str::to_ascii_lowercase);
        // "zh" includes "zh-Hant", but not the other way round.
        let speaks = |wanted: &String| {
            let rest = language.as_deref().and_then(|l| l.strip_prefix(wanted.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let page_type = page.page_type.as_deref();
        let words = if self.needs_text() { count_words(page.text()) } else { 0 };
        (self.languages.is_empty() || self.languages.iter().any(speaks))
            && (self.page_types.is_empty() || self.page_types.iter().any(|t| Some(t.as_str()) == page_type))
            && self.min_words.is_none_or(|min| words >= min)
            && self.max_words.is_none_or(|max| words <= max)
            && self.min_confidence.is_none_or(|min| page.confidence.is_some_and(|c| c >= min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(language: Option<&str>, page_type: Option<&str>, text: &str, confidence: f32) -> Page {
        let mut page = Page::default();
        page.metadata.language = language.map(str::to_owned);
        page.page_type = page_type.map(str::to_owned);
        page.text = Some(text.into());
        page.confidence = Some(confidence);
        page
    }

    #[test]
    fn a_page_must_meet_all_conditions() {
        let filter =
            Filter::parse("lang=zh|de, page_type=article, min-words=3, max_words=5, min-confidence=0.5").unwrap();
        let keeps =
            |language, kind, text, confidence| filter.keeps(&page(Some(language), Some(kind), text, confidence));
        assert!(keeps("de", "article", "eins zwei drei", 0.5));
        assert!(keeps("zh-Hant", "article", "a b c d e", 0.9));
        assert!(!keeps("den", "article", "a b c", 0.9));
        assert!(!keeps("de", "forum", "a b c", 0.9));
        assert!(!keeps("de", "article", "a b", 0.9) && !keeps("de", "article", "a b c d e f", 0.9));
        assert!(!keeps("de", "article", "a b c", 0.4));
        assert!(!filter.keeps(&Page::default()));
        assert!(Filter::parse("").unwrap().keeps(&Page::default()));
    }

    #[test]
    fn invalid_conditions_are_named() {
        for wrong in ["words=5", "lang", "lang=", "min-words=many", "min-confidence=2", "min-words=-1"] {
            let message = Filter::parse(&format!("lang=en,{wrong}")).unwrap_err();
            assert!(message.starts_with(&format!("'{wrong}' is not a condition")), "{message}");
        }
    }

    #[test]
    fn a_condition_that_no_page_can_meet_is_an_error_with_the_remedy() {
        for (wrong, message) in [
            ("lang==en", "'lang==en': the only operator is =, and its value follows it"),
            ("min-words>=5", "'min-words>=5': the only operator is =, and its value follows it"),
            ("lang=english", "'lang=english': 'english' is not the code of a language, such as en or zh-Hant"),
            ("langs=en", "'langs=en' is not a condition; did you mean lang=en?"),
            ("min_word=5", "'min_word=5' is not a condition; did you mean min-words=5?"),
        ] {
            assert_eq!(Filter::parse(wrong).unwrap_err(), message);
        }
        let message = Filter::parse("page_type=article|artikle").unwrap_err();
        assert!(message.contains("no page type 'artikle'; did you mean article? The types are article, "), "{message}");
        assert!(Filter::parse("page_type=blog").unwrap_err().contains("no page type 'blog'; the types are article, "));
        assert!(Filter::parse("lang=zh-Hant|de-1996, page_type=Forum|listing").is_ok());
    }
}
