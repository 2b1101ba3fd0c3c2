//! Chooses the content of a page: features of blocks, the content model, and the published methods. An implementation detail of the
//! `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod choice;
pub mod classic;
pub mod error;
pub mod features;
pub mod method;
pub mod methods;
pub mod model;

pub use choice::Choice;
pub use error::Error;
pub use method::{Favor, Method, View};
