//! Keeps the links that a sentence of the text announces: "These are the papers that it has published:". Their class, and that nearly all of
//! their text is linked, speak against them. Without a colon, only more likely links of a list are taken for announced. Files below a line of
//! the text stay with it; a line that announces links goes with them.
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_reading::features::{ends_sentence, heading_level};

/// Minimum number of words of such a sentence. A label such as "Related:" is shorter, and announces only more likely links.
const MIN_SENTENCE_WORDS: u32 = 5;
/// Maximum number of blocks of the list, and of words of one.
const MAX_BLOCKS: usize = 30;
const MAX_ENTRY_WORDS: u32 = 15;
/// Maximum number of words of a line that goes with the links that it announces.
const MAX_LABEL_WORDS: u32 = 12;
/// Ends of addresses of files.
const FILES: [&str; 12] =
    [".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ods", ".odt", ".csv", ".ppt", ".pptx", ".zip", ".epub"];
/// Mean probability below which the links are not content: buttons to share, menus.
const MIN_PROBABILITY: f32 = 0.03;
/// The same after a label, or after a sentence that does not end with a colon: links to other articles.
const MIN_PROBABILITY_OF_LIST: f32 = 0.15;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    keep_files(dom, blocks, probabilities, kept);
    keep_announced(blocks, probabilities, kept);
    drop_lines_over_nothing(blocks, kept);
}

/// Keeps lists of files with the line above them, below kept text.
fn keep_files(dom: &Dom<'_>, blocks: &Blocks, probabilities: &[f32], kept: &mut [bool]) {
    for line in 1..kept.len().saturating_sub(1) {
        let begins_list = kept[line - 1] && !kept[line + 1] && blocks.blocks[line].words <= MAX_ENTRY_WORDS;
        if !begins_list || probabilities[line] <= MIN_PROBABILITY {
            continue;
        }
        let Some(list) = list_below(blocks, line) else { continue };
        let own = line + 1..list.blocks.end as usize;
        if own.clone().all(|b| is_announced_entry(blocks, b)) && leads_to_files(dom, list) {
            kept[line..own.end].fill(true);
        }
    }
}

/// Keeps lists of links that a kept sentence announces, between texts.
fn keep_announced(blocks: &Blocks, probabilities: &[f32], kept: &mut [bool]) {
    for sentence in 0..kept.len().saturating_sub(1) {
        if !kept[sentence] {
            continue;
        }
        let is_long = blocks.blocks[sentence].words >= MIN_SENTENCE_WORDS;
        let Some(list) = list_below(blocks, sentence) else { continue };
        let min_probability = match list.tag {
            _ if ends_with_colon(blocks, sentence) && is_long => MIN_PROBABILITY,
            Tag::UL | Tag::OL if ends_with_colon(blocks, sentence) => MIN_PROBABILITY_OF_LIST,
            Tag::UL | Tag::OL if ends_sentence(blocks.text(sentence)) && is_long => MIN_PROBABILITY_OF_LIST,
            _ => continue,
        };
        let end = list.blocks.end as usize;
        let list = sentence + 1..end;
        let mean = probabilities[list.clone()].iter().sum::<f32>() / list.len() as f32;
        let is_amid = kept.get(end) == Some(&true) && parent(blocks, end) == parent(blocks, sentence);
        // Of a list that is kept in part, all of it are links: a label above code is not.
        let is_apart = list.clone().all(|b| !kept[b]) || list.clone().all(|b| blocks.blocks[b].links > 0);
        if is_amid && is_apart && mean > min_probability && list.clone().all(|b| is_announced_entry(blocks, b)) {
            kept[list].fill(true);
        }
    }
}

/// Drops short lines with a colon above links that are dropped: without them, such a line announces nothing.
fn drop_lines_over_nothing(blocks: &Blocks, kept: &mut [bool]) {
    for line in 0..kept.len().saturating_sub(1) {
        let announces = kept[line]
            && blocks.blocks[line].words <= MAX_LABEL_WORDS
            && heading_level(blocks, line) == 0
            && ends_with_colon(blocks, line);
        if !announces {
            continue;
        }
        let Some(list) = list_below(blocks, line) else { continue };
        let mut own = list.blocks.start as usize..list.blocks.end as usize;
        kept[line] = !own.all(|b| !kept[b] && blocks.blocks[b].is_linked());
    }
}

