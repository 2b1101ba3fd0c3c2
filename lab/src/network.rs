//! Trains the network over the blocks: back-propagation, Adam with decoupled weight decay (Loshchilov and Hutter, 2019), one cycle of
//! the learning rate, and drop-out of features and of layer outputs (Srivastava et al., 2014).
//!
//! The same data, settings and seed give the same weights on any number of threads: one thread computes the gradient of each page, and
//! the gradients are summed in the order of the pages.
use crate::rows::Rows;
use maintext_core::features::bags::{Bags, Vocabulary};
use maintext_core::model::network::{
    Around, Input, LAYERS, LayerRows, Network, Row, SPREAD, Shape, WIDTH, add_bags, add_product, bag_share, page,
    rectify, seen, sums,
};
use maintext_learn::gbdt::Random;
use rayon::prelude::*;
use std::sync::Arc;

/// Settings of the training.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of passes over the pages.
    pub epochs: usize,
    /// Maximum learning rate of the cycle.
    pub rate: f32,
    /// Share by which the weights shrink in a step at that rate.
    pub decay: f32,
    /// Share of the features and layer outputs that is dropped.
    pub drop_out: f32,
    /// Share of the page's soft F1, `1 - 2 Σ p·n·y / (Σ p·n + Σ n·y)`, in the loss of fully labelled pages; the rest is log-loss.
    pub f1_share: f32,
    /// Seed of the weights and of the order of the pages.
    pub seed: u64,
}

/// Learning rate of the table of words and names, relative to the other weights. Few pages use each of its rows, and Adam takes the same
/// large steps for them.
const BAG_RATE: f32 = 0.5;
/// Share of the blocks whose words and names are dropped.
const BAG_DROP_OUT: f64 = 0.2;

/// Maximum number of blocks of a page that are processed together.
const MAX_PIECE_BLOCKS: usize = 1024;
/// Number of blocks in a step.
const STEP_BLOCKS: usize = 3072;

/// A page, or a piece of a long one.
struct Piece {
    page: usize,
    /// Its first row among the rows of all pages.
    start: usize,
    len: usize,
}

/// Maximum number of knots for an input.
const KNOTS: usize = 10;

/// Features encoded for the network: one byte each, one column per feature.
#[derive(Clone, Default)]
pub struct Encoded {
    inputs: Vec<Input>,
    columns: Vec<Arc<Vec<u8>>>,
}

impl Encoded {
    /// Encodes the values of a feature.
    pub fn new(column: usize, values: &[f32]) -> Encoded {
        let input = Input { column: column as u16, knots: knots(values) };
        Encoded {
            columns: vec![Arc::new(
                values.iter().map(|v| ((input.encode(*v) / SPREAD + 0.5) * 255.0).round() as u8).collect(),
            )],
            inputs: vec![input],
        }
    }

    /// Returns the columns of several parts, side by side.
    pub fn side_by_side<'a>(parts: impl IntoIterator<Item = &'a Encoded>) -> Encoded {
        let mut out = Encoded::default();
        for part in parts {
            out.columns.extend(part.columns.iter().cloned());
            out.inputs.extend(part.inputs.iter().cloned());
        }
        out
    }
}

/// Returns representative values of a column: most by rank, some spread over the distinct values, so that rare large ones can be
/// distinguished. Returns all values if there are few.
fn knots(values: &[f32]) -> Vec<f32> {
    const RANKS: [f64; 7] = [0.02, 0.18, 0.34, 0.5, 0.66, 0.82, 0.98];
    const DISTINCT: [f64; KNOTS - RANKS.len()] = [0.5, 0.8, 0.98];
    let step = (values.len() / 200_000).max(1);
    let mut sorted: Vec<f32> = values.iter().step_by(step).copied().collect();
    sorted.sort_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= KNOTS {
        return distinct;
    }
    let at = |of: &[f32], share: f64| of[((of.len() - 1) as f64 * share).round() as usize];
    let mut out: Vec<f32> = RANKS.iter().map(|r| at(&sorted, *r)).collect();
    out.extend(DISTINCT.iter().map(|r| at(&distinct, *r)));
    out.sort_by(f32::total_cmp);
    out.dedup();
    out
}

