//! Trains the published classifier of list and detail pages: support vector machine, grid search, classification report.
//!
//! The solver is sequential minimal optimisation with the working sets of Fan, Chen and Lin, *Working set selection using second order
//! information for training support vector machines* (2005). Probabilities are Platt's, fitted as in Lin, Lin and Weng, *A note on
//! Platt's probabilistic outputs for support vector machines* (2007). Both are deterministic.
use crate::Error;
use crate::learned::{FOLDS, fold_of};
use maintext_core::blocks::Blocks;
use maintext_core::method::View;
use maintext_core::page_type::features::{FEATURES, features};
use maintext_core::page_type::svm::{Kernel, Svm};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Largest remaining violation of the optimality conditions, as in LIBSVM.
const TOLERANCE: f64 = 1e-3;
/// Smallest curvature of a step.
const TAU: f64 = 1e-12;
/// Limit on the solver's steps per page. A point that needs more is not chosen.
const STEPS_PER_PAGE: usize = 200;

/// A page of known type.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Whether it is a list: a listing or a collection.
    pub list: bool,
    /// The part of the data that contains its site.
    pub fold: usize,
    /// Its features.
    pub values: [f64; FEATURES.len()],
}

/// Reads the pages of known type in some sets.
///
/// # Errors
/// A set cannot be read.
pub fn samples(sets: &[PathBuf]) -> Result<Vec<Sample>, Error> {
    let mut out = Vec::new();
    for set in sets {
        let pages = crate::data::read(set)?;
        out.extend(
            pages
                .par_iter()
                .filter_map(|p| {
                    let list = matches!(p.page_type.as_deref()?, "listing" | "collection");
                    let text = p.decoded();
                    let dom = maintext_core::dom::parse(&text, &Default::default());
                    let blocks = Blocks::new(&dom);
                    let view = View { source: &text, dom: &dom, blocks: &blocks, url: p.url.as_deref() };
                    Some(Sample { list, fold: fold_of(&p.site), values: features(&view) })
                })
                .collect::<Vec<_>>(),
        );
    }
    Ok(out)
}

/// A point of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The kernel that compares pages.
    pub kernel: Kernel,
    /// The penalty for pages on the wrong side.
    pub c: f32,
}

impl Point {
    /// Returns a readable name: `rbf C=2.38 gamma=0.0526`.
    pub fn name(&self) -> String {
        match self.kernel {
            Kernel::Linear => format!("linear C={:.3}", self.c),
            Kernel::Rbf { gamma } => format!("rbf C={:.3} gamma={gamma:.4}", self.c),
        }
    }
}

/// Returns the published grid: C with five powers of 2 from -5 to 20, gamma with five from -9 to 10, radial and linear kernels.
pub fn published_grid() -> Vec<Point> {
    let powers = |from: f64, to: f64| (0..5).map(move |i| ((to - from) * f64::from(i) / 4.0 + from).exp2() as f32);
    let rbf = powers(-5.0, 20.0)
        .flat_map(|c| powers(-9.0, 10.0).map(move |gamma| Point { kernel: Kernel::Rbf { gamma }, c }));
    rbf.chain(powers(-5.0, 20.0).map(|c| Point { kernel: Kernel::Linear, c })).collect()
}

/// A point with the results of cross-validation.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The point.
    pub point: Point,
    /// Share of correct predictions on held-out sites.
    pub accuracy: f64,
    /// Number of fits that reached the step limit before the conditions of an optimum were met.
    pub stopped: usize,
    /// Decisions on held-out sites, in the order of the samples.
    decisions: Vec<f64>,
}

/// The result of training.
pub struct Trained {
    /// The machine trained on all pages.
    pub svm: Svm,
    /// The points tried, in the order of the grid.
    pub tried: Vec<Tried>,
    /// Index of the best point: the first of the most accurate ones whose fits all met the conditions of an optimum; the first of all points if none did.
    pub best: usize,
    /// Predictions on the last fifth of the sites by a machine trained without them: `[truth][prediction]`, detail first.
    pub test: [[usize; 2]; 2],
}

