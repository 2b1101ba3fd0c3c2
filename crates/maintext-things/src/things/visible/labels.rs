//! Labels with values: terms of definition lists, rows of tables, and lines such as "Location: Hall 3".
use maintext_facts::metadata::ranking::rank::FastMap;
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::{key, squeeze};
use maintext_page::dom::Tag;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Maximum number of pairs of a page.
const MAX_PAIRS: usize = 500;
/// Maximum lengths of a label and of a value, in characters.
const MAX_LABEL: usize = 40;
const MAX_VALUE: usize = 300;
/// Maximum number of words of a label; each character of Chinese and Japanese counts as one.
const MAX_WORDS: u32 = 6;

/// The meaning of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Place,
    Address,
    Start,
    End,
    When,
    Organizer,
    Employment,
    Salary,
    Employer,
    Deadline,
    Posted,
    Reference,
    Duration,
}

/// A label and its value.
#[derive(Debug)]
pub(super) struct Pair {
    pub label: Label,
    pub value: String,
    /// The block of the value.
    pub block: u32,
}

/// Labels in lower case without punctuation, each with its meaning, sorted by bytes.
const LABELS: &[&str] = lexicon!("thing-labels.txt");

/// Labels with their meanings.
static TABLE: LazyLock<FastMap<&str, &str>> = LazyLock::new(|| LABELS.iter().map(|entry| parts(entry)).collect());

/// Returns the meaning of a label.
pub(super) fn meaning(label: &str) -> Option<Label> {
    let label = label.trim().trim_end_matches([':', '：']);
    if label.is_empty() || label.chars().count() > MAX_LABEL {
        return None;
    }
    Some(match *TABLE.get(&key(label)[..])? {
        "place" => Label::Place,
        "address" => Label::Address,
        "start" => Label::Start,
        "end" => Label::End,
        "when" => Label::When,
        "organizer" => Label::Organizer,
        "employment" => Label::Employment,
        "salary" => Label::Salary,
        "employer" => Label::Employer,
        "deadline" => Label::Deadline,
        "posted" => Label::Posted,
        "reference" => Label::Reference,
        "duration" => Label::Duration,
        _ => return None,
    })
}

/// Returns the label and the meaning of an entry.
fn parts(entry: &'static str) -> (&'static str, &'static str) {
    entry.split_once(" = ").unwrap_or((entry, ""))
}

/// Returns the labels of a page that have a known meaning, with their values, in order.
pub(super) fn pairs(facts: &Facts<'_>) -> Vec<Pair> {
    let blocks = facts.blocks;
    let mut out: Vec<Pair> = Vec::new();
    for b in 0..blocks.len() {
        if out.len() >= MAX_PAIRS {
            break;
        }
        let block = &blocks.blocks[b];
        let regions = facts.regions[block.element as usize];
        if block.hidden || block.chars as usize > MAX_LABEL + MAX_VALUE || regions & (region::NAV | region::FOOTER) != 0
        {
            continue;
        }
        let text = blocks.text(b);
        // "Location: Hall 3" in one block.
        if let Some((label, value)) = text.split_once([':', '：'])
            && !value.trim().is_empty()
        {
            let is_short = label.len() <= 2 * MAX_LABEL && label.starts_with(char::is_alphabetic);
            if let Some(label) = is_short.then(|| meaning(label)).flatten() {
                push(&mut out, label, value, b);
            }
            continue;
        }
        if block.links > 0 || block.words > MAX_WORDS || block.chars as usize > MAX_LABEL {
            continue;
        }
        let Some(label) = meaning(text) else { continue };
        // The label alone: the value is the next block, beside it.
        let Some(next) = blocks.blocks.get(b + 1) else { continue };
        let beside = |up: usize| {
            let own = blocks.element_chain(block.element as usize).take(up);
            let mut own = own.map(|e| blocks.elements[e].parent);
            own.any(|p| blocks.elements[p as usize].blocks.contains(&(b as u32 + 1)))
        };
        let tag = blocks.elements[block.element as usize].tag;
        let is_term = blocks
            .element_chain(block.element as usize)
            .take(3)
            .any(|e| matches!(blocks.elements[e].tag, Tag::DT | Tag::TH | Tag::TD));
        let is_heading = tag.heading_level().is_some_and(|l| l < 3);
        let ends = text.trim_end().ends_with([':', '：']);
        if !is_heading && (ends || is_term || beside(2)) && next.chars as usize <= MAX_VALUE && !next.hidden {
            let value = blocks.text(b + 1);
            if meaning(value).is_none() {
                push(&mut out, label, value, b + 1);
            }
        }
    }
    out
}

fn push(out: &mut Vec<Pair>, label: Label, value: &str, block: usize) {
    let value = squeeze(value.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '|' | '·' | '•')));
    if !value.is_empty() && value.chars().count() <= MAX_VALUE {
        out.push(Pair { label, value, block: block as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::{LABELS, Label, meaning, parts};
    use maintext_facts::metadata::text::key;

    #[test]
    fn the_lexicon_is_sorted_and_every_entry_has_a_meaning() {
        for pair in LABELS.windows(2) {
            assert!(parts(pair[0]).0 < parts(pair[1]).0, "{pair:?}");
        }
        for entry in LABELS {
            let label = parts(entry).0;
            assert!(meaning(label).is_some() && key(label) == label, "{entry}");
        }
    }

    #[test]
    fn labels_of_many_languages() {
        let cases = [
            ("Location:", Label::Place),
            ("Veranstaltungsort", Label::Place),
            ("Type de contrat :", Label::Employment),
            ("Wynagrodzenie", Label::Salary),
            ("雇用形態", Label::Employment),
            ("Зарплата:", Label::Salary),
            ("Closing date", Label::Deadline),
        ];
        for (text, label) in cases {
            assert_eq!(meaning(text), Some(label), "{text}");
        }
        assert_eq!(meaning("Our location in the hills"), None);
        assert_eq!(meaning(""), None);
    }
}
