//! Chooses the images and embedded parts that belong to the kept text.
use maintext_page::blocks::{Blocks, Element, Media, is_hidden};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::embed::{embed, may_stand_in};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::image::{
    MIN_NAME_BYTES, box_of_link, caption, card, characters, image_source, is_decoration, is_large, is_same_picture,
    may_be_picture, picture_name, width_in,
};
use maintext_page::markup::Role;
use maintext_page::sums::RunningSums;
use maintext_page::visibility::names::{Screens, ScreensByClass};
use maintext_reading::features::heading_level;
use std::ops::Range;

/// Maximum number of elements between an image and its `<noscript>`: a link and a `<picture>`.
const MAX_LEVELS_TO_NOSCRIPT: usize = 3;
/// Maximum number of dropped blocks between an image and kept text: a date, a caption.
const MAX_DROPPED_BLOCKS: usize = 2;
/// Maximum number of blocks between the main heading and the lead picture: a byline, a date, buttons to share.
const MAX_BLOCKS_TO_HEADING: usize = 12;
/// Maximum number of words of such a block.
const MAX_SHORT_WORDS: u32 = 25;
/// Maximum number of blocks next to the picture of an advertisement, and minimum number of their words.
const MAX_BANNER_BLOCKS: usize = 4;
const MIN_BANNER_WORDS: u32 = 5;
/// Copies of one image that make it an icon.
const MIN_ICON_COPIES: usize = 3;

/// Marks the images and embedded parts among the kept blocks.
pub(super) fn keep(dom: &Dom, blocks: &Blocks, kept: &[bool], keep: &mut [bool]) {
    let (Some(first), Some(last)) = (kept.iter().position(|k| *k), kept.iter().rposition(|k| *k)) else { return };
    let root = content_root(blocks, first, last);
    let below = root..root + 1 + blocks.elements[root].descendants as usize;
    let sums = RunningSums::new(kept.iter().map(|kept| [u32::from(*kept)]));
    let chooser = Chooser { dom, blocks, kept, sums, root: below.clone(), first, last };
    let plain = |m: &&Media| blocks.markup.role(m.node) == Role::Plain;
    let mut parts: Vec<Media> = blocks.media.iter().filter(plain).filter(|m| chooser.is_content(m)).copied().collect();
    let stand_ins: Vec<Media> = stand_ins(dom, blocks, kept, below).filter(|m| chooser.is_content(m)).collect();
    if !stand_ins.is_empty() {
        // The still picture of a player belongs to it.
        let players: HashSet<NodeId> = stand_ins.iter().map(|s| s.node).collect();
        parts.retain(|m| {
            let mut above = dom.ancestors(m.node).take(2 * MAX_LEVELS_TO_NOSCRIPT);
            dom.tag(m.node) != Tag::IMG || !above.any(|n| players.contains(&n))
        });
        parts.extend(stand_ins);
        parts.sort_by_key(|m| m.node);
    }
    let mut sources: Vec<Option<String>> = parts.iter().map(|m| source(dom, m)).collect();
    if let Some(picture) = chooser.own_picture(&parts, &sources) {
        let at = parts.partition_point(|m| m.node < picture.node);
        parts.insert(at, picture);
        sources.insert(at, source(dom, &picture));
    }
    if parts.len() > 1 {
        drop_copies(dom, &mut parts, &mut sources);
        drop_thumbnails(&mut parts, &mut sources);
        drop_repeated(dom, &mut parts, &sources);
    }
    parts.iter().for_each(|m| keep[m.node.index()] = true);
}

/// Returns the smallest element that holds the blocks `first` and `last`.
fn content_root(blocks: &Blocks, first: usize, last: usize) -> usize {
    let holds = |e: &usize| blocks.elements[*e].blocks.contains(&(last as u32));
    blocks.ancestors(first).find(holds).unwrap_or(0)
}

