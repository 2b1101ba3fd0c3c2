//! Trains and measures the models of lists and page types: `lists DATA_DIR MODEL_DIR [MODEL] [--scores FILE] [--seeds N]`.
//! Called by `cargo xtask train lists`.
use maintext_core::list::{LinkModel, Lists, Paginator};
use maintext_lab::Error;
use maintext_lab::entries::{
    Measured, Sample, add, measure, parse_pages, samples, settings, train_entries, training_pages,
};
use maintext_lab::held_out::HeldOut;
use maintext_lab::list_groups;
use maintext_lab::readings::Readings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const USAGE: &str = "usage: lists DATA_DIR MODEL_DIR [entries|pagination|page-type|svm|confidence] [--scores FILE] [--labels FILE] [--seeds N]";

struct Args {
    data: PathBuf,
    models: PathBuf,
    /// The model to train; all of them by default.
    what: Option<String>,
    /// Scores from the content model's cross-validation.
    scores: Option<PathBuf>,
    /// Our own labels: kinds of pages, which count before the annotated ones.
    labels: Option<PathBuf>,
    /// Number of seeds for measuring page types; the first is used for the model.
    seeds: u64,
}

fn parse() -> Option<Args> {
    let (mut free, mut scores, mut labels, mut seeds) = (Vec::new(), None, None, 1);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--scores" => scores = Some(PathBuf::from(args.next()?)),
            "--labels" => labels = Some(PathBuf::from(args.next()?)),
            "--seeds" => seeds = args.next()?.parse().ok()?,
            _ => free.push(a),
        }
    }
    let mut free = free.into_iter();
    let (data, models) = (PathBuf::from(free.next()?), PathBuf::from(free.next()?));
    Some(Args { data, models, what: free.next(), scores, labels, seeds })
}

