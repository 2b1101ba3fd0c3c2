//! The habits of the house as commands: `cargo xtask NAME`. One file a command; no dependencies, so that it builds in a moment.
#![forbid(unsafe_code)]

mod bench;
mod deny;
mod eval;
mod fuzz;
mod html5lib;
#[cfg(test)]
mod modules;
mod python;
mod run;
mod test;
mod train;
mod warc;

use std::process::ExitCode;

/// A command: its name, what it does, and what does it with the arguments that follow the name.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[
    Task { name: "bench", help: "speed by stage and beside other extractors; docs/speed.md", run: bench::run_task },
    Task { name: "test", help: "format, lints, all tests and documentation; what CI runs", run: test::run_task },
    Task {
        name: "eval",
        help: "maintext beside other extractors on the data sets; docs/benchmarks.md",
        run: eval::run_task,
    },
    Task {
        name: "deny",
        help: "licences and known vulnerabilities of dependencies; part of test",
        run: deny::run_task,
    },
    Task { name: "fuzz", help: "the fuzz targets, a minute each; part of test", run: fuzz::run_task },
    Task { name: "html5lib", help: "the HTML standard's tests against maintext-html", run: html5lib::run_task },
    Task { name: "python", help: "the Python package: its wheel and its tests; part of test", run: python::run_task },
    Task { name: "train", help: "make the shipped models from the training sets", run: train::run_task },
    Task { name: "warc", help: "a WARC file to measure batch with, out of the data sets", run: warc::run_task },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match args.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("", args.as_slice()),
    };
    if matches!(name, "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprint!("xtask: no such command: '{name}'\n\n{}", usage());
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask {name}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut usage = String::from("usage: cargo xtask COMMAND\n\n");
    for task in TASKS {
        usage += &format!("  {:8} {}\n", task.name, task.help);
    }
    usage
}
