//! The links of a page and their surroundings, gathered in a few linear passes.
use super::words;
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use maintext_page::hash::{FNV, HashMap, fnv};
use maintext_reading::features::sums::RunningSums;
use std::collections::BTreeMap;
use std::ops::Range;
use url::Url;

/// Minimum number of containers for a group to count as one of records, within which links are compared.
pub(super) const MIN_RECORDS: usize = 3;
/// Maximum number of levels climbed from a link in search of its record; deeper pages gain nothing by a longer climb.
pub(super) const MAX_LEVELS_TO_RECORD: usize = 40;
/// Maximum number of characters of a link's text that are kept.
const MAX_LINK_CHARS: usize = 400;
/// A text in more than one of this many records names none of them.
const MAX_RECORDS_PER_TEXT: usize = 3;
/// Maximum number of links of a record that may name it.
const MAX_LINKS_BESIDE: usize = 30;
/// Maximum number of blocks of a record among which its name is sought.
const MAX_FIRST_TEXTS: usize = 12;
/// Minimum number of siblings of a kind with links that count as repeated.
const MIN_REPEATED: u32 = 3;

/// A link with an address.
#[derive(Clone, Debug)]
pub struct Link {
    /// The `<a>` element.
    pub node: NodeId,
    /// Its index in [`Blocks::elements`].
    pub element: usize,
    /// The text, white space collapsed; empty for a link around an image.
    pub text: String,
    /// The label of a link without text: `alt` of its image, `title`, `aria-label`.
    pub alt: String,
    /// The address as written.
    pub href: String,
    /// The address, absolute if the page's address is known; `None` if it leads to no page: scripts, mail, the page itself.
    pub url: Option<Url>,
    /// A number shared by all links with the same address.
    pub target: u32,
    /// Whether the link holds an image.
    pub image: bool,
    /// Characters of the page before the link, without characters in links.
    pub before: u32,
    /// Characters of the page up to the next link, without characters in links.
    pub after: u32,
}

impl Link {
    /// Returns the text, or else the label from attributes.
    pub fn label(&self) -> &str {
        if self.text.is_empty() { &self.alt } else { &self.text }
    }
}

/// One level of repetition around a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Level {
    /// The element that has siblings of its kind, as an index of [`Blocks::elements`]; `None` if nothing is repeated.
    pub element: Option<u32>,
    /// Number of siblings with the same tag that hold links, itself included.
    pub kin: u32,
    /// Number of those that also have the same class names.
    pub like: u32,
    /// Hash of the tags from the element down to the link, without inline markup.
    pub way: u32,
}

/// The links of a page and their surroundings.
pub struct LinkTable<'a> {
    /// The tree.
    pub dom: &'a Dom<'a>,
    /// The blocks and elements of the tree.
    pub blocks: &'a Blocks,
    /// The links in document order.
    pub links: Vec<Link>,
    /// For each link, the innermost repeated level around it and the next one.
    pub levels: Vec<[Level; 2]>,
    /// For each link, the largest element in which every link has the same address.
    pub zone: Vec<u32>,
    /// For each element, a hash of the tags from the root, without inline markup.
    pub path: Vec<u32>,
    /// For each element, a hash of tags, class names and style attributes from the root.
    pub signature: Vec<u32>,
    /// For each element, a hash of its own tag, class names and style attributes.
    pub kind: Vec<u32>,
    /// For each element with links, the number of such siblings of its kind, itself included.
    pub(super) alike: Vec<u32>,
    /// All characters outside links.
    pub plain_chars: u32,
    /// All characters in links.
    pub link_chars: u32,
    /// For each link, whether others with the same text lead to other addresses: "Read more", "hide".
    pub repeats: Vec<bool>,
    /// For each element, whether it is in a side column, a navigation, a header or a footer.
    pub aside: Vec<bool>,
    /// Sums over the elements: links, headings, times, images.
    sums: RunningSums<u32, 4>,
    /// Sums of characters over the blocks: all, and in links.
    chars: RunningSums<u32, 2>,
}

