//! Gradient descent for small feed-forward networks, deterministic for a given seed.
use crate::gbdt::Random;
use maintext_core::classic::model::{Layer, Network};

/// Rows of inputs with labels and weights.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// Number of inputs in a row.
    pub width: usize,
    /// The rows, one after another.
    pub inputs: Vec<f32>,
    /// 1 for content, 0 for boilerplate.
    pub labels: Vec<f32>,
    /// Weight of each row.
    pub weights: Vec<f32>,
}

impl Matrix {
    fn row(&self, i: usize) -> &[f32] {
        &self.inputs[i * self.width..(i + 1) * self.width]
    }
}

/// Settings of the gradient descent.
#[derive(Clone, Debug)]
pub struct Training {
    /// Largest number of passes over the rows.
    pub epochs: usize,
    /// Number of passes without a better validation loss after which training stops.
    pub patience: usize,
    /// Number of rows in a step.
    pub batch: usize,
    /// Step size in the first epoch (Adam's alpha); in epoch `e` it is divided by the square root of `e`.
    pub rate: f64,
}

impl Default for Training {
    fn default() -> Self {
        Training { epochs: 80, patience: 10, batch: 256, rate: 0.005 }
    }
}

/// A trained network.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The network of the best epoch.
    pub network: Network,
    /// Its loss on the validation rows.
    pub validation: f64,
    /// Number of epochs run.
    pub epochs: usize,
}

/// A network in double precision: all weights in one vector, by layer, each unit's weights followed by its bias.
struct Net {
    /// Number of units per layer, from the inputs to the single output.
    sizes: Vec<usize>,
    weights: Vec<f64>,
}

/// Values of all units for one row, and the derivatives of the loss.
struct Workspace {
    values: Vec<Vec<f64>>,
    deltas: Vec<Vec<f64>>,
}

impl Net {
    /// Creates a network with weights drawn uniformly from `-r..r`, `r = sqrt(6 / (inputs + outputs))` (Glorot and Bengio 2010), and biases 0.
    fn new(sizes: Vec<usize>, random: &mut Random) -> Net {
        let mut weights = Vec::new();
        for pair in sizes.windows(2) {
            let range = (6.0 / (pair[0] + pair[1]) as f64).sqrt();
            for _ in 0..pair[1] {
                weights.extend((0..pair[0]).map(|_| range * (2.0 * random.unit() - 1.0)));
                weights.push(0.0);
            }
        }
        Net { sizes, weights }
    }

    fn workspace(&self) -> Workspace {
        let zeros = || self.sizes.iter().map(|&n| vec![0.0; n]).collect();
        Workspace { values: zeros(), deltas: zeros() }
    }

    /// Returns the output for a row: the argument of the logistic function.
    fn forward(&self, row: &[f32], w: &mut Workspace) -> f64 {
        w.values[0].iter_mut().zip(row).for_each(|(v, x)| *v = *x as f64);
        let last = self.sizes.len() - 1;
        let mut at = 0;
        for l in 1..=last {
            let (before, after) = w.values.split_at_mut(l);
            let inputs = &before[l - 1];
            for value in after[0].iter_mut() {
                let unit = &self.weights[at..at + inputs.len() + 1];
                let sum: f64 = unit.iter().zip(inputs).map(|(a, b)| a * b).sum::<f64>() + unit[inputs.len()];
                *value = if l == last { sum } else { sum.tanh() };
                at += inputs.len() + 1;
            }
        }
        w.values[last][0]
    }

