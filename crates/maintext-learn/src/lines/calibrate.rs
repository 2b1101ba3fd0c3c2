//! Converts outputs of a network to probabilities.

/// Number of bins of equal weight before merging.
const BINS: usize = 40;

/// Weight of the prior in a bin, relative to the bin's weight, so that no bin gives certainty.
const PRIOR: f64 = 0.005;

/// Fits the probability for each output: the share of content, by weight, among lines with that output, never decreasing (isotonic
/// regression by pool-adjacent-violators over bins of equal weight). Takes output, label and weight of lines not used in training.
///
/// ```
/// let lines = [(0.1, false, 1.0), (0.2, false, 1.0), (0.8, true, 1.0), (0.9, true, 1.0)];
/// let points = maintext_learn::lines::calibrate(&lines);
/// assert!(points.first().unwrap()[1] < 0.1 && points.last().unwrap()[1] > 0.9);
/// ```
pub fn calibrate(lines: &[(f32, bool, f32)]) -> Vec<[f32; 2]> {
    let mut sorted: Vec<_> = lines.iter().filter(|l| l.2 > 0.0).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = sorted.iter().map(|l| l.2 as f64).sum();
    if total == 0.0 {
        return Vec::new();
    }
    let mean = sorted.iter().filter(|l| l.1).map(|l| l.2 as f64).sum::<f64>() / total;
    // Weight, weighted content and weighted output of each bin.
    let mut bins: Vec<[f64; 3]> = Vec::new();
    let (mut bin, mut last) = ([0.0; 3], f32::NAN);
    for (output, content, weight) in sorted {
        // Equal outputs stay in one bin.
        if bin[0] >= total / BINS as f64 && *output != last {
            bins.push(std::mem::take(&mut bin));
        }
        last = *output;
        let w = *weight as f64;
        bin[0] += w;
        bin[1] += if *content { w } else { 0.0 };
        bin[2] += w * *output as f64;
    }
    bins.push(bin);
    let share = |b: &[f64; 3]| b[1] / b[0];
    let mut pooled: Vec<[f64; 3]> = Vec::new();
    for b in bins {
        pooled.push(b);
        while let [.., x, y] = pooled[..]
            && share(&x) >= share(&y)
        {
            pooled.truncate(pooled.len() - 2);
            pooled.push([x[0] + y[0], x[1] + y[1], x[2] + y[2]]);
        }
    }
    pooled.iter().map(|b| [(b[2] / b[0]) as f32, ((share(b) + PRIOR * mean) / (1.0 + PRIOR)) as f32]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decreasing_bins_are_pooled() {
        // Outputs 0.2 and 0.4 with shares 0.5 and 0.25 fall: together 3 of 8 at mean output 0.3.
        let mut lines = Vec::new();
        for (output, content, boilerplate) in [(0.2, 2, 2), (0.4, 1, 3), (0.9, 4, 0)] {
            lines.extend((0..content).map(|_| (output, true, 1.0)));
            lines.extend((0..boilerplate).map(|_| (output, false, 1.0)));
        }
        let points = calibrate(&lines);
        assert_eq!(points.len(), 2);
        assert!((points[0][0] - 0.3).abs() < 1e-6 && (points[0][1] - 0.375).abs() < 0.01, "{points:?}");
        assert!((points[1][0] - 0.9).abs() < 1e-6 && (points[1][1] - 1.0).abs() < 0.01);
    }

    #[test]
    fn no_lines_give_no_points() {
        assert!(calibrate(&[]).is_empty());
        assert!(calibrate(&[(0.5, true, 0.0)]).is_empty());
    }
}
