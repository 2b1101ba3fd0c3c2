//! The author of an entry.
use super::cells::Headed;
use super::prices::bytes_at_edge;
use super::record::{EntryRecord, text_of, texts};
use super::table::LinkTable;
use maintext_facts::metadata::text::cap;
use maintext_facts::metadata::text::dates::scan;
use maintext_facts::metadata::text::names;
use maintext_html::Attr;
use maintext_page::dom::Tag;
use maintext_page::lexicon::lexicon;
use std::borrow::Cow;

/// Words in the class names of elements that name the author of a record.
const AUTHOR_CLASSES: [&str; 6] = ["author", "byline", "username", "poster", "creator", "writer"];
const AUTHOR_STARTS: [bool; 256] = bytes_at_edge(&AUTHOR_CLASSES, false);
/// Segments of addresses of authors and members.
const PROFILES: &[&str] = lexicon!("profile-addresses.txt");
/// Heads of the columns of tables that name authors, in lower case.
const AUTHOR_COLUMNS: &[&str] = lexicon!("author-columns.txt");
/// Maximum numbers of characters and words of a name without a label.
const MAX_NAME_CHARS: usize = 40;
const MAX_NAME_WORDS: usize = 5;
/// Maximum number of words of a line of facts about an entry.
const MAX_LINE_WORDS: usize = 16;
/// Maximum number of bytes of a text that are searched for the date after a name.
const MAX_NAME_SCAN: usize = 120;
/// Maximum number of letters of initials, as in catalogues: "GE Hinton".
const MAX_INITIALS: usize = 3;
/// Maximum number of links of a record among which its author's is sought.
const MAX_LINKS: usize = 40;

/// Returns for each link whether it is in a column of authors.
pub(super) fn in_columns(t: &LinkTable<'_>) -> Vec<bool> {
    let mut authors = Authors::new();
    let are_in_column = t.links.iter().map(|l| {
        let cell = authors.column.cell(t, l.element);
        cell.is_some_and(|cell| t.subtree(cell).contains(&l.element))
    });
    are_in_column.collect()
}

/// Finds the authors of a list's entries.
pub(super) struct Authors {
    column: Headed,
}

impl Authors {
    pub fn new() -> Authors {
        Authors { column: Headed::by(|head| AUTHOR_COLUMNS.contains(&head)) }
    }

    /// Returns the author of an entry: marked, in a column of authors, linked as a profile, named by a class, or in a text.
    pub fn of(&mut self, t: &LinkTable<'_>, link: Option<usize>, r: &EntryRecord, title: &str) -> Option<String> {
        let cell = self.column.cell(t, link.map_or(r.elements.start, |i| t.links[i].element));
        let marked = r.elements.clone().find(|&e| names_author(t, e)).and_then(|e| marked(&text_of(t, e)));
        let found = marked
            .or_else(|| {
                cell.and_then(|cell| {
                    let mut links = t.links_in(cell).map(|i| t.links[i].element);
                    links.find_map(|e| name_of(t, e, title)).or_else(|| name_of(t, cell, title))
                })
            })
            .or_else(|| {
                r.elements
                    .clone()
                    .filter(|&e| {
                        t.blocks.elements[e].tag == Tag::A
                            && attribute(t, e, Attr::HREF).is_some_and(leads_to_profile)
                            && !t.repeats.get(t.links_in(e).start).is_some_and(|repeats| *repeats)
                    })
                    .find_map(|e| name_of(t, e, title))
            })
            .or_else(|| {
                link.and_then(|i| owner(t, i, r.elements.start))
                    .and_then(|i| clean(&t.links[i].text))
                    .filter(|s| is_name(s, title))
            })
            .or_else(|| {
                r.elements
                    .clone()
                    .filter(|&e| attribute(t, e, Attr::CLASS).is_some_and(|class| has_author_class(class.as_bytes())))
                    .find_map(|e| name_of(t, e, title))
            });
        found
            .or_else(|| texts(t, r).find_map(|s| byline_beside(&s, title)).map(|(names, _)| names.join(", ")))
            .or_else(|| texts_beside(t, r, title).find_map(|s| name_at_end(&s)))
            .or_else(|| texts_beside(t, r, title).find(|s| are_initialled(s)).map(Cow::into_owned))
    }
}

fn name_of(t: &LinkTable<'_>, e: usize, title: &str) -> Option<String> {
    clean(&text_of(t, e)).filter(|s| is_name(s, title))
}

/// Returns the texts of a record without its title, which is not a byline, and most records hold little else.
fn texts_beside<'t>(t: &'t LinkTable<'_>, r: &EntryRecord, title: &str) -> impl Iterator<Item = Cow<'t, str>> {
    texts(t, r).filter(move |text| text.as_ref() != title)
}

