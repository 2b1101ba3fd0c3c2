//! Counts the tests that a program runs, from what it prints, and names those that it skips.
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Seconds after which a test is slow: complete runs alone run it (`.ci/slow`).
pub const SLOW: f64 = 0.5;

/// A test that did not run.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Skip {
    pub name: String,
    pub reason: String,
}

/// What the tests of one step came to.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub passed: usize,
    /// Names of the tests of test binaries that passed.
    pub names: Vec<String>,
    pub skipped: Vec<Skip>,
    /// Tests that took longer than [`SLOW`], with their seconds.
    pub slow: Vec<(String, f64)>,
}

impl Outcome {
    /// Adds a part of the step that could not run.
    pub fn skip(&mut self, name: &str, reason: impl Into<String>) {
        self.skipped.push(Skip { name: name.into(), reason: reason.into() });
    }

    /// Returns the program that a part of the step needs, or skips the part with the reason why it is missing.
    pub fn needs<T>(&mut self, part: &str, found: Result<T, String>) -> Option<T> {
        found.map_err(|reason| self.skip(part, reason)).ok()
    }

    /// Runs a program and adds its tests; see [`watch`]. Prints its lines at its end, since other steps print meanwhile.
    pub fn watch(&mut self, command: &mut Command, print: &mut dyn FnMut(&str)) -> Result<(), String> {
        let mut lines = Vec::new();
        let watched = watch(command, &mut |line| lines.push(line.to_owned()));
        lines.iter().for_each(|line| print(line));
        self.add(watched?);
        Ok(())
    }

    pub fn add(&mut self, other: Outcome) {
        self.passed += other.passed;
        self.names.extend(other.names);
        self.skipped.extend(other.skipped);
        self.slow.extend(other.slow);
    }

    /// Reads a line of a test runner: libtest, pytest (with `-rs`), node's runner, or a script that prints `ok: NAME`. Returns whether the
    /// line only repeats the table at the end.
    pub fn read(&mut self, line: &str) -> bool {
        if let Some((name, result)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
            return self.libtest(name.split(" - should panic").next().unwrap_or(name), result);
        }
        if let Some(reason) = line.strip_prefix("SKIPPED: ") {
            let (name, reason) = reason.split_once(": ").unwrap_or((reason, reason));
            self.skip(name, reason);
        } else if let Some((place, reason)) = line.strip_prefix("SKIPPED [").and_then(|rest| rest.split_once(": ")) {
            let (times, place) = place.split_once("] ").unwrap_or(("1", place));
            (0..times.parse().unwrap_or(1)).for_each(|_| self.skip(place, reason));
        } else if line.starts_with("ok: ") {
            self.passed += 1;
        } else if let Some((_, count)) = line.split_once(" pass ").filter(|(sign, _)| matches!(*sign, "#" | "ℹ")) {
            self.passed += count.trim().parse::<usize>().unwrap_or(0);
        } else if let Some((test, reason)) = line.trim().split_once(" # ").filter(|(test, _)| test.starts_with('﹣')) {
            self.skip(test.trim_start_matches("﹣ ").split(" (").next().unwrap_or(test), reason);
        } else if let Some((test, reason)) =
            line.trim().split_once(" # SKIP").filter(|(test, _)| test.starts_with("ok "))
        {
            self.skip(test.split_once(" - ").map_or(test, |(_, name)| name), reason.trim());
        } else if line.contains(" passed") && line.contains(" in ") && !line.starts_with("test result:") {
            let words: Vec<&str> = line.split([' ', '=']).filter(|word| !word.is_empty()).collect();
            let passed =
                words.windows(2).find(|pair| pair[1].starts_with("passed")).and_then(|pair| pair[0].parse().ok());
            self.passed += passed.unwrap_or(0);
        }
        false
    }

    fn libtest(&mut self, name: &str, result: &str) -> bool {
        if let Some(rest) = result.strip_prefix("ok") {
            self.passed += 1;
            self.names.push(name.into());
            let seconds = rest.trim().trim_start_matches('<').trim_end_matches("s>").parse().unwrap_or(0.0);
            if seconds > SLOW {
                self.slow.push((name.into(), seconds));
            }
            return true;
        }
        if let Some(reason) = result.strip_prefix("ignored") {
            let reason = reason.split(" <").next().unwrap_or(reason).trim_start_matches(", ");
            self.skip(name, if reason.is_empty() { "no reason given" } else { reason });
            return true;
        }
        false
    }
}

