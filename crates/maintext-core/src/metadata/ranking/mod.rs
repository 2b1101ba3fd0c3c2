//! The choice among candidates: features, trees and weights, and their file.
pub(crate) mod rank;
pub(crate) mod rankers;
