//! The facts that a page states about itself, and the metadata chosen from them. An implementation detail of the `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod fields;
pub mod metadata;
pub mod preferences;
pub mod rules;

pub use fields::Fields;
pub use metadata::Metadata;
pub use preferences::Preferences;
