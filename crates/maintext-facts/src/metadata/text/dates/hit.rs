//! A date in a text, and hints for reading the text.
use super::Stamp;
use jiff::civil::Date;
use std::ops::Range;

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Year first, numbers only, or with East Asian characters: `2024-05-17`, `2024年5月17日`.
    YearFirst,
    /// With the month's name.
    Named,
    /// Numbers only, year last.
    YearLast,
    /// Eight digits.
    Compact,
    /// `3 hours ago`, `昨天`.
    Relative,
}

/// A date in a text.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its range in the text, with the time of day.
    pub range: Range<usize>,
    /// Its value.
    pub stamp: Stamp,
    /// The other reading, if day and month could be swapped.
    pub swapped: Option<Date>,
    /// How it is written.
    pub style: Style,
}

/// Known facts about a text before it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint<'a> {
    /// BCP 47 tag, `""` if unknown.
    pub language: &'a str,
    /// Whether `05/06/2024` is in May.
    pub month_first: bool,
    /// Whether eight digits are a date.
    pub compact: bool,
    /// Whether the text is an address: year first only.
    pub address: bool,
    /// Today, for relative dates and two-digit years.
    pub now: Option<Stamp>,
}
