//! Published quality filters of text corpora, masks of personal data and word lists, for plain text. Pure: no input or output.
//!
//! ```
//! use maintext_quality::Quality;
//! let quality = Quality::new(&["gopher-quality"]).unwrap();
//! let report = quality.check("Too short.", Some("en"));
//! assert_eq!(report.failed[0].to_string(), "gopher.words 2 < 50");
//! ```
#![forbid(unsafe_code)]

mod c4;
mod culturax;
mod fineweb;
mod gopher;
mod mask;
mod refinedweb;
mod report;
mod words;

pub use c4::{BadWords, C4};
pub use culturax::CulturaX;
pub use fineweb::FineWeb;
pub use gopher::{GopherQuality, GopherRepetition};
pub use mask::{Mask, Masked};
pub use refinedweb::RefinedWeb;
pub use report::{Failure, Report};

/// The names that [`Quality::new`] knows.
pub const NAMES: [&str; 7] =
    ["c4", "gopher-quality", "gopher-repetition", "fineweb", "refinedweb", "culturax", "fineweb-all"];

/// One filter with its parameters.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// C4's lines and pages.
    C4(C4),
    /// Gopher's rules of quality.
    GopherQuality(GopherQuality),
    /// Gopher's rules of repetition.
    GopherRepetition(GopherRepetition),
    /// FineWeb's own rules.
    FineWeb(FineWeb),
    /// RefinedWeb's line-wise corrections.
    RefinedWeb(RefinedWeb),
    /// CulturaX's metrics; `None` takes the published parameters of the text's language.
    CulturaX(Option<CulturaX>),
}

/// Filters, in order of execution. A correction is the input of the next filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quality {
    /// The filters.
    pub filters: Vec<Filter>,
    /// The list whose words are counted.
    pub bad_words: Option<BadWords>,
    /// Whether a text with more listed words than [`BadWords::max`] fails.
    pub drop_bad_words: bool,
}

impl Quality {
    /// Returns filters with their published parameters. `fineweb-all` is the order of FineWeb: `gopher-repetition`, `gopher-quality`, `c4`
    /// without its rule of end marks, `fineweb`.
    ///
    /// # Errors
    /// A message with the first unknown name and all known names.
    pub fn new<S: AsRef<str>>(names: &[S]) -> Result<Quality, String> {
        let mut filters = Vec::new();
        for name in names.iter().map(|n| n.as_ref().trim()) {
            match name {
                "c4" => filters.push(Filter::C4(C4::default())),
                "gopher-quality" => filters.push(Filter::GopherQuality(GopherQuality::default())),
                "gopher-repetition" => filters.push(Filter::GopherRepetition(GopherRepetition::default())),
                "fineweb" => filters.push(Filter::FineWeb(FineWeb::default())),
                "refinedweb" => filters.push(Filter::RefinedWeb(RefinedWeb::default())),
                "culturax" => filters.push(Filter::CulturaX(None)),
                "fineweb-all" => filters.extend([
                    Filter::GopherRepetition(GopherRepetition::default()),
                    Filter::GopherQuality(GopherQuality::default()),
                    Filter::C4(C4 { end_mark: false, ..C4::default() }),
                    Filter::FineWeb(FineWeb::default()),
                ]),
                _ => return Err(format!("unknown quality filter '{name}'; the filters are: {}", NAMES.join(", "))),
            }
        }
        Ok(Quality { filters, ..Quality::default() })
    }

    /// Checks a text of a language, given as a code such as `en`. Without a language the rules for English words apply.
    #[must_use]
    pub fn check(&self, text: &str, language: Option<&str>) -> Report {
        let language = language.unwrap_or_default();
        let english = language.is_empty() || language.starts_with("en");
        let mut report = Report::default();
        let mut corrected: Option<String> = None;
        let mut next: Option<String> = None;
        let mut start = 0;
        // Words are cut once for all filters between two corrections.
        while start < self.filters.len() {
            if let Some(text) = next.take() {
                corrected = Some(text);
            }
            let text = corrected.as_deref().unwrap_or(text);
            let words = std::cell::LazyCell::new(|| words::words(text, english));
            for filter in &self.filters[start..] {
                start += 1;
                match filter {
                    Filter::C4(c4) => next = Some(c4.check(text, english, &mut report)),
                    Filter::RefinedWeb(refined) => next = Some(refined.check(text, &mut report)),
                    Filter::GopherQuality(gopher) => gopher.check(text, &words, &mut report),
                    Filter::GopherRepetition(gopher) => gopher.check(text, &words, &mut report),
                    Filter::FineWeb(fineweb) => fineweb.check(text, &words, &mut report),
                    Filter::CulturaX(Some(own)) => own.check(text, language, &words, &mut report),
                    Filter::CulturaX(None) => {
                        CulturaX::for_language(language).check(text, language, &words, &mut report)
                    }
                }
                if next.is_some() {
                    break;
                }
            }
        }
        report.text = next.or(corrected).filter(|t| t != text);
        if let Some(list) = &self.bad_words {
            let count = list.count(text);
            report.bad_words = Some(count);
            if self.drop_bad_words {
                report.above("c4.bad_words", count as f64, list.max as f64);
            }
        }
        report
    }
}
