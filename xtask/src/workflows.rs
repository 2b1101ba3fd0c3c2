//! `cargo xtask workflows`: looks for errors and weaknesses in the workflow files with zizmor.
use crate::run::{root, run};
use std::process::Command;

/// Runs `cargo xtask workflows`. With `--if-possible`, which `cargo xtask test` passes, a machine without zizmor reports and skips the step.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let optional = match args {
        [] => false,
        [flag] if flag == "--if-possible" => true,
        [arg, ..] => return Err(format!("unexpected argument '{arg}'")),
    };
    if !Command::new("zizmor").arg("--version").output().is_ok_and(|o| o.status.success()) {
        let message = "zizmor is not installed (pip install zizmor)";
        if !optional {
            return Err(message.into());
        }
        println!("SKIPPED: the workflow files were not checked, because {message}");
        return Ok(());
    }
    run(Command::new("zizmor").args(["--offline", "--quiet", ".github/workflows"]).current_dir(root()))
}
