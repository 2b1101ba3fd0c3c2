//! `cargo xtask bench`: measures the speed of maintext, by stage and against other extractors, and writes the tables of docs/speed.md.
use crate::run::{cargo, root, run};

const USAGE: &str = "usage: cargo xtask bench [--data DIR] [--python PROGRAM] [--node PROGRAM] [--set NAME] [--pages N]
                         [--rounds N] [--systems A,B]

  --data DIR     folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --python PROG  Python with bench/requirements.txt installed [default: python3]
  --node PROG    Node.js 20 or newer, after 'npm ci' in bench/ [default: node]
  --set NAME     data set of the pages [default: wcxb-dev]
  --pages N      number of pages, spread over the set [default: 300]
  --rounds N     number of rounds [default: 3]
  --systems A,B  systems to measure [default: resiliparse, dom_smoothie, rs-trafilatura, trafilatura-rs, trafilatura]

All systems get the same pages in turns. Each runs in its own process and measures its own processor time. The command replaces
the tables between its marks in docs/speed.md.";

const BEGIN: &str = "<!-- cargo xtask bench: begin -->\n";
const END: &str = "<!-- cargo xtask bench: end -->";

/// Measures in a release build. bench/peers-rs does the work; it is outside of the workspace to keep its dependencies out.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if args.iter().any(|a| a == "-h" || a == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    let tables = root().join("target").join("bench.md");
    // With CARGO_TARGET_DIR set, the folder may not exist.
    std::fs::create_dir_all(root().join("target")).map_err(|e| format!("target: {e}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--manifest-path", "bench/peers-rs/Cargo.toml", "--", "speed"]);
    command.args(args).arg("--out").arg(&tables);
    run(&mut command)?;
    let doc = root().join("docs/speed.md");
    let read = |p: &std::path::Path| std::fs::read_to_string(p).map_err(|e| format!("{}: {e}", p.display()));
    let (text, tables) = (read(&doc)?, read(&tables)?);
    let missing = || format!("{}: the marks of 'cargo xtask bench' are missing", doc.display());
    let from = text.find(BEGIN).ok_or_else(missing)? + BEGIN.len();
    let to = text[from..].find(END).ok_or_else(missing)? + from;
    let new = format!("{}\n{}\n{}", &text[..from], tables.trim(), &text[to..]);
    let beside = doc.with_extension("tmp");
    std::fs::write(&beside, new)
        .and_then(|()| std::fs::rename(&beside, &doc))
        .map_err(|e| format!("{}: {e}", doc.display()))
}
