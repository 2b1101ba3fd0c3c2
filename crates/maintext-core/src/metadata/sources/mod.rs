//! Where statements about a page come from: attributes, scripts, the head, and the surroundings of elements.
pub(super) mod facts;
pub(super) mod json;
pub(super) mod jsonld;
pub(super) mod surroundings;