/// Searches the grid on four fifths of the sites by cross-validation, tests the best point on the last fifth, and trains it on all.
/// `progress` receives the number of points done.
///
/// # Errors
/// There are too few pages of either kind.
pub fn train(samples: &[Sample], grid: &[Point], progress: &(dyn Fn(usize) + Sync)) -> Result<Trained, Error> {
    let test_fold = FOLDS - 1;
    let (test, known): (Vec<Sample>, Vec<Sample>) = samples.iter().cloned().partition(|s| s.fold == test_fold);
    for (part, name) in [(&known, "to learn from"), (&test, "to test on")] {
        let lists = part.iter().filter(|s| s.list).count();
        if lists < 2 || part.len() - lists < 2 {
            let n = part.len();
            return Err(Error::other(format!("{n} pages {name}, {lists} of them lists: too few; give more data")));
        }
    }
    let done = AtomicUsize::new(0);
    let tried: Vec<Tried> = grid
        .par_iter()
        .map(|p| {
            let tried = cross_validate(&known, *p);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            tried
        })
        .collect();
    let worth = |i: usize| (tried[i].stopped == 0, tried[i].accuracy);
    let best = (0..tried.len()).fold(0, |b, i| if worth(i) > worth(b) { i } else { b });
    let point = grid.get(best).copied().ok_or_else(|| Error::other("an empty grid"))?;
    let labels: Vec<bool> = known.iter().map(|s| s.list).collect();
    let sigmoid = platt(&tried[best].decisions, &labels);
    let fitted = fit(&known, point).0;
    let mut matrix = [[0; 2]; 2];
    for s in &test {
        let answer = fitted.decision(&fitted.standardized(&s.values)) > 0.0;
        matrix[usize::from(s.list)][usize::from(answer)] += 1;
    }
    let (mut svm, _) = fit(samples, point);
    svm.sigmoid = sigmoid.map(|x| x as f32);
    let lists = samples.iter().filter(|s| s.list).count();
    svm.about = format!("{} list pages and {} others; {}", lists, samples.len() - lists, point.name());
    Ok(Trained { svm, tried, best, test: matrix })
}

/// Measures the share of correct predictions on sites that a machine has not seen.
fn cross_validate(samples: &[Sample], point: Point) -> Tried {
    let mut decisions = vec![0.0; samples.len()];
    let mut folds: Vec<usize> = samples.iter().map(|s| s.fold).collect();
    folds.sort_unstable();
    folds.dedup();
    let mut stopped = 0;
    for held_out in folds {
        let rest: Vec<Sample> = samples.iter().filter(|s| s.fold != held_out).cloned().collect();
        let (svm, met) = fit(&rest, point);
        stopped += usize::from(!met);
        for (i, s) in samples.iter().enumerate().filter(|(_, s)| s.fold == held_out) {
            decisions[i] = svm.decision(&svm.standardized(&s.values));
        }
    }
    let right = samples.iter().zip(&decisions).filter(|(s, d)| s.list == (**d > 0.0)).count();
    Tried { point, accuracy: right as f64 / samples.len().max(1) as f64, stopped, decisions }
}

/// Trains a machine on all samples, which also standardise its features. Returns whether it meets the conditions of an optimum.
fn fit(samples: &[Sample], point: Point) -> (Svm, bool) {
    let n = samples.len().max(1) as f64;
    let scale: Vec<[f32; 2]> = (0..FEATURES.len())
        .map(|k| {
            let mean = samples.iter().map(|s| s.values[k]).sum::<f64>() / n;
            let sd = (samples.iter().map(|s| (s.values[k] - mean).powi(2)).sum::<f64>() / n).sqrt();
            // A constant feature carries no information; avoids dividing by zero.
            [mean as f32, if sd > 1e-9 { sd as f32 } else { 1.0 }]
        })
        .collect();
    let empty = Svm::new(scale.clone(), point.kernel, point.c, Vec::new(), Vec::new(), 0.0);
    let rows: Vec<Vec<f32>> = samples.iter().map(|s| empty.standardized(&s.values)).collect();
    let labels: Vec<f64> = samples.iter().map(|s| if s.list { 1.0 } else { -1.0 }).collect();
    let Solution { alpha, bias, met } = solve(&rows, &labels, point);
    let kept: Vec<usize> = (0..rows.len()).filter(|&i| alpha[i] > 1e-9).collect();
    let weights = kept.iter().map(|&i| (alpha[i] * labels[i]) as f32).collect();
    let vectors = kept.iter().map(|&i| rows[i].clone()).collect();
    (Svm::new(scale, point.kernel, point.c, vectors, weights, bias as f32), met)
}

