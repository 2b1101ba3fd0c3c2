//! Running programs from the root of the workspace.
use std::path::PathBuf;
use std::process::Command;

/// The folder of the workspace, as `cargo run` says at run time: a checkout that shares its target folder with another may run
/// the binary that was built there.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("..")
}

/// The folder that cargo builds in.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that runs this, at the root of the workspace.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Runs a program to its end; anything but success is an error.
pub fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{} did not start: {e}", command.get_program().display()))?;
    match status.success() {
        true => Ok(()),
        false => Err(status.to_string()),
    }
}
