//! Gives the trainer the groups of records and their evidence.
pub use super::evidence::Evidence;
pub use super::model::{Decision, Kind, PURPOSE, RecordModel, by_name, columns, row};
use super::{Completeness, Judged, Search};
use crate::metadata::Settings;
use crate::metadata::sources::facts::Facts;
use maintext_reading::choice::Choice;
use maintext_reading::method::View;
use std::cell::OnceCell;
use std::ops::Range;

/// A group of records with the evidence for its kind.
pub struct RecordGroup {
    /// The evidence.
    pub evidence: Evidence,
    /// Author, date as printed, text and address of each record.
    pub records: Vec<[String; 4]>,
    /// Blocks of each record.
    pub blocks: Vec<Range<u32>>,
    /// Bytes of the source from the first record's date to the last one's.
    pub span: Range<usize>,
    /// The score by which groups are ranked.
    pub worth: f32,
}

/// Returns the groups of records of a page, given a method's choice.
pub fn groups(page: &View<'_>, choice: &Choice, settings: &Settings<'_>) -> Vec<RecordGroup> {
    let facts = Facts::new(page, settings);
    let names = vec![OnceCell::new(); page.blocks.elements.len()];
    // The groups of both, also those that are the same.
    let styles = [(Completeness::Whole, Judged::default()), (Completeness::Vague, Judged::default())];
    styles
        .iter()
        .flat_map(|(style, judged)| super::candidates(&facts, choice, &names, *style, Search::Strict, judged))
        .map(training_group)
        .collect()
}

fn training_group(c: super::Candidate) -> RecordGroup {
    RecordGroup {
        evidence: c.evidence,
        blocks: c.records.iter().map(|r| r.blocks.clone()).collect(),
        records: c
            .records
            .into_iter()
            .map(|r| [r.author.unwrap_or_default(), r.when, r.text, r.url.unwrap_or_default()])
            .collect(),
        span: c.span,
        worth: c.worth,
    }
}
