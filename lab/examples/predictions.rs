//! Writes the output of the whole extractor with held-out scores: `predictions DATA_DIR SCORES FOLDS_DIR OUT_DIR`. Called by
//! `cargo xtask train predictions`.
//!
//! Each line holds the text and the Markdown of a page. SCORES come from `learned --scores`, FOLDS_DIR from `records`. Writes OUT_DIR/SET/maintext.jsonl for each training set that
//! `cargo xtask eval` measures. Pages of sets that the content model was not trained on are judged by the shipped model. Post headers are
//! off, because the ground truths contain the texts of posts only.
use maintext_core::{Formats, Options};
use maintext_lab::Error;
use maintext_lab::data::{self, Page};
use maintext_lab::held_out::HeldOut;
use maintext_lab::shipped::{SNIPPET_SETS, TEXT_SETS};
use rayon::prelude::*;
use std::path::Path;

/// Training sets that are not used for the content model.
const UNSEEN: [&str; 4] = ["naeb-newspaper4k", "defuddle-fixtures", "docling-html", "mineru-webkit-code-math"];

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, scores, folds, out] = <&[String; 4]>::try_from(args.as_slice())
        .map_err(|_| Error::other("usage: predictions DATA_DIR SCORES FOLDS_DIR OUT_DIR"))?;
    let scores = HeldOut::read(Path::new(scores))?.with_record_models(Path::new(folds))?;
    for set in TEXT_SETS.iter().chain(&SNIPPET_SETS).chain(&UNSEEN) {
        eprintln!("{set}");
        let pages = data::read(Path::new(data).join(format!("train/{set}.jsonl.zst")))?;
        let lines: Vec<String> = pages.par_iter().map(|p| answer(set, p, &scores)).collect::<Result<_, _>>()?;
        let dir = Path::new(out).join(set);
        std::fs::create_dir_all(&dir).map_err(|e| Error::file(&dir, e))?;
        maintext_lab::write(&dir.join("maintext.jsonl"), lines.concat().as_bytes())?;
    }
    Ok(())
}

/// Returns one line of output: the text and the Markdown of a page.
fn answer(set: &str, page: &Page, scores: &HeldOut) -> Result<String, Error> {
    let url = page.url.as_deref().filter(|u| u.starts_with("http"));
    let formats = Formats { markdown: true, ..Formats::default() };
    let mut options = Options { formats, ..Options::default() };
    options.render.post_headers = false;
    let mut extractor = scores.extractor(options, set, page)?;
    // A page that cannot be read counts as one without text.
    let (text, markdown) = match extractor.extract_at(page.html.as_slice(), url, None) {
        Ok(page) => (page.text().to_owned(), page.markdown.unwrap_or_default()),
        Err(_) => Default::default(),
    };
    Ok(format!("{}\n", serde_json::json!({"id": page.id, "text": text, "markdown": markdown})))
}
