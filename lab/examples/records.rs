//! Trains the classifier of record groups: `records DATA_DIR MODEL SCORES [FOLDS_DIR]`. Called by `cargo xtask train records`.
//!
//! SCORES are the out-of-fold scores of the content model from `cargo xtask train --scores FILE`. FOLDS_DIR receives one model per fold,
//! for measurements.
use maintext_lab::Error;
use maintext_lab::held_out::HeldOut;
use maintext_lab::records::{report, samples, settings, train, write_folds};
use std::path::Path;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, model, scores, folds @ ..] = args.as_slice() else {
        return Err(Error::other("usage: records DATA_DIR MODEL SCORES [FOLDS_DIR]"));
    };
    let samples = samples(Path::new(data), &HeldOut::read(Path::new(scores))?)?;
    println!("{} labelled groups", samples.len());
    let trained = train(&samples, &settings(1));
    print!("{}", report(&samples, &trained.decisions));
    if let [dir] = folds {
        write_folds(Path::new(dir), &trained.folds)?;
    }
    maintext_lab::write(Path::new(model), &trained.pack.to_bytes())
}
