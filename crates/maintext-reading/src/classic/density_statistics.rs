//! Text density by line, with a threshold estimated from the page itself.
//!
//! The lines are the same as for [`line_density`](super::line_density). Each has a text length `y` and a tag length `z` (bytes of
//! HTML less bytes of text). Both are assumed to be normal, with means `my`, `mz` and variances `vy`, `vz` over the page. An item of
//! the page drawn by length is text with probability `p` and markup with `1 - p`, so the mixture's mean length is `p my + (1 - p)
//! mz`. The estimate is
//!
//! `p = my / (my + mz)`
//!
//! with standard error `sqrt(mz^2 vy + my^2 vz - 2 my mz c) / ((my + mz)^2 sqrt(n))`, `c` the covariance (delta method), and
//! lines denser than `p` are content. On the news pages of its time `p` was 0.53; on today's it is often near 0.1.
//!
//! The two populations of lines also give the probability that a line is boilerplate: normal distributions of `ln(1 + y)` and
//! `ln(1 + z)` are fitted to the lines on either side of the threshold and refined by expectation maximisation. [`Fdr`](super::Fdr) chooses by these
//! probabilities. They rest on one page and on the assumed distributions, so they rank lines better than they are calibrated. Use a trained
//! model where the guarantee must hold.
//!
//! Source: "On extracting the main text of web pages, part 1" (guangfeng, in Chinese, 2009), which estimates `p`
//! in this way and announces control of the false discovery rate for a second part. Its formulas are images that the surviving copies lack;
//! the estimate above is derived anew from its text.
use crate::method::lines::{Lines, paragraphs};
use crate::method::{Favor, Method, View};

/// Rounds of expectation maximisation; the fit hardly moves after ten.
const ROUNDS: usize = 20;

/// Minimum variance of the logarithm of a length, so that a population of equal lines does not attract all probability.
const MIN_VARIANCE: f64 = 0.1;

/// The factor by which [`Favor`] scales the threshold.
const FAVOR_FACTOR: f32 = 1.5;

/// Text density by line, with a threshold estimated from the page itself. See the [module documentation](self).
#[derive(Clone, Debug, Default)]
pub struct DensityStatistics {
    /// A threshold that replaces the estimated one.
    pub threshold: Option<f32>,
}

/// The estimate of a page's threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Mean text length.
    pub mean_text: f64,
    /// Mean tag length.
    pub mean_tags: f64,
    /// Variance of the text length.
    pub variance_text: f64,
    /// Variance of the tag length.
    pub variance_tags: f64,
    /// The share of text.
    pub p: f64,
    /// Its standard error.
    pub error: f64,
}

/// Estimates the threshold from pairs of text length and tag length.
///
/// ```
/// use maintext_reading::classic::density_statistics::estimate;
/// // Text 10 and 30, tags 40 and 20: means 20 and 30, p = 20 / 50. Variances 100 and 100, covariance -100;
/// // error = sqrt(900 * 100 + 400 * 100 + 2 * 600 * 100) / (2500 * sqrt(2)) = 500 / 3535.5.
/// let e = estimate(&[(10.0, 40.0), (30.0, 20.0)]);
/// assert_eq!((e.mean_text, e.mean_tags, e.variance_text, e.p), (20.0, 30.0, 100.0, 0.4));
/// assert!((e.error - 0.141421).abs() < 1e-5);
/// ```
pub fn estimate(lengths: &[(f64, f64)]) -> Estimate {
    let n = lengths.len() as f64;
    if lengths.is_empty() {
        return Estimate::default();
    }
    let mean_text = lengths.iter().map(|l| l.0).sum::<f64>() / n;
    let mean_tags = lengths.iter().map(|l| l.1).sum::<f64>() / n;
    let variance_text = lengths.iter().map(|l| (l.0 - mean_text).powi(2)).sum::<f64>() / n;
    let variance_tags = lengths.iter().map(|l| (l.1 - mean_tags).powi(2)).sum::<f64>() / n;
    let covariance = lengths.iter().map(|l| (l.0 - mean_text) * (l.1 - mean_tags)).sum::<f64>() / n;
    let sum = mean_text + mean_tags;
    if sum <= 0.0 {
        return Estimate::default();
    }
    let spread = mean_tags * mean_tags * variance_text + mean_text * mean_text * variance_tags
        - 2.0 * mean_text * mean_tags * covariance;
    let error = spread.max(0.0).sqrt() / (sum * sum * n.sqrt());
    Estimate { mean_text, mean_tags, variance_text, variance_tags, p: mean_text / sum, error }
}

/// One of the two populations: its share, and the normal distributions of the two logarithms.
#[derive(Clone, Copy, Debug, Default)]
struct Population {
    share: f64,
    mean: [f64; 2],
    variance: [f64; 2],
}

impl Population {
    /// Returns the maximum-likelihood fit to weighted lines.
    fn fit(lines: &[[f64; 2]], weights: impl Iterator<Item = f64> + Clone) -> Population {
        let total: f64 = weights.clone().sum::<f64>().max(1e-9);
        let mut out = Population { share: total / lines.len().max(1) as f64, ..Population::default() };
        for j in 0..2 {
            let mean = lines.iter().zip(weights.clone()).map(|(x, w)| w * x[j]).sum::<f64>() / total;
            let spread = lines.iter().zip(weights.clone()).map(|(x, w)| w * (x[j] - mean).powi(2)).sum::<f64>();
            out.mean[j] = mean;
            out.variance[j] = (spread / total).max(MIN_VARIANCE);
        }
        out
    }

