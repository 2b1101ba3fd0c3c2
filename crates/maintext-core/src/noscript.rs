//! Settles the choice for text in `<noscript>`: requests to switch scripts on, and copies of the text beside them, are dropped.
use crate::blocks::Blocks;

/// Most words of a request.
const WORDS: u32 = 40;
/// Most blocks between a text and its copy.
const REACH: usize = 4;

pub(crate) fn settle(blocks: &Blocks, kept: &mut [bool]) {
    for b in 0..kept.len() {
        if !blocks.blocks[b].noscript || !kept[b] {
            continue;
        }
        let text = blocks.text(b);
        let near = b.saturating_sub(REACH)..(b + REACH + 1).min(kept.len());
        let copies = near.into_iter().any(|o| kept[o] && !blocks.blocks[o].noscript && blocks.text(o) == text);
        kept[b] = !(copies || blocks.blocks[b].words <= WORDS && asks_for_scripts(text));
    }
}

/// Whether a text only makes sense to readers whose browser runs no scripts.
fn asks_for_scripts(text: &str) -> bool {
    const ACTS: [&str; 9] =
        ["enable", "turn on", "requires", "switch on", "disabled", "activ", "aktiv", "habilit", "need"];
    let text = text.to_lowercase();
    (text.contains("javascript") || text.contains("java script")) && ACTS.iter().any(|act| text.contains(act))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(html: &str) -> Vec<bool> {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut kept = vec![true; blocks.len()];
        settle(&blocks, &mut kept);
        kept
    }

    #[test]
    fn requests_and_copies_are_dropped() {
        assert_eq!(kept("<p>a</p><noscript><p>Please enable JavaScript.</p></noscript>"), [true, false]);
        assert_eq!(kept("<p>The same words.</p><noscript><p>The same words.</p></noscript>"), [true, false]);
        assert_eq!(kept("<div><noscript><p>The same words.</p></noscript><p>The same words.</p>"), [false, true]);
        assert_eq!(kept("<p>a</p><noscript><p>Only here.</p></noscript>"), [true, true]);
        assert_eq!(kept("<p>JavaScript must be enabled.</p>"), [true]);
        assert_eq!(kept("<div><noscript><p>JavaScript is older than this page.</p></noscript>"), [true]);
    }
}
