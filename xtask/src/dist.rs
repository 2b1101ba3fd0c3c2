//! `cargo xtask dist`: builds the command for others to install: an archive, the files of the container image, a bill of materials and
//! checksums.
use crate::args;
use crate::dependencies::Dependencies;
use crate::run::{at, cargo, commit, root, run, said, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask dist [--target TRIPLE] [--glibc VERSION] [--binary FILE] [--out DIR]

  --target TRIPLE  target of the build, such as x86_64-unknown-linux-musl [default: this machine]
  --glibc VERSION  oldest glibc that the binary runs on, or 'host' for that of this machine [default: 2.17]
  --binary FILE    package this binary instead of a new build
  --out DIR        folder of the results, which is emptied first [default: target/dist]

Writes maintext-VERSION-TARGET.tar.gz (.zip on Windows) with the command, its manual pages, completions and all licences,
maintext-VERSION-TARGET.cdx.json (CycloneDX) and SHA256SUMS. image/ARCHITECTURE holds the binary for deploy/Dockerfile.
Linux builds need cargo-zigbuild and Zig: pip install cargo-zigbuild ziglang";

const PACKAGE: &str = "maintext-cli";
const FEATURES: &str = "full";
/// The oldest glibc that Rust's standard library supports, the same as manylinux2014's.
const GLIBC: &str = "2.17";

/// What a package contains.
struct Parts<'a> {
    target: &'a str,
    /// The folder that the archive holds, with the command in it.
    folder: &'a Path,
    /// Where the results go.
    out: &'a Path,
}

struct Request {
    target: String,
    glibc: Option<String>,
    binary: Option<PathBuf>,
    out: PathBuf,
}

/// The version of the workspace.
pub fn version() -> Result<String, String> {
    let path = root().join("Cargo.toml");
    let manifest = fs::read_to_string(&path).map_err(at(&path))?;
    let line = manifest.lines().find_map(|l| l.strip_prefix("version = \""));
    line.map(|l| l.trim_end_matches('"').to_owned()).ok_or_else(|| format!("{}: no version", path.display()))
}

fn rustc(args: &[&str]) -> Result<String, String> {
    said(Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).args(args))
}