impl<'a> LinkTable<'a> {
    /// Gathers the links of a page. Relative addresses are resolved against `base`.
    pub fn new(dom: &'a Dom<'a>, blocks: &'a Blocks, base: Option<&Url>) -> LinkTable<'a> {
        let mut t = LinkTable {
            dom,
            blocks,
            links: Vec::new(),
            levels: Vec::new(),
            zone: Vec::new(),
            path: Vec::new(),
            signature: Vec::new(),
            kind: blocks.elements.iter().map(|e| kind(dom, e.node, e.tag)).collect(),
            alike: Vec::new(),
            plain_chars: 0,
            link_chars: 0,
            repeats: Vec::new(),
            aside: in_side_boxes(blocks),
            sums: RunningSums::new(std::iter::empty()),
            chars: RunningSums::new(blocks.blocks.iter().map(|b| [b.chars, b.link_chars])),
        };
        t.gather();
        t.resolve(base);
        t.sum();
        t.paths();
        t.find_levels();
        t.name_by_headings();
        t.name_by_texts();
        t.find_zones();
        t
    }

    fn gather(&mut self) {
        let (dom, blocks) = (self.dom, self.blocks);
        let mut elements = vec![u32::MAX; dom.len()];
        blocks.elements.iter().enumerate().for_each(|(i, e)| elements[e.node.index()] = i as u32);
        let mut open: Option<Link> = None;
        let mut walk = dom.traverse(NodeId::ROOT);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) if dom.kind(n) == NodeKind::Text => match &mut open {
                    Some(link) if link.text.len() < MAX_LINK_CHARS => link.text.push_str(dom.text(n)),
                    Some(_) => {}
                    None => self.plain_chars += visible_chars(dom.text(n)),
                },
                Edge::Enter(n) if dom.kind(n) == NodeKind::Element => {
                    if dom.tag(n).is_skipped() {
                        walk.skip_children();
                    } else if dom.tag(n) == Tag::IMG
                        && let Some(link) = &mut open
                    {
                        link.image = true;
                        if link.alt.is_empty() {
                            link.alt = squeeze(dom.attr(n, "alt").unwrap_or(""));
                        }
                    } else if dom.tag(n) == Tag::A && elements[n.index()] != u32::MAX {
                        open = self.begin(n, elements[n.index()] as usize);
                    } else if dom.tag(n).is_block()
                        && let Some(link) = &mut open
                    {
                        // Lines of a link are words apart, even without a space in the source.
                        link.text.push(' ');
                    }
                }
                Edge::Leave(n) if open.as_ref().is_some_and(|l| l.node == n) => {
                    if let Some(mut link) = open.take() {
                        link.text = squeeze(&link.text);
                        self.link_chars += link.text.chars().count() as u32;
                        self.links.push(link);
                    }
                }
                Edge::Leave(n) if dom.tag(n).is_block() => {
                    if let Some(link) = &mut open {
                        link.text.push(' ');
                    }
                }
                _ => {}
            }
        }
        for i in 0..self.links.len() {
            let next = self.links.get(i + 1).map_or(self.plain_chars, |l| l.before);
            self.links[i].after = next - self.links[i].before;
        }
    }

    fn begin(&self, n: NodeId, element: usize) -> Option<Link> {
        let href = self.dom.attr(n, "href")?.trim();
        let alt = self.dom.attr(n, "aria-label").or_else(|| self.dom.attr(n, "title")).unwrap_or("");
        Some(Link {
            node: n,
            element,
            text: String::new(),
            alt: squeeze(alt),
            href: href.to_owned(),
            url: None,
            target: 0,
            image: false,
            before: self.plain_chars,
            after: 0,
        })
    }

    fn resolve(&mut self, base: Option<&Url>) {
        // For each link, the first one with the same `href`: many addresses occur twice.
        let mut seen: HashMap<&str, usize> = HashMap::default();
        let firsts = self.links.iter().enumerate().map(|(i, l)| *seen.entry(&l.href).or_insert(i));
        let firsts: Vec<usize> = firsts.collect();
        let mut targets: HashMap<String, u32> = HashMap::default();
        for (i, first) in firsts.into_iter().enumerate() {
            if first < i {
                (self.links[i].url, self.links[i].target) = (self.links[first].url.clone(), self.links[first].target);
                continue;
            }
            let link = &mut self.links[i];
            link.url = absolute(self.dom, &link.href, base);
            // Places on one page are one target.
            let key = match &link.url {
                Some(url) => url.as_str().split('#').next().unwrap_or_default().to_owned(),
                None => link.href.clone(),
            };
            let next = targets.len() as u32;
            link.target = *targets.entry(key).or_insert(next);
        }
    }

    fn sum(&mut self) {
        let mut of_link = self.links.iter().map(|l| l.element).peekable();
        self.sums = RunningSums::new(self.blocks.elements.iter().enumerate().map(|(i, e)| {
            let is_link = of_link.next_if_eq(&i).is_some();
            [is_link, e.tag.heading_level().is_some(), e.tag == Tag::TIME, e.tag == Tag::IMG].map(u32::from)
        }));
    }

    fn paths(&mut self) {
        let n = self.blocks.elements.len();
        self.path = vec![FNV; n];
        self.signature = vec![FNV; n];
        // The index of a cell in its row separates the columns of a table.
        let mut cells: Vec<u32> = vec![0; n];
        for i in 1..n {
            let e = &self.blocks.elements[i];
            let p = e.parent as usize;
            let cell = matches!(e.tag, Tag::TD | Tag::TH);
            cells[p] += cell as u32;
            let place = if cell { cells[p] } else { 0 };
            self.path[i] = if inline(e.tag) { self.path[p] } else { fnv(fnv(self.path[p], e.tag.0 as u32), place) };
            self.signature[i] = fnv(fnv(self.signature[p], self.kind[i]), place);
        }
    }

    fn find_levels(&mut self) {
        let elements = &self.blocks.elements;
        let mut kin: HashMap<(u32, u8), u32> = HashMap::default();
        let mut like: HashMap<(u32, u32), u32> = HashMap::default();
        for (i, e) in elements.iter().enumerate().skip(1) {
            if self.links_below(i) > 0 {
                *kin.entry((e.parent, e.tag.0)).or_default() += 1;
                *like.entry((e.parent, self.kind[i])).or_default() += 1;
            }
        }
        let alike = elements.iter().zip(&self.kind).map(|(e, kind)| like.get(&(e.parent, *kind)).copied().unwrap_or(0));
        self.alike = alike.collect();
        let levels = self.links.iter().map(|l| {
            let mut found = [Level::default(); 2];
            let mut at = l.element;
            let mut way = FNV;
            let mut next = 0;
            for _ in 0..MAX_LEVELS_TO_RECORD {
                let e = &elements[at];
                let count = kin.get(&(e.parent, e.tag.0)).copied().unwrap_or(0);
                if count >= MIN_REPEATED && e.tag != Tag::TD && e.tag != Tag::TH {
                    found[next] = Level { element: Some(at as u32), kin: count, like: self.alike[at], way };
                    next += 1;
                }
                if next == found.len() || at == 0 {
                    break;
                }
                if !inline(e.tag) {
                    way = fnv(way, e.tag.0 as u32);
                }
                if matches!(e.tag, Tag::TD | Tag::TH) {
                    way = fnv(way, self.signature[at]);
                }
                at = e.parent as usize;
            }
            found
        });
        self.levels = levels.collect();
    }

    /// Gives links without a label of their own, pictures and "Read more", the heading of their record as text, if it is in no link.
    fn name_by_headings(&mut self) {
        let repeats = self.repeated_labels();
        let mut named: Vec<(usize, String)> = Vec::new();
        let mut done: HashMap<u32, u32> = HashMap::default();
        for (i, l) in
            self.links.iter().enumerate().filter(|(i, l)| l.url.is_some() && (l.label().is_empty() || repeats[*i]))
        {
            let Some(record) = self.levels[i][0].element else { continue };
            // Of several such links in a record, only links to the first one's address.
            if *done.entry(record).or_insert(l.target) != l.target || self.headings_below(record as usize) != 1 {
                continue;
            }
            let elements = &self.blocks.elements;
            let heading = self.subtree(record as usize).find(|&e| elements[e].tag.heading_level().is_some());
            let Some(h) = heading.filter(|&h| self.links_below(h) == 0) else { continue };
            let in_link =
                self.blocks.element_chain(h).take_while(|&e| e >= record as usize).any(|e| elements[e].tag == Tag::A);
            if !in_link {
                named.push((i, node_text(self.dom, elements[h].node, MAX_LINK_CHARS)));
            }
        }
        named.retain(|n| !n.1.is_empty());
        let is_changed = !named.is_empty();
        named.into_iter().for_each(|(i, text)| self.links[i].text = text);
        self.repeats = if is_changed { self.repeated_labels() } else { repeats };
    }

    /// Gives links without any label, pictures without an alternative text, the first text of their record as text: one that few of these
    /// records have. A record with a labelled link has its name from that one, and of several addresses the first one counts.
    fn name_by_texts(&mut self) {
        let mut records: Vec<(usize, Vec<String>)> = Vec::new();
        let mut counts: HashMap<String, usize> = HashMap::default();
        let mut done: HashMap<u32, u32> = HashMap::default();
        for (i, l) in self.links.iter().enumerate().filter(|(_, l)| l.url.is_some() && l.label().is_empty()) {
            let Some(record) = self.levels[i][0].element else { continue };
            let mut beside = self.links_in(record as usize).take(MAX_LINKS_BESIDE);
            let is_second = *done.entry(record).or_insert(l.target) != l.target;
            if is_second || beside.any(|other| !self.links[other].label().is_empty()) {
                continue;
            }
            let texts = self.first_texts(record as usize);
            for text in &texts {
                *counts.entry(words::shape(text)).or_default() += 1;
            }
            if !texts.is_empty() {
                records.push((i, texts));
            }
        }
        let most = (records.len() / MAX_RECORDS_PER_TEXT).max(1);
        for (i, texts) in records {
            let name = texts.into_iter().find(|text| counts[&words::shape(text)] <= most);
            self.links[i].text = name.unwrap_or_default();
        }
    }

    /// Returns the first texts of an element outside of links.
    fn first_texts(&self, element: usize) -> Vec<String> {
        let blocks = &self.blocks.elements[element].blocks;
        let own = (blocks.start as usize..blocks.end as usize).take(MAX_FIRST_TEXTS);
        let plain = own.filter(|&b| !self.blocks.blocks[b].hidden && self.blocks.blocks[b].link_chars == 0);
        let texts = plain.map(|b| cap(self.blocks.text(b), MAX_LINK_CHARS).to_owned());
        texts.filter(|text| text.contains(char::is_alphabetic)).collect()
    }

    /// Returns the records of a group in document order, each as its element and its link from the group: the largest elements that hold one link
    /// of the group, if they have the same markup. Empty if most differ, or if there are few.
    pub(super) fn record_elements(&self, links: &[usize]) -> Vec<(usize, usize)> {
        let found = self.elements_of_only(links);
        let Some(path) = self.common_path(&found, links.len()) else { return Vec::new() };
        found.into_iter().filter(|(e, _)| self.path[*e] == path).collect()
    }

    /// Returns the same with the records that are alone in a larger element, such as the only note of its day.
    pub(super) fn record_elements_with_single(&self, links: &[usize]) -> Vec<(usize, usize)> {
        let found = self.elements_of_only(links);
        let Some(path) = self.common_path(&found, links.len()) else { return Vec::new() };
        let records = found.into_iter().filter_map(|(largest, i)| {
            let levels = self.blocks.element_chain(self.links[i].element).take(MAX_LEVELS_TO_RECORD);
            let mut within = levels.take_while(|e| *e >= largest);
            Some((within.find(|e| self.path[*e] == path)?, i))
        });
        records.collect()
    }

    /// Returns the largest elements that hold one of the links, each with its link.
    fn elements_of_only(&self, links: &[usize]) -> Vec<(usize, usize)> {
        links.iter().filter_map(|&i| Some((self.element_of_only(links, i)?, i))).collect()
    }

    /// Returns the markup that most of the elements of `links` links have, unless they are few.
    fn common_path(&self, elements: &[(usize, usize)], links: usize) -> Option<u32> {
        let mut alike: BTreeMap<u32, usize> = BTreeMap::new();
        elements.iter().for_each(|(e, _)| *alike.entry(self.path[*e]).or_default() += 1);
        let most = alike.into_iter().max_by_key(|(_, n)| *n).filter(|(_, n)| *n >= MIN_RECORDS && 2 * n >= links);
        most.map(|(path, _)| path)
    }

    fn element_of_only(&self, links: &[usize], i: usize) -> Option<usize> {
        self.blocks
            .element_chain(self.links[i].element)
            .take(MAX_LEVELS_TO_RECORD)
            .take_while(|&e| {
                let r = self.links_in(e);
                e != 0 && links.partition_point(|i| *i < r.end) - links.partition_point(|i| *i < r.start) == 1
            })
            .last()
    }

    /// Returns the level of the record of a link: in a row of links, each is repeated for itself, and the row is in the record.
    pub fn record_level(&self, link: usize) -> Level {
        let [inner, outer] = self.levels[link];
        if inner.element == Some(self.links[link].element as u32) { outer } else { inner }
    }

    /// Returns for each link whether others with the same text lead to other addresses: "Read more", "hide".
    fn repeated_labels(&self) -> Vec<bool> {
        let mut numbers: HashMap<&str, usize> = HashMap::default();
        // For each label, its first distinct addresses.
        let mut targets: Vec<[Option<u32>; MIN_REPEATED as usize]> = Vec::new();
        let mut of_link = Vec::with_capacity(self.links.len());
        for l in &self.links {
            let k = *numbers.entry(l.label()).or_insert(targets.len());
            if k == targets.len() {
                targets.push([None; MIN_REPEATED as usize]);
            }
            let own = l.url.is_some().then_some(l.target);
            if let Some(free) = targets[k].iter_mut().find(|t| t.is_none() || **t == own) {
                *free = own.or(*free);
            }
            of_link.push(k);
        }
        self.links
            .iter()
            .zip(of_link)
            .map(|(l, k)| !l.label().is_empty() && targets[k].iter().all(Option::is_some))
            .collect()
    }

    fn find_zones(&mut self) {
        // The links of a subtree are a range. They share one address if the run of equal targets that begins at its first link covers it.
        let n = self.links.len();
        let mut run_end = vec![n; n];
        for i in (0..n.saturating_sub(1)).rev() {
            run_end[i] = if self.links[i].target == self.links[i + 1].target { run_end[i + 1] } else { i + 1 };
        }
        let zones = (0..n).map(|i| {
            let mut at = self.links[i].element;
            for _ in 0..MAX_LEVELS_TO_RECORD {
                let p = self.blocks.elements[at].parent as usize;
                let r = self.links_in(p);
                if p == 0 || r.is_empty() || run_end[r.start] < r.end {
                    break;
                }
                at = p;
            }
            at as u32
        });
        self.zone = zones.collect();
    }

    /// Returns an element and all below it as a range of [`Blocks::elements`].
    pub fn subtree(&self, element: usize) -> Range<usize> {
        element..self.blocks.below(element).end
    }
    /// Returns the links below an element as a range of [`LinkTable::links`].
    pub fn links_in(&self, element: usize) -> Range<usize> {
        let r = self.subtree(element);
        self.sums.before(r.start)[0] as usize..self.sums.before(r.end)[0] as usize
    }
    /// Returns the number of links below an element.
    pub fn links_below(&self, element: usize) -> u32 {
        self.links_in(element).len() as u32
    }
    /// Returns the number of headings below an element.
    pub fn headings_below(&self, element: usize) -> u32 {
        self.sums.of(self.subtree(element))[1]
    }
    /// Returns the number of `<time>` elements below an element.
    pub fn times_below(&self, element: usize) -> u32 {
        self.sums.of(self.subtree(element))[2]
    }
    /// Returns the number of images below an element.
    pub fn images_below(&self, element: usize) -> u32 {
        self.sums.of(self.subtree(element))[3]
    }
    /// Returns the number of characters below an element, and how many of them are in links.
    pub fn chars_below(&self, element: usize) -> [u32; 2] {
        let r = &self.blocks.elements[element].blocks;
        self.chars.of(r.start as usize..r.end as usize)
    }
}

