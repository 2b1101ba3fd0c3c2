//! From block probabilities to the set of blocks with the best expected F1.
use super::forest::sigmoid;
use super::repair::repair;
use crate::choice::Choice;
use crate::features::heading_level;
use maintext_page::blocks::{Blocks, Element, ElementTokens};
use maintext_page::hash::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// The doubtful blocks of a page are usually right or wrong together: either all its comments are content, or none. So a page is read
/// twice, generously and sparingly, each reading as likely as the other: a block belongs to a reading with the probability
/// `σ(SHARPNESS · score + reading)`. Both constants are chosen from the cross-validated figures, which hardly change around them.
const READINGS: [f32; 2] = [2.0, -3.0];
const SHARPNESS: f32 = 2.0;

/// Subtracted from the log-odds of a block that repeats an earlier one that is more likely content than not. A repeated text is less likely
/// to be wanted: a quotation of an earlier post, or the same text again for small screens. Blocks with a high enough score stay, as
/// documentation repeats some sentences on purpose.
const PENALTY_REPEATED: f32 = 2.0;
/// Share of the likely words in a copy from which the page counts as containing all of its text twice, for example once more for small
/// screens. Only the likelier copy stays.
const MIN_COPIED_SHARE: f32 = 0.4;
/// Minimum number of likely words for which the share counts.
const MIN_LIKELY_WORDS: u32 = 100;
/// Minimum number of blocks of the copy for which it counts.
const MIN_COPIED_BLOCKS: usize = 3;
/// Subtracted from the log-odds of the copy on such a page: larger than any score.
const PENALTY_DOUBLED: f32 = 100.0;
/// Minimum number of words of paragraphs that are written twice, one right after the other: lines of a song are shorter.
const MIN_REPEATED_WORDS: u32 = 10;
/// Texts of fewer words are equal by chance: headings, names, buttons.
const MIN_WORDS: u32 = 4;

/// Chooses among blocks by their log-odds: the set with the largest expected F1, and the blocks that belong with it.
pub fn content(blocks: &Blocks, names: &ElementTokens, scores: &[f32], words: &[u32]) -> Choice {
    let doubted = doubt_copies(blocks, names, scores);
    let mut choice = Choice::of(choose(&doubted, words));
    // A repeated text is not kept together with the text around it.
    let p: Vec<f32> = scores.iter().zip(&doubted).map(|(s, d)| if d < s { 0.0 } else { sigmoid(*d) }).collect();
    repair(blocks, &p, &mut choice);
    choice
}

/// Whether a block is a link to a heading.
fn is_line_of(blocks: &Blocks, link: usize, heading: usize) -> bool {
    let (own, block) = (&blocks.blocks[link], &blocks.blocks[heading]);
    // Headings that are links are titles of other pages, and their copies are pictures of them.
    own.is_linked() && block.link_chars * 2 < block.chars && heading_level(blocks, heading) > 0
}

/// Returns the log-odds, lowered by [`PENALTY_REPEATED`] where a text repeats. Code is left alone: examples repeat themselves.
fn doubt_copies(blocks: &Blocks, names: &ElementTokens, scores: &[f32]) -> Vec<f32> {
    let mut seen: HashMap<&str, usize> = HashMap::default();
    let (mut copies, mut likely) = (Vec::new(), 0);
    for (i, b) in blocks.blocks.iter().enumerate() {
        if scores[i] > 0.0 && b.words >= MIN_WORDS && b.code_chars * 2 <= b.chars {
            likely += b.words;
            match seen.entry(blocks.text(i)) {
                // A line of a table of contents repeats its heading.
                Entry::Occupied(mut first) if is_line_of(blocks, *first.get(), i) => {
                    first.insert(i);
                }
                Entry::Occupied(first) => copies.push((*first.get(), i)),
                Entry::Vacant(slot) => {
                    slot.insert(i);
                }
            }
        }
    }
    let mut out = scores.to_vec();
    (1..blocks.len()).filter_map(|i| doubled_link(blocks, i)).for_each(|i| out[i] -= PENALTY_DOUBLED);
    if is_text_doubled(blocks, &copies, likely) {
        let better: f32 = copies.iter().map(|&(first, again)| scores[first] - scores[again]).sum();
        copies.into_iter().for_each(|(first, again)| out[if better < 0.0 { first } else { again }] -= PENALTY_DOUBLED);
    } else {
        for run in copies.chunk_by(|a, b| a.0 + 1 == b.0 && a.1 + 1 == b.1) {
            let distance = run[0].1 - run[0].0;
            let first = with_short_blocks(blocks, run);
            if is_repeated_at_once(blocks, names, &first, distance) {
                first.for_each(|i| out[i + distance] -= PENALTY_DOUBLED);
            } else {
                // A penalty, since dropping every copy loses more: some are quotations (docs/experiments/content.md).
                run.iter().for_each(|copy| out[copy.1] -= PENALTY_REPEATED);
            }
        }
        repeated_elements(blocks, &copies).into_iter().flatten().for_each(|i| out[i] -= PENALTY_DOUBLED);
    }
    out
}

