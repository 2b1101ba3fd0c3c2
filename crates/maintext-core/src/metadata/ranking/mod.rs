//! The choice among candidates: features, trees and weights, and their file.
pub(crate) mod rank;
pub(super) mod rankers;
