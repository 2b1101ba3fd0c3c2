//! Running programs from the root of the workspace.
use std::path::Path;
use std::process::Command;

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
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
