//! Measures the speed of all systems on the same pages, page by page in turns.
//!
//! Each system runs in its own process and measures the processor time of its own work, without the cost of the pipes. The table gives
//! the median of several rounds with their range, because the machine may be busy.
use crate::systems::{Answer, ON_REQUEST, Request, Runner, SYSTEMS, System};
use crate::worker::{Patience, Programs, Worker, seconds};
use maintext_core::blocks::Blocks;
use maintext_core::dom::{Arena, Dom};
use maintext_core::model::Learned;
use maintext_core::{Budget, Extractor, Fields, Formats, Options};
use maintext_learn::data;
use std::cell::RefCell;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

const USAGE: &str = "usage: peers-rs speed --data DIR [--set NAME] [--pages N] [--rounds N] [--python PROGRAM] [--node PROGRAM] [--systems A,B] [--out FILE]";

/// Extracts text and metadata, as the command does without flags.
fn maintext_all(r: &Request) -> Answer {
    thread_local!(static E: RefCell<Option<Extractor>> = const { RefCell::new(None) });
    E.with_borrow_mut(|e| run(e, Options::default(), r))
}

/// Extracts the text only.
fn maintext_text(r: &Request) -> Answer {
    thread_local!(static E: RefCell<Option<Extractor>> = const { RefCell::new(None) });
    let mut options = Options { metadata: false, comments: false, ..Options::default() };
    options.render.images = false;
    E.with_borrow_mut(|e| run(e, options, r))
}

fn run(extractor: &mut Option<Extractor>, options: Options, r: &Request) -> Answer {
    let extractor = match extractor {
        Some(e) => e,
        None => match Extractor::new(options) {
            Ok(e) => extractor.insert(e),
            Err(e) => return Answer::error(e),
        },
    };
    match extractor.extract_at(r.html.as_bytes(), r.url.as_deref(), None) {
        Ok(p) => Answer { text: p.text().to_owned(), title: p.metadata.title, ..Answer::default() },
        Err(e) => Answer::error(e),
    }
}

const fn own(name: &'static str, f: fn(&Request) -> Answer) -> System {
    System { name, runner: Runner::Rust(f), recall: false }
}

/// Gives the column `text` of `batch`: no metadata, but the default handling of comments, images and records.
fn maintext_column(r: &Request) -> Answer {
    thread_local!(static E: RefCell<Option<Extractor>> = const { RefCell::new(None) });
    E.with_borrow_mut(|e| run(e, Options { fields: Fields::NONE, ..Options::default() }, r))
}

/// Gives every format, things, comments, and entries and pagination of list pages.
fn maintext_everything(r: &Request) -> Answer {
    thread_local!(static E: RefCell<Option<Extractor>> = const { RefCell::new(None) });
    let options = Options { formats: Formats::ALL, things: true, page_type: true, ..Options::default() };
    E.with_borrow_mut(|e| run(e, options, r))
}

/// The variants of maintext; [`SYSTEMS`] lists the other systems.
pub const OURS: [System; 4] = [
    own("maintext", maintext_all),
    own("maintext, column text", maintext_column),
    own("maintext, text without comments", maintext_text),
    own("maintext, all formats and fields", maintext_everything),
];

struct Args {
    data: PathBuf,
    set: String,
    pages: usize,
    rounds: usize,
    programs: Programs,
    systems: Vec<String>,
    out: Option<PathBuf>,
}

