//! Trains and measures the model of list confidence.
use crate::Error;
use crate::data::{self, Page};
use crate::entries;
use crate::held_out::HeldOut;
use crate::learned::{FOLDS, fold_of, train_mean};
use crate::page_type::{self, Content, Material, kind_of};
use crate::readings::Readings;
use maintext_core::address::base_url;
use maintext_core::blocks::Blocks;
use maintext_core::features::Column;
use maintext_core::features::tokens::KINDS;
use maintext_core::list::columns::columns;
use maintext_core::list::confidence::{KIND, facts, names};
use maintext_core::list::{LinkModel, LinkTable, ListModel, group};
use maintext_core::method::{Favor, View};
use maintext_core::model::Pack;
use maintext_core::model::forest::sigmoid;
use maintext_core::page_type::{PageType, PageTyper};
use maintext_learn::gbdt::{Binned, LogLoss, Settings, columns_of};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use url::Url;

/// A page labelled as a list or not.
pub struct Sample {
    /// The set.
    pub set: String,
    /// Page id.
    pub id: String,
    /// Page type, one of [`KINDS`].
    pub kind: &'static str,
    /// Whether it is used for training.
    pub learned: bool,
    weight: f32,
    fold: usize,
    /// Its columns; `None` for a page without groups of links.
    pub facts: Option<Vec<Column>>,
}

impl Sample {
    /// Whether the page is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.kind, "listing" | "collection")
    }
}

/// Returns the settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 80, learning_rate: 0.08, l2: 4.0, feature_share: 0.4, page_share: 0.8, seed }
}

/// The training sets. Pages of sets with one page type only have less weight.
const SETS: [&str; 9] = [
    "wcxb-dev",
    "autopager-pagination",
    "search-results",
    "fundus",
    "misinfo-crawler",
    "naeb-newspaper4k",
    "trafilatura-eval",
    "magic-html-article",
    "zyte-product",
];
/// Sets with pages of several types.
const MIXED: [&str; 2] = ["wcxb-dev", "autopager-pagination"];
/// Weight of a page in a set with one page type only, unless it was read.
const OTHER: f32 = 0.3;
/// Sets used for measurement only.
const MEASURED: [&str; 2] = ["zhao1-list", "zhao3-list"];

fn kind(page: &Page, set: &str) -> Option<&'static str> {
    if set == "naeb-newspaper4k" {
        return Some("article");
    }
    kind_of(page, set).map(|k| KINDS[k])
}

/// Reads the pages of all sets below `data`, as seen by content models and models of entries that have not seen their sites.
///
/// # Errors
/// A set cannot be read.
pub fn samples(
    data: &Path,
    scores: &HeldOut,
    readings: &Readings,
    mut say: impl FnMut(&str),
) -> Result<Vec<Sample>, Error> {
    let out_of_fold = links_out_of_fold(data, &mut say)?;
    let kinds = kinds_out_of_fold(data, scores, readings)?;
    let shipped = LinkModel::shipped().map_err(|e| Error::other(e.to_string()))?;
    let mut out = Vec::new();
    let read = readings.sets().into_iter().filter(|set| !SETS.contains(set));
    let train = SETS.into_iter().chain(read).map(|s| (s, data.join(format!("train/{s}.jsonl.zst")), true));
    let eval = MEASURED.iter().map(|s| (*s, data.join(format!("eval/{s}.jsonl.zst")), false));
    for (set, path, learned) in train.chain(eval).collect::<Vec<(&str, PathBuf, bool)>>() {
        say(set);
        let pages = data::read(&path)?;
        let one = |page: &Page| -> Option<Result<Sample, Error>> {
            let reading = readings.get(set, &page.id);
            let kind = match reading {
                Some(reading) => KINDS.iter().copied().find(|kind| *kind == reading.kind)?,
                None => kind(page, set)?,
            };
            let known = out_of_fold.get(&(page.site.clone(), page.id.clone()));
            let said = kinds.get(&(set.to_owned(), page.id.clone()));
            let facts = page_facts(page, set, scores, &shipped, known.map(Vec::as_slice), said);
            Some(facts.map(|facts| Sample {
                set: set.to_owned(),
                id: page.id.clone(),
                kind,
                learned,
                weight: if reading.is_some() || MIXED.contains(&set) { 1.0 } else { OTHER },
                fold: fold_of(&page.site),
                facts,
            }))
        };
        let made: Vec<Sample> = pages.par_iter().filter_map(one).collect::<Result<_, _>>()?;
        out.extend(made);
    }
    Ok(out)
}

/// The probabilities of the links of pages, by site and id.
type LinkScores = HashMap<(String, String), Vec<f32>>;

/// Returns the probabilities of the links of each page used to train the model of entries, by a model without its site.
fn links_out_of_fold(data: &Path, say: &mut impl FnMut(&str)) -> Result<LinkScores, Error> {
    let (pages, texts) = entries::training_pages(data)?;
    let parsed = entries::parse_pages(&pages, &texts);
    let samples = entries::samples(&parsed);
    let trained = entries::train_entries(&samples, &entries::settings(1), say)?;
    let own = samples.iter().zip(trained.out_of_fold).filter(|(s, _)| s.page.page_type.is_some());
    Ok(own.map(|(s, p)| ((s.page.site.clone(), s.page.id.clone()), p)).collect())
}

