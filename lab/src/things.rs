//! Trains and measures the rankers of products.
//!
//! The model of a field is a conditional logit, as for titles ([`crate::fields`]), without trees, since there are few labelled pages.
//! The price is ranked first, because the features of currency and availability depend on it. Folds never divide a site; shops that run
//! under several domains (`shop.de`, `shop.fr`) count as one site.
use crate::Error;
use crate::data::{self, Page};
use crate::fields::fit::{Candidate, Case, Fitted, Names, fit_linear};
use maintext_core::blocks::Blocks;
use maintext_core::metadata::{self, Settings};
use maintext_core::things::Thing;
use maintext_core::things::training::{self, Calibration, ProductRankers, ProductSlot, RankedFields};
use maintext_core::{Choice, Extractor, Options, View};
use maintext_learn::hash::stirred;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use url::Url;

/// The set with labels of fields.
pub const SET: &str = "zyte-product";
/// Sets with pages that sell nothing, and the type of their pages; in wcxb-dev, each page states its type.
const OTHERS: [(&str, &str); 3] = [("wcxb-dev", ""), ("web-forum-52", "forum"), ("recipe-scrapers", "recipe")];
/// Weight of a page that declares a product: whether it sells one is not asked.
const DECLARED: f32 = 0.5;
/// Weight of a page that sells a product without declaring it: there are few, of all kinds of shops.
const SOLD: f32 = 3.0;
/// Number of folds.
pub const FOLDS: u64 = 10;
/// How often training sees each page.
const EPOCHS: usize = 100;
/// Parts of a host that name no site.
const SUFFIXES: [&str; 6] = ["co", "com", "org", "net", "ac", "gov"];

/// A labelled page.
pub struct Sample {
    /// Its id.
    pub id: String,
    /// Its site; see the module.
    pub site: String,
    /// Its type.
    pub kind: String,
    hash: u64,
    url: Option<Url>,
    source: String,
    choice: Choice,
    truth: serde_json::Value,
    /// The candidates of each field with the features of training.
    cases: Vec<Vec<Candidate>>,
    /// Whether it declares a product, once its candidates are known.
    is_declared: bool,
}

impl Sample {
    fn new(page: Page, kind: &str) -> Option<Sample> {
        let url = page.url.as_deref().and_then(|u| Url::parse(u).ok()).filter(Url::has_host);
        let source = page.decoded().into_owned();
        let mut extractor = Extractor::new(Options::default()).ok()?;
        let choice = extractor.analyze(&source, url.as_ref()).choice;
        let site = url.as_ref().and_then(Url::host_str).map_or_else(|| page.site.clone(), site);
        let hash = stirred(&site, 0);
        let kind = if kind.is_empty() { page.page_type.unwrap_or_default() } else { kind.to_owned() };
        let (id, truth) = (page.id, page.extra);
        Some(Sample { id, site, kind, hash, url, source, choice, truth, cases: Vec::new(), is_declared: false })
    }

    /// Whether the values of its fields are known.
    fn is_labelled(&self) -> bool {
        self.truth.get("price").is_some() || self.truth.get("availability").is_some()
    }

    /// Returns its weight for the decision whether it sells a product.
    fn weight(&self) -> f32 {
        if self.is_declared {
            DECLARED
        } else if self.kind == "product" {
            SOLD
        } else {
            1.0
        }
    }

    fn fold(&self) -> u64 {
        self.hash % FOLDS
    }

    fn with_view<T>(&self, f: impl FnOnce(&View<'_>, &Choice, &Settings<'_>) -> T) -> T {
        let dom = maintext_core::dom::parse(&self.source, &Default::default());
        let blocks = Blocks::new(&dom);
        let url = self.url.as_ref();
        let view = View { source: &self.source, dom: &dom, blocks: &blocks, url: url.map(Url::as_str) };
        f(&view, &self.choice, &Settings { base: url, ..Settings::default() })
    }

