//! `cargo xtask wasm`: builds the WebAssembly modules of the npm package, and the parts of it that follow from its sources.
use crate::run::{cargo, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The modules: the file's name, and the arguments that choose its features.
pub const MODULES: [(&str, &[&str]); 2] = [("maintext", &[]), ("lite", &["--no-default-features"])];

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
    /// Finds a compiler: that of cargo if its standard library for the target is installed, else Debian's with its sources.
    fn find() -> Result<Compiler, String> {
        let own = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        if answer(&own, &["--print", "target-libdir", "--target", TARGET])
            .is_some_and(|folder| Path::new(&folder).is_dir())
        {
            return Ok(Compiler { variables: Vec::new(), arguments: Vec::new() });
        }
        let system = "/usr/bin/rustc";
        let sources = |sysroot: String| Path::new(&sysroot).join("lib/rustlib/src/rust/library/std").is_dir();
        if !answer(system, &["--print", "sysroot"]).is_some_and(sources) {
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

    /// Builds a module and returns its file.
    fn build(&self, features: &[&str]) -> Result<PathBuf, String> {
        let mut command = cargo(&["rustc", "--quiet", "--package", "maintext-wasm", "--lib", "--crate-type", "cdylib"]);
        command.args(["--profile", "wasm", "--target", TARGET]).args(&self.arguments).args(features);
        // Outer runs of cargo set variables for their own compiler.
        command
            .env_remove("RUSTC_WRAPPER")
            .env_remove("RUSTUP_TOOLCHAIN")
            .envs(self.variables.iter().map(|(k, v)| (*k, v)));
        run(&mut command)?;
        Ok(target().join(TARGET).join("wasm/maintext_wasm.wasm"))
    }
}

/// Returns what a program prints if it succeeds.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Checks that a compiler, which prints `version` for `--version`, is at least as new as `oldest`, such as `1.91`.
fn supports(version: &str, oldest: &str) -> bool {
    let numbers = |text: &str| text.split('.').map_while(|n| n.parse().ok()).collect::<Vec<u32>>();
    version.split(' ').nth(1).is_some_and(|version| numbers(version) >= numbers(oldest))
}

/// The folder of the npm package.
pub fn package() -> PathBuf {
    root().join("js")
}

/// Installs the tools that the `package.json` of a folder names, unless they are there.
pub fn tools(folder: &Path) -> Result<(), String> {
    let wanted = folder.join("package-lock.json");
    let done = folder.join("node_modules/.package-lock.json");
    let time = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    if time(&done).is_some_and(|done| time(&wanted).is_some_and(|wanted| wanted <= done)) {
        return Ok(());
    }
    let installed = run(Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(folder));
    installed.map_err(|e| {
        let folder = folder.display();
        format!("'npm ci' in {folder} failed ({e}); install Node.js 18 or newer with npm, and see that npm reaches a registry")
    })
}

/// Says why the modules cannot be built here, if so.
pub fn check() -> Result<(), String> {
    Compiler::find()?;
    tools(&package())
}

/// Builds both modules and completes the package.
pub fn build() -> Result<(), String> {
    build_with(false)
}

/// Builds both modules and completes the package. `optimise` runs wasm-opt on them, which takes minutes and makes them 8 % smaller before
/// compression, but no smaller after it.
fn build_with(optimise: bool) -> Result<(), String> {
    let compiler = Compiler::find()?;
    tools(&package())?;
    let folder = package().join("wasm");
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        move |e: std::io::Error| format!("{path}: {e}")
    };
    fs::create_dir_all(&folder).map_err(wrong(&folder))?;
    for (name, features) in MODULES {
        let built = compiler.build(features)?;
        let file = folder.join(format!("{name}.wasm"));
        fs::copy(&built, &file).map_err(wrong(&file))?;
        if optimise {
            let optimiser = package().join("node_modules/binaryen/bin/wasm-opt");
            let options = ["-O3", "--all-features", "--strip-debug", "--strip-producers"];
            run(Command::new("node").arg(optimiser).args(options).arg(&built).arg("-o").arg(&file))?;
        }
        let size = fs::metadata(&file).map_err(wrong(&file))?.len();
        println!("js/wasm/{name}.wasm: {:.2} MB", size as f64 / 1e6);
    }
    run(Command::new("node").arg("build.mjs").current_dir(package()))
}

/// Runs `cargo xtask wasm`. With `--optimise`, wasm-opt runs on the modules.
pub fn run_task(args: &[String]) -> Result<(), String> {
    match args {
        [] => build(),
        [flag] if flag == "--optimise" => build_with(true),
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
