//! Corrections by the similarities of the pages of a site: training, and word F1 with and without them.
use crate::Error;
use crate::data::{self, Page};
use crate::held_out::HeldOut;
use crate::learned::{self, FOLDS, fold_of};
use crate::score::{Tokens, prf};
use crate::shipped;
use maintext_core::Choice;
use maintext_core::method::{Favor, Method, View};
use maintext_core::model::Learned;
use maintext_core::model::forest::sigmoid;
use maintext_core::model::prefer;
use maintext_core::model::site::{EVIDENCE, MIN_OTHERS, SAMPLE, Sample, Site, Trace, Weights};
use maintext_core::{Extractor, Options};
use maintext_learn::gbdt::Random;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Samples of different sizes from each site, so that the weights fit sites of few pages, too.
const SAMPLES: usize = 4;
/// Log-odds below which a block is not doubtful and teaches nothing.
const DOUBTFUL: f32 = -2.0;
/// Penalty on the squared weights, as a share of one page's weight.
const L2: f64 = 0.05;
/// Rounds of coordinate descent; the weights no longer change after about 20.
const ROUNDS: usize = 100;

/// A page with its trace.
struct Traced {
    set: String,
    page: Page,
    /// Out-of-fold log-odds, if the content model was trained on the page.
    scores: Option<Vec<f32>>,
    trace: Trace,
}

/// The pages of a site.
pub struct SitePages {
    site: String,
    pages: Vec<Traced>,
}

impl SitePages {
    /// Returns the counts over some of the pages.
    fn site_of(&self, numbers: impl Iterator<Item = usize>) -> Option<Site> {
        let mut sample = Sample::default();
        for i in numbers.take(SAMPLE) {
            sample.add(i as u64, self.pages[i].trace.clone());
        }
        sample.site()
    }
}

/// Reads the sites with at least three pages, of which one or more have a gold text. `sets` are the files; the pages of a site in several
/// files belong together.
///
/// # Errors
/// A file cannot be read.
pub fn read(sets: &[std::path::PathBuf], scores: &HeldOut) -> Result<Vec<SitePages>, Error> {
    let mut sites: BTreeMap<String, Vec<(String, Page)>> = BTreeMap::new();
    for path in sets {
        let set = data::set_name(path);
        for page in data::read(path)?.into_iter().filter(|p| !p.html.is_empty() && !p.site.is_empty()) {
            sites.entry(page.site.clone()).or_default().push((set.clone(), page));
        }
    }
    let model = Learned::shipped().map_err(|e| Error::other(e.to_string()))?;
    let wanted: Vec<_> = sites
        .into_iter()
        .filter(|(_, pages)| pages.len() > MIN_OTHERS && pages.iter().any(|p| gold(&p.1).is_some()))
        .collect();
    Ok(wanted
        .into_par_iter()
        .map(|(site, pages)| SitePages {
            site,
            pages: pages
                .into_iter()
                .map(|(set, page)| {
                    let scores = scores.get(&set, &page.id).map(<[f32]>::to_vec);
                    let text = page.decoded();
                    let dom = maintext_core::dom::parse(&text, &Default::default());
                    let trace = model.trace(&dom, &maintext_core::blocks::Blocks::new(&dom), scores.clone());
                    drop(dom);
                    Traced { set, scores, trace, page: Page { html: text.into_owned().into_bytes(), ..page } }
                })
                .collect(),
        })
        .collect())
}

fn gold(page: &Page) -> Option<&str> {
    page.text.as_deref().filter(|text| !text.trim().is_empty())
}

/// A block of a page with a gold text.
struct Row {
    evidence: [f32; EVIDENCE.len()],
    score: f32,
    /// Its share of content.
    label: f32,
    weight: f32,
}

/// The weights, and the weights of cross-validation.
pub struct Trained {
    /// Those fitted to all sites.
    pub weights: Weights,
    /// For each fold, those fitted to the other folds.
    folds: Vec<Weights>,
}

/// Fits the weights to the sites.
#[must_use]
pub fn train(sites: &[SitePages], seed: u64) -> Trained {
    let rows: Vec<Vec<Row>> = sites.par_iter().enumerate().map(|(i, site)| rows_of(site, seed ^ i as u64)).collect();
    let of_fold = |fold: Option<usize>| -> Vec<&Row> {
        let seen = sites.iter().zip(&rows).filter(|(site, _)| fold.is_none_or(|k| fold_of(&site.site) != k));
        seen.flat_map(|(_, rows)| rows).collect()
    };
    let folds = (0..FOLDS).into_par_iter().map(|k| fit(&of_fold(Some(k)))).collect();
    Trained { weights: fit(&of_fold(None)), folds }
}

/// Minimises the log-loss of the corrected scores by Newton steps, one weight after another.
fn fit(rows: &[&Row]) -> Weights {
    let mut weights = [0.0f64; EVIDENCE.len()];
    let mut scores: Vec<f64> = rows.iter().map(|r| f64::from(r.score)).collect();
    for _ in 0..ROUNDS {
        for (k, weight) in weights.iter_mut().enumerate() {
            let (mut g, mut h) = (2.0 * L2 * *weight, 2.0 * L2);
            for (row, score) in rows.iter().zip(&scores).filter(|(r, _)| r.evidence[k] != 0.0) {
                let (x, p) = (f64::from(row.evidence[k]), f64::from(sigmoid(*score as f32)));
                g += f64::from(row.weight) * (p - f64::from(row.label)) * x;
                h += f64::from(row.weight) * p * (1.0 - p) * x * x;
            }
            let step = g / h;
            *weight -= step;
            scores.iter_mut().zip(rows).for_each(|(s, r)| *s -= step * f64::from(r.evidence[k]));
        }
    }
    Weights(weights.map(|w| w as f32))
}