/// The result of the solver.
struct Solution {
    alpha: Vec<f64>,
    bias: f64,
    /// Whether the conditions of an optimum are met; otherwise the solver reached its step limit.
    met: bool,
}

/// Minimises `½ aᵀQa − Σa` under `0 ≤ a ≤ C`, `yᵀa = 0`, with `Q = yᵢyⱼK(xᵢ, xⱼ)`.
fn solve(rows: &[Vec<f32>], y: &[f64], point: Point) -> Solution {
    let (n, c) = (rows.len(), f64::from(point.c));
    let kernel: Vec<Vec<f64>> = rows.iter().map(|a| rows.iter().map(|b| point.kernel.of(a, b)).collect()).collect();
    let mut alpha = vec![0.0f64; n];
    let mut gradient = vec![-1.0f64; n];
    let mut met = false;
    for _ in 0..n * STEPS_PER_PAGE {
        let Some((i, j)) = working_set(&kernel, y, &alpha, &gradient, c) else {
            met = true;
            break;
        };
        let (old_i, old_j) = (alpha[i], alpha[j]);
        let curvature = (kernel[i][i] + kernel[j][j] - 2.0 * kernel[i][j]).max(TAU);
        // Moves along the line that keeps yᵀa constant, clipped to the box.
        let step = (-y[i] * gradient[i] + y[j] * gradient[j]) / curvature;
        let room_i = if y[i] > 0.0 { c - old_i } else { old_i };
        let room_j = if y[j] > 0.0 { old_j } else { c - old_j };
        let step = step.min(room_i).min(room_j);
        alpha[i] = (old_i + y[i] * step).clamp(0.0, c);
        alpha[j] = (old_j - y[j] * step).clamp(0.0, c);
        let (di, dj) = (y[i] * (alpha[i] - old_i), y[j] * (alpha[j] - old_j));
        for t in 0..n {
            gradient[t] += y[t] * (kernel[i][t] * di + kernel[j][t] * dj);
        }
    }
    let bias = bias(y, &alpha, &gradient, c);
    Solution { alpha, bias, met }
}

/// Returns the pair whose change gains most, or `None` if no pair violates the conditions.
fn working_set(kernel: &[Vec<f64>], y: &[f64], alpha: &[f64], gradient: &[f64], c: f64) -> Option<(usize, usize)> {
    let value = |t: usize| -y[t] * gradient[t];
    let i = (0..y.len())
        .filter(|&t| if y[t] > 0.0 { alpha[t] < c } else { alpha[t] > 0.0 })
        .reduce(|a, b| if value(b) > value(a) { b } else { a })?;
    let (mut best, mut least, mut lowest) = (None, 0.0, f64::INFINITY);
    for t in (0..y.len()).filter(|&t| if y[t] > 0.0 { alpha[t] > 0.0 } else { alpha[t] < c }) {
        lowest = lowest.min(value(t));
        let gap = value(i) - value(t);
        if gap > 0.0 {
            let curvature = (kernel[i][i] + kernel[t][t] - 2.0 * kernel[i][t]).max(TAU);
            let gain = -gap * gap / curvature;
            if gain < least {
                (best, least) = (Some(t), gain);
            }
        }
    }
    if value(i) - lowest < TOLERANCE {
        return None;
    }
    Some((i, best?))
}

/// Returns the mean over free vectors, or the middle of the range that the bound ones allow.
fn bias(y: &[f64], alpha: &[f64], gradient: &[f64], c: f64) -> f64 {
    let (mut free, mut sum, mut lower, mut upper) = (0.0, 0.0, f64::NEG_INFINITY, f64::INFINITY);
    for t in 0..y.len() {
        let v = -y[t] * gradient[t];
        if alpha[t] > 0.0 && alpha[t] < c {
            free += 1.0;
            sum += v;
        } else if (y[t] > 0.0) == (alpha[t] == 0.0) {
            lower = lower.max(v);
        } else {
            upper = upper.min(v);
        }
    }
    if free > 0.0 { sum / free } else { (lower + upper) / 2.0 }
}

