use maintext_core::dom::{self, NodeId, Tag};
use std::io::{BufRead, BufReader};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let f = zstd::Decoder::new(std::fs::File::open(&path).unwrap()).unwrap();
    let mut ex = maintext_core::Extractor::new(maintext_core::Options {
        metadata: false,
        comments: false,
        ..Default::default()
    })
    .unwrap();
    for line in BufReader::new(f).lines() {
        let v: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(html) = v["html"].as_str() else { continue };
        let url = v["url"].as_str().filter(|u| u.starts_with("http"));
        let Ok(p) = ex.extract_at(html, url, None) else { continue };
        let src = maintext_core::source(html, None).unwrap();
        let dom = dom::parse(&src.text, &Default::default());
        let blocks = maintext_core::blocks::Blocks::new(&dom);
        let words: u32 = blocks.blocks.iter().map(|b| b.words).sum();
        let bytes: usize = dom
            .descendants(NodeId::ROOT)
            .filter(|&n| dom.tag(n) == Tag::SCRIPT)
            .map(|n| {
                if dom.attr(n, "src").is_some() { 10_000 } else { dom.first_child(n).map_or(0, |t| dom.text(t).len()) }
            })
            .sum();
        let old = words < 60 && bytes > 10_000 && !p.warnings.iter().any(|w| w.code.as_str() == "embedded_content");
        let new = p.warnings.iter().any(|w| w.code.as_str() == "needs_rendering");
        let js: Vec<&str> = (0..blocks.len())
            .map(|b| blocks.text(b))
            .filter(|t| {
                t.to_lowercase().contains("javascript") && t.split_whitespace().count() <= 40 && p.text().contains(t)
            })
            .collect();
        println!(
            "{}",
            serde_json::json!({"id": v["id"], "url": url, "old": old, "new": new, "words": words, "kept": p.text().split_whitespace().count(), "next": p.parts.next.as_ref().map(|l| (l.url.clone(), l.probability)), "pages": p.parts.pages.len(), "whole": p.single_page, "elsewhere": p.elsewhere, "js": js, "text": p.text().chars().take(200).collect::<String>()})
        );
    }
}
