//! Records of a page: siblings with the same markup, such as the entries of a list, the products of a shop, the posts of a thread.
use crate::blocks::Blocks;
use crate::dom::{Dom, Tag};
use crate::hash::HashMap;
use crate::hash::{FNV, fnv};
use maintext_html::Attr;

/// Names of the columns of `records`.
pub const RECORD_FEATURES: [&str; 24] = [
    "record_count",
    "record_word_share",
    "record_kept_share",
    "record_content_share",
    "record_words",
    "record_spread",
    "record_linked",
    "record_links",
    "record_link_share",
    "record_images",
    "record_headings",
    "record_linked_headings",
    "record_prices",
    "record_dates",
    "record_depth",
    "content_prices",
    "content_headings",
    "content_linked_headings",
    "content_images",
    "content_links",
    "content_dates",
    "content_list_items",
    "content_short_words",
    "priced_records",
];

/// Fewest siblings that count as records.
const MIN_RECORDS: f32 = 3.0;
/// A block with fewer words may be a price, a date or a label.
const SHORT: u32 = 12;

/// Running sums over blocks or elements.
struct Sums(Vec<f32>);

impl Sums {
    fn new(values: impl Iterator<Item = f32>) -> Sums {
        let mut sums = vec![0.0];
        let mut sum = 0.0;
        sums.extend(values.map(|v| {
            sum += v;
            sum
        }));
        Sums(sums)
    }
    fn of(&self, from: usize, to: usize) -> f32 {
        self.0[to.max(from)] - self.0[from]
    }
    fn all(&self) -> f32 {
        self.0.last().copied().unwrap_or(0.0)
    }
}

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

/// Returns whether a short text may be a price.
fn is_price(text: &str) -> bool {
    let sign = |c: char| matches!(c, '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' | '\u{20b9}' | '\u{20bd}' | '\u{ffe5}');
    text.bytes().any(|b| b.is_ascii_digit()) && text.contains(sign)
}

/// Returns whether a short text may hold a date: it names a year of this century or the last.
fn is_date(text: &str) -> bool {
    let mut runs = text.as_bytes().split(|b| !b.is_ascii_digit());
    runs.any(|r| r.len() == 4 && (r.starts_with(b"19") || r.starts_with(b"20")))
}

/// Running sums over the blocks and elements of a page.
struct PageSums<'a> {
    blocks: &'a Blocks,
    words: Sums,
    kept: Sums,
    chars: Sums,
    link_chars: Sums,
    prices: Sums,
    dates: Sums,
    links: Sums,
    images: Sums,
    headings: Sums,
    linked_headings: Sums,
}

impl<'a> PageSums<'a> {
    fn new(dom: &Dom<'_>, blocks: &'a Blocks, kept: &[bool]) -> PageSums<'a> {
        let of = |f: &dyn Fn(usize) -> f32| Sums::new((0..blocks.len()).map(f));
        let short = |i: usize| blocks.blocks[i].words < SHORT;
        let flag = |f: bool| f32::from(u8::from(f));
        let elements = &blocks.elements;
        let tag = |f: &dyn Fn(usize) -> bool| Sums::new((0..elements.len()).map(|e| flag(f(e))));
        let is_heading = |e: usize| elements[e].tag.heading_level().is_some();
        let (chars, link_chars) = (of(&|i| blocks.blocks[i].chars as f32), of(&|i| blocks.blocks[i].link_chars as f32));
        let link_in = |e: usize| {
            let (from, to) = (elements[e].blocks.start as usize, elements[e].blocks.end as usize);
            link_chars.of(from, to) * 2.0 > chars.of(from, to)
        };
        let mut images = vec![0.0; elements.len()];
        let pictures = blocks.media.iter().filter(|m| dom.tag(m.node) == Tag::IMG);
        pictures.for_each(|m| images[m.element as usize] += 1.0);
        PageSums {
            words: of(&|i| blocks.blocks[i].words as f32),
            kept: of(&|i| if kept[i] { blocks.blocks[i].words as f32 } else { 0.0 }),
            prices: of(&|i| flag(short(i) && is_price(blocks.text(i)))),
            dates: of(&|i| flag(short(i) && is_date(blocks.text(i)))),
            links: tag(&|e| elements[e].tag == Tag::A),
            images: Sums::new(images.into_iter()),
            headings: tag(&is_heading),
            linked_headings: tag(&|e| is_heading(e) && link_in(e)),
            chars,
            link_chars,
            blocks,
        }
    }

    /// Returns groups of at least three siblings by parent, tag and class, in document order.
    fn groups(&self, dom: &Dom<'_>) -> Vec<SiblingGroup> {
        let mut places: HashMap<(u32, u32), usize> = HashMap::default();
        let mut groups: Vec<SiblingGroup> = Vec::new();
        for (i, e) in self.blocks.elements.iter().enumerate().skip(1).filter(|(_, e)| !e.blocks.is_empty()) {
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
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let (first, last) = (element, element + 1 + e.descendants as usize);
        let words = self.words.of(from, to);
        let has = |s: &Sums, a: usize, b: usize| f32::from(u8::from(s.of(a, b) > 0.0));
        g.count += 1.0;
        g.words += words;
        g.squares += words * words;
        g.kept += self.kept.of(from, to);
        g.chars += self.chars.of(from, to);
        g.link_chars += self.link_chars.of(from, to);
        g.links += self.links.of(first, last);
        g.linked += has(&self.links, first, last);
        g.images += has(&self.images, first, last);
        g.headings += has(&self.headings, first, last);
        g.linked_headings += has(&self.linked_headings, first, last);
        g.prices += has(&self.prices, from, to);
        g.dates += has(&self.dates, from, to);
        g.depth = f32::from(e.depth);
    }
}