/// Returns for each element whether it is in a side column, a navigation, a header or a footer.
pub(super) fn in_side_boxes(blocks: &Blocks) -> Vec<bool> {
    let mut aside = vec![false; blocks.elements.len()];
    for (i, e) in blocks.elements.iter().enumerate().skip(1) {
        aside[i] = aside[e.parent as usize] || matches!(e.tag, Tag::ASIDE | Tag::NAV | Tag::FOOTER | Tag::HEADER);
    }
    aside
}

/// Counts the characters that are not white space.
fn visible_chars(text: &str) -> u32 {
    let count = if text.is_ascii() {
        text.bytes().filter(|b| !matches!(b, b' ' | 9..=13)).count()
    } else {
        text.chars().filter(|c| !c.is_whitespace()).count()
    };
    count as u32
}

/// Returns the address that a link leads to, if it is a web page.
pub fn absolute(dom: &Dom, href: &str, base: Option<&Url>) -> Option<Url> {
    if href.is_empty() || href.starts_with('#') {
        return None;
    }
    // Without a base, relative addresses are compared by their paths.
    let url = match base {
        Some(base) => maintext_page::address::parse(dom, href, Some(base)).ok(),
        None => Url::parse("http://page.invalid/")
            .ok()
            .and_then(|b| maintext_page::address::parse(dom, href, Some(&b)).ok()),
    };
    url.filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host())
}

/// Returns whether an element only affects the looks of text.
pub fn inline(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::B
            | Tag::I
            | Tag::STRONG
            | Tag::EM
            | Tag::FONT
            | Tag::SPAN
            | Tag::SMALL
            | Tag::BIG
            | Tag::U
            | Tag::TT
            | Tag::TBODY
    )
}

/// Hashes an element's own markup: tag, class names without digits, style attributes.
fn kind(dom: &Dom, node: NodeId, tag: Tag) -> u32 {
    let mut hash = fnv(FNV, tag.0 as u32);
    for (name, value) in dom.attributes(node) {
        if name == Attr::CLASS {
            value.bytes().filter(|b| !b.is_ascii_digit()).for_each(|b| hash = fnv(hash, b as u32));
        } else if [Attr::COLOR, Attr::SIZE, Attr::BGCOLOR, Attr::ALIGN, Attr::WIDTH].contains(&name) {
            value.bytes().for_each(|b| hash = fnv(hash, b as u32));
        }
    }
    hash
}
