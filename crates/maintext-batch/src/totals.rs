//! Counts of a run.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest number of reasons that are counted separately; the rest is counted as "other".
const REASONS: usize = 50;

/// Counts of the pages that a run has processed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Pages read, including failed ones.
    pub pages: u64,
    /// Size of these pages in bytes.
    pub bytes: u64,
    /// Pages that failed.
    pub failed: Reasons,
    /// Files and records that are not pages: style sheets in a folder; requests, redirects, images in a WARC file.
    pub skipped: Reasons,
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

impl Totals {
    /// Returns the number of pages in the output: neither failed nor filtered nor duplicates.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.pages - self.failed.count() - self.filtered - self.duplicates
    }
}

/// Counts by reason, such as "HTTP status 404" or "file type .css".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reasons(BTreeMap<String, Tally>);

/// The items with one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of items.
    pub count: u64,
    /// The id of the first one, if it has one.
    pub first: Option<String>,
}

impl Reasons {
    pub(crate) fn add(&mut self, reason: &str, id: Option<String>) {
        let reason = if self.0.len() >= REASONS && !self.0.contains_key(reason) { "other" } else { reason };
        if let Some(tally) = self.0.get_mut(reason) {
            tally.count += 1;
        } else {
            self.0.insert(reason.to_owned(), Tally { count: 1, first: id });
        }
    }

    /// Returns the number of items with any reason.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.values().map(|tally| tally.count).sum()
    }

    /// Returns the reasons with their items, the most frequent first.
    #[must_use]
    pub fn by_count(&self) -> Vec<(&str, &Tally)> {
        let mut reasons: Vec<_> = self.0.iter().map(|(reason, tally)| (reason.as_str(), tally)).collect();
        reasons.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.count));
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_limited() {
        let mut reasons = Reasons::default();
        for i in 0..100 {
            reasons.add(&format!("file type .{i}"), Some(i.to_string()));
        }
        reasons.add("file type .7", None);
        assert_eq!((reasons.count(), reasons.0.len()), (101, REASONS + 1));
        let order = reasons.by_count();
        assert_eq!((order[0].0, order[0].1.count), ("other", 50));
        assert_eq!((order[1].0, order[1].1.first.as_deref()), ("file type .7", Some("7")));
    }
}
