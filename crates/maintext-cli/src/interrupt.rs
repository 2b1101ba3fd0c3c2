//! The message at Ctrl-C.
use crate::report;
use std::io::{self, IsTerminal, Write};

/// The status that shells report for a program that SIGINT has ended.
const INTERRUPTED: i32 = 130;

/// Ends the program with `message` at Ctrl-C. A parent that ignores the signal (`nohup`) keeps doing so.
pub fn say_at_interrupt(message: String) {
    // Without a handler the signal ends the program as before, only without the message.
    let _ = ctrlc::try_set_handler(move || {
        if io::stderr().is_terminal() {
            // The terminal has written ^C behind the progress bar.
            let _ = writeln!(io::stderr());
        }
        report::note(&message);
        std::process::exit(INTERRUPTED)
    });
}
