//! Links of pictures in items of lists.
use super::super::tree::{BlockKind, KeptTree, RunKind};

/// Removes the link from each picture of an item that leads where the first linked text of the item leads: cards link the picture and the
/// title to one page.
pub(super) fn unlink_pictures(tree: &mut KeptTree<'_>) {
    if !tree.runs.iter().any(|r| matches!(r.kind, RunKind::Image(_)) && r.inline != 0) {
        return;
    }
    for item in 0..tree.blocks.len() {
        if tree.blocks[item].kind == BlockKind::Item {
            unlink_in(tree, item);
        }
    }
}

fn unlink_in(tree: &mut KeptTree<'_>, item: usize) {
    let Some(title) = linked_title(tree, item) else { return };
    for leaf in item..tree.blocks[item].end as usize {
        if !tree.blocks[leaf].kind.is_leaf() {
            continue;
        }
        let runs = tree.blocks[leaf].runs.clone();
        for run in runs.start as usize..runs.end as usize {
            if !matches!(tree.runs[run].kind, RunKind::Image(_)) {
                continue;
            }
            // The picture stays in the link of the title itself.
            if let Some(link) = tree.link(tree.runs[run].inline)
                && link != title
                && tree.href(link) == tree.href(title)
            {
                tree.runs[run].inline = tree.inlines[link as usize].parent;
            }
        }
    }
}

fn linked_title(tree: &KeptTree<'_>, item: usize) -> Option<u32> {
    let mut texts = tree.leaves(item).flat_map(|leaf| tree.runs(leaf)).filter(|r| r.kind == RunKind::Text);
    texts.find_map(|r| tree.link(r.inline))
}
