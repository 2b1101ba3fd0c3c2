//! Data sets, labels, trainers and evaluation for maintext.
//!
//! [`data`] reads labelled pages, [`score`] measures an extraction against its ground truth, [`eval`] does so for many methods
//! over many sets.
#![forbid(unsafe_code)]

pub mod align;
pub mod data;
pub mod entries;
mod entries_annotated;
mod error;
pub mod eval;
pub mod fields;
pub mod gbdt;
mod hash;
pub mod inspect;
pub mod learned;
pub mod lines;
pub mod list_eval;
pub mod network;
pub mod page_type;
pub mod pagination;
pub mod posts;
pub mod reliability;
pub mod score;
pub mod selectors;
pub mod shipped;
pub mod site;
pub mod svm;
pub mod truth;

pub use error::Error;

/// Writes a file beside its place and renames it, so that no half of it is ever seen.
pub fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = path.with_extension("part");
    let go = || std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    go().map_err(|e| Error::file(path, e))
}
