//! Experiments with the shipped model's settings.
use maintext_train::shipped::*;
use std::path::Path;

fn env<T: std::str::FromStr>(k: &str, d: T) -> T {
    std::env::var(k).ok().and_then(|v| v.parse().ok()).unwrap_or(d)
}

fn main() {
    let t = std::time::Instant::now();
    let dir = std::env::var("MAINTEXT_DATA").unwrap();
    let samples = load(Path::new(&dir), |m| eprintln!("{m}")).unwrap();
    let mut samples = samples;
    if std::env::var("NOSNIP").is_ok() {
        samples.retain(|s| !s.gold.is_empty());
    }
    println!("{} pages {:?}", samples.len(), t.elapsed());
    let mut run = settings(1);

    let hold = if std::env::var("SETSOUT").is_ok() { HoldOut::Sets } else { HoldOut::Sites };
    if run.second.trees == 0 {
        let fold: Vec<usize> = samples.iter().map(|s| maintext_train::learned::fold_of(&s.site)).collect();
        let rows = rows(&samples);
        let out = maintext_train::learned::cross_validate(&samples, &fold, &rows, &run, |_| ());
        print!("first");
        for (k, (_, f1, _)) in report(&samples, |i| maintext_train::learned::page_f1(&samples[i], &out.first[i], 1.0)) {
            print!(" {}={:.4}", k.replace("wcxb-dev/", "w/"), f1);
        }
        println!(" {:?}", t.elapsed());
        return;
    }
    let trained = train(&samples, hold, &run, |m| println!("{m} {:?}", t.elapsed()));
    for (name, p) in [("first", &trained.outcome.first), ("second", &trained.outcome.second)] {
        print!("{name:8}");
        for (k, (_, f1, _)) in report(&samples, |i| maintext_train::learned::page_f1(&samples[i], &p[i], 1.0)) {
            print!(" {}={:.4}", k.replace("wcxb-dev/", "w/"), f1);
        }
        println!();
    }
    print!("decided ");
    for (k, (_, f1, _)) in report(&samples, |i| trained.decided.f1[i]) {
        print!(" {}={:.4}", k.replace("wcxb-dev/", "w/"), f1);
    }
    println!();
    println!("{:?}", trained.model.block_calibration);
    if let Ok(path) = std::env::var("MODEL") {
        std::fs::write(path, trained.model.to_bytes()).unwrap();
    }
    if let Ok(path) = std::env::var("DUMP") {
        use std::io::Write;
        let out = &trained.outcome;
        let mut f = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        for (i, s) in samples.iter().enumerate().filter(|(_, s)| !s.gold.is_empty()) {
            let blocks: Vec<_> = (0..s.blocks.len())
                .map(|b| {
                    serde_json::json!([
                        s.labels.share[b],
                        out.first[i][b],
                        out.second[i][b],
                        s.blocks.text(b),
                        s.labels.words[b]
                    ])
                })
                .collect();
            let v = serde_json::json!({"id": s.id, "set": s.set, "kind": s.kind, "site": s.site, "oracle": s.f1(s.labels.positive()),
                "f1": maintext_train::learned::page_f1(s, &out.second[i], 1.0), "missing": s.labels.missing, "gold": s.labels.gold_words, "blocks": blocks});
            writeln!(f, "{v}").unwrap();
        }
    }
}
