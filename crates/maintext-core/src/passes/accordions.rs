//! Decides about accordions: the title of a panel, a control, is kept with the panel, and a set of panels with the text that it follows.
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashMap;
use maintext_page::markup::Role;
use maintext_page::visibility::reveal::is_control;
use std::ops::Range;

/// Maximum number of words of a title.
const TITLE: u32 = 24;
/// Minimum number of words of a sentence.
const TEXT: u32 = 6;
/// Mean probability of content from which a set is kept with the text that it follows.
const FOLLOWS: f32 = 0.1;
/// Mean probability of content of each panel from which the rest of a set is kept with a part of it.
const PARTLY: f32 = 0.35;
/// The same if half of the panels are kept.
const MOSTLY: f32 = 0.2;
/// Probability of content from which a title is kept with its panel.
const GOES: f32 = 0.1;
/// Beginnings of the names of controls that say only what they do, in lower case.
const ACTIONS: [&str; 19] = [
    "read ",
    "show",
    "see ",
    "view ",
    "quick ",
    "more",
    "expand",
    "open",
    "close",
    "menu",
    "filter",
    "sort",
    "add ",
    "shop ",
    "share",
    "favorite",
    "weiterlesen",
    "mehr ",
    "toggle",
];

/// Maximum number of elements around a title.
const TITLE_ANCESTORS: usize = 6;

/// A title, by its block, and the blocks of its panel.
pub(super) struct TitlePanel {
    title: usize,
    panel: Range<usize>,
}

/// `p` are the probabilities of the blocks, if the method gives any.
pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, p: Option<&[f32]>, kept: &mut [bool]) {
    let mut pairs: Vec<TitlePanel> = (0..blocks.len()).filter_map(|b| pair(dom, blocks, b)).collect();
    // A control that several records repeat is not a title.
    let mut seen: HashMap<&str, u32> = HashMap::default();
    pairs.iter().for_each(|pair| *seen.entry(blocks.text(pair.title)).or_default() += 1);
    pairs.retain(|pair| seen[blocks.text(pair.title)] == 1);
    for set in pairs.chunk_by(|a, b| a.panel.end == b.title) {
        if set.len() > 1 && p.is_some_and(|p| follows(blocks, p, set, kept)) {
            for pair in set {
                // A panel of which a part is kept was decided about.
                if !kept[pair.panel.clone()].contains(&true) {
                    kept[pair.title..pair.panel.end].fill(true);
                }
            }
            let heading = set[0].title - 1;
            kept[heading] |= is_heading(blocks, heading);
        }
        for pair in set {
            kept[pair.title] |= kept[pair.panel.clone()].contains(&true) && p.is_none_or(|p| p[pair.title] > GOES);
        }
    }
}

/// Whether a set of panels with text, of which a part may be kept, follows kept text in the same part of the page.
fn follows(blocks: &Blocks, p: &[f32], set: &[TitlePanel], kept: &[bool]) -> bool {
    let first = set[0].title;
    let Some(before) = first.checked_sub(1) else { return false };
    let text = if is_heading(blocks, before) && !kept[before] { before.checked_sub(1) } else { Some(before) };
    let Some(text) = text.filter(|&b| kept[b]) else { return false };
    // Any element around both will do: many sites have neither article nor main.
    let around = blocks.ancestors(first).find(|&e| blocks.elements[e].blocks.contains(&(text as u32)));
    let panels: Vec<usize> = set.iter().flat_map(|pair| pair.panel.clone()).collect();
    let chars: u32 = panels.iter().map(|&b| blocks.blocks[b].chars).sum();
    let link_chars: u32 = panels.iter().map(|&b| blocks.blocks[b].link_chars).sum();
    around.is_some_and(|e| blocks.elements[e].tag != Tag::BODY)
        && link_chars * 2 <= chars
        && set.iter().all(|pair| pair.panel.clone().any(|b| blocks.blocks[b].words >= TEXT))
        && if panels.iter().any(|&b| kept[b]) {
            let kept_panels = set.iter().filter(|pair| kept[pair.panel.clone()].contains(&true)).count();
            let needed = if kept_panels * 2 >= set.len() { MOSTLY } else { PARTLY };
            set.iter().all(|pair| mean(&p[pair.panel.clone()]) > needed)
        } else {
            panels.iter().map(|&b| p[b]).sum::<f32>() > FOLLOWS * panels.len() as f32
        }
}