/// Returns the rows of a site: of each page with a gold text, compared with samples of different sizes. The rows of a page together weigh
/// at most 1 for all samples.
fn rows_of(site: &SitePages, seed: u64) -> Vec<Row> {
    let count = site.pages.len();
    let labelled: Vec<(usize, learned::Sample)> = (0..count)
        .filter_map(|i| {
            Some((i, gold(&site.pages[i].page).and_then(|_| shipped::sample(&site.pages[i].page, &site.pages[i].set))?))
        })
        .collect();
    let mut random = Random(seed);
    let mut out = Vec::new();
    for round in 0..SAMPLES {
        let extra = (random.next_u64() % (count - MIN_OTHERS) as u64) as usize;
        let size = if round == 0 { count } else { MIN_OTHERS + 1 + extra };
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).rev().for_each(|i| order.swap(i, (random.next_u64() % (i as u64 + 1)) as usize));
        order.truncate(size);
        let Some(counts) = site.site_of(order.iter().copied()) else { continue };
        for (i, sample) in labelled.iter().filter(|(i, _)| order.contains(i)) {
            let trace = &site.pages[*i].trace;
            let Some(evidence) = counts.evidence(trace) else { continue };
            let total: u32 = sample.labels.words.iter().sum();
            let rows = evidence.into_iter().zip(trace.scores()).zip(&sample.labels.share).zip(&sample.labels.words);
            for (((evidence, score), &label), words) in rows.filter(|r| r.0.0.1 > DOUBTFUL) {
                let weight = *words as f32 / total.max(1) as f32 / SAMPLES as f32;
                out.push(Row { evidence, score, label, weight });
            }
        }
    }
    out
}

/// Judges one page with its site.
struct OnSite {
    scores: Option<Vec<f32>>,
    site: Option<(Site, Weights)>,
}

impl Method for OnSite {
    fn name(&self) -> &'static str {
        "learned"
    }
    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        let Ok(model) = Learned::shipped() else { return Choice::default() };
        let scores = self.scores.clone().filter(|s| s.len() == page.blocks.len());
        let site = self.site.as_ref().map(|(site, weights)| (site, weights));
        let mut choice = model.decide_with(page.dom, page.blocks, scores, site);
        prefer(favor, page, &mut choice);
        choice
    }
    fn gives_probabilities(&self) -> bool {
        true
    }
}

/// Word F1 of the pages of a set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Number of pages.
    pub pages: usize,
    /// Sum of the F1 of each page alone.
    pub alone: f64,
    /// Sum of the F1 of each page with its site.
    pub with_site: f64,
    /// Pages that gain, or lose, more than 0.005.
    pub better: usize,
    /// Pages that lose more than 0.005.
    pub worse: usize,
}

/// Returns the figures by set. `weights` gives the weights for a site.
///
/// # Errors
/// The shipped models are damaged.
pub fn measure(
    sites: &[SitePages],
    weights: impl Fn(&str) -> Weights + Sync,
) -> Result<BTreeMap<String, Figures>, Error> {
    let jobs: Vec<(&SitePages, usize)> = sites
        .iter()
        .flat_map(|s| (0..s.pages.len()).map(move |i| (s, i)))
        .filter(|(s, i)| gold(&s.pages[*i].page).is_some())
        .collect();
    let all: Vec<Option<Site>> = sites.par_iter().map(|s| s.site_of(0..s.pages.len())).collect();
    let number: BTreeMap<&str, usize> = sites.iter().enumerate().map(|(i, s)| (s.site.as_str(), i)).collect();
    let one = |&(pages, i): &(&SitePages, usize)| -> Result<Option<(String, f64, f64)>, Error> {
        let traced = &pages.pages[i];
        let Some(site) = all[number[pages.site.as_str()]].clone() else { return Ok(None) };
        let truth = gold(&traced.page).unwrap_or_default();
        let f1 = |site: Option<(Site, Weights)>| {
            let mut options = Options::default();
            options.render.post_headers = false;
            let method = OnSite { scores: traced.scores.clone(), site };
            let mut extractor = Extractor::with_method(options, Box::new(method));
            let url = traced.page.url.as_deref().filter(|u| u.starts_with("http"));
            let page = extractor.extract_at(traced.page.html.as_slice(), url, Some("utf-8"));
            let text = page.map(|p| p.text().to_owned()).unwrap_or_default();
            prf(&text, truth, Tokens::Cjk).f1
        };
        Ok(Some((traced.set.clone(), f1(None), f1(Some((site, weights(&pages.site)))))))
    };
    let found: Vec<Option<(String, f64, f64)>> = jobs.par_iter().map(one).collect::<Result<_, _>>()?;
    let mut out: BTreeMap<String, Figures> = BTreeMap::new();
    for (set, alone, with_site) in found.into_iter().flatten() {
        let f = out.entry(set).or_default();
        f.pages += 1;
        f.alone += alone;
        f.with_site += with_site;
        f.better += usize::from(with_site > alone + 0.005);
        f.worse += usize::from(with_site < alone - 0.005);
    }
    Ok(out)
}

impl Trained {
    /// Returns the weights of the fold that has not seen a site.
    #[must_use]
    pub fn unseen(&self, site: &str) -> Weights {
        self.folds[fold_of(site)]
    }
}

/// Returns the set files below a folder.
///
/// # Errors
/// The folder cannot be read.
pub fn sets(data: &Path, part: &str) -> Result<Vec<std::path::PathBuf>, Error> {
    let mut sets = crate::page_sets(data)?;
    sets.retain(|p| p.parent().is_some_and(|d| d.ends_with(part)));
    Ok(sets)
}
