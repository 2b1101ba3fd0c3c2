//! Trains and measures the model of page types.
use crate::Error;
use crate::data::{Page, set_name};
use crate::entries_annotated as autopager;
use crate::held_out::HeldOut;
use crate::learned::{self, FOLDS, fold_of, one_in, train_mean};
use crate::name_weights::{self, Named};
use crate::readings::Readings;
use crate::shipped;
use crate::softmax;
use maintext_core::Choice;
use maintext_core::blocks::Blocks;
use maintext_core::features::tokens::{KINDS, Table};
use maintext_core::method::View;
use maintext_core::model::forest::{Forest, Tree, sigmoid};
use maintext_core::model::{Learned, Pack};
use maintext_core::page_type::{KIND, PLACES, PageFacts, PageType, WordScores, facts, names, together};
use maintext_learn::gbdt::{Binned, LogLoss, Settings, columns_of, train_classes};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A page of known type.
pub struct Sample {
    /// The set.
    pub set: String,
    /// Page id in the set.
    pub id: String,
    /// Index of [`KINDS`].
    pub kind: usize,
    /// Its weight in training.
    weight: f32,
    fold: usize,
    facts: PageFacts,
    /// Its facts without the address, if it is used for training that way.
    unaddressed: Option<PageFacts>,
}

impl Sample {
    /// Returns the facts used for training.
    pub fn facts(&self) -> &PageFacts {
        &self.facts
    }
}

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 80, learning_rate: 0.1, l2: 2.0, feature_share: 0.4, page_share: 0.8, seed }
}

/// Training sets of the shipped model in addition to [`OF_ONE_KIND`]. Only wcxb-dev has all page types, and it is in English.
const MIXED: [&str; 2] = [NATURAL, autopager::SET];
/// The set whose distribution of page types is assumed to be typical.
const NATURAL: &str = "wcxb-dev";

/// Members of each page type.
type Kinds<T> = [(&'static str, &'static [T])];

/// Sets with pages of one type only. They add examples in other languages and from other sites.
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
            "naeb-newspaper4k",
            "recipe-scrapers",
        ],
    ),
    ("forum", &["magic-html-forum", "web-forum-52"]),
    ("product", &["zyte-product"]),
    ("listing", &["search-results"]),
];
/// Weight of their pages in training.
const OTHER: f32 = 0.15;

/// One page in this many is used without its address, because pages from files have none.
const UNADDRESSED: u64 = 3;

/// Sets with pages of one type only, used for measurement only.
const MEASURED: &Kinds<&str> = &[
    ("listing", &["zhao1-list", "zhao3-list"]),
    ("article", &["dragnet", "l3s-gn1", "zh-news-wwwxmu", "daniel-multiling", "msv-big9"]),
];

/// Our own annotation of page types in autopager-pagination, by page number, because the set has none. Forum boards, front pages of
/// companies, and pages of two types at once are omitted.
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

/// Returns the page type of a member.
fn kind_in<T: PartialEq<M>, M: Copy>(kinds: &Kinds<T>, member: M) -> Option<&'static str> {
    kinds.iter().find(|(_, members)| members.iter().any(|m| *m == member)).map(|(kind, _)| *kind)
}

/// Returns the page type: as annotated in the page, implied by its set, or annotated by us.
pub fn kind_of(page: &Page, set: &str) -> Option<usize> {
    let of_all = || kind_in(OF_ONE_KIND, set).or_else(|| kind_in(MEASURED, set));
    let kind = page
        .page_type
        .as_deref()
        .or_else(of_all)
        .or_else(|| if set == autopager::SET { kind_in(ANNOTATED, page.id.parse::<u16>().ok()?) } else { None })?;
    KINDS.iter().position(|k| *k == kind)
}

/// Returns the training sets of the shipped model below `data`, and the other sets with labelled pages.
pub fn training_sets(data: &Path, readings: &Readings) -> Vec<PathBuf> {
    let own: Vec<&str> = MIXED.iter().chain(OF_ONE_KIND.iter().flat_map(|(_, sets)| *sets)).copied().collect();
    let others = readings.sets().into_iter().filter(|set| !own.contains(set));
    own.iter().copied().chain(others).map(|set| data.join(format!("train/{set}.jsonl.zst"))).collect()
}

/// The content model that reads the pages.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// The shipped model.
    Shipped,
    /// Models that have not seen the page's site, trained by folds, which takes minutes. Pages with unknown content use the shipped
    /// model, which was not trained on them.
    HeldOut,
    /// Like `HeldOut`, with stored scores from cross-validation. Pages without scores use the shipped model.
    Scores(&'a HeldOut),
}