/// Returns the page type of each page in the training sets of the page type model, by a model without its site.
fn kinds_out_of_fold(
    data: &Path,
    scores: &HeldOut,
    readings: &Readings,
) -> Result<HashMap<(String, String), PageType>, Error> {
    let sets = page_type::training_sets(data, readings);
    let samples = page_type::samples(&sets, Content::Scores(scores), readings, |_| ())?;
    let answers = Material::new(&samples).cross_validate(&page_type::settings(1));
    Ok(samples.iter().map(|s| (s.set.clone(), s.id.clone())).zip(answers).collect())
}

fn page_facts(
    page: &Page,
    set: &str,
    scores: &HeldOut,
    model: &LinkModel,
    known: Option<&[f32]>,
    said: Option<&PageType>,
) -> Result<Option<Vec<Column>>, Error> {
    let text = page.decoded();
    let dom = maintext_core::dom::parse(&text, &Default::default());
    let blocks = Blocks::new(&dom);
    let url = page.url.as_deref().and_then(|u| Url::parse(u).ok());
    let view = View { source: &text, dom: &dom, blocks: &blocks, url: url.as_ref().map(Url::as_str) };
    let choice = scores.method(set, &page.id)?.judge(&view, Favor::Balance);
    let typer = PageTyper::shipped().map_err(|e| Error::other(e.to_string()))?;
    let kind = said.cloned().unwrap_or_else(|| typer.classify(&view));
    let base = base_url(&dom, url.as_ref());
    let table = LinkTable::new(&dom, &blocks, base.as_ref());
    let groups = match known {
        Some(p) => group::rank(&table, &columns(&table, url.as_ref()).1, p, model),
        None => {
            let (p, keys) = model.judge(&table, url.as_ref());
            group::rank(&table, &keys, &p, model)
        }
    };
    Ok(facts(&table, &groups, &choice, kind.list, &kind.probabilities))
}

/// Number of forests that are averaged.
const FORESTS: u64 = 4;

/// Trains on the samples of the training sets, and on all except each fold. Returns the model and for each sample the probability of being
/// a list, by a model that has not seen its site.
///
/// # Errors
/// [`Error::Other`] if the trained model lacks a part.
pub fn train(samples: &[Sample], settings: &Settings) -> Result<(Pack, Vec<f32>), Error> {
    let known: Vec<(usize, &Vec<Column>)> = samples
        .iter()
        .enumerate()
        .filter(|(_, s)| s.learned)
        .filter_map(|(i, s)| Some((i, s.facts.as_ref()?)))
        .collect();
    let rows: Vec<Vec<f32>> = known.iter().map(|k| k.1.iter().map(|column| column.1).collect()).collect();
    let names: Vec<String> = names().into_iter().map(str::to_owned).collect();
    let data = Binned::with_bins(&columns_of(&rows, names.len()), 48);
    let pages: Vec<u32> = (0..rows.len() as u32).collect();
    let labels: Vec<f32> = known.iter().map(|k| samples[k.0].is_list() as u8 as f32).collect();
    let weights: Vec<f32> = known.iter().map(|k| samples[k.0].weight).collect();
    let objective = LogLoss { labels: &labels, weights: &weights };
    let mut out = vec![0.0; samples.len()];
    let mut pack = Pack { kind: KIND.into(), names, ..Pack::default() };
    for held_out in 0..=FOLDS {
        let active: Vec<bool> = known.iter().map(|k| samples[k.0].fold != held_out).collect();
        let (forest, scores) = train_mean(FORESTS, &data, &pages, &active, &objective, settings);
        for ((i, _), score) in known.iter().zip(&scores).filter(|((i, _), _)| samples[*i].fold == held_out) {
            out[*i] = sigmoid(*score);
        }
        if held_out == FOLDS {
            pack.forests.push(forest);
        }
    }
    let model = ListModel::new(pack.clone()).map_err(|e| Error::other(e.to_string()))?;
    for (p, s) in out.iter_mut().zip(samples).filter(|(_, s)| !s.learned) {
        *p = s.facts.as_ref().map_or(0.0, |f| model.judge(f));
    }
    Ok((pack, out))
}

/// Returns, for each set and page type, its number of pages and the share of them that are confidently lists.
pub fn shares(samples: &[Sample], confidence: &[f32], least: f32) -> Vec<(String, usize, f64)> {
    let mut by: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (s, p) in samples.iter().zip(confidence) {
        let e = by.entry(format!("{}, {}", s.set, s.kind)).or_default();
        e.0 += 1;
        e.1 += usize::from(*p >= least);
    }
    by.into_iter().map(|(name, (pages, lists))| (name, pages, lists as f64 / pages as f64)).collect()
}
