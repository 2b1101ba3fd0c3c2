//! Messages on standard error and their exit status.
use clap::CommandFactory;
use clap::error::ErrorKind;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reports in one line that `input` failed and why. The name is not repeated if the message begins with it.
pub fn failed(input: &str, message: &impl Display) {
    say(&line(input, &message.to_string()));
}

/// Whether the caller wants no warnings.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Prints no warnings from here on.
pub fn silence_warnings() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints a warning about the result for `input` in one line.
pub fn warning(input: &str, message: &impl Display) {
    if IS_QUIET.load(Ordering::Relaxed) {
        return;
    }
    say(&line(input, &format!("warning: {message}")));
}

/// Prints a message about the whole run.
pub fn note(message: &impl Display) {
    say(&format!("maintext: {}", one_line(&message.to_string())));
}

/// Returns a count with the words for one, or for several.
pub fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Ends the program with exit status 2 for invalid usage of its subcommand. Called before any output.
pub fn usage(message: &impl Display) -> ! {
    let mut command = crate::Cli::command();
    command.build();
    let named = std::env::args_os().skip(1).find_map(|arg| command.find_subcommand(arg).cloned());
    named.unwrap_or(command).error(ErrorKind::ValueValidation, message).exit()
}

/// Writes a result to standard output and returns the exit status.
pub fn printed(result: impl AsRef<[u8]>) -> ExitCode {
    let mut stdout = maintext_util::terminal::stdout();
    match stdout.write_all(result.as_ref()).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => write_failed("standard output", &e),
    }
}

/// Reports a failed write and returns the exit status. A closed pipe counts as success: the reader has seen enough.
pub fn write_failed(to: &str, error: &io::Error) -> ExitCode {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    match error.kind() {
        // See `refuse_output`.
        io::ErrorKind::NotConnected => failed(to, &"is closed: nothing can be written"),
        _ => failed(to, error),
    }
    ExitCode::FAILURE
}

fn say(line: &str) {
    // If standard error is closed, the line cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "{line}");
}

fn line(input: &str, message: &str) -> String {
    let named = message.strip_prefix(input).is_some_and(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        rest.starts_with(": ") || rest.starts_with(" line ")
    });
    if named {
        format!("maintext: {}", one_line(message))
    } else {
        format!("maintext: {}: {}", one_line(input), one_line(message))
    }
}

/// Replaces line breaks and control characters, which could manipulate a terminal.
fn one_line(text: &str) -> String {
    let spaced: String = text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    maintext_util::terminal::printable(&spaced).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_input_once() {
        assert_eq!(line("a.html", "no such file"), "maintext: a.html: no such file");
        assert_eq!(line("http://e.org", "http://e.org/: HTTP status 404"), "maintext: http://e.org/: HTTP status 404");
        let redirected = line("http://e.org/", "http://e.org/b: HTTP status 404");
        assert_eq!(redirected, "maintext: http://e.org/: http://e.org/b: HTTP status 404");
        assert_eq!(line("a\x1b[2J", "b\nc\n"), "maintext: a [2J: b c");
    }
}
