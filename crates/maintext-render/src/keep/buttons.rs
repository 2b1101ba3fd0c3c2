//! Rows of links below the records of a listing, such as "Find similar" and "Cite": each record has them, with its own addresses.
use maintext_facts::metadata::text::squeeze;
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::{HashMap, HashSet};

/// Minimum number of addresses to which links of one label lead.
const MIN_RECORDS: usize = 4;
/// Maximum number of words of a row, and of a single label.
const MAX_ROW_WORDS: u32 = 20;
const MAX_LABEL_WORDS: u32 = 4;
/// Minimum number of rows within the text that make a row like them the beginning of an entry.
const MIN_ALIKE: usize = 3;
/// Minimum number of links of a menu in one line, and maximum number of words of two links to the pages before and after.
const MIN_MENU_LINKS: u32 = 3;
const MAX_PAGER_WORDS: u32 = 3;
/// Number of elements around a text among which its link is sought.
const MAX_LEVELS_TO_LINK: usize = 4;

/// Drops kept rows of nothing but links if other rows have most of their labels as well, with other addresses: "Find similar" and "Cite", or
/// "Read on" alone, in any language. A single link stays where it is a heading or a cell.
pub fn drop_rows(dom: &Dom, blocks: &Blocks, kept: &mut [bool]) {
    let rows: Vec<usize> = (0..blocks.len()).filter(|&i| is_row_of_links(blocks, i)).collect();
    if rows.len() < MIN_RECORDS || !rows.iter().any(|&i| kept[i]) {
        return;
    }
    let rows: Vec<(usize, Vec<(String, &str)>)> =
        rows.into_iter().map(|i| (i, links(dom, blocks, &blocks.blocks[i]))).collect();
    let mut addresses: HashMap<&str, HashSet<&str>> = HashMap::default();
    for (label, href) in rows.iter().flat_map(|r| &r.1) {
        addresses.entry(label).or_default().insert(href);
    }
    for (i, links) in &rows {
        // The numbers of a thread's pages may be behind its title.
        let mut named: Vec<&str> = links.iter().map(|link| link.0.as_str()).collect();
        if !named.iter().all(|label| is_number(label)) {
            named.retain(|label| !is_number(label));
        }
        let often = named.iter().filter(|label| addresses[**label].len() >= MIN_RECORDS).count();
        if 2 * often >= named.len() && often >= named.len().min(2) {
            kept[*i] = false;
        }
    }
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Drops kept rows of links above the first kept text and below the last: menus whose names the model does not know. Where rows within the text
/// are like one of them, it is the title and the tags of an entry.
pub fn drop_menus(blocks: &Blocks, kept: &mut [bool]) {
    let own: Vec<usize> = (0..kept.len()).filter(|&i| kept[i]).collect();
    let above = own.iter().take_while(|&&i| is_menu(&blocks.blocks[i])).count();
    let below = own[above..].iter().rev().take_while(|&&i| is_menu(&blocks.blocks[i])).count();
    if above + below == own.len() {
        return;
    }
    let mut within: HashMap<(Tag, u16), usize> = HashMap::default();
    for &i in own[above..own.len() - below].iter().filter(|&&i| is_menu(&blocks.blocks[i])) {
        *within.entry(kind_of_row(blocks, i)).or_default() += 1;
    }
    for &i in own[..above].iter().chain(&own[own.len() - below..]) {
        kept[i] = within.get(&kind_of_row(blocks, i)).is_some_and(|count| *count >= MIN_ALIKE);
    }
}

/// Returns the tag and the depth of the element that holds a row.
fn kind_of_row(blocks: &Blocks, row: usize) -> (Tag, u16) {
    let container = &blocks.elements[blocks.blocks[row].container as usize];
    (container.tag, container.depth)
}

/// Whether a block is short and hardly has any text outside of links.
fn is_row(block: &Block) -> bool {
    block.link_chars * 10 >= block.chars * 9 && block.words <= MAX_ROW_WORDS
}

fn is_menu(block: &Block) -> bool {
    block.links >= MIN_MENU_LINKS && is_row(block) || is_pager(block)
}

/// Whether a block is a row of links, or one link that may be a control.
fn is_row_of_links(blocks: &Blocks, i: usize) -> bool {
    let block = &blocks.blocks[i];
    block.links >= 1 && is_row(block) && (block.links > 1 || is_label(blocks, i))
}

/// Whether a block is two links of a word or a sign each: "Previous", "Next".
fn is_pager(block: &Block) -> bool {
    block.links == 2 && block.words <= MAX_PAGER_WORDS && block.link_chars + 1 >= block.chars
}

/// Whether a block is short enough for the label of a control, and neither a heading, a cell nor a date.
fn is_label(blocks: &Blocks, block: usize) -> bool {
    blocks.blocks[block].words <= MAX_LABEL_WORDS
        && !blocks.text(block).contains(char::is_numeric)
        && !blocks.ancestors(block).take(MAX_LEVELS_TO_LINK).any(|e| {
            let tag = blocks.elements[e].tag;
            tag.heading_level().is_some() || matches!(tag, Tag::TD | Tag::TH | Tag::DT)
        })
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

#[cfg(test)]
mod tests {
    use super::{drop_menus, drop_rows};
    use maintext_page::blocks::Blocks;

    /// Returns which blocks of four records are kept.
    fn kept(record: impl Fn(usize) -> String) -> String {
        let html = (1..5).map(record).collect::<String>();
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut kept = vec![true; blocks.len()];
        drop_rows(&dom, &blocks, &mut kept);
        kept.into_iter().map(|k| if k { '+' } else { '-' }).collect()
    }

    #[test]
    fn labels_that_all_records_share_go() {
        assert_eq!(
            kept(|n| format!("<h2>Mill {n}</h2><div><a href=/c/{n}>Cite</a> <a href=/s/{n}>Find similar</a></div>")),
            "+-".repeat(4)
        );
        assert_eq!(
            kept(|n| format!("<h2>Mill {n}</h2><p>It turns.</p><p><a href=/{n}>اقرأ المزيد</a></p>")),
            "++-".repeat(4)
        );
    }

    #[test]
    fn titles_of_threads_with_the_numbers_of_their_pages_stay() {
        let pages = |n: usize| format!("<a href=/{n}/1>1</a> <a href=/{n}/2>2</a>");
        assert_eq!(kept(|n| format!("<p><a href=/{n}>The mill at {n}</a> {}</p>", pages(n))), "++++");
        assert_eq!(kept(|n| format!("<h2>Mill {n}</h2><p>{}</p>", pages(n))), "+-".repeat(4));
    }

    #[test]
    fn menus_around_the_text_go() {
        let menu = "<p><a href=/>Start</a><br><a href=/t>Texte</a><br><a href=/g>Gästebuch</a></p>";
        let kept = |html: &str| {
            let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
            let mut kept = vec![true; blocks.len()];
            drop_menus(&blocks, &mut kept);
            kept
        };
        let text = "<p>There was a miller at Rethem.</p>";
        assert_eq!(kept(&format!("{menu}{text}{menu}{text}{menu}")), [false, true, true, true, false]);
        assert_eq!(kept(menu), [true]);
        assert_eq!(kept(&format!("{text}<p><a href=/1>Back</a> <a href=/3>Next page</a></p>")), [true, false]);
        assert_eq!(kept(&format!("{text}<p><a href=/1>Map of Rethem</a> <a href=/3>The mill</a></p>")), [true, true]);
    }

    #[test]
    fn the_title_and_the_tags_of_the_first_entry_stay() {
        let entry = "<p><a href=/a>The mill turns</a> <a href=/t>mills</a> <a href=/s>rivers</a></p><p>By Ann</p>";
        let first = |entries: usize| {
            let html = entry.repeat(entries);
            let blocks = Blocks::new(&maintext_page::dom::parse(&html, &Default::default()));
            let mut kept = vec![true; blocks.len()];
            drop_menus(&blocks, &mut kept);
            kept[0]
        };
        assert_eq!((first(2), first(4)), (false, true));
    }

    #[test]
    fn names_dates_headings_and_cells_stay() {
        assert_eq!(kept(|n| format!("<p><a href=/{n}>Mill {n}</a></p>")), "++++");
        assert_eq!(kept(|n| format!("<p><a href=/{n}>14 March</a></p>")), "++++");
        assert_eq!(kept(|n| format!("<h3><a href=/{n}>The mill</a></h3>")), "++++");
        assert_eq!(kept(|n| format!("<table><tr><td>{n}<td><a href=/{n}>Report</a></table>")), "+".repeat(8));
        assert_eq!(kept(|_| "<p><a href=/all>All mills</a></p>".to_owned()), "++++");
    }
}
