//! The training of the model of page types, and its measurement.
use crate::data::{Page, set_name};
use crate::entries_annotated as autopager;
use crate::error::Error;
use crate::gbdt::{Binned, LogLoss, Random, Settings, columns_of};
use crate::learned::{self, FOLDS, fold_of, one_in, train_mean};
use crate::shipped;
use maintext::blocks::Blocks;
use maintext::features::tokens::{KINDS, Table};
use maintext::method::View;
use maintext::model::forest::sigmoid;
use maintext::model::{Decision, Learned, Pack};
use maintext::page_type::{KIND, PageFacts, PageType, facts, merged, names, normalized, token_scores};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A page of a known kind.
pub struct Sample {
    /// The set.
    pub set: String,
    /// Index of [`KINDS`].
    pub kind: usize,
    /// What it counts in training.
    weight: f32,
    fold: usize,
    facts: PageFacts,
    /// What is known of it without its address, if it is learned from like that.
    unaddressed: Option<PageFacts>,
}

impl Sample {
    /// What is known of the page.
    pub fn facts(&self) -> &PageFacts {
        &self.facts
    }
}

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 100, learning_rate: 0.08, l2: 2.0, feature_share: 0.4, page_share: 0.8, seed }
}

/// The sets that the shipped model learns from, beside those [`OF_ONE_KIND`]. Only wcxb-dev has all kinds, and it is in English.
const MIXED: [&str; 2] = ["wcxb-dev", autopager::SET];

/// By kind, members that are of it.
type Kinds<T> = [(&'static str, &'static [T])];

/// Sets whose pages are all of one kind. They teach what it looks like in other languages and on other sites.
const OF_ONE_KIND: &Kinds<&str> = &[
    (
        "article",
        &[
            "fundus",
            "misinfo-crawler",
            "magic-html-article",
            "trafilatura-eval",
            "htmldate-default",
            "postlight-fixtures",
            "mercury-fork-fixtures",
            "newspaper4k",
            "recipe-scrapers",
        ],
    ),
    ("forum", &["magic-html-forum", "web-forum-52"]),
    ("product", &["zyte-product"]),
];
/// What a page of them counts in training.
const OTHER: f32 = 0.15;

/// One page in this many is learned from as if its address were not known, as it is of pages that come from files.
const UNADDRESSED: u64 = 3;

/// Sets whose pages are all of one kind, and that are measured on only.
const MEASURED: &Kinds<&str> = &[
    ("listing", &["zhao1-list", "zhao3-list"]),
    ("article", &["dragnet", "l3s-gn1", "zh-news-wwwxmu", "daniel-multiling", "msv-big9"]),
];

/// Kinds of pages of autopager-pagination, which itself says none: our own annotation, by the pages' numbers. Boards of forums, front
/// pages of companies, and what is of two kinds at once are left out.
const ANNOTATED: &Kinds<u16> = &[
    (
        "listing",
        &[
            9, 10, 11, 12, 13, 22, 23, 25, 26, 27, 39, 40, 46, 50, 51, 73, 74, 75, 79, 80, 81, 95, 96, 97, 98, 99, 100,
            101, 102, 103, 104, 105, 106, 107, 110, 111, 114, 115, 116, 117, 118, 119, 124, 125, 126, 130, 131, 146,
            147, 148, 149, 151, 152, 153, 154, 161, 162, 163, 165, 166, 167, 169, 170, 171, 173, 174, 175, 176, 180,
            181, 182, 184, 185, 187, 188, 192,
        ],
    ),
    ("collection", &[6, 7, 8, 17, 18, 19, 52, 53, 93, 94, 108, 109, 121, 122, 128, 197, 198, 199, 200]),
    ("forum", &[38, 42, 62]),
    ("article", &[83, 84, 132, 150, 155]),
];

/// The kind that has a member.
fn kind_in<T: PartialEq<M>, M: Copy>(kinds: &Kinds<T>, member: M) -> Option<&'static str> {
    kinds.iter().find(|(_, members)| members.iter().any(|m| *m == member)).map(|(kind, _)| *kind)
}

/// The kind of a page: as it says itself, as its set does, or as we do.
fn kind_of(page: &Page, set: &str) -> Option<usize> {
    let of_all = || kind_in(OF_ONE_KIND, set).or_else(|| kind_in(MEASURED, set));
    let annotated = || kind_in(ANNOTATED, page.id.parse::<u16>().ok().filter(|_| set == autopager::SET)?);
    let kind = page.page_type.as_deref().or_else(of_all).or_else(annotated)?;
    KINDS.iter().position(|k| *k == kind)
}

/// The sets below `data` that the shipped model learns from.
pub fn training_sets(data: &Path) -> Vec<PathBuf> {
    let sets = MIXED.iter().chain(OF_ONE_KIND.iter().flat_map(|(_, sets)| *sets));
    sets.map(|set| data.join(format!("train/{set}.jsonl.zst"))).collect()
}

