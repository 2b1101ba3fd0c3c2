//! What pages cost as they grow: `cargo xtask scale`.
//!
//! Each construct of [`constructs`], each hostile page of the tests and each pair of constructs is extracted at n, 2n and 4n bytes. A kind whose
//! cost seems to grow faster than its size is extracted at larger sizes, until it does not or until the largest size: buffers that double, limits
//! that take effect and the noise of the clock appear at one size only.

mod constructs;
#[path = "../../tests/it/counting/mod.rs"]
mod counting;
#[path = "../../tests/it/hostile/mod.rs"]
mod hostile;
mod outputs;
mod pages;

use maintext_core::Extractor;
use outputs::{OUTPUTS, SCREENS};
use pages::Kind;
use std::error::Error;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest exponent: 1 is linear, and sorting or buffers in caches take a little more.
const MAX_EXPONENT: f64 = 1.2;

/// The exponent of the last doubling at which a kind is extracted at twice the size: before the growth dominates a linear cost.
const SUSPICIOUS: f64 = 1.2;

/// n, the largest size of suspicious kinds, and the largest size at which single outputs of a failing kind are measured.
const SMALLEST: usize = 8 << 10;
const LARGEST: usize = 1 << 20;
const LARGEST_OF_OUTPUT: usize = 128 << 10;

/// A page that would take more is not extracted: seconds, and bytes of memory.
const MAX_SECONDS: f64 = 4.0;
const MAX_MEMORY: f64 = 1.5e9;

/// How often the time of a page is measured once its kind is suspicious; the least is taken.
const REPETITIONS: usize = 3;

/// A measure of the cost of a page.
struct Measure {
    name: &'static str,
    unit: &'static str,
    /// What a byte of the page may cost.
    per_byte: f64,
    /// Costs below this are noise, or of a constant number of small buffers.
    least: f64,
}

/// Time is measured too, because work that does not charge the page's meter is not counted as work. The limit of memory allows for a page
/// of short elements, each of which is a node and a block; a page of 1 MB may take 1.5 s.
const MEASURES: [Measure; 4] = [
    Measure { name: "work", unit: "units", per_byte: 100.0, least: 10_000.0 },
    Measure { name: "allocated", unit: "bytes", per_byte: 4000.0, least: 4e6 },
    Measure { name: "memory", unit: "bytes", per_byte: 400.0, least: 1e6 },
    Measure { name: "time", unit: "s", per_byte: 1.5e-6, least: 2e-3 },
];
const MEMORY: usize = 2;
const TIME: usize = 3;

/// The size of a page and its costs, in the order of [`MEASURES`].
#[derive(Clone, Copy)]
struct Sample {
    bytes: f64,
    costs: [f64; 4],
}

fn sample(extractor: &mut Extractor, kind: Kind, size: usize, repetitions: usize) -> Sample {
    let page = kind.page(size);
    let mut costs = [f64::INFINITY; 4];
    for _ in 0..repetitions {
        let (allocated, start) = (counting::bytes(), counting::processor());
        let (result, peak) = counting::peak(|| extractor.extract(&page[..]));
        let end = counting::processor();
        let allocated = counting::bytes() - allocated;
        let seconds = start.zip(end).map_or(0.0, |(start, end)| (end - start) as f64 / 1e9);
        // The errors are of pages that are not pages, such as binary files.
        let work = result.map_or(0, |page| page.work);
        let now = [work as f64, allocated as f64, peak as f64, seconds];
        costs = std::array::from_fn(|at| costs[at].min(now[at]));
    }
    Sample { bytes: page.len() as f64, costs }
}

/// A cost that grows too fast, or is too high.
struct Failure {
    name: String,
    output: &'static str,
    measure: &'static Measure,
    exponent: f64,
    per_byte: f64,
    samples: Vec<Sample>,
}

/// Returns the exponent with which a cost grew over the last doublings, apart from the cost of the page without repetition.
fn exponent(samples: &[Sample], at: usize, doublings: usize) -> f64 {
    let (base, last) = (samples[0], samples[samples.len() - 1]);
    // The page without repetition is the first sample.
    let first = samples[(samples.len() - 1).saturating_sub(doublings).max(1)];
    let cost = |sample: Sample| (sample.costs[at] - base.costs[at]).max(MEASURES[at].least / 4.0);
    if last.costs[at] < MEASURES[at].least || last.bytes <= first.bytes {
        return 0.0;
    }
    (cost(last) / cost(first)).ln() / (last.bytes / first.bytes).ln()
}

