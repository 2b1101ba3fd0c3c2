//! The published methods, one file each, behind [`Method`].
mod text_density;

pub use text_density::TextDensity;

use crate::method::Method;

/// The names that [`method`] knows, in the order of their publication in the project's sources.
pub const NAMES: &[&str] = &["text-density"];

/// The method of that name with its published parameters.
pub fn method(name: &str) -> Option<Box<dyn Method>> {
    match name {
        "text-density" => Some(Box::new(TextDensity::default())),
        _ => None,
    }
}
