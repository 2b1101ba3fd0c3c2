//! A model for one site, taught by corrections on a few of its pages.
//!
//! The shipped model is kept and extended: its token scores learn the site's own class names, and a small forest, boosted on top of
//! its own, learns the corrections. Unlabelled blocks count with little weight, labelled as the shipped model judged them, so that a
//! few corrections do not undo the rest. The result is a model file like the shipped one.
use crate::align::Labels;
use crate::gbdt::{Binned, Objective, Settings, train};
use crate::sample::{Sample, fit_tokens_of, stack};
use maintext_core::blocks::{Blocks, ElementTokens};
use maintext_core::features::bags::{self, Bags, Reads};
use maintext_core::features::tokens::Table;
use maintext_core::features::{Features, TokenIndex, TokenScores};
use maintext_core::model::forest::sigmoid;
use maintext_core::model::{self, Learned, Model};

/// Minimum number of pages that must use a class name for it to get its own score.
const MIN_PAGES: f32 = 2.0;
/// Weight of an unlabelled block, relative to a labelled one.
const UNTOUCHED: f32 = 0.1;
/// Total weight of the rows of one page, large enough that the penalty on leaves does not suppress a handful of pages.
const PAGE_WEIGHT: f32 = 40.0;
/// With up to this many pages, each is held out separately; with more, this is the number of folds.
const FOLDS: usize = 8;

/// A page with labels of its blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaughtPage {
    /// The decoded page.
    pub html: String,
    /// Indexes of labelled blocks, and whether they are main content.
    pub labels: Vec<(usize, bool)>,
}

/// Quality of a model on a page, against the labels. Unlabelled blocks count as the shipped model judged them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageFigures {
    /// Word F1 of the shipped model.
    pub before: f64,
    /// Word F1 of a model taught with the other pages.
    pub after: f64,
    /// Number of labelled blocks.
    pub labels: usize,
    /// Number of them that the shipped model judges wrongly.
    pub wrong_before: usize,
    /// Number of them that the taught model judges wrongly.
    pub wrong_after: usize,
}

/// A taught model and its quality.
#[derive(Clone, Debug)]
pub struct Taught {
    /// The model, taught with all pages.
    pub model: Model,
    /// Results for each page when it is held out; empty for a single page, which cannot be held out.
    pub figures: Vec<PageFigures>,
}

/// Teaches a model with labelled pages of one site. Pages without labels help as examples of correct decisions. Takes less than a
/// second per dozen pages; the same pages give the same model.
pub fn teach(base: &Model, pages: &[TaughtPage]) -> Taught {
    let shipped = Learned::new(base.clone());
    let pages: Vec<Lesson> = pages.iter().map(|p| Lesson::new(&shipped, p)).filter(|l| !l.target.is_empty()).collect();
    let folds = pages.len().min(FOLDS);
    let mut figures = vec![PageFigures::default(); if pages.len() > 1 { pages.len() } else { 0 }];
    for fold in 0..if pages.len() > 1 { folds } else { 0 } {
        let others: Vec<&Lesson> =
            pages.iter().enumerate().filter(|(i, _)| i % folds != fold).map(|(_, p)| p).collect();
        let taught = Learned::new(fit(base, &others));
        for (i, page) in pages.iter().enumerate().filter(|(i, _)| i % folds == fold) {
            figures[i] = page.figures(&taught);
        }
    }
    Taught { model: fit(base, &pages.iter().collect::<Vec<_>>()), figures }
}

/// A page prepared for teaching.
struct Lesson {
    html: String,
    sample: Sample,
    /// The desired decision for each block.
    target: Vec<bool>,
    /// Whether each block is labelled.
    labelled: Vec<bool>,
    /// The decisions of the shipped model.
    before: Vec<bool>,
}

