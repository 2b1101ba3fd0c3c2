//! Keeps the sentences between the main heading and the text: a standfirst, and the caption of the lead picture. Their classes often also
//! mark boilerplate, so their text decides here, not their class.
use super::is_link;
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};
use maintext_page::image::box_of_link;
use maintext_reading::features::{ends_sentence, heading_level};

/// Minimum number of words of such a sentence. Bylines and dates are shorter, or end without a stop.
const MIN_WORDS: u32 = 6;
/// Maximum number of blocks of a part between heading and text: a picture's caption and credit, a lead in two sentences.
const MAX_PART_BLOCKS: usize = 3;
/// Minimum number of words of the text below, so that a kept label does not count as text.
const MIN_TEXT_WORDS: u32 = 8;
/// Probability below which it is a message of the site, such as a request to sign in.
const MIN_PROBABILITY: f32 = 0.06;
/// Maximum number of blocks between the heading and the text: a byline, a date, buttons to share, a picture with its caption.
const MAX_BLOCKS: usize = 12;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(text) = (0..kept.len())
        .find(|b| kept[*b] && blocks.blocks[*b].words >= MIN_TEXT_WORDS && heading_level(blocks, *b) == 0)
    else {
        return;
    };
    // Without a main heading nearby, the beginning of the text is unknown.
    let Some(heading) = (text.saturating_sub(MAX_BLOCKS)..text).rev().find(|b| heading_level(blocks, *b) == 1) else {
        return;
    };
    let is_elsewhere = leads_elsewhere(blocks, heading);
    for b in heading + 1..text {
        let is_likely = probabilities.is_none_or(|p| p[b] > MIN_PROBABILITY);
        kept[b] |= is_likely
            && is_sentence(blocks, b, heading)
            && (!is_elsewhere || !is_beside(blocks, heading, b, text))
            && !is_in_column(blocks, b, heading, text)
            && !is_in_banner(dom, blocks, b, text);
    }
}

/// Whether a heading is nothing but a link: the name of a site or a forum, unless the page's title leads to the page itself.
fn leads_elsewhere(blocks: &Blocks, heading: usize) -> bool {
    is_link(&blocks.blocks[heading])
}

/// Whether heading and sentence share a box, other than a header, that does not hold the text: a side column that precedes it in the
/// source.
fn is_beside(blocks: &Blocks, heading: usize, sentence: usize, text: usize) -> bool {
    let shared = blocks.ancestors(sentence).find(|&e| holds(blocks, e, heading));
    shared.is_some_and(|e| !holds(blocks, e, text) && !matches!(blocks.elements[e].tag, Tag::HEADER | Tag::HGROUP))
}

/// Whether an element holds a block.
fn holds(blocks: &Blocks, e: usize, block: usize) -> bool {
    blocks.elements[e].blocks.contains(&(block as u32))
}

/// Whether a block lies in a part of several blocks that holds neither the heading nor the text, such as a side column.
fn is_in_column(blocks: &Blocks, b: usize, heading: usize, text: usize) -> bool {
    let part = blocks.ancestors(b).take_while(|e| !holds(blocks, *e, heading) && !holds(blocks, *e, text)).last();
    part.is_some_and(|e| blocks.elements[e].blocks.len() > MAX_PART_BLOCKS)
}

/// Whether a picture that leads to another page and a link with a text share the box of a block: an advertisement. The caption of a picture
/// that leads to a gallery repeats its alternative text.
fn is_in_banner(dom: &Dom<'_>, blocks: &Blocks, b: usize, text: usize) -> bool {
    blocks.media.iter().any(|m| {
        let Some(e) = box_of_link(dom, blocks, m) else { return false };
        let own = &blocks.elements[e].blocks;
        let [_, _, link_chars] = blocks.sums(own);
        holds(blocks, e, b)
            && !holds(blocks, e, text)
            && own.len() <= MAX_PART_BLOCKS
            && link_chars > 0
            && dom.attribute(m.node, Attr::ALT).is_none_or(|alt| alt.trim() != blocks.text(b))
    })
}

