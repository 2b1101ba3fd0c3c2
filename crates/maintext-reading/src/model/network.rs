//! A small network over the sequence of blocks. It complements the forest: a tree tests one feature at a time, the network combines them.
//!
//! Each block's features become [`WIDTH`] numbers. Three residual layers then let a block see its neighbours at distances 1, 3 and 9
//! (dilated convolutions as in Yu and Koltun, *Multi-scale context aggregation by dilated convolutions*, 2016), the mean over an
//! element around it, and the mean and the largest of the whole page. Its time is linear in the number of blocks.
use crate::features::bags::{Bags, PARTS, Vocabulary};
use maintext_page::blocks::Blocks;

/// How many numbers represent a block.
pub const WIDTH: usize = 16;
/// One block's numbers, or one row of weights.
pub type Row = [f32; WIDTH];
/// For each layer, the distance of the neighbours that it sees, and which of the [`around`] elements.
pub const LAYERS: [(usize, usize); 3] = [(1, 0), (3, 1), (9, 3)];
/// The width of the range that a feature's values are spread over: about the same as variance 1.
pub const SPREAD: f32 = 3.45;
/// Number of rows whose features are encoded together: they stay in the first-level cache.
const BATCH_ROWS: usize = 16;

/// For each layer, the blocks in the element around a block that the layer sees.
pub type Around = [(u32, u32); LAYERS.len()];

/// Returns the elements around each block: from its container upwards, only elements that hold more blocks than the one before.
pub fn around(blocks: &Blocks) -> Vec<Around> {
    let elements = &blocks.elements;
    blocks
        .blocks
        .iter()
        .map(|b| {
            let mut out = Around::default();
            let mut e = b.container as usize;
            let (mut counted, mut below) = (0, 1);
            for (slot, (_, level)) in out.iter_mut().zip(LAYERS) {
                while counted <= level {
                    while elements[e].blocks.len() as u32 <= below && e != 0 {
                        e = elements[e].parent as usize;
                    }
                    below = elements[e].blocks.len() as u32;
                    counted += 1;
                }
                *slot = (elements[e].blocks.start, elements[e].blocks.end);
            }
            out
        })
        .collect()
}

/// A feature that the network sees: a piecewise linear function spreads its values evenly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Number of the column.
    pub column: u16,
    /// Values at even distances of the encoded range, rising.
    pub knots: Vec<f32>,
}

impl Input {
    /// Encodes a value as a number between `-SPREAD / 2` and `SPREAD / 2`.
    #[inline(always)]
    pub fn encode(&self, value: f32) -> f32 {
        self.encode_batch(&[value; BATCH_ROWS])[0]
    }

    /// [`Input::encode`] of several values. The count is fixed and the code has no branches, so that it compiles to a few vector
    /// instructions.
    #[inline(always)]
    fn encode_batch(&self, values: &[f32; BATCH_ROWS]) -> [f32; BATCH_ROWS] {
        let step = SPREAD / (self.knots.len().max(2) - 1) as f32;
        let mut out = [-SPREAD / 2.0; BATCH_ROWS];
        for k in self.knots.windows(2) {
            let (from, slope) = (k[0], step / (k[1] - k[0]).max(1e-9));
            for i in 0..BATCH_ROWS {
                let x = (values[i] - from) * slope;
                let x = if x > 0.0 { x } else { 0.0 };
                out[i] += if x < step { x } else { step };
            }
        }
        out
    }
}

/// The weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// The features it sees.
    pub inputs: Vec<Input>,
    /// Rows of weights, in the order of [`Shape`]; empty without a network.
    pub weights: Vec<Row>,
    /// The words and names that it reads.
    pub vocabulary: Vocabulary,
    /// The contribution of each known word and name to the first layer, in the order of [`Bags`]; empty if the network reads none.
    pub bags: Vec<Row>,
}

/// Adds the rows of a block's bags: their sum in each part, divided by the square root of their number.
#[inline(always)]
pub fn add_bags(out: &mut Row, parts: [&[u32]; PARTS.len()], rows: &[Row]) {
    for part in parts {
        let share = bag_share(part.len());
        for &r in part {
            let row = &rows[r as usize];
            for j in 0..WIDTH {
                out[j] += share * row[j];
            }
        }
    }
}

/// Returns the factor of each row of a bag.
#[inline(always)]
pub fn bag_share(len: usize) -> f32 {
    1.0 / (len.max(1) as f32).sqrt()
}

/// The layout of the rows of weights.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of inputs.
    pub inputs: usize,
}

/// Rows of a layer: own, next, previous, around; bias; page mean, page maximum; out; its bias.
const LAYER_ROWS: usize = 7 * WIDTH + 2;

impl Shape {
    /// Returns the number of rows: inputs, bias, layers, the row that gives the score, and its bias.
    pub fn rows(self) -> usize {
        self.inputs + 1 + LAYERS.len() * LAYER_ROWS + 2
    }
    /// Returns the index of a layer's first row.
    pub fn layer(self, k: usize) -> usize {
        self.inputs + 1 + k * LAYER_ROWS
    }
    /// Returns the index of the row that gives the score; its bias is the first number of the next row.
    pub fn score(self) -> usize {
        self.layer(LAYERS.len())
    }
}

