//! The fifteen features with which the published method separates list pages from detail pages.
//!
//! Source: Cui Qingcai, *Python 3 web crawler development in practice*, 2nd edition (2021), chapter 14.7; the classifier of
//! GerapyAutoExtractor. Counts cover the page without footers, headers, comments, advertisements, media, scripts and styles; characters are
//! counted without white space.
use crate::list::{LinkTable, siblings};
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::lexicon::lexicon;
use maintext_page::signs::PageSigns;
use maintext_reading::method::View;
use std::collections::BTreeMap;

/// Names of the features, in their order.
pub const FEATURES: [&str; 15] = [
    "number_of_a_char",
    "number_of_a_char_log10",
    "number_of_char",
    "number_of_char_log10",
    "rate_of_a_char",
    "number_of_p_descendants",
    "number_of_a_descendants",
    "number_of_punctuation",
    "density_of_punctuation",
    "number_of_clusters",
    "density_of_text",
    "max_density_of_text",
    "max_number_of_p_children",
    "has_datetime_meta",
    "similarity_of_title",
];

/// The publication's set of punctuation.
const PUNCTUATION: &str = "\u{ff01}\u{ff0c}\u{3002}\u{ff1f}\u{3001}\u{ff1b}\u{ff1a}\u{201c}\u{201d}\u{2018}\u{2019}\u{300a}\u{300b}%\
    \u{ff08}\u{ff09}<>{}\u{300c}\u{300d}\u{3010}\u{3011}*\u{ff5e}`,.?:;'\"!()";

/// Names of `<meta>` elements with the publication date; longer names that begin like one count too.
const DATES: &[&str] = lexicon!("date-meta-names.txt");

/// Maximum number of characters of a title that are compared; the comparison costs their square.
const MAX_TITLE: usize = 200;
/// Maximum number of headings that are compared with the title.
const MAX_HEADINGS: usize = 20;

/// Counts over an element and its descendants.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    chars: f64,
    link_chars: f64,
    punctuation: f64,
    descendants: f64,
    links: f64,
    paragraphs: f64,
    paragraph_children: f64,
}

impl Counts {
    /// Returns the characters outside links per element other than links; 0 without such elements.
    fn density(&self) -> f64 {
        let elements = self.descendants - self.links;
        if elements == 0.0 { 0.0 } else { (self.chars - self.link_chars) / elements }
    }
}

/// Returns the features of a page.
pub fn features(view: &View<'_>) -> [f64; FEATURES.len()] {
    let all = counts(view.dom, view.blocks);
    let signs = view.blocks.signs(view.dom);
    let page = all.first().copied().unwrap_or_default();
    let outside = (page.chars - page.link_chars) / (page.punctuation + 1.0);
    let table = LinkTable::new(view.dom, view.blocks, None);
    [
        page.link_chars,
        libm::log10(page.link_chars + 1.0),
        page.chars,
        libm::log10(page.chars + 1.0),
        if page.chars == 0.0 { 0.0 } else { page.link_chars / page.chars },
        page.paragraphs,
        page.links,
        page.punctuation,
        if outside == 0.0 { 1.0 } else { outside },
        siblings::clusters(view, &table) as f64,
        page.density(),
        all.iter().skip(1).map(&Counts::density).fold(0.0, f64::max),
        all.iter().skip(1).map(|c| c.paragraph_children).fold(0.0, f64::max),
        f64::from(u8::from(dated(view.dom, signs))),
        title_similarity(view.dom, signs),
    ]
}

/// Returns the counts of all elements considered, the root first.
fn counts(dom: &Dom<'_>, blocks: &Blocks) -> Vec<Counts> {
    let n = blocks.elements.len();
    let mut out = vec![Counts::default(); n];
    let mut seen = vec![true; n];
    for (i, e) in blocks.elements.iter().enumerate() {
        seen[i] = i == 0 || (seen[e.parent as usize] && !removed(dom, e.node, e.tag));
    }
    let mut in_link = vec![false; n];
    let mut element_of = vec![None; dom.len()];
    for (i, e) in blocks.elements.iter().enumerate() {
        in_link[i] = e.tag == Tag::A || in_link[e.parent as usize];
        element_of[e.node.index()] = Some(i);
    }
    for &leaf in &blocks.leaves {
        let place = dom.ancestors(leaf).find_map(|a| element_of[a.index()]);
        let Some(i) = place.filter(|&i| seen[i]) else { continue };
        let own = &mut out[i];
        for c in dom.text(leaf).chars().filter(|c| !c.is_whitespace()) {
            own.chars += 1.0;
            own.link_chars += f64::from(u8::from(in_link[i]));
            own.punctuation += f64::from(u8::from(PUNCTUATION.contains(c)));
        }
    }
    // Children come after their parents.
    for i in (1..n).rev().filter(|&i| seen[i]) {
        let (e, c) = (&blocks.elements[i], out[i]);
        let p = &mut out[e.parent as usize];
        let (link, paragraph) = (f64::from(u8::from(e.tag == Tag::A)), f64::from(u8::from(e.tag == Tag::P)));
        p.chars += c.chars;
        p.link_chars += c.link_chars;
        p.punctuation += c.punctuation;
        p.descendants += c.descendants + 1.0;
        p.links += c.links + link;
        p.paragraphs += c.paragraphs + paragraph;
        p.paragraph_children += paragraph;
    }
    out.iter().zip(seen).filter(|(_, seen)| *seen).map(|(c, _)| *c).collect()
}

