//! RefinedWeb's line-wise corrections: Penedo et al. 2023, "The RefinedWeb Dataset", appendix G.2 (<https://arxiv.org/abs/2306.01116>).
//! The paper gives the classes of lines with examples and the bound of 5 %, but no full list of patterns; the patterns here are its
//! examples and their plain variants. "Mainly" upper case means more than half of the letters.
use crate::report::Report;
use crate::words::is_space;
use regex::Regex;
use std::sync::LazyLock;

static COUNTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^\W*[\d.,]+\s*[km]?\+?\s+(likes?|shares?|comments?|retweets?|reposts?",
        r"|quotes?|bookmarks?|upvotes?|downvotes?|downloads?|views?|followers?|replies|reply|votes?)\W*$"
    ))
    .ok()
});
const START: [&str; 2] = ["sign-in", "sign in"];
const END: [&str; 2] = ["read more...", "read more…"];
const ANYWHERE: [&str; 1] = ["items in cart"];

/// Parameters of `refinedweb`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RefinedWeb {
    /// Maximum share of words in dropped lines.
    pub max_dropped_words: f64,
    /// Share of upper-case letters from which a line is mainly upper case.
    pub max_upper_case: f64,
    /// Words of a line that is still short enough for a pattern.
    pub short_line: usize,
}

impl Default for RefinedWeb {
    fn default() -> RefinedWeb {
        RefinedWeb { max_dropped_words: 0.05, max_upper_case: 0.5, short_line: 10 }
    }
}

impl RefinedWeb {
    /// Returns the kept lines. Empty lines stay.
    pub(crate) fn check(&self, text: &str, report: &mut Report) -> String {
        let (mut kept, mut words, mut dropped) = (Vec::new(), 0usize, 0usize);
        for line in text.split('\n') {
            let n = line.split(is_space).filter(|w| !w.is_empty()).count();
            words += n;
            if n > 0 && self.drops(line.trim_matches(is_space), n) {
                dropped += n;
                report.dropped_lines += 1;
            } else {
                kept.push(line);
            }
        }
        report.above("refinedweb.dropped_words", dropped as f64 / words.max(1) as f64, self.max_dropped_words);
        kept.join("\n")
    }

    fn drops(&self, line: &str, words: usize) -> bool {
        if words == 1 {
            return true;
        }
        let (mut upper, mut letters, mut digits, mut others) = (0usize, 0usize, 0usize, 0usize);
        for c in line.chars() {
            if c.is_alphabetic() {
                letters += 1;
                upper += usize::from(c.is_uppercase());
            } else if c.is_numeric() {
                digits += 1;
            } else if !is_space(c) && !",.:-/".contains(c) {
                others += 1;
            }
        }
        if letters > 0 && upper as f64 > self.max_upper_case * letters as f64
            || letters == 0 && others == 0 && digits > 0
        {
            return true;
        }
        if words > self.short_line {
            return false;
        }
        let lower = line.to_lowercase();
        COUNTER.as_ref().is_some_and(|r| r.is_match(line))
            || START.iter().any(|p| lower.starts_with(p))
            || END.iter().any(|p| lower.ends_with(p))
            || ANYWHERE.iter().any(|p| lower.contains(p))
    }
}
