//! Runs published extractors over labelled pages. Their answers go to `OUT/<set>/<system>.jsonl`, one JSON object per page:
//! `{id, text, title, author, date, cpu}`, with `error` after a failure. All systems get the same decoded pages, and the
//! address if known. A panic, a crash or a timeout counts as an empty text.
#![forbid(unsafe_code)]

mod speed;
mod systems;
mod worker;

use maintext_learn::data;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use systems::{Answer, ON_REQUEST, RECALL_SET, Request, Runner, SYSTEMS, System};
use worker::{Patience, Programs, Worker};

const USAGE: &str = "usage: peers-rs speed --data DIR ... (measures speed; see its own usage)
       peers-rs --data DIR --out DIR [--python PROGRAM] [--node PROGRAM]
                [--systems NAME,NAME] [--labels FILE] [--again] [SET...]

  --data DIR      labelled pages: DIR/train/<set>.jsonl.zst, DIR/eval/<set>.jsonl.zst
  --out DIR       the answers: DIR/<set>/<system>.jsonl
  --python PROG   a Python that has bench/requirements.txt installed [default: python3]
  --node PROG     a Node.js, 20 or newer, after 'npm ci' in bench/ [default: node]
  --systems LIST  only these; 'maintext' is this checkout with its shipped models
  --labels FILE   only the pages of these labels (bench/labels/content.jsonl.zst), of all their sets
  --again         replace finished files
  SET             only these sets
";

/// The sets, in the order of the runs.
const SETS: [&str; 16] = [
    "wcxb-dev",
    "magic-html-article",
    "magic-html-forum",
    "web-forum-52",
    "fundus",
    "misinfo-crawler",
    "naeb-newspaper4k",
    "krdwrd-canola",
    "trafilatura-eval",
    "dragnet",
    "l3s-gn1",
    "zh-news-wwwxmu",
    "daniel-multiling",
    "msv-big9",
    "mozilla-readability",
    RECALL_SET,
];

/// Limits for one page. The wall-clock limit is generous, because the machine may be busy.
const PATIENCE: Patience = Patience { cpu: 20.0, clock: Duration::from_secs(600) };

#[derive(Default)]
struct Args {
    data: Option<PathBuf>,
    out: Option<PathBuf>,
    programs: Programs,
    systems: Vec<String>,
    /// The ids of the wanted pages of each set. Empty for all pages.
    labelled: HashMap<String, HashSet<String>>,
    again: bool,
    sets: Vec<String>,
}

/// A page with labels.
#[derive(serde::Deserialize)]
struct Labelled {
    set: String,
    id: String,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--worker", name] => work(name),
        ["speed", ..] => speed::speed(&args[1..]),
        ["-h" | "--help"] => {
            print!("{USAGE}");
            Ok(())
        }
        _ => parse(args).and_then(|args| compare(&args)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("peers-rs: {message}");
            ExitCode::FAILURE
        }
    }
}

fn work(name: &str) -> Result<(), String> {
    match SYSTEMS.iter().chain(&speed::OURS).find(|s| s.name == name).map(|s| s.runner) {
        Some(Runner::Rust(run)) => worker::work(run),
        _ => Err(format!("not a system written in Rust: '{name}'")),
    }
}

fn parse(args: Vec<String>) -> Result<Args, String> {
    let mut out = Args::default();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value"));
        match arg.as_str() {
            "--data" => out.data = Some(value()?.into()),
            "--out" => out.out = Some(value()?.into()),
            "--python" => out.programs.python = value()?,
            "--node" => out.programs.node = value()?,
            "--systems" => out.systems = value()?.split(',').map(str::to_owned).collect(),
            "--labels" => out.labelled = labelled(&value()?)?,
            "--again" => out.again = true,
            _ if arg.starts_with('-') => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
            _ => out.sets.push(arg),
        }
    }
    if let Some(name) = out.systems.iter().find(|n| !known().any(|s| s.name == n.as_str())) {
        return Err(format!(
            "unknown system '{name}'; the systems are {}",
            known().map(|s| s.name).collect::<Vec<_>>().join(", ")
        ));
    }
    if out.sets.is_empty() {
        out.sets = out.labelled.keys().cloned().collect();
        out.sets.sort();
    }
    if out.sets.is_empty() {
        out.sets = SETS.map(str::to_owned).into();
    }
    if out.systems.is_empty() {
        out.systems = SYSTEMS.map(|s| s.name.to_owned()).into();
    }
    Ok(out)
}

