//! `cargo xtask html5lib`: runs the tests of the HTML standard on maintext-html.
use crate::args;
use crate::run::{cargo, run};

const USAGE: &str = "usage: cargo xtask html5lib [--data DIR] [FILE]

  --data DIR  folder of the data sets, see docs/data.md; the tests are in DIR/html5lib-tests [default: $MAINTEXT_DATA]
  FILE        part of the name of the files to run [default: all]

The runner is crates/maintext-html/tests/it/html5lib.rs. Exits with 1 if a test fails.";

/// Runs the tokenizer and tree-construction tests; prints the numbers of passed, failed and excepted tests by file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut data, mut file) = (None, "");
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            flag if flag.starts_with('-') => return Ok(false),
            part => file = part,
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let data = args::data(data, USAGE)?;
    let tests = data.join("html5lib-tests");
    if !tests.is_dir() {
        return Err(format!("{}: folder not found", tests.display()));
    }
    let mut command = cargo(&["test", "--release", "--quiet", "--package", "maintext-html", "--test", "it", "--"]);
    command.args(["--ignored", "--nocapture", "the_cases_of_the_standard_pass"]);
    run(command.env("MAINTEXT_DATA", data).env("HTML5LIB_FILE", file))
}
