//! `cargo xtask python`: builds the wheel of the Python package, installs it into a virtual environment and tests it.
use crate::run::{cargo, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Creates the virtual environment with the pinned packages, unless it exists.
fn environment() -> Result<PathBuf, String> {
    let requirements = root().join("python/requirements-test.txt");
    let wanted = fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let folder = std::path::absolute(target().join("python-env")).map_err(|e| e.to_string())?;
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) && python.exists() {
        return Ok(python);
    }
    // Removes an incomplete environment.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let system = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let made = run(Command::new(system).args(["-m", "venv"]).arg(&folder));
    made.map_err(|e| {
        format!(
            "the virtual environment could not be created ({e}); install Python 3.9 or newer as python3, or set $PYTHON"
        )
    })?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(&requirements))?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// Builds and installs the wheel. Uses the profile of the other tests, whose dependencies are built already.
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

/// Builds the program, with which the tests compare the package's command. The step before built it with the same features.
fn program() -> Result<PathBuf, String> {
    run(&mut cargo(&["test", "--workspace", "--all-features", "--quiet", "--no-run", "--test", "command"]))?;
    let path = target().join("debug").join(format!("maintext{}", std::env::consts::EXE_SUFFIX));
    std::path::absolute(path).map_err(|e| e.to_string())
}

/// Builds, installs and tests the wheel.
fn test(python: &Path) -> Result<(), String> {
    let program = program()?;
    install(python)?;
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests"];
    // Runs outside of the package's sources, so that the installed package is tested.
    run(Command::new(python)
        .args(pytest)
        .current_dir(root())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("MAINTEXT_BINARY", program))
}

/// Runs `cargo xtask python`. With `--if-possible`, which `cargo xtask test` passes, a machine without Python or without access to a
/// package index reports and skips the step. Later errors are failures.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [] => test(&environment()?),
        [flag] if flag == "--if-possible" => match environment() {
            Ok(python) => test(&python),
            Err(e) => {
                println!(
                    "SKIPPED: the Python package was not tested, because its test environment could not be created: {e}"
                );
                Ok(())
            }
        },
        [arg, ..] => Err(format!("unexpected argument '{arg}'")),
    }
}
