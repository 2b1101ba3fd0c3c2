//! Languages and scripts of texts and of their paragraphs. Pure: no input or output, no allocation per word, linear in the text, and the same
//! bits on every machine.
//!
//! ```
//! let found = maintext_language::detect("Die Straße war leer, und wir gingen früh los.").unwrap();
//! assert_eq!((found.language, found.script), ("de", "Latn"));
//! ```
//!
//! The script of most letters decides first. A linear classifier of low rank over runs of two to four letters and whole words then chooses among
//! the languages of the script, as in fastText (Joulin et al. 2017, "Bag of Tricks for Efficient Text Classification").
#![forbid(unsafe_code)]

mod detector;
mod languages;
mod paragraphs;
mod words;

pub use detector::{Detected, detect, languages};
pub use paragraphs::{Share, shares};
