//! Counts of a run.
use serde::{Deserialize, Serialize};

/// Counts of the pages that a run has processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Pages read, including failed ones.
    pub pages: u64,
    /// Size of these pages in bytes.
    pub bytes: u64,
    /// Pages that failed.
    pub failed: u64,
    /// Records that are not pages: requests, redirects, images in a WARC file.
    pub skipped: u64,
    /// Pages that the filter rejected.
    pub filtered: u64,
    /// Pages with the text of an earlier page.
    pub duplicates: u64,
    /// Rows written.
    pub rows: u64,
    /// Pages processed by an earlier, interrupted run.
    #[serde(skip)]
    pub resumed: u64,
}
