//! Fits the weights of the similarities of a site's pages, prints them, and measures them: `sites DATA_DIR SCORES`. Called by `cargo xtask
//! train sites`.
//!
//! SCORES are the out-of-fold scores of the content model from `cargo xtask train --scores FILE`. The figures of `train/` are
//! cross-validated by site; the figures of `eval/` come from sites that no model has seen.
use maintext_core::model::site::EVIDENCE;
use maintext_lab::Error;
use maintext_lab::held_out::HeldOut;
use maintext_lab::sites::{Figures, measure, read, sets, train};
use std::collections::BTreeMap;
use std::path::Path;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, scores] =
        <&[String; 2]>::try_from(args.as_slice()).map_err(|_| Error::other("usage: sites DATA_DIR SCORES"))?;
    let data = Path::new(data);
    let sites = read(&sets(data, "train")?, &HeldOut::read(Path::new(scores))?)?;
    eprintln!("{} sites", sites.len());
    let trained = train(&sites, 1);
    for (name, weight) in EVIDENCE.iter().zip(trained.weights.0) {
        println!("{name} {weight:.3}");
    }
    println!(
        "| set | pages | F1 of the page alone | with its site | better | worse |\n| --- | --: | --: | --: | --: | --: |"
    );
    print(&measure(&sites, |site| trained.unseen(site))?);
    print(&measure(&read(&sets(data, "eval")?, &HeldOut::default())?, |_| trained.weights)?);
    Ok(())
}

fn print(figures: &BTreeMap<String, Figures>) {
    for (set, f) in figures {
        let n = f.pages as f64;
        println!("| {set} | {} | {:.4} | {:.4} | {} | {} |", f.pages, f.alone / n, f.with_site / n, f.better, f.worse);
    }
}
