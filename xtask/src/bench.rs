//! `cargo xtask bench`: measures the speed of maintext, by stage and against other extractors, and writes the tables of docs/experiments/speed.md.
use crate::run::{cargo, example, root, run, target};
use std::path::Path;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask bench [--check] [--processes N] [--data DIR] [--python PROGRAM] [--node PROGRAM] [--set NAME]
                         [--pages N] [--rounds N] [--systems A,B]

  --check        do not write the tables; fail if a system has come closer to maintext by more than 15 % since they were written
  --processes N  also run 'maintext batch', resiliparse and trafilatura as whole processes over one archive of N pages; trafilatura
                 gets a tenth of them
  --data DIR     folder of the data sets; see docs/data.md [default: $MAINTEXT_DATA]
  --python PROG  Python with bench/requirements.txt installed [default: python3]
  --node PROG    Node.js 20 or newer, after 'npm ci' in bench/ [default: node]
  --set NAME     data set of the pages [default: wcxb-dev]
  --pages N      number of pages, spread over the set [default: 300]
  --rounds N     number of rounds [default: 3]
  --systems A,B  systems to measure [default: resiliparse, dom_smoothie, rs-trafilatura, trafilatura-rs, trafilatura]

All systems get the same pages in turns. Each runs in its own process and measures its own processor time. The command replaces
the tables between its marks in docs/experiments/speed.md.";

/// The name of the marks around each table in docs/experiments/speed.md.
const PAGES: &str = "cargo xtask bench";
const PROCESSES: &str = "cargo xtask bench --processes";
/// The smallest part of a recorded ratio that `--check` accepts.
const ACCEPTED: f64 = 0.85;

/// Measures in a release build. bench/peers-rs does the work; it is outside of the workspace to keep its dependencies out.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if args.iter().any(|a| a == "-h" || a == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    let mut rest = args.to_vec();
    let check = rest.iter().position(|a| a == "--check").map(|at| rest.remove(at)).is_some();
    let processes = match rest.iter().position(|a| a == "--processes") {
        Some(at) => {
            let number = rest.drain(at..(at + 2).min(rest.len())).nth(1);
            let number = number.and_then(|n| n.parse::<usize>().ok()).filter(|n| *n >= 10);
            Some(number.ok_or_else(|| format!("'--processes' takes a number of at least 10\n\n{USAGE}"))?)
        }
        None => None,
    };
    let tables = root().join("target").join("bench.md");
    // With CARGO_TARGET_DIR set, the folder may not exist.
    std::fs::create_dir_all(root().join("target")).map_err(|e| format!("target: {e}"))?;
    let mut command =
        cargo(&["run", "--release", "--quiet", "--manifest-path", "bench/peers-rs/Cargo.toml", "--", "speed"]);
    command.args(&rest).arg("--out").arg(&tables);
    run(&mut command)?;
    let doc = root().join("docs/experiments/speed.md");
    let text = read(&doc)?;
    let measured = read(&tables)?;
    if check {
        return compare(between(&text, PAGES, &doc)?.1, &measured);
    }
    let mut text = replaced(&text, PAGES, &measured, &doc)?;
    if let Some(pages) = processes {
        text = replaced(&text, PROCESSES, &whole_processes(pages, &rest)?, &doc)?;
    }
    let beside = doc.with_extension("tmp");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, &doc))
        .map_err(|e| format!("{}: {e}", doc.display()))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns the text before the content of a pair of marks, the content, and the text after it.
fn between<'a>(text: &'a str, name: &str, doc: &Path) -> Result<(&'a str, &'a str, &'a str), String> {
    let begin = format!("<!-- {name}: begin -->\n");
    let from =
        text.find(&begin).ok_or_else(|| format!("{}: the marks of '{name}' are missing", doc.display()))? + begin.len();
    let to = from
        + text[from..]
            .find(&format!("<!-- {name}: end -->"))
            .ok_or_else(|| format!("{}: the marks of '{name}' are missing", doc.display()))?;
    Ok((&text[..from], &text[from..to], &text[to..]))
}