impl Lesson {
    fn new(shipped: &Learned, page: &TaughtPage) -> Lesson {
        let dom = maintext_core::dom::parse(&page.html, &Default::default());
        let blocks = Blocks::new(&dom);
        let before = shipped.decide(&dom, &blocks).kept().to_vec();
        let mut target = before.clone();
        let mut labelled = vec![false; target.len()];
        for &(block, keep) in page.labels.iter().filter(|(b, _)| *b < blocks.len()) {
            target[block] = keep;
            labelled[block] = true;
        }
        let share = target.iter().map(|t| f32::from(u8::from(*t))).collect();
        let words = blocks.blocks.iter().map(|b| b.words.max(1)).collect();
        let labels = Labels { share, words, ..Labels::default() };
        let sample = Sample::labelled(&page.html, "", |_| labels.clone());
        Lesson { html: page.html.clone(), sample, target, labelled, before }
    }

    /// Returns the weights of the blocks, whose sum is [`PAGE_WEIGHT`].
    fn weights(&self) -> Vec<f32> {
        let own: Vec<f32> = (0..self.target.len())
            .map(|i| {
                let words = (self.sample.labels.words[i] as f32).powf(0.5);
                if self.labelled[i] { words } else { UNTOUCHED * words }
            })
            .collect();
        let total: f32 = own.iter().sum::<f32>().max(1e-6);
        own.into_iter().map(|w| w / total * PAGE_WEIGHT).collect()
    }

    fn figures(&self, taught: &Learned) -> PageFigures {
        let dom = maintext_core::dom::parse(&self.html, &Default::default());
        let after = taught.decide(&dom, &self.sample.blocks);
        let wrong = |keep: &[bool]| (0..keep.len()).filter(|&i| self.labelled[i] && keep[i] != self.target[i]).count();
        PageFigures {
            before: self.f1(&self.before),
            after: self.f1(after.kept()),
            labels: self.labelled.iter().filter(|l| **l).count(),
            wrong_before: wrong(&self.before),
            wrong_after: wrong(after.kept()),
        }
    }

    fn f1(&self, keep: &[bool]) -> f64 {
        let words = |kept: &dyn Fn(usize) -> bool| -> f64 {
            (0..keep.len()).filter(|&i| kept(i)).map(|i| f64::from(self.sample.labels.words[i])).sum()
        };
        let hits = words(&|i| keep[i] && self.target[i]);
        let sum = words(&|i| keep[i]) + words(&|i| self.target[i]);
        if sum == 0.0 { 1.0 } else { 2.0 * hits / sum }
    }
}

fn fit(base: &Model, lessons: &[&Lesson]) -> Model {
    let mut model = base.clone();
    let own = fit_tokens_of(lessons.iter().map(|l| &l.sample), MIN_PAGES, f32::INFINITY);
    merge_tokens(&mut model.tokens, own);
    let index = bags::Index::new(&model.network.vocabulary);
    let mut tables = Vec::new();
    let mut scores = Vec::new();
    for lesson in lessons {
        let (table, bags) = table(&model, lesson, &index);
        scores.extend(model::scores(&model.forest, &model.network, &table, &bags, &lesson.sample.blocks));
        tables.push(table);
    }
    let columns = stack(&tables);
    let objective = Corrections {
        scores,
        labels: lessons.iter().flat_map(|l| l.target.iter().map(|t| f32::from(u8::from(*t)))).collect(),
        weights: lessons.iter().flat_map(|l| l.weights()).collect(),
    };
    let pages: Vec<u32> = lessons.iter().enumerate().flat_map(|(i, l)| vec![i as u32; l.target.len()]).collect();
    let settings = Settings { trees: 60, learning_rate: 0.15, l2: 1.0, feature_share: 0.25, page_share: 1.0, seed: 1 };
    let active = vec![true; lessons.len()];
    let (forest, _) = train(&Binned::with_bins(&columns, 32), &pages, &active, &objective, &settings, |_| ());
    model.forest.trees.extend(forest.trees);
    model
}

