//! `cargo xtask train`: trains the shipped models.
use crate::args;
use crate::run::{lab_program, root, run};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask train [early|roles|metadata|records|sites|things|predictions|lists] [--data DIR] [--out FILE] [--hold-out sites|sets] [--seed N] [--pages FILE]
                         [--scores FILE] [--labels FILE] [--seeds N]

  without a name     the content model, main.mtx, from '--labels FILE' and the published ground truths
  early              the content model of pages without a viewport, early.mtx, from the published ground truths only
  roles              the roles of the blocks, roles.mtx; needs --labels and --scores
  metadata           rankers of title, author and date, metadata.mtx. With '--only FIELD' the other fields keep their shipped rankers
  records            classifier of groups of records (comments, posts, ...), records.mtx; needs --scores. --folds DIR also
                     writes one model per fold, for measurements
  things             rankers of a product's fields, products.mtx; accepts --data, --out and --seed; '--predictions FILE' writes the
                     things of each page by rankers that have not seen its site, '--candidates FILE' the candidates behind them
  sites              prints the weights of what the pages of a site share, a constant of the library, and their figures; needs --scores
  predictions        outputs of the whole extractor with '--scores FILE' and '--folds DIR', written to <set>/maintext.jsonl in
                     '--out DIR' for 'cargo xtask eval --ours DIR'
  lists              entries.mtx, pagination.mtx, page-type.mtx and page-type-svm.json (svm), or only the one named after it;
                     accepts --data, --scores, --labels and --seeds only
  lists confidence   list-confidence.mtx, trained after all others; needs --scores from training the content model
  --data DIR         folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --out FILE         output file [default: the model in crates/maintext-reading/models]
  --hold-out WHAT    unit held out in cross-validation: sites, or whole sets [default: sites]
  --seed N           random seed [default: 1]
  --pages FILE       also writes one line of figures per page, to study failures
  --scores FILE      cross-validated scores of all blocks: written with the content model; page-type reads them, which saves
                     minutes of computation
  --labels FILE      our own labels, as 'bench/content_labels.py export' writes them, in place of the published ones; content model, roles and page-type only
  --seeds N          seeds 1 to N for measuring page-type; the model uses the first [default: 1]";

/// Trains in a release build; the same data and seed give the same file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args.split_first() {
        Some((name, rest)) if name == "lists" => lists(rest),
        Some((name, rest)) if matches!(name.as_str(), "records" | "roles" | "sites" | "predictions") => {
            from_scores(name, rest)
        }
        Some((name, rest)) if name == "things" => things(rest),
        Some((name, rest)) if name == "metadata" => train("metadata", "metadata.mtx", rest),
        Some((name, rest)) if name == "early" => train("learned", "early.mtx", rest),
        _ => train("learned", "main.mtx", args),
    }
}

/// Returns the command that runs an example of the laboratory.
fn lab(name: &str) -> Command {
    lab_program("--example", name)
}

fn models() -> PathBuf {
    root().join("crates/maintext-reading/models")
}

/// Trains the content model, or the rankers of the metadata.
fn train(example: &str, model: &str, args: &[String]) -> Result<(), String> {
    let (mut data, mut out, mut rest) = (None, models().join(model), Vec::<OsString>::new());
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            "--out" => out = values.path()?,
            "--pages" | "--scores" | "--labels" | "--hold-out" if example == "metadata" => {
                return Err(format!("'{arg}' only applies to the content model\n\n{USAGE}"));
            }
            "--pages" | "--scores" | "--labels" => rest.extend([arg.into(), values.path()?.into()]),
            "--only" if example == "metadata" => rest.extend([arg.into(), values.next()?.into()]),
            "--hold-out" | "--seed" => rest.extend([arg.into(), values.next()?.into()]),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    run(lab(example).arg(args::data(data, USAGE)?).arg(out).args(rest))
}

/// Runs an example that reads held-out scores: `records`, `roles`, `sites` or `predictions`.
fn from_scores(example: &str, args: &[String]) -> Result<(), String> {
    let (mut data, mut scores, mut folds, mut labels, mut out) = (None, None, None, None, None);
    let go = args::each(args, USAGE, |arg, values| {
        let slot = match arg {
            "--data" => &mut data,
            "--scores" => &mut scores,
            "--folds" => &mut folds,
            "--labels" if example == "roles" => &mut labels,
            "--out" => &mut out,
            _ => return Ok(false),
        };
        *slot = Some(values.path()?);
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let scores = needed(example, scores, "--scores FILE")?;
    let mut command = lab(example);
    command.arg(args::data(data, USAGE)?);
    if example == "records" {
        run(command.arg(out.unwrap_or_else(|| models().join("records.mtx"))).arg(scores).args(folds))
    } else if example == "roles" {
        let labels = needed(example, labels, "--labels FILE")?;
        run(command.arg(out.unwrap_or_else(|| models().join("roles.mtx"))).arg(labels).arg(scores))
    } else if example == "sites" {
        run(command.arg(scores))
    } else {
        run(command.arg(scores).arg(needed(example, folds, "--folds DIR")?).arg(needed(example, out, "--out DIR")?))
    }
}

fn needed(example: &str, value: Option<PathBuf>, name: &str) -> Result<PathBuf, String> {
    value.ok_or_else(|| format!("{example} needs '{name}'\n\n{USAGE}"))
}

/// Trains the rankers of products, in about a minute.
fn things(args: &[String]) -> Result<(), String> {
    let (mut data, mut out, mut rest) = (None, models().join("products.mtx"), Vec::<OsString>::new());
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            "--out" => out = values.path()?,
            "--predictions" | "--candidates" => rest.extend([arg.into(), values.path()?.into()]),
            "--seed" => rest.extend([arg.into(), values.next()?.into()]),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    run(lab("products").arg(args::data(data, USAGE)?).arg(out).args(rest))
}

/// Trains the models of list pages, which are small and take a few minutes.
fn lists(args: &[String]) -> Result<(), String> {
    let (mut data, mut rest) = (None, Vec::<OsString>::new());
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            "entries" | "pagination" | "page-type" | "svm" | "confidence" => rest.push(arg.into()),
            "--scores" | "--labels" => rest.extend([arg.into(), values.path()?.into()]),
            "--seeds" => rest.extend([arg.into(), values.next()?.into()]),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    run(lab("lists").arg(args::data(data, USAGE)?).arg(models()).args(rest))
}
