//! The kind of a page, the entries of list pages, and their pagination: an implementation detail of the `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod list;
pub mod page_type;

pub use list::Entry;
