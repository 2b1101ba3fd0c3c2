//! Writes links to notes on the same page, and the notes, as footnotes: GFM's `[^1]` and `[^1]: text`.
//!
//! A reference is a link within the page whose whole text is a short label, such as `1` or `[a]`; its note is the list item or
//! paragraph further down that has the id. A list becomes notes only if each of its items is one, so that no list loses single items.
use super::super::tree::{Kind, Mark, RunKind, Step, Tree};
use crate::dom::{Dom, NodeId, NodeKind};
use std::collections::{HashMap, HashSet};

/// Longest text that counts as a label.
const MAX_LABEL: usize = 10;

/// The footnotes of a document.
#[derive(Default)]
pub(super) struct Footnotes {
    /// Labels of the links that are references, by their index in [`Tree::inlines`].
    pub(super) references: HashMap<u32, String>,
    /// Labels of the blocks that are notes, by index.
    pub(super) notes: HashMap<usize, String>,
    /// The lists whose items are notes.
    pub(super) lists: HashSet<usize>,
}

struct Candidate<'t> {
    link: u32,
    leaf: usize,
    target: &'t str,
    label: String,
}

/// Finds the footnotes of a document.
pub(super) fn find(tree: &Tree<'_>) -> Footnotes {
    let candidates = candidates(tree);
    if candidates.is_empty() {
        return Footnotes::default();
    }
    let targets: HashSet<&str> = candidates.iter().map(|c| c.target).collect();
    let places = places(tree, &targets);
    let mut found = Footnotes::default();
    let mut labels: HashMap<String, usize> = HashMap::new();
    // Each note has one label and each label one note.
    let mut clash: HashSet<usize> = HashSet::new();
    for c in &candidates {
        let Some(&note) = places.get(c.target).filter(|&&n| n > c.leaf) else { continue };
        let label = c.label.to_lowercase();
        if *labels.entry(label).or_insert(note) != note || found.notes.get(&note).is_some_and(|l| *l != c.label) {
            clash.insert(note);
        }
        found.references.insert(c.link, c.label.clone());
        found.notes.entry(note).or_insert_with(|| c.label.clone());
    }
    found.notes.retain(|n, _| !clash.contains(n));
    drop_partial_lists(tree, &mut found);
    let kept = |c: &&Candidate<'_>| places.get(c.target).is_some_and(|n| *n > c.leaf && found.notes.contains_key(n));
    let references: HashSet<u32> = candidates.iter().filter(kept).map(|c| c.link).collect();
    found.references.retain(|link, _| references.contains(link));
    found
}

/// Returns the fragment that the link points to, if it leads to a place on its own page.
pub(super) fn fragment<'a>(dom: &'a Dom, link: NodeId) -> Option<&'a str> {
    dom.attr(link, "href")?.trim().strip_prefix('#').filter(|f| !f.is_empty())
}

/// Returns the links within the page whose text is a label.
fn candidates<'t>(tree: &'t Tree<'_>) -> Vec<Candidate<'t>> {
    let mut texts: HashMap<u32, (usize, String, bool)> = HashMap::new();
    let mut order = Vec::new();
    let mut chain = Vec::new();
    for leaf in (0..tree.blocks.len()).filter(|&b| matches!(tree.blocks[b].kind, Kind::Paragraph | Kind::Heading(_))) {
        for run in tree.runs(leaf).iter().filter(|r| tree.is_in(r.inline, Mark::Link)) {
            tree.chain(run.inline, &mut chain);
            let link = chain.iter().copied().find(|&i| tree.inlines[i as usize].mark == Mark::Link);
            let Some(link) = link.filter(|&l| fragment(tree.content.dom, tree.inlines[l as usize].node).is_some())
            else {
                continue;
            };
            let entry = texts.entry(link).or_insert_with(|| {
                order.push(link);
                (leaf, String::new(), true)
            });
            let text = tree.slice(&run.text);
            entry.2 &= entry.0 == leaf && run.kind == RunKind::Text && entry.1.len() + text.len() <= 4 * MAX_LABEL;
            if entry.2 {
                entry.1.push_str(text);
            }
        }
    }
    let candidate = |link: u32| {
        let (leaf, text, whole) = texts.get(&link)?;
        let label = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
        let plain = label.chars().all(char::is_alphanumeric) && (1..=MAX_LABEL).contains(&label.len());
        let target = fragment(tree.content.dom, tree.inlines[link as usize].node)?;
        (*whole && plain).then(|| Candidate { link, leaf: *leaf, target, label: label.to_owned() })
    };
    order.into_iter().filter_map(candidate).collect()
}

/// Maps each referenced id to the list item or paragraph that has it, skipping those inside other blocks.
fn places<'t>(tree: &'t Tree<'_>, targets: &HashSet<&str>) -> HashMap<&'t str, usize> {
    let dom = tree.content.dom;
    let mut places = HashMap::new();
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        let Step::Open(i) = step else { continue };
        let block = &tree.blocks[i];
        match block.kind {
            Kind::Group => {}
            Kind::List { .. } => {
                for item in tree.children(i).filter(|&item| begins_with_text(tree, item)) {
                    ids(dom, tree.blocks[item].node).filter(|id| targets.contains(id)).for_each(|id| {
                        places.entry(id).or_insert(item);
                    });
                }
                walk.skip_subtree();
            }
            Kind::Paragraph if tree.has_text(i) => {
                ids(dom, block.node).filter(|id| targets.contains(id)).for_each(|id| {
                    places.entry(id).or_insert(i);
                });
            }
            kind if !kind.is_leaf() => walk.skip_subtree(),
            _ => {}
        }
    }
    places
}

fn begins_with_text(tree: &Tree<'_>, item: usize) -> bool {
    tree.children(item).next().is_some_and(|c| tree.blocks[c].kind == Kind::Paragraph && tree.has_text(c))
}

/// Returns the ids of an element and of the anchors at its very beginning.
fn ids<'a>(dom: &'a Dom, n: NodeId) -> impl Iterator<Item = &'a str> {
    let start = dom.descendants(n).take(4).filter(|&d| dom.kind(d) == NodeKind::Element);
    start.flat_map(|d| [dom.attr(d, "id"), dom.attr(d, "name")]).flatten()
}

/// Removes the notes of lists that also hold other items.
fn drop_partial_lists(tree: &Tree<'_>, found: &mut Footnotes) {
    for list in 0..tree.blocks.len() {
        if !matches!(tree.blocks[list].kind, Kind::List { .. })
            || !tree.children(list).any(|i| found.notes.contains_key(&i))
        {
            continue;
        }
        if tree.children(list).all(|i| found.notes.contains_key(&i)) {
            found.lists.insert(list);
        } else {
            tree.children(list).for_each(|i| {
                found.notes.remove(&i);
            });
        }
    }
}
