//! The step `python` of `cargo xtask test`: installs the Python package into a virtual environment and tests it.
use crate::report::Outcome;
use crate::run::{answer, checked, root, run, target};
use crate::tools;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the command and the library of the Python package as the other tests do, so that nothing is built twice.
fn build(targets: &[&str]) -> Result<(), String> {
    run(checked(&["build", "--workspace", "--all-features", "--quiet"]).args(targets))
}

/// Builds the command with all features and returns its path.
pub fn command() -> Result<PathBuf, String> {
    build(&["--bin", "maintext"])?;
    let path = target().join("debug").join(format!("maintext{}", std::env::consts::EXE_SUFFIX));
    std::path::absolute(path).map_err(|e| e.to_string())
}

/// Copies a folder, without the byte code of Python.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", from.display());
    fs::create_dir_all(to).map_err(wrong)?;
    for entry in fs::read_dir(from).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().expect("an entry has a name");
        if path.is_dir() && name != "__pycache__" {
            copy(&path, &to.join(name))?;
        } else if path.is_file() {
            fs::copy(&path, to.join(name)).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

/// Installs the package as a wheel would: its modules, the library and the metadata. maturin would build the library once more, with the
/// features that other crates of the workspace turn on turned off. 'cargo xtask wheel' and 'cargo xtask release prove' test real wheels.
fn install(python: &Path) -> Result<(), String> {
    build(&["--lib"])?;
    let site = answer(&python.display().to_string(), &["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]);
    let site = PathBuf::from(site.ok_or("Python does not name its site-packages")?);
    let package = site.join("maintext");
    let _ = fs::remove_dir_all(&package);
    copy(&root().join("python/maintext"), &package)?;
    let library = target().join("debug").join(format!("{DLL_PREFIX}_maintext{DLL_SUFFIX}"));
    let module = package.join(if cfg!(windows) { "_maintext.pyd" } else { "_maintext.abi3.so" });
    fs::copy(&library, module).map_err(|e| format!("{}: {e}", library.display()))?;
    let metadata = ["-m", "maturin", "pep517", "write-dist-info", "--metadata-directory"];
    let mut metadata_of_wheel = Command::new(python);
    metadata_of_wheel.args(metadata).arg(&site).current_dir(root()).stdout(std::process::Stdio::null());
    run(&mut metadata_of_wheel)
}

/// Installs and tests the package.
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

#[cfg(test)]
mod tests {
    use crate::run::{cargo, said};
    use std::collections::BTreeSet;

    /// Returns the crates of the workspace's build with their features.
    fn crates(edges: &str) -> BTreeSet<String> {
        let arguments = ["--workspace", "--all-features", "--locked", "--prefix", "none", "--format", "{p} {f}"];
        let tree = said(cargo(&["tree"]).args(arguments).args(["--edges", edges])).unwrap();
        tree.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
    }

    /// A feature that only a dev-dependency turns on is off in the build of the command, which then compiles all that depends on it again.
    #[test]
    fn the_tests_and_the_command_share_their_dependencies() {
        let (command, tests) = (crates("normal,build"), crates("normal,build,dev"));
        assert!(command.len() > 100);
        assert_eq!(command.difference(&tests).collect::<Vec<_>>(), [""; 0]);
    }
}
