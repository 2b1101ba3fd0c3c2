//! Trains and measures the model of paginations.
use crate::Error;
use crate::data::Page;
use crate::entries::{parse_pages, split_rows, stack};
use crate::learned::{FOLDS, fold_of};
use maintext_core::list::LinkTable;
use maintext_core::list::columns::Columns;
use maintext_core::list::pagination::{self, KIND, LinkRole, Pagination, columns, decide};
use maintext_core::model::Pack;
use maintext_core::select::Selector;
use maintext_learn::gbdt::{Binned, LogLoss, Settings, train};
use std::path::Path;
use url::Url;

/// A page with an annotated pagination.
pub struct Sample<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its links.
    pub table: LinkTable<'a>,
    /// For each role, which links have it; `None` if the ground truth cannot be read.
    pub labels: Vec<Option<Vec<bool>>>,
    columns: Columns,
    base: Option<Url>,
}

/// How often each page is used in training: unchanged and in two modified copies.
const COPIES: usize = 3;

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 60, learning_rate: 0.1, l2: 1.0, feature_share: 0.4, page_share: 0.8, seed }
}

/// Blog pages, by number, whose annotation calls newer posts the next page and older posts the previous page, following the class names of
/// WordPress (`nav-previous` contains "Older posts"). On the other blogs of the set older posts are the next page; this makes them equal.
const TURNED: [&str; 8] = ["97", "98", "103", "104", "174", "180", "181", "182"];

fn labels(page: &Page, t: &LinkTable<'_>) -> Vec<Option<Vec<bool>>> {
    let turned = TURNED.contains(&page.id.as_str());
    let key = |r: LinkRole| match r {
        LinkRole::Previous => {
            if turned {
                "next"
            } else {
                "prev"
            }
        }
        LinkRole::Next if turned => "prev",
        _ => r.name(),
    };
    LinkRole::ALL
        .map(|r| match page.extra["pagination"][key(r)].as_str() {
            None => Some(vec![false; t.links.len()]),
            Some(s) => {
                let selected = Selector::parse(s).ok()?.all(t.dom);
                let hits: Vec<bool> = t.links.iter().map(|l| selected.contains(&l.node)).collect();
                // A selector without a match comes from another state of the page.
                hits.contains(&true).then_some(hits)
            }
        })
        .to_vec()
}

impl Sample<'_> {
    /// Returns the base address of the page's links.
    pub fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }
}

/// Creates samples from parsed pages.
pub fn samples<'a>(parsed: &'a [crate::entries::Parsed<'a>]) -> Vec<Sample<'a>> {
    parsed
        .iter()
        .map(|p| {
            let url = p.page.url.as_deref().and_then(|u| Url::parse(u).ok());
            let base = maintext_core::address::base_url(&p.dom, url.as_ref());
            let table = LinkTable::new(&p.dom, &p.blocks, base.as_ref());
            Sample { page: p.page, labels: labels(p.page, &table), columns: columns(&table, url.as_ref()), table, base }
        })
        .collect()
}

/// Trains one forest per role on all samples, and on all except each fold. Returns the model and the out-of-fold probabilities by sample and role.
pub fn train_pagination(samples: &[Sample<'_>], settings: &Settings) -> (Pack, Vec<Vec<Vec<f32>>>) {
    // Training adds two copies of each page, one without the names in its markup and one without an address, since pages may lack either.
    let without_names = |s: &Sample<'_>| {
        let mut c = s.columns.clone();
        c.blank(&["named_", "above_", "rel_", "head_", "said_"]);
        c
    };
    let real = samples.iter().map(|s| s.columns.clone());
    let copies = samples.iter().map(without_names);
    let nowhere = samples.iter().map(|s| columns(&s.table, None));
    let parts: Vec<Columns> = real.chain(copies).chain(nowhere).collect();
    let names = parts.first().map(|c| c.names().to_vec()).unwrap_or_default();
    let data = Binned::new(&stack(&parts));
    let counts: Vec<usize> = samples.iter().map(|s| s.table.links.len()).collect::<Vec<_>>().repeat(COPIES);
    let pages: Vec<u32> = counts.iter().enumerate().flat_map(|(i, n)| vec![i as u32; *n]).collect();
    let fold: Vec<usize> = samples.iter().map(|s| fold_of(&s.page.site)).collect::<Vec<_>>().repeat(COPIES);
    let mut pack = Pack { kind: KIND.into(), names, ..Pack::default() };
    let mut out: Vec<Vec<Vec<f32>>> = samples.iter().map(|_| vec![Vec::new(); LinkRole::ALL.len()]).collect();
    for (r, role) in LinkRole::ALL.iter().enumerate() {
        // Only one link in some hundreds has a role, except for numbered pages.
        let positive = if *role == LinkRole::Page { 1.0 } else { 20.0 };
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        for s in samples {
            let n = s.table.links.len();
            match &s.labels[r] {
                Some(l) => {
                    labels.extend(l.iter().map(|y| *y as u8 as f32));
                    weights.extend(l.iter().map(|y| if *y { positive } else { 1.0 }));
                }
                None => {
                    labels.extend(vec![0.0; n]);
                    weights.extend(vec![0.0; n]);
                }
            }
        }
        let (labels, weights) = (labels.repeat(COPIES), weights.repeat(COPIES));
        let objective = LogLoss { labels: &labels, weights: &weights };
        for k in 0..=FOLDS {
            let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
            let (forest, scores) = train(&data, &pages, &active, &objective, settings, |_| ());
            if k == FOLDS {
                pack.forests.push(forest);
            }
            for (i, p) in
                split_rows(&scores, &counts).into_iter().enumerate().take(samples.len()).filter(|(i, _)| fold[*i] == k)
            {
                out[i][r] = p;
            }
        }
    }
    (pack, out)
}

/// Counts for a role: correct links, links found, and links in the ground truth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Found and in the ground truth.
    pub right: usize,
    /// Found.
    pub found: usize,
    /// In the ground truth.
    pub named: usize,
}

