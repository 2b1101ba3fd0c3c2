//! Trains the forests that judge which group of links is the list of a page, and which other groups have entries too.
//!
//! It learns from pages whose entries are labelled by their addresses, and from pages whose records are known by their texts. A group's quality
//! is the F1 of its entries against them.
use crate::Error;
use crate::data::Page;
use crate::entries::{MIN_ENTRIES, Sample, Score, parse_pages};
use crate::learned::{FOLDS, fold_of, train_mean};
use maintext_core::address::base_url;
use maintext_core::blocks::Blocks;
use maintext_core::dom::Dom;
use maintext_core::features::Column;
use maintext_core::list::choosing;
use maintext_core::list::columns::{Keys, columns};
use maintext_core::list::group::{GroupJudge, LinkGroup, best_first, candidates, rank};
use maintext_core::list::{Entry, LinkModel, LinkTable, read_groups};
use maintext_core::model::Pack;
use maintext_core::model::forest::{Forest, sigmoid};
use maintext_learn::gbdt::{Binned, LogLoss, Settings, columns_of};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::Path;
use url::Url;

/// The set whose records are known.
pub const RECORDS: &str = "search-results";
/// The name of its pages with headlines of another page at the side.
const WITH_SIDE_LIST: &str = "search-results with a side list";
/// Number of forests that are averaged.
const FORESTS: u64 = 3;
/// The distance of the page whose headlines a page gets, and the minimum number of words of a headline.
const OTHER_PAGE: usize = 37;
const MIN_WORDS: usize = 3;
/// Texts with fewer letters and digits name no record.
const MIN_NAME: usize = 3;
/// Texts with as many name a record also if they are part of one of its texts, or one of its texts is part of them.
const MIN_PART: usize = 8;

/// Returns the settings of the shipped forests: for the quality of groups, and for further groups. Few further groups have entries, so the second
/// forest needs less regularization.
pub fn settings(seed: u64) -> [Settings; 2] {
    [100.0, 30.0].map(|l2| Settings { trees: 150, learning_rate: 0.1, l2, feature_share: 0.3, page_share: 0.7, seed })
}

/// A record as its texts and addresses, in the form in which they are compared.
struct Record {
    texts: Vec<String>,
    addresses: Vec<String>,
}

impl Record {
    fn new(fields: &[String]) -> Record {
        let (addresses, texts): (Vec<&String>, Vec<&String>) = fields.iter().partition(|f| f.starts_with("http"));
        Record {
            texts: texts.into_iter().map(|t| letters(t)).filter(|t| t.chars().count() >= MIN_NAME).collect(),
            addresses: addresses.into_iter().map(|a| bare(a)).collect(),
        }
    }

    fn is(&self, entry: &Entry) -> bool {
        let address = entry.href.as_deref().or(entry.url.as_deref()).map(bare).filter(|a| !a.is_empty());
        let name = letters(if entry.title.is_empty() { entry.summary.as_deref().unwrap_or("") } else { &entry.title });
        address.is_some_and(|a| self.addresses.contains(&a))
            || !name.is_empty() && self.texts.iter().any(|text| names(text, &name))
    }
}

fn names(text: &str, name: &str) -> bool {
    let shorter = text.chars().count().min(name.chars().count());
    text == name || shorter >= MIN_PART && (text.contains(name) || name.contains(text))
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns an address without its scheme, `www.` and fragment.
fn bare(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.split('#').next().unwrap_or_default().trim_end_matches('/').to_lowercase()
}

/// A page whose entries are known, with its groups of links.
pub struct ListSample<'a> {
    /// The name under which the page is reported.
    kind: &'a str,
    page: &'a Page,
    table: LinkTable<'a>,
    base: Option<Url>,
    keys: Keys,
    p: Vec<f32>,
    groups: Vec<LinkGroup>,
    chances: Vec<f32>,
}

/// The columns of the groups of a page, with their labels and weights.
#[derive(Default)]
struct Lesson {
    rows: Vec<Vec<f32>>,
    labels: Vec<f32>,
    weights: Vec<f32>,
}

