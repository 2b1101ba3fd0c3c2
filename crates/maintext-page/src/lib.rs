//! Reads a page: its bytes as text, its tree, its visible parts and its text blocks. An implementation detail of the `maintext` crate.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
#![deny(unsafe_code)]

pub mod address;
pub mod blocks;
pub mod budget;
pub mod decode;
pub mod dom;
pub mod embed;
pub mod hash;
pub mod image;
pub mod lexicon;
pub mod markup;
pub mod num;
pub mod select;
pub mod signs;
pub mod sums;
pub mod visibility;
pub mod warnings;
mod words;

pub use budget::{Budget, CopyMeter};
pub use warnings::{Warning, WarningCode};