pub(super) fn attribute<'t>(t: &'t LinkTable<'_>, e: usize, name: Attr) -> Option<&'t str> {
    t.dom.attribute(t.blocks.elements[e].node, name)
}

fn names_author(t: &LinkTable<'_>, e: usize) -> bool {
    is_author(t, e, Attr::REL) || is_author(t, e, Attr::ITEMPROP) || is_author(t, e, Attr::CLASS)
}

fn is_name(s: &str, title: &str) -> bool {
    let letters = s.chars().any(char::is_alphabetic);
    letters && s.chars().count() <= MAX_NAME_CHARS && s.split_whitespace().count() <= MAX_NAME_WORDS && s != title
}

fn byline_beside(s: &str, title: &str) -> Option<(Vec<String>, &'static str)> {
    let beside = s.strip_prefix(title).unwrap_or(s);
    if beside.is_empty() || beside.len() >= 200 { None } else { names::byline(beside) }
}

/// Returns whether class names hold a word for an author.
fn has_author_class(class: &[u8]) -> bool {
    let mut at = (0..class.len()).filter(|&at| AUTHOR_STARTS[usize::from(class[at].to_ascii_lowercase())]);
    at.any(|at| AUTHOR_CLASSES.iter().any(|word| begins_with(&class[at..], word)))
}

