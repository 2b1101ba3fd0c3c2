//! Keeps the head and the caption of a table with its rows.
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::Tag;

/// Maximum number of blocks of a head or caption.
const MAX_BLOCKS: usize = 40;
/// Maximum number of elements between a table and its figure.
const MAX_LEVELS_TO_FIGURE: usize = 2;

/// Keeps the header cells at the beginning of each table of which most other cells are kept, its caption, and the caption of its figure.
pub(crate) fn keep_heads(blocks: &Blocks, kept: &mut [bool]) {
    let elements = &blocks.elements;
    for (table, e) in elements.iter().enumerate().filter(|(_, e)| e.tag == Tag::TABLE && !e.hidden) {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let body = (from..to).find(|&b| !is_in_head(blocks, b, table)).unwrap_or(to);
        let of_rows = kept[body..to].iter().filter(|kept| **kept).count();
        // The head of a calendar leads to other months.
        let has_links = blocks.blocks[from..body].iter().any(|b| b.links > 0);
        if of_rows == 0 || 2 * of_rows < to - body || body - from > MAX_BLOCKS || has_links {
            continue;
        }
        kept[from..body].fill(true);
        let figure =
            blocks.element_chain(table).skip(1).take(MAX_LEVELS_TO_FIGURE).find(|e| elements[*e].tag == Tag::FIGURE);
        let captions =
            figure.into_iter().flat_map(|figure| elements[blocks.below(figure)].iter().filter(|e| is_caption(e)));
        for caption in captions {
            kept[caption.blocks.start as usize..caption.blocks.end as usize].fill(true);
        }
    }
}

fn is_caption(e: &Element) -> bool {
    e.tag == Tag::FIGCAPTION && !e.hidden && e.blocks.len() <= MAX_BLOCKS
}

/// Whether a block of a table is in its caption or in a header cell.
fn is_in_head(blocks: &Blocks, b: usize, table: usize) -> bool {
    let mut around = blocks.ancestors(b).take_while(|e| *e != table).map(|e| blocks.elements[e].tag);
    around.any(|tag| matches!(tag, Tag::CAPTION | Tag::TH | Tag::THEAD)) && !blocks.blocks[b].hidden
}

#[cfg(test)]
mod tests {
    use crate::passes::choice_after;

    #[test]
    fn a_table_keeps_its_caption_and_its_head() {
        let kept =
            |html: &str, choice: &str| choice_after(html, choice, |_, blocks, kept| super::keep_heads(blocks, kept));
        let rows = "<tr><td>North<td>12<tr><td>South<td>31";
        let table = format!("<table><thead><tr><th>Channel<th>Depth</thead>{rows}</table>");
        assert_eq!(kept(&table, "--++++"), "++++++");
        assert_eq!(kept(&table, "-----+"), "-----+");
        let calendar = format!("<table><caption><a href=/4>April</a></caption>{rows}</table>");
        assert_eq!(kept(&calendar, "-++++"), "-++++");
        let captioned = format!("<table><caption>Depths</caption>{rows}</table>");
        assert_eq!(kept(&captioned, "-++++"), "+++++");
        assert_eq!(kept(&format!("<figure>{table}<figcaption>Depths</figcaption></figure>"), "--++++-"), "+++++++");
        assert_eq!(kept(&format!("<figure>{table}<figcaption>Depths</figcaption></figure>"), "-------"), "-------");
    }
}
