//! The steps of `cargo xtask test`: one table for developers, for `.ci/run` and for the hosted workflows.
use crate::report::Outcome;
use crate::run::{cargo, checked, lab, linted, run};
use crate::{binaries, budget, deny, documentation, extension, js, playground, python, site, workflows};

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
    step("lints", "clippy, which compiles all tests", When::Quick, "format", binaries::lint),
    step("tests", "unit, snapshot and command-line tests", When::Quick, "lints", binaries::test),
    step("npm", "the npm package: the same bytes as the library", When::Full, "lints", js::test),
    step("slow", "the tests that take longer than half a second", When::Full, "tests", binaries::test_slow),
    // After the npm package, whose comparison builds one of the examples with other features.
    step(
        "examples",
        "clippy, which compiles examples, benchmarks and the command without features",
        When::Full,
        "npm",
        examples,
    ),
    step("budget", "instructions by stage, within their limits", When::Full, "examples", budget::test),
    step("python", "the Python package: types, tests, Spark", When::Full, "tests", python::test),
    step("browser", "the tests that need Chromium", When::Full, "tests", binaries::in_chromium),
    step("extension", "the web extension in browsers", When::Full, "npm", extension::test),
    step("playground", "the playground with and without a service", When::Full, "npm", playground::test),
    step("docs", "the documentation of all crates, and its examples", When::Full, "tests", documentation::test),
    step("lab", "the laboratory: lints and tests", When::Full, "tests", laboratory),
    step("licences", "licences and vulnerabilities of dependencies", When::Full, "lints", deny::test),
    step("workflows", "errors and weaknesses of the workflow files", When::Full, "lints", workflows::test),
];

fn format(_: &mut Outcome) -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Compiles everything that the tests do not need, and checks the command without features, as the first command of the README builds it.
fn examples(_: &mut Outcome) -> Result<(), String> {
    run(&mut checked(&["build", "--workspace", "--all-features", "--examples", "--benches", "--quiet"]))?;
    // Hardly any of its dependencies has the features of the build above, so it shares little with that.
    run(&mut checked(&["check", "--package", "maintext-cli", "--quiet"]))
}

/// Lints and tests the workspace of the laboratory, which no other step builds. One build does both, as in the product's workspace.
fn laboratory(outcome: &mut Outcome) -> Result<(), String> {
    run(&mut cargo(&["fmt", "--check", "--manifest-path", "lab/Cargo.toml"]))?;
    outcome.watch(linted(&mut lab("test")), &mut crate::binaries::print_failures)
}
