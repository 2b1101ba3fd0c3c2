//! `cargo xtask NAME`: the project's routine tasks. Each command is one file; xtask has no dependencies, so that it builds quickly.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod binaries;
mod budget;
mod changes;
mod deny;
mod dependencies;
mod dist;
mod documentation;
mod eval;
mod extension;
mod fuzz;
mod html5lib;
mod js;
mod language;
mod lines;
#[cfg(test)]
mod modules;
mod playground;
mod prove;
mod python;
mod release;
mod report;
mod run;
mod scale;
mod semver;
mod site;
mod steps;
mod test;
mod tools;
mod train;
mod warc;
mod wasm;
mod wheel;
mod workflows;

use std::process::ExitCode;

/// A command: its name, its description and the function that runs it with the remaining arguments.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[
    Task {
        name: "bench",
        help: "measure speed by stage and against other extractors (docs/experiments/speed.md)",
        run: bench::run_task,
    },
    Task {
        name: "budget",
        help: "count instructions by stage and compare them with their limits",
        run: budget::run_task,
    },
    Task { name: "test", help: "check all that a change must pass, or some steps; CI runs this", run: test::run_task },
    Task {
        name: "eval",
        help: "compare maintext with other extractors on the data sets (docs/benchmarks.md)",
        run: eval::run_task,
    },
    Task { name: "changes", help: "show what a change does to pages: changes REV", run: changes::run_task },
    Task {
        name: "dist",
        help: "build the command for others to install: archive, Debian package, licences, SBOM",
        run: dist::run_task,
    },
    Task { name: "fuzz", help: "run each fuzz target for a minute", run: fuzz::run_task },
    Task { name: "html5lib", help: "run the tests of the HTML standard on maintext-html", run: html5lib::run_task },
    Task { name: "lines", help: "count lines of code, tests and comments, and figures of style", run: lines::run_task },
    Task {
        name: "measure",
        help: "measure the accuracy of methods on labelled pages: measure --data FILE",
        run: eval::measure,
    },
    Task {
        name: "playground",
        help: "build the playground as static files: playground FOLDER",
        run: playground::run_task,
    },
    Task {
        name: "release",
        help: "check a release, order its crates, install what was built (CONTRIBUTING.md)",
        run: release::run_task,
    },
    Task { name: "scale", help: "find pages whose cost grows faster than their size", run: scale::run_task },
    Task { name: "site", help: "build the documentation site from docs/ and check its links", run: site::run_task },
    Task { name: "train", help: "train the shipped models", run: train::run_task },
    Task {
        name: "train-language",
        help: "train the detector of languages: train-language PACKAGES (docs/languages.md)",
        run: language::run_task,
    },
    Task { name: "warc", help: "write a WARC file from the data sets, to measure batch", run: warc::run_task },
    Task { name: "wasm", help: "build the modules of the npm package", run: wasm::run_task },
    Task { name: "wheel", help: "build the wheels of the Python package", run: wheel::run_task },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(result) = documentation::as_rustdoc(&args) {
        return ExitCode::from(u8::from(result.is_err()));
    }
    let (name, rest) = match args.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("", args.as_slice()),
    };
    if matches!(name, "help" | "--help" | "-h") {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprint!("xtask: unknown command '{name}'\n\n{}", usage());
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
        usage += &format!("  {:10} {}\n", task.name, task.help);
    }
    usage
}
