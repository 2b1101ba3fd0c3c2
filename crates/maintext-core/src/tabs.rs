//! Settles the choice for tabs: the label of a panel goes with it, and so do the sentences before its first kept block.
use crate::blocks::Blocks;
use crate::dom::Dom;
use crate::markup::Role;

/// Most ancestors of a text among which its label is looked for.
const REACH: usize = 6;
/// Fewest words of a sentence.
const WORDS: u32 = 3;
/// Most blocks before the first kept one.
const BEFORE: usize = 3;

pub(crate) fn settle(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    if blocks.markup.tabs().is_empty() {
        return;
    }
    for e in &blocks.elements {
        let Role::Panel(label) = blocks.markup.role(e.node) else { continue };
        let first = e.blocks.start as usize;
        let leaf = blocks.blocks.get(first).and_then(|b| blocks.leaves.get(b.leaves.start as usize));
        let is_label = leaf.is_some_and(|&l| dom.ancestors(l).take(REACH).any(|a| a == label));
        if e.blocks.is_empty() || !is_label {
            continue;
        }
        let Some(next) = (first + 1..e.blocks.end as usize).find(|&b| kept[b]) else {
            kept[first] = false;
            continue;
        };
        kept[first] = true;
        if next - first <= BEFORE + 1 {
            (first + 1..next).filter(|&b| blocks.blocks[b].words >= WORDS).for_each(|b| kept[b] = true);
        }
    }
}
