//! Trains the classifiers of the line methods: the perceptron of `line-density`, the network of `markup-ratio`.
//!
//! Pages become rows of inputs with labels ([`Rows`]). Rows are split by site into training, validation and test ([`split_of`]). A network
//! is trained with early stopping or found by [pruning](search()), its output is [calibrated](calibrate()), and its quality is measured on
//! unseen sites ([`Report`]).
//!
//! The trainer is our own gradient descent ([`network`]). We considered libraries: linfa and smartcore have no feed-forward networks;
//! candle and burn are tensor frameworks of more than 150 crates, made for networks a million times larger than 7-7-3, and their parallel
//! reductions do not guarantee the same sum twice. Two hundred lines of our own give the same file for the same seed on every run.
mod calibrate;
mod errors;
pub mod network;
mod rows;
mod search;

pub use calibrate::calibrate;
pub use errors::{LineErrors, Tally};
pub use rows::{PageRows, Rows, Split, fold_of, split_of};
pub use search::{Visit, search};

use crate::error::Error;
use crate::hash::stirred;
use maintext_core::classic::{LineDensity, LineModel, MarkupRatio, line_density, markup_ratio, model::Network};
use maintext_core::method::Method;
use network::{Fit, Training};
use std::sync::Arc;

/// The line methods with a trainable classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trainable {
    /// `line-density` with a single-layer perceptron.
    LineDensity,
    /// `markup-ratio` with a feed-forward network.
    MarkupRatio,
}

impl Trainable {
    /// Returns the method with this name.
    ///
    /// # Errors
    /// The method cannot be trained.
    pub fn named(name: &str) -> Result<Trainable, Error> {
        match name {
            "line-density" => Ok(Trainable::LineDensity),
            "markup-ratio" => Ok(Trainable::MarkupRatio),
            _ => Err(Error::other(format!("'{name}' cannot be trained (trainable: line-density, markup-ratio)"))),
        }
    }

    /// Returns the method's name.
    pub fn name(self) -> &'static str {
        match self {
            Trainable::LineDensity => "line-density",
            Trainable::MarkupRatio => "markup-ratio",
        }
    }

    /// `perceptron` or `mlp`.
    pub fn classifier(self) -> &'static str {
        match self {
            Trainable::LineDensity => "perceptron",
            Trainable::MarkupRatio => "mlp",
        }
    }

    /// Returns the names of the classifier's inputs.
    pub fn inputs(self) -> &'static [&'static str] {
        match self {
            Trainable::LineDensity => &line_density::INPUTS,
            Trainable::MarkupRatio => &markup_ratio::INPUTS,
        }
    }

    /// Returns the method with its published threshold, which splits the page into the lines to classify.
    fn plain(self) -> Box<dyn Method> {
        match self {
            Trainable::LineDensity => Box::new(LineDensity::default()),
            Trainable::MarkupRatio => Box::new(MarkupRatio::default()),
        }
    }

    /// Returns the method with a trained model.
    ///
    /// # Errors
    /// The model belongs to another method.
    pub fn with_model(self, model: LineModel) -> Result<Arc<dyn Method>, Error> {
        let method: Result<Arc<dyn Method>, _> = match self {
            Trainable::LineDensity => LineDensity::with_model(model).map(|m| Arc::new(m) as _),
            Trainable::MarkupRatio => MarkupRatio::with_model(model).map(|m| Arc::new(m) as _),
        };
        method.map_err(|e| Error::other(e.to_string()))
    }
}

/// Settings of the training.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes of the hidden layers; `None` searches for them. A perceptron has none.
    pub hidden: Option<Vec<usize>>,
    /// The same seed gives the same file.
    pub seed: u64,
    /// Train for this site only, on at most [`Options::site_pages`] of its pages.
    pub site: Option<String>,
    /// Number of the site's pages to train on; the others test the model.
    pub site_pages: usize,
    /// Settings of the gradient descent.
    pub training: Training,
}

impl Default for Options {
    fn default() -> Self {
        Options { hidden: None, seed: 1, site: None, site_pages: 10, training: Training::default() }
    }
}

