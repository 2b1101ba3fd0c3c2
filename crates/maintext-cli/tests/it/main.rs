//! Tests of the command.

// The tests of all subcommands need all features.
#[cfg(feature = "full")]
mod command;
mod examples;
