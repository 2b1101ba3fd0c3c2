//! Trains the classifiers of the line methods, teaches the content model the pages of one site, and shows what a method saw of a page; an
//! implementation detail without a promise of stability.
//!
//! [`lines`] trains on labelled pages ([`data`], [`LineLabels`]), [`site`] extends the shipped model with corrections on a few pages,
//! [`gbdt`] boosts trees, [`align`] makes labels from gold text, [`inspect`] and [`plot`] show a page.
#![forbid(unsafe_code)]

pub mod align;
pub mod data;
mod error;
pub mod gbdt;
pub mod hash;
pub mod inspect;
mod line_labels;
pub mod lines;
pub mod plot;
pub mod sample;
pub mod site;
pub mod truth;

pub use error::Error;
pub use line_labels::LineLabels;