/// Receives the progress of the training.
pub trait Observer: Sync {
    /// Called after an epoch with the hidden layers, the epoch, the largest number of epochs, and the loss on training and validation rows.
    fn epoch(&self, hidden: &[usize], epoch: usize, of: usize, loss: f64, validation: f64) {
        let _ = (hidden, epoch, of, loss, validation);
    }
    /// Called when the search has tried a configuration; `remaining` is the number of known configurations left.
    fn visited(&self, visit: &Visit, remaining: usize) {
        let _ = (visit, remaining);
    }
}

impl Observer for () {}

/// The result of a training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The model.
    pub model: LineModel,
    /// Its quality.
    pub report: Report,
}

/// The data of a training, and the quality of the model on unseen pages.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Numbers of pages for training, validation and test.
    pub pages: [usize; 3],
    /// Ids of the pages for training and validation.
    pub seen: Vec<String>,
    /// Configurations in the order tried by the search; empty without a search.
    pub visits: Vec<Visit>,
    /// Number of epochs of the best configuration.
    pub epochs: usize,
    /// Its loss on validation rows.
    pub validation: f64,
    /// Its errors on test pages, for lines with text.
    pub text_lines: LineErrors,
    /// Its errors on test pages, for all lines; lines without text are boilerplate.
    pub all_lines: LineErrors,
}

/// Trains a model on rows.
///
/// # Errors
/// Training is impossible: one of the parts has no labelled page, or all lines have the same label.
pub fn train(method: Trainable, rows: &Rows, options: &Options, observer: &dyn Observer) -> Result<Trained, Error> {
    let parts = parts(rows, options)?;
    let [learn, validate, test] = &parts;
    let scale = rows.scale(learn);
    let data = |pages: &[usize]| rows.matrix(pages, &scale);
    let (training, validation) = (data(learn), data(validate));
    for (what, part) in [("training", &training), ("validation", &validation)] {
        let content = part.labels.iter().filter(|l| **l > 0.5).count();
        if content == 0 || content == part.labels.len() {
            let n = part.labels.len();
            return Err(Error::other(format!(
                "the {what} pages have {content} content lines of {n}: a classifier needs lines of both kinds"
            )));
        }
    }
    let fit = |hidden: &[usize]| -> Fit {
        network::train(&training, &validation, hidden, options.seed, &options.training, &|e, l, v| {
            observer.epoch(hidden, e, options.training.epochs, l, v)
        })
    };
    let (best, visits) = match (&options.hidden, method) {
        (_, Trainable::LineDensity) => (fit(&[]), Vec::new()),
        (Some(hidden), _) => (fit(hidden), Vec::new()),
        (None, _) => search(&fit, observer),
    };
    let network: Network = best.network;
    let mut model = LineModel::new(method.name(), method.classifier(), method.inputs(), scale, network);
    model.calibration = calibrate(&outputs(&model, rows, validate));
    model.threshold = best_threshold(&model, rows, validate);
    model.site = options.site.clone();
    model.about = about(rows, options, &parts, &model);
    let mut report = Report {
        pages: [learn.len(), validate.len(), test.len()],
        seen: learn.iter().chain(validate).map(|&p| rows.pages[p].id.clone()).collect(),
        visits,
        epochs: best.epochs,
        validation: best.validation,
        ..Report::default()
    };
    for &p in test {
        let page = &rows.pages[p];
        let kept: Vec<bool> = page.inputs.iter().map(|x| model.output(x) > model.threshold).collect();
        report.text_lines += LineErrors::count(&page.labels, kept.iter().copied());
        let all: Vec<_> = page.labels.iter().zip(&page.words).map(|(l, w)| l.or((*w == 0).then_some(false))).collect();
        report.all_lines += LineErrors::count(&all, kept.iter().copied());
    }
    Ok(Trained { model, report })
}

