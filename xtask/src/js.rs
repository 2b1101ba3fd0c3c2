//! `cargo xtask js`: builds the npm package and tests it in Node and in Chromium.
use crate::run::{cargo, root, run, target};
use crate::wasm;
use std::path::Path;
use std::process::Command;

/// Debian's browser, unless $CHROMIUM names one.
const CHROMIUM: &str = "/usr/bin/chromium";

fn npm(script: &str) -> Result<(), String> {
    run(Command::new("npm").args(["run", "--silent", script]).current_dir(wasm::package()))
}

/// Compares the module's answers with the native library's, on the pages of this repository.
fn same() -> Result<(), String> {
    run(&mut cargo(&["build", "--quiet", "--package", "maintext-wasm", "--example", "native"]))?;
    let native = std::path::absolute(target().join("debug/examples/native")).map_err(|e| e.to_string())?;
    let browser = std::env::var("CHROMIUM").unwrap_or_else(|_| CHROMIUM.into());
    let mut command = Command::new("node");
    command.args(["bench/js_same.mjs", "--native"]).arg(&native);
    if Path::new(&browser).exists() {
        command.args(["--chromium", &browser]);
    } else {
        println!("SKIPPED: no Chromium at {browser}, so only Node is compared; install it, or set $CHROMIUM");
    }
    run(command.args(["testdata", "examples"]).current_dir(root()))
}

fn test() -> Result<(), String> {
    wasm::build()?;
    npm("check")?;
    npm("test")?;
    same()
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