fn request(args: &[String]) -> Result<Option<Request>, String> {
    let out = std::path::absolute(target().join("dist")).map_err(|e| e.to_string())?;
    let mut r = Request { target: String::new(), glibc: None, binary: None, out };
    let go = args::each(args, USAGE, |arg, values| {
        match arg {
            "--target" => r.target = values.next()?.into(),
            "--glibc" => r.glibc = Some(values.next()?.into()),
            "--binary" => r.binary = Some(values.path()?),
            "--out" => r.out = values.path()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if r.target.is_empty() {
        let host = rustc(&["-vV"])?;
        r.target = host.lines().find_map(|l| l.strip_prefix("host: ")).ok_or("'rustc -vV' prints no host")?.into();
    }
    let gnu = r.target.ends_with("-linux-gnu");
    if r.glibc.is_some() && !gnu {
        return Err(format!("--glibc has no effect on {}\n\n{USAGE}", r.target));
    }
    if gnu && r.glibc.is_none() && r.binary.is_none() {
        r.glibc = Some(GLIBC.into());
    }
    r.glibc = r.glibc.filter(|v| v != "host");
    Ok(go.then_some(r))
}

/// Returns the name of the folder in an archive, and of the archive without its ending.
fn folder_name(version: &str, target: &str) -> String {
    format!("maintext-{version}-{target}")
}

/// Returns the ending of the archive's name.
fn archive_ending(target: &str) -> &'static str {
    if target.contains("windows") { ".zip" } else { ".tar.gz" }
}

fn file_name(target: &str) -> &'static str {
    if target.contains("windows") { "maintext.exe" } else { "maintext" }
}

/// Builds the command and returns its file.
fn build(request: &Request) -> Result<PathBuf, String> {
    let t = request.target.as_str();
    if !Path::new(rustc(&["--print", "target-libdir", "--target", t])?.trim()).is_dir() {
        let workflow = ".github/workflows/release.yml builds it on a machine that can fetch it";
        return Err(format!(
            "Rust's standard library for {t} is not installed: run 'rustup target add {t}'; {workflow}"
        ));
    }
    // Zig compiles the C parts (SQLite, zstd) and links against the chosen libc.
    let zig = request.glibc.is_some() || t.ends_with("-musl");
    let triple = request.glibc.as_ref().map_or_else(|| t.to_owned(), |v| format!("{t}.{v}"));
    let mut command = if zig { Command::new("cargo-zigbuild") } else { cargo(&[]) };
    command.args(["rustc", "--release", "--locked", "--package", PACKAGE, "--features", FEATURES, "--bin", "maintext"]);
    command.args(["--target", &triple, "--", "-C", "strip=symbols"]).current_dir(root());
    run(&mut command).map_err(|e| {
        if zig { format!("{e}. The build uses cargo-zigbuild and Zig: pip install cargo-zigbuild ziglang") } else { e }
    })?;
    Ok(target().join(t).join("release").join(file_name(t)))
}

/// Fails if a binary needs a newer glibc than it should.
fn check_glibc(binary: &Path, wanted: Option<&str>) -> Result<(), String> {
    let used = glibc(&fs::read(binary).map_err(at(binary))?);
    match (used, wanted.map(|v| v.strip_prefix("2.").and_then(|m| m.parse::<u32>().ok()))) {
        (_, Some(None)) => Err(format!("--glibc {}: not a version such as {GLIBC}", wanted.unwrap_or_default())),
        (Some((2, used)), Some(Some(wanted))) if used > wanted => {
            Err(format!("{}: needs glibc 2.{used}, not 2.{wanted}", binary.display()))
        }
        _ => Ok(()),
    }
}

/// Returns the subcommands that the command lists in its help.
fn subcommands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names = lines.filter_map(|l| l.strip_prefix("  ").filter(|l| !l.starts_with(' '))?.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// Writes manual pages and completions, as the command itself prints them.
fn manuals(binary: &Path, folder: &Path) -> Result<(), String> {
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    for folder in [&man, &completions] {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    write_said(binary, man.join("maintext.1"), &["man"])?;
    let help = said(Command::new(binary).arg("--help"))?;
    let names = subcommands(&help);
    if names.is_empty() {
        return Err(format!("{}: '--help' lists no commands", binary.display()));
    }
    for name in names {
        write_said(binary, man.join(format!("maintext-{name}.1")), &["man", name])?;
    }
    let shells =
        [("bash", "maintext.bash"), ("zsh", "_maintext"), ("fish", "maintext.fish"), ("powershell", "maintext.ps1")];
    shells.into_iter().try_for_each(|(shell, file)| write_said(binary, completions.join(file), &["completions", shell]))
}

fn write_said(binary: &Path, path: PathBuf, args: &[&str]) -> Result<(), String> {
    fs::write(&path, said(Command::new(binary).args(args))?).map_err(at(&path))
}

/// Packs the folder and returns the archive.
fn archive(parts: &Parts) -> Result<PathBuf, String> {
    let name = parts.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let windows = parts.target.contains("windows");
    let file = parts.out.join(name.clone() + archive_ending(parts.target));
    let mut tar = Command::new("tar");
    tar.arg(if windows { "-acf" } else { "-czf" }).arg(&file);
    if parts.target.contains("linux") {
        // GNU tar: the same input gives the same archive, apart from the compressor.
        let time = format!("--mtime=@{}", commit("%ct")?);
        tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", &time]);
    }
    run(tar.arg("-C").arg(parts.out).arg(&name))?;
    Ok(file)
}

/// Writes SHA256SUMS of all files of the folder.
fn sums(out: &Path) -> Result<(), String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(out).map_err(at(out))? {
        let entry = entry.map_err(at(out))?;
        if entry.path().is_file() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    let sums = said(Command::new("sha256sum").args(&names).current_dir(out))
        .or_else(|_| said(Command::new("shasum").args(["-a", "256"]).args(&names).current_dir(out)))?;
    fs::write(out.join("SHA256SUMS"), sums).map_err(at(out))
}

/// Copies the binary to where deploy/Dockerfile expects it.
fn image(binary: &Path, parts: &Parts) -> Result<(), String> {
    let architecture = match parts.target.split('-').next() {
        Some("x86_64") => "amd64",
        Some("aarch64") => "arm64",
        _ => return Ok(()),
    };
    let folder = parts.out.join("image").join(architecture);
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    fs::copy(binary, folder.join("maintext")).map_err(at(&folder)).map(drop)
}

/// Runs `cargo xtask dist`.
pub fn run_task(args: &[String]) -> Result<(), String> {
    let Some(request) = request(args)? else { return Ok(()) };
    let version = version()?;
    let binary = match &request.binary {
        Some(file) => file.clone(),
        None => build(&request)?,
    };
    check_glibc(&binary, request.glibc.as_deref())?;
    let printed = said(Command::new(&binary).arg("--version"))?;
    if printed.trim() != format!("maintext {version}") {
        return Err(format!("{}: prints '{}', not version {version}", binary.display(), printed.trim()));
    }
    let out = &request.out;
    let _ = fs::remove_dir_all(out);
    let name = folder_name(&version, &request.target);
    let folder = out.join(&name);
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    copy(&binary, folder.join(file_name(&request.target)))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root().join(file), folder.join(file))?;
    }
    manuals(&binary, &folder)?;
    let dependencies = Dependencies::read(PACKAGE, FEATURES, &request.target)?;
    let licences = folder.join("THIRD-PARTY.txt");
    fs::write(&licences, dependencies.licences()?).map_err(at(&licences))?;
    let bill = out.join(format!("{name}.cdx.json"));
    fs::write(&bill, dependencies.bill()?).map_err(at(&bill))?;
    let parts = Parts { target: &request.target, folder: &folder, out };
    archive(&parts)?;
    if request.target.contains("linux") {
        image(&binary, &parts)?;
    }
    fs::remove_dir_all(&folder).map_err(at(&folder))?;
    sums(out)?;
    println!("{}", fs::read_to_string(out.join("SHA256SUMS")).map_err(at(out))?.trim_end());
    println!("in {}", out.display());
    Ok(())
}

fn copy(from: &Path, to: PathBuf) -> Result<(), String> {
    fs::copy(from, &to).map_err(at(from)).map(drop)
}

/// Returns the newest version of glibc whose symbols a binary uses.
fn glibc(binary: &[u8]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"GLIBC_2.";
    let minor = |at: usize| {
        let digits = binary[at + MARK.len()..].iter().take_while(|b| b.is_ascii_digit()).take(3);
        digits.fold(None, |n: Option<u32>, b| Some(n.unwrap_or(0) * 10 + u32::from(b - b'0')))
    };
    let places = binary.windows(MARK.len()).enumerate().filter(|(_, w)| *w == MARK);
    places.filter_map(|(at, _)| minor(at)).max().map(|minor| (2, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found_in_the_symbols_of_a_binary() {
        assert_eq!(glibc(b"\0GLIBC_2.2.5\0GLIBC_2.17\0x\0GLIBC_2.3\0"), Some((2, 17)));
        assert_eq!(glibc(b"\0GLIBC_PRIVATE\0GLIBC_2."), None);
    }

    /// cargo-binstall fills in the names of the manifest; `.tgz` and `.tar.gz` are both tried for the format "tgz".
    #[test]
    fn cargo_binstall_finds_the_archives() {
        let file = root().join("crates").join(PACKAGE).join("Cargo.toml");
        let manifest = fs::read_to_string(file).unwrap();
        let value = |key: &str| {
            let line = manifest.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|l| l.strip_suffix('"')).unwrap().to_owned()
        };
        assert!(manifest.contains("[package.metadata.binstall.overrides.x86_64-pc-windows-msvc]\npkg-fmt = \"zip\""));
        assert_eq!(value("pkg-fmt"), "tgz");
        for target in ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"] {
            let windows = target.contains("windows");
            let fill = |text: String| {
                let values = [("version", "1.2.3"), ("target", target), ("bin", "maintext"), ("repo", "R")];
                let values = values.into_iter().chain([
                    ("archive-suffix", archive_ending(target)),
                    ("binary-ext", if windows { ".exe" } else { "" }),
                ]);
                values.fold(text, |t, (name, value)| t.replace(&format!("{{ {name} }}"), value))
            };
            let folder = folder_name("1.2.3", target);
            let archive = format!("R/releases/download/v1.2.3/{folder}{}", archive_ending(target));
            assert_eq!(fill(value("pkg-url")), archive);
            assert_eq!(fill(value("bin-dir")), format!("{folder}/{}", file_name(target)));
        }
    }

    #[test]
    fn subcommands_are_read_from_the_help() {
        let help = "maintext\n\nCommands:\n  extract      Extract\n  map          List\n               more words\n  help         Print\n\nOptions:\n  -h  x\n";
        assert_eq!(subcommands(help), ["extract", "map"]);
    }

    #[test]
    fn the_options_of_other_targets_are_refused() {
        let args = ["--target", "x86_64-unknown-linux-musl", "--glibc", "2.17"].map(str::to_owned);
        assert!(request(&args).is_err_and(|e| e.starts_with("--glibc has no effect")));
    }
}
