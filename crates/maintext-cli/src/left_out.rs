//! Subcommands that a build without their cargo feature leaves out.
//!
//! `--help` still lists them, and running one prints how to get it.
#![cfg_attr(feature = "full", allow(dead_code))]
use crate::report;
use std::ffi::OsString;
use std::process::ExitCode;

/// Arguments of a subcommand that was left out: anything goes, so that the answer is never an unknown flag.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub struct LeftOutArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _all: Vec<OsString>,
}

/// Prints how to get the subcommand and returns the exit status of invalid usage.
pub fn run(subcommand: &str, feature: &str) -> ExitCode {
    report::note(&message(subcommand, feature));
    ExitCode::from(2)
}

fn message(subcommand: &str, feature: &str) -> String {
    format!(
        "this build leaves out '{subcommand}'; install everything with 'cargo install --path crates/maintext-cli --features full', \
         or run from a clone with 'cargo run --release --features {feature} -- {subcommand}'"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_message_names_the_subcommand_and_its_feature() {
        let message = super::message("mcp", "serve");
        assert!(message.contains("leaves out 'mcp'") && message.contains("--features serve -- mcp"), "{message}");
    }

    #[cfg(not(feature = "batch"))]
    #[test]
    fn a_subcommand_that_was_left_out_takes_any_arguments_and_is_listed() {
        use clap::{CommandFactory, Parser};
        let args = ["maintext", "batch", "--help", "-o", "x.parquet", "in.warc"];
        let parsed = crate::Cli::try_parse_from(args).unwrap();
        assert!(matches!(parsed.command, crate::Command::Batch(_)), "{parsed:?}");
        let help = crate::Cli::command().render_long_help().to_string();
        assert!(help.lines().any(|l| l.contains("batch") && l.contains("left out of this build")), "{help}");
    }
}
