//! Measures the posts of threads: `cargo run --release -p maintext-train --example posts -- SET.jsonl.zst [--pages] [--method NAME]`.
use maintext::{Extractor, Options};
use maintext_train::posts::{Counts, compare, truth};
use maintext_train::{Error, data};

fn main() -> Result<(), Error> {
    let path =
        std::env::args().nth(1).ok_or_else(|| Error::other("usage: posts SET.jsonl.zst [--pages] [--method NAME]"))?;
    let each = std::env::args().any(|a| a == "--pages");
    let method = std::env::args().skip_while(|a| a != "--method").nth(1);
    let mut options = Options::default();
    options.method = method.unwrap_or(options.method);
    let mut extractor = Extractor::new(options).map_err(|e| Error::other(e.to_string()))?;
    let mut sum = Counts::default();
    for page in data::Reader::open(&path)? {
        let page = page?;
        let there = truth(&page);
        let url = page.url.as_deref().filter(|u| u.starts_with("http"));
        let Ok(result) = extractor.extract_at(&page.html, url, None) else { continue };
        let c = compare(&page, &result.posts, &there);
        if each {
            let [a, t, x] = c.f1();
            println!("{:60} there {:3} found {:3} author {a:.2} time {t:.2} text {x:.2}", page.id, c.there, c.found);
        }
        sum.add(c);
    }
    let [author, time, text] = sum.f1();
    println!("{} posts, {} found: F1 of author {author:.3}, time {time:.3}, text {text:.3}", sum.there, sum.found);
    Ok(())
}
