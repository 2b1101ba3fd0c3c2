//! Runs programs from the root of the workspace.
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root of the workspace, which `cargo run` sets at run time. A path from build time could be wrong: checkouts may share a
/// target folder, and with it this binary.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("..")
}

/// Returns cargo's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns a command that runs the current cargo at the root of the workspace.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Returns a command that runs an example of a crate in a release build.
pub fn example(package: &str, name: &str) -> Command {
    cargo(&["run", "--release", "--quiet", "--package", package, "--example", name, "--"])
}

/// Returns a command that runs cargo in the workspace of the laboratory, with the same target folder.
pub fn lab(task: &str) -> Command {
    let mut command = cargo(&[task, "--manifest-path", "lab/Cargo.toml", "--target-dir"]);
    command.arg(target());
    command
}

/// Returns a command that runs a program of the laboratory in a release build.
pub fn lab_program(kind: &str, name: &str) -> Command {
    let mut command = lab("run");
    command.args(["--release", "--quiet", kind, name, "--"]);
    command
}

/// Returns a command that runs cargo with clippy as the compiler of the workspace's crates; see [`linted`].
pub fn checked(args: &[&str]) -> Command {
    let mut command = cargo(args);
    linted(&mut command);
    command
}

/// Makes cargo compile the workspace's crates with clippy, with warnings as errors. Lints, tests and documentation thus share all they
/// compile; `cargo clippy` would check every dependency once more.
pub fn linted(command: &mut Command) -> &mut Command {
    // As cargo-clippy calls it.
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
}

/// Returns the lines of a list in a file, without comments and empty lines.
pub fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Runs a program to its end. Returns an error unless it succeeds.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{} did not start: {e}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Returns the output of a program if it succeeds, without white space around it.
pub fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Adds the file to an error.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    let path = path.display().to_string();
    move |e| format!("{path}: {e}")
}

/// Returns the output of a program if it succeeds.
pub fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|e| format!("{name} did not start: {e}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// Returns a field of the last commit, as `git log --format` names it.
pub fn commit(field: &str) -> Result<String, String> {
    let format = format!("--format={field}");
    Ok(said(Command::new("git").args(["log", "-1", &format]).current_dir(root()))?.trim().to_owned())
}
