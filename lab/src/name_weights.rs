//! Fits weights of names by class, with logistic regressions over the names of a sample.
use maintext_core::features::tokens::Table;
use maintext_core::model::forest::sigmoid;
use maintext_learn::gbdt::Random;
use rayon::prelude::*;
use std::collections::HashMap;

/// A sample: hashes of its names (sorted, without duplicates), its class, and its weight.
pub(crate) struct Named<'a> {
    pub names: &'a [u32],
    pub class: usize,
    pub weight: f32,
}

/// Settings of the regressions.
pub(crate) struct Settings {
    /// Minimum weight of the samples that must use a name for it to get a weight.
    pub min_samples: f32,
    /// Weights closer to zero are dropped.
    pub min_weight: f32,
    /// L2 penalty on the weights.
    pub penalty: f32,
}

/// Number of passes over the samples.
const EPOCHS: usize = 40;
/// Initial step size of gradient descent; AdaGrad reduces it for frequent names.
const STEP: f32 = 0.3;

/// Fits one table per class: a logistic regression against the other classes. The value of each name is one over the root of the number
/// of names. Uses the gradient descent steps of Duchi, Hazan and Singer, *Adaptive subgradient methods* (2011).
pub(crate) fn fit(samples: &[Named<'_>], classes: usize, settings: &Settings) -> Vec<Table<f32>> {
    let mut used: HashMap<u32, f32> = HashMap::new();
    for s in samples {
        s.names.iter().for_each(|t| *used.entry(*t).or_default() += s.weight);
    }
    let mut known: Vec<u32> = used.into_iter().filter(|(_, n)| *n >= settings.min_samples).map(|(t, _)| t).collect();
    known.sort_unstable();
    let rows: Vec<Vec<usize>> =
        samples.iter().map(|s| s.names.iter().filter_map(|t| known.binary_search(t).ok()).collect()).collect();
    let one = |class: usize| {
        let (mut w, mut squares, mut bias) = (vec![0.0f32; known.len()], vec![1e-3f32; known.len()], -2.0f32);
        let mut random = Random(class as u64 + 1);
        let mut order: Vec<usize> = (0..samples.len()).collect();
        for _ in 0..EPOCHS {
            for i in (1..order.len()).rev() {
                order.swap(i, (random.unit() * (i + 1) as f64) as usize);
            }
            for &i in &order {
                let x = 1.0 / (rows[i].len().max(1) as f32).sqrt();
                let score = bias + x * rows[i].iter().map(|&t| w[t]).sum::<f32>();
                let g = samples[i].weight * (sigmoid(score) - (samples[i].class == class) as u8 as f32);
                bias -= 0.02 * g;
                for &t in &rows[i] {
                    let d = g * x + settings.penalty * w[t];
                    squares[t] += d * d;
                    w[t] -= STEP * d / squares[t].sqrt();
                }
            }
        }
        Table(known.iter().copied().zip(w).filter(|(_, w)| w.abs() >= settings.min_weight).collect())
    };
    (0..classes).into_par_iter().map(one).collect()
}