/// Returns which of a link and the one right before it with the same text is the copy: one is in the picture of a card, the other is its title.
fn doubled_link(blocks: &Blocks, link: usize) -> Option<usize> {
    const MIN_WORDS: u32 = 2;
    let is_doubled = blocks.blocks[link].words >= MIN_WORDS
        && blocks.blocks[link - 1..=link].iter().all(|b| b.links <= 1 && b.is_linked())
        && blocks.text(link) == blocks.text(link - 1);
    let is_title = heading_level(blocks, link) > 0 && heading_level(blocks, link - 1) == 0;
    is_doubled.then_some(if is_title { link - 1 } else { link })
}

/// Returns the blocks of elements whose every text an earlier element of the same tag has in the same order: a list that is written once for
/// each width of the screen. `copies` are given as (first, again).
fn repeated_elements(blocks: &Blocks, copies: &[(usize, usize)]) -> Vec<Range<usize>> {
    /// Minimum number of copies of sentences in an element: two offers may be alike.
    const MIN_SENTENCES: usize = 2;
    /// Maximum number of copies of an element: more are filler text.
    const MAX_COPIES: usize = 3;
    let pairs = copies.iter().filter_map(|&(a, b)| Some((outermost(blocks, a, b)?, outermost(blocks, b, a)?)));
    let pairs: Vec<(usize, usize)> = pairs.collect();
    let elements = pairs.chunk_by(|a, b| a == b).filter(|pairs| pairs.len() >= MIN_SENTENCES).map(|pairs| pairs[0]);
    let elements: Vec<(usize, usize)> = elements.filter(|&(first, again)| is_copy(blocks, first, again)).collect();
    let groups = elements.chunk_by(|a, b| a.0 == b.0).filter(|copies| copies.len() <= MAX_COPIES);
    groups.flatten().map(|copy| blocks_of(&blocks.elements[copy.1])).collect()
}

/// Returns the outermost element that holds a block but not another one.
fn outermost(blocks: &Blocks, own: usize, other: usize) -> Option<usize> {
    blocks.ancestors(own).take_while(|e| !blocks.elements[*e].blocks.contains(&(other as u32))).last()
}

fn is_copy(blocks: &Blocks, first: usize, again: usize) -> bool {
    let [first, again] = [first, again].map(|e| &blocks.elements[e]);
    first.tag == again.tag
        && first.blocks.len() == again.blocks.len()
        && blocks_of(first).zip(blocks_of(again)).all(|(a, b)| blocks.text(a) == blocks.text(b))
}

fn blocks_of(e: &Element) -> Range<usize> {
    e.blocks.start as usize..e.blocks.end as usize
}

/// Returns the first texts of a run of copies, given as (first, again), with the short block before them and after them that repeat as well:
/// the heading of a box. Links are left alone: two offers may have the same name and price.
fn with_short_blocks(blocks: &Blocks, run: &[(usize, usize)]) -> Range<usize> {
    let (first, again) = run[0];
    let distance = again - first;
    let mut texts = first..first + run.len();
    let repeats = |i: usize| i + distance < blocks.blocks.len() && blocks.text(i) == blocks.text(i + distance);
    if blocks.blocks[texts.clone()].iter().any(|b| b.links > 0) {
        return texts;
    }
    if texts.len() < distance && texts.start > 0 && repeats(texts.start - 1) {
        texts.start -= 1;
    }
    if texts.len() < distance && repeats(texts.end) {
        texts.end += 1;
    }
    texts
}

/// Whether the same paragraphs follow paragraphs at a `distance`, at once in an element of their own, or with another class: once more for
/// small screens, or hidden.
fn is_repeated_at_once(blocks: &Blocks, names: &ElementTokens, first: &Range<usize>, distance: usize) -> bool {
    let [own, own_again] = [first.start, first.start + distance].map(|b| blocks.blocks[b].container as usize);
    first.len() >= distance
        && (blocks.elements[own].parent != blocks.elements[own_again].parent
            || names.classes()[own] != names.classes()[own_again])
        && blocks.blocks[first.clone()].iter().map(|b| b.words).sum::<u32>() >= MIN_REPEATED_WORDS
}