fn begins_with(rest: &[u8], word: &str) -> bool {
    rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

fn is_author(t: &LinkTable<'_>, e: usize, name: Attr) -> bool {
    attribute(t, e, name).is_some_and(|v| v.split_ascii_whitespace().any(|w| w == "author"))
}

/// Returns a name without its label and without a date after a comma or dash: "Started by jo, 5 May 2024".
fn clean(text: &str) -> Option<String> {
    let name = names::strip_label(text).0.trim();
    let label = AUTHOR_COLUMNS
        .iter()
        .find(|w| w.contains(' ') && name.get(..w.len()).is_some_and(|s| s.eq_ignore_ascii_case(w)))
        .map_or(0, |w| w.len());
    let name = name[label..].trim_start_matches([' ', ':']);
    let date = scan::find(cap(name, MAX_NAME_SCAN), &scan::Hint::default()).into_iter().next();
    let before = date.map_or("", |d| &name[..d.range.start]).trim_end();
    let cut = before.trim_end_matches([',', '-', '\u{2013}', '\u{2014}', '|', '\u{b7}', '\u{bb}', ' ']);
    let name = if cut.is_empty() || cut.len() == before.len() { name } else { cut };
    (!name.is_empty() && name.chars().count() <= 80).then(|| name.to_owned())
}

/// Returns the names in an element that is marked as the author, without words about them: ", on behalf of the editors".
fn marked(text: &str) -> Option<String> {
    let text = clean(text)?;
    let is_plain = text.split_whitespace().count() <= MAX_LINE_WORDS && !text.contains(|c: char| c.is_ascii_digit());
    let mut names = if is_plain { names::names(&text) } else { Vec::new() };
    if names.iter().any(|n| !n.starts_with(char::is_lowercase)) {
        names.retain(|n| !n.starts_with(char::is_lowercase));
    }
    let are_several = names.len() > 1 || text.contains(',') && !names.is_empty();
    Some(if are_several { names.join(", ") } else { text })
}

/// Returns whether an address leads to an author or a member: its path has a segment such as `author` and a name after it, or ends with a
/// program of that name: `profile.php?id=7`.
fn leads_to_profile(href: &str) -> bool {
    let (path, query) = href.split_once('?').unwrap_or((href.split('#').next().unwrap_or(""), ""));
    if path
        .rsplit('/')
        .next()
        .is_some_and(|s| s.split_once('.').is_some_and(|(name, _)| is_profile(name)) && query.contains('='))
    {
        return true;
    }
    let mut segments = path.split('/').filter(|s| !s.is_empty());
    segments.any(is_profile) && segments.next().is_some()
}

fn is_profile(s: &str) -> bool {
    PROFILES.iter().any(|p| s.eq_ignore_ascii_case(p))
}

/// Returns the link of a record to the part of the site that holds the entry, if a picture beside it leads there, too: `/jo` of `/jo/my-walk`.
/// Links to sections have no pictures.
fn owner(t: &LinkTable<'_>, link: usize, record: usize) -> Option<usize> {
    let own = t.links[link].url.as_ref()?;
    let (part, _) = own.path().trim_matches('/').split_once('/').filter(|(_, page)| !page.contains('/'))?;
    let links: Vec<usize> = t
        .links_in(record)
        .take(MAX_LINKS)
        .filter(|i| {
            let url = t.links[*i].url.as_ref().filter(|u| u.host_str() == own.host_str() && u.query().is_none());
            url.is_some_and(|u| u.path().trim_matches('/') == part)
        })
        .collect();
    let has_picture = links.iter().any(|&i| t.links[i].image);
    links.into_iter().find(|&i| has_picture && !t.links[i].image && !t.links[i].text.is_empty())
}

/// Returns the name at the end of a short line of facts: "Posted Mar 5, 2026 by Jo Field".
fn name_at_end(text: &str) -> Option<String> {
    let is_line = text.contains(|c: char| c.is_ascii_digit()) && text.split_whitespace().count() <= MAX_LINE_WORDS;
    let after = text
        .split_whitespace()
        .rev()
        .take(MAX_NAME_WORDS + 1)
        .position(|w| is_line && is_label(w))
        .filter(|n| *n > 0)?;
    let words: Vec<&str> = text.split_whitespace().rev().take(after).collect();
    let name = words.iter().rev().copied().collect::<Vec<&str>>().join(" ");
    let is_cut = name.ends_with('\u{2026}') || name.ends_with("...");
    let is_name =
        text.split_whitespace().rev().nth(after + 1).is_some() && !name.contains(|c: char| c.is_ascii_digit());
    (is_name && !is_cut && name.contains(char::is_alphabetic)).then_some(name)
}

fn is_label(w: &str) -> bool {
    let word = w.trim_end_matches(':');
    let is_written = word.len() < 2 || word.chars().any(char::is_lowercase) || !word.is_ascii();
    is_written && word != "from" && names::is_byline_label(&word.to_lowercase())
}

/// Returns whether a text is a list of two or more names with initials: "A Krizhevsky, GE Hinton".
fn are_initialled(text: &str) -> bool {
    let names = text.split(',').map(str::trim).filter(|n| !matches!(*n, "..." | "\u{2026}"));
    let count = names.clone().count();
    count >= 2 && names.clone().all(is_initialled)
}

fn is_initialled(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let Some((initials, rest)) = words.split_first().filter(|w| (1..=MAX_NAME_WORDS).contains(&w.1.len())) else {
        return false;
    };
    let letters = initials.chars().filter(|c| c.is_alphabetic()).count();
    (1..=MAX_INITIALS).contains(&letters)
        && initials.chars().all(|c| c.is_uppercase() || matches!(c, '.' | '-'))
        && rest.last().is_some_and(|w| w.starts_with(char::is_uppercase) && w.contains(char::is_lowercase))
        && rest.iter().all(|w| w.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '-' | '\'' | '\u{2019}')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_addresses_with_a_name_after_their_segment() {
        assert!(leads_to_profile("/users/jo") && leads_to_profile("https://e.org/profile/6/Tom?tab=1"));
        assert!(!leads_to_profile("/users/") && !leads_to_profile("/news/users-guide/1"));
        assert!(leads_to_profile("profile.php?id=7") && leads_to_profile("/forum/member.asp?u=jo"));
        assert!(!leads_to_profile("profile.html") && !leads_to_profile("/list.php?profile=7"));
    }

    #[test]
    fn names_end_lines_of_facts() {
        let end = |text: &str| name_at_end(text);
        assert_eq!(end("Posted Mar 5, 2026 by Jo Field").as_deref(), Some("Jo Field"));
        assert_eq!(end("Sensor with 120 AF points"), None);
        assert_eq!(end("A set of 6 chairs by ..."), None);
        assert_eq!(end("A set of 6 chairs from The River\u{2026}"), None);
    }

    #[test]
    fn names_with_initials_are_those_of_catalogues() {
        assert!(are_initialled("R Okafor, LM Sandberg") && are_initialled("J.-P. van Loon, K. Ito, ..."));
        for text in ["R Okafor", "Oslo, Bergen", "A walk, B sides", "US Open, UK Tour 2024"] {
            assert!(!are_initialled(text), "{text}");
        }
    }

    #[test]
    fn marked_names_are_apart_from_words_about_them() {
        assert_eq!(marked("Ana Brook, on behalf of the Gazette team").as_deref(), Some("Ana Brook"));
        assert_eq!(marked("Ana Brook and Tom Reed").as_deref(), Some("Ana Brook, Tom Reed"));
        assert_eq!(marked("The Gazette").as_deref(), Some("The Gazette"));
        assert_eq!(marked("Started by jo_f, 5 May 2024 10:20 AM").as_deref(), Some("jo_f"));
        assert_eq!(marked("jo_f 1,250 posts, 2 likes").as_deref(), Some("jo_f 1,250 posts, 2 likes"));
    }
}
