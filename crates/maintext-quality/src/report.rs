//! The outcome of filters: failed rules with measured values, and corrected text.
use std::fmt;

/// A rule that a text fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The rule, such as `gopher.mean_word_length`.
    pub rule: &'static str,
    /// The measured value.
    pub value: f64,
    /// The bound that the value passes.
    pub threshold: f64,
    /// Whether the value is above the bound (`true`) or below it.
    pub above: bool,
}

impl fmt::Display for Failure {
    /// Writes the rule with its value and bound, such as `gopher.mean_word_length 11.3 > 10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.above { '>' } else { '<' };
        write!(f, "{} {} {sign} {}", self.rule, short(self.value, self.threshold), self.threshold)
    }
}

/// Rounds to four significant digits, unless that would hide on which side of the bound the value is.
fn short(value: f64, threshold: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    let round = (value * scale).round() / scale;
    if round == threshold { value } else { round }
}

/// What filters found in one text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The failed rules, in the order of checking. A text without any passes.
    pub failed: Vec<Failure>,
    /// The corrected text if a filter changed it.
    pub text: Option<String>,
    /// The number of lines that filters dropped from the text.
    pub dropped_lines: usize,
    /// The number of listed words in the text, if the filters have a word list.
    pub bad_words: Option<usize>,
}

impl Report {
    /// Whether the text passes all filters.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.failed.is_empty()
    }

    pub(crate) fn above(&mut self, rule: &'static str, value: f64, threshold: f64) {
        if value > threshold {
            self.failed.push(Failure { rule, value, threshold, above: true });
        }
    }

    pub(crate) fn below(&mut self, rule: &'static str, value: f64, threshold: f64) {
        if value < threshold {
            self.failed.push(Failure { rule, value, threshold, above: false });
        }
    }
}
