//! Shows how the answers of two revisions differ: `changes BEFORE AFTER REPORT [DATA_DIR]`. Called by `cargo xtask changes`.
//!
//! BEFORE and AFTER are files of the example `answers`. Prints a table by set and one by kind of page, and the largest differences; REPORT is the
//! same as an HTML page. With DATA_DIR, the tables hold the mean word F1 before and after.
mod report;

use maintext_lab::data;
use maintext_lab::score::{Tokens, prf, tokens};
use maintext_lab::{Error, write};
use serde::Deserialize;
use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Number of differences that are shown.
const SHOWN: usize = 20;

/// What a revision answers on a page.
#[derive(Deserialize)]
struct Answer {
    set: String,
    id: String,
    kind: String,
    url: Option<String>,
    text: String,
    title: Value,
    authors: Value,
    date: Value,
    entries: Value,
}

impl Answer {
    /// Returns the parts that are compared, in the order of the table.
    fn parts(&self) -> [Value; 5] {
        [
            Value::from(self.text.as_str()),
            self.title.clone(),
            self.authors.clone(),
            self.date.clone(),
            self.entries.clone(),
        ]
    }
}

const PARTS: [&str; 5] = ["texts", "titles", "authors", "dates", "entries"];

/// A row of a table.
#[derive(Default)]
struct Row {
    pages: usize,
    changed: [usize; 5],
    /// Sums of F1 before and after, and the number of pages with a truth.
    f1: [f64; 2],
    judged: usize,
}

/// A page that changed.
struct Difference<'a> {
    before: &'a Answer,
    after: &'a Answer,
    /// Words that came or went.
    words: usize,
    f1: Option<[f64; 2]>,
}

impl Difference<'_> {
    /// Returns the parts other than the text that changed, each with its values before and after.
    fn fields(&self) -> Vec<(&'static str, String, String)> {
        let parts = PARTS.iter().zip(self.before.parts().into_iter().zip(self.after.parts()));
        let changed = parts.skip(1).filter(|(_, (before, after))| before != after);
        changed.map(|(name, (before, after))| (*name, before.to_string(), after.to_string())).collect()
    }

    /// Returns the lines of the text that came or went.
    fn lines(&self) -> Vec<(ChangeTag, String)> {
        let diff = TextDiff::from_lines(self.before.text.as_str(), self.after.text.as_str());
        let changes = diff.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal);
        changes.map(|change| (change.tag(), change.value().trim_end().to_owned())).collect()
    }
}

fn read(path: &Path) -> Result<Vec<Answer>, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let read = |line| serde_json::from_str(line).map_err(|e| Error::other(format!("{}: {e}", path.display())));
    text.lines().map(read).collect()
}

/// Returns the main text of each page that has one, by set and id.
fn truths(folder: &Path, sets: &[&str]) -> Result<HashMap<(String, String), String>, Error> {
    let mut truths = HashMap::new();
    for set in sets {
        for page in data::read(folder.join("train").join(format!("{set}.jsonl.zst")))? {
            if let Some(text) = page.text.filter(|text| !text.trim().is_empty()) {
                truths.insert(((*set).to_owned(), page.id), text);
            }
        }
    }
    Ok(truths)
}

/// Returns the number of words in which two texts differ, regardless of their order.
fn changed_words(before: &str, after: &str) -> usize {
    let mut counts: HashMap<String, i64> = HashMap::new();
    tokens(before, Tokens::Cjk).into_iter().for_each(|word| *counts.entry(word).or_default() -= 1);
    tokens(after, Tokens::Cjk).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    counts.values().map(|n| n.unsigned_abs() as usize).sum()
}

fn print_table(name: &str, rows: &BTreeMap<&str, Row>) {
    println!(
        "\n{name:24} {:>6} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "pages", PARTS[0], PARTS[1], PARTS[2], PARTS[3], PARTS[4], "F1", "F1 now"
    );
    for (name, row) in rows {
        print!("{name:24} {:6}", row.pages);
        row.changed.iter().for_each(|n| print!(" {n:9}"));
        match row.judged {
            0 => println!(),
            n => println!(" {:8.4} {:8.4}", row.f1[0] / n as f64, row.f1[1] / n as f64),
        }
    }
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [before, after, out, rest @ ..] = args.as_slice() else {
        return Err(Error::other("usage: changes BEFORE AFTER REPORT [DATA_DIR]"));
    };
    let (before, after) = (read(Path::new(before))?, read(Path::new(after))?);
    let mut sets: Vec<&str> = after.iter().map(|answer| answer.set.as_str()).collect();
    sets.dedup();
    let truths = rest.first().map_or(Ok(HashMap::new()), |folder| truths(Path::new(folder), &sets))?;
    let earlier: HashMap<_, _> = before.iter().map(|a| ((a.set.as_str(), a.id.as_str()), a)).collect();
    let (mut by_set, mut by_kind) = (BTreeMap::<&str, Row>::new(), BTreeMap::<&str, Row>::new());
    let mut differences = Vec::new();
    for after in &after {
        let Some(before) = earlier.get(&(after.set.as_str(), after.id.as_str())) else { continue };
        let truth = truths.get(&(after.set.clone(), after.id.clone()));
        let f1 = truth.map(|truth| [&before.text, &after.text].map(|text| prf(text, truth, Tokens::Cjk).f1));
        let (old, new) = (before.parts(), after.parts());
        for row in [by_set.entry(&after.set).or_default(), by_kind.entry(&after.kind).or_default()] {
            row.pages += 1;
            (0..PARTS.len()).for_each(|i| row.changed[i] += usize::from(old[i] != new[i]));
            if let Some([a, b]) = f1 {
                row.f1 = [row.f1[0] + a, row.f1[1] + b];
                row.judged += 1;
            }
        }
        if old != new {
            differences.push(Difference { before, after, words: changed_words(&before.text, &after.text), f1 });
        }
    }
    print_table("set", &by_set);
    print_table("kind", &by_kind);
    differences.sort_by_key(|d| std::cmp::Reverse(d.words));
    println!("\n{} of {} pages changed.", differences.len(), after.len());
    differences.truncate(SHOWN);
    for difference in &differences {
        report::print(difference);
    }
    write(Path::new(out), report::html(&differences).as_bytes())?;
    println!("\nThe largest differences: {out}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, title: &str) -> Answer {
        let value = serde_json::json!({"set": "s", "id": "1", "kind": "article", "url": null, "text": text, "title": title, "authors": [],
            "date": null, "entries": []});
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn differences_name_lines_words_and_fields() {
        let (before, after) = (answer("One.\nTwo <b>.\nThree.\n", "A"), answer("One.\nThree.\nFour, 中文.\n", "B"));
        let words = changed_words(&before.text, &after.text);
        assert_eq!(words, 5, "two, b; four and two characters");
        let difference = Difference { before: &before, after: &after, words, f1: Some([0.5, 0.75]) };
        assert_eq!(difference.fields(), [("titles", "\"A\"".to_owned(), "\"B\"".to_owned())]);
        let lines = difference.lines();
        assert_eq!(lines, [(ChangeTag::Delete, "Two <b>.".into()), (ChangeTag::Insert, "Four, 中文.".into())]);
        let html = report::html(&[difference]);
        assert!(html.contains("<del>Two &lt;b&gt;.</del>") && html.contains("<ins>Four, 中文.</ins>"), "{html}");
    }
}