/// Reads the pages of known type in some sets, as seen by a content model. What a reader said of a page counts before its annotation.
pub fn samples(
    sets: &[PathBuf],
    content: Content<'_>,
    readings: &Readings,
    progress: impl FnMut(&str),
) -> Result<Vec<Sample>, Error> {
    let mut pages = Vec::new();
    for set in sets {
        let name = set_name(set);
        let kind = |p: &Page| match readings.get(&name, &p.id) {
            Some(reading) => KINDS.iter().position(|k| *k == reading.kind),
            None => kind_of(p, &name),
        };
        let known = crate::data::read(set)?.into_iter().filter_map(|p| Some((kind(&p)?, p)));
        pages.extend(known.map(|(kind, page)| (page, name.clone(), kind)));
    }
    let mut choices = match content {
        Content::HeldOut => held_out_choices(&pages, progress),
        Content::Shipped | Content::Scores(_) => Vec::new(),
    };
    choices.resize(pages.len(), None);
    let model = Learned::shipped().map_err(|e| Error::other(e.to_string()))?;
    let one = |((page, set, kind), choice): (&(Page, String, usize), Option<Choice>)| {
        let text = page.decoded();
        let dom = maintext_core::dom::parse(&text, &Default::default());
        let blocks = Blocks::new(&dom);
        let scores = match content {
            Content::Scores(all) => all.get(set, &page.id).filter(|s| s.len() == blocks.len()),
            _ => None,
        };
        let choice = choice
            .or_else(|| scores.map(|s| model.decide_with(&dom, &blocks, Some(s.to_vec()), None)))
            .unwrap_or_else(|| model.decide(&dom, &blocks));
        let view = View { source: &text, dom: &dom, blocks: &blocks, url: page.url.as_deref() };
        let is_read = readings.get(set, &page.id).is_some();
        Sample {
            set: set.clone(),
            id: page.id.clone(),
            kind: *kind,
            weight: if is_read { 1.0 } else { kind_in(OF_ONE_KIND, set.as_str()).map_or(1.0, |_| OTHER) },
            fold: fold_of(&page.site),
            unaddressed: one_in(UNADDRESSED, &page.id).then(|| facts(&View { url: None, ..view }, &choice)),
            facts: facts(&view, &choice),
        }
    };
    Ok(pages.par_iter().zip(choices).map(one).collect())
}

/// Returns the choices of content models that have not seen the page's site, for pages of known content.
fn held_out_choices(pages: &[(Page, String, usize)], mut progress: impl FnMut(&str)) -> Vec<Option<Choice>> {
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
        out[place] = Some(Choice::of(keep).judged(probabilities).with_confidence(foreseen as f32));
    }
    out
}

/// Settings of the regressions over words.
const WORDS: name_weights::Settings = name_weights::Settings { min_samples: 6.0, min_weight: 0.8, penalty: 2e-4 };
/// Number of forests per question that are averaged.
const FORESTS: u64 = 3;
/// Penalty on the weights of the linear model, in units of the mean log-loss.
const COLUMN_PENALTY: f32 = 0.03;

/// Fits weights of words by page type. Each place has a separate model, so that a place with few words counts as much as one with many.
fn fit_words(samples: &[&Sample]) -> Vec<Table<f32>> {
    let places: Vec<Vec<Table<f32>>> = (0..PLACES.len()).into_par_iter().map(|p| fit_place(samples, p)).collect();
    (0..KINDS.len())
        .map(|k| {
            let mut table: Vec<(u32, f32)> = places.iter().flat_map(|kinds| kinds[k].0.iter().copied()).collect();
            table.sort_by_key(|e| e.0);
            table.dedup_by_key(|e| e.0);
            Table(table)
        })
        .collect()
}

/// Fits weights of the words in one place by page type.
fn fit_place(samples: &[&Sample], place: usize) -> Vec<Table<f32>> {
    let named = samples.iter().map(|s| Named { names: &s.facts.words[place], class: s.kind, weight: s.weight });
    let named: Vec<Named<'_>> = named.collect();
    name_weights::fit(&named, KINDS.len(), &WORDS)
}

/// Fits weights of words on the pages outside of two folds, for every pair of folds, equal or not. [`FOLDS`] means a fold without pages.
fn fit_without(samples: &[Sample]) -> impl Fn(usize, usize) -> Arc<WordScores> + Sync + use<> {
    let pairs: Vec<(usize, usize)> = (0..=FOLDS).flat_map(|a| (a..=FOLDS).map(move |b| (a, b))).collect();
    let fitted: HashMap<(usize, usize), Arc<WordScores>> = pairs
        .par_iter()
        .map(|&(a, b)| {
            let others: Vec<&Sample> = samples.iter().filter(|s| s.fold != a && s.fold != b).collect();
            ((a, b), Arc::new(WordScores::new(&fit_words(&others))))
        })
        .collect();
    move |a, b| fitted[&(a.min(b), a.max(b))].clone()
}

