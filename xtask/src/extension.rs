//! `cargo xtask extension`: builds the web extension and tests it in Chromium and, where it is installed, in Firefox.
use crate::run::{root, run};
use crate::{js, wasm};
use std::path::PathBuf;
use std::process::Command;

fn folder() -> PathBuf {
    root().join("extension")
}

/// Says why the extension cannot be tested here, if so.
fn check() -> Result<(), String> {
    js::chromium()?;
    if !wasm::package().join("wasm/maintext.wasm").is_file() {
        return Err("js/wasm/maintext.wasm is missing; 'cargo xtask wasm' builds it".to_owned());
    }
    wasm::tools(&folder())
}

/// Takes the npm package as it is built.
fn test() -> Result<(), String> {
    for script in ["build", "test"] {
        run(Command::new("npm").args(["run", "--silent", script]).current_dir(folder()))?;
    }
    Ok(())
}

/// Runs `cargo xtask extension`. With `--if-possible`, which `cargo xtask test` passes, a machine that cannot test the extension reports
/// and skips the step.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [] => check().and_then(|()| test()),
        [flag] if flag == "--if-possible" => match check() {
            Ok(()) => test(),
            Err(e) => {
                println!("SKIPPED: the web extension was not tested: {e}");
                Ok(())
            }
        },
        [arg, ..] => Err(format!("unexpected argument '{arg}'")),
    }
}
