//! Fits the rankers of title, author and publication date, and measures them by cross-validation over sites.
//!
//! ```text
//! MAINTEXT_DATA=data cargo run --release -p maintext --example metadata_ranker -- OUT [WEIGHTS.rs]
//! ```
//! Reads every annotated set of `$MAINTEXT_DATA/train`, writes `OUT/SET/ranker.jsonl` (id, title, author, date: each page
//! judged by weights that were fitted without its site) and, if asked, the weights fitted on all pages.
//!
//! The model is a conditional logit: of a page's candidates and "the page does not say" one is the truth; scores are
//! linear in the features. Adagrad, L2, features of at least three sites.
use maintext::{Extractor, Options, View, metadata};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;

const SETS: &[&str] = &[
    "wcxb-dev",
    "fundus",
    "misinfo-crawler",
    "postlight-fixtures",
    "mercury-fork-fixtures",
    "recipe-scrapers",
    "htmldate-default",
    "trafilatura-eval",
    "newspaper4k",
    "mediacloud-metadata",
];
const FIELDS: [&str; 3] = ["title", "author", "date"];
const FOLDS: u64 = 5;
const EPOCHS: usize = 25;
const RATE: f32 = 0.15;
/// How much a page counts whose truth has no author or no date: sets leave out what they did not look for.
const SILENT: f32 = 0.3;

struct Cand {
    value: String,
    features: Vec<(u32, f32)>,
    positive: bool,
}
struct Case {
    set: usize,
    id: String,
    site: u64,
    /// Whether the truth names a value.
    stated: bool,
    weight: f32,
    cands: Vec<Cand>,
}

