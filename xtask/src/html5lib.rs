//! `cargo xtask html5lib`: the HTML standard's own tests against maintext-html.
use crate::run::{cargo, run};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask html5lib [--data DIR] [ARGUMENT...]

  --data DIR  the data sets, as in docs/data.md; the tests are in DIR/html5lib-tests [default: $MAINTEXT_DATA]

Other arguments go to the runner, crates/maintext-html/tests/html5lib.rs. Exits 1 when a test fails.";

/// Runs the tokenizer and tree-construction tests and prints passed, failed and excepted by file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut data = std::env::var_os("MAINTEXT_DATA").map(PathBuf::from);
    let mut rest: Vec<String> = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--data" => {
                let dir = args.next().ok_or_else(|| format!("'--data' needs a value\n\n{USAGE}"))?;
                data = Some(std::path::absolute(dir).map_err(|e| format!("{dir}: {e}"))?);
            }
            _ => rest.push(arg.clone()),
        }
    }
    let data =
        data.ok_or_else(|| format!("neither '--data' nor $MAINTEXT_DATA says where the tests are\n\n{USAGE}"))?;
    let tests = data.join("html5lib-tests");
    if !tests.is_dir() {
        return Err(format!("{}: no such folder", tests.display()));
    }
    let mut command =
        cargo(&["test", "--release", "--quiet", "--package", "maintext-html", "--test", "html5lib", "--"]);
    run(command.args(rest).env("MAINTEXT_DATA", data))
}
