//! `cargo xtask wheel`: builds the wheels of the Python package: one for every CPython from 3.9 (abi3), and one for
//! a free-threaded CPython, if there is one. With a target or a policy, maturin builds the wheel for other machines.
use crate::args;
use crate::run::{root, run, target};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask wheel [--target TRIPLE] [--policy NAME] [--sdist]

  --target TRIPLE  target of the wheel [default: this machine]
  --policy NAME    manylinux2014 or musllinux_1_2: Zig links against an old libc, so that the wheel runs on every Linux
  --sdist          write the source distribution instead, from which pip builds the package

Without options, pip builds the wheels for this machine. Options need maturin: pip install 'maturin[zig]'.
The results are in target/wheels.";

/// The names of free-threaded interpreters, newest first. Their wheels fit only their own version.
const FREE_THREADED: [&str; 2] = ["python3.15t", "python3.14t"];

fn folder() -> Result<PathBuf, String> {
    std::path::absolute(target().join("wheels")).map_err(|e| e.to_string())
}

fn python() -> OsString {
    std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())
}

/// Whether an interpreter starts and is a free-threaded one.
fn is_free_threaded(python: &OsString) -> bool {
    let check = "import sys, sysconfig; sys.exit(not sysconfig.get_config_var('Py_GIL_DISABLED'))";
    Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
}

/// Builds the wheel for an interpreter. pip fetches maturin and shows cargo's progress.
fn build(python: &OsString) -> Result<(), String> {
    let folder = folder()?;
    println!("==> {}: a wheel in {}", python.display(), folder.display());
    let mut command = Command::new(python);
    command.args(["-m", "pip", "wheel", "-v", "--disable-pip-version-check", "--no-deps"]);
    command.args(["--config-settings", "build-args=--profile=release --features=full", "--wheel-dir"]);
    run(command.arg(folder).arg(".").current_dir(root()))
}

/// Runs maturin, which reads pyproject.toml.
fn maturin(args: &[&str]) -> Result<(), String> {
    let mut command = Command::new(python());
    command.args(["-m", "maturin"]).args(args).arg("--out").arg(folder()?).current_dir(root());
    run(&mut command).map_err(|e| format!("{e}; maturin is needed: pip install 'maturin[zig]'"))
}

/// Builds the wheels for this machine.
fn here() -> Result<(), String> {
    build(&python())?;
    let named = std::env::var_os("PYTHON_FREE_THREADED");
    let found = named.or_else(|| FREE_THREADED.map(OsString::from).into_iter().find(is_free_threaded));
    match found {
        Some(python) if is_free_threaded(&python) => build(&python),
        Some(python) => Err(format!("{} is not a free-threaded Python", python.display())),
        None => {
            println!("No free-threaded Python was found; set $PYTHON_FREE_THREADED to build its wheel, too.");
            Ok(())
        }
    }
}

/// Runs `cargo xtask wheel`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut triple, mut policy, mut sdist) = (None, None, false);
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--target" => triple = Some(values.next()?),
            "--policy" => policy = Some(values.next()?),
            "--sdist" => sdist = true,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match (sdist, triple, policy) {
        _ if !go => Ok(()),
        (true, None, None) => maturin(&["sdist"]),
        (true, ..) => Err(format!("--sdist goes with no other option\n\n{USAGE}")),
        (false, None, None) => here(),
        (false, triple, policy) => {
            let mut args = vec!["build", "--profile", "release", "--features", "full", "--locked"];
            args.extend(triple.iter().flat_map(|t| ["--target", t]));
            args.extend(policy.iter().flat_map(|p| ["--zig", "--compatibility", p]));
            maturin(&args)
        }
    }
}