/// Returns all columns of a page, in the order of the model, and its bags of words.
fn table(model: &Model, lesson: &Lesson, index: &bags::Index) -> (Features, Bags) {
    let dom = maintext_core::dom::parse(&lesson.html, &Default::default());
    let blocks = &lesson.sample.blocks;
    let n = blocks.len();
    let mut f = Features::new(n, None);
    let tokens = ElementTokens::new(&dom, blocks);
    let words = f.add_structural(&dom, blocks, &tokens);
    f.add_tokens(blocks, &tokens, &words, &TokenIndex::new(&model.tokens));
    let bags = Bags::new(blocks, &tokens, &words, index, Reads::ALL);
    (f, bags)
}

/// Replaces general scores of class names by the site's own.
fn merge_tokens(into: &mut TokenScores, own: TokenScores) {
    let merge = |into: &mut Table<f32>, own: Table<f32>| {
        into.0.retain(|e| own.get(e.0).is_none());
        into.0.extend(own.0);
        into.0.sort_by_key(|e| e.0);
    };
    merge(&mut into.near, own.near);
    merge(&mut into.far, own.far);
    merge(&mut into.document_near, own.document_near);
    merge(&mut into.document_far, own.document_far);
}

/// Log-loss of corrections added to existing scores.
struct Corrections {
    scores: Vec<f32>,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

impl Objective for Corrections {
    fn derivatives(&self, added: &[f32], g: &mut [f32], h: &mut [f32]) {
        for i in 0..added.len() {
            let p = sigmoid(self.scores[i] + added[i]);
            g[i] = self.weights[i] * (p - self.labels[i]);
            h[i] = self.weights[i] * (p * (1.0 - p)).max(1e-6);
        }
    }

    fn bias(&self) -> f32 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a page of a site whose readers' letters look like its articles.
    fn page(k: usize) -> String {
        let p = |what: &str, n: usize| {
            format!(
                "<p>{what} {n} of page {k} tells, at some length, of herons, of a fox, and of the first swallows of the year.</p>"
            )
        };
        let story: String = (0..5 + k % 2).map(|n| p("Paragraph", n)).collect();
        let letters: String = (0..6).map(|n| p("Letter", n)).collect();
        format!(
            "<html><head><title>Page {k}</title></head><body><div class=qx-top><a href=/>Home</a> <a href=/b>Birds</a></div>\
             <div class=qx-main><h1>Page {k}</h1>{story}</div><div class=qx-post>{letters}</div><div>Imprint</div></body></html>"
        )
    }

    fn taught(k: usize) -> TaughtPage {
        let html = page(k);
        let dom = maintext_core::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let is = |i: usize, what: &str| blocks.text(i).starts_with(what);
        let labels =
            (0..blocks.len()).filter(|&i| is(i, "Letter") || is(i, "Para")).map(|i| (i, is(i, "Para"))).collect();
        TaughtPage { html, labels }
    }

    #[test]
    fn corrections_on_some_pages_apply_to_another() {
        let base = Model::shipped().unwrap();
        let pages: Vec<TaughtPage> = (0..3).map(taught).collect();
        let lesson = teach(&base, &pages);
        let model = Learned::new(Model::from_bytes(&lesson.model.to_bytes()).unwrap());
        let other = Lesson::new(&Learned::new(base.clone()), &taught(7));
        let figures = other.figures(&model);
        assert!(figures.wrong_before > 0, "the shipped model has it right already: {figures:?}");
        assert_eq!(figures.wrong_after, 0, "{figures:?}");
        assert!(figures.after > figures.before && lesson.figures.iter().all(|f| f.after >= f.before), "{lesson:?}");
        assert_eq!(lesson.model, teach(&base, &pages).model, "the same pages give the same model");
    }

    #[test]
    fn a_single_page_or_none_also_gives_a_model() {
        let base = Model::shipped().unwrap();
        assert!(teach(&base, &[taught(0)]).figures.is_empty());
        let empty = TaughtPage { html: "<title>x</title>".into(), labels: vec![(99, true)] };
        assert!(teach(&base, &[empty]).figures.is_empty());
    }
}