/// Features, labels and weights of all pages.
pub struct Lessons<'a> {
    /// The features.
    pub data: &'a Encoded,
    /// Labels, weights and page starts.
    pub rows: &'a Rows,
    /// The surroundings of each block, one list per page.
    pub around: &'a [Vec<Around>],
    /// The words and names that each block reads, one table per page.
    pub bags: &'a [Bags],
    /// The words and names.
    pub vocabulary: &'a Vocabulary,
}

impl Lessons<'_> {
    fn pieces(&self, pages: impl Iterator<Item = usize>) -> Vec<Piece> {
        pages
            .flat_map(|page| {
                let (from, to) = (self.rows.starts[page], self.rows.starts[page + 1]);
                (from..to).step_by(MAX_PIECE_BLOCKS).map(move |start| Piece {
                    page,
                    start,
                    len: MAX_PIECE_BLOCKS.min(to - start),
                })
            })
            .collect()
    }

    /// Returns the features of a piece, one row per block.
    fn encoded(&self, piece: &Piece) -> Vec<f32> {
        let f = self.data.columns.len();
        let mut out = vec![0.0; piece.len * f];
        for (c, codes) in self.data.columns.iter().enumerate() {
            for (i, code) in codes[piece.start..piece.start + piece.len].iter().enumerate() {
                out[i * f + c] = (*code as f32 / 255.0 - 0.5) * SPREAD;
            }
        }
        out
    }

    /// Adds the gradient of the table of words and names, from the gradient of each block's first row.
    fn add_bag_gradient(&self, piece: &Piece, first: &[Row], share: f32, out: &mut [Row]) {
        if out.is_empty() {
            return;
        }
        let start = piece.start - self.rows.starts[piece.page];
        for (i, d) in first.iter().enumerate() {
            for part in self.bags[piece.page].of(start + i) {
                let share = share * bag_share(part.len());
                for &row in part {
                    out[row as usize].iter_mut().zip(d).for_each(|(s, d)| *s += d * share);
                }
            }
        }
    }

    /// Returns ranges relative to the start of the piece.
    fn around(&self, piece: &Piece) -> Vec<Around> {
        let shift = (piece.start - self.rows.starts[piece.page]) as u32;
        let at = shift as usize;
        let cut = |r: (u32, u32)| {
            (r.0.saturating_sub(shift).min(piece.len as u32), r.1.saturating_sub(shift).min(piece.len as u32))
        };
        self.around[piece.page][at..at + piece.len].iter().map(|levels| levels.map(cut)).collect()
    }
}

/// Trains on the active pages; `progress` receives the number of finished epochs and the mean loss.
pub fn train(lessons: &Lessons, active: &[bool], settings: &Settings, mut progress: impl FnMut(usize, f64)) -> Network {
    let rows = lessons.rows;
    let pages = (0..active.len())
        .filter(|&p| active[p] && rows.weights[rows.starts[p]..rows.starts[p + 1]].iter().sum::<f32>() > 0.0);
    let mut pieces = lessons.pieces(pages);
    let total: f32 = pieces.iter().map(|p| rows.weights[p.start..p.start + p.len].iter().sum::<f32>()).sum();
    let shape = Shape { inputs: lessons.data.inputs.len() };
    let mut random = Random(settings.seed);
    let mut weights = initial(shape, &mut random);
    let steps = (pieces.iter().map(|p| p.len).sum::<usize>() as f32 / STEP_BLOCKS as f32).max(1.0);
    let share = steps / total.max(1e-6);
    let mut adam = Adam::new(weights.len());
    let mut bags = vec![[0.0f32; WIDTH]; lessons.vocabulary.rows()];
    let mut adam_bags = Adam::new(bags.len());
    for epoch in 0..settings.epochs {
        random.shuffle(&mut pieces);
        let mut loss = 0.0;
        let mut at = 0;
        while at < pieces.len() {
            let from = at;
            let mut blocks = 0;
            while at < pieces.len() && (blocks == 0 || blocks + pieces[at].len <= STEP_BLOCKS) {
                blocks += pieces[at].len;
                at += 1;
            }
            let seed = random.next_u64();
            let made: Vec<(Vec<Row>, Vec<Row>, f64)> = pieces[from..at]
                .par_iter()
                .map(|p| gradient(lessons, p, &weights, &bags, shape, settings, seed ^ p.start as u64))
                .collect();
            let mut sum = vec![[0.0f32; WIDTH]; weights.len()];
            let mut sum_bags = vec![[0.0f32; WIDTH]; bags.len()];
            for (piece, (g, first, l)) in pieces[from..at].iter().zip(made) {
                loss += l;
                lessons.add_bag_gradient(piece, &first, share, &mut sum_bags);
                sum.as_flattened_mut().iter_mut().zip(g.as_flattened()).for_each(|(s, g)| *s += g * share);
            }
            let done = (epoch as f32 + from as f32 / pieces.len() as f32) / settings.epochs as f32;
            let rate = settings.rate * cycle(done);
            adam.step(&mut weights, &mut sum, rate, settings.decay);
            adam_bags.step(&mut bags, &mut sum_bags, rate * BAG_RATE, settings.decay / BAG_RATE);
        }
        progress(epoch + 1, loss / total as f64);
    }
    Network { inputs: lessons.data.inputs.clone(), weights, vocabulary: lessons.vocabulary.clone(), bags }
}