/// Whether copies, given as (first, again), repeat most of a page's `likely` words in the same order.
fn is_text_doubled(blocks: &Blocks, copies: &[(usize, usize)], likely: u32) -> bool {
    let words: u32 = copies.iter().map(|(_, i)| blocks.blocks[*i].words).sum();
    let in_order = copies.windows(2).all(|w| w[0].0 < w[1].0);
    // Each copy is in an element of its own: a press release that quotes itself is one text.
    let apart = copies
        .first()
        .zip(copies.last())
        .is_some_and(|(a, b)| !holds_other(blocks, a.0, b.0, a.1) && !holds_other(blocks, a.1, b.1, b.0));
    let enough = likely >= MIN_LIKELY_WORDS && copies.len() >= MIN_COPIED_BLOCKS;
    enough && in_order && apart && words as f32 >= MIN_COPIED_SHARE * likely as f32
}

fn holds_other(blocks: &Blocks, from: usize, to: usize, other: usize) -> bool {
    let whole = blocks.ancestors(from).find(|&e| blocks.elements[e].blocks.contains(&(to as u32)));
    whole.is_none_or(|e| blocks.elements[e].blocks.contains(&(other as u32)))
}

/// Chooses the blocks that maximise the expected F1 of the page's words.
///
/// The blocks are sorted by score. Of all prefixes, the one with the largest mean, over the two readings, of
/// `2 · Σ p·n / (n_taken + Σ_all p·n)` is chosen, with `n` the words of a block and `p` its probability in that reading.
/// After Jansche, *A maximum expected utility framework for binary sequence labeling* (2007), assuming independent words within a reading.
pub fn choose(scores: &[f32], words: &[u32]) -> Vec<bool> {
    let mut order: Vec<(f32, u32)> = scores.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // Expected correct words for each prefix and reading.
    let mut hits: Vec<[f64; 2]> = Vec::with_capacity(order.len());
    let mut sum = [0.0; 2];
    for &(score, i) in &order {
        // Two readings gain 0.004 on documentation and 0.010 on listings; three, or shifts by page type, gain no more
        // (docs/experiments/content.md).
        for (sum, reading) in sum.iter_mut().zip(READINGS) {
            *sum += sigmoid(SHARPNESS * score + reading) as f64 * (words[i as usize].max(1) as f64);
        }
        hits.push(sum);
    }
    // A learned threshold has 0.921 instead of 0.926 on the labels (docs/experiments/labels.md).
    let (mut taken, mut best, mut count) = (0.0, 0.0, 0);
    for (k, (&(_, i), hits)) in order.iter().zip(&hits).enumerate() {
        taken += words[i as usize].max(1) as f64;
        let f: f64 = hits.iter().zip(sum).map(|(h, all)| h / (taken + all).max(1e-9)).sum();
        if f > best {
            (best, count) = (f, k + 1);
        }
    }
    let mut keep = vec![false; scores.len()];
    order[..count].iter().for_each(|&(_, i)| keep[i as usize] = true);
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_that_an_element_of_their_own_repeats_at_once_are_copies() {
        let copied = |html: &str| {
            let dom = maintext_page::dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let kept =
                content(&blocks, blocks.names(&dom), &vec![4.0; blocks.len()], &vec![10; blocks.len()]).kept().to_vec();
            kept.iter().map(|k| if *k { '+' } else { '-' }).collect::<String>()
        };
        let text = "<p>The ferry ran twice a day from the old pier.</p><p>Nobody remembers a winter without it.</p>";
        assert_eq!(
            copied(&format!("<h1>Pier</h1><div>{text}</div><div class=small>{text}</div><p>End.</p>")),
            "+++--+"
        );
        // The same paragraph twice in one element, a refrain, and a quotation further below.
        assert_eq!(copied(&format!("<div>{text}{text}</div>")), "++++");
        let paragraph =
            |class: &str| format!("<p class={class}>The ferry ran twice a day from the old pier, in all weathers.</p>");
        assert_eq!(copied(&(paragraph("'hidden wide:block'") + &paragraph("wide:hidden"))), "+-");
        let boxed = |class: &str| {
            format!("<div class={class}><p>At a glance</p><p>The ferry ran twice a day from the old pier.</p></div>")
        };
        assert_eq!(copied(&(boxed("'hidden wide:block'") + &boxed("wide:hidden") + "<p>End.</p>")), "++--+");
        let offer = "<div class=card><p><a href=/o/1>A day ticket for the ferry in all its weathers and for dogs</a></p><p>1 299</p></div>";
        assert_eq!(copied(&format!("{offer}{offer}")), "++++");
        let list = |class: &str| format!("<div class={class}>{}{}</div>", offer.replace("ticket", "card"), offer);
        assert_eq!(copied(&(list("'wide:hidden'") + &list("'hidden wide:grid'"))), "++++----");
        assert_eq!(copied(&list("a").repeat(5)), "+".repeat(20), "filler text");
        let card = "<a href=/o/1><h3>A day ticket</h3><div class=back><h3>A day ticket</h3></div></a>";
        assert_eq!(copied(&format!("{card}<p>From nine to five, on the old quay.</p>")), "+-+");
        let pictured = "<p><a href=/o/1>A day ticket</a></p><h3><a href=/o/1>A day ticket</a></h3>";
        assert_eq!(copied(pictured), "-+");
        let refrain = "<div><p>And the ferry goes</p></div>";
        assert_eq!(copied(&format!("{refrain}{refrain}")), "++");
        assert_eq!(copied(&format!("<div>{text}</div><p>She said:</p><blockquote>{text}</blockquote>")), "+++++");
    }

    #[test]
    fn a_long_doubtful_block_is_left_out_and_a_likelier_one_kept() {
        // Both readings hold the first. The generous one holds the second with 0.80, the sparing one with 0.03: the mean F1 is 0.85 for the
        // first alone and 0.81 for both.
        assert_eq!(choose(&[9.0, -0.3], &[100, 100]), [true, false]);
        // With 0.93 and 0.08 it is 0.82 and 0.84.
        assert_eq!(choose(&[9.0, 0.3], &[100, 100]), [true, true]);
        // A block that no reading holds is left out; one that both hold is kept.
        assert_eq!(choose(&[9.0, -4.0], &[100, 100]), [true, false]);
        assert_eq!(choose(&[9.0, 4.0], &[10, 100]), [true, true]);
    }

    #[test]
    fn repeated_text_is_kept_only_with_a_high_score() {
        let html = "<p>The ferry leaves at nine.<blockquote>The ferry leaves at nine.</blockquote><p>Thank you.<p>Thank you.<pre>run --all the tests</pre>
            <pre>run --all the tests</pre>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        assert_eq!(
            doubt_copies(&blocks, blocks.names(&dom), &[3.0, 2.5, 1.0, 1.0, 1.0, 1.0]),
            [3.0, 0.5, 1.0, 1.0, 1.0, 1.0]
        );
        // A text that is unlikely to be content does not lower its later copies.
        assert_eq!(doubt_copies(&blocks, blocks.names(&dom), &[-3.0, 2.5, 0.0, 0.0, 0.0, 0.0])[1], 2.5);
        let words = [5; 6];
        assert_eq!(
            content(&blocks, blocks.names(&dom), &[3.0, 1.0, 3.0, 3.0, 3.0, 3.0], &words).kept(),
            [true, false, true, true, true, true]
        );
        assert!(content(&blocks, blocks.names(&dom), &[6.0; 6], &words).kept().iter().all(|k| *k));
    }

    #[test]
    fn a_text_that_occurs_twice_is_kept_once() {
        let text: String = (0..8)
            .map(|i| {
                format!(
                    "<p>The ferry leaves at nine on day {i}, and comes back in the evening with the last of the carts."
                )
            })
            .collect();
        let kept = |html: &str| {
            let dom = maintext_page::dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
            let choice = content(&blocks, blocks.names(&dom), &[6.0; 16], &words);
            let keep = choice.kept();
            (keep[..8].iter().filter(|k| **k).count(), keep[8..].iter().filter(|k| **k).count())
        };
        assert_eq!(kept(&format!("<div class=wide>{text}</div><div class=small>{text}</div>")), (8, 0));
        // One paragraph repeated many times is filler text, not a copy.
        assert_eq!(
            kept(&"<p>The ferry leaves at nine, and comes back with the last of the carts from the hills.".repeat(16)),
            (8, 8)
        );
    }

    #[test]
    fn a_page_without_blocks_keeps_nothing() {
        assert!(choose(&[], &[]).is_empty());
        assert_eq!(choose(&[-2.0], &[5]), [true]);
    }
}
