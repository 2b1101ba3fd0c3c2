//! `cargo xtask warc`: a WARC file to measure `maintext batch` with. The file is never committed.
use crate::run::{cargo, run};
use std::path::Path;

const USAGE: &str = "usage: cargo xtask warc [--data DIR] [--records N] [--small] -o FILE

  --data DIR    the data sets, as in docs/data.md [default: $MAINTEXT_DATA]
  --records N   pages in the file [default: 20000]; those of the data sets in turns
  --small       made-up pages of two kilobytes instead of those of the data sets
  -o FILE       the file, .warc.gz";

/// Writes the file with an example of maintext-batch, in a release build.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut data = std::env::var_os("MAINTEXT_DATA");
    let mut rest: Vec<std::ffi::OsString> = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value\n\n{USAGE}"));
        match arg.as_str() {
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            "--data" => data = Some(absolute(value()?)?),
            "-o" => rest.extend(["-o".into(), absolute(value()?)?]),
            "--records" => rest.extend(["--records".into(), value()?.into()]),
            "--small" => rest.push("--small".into()),
            _ => return Err(format!("unexpected argument '{arg}'\n\n{USAGE}")),
        }
    }
    let mut command = cargo(&["run", "--release", "--quiet", "--package", "maintext-batch", "--example", "warc", "--"]);
    if let Some(data) = data {
        command.arg("--data").arg(data);
    }
    run(command.args(rest))
}

/// The command runs at the root of the workspace, wherever it was called.
fn absolute(path: &str) -> Result<std::ffi::OsString, String> {
    Ok(std::path::absolute(Path::new(path)).map_err(|e| format!("{path}: {e}"))?.into_os_string())
}
