//! Decides about headings whose content was dropped: the heading is dropped as well, or the content is restored if it is likely enough.
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::hash::HashMap;
use maintext_page::image::caption;
use maintext_reading::features::sums::RunningSums;
use maintext_reading::features::{WordSet, ends_sentence, heading_level};
use std::collections::BTreeMap;

/// Probabilities from which a short value is kept with its label, and a dropped label with its value.
const MIN_VALUE_PROBABILITY: f32 = 0.03;
const MIN_LABEL_PROBABILITY: f32 = 0.15;
/// Probability from which a heading stays, whatever is below: the slogans of landing pages.
const SURE_PROBABILITY: f32 = 0.8;
/// Probability from which a heading above kept text is kept, and the one for a heading directly above whatever is kept: a table, tabs, a note.
const MIN_HEADING_PROBABILITY: f32 = 0.1;
const MIN_DIRECT_PROBABILITY: f32 = 0.3;
/// Maximum number of blocks below such a heading down to its text, and of elements of several blocks between it and the one that holds both.
const MAX_LINES_BELOW: usize = 8;
const MAX_LEVELS_TO_TEXT: usize = 3;
/// Maximum number of words of a label, of its value, and of a heading over nothing: longer headings are sentences of the text.
const MAX_LABEL_WORDS: u32 = 6;
const MAX_VALUE_WORDS: u32 = 12;
const MAX_DATED_WORDS: u32 = 14;
const MAX_HEADING_WORDS: u32 = 10;
/// Minimum number of words of the heading of an entry in a thread, and the share of its words in the page's title from which it repeats it.
const MIN_ENTRY_WORDS: usize = 3;
const MAX_SHARE_IN_TITLE: f32 = 0.5;
/// Number of headings with the same markup and nothing below from which they are the entries of a list.
const MIN_ENTRIES: u32 = 3;
/// Number of main headings from which they name entries.
const MIN_MAIN_HEADINGS: usize = 3;
/// Levels of headings, and 0 for other text.
const MAX_LEVELS: usize = 7;

/// Keeps a short value with the label directly before it, if both fill one element: "Estimated pay", "$170,000". A label that is likely enough
/// comes back with its value.
pub(crate) fn keep_values(blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    for value in 1..kept.len() {
        let label = value - 1;
        let (own, above) = (&blocks.blocks[value], &blocks.blocks[label]);
        let is_pair = !kept[value]
            && match heading_level(blocks, label) {
                0 => {
                    // Between kept texts, the label needs no more than its value.
                    let least =
                        if is_between_kept(kept, label, value) { MIN_VALUE_PROBABILITY } else { MIN_LABEL_PROBABILITY };
                    kept[label] || probabilities[label] > least
                }
                level => kept[label] && level != 1,
            }
            && above.words <= MAX_LABEL_WORDS
            && own.words <= MAX_VALUE_WORDS
            && above.link_chars + own.link_chars == 0
            && !own.hidden
            && probabilities[value] > MIN_VALUE_PROBABILITY
            && blocks.text(value).contains(char::is_numeric);
        let parent = blocks.elements[own.container as usize].parent as usize;
        if is_pair && blocks.elements[parent].blocks == (label as u32..value as u32 + 1) {
            kept[label..=value].fill(true);
        }
    }
}

/// Whether kept blocks are directly before a label and directly after its value.
fn is_between_kept(kept: &[bool], label: usize, value: usize) -> bool {
    label.checked_sub(1).is_some_and(|before| kept[before]) && kept.get(value + 1).is_some_and(|after| *after)
}