/// Returns the share of the largest learning rate: rising in the first 15 % of the steps, then falling to zero, both by a cosine.
fn cycle(done: f32) -> f32 {
    const RISE: f32 = 0.15;
    let half = |x: f32| 0.5 - 0.5 * (x.clamp(0.0, 1.0) * std::f32::consts::PI).cos();
    if done < RISE { 0.04 + 0.96 * half(done / RISE) } else { half((1.0 - done) / (1.0 - RISE)) }
}

/// Returns normally distributed weights, scaled by the number of inputs of each part (He et al., 2015).
fn initial(shape: Shape, random: &mut Random) -> Vec<Row> {
    let mut normal = |inputs: usize, gain: f32| -> Row {
        let scale = (2.0 / inputs as f32).sqrt() * gain;
        // The sum of twelve uniform numbers is close enough to normal, and the same on every machine.
        std::array::from_fn(|_| ((0..12).map(|_| random.unit()).sum::<f64>() - 6.0) as f32 * scale)
    };
    let mut out: Vec<Row> = (0..shape.inputs).map(|_| normal(shape.inputs, 1.0)).collect();
    out.push([0.0; WIDTH]);
    for _ in LAYERS {
        out.extend((0..4 * WIDTH).map(|_| normal(4 * WIDTH, 0.7)));
        out.push([0.0; WIDTH]);
        out.extend((0..2 * WIDTH).map(|_| normal(2 * WIDTH, 0.3)));
        out.extend((0..WIDTH).map(|_| normal(WIDTH, 0.3)));
        out.push([0.0; WIDTH]);
    }
    out.push(normal(WIDTH, 0.5));
    let mut bias = [0.0; WIDTH];
    bias[0] = -1.0;
    out.push(bias);
    out
}

/// Moving moments of the gradient.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: usize,
}

impl Adam {
    fn new(rows: usize) -> Adam {
        Adam { mean: vec![0.0; rows * WIDTH], square: vec![0.0; rows * WIDTH], steps: 0 }
    }

    fn step(&mut self, weights: &mut [Row], gradient: &mut [Row], rate: f32, decay: f32) {
        const KEEP: (f32, f32) = (0.9, 0.999);
        self.steps += 1;
        let g = gradient.as_flattened_mut();
        let norm = g.iter().map(|x| (*x as f64).powi(2)).sum::<f64>().sqrt() as f32;
        let clip = 1.0 / norm.max(1.0);
        let (a, b) = (1.0 - KEEP.0.powi(self.steps as i32), 1.0 - KEEP.1.powi(self.steps as i32));
        for (((w, g), m), s) in weights.as_flattened_mut().iter_mut().zip(g).zip(&mut self.mean).zip(&mut self.square) {
            let g = *g * clip;
            *m = KEEP.0 * *m + (1.0 - KEEP.0) * g;
            *s = KEEP.1 * *s + (1.0 - KEEP.1) * g * g;
            *w -= rate * ((*m / a) / ((*s / b).sqrt() + 1e-8) + decay * *w);
        }
    }
}

/// Inputs and outputs of a layer, stored for back-propagation.
struct Trace {
    rows: Vec<Row>,
    sums: Vec<Row>,
    page: [Row; 2],
    /// Each block's mixture after rectification and drop-out.
    mixed: Vec<Row>,
    /// The factors applied to them; 0 where no gradient flows back.
    gates: Vec<Row>,
}