fn main() -> ExitCode {
    let Some(args) = parse() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Error> {
    let (data, models) = (&args.data, &args.models);
    let readings = args.labels.as_deref().map(Readings::read).transpose()?.unwrap_or_default();
    // Trained last, because it learns from the output of the other models.
    if args.what.as_deref() == Some("confidence") {
        let Some(scores) = &args.scores else {
            return Err(Error::other("confidence needs --scores, a file from 'cargo xtask train --scores FILE'"));
        };
        return confidence(data, models, scores, &readings);
    }
    let asked = |what: &str| args.what.as_deref().is_none_or(|w| w == what);
    if asked("pagination") {
        pagination(data, models)?;
    }
    if asked("page-type") {
        page_type(args, &readings)?;
    }
    if asked("svm") {
        svm(data, models)?;
    }
    if asked("entries") {
        entries(data, models)?;
    }
    Ok(())
}

fn confidence(data: &Path, models: &Path, scores: &Path, readings: &Readings) -> Result<(), Error> {
    use maintext_core::list::confidence::CONFIDENT;
    use maintext_lab::list_confidence::{samples, settings, shares, train};
    let scores = HeldOut::read(scores)?;
    let samples = samples(data, &scores, readings, |m| eprintln!("list confidence: {m}"))?;
    let (pack, confidence) = train(&samples, &settings(1))?;
    maintext_lab::write(&models.join("list-confidence.mtx"), &pack.to_bytes())?;
    for (name, pages, share) in shares(&samples, &confidence, CONFIDENT) {
        println!("{name:36} {pages:>5} {share:>7.4}");
    }
    Ok(())
}

fn entries(data: &Path, models: &Path) -> Result<(), Error> {
    let start = Instant::now();
    let say = |m: &str| eprintln!("{:7.1} s  {m}", start.elapsed().as_secs_f64());
    let (pages, texts) = training_pages(data)?;
    let parsed = parse_pages(&pages, &texts);
    let samples = samples(&parsed);
    say(&format!("{} pages, {} links", samples.len(), samples.iter().map(|s| s.labels.len()).sum::<usize>()));
    let trained = train_entries(&samples, &settings(1), say)?;
    println!("{:28} {:>6} {:>9} {:>9}   {:>9} {:>9}", "set", "pages", "best F1", "pooled", "all F1", "pooled");
    let known: Vec<(&Sample<'_>, &[f32])> = samples.iter().zip(trained.out_of_fold.iter().map(Vec::as_slice)).collect();
    let (pack, scores) = list_groups::complete(trained.pack, data, &known, &list_groups::settings(1))?;
    maintext_lab::write(&models.join("entries.mtx"), &pack.to_bytes())?;
    let mut by: BTreeMap<&str, Measured> = BTreeMap::new();
    for (kind, scores) in &scores {
        add(by.entry(kind).or_default(), scores);
    }
    for (name, s) in by {
        line(&format!("{name} (out of fold)"), &s);
    }
    let model = LinkModel::new(pack).map(Arc::new).map_err(|e| Error::other(e.to_string()))?;
    let paginator = Paginator::shipped().map_err(|e| Error::other(e.to_string()))?;
    let lists = Lists::with_models(model, paginator);
    let siblings = Lists::named("siblings").map_err(|e| Error::other(e.to_string()))?;
    for set in ["zhao1-list", "zhao3-list"] {
        let pages = maintext_lab::data::read(data.join(format!("eval/{set}.jsonl.zst")))?;
        line(set, &measure(&pages, &lists)[0]);
        line(&format!("{set}, siblings"), &measure(&pages, &siblings)[0]);
    }
    Ok(())
}

fn page_type(args: &Args, readings: &Readings) -> Result<(), Error> {
    use maintext_lab::list_eval::{kind_cells, table, told_cells};
    use maintext_lab::page_type::{Content, Material, Told, samples, settings, training_sets};
    let scores = args.scores.as_deref().map(HeldOut::read).transpose()?;
    let content = scores.as_ref().map_or(Content::HeldOut, Content::Scores);
    let sets = training_sets(&args.data, readings);
    let samples = samples(&sets, content, readings, |m| eprintln!("page type: {m}"))?;
    let material = Material::new(&samples);
    maintext_lab::write(&args.models.join("page-type.mtx"), &material.train(&settings(1)).to_bytes())?;
    for seed in 1..=args.seeds {
        let mut told = Told::by_set(&samples, &material.cross_validate(&settings(seed)));
        told.push(Told::pooled(&told));
        println!("seed {seed}:");
        for t in told.iter().filter(|t| t.is_mixed()) {
            println!("{}:\n{}", t.set, table(&kind_cells(t)));
        }
        print!("{}", table(&told_cells(&told)));
    }
    Ok(())
}

/// Trains the published classifier of list and detail pages.
fn svm(data: &Path, models: &Path) -> Result<(), Error> {
    use maintext_lab::svm::{published_grid, samples, train};
    let samples = samples(&[data.join("train/wcxb-dev.jsonl.zst")])?;
    let trained = train(&samples, &published_grid(), &|_| ())?;
    maintext_lab::write(&models.join("page-type-svm.json"), trained.svm.to_json().as_bytes())?;
    print!("{}", trained.report());
    Ok(())
}

fn pagination(data: &Path, models: &Path) -> Result<(), Error> {
    let (pack, found) = maintext_lab::pagination::run(data, &maintext_lab::pagination::settings(1))?;
    maintext_lab::write(&models.join("pagination.mtx"), &pack.to_bytes())?;
    println!(
        "{:28} {:>6} {:>6} {:>6} {:>9} {:>9}",
        "pagination (out of fold)", "named", "found", "right", "precision", "recall"
    );
    for (role, f) in found {
        println!(
            "{:28} {:>6} {:>6} {:>6} {:>9.4} {:>9.4}",
            role.name(),
            f.named,
            f.found,
            f.right,
            f.precision(),
            f.recall()
        );
    }
    Ok(())
}

fn line(name: &str, s: &Measured) {
    let [best, all] = s;
    let (a, b) = (best.pooled.f1(), all.pooled.f1());
    println!("{name:28} {:>6} {:>9.4} {a:>9.4}   {:>9.4} {b:>9.4}", best.pages, best.mean_f1(), all.mean_f1());
}