/// The training data of the forests: for each fold the columns of all pages, with word weights from the pages outside of it.
pub struct Material<'a> {
    samples: &'a [Sample],
    /// By held-out fold ([`FOLDS`] for none), and by sample.
    rows: Vec<Vec<Vec<f32>>>,
    /// The weights of words from all pages.
    tables: Vec<Table<f32>>,
}

impl<'a> Material<'a> {
    /// Fits the weights of words.
    pub fn new(samples: &'a [Sample]) -> Material<'a> {
        let without = fit_without(samples);
        let rows = |held_out: usize| {
            let fitted: Vec<Arc<WordScores>> = (0..=FOLDS).map(|f| without(held_out, f)).collect();
            samples
                .par_iter()
                .map(|s| {
                    let facts = match &s.unaddressed {
                        Some(facts) if s.fold != held_out => facts,
                        _ => &s.facts,
                    };
                    let mut v = facts.values.clone();
                    v.extend(fitted[s.fold].of(&facts.words));
                    v
                })
                .collect()
        };
        let rows = (0..=FOLDS).map(rows).collect();
        Material { samples, rows, tables: fit_words(&samples.iter().collect::<Vec<_>>()) }
    }

    /// Returns corrections for the scores of page types: the logarithm of a type's share in [`NATURAL`] over its share in all training pages,
    /// which contain too many articles.
    fn priors(&self, held_out: usize) -> [f32; KINDS.len()] {
        let weight = |f: &dyn Fn(&Sample) -> bool| -> f32 {
            self.samples.iter().filter(|s| s.fold != held_out && f(s)).map(|s| s.weight).sum()
        };
        let natural = weight(&|s| s.set == NATURAL);
        if natural == 0.0 {
            return [0.0; KINDS.len()];
        }
        std::array::from_fn(|k| {
            ((weight(&|s| s.set == NATURAL && s.kind == k).max(1.0) / natural)
                / (weight(&|s| s.kind == k).max(1.0) / weight(&|_| true)))
            .ln()
        })
    }

    /// Trains without the pages of a fold ([`FOLDS`] for none). Returns the model without its tables, and its predictions for all pages.
    fn train_without(&self, held_out: usize, settings: &Settings) -> (Pack, Vec<PageType>) {
        let samples = self.samples;
        let rows: Vec<&[f32]> = self.rows[held_out].iter().map(Vec::as_slice).collect();
        let kinds: Vec<usize> = samples.iter().map(|s| s.kind).collect();
        let active: Vec<bool> = samples.iter().map(|s| s.fold != held_out).collect();
        let weights: Vec<f32> = samples.iter().map(|s| if s.fold != held_out { s.weight } else { 0.0 }).collect();
        let names = names();
        let data = Binned::with_bins(&columns_of(&self.rows[held_out], names.len()), 48);
        let mut linear = softmax::fit(&rows, &kinds, &weights, KINDS.len(), COLUMN_PENALTY);
        // The prediction is the mean of two scores, so the linear one gets twice the correction.
        linear.add(&self.priors(held_out).map(|p| 2.0 * p));
        let (mut forests, scores) = mean_of_classes(&data, &active, &kinds, &weights, settings);
        let labels: Vec<f32> = kinds.iter().map(|&k| f32::from(u8::from(is_list(k)))).collect();
        let objective = LogLoss { labels: &labels, weights: &weights };
        let pages: Vec<u32> = (0..samples.len() as u32).collect();
        let (list, list_scores) = train_mean(FORESTS, &data, &pages, &active, &objective, settings);
        forests.push(list);
        let answers = (0..samples.len())
            .map(|i| PageType::new(together(scores[i], &linear.scores(rows[i])), sigmoid(list_scores[i])))
            .collect();
        (Pack { kind: KIND.into(), names, forests, tables: Vec::new(), numbers: linear.to_numbers() }, answers)
    }

    /// Returns predictions for all pages by models that have not seen the page's site.
    pub fn cross_validate(&self, settings: &Settings) -> Vec<PageType> {
        let by_fold: Vec<Vec<PageType>> = (0..FOLDS).map(|f| self.train_without(f, settings).1).collect();
        self.samples.iter().enumerate().map(|(i, s)| by_fold[s.fold][i].clone()).collect()
    }

    /// Trains the model on all pages.
    pub fn train(&self, settings: &Settings) -> Pack {
        Pack { tables: self.tables.clone(), ..self.train_without(FOLDS, settings).0 }
    }
}

/// Returns the mean of several forests per page type, with the scores of all pages.
fn mean_of_classes(
    data: &Binned,
    active: &[bool],
    kinds: &[usize],
    weights: &[f32],
    settings: &Settings,
) -> (Vec<Forest>, Vec<[f32; KINDS.len()]>) {
    let mut forests = vec![Forest::default(); KINDS.len()];
    let mut scores = vec![[0.0f32; KINDS.len()]; kinds.len()];
    let pages: Vec<u32> = (0..kinds.len() as u32).collect();
    let share = |x: f32| x / FORESTS as f32;
    for n in 0..FORESTS {
        let settings = Settings { seed: settings.seed + 7 * n, ..settings.clone() };
        let trained = train_classes(data, &pages, active, kinds, weights, KINDS.len(), &settings);
        for (k, (forest, own)) in trained.into_iter().enumerate() {
            forests[k].trees.extend(forest.trees.into_iter().map(|t| Tree { leaves: t.leaves.map(share), ..t }));
            scores.iter_mut().zip(own).for_each(|(all, own)| all[k] += share(own));
        }
    }
    (forests, scores)
}

/// Accuracy of the predicted page types of a set.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// The set.
    pub set: String,
    /// Number of its pages with a known type.
    pub pages: usize,
    /// Share of correct predictions.
    pub accuracy: f64,
    /// Share of correct predictions whether a page is a list, that is, a listing or a collection.
    pub list_accuracy: f64,
    /// The page types, in the order of the matrix.
    pub kinds: [&'static str; KINDS.len()],
    /// Pages by true and predicted type: `matrix[truth][prediction]`.
    pub matrix: [[usize; KINDS.len()]; KINDS.len()],
}

impl Told {
    /// Compares the predictions with the truth for each set, in the order of the samples.
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
            if let Some(answer) = KINDS.iter().position(|k| Some(*k) == a.page_type) {
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

    /// Pools all sets.
    pub fn pooled(told: &[Told]) -> Told {
        let pages = told.iter().map(|t| t.pages).sum();
        let mean = |f: &dyn Fn(&Told) -> f64| {
            told.iter().map(|t| f(t) * t.pages as f64).sum::<f64>() / (pages as f64).max(1.0)
        };
        let mut matrix = [[0; KINDS.len()]; KINDS.len()];
        let cells = told.iter().flat_map(|t| t.matrix.iter().enumerate());
        cells.for_each(|(k, answers)| matrix[k].iter_mut().zip(answers).for_each(|(sum, n)| *sum += n));
        Told {
            set: "all".to_owned(),
            pages,
            accuracy: mean(&|t| t.accuracy),
            list_accuracy: mean(&|t| t.list_accuracy),
            kinds: KINDS,
            matrix,
        }
    }

    /// Whether the set has pages of several types.
    pub fn is_mixed(&self) -> bool {
        self.matrix.iter().filter(|answers| answers.iter().any(|n| *n > 0)).count() > 1
    }
}

/// Whether pages of a type are lists.
fn is_list(kind: usize) -> bool {
    matches!(KINDS[kind], "listing" | "collection")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_scores_decide_what_is_content() {
        let none = Readings::default();
        let dir = std::env::temp_dir().join(format!("maintext-page-type-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let set = dir.join("a-set.jsonl");
        // All text of a short page without scripts would be content.
        let html = "<p>One two three four.<p>Five six.<script></script>";
        let page = format!(r#"{{"id": "1", "site": "e.org", "page_type": "service", "html": "{html}"}}"#);
        std::fs::write(&set, format!("{page}\n")).unwrap();
        let place = names().iter().position(|n| n == "kept_blocks").unwrap();
        let kept = |scores: Vec<f32>| {
            let mut all = HeldOut::default();
            all.insert("a-set", "1", scores);
            let samples = samples(std::slice::from_ref(&set), Content::Scores(&all), &none, |_| ()).unwrap();
            assert_eq!((samples.len(), KINDS[samples[0].kind]), (1, "service"));
            samples[0].facts().values[place]
        };
        assert_eq!((kept(vec![6.0, -6.0]), kept(vec![6.0, 6.0])), (1.0, 2.0));
        // Scores for a different number of blocks do not belong to this page.
        let shipped =
            samples(std::slice::from_ref(&set), Content::Shipped, &none, |_| ()).unwrap()[0].facts().values[place];
        assert_eq!(kept(vec![6.0]), shipped);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn sets_are_pooled_by_their_pages() {
        let told = |pages: usize, right: usize| {
            let mut matrix = [[0; KINDS.len()]; KINDS.len()];
            (matrix[0][0], matrix[0][4]) = (right, pages - right);
            let accuracy = right as f64 / pages as f64;
            Told { set: "a".into(), pages, accuracy, list_accuracy: accuracy, kinds: KINDS, matrix }
        };
        let all = Told::pooled(&[told(3, 3), told(1, 0)]);
        assert_eq!((all.pages, all.accuracy, all.list_accuracy), (4, 0.75, 0.75));
        assert_eq!((all.matrix[0][0], all.matrix[0][4]), (3, 1));
    }
}
