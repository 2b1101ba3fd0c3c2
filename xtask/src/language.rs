//! `cargo xtask train-language`: trains the detector of languages on the text of packages.
use crate::args;
use crate::run::{example, root, run};
use std::path::PathBuf;

const USAGE: &str = "usage: cargo xtask train-language PACKAGES [-o FILE] [--samples N]

  PACKAGES      folder of the unpacked packages; docs/languages.md lists them
  -o FILE       output file [default: crates/maintext-language/models/language.bin]
  --samples N   texts to learn from [default: 5000000]";

/// Trains in a release build; the same packages give the same file.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut packages: Option<PathBuf> = None;
    let mut out = root().join("crates/maintext-language/models/language.bin");
    let mut samples = 5_000_000;
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "-o" => out = values.path()?,
            "--samples" => samples = values.number()?,
            _ if packages.is_none() && !arg.starts_with('-') => {
                packages = Some(std::path::absolute(arg).map_err(|e| format!("{arg}: {e}"))?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let packages = packages.ok_or_else(|| format!("the folder of the packages is missing\n\n{USAGE}"))?;
    let mut command = example("maintext-language", "train");
    run(command.arg(packages).arg(out).arg(samples.to_string()))
}
