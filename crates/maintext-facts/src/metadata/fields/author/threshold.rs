//! The least score of an author, by what states the name.
use super::visible::is_named_for_persons;
use super::{link_around, refers_to_persons};
use crate::metadata::fields::elsewhere::is_unstated;
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{AUTHOR_THRESHOLD, Candidate, Evidence};
use crate::metadata::sources::facts::naming_words;
use crate::metadata::text::names::{looks_like_name, strip_label};
use crate::metadata::text::tokens;

/// See [`threshold`].
const UNSTATED_THRESHOLD: f32 = 1.0;

/// See [`threshold`].
const BYLINE_THRESHOLD: f32 = -1.0;

/// See [`threshold`]. Most lines of two capitalised words that name a place or a section score up to this; of 1,159 pages with a known author,
/// five state it by such an element alone with less.
const UNNAMED_THRESHOLD: f32 = 2.4;

/// Number of elements around a line whose names are read.
const MAX_LEVELS_TO_NAME: usize = 4;

/// Returns the least score of a valid candidate. It is lower for a labelled line right below the heading, higher for a candidate that is only a
/// short text in a likely place, without a label before it or a machine-readable statement, and highest if neither the markup around it nor the
/// address of its link mentions persons: a place, a section.
pub fn threshold(page: &Layout<'_>, c: &Candidate) -> f32 {
    if c.evidence.iter().any(|e| is_line_below_heading(page, e)) {
        return BYLINE_THRESHOLD;
    }
    let is_stated = !c.evidence.iter().all(is_unstated);
    if is_stated || looks_like_name(&c.value) && c.evidence.iter().any(|e| is_named_below_heading(page, e)) {
        return AUTHOR_THRESHOLD;
    }
    let mut mentions = Mentions { person: false, place: false };
    for e in &c.evidence {
        match e.block {
            Some(block) if e.key == "element" => mentions.read(page, inner_element(page, block, e)),
            _ => mentions.person = true,
        }
    }
    match mentions {
        Mentions { person: true, .. } => UNSTATED_THRESHOLD,
        Mentions { place: true, .. } => f32::INFINITY,
        _ => UNNAMED_THRESHOLD,
    }
}

/// Whether a label begins a short line right below the heading and a name follows: "By Jane Doe on 4 March 2024". Its place and form state
/// the author, whatever its classes are called.
fn is_line_below_heading(page: &Layout<'_>, e: &Evidence) -> bool {
    const MAX_BLOCKS_BELOW: u32 = 2;
    const MAX_WORDS: u32 = 8;
    let (Some(heading), Some(block)) = (page.heading, e.block) else { return false };
    let is_below = block > heading && block - heading <= MAX_BLOCKS_BELOW;
    e.key == "byline"
        && is_below
        && page.blocks.blocks[block as usize].words <= MAX_WORDS
        && !strip_label(page.blocks.text(block as usize)).1.is_empty()
}

/// Whether the line right below the heading is an element named for persons: a second article on the page lowers the score of its author.
fn is_named_below_heading(page: &Layout<'_>, e: &Evidence) -> bool {
    let Some(block) = e.block.filter(|b| page.heading.is_some_and(|heading| *b == heading + 1)) else { return false };
    let element = page.blocks.blocks[block as usize].element as usize;
    e.key == "element" && is_named_for_persons(page.dom, page.blocks.elements[element].node)
}

/// Returns the element that states a name in a block: the block's own, or one of the first within its line, such as a span.
fn inner_element(page: &Layout<'_>, block: u32, e: &Evidence) -> usize {
    const MAX_WITHIN: usize = 40;
    let start = e.span.as_ref().map(|span| span.start as usize);
    let mut within = page.blocks.beginning_with(block).take(MAX_WITHIN);
    let stated = within.find(|&i| Some(page.dom.span(page.blocks.elements[i].node).start) == start);
    stated.unwrap_or(page.blocks.blocks[block as usize].element as usize)
}

/// What the markup around lines, or the path of their links, mentions: a person, or a place or an organisation.
struct Mentions {
    person: bool,
    place: bool,
}

impl Mentions {
    fn read(&mut self, page: &Layout<'_>, element: usize) {
        const PLACES: [&str; 9] =
            ["loc", "location", "place", "city", "venue", "org", "company", "employer", "department"];
        // Lines named "meta" hold whatever a site says about a page: its author, its section, its length.
        // Drupal writes "field--name-" before the name of each field.
        let mut is_field = false;
        let mut read = |word: &str| {
            self.person |= word != "meta" && !(is_field && word == "name") && refers_to_persons(word);
            is_field = word == "field";
            self.place |= PLACES.contains(&word);
        };
        for e in page.blocks.element_chain(element).take(MAX_LEVELS_TO_NAME) {
            naming_words(page.dom, page.blocks.elements[e].node, true, &mut read);
        }
        let href = link_around(page.dom, page.blocks.elements[element].node).and_then(|a| page.dom.attr(a, "href"));
        let path = href.and_then(|href| href.split(['?', '#']).next()).unwrap_or("").trim_end_matches('/');
        tokens(path.rsplit_once('/').map_or("", |(above, _)| above), &mut read);
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates;
    use super::*;
    use crate::metadata::tests::layout_of;

    #[test]
    fn a_byline_right_below_the_heading_needs_less_score() {
        let least = |lines: &str| {
            let mut least = Vec::new();
            layout_of(&format!("<h1>A bell learns to wait</h1>{lines}<p>It dries for six weeks."), |page| {
                let mut page = page.clone();
                page.heading = Some(0);
                let found = candidates(&page, None, None);
                least.extend(found.iter().filter(|c| c.0 == ["Ruta Mend"]).map(|c| threshold(&page, &c.1)));
            });
            least
        };
        let byline = "<div><span>By</span> <span>Ruta Mend</span> <span>on</span> <span>4 March 2024</span></div>";
        assert_eq!(least(byline), [BYLINE_THRESHOLD]);
        assert!(least(&byline.replace("By", "")).is_empty());
        assert_eq!(least(&format!("<p>It is built of loam.<p>And of hair.{byline}")), [AUTHOR_THRESHOLD]);
        assert_eq!(least("<p class=author>Ruta Mend</p>"), [AUTHOR_THRESHOLD]);
        assert_eq!(least("<p>It is built of loam.<p class=author>Ruta Mend</p>"), [UNSTATED_THRESHOLD]);
        assert_eq!(least("<p>Why we did what we did, in 2024, by Ruta Mend</p>"), [AUTHOR_THRESHOLD]);
    }
}
