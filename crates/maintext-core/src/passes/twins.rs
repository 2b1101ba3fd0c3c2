//! Drops the copies of texts that only small screens show, of those that pages write once for phones and once for desks.
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::Dom;
use maintext_page::visibility::names::{Screens, screens};
use maintext_reading::features::tokens::NameSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Words of the names of which one belongs to each element for some screens only.
static NAMES: LazyLock<NameSet> = LazyLock::new(|| {
    NameSet::new(&["mobile", "phone", "handheld", "xs", "sm", "small", "desktop", "md", "lg", "xl", "large", "medium"])
});
/// Maximum number of blocks of a copy, and between two copies.
const COPY_DISTANCE: usize = 40;
/// Minimum number of words of a copy.
const WORDS: u32 = 2;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let named = blocks.names(dom).named(|list| list.iter().any(|t| NAMES.has(*t)));
    if !named.any() {
        return;
    }
    let mut is_small = vec![false; kept.len()];
    let mut found: Vec<Range<usize>> = Vec::new();
    for (_, e) in blocks.elements.iter().enumerate().filter(|(i, e)| !e.blocks.is_empty() && named.has(*i)) {
        let own = e.blocks.start as usize..e.blocks.end as usize;
        let class = dom.attribute(e.node, Attr::CLASS).unwrap_or("");
        if !is_small[own.start] && kept[own.clone()].contains(&true) && screens(class) == Some(Screens::Small) {
            is_small[own.clone()].fill(true);
            found.push(own);
        }
    }
    for own in found {
        // Some tables and lists for phones hold more than those for desks.
        let is_copied = |b: usize| {
            let near = own.start.saturating_sub(COPY_DISTANCE)..(own.end + COPY_DISTANCE).min(kept.len());
            near.into_iter().any(|o| kept[o] && !is_small[o] && blocks.text(o) == blocks.text(b))
        };
        let all = own.clone().filter(|&b| kept[b]);
        let words: u32 = all.clone().map(|b| blocks.blocks[b].words).sum();
        if words >= WORDS && own.len() <= COPY_DISTANCE && all.into_iter().all(is_copied) {
            kept[own].fill(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn a_text_for_phones_and_desks_appears_once() {
        for (small, large) in [
            ("d-md-none", "d-none d-md-block"),
            ("visible-xs", "hidden-xs"),
            ("mobile-only", "desktop-only"),
            ("lg:hidden", "hidden lg:block"),
            ("show-for-small-only", "hide-for-small-only"),
        ] {
            let copy = |class: &str, text: &str| format!("<div class='{class}'><p>{text}</p></div>");
            let kept = |html: String| crate::passes::choice_after(&html, "++", apply);
            assert_eq!(kept(copy(small, "The mill") + &copy(large, "The mill")), "-+");
            assert_eq!(kept(copy(large, "The mill") + &copy(small, "The mill")), "+-");
            assert_eq!(kept(copy(small, "The mill") + &copy(large, "The weir")), "++");
            assert_eq!(kept(copy(large, "The mill") + &copy(large, "The mill")), "++");
        }
    }
}
