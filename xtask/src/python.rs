//! The step `python` of `cargo xtask test`: builds the wheel of the Python package, installs it into a virtual environment and tests it.
use crate::report::Outcome;
use crate::run::{cargo, root, run, target};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds and installs the wheel. Uses the profile of the other tests.
fn install(python: &Path) -> Result<(), String> {
    let wheels = std::path::absolute(target().join("python-wheels")).map_err(|e| e.to_string())?;
    let _ = fs::remove_dir_all(&wheels);
    let build = ["-m", "maturin", "build", "--quiet", "--profile", "dev", "--manifest-path", "python/Cargo.toml"];
    run(Command::new(python).args(build).arg("-i").arg(python).arg("-o").arg(&wheels).current_dir(root()))?;
    let mut found = fs::read_dir(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
    let wheel = found.next().and_then(Result::ok).ok_or("maturin did not build a wheel")?.path();
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"];
    run(Command::new(python).args(pip).arg(wheel))
}

/// Builds the command with all features, as the other tests do, and returns its path.
pub fn command() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--workspace", "--all-features", "--quiet", "--bin", "maintext"]))?;
    let path = target().join("debug").join(format!("maintext{}", std::env::consts::EXE_SUFFIX));
    std::path::absolute(path).map_err(|e| e.to_string())
}

/// Builds, installs and tests the wheel.
pub fn test(outcome: &mut Outcome) -> Result<(), String> {
    let Some(python) = outcome.needs("python/tests", tools::python()) else { return Ok(()) };
    // Tests that still lack Java or libmagic name themselves.
    for missing in [tools::java(), tools::libmagic(&python)].into_iter().filter_map(Result::err) {
        println!("{missing}");
    }
    let program = command()?;
    install(&python)?;
    let pytest = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "python/tests"];
    // Runs outside of the package's sources, so that the installed package is tested.
    let mut tests = Command::new(python);
    tests.args(pytest).current_dir(root()).env("PYTHONDONTWRITEBYTECODE", "1").env("MAINTEXT_BINARY", program);
    outcome.watch(&mut tests, &mut |line| println!("{line}"))
}
