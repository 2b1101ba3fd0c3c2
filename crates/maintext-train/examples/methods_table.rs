//! The tables and the plot of docs/methods.md: `methods_table OUT_DIR TRAIN_SET... -- SET...`. Threshold methods as they are;
//! classifiers trained on the training sets, each page judged by the model that has not seen its site.
use maintext_train::eval::{self, Candidate, Row};
use maintext_train::lines::{Options, Rows, Trainable, cross_validate, held_out};
use maintext_train::{Error, reliability};
use std::path::Path;

const FOLDS: usize = 5;
const ALPHAS: [f32; 5] = [0.01, 0.02, 0.05, 0.10, 0.20];

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = args[1..].split(|a| a == "--");
    let (train, sets) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
    let mut candidates = maintext::classic::NAMES.iter().map(|n| Candidate::named(n)).collect::<Result<Vec<_>, _>>()?;
    let plain = candidates.len();
    for (method, hidden) in [(Trainable::LineDensity, vec![]), (Trainable::MarkupRatio, vec![7])] {
        let mut rows = Rows::default();
        for set in train {
            rows.add_set(method, Path::new(set), &|_| {})?;
        }
        let options = Options { hidden: Some(hidden), ..Options::default() };
        let models = cross_validate(method, &rows, FOLDS, &options, &())?;
        let name = format!("{} --classifier {}", method.name(), method.classifier());
        candidates.push(held_out(&name, method, &models, None)?);
        for alpha in ALPHAS {
            candidates.push(held_out(&format!("{name} --fdr {alpha:.2}"), method, &models, Some(alpha))?);
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for set in sets {
        rows.extend(eval::evaluate(Path::new(set), &candidates, &())?);
    }
    let table: Vec<Row> = rows.iter().filter(|r| !r.method.contains("--fdr")).cloned().collect();
    print!("{}\n{}", eval::markdown(&table, false), eval::table(&rows, true));
    let mut curves = Vec::new();
    for c in [plain, plain + 1 + ALPHAS.len()] {
        let name = &candidates[c].name;
        for set in sets {
            let set = maintext_train::data::set_name(Path::new(set));
            let row = |alpha: f32| {
                let method = format!("{name} --fdr {alpha:.2}");
                let row = rows.iter().find(|r| r.set == set && r.method == method && r.page_type.is_none())?;
                reliability::point(alpha as f64, row)
            };
            let points: Vec<_> = ALPHAS.iter().filter_map(|a| row(*a)).collect();
            for p in &points {
                println!(
                    "{name} on {set}: promised {:.2}, boilerplate {:.4}, recall {:.4}",
                    p.alpha, p.boilerplate, p.recall
                );
            }
            curves.push((format!("{} on {set}", name.rsplit(' ').next().unwrap_or(name)), points));
        }
    }
    let plot = reliability::svg("Control of the false discovery rate on sites not trained on", &curves)?;
    let path = Path::new(&args[0]).join("fdr-reliability.svg");
    std::fs::write(&path, plot).map_err(|e| Error::file(&path, e))
}
