//! Prints the milliseconds of each stage: `cargo run --release -p maintext-core --example stages -- FILE...`.
use maintext_core::blocks::Blocks;
use maintext_core::decode::decode;
use maintext_core::dom;
use maintext_core::model::Learned;
use std::time::Instant;

const ROUNDS: u32 = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let learned = Learned::shipped()?;
    println!("{:32} {:>7} {:>7} {:>8} {:>8} {:>8}", "page", "KB", "blocks", "parse", "blocks", "model");
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let source = decode(&bytes, None).text;
        let time = |f: &mut dyn FnMut()| {
            let start = Instant::now();
            (0..ROUNDS).for_each(|_| f());
            start.elapsed().as_secs_f64() * 1000.0 / f64::from(ROUNDS)
        };
        let dom = dom::parse(&source, &Default::default());
        let blocks = Blocks::new(&dom);
        let parse = time(&mut || drop(dom::parse(&source, &Default::default())));
        let cut = time(&mut || drop(Blocks::new(&dom)));
        let model = time(&mut || drop(learned.decide(&dom, &blocks)));
        let name = path.rsplit('/').next().unwrap_or(&path);
        println!("{name:32} {:7} {:7} {parse:8.3} {cut:8.3} {model:8.3}", bytes.len() / 1000, blocks.len());
    }
    Ok(())
}
