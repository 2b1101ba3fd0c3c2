//! `cargo xtask fuzz`: builds the fuzz targets and runs each for some seconds.
//!
//! libFuzzer only needs coverage counters, which the stable compiler can insert, so neither a nightly compiler nor cargo-fuzz is
//! required. The fuzzed code has a single unsafe line, so sanitizers would add little.
use crate::args;
use crate::run::{cargo, root, run, target};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const USAGE: &str = "usage: cargo xtask fuzz [--seconds N] [--jobs N] [--seed N] [TARGET...]

  TARGET       targets to run, files of fuzz/fuzz_targets/ [default: all]
  --seconds N  seconds per target [default: 60]
  --jobs N     targets at the same time [default: number of processors]
  --seed N     random seed [default: 1, so that a short run from an empty corpus can be repeated]

Each target keeps its corpus in target/fuzz/corpus/TARGET for the next run, inputs that make it fail in
target/fuzz/TARGET-crash-..., and its output in target/fuzz/TARGET.log. Exits with 1 if a target fails.";

/// Compiler flags: one-byte coverage counters with a table of their addresses, and tracing of comparisons.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";

/// Longest input in bytes, longest time for one input in seconds, largest memory in MB.
const LIMITS: [&str; 3] = ["-max_len=16384", "-timeout=30", "-rss_limit_mb=2048"];

/// The arguments of the command.
struct Request {
    targets: Vec<String>,
    seconds: u64,
    jobs: usize,
    seed: u64,
}

/// Returns the names of all targets, sorted.
fn all() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let files = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> =
        files.filter_map(|f| f.ok()?.path().file_stem().map(|s| s.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}

fn request(args: &[String]) -> Result<Option<Request>, String> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut r = Request { targets: Vec::new(), seconds: 60, jobs, seed: 1 };
    let known = all()?;
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--seconds" => r.seconds = values.number()?,
            "--jobs" => r.jobs = values.number()? as usize,
            "--seed" => r.seed = values.number()?,
            target if known.iter().any(|k| k == target) => r.targets.push(target.into()),
            _ => return Err(format!("unknown target '{arg}'; the targets are {}\n\n{USAGE}", known.join(", "))),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(None);
    }
    if r.targets.is_empty() {
        r.targets = known;
    }
    Ok(Some(r))
}

/// Returns the compiler's name for this machine. Passing it to cargo applies the flags to the targets only, not to build scripts.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let out = Command::new(rustc).arg("-vV").output().map_err(|e| format!("rustc did not start: {e}"))?;
    let said = String::from_utf8_lossy(&out.stdout);
    let host = said.lines().find_map(|l| l.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("'rustc -vV' does not print its host: {said}"))
}

/// Builds the targets and returns their folder.
fn build(folder: &Path, targets: &[String]) -> Result<PathBuf, String> {
    let host = host()?;
    let mut command = cargo(&["build", "--release", "--quiet", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    command.args(["--target", &host]).args(targets.iter().flat_map(|t| ["--bin", t]));
    run(command.env("CARGO_TARGET_DIR", folder.join("build")).env("RUSTFLAGS", FLAGS))?;
    Ok(folder.join("build").join(host).join("release"))
}

/// Starts a target with its output in a log file.
fn start(binary: &Path, name: &str, folder: &Path, request: &Request) -> Result<Child, String> {
    let corpus = folder.join("corpus").join(name);
    std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let log = folder.join(format!("{name}.log"));
    let log = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let fuzz = root().join("fuzz");
    let own = fuzz.join("seeds").join(name);
    let seeds = if own.is_dir() { vec![own] } else { vec![fuzz.join("seeds/html"), root().join("testdata/small")] };
    let mut command = Command::new(binary);
    command.arg(corpus).args(seeds).args(LIMITS).arg(format!("-max_total_time={}", request.seconds));
    command.arg(format!("-seed={}", request.seed));
    command.arg(format!("-dict={}", fuzz.join("words.dict").display())).arg("-print_final_stats=1");
    command.arg(format!("-artifact_prefix={}", folder.join(format!("{name}-")).display()));
    let child = command.stdout(Stdio::null()).stderr(Stdio::from(log)).spawn();
    child.map_err(|e| format!("{}: {e}", binary.display()))
}

/// Summarises the log of a target: its number of runs and coverage, or the end of the log after a failure.
fn said(folder: &Path, name: &str, good: bool) -> String {
    let log = folder.join(format!("{name}.log"));
    let log = std::fs::read(&log).map_or_else(|e| e.to_string(), |b| String::from_utf8_lossy(&b).into_owned());
    if !good {
        let lines: Vec<&str> = log.lines().collect();
        return lines[lines.len().saturating_sub(30)..].join("\n");
    }
    format!(
        "{} runs, {} places of the code reached",
        value_of(&log, "stat::number_of_executed_units:"),
        value_of(&log, " cov: ")
    )
}

fn value_of(log: &str, label: &str) -> String {
    let value = log.lines().rev().find_map(|l| l.split_once(label)?.1.split_whitespace().next());
    value.unwrap_or("?").to_owned()
}

/// Runs `cargo xtask fuzz`. Needs a C++ compiler, which builds libFuzzer.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let Some(request) = request(args)? else { return Ok(()) };
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return Err(format!("no C++ compiler was found to build libFuzzer ({})", compiler.display()));
    }
    let folder = std::path::absolute(target().join("fuzz")).map_err(|e| e.to_string())?;
    let binaries = build(&folder, &request.targets)?;
    let mut waiting = request.targets.iter();
    let mut running: Vec<(&String, Child)> = Vec::new();
    let mut found = Vec::new();
    loop {
        while running.len() < request.jobs
            && let Some(name) = waiting.next()
        {
            running.push((name, start(&binaries.join(name), name, &folder, &request)?));
        }
        if running.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
        let mut still = Vec::new();
        for (name, mut child) in running {
            match child.try_wait().map_err(|e| format!("{name}: {e}"))? {
                None => still.push((name, child)),
                Some(status) => {
                    println!("{name}: {}", said(&folder, name, status.success()));
                    if !status.success() {
                        found.push(name.as_str());
                    }
                }
            }
        }
        running = still;
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("failures in {}; the inputs are in {}", found.join(", "), folder.display()))
    }
}
