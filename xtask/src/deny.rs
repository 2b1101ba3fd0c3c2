//! `cargo xtask deny`: licences, sources and known vulnerabilities of the dependencies, by cargo-deny and `deny.toml`.
use crate::run::{cargo, run};

/// Whether a command ends well, its output unseen.
fn works(args: &[&str]) -> bool {
    cargo(args).output().is_ok_and(|o| o.status.success())
}

/// `cargo xtask deny`. With `--if-possible`, as `cargo xtask test` calls it, a machine without cargo-deny skips the step and says so. The
/// list of known vulnerabilities is fetched; without a network they alone are skipped, which is said too.
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
        println!("SKIPPED: licences and vulnerabilities of dependencies were not looked at, since {message}");
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
    println!("SKIPPED: vulnerabilities of dependencies were not looked at, since {message}");
    Ok(())
}
