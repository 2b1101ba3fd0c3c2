//! From block probabilities to the set of blocks with the best expected F1.
use super::forest::sigmoid;
use super::repair::repair;
use crate::blocks::Blocks;

/// By how much the log-odds are lowered before the choice: what is doubtful on a page is doubtful together (all comments are content,
/// or none), so that a block is worth a little less than its probability says. Read off the cross-validated figures.
const SHIFT: f32 = -0.5;

/// The blocks to keep, by their log-odds: those of the largest expected F1, with what belongs to them.
pub fn content(blocks: &Blocks, scores: &[f32], words: &[u32]) -> Vec<bool> {
    let shifted: Vec<f32> = scores.iter().map(|s| sigmoid(s + SHIFT)).collect();
    let mut keep = choose(&shifted, words, 1.0);
    let p: Vec<f32> = scores.iter().map(|s| sigmoid(*s)).collect();
    repair(blocks, &p, &mut keep);
    keep
}

/// Chooses the blocks that maximise the expected F-score of the page's words.
///
/// The blocks are sorted by probability, and the prefix is taken with the largest
/// `(1 + b²) · Σ p·n / (n_taken + b² · Σ_all p·n)`, with `n` the words of a block and `b` = `beta`: 1 weighs precision and recall
/// alike, less favours precision, more favours recall.
/// After Jansche, *A maximum expected utility framework for binary sequence labeling* (2007), words taken as independent.
pub fn choose(probabilities: &[f32], words: &[u32], beta: f32) -> Vec<bool> {
    let n = probabilities.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]).then(a.cmp(&b)));
    let weight = |i: usize| words[i].max(1) as f64;
    let b2 = (beta * beta) as f64;
    let expected: f64 = (0..n).map(|i| probabilities[i] as f64 * weight(i)).sum();
    let (mut taken, mut hits) = (0.0, 0.0);
    let (mut best, mut count) = (0.0, 0);
    for (k, &i) in order.iter().enumerate() {
        taken += weight(i);
        hits += probabilities[i] as f64 * weight(i);
        let f = (1.0 + b2) * hits / (taken + b2 * expected).max(1e-9);
        if f > best {
            (best, count) = (f, k + 1);
        }
    }
    let mut keep = vec![false; n];
    for &i in &order[..count] {
        keep[i] = true;
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_doubtful_block_is_left_out_and_a_likelier_one_kept() {
        // Certain: 100 words. Doubtful at 0.4: 2*140/(200+140) = 0.824 against 2*100/(100+140) = 0.833.
        let c = choose(&[1.0, 0.4], &[100, 100], 1.0);
        assert_eq!(c, [true, false]);
        // At 0.45 it pays: 2*145/(200+145) = 0.841 against 2*100/(100+145) = 0.816.
        assert_eq!(choose(&[1.0, 0.45], &[100, 100], 1.0), [true, true]);
        assert_eq!(choose(&[1.0, 0.45], &[100, 100], 0.5), [true, false]);
    }

    #[test]
    fn a_page_without_blocks() {
        assert!(choose(&[], &[], 1.0).is_empty());
        assert_eq!(choose(&[0.1], &[5], 1.0), [true]);
    }
}
