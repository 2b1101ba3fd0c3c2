//! `cargo xtask eval`: compares maintext with other extractors on all data sets and writes the tables of docs/benchmarks.md and
//! docs/benchmark-*.md.
use crate::run::{cargo, root, run};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask eval [--data DIR] [--peers DIR] [--ours DIR]
                        [--method NAME | --model FILE] [--check] [--record]

  --data DIR     folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --peers DIR    outputs of other extractors, DIR/<set>/<system>.jsonl, from bench/peers-rs. With them, the command
                 replaces the tables of docs/benchmarks.md and docs/benchmark-*.md
  --ours DIR     cross-validated outputs of maintext, DIR/<set>/maintext.jsonl, needed for the sets in train/. Without
                 them, maintext runs on the sets in eval/ only
  --method NAME  method to measure [default: the command's own]
  --model FILE   model of the learned method to measure instead of the shipped one
  --check        fail when an F1 is more than 0.003 below the one in bench/recorded.json
  --record       write the measurements to bench/recorded.json";

/// Measures in a release build, with an example of maintext-lab.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut data = std::env::var_os("MAINTEXT_DATA").map(PathBuf::from);
    let mut rest: Vec<String> = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value\n\n{USAGE}"));
        match arg.as_str() {
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--data" => data = Some(value()?.into()),
            "--peers" | "--ours" | "--model" => rest.extend([arg.clone(), absolute(Path::new(value()?))?]),
            "--method" => rest.extend([arg.clone(), value()?.clone()]),
            "--check" | "--record" => rest.push(arg.clone()),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let data = data
        .ok_or_else(|| format!("pass '--data DIR' or set $MAINTEXT_DATA to the folder of the data sets\n\n{USAGE}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--package", "maintext-lab", "--example", "compare", "--"]);
    command.args(["--data".into(), absolute(&data)?]).args(rest);
    command.arg("--docs").arg(root().join("docs"));
    command.arg("--recorded").arg(root().join("bench/recorded.json"));
    run(&mut command)
}

/// Returns the absolute path, because the command runs at the root of the workspace.
fn absolute(path: &Path) -> Result<String, String> {
    let whole = path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
    whole.into_os_string().into_string().map_err(|p| format!("{}: not valid UTF-8", p.display()))
}
