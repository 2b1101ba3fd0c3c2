//! Records of a page: siblings with the same markup, such as the entries of a list, the products of a shop, the posts of a thread.
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::{FNV, HashMap, fnv};
use maintext_reading::features::Column;
use maintext_reading::features::sums::RunningSums;

/// Minimum number of siblings that count as records.
const MIN_RECORDS: f32 = 3.0;
/// A block with fewer words may be a price, a date or a label.
const MAX_LABEL_WORDS: u32 = 12;

/// Siblings with the same tag and class.
#[derive(Clone, Copy, Debug, Default)]
struct SiblingGroup {
    count: f32,
    words: f32,
    squares: f32,
    kept: f32,
    linked: f32,
    links: f32,
    chars: f32,
    link_chars: f32,
    images: f32,
    headings: f32,
    linked_headings: f32,
    prices: f32,
    dates: f32,
    depth: f32,
}

/// Returns whether a short text with a digit may be a price.
fn is_price(text: &str) -> bool {
    text.contains(['$', '\u{20ac}', '\u{a3}', '\u{a5}', '\u{20b9}', '\u{20bd}', '\u{ffe5}'])
}

/// Returns whether a short text may hold a date: it names a year of this century or the last.
fn is_date(text: &str) -> bool {
    let mut runs = text.as_bytes().split(|b| !b.is_ascii_digit());
    runs.any(|r| r.len() == 4 && (r.starts_with(b"19") || r.starts_with(b"20")))
}

/// Running sums over the blocks and elements of a page.
struct RecordSums<'a> {
    blocks: &'a Blocks,
    /// Words, kept words, characters, characters in links, prices, dates.
    of_blocks: RunningSums<f32, 6>,
    /// Links, images, headings, headings that are mostly a link.
    of_elements: RunningSums<f32, 4>,
}

impl<'a> RecordSums<'a> {
    fn new(dom: &Dom<'_>, blocks: &'a Blocks, kept: &[bool]) -> RecordSums<'a> {
        let of_blocks = RunningSums::new((0..blocks.len()).map(|i| {
            let b = &blocks.blocks[i];
            let (words, text) = (b.words as f32, if b.words < MAX_LABEL_WORDS { blocks.text(i) } else { "" });
            let has_digit = text.bytes().any(|b| b.is_ascii_digit());
            let (price, date) = (has_digit && is_price(text), has_digit && is_date(text));
            [words, if kept[i] { words } else { 0.0 }, b.chars as f32, b.link_chars as f32, flag(price), flag(date)]
        }));
        let mut images = vec![0.0; blocks.elements.len()];
        let pictures = blocks.media.iter().filter(|m| dom.tag(m.node) == Tag::IMG);
        pictures.for_each(|m| images[m.element as usize] += 1.0);
        let of_elements = RunningSums::new(blocks.elements.iter().enumerate().map(|(i, e)| {
            let is_heading = e.tag.heading_level().is_some();
            [
                flag(e.tag == Tag::A),
                images[i],
                flag(is_heading),
                flag(
                    is_heading && {
                        let [_, _, chars, link_chars, ..] =
                            of_blocks.of(e.blocks.start as usize..e.blocks.end as usize);
                        link_chars * 2.0 > chars
                    },
                ),
            ]
        }));
        RecordSums { blocks, of_blocks, of_elements }
    }

    /// Returns groups of at least three siblings by parent, tag and class, in document order.
    fn groups(&self, dom: &Dom<'_>) -> Vec<SiblingGroup> {
        let mut places: HashMap<(u32, u32), usize> = HashMap::default();
        let mut groups: Vec<SiblingGroup> = Vec::new();
        let mut children = vec![0.0; self.blocks.elements.len()];
        self.blocks
            .elements
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, e)| !e.blocks.is_empty())
            .for_each(|(_, e)| children[e.parent as usize] += 1.0);
        for (i, e) in self
            .blocks
            .elements
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, e)| !e.blocks.is_empty())
            .filter(|(_, e)| children[e.parent as usize] >= MIN_RECORDS)
        {
            let class = dom.attribute(e.node, Attr::CLASS).unwrap_or("");
            let first = class.split_ascii_whitespace().next().unwrap_or("").bytes().filter(|b| !b.is_ascii_digit());
            let kind = first.fold(fnv(FNV, e.tag.0 as u32), |h, b| fnv(h, u32::from(b)));
            let place = *places.entry((e.parent, kind)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(SiblingGroup::default());
            }
            self.add(&mut groups[place], i);
        }
        groups.retain(|g| g.count >= MIN_RECORDS);
        groups
    }

    fn add(&self, g: &mut SiblingGroup, element: usize) {
        let e = &self.blocks.elements[element];
        let [words, kept, chars, link_chars, prices, dates] =
            self.of_blocks.of(e.blocks.start as usize..e.blocks.end as usize);
        let [links, images, headings, linked_headings] =
            self.of_elements.of(element..element + 1 + e.descendants as usize);
        g.count += 1.0;
        g.words += words;
        g.squares += words * words;
        g.kept += kept;
        g.chars += chars;
        g.link_chars += link_chars;
        g.links += links;
        g.linked += f32::from(u8::from(links > 0.0));
        g.images += f32::from(u8::from(images > 0.0));
        g.headings += f32::from(u8::from(headings > 0.0));
        g.linked_headings += f32::from(u8::from(linked_headings > 0.0));
        g.prices += f32::from(u8::from(prices > 0.0));
        g.dates += f32::from(u8::from(dates > 0.0));
        g.depth = f32::from(e.depth);
    }
}

