//! `cargo xtask eval`: maintext beside other extractors on all data sets, as the tables of docs/benchmarks.md and
//! the documents beside it.
use crate::run::{cargo, root, run};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask eval [--data DIR] [--peers DIR] [--ours DIR]
                        [--method NAME | --model FILE] [--check] [--record]

  --data DIR     the data sets, as in docs/data.md [default: $MAINTEXT_DATA]
  --peers DIR    answers of other extractors, DIR/<set>/<system>.jsonl, as bench/peers-rs writes them. The command then
                 replaces the tables of docs/benchmarks.md and docs/benchmark-*.md
  --ours DIR     answers of maintext, DIR/<set>/maintext.jsonl. The sets in train/ need them, cross-validated. Without them
                 maintext runs on the sets in eval/ only
  --method NAME  the method that is measured [default: the command's own]
  --model FILE   measure this model of the learned method instead of the shipped one
  --check        fail when an F1 is more than 0.003 below the one in bench/recorded.json
  --record       write what was measured to bench/recorded.json";

/// Measures in a release build; the work is done by an example of maintext-train.
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
    let data =
        data.ok_or_else(|| format!("neither '--data' nor $MAINTEXT_DATA says where the data sets are\n\n{USAGE}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--package", "maintext-train", "--example", "compare", "--"]);
    command.args(["--data".into(), absolute(&data)?]).args(rest);
    command.arg("--docs").arg(root().join("docs"));
    command.arg("--recorded").arg(root().join("bench/recorded.json"));
    run(&mut command)
}

/// The absolute path, since the command runs at the root of the workspace.
fn absolute(path: &Path) -> Result<String, String> {
    let whole = path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
    whole.into_os_string().into_string().map_err(|p| format!("{}: not a name in UTF-8", p.display()))
}
