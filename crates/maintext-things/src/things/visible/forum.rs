//! Answers to a declared question, from the posts that the page shows.
use crate::things::value::{Origin, Thing, Value};
use crate::things::{Sources, clean};
use maintext_facts::metadata::Record;
use maintext_facts::metadata::sources::facts::{Facts, naming_words};
use maintext_facts::metadata::text::key;
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;

/// Maximum number of answers of a question.
const MAX_ANSWERS: usize = 200;
/// Maximum number of elements of a page that are looked at for marks.
const MAX_ELEMENTS: usize = 100_000;

/// Lines that mark an accepted answer.
const ACCEPTED: &[&str] = lexicon!("accepted-answers.txt");

/// Adds the answers that the page shows to a declared question that lacks them.
pub(super) fn complete(sources: &Sources<'_>, things: &mut [Thing]) {
    let mut questions = things.iter_mut().filter(|t| t.kind == "Question");
    let (Some(question), None) = (questions.next(), questions.next()) else { return };
    let Some(posts) = posts(sources) else { return };
    let at = question.fields.iter().position(|f| f.0 == "answers");
    let mut list = at.map_or_else(Vec::new, |i| question.fields.remove(i).1.into_values());
    let accepted = question.get("accepted_answer").map(opening);
    let count = list.len() + usize::from(accepted.is_some());
    let (marked, mut shown) = answers(sources.facts, posts);
    let origin = Origin { from: "text", probability: 0.85 };
    if accepted.is_none() && count == 0 {
        if let Some(marked) = marked {
            question.set("accepted_answer", marked, origin.clone());
        }
    } else {
        shown.extend(marked);
    }
    if posts.len() - 1 > count {
        let mut known: HashSet<String> = list.iter().map(opening).chain(accepted).collect();
        known.extend(list.iter().chain(question.get("accepted_answer")).filter_map(moment));
        shown.retain(|answer| known.insert(opening(answer)) && moment(answer).is_none_or(|m| !known.contains(&m)));
        if !shown.is_empty() {
            list.extend(shown);
            question.sources.insert("answers", origin);
        }
    }
    question.fields.extend(Value::list(list).map(|answers| ("answers", answers)));
}

/// Returns the first words of an answer, by which it is known.
fn opening(answer: &Value) -> String {
    let text = answer.field("text").and_then(Value::text).map(key).unwrap_or_default();
    text.chars().filter(|c| *c != ' ').take(40).collect()
}

/// Returns the author and the minute of an answer.
fn moment(answer: &Value) -> Option<String> {
    Some(format!("@{} {}", key(text_of(answer, "author")?), text_of(answer, "date")?.get(..16)?))
}

fn text_of<'v>(answer: &'v Value, name: &str) -> Option<&'v str> {
    answer.field(name).and_then(Value::text)
}

/// Returns the posts of the thread that is the page's content.
fn posts<'a>(sources: &'a Sources<'_>) -> Option<&'a [Record]> {
    let facts = sources.facts;
    (facts.is_thread() && facts.records.len() > 1).then_some(facts.records)
}

/// Returns the accepted answer and the others.
fn answers(facts: &Facts<'_>, posts: &[Record]) -> (Option<Value>, Vec<Value>) {
    let marks = marks(facts, posts);
    // One mark is an answer that was accepted; a mark in every post is a button.
    let chosen = match marks[..] {
        [one] if one > 0 => Some(one),
        _ => None,
    };
    let (mut accepted, mut answers) = (None, Vec::new());
    for (i, post) in posts.iter().enumerate().skip(1).take(MAX_ANSWERS) {
        let Some(answer) = answer(post) else { continue };
        if chosen == Some(i) {
            accepted = Some(answer);
        } else {
            answers.push(answer);
        }
    }
    (accepted, answers)
}

/// Returns the posts with a mark of acceptance.
fn marks(facts: &Facts<'_>, posts: &[Record]) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    let lines = posts.iter().flat_map(|p| p.blocks.clone().filter(|b| p.lines.binary_search(b).is_err()).take(40));
    for b in lines {
        let block = &facts.blocks.blocks[b as usize];
        if block.chars <= 30 && !block.hidden && ACCEPTED.contains(&&key(facts.blocks.text(b as usize))[..]) {
            out.extend(post_of(posts, b));
        }
    }
    for e in facts.blocks.elements.iter().take(MAX_ELEMENTS).filter(|e| !e.blocks.is_empty() && !e.hidden) {
        let Some(post) = post_of(posts, e.blocks.start) else { continue };
        if e.blocks.end > posts[post].blocks.end {
            continue;
        }
        let (mut accepted, mut answer) = (false, false);
        naming_words(facts.dom, e.node, false, |w| {
            accepted |= matches!(w, "accepted" | "best" | "solved" | "solution");
            answer |= matches!(w, "answer" | "solution" | "reply" | "accepted");
        });
        if accepted && answer {
            out.push(post);
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn post_of(posts: &[Record], block: u32) -> Option<usize> {
    let i = posts.partition_point(|p| p.blocks.end <= block);
    posts.get(i).filter(|p| p.blocks.contains(&block)).map(|_| i)
}

fn answer(post: &Record) -> Option<Value> {
    let mut fields = vec![("text", Value::Text(clean::text(&post.text)?))];
    fields.extend(post.author.clone().map(|a| ("author", Value::Text(a))));
    fields.extend(post.stamp.map(|s| ("date", Value::Text(s.to_string()))));
    fields.extend(post.url.clone().map(|u| ("url", Value::Text(u))));
    Some(Value::object(fields))
}
