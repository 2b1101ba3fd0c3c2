//! The published methods, one file each, behind [`Method`].
pub mod density_statistics;
pub mod fdr;
pub mod line_blocks;
pub mod line_density;
pub mod markup_ratio;
pub mod model;
pub mod text_density;

pub use density_statistics::DensityStatistics;
pub use fdr::Fdr;
pub use line_blocks::LineBlocks;
pub use line_density::LineDensity;
pub use markup_ratio::MarkupRatio;
pub use model::LineModel;
pub use text_density::TextDensity;

use crate::method::Method;

/// The names that [`method`] accepts.
pub const NAMES: &[&str] = &["line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// Returns the method of that name with its published parameters.
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
