//! Trains and measures the model of list entries.
//!
//! A link of a labelled list page is positive if its text is a line of the page's main text. For a link of several lines, the line
//! of its title counts. On pages with annotated entries, a link is positive if its address is one of theirs.
use crate::Error;
use crate::data::Page;
use crate::entries_annotated as annotated;
use crate::learned::{FOLDS, fold_of};
use crate::rows::Rows;
use maintext_core::blocks::{Blocks, ElementTokens};
use maintext_core::dom::{self, Dom, Edge, NodeId, NodeKind, Tag};
use maintext_core::features::tokens::Table;
use maintext_core::list::columns::{
    Columns, Keys, LinkTokenIndex, LinkTokens, columns, context_columns, token_columns,
};
use maintext_core::list::group::LinkGroup;
use maintext_core::list::{LinkTable, Lists, model};
use maintext_core::method::View;
use maintext_core::model::Pack;
use maintext_core::model::forest::{Forest, sigmoid};
use maintext_learn::gbdt::{Binned, LogLoss, Settings, train};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use url::Url;

/// Minimum number of entries that a page must name to be used for training or measurement.
pub const MIN_ENTRIES: usize = 4;

/// Normalises text for comparing lines: letters and digits in lower case, single spaces between words.
pub fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Returns for each link whether the ground truth names it, and whether it does so by the link's whole text.
pub fn labels(page: &Page, t: &LinkTable<'_>) -> [Vec<bool>; 2] {
    if !page.links.is_empty() || page.page_type.as_deref() == Some(annotated::LABELLED) {
        let named: HashSet<&str> = page.links.iter().map(|l| l.url.trim()).collect();
        let labels: Vec<bool> = t.links.iter().map(|l| named.contains(l.href.as_str())).collect();
        return [labels.clone(), labels];
    }
    let lines: HashSet<String> = page.text.as_deref().unwrap_or("").lines().map(normal).collect();
    let whole: Vec<bool> =
        t.links.iter().map(|l| l.url.is_some() && !l.text.is_empty() && lines.contains(&normal(&l.text))).collect();
    [
        t.links
            .iter()
            .zip(&whole)
            .map(|(l, w)| *w || l.url.is_some() && title_line(t.dom, l.node).is_some_and(|s| lines.contains(&s)))
            .collect(),
        whole,
    ]
}

/// Returns the line of a multi-line link that names its target: its heading, or else the longest line. Cards are such links: they contain
/// a title, a price and a text, each on its own line of the page's text.
fn title_line(dom: &Dom<'_>, link: NodeId) -> Option<String> {
    let (mut lines, mut open, mut heading) = (vec![String::new()], None, None);
    let mut walk = dom.traverse(link);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Text => {
                lines.iter_mut().last().into_iter().for_each(|l| l.push_str(dom.text(n)));
            }
            Edge::Enter(n) if dom.tag(n).is_skipped() => walk.skip_children(),
            Edge::Enter(n) | Edge::Leave(n) if dom.tag(n).is_block() || dom.tag(n) == Tag::BR => {
                let opens = matches!(edge, Edge::Enter(_)) && dom.tag(n).heading_level().is_some();
                if opens && open.is_none() && heading.is_none() {
                    open = Some((n, lines.len()));
                } else if let Some((_, from)) = open.filter(|(h, _)| *h == n && matches!(edge, Edge::Leave(_))) {
                    heading = Some(lines[from..].join(" "));
                    open = None;
                }
                lines.push(String::new());
            }
            _ => {}
        }
    }
    let heading = heading.map(|h| normal(&h)).filter(|h| !h.is_empty());
    let lines: Vec<String> = lines.iter().map(|l| normal(l)).filter(|l| !l.is_empty()).collect();
    let longest = || lines.iter().fold("", |a, b| if b.chars().count() > a.chars().count() { b } else { a }).to_owned();
    (lines.len() > 1).then(|| heading.unwrap_or_else(longest))
}

/// A page with the data from which its columns are computed.
pub struct Sample<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its links.
    pub table: LinkTable<'a>,
    /// Whether each leads to an entry.
    pub labels: Vec<bool>,
    /// The same, but based on whole link texts only.
    pub whole: Vec<bool>,
    tokens: ElementTokens,
    columns: Columns,
    keys: Keys,
}

impl Sample<'_> {
    /// Returns the groups of links on the page.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }
}

