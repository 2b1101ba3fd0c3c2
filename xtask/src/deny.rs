//! The step `licences` of `cargo xtask test`: checks licences, sources and known vulnerabilities of the dependencies with cargo-deny and
//! `deny.toml`.
use crate::report::Outcome;
use crate::run::{cargo, run};
use crate::tools;

pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    if outcome.needs("dependencies", tools::deny()).is_none() {
        return Ok(());
    }
    // The laboratory has fewer licences than the list allows.
    for manifest in ["Cargo.toml", "lab/Cargo.toml"] {
        let context = ["--manifest-path", manifest, "--config", "deny.toml"];
        run(cargo(&["deny"]).args(context).args([
            "check",
            "--allow",
            "license-not-encountered",
            "licenses",
            "bans",
            "sources",
        ]))?;
    }
    // The list is on GitHub.
    if cargo(&["deny", "fetch", "db"]).output().is_ok_and(|o| o.status.success()) {
        return run(&mut cargo(&["deny", "check", "--disable-fetch", "advisories"]));
    }
    outcome.skip("vulnerabilities", "the list of known vulnerabilities could not be fetched");
    Ok(())
}
