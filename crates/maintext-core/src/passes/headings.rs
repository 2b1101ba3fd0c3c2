//! Decides about headings whose content was dropped: the heading is dropped as well, or the content is restored if it is likely enough.
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::hash::HashMap;
use maintext_page::markup::headings;
use maintext_reading::features::sums::RunningSums;
use maintext_reading::features::{ends_sentence, heading_level};

/// Probability from which a short value is kept with its label.
const MIN_VALUE_PROBABILITY: f32 = 0.15;
/// Probability from which a heading stays, whatever is below: the slogans of landing pages.
const SURE_PROBABILITY: f32 = 0.8;
/// Probability from which a heading with controls is kept.
const MIN_HEADING_PROBABILITY: f32 = 0.1;
/// Maximum number of blocks of such a heading, of words of a control, and of elements between it and its label.
const MAX_HEADING_BLOCKS: usize = 8;
const MAX_CONTROL_WORDS: u32 = 3;
const MAX_LEVELS_TO_BUTTON: usize = 3;
/// Maximum number of words of a label, and of its value.
const MAX_LABEL_WORDS: u32 = 6;
const MAX_VALUE_WORDS: u32 = 12;
/// Number of headings with the same markup and nothing below from which they are the entries of a list.
const MIN_ENTRIES: u32 = 3;
/// Levels of headings, and 0 for other text.
const MAX_LEVELS: usize = 7;

/// Keeps a short value with the kept label directly before it, if both fill one element: "Estimated pay", "$170,000".
pub(crate) fn keep_values(blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    for value in 1..kept.len() {
        let label = value - 1;
        let (own, above) = (&blocks.blocks[value], &blocks.blocks[label]);
        let is_pair = kept[label]
            && !kept[value]
            && above.words <= MAX_LABEL_WORDS
            && own.words <= MAX_VALUE_WORDS
            && own.link_chars == 0
            && !own.hidden
            && probabilities[value] > MIN_VALUE_PROBABILITY
            && blocks.text(value).contains(char::is_numeric);
        let parent = blocks.elements[own.container as usize].parent as usize;
        kept[value] |= is_pair && blocks.elements[parent].blocks == (label as u32..value as u32 + 1);
    }
}

/// Keeps a heading with controls, such as the amounts next to "Ingredients", between kept texts. The labels of the controls are blocks of
/// their own between the heading and its text.
pub(crate) fn keep_with_controls(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    for e in blocks.elements.iter().filter(|e| has_controls(e)) {
        let (b, next) = (e.blocks.start as usize, e.blocks.end as usize);
        let is_amid = b > 0 && kept[b - 1] && !kept[b] && kept.get(next) == Some(&true);
        if is_amid
            && blocks.blocks[b].links == 0
            && probabilities[b] > MIN_HEADING_PROBABILITY
            && heading_level(blocks, next) == 0
            && blocks.elements[e.parent as usize].blocks.contains(&(next as u32))
            && !is_button(blocks, b)
            && (b + 1..next).all(|b| is_button(blocks, b))
            && !headings::furniture(dom, e.node).is_empty()
        {
            kept[b] = true;
        }
    }
}

fn has_controls(e: &Element) -> bool {
    e.tag.heading_level().is_some_and(|level| level > 1) && (2..=MAX_HEADING_BLOCKS).contains(&e.blocks.len())
}

fn is_button(blocks: &Blocks, b: usize) -> bool {
    let mut around = blocks.ancestors(b).take(MAX_LEVELS_TO_BUTTON);
    blocks.blocks[b].words <= MAX_CONTROL_WORDS && around.any(|e| blocks.elements[e].tag == Tag::BUTTON)
}

