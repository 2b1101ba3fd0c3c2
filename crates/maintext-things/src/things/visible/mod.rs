//! Things that a page shows without declaring them: lists of questions, and episodes.
//!
//! Each module reads one type, and only if the page declares none of it. A value that the page does not state is absent. A type is here
//! only if at least 0.8 of the things found on pages of the data sets are right (docs/experiments/things.md).
mod episode;
mod faq;
mod forum;

use super::value::{Origin, Thing, Value};
use super::{Sources, clean};
use maintext_facts::metadata::layout::Layout;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_facts::metadata::text::key;
use maintext_page::blocks::Element;
use std::ops::Range;

/// Maximum length of a text of several blocks, in bytes.
const MAX_TEXT: usize = 20_000;

/// Adds the things that the page shows and does not declare.
pub(super) fn add(sources: &Sources<'_>, things: &mut Vec<Thing>) {
    forum::complete(sources, things);
    let page = VisiblePage::new(sources);
    let is_taken =
        has_kind(things, &["Product", "Recipe", "Event", "JobPosting", "Question", "VideoObject", "PodcastEpisode"]);
    if !is_taken && let Some(episode) = episode::episode(&page) {
        things.insert(0, episode);
    }
    if let Some(first) = things.first_mut().filter(|t| matches!(&t.kind[..], "VideoObject" | "PodcastEpisode")) {
        episode::complete(&page, first);
    }
    if !has_kind(things, &["FAQPage"]) {
        let questions = Value::list(faq::questions(sources.facts));
        things.extend(questions.map(|questions| thing("FAQPage", 0.9, vec![("questions", questions)])));
    }
}

fn has_kind(things: &[Thing], kinds: &[&str]) -> bool {
    things.iter().any(|t| kinds.contains(&&t.kind[..]))
}

/// What the modules ask of a page.
struct VisiblePage<'a> {
    sources: &'a Sources<'a>,
    facts: &'a Layout<'a>,
    /// The title of the main object: the main heading, or the title of the page.
    title: Option<String>,
    /// The block of the main heading.
    heading: Option<u32>,
    /// The words of the path of the address, in lower case.
    path: Vec<String>,
}

impl<'a> VisiblePage<'a> {
    fn new(sources: &'a Sources<'a>) -> Self {
        let facts = sources.facts;
        let known = sources.metadata.title.as_deref().map(key).unwrap_or_default();
        let heading = facts
            .blocks
            .elements
            .iter()
            .filter(|e| e.tag.heading_level().is_some() && e.blocks.len() == 1)
            .map(|e| e.blocks.start)
            .find(|b| !known.is_empty() && key(facts.blocks.text(*b as usize)) == known)
            .or_else(|| first_heading(facts, 1).map(|e| e.blocks.start));
        let title = heading.and_then(|b| clean::text(facts.blocks.text(b as usize)));
        let path = facts.url.as_ref().map(|u| u.path().to_lowercase()).unwrap_or_default();
        let path =
            path.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).take(60).map(str::to_owned).collect();
        VisiblePage { sources, facts, title: title.or_else(|| sources.metadata.title.clone()), heading, path }
    }

    /// Returns whether a word of the address is one of these.
    fn path_has(&self, words: &[&str]) -> bool {
        self.path.iter().any(|w| words.contains(&&w[..]))
    }

    /// Returns the page's description.
    fn description(&self) -> Option<Value> {
        let description = self.sources.metadata.description.as_deref()?;
        clean::text(description).map(Value::Text)
    }
}

fn first_heading<'f>(facts: &'f Facts<'_>, level: u8) -> Option<&'f Element> {
    facts.blocks.elements.iter().find(|e| e.tag.heading_level() == Some(level) && !e.hidden && e.blocks.len() == 1)
}

/// Returns a thing of the visible page; fields without a value are left out.
fn thing(kind: &str, probability: f32, fields: Vec<(&'static str, Value)>) -> Thing {
    let origin = Origin { from: "text", probability };
    let sources = fields.iter().map(|f| (f.0, origin.clone())).collect();
    Thing { fields, sources, ..Thing::new(kind) }
}

/// Returns the text of blocks, with a space between them.
fn text_of(facts: &Facts<'_>, blocks: Range<u32>) -> Option<String> {
    let mut out = String::new();
    for b in blocks {
        if out.len() > MAX_TEXT {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(facts.blocks.text(b as usize));
    }
    clean::text(&out)
}

#[cfg(test)]
mod tests {
    use maintext_facts::metadata::text::key;
    use maintext_page::lexicon::lexicon;

    #[test]
    fn entries_of_the_lexicons_are_keys() {
        const LISTS: [&[&str]; 4] = [
            lexicon!("faq-headings.txt"),
            lexicon!("accepted-answers.txt"),
            lexicon!("transcript-headings.txt"),
            lexicon!("episode-words.txt"),
        ];
        let wrong: Vec<&&str> = LISTS.iter().flat_map(|l| l.iter()).filter(|w| key(w) != **w).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
