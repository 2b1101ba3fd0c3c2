//! `cargo xtask release semver`: compares the public interface of the façade with an earlier revision.
use crate::args;
use crate::run::{cargo, root, run};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask release semver [--baseline REV]

  --baseline REV  revision to compare with [default: the newest tag vX.Y.Z before this commit]

Fails if the crate 'maintext' has changed in a way that its version does not allow; the other crates are exempt (docs/formats.md).
The tool does not see items that 'maintext' takes from 'maintext-core'; crates/maintext/tests/surface.rs lists their names. Needs cargo-semver-checks: cargo install --locked cargo-semver-checks.";

/// The crate that follows semantic versioning.
const FACADE: &str = "maintext";

/// Compares, or reports why there is nothing to compare.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut baseline = None;
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--baseline" => baseline = Some(values.next()?.to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let Some(baseline) = baseline.or_else(newest_tag) else {
        println!("SKIPPED: no tag before this commit, so no earlier version to compare with");
        return Ok(());
    };
    if !cargo(&["semver-checks", "--version"]).output().is_ok_and(|o| o.status.success()) {
        println!("SKIPPED: cargo-semver-checks is not installed");
        return Ok(());
    }
    run(cargo(&["semver-checks", "check-release", "--package", FACADE, "--baseline-rev"]).arg(baseline))
}

fn newest_tag() -> Option<String> {
    let describe = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"];
    let out = Command::new("git").args(describe).current_dir(root()).output().ok()?;
    let tag = String::from_utf8(out.stdout).ok()?.trim().to_owned();
    (out.status.success() && !tag.is_empty()).then_some(tag)
}
