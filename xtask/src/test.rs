//! `cargo xtask test`: all checks that a change must pass before it is merged.
use crate::report::{Outcome, SLOW};
use crate::run::{answer, entries, root};
use crate::steps::{STEPS, Step, When};
use crate::{args, binaries};
use std::fs;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask test [--quick] [--changed] [STEP...]

  STEP       steps to run [default: all]
  --quick    leave out slow tests and what needs a browser, Node.js, Python or a network
  --changed  leave out what the changes since the last commit on origin/main, or else since HEAD, cannot break
  --list     print the steps

Installs missing programs on Debian as root, unless $MAINTEXT_INSTALL is 0. Without them, their tests are skipped and listed. With
CI=true a skip fails, unless .ci/skips has a line for it.";

/// The names of tests that may be skipped where CI=true.
const EXCEPTIONS: &str = ".ci/skips";

/// What a step came to.
struct Done {
    step: &'static Step,
    outcome: Outcome,
    result: Result<(), String>,
    time: Duration,
}

/// Tests that may be skipped: the step, the start of the name, and the reason.
fn exceptions(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let read = entries(text).map(|line| {
        let (key, reason) = line.split_once(": ").unwrap_or((line, ""));
        let parts = if !reason.is_empty() { key.split_once(' ') } else { None };
        parts.ok_or_else(|| format!("{EXCEPTIONS}: '{line}' is not 'STEP NAME: REASON'"))
    });
    read.collect()
}

/// Fails if a test of a step was skipped without an exception.
fn check_skips(step: &str, outcome: &Outcome, exceptions: &[(&str, &str)]) -> Result<(), String> {
    let unexpected = outcome
        .skipped
        .iter()
        .filter(|skip| !exceptions.iter().any(|(s, name)| *s == step && skip.name.starts_with(name)));
    let names: Vec<String> = unexpected.map(|skip| format!("  {}: {}", skip.name, skip.reason)).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(format!("these tests did not run, and {EXCEPTIONS} does not allow it:\n{}", names.join("\n")))
}

/// Whether nothing but documents differs from the merged state.
fn only_documents_changed() -> Result<bool, String> {
    let base = answer("git", &["merge-base", "HEAD", "origin/main"]).unwrap_or_else(|| "HEAD".into());
    let changed =
        names(&["diff", "--name-only", &base])? + "\n" + &names(&["ls-files", "--others", "--exclude-standard"])?;
    Ok(!changed
        .lines()
        .filter(|line| !line.is_empty())
        .any(|line| !line.ends_with(".md") && !line.starts_with("docs/")))
}

fn names(args: &[&str]) -> Result<String, String> {
    answer("git", args).ok_or_else(|| format!("'git {}' failed", args.join(" ")))
}

/// Prints one row for each step, the slow tests, and the skipped ones by reason.
fn print_table(done: &[Done]) {
    println!("\n{:12} {:>7} {:>8} {:>9}  result", "step", "passed", "skipped", "seconds");
    for d in done {
        let (passed, skipped) = (d.outcome.passed, d.outcome.skipped.len());
        let result = if d.result.is_ok() { "ok" } else { "FAILED" };
        println!("{:12} {passed:7} {skipped:8} {:9.1}  {result}", d.step.name, d.time.as_secs_f64());
    }
    let mut slow: Vec<_> = done.iter().flat_map(|d| &d.outcome.slow).collect();
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    if !slow.is_empty() {
        println!("\n{} tests took longer than {SLOW} s; the slowest:", slow.len());
        slow.iter().take(10).for_each(|(name, seconds)| println!("{seconds:8.1} s  {name}"));
    }
    let unmarked = done.iter().filter(|d| d.step.name == "tests").flat_map(|d| &d.outcome.slow);
    let unmarked: Vec<&str> = unmarked.map(|(name, _)| name.as_str()).collect();
    if !unmarked.is_empty() {
        println!("\nslow, but not in {}:\n  {}", binaries::SLOW_TESTS, unmarked.join("\n  "));
    }
    for d in done {
        let mut reasons: Vec<&str> = d.outcome.skipped.iter().map(|skip| skip.reason.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let names = d.outcome.skipped.iter().filter(|skip| skip.reason == reason).map(|skip| skip.name.as_str());
            let names: Vec<&str> = names.collect();
            println!("\nskipped by '{}' ({reason}):\n  {}", d.step.name, names.join("\n  "));
        }
    }
}

