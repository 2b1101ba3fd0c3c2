//! Rows that models learn from.

/// All rows of some pages, one after another.
#[derive(Default)]
pub struct Rows {
    /// First row of each page, and the end.
    pub starts: Vec<usize>,
    /// The page of each row.
    pub pages: Vec<u32>,
    /// Content share of each row (0 where unknown).
    pub labels: Vec<f32>,
    /// Words of each row.
    pub words: Vec<f32>,
    /// Weight of each row; the rows of a page sum to the page's weight.
    pub weights: Vec<f32>,
    /// Pages whose labels cover some blocks only.
    pub partial: Vec<bool>,
}
