//! Converts the ground truth to labels of blocks and lines: content, boilerplate, or unknown.
use crate::align::Labels;
use crate::data::Page;
use maintext_core::blocks::Blocks;
use maintext_core::method::Lines;
use maintext_core::method::View;

/// Share of a block's words that must be in the gold text for the block to be content.
const CONTENT: f32 = 0.5;

/// Whether each block is content, by the page's gold text, or else by its snippets. `None` where the truth does not decide.
///
/// Snippets only label the blocks that contain them; blocks without words get no label.
pub fn blocks(blocks: &Blocks, page: &Page) -> Vec<Option<bool>> {
    let labels = match page.text.as_deref() {
        Some(text) => Labels::align(blocks, text),
        None if page.with.is_empty() && page.without.is_empty() => return vec![None; blocks.len()],
        None => Labels::from_snippets(blocks, &page.with, &page.without),
    };
    labels
        .share
        .iter()
        .zip(&labels.words)
        .map(|(share, words)| (*words > 0 && !share.is_nan()).then_some(*share >= CONTENT))
        .collect()
}

/// Whether each line is content, that is, more of its bytes are in content blocks than in boilerplate. `None` where the truth does not
/// decide, and for lines without words.
pub fn lines(page: &View<'_>, blocks: &[Option<bool>], lines: &Lines) -> Vec<Option<bool>> {
    let mut bytes = vec![[0usize; 2]; lines.len()];
    for (b, truth) in page.blocks.blocks.iter().zip(blocks) {
        let Some(content) = truth else { continue };
        for &leaf in page.blocks.leaves_of(b) {
            let span = page.dom.span(leaf);
            let first = lines.lines.partition_point(|l| l.span.end as usize <= span.start);
            for (line, of) in lines.lines[first..].iter().zip(&mut bytes[first..]) {
                if line.span.start as usize >= span.end {
                    break;
                }
                let from = span.start.max(line.span.start as usize);
                of[*content as usize] += span.end.min(line.span.end as usize).saturating_sub(from);
            }
        }
    }
    bytes
        .iter()
        .enumerate()
        .map(|(i, [no, yes])| (no + yes > 0 && lines.text(i).chars().any(char::is_alphanumeric)).then_some(yes > no))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_the_blocks_that_they_contain() {
        let html = "<p>Menu</p>\n<p>A long sentence,</p><p>x</p>\n<div>\n<p>***</p>";
        let dom = maintext_core::dom::parse(html, &Default::default());
        let b = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &b, url: None };
        let method = maintext_core::classic::method("markup-ratio").unwrap();
        let l = method.lines(&view, maintext_core::Favor::Balance).unwrap();
        let truth = [Some(false), Some(true), Some(false), None];
        assert_eq!(lines(&view, &truth, &l), [Some(false), Some(true), None, None]);
    }

    #[test]
    fn gold_text_takes_precedence_over_snippets() {
        let dom = maintext_core::dom::parse("<p>Menu item<p>A true sentence<p>***<p>Foot", &Default::default());
        let b = Blocks::new(&dom);
        let page = Page { text: Some("A true sentence".into()), ..Default::default() };
        assert_eq!(blocks(&b, &page), [Some(false), Some(true), None, Some(false)]);
        let page = Page { with: vec!["true".into()], without: vec!["foot".into()], ..Default::default() };
        assert_eq!(blocks(&b, &page), [None, Some(true), None, Some(false)]);
        assert_eq!(blocks(&b, &Page::default()), [None; 4]);
    }
}