    /// Returns the logarithm of share times density, up to a constant.
    fn log_density(&self, x: &[f64; 2]) -> f64 {
        let [first, second] = [0, 1].map(|j: usize| {
            -(x[j] - self.mean[j]).powi(2) / (2.0 * self.variance[j]) - 0.5 * libm::log(self.variance[j])
        });
        libm::log(self.share.max(1e-9)) + first + second
    }
}

/// Returns the probability of each line to be content, from the page's own two populations of lines.
fn probabilities(lengths: &[(f64, f64)], threshold: f64) -> Vec<f64> {
    let lines: Vec<[f64; 2]> = lengths.iter().map(|l| [libm::log1p(l.0), libm::log1p(l.1)]).collect();
    let mut content: Vec<f64> = lengths.iter().map(|l| (l.0 > threshold * (l.0 + l.1)) as u8 as f64).collect();
    // All lines are on one side of the threshold, so there are not two populations.
    let sum: f64 = content.iter().sum();
    if sum < 1.0 || sum > lengths.len() as f64 - 1.0 {
        return content;
    }
    for _ in 0..ROUNDS {
        let text = Population::fit(&lines, content.iter().copied());
        let tags = Population::fit(&lines, content.iter().map(|p| 1.0 - p));
        for (p, x) in content.iter_mut().zip(&lines) {
            *p = 1.0 / (1.0 + libm::exp(tags.log_density(x) - text.log_density(x)));
        }
    }
    content
}

impl Method for DensityStatistics {
    fn name(&self) -> &'static str {
        "density-statistics"
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let mut lines = paragraphs(page);
        let lengths: Vec<(f64, f64)> = lines
            .lines
            .iter()
            .map(|l| {
                let text = (l.density * l.bytes as f32).round() as f64;
                (text, l.bytes as f64 - text)
            })
            .collect();
        let found = estimate(&lengths);
        let threshold = self.threshold.unwrap_or(found.p as f32);
        let probabilities = probabilities(&lengths, threshold as f64);
        for (l, p) in lines.lines.iter_mut().zip(probabilities) {
            l.score = l.density;
            l.probability = Some(p as f32);
        }
        lines.facts = vec![
            ("estimated threshold p", found.p),
            ("its standard error", found.error),
            ("mean text length", found.mean_text),
            ("mean tag length", found.mean_tags),
            ("variance of the text length", found.variance_text),
            ("variance of the tag length", found.variance_tags),
        ];
        lines.decide(favor.scaled(threshold, FAVOR_FACTOR));
        Some(lines)
    }
    fn gives_probabilities(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::Blocks;

    fn lines(html: &str) -> Lines {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        DensityStatistics::default().lines(&view, Favor::Balance).unwrap()
    }

    #[test]
    fn threshold_equals_hand_calculation() {
        let l = lines("<p><a href=/x>Go</a><p>The fox ran home.");
        // Text 2 and 17, tags 14 and 7: means 9.5 and 10.5, p = 9.5 / 20.
        assert_eq!(l.threshold, Some(0.475));
        assert_eq!(l.facts[0], ("estimated threshold p", 0.475));
        assert_eq!((l.lines[0].keep, l.lines[1].keep), (false, true));
    }

    #[test]
    fn population_fit_equals_hand_calculation() {
        // Two lines of weight 1 and one of weight 0: means 2 and 1, variances 1 and the minimum 0.1.
        let p = Population::fit(&[[1.0, 1.0], [3.0, 1.0], [9.0, 9.0]], [1.0, 1.0, 0.0].into_iter());
        assert_eq!((p.share, p.mean, p.variance), (2.0 / 3.0, [2.0, 1.0], [1.0, MIN_VARIANCE]));
        // ln(2/3) - (3 - 2)^2 / 2 - 0 - (2 - 1)^2 / 0.2 - ln(0.1) / 2
        let want = (2.0f64 / 3.0).ln() - 0.5 - 5.0 - 0.5 * 0.1f64.ln();
        assert!((p.log_density(&[3.0, 2.0]) - want).abs() < 1e-12);
    }

    #[test]
    fn long_lines_are_more_likely_content_than_menus() {
        let menu = "<li><a href=/section/page.html>Item</a></li>".repeat(12);
        let text = "<p>A sentence of the story that goes on for a while, and then some more of it.</p>".repeat(6);
        let l = lines(&format!("<ul>{menu}</ul>{text}"));
        let p = |i: usize| l.lines[i].probability.unwrap();
        assert!(p(3) < 0.1 && p(14) > 0.9, "{} {}", p(3), p(14));
    }

    #[test]
    fn pages_without_two_populations_have_finite_probabilities() {
        for html in ["", "<p>a", "<p>a<p>a<p>a", "<script>x</script>"] {
            let l = lines(html);
            assert!(l.threshold.unwrap().is_finite());
            assert!(l.lines.iter().all(|l| l.probability.unwrap().is_finite()));
        }
    }
}
