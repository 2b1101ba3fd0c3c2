//! maintext turns any web page into its main text, with title, author, date, language and images.
pub use maintext_core::{Error, Options, Page, extract};

/// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
