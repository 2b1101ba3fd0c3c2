//! Writes the tables and the plot of docs/methods.md: `methods_table OUT_DIR TRAIN_SET... -- SET...`. Measures threshold methods unchanged,
//! classifiers trained on the training sets (each page is judged by the model that has not seen its site), and the shipped learned model on
//! sets that it has not seen.
mod reliability;

use maintext_lab::Error;
use maintext_lab::eval::{self, Candidate, Row};
use maintext_lab::lines::{Options, Rows, Trainable, cross_validate, held_out};
use std::path::Path;

const FOLDS: usize = 5;
const ALPHAS: [f32; 5] = [0.01, 0.02, 0.05, 0.10, 0.20];

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = args[1..].split(|a| a == "--");
    let (train, sets) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
    let mut candidates =
        maintext_core::classic::NAMES.iter().map(|n| Candidate::named(n)).collect::<Result<Vec<_>, _>>()?;
    for (method, hidden) in [(Trainable::LineDensity, vec![]), (Trainable::MarkupRatio, vec![7])] {
        let mut rows = Rows::default();
        for set in train {
            rows.add_set(method, Path::new(set), &|_| {})?;
        }
        let options = Options { hidden: Some(hidden), ..Options::default() };
        let models = cross_validate(method, &rows, FOLDS, &options, &())?;
        let name = format!("{} --classifier {}", method.name(), method.classifier());
        candidates.push(held_out(&name, method, &models, None)?.at_levels(&ALPHAS));
    }
    let mut rows: Vec<Row> = Vec::new();
    // The shipped model was trained on the sets in train/, so it is only measured on the others.
    let learned = [Candidate::named("learned")?.at_levels(&ALPHAS)];
    for set in sets.iter().map(Path::new) {
        rows.extend(eval::evaluate(set, &candidates, &())?);
        if set.parent().is_some_and(|p| p.ends_with("eval")) {
            rows.extend(eval::evaluate(set, &learned, &())?);
        }
    }
    print!("{}\n{}", eval::markdown(&rows, false), eval::table(&rows, true));
    let mut curves = Vec::new();
    for r in rows.iter().filter(|r| r.page_type.is_none() && !r.levels.is_empty()) {
        let points = reliability::points(&ALPHAS, r);
        for p in &points {
            let (alpha, share, recall) = (p.alpha, p.boilerplate, p.recall);
            println!("{} on {}: promised {alpha:.2}, boilerplate {share:.4}, recall {recall:.4}", r.method, r.set);
        }
        // The perceptron keeps almost nothing at low levels, so it is in the table but not in the plot.
        if !r.method.ends_with("perceptron") {
            curves.push((format!("{} on {}", r.method.rsplit(' ').next().unwrap_or(&r.method), r.set), points));
        }
    }
    let plot = reliability::svg("Control of the false discovery rate on sites not trained on", &curves)?;
    let path = Path::new(&args[0]).join("fdr-reliability.svg");
    std::fs::write(&path, plot).map_err(|e| Error::file(&path, e))
}