/// The sentence that libtest prints once for each test that takes a minute.
const ENDLESS: &str = "has been running for over 60 seconds";

/// Runs a program, counts its tests and passes its output, line by line, to `print`. Ends it when one of its tests takes a minute.
///
/// # Errors
/// The program does not start, fails, or is ended.
pub fn watch(command: &mut Command, print: &mut dyn FnMut(&str)) -> Result<Outcome, String> {
    let name = command.get_program().display().to_string();
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("{name} did not start: {e}"))?;
    let mut outcome = Outcome::default();
    for line in BufReader::new(child.stdout.take().expect("standard output is a pipe")).split(b'\n') {
        let line = line.map_err(|e| format!("{name}: {e}"))?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        if line.ends_with(ENDLESS) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{line}; ended. Give it a smaller input, or an ignored twin for the night"));
        }
        if !outcome.read(line) {
            print(line);
        }
    }
    let status = child.wait().map_err(|e| format!("{name}: {e}"))?;
    if status.success() { Ok(outcome) } else { Err(format!("{name}: {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (usize, Vec<(String, String)>) {
        let mut outcome = Outcome::default();
        text.lines().for_each(|line| _ = outcome.read(line));
        (outcome.passed, outcome.skipped.into_iter().map(|s| (s.name, s.reason)).collect())
    }

    fn skip(name: &str, reason: &str) -> (String, String) {
        (name.into(), reason.into())
    }

    #[test]
    fn tests_of_cargo_are_counted() {
        let text = "running 4 tests\ntest a::b ... ok\ntest c ... ok <2.503s>\ntest d ... ignored, needs Chromium\ntest e ... ignored\n\
                    test src/lib.rs - f (line 3) ... ok\ntest g - should panic ... ok\ntest result: ok. 4 passed; 0 failed; 2 ignored; \
                    finished in 2.51s";
        assert_eq!(read(text), (4, vec![skip("d", "needs Chromium"), skip("e", "no reason given")]));
        let mut outcome = Outcome::default();
        text.lines().for_each(|line| _ = outcome.read(line));
        assert_eq!(outcome.slow, [("c".to_owned(), 2.503)]);
        assert!(!Outcome::default().read("test h ... FAILED"), "failures are printed");
    }

    #[test]
    fn tests_of_python_are_counted() {
        let text =
            "..s.  [100%]\nSKIPPED [2] python/tests/test_spark.py:17: Spark needs Java\n3 passed, 2 skipped in 4.20s";
        let java = skip("python/tests/test_spark.py:17", "Spark needs Java");
        assert_eq!(read(text), (3, vec![java.clone(), java]));
        assert_eq!(read("=== 355 passed in 64.02s ==="), (355, vec![]));
    }

    #[test]
    fn tests_of_node_are_counted_in_both_formats() {
        assert_eq!(
            read("# tests 3\n# pass 2\nok 3 - a page is read # SKIP no Firefox"),
            (2, vec![skip("a page is read", "no Firefox")])
        );
        assert_eq!(
            read("﹣ a page is read (0.1ms) # no Firefox\nℹ pass 7"),
            (7, vec![skip("a page is read", "no Firefox")])
        );
    }

    #[test]
    fn scripts_name_what_they_did() {
        let text = "ok: keys\nok: colours\nSKIPPED: deno: is not installed";
        assert_eq!(read(text), (2, vec![skip("deno", "is not installed")]));
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_test_is_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo test slow has been running for over 60 seconds; exec sleep 100"]);
        let error = watch(&mut command, &mut |_| ()).unwrap_err();
        assert!(error.starts_with("test slow has been running for over 60 seconds; ended"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_an_error() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        let error =
            watch(command.args(["-c", "echo test a ... ok; echo why; exit 3"]), &mut |line| seen.push(line.to_owned()));
        assert!(error.unwrap_err().ends_with("exit status: 3"));
        assert_eq!(seen, ["why"]);
    }
}
