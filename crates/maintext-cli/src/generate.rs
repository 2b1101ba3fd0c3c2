//! `maintext completions` and `maintext man`: files for packagers to install.
use crate::{Cli, report};
use clap::CommandFactory;
use clap_complete::Shell;
use std::process::ExitCode;

/// Print shell completions
#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// Shell to complete commands in
    shell: Shell,
}

/// Print a manual page in roff
#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Subcommand to document [default: maintext itself]
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "maintext", &mut out);
    report::printed(&out)
}

pub fn man(args: &ManArgs) -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => report::usage(&format!("there is no subcommand '{name}'")),
        },
    };
    let mut out = Vec::new();
    match clap_mangen::Man::new(page).render(&mut out) {
        Ok(()) => report::printed(&out),
        Err(error) => report::write_failed("standard output", &error),
    }
}
