//! The published methods, one file each, behind [`Method`].
pub mod density_statistics;
pub mod fdr;
pub mod line_blocks;
pub mod line_density;
pub mod lines;
pub mod markup_ratio;
pub mod model;
mod scan;
pub mod text_density;

pub use density_statistics::DensityStatistics;
pub use fdr::Fdr;
pub use line_blocks::LineBlocks;
pub use line_density::LineDensity;
pub use lines::{Breaks, Line, Lines};
pub use markup_ratio::MarkupRatio;
pub use model::LineModel;
pub use text_density::TextDensity;

use crate::error::Error;
use crate::method::Method;

/// The names that [`method`] knows.
pub const NAMES: &[&str] = &["line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// The method of that name with its published parameters.
pub fn method(name: &str) -> Option<Box<dyn Method>> {
    match name {
        "line-density" => Some(Box::new(LineDensity::default())),
        "line-blocks" => Some(Box::new(LineBlocks::default())),
        "text-density" => Some(Box::new(TextDensity::default())),
        "markup-ratio" => Some(Box::new(MarkupRatio::default())),
        "density-statistics" => Some(Box::new(DensityStatistics::default())),
        _ => None,
    }
}

/// The method `name` with a trained model in place of its threshold.
///
/// # Errors
/// [`Error::BadModel`] if the file is damaged or belongs to another method, [`Error::Unsupported`] if the method takes no model.
pub fn with_model(name: &str, json: &str) -> Result<Box<dyn Method>, Error> {
    let model = LineModel::from_json(json)?;
    match name {
        "line-density" => Ok(Box::new(LineDensity::with_model(model)?)),
        "markup-ratio" => Ok(Box::new(MarkupRatio::with_model(model)?)),
        _ if NAMES.contains(&name) => Err(Error::Unsupported(format!("the method '{name}' takes no model"))),
        _ => Err(Error::UnknownMethod(name.to_owned())),
    }
}