/// Number of steps that run at a time. Builds use all processors; most tests use one or none, because they wait for a browser, for example.
/// Three at a time took longer on two processors, since the npm package, for which the last steps wait, was built later.
const AT_A_TIME: usize = 2;

/// The steps of a run.
#[derive(Default)]
struct Run {
    waiting: Vec<&'static Step>,
    running: Vec<&'static str>,
    done: Vec<Done>,
}

impl Run {
    /// Takes the first step whose predecessor has ended.
    fn next(&mut self) -> Option<&'static Step> {
        let ended = |name: &str| !self.running.contains(&name) && !self.waiting.iter().any(|step| step.name == name);
        let at = self.waiting.iter().position(|step| ended(step.after))?;
        let step = self.waiting.remove(at);
        self.running.push(step.name);
        Some(step)
    }

    /// Notes the end of a step. After a failure no other step begins.
    fn end(&mut self, done: Done) {
        self.running.retain(|name| *name != done.step.name);
        if done.result.is_err() {
            self.waiting.clear();
        }
        self.done.push(done);
    }
}

/// Runs a step. `exceptions` are the tests that may be skipped, or `None` where all may.
fn run_step(step: &'static Step, exceptions: Option<&[(&str, &str)]>) -> Done {
    println!("==> {}: {}", step.name, step.about);
    let (begin, mut outcome) = (Instant::now(), Outcome::default());
    let result = (step.run)(&mut outcome)
        .and_then(|()| exceptions.map_or(Ok(()), |allowed| check_skips(step.name, &outcome, allowed)));
    let time = begin.elapsed();
    match &result {
        Ok(()) => println!("<== {}: {} passed, {:.1} s", step.name, outcome.passed, time.as_secs_f64()),
        Err(e) => println!("FAILED: {}: {e}", step.name),
    }
    Done { step, outcome, result, time }
}

