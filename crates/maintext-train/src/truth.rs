//! What the ground truth says of each block and each line: content, boilerplate, or nothing.
use crate::data::Page;
use crate::labels::Labels;
use maintext::blocks::Blocks;

/// Share of a block's words that must be the gold text's for the block to be content.
const CONTENT: f32 = 0.5;

/// Whether each block is content, from the page's gold text, or else from its snippets. `None` where the truth is silent.
///
/// Snippets speak only of the blocks that they stand in; blocks without words are not judged.
pub fn blocks(blocks: &Blocks, page: &Page) -> Vec<Option<bool>> {
    let labels = match page.text.as_deref() {
        Some(text) => Labels::align(blocks, text),
        None if page.with.is_empty() && page.without.is_empty() => return vec![None; blocks.len()],
        None => Labels::from_snippets(blocks, &page.with, &page.without),
    };
    let known = |(share, words): (&f32, &u32)| (*words > 0 && !share.is_nan()).then_some(*share >= CONTENT);
    labels.share.iter().zip(&labels.words).map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_text_before_snippets_and_silence_otherwise() {
        let dom = maintext::dom::parse("<p>Menu item<p>A true sentence<p>***<p>Foot", &Default::default());
        let b = Blocks::new(&dom);
        let page = Page { text: Some("A true sentence".into()), ..Default::default() };
        assert_eq!(blocks(&b, &page), [Some(false), Some(true), None, Some(false)]);
        let page = Page { with: vec!["true".into()], without: vec!["foot".into()], ..Default::default() };
        assert_eq!(blocks(&b, &page), [None, Some(true), None, Some(false)]);
        assert_eq!(blocks(&b, &Page::default()), [None; 4]);
    }
}
