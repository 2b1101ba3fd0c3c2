//! Fits the rankers of title, author and publication date, and measures them by cross-validation over sites.
//!
//! ```text
//! MAINTEXT_DATA=data cargo run --release -p maintext --example metadata_ranker -- OUT [WEIGHTS.rs]
//! ```
//! Reads every annotated set of `$MAINTEXT_DATA/train`, writes `OUT/SET/ranker.jsonl` (id, title, author, date: each page
//! judged by weights that were fitted without its site) and, if asked, the weights fitted on all pages.
//!
//! The model is a conditional logit: of a page's candidates and "the page does not say" one is the truth; scores are
//! linear in the features (Adagrad, L2, features of at least three sites), then corrected by gradient-boosted trees over the best
//! candidates. The trees learn from scores of linear models that did not see the page's site.
use maintext::metadata::training::{COMPARED, COMPUTED, GROUPS, THRESHOLD, group};
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
        let frequent = frequent(cases, &names[f]);
        if std::env::var("ONLY").is_ok_and(|only| only != *field) {
            continue;
        }
        let mut curve: Vec<(usize, f32, bool, bool)> = Vec::new();
        for fold in 0..FOLDS {
            let train: Vec<&Case> = cases.iter().filter(|c| c.site % FOLDS != fold).collect();
            let model = fit_both(&train, &usable, &frequent, &names[f], f);
            for c in cases.iter().filter(|c| c.site % FOLDS == fold) {
                let row = answers.entry((c.set, c.id.clone())).or_default();
                if let Some((score, value)) = model.answer(c) {
                    curve.push((c.set, score, c.stated, c.cands.iter().any(|x| x.positive && x.value == value)));
                    if f > 0 && score <= THRESHOLD {
                        continue;
                    }
                    row.insert((*field).into(), json!(value));
                }
            }
        }
        report(field, cases, &answers);
        for t in [-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0] {
            let right: Vec<String> = [0, 2, 3, 6, 7]
                .iter()
                .map(|&s| {
                    let stated = cases.iter().filter(|c| c.set == s && c.stated).count().max(1);
                    format!(
                        "{:5.1}",
                        100.0 * curve.iter().filter(|c| c.0 == s && c.3 && c.1 >= t).count() as f32 / stated as f32
                    )
                })
                .collect();
            let silent = curve.iter().filter(|c| !c.2 && c.1 >= t).count();
            println!("{field:7} threshold {t:4.1} right {} silent given {silent}", right.join(" "));
        }
        if args.len() > 1 {
            weights.push(fit_both(&cases.iter().collect::<Vec<_>>(), &usable, &frequent, &names[f], f));
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
    let decoded = extractor.decode(&bytes, None).ok()?;
    let a = extractor.analyze(&decoded.text, url.as_ref());
    let kept: Vec<bool> = a.verdicts.iter().map(|v| v.keep).collect();
    let view = View { source: a.source, dom: &a.dom, blocks: &a.blocks, url: url.as_ref().map(url::Url::as_str) };
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
    // "Jane Doe and John Roe" are the same persons as "Jane Doe, John Roe".
    let same = |v: &str| {
        norm(v)
            .split(' ')
            .filter(|w| field == 0 || !matches!(*w, "and" | "und" | "et" | "y"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let t_persons = same(truth);
    let exact: Vec<bool> = values.iter().map(|v| same(v) == t_persons).collect();
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
    let l2: f32 = std::env::var("L2").ok().and_then(|v| v.parse().ok()).unwrap_or(0.01);
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

/// The features that the trees may ask for: those of many candidates and of no single publisher's vocabulary.
fn frequent(cases: &[Case], names: &Names) -> Vec<Option<u16>> {
    let mut counts = vec![0usize; names.names.len()];
    let mut total = 0;
    for x in cases.iter().flat_map(|c| &c.cands) {
        total += 1;
        x.features.iter().for_each(|f| counts[f.0 as usize] += 1);
    }
    let mut next = COMPUTED as u16;
    let open = |n: &str| ![1, 2, 3, 4].contains(&group(n)) && !n.starts_with("w:");
    let wanted = names
        .names
        .iter()
        .zip(&counts)
        .zip(&names.sites)
        .map(|((n, &c), s)| c * 100 >= total && s.len() >= 8 && open(n));
    wanted
        .map(|w| {
            w.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

/// A linear model and the trees that correct it.
struct Fitted {
    weights: Vec<f32>,
    groups: Vec<usize>,
    inputs: Vec<Option<u16>>,
    trees: Vec<Tree>,
}

struct Tree {
    splits: [(u16, f32); 15],
    leaves: [f32; 16],
}

impl Tree {
    fn leaf(&self, x: &[f32]) -> usize {
        let mut i = 0;
        while i < 15 {
            let (input, threshold) = self.splits[i];
            i = 2 * i + 1 + (x[input as usize] > threshold) as usize;
        }
        i - 15
    }
}

impl Fitted {
    /// The best candidates by the linear score: index, score, inputs of the trees.
    fn compared(&self, c: &Case) -> Vec<(usize, f32, Vec<f32>)> {
        let mut linear: Vec<(usize, f32, [f32; GROUPS])> = Vec::new();
        for (i, x) in c.cands.iter().enumerate() {
            let mut parts = [0.0; GROUPS];
            for &(f, v) in &x.features {
                parts[self.groups[f as usize]] += v * self.weights[f as usize];
            }
            linear.push((i, parts.iter().sum(), parts));
        }
        // Candidates are in the order of their scores by the weights that are compiled in: break ties by value.
        linear.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| c.cands[a.0].value.cmp(&c.cands[b.0].value)));
        let best = [0, 1].map(|i| linear.get(i).map_or(0.0, |l| l.1));
        let size = COMPUTED + self.inputs.iter().flatten().count();
        linear
            .iter()
            .take(COMPARED)
            .enumerate()
            .map(|(rank, (i, score, parts))| {
                let mut x = vec![0.0; size];
                let other = if rank == 0 { best[1] } else { best[0] };
                x[..4].copy_from_slice(&[*score, score - other, rank as f32, c.cands.len() as f32]);
                x[4..COMPUTED].copy_from_slice(parts);
                for &(f, v) in &c.cands[*i].features {
                    if let Some(at) = self.inputs[f as usize] {
                        x[at as usize] = v;
                    }
                }
                (*i, *score, x)
            })
            .collect()
    }
    fn answer<'c>(&self, c: &'c Case) -> Option<(f32, &'c str)> {
        let mut best: Option<(f32, &str)> = None;
        for (i, s, x) in self.compared(c) {
            let s = s + self.trees.iter().map(|t| t.leaves[t.leaf(&x)]).sum::<f32>();
            if best.is_none_or(|b| s > b.0) {
                best = Some((s, &c.cands[i].value));
            }
        }
        best
    }
}

/// One row of the trees' training: a candidate.
struct Row {
    x: Vec<u8>,
    margin: f32,
    positive: bool,
}

const TREES: usize = 120;
const SHRINKAGE: f32 = 0.08;
const LEAF_L2: f64 = 8.0;
const BINS: usize = 32;

fn fit_both(train: &[&Case], usable: &[bool], inputs: &[Option<u16>], names: &Names, field: usize) -> Fitted {
    const INNER: u64 = 4;
    let groups: Vec<usize> = names.names.iter().map(|n| group(n)).collect();
    let make = |weights| Fitted { weights, groups: groups.clone(), inputs: inputs.to_vec(), trees: Vec::new() };
    let mut pages: Vec<Weighed> = Vec::new();
    for inner in 0..INNER {
        let part = |c: &&&Case| (c.site / FOLDS) % INNER == inner;
        let model = make(fit(train.iter().filter(|c| !part(c)).copied(), usable, field));
        for c in train.iter().filter(part) {
            let rows: Vec<_> = model.compared(c).into_iter().map(|(i, s, x)| (s, c.cands[i].positive, x)).collect();
            if !c.stated || rows.iter().any(|r| r.1) {
                pages.push((c.weight, rows));
            }
        }
    }
    let mut model = make(fit(train.iter().copied(), usable, field));
    if std::env::var("LINEAR").is_err() {
        model.trees = boost(&pages, field);
    }
    model
}

/// A page's weight, and of each candidate its score, whether it is right, and its features.
type Weighed = (f32, Vec<(f32, bool, Vec<f32>)>);

/// Gradient boosting of the softmax over the candidates of a page.
fn boost(pages: &[Weighed], field: usize) -> Vec<Tree> {
    let size = pages.iter().flat_map(|p| &p.1).map(|r| r.2.len()).next().unwrap_or(0);
    let cuts: Vec<Vec<f32>> = (0..size).map(|f| quantiles(pages.iter().flat_map(|p| &p.1).map(|r| r.2[f]))).collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut spans = Vec::new();
    for (weight, page) in pages {
        let start = rows.len();
        for (margin, positive, x) in page {
            let x = x.iter().zip(&cuts).map(|(v, c)| c.partition_point(|t| t < v) as u8).collect();
            rows.push(Row { x, margin: *margin, positive: *positive });
        }
        spans.push((*weight, start..rows.len()));
    }
    let none = if field == 0 { f32::NEG_INFINITY } else { 0.0 };
    let mut trees = Vec::new();
    for _ in 0..TREES {
        let mut grad = vec![(0f64, 0f64); rows.len()];
        for (weight, span) in &spans {
            let page = &rows[span.clone()];
            let max = page.iter().map(|r| r.margin).fold(none, f32::max);
            let e: Vec<f32> = page.iter().map(|r| (r.margin - max).exp()).collect();
            let sum = e.iter().sum::<f32>() + (none - max).exp();
            let good: f32 = page.iter().zip(&e).filter(|(r, _)| r.positive).map(|(_, e)| e).sum();
            for (k, (r, e)) in page.iter().zip(&e).enumerate() {
                let p = e / sum;
                let target = if r.positive { e / good.max(1e-20) } else { 0.0 };
                grad[span.start + k] =
                    (f64::from((target - p) * weight), f64::from((p * (1.0 - p)).max(1e-4) * weight));
            }
        }
        let tree = grow(&rows, &grad, &cuts);
        for r in &mut rows {
            let mut i = 0;
            while i < 15 {
                let (f, b) = tree.1[i];
                i = 2 * i + 1 + (r.x[f as usize] > b) as usize;
            }
            r.margin += tree.0.leaves[i - 15];
        }
        trees.push(tree.0);
    }
    trees
}

fn quantiles(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut v: Vec<f32> = values.collect();
    v.sort_by(f32::total_cmp);
    let mut cuts: Vec<f32> = (1..BINS).map(|i| v[(v.len() * i / BINS).min(v.len() - 1)]).collect();
    // A rare flag lies between two quantiles.
    cuts.push(v[0]);
    cuts.sort_by(f32::total_cmp);
    cuts.dedup();
    cuts
}

/// A tree of depth 4, level by level; the second part has its splits as bins.
fn grow(rows: &[Row], grad: &[(f64, f64)], cuts: &[Vec<f32>]) -> (Tree, [(u16, u8); 15]) {
    let mut node = vec![0usize; rows.len()];
    let mut bins = [(0u16, u8::MAX); 15];
    let mut splits = [(0u16, f32::MAX); 15];
    for depth in 0..4 {
        let first = (1 << depth) - 1;
        let width = 1 << depth;
        let mut hist = vec![[(0f64, 0f64); BINS + 2]; width * cuts.len()];
        for ((r, g), n) in rows.iter().zip(grad).zip(&node) {
            let base = (n - first) * cuts.len();
            for (f, &b) in r.x.iter().enumerate() {
                let h = &mut hist[base + f][b as usize];
                h.0 += g.0;
                h.1 += g.1;
            }
        }
        for k in 0..width {
            let mut best = 1e-3;
            for f in 0..cuts.len() {
                let h = &hist[k * cuts.len() + f];
                let (g, w) = h.iter().fold((0.0, 0.0), |a, x| (a.0 + x.0, a.1 + x.1));
                let value = |g: f64, w: f64| g * g / (w + LEAF_L2);
                let (mut gl, mut wl) = (0.0, 0.0);
                for b in 0..cuts[f].len() {
                    gl += h[b].0;
                    wl += h[b].1;
                    let gain = value(gl, wl) + value(g - gl, w - wl) - value(g, w);
                    if gain > best && wl > 1.0 && w - wl > 1.0 {
                        best = gain;
                        bins[first + k] = (f as u16, b as u8);
                        splits[first + k] = (f as u16, cuts[f][b]);
                    }
                }
            }
        }
        for (r, n) in rows.iter().zip(&mut node) {
            let (f, b) = bins[*n];
            *n = 2 * *n + 1 + (r.x[f as usize] > b) as usize;
        }
    }
    let mut sums = [(0f64, 0f64); 16];
    for (n, g) in node.iter().zip(grad) {
        let s = &mut sums[n - 15];
        s.0 += g.0;
        s.1 += g.1;
    }
    let leaves = sums.map(|(g, w)| SHRINKAGE * (g / (w + LEAF_L2)) as f32);
    (Tree { splits, leaves }, bins)
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
            if let Ok(dir) = std::env::var("UNREACHABLE")
                && !c.cands.iter().any(|x| x.positive)
            {
                use std::fs::OpenOptions;
                let path = format!("{dir}/unreach_{set}_{field}.txt");
                let _ =
                    OpenOptions::new().create(true).append(true).open(path).and_then(|mut f| writeln!(f, "{}", c.id));
            }
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

fn write_weights(path: &str, names: &[Names; 3], models: &[Fitted]) -> std::io::Result<()> {
    let mut out = String::from(
        "//! Weights and trees of the rankers, by the hash of the feature's name. Written by\n//! `cargo run --release -p maintext --example metadata_ranker -- OUT crates/maintext/src/metadata/weights.rs`; do not edit.\nuse super::rank::{Model, Tree};\n",
    );
    for (f, m) in models.iter().enumerate() {
        let hash = |i: usize| metadata::feature_hash(&names[f].names[i]);
        let mut rows: Vec<(u64, f32)> =
            m.weights.iter().enumerate().filter(|(_, w)| w.abs() >= 0.05).map(|(i, w)| (hash(i), *w)).collect();
        rows.sort_by_key(|r| r.0);
        rows.dedup_by_key(|r| r.0);
        let mut inputs: Vec<(u64, u16)> =
            m.inputs.iter().enumerate().filter_map(|(i, at)| Some((hash(i), (*at)?))).collect();
        inputs.sort_unstable();
        out += &format!(
            "\n#[rustfmt::skip]\npub(crate) const {}: Model = Model {{\n    weights: &[\n",
            FIELDS[f].to_uppercase()
        );
        for line in rows.chunks(4) {
            let cells: Vec<String> = line.iter().map(|(h, w)| format!("({h:#018x}, {w:.2})")).collect();
            out += &format!("        {},\n", cells.join(", "));
        }
        out += "    ],\n    inputs: &[\n";
        for line in inputs.chunks(4) {
            let cells: Vec<String> = line.iter().map(|(h, i)| format!("({h:#018x}, {i})")).collect();
            out += &format!("        {},\n", cells.join(", "));
        }
        out += "    ],\n    trees: &[\n";
        for t in &m.trees {
            let splits: Vec<String> = t.splits.iter().map(|(f, v)| format!("({f}, {:.4})", v.min(1e9))).collect();
            let leaves: Vec<String> = t.leaves.iter().map(|v| format!("{v:.4}")).collect();
            out += &format!("        Tree {{ splits: [{}], leaves: [{}] }},\n", splits.join(", "), leaves.join(", "));
        }
        out += "    ],\n};\n";
        eprintln!("{}: {} weights, {} inputs, {} trees", FIELDS[f], rows.len(), inputs.len(), m.trees.len());
    }
    let temporary = format!("{path}.new");
    std::fs::write(&temporary, out)?;
    std::fs::rename(temporary, path)
}
