//! Helpers without dependencies that the programs of maintext share; an implementation detail without a promise of stability.
//!
//! - [`atomic`]: atomic writes of files.
//! - [`files`]: identity of files.
//! - [`guard`]: a panic on one page becomes an error message, and spoils no lock.
//! - [`terminal`]: text without characters that manipulate a terminal.
#![forbid(unsafe_code)]

pub mod atomic;
pub mod files;
pub mod guard;
pub mod terminal;