/// Returns the page in the style of old pages: without class names, semantic elements or an address of its own.
///
/// Training also uses such copies, so that the model does not rely on markup that many pages lack.
pub fn plain_markup(html: &str) -> String {
    const KEPT: [&str; 6] = ["href", "src", "alt", "title", "lang", "style"];
    let dom = dom::parse(html, &Default::default());
    let mut out = String::with_capacity(html.len());
    let escape = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let name = |n| match dom.tag_name(n) {
        "nav" | "header" | "footer" | "main" | "article" | "section" | "aside" | "figure" | "time" | "menu" => {
            "div".to_owned()
        }
        other => other.to_owned(),
    };
    let void = |name: &str| {
        matches!(name, "img" | "br" | "hr" | "input" | "meta" | "link" | "base" | "wbr" | "area" | "col" | "source")
    };
    let mut walk = dom.traverse(NodeId::ROOT);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Text => out.push_str(&escape(dom.text(n))),
            Edge::Enter(n) if matches!(dom.tag(n), Tag::SCRIPT | Tag::STYLE | Tag::SVG | Tag::NOSCRIPT) => {
                walk.skip_children();
            }
            Edge::Enter(n) if dom.kind(n) == NodeKind::Element => {
                out.push('<');
                out.push_str(&name(n));
                for (key, value) in dom.attrs(n).filter(|a| KEPT.contains(&a.0)) {
                    out.push_str(&format!(" {key}=\"{}\"", escape(value)));
                }
                out.push('>');
            }
            Edge::Leave(n) if dom.kind(n) == NodeKind::Element => {
                let name = name(n);
                if !void(&name) && !matches!(dom.tag(n), Tag::SCRIPT | Tag::STYLE | Tag::SVG | Tag::NOSCRIPT) {
                    out.push_str(&format!("</{name}>"));
                }
            }
            _ => {}
        }
    }
    out
}

/// A parsed page, from which samples borrow.
pub struct Parsed<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its tree.
    pub dom: Dom<'a>,
    /// Its blocks.
    pub blocks: Blocks,
}

/// Parses decoded pages.
pub fn parse_pages<'a>(pages: &'a [Page], texts: &'a [String]) -> Vec<Parsed<'a>> {
    pages
        .par_iter()
        .zip(texts)
        .map(|(page, text)| {
            let dom = dom::parse(text, &Default::default());
            Parsed { page, blocks: Blocks::new(&dom), dom }
        })
        .collect()
}

/// Creates samples from the pages that name enough entries.
pub fn samples<'a>(parsed: &'a [Parsed<'a>]) -> Vec<Sample<'a>> {
    let one = |p: &'a Parsed<'a>| {
        let url = p.page.url.as_deref().and_then(|u| Url::parse(u).ok());
        let base = maintext_core::address::base_url(&p.dom, url.as_ref());
        let table = LinkTable::new(&p.dom, &p.blocks, base.as_ref());
        let [labels, whole] = labels(p.page, &table);
        let named: HashSet<u32> = table.links.iter().zip(&labels).filter(|l| *l.1).map(|l| l.0.target).collect();
        if named.len() < MIN_ENTRIES {
            return None;
        }
        let (columns, keys) = columns(&table, url.as_ref());
        let tokens = ElementTokens::new(&p.dom, &p.blocks);
        Some(Sample { page: p.page, table, labels, whole, tokens, columns, keys })
    };
    parsed.par_iter().filter_map(one).collect()
}

/// Minimum number of pages that must use a name for it to get a score.
const MIN_PAGES: f32 = 3.0;
/// Smoothing: pages added to either side.
const SMOOTHING: f32 = 1.0;

/// Fits the log-odds of entries among the links below each name; each page counts once.
fn fit_tokens<'a>(samples: impl Iterator<Item = &'a Sample<'a>>) -> LinkTokens {
    let mut all = [HashMap::<u32, (f32, f32)>::new(), HashMap::new()];
    for s in samples {
        let mut own = [HashMap::<u32, (f32, f32)>::new(), HashMap::new()];
        for (l, y) in s.table.links.iter().zip(&s.labels) {
            let mut seen = HashSet::new();
            for (k, e) in s.table.blocks.element_chain(l.element).enumerate() {
                for t in s.tokens.of(e).iter().filter(|t| seen.insert(**t)) {
                    let c = own[(k >= 4) as usize].entry(*t).or_default();
                    *c = (c.0 + *y as u8 as f32, c.1 + 1.0);
                }
            }
        }
        for (all, own) in all.iter_mut().zip(own) {
            for (t, (hits, n)) in own {
                let e = all.entry(t).or_default();
                *e = (e.0 + hits / n, e.1 + 1.0);
            }
        }
    }
    let table = |counts: HashMap<u32, (f32, f32)>| {
        let kept = counts.into_iter().filter(|(_, (_, n))| *n >= MIN_PAGES);
        let mut out: Vec<(u32, f32)> =
            kept.map(|(t, (a, n))| (t, ((a + SMOOTHING) / (n - a + SMOOTHING)).ln())).collect();
        out.sort_by_key(|e| e.0);
        Table(out)
    };
    let [near, far] = all;
    LinkTokens { near: table(near), far: table(far) }
}

