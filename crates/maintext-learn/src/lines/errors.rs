//! Counts of the errors of a classifier.
use serde::Serialize;

/// A count out of a total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The count.
    pub hits: u64,
    /// The total.
    pub of: u64,
}

impl Tally {
    /// Adds one case.
    pub fn add(&mut self, hit: bool) {
        self.hits += hit as u64;
        self.of += 1;
    }
    /// Returns the share, or `None` if the total is 0.
    pub fn rate(&self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, o: Tally) {
        self.hits += o.hits;
        self.of += o.of;
    }
}

/// Errors by line. A line is a text block, which becomes a line of the extracted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineErrors {
    /// Boilerplate lines that were kept, of all boilerplate lines.
    pub false_positives: Tally,
    /// Content lines that were dropped, of all content lines.
    pub misses: Tally,
}

impl LineErrors {
    /// Compares decisions with the truth, which may not cover all lines.
    pub fn count(truth: &[Option<bool>], kept: impl Iterator<Item = bool>) -> LineErrors {
        let mut out = LineErrors::default();
        for (content, kept) in truth.iter().zip(kept) {
            match content {
                Some(true) => out.misses.add(!kept),
                Some(false) => out.false_positives.add(kept),
                None => {}
            }
        }
        out
    }
}

impl std::ops::AddAssign for LineErrors {
    fn add_assign(&mut self, o: LineErrors) {
        self.false_positives += o.false_positives;
        self.misses += o.misses;
    }
}
