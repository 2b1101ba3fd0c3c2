//! `cargo xtask wheel`: builds the wheels of the Python package: one for every CPython from 3.9 (abi3), and one for
//! a free-threaded CPython, if there is one.
use crate::run::{root, run, target};
use std::ffi::OsString;
use std::process::Command;

/// The names of free-threaded interpreters, newest first. Their wheels fit only their own version.
const FREE_THREADED: [&str; 2] = ["python3.15t", "python3.14t"];

/// Whether an interpreter starts and is a free-threaded one.
fn is_free_threaded(python: &OsString) -> bool {
    let check = "import sys, sysconfig; sys.exit(not sysconfig.get_config_var('Py_GIL_DISABLED'))";
    Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
}

/// Builds the wheel for an interpreter. pip fetches maturin and shows cargo's progress.
fn build(python: &OsString) -> Result<(), String> {
    let folder = std::path::absolute(target().join("wheels")).map_err(|e| e.to_string())?;
    println!("==> {}: a wheel in {}", python.display(), folder.display());
    let mut command = Command::new(python);
    command.args(["-m", "pip", "wheel", "-v", "--disable-pip-version-check", "--no-deps", "--wheel-dir"]);
    run(command.arg(folder).arg(".").current_dir(root()))
}

/// Runs `cargo xtask wheel`, which takes no arguments.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unexpected argument '{arg}'"));
    }
    build(&std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()))?;
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
