//! Trains the model of list entries and measures it: `lists DATA_DIR MODEL_DIR`. Called by `cargo xtask train lists`.
use maintext::list::{LinkModel, Lists, Paginator, group};
use maintext_train::Error;
use maintext_train::entries::{
    Measured, add, measure, parse_pages, samples, score, settings, train_entries, training_pages,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(data), Some(models)) = (args.first(), args.get(1)) else {
        eprintln!("usage: lists DATA_DIR MODEL_DIR [entries|pagination|page-type|svm]");
        return ExitCode::from(2);
    };
    match run(Path::new(data), Path::new(models), args.get(2).map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run(data: &Path, models: &Path, what: Option<&str>) -> Result<(), Error> {
    if what.is_none_or(|w| w == "pagination") {
        pagination(data, models)?;
    }
    if what.is_none_or(|w| w == "page-type") {
        page_type(data, models)?;
    }
    if what.is_none_or(|w| w == "svm") {
        svm(data, models)?;
    }
    if what.is_none_or(|w| w == "entries") {
        entries(data, models)?;
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
    let path = models.join("entries.mtx");
    maintext_train::write(&path, &trained.pack.to_bytes())?;
    println!("{:28} {:>6} {:>9} {:>9}   {:>9} {:>9}", "set", "pages", "best F1", "pooled", "all F1", "pooled");
    let mut by: BTreeMap<&str, Measured> = BTreeMap::new();
    for (s, p) in samples.iter().zip(&trained.out_of_fold) {
        let scores = score(s, &group::rank(&s.table, s.keys(), p));
        add(by.entry(s.page.page_type.as_deref().unwrap_or("plain copies")).or_default(), &scores);
    }
    for (name, s) in by {
        line(&format!("{name} (out of fold)"), &s);
    }
    let model = LinkModel::new(trained.pack).map(Arc::new).map_err(|e| Error::other(e.to_string()))?;
    let paginator = Paginator::shipped().map_err(|e| Error::other(e.to_string()))?;
    let lists = Lists::with_models(model, paginator);
    let siblings = Lists::named("siblings").map_err(|e| Error::other(e.to_string()))?;
    for set in ["zhao1-list", "zhao3-list"] {
        let pages = maintext_train::data::read(data.join(format!("eval/{set}.jsonl.zst")))?;
        line(set, &measure(&pages, &lists)[0]);
        line(&format!("{set}, siblings"), &measure(&pages, &siblings)[0]);
    }
    Ok(())
}

fn page_type(data: &Path, models: &Path) -> Result<(), Error> {
    use maintext_train::list_eval::{kind_cells, table, told_cells};
    use maintext_train::page_type::{Told, samples, settings, train_page_type, training_sets};
    let samples = samples(&training_sets(data), true, |m| eprintln!("page type: {m}"))?;
    let (pack, answers) = train_page_type(&samples, &settings(1));
    maintext_train::write(&models.join("page-type.mtx"), &pack.to_bytes())?;
    let told = Told::by_set(&samples, &answers);
    for t in told.iter().filter(|t| t.is_mixed()) {
        println!("{}:\n{}", t.set, table(&kind_cells(t)));
    }
    print!("{}", table(&told_cells(&told)));
    Ok(())
}

/// The published classifier of list and detail pages.
fn svm(data: &Path, models: &Path) -> Result<(), Error> {
    use maintext_train::svm::{published_grid, samples, train};
    let samples = samples(&[data.join("train/wcxb-dev.jsonl.zst")])?;
    let trained = train(&samples, &published_grid(), &|_| ())?;
    maintext_train::write(&models.join("page-type-svm.json"), trained.svm.to_json().as_bytes())?;
    print!("{}", trained.report());
    Ok(())
}

fn pagination(data: &Path, models: &Path) -> Result<(), Error> {
    let (pack, found) = maintext_train::pagination::run(data, &maintext_train::pagination::settings(1))?;
    maintext_train::write(&models.join("pagination.mtx"), &pack.to_bytes())?;
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
