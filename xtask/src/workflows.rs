//! The step `workflows` of `cargo xtask test`: looks for errors and weaknesses in the workflow files with zizmor.
use crate::report::Outcome;
use crate::run::{root, run};
use crate::tools;
use std::process::Command;

pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    match tools::python() {
        Ok(python) => {
            let zizmor = python.with_file_name("zizmor");
            run(Command::new(zizmor).args(["--offline", "--quiet", ".github/workflows"]).current_dir(root()))
        }
        Err(e) => {
            outcome.skip("the workflow files", e);
            Ok(())
        }
    }
}