/// The pages of known kind of some sets. With `held_out` they are seen as the content model sees pages of sites that it has not learned
/// from: it is trained by folds for it, which takes minutes, on the pages whose content is known; the shipped one has not learned from the
/// others.
pub fn samples(sets: &[PathBuf], held_out: bool, progress: impl FnMut(&str)) -> Result<Vec<Sample>, Error> {
    let mut pages = Vec::new();
    for set in sets {
        let name = set_name(set);
        let known = crate::data::read(set)?.into_iter().filter_map(|p| Some((kind_of(&p, &name)?, p)));
        pages.extend(known.map(|(kind, page)| (page, name.clone(), kind)));
    }
    let mut decisions = if held_out { held_out_decisions(&pages, progress) } else { Vec::new() };
    decisions.resize(pages.len(), None);
    let model = Learned::shipped().map_err(|e| Error::other(e.to_string()))?;
    let one = |((page, set, kind), decision): (&(Page, String, usize), Option<Decision>)| {
        let text = page.decoded();
        let dom = maintext::dom::parse(&text, &Default::default());
        let blocks = Blocks::new(&dom);
        let decision = decision.unwrap_or_else(|| model.decide(&dom, &blocks));
        let view = View { source: &text, dom: &dom, blocks: &blocks, url: page.url.as_deref() };
        Sample {
            set: set.clone(),
            kind: *kind,
            weight: kind_in(OF_ONE_KIND, set.as_str()).map_or(1.0, |_| OTHER),
            fold: fold_of(&page.site),
            unaddressed: one_in(UNADDRESSED, &page.id).then(|| facts(&View { url: None, ..view }, &decision)),
            facts: facts(&view, &decision),
        }
    };
    Ok(pages.par_iter().zip(decisions).map(one).collect())
}

/// What content models say of the pages whose content is known, each by one that has not seen the page's site.
fn held_out_decisions(pages: &[(Page, String, usize)], mut progress: impl FnMut(&str)) -> Vec<Option<Decision>> {
    let made: Vec<Option<learned::Sample>> = pages.par_iter().map(|(p, set, _)| shipped::sample(p, set)).collect();
    let (places, samples): (Vec<usize>, Vec<learned::Sample>) =
        made.into_iter().enumerate().filter_map(|(i, s)| Some((i, s?))).unzip();
    let mut out = vec![None; pages.len()];
    if samples.is_empty() {
        return out;
    }
    let fold: Vec<usize> = samples.iter().map(|s| fold_of(&s.site)).collect();
    let rows = shipped::rows(&samples);
    let run = shipped::settings(1);
    let outcome = learned::cross_validate(&samples, &fold, &rows, &run, |m| progress(&format!("content, {m}")));
    let decided = learned::decide(&samples, &fold, &rows, &outcome, &run.confidence).2;
    let said = decided.probabilities.into_iter().zip(decided.keep).zip(decided.foreseen);
    for (place, ((probabilities, keep), foreseen)) in places.into_iter().zip(said) {
        out[place] = Some(Decision { probabilities, keep, confidence: foreseen as f32 });
    }
    out
}

/// What the pages that use a name must count together before it gets a score.
const MIN_PAGES: f32 = 6.0;
/// Weights nearer to zero are not kept.
const MIN_WEIGHT: f32 = 0.6;
/// Forests for each question whose mean is taken.
const FORESTS: u64 = 3;

/// Passes over the pages, and the penalty on the weights of names.
const EPOCHS: usize = 40;
const PENALTY: f32 = 2e-4;
/// First step of the gradient descent; AdaGrad shortens the steps of names that are common.
const STEP: f32 = 0.3;

/// Weights of names by kind: logistic regressions of each kind against the others, over the names that a page has, each of which counts
/// one over the root of their number. Gradient descent with the steps of Duchi, Hazan and Singer, *Adaptive subgradient methods* (2011).
fn fit_tokens<'a>(samples: impl Iterator<Item = &'a Sample>) -> Vec<Table<f32>> {
    let samples: Vec<&Sample> = samples.collect();
    let mut pages: HashMap<u32, f32> = HashMap::new();
    for s in &samples {
        s.facts.tokens.iter().for_each(|t| *pages.entry(*t).or_default() += s.weight);
    }
    let mut known: Vec<u32> = pages.into_iter().filter(|(_, n)| *n >= MIN_PAGES).map(|(t, _)| t).collect();
    known.sort_unstable();
    let rows: Vec<Vec<usize>> =
        samples.iter().map(|s| s.facts.tokens.iter().filter_map(|t| known.binary_search(t).ok()).collect()).collect();
    let one = |k: usize| {
        let (mut w, mut squares, mut bias) = (vec![0.0f32; known.len()], vec![1e-3f32; known.len()], -2.0f32);
        let mut random = Random(k as u64 + 1);
        let mut order: Vec<usize> = (0..samples.len()).collect();
        for _ in 0..EPOCHS {
            for i in (1..order.len()).rev() {
                order.swap(i, (random.unit() * (i + 1) as f64) as usize);
            }
            for &i in &order {
                let x = 1.0 / (rows[i].len().max(1) as f32).sqrt();
                let score = bias + x * rows[i].iter().map(|&t| w[t]).sum::<f32>();
                let g = samples[i].weight * (sigmoid(score) - (samples[i].kind == k) as u8 as f32);
                bias -= 0.02 * g;
                for &t in &rows[i] {
                    let d = g * x + PENALTY * w[t];
                    squares[t] += d * d;
                    w[t] -= STEP * d / squares[t].sqrt();
                }
            }
        }
        Table(known.iter().copied().zip(w).filter(|(_, w)| w.abs() >= MIN_WEIGHT).collect())
    };
    (0..KINDS.len()).into_par_iter().map(one).collect()
}