/// Drops the short headings below which everything was dropped, down to the next heading of the same or a higher level. Headings below which the
/// page itself has nothing stay, unless only a script fills the place below; so do links, the headings of pictures, and those that are content by
/// themselves.
pub(crate) fn drop_over_nothing(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let levels: Vec<u8> = (0..kept.len()).map(|b| heading_level(blocks, b)).collect();
    // Headings without content, each with the block where its section ends.
    let mut empty: Vec<(usize, usize)> = Vec::new();
    // From the last block to the first: whether the section that is open at each level has a kept block, whether it has a visible one, and where
    // it ends.
    let mut open = [(false, false, kept.len()); MAX_LEVELS];
    for b in (0..kept.len()).rev() {
        let (level, block) = (levels[b] as usize, &blocks.blocks[b]);
        let is_link = block.link_chars * 2 >= block.chars;
        let mut keeps = kept[b];
        if level > 0 {
            let (has_kept, has_text, end) = open[level];
            let is_empty = keeps && !has_kept && !is_link && is_label(blocks, probabilities, b);
            if is_empty && (has_text || is_above_placeholder(dom, blocks, b)) {
                empty.push((b, end));
                keeps = false;
            }
            open[level..].fill((false, false, b));
        }
        // A heading is a part of the sections of higher levels, other text a part of all.
        let sections = if level > 0 { &mut open[..level] } else { &mut open[..] };
        for (has_kept, has_text, _) in sections {
            *has_kept |= keeps;
            *has_text |= !block.hidden;
        }
    }
    let media = RunningSums::new((0..=kept.len()).map(|b| [media_at(blocks, b)]));
    let has_media = |(b, end): (usize, usize)| media.of(b + 1..end + 1)[0] > 0;
    let mut alike: HashMap<(u32, u8), u32> = HashMap::default();
    empty.iter().for_each(|(b, _)| *alike.entry(section_kind(blocks, &levels, *b)).or_default() += 1);
    for section in empty {
        kept[section.0] = alike[&section_kind(blocks, &levels, section.0)] >= MIN_ENTRIES || has_media(section);
    }
}

fn is_label(blocks: &Blocks, probabilities: Option<&[f32]>, b: usize) -> bool {
    blocks.blocks[b].words <= MAX_LABEL_WORDS
        && !ends_sentence(blocks.text(b))
        && probabilities.is_none_or(|p| p[b] < SURE_PROBABILITY)
}

fn section_kind(blocks: &Blocks, levels: &[u8], b: usize) -> (u32, u8) {
    let container = &blocks.elements[blocks.blocks[b].container as usize];
    (blocks.elements[container.parent as usize].parent, levels[b])
}

/// Whether an element without text that a script fills follows a heading: the place of a player or a map.
fn is_above_placeholder(dom: &Dom<'_>, blocks: &Blocks, heading: usize) -> bool {
    /// Maximum number of siblings between the two, mostly white space, and of nodes of the place.
    const MAX_SIBLINGS: usize = 4;
    const MAX_NODES: usize = 24;
    let Some(own) = blocks.ancestors(heading).find(|e| blocks.elements[*e].tag.heading_level().is_some()) else {
        return false;
    };
    let mut next = dom.next_siblings(blocks.elements[own].node).take(MAX_SIBLINGS);
    let Some(place) = next.find(|&n| dom.kind(n) == NodeKind::Element) else { return false };
    let mut nodes = dom.descendants(place);
    let (mut is_filled, mut has_text) = (false, false);
    for n in nodes.by_ref().take(MAX_NODES) {
        has_text |= !dom.text(n).trim().is_empty() && !dom.parent(n).is_some_and(|n| is_script(dom, n));
        is_filled |= is_script(dom, n) || dom.attrs(n).any(|(name, _)| name.starts_with("data-"));
    }
    is_filled && !has_text && nodes.next().is_none() && dom.tag(place).is_block()
}

fn is_script(dom: &Dom<'_>, n: NodeId) -> bool {
    matches!(dom.tag(n), Tag::SCRIPT | Tag::STYLE)
}

/// Returns the number of pictures and players directly before a block.
fn media_at(blocks: &Blocks, b: usize) -> u32 {
    (media_before(blocks, b as u32 + 1) - media_before(blocks, b as u32)) as u32
}

