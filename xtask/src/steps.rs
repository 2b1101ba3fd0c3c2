//! The steps of `cargo xtask test`: one table for developers, for `.ci/run` and for the hosted workflows.
use crate::report::Outcome;
use crate::run::{cargo, run};
use crate::{binaries, deny, extension, js, playground, python, site, workflows};

/// A check that a change must pass.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What it checks.
    pub about: &'static str,
    /// When `cargo xtask test` runs it.
    pub when: When,
    /// The step that must have ended before: a cheaper one that fails first, or one that builds what this one tests.
    pub after: &'static str,
    /// Runs it and counts its tests. The part of it that cannot run here is a skip of the outcome.
    pub run: fn(&mut Outcome) -> Result<(), String>,
}

/// The runs that a step belongs to.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum When {
    /// Each run, also of a change that touches documents only.
    Always,
    /// Each run of a change of code, also `--quick`.
    Quick,
    /// Complete runs.
    Full,
}

const fn step(
    name: &'static str,
    about: &'static str,
    when: When,
    after: &'static str,
    run: fn(&mut Outcome) -> Result<(), String>,
) -> Step {
    Step { name, about, when, after, run }
}

/// All steps, in the order of their start.
pub const STEPS: &[Step] = &[
    step("format", "the format of Rust code", When::Quick, "", format),
    step("links", "links between documents", When::Always, "", site::test),
    step("lints", "clippy, with all features", When::Quick, "format", lints),
    step("tests", "unit, snapshot and command-line tests", When::Quick, "lints", binaries::test),
    step("npm", "the npm package: the same bytes as the library", When::Full, "lints", js::test),
    step("python", "the Python package: types, tests, Spark", When::Full, "tests", python::test),
    step("browser", "the tests that need Chromium", When::Full, "tests", binaries::in_chromium),
    step("extension", "the web extension in browsers", When::Full, "npm", extension::test),
    step("playground", "the playground with and without a service", When::Full, "npm", playground::test),
    step("doctests", "examples in documentation", When::Full, "tests", doctests),
    step("docs", "the documentation of all crates", When::Full, "tests", docs),
    step("licences", "licences and vulnerabilities of dependencies", When::Full, "lints", deny::test),
    step("workflows", "errors and weaknesses of the workflow files", When::Full, "lints", workflows::test),
];

fn format(_: &mut Outcome) -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Checks all crates with all features. The hosted workflow checks the command without any, which builds most crates once more.
fn lints(_: &mut Outcome) -> Result<(), String> {
    run(&mut cargo(&["clippy", "--workspace", "--all-features", "--all-targets", "--quiet", "--", "-D", "warnings"]))
}

fn doctests(outcome: &mut Outcome) -> Result<(), String> {
    let mut tests = cargo(&["test", "--workspace", "--all-features", "--doc"]);
    outcome.watch(&mut tests, &mut binaries::print_failures)
}

fn docs(_: &mut Outcome) -> Result<(), String> {
    let mut doc = cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--quiet"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}
