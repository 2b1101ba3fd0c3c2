//! Renders any page with any selection of blocks and any options: no panic, every format ends, XML is well-formed, and rendering the
//! resulting HTML again gives the same HTML.
use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::render::{self, Content, RenderOptions};
use maintext_core::{Budget, Metadata};

/// Tries one input.
pub fn run(data: &[u8]) {
    let [switches, choice, rest @ ..] = data else { return };
    let html = String::from_utf8_lossy(rest);
    // A budget that runs out in the middle of a walk must not leave the output unbalanced.
    let work = if switches & 8 != 0 { u64::from(*choice) * 40 } else { u64::MAX };
    let dom = dom::parse(&html, &Budget::default().with_work(work));
    let blocks = Blocks::new(&dom);
    let mut keep = vec![false; dom.len()];
    for (i, block) in blocks.blocks.iter().enumerate() {
        if *choice == 0 || choice.rotate_left(i as u32 % 8) & 1 != 0 {
            for n in &blocks.leaves[block.leaves.start as usize..block.leaves.end as usize] {
                keep[n.index()] = true;
            }
        }
    }
    blocks.media.iter().for_each(|m| keep[m.node.index()] = true);
    let options = RenderOptions {
        tables: switches & 1 == 0,
        images: switches & 2 == 0,
        links: switches & 4 == 0,
        ..RenderOptions::default()
    };
    let content =
        Content { dom: &dom, blocks: &blocks, keep: &keep, base: None, posts: &[], roles: &[], title: None, options };
    let _ = (
        render::Tree::new(&content).text(),
        render::Tree::new(&content).markdown(),
        render::Tree::new(&content).html(),
    );
    let xml = render::Tree::new(&content).xml(&Metadata::default());
    roxmltree::Document::parse(&xml).expect("well-formed XML");
}