fn replaced(text: &str, name: &str, tables: &str, doc: &Path) -> Result<String, String> {
    let (before, _, after) = between(text, name, doc)?;
    Ok(format!("{before}\n{}\n{after}", tables.trim()))
}

/// Returns the ratio of each system in a table: the number that begins its last column.
fn ratios(table: &str) -> Vec<(&str, f64)> {
    table.lines().filter(|line| line.ends_with(") |")).filter_map(ratio).collect()
}

fn ratio(line: &str) -> Option<(&str, f64)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    Some((*cells.first()?, cells.last()?.split(' ').next()?.parse().ok()?))
}

/// Compares the ratios of two tables.
fn compare(recorded: &str, measured: &str) -> Result<(), String> {
    let recorded = ratios(recorded);
    let mut worse = Vec::new();
    for (system, now) in ratios(measured) {
        let Some((_, then)) = recorded.iter().find(|r| r.0 == system) else { continue };
        // The other variants of maintext do less or more than the first.
        let own = system.starts_with("maintext,");
        println!("{system}: {now:.2}, recorded {then:.2}");
        if !own && now < then * ACCEPTED {
            worse.push(format!(
                "{system}: {now:.2} times maintext's time, {then:.2} when docs/experiments/speed.md was written"
            ));
        }
    }
    if worse.is_empty() { Ok(()) } else { Err(worse.join("; ")) }
}

/// Runs the commands over an archive and returns their table.
fn whole_processes(pages: usize, args: &[String]) -> Result<String, String> {
    let archive = root().join("target/bench.warc.gz");
    let mut warc = example("maintext-batch", "warc");
    warc.args(["--records", &pages.to_string(), "-o"]).arg(&archive);
    let data = value_of(args, "--data").map(Into::into).or_else(|| std::env::var_os("MAINTEXT_DATA"));
    run(data.iter().fold(&mut warc, |warc, data| warc.arg("--data").arg(data)))?;
    run(&mut cargo(&["build", "--release", "--quiet", "--package", "maintext-cli", "--features", "full"]))?;
    let mut peers = Command::new(value_of(args, "--python").map_or("python3", String::as_str));
    peers
        .arg(root().join("bench/batch_peers.py"))
        .arg(&archive)
        .arg("--maintext")
        .arg(target().join("release/maintext"));
    peers.args([
        "--table",
        "--limit",
        &(pages / 10).to_string(),
        "--rounds",
        value_of(args, "--rounds").map_or("3", String::as_str),
    ]);
    let out = peers.stderr(std::process::Stdio::inherit()).output();
    let out = out.map_err(|e| format!("{} did not start: {e}", peers.get_program().display()))?;
    let _ = std::fs::remove_file(&archive);
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(format!("bench/batch_peers.py: {}", out.status))
    }
}

fn value_of<'a>(args: &'a [String], flag: &str) -> Option<&'a String> {
    args.iter().position(|a| a == flag).and_then(|at| args.get(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(peer: &str) -> String {
        format!(
            "3 pages\n\n| system | ms a page | maintext is faster by |\n| --- | --: | --: |\n| maintext | 2.70 | 1.00 (1.00–1.00) |\n\
             | maintext, text only | 1.33 | 0.49 (0.46–0.50) |\n| peer | 3.77 | {peer} (1.38–1.40) |\n\n| stage | share |\n| parse | 13 % |\n"
        )
    }

    #[test]
    fn a_peer_that_came_closer_is_named() {
        assert_eq!(ratios(&table("1.39")), [("maintext", 1.0), ("maintext, text only", 0.49), ("peer", 1.39)]);
        assert_eq!(compare(&table("1.39"), &table("1.30")), Ok(()));
        assert!(compare(&table("1.39"), &table("1.10")).unwrap_err().starts_with("peer: 1.10 times"));
    }

    #[test]
    fn only_the_content_of_the_marks_is_replaced() {
        let text = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb";
        let expected = "a\n<!-- x: begin -->\n\nnew\n<!-- x: end -->\nb";
        assert_eq!(replaced(text, "x", "new\n", Path::new("d.md")).as_deref(), Ok(expected));
        assert_eq!(replaced("a", "x", "", Path::new("d.md")).unwrap_err(), "d.md: the marks of 'x' are missing");
    }
}
