//! `cargo xtask playground FOLDER`: builds the playground as static files that run without a service. Tests them in Chromium, and the
//! playground of `maintext serve`, too.
use crate::run::{root, run, target};
use crate::{js, wasm};
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> PathBuf {
    root().join("crates/maintext-server/playground")
}

/// The WebAssembly module of the npm package.
fn module() -> PathBuf {
    wasm::package().join("wasm/maintext.wasm")
}

fn build(folder: &Path) -> Result<(), String> {
    wasm::tools(&sources())?;
    let folder = std::path::absolute(folder).map_err(|e| e.to_string())?;
    run(Command::new("node").arg("static.mjs").arg(folder).current_dir(sources()))
}

fn test(folder: &Path) -> Result<(), String> {
    let folder = std::path::absolute(folder).map_err(|e| e.to_string())?;
    run(Command::new("node").arg("test/static.mjs").arg(folder).current_dir(sources()))?;
    run(Command::new("node").arg("test/service.mjs").arg(service()).current_dir(sources()))
}

/// The command that `cargo test --all-features` builds.
fn service() -> PathBuf {
    target().join("debug/maintext")
}

/// Says why the files cannot be tested here, if so.
fn check() -> Result<(), String> {
    js::chromium()?;
    let serves = Command::new(service()).args(["serve", "--help"]).output().is_ok_and(|o| o.status.success());
    if !serves {
        return Err(
            "target/debug/maintext is missing or has no 'serve'; 'cargo build --features full' builds it".to_owned()
        );
    }
    if !module().is_file() {
        return Err("js/wasm/maintext.wasm is missing; 'cargo xtask wasm' builds it".to_owned());
    }
    wasm::tools(&sources())
}

/// Runs `cargo xtask playground`. With `--test`, the files are tested, too; with `--if-possible`, which `cargo xtask test` passes, a
/// machine that cannot test them reports and skips the step.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let folder = target().join("playground");
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--test"] => check().and_then(|()| build(&folder)).and_then(|()| test(&folder)),
        ["--test", "--if-possible"] => match check() {
            Ok(()) => build(&folder).and_then(|()| test(&folder)),
            Err(e) => {
                println!("SKIPPED: the playground was not tested: {e}");
                Ok(())
            }
        },
        // Builds the module again, which may be older than its sources; the tests take that of `cargo xtask js`, which runs before.
        [folder] if !folder.starts_with('-') => wasm::build().and_then(|()| build(Path::new(folder))),
        _ => Err("usage: cargo xtask playground FOLDER, or --test".to_owned()),
    }
}
