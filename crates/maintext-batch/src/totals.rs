//! Counts of a run.
use serde::{Deserialize, Serialize};

/// Counts of the pages that a run has processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Pages that were read, those that failed included.
    pub pages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Records other than pages: requests, redirects, images in a WARC file.
    pub skipped: u64,
    /// Pages that did not meet the conditions.
    pub filtered: u64,
    /// Pages whose text an earlier page had.
    pub duplicates: u64,
    /// Rows in the output.
    pub rows: u64,
    /// Pages that an earlier run had done.
    #[serde(skip)]
    pub resumed: u64,
}