/// Trains on all samples and on all but each fold; gives the model and the out-of-fold answers.
pub fn train_page_type(samples: &[Sample], settings: &Settings) -> (Pack, Vec<PageType>) {
    let mut out = vec![None; samples.len()];
    let mut pack = Pack { kind: KIND.into(), names: names(), ..Pack::default() };
    for held_out in 0..=FOLDS {
        let fitted: Vec<HashMap<u32, [f32; KINDS.len()]>> = (0..=FOLDS)
            .into_par_iter()
            .map(|f| merged(&fit_tokens(samples.iter().filter(|s| s.fold != held_out && s.fold != f))))
            .collect();
        let row = |s: &Sample| {
            let facts = s.unaddressed.as_ref().filter(|_| s.fold != held_out).unwrap_or(&s.facts);
            let mut v = facts.values.clone();
            v.extend(token_scores(&facts.tokens, |h| fitted[s.fold].get(&h).copied()));
            v
        };
        let rows: Vec<Vec<f32>> = samples.par_iter().map(row).collect();
        let columns = columns_of(&rows, pack.names.len());
        let data = Binned::with_bins(&columns, 48);
        let pages: Vec<u32> = (0..samples.len() as u32).collect();
        let active: Vec<bool> = samples.iter().map(|s| s.fold != held_out).collect();
        let weights: Vec<f32> = samples.iter().map(|s| s.weight).collect();
        let mut p = vec![[0.0f32; KINDS.len()]; samples.len()];
        let mut list = vec![0.0f32; samples.len()];
        // A forest a kind, and one that knows lists of both kinds from all else.
        for k in 0..=KINDS.len() {
            let is = |s: &Sample| if k < KINDS.len() { s.kind == k } else { is_list(s.kind) };
            let labels: Vec<f32> = samples.iter().map(|s| is(s) as u8 as f32).collect();
            let objective = LogLoss { labels: &labels, weights: &weights };
            let (forest, scores) = train_mean(FORESTS, &data, &pages, &active, &objective, settings);
            match k < KINDS.len() {
                true => scores.iter().zip(&mut p).for_each(|(s, p)| p[k] = sigmoid(*s)),
                false => scores.iter().zip(&mut list).for_each(|(s, l)| *l = sigmoid(*s)),
            }
            if held_out == FOLDS {
                pack.forests.push(forest);
            }
        }
        for i in (0..samples.len()).filter(|&i| samples[i].fold == held_out) {
            out[i] = Some(PageType::new(normalized(p[i]), list[i]));
        }
    }
    pack.tables = fit_tokens(samples.iter());
    (pack, out.into_iter().flatten().collect())
}

/// How the kinds of a set's pages are told.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// The set.
    pub set: String,
    /// Its pages of known kind.
    pub pages: usize,
    /// Share of right answers.
    pub accuracy: f64,
    /// Share of right answers to whether a page is a list, a listing or a collection.
    pub list_accuracy: f64,
    /// The kinds, in the matrix's order.
    pub kinds: [&'static str; KINDS.len()],
    /// Pages by kind and answer: `matrix[truth][answer]`.
    pub matrix: [[usize; KINDS.len()]; KINDS.len()],
}

impl Told {
    /// Compares the answers with the truth, a set at a time, in the order of the samples.
    pub fn by_set(samples: &[Sample], answers: &[PageType]) -> Vec<Told> {
        let mut out: Vec<Told> = Vec::new();
        for (s, a) in samples.iter().zip(answers) {
            if out.last().is_none_or(|t| t.set != s.set) {
                let set = s.set.clone();
                out.push(Told {
                    set,
                    pages: 0,
                    accuracy: 0.0,
                    list_accuracy: 0.0,
                    kinds: KINDS,
                    matrix: Default::default(),
                });
            }
            let Some(t) = out.last_mut() else { continue };
            t.pages += 1;
            t.list_accuracy += f64::from(u8::from(is_list(s.kind) == (a.list > 0.5)));
            if let Some(answer) = KINDS.iter().position(|k| *k == a.page_type) {
                t.matrix[s.kind][answer] += 1;
            }
        }
        for t in &mut out {
            let right: usize = (0..KINDS.len()).map(|k| t.matrix[k][k]).sum();
            t.accuracy = right as f64 / t.pages as f64;
            t.list_accuracy /= t.pages as f64;
        }
        out
    }

    /// Whether the set has pages of several kinds.
    pub fn is_mixed(&self) -> bool {
        self.matrix.iter().filter(|answers| answers.iter().any(|n| *n > 0)).count() > 1
    }
}

/// Whether pages of a kind are lists.
fn is_list(kind: usize) -> bool {
    matches!(KINDS[kind], "listing" | "collection")
}
