//! `cargo xtask bench`: how fast maintext is, by stage and beside other extractors, as the tables of docs/benchmarks.md.
use crate::run::{cargo, root, run};

const USAGE: &str = "usage: cargo xtask bench [--data DIR] [--python PROGRAM] [--set NAME] [--pages N] [--rounds N]

  --data DIR     the data sets, as in docs/data.md [default: $MAINTEXT_DATA]
  --python PROG  a Python that has bench/requirements.txt installed [default: python3]
  --set NAME     whose pages [default: wcxb-dev]
  --pages N      how many of them, spread over the set [default: 300]
  --rounds N     how often [default: 3]

All systems get the same pages in turns, each in a process of its own that measures its own processor time. The tables go to
docs/benchmarks.md, between the marks of this command.";

const BEGIN: &str = "<!-- cargo xtask bench: begin -->\n";
const END: &str = "<!-- cargo xtask bench: end -->";

/// Measures in a release build; the work is done by bench/peers-rs, whose dependencies stay out of the workspace.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if args.iter().any(|a| a == "-h" || a == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    let tables = root().join("target").join("bench.md");
    // With CARGO_TARGET_DIR the folder may not be there.
    std::fs::create_dir_all(root().join("target")).map_err(|e| format!("target: {e}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--manifest-path", "bench/peers-rs/Cargo.toml", "--", "speed"]);
    command.args(args).arg("--out").arg(&tables);
    run(&mut command)?;
    let doc = root().join("docs/benchmarks.md");
    let read = |p: &std::path::Path| std::fs::read_to_string(p).map_err(|e| format!("{}: {e}", p.display()));
    let (text, tables) = (read(&doc)?, read(&tables)?);
    let missing = || format!("{}: no marks of 'cargo xtask bench'", doc.display());
    let from = text.find(BEGIN).ok_or_else(missing)? + BEGIN.len();
    let to = text[from..].find(END).ok_or_else(missing)? + from;
    let new = format!("{}\n{}\n{}", &text[..from], tables.trim(), &text[to..]);
    let beside = doc.with_extension("tmp");
    std::fs::write(&beside, new)
        .and_then(|()| std::fs::rename(&beside, &doc))
        .map_err(|e| format!("{}: {e}", doc.display()))
}
