//! The step `extension` of `cargo xtask test`: builds the web extension and tests it in Chromium and, where it is installed, in Firefox.
use crate::report::Outcome;
use crate::run::{root, run};
use crate::{js, tools, wasm};
use std::process::Command;

/// Returns why the extension cannot be tested here, if so.
fn check() -> Result<(), String> {
    tools::chromium()?;
    wasm::module()?;
    tools::npm(&root().join("extension"))
}

/// Takes the modules of the npm package as the step before built them.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    if outcome.needs("the web extension", check()).is_none() {
        return Ok(());
    }
    run(&mut npm("build"))?;
    outcome.watch(&mut npm("test"), &mut js::print_failures)
}

fn npm(script: &str) -> Command {
    let mut command = Command::new("npm");
    command.args(["run", "--silent", script]).current_dir(root().join("extension"));
    command
}
