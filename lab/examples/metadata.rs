//! Trains the rankers of title, author and date: `cargo xtask train metadata`.
//!
//! `metadata DATA_DIR MODEL [--only FIELD] [--predictions DIR] [--seed N]` cross-validates on DATA_DIR/train by site, prints the scores, and
//! writes the rankers trained on all pages. With `--only`, the other fields keep their shipped rankers. `--predictions` writes the output of the cross-validation to
//! `DIR/<set>/maintext.jsonl`.
use maintext_lab::Error;
use maintext_lab::fields::measure::{Answer, Choice, answers, rows, table};
use maintext_lab::fields::{self, Field, Samples};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: metadata DATA_DIR MODEL [--only title|author|date] [--predictions DIR] [--seed N]";

struct Args {
    data: PathBuf,
    model: PathBuf,
    only: Option<Field>,
    predictions: Option<PathBuf>,
    seed: u64,
}

fn parse() -> Result<Args, String> {
    let mut free = Vec::new();
    let (mut only, mut predictions, mut seed) = (None, None, 1);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().ok_or(format!("{a} needs a value"));
        match a.as_str() {
            "--only" => {
                let name = value()?;
                only = Some(Field::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| USAGE.to_owned())?);
            }
            "--predictions" => predictions = Some(PathBuf::from(value()?)),
            "--seed" => seed = value()?.parse().map_err(|_| "--seed needs a number".to_owned())?,
            _ => free.push(PathBuf::from(a)),
        }
    }
    let [data, model] = <[PathBuf; 2]>::try_from(free).map_err(|_| USAGE.to_owned())?;
    Ok(Args { data, model, only, predictions, seed })
}

fn main() -> ExitCode {
    maintext_lab::exit_code(parse(), run)
}

fn run(args: &Args) -> Result<(), Error> {
    let start = Instant::now();
    let say = |m: &str| eprintln!("{:7.1} s  {m}", start.elapsed().as_secs_f64());
    let paths: Vec<PathBuf> =
        fields::SETS.iter().map(|set| args.data.join("train").join(format!("{set}.jsonl.zst"))).collect();
    let mut samples = Samples::load(&paths, say)?;
    let labels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/labels/metadata.jsonl.zst");
    samples.label(&labels, &args.data.join("train"), say)?;
    let folds = fields::cross_validate(&mut samples, fields::FOLDS, args.seed, say);
    let said = answers(&samples, &Choice::HeldOut(&folds));
    print!("{}", table(&rows(&samples.pages, "maintext", &said), &Field::ALL, false));
    if let Some(dir) = &args.predictions {
        predictions(dir, &samples, &said)?;
    }
    let mut rankers = fields::train_all(&samples, args.seed);
    if let Some(field) = args.only {
        rankers = fields::replaced(field, rankers);
    }
    say("trained on all pages");
    maintext_lab::write(&args.model, &rankers.to_bytes())
}

fn predictions(dir: &Path, samples: &Samples, said: &[Answer]) -> Result<(), Error> {
    for set in fields::SETS.into_iter().chain([fields::LABELLED]) {
        let mut lines = String::new();
        for (page, said) in samples.pages.iter().zip(said).filter(|(p, _)| p.set == set) {
            let line = serde_json::json!({
                "id": page.id, "title": said.title, "author": said.authors.join(", "), "date": said.date,
                "sources": said.sources,
            });
            lines += &format!("{line}\n");
        }
        maintext_lab::write(&dir.join(set).join("maintext.jsonl"), lines.as_bytes())?;
    }
    Ok(())
}
