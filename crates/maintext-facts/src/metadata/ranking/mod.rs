//! The choice among candidates: features, trees and weights, and their file.
pub mod rank;
pub mod rankers;
