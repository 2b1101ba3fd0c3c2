//! Stochastic gradient descent with AdaGrad (Duchi, Hazan and Singer 2011) on a linear classifier of low rank, as in fastText
//! (Joulin et al. 2017): each bucket of n-grams has a vector, and the languages are judged by the sum of a text's vectors.
use crate::languages::GROUPS;
use crate::random::Random;
use crate::sources::Class;
use crate::words::{BITS, grams};
use std::ops::Range;

/// Numbers of a vector.
pub const RANK: usize = 32;
const BUCKETS: usize = 1 << BITS;
const RATE: f32 = 0.1;
/// The step between the 16 levels of a normal distribution with the smallest error, in standard deviations (Max 1960).
const STEP: f64 = 0.3352;

struct Model {
    vectors: Vec<[f32; RANK]>,
    squares: Vec<f32>,
    outputs: Vec<[f32; RANK]>,
    bias: Vec<f32>,
    output_squares: Vec<f32>,
}

/// Draws features of a text of a language.
fn sample(class: &Class, others: &[&Class], random: &mut Random, out: &mut Vec<usize>) {
    out.clear();
    let wanted = match random.below(20) {
        0..3 => 1,
        3..6 => 2,
        6..12 => 3 + random.below(4),
        12..18 => 7 + random.below(10),
        _ => 17 + random.below(16),
    };
    let mut push = |word: &[char]| grams(word, |bucket| out.push(bucket));
    let text: usize = class.lines.len();
    let weights = [
        if text > 0 { 3 } else { 0 },
        if class.drawn.is_empty() { 0 } else { 7 },
        if class.list.is_empty() {
            0
        } else if class.drawn.is_empty() {
            3
        } else {
            1
        },
    ];
    let mut left = wanted;
    while left > 0 {
        let mut at = random.below(weights.iter().sum());
        let source = weights.iter().position(|w| {
            let here = at < *w;
            at = at.wrapping_sub(*w);
            here
        });
        let mut count = left.min(1 + random.below(left));
        match source {
            Some(0) => {
                let line = &class.lines[random.below(text)];
                count = count.min(line.len());
                let start = random.below(line.len() - count + 1);
                line[start..start + count].iter().for_each(|w| push(w));
            }
            Some(1) => {
                count = count.min(class.drawn.len());
                let start = random.below(class.drawn.len() - count + 1);
                class.drawn[start..start + count].iter().for_each(|w| push(w));
            }
            _ => {
                count = 1;
                push(&class.list[random.below(class.list.len())]);
            }
        }
        left -= count;
    }
    // Pages in any language have words of others.
    if wanted > 3 && !others.is_empty() && random.below(10) == 0 {
        let other = others[random.below(others.len())];
        for _ in 0..1 + wanted / 8 {
            if !other.drawn.is_empty() {
                push(&other.drawn[random.below(other.drawn.len())]);
            }
        }
    }
}

/// Trains a model and returns its file.
pub fn train(classes: &[Class], samples: usize, random: &mut Random) -> Vec<u8> {
    let mut ranges = Vec::<Range<usize>>::new();
    for group in GROUPS {
        let start = ranges.last().map_or(0, |r| r.end);
        ranges.push(start..start + group.languages.len());
    }
    let mut cumulated = Vec::new();
    let mut sum = 0.0;
    for class in classes {
        let any = !class.lines.is_empty() || !class.drawn.is_empty() || !class.list.is_empty();
        sum += if !any {
            0.0
        } else if class.drawn.is_empty() {
            1.0
        } else {
            3.0
        };
        cumulated.push(sum);
    }
    let mut model = Model {
        vectors: (0..BUCKETS).map(|_| [0.0; RANK].map(|_: f32| (random.share() as f32 - 0.5) / RANK as f32)).collect(),
        squares: vec![1e-4; BUCKETS],
        outputs: (0..classes.len()).map(|_| [0.0; RANK].map(|_: f32| random.share() as f32 - 0.5)).collect(),
        bias: vec![0.0; classes.len()],
        output_squares: vec![1e-2; classes.len()],
    };
    let english: Vec<&Class> =
        GROUPS[0].languages.iter().position(|l| *l == "en").map(|i| &classes[i]).into_iter().collect();
    let mut features = Vec::new();
    let (mut loss, mut right) = (0.0f64, 0usize);
    const SHOWN: usize = 250_000;
    for step in 0..samples {
        let at = random.share() * sum;
        let class = cumulated.partition_point(|c| *c <= at);
        let group = ranges.iter().position(|r| r.contains(&class)).unwrap_or(0);
        sample(&classes[class], if group == 0 { &english } else { &[] }, random, &mut features);
        let rate = RATE * (1.0 - step as f32 / samples as f32);
        let (p, hit) = model.step(&features, class, ranges[group].clone(), rate);
        loss -= libm::log(p.max(1e-30).into());
        right += usize::from(hit);
        if (step + 1) % SHOWN == 0 {
            println!("{}: loss {:.4}, {:.4} right", step + 1, loss / SHOWN as f64, right as f64 / SHOWN as f64);
            (loss, right) = (0.0, 0);
        }
    }
    model.file()
}