/// The parts of a layer's rows.
#[derive(Clone, Copy)]
pub struct LayerRows<'a> {
    /// From the block, the next, the previous and the elements around it, to the layer's hidden numbers.
    pub mix: &'a [Row],
    /// Their bias.
    pub mix_bias: &'a Row,
    /// From the page's mean and maximum, to the same numbers.
    pub page: &'a [Row],
    /// From the hidden numbers back to the block's.
    pub back: &'a [Row],
    /// The bias of that step.
    pub back_bias: &'a Row,
}

impl<'a> LayerRows<'a> {
    /// Splits the rows of a layer.
    #[inline(always)]
    pub fn new(rows: &'a [Row]) -> LayerRows<'a> {
        let (mix, rest) = rows.split_at(4 * WIDTH);
        let (mix_bias, rest) = rest.split_at(1);
        let (page, rest) = rest.split_at(2 * WIDTH);
        let (back, rest) = rest.split_at(WIDTH);
        LayerRows { mix, mix_bias: &mix_bias[0], page, back, back_bias: &rest[0] }
    }
}

/// Whether both batches have the same bits. Without branches, like [`Input::encode_batch`].
#[inline(always)]
fn is_same(a: &[f32; BATCH_ROWS], b: &[f32]) -> bool {
    let b = &b[..BATCH_ROWS];
    (0..BATCH_ROWS).fold(0, |different, i| different | (a[i].to_bits() ^ b[i].to_bits())) == 0
}

/// Adds `Σ x[k] · weights[k]`.
#[inline(always)]
pub fn add_product(out: &mut Row, x: &[f32], weights: &[Row]) {
    // A local copy keeps the sums in registers. Iterators over pairs are not compiled away in code for wider vectors.
    let mut sum = *out;
    let x = &x[..weights.len()];
    for (k, w) in weights.iter().enumerate() {
        for j in 0..WIDTH {
            sum[j] += x[k] * w[j];
        }
    }
    *out = sum;
}

/// Sets negative numbers to 0.
#[inline(always)]
pub fn rectify(row: &mut Row) {
    row.iter_mut().for_each(|x| *x = x.max(0.0));
}

/// Returns the sums of the rows before each one, and of all.
#[inline(always)]
pub fn sums(rows: &[Row]) -> Vec<Row> {
    let mut out = Vec::with_capacity(rows.len() + 1);
    let mut sum = [0.0; WIDTH];
    out.push(sum);
    for r in rows {
        for j in 0..WIDTH {
            sum[j] += r[j];
        }
        out.push(sum);
    }
    out
}

/// Returns the input of a layer for block `i`: itself, the next and the previous at a distance, and the mean of a range around.
#[inline(always)]
pub fn seen(rows: &[Row], sums: &[Row], i: usize, step: usize, around: (u32, u32)) -> [Row; 4] {
    const NONE: Row = [0.0; WIDTH];
    let next = rows.get(i + step).unwrap_or(&NONE);
    let previous = i.checked_sub(step).map_or(&NONE, |j| &rows[j]);
    let (a, b) = (around.0 as usize, around.1 as usize);
    let share = 1.0 / (b - a).max(1) as f32;
    let (before, mut mean) = (&sums[a], sums[b]);
    for j in 0..WIDTH {
        mean[j] = (mean[j] - before[j]) * share;
    }
    [rows[i], *next, *previous, mean]
}

/// Returns the mean of all rows, and the maximum of each number.
#[inline(always)]
pub fn page(rows: &[Row], sums: &[Row]) -> [Row; 2] {
    let share = 1.0 / rows.len().max(1) as f32;
    let mean = sums[rows.len()].map(|s| s * share);
    let mut largest = [f32::MIN; WIDTH];
    for r in rows {
        for j in 0..WIDTH {
            largest[j] = largest[j].max(r[j]);
        }
    }
    [mean, largest]
}

impl Network {
    /// Halves all scores, so that the sum with another model's halved scores is the mean of both.
    pub fn halve(&mut self) {
        let score = Shape { inputs: self.inputs.len() }.score();
        self.weights.iter_mut().skip(score).flatten().for_each(|w| *w /= 2.0);
    }