/// Returns the pages of the three parts. For one site: the first pages by id, a fifth of them for validation.
fn parts(rows: &Rows, options: &Options) -> Result<[Vec<usize>; 3], Error> {
    let mut parts: [Vec<usize>; 3] = Default::default();
    let all = (0..rows.pages.len()).filter(|p| rows.pages[*p].labels.iter().any(Option::is_some));
    match &options.site {
        None => all.for_each(|p| parts[split_of(&rows.pages[p].site) as usize].push(p)),
        Some(site) => {
            let mut own: Vec<usize> = all.filter(|&p| rows.pages[p].site == *site).collect();
            own.sort_by_key(|&p| stirred(&rows.pages[p].id, options.seed));
            let rest = own.split_off(options.site_pages.min(own.len()));
            let validation = own.split_off(own.len() - own.len() / 5);
            parts = [own, validation, rest];
        }
    }
    for (what, part) in ["training", "validation"].iter().zip(&parts) {
        if part.is_empty() {
            let site = options.site.as_ref().map_or_else(String::new, |s| format!(" of site '{s}'"));
            return Err(Error::other(format!(
                "no labelled page{site} is left for {what}: more pages are needed, of more sites (the keys 'site' or 'url')"
            )));
        }
    }
    Ok(parts)
}

/// Returns output, label and weight of the labelled lines of some pages.
fn outputs(model: &LineModel, rows: &Rows, pages: &[usize]) -> Vec<(f32, bool, f32)> {
    pages
        .iter()
        .flat_map(|p| {
            let page = &rows.pages[*p];
            let lines = page.inputs.iter().zip(&page.labels).zip(&page.words);
            lines.filter_map(|((x, l), w)| Some((model.output(x), (*l)?, *w as f32))).collect::<Vec<_>>()
        })
        .collect()
}

/// Returns the threshold, out of 19, with the largest mean word F1 over pages.
fn best_threshold(model: &LineModel, rows: &Rows, pages: &[usize]) -> f32 {
    let mut sums = [0.0f64; 19];
    for &p in pages {
        let lines = outputs(model, rows, &[p]);
        let gold: f32 = lines.iter().filter(|l| l.1).map(|l| l.2).sum();
        for (i, sum) in sums.iter_mut().enumerate() {
            let kept = || lines.iter().filter(|l| l.0 > threshold(i));
            let (taken, hits) = (kept().map(|l| l.2).sum::<f32>(), kept().filter(|l| l.1).map(|l| l.2).sum::<f32>());
            *sum += if taken + gold > 0.0 { 2.0 * hits as f64 / (taken + gold) as f64 } else { 1.0 };
        }
    }
    let best = (0..sums.len()).fold(0, |b, i| if sums[i] > sums[b] { i } else { b });
    threshold(best)
}

fn threshold(i: usize) -> f32 {
    0.05 * (i + 1) as f32
}

fn about(rows: &Rows, options: &Options, parts: &[Vec<usize>; 3], model: &LineModel) -> String {
    format!(
        "sets {}; {} pages for training, {} for validation, {} for test, by site; hidden units {:?}; seed {}",
        rows.sets.join(", "),
        parts[0].len(),
        parts[1].len(),
        parts[2].len(),
        model.network.hidden(),
        options.seed
    )
}

impl Report {
    /// Formats the report as lines of text.
    pub fn text(&self) -> String {
        let mut out =
            format!("pages: {} training, {} validation, {} test\n", self.pages[0], self.pages[1], self.pages[2]);
        for v in &self.visits {
            out.push_str(&format!(
                "  hidden {:12} validation error {:.5} after {} epochs\n",
                v.name(),
                v.validation,
                v.epochs
            ));
        }
        if let Some(best) = self.visits.iter().min_by(|a, b| a.validation.total_cmp(&b.validation)) {
            out.push_str(&format!("winner: hidden {}\n", best.name()));
        }
        out.push_str(&format!("validation error {:.5} after {} epochs\n", self.validation, self.epochs));
        let percent = |t: Tally| t.rate().map_or_else(|| "-".into(), |r| format!("{:.2} %", 100.0 * r));
        for (what, l) in [("lines with text", self.text_lines), ("all lines", self.all_lines)] {
            let (fp, miss) = (percent(l.false_positives), percent(l.misses));
            out.push_str(&format!("test, {what}: false positives {fp}, misses {miss}\n"));
        }
        out
    }
}

#[cfg(test)]
mod tests;
