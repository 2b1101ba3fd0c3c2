//! Tables of data are kept whole: half of the cells say nothing.
use crate::blocks::{Blocks, Element};
use crate::dom::Tag;

/// Cells from which a table counts as one.
const CELLS: usize = 6;
/// Words a cell at most, on average: tables with more in their cells lay out pages.
const WORDS: f64 = 6.0;
/// Share of the words that has to be kept already.
const KEPT: f64 = 0.75;

fn is_table(e: &Element) -> bool {
    e.tag == Tag::TABLE && e.blocks.len() >= CELLS
}

/// Completes the tables of data of which most is kept. On the labelled pages it changes the F1 of nothing by more than 0.0001; repairs of
/// lists, headings and captions were tried beside it and lost (see `MODEL_CARD.md`).
pub fn complete(blocks: &Blocks, keep: &mut [bool]) {
    if !blocks.elements.iter().any(is_table) {
        return;
    }
    let mut sums = vec![(0.0f64, 0.0f64, 0.0f64, 0.0f64)];
    for (b, kept) in blocks.blocks.iter().zip(keep.iter()) {
        let s = sums[sums.len() - 1];
        let words = b.words.max(1) as f64;
        let kept = if *kept { words } else { 0.0 };
        sums.push((s.0 + words, s.1 + kept, s.2 + b.chars as f64, s.3 + b.link_chars as f64));
    }
    // Elements are in document order: a table inside one that was completed is complete.
    let mut complete = 0;
    for e in blocks.elements.iter().filter(|e| is_table(e)) {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let (a, b) = (sums[from], sums[to]);
        let (words, kept, chars, links) = (b.0 - a.0, b.1 - a.1, b.2 - a.2, b.3 - a.3);
        let data = words <= WORDS * e.blocks.len() as f64 && links * 2.0 <= chars;
        if from >= complete && data && kept >= KEPT * words {
            keep[from..to].fill(true);
            complete = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_which_most_is_kept_is_kept_whole() {
        let html = "<p>a<table><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table><table><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6</table>";
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut keep = vec![false; 13];
        keep[1..6].fill(true);
        keep[7..9].fill(true);
        complete(&blocks, &mut keep);
        let kept: Vec<usize> = (0..13).filter(|&i| keep[i]).collect();
        assert_eq!(kept, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
