//! What happens to the text of an extracted page before it becomes a row: quality filters and masks of personal data.
use maintext_core::Page;
use maintext_quality::{Mask, Quality};

/// Filters and masks. The default does nothing.
///
/// ```
/// use maintext_batch::Cleaning;
/// use maintext_quality::Quality;
/// let cleaning = Cleaning { quality: Some(Quality::new(&["gopher-quality"]).unwrap()), mask: None };
/// let mut page = maintext_core::Page::default();
/// page.text = Some("Too short.".into());
/// assert_eq!(cleaning.apply(&mut page).as_deref(), Some("gopher.words"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaning {
    /// The filters that drop pages and correct their text.
    pub quality: Option<Quality>,
    /// The personal data to mask in the text.
    pub mask: Option<Mask>,
}

impl Cleaning {
    /// Whether the text of pages is needed.
    #[must_use]
    pub fn needs_text(&self) -> bool {
        self.quality.is_some() || self.mask.is_some()
    }

    /// Corrects and masks the text of a page, or returns the first rule that the page fails. Markdown and HTML stay as they are.
    pub fn apply(&self, page: &mut Page) -> Option<String> {
        if let Some(quality) = &self.quality {
            let report = quality.check(page.text(), page.metadata.language.as_deref());
            if let Some(failure) = report.failed.first() {
                return Some(failure.rule.to_owned());
            }
            if report.text.is_some() {
                page.text = report.text;
            }
        }
        if let (Some(mask), Some(text)) = (&self.mask, &page.text) {
            page.text = Some(mask.apply(text).text);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_and_masks_change_the_text() {
        let cleaning =
            Cleaning { quality: Some(Quality::new(&["c4"]).unwrap()), mask: Some(Mask::new(&["email"]).unwrap()) };
        let lines = "Ann lives at ann@mail.net now, we hear.\n".repeat(5);
        let mut page = Page::default();
        page.text = Some(format!("{lines}Home | About\n"));
        assert_eq!(cleaning.apply(&mut page), None);
        assert_eq!(page.text(), lines.replace("ann@mail.net", "email@example.com").trim_end());
        page.text = Some("Home | About\n".into());
        assert_eq!(cleaning.apply(&mut page).as_deref(), Some("c4.sentences"));
    }
}
