//! Candidates from the bylines of Chinese, Japanese and Korean texts.
use super::author::{Builder, EAST_ASIAN, place};
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::Source;
use crate::metadata::sources::facts::markup;
use crate::metadata::text::cjk::{Kind, bylines};
use crate::metadata::text::key;
use maintext_page::blocks::is_cjk;

/// Number of blocks at the beginning and the end of the content that count as such.
const EDGE_BLOCKS: u32 = 3;

impl Builder<'_, '_> {
    /// Adds the persons named near the heading and at both ends of the content.
    pub(super) fn east_asian(&mut self) {
        let page = self.page;
        let blocks = page.blocks;
        let near: Vec<u32> = (0..blocks.blocks.len() as u32)
            .filter(|&i| !blocks.blocks[i as usize].hidden && self.near(i) && has_cjk(blocks.text(i as usize)))
            .collect();
        if near.is_empty() {
            return;
        }
        let japanese = is_japanese(page, &near);
        let (first, last) = page.content;
        for &i in &near {
            let b = &blocks.blocks[i as usize];
            for found in bylines(blocks.text(i as usize), japanese) {
                let kind = found.kind.name();
                if found.kind == Kind::Editor {
                    self.editors.extend(found.names.iter().map(|n| key(n)));
                    continue;
                }
                // Only the last lines of an article are signed without a label.
                let end = i + EDGE_BLOCKS > last;
                if found.kind == Kind::Signature && !end && i > first + EDGE_BLOCKS {
                    continue;
                }
                let node = blocks.elements[b.element as usize].node;
                let Some(f) = self.add(found.names, 6, Source::Text, EAST_ASIAN, Some(node)) else { continue };
                let side = if i < first {
                    "above"
                } else if i < first + EDGE_BLOCKS {
                    "top"
                } else if i <= last && !end {
                    "middle"
                } else {
                    "end"
                };
                f.set(&["east:", kind], 1.0);
                f.set(&["east:", kind, ".", side], 1.0);
                f.set(&["east.at:", side], 1.0);
                f.flag("east.short", b.chars <= 40);
                f.flag("east.long", b.chars > 160);
                place(page, node, f);
                markup(page, node, true, f);
            }
        }
    }
}

/// Returns whether a text has Chinese, Japanese or Korean characters near its ends; most texts fail on their bytes alone.
fn has_cjk(text: &str) -> bool {
    // In UTF-8, these characters begin with a byte above E2.
    let bytes = text.as_bytes();
    has_high_byte(&bytes[..bytes.len().min(120)]) || has_high_byte(&bytes[bytes.len().saturating_sub(240)..])
}

fn has_high_byte(part: &[u8]) -> bool {
    part.iter().any(|b| (0xe3..=0xed).contains(b))
}

fn is_japanese(page: &Layout<'_>, near: &[u32]) -> bool {
    if page.declared.get(..2).is_some_and(|l| l.eq_ignore_ascii_case("ja")) {
        return true;
    }
    let texts = near.iter().take(20).flat_map(|&i| page.blocks.text(i as usize).chars().take(200));
    let (mut kana, mut all) = (0, 0);
    for c in texts.filter(|c| is_cjk(*c)) {
        kana += matches!(c, '\u{3041}'..='\u{30fa}') as usize;
        all += 1;
    }
    kana * 5 > all
}
