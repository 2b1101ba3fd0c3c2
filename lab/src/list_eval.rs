//! Measures entries, paginations and page types: the tables of docs/lists.md.
//!
//! The scores come from the shipped models, or, on sets used to train them, from models that have not seen the page's site.
use crate::Error;
use crate::data::{self, Page};
use crate::entries::{self, Measured, parse_pages};
use crate::page_type::{self, Told};
use crate::pagination;
use maintext_core::list::{LinkModel, Lists, Paginator, group, pagination::decide};
use maintext_core::page_type::{PageType, PageTyper};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The seed of the shipped models, used for the models of held-out sites too.
const SEED: u64 = 1;

/// Label of scores based on whole link texts only.
const WHOLE: &str = "whole texts";

/// Scores of a method for the entries of a set's pages.
#[derive(Clone, Debug, Serialize)]
pub struct EntriesRow {
    /// The set, and the page type if the set has them.
    pub pages_of: String,
    /// The method; `held out` if it was trained without the page's site.
    pub method: String,
    /// Pages that name enough entries.
    pub pages: usize,
    /// F1 of the best group's addresses, mean over pages.
    pub best_mean: f64,
    /// The same, pooled.
    pub best_pooled: f64,
    /// F1 of all groups' addresses, mean over pages.
    pub all_mean: f64,
    /// The same, pooled.
    pub all_pooled: f64,
}

impl EntriesRow {
    fn new(pages_of: &str, method: &str, [best, all]: &Measured) -> EntriesRow {
        EntriesRow {
            pages_of: pages_of.to_owned(),
            method: method.to_owned(),
            pages: best.pages,
            best_mean: best.mean_f1(),
            best_pooled: best.pooled.f1(),
            all_mean: all.mean_f1(),
            all_pooled: all.pooled.f1(),
        }
    }
}

fn bad(e: impl std::fmt::Display) -> Error {
    Error::other(e.to_string())
}

/// Groups the pages of a set by page type, if it has them.
fn by_kind(set: &std::path::Path, pages: Vec<Page>) -> BTreeMap<String, Vec<Page>> {
    let mut out: BTreeMap<String, Vec<Page>> = BTreeMap::new();
    let name = data::set_name(set);
    for page in pages {
        let key = page.page_type.as_ref().map_or_else(|| name.clone(), |t| format!("{name}, {t}"));
        out.entry(key).or_default().push(page);
    }
    out
}

/// Measures the shipped and the published method; with `held_out`, the learned one with models that have not seen the page's site.
///
/// # Errors
/// A set cannot be read.
pub fn entries(sets: &[PathBuf], held_out: bool, mut say: impl FnMut(&str)) -> Result<Vec<EntriesRow>, Error> {
    if held_out {
        return entries_held_out(sets, say);
    }
    let methods = [("learned", Lists::named("learned")), ("siblings", Lists::named("siblings"))];
    let mut rows = Vec::new();
    for set in sets {
        say(&data::set_name(set));
        for (name, pages) in by_kind(set, entries::pages_of(set)?) {
            for (method, lists) in &methods {
                let lists = lists.as_ref().map_err(bad)?;
                let [measured, whole] = entries::measure(&pages, lists);
                if measured[0].pages > 0 {
                    rows.push(EntriesRow::new(&name, method, &measured));
                }
                // Pages with annotated entries are scored in one way only.
                if pages.iter().all(|p| p.links.is_empty()) && whole[0].pages > 0 {
                    rows.push(EntriesRow::new(&format!("{name}, {WHOLE}"), method, &whole));
                }
            }
        }
    }
    Ok(rows)
}

fn entries_held_out(sets: &[PathBuf], mut say: impl FnMut(&str)) -> Result<Vec<EntriesRow>, Error> {
    let (pages, texts) = entries::training_pages_of(sets)?;
    let parsed = parse_pages(&pages, &texts);
    let samples = entries::samples(&parsed);
    say(&format!("{} pages", samples.len()));
    let trained = entries::train_entries(&samples, &entries::settings(SEED), say)?;
    let shipped = LinkModel::shipped().map_err(bad)?;
    let mut by: BTreeMap<String, Measured> = BTreeMap::new();
    for (s, p) in samples.iter().zip(&trained.out_of_fold) {
        // Copies in plain markup have no page type.
        let Some(kind) = s.page.page_type.as_deref() else { continue };
        let groups = group::rank(&s.table, s.keys(), p, &*shipped);
        entries::add(by.entry(kind.to_owned()).or_default(), &entries::score(s, &groups));
        if let Some(whole) = entries::score_whole(s, &groups) {
            entries::add(by.entry(format!("{kind}, {WHOLE}")).or_default(), &whole);
        }
    }
    Ok(by.iter().map(|(kind, s)| EntriesRow::new(kind, "learned, held out", s)).collect())
}

/// Scores for the links of a role.
#[derive(Clone, Debug, Serialize)]
pub struct RoleRow {
    /// `next`, `previous`, ...
    pub role: &'static str,
    /// Number of links in the ground truth.
    pub named: usize,
    /// Number of links found.
    pub found: usize,
    /// Number of links in both.
    pub right: usize,
    /// Share of the links found that are in the ground truth.
    pub precision: f64,
    /// Share of the links in the ground truth that were found.
    pub recall: f64,
}