/// Returns the elements in a range that stand for a player or a post, without those whose text is kept.
fn stand_ins<'a>(
    dom: &'a Dom,
    blocks: &'a Blocks,
    kept: &'a [bool],
    range: Range<usize>,
) -> impl Iterator<Item = Media> + 'a {
    /// Maximum number of blocks of a stand-in: the label of its button.
    const MAX_LABEL_BLOCKS: usize = 1;
    let elements = blocks.elements[range].iter();
    let few = elements.filter(move |e| {
        let own = e.blocks.start as usize..e.blocks.end as usize;
        match e.tag {
            Tag::DIV | Tag::SECTION => own.len() <= MAX_LABEL_BLOCKS,
            Tag::OTHER | Tag::BLOCKQUOTE => !kept[own].contains(&true),
            _ => false,
        }
    });
    few.filter(|e| may_stand_in(dom, e.node, e.tag) && embed(dom, e.node, None).is_some()).map(|e| Media {
        node: e.node,
        element: e.parent,
        position: e.blocks.start,
    })
}

struct Chooser<'a> {
    dom: &'a Dom<'a>,
    blocks: &'a Blocks,
    kept: &'a [bool],
    /// The numbers of kept blocks.
    sums: RunningSums<u32, 1>,
    /// The elements of the content.
    root: Range<usize>,
    /// The first and the last kept block.
    first: usize,
    last: usize,
}

