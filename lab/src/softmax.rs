//! Softmax regression over a few columns: one linear score per class.
use maintext_core::page_type::Linear;
use maintext_learn::gbdt::softmax;
use rayon::prelude::*;

/// Number of steps, step size, and momentum.
const STEPS: usize = 300;
const RATE: f32 = 0.5;
const MOMENTUM: f32 = 0.9;

/// Fits weights of standardised columns by the weighted mean log-loss with an L2 penalty, by gradient descent with Nesterov's momentum.
/// Rows without weight are ignored.
pub fn fit(rows: &[&[f32]], classes: &[usize], weights: &[f32], count: usize, penalty: f32) -> Linear {
    let mut model = Linear::standard(rows, weights, count);
    let x: Vec<Vec<f32>> = rows.par_iter().map(|r| model.inputs(r)).collect();
    let width = model.width() + 1;
    let total: f32 = weights.iter().sum::<f32>().max(1e-6);
    let mut w = vec![0.0f32; width * count];
    let mut velocity = vec![0.0f32; w.len()];
    for _ in 0..STEPS {
        let ahead: Vec<f32> = w.iter().zip(&velocity).map(|(w, v)| w + MOMENTUM * v).collect();
        // Summed in a fixed order, so that the same rows give the same weights.
        let parts: Vec<Vec<f32>> = (0..x.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|c| gradient(&x, classes, weights, &ahead, count, c * CHUNK..((c + 1) * CHUNK).min(x.len())))
            .collect();
        let mut g: Vec<f32> = vec![0.0; w.len()];
        parts.iter().for_each(|p| g.iter_mut().zip(p).for_each(|(g, p)| *g += p / total));
        for (i, g) in g.iter().enumerate() {
            let shrink = if i % width + 1 == width { 0.0 } else { penalty * ahead[i] };
            velocity[i] = MOMENTUM * velocity[i] - RATE * (g + shrink);
            w[i] += velocity[i];
        }
    }
    model.weights = w;
    model
}

/// Number of rows whose gradients are summed together.
const CHUNK: usize = 512;

fn gradient(
    x: &[Vec<f32>],
    classes: &[usize],
    weights: &[f32],
    w: &[f32],
    count: usize,
    rows: std::ops::Range<usize>,
) -> Vec<f32> {
    let width = w.len() / count;
    let mut g = vec![0.0f32; w.len()];
    for i in rows.filter(|&i| weights[i] > 0.0) {
        let p = softmax(
            (0..count)
                .map(|k| {
                    let w = &w[k * width..(k + 1) * width];
                    x[i].iter().zip(w).map(|(x, w)| x * w).sum::<f32>() + w[width - 1]
                })
                .collect(),
        );
        for (k, p) in p.into_iter().enumerate() {
            let d = weights[i] * (p - f32::from(u8::from(classes[i] == k)));
            let g = &mut g[k * width..(k + 1) * width];
            g.iter_mut().zip(&x[i]).for_each(|(g, x)| *g += d * x);
            g[width - 1] += d;
        }
    }
    g
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_classes_are_separated_by_two_columns() {
        let rows: Vec<[f32; 2]> = (0..90).map(|i| [(i % 3) as f32, if i % 3 == 1 { 5.0 } else { 0.0 }]).collect();
        let rows: Vec<&[f32]> = rows.iter().map(|r| &r[..]).collect();
        let classes: Vec<usize> = (0..90).map(|i| i % 3).collect();
        let model = fit(&rows, &classes, &[1.0; 90], 3, 1e-3);
        for (row, class) in rows.iter().zip(&classes) {
            let scores = model.scores(row);
            let best = (0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
            assert_eq!(best, *class, "{row:?} {scores:?}");
        }
    }
}