fn flag(f: bool) -> f32 {
    f32::from(u8::from(f))
}

/// Returns the columns about the records with the most content, and about the content.
pub(super) fn records(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool]) -> Vec<Column> {
    let page = RecordSums::new(dom, blocks, kept);
    let groups = page.groups(dom);
    // Kept words count most. Without any, the words of records with links decide.
    let g = groups
        .iter()
        .skip(1)
        .fold(groups.first().copied().unwrap_or_default(), |best, g| if rank(g) > rank(&best) { *g } else { best });
    let n = g.count.max(1.0);
    let mean = g.words / n;
    let spread = (g.squares / n - mean * mean).max(0.0).sqrt() / mean.max(1.0);
    let priced = groups.iter().map(|g| g.prices.min(g.linked)).fold(0.0, f32::max);
    let content = content(&page, kept);
    let [words, kept, ..] = page.of_blocks.all();
    let mut out = vec![
        ("record_count", g.count),
        ("record_word_share", g.words / words.max(1.0)),
        ("record_kept_share", g.kept / g.words.max(1.0)),
        ("record_content_share", g.kept / kept.max(1.0)),
        ("record_words", mean),
        ("record_spread", spread),
        ("record_linked", g.linked / n),
        ("record_links", g.links / n),
        ("record_link_share", g.link_chars / g.chars.max(1.0)),
        ("record_images", g.images / n),
        ("record_headings", g.headings / n),
        ("record_linked_headings", g.linked_headings / n),
        ("record_prices", g.prices / n),
        ("record_dates", g.dates / n),
        ("record_depth", g.depth),
    ];
    out.extend(content);
    out.push(("priced_records", priced));
    out
}

fn rank(g: &SiblingGroup) -> f32 {
    (g.kept * 4.0 + g.words) * g.linked / g.count
}

/// Returns counts over the kept blocks, and of the images between the first and the last.
fn content(page: &RecordSums<'_>, kept: &[bool]) -> [Column; 8] {
    let blocks = page.blocks;
    let [mut prices, mut headings, mut linked_headings, mut links, mut dates] = [0.0f32; 5];
    let [mut list_items, mut words, mut short_words] = [0.0f32; 3];
    for (i, b) in blocks.blocks.iter().enumerate().filter(|(i, _)| kept[*i]) {
        let is_heading = maintext_reading::features::heading_of(&blocks.elements, b.container as usize) > 0;
        let [.., own_prices, own_dates] = page.of_blocks.of(i..i + 1);
        prices += own_prices;
        headings += f32::from(u8::from(is_heading));
        linked_headings += f32::from(u8::from(is_heading && b.link_chars * 2 > b.chars));
        links += b.links as f32;
        dates += own_dates;
        list_items += f32::from(u8::from(blocks.elements[b.container as usize].tag == Tag::LI));
        words += b.words as f32;
        short_words += if b.words < MAX_LABEL_WORDS { b.words as f32 } else { 0.0 };
    }
    let first = kept.iter().position(|k| *k).unwrap_or(0) as u32;
    let last = kept.iter().rposition(|k| *k).unwrap_or(0) as u32;
    let images = blocks.media.iter().filter(|m| m.position >= first && m.position <= last).count() as f32;
    [
        ("content_prices", prices),
        ("content_headings", headings),
        ("content_linked_headings", linked_headings),
        ("content_images", images),
        ("content_links", links),
        ("content_dates", dates),
        ("content_list_items", list_items),
        ("content_short_words", short_words / words.max(1.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(html: &str) -> impl Fn(&str) -> f32 + use<> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kept: Vec<bool> = (0..blocks.len()).map(|i| !blocks.text(i).contains("menu")).collect();
        let values = records(&dom, &blocks, &kept);
        move |name| values.iter().find(|c| c.0 == name).unwrap().1
    }

    #[test]
    fn products_are_records() {
        let card = |i: u32| {
            format!(
                "<li class='card c-{i}'><a href=/{i}><img src=x.jpg><h3>Lamp number {i}</h3></a><p>\u{20ac} {i}9</li>"
            )
        };
        let menu = "<li class=item><a href=/m>menu</a>".repeat(9);
        let cards: String = (1..5).map(card).collect();
        let value = columns(&format!("<ul>{menu}</ul><h1>Lamps</h1><ul>{cards}</ul>"));
        assert_eq!(["record_count", "record_linked", "record_links"].map(&value), [4.0, 1.0, 1.0]);
        assert_eq!(["record_images", "record_linked_headings", "record_prices"].map(&value), [1.0, 1.0, 1.0]);
        assert_eq!(["record_dates", "record_kept_share", "record_spread"].map(&value), [0.0, 1.0, 0.0]);
        assert_eq!(["content_prices", "content_headings", "priced_records"].map(&value), [4.0, 5.0, 4.0]);
        assert!((value("record_content_share") - 16.0 / 17.0).abs() < 1e-6);
    }

    #[test]
    fn pages_without_records_have_no_record_counts() {
        let value = columns("<h1>A title</h1><p>Text of 2024.<p>More of it, without a link.");
        assert_eq!(["record_count", "record_words", "priced_records"].map(&value), [0.0; 3]);
        assert_eq!(["content_dates", "content_headings", "content_links"].map(&value), [1.0, 1.0, 0.0]);
        assert_eq!(columns("")("content_headings"), 0.0);
    }
}
