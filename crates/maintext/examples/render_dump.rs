//! scratch
use maintext::blocks::Blocks;
use maintext::dom;
use maintext::render::{self, Content, RenderOptions};
fn main() {
    let html = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    let keep = vec![true; dom.len()];
    let base = url::Url::parse("https://e.org/a/").unwrap();
    let c = Content { dom: &dom, blocks: &blocks, keep: &keep, base: Some(&base), options: RenderOptions::default() };
    let f = std::env::args().nth(2).unwrap();
    println!(
        "{}",
        match f.as_str() {
            "text" => render::text(&c),
            "md" => render::markdown(&c),
            "html" => render::html(&c),
            _ => render::xml(&c, &Default::default()),
        }
    );
}
