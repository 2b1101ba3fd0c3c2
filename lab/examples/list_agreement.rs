//! Compares the entries of `extract` and `list` on whole sets: `list_agreement SCORES FILE...`. SCORES comes from training the content model
//! with `--scores`; each FILE is a set.
//!
//! Prints one row per set and page type: pages, share of them with entries, share of these whose entries agree with `list`, share of pages
//! whose type and entries agree; on the pages that name enough entries, the F1 of `list` and of `extract`; the word F1 of the text.
use maintext_core::address::base_url;
use maintext_core::blocks::Blocks;
use maintext_core::list::{LinkTable, Lists};
use maintext_core::method::View;
use maintext_core::{Extractor, Options};
use maintext_lab::Error;
use maintext_lab::data::{self, Page};
use maintext_lab::entries::{MIN_ENTRIES, Score, labels, pages_of};
use maintext_lab::held_out::HeldOut;
use maintext_lab::score::{Tokens, prf};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use url::Url;

#[derive(Default)]
struct Row {
    pages: usize,
    listed: usize,
    same: usize,
    agree: usize,
    measured: usize,
    list_f1: f64,
    extract_f1: f64,
    text_pages: usize,
    text_f1: f64,
}

fn main() -> Result<(), Error> {
    let args: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let Some((scores, sets)) = args.split_first() else {
        return Err(Error::other("usage: list_agreement SCORES FILE..."));
    };
    let scores = HeldOut::read(scores)?;
    let lists = Lists::named("learned").map_err(|e| Error::other(e.to_string()))?;
    println!("{:36} pages listed  same agree  named  list extract  text F1", "set, kind");
    for set in sets {
        for (name, r) in rows(set, &lists, &scores)? {
            let share = |a: usize, of: usize| a as f64 / of.max(1) as f64;
            let mean = |sum: f64, of: usize| sum / of.max(1) as f64;
            println!(
                "{name:36} {:5} {:6.3} {:5.3} {:5.3} {:6} {:5.3} {:7.3} {:8.4}",
                r.pages,
                share(r.listed, r.pages),
                share(r.same, r.listed),
                share(r.agree, r.pages),
                r.measured,
                mean(r.list_f1, r.measured),
                mean(r.extract_f1, r.measured),
                mean(r.text_f1, r.text_pages)
            );
        }
    }
    Ok(())
}

fn rows(set: &Path, lists: &Lists, scores: &HeldOut) -> Result<BTreeMap<String, Row>, Error> {
    let name = data::set_name(set);
    let pages = pages_of(set)?;
    let made: Vec<Row> = pages.par_iter().map(|p| row(&name, p, lists, scores)).collect::<Result<_, _>>()?;
    let mut out: BTreeMap<String, Row> = BTreeMap::new();
    for (p, r) in pages.iter().zip(made) {
        let sum = out.entry(format!("{name}, {}", p.page_type.as_deref().unwrap_or("-"))).or_default();
        sum.pages += r.pages;
        sum.listed += r.listed;
        sum.same += r.same;
        sum.agree += r.agree;
        sum.measured += r.measured;
        sum.list_f1 += r.list_f1;
        sum.extract_f1 += r.extract_f1;
        sum.text_pages += r.text_pages;
        sum.text_f1 += r.text_f1;
    }
    Ok(out)
}

fn row(set: &str, page: &Page, lists: &Lists, scores: &HeldOut) -> Result<Row, Error> {
    let url = page.url.as_deref().filter(|u| u.starts_with("http")).and_then(|u| Url::parse(u).ok());
    let source = page.decoded();
    let options = Options { page_type: true, ..Options::default() };
    let mut extractor = Extractor::with_method(options, scores.method(set, &page.id)?);
    let read =
        extractor.extract_at(&*source, url.as_ref().map(Url::as_str), None).map_err(|e| Error::other(e.to_string()))?;
    let dom = maintext_core::dom::parse(&source, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: &source, dom: &dom, blocks: &blocks, url: url.as_ref().map(Url::as_str) };
    let groups = lists.page(&view).groups;
    let table = LinkTable::new(&dom, &blocks, base_url(&dom, url.as_ref()).as_ref());
    let [named, _] = labels(page, &table);
    let named: HashSet<u32> = table.links.iter().zip(named).filter(|l| l.1).map(|l| l.0.target).collect();
    let targets: HashMap<&str, u32> = table.links.iter().map(|l| (l.href.as_str(), l.target)).collect();
    let score = |hrefs: &mut dyn Iterator<Item = &str>| {
        Score::of(&hrefs.filter_map(|h| targets.get(h).copied()).collect(), &named).f1()
    };
    let mut r = Row { pages: 1, listed: usize::from(!read.entries.is_empty()), ..Row::default() };
    r.same = usize::from(r.listed > 0 && read.entries.iter().eq(groups.iter().flat_map(|g| &g.entries)));
    let is_list = matches!(read.page_type.as_deref(), Some("listing" | "collection"));
    r.agree = usize::from(is_list != read.entries.is_empty());
    if named.len() >= MIN_ENTRIES {
        r.measured = 1;
        let best = |group: usize| group == 0;
        r.list_f1 = score(
            &mut groups.iter().flat_map(|g| &g.entries).filter(|e| best(e.group)).filter_map(|e| e.href.as_deref()),
        );
        r.extract_f1 = score(&mut read.entries.iter().filter(|e| best(e.group)).filter_map(|e| e.href.as_deref()));
    }
    if let Some(truth) = page.text.as_deref() {
        r.text_pages = 1;
        r.text_f1 = prf(read.text(), truth, Tokens::Words).f1;
    }
    Ok(r)
}
