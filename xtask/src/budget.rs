//! `cargo xtask budget`: counts instructions by stage with callgrind, and compares them with the limits in `.ci/budget`.
//!
//! Counters of the processor would be quicker, but virtual machines rarely have them.
use crate::report::Outcome;
use crate::run::{answer, cargo, checked, entries, root, run, said, target};
use crate::{args, tools};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask budget [--data DIR] [--write]

  --data DIR  every thirtieth page of DIR/train/wcxb-dev.jsonl.zst in an optimised build, in place of the repository's own pages in the
              build of the tests, which the gate counts
  --write     write the counts to .ci/budget as the new limits

Needs valgrind. Fails if a stage takes more instructions than its limit and 3 %. Counts hold for one compiler.";

/// The limits: the compiler, then the pages, columns, stage and millions of instructions of each.
const LIMITS: &str = ".ci/budget";

/// The factor by which a stage may exceed its limit.
const ACCEPTED: f64 = 1.03;

/// The repository's pages that are counted: folders and their first files by name.
const PAGES: [(&str, usize); 3] = [("examples", 3), ("testdata/forums", 9), ("testdata/small", 8)];

/// A stage: its name, its functions, and the functions in them that are stages of their own.
struct Stage {
    name: &'static str,
    functions: &'static [&'static str],
    without: &'static [&'static str],
}

const fn stage(name: &'static str, functions: &'static [&'static str], without: &'static [&'static str]) -> Stage {
    Stage { name, functions, without }
}

const STYLES: &str = "maintext_page::visibility::Visibility::new";
const COLUMNS: &str = "maintext_reading::model::Learned::columns";
const SCORES: &str = "maintext_reading::model::scores";
const ROLES: &str = "maintext_reading::model::roles::RoleModel::of_columns";
const TITLE: &str = "maintext_facts::metadata::fields::title::candidates";
const AUTHORS: &str = "maintext_facts::metadata::fields::author::candidates";
const DATE: &str = "maintext_facts::metadata::fields::date::candidates";

const STAGES: &[Stage] = &[
    stage("decode", &["maintext_page::decode::decode", "maintext_page::decode::xhtml::html_of_xml"], &[]),
    stage("parse", &["maintext_page::dom::Dom::parse_into"], &[]),
    stage("style sheets", &[STYLES], &[]),
    stage("blocks", &["maintext_page::blocks::Blocks::new"], &[STYLES]),
    stage("features", &[COLUMNS], &[]),
    stage("forest and network", &[SCORES], &[]),
    stage("choice", &["maintext_reading::model::Learned::decide_and_read"], &[COLUMNS, SCORES, ROLES]),
    stage("roles", &[ROLES], &[]),
    stage("facts", &["maintext_facts::metadata::sources::facts::Facts::new"], &[]),
    stage("records", &["maintext_facts::metadata::records::records"], &[]),
    stage("comments", &["maintext_facts::metadata::records::comments"], &[]),
    stage(
        "kind and entries",
        &["maintext_lists::page_type::PageTyper::classify_judged", "maintext_lists::list::Lists::confident"],
        &[],
    ),
    stage("title", &[TITLE], &[]),
    stage("authors", &[AUTHORS], &[]),
    stage("date", &[DATE], &[]),
    stage("other metadata", &["maintext_facts::metadata::read"], &[TITLE, AUTHORS, DATE]),
    stage("things", &["maintext_things::things::read"], &[]),
    stage("formats", &["maintext_render::keep::keep_nodes", "maintext_core::extract::assembly::write"], &[]),
];

/// The columns that are counted: everything, text and metadata, text alone. All stages occur in the first.
const MODES: [&str; 3] = ["all", "full", "text-column"];

/// Returns the instructions of each function with all that it calls, and the sum, from callgrind's output without compression.
fn inclusive(output: &str) -> (HashMap<&str, u64>, u64) {
    let (mut costs, mut all) = (HashMap::<&str, u64>::new(), 0);
    let (mut function, mut called, mut is_call) = ("", "", false);
    for line in output.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            function = name;
        } else if let Some(name) = line.strip_prefix("cfn=") {
            called = name;
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let cost: u64 = line.split(' ').nth(1).and_then(|c| c.parse().ok()).unwrap_or(0);
            if !is_call || function != called {
                *costs.entry(function).or_default() += cost;
            }
            all += if is_call { 0 } else { cost };
            is_call = false;
        }
    }
    (costs, all)
}

