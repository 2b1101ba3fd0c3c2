//! `cargo xtask js`: builds the npm package and tests it in Node, in Chromium, in workerd and in other runtimes that are installed.
use crate::run::{cargo, root, run, target};
use crate::wasm;
use std::path::Path;
use std::process::Command;

/// Debian's browser, unless $CHROMIUM names one.
const CHROMIUM: &str = "/usr/bin/chromium";

fn npm(script: &str) -> Result<(), String> {
    run(Command::new("npm").args(["run", "--silent", script]).current_dir(wasm::package()))
}

/// Returns the browser, Debian's unless $CHROMIUM names one, or says that it is missing.
pub fn chromium() -> Result<String, String> {
    let browser = std::env::var("CHROMIUM").unwrap_or_else(|_| CHROMIUM.into());
    match Path::new(&browser).exists() {
        true => Ok(browser),
        false => Err(format!("no Chromium at {browser}; install it, or set $CHROMIUM")),
    }
}

/// Compares the answers of a module with those of the native library of the same features, on the pages of this repository.
fn same(module: &str, features: &[&str]) -> Result<(), String> {
    let build = ["build", "--quiet", "--package", "maintext-wasm", "--example", "native"];
    run(cargo(&build).args(features))?;
    let native = std::path::absolute(target().join("debug/examples/native")).map_err(|e| e.to_string())?;
    let mut command = Command::new("node");
    command.args(["bench/js_same.mjs", "--module", module, "--native"]).arg(&native);
    match chromium() {
        Ok(browser) => _ = command.args(["--chromium", &browser]),
        Err(e) => println!("SKIPPED: {module}.wasm is compared in Node alone: {e}"),
    }
    run(command.args(["testdata", "examples"]).current_dir(root()))
}

/// Tests the example of a worker in workerd, which npm installs beside it.
fn worker() -> Result<(), String> {
    let folder = wasm::package().join("examples/worker");
    if let Err(e) = wasm::tools(&folder) {
        println!("SKIPPED: the worker was not tested in workerd: {e}");
        return Ok(());
    }
    run(Command::new("npm").args(["test", "--silent"]).current_dir(folder))
}

fn test() -> Result<(), String> {
    wasm::build()?;
    npm("check")?;
    npm("test")?;
    npm("runtimes")?;
    worker()?;
    for (module, features) in wasm::MODULES {
        same(module, features)?;
    }
    Ok(())
}

/// Runs `cargo xtask js`. With `--if-possible`, which `cargo xtask test` passes, a machine that cannot build the package reports and
/// skips the step. Later errors are failures.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [] => test(),
        [flag] if flag == "--if-possible" => match wasm::check() {
            Ok(()) => test(),
            Err(e) => {
                println!("SKIPPED: the npm package was not tested: {e}");
                Ok(())
            }
        },
        [arg, ..] => Err(format!("unexpected argument '{arg}'")),
    }
}
