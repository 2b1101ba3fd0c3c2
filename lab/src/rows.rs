//! Training data of the models, in rows.

/// All rows of some pages, one after another.
#[derive(Default)]
pub struct Rows {
    /// First row of each page, and the total number of rows.
    pub starts: Vec<usize>,
    /// The page of each row.
    pub pages: Vec<u32>,
    /// Content share of each row (0 where unknown).
    pub labels: Vec<f32>,
    /// Words of each row.
    pub words: Vec<f32>,
    /// Weight of each row; the rows of a page sum to the page's weight.
    pub weights: Vec<f32>,
    /// Whether the labels of each page cover only some blocks.
    pub partial: Vec<bool>,
}
