//! The settings of `maintext serve` from a file and from the environment.
//!
//! Each becomes the flag of the same name, unless the command line has that flag, so that all three have the same values and errors.
//! The command line precedes the environment, which precedes the file.
use crate::Cli;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::Path;
use toml::{Spanned, Value};

/// The environment variable of `--max-body` is `MAINTEXT_SERVE_MAX_BODY`.
const PREFIX: &str = "MAINTEXT_SERVE_";
/// Flags that a configuration file cannot set.
const NO_SETTINGS: [&str; 4] = ["check-config", "config", "help", "version"];

/// A setting with the place that decided it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecidedSetting {
    /// The name of the flag.
    name: String,
    /// The values as given; none if the setting has no value.
    values: Vec<String>,
    /// What the values are.
    kind: ValueKind,
    /// `default`, `command line`, the name of an environment variable, or a file and a line.
    origin: String,
}

/// The form of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Switch,
    Single,
    Many,
}

impl ValueKind {
    fn of(arg: &Arg) -> ValueKind {
        match arg.get_action() {
            ArgAction::Append => ValueKind::Many,
            ArgAction::SetTrue => ValueKind::Switch,
            _ => ValueKind::Single,
        }
    }
}

/// Adds the settings of the environment and of the file named by `--config` to the arguments of `maintext serve`. Returns the arguments
/// and all settings. Arguments of other subcommands are returned unchanged.
///
/// # Errors
/// The file cannot be read, or has an unknown name or a wrong value; the message names its line.
pub fn completed(
    args: Vec<OsString>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Vec<OsString>, Vec<DecidedSetting>), String> {
    if args.get(1).is_none_or(|a| a != "serve") {
        return Ok((args, Vec::new()));
    }
    // Errors of the command line are reported later, by the complete parse.
    let lenient = serve_command().ignore_errors(true).try_get_matches_from(args.iter().skip(1));
    let Ok(given) = lenient else { return Ok((args, Vec::new())) };
    let flags = Flags::of(&serve_command());
    let mut environment = flags.environment(variables);
    let file = match given.get_raw("config").and_then(|mut v| v.next()) {
        Some(path) => Some(path.to_owned()),
        None => environment.remove("config").and_then(|(values, _)| values.into_iter().next().map(OsString::from)),
    };
    let mut found = match &file {
        Some(path) => flags.file(Path::new(path))?,
        None => BTreeMap::new(),
    };
    found.extend(environment);
    found.retain(|name, _| !on_command_line(&given, flags.id(name)));
    let mut complete = args;
    for (name, (values, origin)) in &found {
        for value in values {
            let argument = match flags.kind(name) {
                ValueKind::Switch if switch(value).map_err(|e| format!("{origin}: {name}: {e}"))? => {
                    format!("--{name}")
                }
                ValueKind::Switch => continue,
                _ => format!("--{name}={value}"),
            };
            check(serve_command(), &argument).map_err(|e| format!("{origin}: {name}: {e}"))?;
            complete.push(argument.into());
        }
    }
    let settings = match serve_command().try_get_matches_from(complete.iter().skip(1)) {
        Ok(matches) => flags.settings(&matches, &found),
        Err(_) => Vec::new(),
    };
    Ok((complete, settings))
}

fn serve_command() -> clap::Command {
    Cli::command().find_subcommand("serve").cloned().unwrap_or_default()
}

fn on_command_line(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// Checks one argument alone. Flags that it needs, and flags that exclude it, are left to the complete parse.
fn check(command: Command, argument: &str) -> Result<(), String> {
    let Err(error) = command.try_get_matches_from(["serve", argument]) else { return Ok(()) };
    if matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict) {
        return Ok(());
    }
    let text = error.to_string();
    let first = text.lines().next().unwrap_or("").trim_start_matches("error: ");
    Err(first.to_owned())
}

/// Parses the value of a switch.
fn switch(value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" | "" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
}

/// Values with their origin, by the name of the flag.
type Found = BTreeMap<String, (Vec<String>, String)>;

/// The flags of the subcommand: name, id and kind.
struct Flags(Vec<(String, String, ValueKind)>);

impl Flags {
    fn of(command: &Command) -> Flags {
        Flags(
            command
                .get_arguments()
                .filter_map(|arg| Some((arg.get_long()?.to_owned(), arg.get_id().to_string(), ValueKind::of(arg))))
                .collect(),
        )
    }

    fn find(&self, name: &str) -> Option<&(String, String, ValueKind)> {
        self.0.iter().find(|flag| flag.0 == name)
    }

    fn id(&self, name: &str) -> &str {
        self.find(name).map_or("", |flag| &flag.1)
    }

