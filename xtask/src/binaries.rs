//! The test binaries of all crates: built by one cargo, and run with the time of each test, which `cargo test` does not report.
use crate::report::{Outcome, watch};
use crate::run::{checked, entries, root};
use crate::tools;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Targets with tests. Linking the examples takes long; a step of its own builds them.
const TARGETS: [&str; 5] = ["--workspace", "--all-features", "--lib", "--bins", "--tests"];

/// Modules of ignored tests that need a browser, or npm packages. Steps of their own run them.
pub const IN_CHROMIUM: &str = "in_chromium";
pub const IN_NODE: &str = "in_node";

/// A test binary and the folder of its package, where it runs.
#[derive(Debug, PartialEq)]
struct Binary {
    file: PathBuf,
    package: PathBuf,
}

/// Returns the string of a member of a JSON object in which that name occurs once.
fn member(json: &str, name: &str) -> Option<String> {
    let value = json.split_once(&format!("\"{name}\":\""))?.1;
    Some(value.split('"').next()?.replace("\\\\", "\\"))
}

/// Reads a line of `cargo --message-format=json`.
fn binary(line: &str) -> Option<Binary> {
    let is_test = line.contains("\"reason\":\"compiler-artifact\"") && line.contains("\"test\":true},\"features\"");
    let is_bench = line.contains("\"kind\":[\"bench\"]");
    if !is_test || is_bench {
        return None;
    }
    let package = PathBuf::from(member(line, "manifest_path")?);
    Some(Binary { file: member(line, "executable")?.into(), package: package.parent()?.to_path_buf() })
}

/// Builds all test binaries.
fn build() -> Result<Vec<Binary>, String> {
    // Errors are rendered to standard error; the messages name the binaries.
    let list = checked(&["test", "--no-run", "--quiet", "--message-format=json-render-diagnostics"])
        .args(TARGETS)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo did not start: {e}"))?;
    if !list.status.success() {
        return Err(format!("the tests could not be built ({})", list.status));
    }
    let binaries: Vec<Binary> = String::from_utf8_lossy(&list.stdout).lines().filter_map(binary).collect();
    if binaries.is_empty() { Err("cargo named no test binary".into()) } else { Ok(binaries) }
}

/// Passes on the output of a test runner, without its headings and counts, which are in the table at the end.
pub fn print_failures(line: &str) {
    let noise = ["running ", "test result: ok", "all doctests ran in"];
    if !line.trim().is_empty() && !noise.iter().any(|n| line.starts_with(n)) {
        println!("{line}");
    }
}

/// Number of threads of a test binary. The test harness names tests that take a minute only if there are several.
const THREADS: usize = 2;

/// Runs test binaries with arguments, as many at a time as there are processors for their threads.
fn run_each(binaries: &[Binary], arguments: &[&str]) -> Result<Outcome, String> {
    let waiting = Mutex::new(binaries.iter());
    let done = Mutex::new((Outcome::default(), Vec::new()));
    let work = || {
        // Binds the next binary first, so that the lock is not held while it runs.
        while let Some(binary) = { waiting.lock().expect("no test thread panics").next() } {
            let mut lines = Vec::new();
            let mut command = Command::new(&binary.file);
            // Durations are an unstable option of the test harness; without them tests run, but none is marked as slow.
            command.args(arguments).args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
            command.arg(format!("--test-threads={THREADS}"));
            command.current_dir(&binary.package).env("CARGO_MANIFEST_DIR", &binary.package);
            let result = watch(&mut command, &mut |line| lines.push(line.to_owned()));
            let mut done = done.lock().expect("no test thread panics");
            match result {
                Ok(outcome) => done.0.add(outcome),
                Err(e) => {
                    lines.iter().for_each(|line| print_failures(line));
                    done.1.push(e);
                }
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..processors.div_ceil(THREADS)).for_each(|_| _ = scope.spawn(work)));
    let (outcome, failures) = done.into_inner().expect("no test thread panics");
    if failures.is_empty() { Ok(outcome) } else { Err(failures.join("\n")) }
}

/// Names of tests that take longer than [`SLOW`](crate::report::SLOW).
pub const SLOW_TESTS: &str = ".ci/slow";

/// Returns the names of the slow tests.
fn slow() -> Result<Vec<String>, String> {
    let text = fs::read_to_string(root().join(SLOW_TESTS)).map_err(|e| format!("{SLOW_TESTS}: {e}"))?;
    Ok(entries(&text).map(String::from).collect())
}

/// Compiles all tests, which lints them.
pub fn lint(_: &mut Outcome) -> Result<(), String> {
    build().map(|_| ())
}

/// Runs all tests except the slow ones and the tests of other steps.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let slow = slow()?;
    let mut arguments = vec!["--exact"];
    arguments.extend(slow.iter().flat_map(|name| ["--skip", name]));
    let mut ran = run_each(&build()?, &arguments)?;
    ran.skipped.retain(|skip| ![IN_CHROMIUM, IN_NODE].iter().any(|module| skip.name.contains(module)));
    outcome.add(ran);
    Ok(())
}

