//! Decides about tabs: code in one panel is kept with code in the others, and a kept panel with its label and the sentences before its
//! first kept block.
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::Dom;
use maintext_page::markup::Role;

/// Maximum number of ancestors of a text among which its label is looked for.
const LABEL_ANCESTORS: usize = 6;
/// Minimum number of words of a sentence.
const WORDS: u32 = 3;
/// Maximum number of blocks before the first kept one.
const BEFORE: usize = 3;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    if blocks.markup.tabs().is_empty() {
        return;
    }
    keep_alternatives(blocks, kept);
    for e in &blocks.elements {
        let Role::Panel(label) = blocks.markup.role(e.node) else { continue };
        let first = e.blocks.start as usize;
        let leaf = blocks.blocks.get(first).and_then(|b| blocks.leaves.get(b.leaves.start as usize));
        let is_label = leaf.is_some_and(|&l| dom.ancestors(l).take(LABEL_ANCESTORS).any(|a| a == label));
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

/// Keeps the code of all panels of a set if the code of one is kept: the panels hold the same in several languages.
fn keep_alternatives(blocks: &Blocks, kept: &mut [bool]) {
    let panels: Vec<&Element> =
        blocks.elements.iter().filter(|e| matches!(blocks.markup.role(e.node), Role::Panel(_))).collect();
    for set in panels.chunk_by(|a, b| a.parent == b.parent) {
        if set.iter().any(|e| code_blocks(blocks, e).any(|b| kept[b])) {
            set.iter().flat_map(|e| code_blocks(blocks, e)).for_each(|b| kept[b] = true);
        }
    }
}

fn code_blocks(blocks: &Blocks, e: &Element) -> impl Iterator<Item = usize> {
    (e.blocks.start as usize..e.blocks.end as usize)
        .filter(|&b| blocks.blocks[b].code_chars * 2 > blocks.blocks[b].chars)
}

#[cfg(test)]
mod tests {
    use super::apply;
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    #[test]
    fn the_code_of_all_alternatives_is_kept_or_none() {
        let tab = |i: u32| format!("<li><a href='#t{i}' data-toggle=tab>Shell {i}</a></li>");
        let panel = |i: u32| format!("<div class=tab-pane id=t{i}><pre><code>run --shell {i}</code></pre></div>");
        let (tabs, panels) = ((0..3).map(tab).collect::<String>(), (0..3).map(panel).collect::<String>());
        let html = format!(
            "<p>Before.</p><ul class='nav nav-tabs'>{tabs}</ul><div class=tab-content>{panels}</div><p>After.</p>"
        );
        let dom = dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kept = |code: &str| {
            let mut kept: Vec<bool> = (0..blocks.len()).map(|b| blocks.text(b) == code).collect();
            apply(&dom, &blocks, &mut kept);
            (0..blocks.len()).filter(|&b| kept[b]).map(|b| blocks.text(b).to_owned()).collect::<Vec<_>>()
        };
        let all = ["Shell 0", "run --shell 0", "Shell 1", "run --shell 1", "Shell 2", "run --shell 2"];
        assert_eq!(kept("run --shell 1"), all);
        assert_eq!(kept("After."), ["After."]);
    }
}
