//! A linear model: one score per class over the standardised logarithms of columns.

/// Maximum distance from the mean, in standard deviations.
const MAX_DEVIATIONS: f32 = 4.0;

/// Means and scales of columns, and the weights of each class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// For each column, the mean of its logarithms and the reciprocal of their standard deviation.
    scale: Vec<[f32; 2]>,
    /// For each class, the weights of the columns and a constant.
    pub weights: Vec<f32>,
}

/// Returns a logarithm that keeps the sign; counts differ by orders of magnitude.
fn log(x: f32) -> f32 {
    x.signum() * maintext_page::num::ln_1p(x.abs())
}

impl Linear {
    /// Computes means and scales from weighted rows; all class weights are 0.
    pub fn standard(rows: &[&[f32]], weights: &[f32], classes: usize) -> Linear {
        let width = rows.first().map_or(0, |r| r.len());
        let total: f64 = weights.iter().map(|w| f64::from(*w)).sum::<f64>().max(1e-9);
        let mean = |f: &dyn Fn(&[f32]) -> f64| -> f64 {
            rows.iter().zip(weights).map(|(r, w)| f64::from(*w) * f(r)).sum::<f64>() / total
        };
        Linear {
            scale: (0..width)
                .map(|c| {
                    let m = mean(&|r| f64::from(log(r[c])));
                    let variance = mean(&|r| (f64::from(log(r[c])) - m).powi(2));
                    [m as f32, if variance < 1e-8 { 0.0 } else { (1.0 / variance.sqrt()) as f32 }]
                })
                .collect(),
            weights: vec![0.0; (width + 1) * classes],
        }
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.scale.len()
    }

    /// Returns the standardised columns of a page.
    pub fn inputs(&self, values: &[f32]) -> Vec<f32> {
        values
            .iter()
            .zip(&self.scale)
            .map(|(x, [mean, scale])| ((log(*x) - mean) * scale).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS))
            .collect()
    }

    /// Returns the score of each class.
    pub fn scores(&self, values: &[f32]) -> Vec<f32> {
        let x = self.inputs(values);
        self.weights
            .chunks(self.width() + 1)
            .map(|w| x.iter().zip(w).map(|(x, w)| x * w).sum::<f32>() + w.last().copied().unwrap_or(0.0))
            .collect()
    }

    /// Adds a constant to the score of each class.
    pub fn add(&mut self, to: &[f32]) {
        let width = self.width() + 1;
        self.weights.chunks_mut(width).zip(to).for_each(|(w, t)| w[width - 1] += t);
    }

    /// Returns the parameters as numbers of a model file.
    pub fn to_numbers(&self) -> Vec<f32> {
        self.scale.iter().flatten().chain(&self.weights).copied().collect()
    }

    /// Reads the numbers of a model file; `None` if their count does not fit the columns and classes.
    pub fn from_numbers(numbers: &[f32], columns: usize, classes: usize) -> Option<Linear> {
        let (scale, weights) = numbers.split_at_checked(2 * columns)?;
        (weights.len() == (columns + 1) * classes)
            .then(|| Linear { scale: scale.chunks(2).map(|s| [s[0], s[1]]).collect(), weights: weights.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_standardised_and_weighted() {
        let e = std::f32::consts::E;
        // Logarithms 0 and 2: mean 1, deviation 1. The second column is constant, and the last row has no weight.
        let rows: [&[f32]; 3] = [&[0.0, 5.0], &[e * e - 1.0, 5.0], &[1e6, 7.0]];
        let mut model = Linear::standard(&rows, &[1.0, 1.0, 0.0], 2);
        let near = |a: &[f32], b: [f32; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near(&model.inputs(rows[0]), [-1.0, 0.0]) && near(&model.inputs(rows[1]), [1.0, 0.0]));
        assert!(near(&model.inputs(rows[2]), [MAX_DEVIATIONS, 0.0]));
        model.weights = vec![2.0, 9.0, 0.5, -1.0, 9.0, 0.0];
        model.add(&[1.0, 0.0]);
        assert!(near(&model.scores(rows[1]), [3.5, -1.0]));
        let numbers = model.to_numbers();
        assert_eq!(Linear::from_numbers(&numbers, 2, 2), Some(model));
        assert_eq!(Linear::from_numbers(&numbers[1..], 2, 2), None);
        assert_eq!(Linear::from_numbers(&[], 2, 2), None);
    }
}