/// Measures paginations.
///
/// # Errors
/// A set cannot be read, or has no annotated paginations.
pub fn paginations(sets: &[PathBuf], held_out: bool) -> Result<Vec<RoleRow>, Error> {
    let mut pages = Vec::new();
    for set in sets {
        pages.extend(data::read(set)?);
    }
    pages.retain(|p| p.extra["pagination"].is_object());
    if pages.is_empty() {
        return Err(Error::other("no page of the sets has an annotated pagination in extra.pagination"));
    }
    let texts: Vec<String> = pages.iter().map(|p| p.decoded().into_owned()).collect();
    let parsed = parse_pages(&pages, &texts);
    let samples = pagination::samples(&parsed);
    let found = if held_out {
        let (_, p) = pagination::train_pagination(&samples, &pagination::settings(SEED));
        samples.iter().zip(&p).map(|(s, p)| decide(&s.table, p, s.base())).collect::<Vec<_>>()
    } else {
        let paginator = Paginator::shipped().map_err(bad)?;
        samples
            .iter()
            .map(|s| {
                paginator.find(&s.table, s.page.url.as_deref().and_then(|u| url::Url::parse(u).ok()).as_ref(), s.base())
            })
            .collect()
    };
    Ok(pagination::compare(&samples, &found)
        .into_iter()
        .map(|(role, f)| RoleRow {
            role: role.name(),
            named: f.named,
            found: f.found,
            right: f.right,
            precision: f.precision(),
            recall: f.recall(),
        })
        .collect())
}

/// Measures the page types of each set.
///
/// # Errors
/// A set cannot be read, or none has page types.
pub fn kinds(sets: &[PathBuf], held_out: bool, say: impl FnMut(&str)) -> Result<Vec<Told>, Error> {
    let content = if held_out { page_type::Content::HeldOut } else { page_type::Content::Shipped };
    let samples = page_type::samples(sets, content, &Default::default(), say)?;
    if samples.is_empty() {
        return Err(Error::other("no page of the sets has a page_type"));
    }
    let answers: Vec<PageType> = if held_out {
        page_type::Material::new(&samples).cross_validate(&page_type::settings(SEED))
    } else {
        let typer = PageTyper::shipped().map_err(bad)?;
        samples.iter().map(|s| typer.judge(s.facts())).collect()
    };
    Ok(Told::by_set(&samples, &answers))
}

/// Cells of a table; the first row is its header.
type Cells = Vec<Vec<String>>;

/// Formats cells as columns for the terminal, the first aligned left, the others right.
pub fn table(cells: &Cells) -> String {
    let mut out = String::new();
    for row in cells {
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(
                cells.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0)
                    - cell.chars().count(),
            );
            out += &if i == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// Formats cells as a Markdown table.
pub fn markdown(cells: &Cells) -> String {
    let mut out = String::new();
    for (i, row) in cells.iter().enumerate() {
        let _ = writeln!(out, "| {} |", row.join(" | "));
        if i == 0 {
            let _ = writeln!(out, "|{}", " --- |".repeat(row.len()));
        }
    }
    out
}

fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|s| s.to_string()).collect()
}

/// Entries as cells.
pub fn entries_cells(rows: &[EntriesRow]) -> Cells {
    let mut out = vec![head(&["pages", "method", "n", "best: mean", "best: pooled", "all: mean", "all: pooled"])];
    for r in rows {
        let figures = [r.best_mean, r.best_pooled, r.all_mean, r.all_pooled].map(|f| format!("{f:.3}"));
        out.push([r.pages_of.clone(), r.method.clone(), r.pages.to_string()].into_iter().chain(figures).collect());
    }
    out
}

/// Paginations as cells.
pub fn role_cells(rows: &[RoleRow]) -> Cells {
    let mut out = vec![head(&["role", "named", "found", "right", "precision", "recall"])];
    for r in rows {
        let counts = [r.named, r.found, r.right].map(|n| n.to_string());
        let figures = [format!("{:.3}", r.precision), format!("{:.3}", r.recall)];
        out.push([r.role.to_owned()].into_iter().chain(counts).chain(figures).collect());
    }
    out
}

/// The confusion matrix as cells.
pub fn kind_cells(told: &Told) -> Cells {
    let mut out = vec![["truth \\ answer"].into_iter().chain(told.kinds).map(str::to_owned).collect::<Vec<_>>()];
    for (kind, row) in told.kinds.iter().zip(&told.matrix) {
        out.push([kind.to_string()].into_iter().chain(row.iter().map(|n| n.to_string())).collect());
    }
    out
}

/// One row per set: how many of its pages are classified correctly.
pub fn told_cells(told: &[Told]) -> Cells {
    let mut out = vec![head(&["set", "pages", "kind", "list or not"])];
    for t in told {
        let share = |x: f64| format!("{x:.3}");
        out.push(vec![t.set.clone(), t.pages.to_string(), share(t.accuracy), share(t.list_accuracy)]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_formatted_in_columns() {
        let cells = vec![head(&["role", "n"]), head(&["next", "12"]), head(&["previous", "3"])];
        assert_eq!(table(&cells), "role       n\nnext      12\nprevious   3\n");
        assert_eq!(markdown(&cells), "| role | n |\n| --- | --- |\n| next | 12 |\n| previous | 3 |\n");
    }

    #[test]
    fn sets_without_truth_are_errors() {
        let dir = std::env::temp_dir().join(format!("maintext-list-eval-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let set = dir.join("bare.jsonl");
        std::fs::write(&set, "{\"id\": \"a\", \"site\": \"e.org\", \"html\": \"<p>x\"}\n").unwrap();
        let sets = [set];
        assert!(paginations(&sets, false).unwrap_err().to_string().contains("extra.pagination"));
        assert!(kinds(&sets, false, |_| ()).unwrap_err().to_string().contains("page_type"));
        assert!(entries(&sets, false, |_| ()).unwrap().is_empty());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