/// Returns the millions of instructions of each stage that a profile names, and of the rest.
fn by_stage(output: &str) -> Vec<(&'static str, f64)> {
    let (costs, all) = inclusive(output);
    let sum = |names: &[&str]| names.iter().filter_map(|name| costs.get(name)).sum::<u64>();
    let counts = STAGES.iter().map(|s| (s.name, sum(s.functions).saturating_sub(sum(s.without))));
    let mut counts: Vec<(&str, u64)> = counts.collect();
    let rest = all.saturating_sub(counts.iter().map(|c| c.1).sum());
    counts.extend([("the rest", rest), ("together", all)]);
    counts.into_iter().map(|(name, count)| (name, count as f64 / 1e6)).collect()
}

/// Profiles the program over pages with some columns, and returns callgrind's output.
fn profile(program: &Path, pages: &[PathBuf], mode: &str) -> Result<String, String> {
    let out = target().join(format!("callgrind-{}.out", std::process::id()));
    let mut command = Command::new("valgrind");
    command.args(["--quiet", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    // After the pages were read once, for which the models are loaded.
    command.arg("--toggle-collect=profile::counted");
    command.arg(format!("--callgrind-out-file={}", out.display())).arg(program).args(pages);
    // What else the environment holds moves the stack, and with it some loops of the C library.
    let output = said(command.env_clear().env("MODE", mode).env("PATH", std::env::var_os("PATH").unwrap_or_default()))
        .and_then(|_| fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display())));
    let _ = fs::remove_file(&out);
    output
}

/// A count: the pages and columns, the stage, and millions of instructions.
type Count = (String, f64);

/// Counts the instructions of each stage, once for each of the columns.
fn count(name: &str, program: &Path, pages: &[PathBuf], modes: &[&str]) -> Result<Vec<Count>, String> {
    let mut counts = Vec::new();
    for mode in modes {
        let output = profile(program, pages, mode)?;
        for (stage, count) in by_stage(&output) {
            if count > 0.0 {
                counts.push((format!("{name}, {mode}: {stage}"), count));
            } else if *mode == MODES[0] {
                return Err(format!("the profile lacks the functions of '{stage}' in xtask/src/budget.rs"));
            }
        }
    }
    Ok(counts)
}

/// Returns the files that the gate counts.
fn own_pages() -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    for (folder, number) in PAGES {
        let folder = root().join(folder);
        let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut files: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "html"));
        files.sort();
        pages.extend(files.into_iter().take(number));
    }
    Ok(pages)
}

/// Counts over the repository's pages in the build of the tests.
fn of_tests() -> Result<Vec<Count>, String> {
    run(&mut checked(&["build", "--workspace", "--all-features", "--quiet", "--example", "profile"]))?;
    count("tests", &target().join("debug/examples/profile"), &own_pages()?, &MODES[..1])
}

/// Counts over pages of the data sets in an optimised build, which is one without optimisation across crates: that would dissolve stages.
fn of_data(data: &Path) -> Result<Vec<Count>, String> {
    let mut build = cargo(&["build", "--release", "--quiet", "--package", "maintext-core", "--example", "profile"]);
    run(build.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"))?;
    count("data", &target().join("release/examples/profile"), &[data.join("train/wcxb-dev.jsonl.zst")], &MODES)
}

/// Returns the compiler, which counts depend on.
fn compiler() -> Result<String, String> {
    let all = answer("rustc", &["-vV"]).ok_or("rustc does not start")?;
    Ok(format!("compiler: {} {}", value_of(&all, "release: "), value_of(&all, "host: ")))
}

fn value_of<'a>(all: &'a str, key: &str) -> &'a str {
    all.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("unknown")
}

/// Returns the stages that exceed their limits.
fn exceeded(counts: &[Count], limits: &HashMap<&str, f64>) -> Vec<String> {
    let over = counts.iter().filter_map(|(key, count)| match limits.get(key.as_str()) {
        Some(limit) if *count <= limit * ACCEPTED => None,
        Some(limit) => Some(format!("  {key}: {count:.3} M instructions; the limit is {limit:.3}")),
        None => Some(format!("  {key}: {count:.3} M instructions; no limit")),
    });
    over.collect()
}

fn limits(text: &str) -> HashMap<&str, f64> {
    entries(text).filter_map(|line| line.rsplit_once(' ')).filter_map(|(key, n)| Some((key, n.parse().ok()?))).collect()
}

