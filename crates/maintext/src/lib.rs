//! maintext turns any web page into its main text.
#![forbid(unsafe_code)]
pub mod decode;
