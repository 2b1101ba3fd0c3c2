//! The languages of a text of several.
use crate::detector::{Detected, detect};

/// Minimum number of bytes of a paragraph that has a language of its own; a shorter one has its neighbour's.
const MIN_OWN_BYTES: usize = 40;
/// Minimum score of a paragraph that has a language of its own.
const MIN_OWN_SCORE: f32 = 0.6;
/// Maximum number of bytes of a paragraph that are read.
const MAX_SAMPLE_BYTES: usize = 2048;

/// The share of a language in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The language, as in [`Detected`].
    pub language: &'static str,
    /// The script, as in [`Detected`].
    pub script: &'static str,
    /// The share of the text's bytes in paragraphs of the language, from 0 to 1.
    pub share: f32,
}

/// Returns the languages of a text's paragraphs, the largest share first. Paragraphs are lines. A short or doubtful one belongs to the language
/// of the paragraph before it or, at the start, after it; its own guess counts where it agrees with another paragraph.
///
/// ```
/// let text = "The road was empty, and we left early in the morning.\nWir gingen früh los, und die Straße war noch leer.";
/// let languages: Vec<_> = maintext_language::shares(text).iter().map(|s| s.language).collect();
/// assert_eq!(languages, ["en", "de"]);
/// ```
pub fn shares(text: &str) -> Vec<Share> {
    let paragraphs: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let found: Vec<Option<Detected>> =
        paragraphs.iter().map(|p| detect(&p[..p.floor_char_boundary(MAX_SAMPLE_BYTES)])).collect();
    let sure = |i: usize| found[i].filter(|d| d.score >= MIN_OWN_SCORE && paragraphs[i].len() >= MIN_OWN_BYTES);
    // One of each language, so that the time stays linear.
    let mut firm: Vec<Detected> = Vec::new();
    for found in (0..found.len()).filter_map(sure) {
        if !firm.iter().any(|f| same(f, &found)) {
            firm.push(found);
        }
    }
    // A text of doubtful paragraphs only is judged as a whole.
    let Some(mut current) =
        firm.first().copied().or_else(|| detect(&text[..text.floor_char_boundary(MAX_SAMPLE_BYTES)]))
    else {
        return Vec::new();
    };
    let mut out: Vec<(Detected, usize)> = Vec::new();
    for (i, paragraph) in paragraphs.iter().enumerate() {
        let known = found[i].filter(|d| firm.iter().any(|f| same(f, d)) && d.score >= MIN_OWN_SCORE);
        if let Some(own) = sure(i) {
            current = own;
        }
        let language = known.unwrap_or(current);
        match out.iter_mut().find(|o| same(&o.0, &language)) {
            Some(entry) => entry.1 += paragraph.len(),
            None => out.push((language, paragraph.len())),
        }
    }
    let total: usize = out.iter().map(|o| o.1).sum();
    out.sort_by_key(|o| std::cmp::Reverse(o.1));
    out.into_iter()
        .map(|(d, n)| Share { language: d.language, script: d.script, share: n as f32 / total as f32 })
        .collect()
}

fn same(a: &Detected, b: &Detected) -> bool {
    (a.language, a.script) == (b.language, b.script)
}