/// Keeps a heading above kept text, except the one that is the page's title. Short lines may lie between the two: a date, a byline, the labels
/// of controls.
///
/// In a thread most headings are names of authors or repeat the title; the others name the entries of live news.
pub(crate) fn keep_above_text(
    dom: &Dom<'_>,
    blocks: &Blocks,
    title: &str,
    is_thread: bool,
    probabilities: Option<&[f32]>,
    kept: &mut [bool],
) {
    let Some(probabilities) = probabilities else { return };
    let title = WordSet::new(title);
    // One of many main headings names an entry, not the page.
    let first_level =
        if blocks.elements.iter().filter(|e| e.tag == Tag::H1).count() < MIN_MAIN_HEADINGS { 2 } else { 1 };
    for e in &blocks.elements {
        let level = e.tag.heading_level();
        if level.is_none_or(|level| level < first_level) || e.hidden || e.blocks.is_empty() {
            continue;
        }
        let b = e.blocks.start as usize;
        if kept[b] || probabilities[b] <= MIN_HEADING_PROBABILITY {
            continue;
        }
        let end = kept.len().min(b + 1 + MAX_LINES_BELOW);
        let Some(text) = (b + 1..end).find(|&b| kept[b]) else { continue };
        let own = WordSet::new(blocks.text(b));
        // The page's own title is written before the text.
        if own.share_in(&title) == 1.0 && 2 * own.len() >= title.len() {
            continue;
        }
        if is_thread && !names_entry(blocks, b, &own, &title) {
            continue;
        }
        let is_direct = text == b + 1 && probabilities[b] > MIN_DIRECT_PROBABILITY;
        // A heading that is a link begins an entry with its text. A link between paragraphs leads to another article.
        let is_link = blocks.blocks[b].is_linked();
        kept[b] = heading_level(blocks, text) == 0
            && (b + 1..text).all(|between| may_lie_between(dom, blocks, e, between))
            && (is_direct || ends_sentence(blocks.text(text)))
            && around(blocks, b).any(|e| {
                let own = &blocks.elements[e].blocks;
                own.contains(&(text as u32)) && (!is_link || own.start as usize == b)
            });
    }
}

/// Returns the elements around a heading that may hold its text.
fn around(blocks: &Blocks, heading: usize) -> impl Iterator<Item = usize> + '_ {
    blocks.ancestors(heading).filter(|&e| blocks.elements[e].blocks.len() > 1).take(MAX_LEVELS_TO_TEXT)
}

/// Keeps the dropped headings of entries if most with the same tag and classes are kept, each above kept text of its own: a list keeps the titles
/// of all its entries.
pub(crate) fn keep_alike(
    dom: &Dom<'_>,
    blocks: &Blocks,
    title: &str,
    probabilities: Option<&[f32]>,
    kept: &mut [bool],
) {
    /// Minimum number of kept headings.
    const MIN_ALIKE: usize = 3;
    let mut groups: BTreeMap<(Tag, usize), Vec<usize>> = BTreeMap::new();
    for e in blocks.elements.iter().filter(|e| e.tag.heading_level().is_some() && !e.hidden && e.blocks.len() == 1) {
        let class = dom.names().class_of(e.node).index();
        groups.entry((e.tag, class)).or_default().push(e.blocks.start as usize);
    }
    let title = WordSet::new(title);
    for group in groups.values().filter(|group| group.len() > MIN_ALIKE) {
        let next = group[1..].iter().copied().chain([kept.len()]);
        let above: Vec<usize> = group
            .iter()
            .zip(next)
            .filter(|(b, next)| has_text_below(blocks, kept, **b, *next))
            .map(|(b, _)| *b)
            .collect();
        let count = above.iter().filter(|b| kept[**b]).count();
        if count >= MIN_ALIKE && 5 * count >= 3 * above.len() {
            for b in above {
                // The page's own title is written before the text.
                kept[b] |= probabilities.is_none_or(|p| p[b] > MIN_HEADING_PROBABILITY)
                    && WordSet::new(blocks.text(b)).share_in(&title) < 1.0;
            }
        }
    }
}

/// Whether the first kept block between a heading and the next one is a text of its own part.
fn has_text_below(blocks: &Blocks, kept: &[bool], heading: usize, next: usize) -> bool {
    let mut below = heading + 1..next.min(heading + 1 + MAX_LINES_BELOW);
    below.find(|&below| kept[below]).is_some_and(|text| {
        heading_level(blocks, text) == 0
            && (heading + 1..text).all(|between| !ends_sentence(blocks.text(between)))
            && around(blocks, heading).any(|e| blocks.elements[e].blocks.contains(&(text as u32)))
    })
}

