//! `cargo xtask deny`: checks licences, sources and known vulnerabilities of the dependencies with cargo-deny and `deny.toml`.
use crate::run::{cargo, run};

/// Whether a command succeeds. Hides its output.
fn works(args: &[&str]) -> bool {
    cargo(args).output().is_ok_and(|o| o.status.success())
}

/// Runs `cargo xtask deny`. With `--if-possible`, which `cargo xtask test` passes, a machine without cargo-deny reports and skips the
/// step. Without a network, only the check for known vulnerabilities is reported and skipped.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let optional = match args {
        [] => false,
        [flag] if flag == "--if-possible" => true,
        [arg, ..] => return Err(format!("unexpected argument '{arg}'")),
    };
    if !works(&["deny", "--version"]) {
        let message = "cargo-deny is not installed (cargo install cargo-deny)";
        if !optional {
            return Err(message.into());
        }
        println!("SKIPPED: licences and vulnerabilities of dependencies were not checked, because {message}");
        return Ok(());
    }
    run(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))?;
    if works(&["deny", "fetch", "db"]) {
        return run(&mut cargo(&["deny", "check", "--disable-fetch", "advisories"]));
    }
    let message = "the list of known vulnerabilities could not be fetched";
    if !optional {
        return Err(message.into());
    }
    println!("SKIPPED: vulnerabilities of dependencies were not checked, because {message}");
    Ok(())
}
