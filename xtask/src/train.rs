//! `cargo xtask train`: makes the shipped models from the training sets.
use crate::run::{cargo, root, run};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask train [metadata|lists] [--data DIR] [--out FILE] [--predictions DIR] [--hold-out sites|sets] [--seed N] [--pages FILE]

  metadata           the rankers of title, author and date, models/metadata.mtx; without it the content model
  lists              entries.mtx, pagination.mtx, page-type.mtx and page-type-svm.json (svm), or the one that is named after it;
                     takes --data only
  --data DIR         the data sets, as in docs/data.md [default: $MAINTEXT_DATA]
  --out FILE         where the model is written [default: main.mtx or metadata.mtx in crates/maintext/models]
  --predictions DIR  the cross-validated answers, DIR/<set>/maintext.jsonl, for 'cargo xtask eval --ours DIR'
  --hold-out WHAT    what is held out together in cross-validation: sites, or whole sets [default: sites]
  --seed N           seed of all sampling [default: 1]
  --pages FILE       a line of figures a page, for the study of failures";

/// Trains in a release build; the same data and seed give the same file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut data = std::env::var_os("MAINTEXT_DATA").map(PathBuf::from);
    if args.first().is_some_and(|a| a == "lists") {
        return lists(data, &args[1..]);
    }
    let metadata = args.first().is_some_and(|a| a == "metadata");
    let (example, model, args) =
        if metadata { ("metadata", "metadata.mtx", &args[1..]) } else { ("learned", "main.mtx", args) };
    let mut out = root().join("crates/maintext/models").join(model);
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
            "--pages" | "--hold-out" if metadata => return Err(format!("'{arg}' is for the content model\n\n{USAGE}")),
            "--predictions" | "--pages" => rest.extend([arg.clone(), here.join(value()?).display().to_string()]),
            "--hold-out" | "--seed" => rest.extend([arg.clone(), value()?.clone()]),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let data =
        data.ok_or_else(|| format!("neither '--data' nor $MAINTEXT_DATA says where the data sets are\n\n{USAGE}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--package", "maintext-train", "--example", example, "--"]);
    run(command.arg(data).arg(out).args(rest))
}

/// The models of list pages; they are small, and made in a few minutes.
fn lists(mut data: Option<PathBuf>, args: &[String]) -> Result<(), String> {
    let mut rest = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--data" => data = Some(args.next().ok_or("'--data' needs a value")?.into()),
            "entries" | "pagination" | "page-type" | "svm" => rest.push(arg.clone()),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let data =
        data.ok_or_else(|| format!("neither '--data' nor $MAINTEXT_DATA says where the data sets are\n\n{USAGE}"))?;
    let data = std::path::absolute(&data).map_err(|e| format!("{}: {e}", data.display()))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--package", "maintext-train", "--example", "lists", "--"]);
    run(command.arg(data).arg(root().join("crates/maintext/models")).args(rest))
}
