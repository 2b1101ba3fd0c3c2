//! Helpers without dependencies that the programs of maintext share; an implementation detail without a promise of stability.
//!
//! - [`atomic`]: files that are written whole or not at all.
//! - [`guard`]: a panic on one page becomes an error message.
#![forbid(unsafe_code)]

pub mod atomic;
pub mod guard;
