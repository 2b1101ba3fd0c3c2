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
use crate::blocks::Blocks;
use crate::error::Error;
use crate::method::Lines;
use crate::method::{Favor, Method, Verdict, View};

/// Runs the step-up procedure with weights: keeps the longest prefix, smallest p-value first, whose last p-value is at most
/// `alpha * weight so far / total weight`. With equal weights it is Benjamini and Hochberg's. Returns for each p-value whether it is kept.
///
/// ```
/// use maintext_core::classic::fdr::benjamini_hochberg;
/// // Their own example, 15 p-values at 0.05: 0.0095 <= 4/15 * 0.05 = 0.0133, but 0.0201 > 5/15 * 0.05.
/// let p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0];
/// let kept = benjamini_hochberg(&p, &[1.0; 15], 0.05);
/// assert_eq!(kept.iter().filter(|k| **k).count(), 4);
/// ```
pub fn benjamini_hochberg(p: &[f64], weights: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len().min(weights.len())).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let total: f64 = weights.iter().sum();
    let (mut so_far, mut last) = (0.0, 0);
    for (n, &i) in order.iter().enumerate() {
        so_far += weights[i];
        // The tolerance lets exact equality survive the rounding of sums.
        if p[i] * total <= alpha * so_far * (1.0 + 1e-9) {
            last = n + 1;
        }
    }
    let mut kept = vec![false; p.len()];
    order[..last].iter().for_each(|&i| kept[i] = true);
    kept
}

/// Returns p-values from probabilities of being boilerplate; see the [module documentation](self). Blocks of equal probability share
/// the p-value of the last of them.
pub fn p_values(boilerplate: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..boilerplate.len().min(weights.len())).collect();
    order.sort_by(|&i, &j| boilerplate[i].total_cmp(&boilerplate[j]));
    let total: f64 = order.iter().map(|&i| boilerplate[i] * weights[i]).sum();
    let mut p = vec![1.0; boilerplate.len()];
    let (mut sum, mut from) = (0.0, 0);
    for n in 0..order.len() {
        sum += boilerplate[order[n]] * weights[order[n]];
        if order.get(n + 1).is_some_and(|&next| boilerplate[next] == boilerplate[order[n]]) {
            continue;
        }
        order[from..=n].iter().for_each(|&i| p[i] = if total > 0.0 { sum / total } else { 0.0 });
        from = n + 1;
    }
    p
}

/// Returns which blocks to keep so that at most the share `alpha` of their weight is expected to be boilerplate.
///
/// ```
/// use maintext_core::classic::fdr::choose;
/// // Words 10, 10, 5, 10 and probabilities 0, 0.04, 0.2, 0.9: the expected boilerplate is 0 of 10, 0.4 of 20, 1.4 of 25
/// // words (5.6 %), 10.4 of 35.
/// assert_eq!(choose(&[0.0, 0.04, 0.2, 0.9], &[10.0, 10.0, 5.0, 10.0], 0.05), [true, true, false, false]);
/// assert_eq!(choose(&[0.0, 0.04, 0.2, 0.9], &[10.0, 10.0, 5.0, 10.0], 0.06), [true, true, true, false]);
/// ```
pub fn choose(boilerplate: &[f64], weights: &[f64], alpha: f64) -> Vec<bool> {
    let total: f64 = weights.iter().sum();
    let expected: f64 = boilerplate.iter().zip(weights).map(|(b, w)| b * w).sum();
    // No boilerplate is expected, so everything is kept.
    if expected <= 0.0 {
        return vec![true; boilerplate.len()];
    }
    let null_share = expected / total;
    benjamini_hochberg(&p_values(boilerplate, weights), weights, alpha / null_share)
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
    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict> {
        let mut verdicts = self.method.judge(page, favor);
        decide(&mut verdicts, page.blocks, self.alpha);
        verdicts
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        self.method.lines(page, favor)
    }
    fn gives_probabilities(&self) -> bool {
        true
    }
}

/// Replaces the decisions by those that the verdicts' probabilities give; a block without a probability is dropped.
pub fn decide(verdicts: &mut [Verdict], blocks: &Blocks, alpha: f32) {
    let boilerplate: Vec<f64> = verdicts.iter().map(|v| 1.0 - v.probability.unwrap_or(0.0) as f64).collect();
    let words: Vec<f64> = blocks.blocks.iter().map(|b| b.words as f64).collect();
    let kept = choose(&boilerplate, &words, alpha as f64);
    verdicts.iter_mut().zip(kept).for_each(|(v, k)| v.keep = k);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_equal_hand_calculation() {
        // Sum 0.1 * 2 + 0.4 * 1 + 0.4 * 1 + 1 * 1 = 2: 0.2/2, then both of the equal ones 1.0/2, then 2/2.
        let p = p_values(&[0.4, 0.1, 1.0, 0.4], &[1.0, 2.0, 1.0, 1.0]);
        let want = [0.5, 0.1, 1.0, 0.5];
        assert!(p.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{p:?}");
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
