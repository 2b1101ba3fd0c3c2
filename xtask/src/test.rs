//! `cargo xtask test`: all checks that a change must pass before it is merged, cheapest first.
use crate::run::{cargo, run};
use std::process::Command;
use std::time::Instant;

/// Runs the steps and stops at the first failure.
pub fn run_all(steps: Vec<(&str, Command)>) -> Result<(), String> {
    let start = Instant::now();
    let count = steps.len();
    for (i, (name, mut command)) in steps.into_iter().enumerate() {
        println!("==> {}/{count} {name}", i + 1);
        let begin = Instant::now();
        run(&mut command).map_err(|e| format!("FAILED at '{name}' ({e}); see its output above"))?;
        println!("<== {name}: ok, {:.1} s", begin.elapsed().as_secs_f64());
    }
    println!("All {count} steps passed in {:.1} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// The tests of all crates. Linking all examples takes minutes and the lints have checked them, so only those with tests are built.
fn all_tests() -> Command {
    let mut command = cargo(&["test", "--workspace", "--all-features", "--quiet"]);
    command.args(["--lib", "--bins", "--tests", "--benches", "--example", "compare"]);
    command
}

/// Runs `cargo xtask test`, which takes no arguments.
pub fn run_task(args: &[String]) -> Result<(), String> {
    if let Some(arg) = args.first() {
        return Err(format!("unexpected argument '{arg}'"));
    }
    let mut doc = cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--quiet"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    run_all(vec![
        ("format", cargo(&["fmt", "--all", "--check"])),
        ("licences and vulnerabilities of dependencies", cargo(&["xtask", "deny", "--if-possible"])),
        ("workflow files", cargo(&["xtask", "workflows", "--if-possible"])),
        (
            "lints",
            cargo(&["clippy", "--workspace", "--all-features", "--all-targets", "--quiet", "--", "-D", "warnings"]),
        ),
        // The build of the README's first command, without features.
        (
            "lints of the small command",
            cargo(&["clippy", "--package", "maintext-cli", "--quiet", "--", "-D", "warnings"]),
        ),
        ("unit, snapshot and command-line tests", all_tests()),
        ("documentation tests", cargo(&["test", "--workspace", "--all-features", "--doc", "--quiet"])),
        ("documentation", doc),
        ("Python package: wheel, types, tests, Spark", cargo(&["xtask", "python", "--if-possible"])),
        ("npm package: module, types, tests, the same bytes as the library", cargo(&["xtask", "js", "--if-possible"])),
        ("web extension in Chromium", cargo(&["xtask", "extension", "--if-possible"])),
        ("playground with and without a service", cargo(&["xtask", "playground", "--test", "--if-possible"])),
        ("fuzzing, 20 seconds for each target", cargo(&["xtask", "fuzz", "--if-possible", "--seconds", "20"])),
    ])
}

#[cfg(test)]
mod tests {
    use crate::run::root;
    use std::fs::read_to_string;

    #[test]
    fn hosted_ci_tests_the_minimum_supported_rust() {
        let oldest = env!("CARGO_PKG_RUST_VERSION");
        let workflow = read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
        assert!(workflow.contains(&format!("rust: [stable, \"{oldest}\"]")), "{oldest}");
    }
}