impl Model {
    /// Learns from one text. Returns the probability of its language before, and whether it was the largest.
    fn step(&mut self, features: &[usize], class: usize, range: Range<usize>, rate: f32) -> (f32, bool) {
        let scale = 1.0 / (features.len() as f32).sqrt();
        let mut hidden = [0.0f32; RANK];
        for f in features {
            for (h, v) in hidden.iter_mut().zip(&self.vectors[*f]) {
                *h += v;
            }
        }
        hidden = hidden.map(|h| h * scale);
        let mut p: Vec<f32> = range
            .clone()
            .map(|c| self.bias[c] + self.outputs[c].iter().zip(&hidden).map(|(w, h)| w * h).sum::<f32>())
            .collect();
        let top = p.iter().copied().fold(f32::MIN, f32::max);
        p.iter_mut().for_each(|x| *x = libm::expf(*x - top));
        let total: f32 = p.iter().sum();
        p.iter_mut().for_each(|x| *x /= total);
        let own = p[class - range.start];
        let hit = p.iter().all(|x| *x <= own);
        if own > 0.9995 {
            return (own, hit);
        }
        let mut back = [0.0f32; RANK];
        for (i, c) in range.clone().enumerate() {
            let error = p[i] - f32::from(c == class);
            if error.abs() < 1e-5 {
                continue;
            }
            let outputs = &mut self.outputs[c];
            for (b, w) in back.iter_mut().zip(outputs.iter()) {
                *b += error * w;
            }
            let size = hidden.iter().map(|h| h * h).sum::<f32>() / RANK as f32;
            self.output_squares[c] += error * error * size;
            let speed = rate / self.output_squares[c].sqrt();
            for (w, h) in outputs.iter_mut().zip(&hidden) {
                *w -= speed * error * h;
            }
            self.bias[c] -= rate * 0.1 * error;
        }
        let size = back.iter().map(|b| b * b).sum::<f32>() / RANK as f32 * scale * scale;
        for f in features {
            self.squares[*f] += size;
            let speed = rate * scale / self.squares[*f].sqrt();
            for (v, b) in self.vectors[*f].iter_mut().zip(&back) {
                *v -= speed * b;
            }
        }
        (own, hit)
    }

    /// Writes the model: four bits per number of a vector, an odd number from -15 to 15; then the size of a step, and the outputs.
    fn file(&self) -> Vec<u8> {
        let count = (BUCKETS * RANK) as f64;
        let squares: f64 = self.vectors.iter().flatten().map(|v| f64::from(*v) * f64::from(*v)).sum();
        let step = (STEP * (squares / count).sqrt()) as f32;
        let level = |v: f32| ((v / step).floor() + 8.0).clamp(0.0, 15.0) as u8;
        let mut out = Vec::new();
        for vector in &self.vectors {
            let (low, high) = vector.split_at(RANK / 2);
            out.extend(low.iter().zip(high).map(|(l, h)| level(*l) | (level(*h) << 4)));
        }
        out.extend((step / 2.0).to_le_bytes());
        for (w, b) in self.outputs.iter().zip(&self.bias) {
            w.iter().chain([b]).for_each(|x| out.extend(x.to_le_bytes()));
        }
        out
    }
}