/// Returns the gradient of a piece's loss by the weights and by each block's first row, and the loss.
fn gradient(
    lessons: &Lessons,
    piece: &Piece,
    weights: &[Row],
    bags: &[Row],
    shape: Shape,
    settings: &Settings,
    seed: u64,
) -> (Vec<Row>, Vec<Row>, f64) {
    let drop_out = settings.drop_out;
    let (n, f) = (piece.len, shape.inputs);
    let mut random = Random(seed);
    let mut x = lessons.encoded(piece);
    let kept = 1.0 / (1.0 - drop_out);
    let features: Vec<f32> = (0..f).map(|_| if random.unit() < drop_out as f64 { 0.0 } else { kept }).collect();
    x.chunks_mut(f).for_each(|row| row.iter_mut().zip(&features).for_each(|(x, k)| *x *= k));
    let around = lessons.around(piece);

    // Forward pass.
    let mut rows = vec![weights[f]; n];
    let start = piece.start - lessons.rows.starts[piece.page];
    let read: Vec<bool> = (0..n).map(|_| random.unit() >= BAG_DROP_OUT).collect();
    for (i, (row, x)) in rows.iter_mut().zip(x.chunks(f)).enumerate() {
        if read[i] && !bags.is_empty() {
            add_bags(row, lessons.bags[piece.page].of(start + i), bags);
        }
        add_product(row, x, &weights[..f]);
        rectify(row);
    }
    let mut traces = Vec::with_capacity(LAYERS.len());
    for (k, (step, _)) in LAYERS.into_iter().enumerate() {
        let layer = LayerRows::new(&weights[shape.layer(k)..]);
        let sums = sums(&rows);
        let page = page(&rows, &sums);
        let mut base = *layer.mix_bias;
        add_product(&mut base, page.as_flattened(), layer.page);
        let mut next = rows.clone();
        let (mut all, mut gates) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for (i, out) in next.iter_mut().enumerate() {
            let mut mixed = base;
            add_product(&mut mixed, seen(&rows, &sums, i, step, around[i][k]).as_flattened(), layer.mix);
            let gate = gate(&mixed, drop_out, kept, &mut random);
            mixed.iter_mut().zip(&gate).for_each(|(m, g)| *m *= g);
            out.iter_mut().zip(layer.back_bias).for_each(|(o, b)| *o += b);
            add_product(out, &mixed, layer.back);
            all.push(mixed);
            gates.push(gate);
        }
        traces.push(Trace { rows: std::mem::replace(&mut rows, next), sums, page, mixed: all, gates });
    }

    // Loss and backward pass.
    let mut out = vec![[0.0f32; WIDTH]; shape.rows()];
    let (score, bias) = (&weights[shape.score()], weights[shape.score() + 1][0]);
    let scores: Vec<f32> =
        rows.iter().map(|r| bias + r.iter().zip(score).map(|(x, w)| x.max(0.0) * w).sum::<f32>()).collect();
    let (slopes, loss) = slopes(lessons.rows, piece, &scores, settings.f1_share);
    let mut back = vec![[0.0f32; WIDTH]; n];
    for ((row, back), d) in rows.iter().zip(&mut back).zip(slopes) {
        for j in 0..WIDTH {
            if row[j] > 0.0 {
                out[shape.score()][j] += d * row[j];
                back[j] = d * score[j];
            }
        }
        out[shape.score() + 1][0] += d;
    }
    for (k, trace) in traces.iter().enumerate().rev() {
        let at = shape.layer(k);
        let layer = LayerRows::new(&weights[at..]);
        back = through_layer(trace, &layer, LAYERS[k].0, k, &around, back, &mut out[at..at + 7 * WIDTH + 2]);
    }
    let first = &traces[0].rows;
    for ((row, d), x) in first.iter().zip(&mut back).zip(x.chunks(f)) {
        d.iter_mut().zip(row).filter(|(_, r)| **r <= 0.0).for_each(|(d, _)| *d = 0.0);
        add_outer(&mut out[..f], x, d);
        out[f].iter_mut().zip(&*d).for_each(|(o, d)| *o += d);
    }
    back.iter_mut().zip(read).filter(|(_, read)| !read).for_each(|(d, _)| *d = [0.0; WIDTH]);
    (out, back, loss)
}