fn values(rows: Vec<Vec<Column>>) -> Vec<Vec<f32>> {
    rows.into_iter().map(|row| row.into_iter().map(|column| column.1).collect()).collect()
}

/// The output of forests that have not seen a page for its groups.
struct Said<'s> {
    qualities: &'s [f32],
    chances: &'s [f32],
}

impl GroupJudge for Said<'_> {
    fn qualities(&self, _: &LinkTable<'_>, _: &[LinkGroup], _: &[f32]) -> Vec<f32> {
        self.qualities.to_vec()
    }

    fn chances(&self, _: &LinkTable<'_>, _: &[LinkGroup], _: &[f32]) -> Vec<f32> {
        std::iter::once(1.0).chain(self.chances.iter().copied()).collect()
    }
}

impl<'a> ListSample<'a> {
    /// Reads the groups of a page, given the probabilities of its links. Returns `None` if the page names too few entries.
    pub fn new(
        kind: &'a str,
        page: &'a Page,
        (dom, blocks): (&'a Dom<'a>, &'a Blocks),
        judge: impl Fn(&LinkTable<'_>, Option<&Url>) -> (Vec<f32>, Keys),
    ) -> Option<Self> {
        if page.links.len().max(page.records.len()) < MIN_ENTRIES {
            return None;
        }
        let url = page.url.as_deref().and_then(|u| Url::parse(u).ok());
        let base = base_url(dom, url.as_ref());
        let table = LinkTable::new(dom, blocks, base.as_ref());
        let (p, keys) = judge(&table, url.as_ref());
        let (groups, chances) = candidates(&table, &keys, &p);
        (!groups.is_empty()).then_some(ListSample { kind, page, table, base, keys, p, groups, chances })
    }

    fn score(&self, groups: &[LinkGroup]) -> Score {
        if self.page.records.is_empty() {
            let named: HashSet<&str> = self.page.links.iter().map(|l| l.url.trim()).collect();
            let links = self.table.links.iter();
            let named = links.filter(|l| named.contains(l.href.as_str())).map(|l| l.target).collect();
            let found = groups.iter().flat_map(|g| &g.links).map(|&i| self.table.links[i].target).collect();
            return Score::of(&found, &named);
        }
        let mut records: Vec<Record> = self.page.records.iter().map(|fields| Record::new(fields)).collect();
        let mut score = Score { named: records.len(), ..Score::default() };
        for entry in read_groups(&self.table, groups, self.base.as_ref()).iter().flat_map(|g| &g.entries) {
            score.found += 1;
            if let Some(at) = records.iter().position(|record| record.is(entry)) {
                records.remove(at);
                score.hits += 1;
            }
        }
        score
    }

    /// Returns what to learn about the quality of the page's groups: the F1 of each against the known entries.
    fn qualities(&self) -> Lesson {
        let rows = values(choosing::columns(&self.table, &self.groups, &self.chances));
        let labels: Vec<f32> = self.groups.iter().map(|g| self.score(std::slice::from_ref(g)).f1() as f32).collect();
        // Each page has the same weight.
        Lesson { weights: vec![1.0 / labels.len() as f32; labels.len()], rows, labels }
    }

    /// Returns the lesson for the groups other than the best one. The label is the share of entries among their links.
    fn further(&self, qualities: &[f32]) -> Lesson {
        let groups = best_first(&self.table, self.groups.clone(), qualities, &self.chances);
        let rows = values(choosing::further_columns(&self.table, &groups, &self.chances));
        let hits = |groups: &[LinkGroup]| self.score(groups).hits as f32;
        let Some(best) = groups.first() else { return Lesson::default() };
        let of_best = hits(std::slice::from_ref(best));
        let further = groups[1..].iter();
        let labels = further.clone().map(|g| (hits(&[best.clone(), g.clone()]) - of_best) / g.links.len() as f32);
        let labels = labels.map(|share| share.clamp(0.0, 1.0)).collect();
        // Large groups matter more, and so do the groups of pages with few.
        let entries = self.page.links.len().max(self.page.records.len()) as f32;
        let size = |g: &LinkGroup| (g.links.len() as f32 / entries).min(1.0);
        let weights = further.map(|g| (size(g) / rows.len() as f32).sqrt()).collect();
        Lesson { rows, labels, weights }
    }

    /// Returns the scores of the best group alone and of all groups.
    fn scores(&self, said: &Said<'_>) -> [Score; 2] {
        let groups = rank(&self.table, &self.keys, &self.p, said);
        [self.score(&groups[..groups.len().min(1)]), self.score(&groups)]
    }
}

/// A forest, and its out-of-fold output for the groups of each page.
struct Taught {
    forest: Forest,
    out_of_fold: Vec<Vec<f32>>,
}

/// Trains on the lessons of all pages, and on all except each fold.
fn teach(lessons: &[Lesson], folds: &[usize], settings: &Settings) -> Taught {
    let rows: Vec<Vec<f32>> = lessons.iter().flat_map(|l| l.rows.iter().cloned()).collect();
    let pages: Vec<u32> = (0..).zip(lessons).flat_map(|(i, l)| vec![i; l.rows.len()]).collect();
    let labels: Vec<f32> = lessons.iter().flat_map(|l| l.labels.iter().copied()).collect();
    let mut weights: Vec<f32> = lessons.iter().flat_map(|l| l.weights.iter().copied()).collect();
    // A mean of 1, which the settings of the trainer expect.
    let mean = weights.iter().sum::<f32>() / weights.len().max(1) as f32;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    let width = rows.first().map_or(0, Vec::len);
    let data = Binned::with_bins(&columns_of(&rows, width), 48);
    let objective = LogLoss { labels: &labels, weights: &weights };
    let mut taught = Taught { forest: Forest::default(), out_of_fold: vec![Vec::new(); lessons.len()] };
    for held_out in 0..=FOLDS {
        // The last page with rows ends the list of pages that the trainer knows.
        let known = pages.last().map_or(0, |last| *last as usize + 1);
        let active: Vec<bool> = folds[..known].iter().map(|fold| *fold != held_out).collect();
        let (forest, scores) = train_mean(FORESTS, &data, &pages, &active, &objective, settings);
        let mut at = 0;
        for ((lesson, fold), out) in lessons.iter().zip(folds).zip(&mut taught.out_of_fold) {
            at += lesson.rows.len();
            if *fold == held_out {
                *out = scores[at - lesson.rows.len()..at].iter().map(|score| sigmoid(*score)).collect();
            }
        }
        taught.forest = forest;
    }
    taught
}

/// The name under which a page is reported, and the scores of its best group and of all groups, out of fold.
pub type Measure = (String, [Score; 2]);

/// Returns copies of the pages with a list of headlines of another page at the side, since few of the pages have one that is alike their own.
fn with_side_lists(pages: &[Page], texts: &[String]) -> Vec<String> {
    let with = |(i, text): (usize, &String)| {
        let other = &pages[(i + OTHER_PAGE) % pages.len()];
        let headlines =
            other.records.iter().filter_map(|fields| fields.iter().find(|f| f.split(' ').count() >= MIN_WORDS));
        let items: String = headlines
            .enumerate()
            .map(|(k, title)| format!("<li><a href='/latest/{k}-{i}'>{}</a></li>", title.replace('<', "&lt;")))
            .collect();
        let list = if i % 2 == 0 {
            format!("<aside><h3>Latest</h3><ul>{items}</ul></aside>")
        } else {
            format!("<div><div><h3>Latest</h3><ul>{items}</ul></div></div>")
        };
        match (i % 4 < 2, text.rfind("</body>"), text.find("<body").and_then(|at| Some(at + text[at..].find('>')? + 1)))
        {
            (true, Some(at), _) | (_, _, Some(at)) => format!("{}{list}{}", &text[..at], &text[at..]),
            _ => format!("{text}{list}"),
        }
    };
    texts.iter().enumerate().map(with).collect()
}

/// Adds the forests for groups to a model of links. `data` is the folder of the sets, `known` are pages with the probabilities of their links by a
/// model that has not seen their sites.
///
/// # Errors
/// A set cannot be read, or the model lacks a part.
pub fn complete(
    mut pack: Pack,
    data: &Path,
    known: &[(&Sample<'_>, &[f32])],
    [of_quality, of_further]: &[Settings; 2],
) -> Result<(Pack, Vec<Measure>), Error> {
    let of_links = pack.names.len() as u16;
    pack.names.extend(choosing::names().into_iter().map(str::to_owned));
    pack.forests.extend([Forest::default(), Forest::default()]);
    let links = LinkModel::new(pack.clone()).map_err(|e| Error::other(e.to_string()))?;
    let pages = crate::data::read(data.join(format!("train/{RECORDS}.jsonl.zst")))?;
    let texts: Vec<String> = pages.par_iter().map(|page| page.decoded().into_owned()).collect();
    let copies = with_side_lists(&pages, &texts);
    let [parsed, copied] = [&texts, &copies].map(|texts| parse_pages(&pages, texts));
    let labelled = known.par_iter().filter(|(sample, _)| !sample.page.links.is_empty());
    let mut samples: Vec<ListSample> = labelled
        .filter_map(|(s, p)| {
            let kind = s.page.page_type.as_deref().unwrap_or("plain copies");
            ListSample::new(kind, s.page, (s.table.dom, s.table.blocks), |table, url| {
                (p.to_vec(), columns(table, url).1)
            })
        })
        .collect();
    for (kind, parsed) in [(RECORDS, &parsed), (WITH_SIDE_LIST, &copied)] {
        samples.par_extend(
            parsed.par_iter().filter_map(|p| {
                ListSample::new(kind, p.page, (&p.dom, &p.blocks), |table, url| links.judge(table, url))
            }),
        );
    }
    let folds: Vec<usize> = samples.iter().map(|s| fold_of(&s.page.site)).collect();
    let lessons: Vec<Lesson> = samples.par_iter().map(ListSample::qualities).collect();
    let quality = teach(&lessons, &folds, of_quality);
    let lessons: Vec<Lesson> = samples.par_iter().zip(&quality.out_of_fold).map(|(s, said)| s.further(said)).collect();
    let further = teach(&lessons, &folds, of_further);
    let said = quality.out_of_fold.iter().zip(&further.out_of_fold);
    let said: Vec<Said<'_>> = said.map(|(qualities, chances)| Said { qualities, chances }).collect();
    let scores = samples.par_iter().zip(&said).map(|(s, said)| (s.kind.to_owned(), s.scores(said))).collect();
    for (slot, mut forest) in pack.forests[2..].iter_mut().zip([quality.forest, further.forest]) {
        forest.trees.iter_mut().flat_map(|tree| &mut tree.features).for_each(|feature| *feature += of_links);
        *slot = forest;
    }
    Ok((pack, scores))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(title: &str, href: &str) -> Entry {
        let mut entry = Entry::default();
        entry.title = title.to_owned();
        entry.href = Some(href.to_owned());
        entry
    }

    #[test]
    fn an_entry_is_a_record_by_its_title_or_its_address() {
        let record =
            Record::new(&["The old mill, explained".into(), "$12".into(), "https://www.a.example/mill/".into()]);
        assert!(record.is(&entry("the OLD mill", "/x")) && record.is(&entry("Mill", "http://a.example/mill#top")));
        assert!(!record.is(&entry("Mill", "/x")) && !record.is(&entry("12", "/y")));
    }

    #[test]
    fn a_copy_has_the_headlines_of_another_page() {
        let page = |k: usize| Page { records: vec![vec![format!("Headline number {k}")]], ..Page::default() };
        let pages: Vec<Page> = (0..40).map(page).collect();
        let texts = vec!["<body><p>Text</body>".to_owned(); 40];
        let copies = with_side_lists(&pages, &texts);
        assert_eq!(copies.len(), 40);
        assert!(copies[0].contains("Headline number 37") && copies[0].ends_with("</body>"), "{}", copies[0]);
        assert!(copies[2].starts_with("<body><aside>"), "{}", copies[2]);
    }
}
