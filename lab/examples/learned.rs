//! Trains the shipped model: `cargo xtask train`.
//!
//! `learned DATA_DIR MODEL [--hold-out sites|sets] [--seed N] [--pages FILE] [--scores FILE] [--labels FILE]` cross-validates on DATA_DIR/train and writes
//! the model trained on all of it. `--scores` writes the out-of-fold scores, for `predictions` and for the trainers of later models;
//! `--pages` writes one line of figures per page, for the study of failures.
use maintext_lab::Error;
use maintext_lab::learned::Sample;
use maintext_lab::readings::Readings;
use maintext_lab::shipped::{HoldOut, Trained, load, report, settings, train};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

struct Args {
    data: PathBuf,
    model: PathBuf,
    pages: Option<PathBuf>,
    scores: Option<PathBuf>,
    labels: Option<PathBuf>,
    hold_out: HoldOut,
    seed: u64,
}

fn parse() -> Result<Args, String> {
    let mut free = Vec::new();
    let (mut pages, mut scores, mut labels, mut hold_out, mut seed) = (None, None, None, HoldOut::Sites, 1);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().ok_or(format!("{a} needs a value"));
        match a.as_str() {
            "--pages" => pages = Some(PathBuf::from(value()?)),
            "--scores" => scores = Some(PathBuf::from(value()?)),
            "--labels" => labels = Some(PathBuf::from(value()?)),
            "--seed" => seed = value()?.parse().map_err(|_| "--seed needs a number".to_owned())?,
            "--hold-out" => {
                hold_out = match value()?.as_str() {
                    "sites" => HoldOut::Sites,
                    "sets" => HoldOut::Sets,
                    other => return Err(format!("--hold-out takes sites or sets, not '{other}'")),
                }
            }
            _ => free.push(PathBuf::from(a)),
        }
    }
    match <[PathBuf; 2]>::try_from(free) {
        Ok([data, model]) => Ok(Args { data, model, pages, scores, labels, hold_out, seed }),
        Err(_) => Err("usage: learned DATA_DIR MODEL [--hold-out sites|sets] [--seed N] [--pages FILE] \
                       [--scores FILE] [--labels FILE]"
            .into()),
    }
}

fn main() -> ExitCode {
    maintext_lab::exit_code(parse(), run)
}

fn run(args: &Args) -> Result<(), Error> {
    let start = Instant::now();
    let say = |m: &str| eprintln!("{:7.1} s  {m}", start.elapsed().as_secs_f64());
    let readings = args.labels.as_deref().map(Readings::read).transpose()?.unwrap_or_default();
    let samples = load(&args.data, &readings, say)?;
    say(&format!("{} pages", samples.len()));
    let trained = train(&samples, args.hold_out, &settings(args.seed), say);
    println!("{:24} {:>6} {:>8} {:>8}", "set (out of fold)", "pages", "F1", "ceiling");
    for (name, (pages, f1, ceiling)) in report(&samples, |i| trained.decided.f1[i]) {
        println!("{name:24} {pages:>6} {f1:>8.4} {ceiling:>8.4}");
    }
    let whole: Vec<usize> = (0..samples.len()).filter(|&i| !samples[i].gold.is_empty()).collect();
    let pairs: Vec<(f64, f64)> = whole.iter().map(|&i| (trained.decided.foreseen[i], trained.decided.f1[i])).collect();
    println!("confidence against F1, Spearman: {:.3}", spearman(&pairs));
    println!("expected calibration error of the block probabilities: {:.4}", calibration_error(&samples, &trained));
    let held_out = trained.held_out(&samples);
    if let Some(path) = &args.scores {
        write(path, |f| held_out.write(f))?;
    }
    if let Some(path) = &args.pages {
        write(path, |f| pages(f, &samples, &trained))?;
    }
    write(&args.model, |f| f.write_all(&trained.model.to_bytes()))
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
    let mut bytes = Vec::new();
    content(&mut bytes).map_err(|e| Error::file(path, e))?;
    maintext_lab::write(path, &bytes)
}

fn pages(f: &mut dyn Write, samples: &[Sample], trained: &Trained) -> std::io::Result<()> {
    for (i, s) in samples.iter().enumerate() {
        let d = &trained.decided;
        let line = serde_json::json!({
            "id": s.id, "set": s.set, "type": s.kind, "lang": s.lang, "f1": d.f1[i], "foreseen": d.foreseen[i],
            "ceiling": s.ceiling, "gold_words": s.labels.gold_words, "missing_words": s.labels.missing,
        });
        writeln!(f, "{line}")?;
    }
    Ok(())
}

/// Returns the mean distance between probability and frequency over ten bins of probability, weighted by words. Optional blocks do not count.
fn calibration_error(samples: &[Sample], trained: &Trained) -> f64 {
    let mut bins = [(0.0f64, 0.0f64, 0.0f64); 10];
    for (s, p) in samples.iter().zip(&trained.decided.probabilities).filter(|(s, _)| !s.gold.is_empty()) {
        let total: f64 = s.labels.words.iter().map(|n| *n as f64).sum::<f64>().max(1.0);
        for (i, p) in p.iter().enumerate().filter(|(i, _)| !s.labels.share[*i].is_nan()) {
            let w = s.labels.words[i] as f64 / total;
            let b = &mut bins[((*p * 10.0) as usize).min(9)];
            b.0 += w * *p as f64;
            b.1 += w * (s.labels.share[i] >= 0.5) as u8 as f64;
            b.2 += w;
        }
    }
    let total: f64 = bins.iter().map(|b| b.2).sum();
    bins.iter().map(|b| (b.0 - b.1).abs()).sum::<f64>() / total
}

fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |values: Vec<f64>| {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut rank = vec![0.0; values.len()];
        let mut i = 0;
        while i < order.len() {
            let mut j = i;
            while j + 1 < order.len() && values[order[j + 1]] == values[order[i]] {
                j += 1;
            }
            order[i..=j].iter().for_each(|&k| rank[k] = (i + j) as f64 / 2.0);
            i = j + 1;
        }
        rank
    };
    let (a, b) = (ranks(pairs.iter().map(|p| p.0).collect()), ranks(pairs.iter().map(|p| p.1).collect()));
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let cov: f64 = a.iter().zip(&b).map(|(x, y)| (x - mean) * (y - mean)).sum();
    let var = |v: &[f64]| v.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    cov / (var(&a) * var(&b)).sqrt().max(1e-9)
}
