//! The step `docs` of `cargo xtask test`: documents all crates and runs the examples in their documentation.
use crate::binaries::print_failures;
use crate::report::Outcome;
use crate::run::{checked, run, target};
use std::process::Command;

/// Set where cargo calls this program as rustdoc. The value is the output folder.
const OUT: &str = "XTASK_RUSTDOC_OUT";

/// Returns the arguments that document a crate, from those that test its examples.
fn document(test: &[String], out: &str) -> Vec<String> {
    let mut rest = test.iter();
    let mut arguments = Vec::new();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--test" => {}
            _ if argument.starts_with("--test-") => _ = rest.next(),
            _ => arguments.push(argument.clone()),
        }
    }
    arguments.extend(["--deny=warnings", "--out-dir", out].map(String::from));
    arguments
}

/// Acts as rustdoc if cargo calls this program as such: documents the crate whose examples cargo wants to test, then tests them. `cargo doc`
/// would check every dependency once more.
pub fn as_rustdoc(arguments: &[String]) -> Option<Result<(), String>> {
    let out = std::env::var(OUT).ok()?;
    let is_test = arguments.iter().any(|argument| argument == "--test");
    let documented = if is_test { rustdoc(&document(arguments, &out)) } else { Ok(()) };
    Some(documented.and_then(|()| rustdoc(arguments)))
}

fn rustdoc(arguments: &[String]) -> Result<(), String> {
    run(Command::new("rustdoc").args(arguments))
}

/// Documents all crates and tests the examples.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| format!("this program has no path: {e}"))?;
    let mut tests = checked(&["test", "--workspace", "--all-features", "--doc"]);
    tests.env("RUSTDOC", program).env(OUT, target().join("doc"));
    outcome.watch(&mut tests, &mut print_failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_tests_become_those_of_documentation() {
        let test = "--crate-name a --test src/lib.rs --test-run-directory /w --test-args --quiet --extern b=b.rlib";
        let test: Vec<String> = test.split(' ').map(String::from).collect();
        let documented = "--crate-name a src/lib.rs --extern b=b.rlib --deny=warnings --out-dir doc";
        assert_eq!(document(&test, "doc").join(" "), documented);
    }
}
