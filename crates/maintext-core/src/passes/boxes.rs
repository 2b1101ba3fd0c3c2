//! Decides about boxes in the text: a callout or details are kept with their title, a division that is a heading with the text around it, a
//! box of prose in the text stays, and a quotation that repeats a sentence is dropped.
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_page::markup::callout::Callout;
use maintext_reading::features::{ends_sentence, heading_level};

/// Maximum number of words of a title.
const TITLE: u32 = 16;
/// Minimum and maximum number of words of a quotation that repeats a sentence.
const QUOTED: std::ops::RangeInclusive<u32> = 4..=80;
/// Maximum number of such quotations of a page.
const QUOTATIONS: usize = 16;

/// Maximum numbers of blocks of a box of prose, and of nodes that are read to find controls in it.
const MAX_PROSE_BLOCKS: usize = 8;
const MAX_PROSE_NODES: usize = 64;
/// Maximum number of blocks between a box and its copy for another width of the screen.
const MAX_BLOCKS_TO_TWIN: usize = 40;
/// Minimum number of words of such a box below its heading.
const MIN_PROSE_WORDS: u32 = 8;
/// Probability below which its text belongs to the site: a request to subscribe, a portrait of the author.
const MIN_PROSE_PROBABILITY: f32 = 0.1;

/// Keeps the boxes in the text that have a heading and prose or facts of their own: the sidebar of a chapter. The model doubts them, because the
/// column next to a text often has the same class. Callouts are known by their names, so they stay at the end of a text, too.
pub(crate) fn keep_prose(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    for e in &blocks.elements {
        let (first, end) = (e.blocks.start as usize, e.blocks.end as usize);
        let is_below_text = matches!(e.tag, Tag::DIV | Tag::SECTION | Tag::ASIDE)
            && (2..=MAX_PROSE_BLOCKS).contains(&(end - first))
            && first > 0
            && kept[first - 1]
            && kept[first..end].contains(&false);
        if !is_below_text || blocks.blocks[first].words > TITLE {
            continue;
        }
        // A callout may end the text.
        let is_box = is_heading(blocks, first) && kept.get(end) == Some(&true)
            || Callout::of(dom, e.node, e.tag).is_some()
            || e.tag == Tag::ASIDE && has_title_of_docutils(dom, e);
        if !is_box {
            continue;
        }
        let words: u32 = blocks.blocks[first + 1..end].iter().map(|b| b.words).sum();
        let before = first.saturating_sub(MAX_BLOCKS_TO_TWIN)..first;
        let is_twin = before.into_iter().any(|other| kept[other] && blocks.text(other) == blocks.text(first + 1));
        if blocks.blocks[first].links == 0
            && !is_twin
            && words >= MIN_PROSE_WORDS
            && (first + 1..end).all(|b| is_prose(blocks, probabilities, b))
            && !has_controls(dom, e)
        {
            // A text that the box repeats was dropped as a copy.
            (first..end).for_each(|b| kept[b] |= !(first..b).any(|other| blocks.text(other) == blocks.text(b)));
        }
    }
}

/// Whether an element begins with the title of a topic or of a sidebar, as docutils writes it.
fn has_title_of_docutils(dom: &Dom<'_>, e: &Element) -> bool {
    const TITLES: [&str; 2] = ["topic-title", "sidebar-title"];
    let title = dom.children(e.node).find(|&n| dom.tag(n) == Tag::P);
    title.is_some_and(|n| TITLES.iter().any(|name| dom.has_class(n, name)))
}

fn is_prose(blocks: &Blocks, probabilities: &[f32], b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.links == 0
        && !block.hidden
        && !block.noscript
        && probabilities[b] > MIN_PROSE_PROBABILITY
        && (ends_sentence(blocks.text(b)) || is_value(blocks, b))
}

/// Whether a block is a term or its value in a list of facts.
fn is_value(blocks: &Blocks, b: usize) -> bool {
    matches!(blocks.elements[blocks.blocks[b].container as usize].tag, Tag::DT | Tag::DD)
}

fn is_heading(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    heading_level(blocks, b) > 0 || block.emphasis_chars == block.chars
}

/// Whether a box has controls, or is too large to search for them.
fn has_controls(dom: &Dom<'_>, e: &Element) -> bool {
    let mut nodes = dom.descendants(e.node);
    nodes.by_ref().take(MAX_PROSE_NODES).any(|n| is_control(dom.tag(n))) || nodes.next().is_some()
}

fn is_control(tag: Tag) -> bool {
    matches!(tag, Tag::FORM | Tag::INPUT | Tag::BUTTON | Tag::SELECT | Tag::TEXTAREA | Tag::IFRAME | Tag::A)
}

