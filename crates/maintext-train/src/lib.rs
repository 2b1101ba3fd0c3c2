//! Data sets, labels, trainers and evaluation for maintext.
//!
//! [`data`] reads labelled pages, [`score`] measures an extraction against its ground truth, [`eval`] does so for many methods
//! over many sets.
#![forbid(unsafe_code)]

pub mod align;
pub mod data;
mod error;
pub mod eval;
pub mod fields;
pub mod gbdt;
pub mod inspect;
pub mod labels;
pub mod learned;
pub mod lines;
pub mod reliability;
pub mod score;
pub mod shipped;
pub mod site;
pub mod truth;

pub use error::Error;
