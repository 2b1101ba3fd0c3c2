//! Features of the second stage: what the first stage thinks of the blocks around.
use crate::blocks::Blocks;
use crate::features::Features;

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
