//! `cargo xtask train`: trains the shipped models.
use crate::run::{cargo, root, run};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask train [metadata|records|predictions|lists] [--data DIR] [--out FILE] [--hold-out sites|sets] [--seed N] [--pages FILE]
                         [--scores FILE] [--seeds N]

  metadata           rankers of title, author and date, models/metadata.mtx; without a name: the content model
  records            classifier of groups of records (comments, posts, ...), records.mtx; needs --scores. --folds DIR also
                     writes one model per fold, for measurements
  predictions        outputs of the whole extractor with '--scores FILE' and '--folds DIR', written to <set>/maintext.jsonl in
                     '--out DIR' for 'cargo xtask eval --ours DIR'
  lists              entries.mtx, pagination.mtx, page-type.mtx and page-type-svm.json (svm), or only the one named after it;
                     accepts --data, --scores and --seeds only
  lists confidence   list-confidence.mtx, trained after all others; needs --scores from training the content model
  --data DIR         folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --out FILE         output file [default: main.mtx or metadata.mtx in crates/maintext-core/models]
  --hold-out WHAT    unit held out in cross-validation: sites, or whole sets [default: sites]
  --seed N           random seed [default: 1]
  --pages FILE       also writes one line of figures per page, to study failures
  --scores FILE      cross-validated scores of all blocks: written with the content model; page-type reads them, which saves
                     minutes of computation
  --seeds N          seeds 1 to N for measuring page-type; the model uses the first [default: 1]";

/// Trains in a release build; the same data and seed give the same file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut data = std::env::var_os("MAINTEXT_DATA").map(PathBuf::from);
    if args.first().is_some_and(|a| a == "lists") {
        return lists(data, &args[1..]);
    }
    if let Some(example) = args.first().filter(|a| *a == "records" || *a == "predictions") {
        return from_scores(example, data, &args[1..]);
    }
    let metadata = args.first().is_some_and(|a| a == "metadata");
    let (example, model, args) =
        if metadata { ("metadata", "metadata.mtx", &args[1..]) } else { ("learned", "main.mtx", args) };
    let mut out = root().join("crates/maintext-core/models").join(model);
    let mut rest: Vec<String> = Vec::new();
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value\n\n{USAGE}"));
        match arg.as_str() {
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--data" => data = Some(here.join(value()?)),
            "--out" => out = here.join(value()?),
            "--pages" | "--scores" | "--hold-out" if metadata => {
                return Err(format!("'{arg}' only applies to the content model\n\n{USAGE}"));
            }
            "--pages" | "--scores" => rest.extend([arg.clone(), here.join(value()?).display().to_string()]),
            "--hold-out" | "--seed" => rest.extend([arg.clone(), value()?.clone()]),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{USAGE}"))?;
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "maintext-lab", "--example", example, "--"]);
    run(command.arg(data).arg(out).args(rest))
}

/// Runs an example that reads held-out scores: `records` or `predictions`.
fn from_scores(example: &str, mut data: Option<PathBuf>, args: &[String]) -> Result<(), String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let (mut scores, mut folds, mut out) = (None, None, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let slot = match arg.as_str() {
            "--data" => &mut data,
            "--scores" => &mut scores,
            "--folds" => &mut folds,
            "--out" => &mut out,
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        };
        *slot = Some(here.join(args.next().ok_or_else(|| format!("'{arg}' needs a value\n\n{USAGE}"))?));
    }
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{USAGE}"))?;
    let need = |value: Option<PathBuf>, name: &str| value.ok_or_else(|| format!("{example} needs '{name}'\n\n{USAGE}"));
    let scores = need(scores, "--scores FILE")?;
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "maintext-lab", "--example", example, "--"]);
    command.arg(here.join(data));
    if example == "records" {
        let model = out.unwrap_or_else(|| root().join("crates/maintext-core/models/records.mtx"));
        run(command.arg(model).arg(scores).args(folds))
    } else {
        run(command.arg(scores).arg(need(folds, "--folds DIR")?).arg(need(out, "--out DIR")?))
    }
}

/// Trains the models of list pages, which are small and take a few minutes.
fn lists(mut data: Option<PathBuf>, args: &[String]) -> Result<(), String> {
    let mut rest = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--data" => data = Some(args.next().ok_or("'--data' needs a value")?.into()),
            "entries" | "pagination" | "page-type" | "svm" | "confidence" => rest.push(arg.clone()),
            "--scores" => {
                let path = args.next().ok_or("'--scores' needs a value")?;
                let path = std::path::absolute(path).map_err(|e| format!("{path}: {e}"))?;
                rest.extend([arg.clone(), path.display().to_string()]);
            }
            "--seeds" => rest.extend([arg.clone(), args.next().ok_or("'--seeds' needs a value")?.clone()]),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{USAGE}"))?;
    let data = std::path::absolute(&data).map_err(|e| format!("{}: {e}", data.display()))?;
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "maintext-lab", "--example", "lists", "--"]);
    run(command.arg(data).arg(root().join("crates/maintext-core/models")).args(rest))
}