    /// Adds the gradient of the loss of the last row; `error` is the derivative of its loss by the output.
    fn backward(&self, error: f64, w: &mut Workspace, gradient: &mut [f64]) {
        let last = self.sizes.len() - 1;
        w.deltas[last][0] = error;
        let mut end = self.weights.len();
        for l in (1..=last).rev() {
            let width = self.sizes[l - 1];
            let start = end - self.sizes[l] * (width + 1);
            let (before, after) = w.deltas.split_at_mut(l);
            before[l - 1].iter_mut().for_each(|d| *d = 0.0);
            for (u, delta) in after[0].iter().enumerate() {
                let at = start + u * (width + 1);
                for i in 0..width {
                    gradient[at + i] += delta * w.values[l - 1][i];
                    before[l - 1][i] += delta * self.weights[at + i];
                }
                gradient[at + width] += delta;
            }
            if l > 1 {
                let slope = before[l - 1].iter_mut().zip(&w.values[l - 1]);
                slope.for_each(|(d, v)| *d *= 1.0 - v * v);
            }
            end = start;
        }
    }

    /// Returns the weighted mean of the cross entropy.
    fn loss(&self, data: &Matrix, w: &mut Workspace) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..data.labels.len() {
            let (x, y, weight) = (self.forward(data.row(i), w), data.labels[i] as f64, data.weights[i] as f64);
            sum += weight * entropy(x, y);
            total += weight;
        }
        sum / f64::max(total, 1e-9)
    }

    fn network(&self) -> Network {
        let mut at = 0;
        let mut layers = Vec::new();
        for pair in self.sizes.windows(2) {
            let mut layer = Layer { weights: Vec::new(), bias: Vec::new() };
            for _ in 0..pair[1] {
                layer.weights.push(self.weights[at..at + pair[0]].iter().map(|w| *w as f32).collect());
                layer.bias.push(self.weights[at + pair[0]] as f32);
                at += pair[0] + 1;
            }
            layers.push(layer);
        }
        Network { layers }
    }
}

/// Returns the cross entropy of label `y` and probability `1 / (1 + exp(-x))`, without overflow.
fn entropy(x: f64, y: f64) -> f64 {
    x.max(0.0) - x * y + (-x.abs()).exp().ln_1p()
}

/// Trains a network with hidden layers of the given sizes, with mini-batches and Adam (Kingma and Ba 2015). Returns the weights of the
/// epoch with the least validation loss. `watch` is called after each epoch with its number and the two losses.
pub fn train(
    data: &Matrix,
    validation: &Matrix,
    hidden: &[usize],
    seed: u64,
    how: &Training,
    watch: &dyn Fn(usize, f64, f64),
) -> Fit {
    let mut random = Random(seed);
    let sizes: Vec<usize> = [data.width].into_iter().chain(hidden.iter().copied()).chain([1]).collect();
    let mut net = Net::new(sizes, &mut random);
    let mut work = net.workspace();
    let mut adam = Adam::new(net.weights.len(), how.rate);
    let mut order: Vec<u32> = (0..data.labels.len() as u32).collect();
    let mut gradient = vec![0.0; net.weights.len()];
    let mut best = (net.weights.clone(), f64::INFINITY, 0);
    let mut epoch = 0;
    while epoch < how.epochs && epoch < best.2 + how.patience {
        epoch += 1;
        random.shuffle(&mut order);
        adam.rate = how.rate / (epoch as f64).sqrt();
        let (mut sum, mut total) = (0.0, 0.0);
        for batch in order.chunks(how.batch.max(1)) {
            gradient.iter_mut().for_each(|g| *g = 0.0);
            let mut weight_of_batch = 0.0;
            for &i in batch {
                let i = i as usize;
                let (y, weight) = (data.labels[i] as f64, data.weights[i] as f64);
                let x = net.forward(data.row(i), &mut work);
                net.backward(weight * (1.0 / (1.0 + (-x).exp()) - y), &mut work, &mut gradient);
                sum += weight * entropy(x, y);
                weight_of_batch += weight;
            }
            total += weight_of_batch;
            adam.step(&mut net.weights, &gradient, weight_of_batch);
        }
        let loss = net.loss(validation, &mut work);
        watch(epoch, sum / f64::max(total, 1e-9), loss);
        if loss < best.1 {
            best = (net.weights.clone(), loss, epoch);
        }
    }
    net.weights = best.0;
    Fit { network: net.network(), validation: best.1, epochs: epoch }
}