/// Concatenates the columns of several pages.
pub fn stack(parts: &[Columns]) -> Vec<Vec<f32>> {
    let width = parts.first().map_or(0, |c| c.names().len());
    (0..width).into_par_iter().map(|i| parts.iter().flat_map(|c| c.column(i).iter().copied()).collect()).collect()
}

/// The result of training: the model, and for each sample the probabilities from models that have not seen its site.
pub struct Trained {
    /// The model trained on all samples.
    pub pack: Pack,
    /// Out-of-fold probabilities by sample.
    pub out_of_fold: Vec<Vec<f32>>,
}

/// Trains on all samples, and on all except each fold.
pub fn train_entries(samples: &[Sample<'_>], settings: &Settings, mut say: impl FnMut(&str)) -> Result<Trained, Error> {
    let fold: Vec<usize> = samples.iter().map(|s| fold_of(&s.page.site)).collect();
    let rows = rows(samples);
    let mut out_of_fold = vec![Vec::new(); samples.len()];
    let mut stages = None;
    for held_out in 0..=FOLDS {
        let (first, second, scores, names) = fit(&rows, samples, &fold, held_out, settings);
        say(&format!("fold {} of {}", held_out + 1, FOLDS + 1));
        for (i, p) in scores.into_iter().enumerate().filter(|(i, _)| fold[*i] == held_out) {
            out_of_fold[i] = p;
        }
        if held_out == FOLDS {
            stages = Some((first, second, names));
        }
    }
    let Some((first, second, names)) = stages else { return Err(Error::other("no folds")) };
    let tokens = fit_tokens(samples.iter());
    let pack = Pack {
        kind: model::KIND.into(),
        names,
        forests: vec![first, second],
        tables: vec![tokens.near, tokens.far],
        numbers: Vec::new(),
    };
    Ok(Trained { pack, out_of_fold })
}

/// Returns the rows of all samples; each page has the same weight.
fn rows(samples: &[Sample<'_>]) -> Rows {
    let mut r = Rows { starts: vec![0], ..Rows::default() };
    for (p, s) in samples.iter().enumerate() {
        let n = s.labels.len() as f32;
        for y in &s.labels {
            r.pages.push(p as u32);
            r.labels.push(*y as u8 as f32);
            r.words.push(1.0);
            r.weights.push(10.0 / n.sqrt());
        }
        r.partial.push(false);
        r.starts.push(r.pages.len());
    }
    r
}

/// Trains both stages without the fold `held_out`. Also returns the second stage's probabilities for all samples.
fn fit(
    rows: &Rows,
    samples: &[Sample<'_>],
    fold: &[usize],
    held_out: usize,
    settings: &Settings,
) -> (Forest, Forest, Vec<Vec<f32>>, Vec<String>) {
    // Tables of names are fitted without the page's own fold; otherwise they would contain its labels.
    let tables: Vec<LinkTokenIndex> = (0..=FOLDS)
        .into_par_iter()
        .map(|f| {
            let others = samples.iter().zip(fold).filter(|(_, g)| **g != held_out && **g != f);
            LinkTokenIndex::new(&fit_tokens(others.map(|(s, _)| s)))
        })
        .collect();
    let mut parts: Vec<Columns> = samples
        .par_iter()
        .zip(fold)
        .map(|(s, f)| {
            let mut c = s.columns.clone();
            token_columns(&s.table, &s.tokens, &tables[*f], &mut c);
            c
        })
        .collect();
    let active: Vec<bool> = fold.iter().map(|f| *f != held_out).collect();
    let data = Binned::new(&stack(&parts));
    let objective = LogLoss { labels: &rows.labels, weights: &rows.weights };
    let (first, scores) = train(&data, &rows.pages, &active, &objective, settings, |_| ());
    // The second stage learns from first-stage scores by models that have not seen the page.
    let mut context = split(&scores, samples);
    for inner in (0..FOLDS).filter(|k| *k != held_out) {
        let without: Vec<bool> = fold.iter().map(|f| *f != held_out && *f != inner).collect();
        let (_, s) = train(&data, &rows.pages, &without, &objective, settings, |_| ());
        for (i, p) in split(&s, samples).into_iter().enumerate().filter(|(i, _)| fold[*i] == inner) {
            context[i] = p;
        }
    }
    for ((s, p), c) in samples.iter().zip(&context).zip(&mut parts) {
        context_columns(&s.table, &s.keys, p, c);
    }
    let names = parts.first().map(|c| c.names().to_vec()).unwrap_or_default();
    let data = Binned::new(&stack(&parts));
    let (second, scores) = train(&data, &rows.pages, &active, &objective, settings, |_| ());
    (first, second, split(&scores, samples), names)
}

fn split(scores: &[f32], samples: &[Sample<'_>]) -> Vec<Vec<f32>> {
    split_rows(scores, &samples.iter().map(|s| s.labels.len()).collect::<Vec<_>>())
}

/// Converts the scores of all rows to probabilities by page; `counts` are the numbers of rows.
pub fn split_rows(scores: &[f32], counts: &[usize]) -> Vec<Vec<f32>> {
    let mut at = 0;
    let mut take = |n: &usize| {
        at += n;
        scores[at - n..at].iter().map(|s| sigmoid(*s)).collect()
    };
    counts.iter().map(&mut take).collect()
}

/// Counts of true positives, of links found and of links named by the ground truth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Both named and found.
    pub hits: usize,
    /// Found.
    pub found: usize,
    /// Named.
    pub named: usize,
}

impl Score {
    /// Compares sets of addresses.
    pub fn of(found: &HashSet<u32>, named: &HashSet<u32>) -> Score {
        Score { hits: found.intersection(named).count(), found: found.len(), named: named.len() }
    }
    /// Returns the harmonic mean of precision and recall; 1 if nothing is named and nothing found.
    pub fn f1(&self) -> f64 {
        if self.found + self.named == 0 { 1.0 } else { 2.0 * self.hits as f64 / (self.found + self.named) as f64 }
    }
    /// Adds the counts of another page.
    pub fn add(&mut self, o: &Score) {
        self.hits += o.hits;
        self.found += o.found;
        self.named += o.named;
    }
}

/// Scores groups of links on a sample by address: the best group alone, and all groups.
pub fn score(s: &Sample<'_>, groups: &[LinkGroup]) -> [Score; 2] {
    compare(s, &s.labels, groups)
}

/// Like [`score`], based on whole link texts only. Returns `None` if the page does not name enough entries this way.
pub fn score_whole(s: &Sample<'_>, groups: &[LinkGroup]) -> Option<[Score; 2]> {
    let scores = compare(s, &s.whole, groups);
    (scores[0].named >= MIN_ENTRIES).then_some(scores)
}

fn compare(s: &Sample<'_>, labels: &[bool], groups: &[LinkGroup]) -> [Score; 2] {
    let named = s.table.links.iter().zip(labels).filter(|l| *l.1).map(|l| l.0.target).collect();
    let found = |n: usize| groups.iter().take(n).flat_map(|g| &g.links).map(|&i| s.table.links[i].target).collect();
    [Score::of(&found(1), &named), Score::of(&found(usize::MAX), &named)]
}

/// The training sets: those whose main text contains lists, or whose lists are labelled.
pub const SETS: [&str; 2] = ["wcxb-dev", "autopager-pagination"];
/// The page types used for training. Others are excluded, because articles name the entries of their lists only by chance.
const KINDS: [&str; 5] = ["listing", "collection", "forum", "documentation", "service"];

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 120, learning_rate: 0.06, l2: 20.0, feature_share: 0.3, seed, ..Settings::default() }
}

/// Reads the pages of a set, with our own labels and annotation of entries.
pub fn pages_of(set: &Path) -> Result<Vec<Page>, Error> {
    let mut pages = crate::data::read(set)?;
    let name = crate::data::set_name(set);
    pages.par_iter_mut().for_each(|page| annotated::annotate(&name, page));
    Ok(pages)
}

/// Reads the training pages in the sets below `data/train` with their texts, followed by copies in plain markup of those whose text names
/// their entries. Adding such copies of the annotated pages makes results on old pages worse (docs/lists.md).
pub fn training_pages(data: &Path) -> Result<(Vec<Page>, Vec<String>), Error> {
    training_pages_of(&SETS.map(|set| data.join(format!("train/{set}.jsonl.zst"))))
}

/// Like [`training_pages`], for other sets.
pub fn training_pages_of(sets: &[PathBuf]) -> Result<(Vec<Page>, Vec<String>), Error> {
    let mut pages = Vec::new();
    for set in sets {
        pages.extend(pages_of(set)?);
    }
    let is_annotated = |p: &Page| p.page_type.as_deref() == Some(annotated::KIND);
    let is_labelled = |p: &Page| p.page_type.as_deref() == Some(annotated::LABELLED);
    pages.retain(|p| {
        is_annotated(p)
            || is_labelled(p)
            || p.text.is_some() && p.page_type.as_deref().is_some_and(|t| KINDS.contains(&t))
    });
    let mut texts: Vec<String> = pages.par_iter().map(|p| p.decoded().into_owned()).collect();
    let copied: Vec<usize> = (0..pages.len()).filter(|&i| !is_annotated(&pages[i])).collect();
    let plain: Vec<String> = copied.par_iter().map(|&i| plain_markup(&texts[i])).collect();
    let copies: Vec<Page> = copied.iter().map(|&i| Page { url: None, page_type: None, ..pages[i].clone() }).collect();
    pages.extend(copies);
    texts.extend(plain);
    Ok((pages, texts))
}

/// Mean and pooled scores of several pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Pages.
    pub pages: usize,
    /// Sum of the pages' F1.
    pub f1: f64,
    /// Sums of the pages' counts.
    pub pooled: Score,
}

