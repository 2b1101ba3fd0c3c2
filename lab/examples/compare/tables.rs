//! Markdown tables of each measure: one row per set, one column per system.
use crate::{Figures, OURS, Rows};
use maintext_lab::Error;
use std::collections::BTreeSet;
use std::path::Path;

/// The marks around the tables of a document.
const BEGIN: &str = "<!-- cargo xtask eval: begin -->";
const END: &str = "<!-- cargo xtask eval: end -->";

#[derive(Clone, Copy, PartialEq)]
enum Best {
    High,
    Low,
    /// Neither direction is better.
    None,
}

struct Measure {
    /// The document in docs/ that contains its tables.
    doc: &'static str,
    title: &'static str,
    get: fn(&Figures) -> Option<f64>,
    /// A second figure for the same cell, after a slash.
    second: Option<fn(&Figures) -> Option<f64>>,
    show: fn(f64) -> String,
    best: Best,
    /// Whether the parts of sets get rows.
    parts: bool,
    /// Whether a last column shows maintext's lead.
    lead: bool,
}

const fn measure(doc: &'static str, title: &'static str, get: fn(&Figures) -> Option<f64>, best: Best) -> Measure {
    Measure { doc, title, get, second: None, show: percent, best, parts: false, lead: false }
}

fn percent(x: f64) -> String {
    format!("{:.1}", 100.0 * x)
}

const MAIN: &str = "benchmarks.md";
const DETAILS: &str = "experiments/benchmarks.md";

/// All measures, grouped by document.
const MEASURES: &[Measure] = &[
    Measure {
        show: |x| format!("{x:.4}"),
        parts: true,
        lead: true,
        ..measure(MAIN, "Word F1, mean over pages", Figures::f1, Best::High)
    },
    Measure {
        second: Some(Figures::recall),
        ..measure(DETAILS, "Precision/recall, %", Figures::precision, Best::None)
    },
    measure(DETAILS, "Snippets found that must be there, %", Figures::found, Best::High),
    measure(DETAILS, "Snippets kept that must not be there, %", Figures::wrongly_kept, Best::Low),
];

/// Systems that are Rust crates; the others are packages of Python or npm.
const CRATES: [&str; 4] = ["dom_smoothie", "libreadability", "rs-trafilatura", "trafilatura-rs"];

