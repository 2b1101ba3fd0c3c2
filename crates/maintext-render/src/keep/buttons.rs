//! Rows of links below the records of a listing, such as "Find similar" and "Cite": each record has them, with its own addresses.
use maintext_facts::metadata::text::squeeze;
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::{HashMap, HashSet};

/// Minimum number of addresses to which links of one label lead.
const MIN_RECORDS: usize = 4;
/// Maximum number of words of a row.
const MAX_ROW_WORDS: u32 = 20;
/// Number of elements around a text among which its link is sought.
const MAX_LEVELS_TO_LINK: usize = 4;

/// Drops kept rows of at least two links and nothing else, if other rows have most of their labels as well, with other addresses.
pub fn drop_rows(dom: &Dom, blocks: &Blocks, kept: &mut [bool]) {
    let rows = blocks
        .blocks
        .iter()
        .enumerate()
        .filter(|(i, b)| kept[*i] && b.links >= 2 && b.link_chars * 10 >= b.chars * 9 && b.words <= MAX_ROW_WORDS);
    let rows: Vec<(usize, Vec<(String, &str)>)> = rows.map(|(i, b)| (i, links(dom, blocks, b))).collect();
    if rows.len() < MIN_RECORDS {
        return;
    }
    let mut addresses: HashMap<&str, HashSet<&str>> = HashMap::default();
    for (label, href) in rows.iter().flat_map(|r| &r.1) {
        addresses.entry(label).or_default().insert(href);
    }
    for (i, links) in &rows {
        let often = links.iter().filter(|(label, _)| addresses[label.as_str()].len() >= MIN_RECORDS).count();
        if often >= 2 && 2 * often >= links.len() {
            kept[*i] = false;
        }
    }
}

/// Returns the labels and addresses of a block's links.
fn links<'a>(dom: &'a Dom, blocks: &Blocks, block: &Block) -> Vec<(String, &'a str)> {
    let mut out: Vec<(String, &str)> = Vec::new();
    let mut last = None;
    for &leaf in blocks.leaves_of(block) {
        let Some(link) = dom.ancestors(leaf).take(MAX_LEVELS_TO_LINK).find(|n| dom.tag(*n) == Tag::A) else { continue };
        if last == Some(link)
            && let Some(own) = out.last_mut()
        {
            own.0.push_str(dom.text(leaf));
        } else {
            last = Some(link);
            out.push((dom.text(leaf).to_owned(), dom.attr(link, "href").unwrap_or("")));
        }
    }
    out.into_iter().map(|(label, href)| (squeeze(&label), href)).filter(|l| !l.0.is_empty()).collect()
}
