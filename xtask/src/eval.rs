//! `cargo xtask eval`: compares maintext with other extractors on all data sets and writes the tables of docs/benchmarks.md and
//! docs/experiments/benchmarks.md.
use crate::args;
use crate::run::{lab_program, root, run};
use std::path::Path;

const USAGE: &str = "usage: cargo xtask eval [--data DIR] [--peers DIR] [--ours DIR]
                        [--method NAME | --model FILE] [--check] [--record]

  --data DIR     folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --peers DIR    outputs of other extractors, DIR/<set>/<system>.jsonl, from bench/peers-rs. With them, the command
                 replaces the tables of docs/benchmarks.md and docs/experiments/benchmarks.md
  --ours DIR     cross-validated outputs of maintext, DIR/<set>/maintext.jsonl, needed for the sets in train/. Without
                 them, maintext runs on the sets in eval/ only
  --method NAME  method to measure [default: the command's own]
  --model FILE   model of the learned method to measure instead of the shipped one
  --check        fail when an F1 is more than 0.003 below the one in bench/recorded.json
  --record       write the measurements to bench/recorded.json";

/// Measures in a release build, with an example of the laboratory.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut data, mut rest) = (None, Vec::<String>::new());
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?),
            "--peers" | "--ours" | "--model" => rest.extend([arg.to_owned(), existing(values.next()?)?]),
            "--method" => rest.extend([arg.to_owned(), values.next()?.to_owned()]),
            "--check" | "--record" => rest.push(arg.to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let data = args::data(data, USAGE)?;
    let mut command = lab_program("--example", "compare");
    command.arg("--data").arg(data).args(rest);
    command.arg("--docs").arg(root().join("docs"));
    command.arg("--recorded").arg(root().join("bench/recorded.json"));
    run(&mut command)
}

/// Runs `cargo xtask measure`, whose arguments the program itself reads.
pub fn measure(args: &[String]) -> Result<(), String> {
    run(lab_program("--bin", "maintext-lab").args(args))
}

/// Returns the absolute path of a file or folder that exists.
fn existing(path: &str) -> Result<String, String> {
    let whole = Path::new(path).canonicalize().map_err(|e| format!("{path}: {e}"))?;
    whole.into_os_string().into_string().map_err(|p| format!("{}: not valid UTF-8", p.display()))
}
