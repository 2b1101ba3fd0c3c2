//! Plots as pixels: resvg with an embedded font.
use super::scene::SIZE;
use crate::error::Error;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Group, Node, Options, Tree};
use std::sync::Arc;

/// Noto Sans, a part with Latin, Greek and Cyrillic letters; its licence is beside it.
const FONT: &[u8] = include_bytes!("font/NotoSans-subset.ttf");
const FAMILY: &str = "Noto Sans";
/// Pixels per unit, for displays with high density.
const SCALE: f32 = 2.0;

/// A plot as PNG.
pub(super) struct Drawn {
    pub png: Vec<u8>,
    /// Whether each letter was in a font.
    pub is_complete: bool,
}

/// Draws SVG as PNG. Reads the fonts of the system only if the embedded one lacks a letter.
pub(super) fn png(svg: &str) -> Result<Drawn, Error> {
    let mut tree = parsed(svg, false)?;
    let mut is_complete = has_all_letters(&tree, svg);
    if !is_complete {
        tree = parsed(svg, true)?;
        is_complete = has_all_letters(&tree, svg);
    }
    let failed = || Error::other("the plot could not be drawn");
    let mut pixels = Pixmap::new((SIZE.0 * SCALE) as u32, (SIZE.1 * SCALE) as u32).ok_or_else(failed)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(|e| Error::other(format!("PNG: {e}")))?;
    Ok(Drawn { png, is_complete })
}

fn parsed(svg: &str, system: bool) -> Result<Tree, Error> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    if system {
        fonts.load_system_fonts();
    }
    let options = Options { fontdb: Arc::new(fonts), font_family: FAMILY.into(), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|e| Error::other(format!("the plot could not be drawn: {e}")))
}

/// Whether each letter was found in a font. A text of which no letter was found is not in the tree.
fn has_all_letters(tree: &Tree, svg: &str) -> bool {
    let mut groups: Vec<&Group> = vec![tree.root()];
    let mut texts = 0;
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                Node::Group(inner) => groups.push(inner),
                Node::Text(text) => {
                    let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
                    if glyphs.any(|glyph| glyph.id.0 == 0) {
                        return false;
                    }
                    texts += 1;
                }
                _ => {}
            }
        }
    }
    texts == svg.matches("<text ").count()
}