fn media_before(blocks: &Blocks, position: u32) -> usize {
    blocks.media.partition_point(|media| media.position < position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(html: &str, choice: &str) -> String {
        crate::passes::choice_after(html, choice, |dom, blocks, kept| drop_over_nothing(dom, blocks, None, kept))
    }

    #[test]
    fn a_heading_with_controls_between_kept_texts_is_kept() {
        let kept = |heading: &str, p: f32| {
            let html = format!("<main><p>text</p>{heading}<p>text</p></main>");
            crate::passes::choice_after(&html, "+--+", |dom, blocks, kept| {
                keep_with_controls(dom, blocks, Some(&[0.9, p, 0.0, 0.9]), kept);
            })
        };
        let heading = "<h2>Ingredients <button>1x</button></h2>";
        assert_eq!((kept(heading, 0.2), kept(heading, 0.05)), ("++-+".to_owned(), "+--+".to_owned()));
        assert_eq!(kept("<h2>Ingredients</h2><p>Salt</p>", 0.2), "+--+");
    }

    #[test]
    fn a_heading_goes_with_the_text_below_it() {
        assert_eq!(kept("<h2>A</h2><p>text</p><h2>Read more</h2><p>list</p>", "+++-"), "++--");
        assert_eq!(kept("<h2>A</h2><h3>B</h3><p>text</p>", "++-"), "---");
        assert_eq!(kept("<h2>A</h2><h3>B</h3><p>text</p><h3>C</h3><p>text</p>", "++-++"), "+--++");
        assert_eq!(kept("<p>text</p><h3>See also</h3><p>list</p><h2>C</h2><p>text</p>", "++-++"), "+--++");
    }

    #[test]
    fn a_heading_over_nothing_of_the_page_stays() {
        assert_eq!(kept("<h1>A</h1><h2>B</h2><p>text</p>", "+++"), "+++");
        assert_eq!(kept("<p>text</p><h2>End</h2>", "++"), "++");
        assert_eq!(kept("<p>text</p><h2>B</h2><h2>C</h2><p>text</p>", "++++"), "++++");
        assert_eq!(kept("<h2>We are always there for you.</h2><p>x</p>", "+-"), "+-");
        // A link is the title of an entry, and headings in a row are entries.
        assert_eq!(kept("<h2><a href=/x>Entry</a></h2><p>text</p>", "+-"), "+-");
        let entries: String = (0..4).map(|i| format!("<div><h3>Lamp {i}</h3><p>£{i}</p></div>")).collect();
        assert_eq!(kept(&format!("<section>{entries}</section>"), "+-+-+-+-"), "+-+-+-+-");
        assert_eq!(kept("<h2>Video</h2><p>x</p><img src=a.jpg width=600 height=400><p>y</p>", "+--"), "+--");
    }

    #[test]
    fn a_heading_over_the_place_of_a_script_goes() {
        for place in [
            "<div><div data-video-id=a1><meta itemprop=name content=Film></div></div>",
            "<div><div id=v data-ratio='16:9'></div> <script async src=/v.js></script></div>",
            "<div id=map data-lat=1></div>",
            "<section><script>fill()</script></section>",
        ] {
            let html = format!("<p>text</p><h3>Video</h3>{place}<h3>Notes</h3><p>text</p>");
            assert_eq!(kept(&html, "++++"), "+-++", "{place}");
        }
        for place in [
            "<div></div>",
            "<p>&nbsp;</p>",
            "<span data-x=1></span>",
            "<div data-x=1><img src=a.jpg width=600 height=400></div>",
        ] {
            let html = format!("<p>text</p><h3>Video</h3>{place}<h3>Notes</h3><p>text</p>");
            assert_eq!(kept(&html, "++++"), "++++", "{place}");
        }
        let html = "<p>text</p><h3>Video</h3><div data-video-id=a1></div><p>more</p><h3>Notes</h3><p>text</p>";
        assert_eq!(kept(html, "+++++"), "+++++");
    }

    #[test]
    fn a_value_is_kept_with_its_label() {
        let html = "<div><div>Pay range</div><div>$170,000</div></div><p>text</p>";
        let with = |html: &str, choice: &str, p: f32| {
            crate::passes::choice_after(html, choice, |_, blocks, kept| {
                keep_values(blocks, Some(&vec![p; kept.len()]), kept);
            })
        };
        assert_eq!(with(html, "+--", 0.2), "++-");
        assert_eq!(with(html, "+--", 0.1), "+--");
        assert_eq!(with(html, "---", 0.2), "---");
        assert_eq!(with("<div><div>Pay range</div><div>on request</div></div>", "+-", 0.2), "+-");
    }
}