fn mean(p: &[f32]) -> f32 {
    p.iter().sum::<f32>() / p.len() as f32
}

/// Returns the elements that hold this block alone, from the inside.
fn around_alone(blocks: &Blocks, b: usize) -> impl Iterator<Item = usize> + '_ {
    let own = b as u32..b as u32 + 1;
    blocks.ancestors(b).take(TITLE_ANCESTORS).take_while(move |e| blocks.elements[*e].blocks == own)
}

fn is_heading(blocks: &Blocks, b: usize) -> bool {
    blocks.ancestors(b).take(4).any(|e| blocks.elements[e].tag.heading_level().is_some())
}

/// Returns the pair with this block as title, if it is one: a control that fills the block and is alone before a container.
pub(super) fn pair(dom: &Dom<'_>, blocks: &Blocks, b: usize) -> Option<TitlePanel> {
    let block = &blocks.blocks[b];
    let next = b as u32 + 1;
    if block.words == 0 || block.words > TITLE || next as usize == blocks.len() {
        return None;
    }
    let elements = &blocks.elements;
    let outer = around_alone(blocks, b).last()?;
    let after = outer + 1 + elements[outer].descendants as usize;
    let panel = elements.get(after).filter(|e| e.parent == elements[outer].parent && e.blocks.start == next)?;
    let is_container =
        matches!(panel.tag, Tag::DIV | Tag::SECTION | Tag::UL | Tag::OL | Tag::DD | Tag::ARTICLE | Tag::OTHER);
    if !is_container || panel.blocks.is_empty() {
        return None;
    }
    // A list of controls is a menu, or a row of tabs, whose labels begin their panels.
    if !around_alone(blocks, b).any(|e| opens_panel(dom, blocks, block, e))
        || around_alone(blocks, b).any(|e| matches!(elements[e].tag, Tag::UL | Tag::OL | Tag::NAV))
        || blocks.ancestors(b).take(TITLE_ANCESTORS).any(|e| {
            matches!(blocks.markup.role(elements[e].node), Role::Panel(_)) && elements[e].blocks.start as usize == b
        })
    {
        return None;
    }
    let says = blocks.text(b).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let panel = panel.blocks.start as usize..panel.blocks.end as usize;
    let is_action =
        ACTIONS.iter().any(|act| says.starts_with(act.trim_end()) && (says.len() < act.len() || says.starts_with(act)));
    let is_text = blocks.text(b).starts_with(|c: char| c.is_alphanumeric() || matches!(c, '¿' | '“' | '«' | '"'));
    (!is_action && is_text && block.links <= 1).then_some(TitlePanel { title: b, panel })
}

fn opens_panel(dom: &Dom<'_>, blocks: &Blocks, block: &Block, e: usize) -> bool {
    let is_title = match blocks.elements[e].tag {
        // A link that a script made of a name, or of a tab, has no address.
        Tag::A => {
            let opens = ["href", "data-toggle", "data-bs-toggle", "aria-expanded", "onclick"];
            block.link_chars * 10 >= block.chars * 8
                && opens.iter().any(|a| dom.attr(blocks.elements[e].node, a).is_some())
        }
        // The label of a text field is not a title. The label of a checkbox may be one, since a style sheet can open a panel by the box.
        Tag::LABEL => is_beside_checkbox(dom, blocks.elements[e].node),
        Tag::BUTTON => !sends_form(dom, blocks.elements[e].node),
        _ => true,
    };
    is_title && is_control(dom, blocks.elements[e].node)
}

/// Whether a button sends a form, such as an order: it opens nothing, and its label is never a part of the text.
pub(super) fn sends_form(dom: &Dom<'_>, button: NodeId) -> bool {
    dom.attr(button, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("submit"))
        && dom.attr(button, "aria-expanded").is_none()
        || dom.class_words(button).any(|word| word == "submit" || word == "cart")
}

