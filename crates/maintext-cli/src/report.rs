//! Lines for standard error, and the exit status that goes with them.
use clap::CommandFactory;
use clap::error::ErrorKind;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Says in one line that `input` failed and why. A message that names the input itself is not given the name again.
pub fn failed(input: &str, message: &impl Display) {
    say(&line(input, &message.to_string()));
}

/// Says in one line what a reader of the result should know.
pub fn warning(input: &str, message: &impl Display) {
    say(&line(input, &format!("warning: {message}")));
}

/// Something about the run as a whole.
pub fn note(message: &impl Display) {
    say(&format!("maintext: {}", one_line(&message.to_string())));
}

/// Ends the program as wrong usage, exit status 2, before anything was written.
pub fn usage(message: &impl Display) -> ! {
    crate::Cli::command().error(ErrorKind::ValueValidation, message).exit()
}

/// Writes a result to standard output; gives the exit status.
pub fn printed(result: impl AsRef<[u8]>) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(result.as_ref()).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => write_failed("standard output", &e),
    }
}

/// The exit status of a run whose results could not be written. A reader that has seen enough is no failure.
pub fn write_failed(to: &str, error: &io::Error) -> ExitCode {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return ExitCode::SUCCESS;
    }
    failed(to, error);
    ExitCode::FAILURE
}

fn say(line: &str) {
    // Nobody is left to be told that standard error is closed.
    let _ = writeln!(io::stderr(), "{line}");
}

fn line(input: &str, message: &str) -> String {
    let named = message.strip_prefix(input).is_some_and(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        rest.starts_with(": ") || rest.starts_with(" line ")
    });
    match named {
        true => format!("maintext: {}", one_line(message)),
        false => format!("maintext: {}: {}", one_line(input), one_line(message)),
    }
}

/// Without line breaks and without the control characters that could change a terminal.
fn one_line(text: &str) -> String {
    text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
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
