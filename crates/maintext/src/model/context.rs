//! Features of the second stage: what the first stage thinks of the blocks around.
use super::choose::{choose, expected_f1};
use crate::blocks::Blocks;
use crate::features::{Features, heading_of};
use std::ops::Range;

/// Neighbours on each side whose probability is a feature.
const NEIGHBOURS: usize = 5;
/// Grown ancestors whose mean probability is a feature.
const LEVELS: usize = 7;

/// Appends the context columns to a table: probabilities of neighbours, grown ancestors, same-path blocks, and of the page.
pub fn add_context(features: &mut Features, blocks: &Blocks, paths: &[u32], p: &[f32]) {
    let n = blocks.len();
    let words: Vec<f64> = blocks.blocks.iter().map(|b| b.words.max(1) as f64).collect();
    let mut mass = vec![0.0; n + 1];
    let mut sizes = vec![0.0; n + 1];
    for i in 0..n {
        mass[i + 1] = mass[i] + p[i] as f64 * words[i];
        sizes[i + 1] = sizes[i] + words[i];
    }
    let mean = |a: usize, b: usize| ((mass[b] - mass[a]) / (sizes[b] - sizes[a]).max(1.0)) as f32;
    let total = mass[n].max(1e-6);
    features.add("p", |i| p[i]);
    for k in 1..=NEIGHBOURS {
        features.add_level("p_prev", k, |i| if i >= k { p[i - k] } else { -1.0 });
        features.add_level("p_next", k, |i| p.get(i + k).copied().unwrap_or(-1.0));
    }
    for k in [2usize, 5, 10, 20] {
        features.add_level("p_around", k, |i| mean(i.saturating_sub(k), (i + k + 1).min(n)));
        features.add_level("p_before", k, |i| mean(i.saturating_sub(k), i));
        features.add_level("p_after", k, |i| mean((i + 1).min(n), (i + k + 1).min(n)));
    }
    let chains: Vec<[(u32, u32); LEVELS]> = (0..n).map(|i| grown(blocks, i)).collect();
    let range_at = |i: usize, k: usize| (chains[i][k].0 as usize, chains[i][k].1 as usize);
    for k in 0..LEVELS {
        let range = |i| range_at(i, k);
        features.add_level("p_up", k, |i| mean(range(i).0, range(i).1));
        features.add_level("p_share_up", k, |i| ((mass[range(i).1] - mass[range(i).0]) / total) as f32);
    }
    let groups = paths;
    let count = groups.iter().max().map_or(0, |g| *g as usize + 1);
    let mut group = vec![(0.0, 0.0, 0.0f32); count];
    for i in 0..n {
        let g = &mut group[groups[i] as usize];
        g.0 += p[i] as f64 * words[i];
        g.1 += words[i];
        g.2 = g.2.max(p[i]);
    }
    features.add("p_path", |i| (group[groups[i] as usize].0 / group[groups[i] as usize].1) as f32);
    features.add("p_path_max", |i| group[groups[i] as usize].2);
    features.add("p_path_share", |i| (group[groups[i] as usize].0 / total) as f32);
    let max = p.iter().copied().fold(0.0, f32::max);
    let page = mean(0, n);
    let first = p.iter().position(|x| *x > 0.5).map_or(-1.0, |x| x as f32);
    let last = p.iter().rposition(|x| *x > 0.5).map_or(-1.0, |x| x as f32);
    let kept: f64 = (0..n).filter(|&i| p[i] > 0.5).map(|i| words[i]).sum();
    let sure: f64 = (0..n).map(|i| words[i] * (2.0 * p[i] as f64 - 1.0).abs()).sum();
    features.add("p_page", |_| page);
    features.add("p_page_max", |_| max);
    features.add("p_page_kept_words", |_| (kept as f32).ln_1p());
    features.add("p_page_certainty", |_| (sure / sizes[n].max(1.0)) as f32);
    features.add("p_mass_before", |i| (mass[i] / total) as f32);
    features.add("p_since_first", |i| if first < 0.0 { -1000.0 } else { i as f32 - first });
    features.add("p_until_last", |i| if last < 0.0 { -1000.0 } else { last - i as f32 });
    let sums = Sums { mass, sizes };
    add_region(features, blocks, &sums);
    add_choice(features, blocks, p);
    add_sections(features, blocks, p, &sums);
}

/// Prefix sums over the blocks: probability times words, and words.
struct Sums {
    mass: Vec<f64>,
    sizes: Vec<f64>,
}