/// Fits `a` and `b` of `1 / (1 + exp(a d + b))` by Newton's method with backtracking.
fn platt(decisions: &[f64], labels: &[bool]) -> [f64; 2] {
    let positive = labels.iter().filter(|l| **l).count() as f64;
    let negative = labels.len() as f64 - positive;
    let target = |l: bool| if l { (positive + 1.0) / (positive + 2.0) } else { 1.0 / (negative + 2.0) };
    let loss = |a: f64, b: f64| -> f64 {
        decisions.iter().zip(labels).fold(0.0, |sum, (d, l)| {
            let f = a * d + b;
            let t = target(*l);
            sum + if f >= 0.0 { t * f + (-f).exp().ln_1p() } else { (t - 1.0) * f + f.exp().ln_1p() }
        })
    };
    let (mut a, mut b) = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
    let mut value = loss(a, b);
    for _ in 0..100 {
        let (mut h11, mut h22, mut h21, mut g1, mut g2) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
        for (d, l) in decisions.iter().zip(labels) {
            let p = 1.0 / (1.0 + (a * d + b).exp());
            let (w, e) = (p * (1.0 - p), target(*l) - p);
            h11 += d * d * w;
            h22 += w;
            h21 += d * w;
            g1 += d * e;
            g2 += e;
        }
        if f64::abs(g1) < 1e-5 && f64::abs(g2) < 1e-5 {
            break;
        }
        let det = h11 * h22 - h21 * h21;
        let (da, db) = (-(h22 * g1 - h21 * g2) / det, -(h11 * g2 - h21 * g1) / det);
        let slope = g1 * da + g2 * db;
        let mut step = 1.0;
        while step >= 1e-10 {
            let new = loss(a + step * da, b + step * db);
            if new < value + 1e-4 * step * slope {
                (a, b, value) = (a + step * da, b + step * db, new);
                break;
            }
            step /= 2.0;
        }
        if step < 1e-10 {
            break;
        }
    }
    [a, b]
}

impl Trained {
    /// Formats the grid and the classification report as text.
    pub fn report(&self) -> String {
        let mut out = String::from("Grid search, accuracy on held-out sites:\n");
        for (i, t) in self.tried.iter().enumerate() {
            let mark = if i == self.best { "  <- chosen" } else { "" };
            let stopped = if t.stopped > 0 { "  (reached the step limit)" } else { "" };
            let _ = writeln!(out, "  {:32} {:.4}{stopped}{mark}", t.point.name(), t.accuracy);
        }
        let [[dd, dl], [ld, ll]] = self.test;
        let _ = writeln!(out, "\nA fifth of the sites, not seen in training or search:\n");
        let _ = writeln!(out, "{:>8} {:>10} {:>8} {:>8} {:>8}", "", "precision", "recall", "F1", "pages");
        for (name, right, found, named) in [("detail", dd, dd + ld, dd + dl), ("list", ll, dl + ll, ld + ll)] {
            let (p, r) = (right as f64 / found.max(1) as f64, right as f64 / named.max(1) as f64);
            let f = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
            let _ = writeln!(out, "{name:>8} {p:>10.3} {r:>8.3} {f:>8.3} {named:>8}");
        }
        let all = (dd + dl + ld + ll).max(1);
        let _ = writeln!(
            out,
            "\naccuracy {:.4}, {} support vectors",
            (dd + ll) as f64 / all as f64,
            self.svm.weights.len()
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(x: f64, y: f64, list: bool, fold: usize) -> Sample {
        let mut values = [0.0; FEATURES.len()];
        (values[0], values[1]) = (x, y);
        Sample { list, fold, values }
    }

    #[test]
    fn two_points_give_the_border_computed_by_hand() {
        let rows = vec![vec![1.0f32, 0.0], vec![-1.0, 0.0]];
        let point = Point { kernel: Kernel::Linear, c: 10.0 };
        let Solution { alpha, bias, met } = solve(&rows, &[1.0, -1.0], point);
        assert!(met);
        // w = 1: the margin is 1 on either side, so both have weight 1/2.
        assert!(
            (alpha[0] - 0.5).abs() < 1e-6 && (alpha[1] - 0.5).abs() < 1e-6 && bias.abs() < 1e-6,
            "{alpha:?} {bias}"
        );
        // With a smaller limit, both are at the limit.
        let alpha = solve(&rows, &[1.0, -1.0], Point { c: 0.25, ..point }).alpha;
        assert_eq!(alpha, [0.25, 0.25]);
    }

    #[test]
    fn the_solution_meets_the_conditions() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f32 / (1u64 << 31) as f32 * 2.0 - 1.0
        };
        let rows: Vec<Vec<f32>> = (0..120).map(|_| vec![random(), random(), random()]).collect();
        let y: Vec<f64> = rows.iter().map(|r| if r[0] * r[1] + 0.3 * random() > 0.0 { 1.0 } else { -1.0 }).collect();
        let point = Point { kernel: Kernel::Rbf { gamma: 0.7 }, c: 4.0 };
        let Solution { alpha, bias, .. } = solve(&rows, &y, point);
        assert!(alpha.iter().zip(&y).map(|(a, y)| a * y).sum::<f64>().abs() < 1e-9);
        for (i, row) in rows.iter().enumerate() {
            let sum: f64 = rows.iter().zip(&alpha).zip(&y).map(|((r, a), y)| a * y * point.kernel.of(r, row)).sum();
            let margin = y[i] * (sum + bias);
            let fits = match alpha[i] {
                a if a <= 0.0 => margin >= 1.0 - 0.01,
                a if a >= f64::from(point.c) => margin <= 1.0 + 0.01,
                _ => (margin - 1.0).abs() < 0.01,
            };
            assert!(fits, "page {i}: weight {}, margin {margin}", alpha[i]);
        }
    }