/// Keeps the line that says whose words a kept quotation is: the caption of its figure, the last line of the quotation, the other element of
/// a box that holds nothing else.
pub(crate) fn keep_sources(blocks: &Blocks, kept: &mut [bool]) {
    for source in blocks.elements.iter().filter(|e| may_be_source(e.tag)) {
        let own = source.blocks.start as usize..source.blocks.end as usize;
        let before = own.start.checked_sub(1).filter(|b| kept[*b]);
        let quotation = before.and_then(|b| blocks.ancestors(b).find(|&e| blocks.elements[e].tag == Tag::BLOCKQUOTE));
        let Some(quotation) = quotation.map(|e| &blocks.elements[e]) else { continue };
        let figure = &blocks.elements[source.parent as usize];
        let is_of_quotation = match source.tag {
            Tag::FIGCAPTION => figure.tag == Tag::FIGURE && figure.blocks.start <= quotation.blocks.start,
            Tag::FOOTER | Tag::CITE if source.blocks.end <= quotation.blocks.end => true,
            _ => {
                source.parent == quotation.parent
                    && matches!(figure.tag, Tag::DIV | Tag::FIGURE | Tag::SECTION)
                    && figure.blocks == (quotation.blocks.start..source.blocks.end)
                    && blocks.blocks[own.start].links == 0
            }
        };
        if is_of_quotation && own.len() == 1 && !source.hidden && blocks.blocks[own.start].words <= TITLE {
            kept[own.start] = true;
        }
    }
}

fn may_be_source(tag: Tag) -> bool {
    matches!(tag, Tag::FIGCAPTION | Tag::FOOTER | Tag::CITE | Tag::P | Tag::DIV)
}

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let mut quotations = Vec::new();
    for e in &blocks.elements {
        if !matches!(e.tag, Tag::DIV | Tag::SECTION | Tag::ASIDE | Tag::BLOCKQUOTE | Tag::DETAILS | Tag::FIGURE) {
            continue;
        }
        let first = e.blocks.start as usize;
        if is_pull_quote(dom, e) {
            quotations.extend((first..e.blocks.end as usize).filter(|&b| kept[b]));
        } else if e.blocks.len() > 1
            && !kept[first]
            && kept[first + 1]
            && blocks.blocks[first].words <= TITLE
            && (e.tag == Tag::DETAILS
                || Callout::of(dom, e.node, e.tag).is_some()
                || is_titled_box(dom, blocks, e, kept))
        {
            kept[first] = true;
        } else if e.blocks.len() == 1 && e.tag == Tag::DIV {
            let amid = !kept[first] && first > 0 && kept[first - 1] && kept.get(first + 1) == Some(&true);
            kept[first] |= amid && dom.attribute(e.node, Attr::ROLE) == Some("heading");
        }
    }
    for b in quotations.into_iter().take(QUOTATIONS) {
        if QUOTED.contains(&blocks.blocks[b].words) && is_repeated(blocks, b, kept) {
            kept[b] = false;
        }
    }
}

/// Whether an element between kept texts is a small box that begins with a bold title: "Mental model".
fn is_titled_box(dom: &Dom<'_>, blocks: &Blocks, e: &Element, kept: &[bool]) -> bool {
    /// Maximum number of words of such a title, of which Chinese and Japanese have one for each character, and of blocks and words of the box.
    const SHORT: u32 = 8;
    const BLOCKS: usize = 6;
    const WORDS: u32 = 150;
    let (first, end) = (e.blocks.start as usize, e.blocks.end as usize);
    let title = &blocks.blocks[first];
    let max_words = if blocks.text(first).contains(' ') { SHORT } else { 3 * SHORT };
    // A date may come before the text below.
    let is_above_text = kept[end..kept.len().min(end + 2)].contains(&true);
    let amid = first > 0 && kept[first - 1] && is_above_text && kept[first + 1..end].iter().all(|k| *k);
    if !amid
        || end - first > BLOCKS
        || title.words > max_words
        || title.link_chars > 0
        || blocks.text(first).contains(char::is_numeric)
        || (blocks.blocks[first..end].iter().map(|b| b.words).sum::<u32>()) > WORDS
    {
        return false;
    }
    // The name of a quotation: "Quote".
    if dom.attr(e.node, "data-callout").is_some() {
        return false;
    }
    let class =
        dom.attribute(blocks.elements[title.container as usize].node, Attr::CLASS).unwrap_or("").to_ascii_lowercase();
    title.emphasis_chars == title.chars || ["bold", "title", "label"].iter().any(|part| class.contains(part))
}