    fn ranked(&self, rankers: &ProductRankers) -> RankedFields {
        self.with_view(|view, choice, settings| training::products(view, choice, settings, rankers))
    }

    fn found(&self, rankers: &ProductRankers) -> Vec<Vec<metadata::Candidate>> {
        self.ranked(rankers).slots.into()
    }

    /// Returns the candidates of each field as rankers order them.
    pub fn candidates(&self, rankers: &ProductRankers) -> BTreeMap<&'static str, Vec<metadata::Candidate>> {
        let found = self.found(rankers);
        ProductSlot::RANKED.iter().map(|s| s.name()).zip(found).collect()
    }

    /// Returns the things of the page as rankers choose them.
    pub fn things(&self, rankers: &ProductRankers) -> Vec<Thing> {
        self.with_view(|view, choice, settings| training::things(view, choice, settings, rankers))
    }

    /// Returns the labels of a field.
    fn labels(&self, slot: ProductSlot) -> Vec<&str> {
        let values = self.truth[slot.name()].as_array();
        values.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
    }

    fn is_right(&self, slot: ProductSlot, value: &str) -> bool {
        if slot == ProductSlot::Sells {
            return self.kind == "product";
        }
        self.labels(slot).iter().any(|label| agrees(slot, label, value))
    }
}

/// Returns the name of a site: the host's label before its suffix.
fn site(host: &str) -> String {
    let labels: Vec<&str> = host.split('.').collect();
    let mut rest = &labels[..labels.len().saturating_sub(1)];
    while let [head @ .., last] = rest
        && !head.is_empty()
        && SUFFIXES.contains(last)
    {
        rest = head;
    }
    rest.last().copied().unwrap_or(host).to_owned()
}