/// Returns the loss of a piece and its derivative by each block's score.
fn slopes(rows: &Rows, piece: &Piece, scores: &[f32], f1_share: f32) -> (Vec<f32>, f64) {
    let range = piece.start..piece.start + piece.len;
    let (labels, weights, words) = (&rows.labels[range.clone()], &rows.weights[range.clone()], &rows.words[range]);
    let p: Vec<f32> = scores.iter().map(|s| maintext_core::model::forest::sigmoid(*s)).collect();
    let (mut hits, mut size, mut weight) = (0.0f64, 0.0f64, 0.0f32);
    for (i, p) in p.iter().enumerate() {
        hits += (p * words[i] * labels[i]) as f64;
        size += ((p + labels[i]) * words[i]) as f64;
        weight += weights[i];
    }
    let share = if rows.partial[piece.page] || size <= 0.0 { 0.0 } else { f1_share };
    let mut loss = if share > 0.0 { (share * weight) as f64 * (1.0 - 2.0 * hits / size) } else { 0.0 };
    (
        (0..scores.len())
            .map(|i| {
                let (s, y, w) = (scores[i], labels[i], weights[i]);
                loss += ((1.0 - share) * w * (s.max(0.0) + (-s.abs()).exp().ln_1p() - y * s)) as f64;
                let own = (1.0 - share) * w * (p[i] - y);
                if share == 0.0 {
                    return own;
                }
                let by_p = 2.0 * words[i] as f64 * (y as f64 * size - hits) / (size * size);
                own - share * weight * by_p as f32 * p[i] * (1.0 - p[i])
            })
            .collect(),
        loss,
    )
}

/// Returns the factor for each number: 0 if it is negative or dropped.
fn gate(row: &Row, drop_out: f32, kept: f32, random: &mut Random) -> Row {
    let bound = (drop_out * 256.0) as u8;
    let mut gate = [0.0; WIDTH];
    for (gates, values) in gate.chunks_mut(8).zip(row.chunks(8)) {
        for ((g, v), byte) in gates.iter_mut().zip(values).zip(random.next_u64().to_le_bytes()) {
            *g = if *v > 0.0 && byte >= bound { kept } else { 0.0 };
        }
    }
    gate
}

/// Adds `x[k] · d` to the `k`th row.
fn add_outer(out: &mut [Row], x: &[f32], d: &Row) {
    for (o, x) in out.iter_mut().zip(x).filter(|(_, x)| **x != 0.0) {
        o.iter_mut().zip(d).for_each(|(o, d)| *o += x * d);
    }
}

/// `out[k] = Σ weights[k][j] · d[j]`.
fn times_transposed(weights: &[Row], d: &Row) -> impl Iterator<Item = f32> {
    weights.iter().map(|w| {
        // Eight sums side by side: fixed, so that every build adds in the same order.
        let mut s = [0.0f32; 8];
        for (w, d) in w.chunks_exact(8).zip(d.chunks_exact(8)) {
            (0..8).for_each(|j| s[j] += w[j] * d[j]);
        }
        s.iter().sum()
    })
}

