//! `maintext mcp --install`: the entry in the configuration of an agent program.
use crate::mcp_edit::{Form, shown, with_entry};
use crate::report;
use maintext_util::atomic::write_atomic;
use maintext_util::terminal::printable;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest configuration file that is read.
const LARGEST: u64 = 16 << 20;

/// An agent program.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// All that are found on this machine
    All,
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code, in the project of the current folder
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Zed
    Zed,
}

const PROGRAMS: [Program; 8] = [
    Program::ClaudeDesktop,
    Program::ClaudeCode,
    Program::Cursor,
    Program::Vscode,
    Program::Windsurf,
    Program::Codex,
    Program::Gemini,
    Program::Zed,
];

/// A system, for its places of configuration files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Linux,
    Mac,
    Windows,
}

/// The folders of a user.
#[derive(Clone, Debug)]
struct Places {
    system: System,
    home: PathBuf,
    /// Where applications keep their configuration.
    config: PathBuf,
    current: PathBuf,
    codex: Option<PathBuf>,
}

impl Places {
    fn here() -> Result<Places, String> {
        let folder = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let system = match std::env::consts::OS {
            "windows" => System::Windows,
            "macos" => System::Mac,
            _ => System::Linux,
        };
        let name = if system == System::Windows { "USERPROFILE" } else { "HOME" };
        let home = folder(name).ok_or_else(|| format!("the environment variable {name} is not set"))?;
        let given = match system {
            System::Windows => folder("APPDATA"),
            System::Mac => None,
            System::Linux => folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute()),
        };
        let config = given.unwrap_or_else(|| Places::config_of(system, &home));
        Ok(Places { system, home, config, current: PathBuf::new(), codex: folder("CODEX_HOME") })
    }

    fn config_of(system: System, home: &Path) -> PathBuf {
        match system {
            System::Windows => home.join("AppData").join("Roaming"),
            System::Mac => home.join("Library").join("Application Support"),
            System::Linux => home.join(".config"),
        }
    }

    /// Returns the configuration file of a program, as its documentation states.
    fn file(&self, program: Program) -> PathBuf {
        let (home, config) = (&self.home, &self.config);
        match program {
            Program::All | Program::ClaudeCode => self.current.join(".mcp.json"),
            Program::ClaudeDesktop => config.join("Claude").join("claude_desktop_config.json"),
            Program::Cursor => home.join(".cursor").join("mcp.json"),
            Program::Vscode => config.join("Code").join("User").join("mcp.json"),
            Program::Windsurf => home.join(".codeium").join("windsurf").join("mcp_config.json"),
            Program::Codex => self.codex.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Program::Gemini => home.join(".gemini").join("settings.json"),
            Program::Zed => match self.system {
                System::Windows => config.join("Zed").join("settings.json"),
                System::Mac => home.join(".config").join("zed").join("settings.json"),
                System::Linux => config.join("zed").join("settings.json"),
            },
        }
    }

    /// Whether a program is on this machine: its folder is there.
    fn has(&self, program: Program) -> bool {
        let file = self.file(program);
        match program {
            Program::ClaudeCode => file.exists() || self.home.join(".claude").is_dir(),
            _ => file.parent().is_some_and(Path::is_dir),
        }
    }
}

impl Program {
    fn form(self) -> Form {
        match self {
            Program::Vscode => Form::Json("servers"),
            Program::Zed => Form::Json("context_servers"),
            Program::Codex => Form::Toml("mcp_servers"),
            _ => Form::Json("mcpServers"),
        }
    }

    fn entry(self, command: &str, args: &[String]) -> Value {
        let mut entry = json!({"command": command, "args": args});
        if self == Program::Vscode {
            entry["type"] = "stdio".into();
        }
        entry
    }

    fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Returns the arguments of the entry: those of this call without the ones that install.
fn arguments(given: impl Iterator<Item = OsString>) -> Result<Vec<String>, String> {
    let mut out = vec!["mcp".to_owned()];
    let mut given = given.skip_while(|arg| arg != "mcp").skip(1).peekable();
    while let Some(arg) = given.next() {
        let arg = arg.into_string().map_err(|arg| format!("{}: not valid Unicode", arg.display()))?;
        if arg == "--install" {
            // The name of the program, if it follows.
            let _ = given.next_if(|next| !next.to_string_lossy().starts_with('-'));
        } else if arg != "--yes" && !arg.starts_with("--install=") {
            out.push(arg);
        }
    }
    Ok(out)
}

/// Returns the command of the entry. Agent programs may have another search path, so that it is this file, unless another program such as
/// Python runs it.
fn command() -> String {
    let own = std::env::current_exe().ok().filter(|path| path.file_stem().is_some_and(|stem| stem == "maintext"));
    own.and_then(|path| path.into_os_string().into_string().ok()).unwrap_or_else(|| "maintext".to_owned())
}

/// Writes the entry into the configuration of a program, after the user agreed.
pub fn run(program: Program, yes: bool) -> ExitCode {
    let prepared = Places::here().and_then(|places| Ok((places, arguments(std::env::args_os())?)));
    let (places, args) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            report::failed("mcp --install", &error);
            return ExitCode::FAILURE;
        }
    };
    if !yes && !io::stdin().is_terminal() {
        report::usage(
            &"--install asks before it writes, and standard input is not a terminal; --yes writes without asking",
        );
    }
    let chosen: Vec<Program> = match program {
        Program::All => PROGRAMS.into_iter().filter(|program| places.has(*program)).collect(),
        one => vec![one],
    };
    if chosen.is_empty() {
        let names = PROGRAMS.map(Program::name).join(", ");
        report::failed("mcp --install", &format!("no agent program was found; name one of {names}"));
        return ExitCode::FAILURE;
    }
    let command = command();
    let mut status = ExitCode::SUCCESS;
    for program in chosen {
        let (file, entry) = (places.file(program), program.entry(&command, &args));
        if let Err(error) = install(program, &file, &entry, yes) {
            report::failed(&file.display().to_string(), &error);
            say(&format!(
                "Paste this into the configuration of {}:\n{}",
                program.name(),
                shown(program.form(), &entry)
            ));
            status = ExitCode::FAILURE;
        }
    }
    status
}

fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text.lines().map(printable).collect::<Vec<_>>().join("\n"));
}

fn install(program: Program, file: &Path, entry: &Value, yes: bool) -> Result<(), String> {
    let old = read(file)?;
    let Some(new) = with_entry(old.as_deref().unwrap_or(""), program.form(), entry)? else {
        say(&format!("{}: {} has this entry already", program.name(), file.display()));
        return Ok(());
    };
    let what = if old.is_some() { "changes" } else { "creates" };
    say(&format!("{}: {what} {}\n{}", program.name(), file.display(), shown(program.form(), entry)));
    if !yes && !agreed()? {
        say("Nothing was written.");
        return Ok(());
    }
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    }
    let backup = match old {
        Some(_) => Some(keep(file)?),
        None => None,
    };
    write_atomic(file, |out| out.write_all(new.as_bytes())).map_err(|e| e.to_string())?;
    match backup {
        Some(backup) => say(&format!("Written; the old file is {}. Restart {}.", backup.display(), program.name())),
        None => say(&format!("Written. Restart {}.", program.name())),
    }
    Ok(())
}

/// Reads a configuration file, if there is one.
fn read(file: &Path) -> Result<Option<String>, String> {
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(found) if !found.is_file() => return Err("not a file".into()),
        Ok(found) if found.len() > LARGEST => return Err("too large for a configuration file".into()),
        Ok(_) => {}
    }
    let bytes = fs::read(file).map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map(Some).map_err(|_| "not valid UTF-8".into())
}

/// Asks the user.
fn agreed() -> Result<bool, String> {
    let _ = write!(io::stderr(), "Write this? [y/N] ").and_then(|()| io::stderr().flush());
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|e| e.to_string())?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Copies a file beside itself, under a name that is free.
fn keep(file: &Path) -> Result<PathBuf, String> {
    let named = |n: u32| {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(if n == 0 { ".bak".to_owned() } else { format!(".bak{n}") });
        file.with_file_name(name)
    };
    let free = (0..1000).map(named).find(|path| fs::symlink_metadata(path).is_err());
    let backup = free.ok_or("there are too many backups of this file")?;
    fs::copy(file, &backup).map_err(|e| format!("{}: {e}", backup.display()))?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_places() {
        let places = |system| {
            let home = PathBuf::from("/h");
            let config = Places::config_of(system, &home);
            Places { system, home, config, current: PathBuf::from("/p"), codex: None }
        };
        let at = |system, program| places(system).file(program).to_string_lossy().replace('\\', "/");
        let on = |program| [System::Linux, System::Mac, System::Windows].map(|system| at(system, program));
        let support = "/h/Library/Application Support";
        assert_eq!(
            on(Program::ClaudeDesktop),
            [
                "/h/.config/Claude/claude_desktop_config.json".to_owned(),
                format!("{support}/Claude/claude_desktop_config.json"),
                "/h/AppData/Roaming/Claude/claude_desktop_config.json".to_owned(),
            ]
        );
        assert_eq!(
            on(Program::Vscode),
            [
                "/h/.config/Code/User/mcp.json".to_owned(),
                format!("{support}/Code/User/mcp.json"),
                "/h/AppData/Roaming/Code/User/mcp.json".to_owned(),
            ]
        );
        assert_eq!(
            on(Program::Zed),
            ["/h/.config/zed/settings.json", "/h/.config/zed/settings.json", "/h/AppData/Roaming/Zed/settings.json"]
        );
        for (program, file) in [
            (Program::ClaudeCode, "/p/.mcp.json"),
            (Program::Cursor, "/h/.cursor/mcp.json"),
            (Program::Windsurf, "/h/.codeium/windsurf/mcp_config.json"),
            (Program::Codex, "/h/.codex/config.toml"),
            (Program::Gemini, "/h/.gemini/settings.json"),
        ] {
            assert_eq!(on(program), [file; 3]);
        }
    }

    #[test]
    fn the_entry_has_the_other_flags_of_the_call() {
        let of = |args: &[&str]| arguments(args.iter().map(OsString::from)).unwrap();
        assert_eq!(of(&["maintext", "mcp", "--install"]), ["mcp"]);
        assert_eq!(of(&["python", "-m", "maintext", "mcp", "--install", "zed", "--yes"]), ["mcp"]);
        let args = ["maintext", "mcp", "--render", "--install=zed", "--results", "text", "--yes", "--allow-port", "81"];
        assert_eq!(of(&args), ["mcp", "--render", "--results", "text", "--allow-port", "81"]);
    }
}
