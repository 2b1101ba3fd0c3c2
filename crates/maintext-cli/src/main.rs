//! The program `maintext`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(maintext_cli::run(std::env::args_os().skip(1)))
}
