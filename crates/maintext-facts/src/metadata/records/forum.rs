//! Recognises a forum thread by the page's own declarations, never by its host.
use crate::metadata::sources::facts::Facts;
use maintext_html::Attr;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::lexicon::lexicon;

/// Names of forum programs in `<meta name=generator>` and in credits at the foot of a page, in lower case.
const PROGRAMS: &[&str] = lexicon!("forum-programs.txt");
/// Types of schema.org for a page that is a thread.
const THREADS: [&str; 2] = ["DiscussionForumPosting", "QAPage"];
/// Number of blocks at the end of a page that may credit the program.
const FOOTER_BLOCKS: usize = 12;
/// Longest credit, in words.
const MAX_CREDIT_WORDS: u32 = 25;
/// Deepest nesting of a declared object that still describes the page.
const MAX_DECLARED_DEPTH: usize = 1;

/// Returns whether the page states that a forum program wrote it, or that it is a thread.
pub(in crate::metadata) fn is_forum(facts: &Facts<'_>) -> bool {
    facts.metas.iter().any(|m| m.key == "generator" && names_program(&m.content))
        || facts
            .graph()
            .things
            .iter()
            .any(|t| t.depth as usize <= MAX_DECLARED_DEPTH && THREADS.contains(&t.kind.as_str()))
        || facts.props.iter().any(|p| THREADS.contains(&p.kind.as_str()))
        || root_is_forum(facts)
        || has_item_of_arc(facts)
        || is_credited(facts)
}

/// Returns whether a text begins with a program's name, or has one after "powered by".
fn names_program(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    begins_with_program(&text)
        || text
            .split_once("powered by")
            .is_some_and(|(_, after)| begins_with_program(after.trim_start_matches([' ', ':'])))
}

fn begins_with_program(t: &str) -> bool {
    let rest = PROGRAMS.iter().find_map(|p| t.strip_prefix(p));
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
}

/// Returns whether `<html>` or `<body>` has the id of a forum program, or the `op` value that news aggregators use for a thread.
fn root_is_forum(facts: &Facts<'_>) -> bool {
    let dom = facts.dom;
    let html = dom.find(NodeId::ROOT, Tag::HTML);
    let body = dom.find(NodeId::ROOT, Tag::BODY);
    html.is_some_and(|n| dom.attribute(n, Attr::ID) == Some("XF") || dom.attr(n, "op") == Some("item"))
        || body.and_then(|n| dom.attribute(n, Attr::ID)).is_some_and(names_program)
}

/// Returns whether the page has the item that is being discussed in Arc, a program of news aggregators that has no other sign than its class.
fn has_item_of_arc(facts: &Facts<'_>) -> bool {
    facts.dom.names().find("fatitem").is_some()
}

/// Returns whether one of the last lines credits a forum program.
fn is_credited(facts: &Facts<'_>) -> bool {
    let blocks = facts.blocks;
    let first = blocks.len().saturating_sub(FOOTER_BLOCKS);
    (first..blocks.len()).any(|b| blocks.blocks[b].words <= MAX_CREDIT_WORDS && names_program(blocks.text(b)))
}
