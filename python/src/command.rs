//! The command `maintext`, which the package installs.
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with the arguments after the program's name, and returns its exit status.
///
/// Usage that turns out to be invalid after parsing ends the process.
#[pyfunction]
pub fn run_command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| maintext_cli::run(args))
}