fn per_byte(samples: &[Sample], at: usize) -> f64 {
    let (base, last) = (samples[0], samples[samples.len() - 1]);
    (last.costs[at] - base.costs[at]) / last.bytes
}

/// Whether the next doubling may show that a cost grows too fast or is too high.
fn is_suspicious(samples: &[Sample], at: usize) -> bool {
    exponent(samples, at, 1) > SUSPICIOUS || per_byte(samples, at) > MEASURES[at].per_byte
}

/// Whether a cost grew too fast, or is too high. Growth counts if it is fast at the end and from the start: pages that leave the caches of the
/// processor take twice the time per byte at some size, and limits that take effect end a growth.
fn is_excessive(samples: &[Sample], at: usize) -> bool {
    let grows = exponent(samples, at, 2).min(exponent(samples, at, samples.len())) > MAX_EXPONENT;
    grows || per_byte(samples, at) > MEASURES[at].per_byte
}

/// Extracts a kind at growing sizes, and returns the costs that grow too fast or are too high.
fn examine(kind: Kind, output: &'static str, extractor: &mut Extractor, largest: usize) -> Vec<Failure> {
    let mut samples = vec![sample(extractor, kind, 0, 1)];
    let mut size = SMALLEST;
    loop {
        let repetitions = if size > 4 * SMALLEST { REPETITIONS } else { 1 };
        samples.push(sample(extractor, kind, size, repetitions));
        let last = samples[samples.len() - 1];
        let next = |at: usize| last.costs[at] * 2f64.powf(exponent(&samples, at, 1).max(1.0));
        if next(TIME) > MAX_SECONDS || next(MEMORY) > MAX_MEMORY || size >= largest {
            break;
        }
        size *= 2;
        if size > 4 * SMALLEST && !(0..MEASURES.len()).any(|at| is_suspicious(&samples, at)) {
            return Vec::new();
        }
    }
    let failing = (0..MEASURES.len()).filter(|at| is_excessive(&samples, *at));
    let failure = |at: usize| Failure {
        name: kind.name(),
        output,
        measure: &MEASURES[at],
        exponent: exponent(&samples, at, 2),
        per_byte: per_byte(&samples, at),
        samples: samples.clone(),
    };
    failing.map(failure).collect()
}