impl Sums {
    fn mass(&self, r: &Range<usize>) -> f64 {
        self.mass[r.end] - self.mass[r.start]
    }
    fn size(&self, r: &Range<usize>) -> f64 {
        self.sizes[r.end] - self.sizes[r.start]
    }
    /// Mean probability of the words.
    fn mean(&self, r: &Range<usize>) -> f32 {
        (self.mass(r) / self.size(r).max(1.0)) as f32
    }
}

/// The element that would make the best content as a whole, by expected F1, and where each block stands to it.
fn add_region(features: &mut Features, blocks: &Blocks, sums: &Sums) {
    let n = blocks.len();
    let total = sums.mass(&(0..n));
    let (mut best, mut best_f1) = (0..0, -1.0);
    for e in &blocks.elements {
        let r = e.blocks.start as usize..e.blocks.end as usize;
        let f1 = 2.0 * sums.mass(&r) / (sums.size(&r) + total).max(1e-6);
        // Of equals the innermost.
        if f1 >= best_f1 {
            (best, best_f1) = (r, f1);
        }
    }
    let (a, b) = (best.start, best.end);
    features.add("region_distance", |i| match i {
        i if i < a => i as f32 - a as f32,
        i if i >= b => (i + 1 - b) as f32,
        _ => 0.0,
    });
    features.add("region_place", |i| if best.contains(&i) { (i - a) as f32 / (b - a) as f32 } else { -1.0 });
    features.add("region_f1", |_| best_f1 as f32);
    features.add("region_share", |_| (sums.size(&best) / sums.sizes[n].max(1.0)) as f32);
    features.add("region_mean", |_| sums.mean(&best));
}

/// What the expected-F1 rule would keep.
fn add_choice(features: &mut Features, blocks: &Blocks, p: &[f32]) {
    let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
    let kept = choose(p, &words, 1.0);
    let lowest = p.iter().zip(&kept).filter(|(_, k)| **k).map(|(p, _)| *p).fold(1.0, f32::min);
    let f1 = expected_f1(p.iter().zip(&words).zip(&kept).map(|((p, w), k)| (*p, *w, *k)));
    features.add("choice_margin", |i| p[i] - lowest);
    features.add("choice_lowest", |_| lowest);
    features.add("choice_f1", |_| f1);
}

/// The blocks from one heading to the next, and those in a row that look alike.
fn add_sections(features: &mut Features, blocks: &Blocks, p: &[f32], sums: &Sums) {
    let heading: Vec<bool> =
        blocks.blocks.iter().map(|b| heading_of(&blocks.elements, b.element as usize) > 0).collect();
    let section = runs(p.len(), |i| !heading[i]);
    let likely = runs(p.len(), |i| (p[i] > 0.5) == (p[i - 1] > 0.5));
    features.add("section_mean", |i| sums.mean(&section[i]));
    features.add("section_words", |i| (sums.size(&section[i]) as f32).ln_1p());
    features.add("section_head", |i| p[section[i].start]);
    features.add("section_next", |i| p.get(section[i].end).copied().unwrap_or(-1.0));
    features.add("run_words", |i| (sums.size(&likely[i]) as f32).ln_1p());
}

/// Cuts `0..n` into runs and gives each place its run; `joins(i)` tells whether `i` belongs to the run of `i - 1`.
fn runs(n: usize, joins: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut out = Vec::with_capacity(n);
    let mut start = 0;
    for end in 1..=n {
        if end == n || !joins(end) {
            out.extend(std::iter::repeat_n(start..end, end - start));
            start = end;
        }
    }
    out
}

/// The names of the context columns, in their order.
pub fn names() -> Vec<String> {
    let mut f = Features::new(0, None);
    add_context(&mut f, &Blocks::default(), &[], &[]);
    f.names().to_vec()
}

/// Block ranges of the grown ancestors: each holds more blocks than the one before.
fn grown(blocks: &Blocks, i: usize) -> [(u32, u32); LEVELS] {
    let mut out = [(i as u32, i as u32 + 1); LEVELS];
    let mut e = blocks.blocks[i].container as usize;
    for k in 0..LEVELS {
        let below = if k == 0 { 1 } else { out[k - 1].1 - out[k - 1].0 };
        while blocks.elements[e].blocks.len() as u32 <= below && e != 0 {
            e = blocks.elements[e].parent as usize;
        }
        let r = &blocks.elements[e].blocks;
        out[k] = (r.start, r.end);
    }
    out
}
