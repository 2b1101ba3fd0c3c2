//! The rating, the place and the number of replies of an entry: if its markup or its words state them clearly.
use super::authors::attribute;
use super::cells::Headed;
use super::record::{EntryRecord, MAX_SCAN, text_of};
use super::table::LinkTable;
use maintext_facts::metadata::names_comments;
use maintext_facts::metadata::text::{cap, squeeze};
use maintext_html::Attr;
use maintext_page::blocks::is_cjk;
use maintext_page::dom::Tag;
use maintext_page::lexicon::lexicon;

const REPLIES: &[&str] = lexicon!("reply-counts.txt");
const SCALES: &[&str] = lexicon!("rating-scales.txt");
const RATINGS: &[&str] = lexicon!("rating-words.txt");
const PLACES: &[&str] = lexicon!("place-names.txt");

/// For each first byte, a bit for each length of the words for places: it distinguishes them from most other words.
const PLACE_LENGTHS: [u64; 256] = {
    let (mut lengths, mut i) = ([0; 256], 0);
    while i < PLACES.len() {
        lengths[PLACES[i].as_bytes()[0] as usize] |= 1 << (PLACES[i].len() % 64);
        i += 1;
    }
    lengths
};

/// Maximum number of bytes of the text of a rating, a place and a number of replies.
const MAX_RATING: usize = 60;
const MAX_PLACE: usize = 80;
const MAX_COUNT: usize = 40;
/// Maximum number of bytes of a category.
const MAX_CATEGORY: usize = 80;
/// Characters between the facts of a line.
const BETWEEN: [char; 6] = ['|', '\u{b7}', '\u{2022}', ',', ';', '\u{2013}'];

/// Reads the details of a list's entries.
pub(super) struct Details {
    replies: Headed,
}

/// The details of an entry.
#[derive(Default)]
pub(super) struct EntryDetail {
    pub rating: Option<String>,
    pub place: Option<String>,
    pub replies: Option<u32>,
    /// The category that a link of the record names.
    pub category: Option<String>,
}

impl Details {
    pub fn new() -> Details {
        Details { replies: Headed::by(|head| head.len() <= MAX_COUNT && counts_replies(head)) }
    }

    /// Returns the details of an entry with this title and link.
    pub fn of(&mut self, t: &LinkTable<'_>, link: Option<usize>, r: &EntryRecord, title: &str) -> EntryDetail {
        let mut of_names = EntryDetail::default();
        let (mut declared, mut best, mut locality, mut address) = (None, None, Vec::new(), None);
        let mut ratings: Vec<String> = Vec::new();
        let mut places: Vec<String> = Vec::new();
        for e in r.elements.clone() {
            let element = &t.blocks.elements[e];
            match attribute(t, e, Attr::ITEMPROP).unwrap_or("") {
                "ratingValue" => declared = declared.or_else(|| number(&stated(t, e))),
                "bestRating" => best = best.or_else(|| number(&stated(t, e))),
                "commentCount" | "answerCount" => of_names.replies = of_names.replies.or_else(|| count(&stated(t, e))),
                "addressLocality" | "addressRegion" | "addressCountry" => locality.push(stated(t, e)),
                "address" | "location" => address = address.or_else(|| place(&text_of(t, e), title)),
                _ => {}
            }
            if of_names.category.is_none() && names_category(t, e) {
                of_names.category = Some(text_of(t, e)).filter(|name| !name.is_empty() && name.len() <= MAX_CATEGORY);
            }
            let class = attribute(t, e, Attr::CLASS).unwrap_or("");
            for label in [Attr::ARIA_LABEL, Attr::TITLE].into_iter().filter_map(|name| attribute(t, e, name)) {
                ratings
                    .extend(rating(label, || class.split([' ', '-', '_']).any(|w| begins(&w.to_lowercase(), RATINGS))));
            }
            let is_address = element.tag == Tag::ADDRESS && t.links_below(e) == 0;
            if element.blocks.len() <= 2
                && (is_address
                    || class
                        .split([' ', '-', '_'])
                        .any(|word| !word.is_empty() && may_be_place(word.as_bytes()) && is_one_of(word, PLACES)))
            {
                places.extend(place(&text_of(t, e), title));
            }
        }
        locality.retain(|s| !s.is_empty());
        locality.dedup();
        // Nested elements have the same text, and different places are not evidence.
        places.dedup();
        let place = if locality.is_empty() { address } else { place(&locality.join(", "), title) };
        // Without `bestRating`, the best rating is 5 (schema.org).
        let scaled = declared.and_then(|v| written(v, best.unwrap_or(5.0)));
        let rating = scaled.or_else(|| {
            ratings.extend(scanned_texts(t, r).filter_map(|s| rating(s, || false)));
            agreed(ratings.into_iter())
        });
        let replies = of_names.replies.or_else(|| {
            let cell = self.replies.cell(t, link.map_or(r.elements.start, |i| t.links[i].element))?;
            count(text_of(t, cell).trim())
        });
        let replies = replies.or_else(|| {
            let labels = t.links_in(r.elements.start).take(MAX_LINKS).map(|i| t.links[i].label());
            let parts = scanned_texts(t, r).filter(|s| has_digit(s)).flat_map(|s| s.split(BETWEEN));
            agreed(labels.chain(parts.filter(|s| s.len() <= MAX_COUNT)).filter_map(replies_in))
        });
        let place = place.or_else(|| agreed(places.into_iter()));
        EntryDetail { rating, place, replies, category: of_names.category }
    }
}