/// Returns whether a value agrees with a label.
fn agrees(slot: ProductSlot, label: &str, value: &str) -> bool {
    let code = |s: &str| -> String { s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    match slot {
        ProductSlot::Price | ProductSlot::ListPrice => {
            let number = |s: &str| s.trim().parse::<f64>().ok();
            // `2.449` is a printed price whose point divides thousands.
            let thousands = label.trim().split_once('.').is_some_and(|(_, f)| f.len() == 3);
            let same = |a: f64, b: f64| (a - b).abs() < 0.005;
            match (number(label), number(value)) {
                (Some(a), Some(b)) => same(a, b) || thousands && same(a * 1000.0, b),
                _ => false,
            }
        }
        ProductSlot::Currency => training::currencies(label.trim_end_matches('~')).contains(&value),
        ProductSlot::Availability => {
            let sold = |v: &str| matches!(v, "OutOfStock" | "SoldOut" | "Discontinued");
            sold(label) == sold(value)
        }
        ProductSlot::Brand | ProductSlot::Sku | ProductSlot::Mpn => {
            !code(label).is_empty() && code(label) == code(value)
        }
        ProductSlot::Sells => label == value,
        ProductSlot::Gtin => code(label).trim_start_matches('0') == code(value).trim_start_matches('0'),
    }
}

/// Weight of a page whose labels lack a field: whether annotators would have noted it.
fn silent(slot: ProductSlot) -> f32 {
    match slot {
        ProductSlot::Price => 1.0,
        ProductSlot::Brand | ProductSlot::Mpn | ProductSlot::Gtin => 0.15,
        _ => 0.0,
    }
}

/// The labelled pages with the names of their candidates' features.
pub struct Samples {
    /// The pages.
    pub pages: Vec<Sample>,
    /// Pages of all types without labels, for the decision whether a page sells a product.
    pub others: Vec<Sample>,
    names: Vec<Names>,
}

/// What a cross-validation gives.
pub struct Validated {
    /// The rankers of each fold, which have not seen its sites.
    pub folds: Vec<ProductRankers>,
    /// The calibration by all folds.
    pub calibrations: Vec<Calibration>,
}

impl Samples {
    /// Reads the labelled pages below a folder of data.
    ///
    /// # Errors
    /// The set cannot be read.
    pub fn load(data: &Path) -> Result<Samples, Error> {
        let read = |set: &str, kind: &str| -> Result<Vec<Sample>, Error> {
            let pages = data::read(data.join("train").join(format!("{set}.jsonl.zst")))?;
            let pages: Vec<Option<Sample>> = pages.into_par_iter().map(|p| Sample::new(p, kind)).collect();
            Ok(pages.into_iter().flatten().collect())
        };
        let mut others = Vec::new();
        for (set, kind) in OTHERS {
            others.extend(read(set, kind)?);
        }
        Ok(Samples { pages: read(SET, "product")?, others, names: Vec::new() })
    }

    fn collect(&mut self, slots: &[ProductSlot], rankers: &[ProductRankers]) {
        if self.names.is_empty() {
            self.names = ProductSlot::RANKED.iter().map(|_| Names::default()).collect();
        }
        let pages = if slots == [ProductSlot::Sells] {
            self.pages.iter_mut().chain(&mut self.others).collect()
        } else {
            self.pages.iter_mut().collect::<Vec<_>>()
        };
        let found: Vec<_> = pages.par_iter().map(|p| p.ranked(&rankers[p.fold() as usize])).collect();
        for (page, mut found) in pages.into_iter().zip(found) {
            page.is_declared = found.main.is_some();
            page.cases.resize_with(ProductSlot::RANKED.len(), Vec::new);
            for &slot in slots {
                let names = &mut self.names[slot as usize];
                let own = &mut found.slots[slot as usize];
                // Sorted, because their order comes from the scores of some ranker and must not affect training.
                own.sort_by(|a, b| a.value.cmp(&b.value));
                let made = own
                    .iter()
                    .map(|c| Candidate {
                        features: c.features.iter().map(|(n, v, _)| (names.id(n, page.hash), *v)).collect(),
                        right: page.is_right(slot, &c.value),
                    })
                    .collect();
                page.cases[slot as usize] = made;
            }
        }
    }

    /// Returns the pages that a field is learned from.
    fn of(&self, slot: ProductSlot) -> impl Iterator<Item = &Sample> {
        self.pages.iter().chain(self.others.iter().filter(move |_| slot == ProductSlot::Sells))
    }

    fn train(&self, slot: ProductSlot, held_out: Option<u64>, seed: u64) -> Fitted {
        let seen = self.of(slot).filter(|p| held_out != Some(p.fold()));
        let cases: Vec<Case> = seen.filter_map(|p| case(p, slot)).collect();
        fit_linear(&cases, &self.names[slot as usize], EPOCHS, seed)
    }

    fn model(&self, slot: ProductSlot, held_out: Option<u64>, seed: u64) -> metadata::training::Model {
        self.train(slot, held_out, seed).model(&self.names[slot as usize])
    }

    /// Trains on all folds but one, for each fold.
    pub fn cross_validate(&mut self, seed: u64) -> Validated {
        let blank = vec![ProductRankers::default(); FOLDS as usize];
        self.collect(&[ProductSlot::Price], &blank);
        let prices: Vec<_> =
            (0..FOLDS).into_par_iter().map(|k| self.model(ProductSlot::Price, Some(k), seed)).collect();
        let first: Vec<ProductRankers> =
            prices.iter().map(|m| ProductRankers::new(vec![m.clone()], Vec::new())).collect();
        let fields = &ProductSlot::RANKED[1..ProductSlot::Sells as usize];
        self.collect(fields, &first);
        let mut models: Vec<Vec<_>> = (0..FOLDS)
            .into_par_iter()
            .map(|k| {
                let others = fields.iter().map(move |s| (*s, k)).map(|(slot, k)| self.model(slot, Some(k), seed));
                std::iter::once(prices[k as usize].clone()).chain(others).collect()
            })
            .collect();
        let plain: Vec<ProductRankers> = models.iter().map(|m| ProductRankers::new(m.clone(), Vec::new())).collect();
        self.collect(&[ProductSlot::Sells], &plain);
        let sells: Vec<_> = (0..FOLDS).into_par_iter().map(|k| self.model(ProductSlot::Sells, Some(k), seed)).collect();
        models.iter_mut().zip(sells).for_each(|(m, s)| m.push(s));
        let plain: Vec<ProductRankers> = models.iter().map(|m| ProductRankers::new(m.clone(), Vec::new())).collect();
        let points = self.points(&plain);
        let calibrate = |held_out: Option<u64>| -> Vec<Calibration> {
            (0..ProductSlot::RANKED.len())
                .map(|slot| {
                    let seen =
                        points.iter().zip(self.of(ProductSlot::Sells)).filter(|(_, p)| held_out != Some(p.fold()));
                    platt(&seen.filter_map(|(points, _)| points[slot]).collect::<Vec<_>>())
                })
                .collect()
        };
        let folds = models.into_iter().zip(0..).map(|(m, k)| ProductRankers::new(m, calibrate(Some(k)))).collect();
        Validated { folds, calibrations: calibrate(None) }
    }

    /// Returns for each page and field the probability of the best candidate, whether it is right, and its weight.
    fn points(&self, rankers: &[ProductRankers]) -> Vec<Vec<Option<(f32, bool, f32)>>> {
        let of = |p: &Sample| {
            let found = p.found(&rankers[p.fold() as usize]);
            let point = |slot: &ProductSlot| {
                let best = found[*slot as usize].first()?;
                let weight = if *slot == ProductSlot::Sells {
                    p.weight()
                } else if !p.is_labelled() {
                    0.0
                } else if p.labels(*slot).is_empty() {
                    silent(*slot)
                } else {
                    1.0
                };
                (weight > 0.0).then(|| (best.probability, p.is_right(*slot, &best.value), weight))
            };
            ProductSlot::RANKED.iter().map(point).collect()
        };
        self.of(ProductSlot::Sells).collect::<Vec<_>>().into_par_iter().map(of).collect()
    }

    /// Returns for each field and least probability how many labelled values are right and how many wrong if each page has its best
    /// candidate, ranked by rankers that have not seen its site.
    pub fn curves(&self, validated: &Validated, least: &[f32]) -> Vec<(&'static str, Vec<(usize, usize)>)> {
        let points = self.points(&validated.folds);
        ProductSlot::RANKED
            .iter()
            .map(|slot| {
                let own: Vec<_> = points.iter().filter_map(|p| p[*slot as usize]).collect();
                let count = |p: f32, right: bool| own.iter().filter(|o| o.0 >= p && o.1 == right).count();
                (slot.name(), least.iter().map(|p| (count(*p, true), count(*p, false))).collect())
            })
            .collect()
    }

    /// Returns by set and type the number of pages, of pages that declare a product, and of others that sell one according to a ranker that
    /// has not seen the site.
    pub fn sold(&self, validated: &Validated) -> BTreeMap<String, [usize; 3]> {
        let all: Vec<&Sample> = self.of(ProductSlot::Sells).collect();
        let found: Vec<RankedFields> = all.par_iter().map(|p| p.ranked(validated.of(p))).collect();
        let mut out = BTreeMap::new();
        for (page, found) in all.iter().zip(found) {
            let name = if page.is_labelled() { SET.to_owned() } else { page.kind.clone() };
            let counts: &mut [usize; 3] = out.entry(name).or_default();
            counts[0] += 1;
            counts[1] += usize::from(found.main.is_some());
            counts[2] += usize::from(found.main.is_none() && found.best(ProductSlot::Sells).is_some());
        }
        out
    }

    /// Trains on all pages. Call [`Samples::cross_validate`] first.
    pub fn train_all(&self, calibrations: Vec<Calibration>, seed: u64) -> ProductRankers {
        ProductRankers::new(ProductSlot::RANKED.iter().map(|s| self.model(*s, None, seed)).collect(), calibrations)
    }
}

impl Validated {
    /// Returns the rankers that have not seen the page's site.
    pub fn of(&self, page: &Sample) -> &ProductRankers {
        &self.folds[page.fold() as usize]
    }
}

fn case(page: &Sample, slot: ProductSlot) -> Option<Case<'_>> {
    let candidates = &page.cases[slot as usize];
    let right = candidates.iter().any(|c| c.right);
    let weight = if slot == ProductSlot::Sells {
        page.weight()
    } else if page.labels(slot).is_empty() {
        silent(slot)
    } else if right {
        1.0
    } else {
        // A page whose true value is not a candidate teaches nothing.
        0.0
    };
    (weight > 0.0 && !candidates.is_empty()).then_some(Case { site: page.hash, weight, candidates })
}