/// Returns the columns about the records with the most content, and about the content.
pub(super) fn records(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool]) -> [f32; RECORD_FEATURES.len()] {
    let page = PageSums::new(dom, blocks, kept);
    let groups = page.groups(dom);
    // Kept words count most. Without any, the words of records with links decide.
    let rank = |g: &SiblingGroup| (g.kept * 4.0 + g.words) * g.linked / g.count;
    let better = |best: SiblingGroup, g: &SiblingGroup| if rank(g) > rank(&best) { *g } else { best };
    let g = groups.iter().skip(1).fold(groups.first().copied().unwrap_or_default(), better);
    let n = g.count.max(1.0);
    let mean = g.words / n;
    let spread = (g.squares / n - mean * mean).max(0.0).sqrt() / mean.max(1.0);
    let priced = groups.iter().map(|g| g.prices.min(g.linked)).fold(0.0, f32::max);
    let content = content(&page, kept);
    let own = [
        g.count,
        g.words / page.words.all().max(1.0),
        g.kept / g.words.max(1.0),
        g.kept / page.kept.all().max(1.0),
        mean,
        spread,
        g.linked / n,
        g.links / n,
        g.link_chars / g.chars.max(1.0),
        g.images / n,
        g.headings / n,
        g.linked_headings / n,
        g.prices / n,
        g.dates / n,
        g.depth,
    ];
    let mut out = [0.0; RECORD_FEATURES.len()];
    out.iter_mut().zip(own.into_iter().chain(content).chain([priced])).for_each(|(o, v)| *o = v);
    out
}

/// Returns counts over the kept blocks, and of the images between the first and the last.
fn content(page: &PageSums<'_>, kept: &[bool]) -> [f32; 8] {
    let blocks = page.blocks;
    let mut c = [0.0f32; 8];
    let mut words = 0.0f32;
    for (i, b) in blocks.blocks.iter().enumerate().filter(|(i, _)| kept[*i]) {
        let heading = crate::features::heading_of(&blocks.elements, b.container as usize) > 0;
        let linked = b.link_chars * 2 > b.chars;
        c[0] += page.prices.of(i, i + 1);
        c[1] += f32::from(u8::from(heading));
        c[2] += f32::from(u8::from(heading && linked));
        c[4] += b.links as f32;
        c[5] += page.dates.of(i, i + 1);
        c[6] += f32::from(u8::from(blocks.elements[b.container as usize].tag == Tag::LI));
        c[7] += if b.words < SHORT { b.words as f32 } else { 0.0 };
        words += b.words as f32;
    }
    let first = kept.iter().position(|k| *k).unwrap_or(0) as u32;
    let last = kept.iter().rposition(|k| *k).unwrap_or(0) as u32;
    c[3] = blocks.media.iter().filter(|m| m.position >= first && m.position <= last).count() as f32;
    c[7] /= words.max(1.0);
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(html: &str) -> impl Fn(&str) -> f32 + use<> {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kept: Vec<bool> = (0..blocks.len()).map(|i| !blocks.text(i).contains("menu")).collect();
        let values = records(&dom, &blocks, &kept);
        move |name| values[RECORD_FEATURES.iter().position(|n| *n == name).unwrap()]
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
