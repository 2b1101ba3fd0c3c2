//! Converts pages to rows of inputs with labels.
use super::{Trainable, network::Matrix};
use crate::data::{Page, Reader, set_name};
use crate::error::Error;
use crate::hash::stirred;
use crate::line_labels::LineLabels;
use crate::truth;
use maintext_core::blocks::{Blocks, count_words};
use maintext_core::classic::{line_density, markup_ratio};
use maintext_core::method::{Favor, View};
use rayon::prelude::*;
use std::path::Path;

/// Largest weight of a line, in words, so that no single line dominates.
const MAX_WEIGHT: u32 = 100;

/// The lines of a page.
#[derive(Clone, Debug, Default)]
pub struct PageRows {
    /// The page's id.
    pub id: String,
    /// Its site.
    pub site: String,
    /// A row of inputs for each line.
    pub inputs: Vec<Vec<f32>>,
    /// Whether each line is content, if known.
    pub labels: Vec<Option<bool>>,
    /// Number of words in each line.
    pub words: Vec<u32>,
}

/// The lines of many pages.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The pages.
    pub pages: Vec<PageRows>,
    /// Names of their sets.
    pub sets: Vec<String>,
}

/// The part of the data that contains a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// For training: seven of ten sites.
    Training = 0,
    /// For early stopping and selection: three of twenty.
    Validation = 1,
    /// For measurement: three of twenty.
    Test = 2,
}

/// Returns the part of a site, the same in every run.
pub fn split_of(site: &str) -> Split {
    match stirred(site, 0) % 20 {
        0..14 => Split::Training,
        14..17 => Split::Validation,
        _ => Split::Test,
    }
}

/// Returns the fold of a site, below `k`.
pub fn fold_of(site: &str, k: usize) -> usize {
    (stirred(site, 1) % k.max(1) as u64) as usize
}

impl PageRows {
    /// Returns the rows of a page, labelled by its gold text or its snippets.
    pub fn new(method: Trainable, page: &Page) -> PageRows {
        let source = page.decoded();
        let dom = maintext_core::dom::parse(&source, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: &source, dom: &dom, blocks: &blocks, url: None };
        let lines = method.plain().lines(&view, Favor::Balance).unwrap_or_default();
        let labels = truth::lines(&view, &truth::blocks(&blocks, page), &lines);
        PageRows::labelled(method, &lines, page.id.clone(), page.site.clone(), labels)
    }

    fn labelled(
        method: Trainable,
        lines: &maintext_core::method::Lines,
        id: String,
        site: String,
        labels: Vec<Option<bool>>,
    ) -> PageRows {
        let inputs = match method {
            Trainable::LineDensity => line_density::inputs(lines),
            Trainable::MarkupRatio => markup_ratio::inputs(lines),
        };
        let words = (0..lines.len()).map(|i| count_words(lines.text(i))).collect();
        PageRows { id, site, inputs, labels, words }
    }

    /// Returns the rows of a page with hand-made labels; see [`LineLabels`]. The site is the file name of the page.
    ///
    /// # Errors
    /// A file cannot be read, or the labels are for another method or another page.
    pub fn from_labels(method: Trainable, path: &Path) -> Result<PageRows, Error> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
        let labels = LineLabels::parse(&text, path)?;
        if labels.method != method.name() {
            let (have, want) = (labels.method, method.name());
            return Err(Error::other(format!("{}: the labels are for '{have}', not for '{want}'", path.display())));
        }
        let page = path.parent().unwrap_or(Path::new("")).join(&labels.page);
        let bytes = std::fs::read(&page).map_err(|e| Error::file(&page, e))?;
        let source =
            maintext_core::source(&bytes, None).map_err(|e| Error::file(&page, std::io::Error::other(e)))?.text;
        let dom = maintext_core::dom::parse(&source, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: &source, dom: &dom, blocks: &blocks, url: None };
        let lines = method.plain().lines(&view, Favor::Balance).unwrap_or_default();
        let texts: Vec<&str> = (0..lines.len()).map(|i| lines.text(i)).collect();
        let fitted = labels.fit(path, texts.into_iter())?;
        let name = page.display().to_string();
        Ok(PageRows::labelled(method, &lines, name.clone(), name, fitted))
    }
}

impl Rows {
    /// Adds the pages of a set that have ground truth for their content.
    ///
    /// # Errors
    /// The set cannot be read.
    pub fn add_set(&mut self, method: Trainable, path: &Path, watch: &dyn Fn((u64, u64))) -> Result<(), Error> {
        let mut reader = Reader::open(path)?;
        loop {
            let pages = reader.chunk(64)?;
            if pages.is_empty() {
                self.sets.push(set_name(path));
                return Ok(());
            }
            let rows = pages.par_iter().map(|p| PageRows::new(method, p));
            self.pages.extend(rows.collect::<Vec<_>>());
            watch(reader.position());
        }
    }

    /// Returns mean and deviation of each input over the labelled lines of some pages.
    pub(super) fn scale(&self, pages: &[usize]) -> Vec<[f32; 2]> {
        let width = self.pages.iter().find_map(|p| p.inputs.first()).map_or(0, Vec::len);
        let labelled = || {
            pages
                .iter()
                .flat_map(|&p| self.pages[p].inputs.iter().zip(&self.pages[p].labels))
                .filter(|(_, l)| l.is_some())
                .map(|(x, _)| x)
        };
        let n = labelled().count().max(1) as f64;
        (0..width)
            .map(|j| {
                let mean = labelled().map(|x| x[j] as f64).sum::<f64>() / n;
                let deviation = (labelled().map(|x| (x[j] as f64 - mean).powi(2)).sum::<f64>() / n).sqrt();
                [mean as f32, deviation.max(1e-3) as f32]
            })
            .collect()
    }

    /// Returns the labelled lines of some pages as scaled inputs, weighted by their words.
    pub(super) fn matrix(&self, pages: &[usize], scale: &[[f32; 2]]) -> Matrix {
        let mut out = Matrix { width: scale.len(), ..Matrix::default() };
        for &p in pages {
            let page = &self.pages[p];
            for ((x, label), words) in page.inputs.iter().zip(&page.labels).zip(&page.words) {
                let Some(label) = label else { continue };
                out.inputs.extend(x.iter().zip(scale).map(|(x, [m, sd])| (x - m) / sd));
                out.labels.push(*label as u8 as f32);
                out.weights.push((*words).clamp(1, MAX_WEIGHT) as f32);
            }
        }
        out
    }
}