    fn kind(&self, name: &str) -> ValueKind {
        self.find(name).map_or(ValueKind::Single, |flag| flag.2)
    }

    /// Reads the environment. Lists are separated by commas. Unknown names are only reported: an orchestrator may have set them.
    fn environment(&self, variables: impl Iterator<Item = (OsString, OsString)>) -> Found {
        let mut found = Found::new();
        for (variable, value) in variables {
            let (Some(variable), Some(value)) = (variable.to_str(), value.to_str()) else { continue };
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let name = name.to_ascii_lowercase().replace('_', "-");
            if self.find(&name).is_none() || ["check-config", "help", "version"].contains(&name.as_str()) {
                crate::report::note(&format!("the environment variable {variable} is not a setting and is ignored"));
                continue;
            }
            let values = match self.kind(&name) {
                ValueKind::Many => value.split(',').map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()).collect(),
                _ => vec![value.to_owned()],
            };
            found.insert(name, (values, variable.to_owned()));
        }
        found
    }

    fn file(&self, path: &Path) -> Result<Found, String> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{shown}: {e}"))?;
        let parsed: BTreeMap<Spanned<String>, Spanned<Value>> = toml::from_str(&text).map_err(|e| {
            let at = e.span().map_or(0, |span| span.start);
            format!("{shown}:{}: {}", line_of(&text, at), e.message().lines().next().unwrap_or(""))
        })?;
        let mut found = Found::new();
        for (name, value) in parsed {
            let origin = format!("{shown}:{}", line_of(&text, name.span().start));
            let name = name.into_inner();
            if self.find(&name).is_none() || NO_SETTINGS.contains(&name.as_str()) {
                return Err(format!(
                    "{origin}: unknown setting '{name}'; the settings are the flags of 'maintext serve --help'"
                ));
            }
            let values = values(value.into_inner(), self.kind(&name)).map_err(|e| format!("{origin}: {name}: {e}"))?;
            found.insert(name, (values, origin));
        }
        Ok(found)
    }

    fn settings(&self, matches: &ArgMatches, found: &Found) -> Vec<DecidedSetting> {
        let setting = |(name, id, kind): &(String, String, ValueKind)| {
            if NO_SETTINGS.contains(&name.as_str()) {
                return None;
            }
            let raw = matches.get_raw(id).into_iter().flatten().map(|v: &OsStr| v.to_string_lossy().into_owned());
            let values = match kind {
                ValueKind::Switch => vec![matches.get_flag(id).to_string()],
                _ => raw.collect(),
            };
            let origin = match found.get(name) {
                Some((_, origin)) => origin.clone(),
                None if on_command_line(matches, id) => "command line".into(),
                None => "default".into(),
            };
            Some(DecidedSetting { name: name.clone(), values, kind: *kind, origin })
        };
        self.0.iter().filter_map(setting).collect()
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

/// Returns the values of a setting in a file.
fn values(value: Value, kind: ValueKind) -> Result<Vec<String>, String> {
    match (value, kind) {
        (Value::Array(all), ValueKind::Many) => {
            all.into_iter().map(|v| values(v, ValueKind::Single)).collect::<Result<Vec<_>, _>>().map(|v| v.concat())
        }
        (Value::Boolean(on), ValueKind::Switch) => Ok(vec![on.to_string()]),
        (_, ValueKind::Switch) => Err("expected true or false".into()),
        (Value::String(text), _) => Ok(vec![text]),
        (Value::Integer(n), _) => Ok(vec![n.to_string()]),
        (Value::Float(x), _) => Ok(vec![x.to_string()]),
        (Value::Table(_), _) => Err("expected a value, not a table; all settings are on one level".into()),
        (Value::Array(_), _) => Err("expected one value, not a list".into()),
        _ => Err("expected a string or a number".into()),
    }
}

/// Returns all settings as a configuration file, with the origin of each as a comment. Secrets are hidden.
pub fn shown(settings: &[DecidedSetting]) -> String {
    let mut out = String::new();
    for setting in settings {
        let values: Vec<String> = setting
            .values
            .iter()
            .map(|v| match setting.kind {
                ValueKind::Switch => v.clone(),
                _ if v.parse::<i64>().is_ok() => v.clone(),
                // A JSON string is a string of TOML, too.
                _ => serde_json::Value::String(hidden(&setting.name, v)).to_string(),
            })
            .collect();
        let value = match (setting.kind, values.first()) {
            (ValueKind::Many, _) => format!("[{}]", values.join(", ")),
            (_, Some(value)) => value.clone(),
            (_, None) => {
                let _ = writeln!(out, "# {} is not set", setting.name);
                continue;
            }
        };
        let _ = writeln!(out, "{} = {value}  # {}", setting.name, setting.origin);
    }
    out
}

/// Hides the user and the password of an address.
fn hidden(name: &str, value: &str) -> String {
    let secret = ["secret", "password", "token", "key"].iter().any(|word| name.split('-').any(|part| part == *word));
    if secret && !name.ends_with("-file") {
        return "***".into();
    }
    match value.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://***@{host}"),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(
        args: &[&str],
        file: &str,
        variables: &[(&str, &str)],
    ) -> Result<(Vec<String>, Vec<DecidedSetting>), String> {
        let path = std::env::temp_dir().join(format!("maintext-serve-{}-{:p}.toml", std::process::id(), &file));
        std::fs::write(&path, file).unwrap();
        let mut all: Vec<OsString> = ["maintext", "serve"].map(Into::into).into();
        all.extend(args.iter().map(OsString::from));
        all.push(format!("--config={}", path.display()).into());
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let result = completed(all, variables).map_err(|e| e.replace(&path.display().to_string(), "FILE"));
        std::fs::remove_file(&path).unwrap();
        let (args, settings) = result?;
        Ok((
            args.into_iter().skip(2).map(|a| a.into_string().unwrap()).filter(|a| !a.starts_with("--config")).collect(),
            settings,
        ))
    }

    #[test]
    fn the_command_line_precedes_the_environment_and_the_file() {
        let file = "workers = 3\nmax-body = '5M'\nquiet = true\nallow-port = [81, 82]\nrate = 0.5\n";
        let variables = [
            ("MAINTEXT_SERVE_WORKERS", "4"),
            ("MAINTEXT_SERVE_QUIET", "false"),
            ("MAINTEXT_SERVE_CORS", "https://a.example, *"),
        ];
        let (args, settings) = complete(&["--max-body", "6M", "--burst=7"], file, &variables).unwrap();
        let expected = [
            "--max-body",
            "6M",
            "--burst=7",
            "--allow-port=81",
            "--allow-port=82",
            "--cors=https://a.example",
            "--cors=*",
            "--rate=0.5",
            "--workers=4",
        ];
        assert_eq!(args, expected);
        let shown = shown(&settings);
        for line in [
            "workers = 4  # MAINTEXT_SERVE_WORKERS\n",
            "max-body = \"6M\"  # command line\n",
            "quiet = false  # MAINTEXT_SERVE_QUIET\n",
            "allow-port = [81, 82]  # ",
            "timeout = 20  # default\n",
            "# store is not set\n",
        ] {
            assert!(shown.contains(line), "{line}: {shown}");
        }
        // The output is a configuration itself.
        let (_, again) = complete(&[], &shown, &[]).unwrap();
        let values = |settings: &[DecidedSetting]| {
            settings.iter().map(|s| (s.name.clone(), s.values.clone())).collect::<Vec<_>>()
        };
        assert_eq!(values(&again), values(&settings));
    }

    #[test]
    fn errors_name_the_place() {
        for (file, error) in [
            ("\nmax-bodies = 3", "FILE:2: unknown setting 'max-bodies'"),
            ("config = 'x'", "FILE:1: unknown setting 'config'"),
            ("workers = 'many'", "FILE:1: workers: invalid value 'many' for '--workers <N>'"),
            ("workers = [1]", "FILE:1: workers: expected one value"),
            ("# none\n\n[limits]\nworkers = 1", "FILE:3: unknown setting 'limits'"),
            ("quiet = 1", "FILE:1: quiet: expected true or false"),
            ("workers = 1\nworkers = 2", "FILE:2: duplicate key"),
            ("workers 1", "FILE:1: "),
        ] {
            let found = complete(&[], file, &[]).unwrap_err();
            assert!(found.starts_with(error), "{file}: {found}");
        }
        let found = complete(&[], "", &[("MAINTEXT_SERVE_RATE", "fast")]).unwrap_err();
        assert!(found.starts_with("MAINTEXT_SERVE_RATE: rate: invalid value 'fast'"), "{found}");
        assert!(
            completed(vec!["maintext".into(), "serve".into(), "--config=/none/x".into()], std::iter::empty()).is_err()
        );
    }

    #[test]
    fn secrets_are_hidden() {
        assert_eq!(hidden("proxy", "socks5://ann:p@ss@proxy.example:1080"), "socks5://***@proxy.example:1080");
        assert_eq!(hidden("admin-token", "abc"), "***");
        assert_eq!(hidden("token-file", "/etc/tokens"), "/etc/tokens");
    }
}
