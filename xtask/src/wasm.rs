//! `cargo xtask wasm`: builds the WebAssembly modules of the npm package, and the parts of it that follow from its sources.
use crate::run::{answer, cargo, root, run, target};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The modules: the file's name, and the arguments that choose its features.
const MODULES: [(&str, &[&str]); 2] = [("maintext", &[]), ("lite", &["--no-default-features"])];

const HOW: &str = "Run 'rustup target add wasm32-unknown-unknown'. Where no target can be fetched, install the newest of Debian's packages \
                   rustc-web, rust-web-src and lld: the standard library is then built from source";

/// A compiler that can build the module.
struct Compiler {
    /// Variables of cargo's environment.
    variables: Vec<(&'static str, String)>,
    /// Further arguments.
    arguments: Vec<&'static str>,
}

impl Compiler {
    /// Finds a compiler: cargo's if its standard library for the target is installed, else Debian's with its sources.
    fn find() -> Result<Compiler, String> {
        let own = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        if answer(&own, &["--print", "target-libdir", "--target", TARGET])
            .is_some_and(|folder| Path::new(&folder).is_dir())
        {
            return Ok(Compiler { variables: Vec::new(), arguments: Vec::new() });
        }
        let system = "/usr/bin/rustc";
        if !answer(system, &["--print", "sysroot"])
            .is_some_and(|sysroot| Path::new(&sysroot).join("lib/rustlib/src/rust/library/std").is_dir())
        {
            return Err(format!("no Rust compiler here builds for {TARGET}. {HOW}"));
        }
        let version = answer(system, &["--version"]).unwrap_or_default();
        let oldest = env!("CARGO_PKG_RUST_VERSION");
        if !supports(&version, oldest) {
            return Err(format!("{system} is '{version}', and maintext needs Rust {oldest} or newer. {HOW}"));
        }
        let linker = ["wasm-ld", "rust-lld"].into_iter().find(|l| answer(l, &["--version"]).is_some());
        let linker = linker.ok_or_else(|| format!("the linker wasm-ld is missing. {HOW}"))?;
        let variables = vec![
            ("RUSTC", system.to_owned()),
            // Building the standard library is an option of nightly compilers.
            ("RUSTC_BOOTSTRAP", "1".to_owned()),
            ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker.to_owned()),
        ];
        Ok(Compiler { variables, arguments: vec!["-Z", "build-std=std,panic_abort"] })
    }

    /// Builds a module in a profile and returns its file.
    fn build(&self, profile: &str, features: &[&str]) -> Result<PathBuf, String> {
        let mut command = cargo(&["rustc", "--quiet", "--package", "maintext-wasm", "--lib", "--crate-type", "cdylib"]);
        command.args(["--profile", profile, "--target", TARGET]).args(&self.arguments).args(features);
        // Outer runs of cargo set variables for their own compiler.
        command
            .env_remove("RUSTC_WRAPPER")
            .env_remove("RUSTUP_TOOLCHAIN")
            .envs(self.variables.iter().map(|(k, v)| (*k, v)));
        run(&mut command)?;
        Ok(target().join(TARGET).join(profile).join("maintext_wasm.wasm"))
    }
}

/// Checks that a compiler, which prints `version` for `--version`, is at least as new as `oldest`, such as `1.91`.
fn supports(version: &str, oldest: &str) -> bool {
    version.split(' ').nth(1).is_some_and(|version| numbers(version) >= numbers(oldest))
}

fn numbers(text: &str) -> Vec<u32> {
    text.split('.').map_while(|n| n.parse().ok()).collect::<Vec<u32>>()
}

/// The folder of the npm package.
pub fn package() -> PathBuf {
    root().join("js")
}

/// Returns why the modules cannot be built here, if so. Installs what they need where that is possible.
pub fn check() -> Result<(), String> {
    if let Err(e) = Compiler::find() {
        tools::wasm_compiler().map_err(|hint| format!("{e}: {hint}"))?;
        Compiler::find()?;
    }
    tools::npm(&package())
}

/// Checks that the module of the package was built.
pub fn module() -> Result<(), String> {
    let file = package().join("wasm/maintext.wasm");
    if file.is_file() {
        Ok(())
    } else {
        Err("js/wasm/maintext.wasm is missing; 'cargo xtask test npm' or 'cargo xtask wasm' builds it".to_owned())
    }
}

/// How modules are built.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum Build {
    /// Quickly, for tests: five times as large, and slower.
    Test,
    Release,
    /// With wasm-opt, which takes minutes and makes modules 8 % smaller before compression, but no smaller after it.
    Optimised,
}

/// Builds both modules and completes the package.
pub fn build(how: Build) -> Result<(), String> {
    let compiler = Compiler::find()?;
    tools::npm(&package())?;
    let profile = if how == Build::Test { "wasm-test" } else { "wasm" };
    let folder = package().join("wasm");
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        move |e: std::io::Error| format!("{path}: {e}")
    };
    fs::create_dir_all(&folder).map_err(wrong(&folder))?;
    for (name, features) in MODULES {
        println!("--> building {name}.wasm");
        let built = compiler.build(profile, features)?;
        let file = folder.join(format!("{name}.wasm"));
        fs::copy(&built, &file).map_err(wrong(&file))?;
        if how == Build::Optimised {
            let optimiser = package().join("node_modules/binaryen/bin/wasm-opt");
            let options = ["-O3", "--all-features", "--strip-debug", "--strip-producers"];
            run(Command::new("node").arg(optimiser).args(options).arg(&built).arg("-o").arg(&file))?;
        }
        let size = fs::metadata(&file).map_err(wrong(&file))?.len();
        println!("js/wasm/{name}.wasm: {:.2} MB", size as f64 / 1e6);
    }
    complete(&[])
}

/// Writes the other files of the package; with `--sizes`, also the sizes of the modules into the document.
fn complete(args: &[&str]) -> Result<(), String> {
    run(Command::new("node").arg("build.mjs").args(args).current_dir(package()))
}

/// Runs `cargo xtask wasm`. With `--optimise`, wasm-opt runs on the modules; with `--sizes`, the document states their sizes.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [] => build(Build::Release),
        [flag] if flag == "--optimise" => build(Build::Optimised),
        [flag] if flag == "--sizes" => {
            build(Build::Release)?;
            complete(&["--sizes"])
        }
        [arg, ..] => Err(format!("unexpected argument '{arg}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::supports;

    #[test]
    fn an_older_compiler_is_not_used() {
        let versions =
            ["rustc 1.85.0 (4d91de4e4 2025-02-17)", "rustc 1.91.0-nightly", "rustc 1.100.0 (x)", "rustc 2.0", ""];
        assert_eq!(versions.map(|version| supports(version, "1.91")), [false, true, true, true, false]);
    }
}
