//! Titles of callouts, and the names of their kinds that pages repeat in their texts.
use super::tree::{BlockKind, KeptTree};
use maintext_page::dom::{NodeId, Tag};
use maintext_page::markup::callout::Callout;

/// Returns the leaf that is the title of a callout: marked as one by the page, or nothing but the name of the kind.
pub(super) fn title(tree: &KeptTree<'_>, callout: usize) -> Option<usize> {
    /// Maximum number of elements between the title and the callout.
    const MAX_LEVELS_TO_CALLOUT: usize = 4;
    let first = callout + 1;
    let BlockKind::Callout(kind) = tree.blocks[callout].kind else { return None };
    let is_leaf =
        matches!(tree.blocks.get(first)?.kind, BlockKind::Paragraph | BlockKind::Heading(_)) && tree.has_text(first);
    if !is_leaf || tree.blocks[callout].end as usize == first + 1 {
        return None;
    }
    let (dom, owner) = (tree.content.dom, tree.blocks[callout].node);
    let node = tree.blocks[first].node;
    let chain =
        std::iter::once(node).chain(dom.ancestors(node)).take(MAX_LEVELS_TO_CALLOUT).take_while(|&n| n != owner);
    (chain.into_iter().any(|n| names_title(dom, n)) || repeats(tree, first, kind)).then_some(first)
}

fn names_title(dom: &maintext_page::dom::Dom, n: NodeId) -> bool {
    let class = dom.class(n).to_ascii_lowercase();
    dom.tag(n) == Tag::SUMMARY
        || dom.tag(n).heading_level().is_some()
        || ["title", "heading", "header", "label"].iter().any(|part| class.contains(part))
}

/// Whether a title is nothing but the name of the kind, which the format writes anyway.
pub(super) fn repeats(tree: &KeptTree<'_>, title: usize, kind: Callout) -> bool {
    let text = tree.text_of(title);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    text.eq_ignore_ascii_case(kind.name())
}

/// Returns the Markdown of a callout's first paragraph without the name of its kind in bold at the beginning: the sign of the callout shows
/// it.
pub(super) fn without_name(markdown: &str, kind: Callout) -> &str {
    let rest = || {
        let bold = markdown.strip_prefix("**")?;
        let (name, rest) = (bold.get(..kind.alert().len())?, bold.get(kind.alert().len()..)?);
        let rest = rest.strip_prefix(":**").or_else(|| rest.strip_prefix("**:"))?.trim_start_matches(' ');
        // Other signs could begin a list or a heading.
        let plain = rest.starts_with(char::is_alphabetic) || rest.starts_with('`') && !rest.starts_with("``");
        (name.eq_ignore_ascii_case(kind.alert()) && plain).then_some(rest)
    };
    rest().unwrap_or(markdown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_bold_is_said_once() {
        let note = Callout::named("info").unwrap();
        for (text, want) in [
            ("**Note:** The sea is cold.", "The sea is cold."),
            ("**note**: `sea` is cold.", "`sea` is cold."),
            ("**Note** that the sea is cold.", "**Note** that the sea is cold."),
            ("**Notes:** one", "**Notes:** one"),
            ("**Note:** 1. one", "**Note:** 1. one"),
            ("**Note:** - one", "**Note:** - one"),
            ("**Note:**", "**Note:**"),
            ("**Tip:** one", "**Tip:** one"),
            ("**Noé:** ", "**Noé:** "),
        ] {
            assert_eq!(without_name(text, note), want);
        }
    }
}
