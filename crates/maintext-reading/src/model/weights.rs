//! A model of the learned extractor from outside the library: trained for one site, or trained anew.
use super::file::MAGIC;
use super::{Learned, Model, ModelError};
use maintext_page::hash::of64;
use std::fmt;
use std::sync::Arc;

/// A model read from a file, shared by all extractors that use it.
///
/// ```
/// use maintext_reading::methods::Parameters;
/// use maintext_reading::model::{Model, Weights};
/// let file = Model::shipped()?.to_bytes();
/// let parameters = Parameters { weights: Some(Weights::from_bytes(&file)?), ..Parameters::default() };
/// let options = maintext_core::Options { parameters, ..maintext_core::Options::default() };
/// assert_eq!(maintext_core::extract("<p>A page, with a sentence.", &options)?.text(), "A page, with a sentence.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Weights {
    learned: Arc<Learned>,
    checksum: u64,
}

impl Weights {
    /// Reads a model file, as exported by the playground or written by [`Model::to_bytes`].
    ///
    /// # Errors
    /// The bytes are not a model file, or one of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, ModelError> {
        let learned = Arc::new(Learned::new(Model::from_bytes(bytes)?));
        Ok(Weights { learned, checksum: of64(bytes) })
    }

    /// Whether the bytes begin like a model file; the files of the line classifiers are JSON.
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Returns the method with these weights.
    pub fn learned(&self) -> Arc<Learned> {
        self.learned.clone()
    }
}

/// Two files are equal if their checksums are.
impl PartialEq for Weights {
    fn eq(&self, other: &Weights) -> bool {
        self.checksum == other.checksum
    }
}

/// Prints the checksum, so that settings with a model can be recorded.
impl fmt::Debug for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Weights({:016x})", self.checksum)
    }
}
