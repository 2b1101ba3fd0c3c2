//! `cargo xtask warc`: writes a WARC file to measure `maintext batch`. The file is never committed.
use crate::run::{cargo, run};
use std::path::Path;

const USAGE: &str = "usage: cargo xtask warc [--data DIR] [--records N] [--small] -o FILE

  --data DIR    folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --records N   pages in the file, from all data sets in turn [default: 20000]
  --small       generated pages of two kilobytes instead
  -o FILE       output file, .warc.gz";

/// Writes the file in a release build, with an example of maintext-batch.
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

/// Returns the absolute path, because the command runs at the root of the workspace.
fn absolute(path: &str) -> Result<std::ffi::OsString, String> {
    Ok(std::path::absolute(Path::new(path)).map_err(|e| format!("{path}: {e}"))?.into_os_string())
}
