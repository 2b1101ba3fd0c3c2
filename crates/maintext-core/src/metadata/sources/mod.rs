//! Where statements about a page come from: attributes, scripts, the head, and the surroundings of elements.
pub(crate) mod facts;
pub(super) mod json;
pub(crate) mod jsonld;
pub(super) mod surroundings;