/// Whether the relation of a link, `rel="category tag"`, says that it leads to the entries of a category.
fn names_category(t: &LinkTable<'_>, e: usize) -> bool {
    attribute(t, e, Attr::REL)
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("category")))
}

fn may_be_place(w: &[u8]) -> bool {
    PLACE_LENGTHS[usize::from(w[0].to_ascii_lowercase())] & 1 << (w.len() % 64) != 0
}

fn scanned_texts<'t>(t: &'t LinkTable<'_>, r: &EntryRecord) -> impl Iterator<Item = &'t str> {
    r.blocks.clone().map(|b| cap(t.blocks.text(b), MAX_SCAN))
}

/// Maximum number of links of a record that are read.
const MAX_LINKS: usize = 40;

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

/// Returns the only distinct value.
fn agreed<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|v| v == first).then_some(first)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    !word.is_empty() && words.contains(&word.to_lowercase().as_str())
}

/// Returns a text as a place, without its label: "Location: Bergen". A place has letters, and is neither the title nor a sentence.
fn place(text: &str, title: &str) -> Option<String> {
    let text = text.trim_matches([' ', ',', ';', '|']);
    let labelled = text.split_once([':', '\u{ff1a}']);
    let text = labelled.filter(|l| is_one_of(l.0.trim(), PLACES)).map_or(text, |l| l.1.trim());
    // "We have three places in town." and "Ask jo@example.org" are not places.
    let is_place = text.len() <= MAX_PLACE
        && text != title
        && text.chars().any(char::is_alphabetic)
        && !text.contains(['@', '?', '!', ':'])
        && !is_one_of(text, PLACES)
        && !text.ends_with('.');
    is_place.then(|| text.to_owned())
}

/// Returns a decimal number as it is written in several languages.
fn number(text: &str) -> Option<f32> {
    let text = text.trim().replace(',', ".");
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && text.len() <= 5;
    if is_number { text.parse().ok() } else { None }
}

/// Returns a rating with its best value, if they fit: `4.5/5`. A rating of 0 has no votes.
fn written(value: f32, best: f32) -> Option<String> {
    let is_scale = [5.0, 6.0, 10.0, 20.0, 100.0].contains(&best);
    (is_scale && value > 0.0 && value <= best).then(|| format!("{value}/{best}"))
}

/// Returns whether a text begins with one of some beginnings.
fn begins(text: &str, with: &[&str]) -> bool {
    with.iter().any(|w| text.starts_with(w))
}

/// Returns the rating that a text states: "4.5 out of 5 stars", "★★★★☆". Two whole numbers without such a word count only if the element is
/// named accordingly: "4 of 5" may be a page.
fn rating(text: &str, is_named: impl Fn() -> bool) -> Option<String> {
    if text.len() > MAX_RATING || !(has_digit(text) || !text.is_ascii() && text.contains('\u{2606}')) {
        return None;
    }
    let text = text.to_lowercase();
    let (full, empty) = (text.matches(['\u{2605}', '\u{2b50}']).count(), text.matches('\u{2606}').count());
    // "★★★" alone lacks the number of all stars.
    if full + empty == 5 && empty > 0 && !text.contains(char::is_alphanumeric) {
        return written(full as f32, 5.0);
    }
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let value = &rest[..rest.find(|c: char| !is_decimal_part(c)).unwrap_or(rest.len())];
    let after = rest[value.len()..].trim_start();
    let scale =
        SCALES.iter().find(|s| after.strip_prefix(**s).is_some_and(|a| a.trim_start().starts_with(is_decimal_part)));
    let best = after.strip_prefix(*scale?)?.trim_start();
    let best = &best[..best.find(|c: char| !is_decimal_part(c)).unwrap_or(best.len())];
    // "Page 4 of 5" is not a rating.
    if !value.contains(['.', ','])
        && !text.contains(['\u{2605}', '\u{2b50}'])
        && !text.split(|c: char| !c.is_alphabetic()).any(|w| begins(w, RATINGS))
        && !is_named()
    {
        return None;
    }
    let value = number(value.trim_end_matches(['.', ',']))?;
    written(value, number(best.trim_end_matches(['.', ',']))?)
}

