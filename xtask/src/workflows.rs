//! The step `workflows` of `cargo xtask test`: looks for errors and weaknesses in the workflow files with zizmor.
use crate::report::Outcome;
use crate::run::{root, run};
use crate::tools;
use std::process::Command;

pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let Some(python) = outcome.needs("the workflow files", tools::python()) else { return Ok(()) };
    let zizmor = python.with_file_name("zizmor");
    run(Command::new(zizmor).args(["--offline", "--quiet", ".github/workflows"]).current_dir(root()))
}