/// A label and the condition for its members.
type SystemGroup = (&'static str, fn(&str) -> bool);

/// Groups of systems; a single table of all systems would be too wide for a page.
const GROUPS: [SystemGroup; 2] =
    [("Rust crates", |name| CRATES.contains(&name)), ("Python and npm packages", |name| !CRATES.contains(&name))];

/// Returns maintext first, then the others by their mean F1 over the rows.
fn columns(rows: &Rows) -> Vec<String> {
    let names: BTreeSet<&String> = rows.iter().flat_map(|(_, systems)| systems.keys()).collect();
    let mean = |name: &String| {
        let of: Vec<f64> = rows.iter().filter_map(|(_, s)| s.get(name)?.f1()).collect();
        of.iter().sum::<f64>() / of.len().max(1) as f64
    };
    let mut others: Vec<(f64, &String)> = names.into_iter().filter(|n| *n != OURS).map(|n| (mean(n), n)).collect();
    others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    std::iter::once(OURS.to_owned()).chain(others.into_iter().map(|(_, n)| n.clone())).collect()
}

/// Returns the tables of each document, with its name.
pub fn all(rows: &Rows) -> Vec<(&'static str, String)> {
    let columns = columns(rows);
    let documents = MEASURES.chunk_by(|a, b| a.doc == b.doc);
    documents.map(|of| (of[0].doc, of.iter().map(|m| by_group(m, rows, &columns)).collect())).collect()
}

/// Returns the tables of a measure: maintext with each group of systems.
fn by_group(m: &Measure, rows: &Rows, columns: &[String]) -> String {
    let mut out = format!("### {}\n\n", m.title);
    for (label, is_member) in GROUPS {
        let members: Vec<String> = columns.iter().filter(|c| *c == OURS || is_member(c)).cloned().collect();
        if members.len() > 1 {
            out += &format!("{label}:\n\n{}", table(m, rows, &members));
        }
    }
    out
}

fn table(m: &Measure, rows: &Rows, columns: &[String]) -> String {
    let mut out = format!("| set | pages | {} |", columns.join(" | "));
    out += if m.lead { " lead |\n" } else { "\n" };
    out += &format!("| --- | --: |{}\n", " --: |".repeat(columns.len() + m.lead as usize));
    for (name, systems) in rows.iter().filter(|(name, _)| m.parts || !name.contains(": ")) {
        let figures: Vec<Option<f64>> = columns.iter().map(|c| (m.get)(systems.get(c)?)).collect();
        if figures.iter().all(Option::is_none) {
            continue;
        }
        let pages = systems.values().map(Figures::pages).max().unwrap_or(0);
        out += &format!("| {name} | {pages} |");
        let of_systems = columns.iter().map(|c| systems.get(c));
        for (cell, of_system) in cells(m, &figures).iter().zip(of_systems) {
            let second = m.second.and_then(|get| get(of_system?)).map(m.show);
            out += &match second {
                Some(second) => format!(" {cell}/{second} |"),
                None => format!(" {cell} |"),
            };
        }
        if m.lead {
            out += &format!(" {} |", lead(&figures));
        }
        out.push('\n');
    }
    out + "\n"
}

/// Formats the scores of a row. The best score, and any that looks equal, is bold.
fn cells(m: &Measure, figures: &[Option<f64>]) -> Vec<String> {
    let known = figures.iter().flatten().copied();
    let best = match m.best {
        Best::High => known.reduce(f64::max),
        Best::Low => known.reduce(f64::min),
        Best::None => None,
    }
    .map(m.show);
    let cell = |x: &Option<f64>| match x.map(m.show) {
        None => "–".into(),
        text if text == best => format!("**{}**", text.unwrap_or_default()),
        text => text.unwrap_or_default(),
    };
    figures.iter().map(cell).collect()
}

/// Returns the difference of the first score and the best of the others.
fn lead(figures: &[Option<f64>]) -> String {
    let others = figures.iter().skip(1).flatten().copied().reduce(f64::max);
    match (figures.first().copied().flatten(), others) {
        (Some(ours), Some(best)) => format!("{:+.4}", ours - best),
        _ => "–".into(),
    }
}

/// Replaces the tables between the markers of a document.
pub fn write_between_markers(path: &Path, tables: &str) -> Result<(), Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let text = between_markers(&text, tables)
        .ok_or_else(|| Error::other(format!("{}: no '{BEGIN}' with '{END}' below it", path.display())))?;
    maintext_lab::write(path, text.as_bytes())
}

fn between_markers(text: &str, tables: &str) -> Option<String> {
    let (head, rest) = text.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}\n\n{tables}{END}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_bold_and_the_lead_is_signed() {
        let m = &MEASURES[0];
        assert_eq!(cells(m, &[Some(0.9), None, Some(0.95)]), ["0.9000", "–", "**0.9500**"]);
        assert_eq!(lead(&[Some(0.9), None, Some(0.95)]), "-0.0500");
        assert_eq!(lead(&[None, Some(0.95)]), "–");
        let low = MEASURES.iter().find(|m| m.best == Best::Low).unwrap();
        assert_eq!(cells(low, &[Some(0.1), Some(0.2)]), ["**10.0**", "20.0"]);
    }

    #[test]
    fn each_document_has_its_tables_once() {
        let rows = vec![("a".to_owned(), [(OURS.to_owned(), Figures::default())].into())];
        let names: Vec<&str> = all(&rows).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [MAIN, DETAILS]);
    }

    #[test]
    fn each_group_has_a_table_with_maintext() {
        let figures = |name: &str| (name.to_owned(), Figures::default());
        let rows = vec![("a".to_owned(), [OURS, "defuddle", "dom_smoothie"].into_iter().map(figures).collect())];
        let tables = by_group(&MEASURES[1], &rows, &columns(&rows));
        assert!(tables.contains("Rust crates:\n\n| set | pages | maintext | dom_smoothie |\n"), "{tables}");
        assert!(tables.contains("Python and npm packages:\n\n| set | pages | maintext | defuddle |\n"), "{tables}");
    }

    #[test]
    fn only_the_text_between_the_markers_is_replaced() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let new = between_markers(&text, "new\n").unwrap();
        assert_eq!(new, format!("a\n{BEGIN}\n\nnew\n{END}\nb\n"));
        assert_eq!(between_markers(&new, "new\n").unwrap(), new);
        assert_eq!(between_markers("no markers", "new"), None);
    }
}
