//! The title of the page as a heading of the first level, and levels of headings without holes.
use super::Content;
use super::entries::EntryRole;
use super::tree::{BlockKind, InlineRun, KeptTree, RunKind};
use maintext_page::blocks::{Element, is_permalink};
use maintext_page::dom::{Dom, Edge, NodeId, Tag, single_spaced};
use maintext_page::markup::headings;
use maintext_page::markup::seams::is_seam;
use serde::{Deserialize, Serialize};

/// Whether Markdown and HTML begin with the title of the page. Plain text and the body of TEI, whose header has the title, stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TitleHeading {
    /// The title is a heading of the first level, once: the one of the content, or else one that is added above the content.
    #[default]
    Once,
    /// The title is left out.
    Never,
    /// The title is written if the content has it.
    AsIs,
}

impl TitleHeading {
    /// The names of the choices.
    pub const NAMES: [&str; 3] = ["once", "never", "as-is"];
}

/// Maximum number of headings that are compared with the title.
const MAX_HEADINGS: usize = 64;
/// Share of the words of two titles that must be the same.
const MIN_SHARED_WORDS: f32 = 0.6;

/// Applies the options for headings to a finished tree.
pub(super) fn apply_options(tree: &mut KeptTree<'_>) {
    let content = tree.content;
    if content.options.title != TitleHeading::AsIs
        && let Some(title) = content.title.map(words).filter(|t| !t.is_empty())
    {
        set_title(tree, content, &title);
    }
    if content.options.level_headings {
        level_headings(tree);
    }
}

fn set_title(tree: &mut KeptTree<'_>, content: &Content<'_>, title: &[String]) {
    let once = content.options.title == TitleHeading::Once;
    let headings = (0..tree.blocks.len()).filter_map(|i| match tree.blocks[i].kind {
        BlockKind::Heading(level) if tree.has_text(i) && !is_in_entry(tree, i) => Some((i, level)),
        _ => None,
    });
    let headings: Vec<(usize, u8)> = headings.take(MAX_HEADINGS).collect();
    let texts: Vec<Vec<String>> = headings.iter().map(|&(i, _)| words_of(tree, i)).collect();
    let is_title = |first: &(usize, u8)| {
        // Of several headings of the first level, which then begin sections, none is the title.
        let is_like = texts[0] == title
            || begins_title(&texts[0], title, first.1)
            || first.1 == 1 && headings.iter().filter(|h| h.1 == 1).count() == 1;
        // The title is at the beginning of the content. A heading further down, such as the name on a recipe's card, is a section.
        is_like && first_text(tree) == Some(first.0)
    };
    let again = |written: &[String], from: usize| -> Vec<usize> {
        let rest = (from..headings.len()).filter(|&n| headings[n].1 == 1 && texts[n] == written);
        rest.map(|n| headings[n].0).collect()
    };
    if let Some(&(first, _)) = headings.first().filter(|first| is_title(first)) {
        tree.hidden = again(&texts[0], 1);
        tree.blocks[first].kind = BlockKind::Heading(1);
        if !once {
            tree.hidden.push(first);
        } else if let Some(own) = title_below_picture(tree, first) {
            tree.hidden.push(first);
            tree.title = Some(own);
        }
    } else if !begins_with_entry(tree, title) {
        let own = own_heading(content, title);
        let written = words(&own);
        tree.hidden = again(&written, 0);
        // A lead may precede the heading that is the title.
        let lower = headings.first().filter(|first| first.1 > 1 && texts[0] == written);
        tree.hidden.extend(lower.map(|first| first.0));
        tree.title = once.then_some(own);
    }
}

/// Whether a heading is the title of the document, which may go on with the name of the site.
fn begins_title(text: &[String], title: &[String], level: u8) -> bool {
    if level == 1 { are_alike(text, title) } else { text.len() > 1 && title.starts_with(text) }
}

/// Returns the text of the heading that is the title if a picture is above it, so that the title can be written first. A heading that shows a
/// picture itself stays where it is.
fn title_below_picture(tree: &KeptTree<'_>, heading: usize) -> Option<String> {
    let is_below = (0..heading).any(|i| tree.blocks[i].kind.is_leaf());
    let is_text = |r: &InlineRun| matches!(r.kind, RunKind::Text | RunKind::Sign | RunKind::Break);
    let runs = tree.runs(heading);
    if !is_below || !runs.iter().all(is_text) {
        return None;
    }
    let parts = runs.iter().map(|r| if r.kind == RunKind::Break { " " } else { tree.slice(&r.text) });
    Some(single_spaced(&parts.collect::<String>()))
}