fn ends_with_colon(blocks: &Blocks, b: usize) -> bool {
    blocks.text(b).ends_with([':', '\u{ff1a}'])
}

/// Whether all links of a list lead to files, which belong to the text, unlike other pages.
fn leads_to_files(dom: &Dom<'_>, list: &Element) -> bool {
    let links = dom.descendants(list.node).filter(|&n| dom.tag(n) == Tag::A).take(2 * MAX_BLOCKS);
    let mut paths = links
        .map(|n| {
            let href = dom.attribute(n, Attr::HREF).unwrap_or("");
            href.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase()
        })
        .peekable();
    paths.peek().is_some() && paths.all(|path| FILES.iter().any(|end| path.ends_with(end)))
}

fn is_announced_entry(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    !block.hidden && block.words <= MAX_ENTRY_WORDS && heading_level(blocks, b) == 0
}

/// Returns the element around the element of a block.
fn parent(blocks: &Blocks, b: usize) -> u32 {
    blocks.elements[blocks.blocks[b].container as usize].parent
}

/// Returns the element that follows a sentence as its sibling, if that is a list.
fn list_below(blocks: &Blocks, sentence: usize) -> Option<&Element> {
    let list = sibling_below(blocks, sentence)?;
    let is_list = matches!(list.tag, Tag::UL | Tag::OL | Tag::DL | Tag::DIV | Tag::TABLE);
    (is_list && (2..=MAX_BLOCKS).contains(&list.blocks.len())).then_some(list)
}

/// Returns the element that begins below a line as the sibling of the line's own.
pub(super) fn sibling_below(blocks: &Blocks, line: usize) -> Option<&Element> {
    let next = line + 1;
    if next == blocks.len() {
        return None;
    }
    let around = parent(blocks, line);
    let below = blocks.ancestors(next).map(|e| &blocks.elements[e]).find(|e| e.parent == around)?;
    (below.blocks.start as usize == next).then_some(below)
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn kept(sentence: &str, list: &str, p: f32) -> String {
        let html = format!("<main><p>{sentence}</p>{list}<p>Letters are read by two people.</p></main>");
        crate::passes::choice_after(&html, "+--+", |dom, blocks, kept| {
            apply(dom, blocks, Some(&[0.9, p, p, 0.9]), kept)
        })
    }

    #[test]
    fn files_stay_at_the_end_of_a_text() {
        let kept = |end: &str| {
            let html = format!(
                "<main><p>The inquiry has ended.</p><h2>Downloads</h2><ul><li><a href=/r.{end}>Report</a><li><a href=/m.{end}?v=2>Map</a></ul></main>"
            );
            crate::passes::choice_after(&html, "+---", |dom, blocks, kept| {
                apply(dom, blocks, Some(&[0.9, 0.2, 0.2, 0.2]), kept)
            })
        };
        assert_eq!((kept("pdf"), kept("html")), ("++++".into(), "+---".into()));
    }

    #[test]
    fn links_that_a_sentence_announces_stay_whatever_their_names() {
        let sentence = "These are the papers that it has published:";
        let links = "<a href=/r>Report of the inquiry</a></div><div><a href=/m>Map of the levels</a>";
        let list = format!("<div class=links><div>{links}</div></div>");
        assert_eq!(kept(sentence, &list, 0.05), "++++");
        let japanese = "公表された資料は次のとおりです：";
        assert_eq!(kept(japanese, "<ul class=nav><li><a href=/r>報告書</a><li><a href=/m>地図</a></ul>", 0.05), "++++");
        assert_eq!(kept(sentence, &list, 0.01), "---+");
        assert_eq!(kept("Read also:", &list, 0.05), "---+");
        assert_eq!(kept("It has published these papers.", &list, 0.05), "+--+");
        let items = "<ul><li><a href=/r>Report of the inquiry</a><li><a href=/m>Map of the levels</a></ul>";
        assert_eq!(kept("It has published these papers.", items, 0.2), "++++");
        assert_eq!(kept("It has published these papers.", &list, 0.2), "+--+");
        assert_eq!(kept("Links zur Sendung:", items, 0.2), "++++");
        assert_eq!(kept("Read also:", items, 0.1), "---+");
        assert_eq!(kept("Papers of the inquiry in full", items, 0.2), "+--+");
        // A part with a heading is not a list of links.
        assert_eq!(kept(sentence, "<div><h3>More stories</h3><p><a href=/m>Map</a></p></div>", 0.05), "+--+");
    }
}
