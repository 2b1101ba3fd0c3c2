//! `cargo xtask eval`: maintext beside other extractors on all data sets, as the tables of docs/benchmarks.md.
use crate::run::{cargo, root, run};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask eval [--data DIR] [--peers DIR] [--ours DIR]
                        [--method NAME | --model FILE] [--check] [--record]

  --data DIR     the data sets, as in docs/data.md [default: $MAINTEXT_DATA]
  --peers DIR    what other extractors said, DIR/<set>/<system>.jsonl, as bench/peers-rs writes it; with it the tables of
                 docs/benchmarks.md are written anew
  --ours DIR     what maintext says, DIR/<set>/maintext.jsonl. The sets in train/ are measured by nothing else: there only
                 cross-validated answers count. Those in eval/ are extracted here and now unless DIR has them
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
    command.arg("--doc").arg(root().join("docs/benchmarks.md"));
    command.arg("--recorded").arg(root().join("bench/recorded.json"));
    run(&mut command)
}

/// The command runs at the root of the workspace, wherever it was called.
fn absolute(path: &Path) -> Result<String, String> {
    let whole = path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?;
    whole.into_os_string().into_string().map_err(|p| format!("{}: not a name in UTF-8", p.display()))
}