impl Chooser<'_> {
    fn is_kept(&self, block: usize) -> bool {
        self.kept.get(block).copied().unwrap_or(false)
    }

    fn any_kept(&self, blocks: &Range<u32>) -> bool {
        self.sums.of(blocks.start as usize..blocks.end as usize) != [0]
    }

    /// Whether an image or an embedded part belongs to the content.
    fn is_content(&self, m: &Media) -> bool {
        let is_image = self.dom.tag(m.node) == Tag::IMG;
        self.is_placed_in_content(m)
            && !(is_image && characters(self.dom, m.node).is_none() && self.is_decoration(m))
            && !self.is_of_dropped_banner(m)
    }

    /// Returns the page's own picture, in the text or shortly above, if none of the chosen parts shows it: the one that the page declares, or
    /// one between heading and text that is named as the lead picture.
    fn own_picture(&self, chosen: &[Media], sources: &[Option<String>]) -> Option<Media> {
        let declared = &self.blocks.signs(self.dom).image;
        let has_lead = chosen.iter().any(|m| self.dom.tag(m.node) == Tag::IMG && m.position as usize <= self.first);
        if has_lead || sources.iter().flatten().any(|address| is_same_picture(address, declared)) {
            return None;
        }
        let above = self.first.saturating_sub(MAX_BLOCKS_TO_HEADING)..=self.last;
        let near = self.blocks.media.iter().filter(|m| above.contains(&(m.position as usize)));
        let images = near.filter(|m| self.dom.tag(m.node) == Tag::IMG);
        let mut plain = images.filter(|m| self.blocks.markup.role(m.node) == Role::Plain);
        plain.find(|m| (self.shows(m, declared) || self.is_named_lead(m)) && self.may_be_lead(m)).copied()
    }

    /// Whether an image has this address, apart from its size.
    fn shows(&self, m: &Media, address: &str) -> bool {
        !address.is_empty() && image_source(self.dom, m.node, None).is_some_and(|own| is_same_picture(&own, address))
    }

    /// Whether an image between the heading and the text is named as the lead picture.
    fn is_named_lead(&self, m: &Media) -> bool {
        const NAMES: [&str; 8] = [
            "featured-image",
            "featured_image",
            "feature-image",
            "featured-media",
            "lead-image",
            "lead-media",
            "post-thumbnail",
            "wp-post-image",
        ];
        let mut around = std::iter::once(m.node).chain(self.dom.ancestors(m.node)).take(MAX_LEVELS_TO_NOSCRIPT);
        m.position as usize <= self.first
            && self.follows_heading(m.position as usize)
            && around.any(|n| NAMES.iter().any(|name| self.dom.class(n).contains(name)))
    }

    /// Whether a picture may be a part of the page's text, and not its logo, a portrait, or a card that leads to another page.
    fn may_be_lead(&self, m: &Media) -> bool {
        may_be_picture(self.dom, m.node)
            && !self.is_decoration(m)
            && !self.is_apart(m.node)
            && !self.is_of_dropped_card(m)
            && !is_in_avatar(self.dom, m.node)
    }

    fn is_decoration(&self, m: &Media) -> bool {
        let elements = &self.blocks.elements;
        // Inside an element that is not shown within visible text: a copy for a narrow screen, or a larger one to open with a click. Links
        // of pictures are hidden from screen readers only.
        let unseen =
            |e: &usize| elements[*e].hidden && elements[*e].tag != Tag::A && is_hidden(self.dom, elements[*e].node);
        let hidden = elements[m.element as usize].hidden
            && self.around(m.element as usize).is_some_and(|e| !elements[e].hidden)
            && self.blocks.element_chain(m.element as usize).take(8).any(|e| unseen(&e));
        hidden || is_decoration(self.dom, m.node)
    }

    /// Returns the nearest element around that has text.
    fn around(&self, element: usize) -> Option<usize> {
        self.blocks.element_chain(element).find(|&e| !self.blocks.elements[e].blocks.is_empty())
    }

    fn is_placed_in_content(&self, m: &Media) -> bool {
        let elements = &self.blocks.elements;
        let in_box = self.has_caption_in_box(m.node);
        let mut around = self.blocks.element_chain(m.element as usize).take(8);
        let is_figure = |e: &Element| !e.blocks.is_empty() && (e.tag == Tag::FIGURE || in_box);
        let figure = around.find(|&e| is_figure(&elements[e]));
        // The text of a figure is its caption: the text around the figure decides, or a kept caption.
        let (from, to) = match figure {
            Some(f) => (elements[f].blocks.start as usize, elements[f].blocks.end as usize),
            None => (m.position as usize, m.position as usize),
        };
        let caption = figure.is_some_and(|f| self.any_kept(&elements[f].blocks));
        if !caption && self.is_of_dropped_card(m) {
            return false;
        }
        let before = from > 0 && self.is_kept(from - 1);
        let after = self.is_kept(to);
        if before && after || caption {
            return true;
        }
        let inside = self.root.contains(&(m.element as usize));
        if self.first < from && from <= self.last {
            return inside && (before || after || self.gap_before(from).is_some() && self.gap_after(to).is_some());
        }
        // Other lines below the heading, such as a note about the author, may be long.
        let is_below_heading = || self.follows_heading(from) && (to..=to + MAX_DROPPED_BLOCKS).any(|b| self.is_kept(b));
        if !inside {
            // A picture above the text and its header, or between the two.
            let is_lead = after || is_below_heading();
            return is_lead && (figure.is_some() || may_be_picture(self.dom, m.node)) && !self.is_apart(m.node);
        }
        let is_picture = may_be_picture(self.dom, m.node) || figure.is_some();
        let mut chain = self.blocks.element_chain(m.element as usize);
        let around = chain.find(|&e| elements[e].blocks.len() > to - from);
        let Some(around) = around.filter(|&e| self.any_kept(&elements[e].blocks)) else {
            // In the header of the article, of which only a large picture is content; others show authors and stars.
            let is_lead = from <= self.first && (figure.is_some() || is_large(self.dom, m.node)) && is_below_heading();
            return is_lead && !self.is_apart(m.node);
        };
        if from > self.last {
            // Below the last text, only what shares a parent with text.
            return before && !matches!(elements[around].tag, Tag::BODY | Tag::HTML | Tag::OTHER);
        }
        after || is_picture && self.gap_after(to).is_some()
    }

    /// Whether a caption shares a box with an image: an element with such a name, or whatever shares the box of a large image.
    fn has_caption_in_box(&self, image: NodeId) -> bool {
        caption::find(self.dom, image).is_some_and(|c| c.alone)
            || is_large(self.dom, image) && caption::in_box(self.dom, image).is_some()
    }

    /// Whether an image belongs to a card (a link to another page with its title) whose text was dropped.
    fn is_of_dropped_card(&self, m: &Media) -> bool {
        card(self.dom, self.blocks, m).is_some_and(|e| !self.any_kept(&self.blocks.elements[e].blocks))
    }

    /// Whether an image is a link next to a text with a link, and all of it was dropped: an advertisement, the box of an author.
    fn is_of_dropped_banner(&self, m: &Media) -> bool {
        let Some(around) = box_of_link(self.dom, self.blocks, m) else { return false };
        let text = &self.blocks.elements[around].blocks;
        let [words, _, link_chars] = self.blocks.sums(text);
        text.len() <= MAX_BANNER_BLOCKS
            && words >= MIN_BANNER_WORDS
            && link_chars > 0
            && !text.clone().any(|b| heading_level(self.blocks, b as usize) > 0)
            && !self.any_kept(text)
    }

    /// Whether an element belongs to the navigation or to another part outside of the content.
    fn is_apart(&self, n: NodeId) -> bool {
        self.dom.ancestors(n).any(|n| matches!(self.dom.tag(n), Tag::NAV | Tag::FOOTER | Tag::ASIDE))
    }

    /// Whether the main heading is among the few blocks before.
    fn follows_heading(&self, block: usize) -> bool {
        (block.saturating_sub(MAX_BLOCKS_TO_HEADING)..block).any(|b| heading_level(self.blocks, b) == 1)
    }

    /// Returns the number of dropped short blocks before the next kept one, if they are few.
    fn gap_after(&self, from: usize) -> Option<usize> {
        (0..=MAX_DROPPED_BLOCKS)
            .take_while(|&i| i == 0 || self.is_short(from + i - 1))
            .find(|&i| self.is_kept(from + i))
    }

    fn gap_before(&self, from: usize) -> Option<usize> {
        let last = from.checked_sub(1)?;
        let within = (0..=MAX_DROPPED_BLOCKS).take_while(|&i| i <= last && (i == 0 || self.is_short(last + 1 - i)));
        within.into_iter().find(|&i| self.is_kept(last - i))
    }

    fn is_short(&self, block: usize) -> bool {
        self.blocks.blocks.get(block).is_some_and(|b| b.words <= MAX_SHORT_WORDS)
    }
}