/// Whether a heading of a thread names an entry, rather than an author, a date or the thread itself.
fn names_entry(blocks: &Blocks, heading: usize, own: &WordSet, title: &WordSet) -> bool {
    // The words of a name begin with capitals.
    let is_phrase = blocks.text(heading).split_whitespace().skip(1).any(|word| word.starts_with(char::is_lowercase));
    (is_phrase || own.len() >= MIN_ENTRY_WORDS)
        && own.share_in(title) < MAX_SHARE_IN_TITLE
        && blocks.blocks[heading].links == 0
        && !blocks.text(heading).contains(char::is_numeric)
}

/// Whether a block may lie between a heading and its text: another line of the heading, a short line, a caption, a heading below it.
fn may_lie_between(dom: &Dom<'_>, blocks: &Blocks, heading: &Element, block: usize) -> bool {
    match heading_level(blocks, block) {
        _ if heading.blocks.contains(&(block as u32)) => true,
        0 => is_line(blocks, block) || is_dated_line(blocks, block) || belongs_to_picture(dom, blocks, block),
        below => Some(below) > heading.tag.heading_level(),
    }
}

/// Whether a block is the line below the title of a post, with its author and date: longer than others, but not a sentence.
fn is_dated_line(blocks: &Blocks, b: usize) -> bool {
    let text = blocks.text(b);
    blocks.blocks[b].words <= MAX_DATED_WORDS && text.contains(char::is_numeric) && !ends_sentence(text)
}

/// Whether a block is a caption or the label of a button, such as one that enlarges a picture.
fn belongs_to_picture(dom: &Dom<'_>, blocks: &Blocks, b: usize) -> bool {
    let mut around = blocks.ancestors(b).take(2).map(|e| &blocks.elements[e]);
    around.any(|e| e.tag == Tag::BUTTON || caption::is_named(dom, e.node))
}

/// Whether a block is a date, a byline or the label of a control: short, not a sentence, and not a link to another page alone.
fn is_line(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.words <= MAX_LABEL_WORDS && !ends_sentence(blocks.text(b)) && block.link_chars < block.chars
}

