//! Measures the posts of threads:
//! `cargo run --release --manifest-path lab/Cargo.toml --example posts -- SET.jsonl.zst [--pages] [--show ID] [--method NAME] [--scores FILE
//! [--folds DIR]]`.
//!
//! With `--scores`, the content comes from cross-validation, by the file that `learned --scores` writes. `--show` prints the posts of one
//! page next to the true ones.
use maintext_core::{Comment, Extractor, Options};
use maintext_lab::held_out::HeldOut;
use maintext_lab::posts::{Counts, Truth, compare, truth};
use maintext_lab::score::{Tokens, prf};
use maintext_lab::{Error, data};
use std::path::Path;

const USAGE: &str = "usage: posts SET.jsonl.zst [--pages] [--show ID] [--method NAME] [--scores FILE [--folds DIR]]";

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::other(USAGE))?;
    let each = std::env::args().any(|a| a == "--pages");
    let value = |name: &str| std::env::args().skip_while(|a| a != name).nth(1);
    let show = value("--show");
    let mut options = Options::default();
    options.method = value("--method").unwrap_or(options.method);
    let mut scores = value("--scores").map(|file| HeldOut::read(Path::new(&file))).transpose()?;
    if let (Some(dir), Some(own)) = (value("--folds"), scores.take()) {
        scores = Some(own.with_record_models(Path::new(&dir))?);
    }
    let set = Path::new(&path).file_name().and_then(|n| n.to_str()).unwrap_or("");
    let set = set.split('.').next().unwrap_or("");
    options.render.post_headers = !std::env::args().any(|a| a == "--no-post-headers");
    let (mut sum, mut texts) = (Counts::default(), Vec::new());
    for page in data::Reader::open(&path)? {
        let page = page?;
        if show.as_ref().is_some_and(|id| *id != page.id) {
            continue;
        }
        let there = truth(&page);
        if there.is_empty() && page.page_type.as_deref().is_some_and(|t| t != "forum") {
            continue;
        }
        let url = page.url.as_deref().filter(|u| u.starts_with("http"));
        let mut extractor = match &scores {
            Some(scores) => scores.extractor(options.clone(), set, &page)?,
            None => Extractor::new(options.clone()).map_err(|e| Error::other(e.to_string()))?,
        };
        let Ok(result) = extractor.extract_at(&page.html, url, None) else { continue };
        let c = compare(&page, &result.posts, &there);
        if each {
            let [a, t, x] = c.f1();
            let all = prf(result.text(), page.text.as_deref().unwrap_or(""), Tokens::Cjk).f1;
            println!(
                "{all:.3} {:60} there {:3} found {:3} author {a:.2} time {t:.2} text {x:.2}",
                page.id, c.there, c.found
            );
        }
        if show.is_some() {
            print(&there, &result.posts);
            println!("{} comments", result.comments.len());
        }
        sum.add(c);
        texts.push(prf(result.text(), page.text.as_deref().unwrap_or(""), Tokens::Cjk).f1);
    }
    println!("{} pages, word F1 of the text {:.4}", texts.len(), texts.iter().sum::<f64>() / texts.len().max(1) as f64);
    let [author, time, text] = sum.f1();
    println!("{} posts, {} found: F1 of author {author:.3}, time {time:.3}, text {text:.3}", sum.there, sum.found);
    Ok(())
}

fn print(there: &[Truth], found: &[Comment]) {
    let start = |s: Option<&str>| s.unwrap_or("-").chars().take(300).collect::<String>().replace('\n', " / ");
    for i in 0..there.len().max(found.len()) {
        if let Some(t) = there.get(i) {
            println!(
                "T {i} [{}] [{}] {}",
                start(t.user.as_deref()),
                start(t.datetime.as_deref()),
                start(t.text.as_deref())
            );
        }
        if let Some(f) = found.get(i) {
            let when = start(f.date_text.as_deref());
            let (author, date) = (start(f.author.as_deref()), start(f.date.as_deref()));
            println!("F {i} [{author}] [{date} {when}] {}", start(Some(&f.text)));
        }
    }
}
