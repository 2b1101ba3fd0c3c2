//! The kept parts of a page as text, Markdown, HTML, TEI and typed blocks: an implementation detail of the `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod keep;
pub mod render;

pub use keep::Image;