impl Found {
    /// Share of the links found that are in the ground truth.
    pub fn precision(&self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }
    /// Share of the links in the ground truth that were found.
    pub fn recall(&self) -> f64 {
        self.right as f64 / self.named.max(1) as f64
    }
}

/// Measures how well probabilities find the links of the pagination: one link per role and page, and all numbered pages.
pub fn measure(samples: &[Sample<'_>], p: &[Vec<Vec<f32>>]) -> Vec<(LinkRole, Found)> {
    let found: Vec<Pagination> = samples.iter().zip(p).map(|(s, p)| decide(&s.table, p, s.base.as_ref())).collect();
    compare(samples, &found)
}

/// Compares found links with the ground truth.
pub fn compare(samples: &[Sample<'_>], found: &[Pagination]) -> Vec<(LinkRole, Found)> {
    let mut out: Vec<(LinkRole, Found)> = LinkRole::ALL.iter().map(|r| (*r, Found::default())).collect();
    for (s, found) in samples.iter().zip(found) {
        for (r, f) in &mut out {
            let Some(labels) = &s.labels[*r as usize] else { continue };
            let named: std::collections::BTreeSet<&str> = s
                .table
                .links
                .iter()
                .zip(labels)
                .filter(|l| *l.1 && l.0.url.is_some())
                .map(|l| l.0.href.as_str())
                .collect();
            // The set annotates visible links only, so links declared only in the head count neither as right nor as wrong.
            let seen = |l: &&pagination::PageLink| s.table.links.iter().any(|x| x.href == l.href);
            let one =
                |l: &Option<pagination::PageLink>| l.iter().filter(seen).map(|l| l.href.clone()).collect::<Vec<_>>();
            let got = match r {
                LinkRole::Next => one(&found.next),
                LinkRole::Previous => one(&found.previous),
                LinkRole::First => one(&found.first),
                LinkRole::Last => one(&found.last),
                LinkRole::Page => found.pages.iter().map(|l| l.href.clone()).collect(),
            };
            f.right += got.iter().filter(|h| named.contains(h.as_str())).count();
            f.found += got.len();
            f.named += if *r == LinkRole::Page { named.len() } else { !named.is_empty() as usize };
        }
    }
    out
}

/// Trains and measures on the pagination set below `data/train`.
pub fn run(data: &Path, settings: &Settings) -> Result<(Pack, Vec<(LinkRole, Found)>), Error> {
    let pages = crate::data::read(data.join("train/autopager-pagination.jsonl.zst"))?;
    let texts: Vec<String> = pages.iter().map(|p| p.decoded().into_owned()).collect();
    let parsed = parse_pages(&pages, &texts);
    let samples = samples(&parsed);
    let (pack, p) = train_pagination(&samples, settings);
    let found = measure(&samples, &p);
    Ok((pack, found))
}
