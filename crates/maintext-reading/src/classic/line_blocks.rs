//! The run of lines with the most content.
//!
//! Scripts, styles, comments, `<meta>` and `<ins>` are removed and blank lines cut. The lines are taken in groups of `k`; a
//! group's value is
//!
//! `characters outside links + 50 * images + 1000 * videos - 8`
//!
//! and the content is the contiguous run of groups with the greatest sum. The cost of 8 makes a line of a few words worth nothing.
//!
//! Source: "Extracting the main text of a page with Python", a Chinese article of the 2010s after Chen Xin's
//! *General text extraction by line-block distribution* (Harbin Institute of Technology, 2010). The program printed with
//! it differs from its text; this implementation follows the text:
//!
//! - The program puts an image's 50 characters into the page before it measures links, so that they count as text, and the 50 of a linked
//!   image cancel out. Here an image always counts 50.
//! - The program counts the first value twice, and finds the left end by subtracting from the right until the rest is below
//!   0.00001: `[-8, 5, 100]` gives only the last group. Here both ends are exact.
use crate::method::lines::{Cut, Lines, SourceLine, judged, source_lines};
use crate::method::{Favor, Method, View};

/// The published value of an image, in characters.
const IMAGE: f32 = 50.0;
/// The published value of a video in characters: `<embed>`, `<video>`, an `<iframe>` that is a player.
const VIDEO: f32 = 1000.0;
/// The published cost of a group, in characters.
const COST: f32 = 8.0;

/// The run of lines with the most content. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct LineBlocks {
    /// Lines per group; 1 as published.
    pub k: usize,
}

impl Default for LineBlocks {
    fn default() -> Self {
        LineBlocks { k: 1 }
    }
}

fn value(group: &[SourceLine]) -> f32 {
    group
        .iter()
        .map(|l| {
            (l.text_chars - l.link_chars.min(l.text_chars)) as f32 + IMAGE * l.images as f32 + VIDEO * l.videos as f32
        })
        .sum()
}

/// Returns the contiguous run with the greatest sum: of equal runs the first, and of equal runs with the same beginning the shortest. Empty
/// without values. One pass (Kadane).
pub fn greatest_run(values: &[f64]) -> std::ops::Range<usize> {
    let (mut best, mut best_sum) = (0..0, f64::NEG_INFINITY);
    let (mut start, mut sum) = (0, 0.0);
    for (i, v) in values.iter().enumerate() {
        if sum <= 0.0 {
            (start, sum) = (i, 0.0);
        }
        sum += v;
        if sum > best_sum {
            (best, best_sum) = (start..i + 1, sum);
        }
    }
    best
}

impl Method for LineBlocks {
    fn name(&self) -> &'static str {
        "line-blocks"
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let (source, text) = source_lines(page.source, Cut::CodeMetaIns);
        let k = self.k.max(1);
        let cost = favor.scaled(COST, 2.0);
        let values: Vec<f64> = source.chunks(k).map(|g| value(g) as f64 - cost as f64).collect();
        let run = greatest_run(&values);
        let mut lines = judged(&source, text, |l| l.text_chars as f32 / l.length.max(1) as f32);
        for (i, l) in lines.lines.iter_mut().enumerate() {
            l.score = values[i / k] as f32;
            l.keep = run.contains(&(i / k));
        }
        lines.facts = vec![
            ("first line kept", (run.start * k + 1) as f64),
            ("last line kept", (run.end * k).min(source.len()) as f64),
            ("sum of the run", values[run].iter().sum()),
        ];
        Some(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::Blocks;

    fn judge(method: &LineBlocks, html: &str) -> (Vec<f32>, Vec<bool>) {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let lines = method.lines(&view, Favor::Balance).unwrap();
        lines.lines.iter().map(|l| (l.score, l.keep)).unzip()
    }

    const PAGE: &str = "<a href=/>Home page</a>\n<p>Ten chars.</p>\n\n<a href=/b><img src=b></a>\n<p>and</p>\n\
                        <p>twelve chars</p>\n<p>x</p>\n<embed src=v>\n";

    #[test]
    fn values_equal_hand_calculation() {
        // Link text alone: 0 - 8. "Ten chars." 10 - 8. A linked image 50 - 8. "and" 3 - 8. "twelve chars" 12 - 8.
        // "x" 1 - 8. A video 1000 - 8. The best run begins after the menu: 2 + 42 - 5 + 4 - 7 + 992 = 1028.
        let (values, kept) = judge(&LineBlocks::default(), PAGE);
        assert_eq!(values, [-8.0, 2.0, 42.0, -5.0, 4.0, -7.0, 992.0]);
        assert_eq!(kept, [false, true, true, true, true, true, true]);
    }

    #[test]
    fn groups_of_two_equal_hand_calculation() {
        // Groups: (0 + 10) - 8, (50 + 3) - 8, (12 + 1) - 8, 1000 - 8.
        let (values, kept) = judge(&LineBlocks { k: 2 }, PAGE);
        assert_eq!(values, [2.0, 2.0, 45.0, 45.0, 5.0, 5.0, 992.0]);
        assert_eq!(kept, [true; 7]);
    }

    #[test]
    fn ends_of_the_run_are_exact() {
        assert_eq!(greatest_run(&[-1.0, 2.0, -1.0, 3.0, -5.0, 4.0]), 1..4);
        // The published program loses the 5: it starts from -16 and finds 89 - 100 < 0 at once.
        assert_eq!(greatest_run(&[-8.0, 5.0, 100.0]), 1..3);
        assert_eq!(greatest_run(&[5.0, -4.0, 3.0]), 0..1);
        assert_eq!(greatest_run(&[5.0, -4.0, 4.5]), 0..3);
        // A prefix that sums to zero is not part of the run.
        assert_eq!(greatest_run(&[1.0, -1.0, 2.0]), 2..3);
        assert_eq!(greatest_run(&[-3.0, -2.0, -4.0]), 1..2);
        assert_eq!(greatest_run(&[]), 0..0);
    }

    #[test]
    fn the_greatest_run_is_the_best_of_all_runs() {
        let mut seed = 7u32;
        for n in 1..40 {
            let values: Vec<f64> = (0..n)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 24) as f64 - 128.0
                })
                .collect();
            let sum = |r: std::ops::Range<usize>| values[r].iter().sum::<f64>();
            let brute = (0..n).flat_map(|i| (i + 1..=n).map(move |j| i..j)).map(sum).fold(f64::MIN, f64::max);
            assert_eq!(sum(greatest_run(&values)), brute);
        }
    }
}