struct Adam {
    rate: f64,
    first: Vec<f64>,
    second: Vec<f64>,
    /// Powers of the decay rates.
    power: [f64; 2],
}

impl Adam {
    const DECAY: [f64; 2] = [0.9, 0.999];

    fn new(n: usize, rate: f64) -> Adam {
        Adam { rate, first: vec![0.0; n], second: vec![0.0; n], power: [1.0, 1.0] }
    }

    fn step(&mut self, weights: &mut [f64], gradient: &[f64], by: f64) {
        let [d1, d2] = Self::DECAY;
        self.power[0] *= d1;
        self.power[1] *= d2;
        for i in 0..weights.len() {
            let g = gradient[i] / by;
            self.first[i] = d1 * self.first[i] + (1.0 - d1) * g;
            self.second[i] = d2 * self.second[i] + (1.0 - d2) * g * g;
            let (m, v) = (self.first[i] / (1.0 - self.power[0]), self.second[i] / (1.0 - self.power[1]));
            weights[i] -= self.rate * m / (v.sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xor(n: usize) -> Matrix {
        let mut m = Matrix { width: 2, ..Matrix::default() };
        let mut random = Random(9);
        for _ in 0..n {
            let (a, b) = (2.0 * random.unit() - 1.0, 2.0 * random.unit() - 1.0);
            m.inputs.extend([a as f32, b as f32]);
            m.labels.push((a * b > 0.0) as u8 as f32);
            m.weights.push(1.0);
        }
        m
    }

    #[test]
    fn the_gradient_matches_the_slope_of_the_loss() {
        let data = xor(5);
        let mut net = Net::new(vec![2, 3, 2, 1], &mut Random(1));
        let mut work = net.workspace();
        let mut gradient = vec![0.0; net.weights.len()];
        for i in 0..5 {
            let x = net.forward(data.row(i), &mut work);
            net.backward(1.0 / (1.0 + (-x).exp()) - data.labels[i] as f64, &mut work, &mut gradient);
        }
        for (i, expected) in gradient.iter().enumerate() {
            let at = net.weights[i];
            net.weights[i] = at + 1e-5;
            let up = net.loss(&data, &mut work);
            net.weights[i] = at - 1e-5;
            let down = net.loss(&data, &mut work);
            net.weights[i] = at;
            let slope = 5.0 * (up - down) / 2e-5;
            assert!((slope - expected).abs() < 1e-6, "{i}: {slope} {expected}");
        }
    }

    #[test]
    fn a_hidden_layer_learns_what_a_perceptron_cannot() {
        let (data, validation) = (xor(2000), xor(300));
        let how = Training { rate: 0.02, batch: 32, ..Training::default() };
        let right = |hidden: &[usize]| {
            let fit = train(&data, &validation, hidden, 1, &how, &|_, _, _| {});
            let hit = |i: &usize| (fit.network.run(validation.row(*i)) > 0.5) == (validation.labels[*i] > 0.5);
            (0..300).filter(hit).count()
        };
        assert!(right(&[8]) > 280, "{}", right(&[8]));
        assert!(right(&[]) < 220);
    }

    #[test]
    fn the_same_seed_gives_the_same_network() {
        let (data, validation) = (xor(200), xor(50));
        let fit = |seed| train(&data, &validation, &[3], seed, &Training::default(), &|_, _, _| {}).network;
        assert_eq!(fit(4), fit(4));
        assert_ne!(fit(4), fit(5));
    }

    #[test]
    fn training_stops_when_validation_does_not_improve() {
        let data = xor(200);
        // Inverted labels: training makes validation worse from the start.
        let mut validation = data.clone();
        validation.labels.iter_mut().for_each(|l| *l = 1.0 - *l);
        let how = Training { epochs: 500, patience: 5, rate: 0.02, batch: 16 };
        let fit = train(&data, &validation, &[8], 1, &how, &|_, _, _| {});
        assert!(fit.epochs < 100, "{}", fit.epochs);
    }
}
