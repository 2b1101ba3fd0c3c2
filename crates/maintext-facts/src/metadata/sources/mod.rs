//! Where statements about a page come from: attributes, scripts, the head, and visible text.
mod dates;
pub mod facts;
pub(super) mod json;
pub mod jsonld;
mod kinds;

pub(super) use dates::MAX_VAGUE_CHARS;
