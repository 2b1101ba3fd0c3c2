//! `cargo xtask playground FOLDER`: builds the playground as static files that run without a service.
use crate::report::Outcome;
use crate::run::{root, run, target};
use crate::{binaries, python, tools, wasm};
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> PathBuf {
    root().join("crates/maintext-server/playground")
}

fn build(folder: &Path) -> Result<(), String> {
    tools::npm(&sources())?;
    let folder = std::path::absolute(folder).map_err(|e| e.to_string())?;
    run(Command::new("node").arg("static.mjs").arg(folder).current_dir(sources()))
}

/// Returns why the playground cannot be tested here, if so.
fn check() -> Result<(), String> {
    tools::chromium()?;
    wasm::module()?;
    tools::npm(&sources())
}

/// The step `playground` of `cargo xtask test`: checks the types of the sources, and tests the files in Chromium, with and without a service. Takes the modules of the npm package
/// as the step before built them.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    if let Err(e) = check() {
        outcome.skip("the playground", e.clone());
        return binaries::leave_out(outcome, binaries::IN_NODE, &e);
    }
    binaries::ignored(outcome, binaries::IN_NODE)?;
    run(Command::new("npm").args(["run", "--silent", "check"]).current_dir(sources()))?;
    let folder = std::path::absolute(target().join("playground")).map_err(|e| e.to_string())?;
    build(&folder)?;
    for (script, argument) in [("test/static.mjs", folder), ("test/service.mjs", python::command()?)] {
        let mut command = Command::new("node");
        command.arg(script).arg(argument).current_dir(sources());
        outcome.watch(&mut command, &mut |line| println!("{line}"))?;
    }
    Ok(())
}

/// Runs `cargo xtask playground FOLDER`. Builds the modules again, which may be older than their sources.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [folder] if !folder.starts_with('-') => {
            wasm::build(wasm::Build::Release).and_then(|()| build(Path::new(folder)))
        }
        _ => Err("usage: cargo xtask playground FOLDER".to_owned()),
    }
}