fn is_decimal_part(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',')
}

/// Returns a whole number, with separators of thousands.
fn count(text: &str) -> Option<u32> {
    let groups: Vec<&str> = text.trim().split([',', '.', '\'', ' ', '\u{a0}', '\u{202f}']).collect();
    let fits = groups.iter().all(|g| g.bytes().all(|b| b.is_ascii_digit())) && (1..=3).contains(&groups[0].len())
        || groups.len() == 1;
    // "1,234" has a separator of thousands, "1.2k" is not written out.
    (fits && groups[1..].iter().all(|g| g.len() == 3)).then(|| groups.concat().parse().ok())?
}

/// Returns whether a text in lower case names replies or comments, in at most two words.
fn counts_replies(text: &str) -> bool {
    let is_cjk = text.contains(is_cjk);
    let words = text.split(' ').filter(|w| !w.is_empty());
    let mut with_whole = words.clone().chain([text]);
    words.count() <= 2
        && (with_whole.any(|w| if is_cjk { REPLIES.iter().any(|r| w.contains(r)) } else { begins(w, REPLIES) })
            || names_comments(text))
}

/// Returns what a property's element states, in an attribute or in its text.
fn stated(t: &LinkTable<'_>, e: usize) -> String {
    attribute(t, e, Attr::CONTENT).map_or_else(|| text_of(t, e), squeeze)
}

/// Returns the number of replies that a text states and nothing else: "12 comments", "Antworten: 3".
fn replies_in(text: &str) -> Option<u32> {
    let text = text.trim();
    if text.len() > MAX_COUNT || !has_digit(text) {
        return None;
    }
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let (digits, word) = if bare.starts_with(|c: char| c.is_ascii_digit()) {
        bare.split_at(bare.find(|c: char| !is_count_part(c))?)
    } else {
        let from =
            bare.rfind(|c: char| !is_count_part(c)).and_then(|i| Some(i + bare[i..].chars().next()?.len_utf8()))?;
        (&bare[from..], &bare[..from])
    };
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // "3 of 12 comments" states something else.
    let is_word = !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()) && counts_replies(&word);
    is_word.then(|| count(digits))?
}

fn is_count_part(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '\u{a0}' | '\u{202f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_name_their_scale() {
        let cases = [
            ("4.5 out of 5 stars", Some("4.5/5")),
            ("rated 4,5 von 5 sternen", Some("4.5/5")),
            ("note : 8/10", Some("8/10")),
            ("4.7 de 5 estrellas", Some("4.7/5")),
            ("4.5 out of 5", Some("4.5/5")),
            ("★★★★☆", Some("4/5")),
            // Pages, dates, times and parts of texts are not ratings.
            ("page 4 of 5", None),
            ("rating 0 of 5", None),
            ("4/5", None),
            ("star 7 of 5", None),
            ("★★★", None),
            ("4.5 stars", None),
            ("stars 3 of 7", None),
        ];
        for (text, expected) in cases {
            assert_eq!(rating(text, || false).as_deref(), expected, "{text}");
        }
        assert_eq!(rating("4 of 5", || true).as_deref(), Some("4/5"));
    }

    #[test]
    fn numbers_of_replies_stand_beside_their_word() {
        let cases = [
            ("12 comments", Some(12)),
            ("1,234 Replies", Some(1234)),
            ("Antworten: 3", Some(3)),
            ("(5 réponses)", Some(5)),
            ("7 条评论", Some(7)),
            ("3件のコメント", Some(3)),
            ("Ответов: 48", Some(48)),
            ("0 comments", Some(0)),
            ("12 views", None),
            ("comments", None),
            ("Comment policy of 2024 and more", None),
            ("1.2k comments", None),
            ("3 of 12 comments", None),
        ];
        for (text, expected) in cases {
            assert_eq!(replies_in(text), expected, "{text}");
        }
    }

    #[test]
    fn places_are_short_and_have_no_label() {
        assert_eq!(place("Location: Bergen", "Cook").as_deref(), Some("Bergen"));
        assert_eq!(place("Bergen, Norway", "Cook").as_deref(), Some("Bergen, Norway"));
        for text in ["Cook", "Location", "12", "We have three places in town.", "Ask jo@example.org"] {
            assert_eq!(place(text, "Cook"), None, "{text}");
        }
    }
}
