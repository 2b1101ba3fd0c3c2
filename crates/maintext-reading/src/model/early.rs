//! The second opinion on pages that declare no viewport, most of which are older than phones.
//!
//! The model of today learned from few of them, and takes the teasers below their articles for the entries of a list. Another model
//! learned from articles only, and knows neither lists nor products. So its reading counts where it finds an article to which the model
//! of today would add links.
use super::{Learned, Model, ModelError, Reading, kin};
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::Dom;
use std::sync::LazyLock;

/// The shipped model for old articles, loaded on first use.
static EARLY: LazyLock<Result<Learned, ModelError>> =
    LazyLock::new(|| Ok(Learned { kin_share: kin::EARLY_SHARE, ..Learned::new(Model::early()?) }));

/// Minimum number of words of a block of prose.
const MIN_BLOCK_WORDS: u32 = 15;
/// Minimum number of words of the prose of an article.
const MIN_WORDS: u32 = 60;
/// Minimum share of prose in the kept words of an article, in percent.
const MIN_PROSE_PERCENT: u32 = 70;
/// Minimum number of words of links for a hundred words of prose, for these links to be teasers.
///
/// Compared with the early model alone, six sets of articles change by -0.002 (daniel-multiling) to +0.011, and 116 labelled pages that
/// neither model learned from gain 0.079. With twice as many words of links, no set changes by more than 0.001.
const MIN_TEASERS_PERCENT: u32 = 2;

/// Returns the early model's reading of a page if the page is an old article.
pub(super) fn second_reading(dom: &Dom, blocks: &Blocks, today: &Reading<'_>) -> Option<Reading<'static>> {
    let links: u32 = kept(blocks, &today.scores).filter(|b| is_links(b)).map(|b| b.words).sum();
    if !are_teasers(links, MIN_WORDS) {
        return None;
    }
    // Tests load the shipped models, so this cannot fail in a release.
    let early = EARLY.as_ref().ok()?.read_alone(dom, blocks, None, None);
    adds_teasers(blocks, &early.scores, &today.scores).then_some(early)
}

/// Whether one choice is an article, and another adds links above or below it. The choices are given by the log-odds of the blocks.
fn adds_teasers(blocks: &Blocks, article: &[f32], other: &[f32]) -> bool {
    let is_kept = |b: &usize| article[*b] > 0.0;
    let all = 0..blocks.len();
    let words: u32 = all.clone().filter(is_kept).map(|b| blocks.blocks[b].words).sum();
    let prose: Vec<usize> = all.clone().filter(is_kept).filter(|&b| is_prose(&blocks.blocks[b])).collect();
    let (Some(&first), Some(&last)) = (prose.first(), prose.last()) else { return false };
    let added: Vec<usize> =
        all.filter(|&b| article[b] <= 0.0 && other[b] > 0.0 && is_links(&blocks.blocks[b])).collect();
    // As many links as texts between the texts are the titles of a list of summaries.
    let between = added.iter().filter(|b| (first..last).contains(b)).count();
    let are_titles = between * 2 >= prose.len();
    let counted = added.into_iter().filter(|b| !(are_titles && (first..last).contains(b)));
    let links: u32 = counted.map(|b| blocks.blocks[b].words).sum();
    let prose: u32 = prose.iter().map(|&b| blocks.blocks[b].words).sum();
    prose >= MIN_WORDS && prose * 100 >= words * MIN_PROSE_PERCENT && are_teasers(links, prose)
}

fn kept<'a>(blocks: &'a Blocks, scores: &'a [f32]) -> impl Iterator<Item = &'a Block> {
    blocks.blocks.iter().zip(scores).filter(|(_, score)| **score > 0.0).map(|(b, _)| b)
}

fn is_prose(b: &Block) -> bool {
    b.words >= MIN_BLOCK_WORDS && b.link_chars * 4 < b.chars
}

fn is_links(b: &Block) -> bool {
    b.link_chars * 2 > b.chars
}

/// Whether a number of words of links is too large for the links that an author adds to so much prose.
fn are_teasers(links: u32, prose: u32) -> bool {
    links * 100 > prose * MIN_TEASERS_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_can_be_read() {
        assert!(EARLY.is_ok());
    }

    #[test]
    fn only_an_old_article_without_a_viewport_is_early() {
        let story = "<p>We left early, and the road was empty; nobody spoke until the hills, where the fog lifted.</p>\
                     <p>By noon we had seen two herons, a fox, and the first swallows of the year, which the innkeeper did not believe.</p>\
                     <p>The way back took longer than the way out, since the upper path had been washed away in March and was closed.</p>";
        let teasers =
            "<li><a href=/n/1>A ferry sank in the bay, and nobody was hurt</a> <span>12.03 09:30</span>".repeat(12);
        let article = format!("<table><tr><td><h1>A walk</h1>{story}<b>Other news</b><ul>{teasers}</ul></table>");
        let is_early = |html: &str| {
            let dom = maintext_page::dom::parse(html, &Default::default());
            let (shipped, blocks) = (Learned::shipped().unwrap(), Blocks::new(&dom));
            !std::ptr::eq(shipped.read(&dom, &blocks, None, None).model, &*shipped)
        };
        assert!(is_early(&format!("<title>A walk</title>{article}")));
        let quoted = article.replace("a fox", "<code>&lt;meta name=viewport content=x></code>");
        assert!(is_early(&format!("<title>A walk</title>{quoted}")));
        assert!(!is_early(&format!("<title>A walk</title><meta name=Viewport content='width=device-width'>{article}")));
        // A stray element closes the head.
        assert!(!is_early(&format!("<div></div><meta name=viewport content='width=device-width'>{article}")));
        assert!(!is_early("<title>Ferry</title><p>The ferry leaves at nine.") && !is_early(""));
    }

    #[test]
    fn teasers_below_an_old_article_are_added_links() {
        let prose = "<p>We left early, and the road was empty; nobody spoke until the hills, where the fog lifted.</p>";
        let html = format!("{}<ul>{}</ul>", prose.repeat(5), "<li><a href=/x>A ferry sank</a>".repeat(5));
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let keep = |kept: std::ops::Range<usize>| -> Vec<f32> {
            (0..blocks.len()).map(|b| if kept.contains(&b) { 1.0 } else { -1.0 }).collect()
        };
        assert!(adds_teasers(&blocks, &keep(0..5), &keep(0..10)));
        assert!(!adds_teasers(&blocks, &keep(0..5), &keep(0..5)), "nothing is added");
        assert!(!adds_teasers(&blocks, &keep(0..3), &keep(0..10)), "too short for an article");
        assert!(!adds_teasers(&blocks, &keep(0..10), &keep(0..10)), "links in both");
        assert!(!adds_teasers(&blocks, &keep(5..10), &keep(0..5)), "not an article");
    }
}