/// Whether a checkbox or a radio button precedes a label.
fn is_beside_checkbox(dom: &Dom<'_>, label: NodeId) -> bool {
    let mut nodes = dom.prev_siblings(label).take(4).chain(dom.children(label));
    nodes.any(|n| dom.tag(n) == Tag::INPUT && matches!(dom.attr(n, "type"), Some("checkbox" | "radio")))
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn choice_of(html: &str, choice: &str, p: Option<f32>) -> String {
        crate::passes::choice_after(html, choice, |dom, blocks, kept| {
            let p = p.map(|p| vec![p; blocks.len()]);
            apply(dom, blocks, p.as_deref(), kept);
        })
    }

    const ANSWER: &str = "We ship in crates of straw, twice a week.";

    #[test]
    fn a_title_goes_with_its_panel() {
        for title in [
            "<h4><a data-toggle=collapse href=#c0>Do you ship?</a></h4>",
            "<div class=t><a href='#'>Do you ship?</a></div>",
            "<button aria-expanded=false>Do you ship?</button>",
            "<input type=checkbox id=a><label for=a>Do you ship?</label>",
            "<div role=button>Do you ship?</div>",
        ] {
            let html = format!("<div>{title}<div id=c0><p>{ANSWER}</p></div></div>");
            assert_eq!(choice_of(&html, "-+", None), "++", "{title}");
            assert_eq!(choice_of(&html, "--", None), "--", "{title}");
        }
        let order =
            "<div><button type=submit>ใส่รถเข็น</button></div><div>We ship in crates of straw, twice a week.</div>";
        assert_eq!(choice_of(order, "-+", None), "-+");
        let more = format!("<div><button>Read more</button><div><p>{ANSWER}</p></div></div>");
        assert_eq!(choice_of(&more, "-+", None), "-+");
        let plain = format!("<div><p>Do you ship?</p><div><p>{ANSWER}</p></div></div>");
        assert_eq!(choice_of(&plain, "-+", None), "-+");
    }

    #[test]
    fn a_set_goes_with_the_text_that_it_follows() {
        let panel = |i: u32, text: &str| {
            format!("<div><h4><a href=#a{i}>Do you ship {i}?</a></h4><div id=a{i}><p>{text}</p></div></div>")
        };
        let page = |set: &str| format!("<article><p>Text</p><h2>Questions</h2>{set}</article><p>End</p>");
        let two = panel(1, ANSWER) + &panel(2, ANSWER);
        assert_eq!(choice_of(&page(&two), "+------", Some(0.3)), "++++++-");
        assert_eq!(choice_of(&page(&two), "+------", Some(0.1)), "+------");
        // The second panel with the first, and two with one of three.
        assert_eq!(choice_of(&page(&two), "+--+---", Some(0.3)), "++++++-");
        assert_eq!(choice_of(&page(&two), "+--+---", Some(0.15)), "+-++---");
        let three = two.clone() + &panel(3, ANSWER);
        assert_eq!(choice_of(&page(&three), "+--+-----", Some(0.4)), "++++++++-");
        assert_eq!(choice_of(&page(&three), "+--+-----", Some(0.3)), "+-++-----");
        let part = format!("<div><p>Text</p><h2>Questions</h2>{two}</div><p>End</p>");
        assert_eq!(choice_of(&part, "+------", Some(0.3)), "++++++-");
        let apart = format!("<div><p>Text</p></div><div><h2>Questions</h2>{two}</div><p>End</p>");
        assert_eq!(choice_of(&apart, "+------", Some(0.3)), "+------");
        assert_eq!(choice_of(&page(&panel(1, ANSWER)), "+----", Some(0.3)), "+----");
        let facts = panel(1, "1200 W") + &panel(2, "72 oz");
        assert_eq!(choice_of(&page(&facts), "+------", Some(0.3)), "+------");
        let menu = |i| panel(i, "<a href=/b>All ships of the whole line</a>");
        assert_eq!(choice_of(&page(&(menu(1) + &menu(2))), "+------", Some(0.3)), "+------");
    }
}