    #[test]
    fn rings_need_a_radial_kernel() {
        let ring = |radius: f64, list: bool| {
            (0..60).map(move |i| {
                let angle = f64::from(i) * 0.7;
                sample(radius * angle.cos(), radius * angle.sin(), list, i as usize % FOLDS)
            })
        };
        let samples: Vec<Sample> = ring(1.0, true).chain(ring(3.0, false)).collect();
        let rbf = Point { kernel: Kernel::Rbf { gamma: 1.0 }, c: 10.0 };
        let grid = [Point { kernel: Kernel::Linear, c: 1.0 }, rbf];
        let trained = train(&samples, &grid, &|_| ()).unwrap();
        assert_eq!(grid[trained.best], rbf);
        assert!(trained.tried[0].accuracy < 0.7 && trained.tried[1].accuracy > 0.99);
        assert!(trained.report().contains("accuracy 1.0000"), "{}", trained.report());
        // The sigmoid gives lists the higher probability.
        assert!(trained.svm.sigmoid[0] < 0.0);
        let again = train(&samples, &grid, &|_| ()).unwrap();
        assert_eq!(again.svm.to_json(), trained.svm.to_json());
    }

    #[test]
    fn a_point_without_an_optimum_is_not_chosen() {
        // Overlapping classes with a very large limit on weights: the search for the border takes very long.
        let mut random = maintext_learn::gbdt::Random(3);
        let mut value = |shift: f64| random.unit() * 1000.0 + shift;
        let samples: Vec<Sample> = (0..120)
            .map(|i| sample(value(if i % 2 == 0 { 0.0 } else { 300.0 }), value(0.0), i % 2 == 0, i % FOLDS))
            .collect();
        let hard = Point { kernel: Kernel::Linear, c: 1e9 };
        let easy = Point { kernel: Kernel::Linear, c: 1.0 };
        let trained = train(&samples, &[hard, easy], &|_| ()).unwrap();
        assert!(trained.tried[0].stopped > 0, "{}", trained.report());
        assert_eq!((trained.tried[1].stopped, trained.best), (0, 1));
        assert!(trained.report().contains("(reached the step limit)"));
    }

    #[test]
    fn too_few_pages_are_an_error() {
        let samples = [sample(0.0, 0.0, true, 0), sample(1.0, 0.0, false, 1)];
        assert!(train(&samples, &published_grid(), &|_| ()).err().unwrap().to_string().contains("too few"));
        assert_eq!(published_grid().len(), 30);
    }
}