/// Runs steps, some at a time, until one fails.
fn run_steps(steps: &[&'static Step], exceptions: Option<&[(&str, &str)]>) -> Vec<Done> {
    let run = Mutex::new(Run { waiting: steps.to_vec(), ..Run::default() });
    let changed = Condvar::new();
    let work = || {
        let mut state = run.lock().expect("no step panics");
        while !state.waiting.is_empty() {
            state = match state.next() {
                None => changed.wait(state).expect("no step panics"),
                Some(step) => {
                    drop(state);
                    let done = run_step(step, exceptions);
                    let mut state = run.lock().expect("no step panics");
                    state.end(done);
                    changed.notify_all();
                    state
                }
            };
        }
    };
    std::thread::scope(|scope| (0..AT_A_TIME).for_each(|_| _ = scope.spawn(work)));
    let mut done = run.into_inner().expect("no step panics").done;
    done.sort_by_key(|done| steps.iter().position(|step| step.name == done.step.name));
    done
}

/// Runs `cargo xtask test`. Begins no step after one has failed.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let (mut quick, mut changed, mut list) = (false, false, false);
    let mut named: Vec<&str> = Vec::new();
    let go = args::each(args, USAGE, |arg, _| {
        match arg {
            "--quick" => quick = true,
            "--changed" => changed = true,
            "--list" => list = true,
            name if STEPS.iter().any(|step| step.name == name) => named.push(name),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    let documents = changed && only_documents_changed()?;
    let (steps, left_out): (Vec<&Step>, Vec<&Step>) = STEPS.iter().partition(|step| match step.when {
        _ if !named.is_empty() => named.contains(&step.name),
        When::Always => true,
        When::Quick => !documents,
        When::Full => !documents && !quick,
    });
    if list {
        steps.iter().for_each(|step| println!("{:12} {}", step.name, step.about));
        return Ok(());
    }
    let exceptions_text = fs::read_to_string(root().join(EXCEPTIONS)).map_err(|e| format!("{EXCEPTIONS}: {e}"))?;
    let exceptions = exceptions(&exceptions_text)?;
    let strict = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let start = Instant::now();
    let done = run_steps(&steps, strict.then_some(&exceptions));
    print_table(&done);
    if !left_out.is_empty() {
        let names: Vec<&str> = left_out.iter().map(|step| step.name).collect();
        println!("\nLeft out: {}.", names.join(", "));
    }
    let (passed, skipped) = done.iter().fold((0, 0), |(p, s), d| (p + d.outcome.passed, s + d.outcome.skipped.len()));
    let failed = done.iter().filter(|d| d.result.is_err()).count();
    println!("\n{:.1} s", start.elapsed().as_secs_f64());
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if let Some(d) = done.iter().find(|d| d.result.is_err()) {
        return Err(format!("'{}' failed; see its output above", d.step.name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_needs_an_exception_with_a_reason() {
        let text = "# a comment\n\nformat long::: takes an hour\ntests short: of another step\n";
        let exceptions = exceptions(text).unwrap();
        assert_eq!(exceptions, [("format", "long::"), ("tests", "short")]);
        let mut outcome = Outcome::default();
        ["long::a", "short", "other"].iter().for_each(|name| outcome.skip(name, "why"));
        let error = check_skips("format", &outcome, &exceptions).unwrap_err();
        assert!(error.ends_with(":\n  short: why\n  other: why"), "{error}");
        assert!(super::exceptions("tests name").unwrap_err().contains("'tests name' is not"));
    }

    #[test]
    fn steps_wait_for_their_predecessors_and_end_with_a_failure() {
        let named = |names: &[&str]| STEPS.iter().filter(|step| names.contains(&step.name)).collect::<Vec<_>>();
        for (i, step) in STEPS.iter().enumerate() {
            assert!(step.after.is_empty() || STEPS[..i].iter().any(|s| s.name == step.after), "{}", step.name);
        }
        let mut run = Run { waiting: named(&["lints", "tests", "npm"]), ..Run::default() };
        let lints = run.next().unwrap();
        assert_eq!(lints.name, "lints", "a predecessor that was not asked for is not waited for");
        assert!(run.next().is_none());
        run.end(Done { step: lints, outcome: Outcome::default(), result: Ok(()), time: Duration::ZERO });
        let tests = run.next().unwrap();
        run.end(Done { step: tests, outcome: Outcome::default(), result: Err("why".into()), time: Duration::ZERO });
        assert!(run.next().is_none() && run.done.len() == 2);
    }

    #[test]
    fn the_committed_exceptions_name_steps() {
        let text = fs::read_to_string(root().join(EXCEPTIONS)).unwrap();
        for (step, name) in exceptions(&text).unwrap() {
            assert!(STEPS.iter().any(|s| s.name == step), "{step} {name}");
        }
    }

    #[test]
    fn developers_and_workflows_run_the_same_steps() {
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        assert!(read(".ci/run").contains("exec cargo xtask test"));
        assert!(read(".github/workflows/ci.yml").contains("- run: cargo xtask test\n"));
        let contributing = read("CONTRIBUTING.md");
        for step in STEPS {
            let row = format!("| `{}` | {} |", step.name, step.about);
            assert!(contributing.contains(&row), "CONTRIBUTING.md lacks the row {row}");
        }
    }

    #[test]
    fn hosted_ci_tests_the_minimum_supported_rust() {
        let oldest = env!("CARGO_PKG_RUST_VERSION");
        let workflow = fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
        assert!(workflow.contains(&format!("rust: [stable, \"{oldest}\"]")), "{oldest}");
    }
}