/// Whether a heading is the title of an entry of a list: that of another page.
fn is_in_entry(tree: &KeptTree<'_>, heading: usize) -> bool {
    /// Maximum number of elements between a heading and its entry.
    const MAX_LEVELS_TO_ENTRY: usize = 16;
    let node = tree.blocks[heading].node;
    let mut around = std::iter::once(node).chain(tree.content.dom.ancestors(node).take(MAX_LEVELS_TO_ENTRY));
    around.any(|n| tree.entries.role(n) == Some(EntryRole::Entry))
}

/// Whether the content begins with the heading of an entry that is also the title of the page, as on a blog's page of whole articles.
fn begins_with_entry(tree: &KeptTree<'_>, title: &[String]) -> bool {
    first_text(tree).is_some_and(|i| tree.blocks[i].kind == BlockKind::Heading(1) && words_of(tree, i) == title)
}

/// Returns the first block that shows text.
fn first_text(tree: &KeptTree<'_>) -> Option<usize> {
    (0..tree.blocks.len()).find(|&i| tree.blocks[i].kind.is_leaf() && tree.has_text(i))
}

fn words_of(tree: &KeptTree<'_>, block: usize) -> Vec<String> {
    words(&tree.text_of(block))
}

/// Returns the page's own heading that is like the title, or the title itself.
fn own_heading(content: &Content<'_>, title: &[String]) -> String {
    /// Maximum number of headings of the first level that are read.
    const MAX_PAGE_HEADINGS: usize = 8;
    let blocks = content.blocks;
    let headings =
        blocks.elements.iter().filter(|e| e.tag == Tag::H1 && !e.hidden && e.blocks.len() == 1).take(MAX_PAGE_HEADINGS);
    let first = blocks.blocks.iter().position(|b| content.keep[blocks.leaves[b.leaves.start as usize].index()]);
    let above = |e: &Element| first.is_some_and(|first| e.blocks.end as usize == first);
    let own = headings
        .map(|e| (e.node, text_of(content.dom, e.node), above(e)))
        .find(|(_, text, above)| *above || are_alike(&words(text), title));
    let own =
        own.filter(|(node, text, _)| !text.is_empty() && !is_below_kicker(content.dom, title, *node, &words(text)));
    own.map(|own| own.1).unwrap_or_else(|| stated(content))
}

/// Returns the title in the metadata of the page.
fn stated(content: &Content<'_>) -> String {
    single_spaced(content.title.unwrap_or(""))
}

/// Whether a title is the text of a heading without its kicker, the element with which it begins: "Olympics A quick race".
fn is_below_kicker(dom: &Dom<'_>, title: &[String], heading: NodeId, text: &[String]) -> bool {
    // Compared without spaces: nothing may separate the two elements, and not every script has capitals.
    let (text, title) = (text.concat(), title.concat());
    let before = text.strip_suffix(&title).filter(|before| !before.is_empty() && before.len() < title.len());
    let Some(before) = before else { return false };
    let mut inside = dom.descendants(heading).skip(1).take(MAX_HEADINGS);
    inside.any(|n| dom.first_child(n).is_some() && words(&text_of(dom, n)).concat() == before)
}

/// Returns the text of a heading without permalinks and buttons, with white space collapsed.
fn text_of(dom: &Dom<'_>, heading: NodeId) -> String {
    let left_out = headings::furniture(dom, heading);
    let mut out = String::new();
    let mut walk = dom.traverse(heading);
    while let Some(edge) = walk.next() {
        let Edge::Enter(n) = edge else { continue };
        if left_out.contains(&n) || is_permalink(dom, n) || dom.tag(n).is_skipped() {
            walk.skip_children();
        }
        if is_seam(dom, n, dom.tag(n)) {
            out.push(' ');
        }
        out.push_str(if dom.tag(n) == Tag::BR { " " } else { dom.text(n) });
    }
    single_spaced(&out)
}

fn words(s: &str) -> Vec<String> {
    s.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

/// Whether one of two titles is part of the other, or most of their words are the same.
fn are_alike(a: &[String], b: &[String]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() || long.len() > 64 {
        return false;
    }
    let part = long.windows(short.len()).any(|w| w == short);
    let shared = short.iter().filter(|w| long.contains(w)).count() as f32;
    part && (short.len() > 1 || long.len() <= 3) || shared >= MIN_SHARED_WORDS * long.len() as f32
}

/// Gives each heading the level of its depth among the headings above it.
fn level_headings(tree: &mut KeptTree<'_>) {
    // The added title is above all.
    let mut open: Vec<u8> = Vec::from_iter(tree.title.as_ref().map(|_| 0));
    for block in &mut tree.blocks {
        let BlockKind::Heading(level) = &mut block.kind else { continue };
        while open.last().is_some_and(|l| l >= level) {
            open.pop();
        }
        open.push(*level);
        *level = open.len() as u8;
    }
}