/// Whether a class around an image names it the picture of a person.
fn is_in_avatar(dom: &Dom, image: NodeId) -> bool {
    let mut names = dom.ancestors(image).take(MAX_LEVELS_TO_NOSCRIPT).flat_map(|n| dom.class_words(n));
    names.any(|word| word.to_ascii_lowercase().contains("avatar"))
}

/// Returns the alternative text of an image, if it has one.
fn alt<'a>(dom: &'a Dom<'_>, m: &Media) -> Option<&'a str> {
    dom.attr(m.node, "alt").map(str::trim).filter(|alt| !alt.is_empty())
}

/// Identifies the content of an image or an embedded part by its address without a base.
fn source(dom: &Dom, m: &Media) -> Option<String> {
    match dom.tag(m.node) {
        Tag::IMG => image_source(dom, m.node, None),
        _ => embed(dom, m.node, None).map(|e| e.address),
    }
}

/// Drops the second of two copies at one place: the copy in `<noscript>` of a part that loads late, or the copy for another width. If the
/// copies differ, the one in `<noscript>` is the real one.
fn drop_copies(dom: &Dom, parts: &mut Vec<Media>, sources: &mut Vec<Option<String>>) {
    let noscript =
        |m: &Media| dom.ancestors(m.node).take(MAX_LEVELS_TO_NOSCRIPT).find(|&n| dom.tag(n) == Tag::NOSCRIPT);
    let mut dropped = vec![false; parts.len()];
    let mut shown = ScreensByClass::default();
    for second in 1..parts.len() {
        for first in (second.saturating_sub(MAX_LEVELS_TO_NOSCRIPT)..second).rev() {
            let beside = parts[first].position == parts[second].position;
            if !beside
                || dropped[first]
                || dom.tag(parts[first].node) == Tag::IMG && characters(dom, parts[first].node).is_some()
            {
                continue;
            }
            match (&sources[first], &sources[second]) {
                (Some(a), Some(b)) if a == b => dropped[second] = true,
                _ if let Some(small) = for_small_screens(dom, &mut shown, &parts[first], &parts[second]) => {
                    dropped[if small { first } else { second }] = true;
                }
                (a, Some(b)) => {
                    let is_alike = alt(dom, &parts[first]) == alt(dom, &parts[second]);
                    if let Some(script) = noscript(&parts[first]) {
                        // Some systems write one copy for each of their scripts.
                        let copy = noscript(&parts[second]).unwrap_or(parts[second].node);
                        dropped[second] |= is_alike
                            && (sibling_before(dom, copy) == Some(script)
                                || copy != parts[second].node && dom.parent(copy) == dom.parent(script));
                        continue;
                    }
                    let Some(script) = noscript(&parts[second]) else {
                        continue;
                    };
                    // AMP puts the copy into its own element.
                    let holds = dom.parent(script) == Some(parts[first].node);
                    let follows = sibling_before(dom, script).is_some_and(|s| {
                        dom.ancestors(parts[first].node).take(MAX_LEVELS_TO_NOSCRIPT + 1).any(|n| n == s)
                            || s == parts[first].node
                    });
                    let shares_box = is_alike && dom.parent(script) == dom.parent(parts[first].node);
                    dropped[first] |= holds
                        || follows
                        || shares_box && alt(dom, &parts[first]).is_some()
                        || a.as_ref().is_some_and(|a| is_same_picture(a, b));
                }
                _ => {}
            }
        }
    }
    let stay: Vec<bool> = dropped.into_iter().map(|dropped| !dropped).collect();
    retain(parts, &stay);
    retain(sources, &stay);
}

