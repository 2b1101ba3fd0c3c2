//! `cargo xtask release prove`: installs the built packages as a user would, in empty folders and without registries of this project, extracts
//! a page with it, and prints the time from nothing to the text.
use crate::args;
use crate::dist::version;
use crate::run::{at, cargo, root, run, said, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask release prove [--only A,B]

  --only A,B  of archive, wheel, sdist, npm, cargo [default: all but sdist and cargo, which compile for minutes]

Takes the files of 'cargo xtask dist' (target/dist), of 'cargo xtask wheel' (target/wheels) and the modules of 'cargo xtask wasm'. What
was not built is reported as SKIPPED, unless --only names it. The page is examples/news-en.html.";

/// A way to install: its name, whether it compiles, and the function that installs in a folder and returns the extracted text. `None`
/// means that its files were not built.
type Install = fn(&Path) -> Result<Option<String>, String>;
const WAYS: [(&str, bool, Install); 5] = [
    ("archive", false, archive),
    ("wheel", false, wheel),
    ("npm", false, npm),
    ("sdist", true, sdist),
    ("cargo", true, from_crates),
];

fn page() -> Result<PathBuf, String> {
    let page = root().join("examples/news-en.html");
    page.canonicalize().map_err(at(&page))
}

fn extract(program: &Path, folder: &Path) -> Result<Option<String>, String> {
    said(Command::new(program).arg("extract").arg(page()?).current_dir(folder)).map(Some)
}

/// Returns the file of a folder of `target` whose name ends so.
fn built(folder: &str, ends: &str) -> Option<PathBuf> {
    let folder = std::path::absolute(target().join(folder)).ok()?;
    let files = fs::read_dir(folder).ok()?.filter_map(|f| Some(f.ok()?.path()));
    files.into_iter().find(|f| f.to_string_lossy().ends_with(ends))
}

fn archive(folder: &Path) -> Result<Option<String>, String> {
    let ends = if cfg!(windows) { ".zip" } else { ".tar.gz" };
    let Some(file) = built("dist", ends) else { return Ok(None) };
    run(Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(folder))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().replace(ends, "");
    let program = if cfg!(windows) { "maintext.exe" } else { "maintext" };
    extract(&folder.join(name).join(program), folder)
}

/// Installs a file with pip in a new environment, and uses the package from Python and from the shell.
fn pip(folder: &Path, file: &Path, options: &[&str]) -> Result<Option<String>, String> {
    run(Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into())).args(["-m", "venv"]).arg(folder))?;
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = programs.join("python");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(&python).args(install).args(options).arg(file))?;
    let text = "import maintext, pathlib, sys; print(maintext.extract(pathlib.Path(sys.argv[1]).read_bytes()).text)";
    said(Command::new(&python).args(["-c", text]).arg(page()?).current_dir(folder))?;
    extract(&programs.join("maintext"), folder)
}

fn wheel(folder: &Path) -> Result<Option<String>, String> {
    built("wheels", ".whl").map_or(Ok(None), |file| pip(folder, &file, &["--no-index"]))
}

fn sdist(folder: &Path) -> Result<Option<String>, String> {
    built("wheels", ".tar.gz").map_or(Ok(None), |file| pip(folder, &file, &[]))
}

fn npm(folder: &Path) -> Result<Option<String>, String> {
    let package = root().join("js");
    if !package.join("wasm/maintext.wasm").is_file() {
        return Ok(None);
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let packed =
        said(Command::new(npm).args(["pack", "--silent", "--pack-destination"]).arg(folder).current_dir(&package))?;
    fs::write(folder.join("package.json"), "{\"private\": true}").map_err(at(folder))?;
    let install = ["install", "--silent", "--offline", "--no-audit", "--no-fund"];
    run(Command::new(npm).args(install).arg(folder.join(packed.trim())).current_dir(folder))?;
    extract(&folder.join("node_modules/.bin/maintext"), folder)
}

/// Installs the command from the packed crates: each unpacked, and with the workspace's crates instead of crates.io's.
fn from_crates(folder: &Path) -> Result<Option<String>, String> {
    run(&mut cargo(&["package", "--workspace", "--no-verify", "--quiet", "--allow-dirty"]))?;
    let packed = std::path::absolute(target().join("package")).map_err(|e| e.to_string())?;
    let version = version()?;
    let mut install = cargo(&["install", "--quiet", "--locked", "--features", "full", "--root"]);
    install.arg(folder);
    for file in fs::read_dir(&packed).map_err(at(&packed))?.filter_map(Result::ok) {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(&format!("-{version}.crate")) else { continue };
        run(Command::new("tar").arg("-xf").arg(file.path()).arg("-C").arg(folder))?;
        // Cargo would look for the crate among the members of the workspace around `target`.
        let manifest = folder.join(format!("{name}-{version}")).join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(at(&manifest))?;
        fs::write(&manifest, text + "\n[workspace]\n").map_err(at(&manifest))?;
        if name != "maintext-cli" {
            let path = folder.join(format!("{name}-{version}"));
            install.arg("--config").arg(format!("patch.crates-io.{name}.path={:?}", path.display().to_string()));
        }
    }
    run(install.arg("--path").arg(folder.join(format!("maintext-cli-{version}"))))?;
    extract(&folder.join("bin/maintext"), folder)
}

/// Installs in an empty folder. Returns the seconds, or `None` if nothing was built.
fn prove(name: &str, install: Install) -> Result<Option<f64>, String> {
    let folder = std::path::absolute(target().join("prove").join(name)).map_err(|e| e.to_string())?;
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let start = Instant::now();
    let text = install(&folder).map_err(|e| format!("{name}: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let _ = fs::remove_dir_all(&folder);
    match text {
        None => Ok(None),
        Some(text) if text.split_whitespace().count() > 50 => Ok(Some(seconds)),
        Some(text) => Err(format!("{name}: the extracted text has only {} bytes", text.len())),
    }
}

/// Runs `cargo xtask release prove`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let mut only: Option<Vec<&str>> = None;
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--only" => only = Some(values.next()?.split(',').collect()),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if !go {
        return Ok(());
    }
    if let Some(name) = only.iter().flatten().find(|name| !WAYS.iter().any(|way| way.0 == **name)) {
        return Err(format!("--only {name}: unknown\n\n{USAGE}"));
    }
    for (name, compiles, install) in WAYS {
        if !only.as_ref().map_or(!compiles, |only| only.contains(&name)) {
            continue;
        }
        match prove(name, install)? {
            Some(seconds) => println!("{name}: ok, {seconds:.1} s"),
            None if only.is_some() => return Err(format!("{name}: was not built")),
            None => println!("{name}: SKIPPED, was not built"),
        }
    }
    Ok(())
}