/// Fits slope and shift of the log-odds by Newton's method with steps that never raise the loss, held to the identity by a prior of a few
/// pages.
fn platt(points: &[(f32, bool, f32)]) -> Calibration {
    const PRIOR: f64 = 4.0;
    let (mut a, mut b) = (1.0f64, 0.0f64);
    let odds = |p: f32| {
        let p = f64::from(p.clamp(1e-4, 1.0 - 1e-4));
        (p / (1.0 - p)).ln()
    };
    let loss = |a: f64, b: f64| {
        let prior = PRIOR * ((a - 1.0).powi(2) + 0.25 * b * b) / 2.0;
        prior
            + points
                .iter()
                .map(|&(p, right, w)| {
                    let x = a * odds(p) + b;
                    f64::from(w) * (1.0 + (if right { -x } else { x }).exp()).ln()
                })
                .sum::<f64>()
    };
    for _ in 0..50 {
        let (mut ga, mut gb) = (PRIOR * (a - 1.0), PRIOR * 0.25 * b);
        let (mut haa, mut hab, mut hbb) = (PRIOR, 0.0, PRIOR * 0.25);
        for &(p, right, w) in points {
            let x = odds(p);
            let q = 1.0 / (1.0 + (-(a * x + b)).exp());
            let (g, h) = (f64::from(w) * (q - f64::from(u8::from(right))), f64::from(w) * q * (1.0 - q));
            ga += g * x;
            gb += g;
            haa += h * x * x;
            hab += h * x;
            hbb += h;
        }
        let det = haa * hbb - hab * hab;
        if det.abs() < 1e-12 {
            break;
        }
        let (da, db) = ((hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det);
        let before = loss(a, b);
        let Some(t) = (0..20).map(|n| 0.5f64.powi(n)).find(|t| loss(a - t * da, b - t * db) < before) else { break };
        (a, b) = (a - t * da, b - t * db);
    }
    Calibration { slope: a.clamp(0.1, 3.0) as f32, shift: b.clamp(-4.0, 4.0) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shops_under_several_domains_are_one_site() {
        assert_eq!(
            (site("www.shop.co.uk"), site("www.shop.de"), site("m.shop.com")),
            ("shop".into(), "shop".into(), "shop".into())
        );
    }

    #[test]
    fn labels_agree_with_values_of_other_forms() {
        assert!(
            agrees(ProductSlot::Price, "49.90", "49.9")
                && agrees(ProductSlot::Price, "2.449", "2449")
                && !agrees(ProductSlot::Price, "10", "100")
        );
        assert!(agrees(ProductSlot::Currency, "$", "CAD") && !agrees(ProductSlot::Currency, "€", "USD"));
        assert!(
            agrees(ProductSlot::Sku, "924/9556", "9249556")
                && agrees(ProductSlot::Availability, "InStock", "LimitedAvailability")
        );
        assert!(!agrees(ProductSlot::Availability, "InStock", "SoldOut"));
    }

    #[test]
    fn a_calibration_corrects_overconfidence() {
        let points: Vec<_> = (0..100).map(|i| (0.95, i % 2 == 0, 1.0)).collect();
        let c = platt(&points);
        assert!((c.at(0.95) - 0.5).abs() < 0.1, "{c:?}");
    }
}
