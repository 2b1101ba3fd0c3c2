//! The step `npm` of `cargo xtask test`: builds the npm package and tests it in Node, in Chromium, in workerd and in other runtimes that are
//! installed.
use crate::report::Outcome;
use crate::run::{checked, root, run, target};
use crate::{tools, wasm};
use std::process::Command;

/// Runs a script of the package.
fn npm(outcome: &mut Outcome, script: &str) -> Result<(), String> {
    let mut command = Command::new("npm");
    outcome.watch(command.args(["run", "--silent", script]).current_dir(wasm::package()), &mut print_failures)
}

/// Passes on the failures that node's test runner prints.
pub fn print_failures(line: &str) {
    let noise = ["✔", "ℹ", "▶", "ok ", "# ", "TAP version", "---", "...", "duration_ms", "type:", "1..", "﹣"];
    let line_start = line.trim_start();
    if !line_start.is_empty() && !noise.iter().any(|n| line_start.starts_with(n)) {
        println!("{line}");
    }
}

/// Compares the answers of the module with the native library's, built with the same features, on the pages of this repository. The module
/// `lite` is the same code with fewer features, so the package's own tests are enough for it.
fn same(outcome: &mut Outcome) -> Result<(), String> {
    // Shares the crates below maintext-facts with the lints.
    run(&mut checked(&["build", "--quiet", "--package", "maintext-wasm", "--example", "native"]))?;
    let native = std::path::absolute(target().join("debug/examples/native")).map_err(|e| e.to_string())?;
    let mut command = Command::new("node");
    command.args(["bench/js_same.mjs", "--native"]).arg(&native);
    if let Some(browser) = outcome.needs("maintext.wasm in Chromium", tools::chromium()) {
        // Chromium has the engine of Node, and takes as long as that and the library together.
        command.args(["--chromium", &browser, "--chromium-step", "8"]);
    }
    run(command.args(["testdata", "examples"]).current_dir(root()))?;
    outcome.passed += 1;
    Ok(())
}

/// Tests the example of a worker in workerd, which npm installs with it.
fn worker(outcome: &mut Outcome) -> Result<(), String> {
    let folder = wasm::package().join("examples/worker");
    if outcome.needs("the worker in workerd", tools::npm(&folder)).is_none() {
        return Ok(());
    }
    let mut command = Command::new("npm");
    outcome.watch(command.args(["test", "--silent"]).current_dir(folder), &mut print_failures)
}

/// Builds and tests the package.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    if outcome.needs("the npm package", wasm::check()).is_none() {
        return Ok(());
    }
    // Its tests name those that lack a browser.
    let _ = tools::chromium();
    wasm::build(wasm::Build::Test)?;
    for script in ["check", "test", "runtimes"] {
        npm(outcome, script)?;
    }
    worker(outcome)?;
    same(outcome)
}
