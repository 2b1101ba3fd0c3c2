//! Links of pictures in items of lists.
use super::super::tree::{Kind, Mark, RunKind, Tree};

/// Removes the link from each picture of an item that leads where the first linked text of the item leads: cards link the picture and the
/// title to one page.
pub(super) fn unlink_pictures(tree: &mut Tree<'_>) {
    if !tree.runs.iter().any(|r| matches!(r.kind, RunKind::Image(_)) && r.inline != 0) {
        return;
    }
    for item in 0..tree.blocks.len() {
        if tree.blocks[item].kind == Kind::Item {
            unlink_in(tree, item);
        }
    }
}

fn unlink_in(tree: &mut Tree<'_>, item: usize) {
    let texts = tree.leaves(item).flat_map(|leaf| tree.runs(leaf)).filter(|r| r.kind == RunKind::Text);
    let Some(title) = texts.map(|r| link_of(tree, r.inline)).find(|&link| link != 0) else { return };
    for leaf in item..tree.blocks[item].end as usize {
        if !tree.blocks[leaf].kind.is_leaf() {
            continue;
        }
        let runs = tree.blocks[leaf].runs.clone();
        for run in runs.start as usize..runs.end as usize {
            if !matches!(tree.runs[run].kind, RunKind::Image(_)) {
                continue;
            }
            let address = |link: u32| tree.slice(&tree.inlines[link as usize].href);
            let link = link_of(tree, tree.runs[run].inline);
            // The picture stays in the link of the title itself.
            if link != title && link != 0 && address(link) == address(title) {
                tree.runs[run].inline = tree.inlines[link as usize].parent;
            }
        }
    }
}

/// Returns the link around an inline element, or the element itself if it is one; 0 if there is none.
fn link_of(tree: &Tree<'_>, inline: u32) -> u32 {
    let mut at = inline;
    while at != 0 && tree.inlines[at as usize].mark != Mark::Link {
        at = tree.inlines[at as usize].parent;
    }
    at
}
