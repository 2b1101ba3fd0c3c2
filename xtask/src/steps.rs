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

/// All steps, cheap ones first.
pub const STEPS: &[Step] = &[
    Step { name: "format", about: "the format of Rust code", when: When::Quick, run: format },
    Step { name: "links", about: "links between documents", when: When::Always, run: site::test },
    Step { name: "lints", about: "clippy, all features and none", when: When::Quick, run: lints },
    Step { name: "tests", about: "unit, snapshot and command-line tests", when: When::Quick, run: binaries::test },
    Step { name: "browser", about: "the tests that need Chromium", when: When::Full, run: binaries::in_chromium },
    Step { name: "doctests", about: "examples in documentation", when: When::Full, run: doctests },
    Step { name: "docs", about: "the documentation of all crates", when: When::Full, run: docs },
    Step { name: "python", about: "the Python package: types, tests, Spark", when: When::Full, run: python::test },
    Step { name: "npm", about: "the npm package: the same bytes as the library", when: When::Full, run: js::test },
    Step { name: "extension", about: "the web extension in browsers", when: When::Full, run: extension::test },
    Step {
        name: "playground",
        about: "the playground with and without a service",
        when: When::Full,
        run: playground::test,
    },
    Step { name: "licences", about: "licences and vulnerabilities of dependencies", when: When::Full, run: deny::test },
    Step {
        name: "workflows",
        about: "errors and weaknesses of the workflow files",
        when: When::Full,
        run: workflows::test,
    },
];

fn format(_: &mut Outcome) -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Checks all crates with all features, and the command of the README's first build without any.
fn lints(_: &mut Outcome) -> Result<(), String> {
    let strict = ["--quiet", "--", "-D", "warnings"];
    run(cargo(&["clippy", "--workspace", "--all-features", "--all-targets"]).args(strict))?;
    run(cargo(&["clippy", "--package", "maintext-cli"]).args(strict))
}

fn doctests(outcome: &mut Outcome) -> Result<(), String> {
    let mut tests = cargo(&["test", "--workspace", "--all-features", "--doc"]);
    outcome.watch(&mut tests, &mut binaries::print_failures)
}

fn docs(_: &mut Outcome) -> Result<(), String> {
    let mut doc = cargo(&["doc", "--workspace", "--all-features", "--no-deps", "--quiet"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}