/// Returns whether the publication's preprocessing removes an element.
fn removed(dom: &Dom<'_>, node: NodeId, tag: Tag) -> bool {
    tag != Tag::IMG && siblings::ignored(dom, node, tag)
        || matches!(tag, Tag::SCRIPT | Tag::STYLE | Tag::LINK | Tag::NOSCRIPT)
}

fn dated(dom: &Dom<'_>, signs: &PageSigns) -> bool {
    signs.metas(dom).any(|n| {
        ["property", "itemprop", "name"]
            .iter()
            .any(|a| dom.attr(n, a).is_some_and(|v| DATES.iter().any(|d| v.starts_with(d))))
    })
}

/// Returns the similarity of the page's title to its heading: 2 if there is neither heading nor `og:title`, 3 without a title.
fn title_similarity(dom: &Dom<'_>, signs: &PageSigns) -> f64 {
    let title = dom.title().map(|n| dom.text_content(n)).unwrap_or_default();
    let title: Vec<char> = cleaned(&title);
    let declared = signs.metas(dom).find_map(|n| {
        let name = dom.attr(n, "property").or_else(|| dom.attr(n, "name"))?;
        if !["og:title", "title", "page:title"].iter().any(|t| name.starts_with(t)) {
            return None;
        }
        dom.attr(n, "content").map(cleaned).filter(|t| !t.is_empty())
    });
    let target = declared.map(|t| similarity(&t, &title)).or_else(|| {
        let texts = dom
            .descendants(NodeId::ROOT)
            .filter(|n| matches!(dom.tag(*n), Tag::H1 | Tag::H2 | Tag::H3))
            .map(|n| cleaned(&dom.text_content(n)));
        texts.filter(|t| !t.is_empty()).take(MAX_HEADINGS).map(|t| similarity(&t, &title)).reduce(f64::max)
    });
    match target {
        None => 2.0,
        Some(_) if title.is_empty() => 3.0,
        Some(similarity) => similarity,
    }
}

fn cleaned(text: &str) -> Vec<char> {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_TITLE).collect()
}

/// Returns one minus the edit distance (Levenshtein) divided by the sum of the lengths.
fn similarity(a: &[char], b: &[char]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    1.0 - row[b.len()] as f64 / (a.len() + b.len()) as f64
}

/// Returns the features by name, for display.
pub fn named(values: &[f64; FEATURES.len()]) -> BTreeMap<&'static str, f64> {
    FEATURES.into_iter().zip(*values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> BTreeMap<&'static str, f64> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        named(&features(&View { source: html, dom: &dom, blocks: &blocks, url: None }))
    }

    #[test]
    fn features_match_values_computed_by_hand() {
        let f = of(
            "<title>Herons</title><meta property='article:published_time' content=x><body><header>not counted</header>\
            <div><h1>Heron</h1><p>One, two. <a href=/x>three</a></p><p>\u{4f60}\u{597d}\u{3002}</p></div></body>",
        );
        // Heron One,two.three and three Chinese characters.
        assert_eq!((f["number_of_char"], f["number_of_a_char"]), (21.0, 5.0));
        assert_eq!(
            (f["number_of_punctuation"], f["number_of_p_descendants"], f["number_of_a_descendants"]),
            (3.0, 2.0, 1.0)
        );
        assert!((f["rate_of_a_char"] - 5.0 / 21.0).abs() < 1e-9);
        assert!((f["density_of_punctuation"] - 16.0 / 4.0).abs() < 1e-9);
        assert_eq!((f["max_number_of_p_children"], f["has_datetime_meta"]), (2.0, 1.0));
        // One letter is added: 1 - 1 / 11.
        assert!((f["similarity_of_title"] - 10.0 / 11.0).abs() < 1e-9);
        // The div holds h1, p, p and a: 16 characters over 3 elements other than links.
        assert!((f["max_density_of_text"] - 16.0 / 3.0).abs() < 1e-9, "{f:?}");
    }

    #[test]
    fn lists_have_clusters_and_detail_pages_do_not() {
        let list: String =
            (0..8).map(|i| format!("<li><a href=/{i}>A title that is long enough {i}</a></li>")).collect();
        assert_eq!(of(&format!("<body><ul>{list}</ul>"))["number_of_clusters"], 1.0);
        assert_eq!(of("<body><p>One paragraph.</p>")["number_of_clusters"], 0.0);
    }

    #[test]
    fn missing_titles_and_headings_have_special_values() {
        assert_eq!(of("<title>a</title><p>x")["similarity_of_title"], 2.0);
        assert_eq!(of("<h1>a</h1><p>x")["similarity_of_title"], 3.0);
        assert_eq!(of("")["similarity_of_title"], 2.0);
    }
}