/// Keeps the elements of a list for which `stay` is true.
fn retain<T>(list: &mut Vec<T>, stay: &[bool]) {
    let mut stay = stay.iter();
    list.retain(|_| stay.next() == Some(&true));
}

/// Returns the element directly before another one.
fn sibling_before(dom: &Dom, n: NodeId) -> Option<NodeId> {
    dom.prev_siblings(n).take(4).find(|&s| dom.kind(s) == NodeKind::Element)
}

/// Whether the first of two images is for small screens only and the other one for large ones, or the reverse; `None` if both may be seen.
fn for_small_screens(dom: &Dom, shown: &mut ScreensByClass, first: &Media, second: &Media) -> Option<bool> {
    if alt(dom, first).zip(alt(dom, second)).is_some_and(|(a, b)| a != b) {
        return None;
    }
    match (screens_of(dom, shown, first)?, screens_of(dom, shown, second)?) {
        (Screens::Small, Screens::Large) => Some(true),
        (Screens::Large, Screens::Small) => Some(false),
        _ => None,
    }
}

/// Returns the screens on which an image is shown, by its own class or one around it.
fn screens_of(dom: &Dom, shown: &mut ScreensByClass, m: &Media) -> Option<Screens> {
    let mut around = std::iter::once(m.node).chain(dom.ancestors(m.node)).take(MAX_LEVELS_TO_NOSCRIPT + 1);
    around.find_map(|n| shown.of(dom, n))
}

