//! Compares the word F1 with and without separating readers' comments, set by set:
//! `cargo run --release --manifest-path lab/Cargo.toml --example comments -- DATA_DIR SCORES [--model FILE] [--folds DIR] [--pages]`.
//!
//! SCORES are the out-of-fold scores from `cargo xtask train --scores FILE`; pages without scores are judged by the shipped model or by
//! FILE. `--folds` loads the models of record groups from `records`, one per fold. `--pages` lists the pages whose F1 differs.
use maintext_core::model::{Learned, Model};
use maintext_core::{Extractor, Options};
use maintext_lab::data::{self, Page};
use maintext_lab::held_out::HeldOut;
use maintext_lab::score::{self, Tokens};
use maintext_lab::{Error, page_sets};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

fn main() -> Result<(), Error> {
    let usage = || Error::other("usage: comments DATA_DIR SCORES [--model FILE] [--folds DIR] [--pages]");
    let (mut free, mut model, mut folds, mut each) = (Vec::new(), None, None, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--model" => model = Some(PathBuf::from(args.next().ok_or_else(usage)?)),
            "--folds" => folds = Some(PathBuf::from(args.next().ok_or_else(usage)?)),
            "--pages" => each = true,
            _ => free.push(PathBuf::from(arg)),
        }
    }
    let [data, scores] = <[PathBuf; 2]>::try_from(free).map_err(|_| usage())?;
    let mut scores = HeldOut::read(&scores)?;
    if let Some(dir) = folds {
        scores = scores.with_record_models(&dir)?;
    }
    let model = match model {
        Some(path) => {
            let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
            Some(Arc::new(Learned::new(Model::from_bytes(&bytes).map_err(|e| Error::other(e.to_string()))?)))
        }
        None => None,
    };
    println!("{:28} {:>6} {:>8} {:>8} {:>8}", "set", "pages", "apart", "not", "apart by");
    for path in page_sets(&data)? {
        let name = data::set_name(&path);
        let pages = data::read(&path)?;
        let judged: Vec<Option<[f64; 2]>> = pages
            .par_iter()
            .map(|page| {
                let extractor = |options| -> Result<Extractor, Error> {
                    match (&model, scores.get(&name, &page.id)) {
                        (Some(model), None) => Ok(Extractor::with_method(options, Box::new(model.clone()))),
                        _ => scores.extractor(options, &name, page),
                    }
                };
                let Some(gold) = page.text.as_deref().filter(|t| !t.trim().is_empty()) else { return Ok(None) };
                let f1 = |comments| -> Result<f64, Error> { Ok(f1(page, gold, extractor(options(comments))?)) };
                Ok(Some([f1(true)?, f1(false)?]))
            })
            .collect::<Result<_, Error>>()?;
        let mut rows: BTreeMap<String, (usize, [f64; 2])> = BTreeMap::new();
        for (page, [a, b]) in pages.iter().zip(&judged).filter_map(|(p, f)| Some((p, (*f)?))) {
            let kind = if name == "wcxb-dev" { page.page_type.as_ref() } else { None };
            for row in std::iter::once(name.clone()).chain(kind.map(|k| format!("{name}: {k}"))) {
                let sum = rows.entry(row).or_default();
                *sum = (sum.0 + 1, [sum.1[0] + a, sum.1[1] + b]);
            }
            if each && (a - b).abs() > 0.001 {
                println!("    {name} {} {a:.3} {b:.3}", page.id);
            }
        }
        for (row, (n, [a, b])) in rows {
            let (a, b) = (a / n as f64, b / n as f64);
            println!("{row:28} {n:>6} {a:>8.4} {b:>8.4} {:>+8.4}", a - b);
        }
    }
    Ok(())
}

fn options(comments: bool) -> Options {
    let mut options = Options { comments, ..Options::default() };
    // Ground truths hold the texts of posts; few hold their headers.
    options.render.post_headers = false;
    options
}

fn f1(page: &Page, gold: &str, mut extractor: Extractor) -> f64 {
    let url = page.url.as_deref().filter(|u| u.starts_with("http"));
    let extracted = extractor.extract_at(page.html.as_slice(), url, None);
    let text = extracted.map(|p| p.text().to_owned()).unwrap_or_default();
    let cjk = matches!(page.lang.as_deref(), Some("zh" | "ja"));
    score::prf(&text, gold, if cjk { Tokens::Cjk } else { Tokens::Words }).f1
}