/// The name of an output and its extractor.
type Output = (&'static str, Extractor);

fn extractors(names: &[&'static str]) -> Result<Vec<Output>, maintext_core::Error> {
    names.iter().map(|name| Ok((*name, outputs::extractor(name)?))).collect()
}

/// Examines a kind with everything, and if that fails, or `every` is set, with each output alone, so that the failure names it.
fn examine_outputs(kind: Kind, every: bool, screens: &mut [Output], single: &mut [Output]) -> Vec<Failure> {
    let mut found: Vec<Failure> = screens.iter_mut().flat_map(|(name, e)| examine(kind, name, e, LARGEST)).collect();
    if every || !found.is_empty() {
        found.extend(single.iter_mut().flat_map(|(name, e)| examine(kind, name, e, LARGEST_OF_OUTPUT)));
    }
    found
}

/// Examines kinds until none is left, and passes on the failures.
fn examine_all(
    kinds: &[Kind],
    next: &AtomicUsize,
    every: bool,
    failed: &(dyn Fn(&[Failure]) + Sync),
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut screens = extractors(&SCREENS)?;
    let mut single = extractors(&OUTPUTS)?;
    let shows = std::io::stderr().is_terminal();
    while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
        if shows {
            let _ = write!(std::io::stderr(), "\r{} of {} kinds", next.load(Ordering::Relaxed), kinds.len());
        }
        // Each kind has its own thread, because a stack overflow reports the thread's name.
        let thread = std::thread::Builder::new().name(kind.name());
        let found = std::thread::scope(|scope| {
            let work = || examine_outputs(*kind, every, &mut screens, &mut single);
            thread.spawn_scoped(scope, work).map(|thread| thread.join().expect("no page panics"))
        })?;
        if !found.is_empty() {
            failed(&found);
        }
    }
    Ok(())
}

/// Returns the seconds and megabytes of a page of 1 MB, and whether they were extrapolated with the last exponent.
fn at_one_megabyte(samples: &[Sample]) -> (f64, f64, bool) {
    const SIZE: f64 = 1048576.0;
    let last = samples[samples.len() - 1];
    let at = |at: usize| last.costs[at] * (SIZE / last.bytes).powf(exponent(samples, at, 1).max(1.0));
    (at(TIME), at(MEMORY) / 1e6, last.bytes < SIZE)
}

fn print_head() {
    println!(
        "{:60} {:9} {:9} {:>8} {:>16} {:>8} {:>9} {:>8}",
        "page", "output", "cost", "exponent", "per byte", "KB", "s at 1 MB", "MB"
    );
}

fn print(failure: &Failure) {
    let (seconds, megabytes, is_estimate) = at_one_megabyte(&failure.samples);
    let about = if is_estimate { "~" } else { "" };
    let per_byte = match failure.measure.unit {
        "s" => format!("{:.0} ns", failure.per_byte * 1e9),
        unit => format!("{:.1} {unit}", failure.per_byte),
    };
    println!(
        "{:60} {:9} {:9} {:8.2} {per_byte:>16} {:8.0} {:>9} {:>8}",
        failure.name,
        failure.output,
        failure.measure.name,
        failure.exponent,
        failure.samples[failure.samples.len() - 1].bytes / 1024.0,
        format!("{about}{seconds:.2}"),
        format!("{about}{megabytes:.0}"),
    );
}

fn as_json(failure: &Failure) -> serde_json::Value {
    let (seconds, megabytes, is_estimate) = at_one_megabyte(&failure.samples);
    let samples = failure.samples.iter().map(|s| {
        let costs = MEASURES.iter().zip(s.costs).map(|(m, cost)| (m.name.to_owned(), cost.into()));
        std::iter::once(("bytes".to_owned(), s.bytes.into())).chain(costs).collect::<serde_json::Map<_, _>>().into()
    });
    serde_json::json!({
        "construct": failure.name, "output": failure.output, "cost": failure.measure.name, "exponent": failure.exponent,
        "per_byte": failure.per_byte, "limit_per_byte": failure.measure.per_byte,
        "at_1_mb": { "seconds": seconds, "megabytes": megabytes, "estimated": is_estimate },
        "samples": samples.collect::<Vec<serde_json::Value>>(),
    })
}

/// What the arguments ask for; `xtask/src/scale.rs` describes them.
#[derive(Default)]
struct Request {
    only: String,
    pairs: Option<usize>,
    seed: u64,
    json: bool,
    every: bool,
    print: Option<(String, usize)>,
}

fn request() -> Result<Request, Box<dyn Error + Send + Sync>> {
    let mut request = Request { seed: 1, ..Request::default() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value"));
        match arg.as_str() {
            "--json" => request.json = true,
            "--outputs" => request.every = true,
            "--only" => request.only = value()?,
            "--pairs" => request.pairs = Some(value()?.parse()?),
            "--seed" => request.seed = value()?.parse()?,
            "--print" => request.print = Some((value()?, value()?.parse()?)),
            _ => return Err(format!("unexpected argument '{arg}'").into()),
        }
    }
    Ok(request)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let request = request()?;
    if let Some((name, size)) = request.print {
        let mut kinds = pages::listed();
        kinds.extend(pages::pairs(usize::MAX, 0, ""));
        let kind =
            kinds.into_iter().find(|kind| kind.name() == name).ok_or_else(|| format!("no construct '{name}'"))?;
        return Ok(std::io::stdout().write_all(&kind.page(size))?);
    }
    let mut kinds = match request.pairs {
        Some(most) => pages::pairs(most, request.seed, &request.only),
        None => pages::listed(),
    };
    kinds.retain(|kind| kind.name().contains(&request.only));
    if kinds.is_empty() {
        return Err(format!("no construct has '{}' in its name", request.only).into());
    }
    // Told as they are found: a run over all pairs takes hours.
    if !request.json {
        print_head();
    }
    let (next, failing) = (AtomicUsize::new(0), Mutex::new(0));
    let failed = |found: &[Failure]| {
        let mut failing = failing.lock().expect("no thread panicked");
        *failing += 1;
        for failure in found {
            if request.json {
                println!("{}", as_json(failure));
            } else {
                print(failure);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let work = || examine_all(&kinds, &next, request.every, &failed);
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().try_for_each(|thread| thread.join().expect("no thread panicked"))
    })?;
    let failing = failing.into_inner()?;
    if failing > 0 {
        return Err(format!(
            "{failing} of {} kinds of pages cost too much, or more than in proportion to their size",
            kinds.len()
        )
        .into());
    }
    eprintln!("{} kinds of pages cost in proportion to their size", kinds.len());
    Ok(())
}