/// Drops images of which the content has several copies: signs before the items of a list, stars, loading indicators. The first copy of a
/// possible photograph stays.
fn drop_repeated(dom: &Dom, parts: &mut Vec<Media>, sources: &[Option<String>]) {
    if parts.len() < MIN_ICON_COPIES {
        return;
    }
    let mut copies: HashMap<&str, usize> = HashMap::default();
    sources.iter().flatten().for_each(|s| *copies.entry(s).or_default() += 1);
    if !copies.values().any(|&n| n >= MIN_ICON_COPIES) {
        return;
    }
    let mut seen: HashMap<&str, usize> = HashMap::default();
    let stays: Vec<bool> = parts
        .iter()
        .zip(sources)
        .map(|(m, source)| {
            if dom.tag(m.node) != Tag::IMG {
                return true;
            }
            let Some(s) = source.as_deref() else { return true };
            let before = std::mem::replace(seen.entry(s).or_default(), 1);
            copies[s] < MIN_ICON_COPIES
                || characters(dom, m.node).is_some()
                || before == 0 && may_be_photograph(dom, m.node, s)
        })
        .collect();
    retain(parts, &stays);
}

/// Drops the thumbnails of a gallery, which show its pictures once more.
fn drop_thumbnails(parts: &mut Vec<Media>, sources: &mut Vec<Option<String>>) {
    /// Maximum width of a thumbnail, in pixels.
    const MAX_WIDTH: u32 = 320;
    // Few pages state the widths of their pictures in addresses.
    if !sources.iter().flatten().any(|address| width_in(address).is_some_and(|width| width <= MAX_WIDTH)) {
        return;
    }
    let mut large: HashMap<&str, u32> = HashMap::default();
    for address in sources.iter().flatten() {
        let widest = large.entry(picture_name(address)).or_default();
        *widest = width_in(address).unwrap_or(u32::MAX).max(*widest);
    }
    let stay = sources.iter().map(|address| {
        let Some(address) = address else { return true };
        let (name, width) = (picture_name(address), width_in(address));
        name.len() < MIN_NAME_BYTES || width.is_none_or(|width| width > MAX_WIDTH || 2 * width > large[name])
    });
    let stay: Vec<bool> = stay.collect();
    retain(parts, &stay);
    retain(sources, &stay);
}