fn is_pull_quote(dom: &Dom<'_>, e: &Element) -> bool {
    const NAMES: [&str; 3] = ["pullquote", "pull-quote", "pull_quote"];
    let class = dom.attribute(e.node, Attr::CLASS).unwrap_or("");
    match e.tag {
        Tag::ASIDE | Tag::BLOCKQUOTE | Tag::FIGURE => class.contains("pull"),
        Tag::DIV => class.contains("pull") && NAMES.iter().any(|name| class.contains(name)),
        _ => false,
    }
}

/// Whether a longer kept block holds the text of a block, apart from its quotation marks.
fn is_repeated(blocks: &Blocks, b: usize, kept: &[bool]) -> bool {
    let text = blocks.text(b).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words = blocks.blocks[b].words;
    (0..kept.len())
        .any(|o| o != b && kept[o] && blocks.blocks[o].words > words && blocks.text(o).to_lowercase().contains(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles a choice, given as one sign for each block.
    fn kept(html: &str, choice: &str) -> String {
        crate::passes::choice_after(html, choice, apply)
    }

    #[test]
    fn a_quotation_is_kept_with_its_source() {
        let kept = |html: &str, choice: &str| {
            crate::passes::choice_after(html, choice, |_, blocks, kept| keep_sources(blocks, kept))
        };
        let figure = "<figure><blockquote><p>The river decides.</p></blockquote><figcaption>Ilse Marn, miller</figcaption></figure>";
        assert_eq!((kept(figure, "+-"), kept(figure, "--")), ("++".into(), "--".into()));
        assert_eq!(kept("<blockquote><p>The river decides.</p><footer>Ilse Marn</footer></blockquote>", "+-"), "++");
        assert_eq!(kept("<blockquote><p>The river decides.</p></blockquote><footer>Imprint</footer>", "+-"), "+-");
        let boxed = |rest: &str| format!("<div><blockquote>The river decides.</blockquote>{rest}</div><p>It fell.</p>");
        assert_eq!(kept(&boxed("<p class=who>Ilse Marn</p>"), "+-+"), "+++");
        assert_eq!(kept(&boxed("<p><a href=/share>Share this</a></p>"), "+-+"), "+-+");
        assert_eq!(kept(&boxed("<p>Share this</p><p>1 of 3</p>"), "+--+"), "+--+");
    }

    #[test]
    fn a_box_goes_with_its_title() {
        let note = "<div class='admonition note'><p class=admonition-title>Note</p><p>text</p></div>";
        let details = "<details><summary>Why?</summary><p>text</p></details>";
        for html in [note, details] {
            assert_eq!(kept(html, "-+"), "++", "{html}");
            assert_eq!(kept(html, "--"), "--", "{html}");
            assert_eq!(kept(html, "+-"), "+-", "{html}");
        }
        assert_eq!(kept("<div class=box><p>Note</p><p>text</p></div>", "-+"), "-+");
        let labelled = "<p>text</p><div class=b><div class=b-label>In short</div><p>text</p></div><p>text</p>";
        assert_eq!(kept(labelled, "+-++"), "++++");
        // Characters count as words.
        let japanese = labelled.replace("In short", "休ませる前に用意するもの");
        assert_eq!(kept(&japanese, "+-++"), "++++");
        let live = labelled.replace("text</p></div>", "text</p></div><p>9:40</p>");
        assert_eq!((kept(&live, "+-+-+"), kept(&live, "+-+--")), ("+++-+".into(), "+-+--".into()));
        let long = "word ".repeat(TITLE as usize + 1);
        assert_eq!(kept(&format!("<details><summary>{long}</summary><p>text</p></details>"), "-+"), "-+");
    }

    const PROSE: &str = "Gauges drift, and a gauge that nobody has read for a month should be read twice.";

    /// Settles the choice for a dropped box between two kept paragraphs, with the same probability for all its blocks.
    fn keeps_box(html: &str, probability: f32) -> bool {
        let page = format!("<p>Before it.</p>{html}<p>After it.</p>");
        let count = Blocks::new(&maintext_page::dom::parse(&page, &Default::default())).len();
        let choice = format!("+{}+", "-".repeat(count - 2));
        let after = crate::passes::choice_after(&page, &choice, |dom, blocks, kept| {
            keep_prose(dom, blocks, Some(&vec![probability; kept.len()]), kept);
        });
        assert!(after == choice || !after.contains('-'), "{after}");
        after != choice
    }

    #[test]
    fn a_copy_in_a_kept_box_stays_dropped() {
        let html = format!(
            "<p>Before it.</p><section><h3>A word</h3><div><p>{PROSE}</p></div><div class=print><p>{PROSE}</p></div></section><p>After it.</p>"
        );
        let keep = |dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]| keep_prose(dom, blocks, Some(&[0.9; 5]), kept);
        assert_eq!(crate::passes::choice_after(&html, "+++-+", keep), "+++-+");
        let html = format!("<section><h1>A word</h1><p>{PROSE}</p></section>").repeat(2) + "<p>After it.</p>";
        assert_eq!(crate::passes::choice_after(&html, "++--+", keep), "++--+");
    }

    #[test]
    fn a_box_of_prose_amid_the_text_stays() {
        for html in [
            format!("<aside data-type=sidebar><h1>A word</h1><p>{PROSE}</p></aside>"),
            format!(
                "<aside class=sidebar><div class=sidebar><h3>A word</h3><p>{PROSE}</p><p>Twice. {PROSE}</p></div></aside>"
            ),
            format!("<div class=side-box><p><b>A word</b></p><p>{PROSE}</p></div>"),
            "<div class='panel panel-warning'><div><b>Careful</b></div><div><p>A gauge read in the rain is read twice.</p></div></div>"
                .to_owned(),
            format!("<section epub:type=sidebar><h2>A word</h2><div>{PROSE}</div></section>"),
            format!(
                "<aside class=sidebar><h3>In numbers</h3><p>{PROSE}</p><dl><dt>Gauges<dd>at least 314</dl></aside>"
            ),
        ] {
            assert!(keeps_box(&html, 0.2), "{html}");
        }
    }

    #[test]
    fn a_callout_that_ends_the_text_stays() {
        let after = |class: &str, choice: &str| {
            let page =
                format!("<p>Before it.</p><div class='{class}'><p>提示</p><p>{PROSE}</p></div><footer>End</footer>");
            crate::passes::choice_after(&page, choice, |dom, blocks, kept| {
                keep_prose(dom, blocks, Some(&vec![0.4; kept.len()]), kept);
            })
        };
        assert_eq!(after("tip custom-block", "+---"), "+++-");
        assert_eq!(after("teaser", "+---"), "+---");
        assert_eq!(after("tip custom-block", "----"), "----");
    }

    #[test]
    fn boxes_that_ask_or_lead_elsewhere_stay_dropped() {
        for html in [
            format!("<aside><h3>Newsletter</h3><p>{PROSE}</p><form><input type=email></form></aside>"),
            format!("<aside><h3>Newsletter</h3><p>{PROSE}</p><button>Sign up</button></aside>"),
            format!("<aside><h3>Related</h3><p><a href=/a>{PROSE}</a></p></aside>"),
            format!("<aside><h3>Related</h3><p>{PROSE}</p><p><a href=/more>More about it.</a></p></aside>"),
            format!("<aside><p>{PROSE}</p><p>{PROSE}</p></aside>"),
            "<aside><h3>Most read</h3><p>Bakery opens</p><p>Bus line gets stops</p></aside>".to_owned(),
            "<aside><h3>Follow us.</h3><p>We are everywhere.</p></aside>".to_owned(),
        ] {
            assert!(!keeps_box(&html, 0.2), "{html}");
        }
        assert!(!keeps_box(&format!("<aside><h3>About us</h3><p>{PROSE}</p></aside>"), 0.05));
    }

    #[test]
    fn a_division_that_is_a_heading_goes_with_the_text_around_it() {
        let html = "<p>a</p><div role=heading>B</div><p>c</p>";
        assert_eq!(kept(html, "+-+"), "+++");
        assert_eq!(kept(html, "--+"), "--+");
        assert_eq!(kept(html, "+--"), "+--");
        assert_eq!(kept("<p>a</p><div>B</div><p>c</p>", "+-+"), "+-+");
    }

    #[test]
    fn a_quotation_that_repeats_a_sentence_is_dropped() {
        let text = "<p>He said that the river knows me well, and sat down.</p>";
        let quote = |class: &str, words: &str| format!("{text}<aside class={class}><p>“{words}”</p></aside>");
        assert_eq!(kept(&quote("pull-quote", "The river knows me well"), "++"), "+-");
        let division = quote("body--pullquote", "The river knows me well.").replace("aside", "div");
        assert_eq!(kept(&division, "++"), "+-");
        assert_eq!(kept(&division.replace("pullquote", "pull-right"), "++"), "++");
        assert_eq!(kept(&quote("pull-quote", "The river knows me well"), "-+"), "-+");
        assert_eq!(kept(&quote("pull-quote", "The river knows nobody at all"), "++"), "++");
        assert_eq!(kept(&quote("pull-quote", "The river"), "++"), "++");
        assert_eq!(kept(&quote("note", "The river knows me well"), "++"), "++");
    }
}
