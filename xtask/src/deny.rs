//! The step `licences` of `cargo xtask test`: checks licences, sources and known vulnerabilities of the dependencies with cargo-deny and
//! `deny.toml`.
use crate::report::Outcome;
use crate::run::{root, run};
use crate::tools;
use std::path::Path;
use std::process::Command;

fn deny(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let Some(program) = outcome.needs("dependencies", tools::deny()) else { return Ok(()) };
    // The laboratory has fewer licences than the list allows.
    for manifest in ["Cargo.toml", "lab/Cargo.toml"] {
        let context = ["--manifest-path", manifest, "--config", "deny.toml"];
        let checks = ["check", "--allow", "license-not-encountered", "licenses", "bans", "sources"];
        run(deny(&program, &context).args(checks))?;
    }
    // The list is on GitHub.
    if deny(&program, &["fetch", "db"]).output().is_ok_and(|o| o.status.success()) {
        return run(&mut deny(&program, &["check", "--disable-fetch", "advisories"]));
    }
    outcome.skip("vulnerabilities", "the list of known vulnerabilities could not be fetched");
    Ok(())
}