/// Propagates the gradient back through a layer and adds the layer's own gradient to `out`.
fn through_layer(
    trace: &Trace,
    layer: &LayerRows,
    step: usize,
    k: usize,
    around: &[Around],
    after: Vec<Row>,
    out: &mut [Row],
) -> Vec<Row> {
    let n = after.len();
    let (mix, rest) = out.split_at_mut(4 * WIDTH);
    let (mix_bias, rest) = rest.split_at_mut(1);
    let (page, rest) = rest.split_at_mut(2 * WIDTH);
    let (back, back_bias) = rest.split_at_mut(WIDTH);
    let mut before = after.clone();
    // Stores differences at the borders of ranges; their prefix sums are the gradient of each block.
    let mut shared = vec![[0.0f32; WIDTH]; n + 1];
    for (i, d) in after.iter().enumerate() {
        add_outer(back, &trace.mixed[i], d);
        back_bias[0].iter_mut().zip(d).for_each(|(b, d)| *b += d);
        let mut own = [0.0; WIDTH];
        own.iter_mut().zip(times_transposed(layer.back, d)).zip(&trace.gates[i]).for_each(|((o, d), g)| *o = d * g);
        let seen = seen(&trace.rows, &trace.sums, i, step, around[i][k]);
        add_outer(mix, seen.as_flattened(), &own);
        mix_bias[0].iter_mut().zip(&own).for_each(|(b, d)| *b += d);
        let (a, b) = (around[i][k].0 as usize, around[i][k].1 as usize);
        let share = 1.0 / (b - a).max(1) as f32;
        for (at, d) in times_transposed(layer.mix, &own).enumerate() {
            let j = at % WIDTH;
            match at / WIDTH {
                0 => before[i][j] += d,
                1 if i + step < n => before[i + step][j] += d,
                2 if i >= step => before[i - step][j] += d,
                3 => {
                    shared[a][j] += d * share;
                    shared[b][j] -= d * share;
                }
                _ => {}
            }
        }
    }
    let sum = mix_bias[0];
    add_outer(page, trace.page.as_flattened(), &sum);
    let of_page: Vec<f32> = times_transposed(layer.page, &sum).collect();
    let mut running = [0.0f32; WIDTH];
    for (i, row) in before.iter_mut().enumerate() {
        for j in 0..WIDTH {
            running[j] += shared[i][j];
            row[j] += running[j] + of_page[j] / n as f32;
        }
    }
    for j in 0..WIDTH {
        if let Some(i) = trace.rows.iter().position(|r| r[j] == trace.page[1][j]) {
            before[i][j] += of_page[WIDTH + j];
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_core::blocks::Blocks;
    use maintext_core::features::BlockWords;
    use maintext_core::features::bags::{self, Reads};
    use maintext_core::features::text::{TextStats, WordSet};

    /// Returns two pages of a few blocks, labelled by the second feature of the previous block.
    fn lessons() -> (Vec<Vec<f32>>, Rows, Vec<Vec<Around>>) {
        let n = 60;
        let mut r = Random(5);
        let columns: Vec<Vec<f32>> = (0..3).map(|_| (0..n).map(|_| r.unit() as f32).collect()).collect();
        let labels = (0..n).map(|i| (i > 0 && columns[1][i - 1] > 0.5) as u8 as f32).collect();
        let rows = Rows {
            starts: vec![0, 25, n],
            pages: (0..n).map(|i| (i >= 25) as u32).collect(),
            labels,
            words: vec![1.0; n],
            weights: vec![0.1; n],
            partial: vec![false; 2],
        };
        let ranges = |n: u32| -> Vec<Around> {
            (0..n).map(|i| [(i, i + 1), (i / 4 * 4, (i / 4 * 4 + 4).min(n)), (0, n)]).collect()
        };
        (columns, rows, vec![ranges(25), ranges(35)])
    }

    fn encoded(columns: &[Vec<f32>]) -> Encoded {
        Encoded::side_by_side(&columns.iter().enumerate().map(|(i, c)| Encoded::new(i, c)).collect::<Vec<_>>())
    }

    /// Returns two words, and pages whose blocks say the first one where they are content.
    fn worded(rows: &Rows) -> (Vocabulary, Vec<Bags>) {
        let none = WordSet::default();
        let mut known = Vocabulary::default();
        for word in ["chapter", "login"] {
            TextStats::new(word, &none, &none, &mut known.words);
        }
        known.words.sort_unstable();
        let index = bags::Index::new(&known);
        let of_page = |p: usize| {
            let labels = &rows.labels[rows.starts[p]..rows.starts[p + 1]];
            let html: String =
                labels.iter().map(|l| if *l > 0.5 { "<p>chapter one" } else { "<p>login here" }).collect();
            let dom = maintext_core::dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let (words, _) = BlockWords::with_stats(&blocks, &none, &none);
            Bags::new(&blocks, blocks.names(&dom), &words, &index, Reads::ALL)
        };
        let pages = vec![of_page(0), of_page(1)];
        (known, pages)
    }

    #[test]
    fn words_are_learned() {
        let (columns, rows, around) = lessons();
        let data = encoded(&columns[..1]);
        let (vocabulary, bags) = worded(&rows);
        let l = Lessons { data: &data, rows: &rows, around: &around, bags: &bags, vocabulary: &vocabulary };
        let settings = Settings { epochs: 60, rate: 8e-3, decay: 0.01, drop_out: 0.0, f1_share: 0.0, seed: 1 };
        let network = train(&l, &[true, true], &settings, |_, _| ());
        let page = |p: usize| {
            let r = rows.starts[p]..rows.starts[p + 1];
            network.scores(|c| &columns[c][r.clone()], &around[p], &bags[p])
        };
        let right =
            [page(0), page(1)].iter().flatten().zip(&rows.labels).filter(|(s, y)| (**s > 0.0) == (**y > 0.5)).count();
        assert_eq!(right, 60);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (columns, rows, around) = lessons();
        let data = encoded(&columns);
        let (vocabulary, bags) = worded(&rows);
        let l = Lessons { data: &data, rows: &rows, around: &around, bags: &bags, vocabulary: &vocabulary };
        let table: Vec<Row> = (0..vocabulary.rows()).map(|r| [r as f32 * 0.01 - 0.1; WIDTH]).collect();
        let shape = Shape { inputs: 3 };
        let weights = initial(shape, &mut Random(3));
        let piece = Piece { page: 1, start: 25, len: 35 };
        let settings = Settings { epochs: 1, rate: 0.0, decay: 0.0, drop_out: 0.0, f1_share: 0.3, seed: 1 };
        let (g, first, _) = gradient(&l, &piece, &weights, &table, shape, &settings, 1);
        let loss_of = |w: &[Row], table: &[Row]| gradient(&l, &piece, w, table, shape, &settings, 1).2;
        let loss = |w: &[Row]| loss_of(w, &table);
        let at = |k: usize| shape.layer(k);
        let mut places = vec![(0, 3), (2, 7), (3, 1), (shape.score(), 5), (shape.score() + 1, 0)];
        for k in 0..LAYERS.len() {
            for row in [
                0,
                WIDTH + 3,
                2 * WIDTH + 9,
                3 * WIDTH + 4,
                4 * WIDTH,
                4 * WIDTH + 8,
                5 * WIDTH + 20,
                6 * WIDTH + 11,
                7 * WIDTH + 1,
            ] {
                places.push((at(k) + row, 6));
            }
        }
        let mut checked = 0;
        for (row, j) in places {
            let mut w = weights.clone();
            let e = 5e-4;
            w[row][j] += e;
            let up = loss(&w);
            w[row][j] -= 2.0 * e;
            let slope = (up - loss(&w)) / (2.0 * e as f64);
            let own = g[row][j] as f64;
            assert!((slope - own).abs() < 3e-3 + 0.05 * own.abs(), "row {row}, {j}: {slope} against {own}");
            checked += (own.abs() > 1e-3) as usize;
        }
        assert!(checked > 10, "{checked} of the gradients are not 0");
        let mut by_word = vec![[0.0; WIDTH]; table.len()];
        l.add_bag_gradient(&piece, &first, 1.0, &mut by_word);
        for (row, j) in [(0, 2), (1, 6)] {
            let mut changed = [table.clone(), table.clone()];
            changed[0][row][j] += 5e-4;
            changed[1][row][j] -= 5e-4;
            let slope = (loss_of(&weights, &changed[0]) - loss_of(&weights, &changed[1])) / 1e-3;
            let own = f64::from(by_word[row][j]);
            assert!(own != 0.0 && (slope - own).abs() < 3e-3 + 0.05 * own.abs(), "word {row}: {slope} against {own}");
        }
    }

    #[test]
    fn information_from_neighbours_is_learned_and_training_is_deterministic() {
        let (columns, rows, around) = lessons();
        let data = encoded(&columns);
        let (vocabulary, bags) = (Vocabulary::default(), vec![Bags::default(); 2]);
        let l = Lessons { data: &data, rows: &rows, around: &around, bags: &bags, vocabulary: &vocabulary };
        let settings = Settings { epochs: 200, rate: 4e-3, decay: 0.01, drop_out: 0.0, f1_share: 0.0, seed: 1 };
        let network = train(&l, &[true, true], &settings, |_, _| ());
        let page = |p: usize| {
            let r = rows.starts[p]..rows.starts[p + 1];
            network.scores(|c| &columns[c][r.clone()], &around[p], &Bags::default())
        };
        let made = [page(0), page(1)];
        let right = made.iter().flatten().zip(&rows.labels).filter(|(s, y)| (**s > 0.0) == (**y > 0.5)).count();
        assert!(right >= 57, "{right} of 60");
        assert_eq!(network, train(&l, &[true, true], &settings, |_, _| ()));
    }
}
