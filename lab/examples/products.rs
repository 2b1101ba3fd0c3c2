//! Trains the rankers of products: `cargo xtask train things`.
//!
//! `products DATA_DIR MODEL [--predictions FILE] [--candidates FILE] [--seed N]` cross-validates by site, writes the things of each page by
//! the rankers of its fold to the file of predictions, its candidates with
//! their features to another one, and the rankers trained on all pages to MODEL. `bench/things.py` scores predictions.
use maintext_lab::Error;
use maintext_lab::things::{Samples, Validated};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: products DATA_DIR MODEL [--predictions FILE] [--candidates FILE] [--seed N]";

struct Args {
    data: PathBuf,
    model: PathBuf,
    predictions: Option<PathBuf>,
    candidates: Option<PathBuf>,
    seed: u64,
}

fn parse() -> Result<Args, String> {
    let mut free = Vec::new();
    let (mut predictions, mut candidates, mut seed) = (None, None, 1);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().ok_or(format!("{a} needs a value"));
        match a.as_str() {
            "--predictions" => predictions = Some(PathBuf::from(value()?)),
            "--candidates" => candidates = Some(PathBuf::from(value()?)),
            "--seed" => seed = value()?.parse().map_err(|_| "--seed needs a number".to_owned())?,
            _ => free.push(PathBuf::from(a)),
        }
    }
    let [data, model] = <[PathBuf; 2]>::try_from(free).map_err(|_| USAGE.to_owned())?;
    Ok(Args { data, model, predictions, candidates, seed })
}

fn main() -> ExitCode {
    maintext_lab::exit_code(parse(), run)
}

fn run(args: &Args) -> Result<(), Error> {
    let mut samples = Samples::load(&args.data)?;
    let validated = samples.cross_validate(args.seed);
    if let Some(file) = &args.predictions {
        let mut lines = String::new();
        for page in &samples.pages {
            let things = page.things(validated.of(page));
            lines += &format!("{}\n", serde_json::json!({ "id": page.id, "site": page.site, "things": things }));
        }
        maintext_lab::write(file, lines.as_bytes())?;
    }
    print(&samples, &validated);
    if let Some(file) = &args.candidates {
        let mut lines = String::new();
        for page in &samples.pages {
            let found = page.candidates(validated.of(page));
            lines += &format!("{}\n", serde_json::json!({ "id": page.id, "site": page.site, "fields": found }));
        }
        maintext_lab::write(file, lines.as_bytes())?;
    }
    let rankers = samples.train_all(validated.calibrations, args.seed);
    maintext_lab::write(&args.model, &rankers.to_bytes())
}

/// Prints for each type of page how many pages declare a product, and how many others are classified as selling one.
fn print(samples: &Samples, validated: &Validated) {
    println!("| pages | number | declare a product | of the others, said to sell one |");
    println!("| --- | ---: | ---: | ---: |");
    for (name, [pages, declared, sold]) in samples.sold(validated) {
        println!("| {name} | {pages} | {declared} | {sold} of {} |", pages - declared);
    }
    const THRESHOLDS: [f32; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9];
    println!("\nright/wrong if the best candidate of each page is given from this probability on: {THRESHOLDS:?}");
    for (name, counts) in samples.curves(validated, &THRESHOLDS) {
        let counts: Vec<String> = counts.iter().map(|(right, wrong)| format!("{right}/{wrong}")).collect();
        println!("{name}: {}", counts.join(" "));
    }
}