/// The systems that `--systems` may name: all others, and maintext with its default settings.
fn known() -> impl Iterator<Item = &'static System> {
    SYSTEMS.iter().chain(&ON_REQUEST).chain(&speed::OURS[..1])
}

fn labelled(path: &str) -> Result<HashMap<String, HashSet<String>>, String> {
    let text = data::read_text(Path::new(path)).map_err(|e| e.to_string())?;
    let mut out: HashMap<_, HashSet<_>> = HashMap::new();
    for line in text.lines() {
        let page: Labelled = serde_json::from_str(line).map_err(|e| format!("{path}: {e}"))?;
        out.entry(page.set).or_default().insert(page.id);
    }
    Ok(out)
}

fn compare(args: &Args) -> Result<(), String> {
    let data = args.data.as_deref().ok_or(format!("'--data' is missing\n\n{USAGE}"))?;
    let out = args.out.as_deref().ok_or(format!("'--out' is missing\n\n{USAGE}"))?;
    // One system after another, the slow ones last.
    for system in known().filter(|s| args.systems.iter().any(|n| n == s.name)) {
        for set in args.sets.iter().filter(|set| !system.recall || set.as_str() == RECALL_SET) {
            let path = ["train", "eval"].map(|d| data.join(d).join(format!("{set}.jsonl.zst")));
            let path =
                path.iter().find(|p| p.exists()).ok_or_else(|| format!("no set '{set}' in {}", data.display()))?;
            let target = out.join(set).join(format!("{}.jsonl", system.name));
            if args.again || !target.exists() {
                let mut worker = Worker::new(system, &args.programs);
                let ids = args.labelled.get(set);
                let what =
                    run(path, ids, &target, &mut worker).map_err(|e| format!("{} on {set}: {e}", system.name))?;
                println!("{set} {}: {what}", system.name);
            }
        }
    }
    Ok(())
}

/// Runs a system on all pages of a set, or only on the pages with the given ids. Writes a temporary file and renames it.
fn run(set: &Path, ids: Option<&HashSet<String>>, target: &Path, worker: &mut Worker<'_>) -> Result<String, String> {
    let told = |e: std::io::Error| format!("{}: {e}", target.display());
    fs::create_dir_all(target.parent().unwrap_or(target)).map_err(told)?;
    let beside = target.with_extension("jsonl.tmp");
    let mut file = BufWriter::new(fs::File::create(&beside).map_err(told)?);
    let (mut pages, mut errors, mut empty, mut cpu) = (0, 0, 0, 0.0);
    for page in data::Reader::open(set).map_err(|e| e.to_string())? {
        let page = page.map_err(|e| e.to_string())?;
        if ids.is_some_and(|ids| !ids.contains(&page.id)) {
            continue;
        }
        let url = page.url.clone().filter(|u| url::Url::parse(u).is_ok_and(|u| u.has_host()));
        let answer = worker.ask(&Request { html: page.decoded().into_owned(), url }, PATIENCE)?;
        pages += 1;
        errors += answer.error.is_some() as usize;
        empty += answer.text.trim().is_empty() as usize;
        cpu += answer.cpu;
        writeln!(file, "{}", line(&page.id, &answer)).map_err(told)?;
    }
    file.into_inner().map_err(|e| told(e.into_error()))?.sync_all().map_err(told)?;
    fs::rename(&beside, target).map_err(told)?;
    Ok(format!(
        "{pages} pages, {empty} empty of which {errors} errors, {:.1} pages/s",
        pages as f64 / f64::max(cpu, 1e-9)
    ))
}

fn line(id: &str, a: &Answer) -> String {
    let mut line = serde_json::json!({
        "id": id, "text": a.text, "title": a.title, "author": a.author, "date": a.date, "cpu": a.cpu,
    });
    if let Some(error) = &a.error {
        line["error"] = error.as_str().into();
    }
    line.to_string()
}