/// Runs the slow tests.
pub fn test_slow(outcome: &mut Outcome) -> Result<(), String> {
    let slow = slow()?;
    let mut arguments = vec!["--exact"];
    arguments.extend(slow.iter().map(String::as_str));
    let ran = run_each(&build()?, &arguments)?;
    if let Some(name) = slow.iter().find(|name| !ran.names.contains(name)) {
        return Err(format!("{SLOW_TESTS}: no test is named '{name}'"));
    }
    outcome.add(ran);
    Ok(())
}

/// Runs the ignored tests in modules of a name.
pub fn ignored(outcome: &mut Outcome, module: &str) -> Result<(), String> {
    let ran = run_each(&build()?, &["--ignored", module])?;
    if ran.passed == 0 {
        return Err(format!("no test is in a module '{module}'"));
    }
    outcome.add(ran);
    Ok(())
}

/// Names the tests in modules of a name, which cannot run.
pub fn leave_out(outcome: &mut Outcome, module: &str, reason: &str) -> Result<(), String> {
    for binary in build()? {
        let list =
            Command::new(&binary.file).args(["--ignored", "--list", module]).current_dir(&binary.package).output();
        let list = list.map_err(|e| format!("{}: {e}", binary.file.display()))?;
        for name in String::from_utf8_lossy(&list.stdout).lines().filter_map(|line| line.strip_suffix(": test")) {
            outcome.skip(name, reason);
        }
    }
    Ok(())
}

/// Runs the tests in a browser.
pub fn in_chromium(outcome: &mut Outcome) -> Result<(), String> {
    match tools::chromium() {
        Ok(_) => ignored(outcome, IN_CHROMIUM),
        Err(e) => leave_out(outcome, IN_CHROMIUM, &e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_are_found_in_the_messages_of_cargo() {
        let line = |kind: &str, test: bool, file: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"package_id\":\"p\",\"manifest_path\":\"/w/a/Cargo.toml\",\"target\":{{\"kind\":\
                 [\"{kind}\"],\"name\":\"a\",\"test\":true}},\"profile\":{{\"opt_level\":\"0\",\"test\":{test}}},\"features\":[],\
                 \"filenames\":[],\"executable\":{file},\"fresh\":true}}"
            )
        };
        let found = Binary { file: "/t/a-1".into(), package: "/w/a".into() };
        assert_eq!(binary(&line("lib", true, "\"/t/a-1\"")), Some(found));
        assert_eq!(binary(&line("bin", false, "\"/t/a\"")), None, "a program");
        assert_eq!(binary(&line("bench", true, "\"/t/a\"")), None, "a benchmark has another harness");
        assert_eq!(binary(&line("lib", true, "null")), None);
    }
}
