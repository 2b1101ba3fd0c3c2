//! `cargo xtask html5lib`: runs the tests of the HTML standard on maintext-html.
use crate::run::{cargo, run};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask html5lib [--data DIR] [ARGUMENT...]

  --data DIR  folder of the data sets, see docs/data.md; the tests are in DIR/html5lib-tests [default: $MAINTEXT_DATA]

Other arguments go to the runner, crates/maintext-html/tests/html5lib.rs. Exits with 1 if a test fails.";

/// Runs the tokenizer and tree-construction tests; prints the numbers of passed, failed and excepted tests by file.
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
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{USAGE}"))?;
    let tests = data.join("html5lib-tests");
    if !tests.is_dir() {
        return Err(format!("{}: folder not found", tests.display()));
    }
    let mut command =
        cargo(&["test", "--release", "--quiet", "--package", "maintext-html", "--test", "html5lib", "--"]);
    run(command.args(rest).env("MAINTEXT_DATA", data))
}