fn parse(args: &[String]) -> Result<Args, String> {
    let mut out = Args {
        data: std::env::var_os("MAINTEXT_DATA").map(PathBuf::from).unwrap_or_default(),
        set: "wcxb-dev".into(),
        pages: 300,
        rounds: 3,
        programs: Programs::default(),
        systems: ["resiliparse", "dom_smoothie", "rs-trafilatura", "trafilatura-rs", "trafilatura"]
            .map(str::to_owned)
            .into(),
        out: None,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value\n\n{USAGE}"));
        let number = |v: &String| v.parse::<usize>().map_err(|_| format!("'{arg}' takes a number, not '{v}'"));
        match arg.as_str() {
            "--data" => out.data = value()?.into(),
            "--set" => out.set = value()?.clone(),
            "--pages" => out.pages = number(value()?)?,
            "--rounds" => out.rounds = number(value()?)?.max(1),
            "--python" => out.programs.python = value()?.clone(),
            "--node" => out.programs.node = value()?.clone(),
            "--systems" => out.systems = value()?.split(',').map(str::to_owned).collect(),
            "--out" => out.out = Some(value()?.into()),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    Ok(out)
}

/// Reads the pages, spread evenly over the set.
fn pages(args: &Args) -> Result<Vec<Request>, String> {
    let path = ["train", "eval"].map(|d| args.data.join(d).join(format!("{}.jsonl.zst", args.set)));
    let path =
        path.iter().find(|p| p.exists()).ok_or_else(|| format!("no set '{}' in {}", args.set, args.data.display()))?;
    let all = data::read(path).map_err(|e| e.to_string())?;
    let step = (all.len() / args.pages.max(1)).max(1);
    let request = |p: &data::Page| Request {
        html: p.decoded().into_owned(),
        url: p.url.clone().filter(|u| url::Url::parse(u).is_ok_and(|u| u.has_host())),
    };
    Ok(all.iter().step_by(step).take(args.pages).map(request).collect())
}

/// Measures and prints; `--out` writes the Markdown to a file.
pub fn speed(args: &[String]) -> Result<(), String> {
    let args = parse(args)?;
    let pages = pages(&args)?;
    let bytes: usize = pages.iter().map(|p| p.html.len()).sum();
    let others: Result<Vec<&System>, String> = args
        .systems
        .iter()
        .map(|n| SYSTEMS.iter().chain(&ON_REQUEST).find(|s| s.name == n).ok_or_else(|| format!("unknown system '{n}'")))
        .collect();
    let systems: Vec<&System> = OURS.iter().chain(others?).collect();
    let mut workers: Vec<Worker<'_>> = systems.iter().map(|s| Worker::new(s, &args.programs)).collect();
    let patience = Patience { cpu: 60.0, clock: Duration::from_secs(600) };
    // The first round loads imports and models and fills caches; it does not count.
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); systems.len()];
    for round in 0..=args.rounds {
        let mut sums = vec![0.0; systems.len()];
        for (k, page) in pages.iter().enumerate() {
            if round == 0 && k >= 20 {
                break;
            }
            for (sum, worker) in sums.iter_mut().zip(&mut workers) {
                *sum += worker.ask(page, patience)?.cpu;
            }
        }
        if let Some((system, _)) = systems.iter().zip(&sums).find(|(_, sum)| **sum == 0.0) {
            return Err(format!("{}: no answer; is it installed?", system.name));
        }
        if round > 0 {
            times.iter_mut().zip(&sums).for_each(|(t, s)| t.push(*s));
            eprintln!("round {round} of {}", args.rounds);
        }
    }
    let memory = workers[0].peak_memory();
    let mut out = systems_table(&systems, &times, pages.len(), bytes);
    out += &stages_table(&pages, args.rounds, bytes)?;
    if let Some(kb) = memory {
        let _ = writeln!(
            out,
            "\nPeak memory of the process that ran `maintext` over these pages: {:.0} MB.",
            kb as f64 / 1000.0
        );
    }
    print!("{out}");
    match &args.out {
        Some(path) => {
            let beside = path.with_extension("tmp");
            std::fs::write(&beside, &out)
                .and_then(|()| std::fs::rename(&beside, path))
                .map_err(|e| format!("{}: {e}", path.display()))
        }
        None => Ok(()),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut v = values.to_vec();
    v.sort_by(f64::total_cmp);
    v[v.len() / 2]
}

fn systems_table(systems: &[&System], times: &[Vec<f64>], pages: usize, bytes: usize) -> String {
    let mut out = format!(
        "{pages} pages of {:.0} KB on average, processor time on one core, {} rounds in turns.\n\n| system | ms a page | pages a second | MB/s | maintext is faster by |\n| --- | --: | --: | --: | --: |\n",
        bytes as f64 / pages as f64 / 1000.0,
        times[0].len()
    );
    for (system, t) in systems.iter().zip(times) {
        let ms = median(t) * 1000.0 / pages as f64;
        let ratios: Vec<f64> = t.iter().zip(&times[0]).map(|(t, ours)| t / ours).collect();
        let (low, high) = (ratios.iter().copied().fold(f64::MAX, f64::min), ratios.iter().copied().fold(0.0, f64::max));
        let rate = bytes as f64 / median(t) / 1e6;
        let _ = writeln!(
            out,
            "| {} | {ms:.2} | {:.0} | {rate:.0} | {:.2} ({low:.2}–{high:.2}) |",
            system.name,
            1000.0 / ms,
            median(&ratios)
        );
    }
    out
}

/// Measures the stages of maintext, one after another on each page.
fn stages_table(pages: &[Request], rounds: usize, bytes: usize) -> Result<String, String> {
    const STAGES: [&str; 6] = ["decode", "parse", "blocks", "features and model", "metadata", "text"];
    let learned = Learned::shipped().map_err(|e| e.to_string())?;
    let mut times: [Vec<f64>; STAGES.len()] = Default::default();
    let mut text = Extractor::new(Options { metadata: false, ..Options::default() }).map_err(|e| e.to_string())?;
    let mut all = Extractor::new(Options::default()).map_err(|e| e.to_string())?;
    let mut judge = Extractor::new(Options::default()).map_err(|e| e.to_string())?;
    for _ in 0..rounds {
        let mut sums = [0.0; STAGES.len()];
        let mut arena = Arena::new();
        for p in pages {
            let mut stage = |k: usize, start: f64| sums[k] += seconds() - start;
            let start = seconds();
            let source = maintext_core::decode::decode(p.html.as_bytes(), None);
            stage(0, start);
            let start = seconds();
            let dom = Dom::parse_into(arena, &source.text, &Budget::default());
            stage(1, start);
            let start = seconds();
            let blocks = Blocks::new(&dom);
            stage(2, start);
            let start = seconds();
            std::hint::black_box(learned.decide(&dom, &blocks));
            stage(3, start);
            arena = dom.into_arena();
            let url = p.url.as_deref().and_then(|u| url::Url::parse(u).ok());
            let (a, b) = (judge.analyze(&source.text, url.as_ref()), judge.analyze(&source.text, url.as_ref()));
            let start = seconds();
            std::hint::black_box(text.assemble(a, url.clone()));
            let written = seconds() - start;
            stage(5, start);
            let start = seconds();
            std::hint::black_box(all.assemble(b, url));
            sums[4] += (seconds() - start - written).max(0.0);
        }
        times.iter_mut().zip(sums).for_each(|(t, s)| t.push(s));
    }
    let whole: f64 = times.iter().map(|t| median(t)).sum();
    let mut out = "\n| stage | ms a page | share | MB/s |\n| --- | --: | --: | --: |\n".to_owned();
    for (name, t) in STAGES.iter().zip(&times) {
        let t = median(t);
        let _ = writeln!(
            out,
            "| {name} | {:.3} | {:.0} % | {:.0} |",
            t * 1000.0 / pages.len() as f64,
            t / whole * 100.0,
            bytes as f64 / t / 1e6
        );
    }
    Ok(out)
}