/// Returns the limits, with new ones for the counted pages.
fn renewed(text: &str, compiler: &str, counts: &[Count]) -> String {
    let counted = counts.first().map(|c| set_of(&c.0));
    let kept = text.lines().filter(|line| !line.starts_with("compiler: ") && Some(set_of(line)) != counted);
    let mut out = String::new();
    let mut kept = kept.peekable();
    while let Some(comment) = kept.next_if(|line| line.starts_with('#')) {
        out += &format!("{comment}\n");
    }
    let mut lines: Vec<String> = kept.map(String::from).collect();
    lines.extend(counts.iter().map(|(key, count)| format!("{key} {count:.3}")));
    // Sets in the order of the alphabet, stages in their own.
    lines.sort_by_key(|line| set_of(line));
    let _ = writeln!(out, "{compiler}");
    lines.iter().for_each(|line| out += &format!("{line}\n"));
    out
}

fn set_of(line: &str) -> String {
    line.split(',').next().unwrap_or_default().to_owned()
}

fn read_limits() -> Result<String, String> {
    fs::read_to_string(root().join(LIMITS)).map_err(|e| format!("{LIMITS}: {e}"))
}

fn print(counts: &[Count], limits: &HashMap<&str, f64>) {
    for (key, count) in counts {
        let limit = limits.get(key.as_str()).map_or("-".into(), |limit| format!("{limit:.3}"));
        println!("{key:35} {count:12.3} {limit:>12}");
    }
}

pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut data, mut write) = (None, false);
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            "--write" => write = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    tools::valgrind()?;
    let counts = data.map_or_else(of_tests, |data| of_data(&data))?;
    let (text, compiler) = (read_limits()?, compiler()?);
    let limits = limits(&text);
    println!("{:35} {:>12} {:>12}", "millions of instructions", "now", "limit");
    print(&counts, &limits);
    if write {
        return fs::write(root().join(LIMITS), renewed(&text, &compiler, &counts))
            .map_err(|e| format!("{LIMITS}: {e}"));
    }
    if !text.contains(&compiler) {
        return Err(format!("the limits in {LIMITS} were not counted with this {compiler}; --write renews them"));
    }
    match exceeded(&counts, &limits) {
        over if over.is_empty() => Ok(()),
        over => Err(format!("exceeded; mend it, or renew the limits with --write:\n{}", over.join("\n"))),
    }
}

/// The step `budget` of `cargo xtask test`.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let (text, compiler) = (read_limits()?, compiler()?);
    let comparable = if text.contains(&compiler) {
        tools::valgrind()
    } else {
        Err(format!("{LIMITS} was not counted with this {compiler}"))
    };
    if outcome.needs("limits", comparable).is_none() {
        return Ok(());
    }
    let counts = of_tests()?;
    let limits = limits(&text);
    let over = exceeded(&counts, &limits);
    outcome.passed += counts.len() - over.len();
    if over.is_empty() {
        return Ok(());
    }
    print(&counts, &limits);
    Err(format!(
        "stages take more instructions than {LIMITS} allows; 'cargo xtask budget --write' renews it:\n{}",
        over.join("\n")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_calls_belong_to_the_caller_once() {
        let output = "events: Ir\n\nfn=main\n1 5\ncfn=work\ncalls=2 7\n3 40\n\nfn=work\n7 30\ncfn=work\ncalls=1 7\n8 20\n9 10\n\ntotals: 45\n";
        let (costs, all) = inclusive(output);
        assert_eq!((costs["main"], costs["work"], all), (45, 40, 45));
    }

    #[test]
    fn a_stage_above_its_limit_is_named() {
        let text = "# a comment\ncompiler: 1\ndata, all: parse 7.000\ntests, all: parse 10.000\n";
        let counts = |count| vec![("tests, all: parse".to_owned(), count)];
        assert_eq!(exceeded(&counts(10.3), &limits(text)), [""; 0]);
        assert!(exceeded(&counts(10.31), &limits(text))[0].contains("tests, all: parse: 10.310"));
        assert!(exceeded(&[("tests, all: walk".into(), 1.0)], &limits(text))[0].ends_with("no limit"));
        let renewed = renewed(text, "compiler: 2", &counts(11.0));
        assert_eq!(renewed, "# a comment\ncompiler: 2\ndata, all: parse 7.000\ntests, all: parse 11.000\n");
    }
}
