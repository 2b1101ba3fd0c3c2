//! `cargo xtask warc`: writes a WARC file to measure `maintext batch`. The file is never committed.
use crate::args;
use crate::run::{example, run};

const USAGE: &str = "usage: cargo xtask warc [--data DIR] [--records N] [--small] -o FILE

  --data DIR    folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --records N   pages in the file, from all data sets in turn [default: 20000]
  --small       generated pages of two kilobytes instead
  -o FILE       output file, .warc.gz";

/// Writes the file in a release build, with an example of maintext-batch.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut data, mut rest) = (std::env::var_os("MAINTEXT_DATA"), Vec::<std::ffi::OsString>::new());
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--data" => data = Some(values.path()?.into()),
            "-o" => rest.extend(["-o".into(), values.path()?.into()]),
            "--records" => rest.extend(["--records".into(), values.next()?.into()]),
            "--small" => rest.push("--small".into()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let mut command = example("maintext-batch", "warc");
    if let Some(data) = data {
        command.arg("--data").arg(data);
    }
    run(command.args(rest))
}
