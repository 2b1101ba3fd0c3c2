//! `cargo xtask test`: all checks that a change must pass before it is merged, cheapest first.
use crate::run::{cargo, run};
use std::process::Command;
use std::time::Instant;

/// Runs the steps and stops at the first failure.
pub fn run_all(steps: Vec<(&str, Command)>) -> Result<(), String> {
    let start = Instant::now();
    let count = steps.len();
    for (i, (name, mut command)) in steps.into_iter().enumerate() {
        println!("==> {}/{count} {name}", i + 1);
        let begin = Instant::now();
        run(&mut command).map_err(|e| format!("FAILED at '{name}' ({e}); see its output above"))?;
        println!("<== {name}: ok, {:.1} s", begin.elapsed().as_secs_f64());
    }
    println!("All {count} steps passed in {:.1} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs `cargo xtask test`, which takes no arguments.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unexpected argument '{arg}'"));
    }
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    run_all(vec![
        ("format", cargo(&["fmt", "--all", "--check"])),
        ("licences and vulnerabilities of dependencies", cargo(&["xtask", "deny", "--if-possible"])),
        ("lints", cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])),
        ("unit, snapshot and command-line tests", cargo(&["test", "--workspace", "--all-targets", "--quiet"])),
        ("documentation tests", cargo(&["test", "--workspace", "--doc", "--quiet"])),
        ("documentation", doc),
        ("Python package: wheel, types, tests, Spark", cargo(&["xtask", "python", "--if-possible"])),
        ("fuzzing, a minute for each target", cargo(&["xtask", "fuzz", "--if-possible"])),
    ])
}