/// Whether an image is more than a sign, by its size, or by its format and text.
fn may_be_photograph(dom: &Dom, img: NodeId, address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|e| path.ends_with(e));
    is_large(dom, img)
        || ends(&[".jpg", ".jpeg", ".webp", ".avif"])
        || !ends(&[".svg", ".gif"]) && dom.attr(img, "alt").is_some_and(|alt| !alt.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use maintext_page::blocks::Blocks;
    use maintext_page::dom::{self, NodeId, Tag};

    const DECLARED: &str = "<meta property=og:image content=https://cdn.e.org/harbour-ferry-1200x630.jpg>";

    /// Whether the only image of a page is kept, if the paragraphs are.
    fn is_kept(head: &str, picture: &str) -> bool {
        let html = format!(
            "<head>{head}</head><h1>The ferry that stopped</h1>{picture}<div>By Ann Reed<hr>2 March<hr>Share<hr>More on:</div>
            <p>The engine failed within sight of the harbour.</p><p>Two boats brought the passengers ashore.</p>"
        );
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kept: Vec<bool> =
            blocks.blocks.iter().map(|b| blocks.elements[b.container as usize].tag == Tag::P).collect();
        super::super::keep_nodes(&dom, &blocks, &kept).nodes[dom.find(NodeId::ROOT, Tag::IMG).unwrap().index()]
    }

    #[test]
    fn the_declared_picture_stays_far_above_the_text() {
        for picture in [
            "<img src=/i/harbour-ferry-640x336.jpg>",
            "<header><picture><source srcset=/i/a.webp><img src=/i/harbour-ferry.jpg></picture></header>",
            "<figure><a href=/i/harbour-ferry.jpg><img data-src=/i/harbour-ferry-c1.jpg src=data:,></a></figure>",
        ] {
            assert!(is_kept(DECLARED, picture) && !is_kept("", picture), "{picture}");
        }
    }

    #[test]
    fn copies_without_scripts_are_one_picture() {
        let count = |html: &str| {
            let html = format!("<main><p>The mill turns.</p>{html}<p>It stops.</p></main>");
            let dom = dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let keep = super::super::keep_nodes(&dom, &blocks, &vec![true; blocks.len()]);
            dom.descendants(NodeId::ROOT).filter(|n| dom.tag(*n) == Tag::IMG && keep.nodes[n.index()]).count()
        };
        let lazy = "<img data-src=/i/mill-small-169.jpg src=data:, alt='The mill'>";
        let copy = |name: &str, alt: &str| format!("<noscript><img src=/i/{name}.jpg alt='{alt}'></noscript>");
        let large = copy("mill-large-169", "The mill");
        assert_eq!(count(&format!("<div>{lazy}<div class=loading></div>{large}</div>")), 1);
        assert_eq!(count(&format!("<div>{large}{lazy}{}</div>", copy("mill.jpg.webp", "The mill"))), 1);
        assert_eq!(count(&format!("<div>{lazy}<div class=loading></div>{}</div>", copy("weir", "The weir"))), 2);
        assert_eq!(count(&format!("<div>{large}</div><div>{}</div>", copy("weir", "The weir"))), 2);
    }

    #[test]
    fn thumbnails_of_a_gallery_go() {
        let kept = |pictures: &[&str]| {
            let images: String = pictures.iter().map(|address| format!("<li><img src='{address}'>")).collect();
            let html = format!("<main><p>The coat is warm.</p><ul>{images}</ul><p>It has two pockets.</p></main>");
            let dom = dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let keep = super::super::keep_nodes(&dom, &blocks, &vec![true; blocks.len()]).nodes;
            let images = dom.descendants(NodeId::ROOT).filter(|n| dom.tag(*n) == Tag::IMG);
            images.map(|n| if keep[n.index()] { '+' } else { '-' }).collect::<String>()
        };
        let [small, large] = ["/i/winter-coat.jpg?imwidth=156", "/i/winter-coat.jpg?imwidth=762"];
        assert_eq!(kept(&[small, "/i/summer-coat.jpg?imwidth=156", large]), "-++");
        assert_eq!(kept(&["/i/winter-coat-150x150.jpg", "/i/winter-coat.jpg"]), "-+");
        assert_eq!(kept(&[small, "/i/summer-coat.jpg?imwidth=762"]), "++");
        assert_eq!(kept(&["/i/winter-coat-1024x768.jpg", "/i/winter-coat.jpg"]), "++");
    }

    #[test]
    fn a_picture_named_as_the_lead_stays() {
        for name in ["featured-image", "wp-post-image", "c-lead-image__box"] {
            assert!(is_kept("", &format!("<div class={name}><a href=#><img src=/i/1.jpg></a></div>")), "{name}");
        }
        assert!(!is_kept("", "<div class=image><img src=/i/1.jpg></div>"));
    }

    #[test]
    fn a_logo_a_portrait_and_a_card_are_not_the_lead_picture() {
        for picture in [
            "<div class=featured-image><img src=/i/logo.png></div>",
            "<div class=author-avatar><img src=/i/harbour-ferry.jpg></div>",
            "<div><a href=/n/9><img src=/i/harbour-ferry.jpg><b>The seals are back again</b></a></div>",
            "<aside class=featured-image><img src=/i/harbour-ferry.jpg></aside>",
            "<img src=/i/harbour-seals.jpg>",
        ] {
            assert!(!is_kept(DECLARED, picture), "{picture}");
        }
    }
}
