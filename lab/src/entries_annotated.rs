//! Our own annotation of the entries of list pages in autopager-pagination. The set itself only marks the links to other pages of the
//! list.
use crate::data::{Link, Page};
use maintext_core::dom::{self, NodeId, Tag};
use maintext_core::hash::of64;
use maintext_core::select::Selector;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The set.
pub const SET: &str = "autopager-pagination";
/// The page type of these pages in reports.
pub const KIND: &str = "annotated";

/// The page type of labelled pages in reports.
pub const LABELLED: &str = "labelled";

/// Pages by number, and a selector for the links to their entries. Pages with ambiguous entries are omitted.
const ENTRIES: &[(&[u16], &str)] = &[
    (&[6, 7, 8], "a.product-image-link"),
    (&[9], "h3.article_preview a"),
    (&[11, 12, 13], "article.item-list > h2 a"),
    (&[16, 17, 18, 19], "li.item div.product-wrap h3 a"),
    (&[22, 23], "h2.title a"),
    (&[25, 26], "#main-post div.post > a"),
    (&[29, 30, 31], "div.ItemContent div.Title a"),
    (&[36, 37], "td.DiscussionName a.Title"),
    (&[46], "a.lst-lnk-notice"),
    (&[50, 51, 103, 104, 175, 176], "h2.entry-title a"),
    (&[52, 53], "div.dbk-product-summary h3 a"),
    (&[61, 71, 194, 195], "h3.threadtitle a.title"),
    (&[65, 66], "td.lc > a"),
    (&[70, 193], "h2.forumtitle a"),
    (&[73, 74, 75], "article h1.entry-title a"),
    (&[79], "h2.post-title a"),
    (&[80, 81], "#archive .item h2 a"),
    (&[88], "td.ML2 a"),
    (&[93, 94], "div.bl-text strong a"),
    (&[95, 96], "div.title-post h2 a"),
    (&[97, 98], "h1.entry-title a"),
    (&[101, 102], "h2.post-titulo a"),
    (&[105, 106, 107], "a.entry-title-link"),
    (&[108, 109], "a.product-image"),
    (&[114, 115], "div.event-grid-name a"),
    (&[116, 117], "p.item_what a"),
    (&[118, 119], "h3.event-title a"),
    (&[121, 122], "div.products-grid h3.product-name a"),
    (&[124, 125, 126], ".posts_wrapper h2.entry-title a"),
    (&[127, 128], "h2.product-name a"),
    (&[130, 131], "div.T_post a.first_BB"),
    (&[139], "div.product-block div.name a"),
    (&[146], "div.text div.title h2 a"),
    (&[148, 149, 151], "main h2.entry-title a"),
    (&[153, 154], "h1.title a"),
    (&[161, 162, 163], "h1.article-title a"),
    (&[166, 167], "header.place a"),
    (&[174], "div.entry-summary h2 a"),
    (&[180, 181, 182], "h3.post-title a"),
    (&[184, 185], "div.nconzxl1 a"),
    (&[187, 188], "a.OD_Title"),
    (&[189], "a.subject"),
    (&[190], "td.subject span a"),
    (&[192], "td.list-title a"),
    (&[197, 198, 199, 200], "p.productHeadline a"),
];

/// Main links of list pages, read by hand, as the lower halves of the 64-bit FNV-1a hashes of their addresses as written: docs/lists.md.
const LABELS: &[u8] = include_bytes!("../../bench/labels/lists.jsonl.zst");

/// Hashes of the main links by set and page.
type Labels = HashMap<(String, String), HashSet<u32>>;

/// Returns the labelled pages, which are read once.
fn labels() -> &'static Labels {
    static READ: LazyLock<Labels> = LazyLock::new(|| {
        let row = |line: &str| {
            let row: serde_json::Value = serde_json::from_str(line).ok()?;
            let text = |key: &str| row[key].as_str().map(str::to_owned);
            let hashes = row["links"].as_array()?.iter().filter_map(|h| u32::from_str_radix(h.as_str()?, 16).ok());
            Some(((text("set")?, text("id")?), hashes.collect()))
        };
        let text = zstd::decode_all(LABELS).expect("the file is compressed with zstd");
        String::from_utf8_lossy(&text).lines().filter_map(row).collect()
    });
    &READ
}

/// Adds the entries to a page of a set, if they are labelled or annotated.
pub fn annotate(set: &str, page: &mut Page) {
    if let Some(hashes) = labels().get(&(set.to_owned(), page.id.clone())) {
        let text = page.decoded().into_owned();
        let dom = dom::parse(&text, &Default::default());
        let hrefs = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::A).filter_map(|n| dom.attr(n, "href"));
        let named = hrefs.map(str::trim).filter(|h| hashes.contains(&(of64(h.as_bytes()) as u32)));
        page.links = named.map(|h| Link { url: h.to_owned(), ..Link::default() }).collect();
        page.page_type = Some(LABELLED.to_owned());
        return;
    }
    if set != SET {
        return;
    }
    let number = page.id.parse::<u16>().ok();
    let known = ENTRIES.iter().find(|(pages, _)| number.is_some_and(|n| pages.contains(&n)));
    let Some(links) = known.and_then(|(_, s)| Selector::parse(s).ok()) else { return };
    let text = page.decoded().into_owned();
    let dom = dom::parse(&text, &Default::default());
    let named = links.all(&dom).into_iter().filter(|&n| dom.tag(n) == Tag::A);
    let hrefs = named.filter_map(|n| dom.attr(n, "href"));
    page.links = hrefs.map(|h| Link { url: h.trim().to_owned(), ..Link::default() }).collect();
    page.page_type = Some(KIND.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_the_links_that_the_selector_matches() {
        let html =
            b"<h2 class=title><a href=' /a'>A</a></h2><h2><a href=/b>B</a></h2><p class=title><a href=/c>C</a></p>"
                .to_vec();
        let page = |id: &str| Page { id: id.into(), html: html.clone(), ..Page::default() };
        let (mut known, mut other) = (page("22"), page("1"));
        annotate(SET, &mut known);
        annotate(SET, &mut other);
        assert_eq!(known.links.iter().map(|l| l.url.as_str()).collect::<Vec<_>>(), ["/a"]);
        assert!(other.links.is_empty() && other.page_type.is_none());
    }

    #[test]
    fn every_line_of_the_labels_is_a_page_with_links() {
        let lines = zstd::decode_all(LABELS).unwrap().iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(labels().len(), lines);
        assert!(labels().values().filter(|links| links.len() >= 4).count() >= 120);
    }

    #[test]
    fn every_page_is_annotated_once_and_every_selector_is_known() {
        let mut pages: Vec<u16> = ENTRIES.iter().flat_map(|e| e.0).copied().collect();
        let all = pages.len();
        pages.sort_unstable();
        pages.dedup();
        assert_eq!(pages.len(), all);
        assert!(ENTRIES.iter().all(|e| Selector::parse(e.1).is_ok()));
    }
}