    /// Returns the score (log-odds) of each block; `column(f)` gives the values of feature `f`, one per block. Empty without weights.
    #[inline(always)]
    pub fn scores<'a>(&self, column: impl Fn(usize) -> &'a [f32], around: &[Around], bags: &Bags) -> Vec<f32> {
        let shape = Shape { inputs: self.inputs.len() };
        if around.is_empty() || self.weights.len() != shape.rows() {
            return vec![0.0; around.len()];
        }
        let mut rows = self.first_rows(around.len(), column, bags);
        let mut next = rows.clone();
        for (k, (step, _)) in LAYERS.into_iter().enumerate() {
            let layer = LayerRows::new(&self.weights[shape.layer(k)..]);
            let sums = sums(&rows);
            let mut base = *layer.mix_bias;
            add_product(&mut base, page(&rows, &sums).as_flattened(), layer.page);
            for (i, out) in next.iter_mut().enumerate() {
                let mut mixed = base;
                add_product(&mut mixed, seen(&rows, &sums, i, step, around[i][k]).as_flattened(), layer.mix);
                rectify(&mut mixed);
                out.iter_mut().enumerate().for_each(|(j, o)| *o += layer.back_bias[j]);
                add_product(out, &mixed, layer.back);
            }
            rows.copy_from_slice(&next);
        }
        let [score, bias] = [&self.weights[shape.score()], &self.weights[shape.score() + 1]];
        rows.iter().map(|r| bias[0] + r.iter().zip(score).map(|(x, w)| x.max(0.0) * w).sum::<f32>()).collect()
    }

    /// Returns the first layer's output for the features.
    #[inline(always)]
    fn first_rows<'a>(&self, blocks: usize, column: impl Fn(usize) -> &'a [f32], bags: &Bags) -> Vec<Row> {
        let f = self.inputs.len();
        // The part that is the same for all blocks is added once.
        let mut base = self.weights[f];
        let mut varying: Vec<(&Input, &[f32], &Row)> = Vec::with_capacity(f);
        for (k, input) in self.inputs.iter().enumerate() {
            let values = column(input.column as usize);
            if values.iter().all(|v| *v == values[0]) {
                add_product(&mut base, &[input.encode(values[0])], &self.weights[k..=k]);
            } else {
                varying.push((input, values, &self.weights[k]));
            }
        }
        let mut out = vec![base; blocks];
        if !self.bags.is_empty() {
            out.iter_mut().enumerate().for_each(|(i, row)| add_bags(row, bags.of(i), &self.bags));
        }
        let mut encoded = vec![[0.0f32; BATCH_ROWS]; varying.len()];
        for (start, rows) in out.chunks_mut(BATCH_ROWS).enumerate().map(|(k, c)| (k * BATCH_ROWS, c)) {
            for (encoded, (input, column, _)) in encoded.iter_mut().zip(&varying) {
                let mut values = [0.0; BATCH_ROWS];
                values[..rows.len()].copy_from_slice(&column[start..start + rows.len()]);
                // Distances and statistics of elements far up hardly ever change from block to block.
                let is_as_before = start > 0 && is_same(&values, &column[start - BATCH_ROWS..start]);
                if !is_as_before {
                    *encoded = input.encode_batch(&values);
                }
            }
            for (i, row) in rows.iter_mut().enumerate() {
                let mut sum = *row;
                for (x, (_, _, weights)) in encoded.iter().zip(&varying) {
                    for j in 0..WIDTH {
                        sum[j] += x[i] * weights[j];
                    }
                }
                *row = sum;
                rectify(row);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spread_from_knot_to_knot() {
        let input = Input { column: 0, knots: vec![0.0, 10.0, 1000.0] };
        let seen = [-5.0, 0.0, 5.0, 10.0, 505.0, 1e9].map(|v| input.encode(v) / SPREAD);
        let expected = [-0.5, -0.5, -0.25, 0.0, 0.25, 0.5];
        assert!(seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{seen:?}");
        assert_eq!(Input { column: 0, knots: vec![7.0] }.encode(7.0), -SPREAD / 2.0);
    }

    #[test]
    fn elements_around_a_block_hold_more_each_time() {
        let html = "<body><div><section><p>a<p>b<div>c</div></section><p>d</div><ul><li>e<li>f</ul>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let all = around(&blocks);
        // The section, the division, and then the page.
        assert_eq!(all[0], [(0, 3), (0, 4), (0, 6)]);
        assert_eq!(all[4], [(4, 6), (0, 6), (0, 6)]);
    }

    #[test]
    fn a_block_sees_its_neighbours() {
        // One input; the first layer passes on the value of the next block, and all other weights are 0.
        let input = Input { column: 0, knots: vec![0.0, 1.0] };
        let mut network = Network { inputs: vec![input], ..Network::default() };
        let shape = Shape { inputs: 1 };
        network.weights = vec![[0.0; WIDTH]; shape.rows()];
        network.weights[0][0] = 1.0;
        let layer = shape.layer(0);
        network.weights[layer + WIDTH][1] = 1.0; // the next block's first number becomes the second
        network.weights[layer + 6 * WIDTH + 2][1] = 1.0;
        network.weights[shape.score()][1] = 2.0;
        network.weights[shape.score() + 1][0] = -0.5;
        let column = [0.0, 1.0, 0.0];
        let around = vec![[(0, 3); LAYERS.len()]; 3];
        let scores = network.scores(|_| &column, &around, &Bags::default());
        // The third has no next block; of the other two only the first has a next value above the middle.
        assert_eq!(scores, [-0.5 + SPREAD, -0.5, -0.5]);
        assert_eq!(Network::default().scores(|_| &column, &around, &Bags::default()), [0.0; 3]);
    }
}
