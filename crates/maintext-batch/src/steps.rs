//! What happens to an extracted page before it becomes a row: quality filters and masks of personal data, and the columns that they add.
use maintext_chunks::{Chunk, Settings, Tokenizer};
use maintext_core::Page;
use maintext_quality::{Mask, Quality};
use serde_json::{Value, json};

/// Values of the columns that steps add, by name.
pub type Extra = Vec<(&'static str, Value)>;

/// Filters and masks. The default does nothing.
///
/// ```
/// use maintext_batch::{Steps, Verdict};
/// use maintext_quality::Quality;
/// let steps = Steps { quality: Some(Quality::new(&["gopher-quality"]).unwrap()), ..Steps::default() };
/// let mut page = maintext_core::Page::default();
/// page.text = Some("Too short.".into());
/// let Verdict::Dropped { rule, reasons } = steps.apply(&mut page) else { panic!("the page is too short") };
/// assert_eq!((rule.as_str(), reasons[0].as_str()), ("gopher.words", "gopher.words 2 < 50"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// The filters that drop pages and correct their text.
    pub quality: Option<Quality>,
    /// Whether pages that fail are kept and the text stays as it is; the column `quality` has the failed rules.
    pub explain: bool,
    /// The personal data to mask in the text, the Markdown and the HTML.
    pub mask: Option<Mask>,
}

/// What became of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The page stays, with the values of further columns.
    Kept(Extra),
    /// A filter dropped the page.
    Dropped {
        /// The first failed rule.
        rule: String,
        /// All failed rules, with measured values and bounds.
        reasons: Vec<String>,
    },
}

impl Steps {
    /// Whether the text of pages is needed.
    #[must_use]
    pub fn needs_text(&self) -> bool {
        self.quality.is_some() || self.mask.is_some()
    }

    /// Returns the names of the columns that [`Steps::apply`] gives.
    #[must_use]
    pub fn columns(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(quality) = &self.quality {
            names.push("quality");
            names.extend(quality.bad_words.is_some().then_some("bad_words"));
        }
        names.extend(self.mask.is_some().then_some("masked"));
        names
    }

    /// Returns the chunks of a page with its personal data masked, and adds a warning to the page if they are cut. [`Steps::apply`] changes the
    /// text, so the chunks are made before it.
    #[must_use]
    pub fn chunks(&self, page: &mut Page, settings: &Settings) -> Vec<Chunk> {
        let (mut chunks, warning) = maintext_chunks::chunks_with_warning(page, settings);
        page.warnings.extend(warning);
        if let Some(mask) = &self.mask {
            mask_chunks(mask, &settings.tokenizer, &mut chunks);
        }
        chunks
    }

    /// Filters a page, corrects its text and masks personal data. A correction changes the text only: Markdown and HTML keep all lines.
    pub fn apply(&self, page: &mut Page) -> Verdict {
        let mut extra = Extra::new();
        if let Some(quality) = &self.quality {
            let report = quality.check(page.text(), page.metadata.language.as_deref());
            let reasons: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
            if let (Some(failure), false) = (report.failed.first(), self.explain) {
                return Verdict::Dropped { rule: failure.rule.to_owned(), reasons };
            }
            extra.push(("quality", json!(reasons)));
            if let Some(count) = report.bad_words {
                extra.push(("bad_words", json!(count)));
            }
            if report.text.is_some() && !self.explain {
                page.text = report.text;
            }
        }
        if let Some(mask) = &self.mask {
            extra.push(("masked", masked(mask, page)));
        }
        Verdict::Kept(extra)
    }
}

/// Masks all forms of the page and returns the numbers of replacements in the text.
fn masked(mask: &Mask, page: &mut Page) -> Value {
    for form in [&mut page.markdown, &mut page.html].into_iter().flatten() {
        *form = mask.apply(form).text;
    }
    let counts = page.text.as_mut().map(|text| {
        let masked = mask.apply(text);
        text.clone_from(&masked.text);
        masked
    });
    let counts = counts.unwrap_or_default();
    json!({"emails": counts.emails, "phones": counts.phones, "cards": counts.cards, "ips": counts.ips})
}

/// Masks the text, the headings and the links of chunks, and counts their tokens again.
fn mask_chunks(mask: &Mask, tokenizer: &Tokenizer, chunks: &mut [Chunk]) {
    for chunk in chunks {
        let links = chunk.links.iter_mut().flat_map(|link| [&mut link.text, &mut link.href]);
        for text in chunk.headings.iter_mut().chain(links) {
            *text = mask.apply(text).text;
        }
        let masked = mask.apply(&chunk.text).text;
        if masked != chunk.text {
            chunk.text = masked;
            chunk.tokens = tokenizer.count(&chunk.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        let mut page = Page::default();
        page.text = Some(text.into());
        page.markdown = Some(text.into());
        page
    }

    #[test]
    fn corrections_and_masks_change_the_text() {
        let (quality, mask) = (Quality::new(&["c4"]).ok(), Mask::new(&["email"]).ok());
        let steps = Steps { quality, mask, explain: false };
        let lines = "Ann lives at ann@mail.net now, we hear.\n".repeat(5);
        let mut kept = page(&format!("{lines}Home | About\n"));
        let counts = json!({"emails": 5, "phones": 0, "cards": 0, "ips": 0});
        assert_eq!(steps.apply(&mut kept), Verdict::Kept(vec![("quality", json!([])), ("masked", counts)]));
        assert_eq!(kept.text(), lines.replace("ann@mail.net", "email@example.com").trim_end());
        assert!(!kept.markdown.unwrap().contains("ann@"));
        assert_eq!(steps.columns(), ["quality", "masked"]);
        let Verdict::Dropped { rule, .. } = steps.apply(&mut page("Home | About\n")) else { panic!("no sentence") };
        assert_eq!(rule, "c4.sentences");
    }

    #[test]
    fn an_explanation_keeps_page_and_text() {
        let steps = Steps { quality: Quality::new(&["c4"]).ok(), explain: true, mask: None };
        let mut page = page("Home | About\n");
        let Verdict::Kept(extra) = steps.apply(&mut page) else { panic!("nothing is dropped") };
        assert!(extra[0].1[0].as_str().unwrap().starts_with("c4.sentences 0 < "), "{extra:?}");
        assert_eq!(page.text(), "Home | About\n");
    }
}