impl Summary {
    /// Adds a page.
    pub fn add(&mut self, s: &Score) {
        self.pages += 1;
        self.f1 += s.f1();
        self.pooled.add(s);
    }
    /// Mean F1 of the pages.
    pub fn mean_f1(&self) -> f64 {
        self.f1 / self.pages.max(1) as f64
    }
}

/// The scores of a method on pages that name enough entries: its best group, and all its groups.
pub type Measured = [Summary; 2];

/// Adds a page's scores.
pub fn add(measured: &mut Measured, scores: &[Score; 2]) {
    measured.iter_mut().zip(scores).for_each(|(m, s)| m.add(s));
}

/// Measures a method on the pages of a set that name enough entries, and on those that do so by whole link texts.
pub fn measure(pages: &[Page], lists: &Lists) -> [Measured; 2] {
    let texts: Vec<String> = pages.par_iter().map(|p| p.decoded().into_owned()).collect();
    let parsed = parse_pages(pages, &texts);
    let data = samples(&parsed);
    let mut out = [Measured::default(); 2];
    let scores: Vec<([Score; 2], Option<[Score; 2]>)> = data
        .par_iter()
        .map(|s| {
            let view = View { source: "", dom: s.table.dom, blocks: s.table.blocks, url: s.page.url.as_deref() };
            let url = s.page.url.as_deref().and_then(|u| Url::parse(u).ok());
            let groups = lists.links(&view, &s.table, url.as_ref());
            (score(s, &groups), score_whole(s, &groups))
        })
        .collect();
    for (s, whole) in scores {
        add(&mut out[0], &s);
        whole.into_iter().for_each(|w| add(&mut out[1], &w));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(html: &str, text: &str) -> Vec<String> {
        let page = Page { text: Some(text.to_owned()), ..Page::default() };
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let table = LinkTable::new(&dom, &blocks, None);
        let [labels, _] = labels(&page, &table);
        table.links.iter().zip(labels).filter(|l| l.1).map(|l| l.0.href.clone()).collect()
    }

    #[test]
    fn a_link_is_named_by_a_line_with_its_whole_text() {
        let html = "<a href=/a>The old  mill</a> <a href=/b>Mill</a> <a href=/c>The <b>red</b> barn</a> <a href=/d>Read more</a>";
        assert_eq!(named(html, "THE OLD MILL.\nThe red barn\nOn the mill."), ["/a", "/c"]);
    }

    #[test]
    fn a_card_is_named_by_its_title_line() {
        let card = |href: &str, title: &str| {
            format!(
                "<a href={href}><img src=x><h3>{title}</h3><p>A lamp that is bright, and can be carried.</p><span>$12</span></a>"
            )
        };
        let html = card("/a", "Reading <i>lamp</i>") + &card("/b", "Night lamp");
        // A line that occurs in both cards names neither.
        assert_eq!(named(&html, "Reading lamp\nA lamp that is bright, and can be carried.\n$12"), ["/a"]);
        let plain =
            "<a href=/a><div>New</div><div>The bridge is open</div></a><a href=/b><div>New</div><div>Rain</div></a>";
        assert_eq!(named(plain, "New\nThe bridge is open"), ["/a"]);
    }
}