/// Whether a block is a visible sentence without links, and not a message of a form or dialog. The header that holds the heading is a part of
/// the article.
fn is_sentence(blocks: &Blocks, b: usize, heading: usize) -> bool {
    let block = &blocks.blocks[b];
    let is_plain = block.words >= MIN_WORDS && block.links == 0 && !block.hidden && !block.noscript;
    is_plain
        && ends_sentence(blocks.text(b))
        && !blocks.ancestors(b).any(|e| is_control(blocks.elements[e].tag) && !holds(blocks, e, heading))
}

fn is_control(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::FORM | Tag::BUTTON | Tag::LABEL | Tag::DIALOG | Tag::NAV | Tag::ASIDE | Tag::HEADER | Tag::FOOTER
    )
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn kept(html: &str, choice: &str) -> String {
        crate::passes::choice_after(html, choice, |dom, blocks, kept| apply(dom, blocks, None, kept))
    }

    const TEXT: &str = "<p>The engine was found in the store room of the school.</p>";
    const LEAD: &str = "After seventy years one car will run again.";

    #[test]
    fn a_sentence_between_heading_and_text_is_kept_whatever_its_name() {
        for name in ["sub", "tagline", "kicker", "archive-description", "subscribe-lead"] {
            let html = format!("<h1>A train</h1><p>By Dana Karmi</p><div class={name}>{LEAD}</div>{TEXT}");
            assert_eq!(kept(&html, "---+"), "--++", "{name}");
        }
        let caption = format!("<h1>A train</h1><img src=a.jpg><div>{LEAD}</div>{TEXT}");
        assert_eq!(kept(&caption, "--+"), "-++");
        let header = format!("<article><header><h1>A train</h1><p>{LEAD}</p></header>{TEXT}</article>");
        assert_eq!(kept(&header, "--+"), "-++");
        assert_eq!(
            kept("<h1>列车</h1><p>七十年后，一辆车将再次行驶。</p><p>发动机是在学校的储藏室里找到的。</p>", "--+"),
            "-++"
        );
    }

    #[test]
    fn other_lines_there_stay_dropped() {
        for line in [
            "<p>By Dana Karmi and Ole Quint, Dunmoor</p>",
            "<p><a href=/all>After seventy years one car will run again.</a></p>",
            "<p hidden>After seventy years one car will run again.</p>",
            "<form><p>Enter your address and press the button.</p></form>",
            "<p>Read on.</p>",
        ] {
            assert_eq!(kept(&format!("<h1>A train</h1>{line}{TEXT}"), "--+"), "--+", "{line}");
        }
        for column in [
            format!("<div class=side><h1><a href=/f>trains</a></h1><p>{LEAD}</p></div><div>{TEXT}</div>"),
            format!("<div><div><h1><a href=/f>trains</a></h1></div><div><p>{LEAD}</p></div></div><main>{TEXT}</main>"),
            format!("<td><h1><a href=/f>trains</a></h1></td><aside><p>{LEAD}</p></aside>{TEXT}"),
            format!("<h1>Trains</h1><aside><p>{LEAD}</p></aside>{TEXT}"),
        ] {
            assert_eq!(kept(&column, "--+"), "--+", "{column}");
        }
        let banner = "<div><a href=/join><img src=a.jpg></a><p>Read all of it for a month, free.</p><a href=/join>Subscribe</a></div>";
        assert_eq!(kept(&format!("<h1>A train</h1>{banner}{TEXT}"), "---+"), "---+");
        // A title that links to its own page, in the same box as the text or in a header.
        for html in [
            format!("<div><h1><a href=/p>A train</a></h1><p>{LEAD}</p>{TEXT}</div>"),
            format!("<header><h1><a href=/p>A train</a></h1><p>{LEAD}</p></header>{TEXT}"),
            format!("<div><h1>A train</h1><p>{LEAD}</p></div><div>{TEXT}</div>"),
        ] {
            assert_eq!(kept(&html, "--+"), "-++", "{html}");
        }
        // Without a main heading nearby, the beginning of the text is unknown.
        assert_eq!(kept(&format!("<p>{LEAD}</p>{TEXT}"), "-+"), "-+");
    }
}