/// Drops the short headings below which everything was dropped, down to the next heading of the same or a higher level. Headings below which the
/// page itself has nothing stay, unless only a script fills the place below; so do links, the headings of pictures, and those that are content by
/// themselves.
pub(crate) fn drop_over_nothing(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let levels: Vec<u8> = (0..kept.len()).map(|b| heading_level(blocks, b)).collect();
    // One or two headings behind the last text, unless they end a list of headings.
    let last_text = (0..kept.len()).rfind(|&b| kept[b] && levels[b] == 0);
    let ends = last_text.map_or(kept.len(), |last| last + 1)..kept.len();
    let are_few = ends.clone().filter(|&b| kept[b]).count() < MIN_ENTRIES as usize;
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
            let ends_content = are_few && ends.contains(&b);
            let is_empty = keeps && !has_kept && !is_link && (is_label(blocks, probabilities, b) || ends_content);
            if is_empty && (has_text || is_above_placeholder(dom, blocks, b))
                || keeps && heads_empty_contents(dom, blocks, b)
            {
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
    let mut alike: HashMap<(u32, u8), u32> = HashMap::default();
    empty.iter().for_each(|(b, _)| *alike.entry(section_kind(blocks, &levels, *b)).or_default() += 1);
    for (heading, end) in empty {
        let has_media = media.of(heading + 1..end + 1)[0] > 0;
        kept[heading] = alike[&section_kind(blocks, &levels, heading)] >= MIN_ENTRIES || has_media;
    }
}

fn is_label(blocks: &Blocks, probabilities: Option<&[f32]>, b: usize) -> bool {
    let text = blocks.text(b);
    blocks.blocks[b].words <= MAX_HEADING_WORDS
        && (!ends_sentence(text) || text.ends_with(['?', '？', '؟']))
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

/// Whether a heading is the only text of a table of contents that a script fills.
fn heads_empty_contents(dom: &Dom<'_>, blocks: &Blocks, heading: usize) -> bool {
    const MAX_LEVELS: usize = 4;
    let own = heading as u32..heading as u32 + 1;
    let around = blocks.ancestors(heading).skip_while(|e| blocks.elements[*e].tag.heading_level().is_none());
    let around = around.skip(1).take(MAX_LEVELS).take_while(|e| blocks.elements[*e].blocks == own);
    around.flat_map(|e| dom.class_words(blocks.elements[e].node)).any(|word| word.eq_ignore_ascii_case("toc"))
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
    fn a_heading_above_kept_text_is_kept() {
        let kept = |html: &str, choice: &str, p: f32| {
            crate::passes::choice_after(html, choice, |dom, blocks, kept| {
                keep_above_text(dom, blocks, "Sheds of the valley", false, Some(&vec![p; kept.len()]), kept);
            })
        };
        let text = "<p>The shed moved a foot to the left.</p>";
        let controls = format!("<main>{text}<h2>Ingredients <button>1x</button></h2>{text}</main>");
        assert_eq!((kept(&controls, "+--+", 0.2), kept(&controls, "+--+", 0.05)), ("++-+".into(), "+--+".into()));
        let post =
            format!("<div><div><h2><a href=/a>The shed</a></h2><div>June 1, 2024</div></div><div>{text}</div></div>");
        assert_eq!(kept(&post, "--+", 0.2), "+-+");
        let related = format!("<div>{text}<div><h3><a href=/a>The mill</a></h3></div>{text}</div>");
        assert_eq!(kept(&related, "+-+", 0.2), "+-+");
        let table = format!("<main>{text}<div><h3>Feet</h3></div><table><tr><td>Left<td>1</table></main>");
        assert_eq!((kept(&table, "+-++", 0.4), kept(&table, "+-++", 0.2)), ("++++".into(), "+-++".into()));
        let pictured = |name: &str| {
            let caption = format!("<div class={name}><p>The shed and its owner stand in the morning light.</p></div>");
            format!("<main>{text}<h3>To the left</h3><div><img src=a>{caption}</div>{text}</main>")
        };
        assert_eq!(kept(&pictured("caption"), "+--+", 0.2), "++-+");
        assert_eq!(kept(&pictured("note"), "+--+", 0.2), "+--+");
        let dated =
            format!("<div><h2>The shed</h2><p>By Ann Lee on Monday, 2 June 2024 | Comments (3)</p>{text}</div>");
        assert_eq!(kept(&dated, "--+", 0.2), "+-+");
        let entry = |title: &str| format!("<article><h1><a href=/{title}>{title}</a></h1>{text}</article>");
        let three = ["Shed", "Mill", "Weir"].map(entry).concat();
        assert_eq!((kept(&three, "-+-+-+", 0.2), kept(&entry("Shed"), "-+", 0.2)), ("++++++".into(), "-+".into()));
        // The text of the heading was dropped, or the kept text belongs to another heading or to another part of the page.
        let letter = format!("<div><h2>News</h2><p>Once a week, all that matters, for nothing at all</p>{text}</div>");
        assert_eq!(kept(&letter, "--+", 0.2), "--+");
        let links =
            format!("<div><h3>See more</h3><ul><li><a href=/a>Sheds</a><li><a href=/b>Mills</a></ul>{text}</div>");
        assert_eq!(kept(&links, "---+", 0.2), "---+");
        assert_eq!(kept(&format!("<div><h2>Topics</h2><h2>Mills</h2>{text}</div>"), "--+", 0.2), "-++");
        assert_eq!(kept(&format!("<div><h2>Topics</h2><h3>Mills</h3>{text}</div>"), "--+", 0.2), "+++");
        assert_eq!(kept(&format!("<div><h2>Sheds of the valley</h2>{text}</div>"), "-+", 0.2), "-+");
        let menu = "<div><div><div><h2>Topics</h2><p>Sheds</p></div><p>Mills</p></div><p>Eels</p></div>";
        assert_eq!(kept(&format!("<div>{menu}{text}</div>"), "----+", 0.2), "----+");
    }

    #[test]
    fn a_list_keeps_the_titles_of_all_its_entries() {
        let entries = |class: &str| -> String {
            let text = "<p>The shed moved a foot to the left.</p>";
            (1..6).map(|n| format!("<div><h2 class={class}{n}>Shed {n}</h2><p>May {n}</p>{text}</div>")).collect()
        };
        let kept = |html: &str, choice: &str, p: f32| {
            crate::passes::choice_after(html, choice, |dom, blocks, kept| {
                keep_alike(dom, blocks, "Sheds of the valley", Some(&vec![p; kept.len()]), kept);
            })
        };
        let alike = entries("'entry' data-n=");
        assert_eq!(kept(&alike, "--++-++-++-+--+", 0.2), "+-++-++-++-++-+");
        // Most are dropped, the model is sure, nothing is kept below, or the headings are of different kinds.
        assert_eq!(kept(&alike, "--++-+--+--+--+", 0.2), "--++-+--+--+--+");
        assert_eq!(kept(&alike, "--++-++-++-+--+", 0.05), "--++-++-++-+--+");
        assert_eq!(kept(&alike, "---+-++-++-+--+", 0.2), "---+-++-++-++-+");
        assert_eq!(kept(&entries("entry"), "--++-++-++-+--+", 0.2), "--++-++-++-+--+");
    }

    #[test]
    fn in_a_thread_only_headings_that_say_something_new_are_kept() {
        let kept = |heading: &str| {
            let html = format!(
                "<div><div><h3>{heading}</h3><p>Ann Lee</p><p>The shed moved a foot to the left.</p></div></div>"
            );
            crate::passes::choice_after(&html, "--+", |dom, blocks, kept| {
                keep_above_text(dom, blocks, "Sheds of the valley", true, Some(&vec![0.4; kept.len()]), kept);
            })
        };
        assert_eq!((kept("The line opens again"), kept("Line closed")), ("+-+".into(), "+-+".into()));
        assert_eq!(kept("<a href=/u/ann>ann</a> commented on the sheds May 20, 2024"), "--+");
        assert_eq!((kept("Re: Sheds of the valley"), kept("Ann Lee")), ("--+".into(), "--+".into()));
    }

    #[test]
    fn a_heading_goes_with_the_text_below_it() {
        assert_eq!(kept("<h2>A</h2><p>text</p><h2>Read more</h2><p>list</p>", "+++-"), "++--");
        assert_eq!(kept("<h2>A</h2><h3>B</h3><p>text</p>", "++-"), "---");
        assert_eq!(kept("<h2>A</h2><h3>B</h3><p>text</p><h3>C</h3><p>text</p>", "++-++"), "+--++");
        assert_eq!(kept("<p>text</p><h3>Did you like it?</h3><p>stars</p><h3>B</h3><p>text</p>", "++-++"), "+--++");
        assert_eq!(kept("<p>text</p><h3>See also</h3><p>list</p><h2>C</h2><p>text</p>", "++-++"), "+--++");
    }

    #[test]
    fn a_heading_over_nothing_of_the_page_stays() {
        assert_eq!(kept("<h1>A</h1><h2>B</h2><p>text</p>", "+++"), "+++");
        assert_eq!(kept("<p>text</p><h2>End</h2>", "++"), "++");
        assert_eq!(kept("<p>text</p><h2>B</h2><h2>C</h2><p>text</p>", "++++"), "++++");
        assert_eq!(kept("<h2>We are there for you.</h2><p>x</p><h2>B</h2><p>x</p>", "+-++"), "+-++");
        assert_eq!(kept("<p>x</p><h2>We are there for you.</h2><p>x</p>", "++-"), "+--");
        assert_eq!(kept("<h2>We are there.</h2><h2>We are here.</h2><p>x</p>", "++-"), "++-");
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
        assert_eq!(with(html, "+--", 0.1), "++-");
        assert_eq!(with(html, "+--", 0.02), "+--");
        assert_eq!(with(html, "---", 0.3), "++-");
        assert_eq!(with(html, "---", 0.1), "---");
        let between = "<p>text</p><div><div>Pay range</div><div>$170,000</div></div><p>text</p>";
        assert_eq!((with(between, "+--+", 0.1), with(between, "+---", 0.1)), ("++++".into(), "+---".into()));
        let title = "<header><h1>The mill turns</h1><p>3 May, 12 comments</p></header><p>text</p>";
        assert_eq!(with(title, "+-+", 0.3), "+-+");
        let online = "<div><h3>Who is online</h3><p>Users in this forum: 3 guests</p></div><p>text</p>";
        assert_eq!(with(online, "--+", 0.3), "--+");
        assert_eq!(with("<div><div>Pay range</div><div>on request</div></div>", "+-", 0.2), "+-");
    }
}
