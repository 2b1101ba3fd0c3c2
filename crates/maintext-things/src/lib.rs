//! Products, recipes and other objects that a page describes: an implementation detail of the `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod things;
