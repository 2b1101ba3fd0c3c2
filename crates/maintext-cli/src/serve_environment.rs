//! The settings of `maintext serve` from the environment.
//!
//! Each becomes the flag of the same name, unless the command line has that flag, so that both have the same values and errors.
use crate::Cli;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The environment variable of `--max-body` is `MAINTEXT_SERVE_MAX_BODY`.
const PREFIX: &str = "MAINTEXT_SERVE_";

/// Adds the settings of the environment to the arguments of `maintext serve`. Arguments of other subcommands are returned unchanged. Unknown
/// names are only reported: an orchestrator may have set them.
///
/// # Errors
/// A value is wrong; the message names its variable.
pub fn completed(
    args: Vec<OsString>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<OsString>, String> {
    if args.get(1).is_none_or(|a| a != "serve") {
        return Ok(args);
    }
    let command = Cli::command().find_subcommand("serve").cloned().unwrap_or_default();
    // Errors of the command line are reported later, by the complete parse.
    let lenient = command.clone().ignore_errors(true).try_get_matches_from(args.iter().skip(1));
    let Ok(given) = lenient else { return Ok(args) };
    // Sorted, so that the first of several errors does not depend on the system.
    let settings: BTreeMap<String, String> = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with(PREFIX))
        .collect();
    let mut complete = args;
    for (variable, value) in settings {
        let name = variable[PREFIX.len()..].to_ascii_lowercase().replace('_', "-");
        let Some(flag) = command.get_arguments().find(|arg| arg.get_long() == Some(name.as_str())) else {
            crate::report::note(&format!("the environment variable {variable} is not a setting and is ignored"));
            continue;
        };
        if given.value_source(flag.get_id().as_str()) == Some(ValueSource::CommandLine) {
            continue;
        }
        let named = |e: String| format!("{variable}: {name}: {e}");
        for argument in arguments(flag, &name, &value).map_err(named)? {
            check(command.clone(), &argument).map_err(named)?;
            complete.push(argument.into());
        }
    }
    Ok(complete)
}

/// Returns the arguments that set a flag to a value. Lists are separated by commas.
fn arguments(flag: &Arg, name: &str, value: &str) -> Result<Vec<String>, String> {
    Ok(match flag.get_action() {
        ArgAction::Append => {
            value.split(',').map(str::trim).filter(|v| !v.is_empty()).map(|v| format!("--{name}={v}")).collect()
        }
        ArgAction::SetTrue => switch(value)?.then(|| format!("--{name}")).into_iter().collect(),
        _ => vec![format!("--{name}={value}")],
    })
}

/// Parses the value of a switch.
fn switch(value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" | "" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(args: &[&str], variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let all = ["maintext", "serve"].iter().chain(args).map(OsString::from).collect();
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let args = completed(all, variables)?;
        Ok(args.into_iter().skip(2).map(|a| a.into_string().unwrap()).collect())
    }

    #[test]
    fn the_command_line_precedes_the_environment() {
        let variables = [
            ("MAINTEXT_SERVE_WORKERS", "4"),
            ("MAINTEXT_SERVE_MAX_BODY", "5M"),
            ("MAINTEXT_SERVE_QUIET", "true"),
            ("MAINTEXT_SERVE_ROBOTS", "no"),
            ("MAINTEXT_SERVE_CORS", "https://a.example, *"),
            ("OTHER", "x"),
        ];
        let expected = ["--max-body", "6M", "--cors=https://a.example", "--cors=*", "--quiet", "--workers=4"];
        assert_eq!(complete(&["--max-body", "6M"], &variables).unwrap(), expected);
    }

    #[test]
    fn errors_name_the_variable() {
        let fast = complete(&[], &[("MAINTEXT_SERVE_WORKERS", "fast")]).unwrap_err();
        assert!(fast.starts_with("MAINTEXT_SERVE_WORKERS: workers: invalid value 'fast'"), "{fast}");
        let maybe = complete(&[], &[("MAINTEXT_SERVE_QUIET", "maybe")]).unwrap_err();
        assert!(maybe.contains("neither true nor false"), "{maybe}");
        assert_eq!(complete(&[], &[("MAINTEXT_SERVE_MAX_BODIES", "3")]).unwrap(), Vec::<String>::new());
    }
}
