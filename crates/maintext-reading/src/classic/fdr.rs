//! Control of the false discovery rate: "at most this share of the kept text may be boilerplate".
//!
//! Keeping a block is a discovery, and it is false if the block is boilerplate. Benjamini and Hochberg (*Controlling the false
//! discovery rate*, 1995) sort hypotheses by p-value and keep the largest `k` with `p(k) <= ALPHA * k / m`.
//!
//! A method gives each block's probability of being boilerplate, `b`. The p-value of a block follows from these: the
//! share of the page's boilerplate that is expected to look at least as much like content,
//!
//! `p(i) = sum of b over blocks with b <= b(i) / sum of all b`
//!
//! and so does the share of true null hypotheses, `pi0 = mean of b`, which sharpens the rule to `p(k) <= ALPHA / pi0 * k / m`
//! (Storey 2002). Together they keep the longest prefix, best blocks first, whose mean `b` is at most `ALPHA`.
//! Blocks are weighted by their words, so that the guarantee is about text.
use crate::choice::{Choice, Step};
use crate::error::Error;
use crate::method::Lines;
use crate::method::{Favor, Method, View};
use maintext_page::blocks::Blocks;

/// Returns which blocks to keep so that at most the share `alpha` of their weight is expected to be boilerplate.
///
/// ```
/// use maintext_reading::classic::fdr::choose;
/// // Words 10, 10, 5, 10 and probabilities 0, 0.04, 0.2, 0.9: the expected boilerplate is 0 of 10, 0.4 of 20, 1.4 of 25
/// // words (5.6 %), 10.4 of 35.
/// assert_eq!(choose(&[0.0, 0.04, 0.2, 0.9], &[10.0, 10.0, 5.0, 10.0], 0.05), [true, true, false, false]);
/// assert_eq!(choose(&[0.0, 0.04, 0.2, 0.9], &[10.0, 10.0, 5.0, 10.0], 0.06), [true, true, true, false]);
/// ```
pub fn choose(boilerplate: &[f64], weights: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..boilerplate.len().min(weights.len())).collect();
    order.sort_by(|&i, &j| boilerplate[i].total_cmp(&boilerplate[j]));
    let (mut sum, mut weight, mut last) = (0.0, 0.0, 0);
    for (n, &i) in order.iter().enumerate() {
        sum += boilerplate[i] * weights[i];
        weight += weights[i];
        // Blocks of equal probability share the p-value of the last one. The tolerance lets exact equality survive the rounding of sums.
        let is_last = order.get(n + 1).is_none_or(|&next| boilerplate[next] != boilerplate[i]);
        if is_last && sum <= alpha * weight * (1.0 + 1e-9) {
            last = n + 1;
        }
    }
    let mut kept = vec![false; boilerplate.len()];
    order[..last].iter().for_each(|&i| kept[i] = true);
    kept
}

/// Any method that gives probabilities, with control of the false discovery rate instead of its own decision.
pub struct Fdr {
    method: Box<dyn Method>,
    alpha: f32,
}

impl Fdr {
    /// Keeps at most an expected share `alpha` of boilerplate words.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the method gives no probabilities, or `alpha` is not between 0 and 1.
    pub fn new(method: Box<dyn Method>, alpha: f32) -> Result<Fdr, Error> {
        if !method.gives_probabilities() {
            let name = method.name();
            return Err(Error::Unsupported(format!(
                "the method '{name}' gives no probabilities, which control of the false discovery rate needs"
            )));
        }
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::Unsupported(format!("a false discovery rate of {alpha} is not between 0 and 1")));
        }
        Ok(Fdr { method, alpha })
    }
}

impl Method for Fdr {
    fn name(&self) -> &'static str {
        self.method.name()
    }
    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        let mut choice = self.method.judge(page, favor);
        decide(&mut choice, page.blocks, self.alpha);
        choice
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        self.method.lines(page, favor)
    }
    fn gives_probabilities(&self) -> bool {
        true
    }
}

/// Replaces a choice by the one that its probabilities give. Without probabilities, nothing is kept.
pub fn decide(choice: &mut Choice, blocks: &Blocks, alpha: f32) {
    let boilerplate: Vec<f64> = (0..blocks.len()).map(|i| 1.0 - choice.probability(i).unwrap_or(0.0) as f64).collect();
    let words: Vec<f64> = blocks.blocks.iter().map(|b| b.words as f64).collect();
    let chosen = choose(&boilerplate, &words, alpha as f64);
    choice.step(Step::Method, "the false discovery rate", |kept| kept.copy_from_slice(&chosen));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_probabilities_are_kept_or_dropped_together() {
        // Boilerplate 0.1 of 1, 0.5 of 2, then 0.9 of 3 words.
        assert_eq!(choose(&[0.4, 0.1, 0.4], &[1.0; 3], 0.26), [false, true, false]);
        assert_eq!(choose(&[0.4, 0.1, 0.4], &[1.0; 3], 0.3), [true; 3]);
        assert_eq!(choose(&[0.0; 2], &[1.0; 2], 0.05), [true; 2]);
    }

    #[test]
    fn the_rule_keeps_the_longest_prefix_with_that_mean() {
        let mut seed = 3u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f64 / (1 << 24) as f64
        };
        for n in 1..60 {
            let b: Vec<f64> = (0..n).map(|_| next()).collect();
            let w: Vec<f64> = (0..n).map(|_| (next() * 30.0).floor() + 1.0).collect();
            let alpha = next() * 0.5;
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| b[i].total_cmp(&b[j]));
            let (mut sum, mut weight, mut longest) = (0.0, 0.0, 0);
            for (k, &i) in order.iter().enumerate() {
                sum += b[i] * w[i];
                weight += w[i];
                if sum <= alpha * weight {
                    longest = k + 1;
                }
            }
            let kept = choose(&b, &w, alpha);
            assert_eq!(kept.iter().filter(|k| **k).count(), longest);
            assert!(order[..longest].iter().all(|&i| kept[i]));
        }
    }

    #[test]
    fn methods_without_probabilities_are_refused() {
        let method = crate::classic::method("line-blocks").unwrap();
        let e = Fdr::new(method, 0.05).err().unwrap().to_string();
        assert!(e.contains("'line-blocks' gives no probabilities"), "{e}");
        let method = crate::classic::method("density-statistics").unwrap();
        assert!(Fdr::new(method, 1.5).is_err());
    }
}