#[derive(Default)]
struct Names {
    ids: HashMap<String, u32>,
    names: Vec<String>,
    sites: Vec<HashSet<u64>>,
}
impl Names {
    fn id(&mut self, name: &str, site: u64) -> u32 {
        let next = self.names.len() as u32;
        let id = *self.ids.entry(name.to_owned()).or_insert(next);
        if id == next {
            self.names.push(name.to_owned());
            self.sites.push(HashSet::new());
        }
        let s = &mut self.sites[id as usize];
        if s.len() < 10 {
            s.insert(site);
        }
        id
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let out = args.first().ok_or("usage: metadata_ranker OUT [WEIGHTS.rs]")?;
    let data = std::env::var("MAINTEXT_DATA")?;
    let mut names: [Names; 3] = Default::default();
    let mut cases: [Vec<Case>; 3] = Default::default();
    for (s, set) in SETS.iter().enumerate() {
        let path = Path::new(&data).join("train").join(format!("{set}.jsonl.zst"));
        let rows = read(&path)?;
        collect(s, &rows, &mut names, &mut cases);
        eprintln!("{set}: {} pages", rows.len());
    }
    let mut answers: HashMap<(usize, String), serde_json::Map<String, Value>> = HashMap::new();
    let mut weights = Vec::new();
    for (f, field) in FIELDS.iter().enumerate() {
        let usable: Vec<bool> = names[f].sites.iter().map(|s| s.len() >= 3).collect();
        let cases = &cases[f];
        for fold in 0..FOLDS {
            let w = fit(cases.iter().filter(|c| c.site % FOLDS != fold), &usable, f);
            for c in cases.iter().filter(|c| c.site % FOLDS == fold) {
                let best = c.cands.iter().map(|x| (score(&w, x), x)).fold(None, |b: Option<(f32, &Cand)>, x| match b {
                    Some(b) if b.0 >= x.0 => Some(b),
                    _ => Some(x),
                });
                let row = answers.entry((c.set, c.id.clone())).or_default();
                if let Some((s, x)) = best
                    && (s > 0.0 || f == 0)
                {
                    row.insert((*field).into(), json!(x.value));
                }
            }
        }
        report(field, cases, &answers);
        if args.len() > 1 {
            weights.push(fit(cases.iter(), &usable, f));
        }
    }
    for (s, set) in SETS.iter().enumerate() {
        let dir = Path::new(out).join(set);
        std::fs::create_dir_all(&dir)?;
        let mut file = std::io::BufWriter::new(std::fs::File::create(dir.join("ranker.jsonl"))?);
        for ((_, id), row) in answers.iter().filter(|((set, _), _)| *set == s) {
            let mut row = row.clone();
            row.insert("id".into(), json!(id));
            writeln!(file, "{}", Value::Object(row))?;
        }
    }
    if let Some(path) = args.get(1) {
        write_weights(path, &names, &weights)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let file = std::fs::File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut decoder = zstd::Decoder::new(file)?;
    decoder.window_log_max(27)?;
    let mut rows = Vec::new();
    for line in BufReader::new(decoder).lines() {
        rows.push(serde_json::from_str(&line?)?);
    }
    Ok(rows)
}

fn fnv(s: &str) -> u64 {
    let h = s.bytes().fold(0xcbf29ce484222325u64, |h, b| (h ^ b as u64).wrapping_mul(0x100000001b3));
    // The low bits alone would group sites by their last letters.
    (h ^ (h >> 29)).wrapping_mul(0x9e3779b97f4a7c15) >> 16
}

/// score.py's norm: words in lower case.
fn norm(s: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in s.chars() {
        if c.is_alphanumeric() || c == '_' {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.extend(c.to_lowercase());
        } else {
            gap = true;
        }
    }
    out
}

fn html(row: &Value) -> Vec<u8> {
    use base64::Engine;
    match (row["html"].as_str(), row["html_base64"].as_str()) {
        (Some(h), _) => h.as_bytes().to_vec(),
        (_, Some(b)) => base64::engine::general_purpose::STANDARD.decode(b).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn candidates(row: &Value) -> Option<metadata::Candidates> {
    let url = row["url"].as_str().and_then(|u| url::Url::parse(u).ok()).filter(|u| u.has_host());
    let bytes = html(row);
    let mut extractor = Extractor::new(Options::default()).ok()?;
    let a = extractor.analyze(&bytes, url.as_ref(), None).ok()?;
    let kept: Vec<bool> = a.verdicts.iter().map(|v| v.keep).collect();
    let view = View { source: &a.source, dom: &a.dom, blocks: &a.blocks, url: url.as_ref().map(url::Url::as_str) };
    Some(metadata::candidates(&view, &kept, url.as_ref(), None))
}

fn collect(set: usize, rows: &[Value], names: &mut [Names; 3], cases: &mut [Vec<Case>; 3]) {
    let done: Mutex<Vec<(usize, metadata::Candidates)>> = Mutex::new(Vec::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(row) = rows.get(i) else { break };
                    if let Some(c) = candidates(row) {
                        done.lock().unwrap().push((i, c));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|d| d.0);
    for (i, found) in done {
        let row = &rows[i];
        let id = row["id"].as_str().unwrap_or("").to_owned();
        let site = fnv(row["site"].as_str().unwrap_or(&id));
        for (f, list) in [found.title, found.author, found.date].into_iter().enumerate() {
            let truth = row[FIELDS[f]].as_str().unwrap_or("");
            let values: Vec<&str> = list.iter().map(|c| c.value.as_str()).collect();
            let positive = labels(f, truth, &values);
            let cands = list.iter().zip(positive).map(|(c, positive)| Cand {
                value: c.value.clone(),
                features: c.features.iter().map(|(n, v, _)| (names[f].id(n, site), *v)).collect(),
                positive,
            });
            // A set without any value of a field says nothing about the field.
            let silent = f > 0 && truth.is_empty() && matches!(SETS[set], "wcxb-dev" | "misinfo-crawler");
            if truth.is_empty() && !silent {
                continue;
            }
            let weight = if silent { SILENT } else { 1.0 };
            cases[f].push(Case {
                set,
                id: id.clone(),
                site,
                stated: !truth.is_empty(),
                weight,
                cands: cands.collect(),
            });
        }
    }
}

/// Which candidates are the truth.
fn labels(field: usize, truth: &str, values: &[&str]) -> Vec<bool> {
    let t = norm(truth);
    if t.is_empty() {
        return vec![false; values.len()];
    }
    if field == 2 {
        return values.iter().map(|v| v.get(..10) == truth.get(..10)).collect();
    }
    let exact: Vec<bool> = values.iter().map(|v| norm(v) == t).collect();
    if field == 0 || exact.contains(&true) {
        return exact;
    }
    // Authors: the candidate that shares most with the truth, as score.py's containment allows.
    let fit = |v: &&str| {
        let v = norm(v);
        if v.is_empty() || !(v.contains(&t) || t.contains(&v)) {
            0
        } else {
            1000 * v.len().min(t.len()) / v.len().max(t.len())
        }
    };
    let best = values.iter().map(fit).max().unwrap_or(0);
    values.iter().map(|v| best > 0 && fit(v) == best).collect()
}

fn score(w: &[f32], c: &Cand) -> f32 {
    c.features.iter().map(|&(i, v)| w[i as usize] * v).sum()
}

fn fit<'a>(cases: impl Iterator<Item = &'a Case>, usable: &[bool], field: usize) -> Vec<f32> {
    let l2: f32 = std::env::var("L2").ok().and_then(|v| v.parse().ok()).unwrap_or(0.002);
    let cases: Vec<&Case> = cases.filter(|c| !c.stated || c.cands.iter().any(|x| x.positive)).collect();
    let mut w = vec![0f32; usable.len()];
    let mut h = vec![1e-3f32; usable.len()];
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let mut seed = 1u64;
    for epoch in 0..EPOCHS {
        for i in (1..order.len()).rev() {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            order.swap(i, (seed >> 33) as usize % (i + 1));
        }
        let rate = RATE * (1.0 - epoch as f32 / EPOCHS as f32).max(0.05);
        for &c in &order {
            let c = cases[c];
            let scores: Vec<f32> = c.cands.iter().map(|x| score(&w, x)).collect();
            // The title has no "does not say".
            let none = if field == 0 { f32::NEG_INFINITY } else { 0.0 };
            let max = scores.iter().copied().fold(none, f32::max);
            let exp: Vec<f32> = scores.iter().map(|s| (s - max).exp()).collect();
            let sum: f32 = exp.iter().sum::<f32>() + (none - max).exp();
            let good: f32 = c.cands.iter().zip(&exp).filter(|(x, _)| x.positive).map(|(_, e)| e).sum();
            for (x, e) in c.cands.iter().zip(&exp) {
                let p = e / sum;
                let target = if x.positive { e / good.max(1e-20) } else { 0.0 };
                let g = (p - target) * c.weight;
                if g.abs() < 1e-4 {
                    continue;
                }
                for &(i, v) in &x.features {
                    let i = i as usize;
                    if usable[i] {
                        let g = g * v + l2 * w[i];
                        h[i] += g * g;
                        w[i] -= rate * g / h[i].sqrt();
                    }
                }
            }
        }
    }
    w
}

fn report(field: &str, cases: &[Case], answers: &HashMap<(usize, String), serde_json::Map<String, Value>>) {
    for (s, set) in SETS.iter().enumerate() {
        let (mut n, mut right, mut reachable, mut silent, mut invented) = (0, 0, 0, 0, 0);
        for c in cases.iter().filter(|c| c.set == s) {
            let answer = answers.get(&(s, c.id.clone())).and_then(|a| a.get(field)).and_then(Value::as_str);
            if !c.stated {
                silent += 1;
                invented += answer.is_some() as usize;
                continue;
            }
            n += 1;
            reachable += c.cands.iter().any(|x| x.positive) as usize;
            right += c.cands.iter().any(|x| x.positive && Some(x.value.as_str()) == answer) as usize;
        }
        if n > 0 {
            let pc = |x: usize| 100.0 * x as f32 / n as f32;
            println!(
                "{field:7} {set:24} n {n:4} right {:5.1} reachable {:5.1}   silent {silent} given {invented}",
                pc(right),
                pc(reachable)
            );
        }
    }
}

fn write_weights(path: &str, names: &[Names; 3], weights: &[Vec<f32>]) -> std::io::Result<()> {
    let mut out = String::from(
        "//! Weights of the rankers, by the hash of the feature's name. Written by\n//! `cargo run --release -p maintext --example metadata_ranker -- OUT crates/maintext/src/metadata/weights.rs`; do not edit.\nuse super::rank::Weights;\n",
    );
    for (f, w) in weights.iter().enumerate() {
        let mut rows: Vec<(u64, f32)> = w
            .iter()
            .enumerate()
            .filter(|(_, w)| w.abs() >= 0.02)
            .map(|(i, w)| (metadata::feature_hash(&names[f].names[i]), *w))
            .collect();
        rows.sort_by_key(|r| r.0);
        rows.dedup_by_key(|r| r.0);
        out += &format!(
            "\n#[rustfmt::skip]\n#[allow(clippy::all)]\npub(crate) const {}: &Weights = &[\n",
            FIELDS[f].to_uppercase()
        );
        for line in rows.chunks(4) {
            let cells: Vec<String> = line.iter().map(|(h, w)| format!("({h:#018x}, {w:.2})")).collect();
            out += &format!("    {},\n", cells.join(", "));
        }
        out += "];\n";
        eprintln!("{}: {} weights", FIELDS[f], rows.len());
    }
    let temporary = format!("{path}.new");
    std::fs::write(&temporary, out)?;
    std::fs::rename(temporary, path)
}
