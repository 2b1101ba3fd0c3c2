//! Questions with answers that a page shows without declaring them: headings, summaries, terms or buttons that ask, each followed by text.
//!
//! Articles also have headings that ask, and interviews consist of them. A group of questions therefore counts only below a heading that
//! announces questions, or if its markup does: accordions, `<details>`, class names.
use super::text_of;
use crate::things::value::Value;
use maintext_facts::metadata::sources::facts::{Facts, naming_words, region};
use maintext_facts::metadata::text::key;
use maintext_html::Attr;
use maintext_page::blocks::Element;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use std::ops::Range;

/// Maximum number of questions of a page.
const MAX_QUESTIONS: usize = 200;
/// Minimum number of questions of a page of help.
const MIN_HELP: usize = 6;
/// Maximum number of groups that are looked at.
const MAX_GROUPS: usize = 100;
/// Maximum length of a question, in characters.
const MAX_CHARS: u32 = 250;
/// Number of elements around the text of a question among which its markup is looked for.
const LEVELS_TO_MARKUP: usize = 4;
/// Number of blocks above the first question among which the heading is looked for.
const BLOCKS_TO_HEADING: u32 = 6;
/// Rank of questions that are not headings.
const UNRANKED: u8 = 7;
/// Headings that announce questions.
const HEADINGS: &[&str] = lexicon!("faq-headings.txt");

/// A heading, or an element that opens an answer.
struct AnswerHead {
    block: u32,
    element: usize,
    tag: Tag,
    depth: u16,
    /// 1 to 6 for headings, [`UNRANKED`] for others.
    rank: u8,
    asks: bool,
    /// Whether markup says that it opens something, or that it is a question.
    marked: bool,
}

/// Returns the questions of a page with their answers, in order; empty if it has none.
pub(super) fn questions(facts: &Facts<'_>) -> Vec<Value> {
    let heads = heads(facts);
    let mut out = Vec::new();
    let mut seen = HashSet::default();
    let (mut at, mut tried) = (0, 0);
    while at < heads.len() && out.len() < MAX_QUESTIONS && tried < MAX_GROUPS {
        if !heads[at].asks {
            at += 1;
            continue;
        }
        tried += 1;
        let end = group_end(&heads, at);
        if let Some(group) = group(facts, &heads, at..end) {
            for (question, answer) in group {
                if seen.insert(key(&question)) {
                    let answer = Value::object(vec![("text", Value::Text(answer))]);
                    out.push(Value::object(vec![("name", Value::Text(question)), ("accepted_answer", answer)]));
                }
            }
            at = end;
        } else {
            at += 1;
        }
    }
    out.truncate(MAX_QUESTIONS);
    out
}

/// Returns the headings and openers of a page; none if fewer than two texts ask.
fn heads(facts: &Facts<'_>) -> Vec<AnswerHead> {
    let blocks = facts.blocks;
    // Most pages ask nothing.
    if (0..blocks.len()).filter(|&b| is_usable(facts, b) && asks(blocks.text(b))).take(2).count() < 2 {
        return Vec::new();
    }
    (0..blocks.len()).filter(|&b| is_usable(facts, b)).filter_map(|b| head(facts, b)).collect()
}

fn is_usable(facts: &Facts<'_>, b: usize) -> bool {
    let block = &facts.blocks.blocks[b];
    !block.hidden && block.chars <= MAX_CHARS && {
        let regions = facts.regions[block.element as usize];
        regions & (region::NAV | region::FOOTER | region::HIDDEN) == 0
    }
}

fn head(facts: &Facts<'_>, block: usize) -> Option<AnswerHead> {
    let (blocks, dom) = (facts.blocks, facts.dom);
    let text = blocks.text(block);
    let asks = asks(text);
    let chain = || blocks.ancestors(block).take(LEVELS_TO_MARKUP).take_while(|&e| blocks.elements[e].blocks.len() == 1);
    let found = chain().find_map(|e| {
        let element = &blocks.elements[e];
        let rank = element.tag.heading_level().unwrap_or(UNRANKED);
        let opens = matches!(element.tag, Tag::SUMMARY | Tag::DT | Tag::BUTTON) || is_opener(facts, element.node);
        (rank < UNRANKED || opens).then_some((e, rank, opens))
    });
    let (element, rank, opens) = match found {
        Some(found) => found,
        // A bold line is a question only if it asks.
        None => {
            let b = &blocks.blocks[block];
            let is_bold = asks && b.emphasis_chars * 10 >= b.chars * 9;
            let named = asks && chain().any(|e| is_named(facts, blocks.elements[e].node));
            (is_bold || named).then_some((b.element as usize, UNRANKED, named))?
        }
    };
    // A heading around an opener gives its rank.
    let rank = chain().find_map(|e| blocks.elements[e].tag.heading_level()).unwrap_or(rank);
    let around = || blocks.element_chain(element).take(LEVELS_TO_MARKUP).map(|e| blocks.elements[e].node);
    let b = &blocks.blocks[block];
    let leads_on = b.link_chars * 10 >= b.chars * 8 && !around().any(|n| dom.tag(n) == Tag::A && is_opener(facts, n));
    if leads_on && rank == UNRANKED {
        return None;
    }
    Some(AnswerHead {
        block: block as u32,
        element,
        tag: blocks.elements[element].tag,
        depth: blocks.elements[element].depth,
        rank,
        asks: asks && !leads_on,
        marked: opens || asks && around().any(|n| is_named(facts, n)),
    })
}

/// Returns whether a text is a question.
fn asks(text: &str) -> bool {
    if text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.') {
        return false;
    }
    let text =
        text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '”' | '»' | '+' | '#' | '^' | '¶'));
    text.ends_with(['?', '？', '؟', '\u{37e}']) && text.chars().count() >= 5
}

/// Returns whether an element opens and closes another part.
fn is_opener(facts: &Facts<'_>, n: NodeId) -> bool {
    let dom = facts.dom;
    dom.attr(n, "aria-expanded").is_some()
        || dom.attr(n, "role").is_some_and(|r| r == "button")
        || dom.attr(n, "data-toggle").or_else(|| dom.attr(n, "data-bs-toggle")).is_some_and(|t| t == "collapse")
        || dom.tag(n) == Tag::A && dom.attribute(n, Attr::HREF).is_some_and(|h| h.starts_with('#') && h.len() > 1)
}

/// Returns whether class names call an element a question or a part that opens.
fn is_named(facts: &Facts<'_>, n: NodeId) -> bool {
    let mut found = false;
    naming_words(facts.dom, n, false, |word| {
        found |= matches!(
            word,
            "faq" | "faqs" | "question" | "questions" | "accordion" | "accordions" | "toggle" | "collapsible" | "qa"
        );
    });
    found
}

/// Returns the end of the group of heads like the one at `start`: the next heading of a higher rank.
fn group_end(heads: &[AnswerHead], start: usize) -> usize {
    let first = &heads[start];
    let limit = if first.rank == UNRANKED { 4 } else { first.rank };
    heads[start + 1..]
        .iter()
        .position(|h| h.rank < limit || h.rank == first.rank && h.rank < UNRANKED && h.depth != first.depth)
        .map_or(heads.len(), |i| start + 1 + i)
}

/// Returns the questions and answers of a group, if it has them.
fn group(facts: &Facts<'_>, heads: &[AnswerHead], range: Range<usize>) -> Option<Vec<(String, String)>> {
    let blocks = facts.blocks;
    let first = &heads[range.start];
    let end = heads.get(range.end).map_or(blocks.len() as u32, |h| h.block);
    let like: Vec<&AnswerHead> = heads[range.clone()]
        .iter()
        .filter(|h| h.tag == first.tag && h.depth == first.depth && h.rank == first.rank)
        .take(MAX_QUESTIONS)
        .collect();
    let asking = like.iter().filter(|h| h.asks).count();
    if asking < 2 || asking * 10 < like.len() * 6 {
        return None;
    }
    let announced = is_announced(facts, first.block);
    let marked = like.iter().filter(|h| h.marked).count() * 2 > like.len();
    // Pages of help consist of questions.
    let announced = announced || asking >= MIN_HELP && is_help(facts);
    if asking < if announced { 2 } else { 3 } || asking * 10 < like.len() * 6 || !announced && !marked {
        return None;
    }
    let distinct: HashSet<String> = like.iter().map(|h| key(blocks.text(h.block as usize))).collect();
    if distinct.len() * 10 < like.len() * 8 {
        return None;
    }
    let answers = answers(facts, &like, end);
    let pairs: Vec<(String, String)> = like
        .iter()
        .zip(answers)
        .filter_map(|(h, answer)| {
            let question =
                blocks.text(h.block as usize).trim_matches(|c: char| matches!(c, '+' | '#' | '/') || c.is_whitespace());
            let answer = text_of(facts, answer)?;
            (answer.chars().count() >= 2).then(|| (question.to_owned(), answer))
        })
        .collect();
    (pairs.len() >= 2 && pairs.len() * 10 >= like.len() * 7).then_some(pairs)
}

/// Returns the blocks of the answer to each question: the rest of its item, or all that follows before the next question.
fn answers(facts: &Facts<'_>, like: &[&AnswerHead], end: u32) -> Vec<Range<u32>> {
    let elements = &facts.blocks.elements;
    let common = common(elements, like.iter().map(|h| h.element));
    let items: Vec<Option<usize>> = like
        .iter()
        .map(|h| facts.blocks.element_chain(h.element).find(|&e| elements[e].parent as usize == common))
        .collect();
    let mut distinct: Vec<usize> = items.iter().flatten().copied().collect();
    distinct.dedup();
    let wrapped = distinct.len() == like.len()
        && like.iter().zip(&distinct).filter(|(h, i)| elements[**i].blocks.end > h.block + 1).count() * 10
            >= like.len() * 8;
    if wrapped {
        return like.iter().zip(&distinct).map(|(h, &i)| h.block + 1..elements[i].blocks.end).collect();
    }
    let limit = end.min(elements[common].blocks.end);
    let mut out: Vec<Range<u32>> = like.windows(2).map(|pair| pair[0].block + 1..pair[1].block).collect();
    let longest = out.iter().map(|r| r.len() as u32).max().unwrap_or(1);
    if let Some(last) = like.last() {
        let to = limit.min(last.block + 1 + longest);
        out.push(last.block + 1..to.max(last.block + 1));
    }
    out
}

/// Returns the nearest element around all of these.
fn common(elements: &[Element], mut of: impl Iterator<Item = usize>) -> usize {
    let Some(mut a) = of.next() else { return 0 };
    a = elements[a].parent as usize;
    for mut b in of {
        while a != b {
            if elements[a].depth >= elements[b].depth {
                if a == elements[a].parent as usize {
                    break;
                }
                a = elements[a].parent as usize;
            } else {
                b = elements[b].parent as usize;
            }
        }
    }
    a
}

/// Returns whether a heading above a block, the title or the address of the page announces questions.
fn is_announced(facts: &Facts<'_>, block: u32) -> bool {
    let blocks = facts.blocks;
    let above = (block.saturating_sub(BLOCKS_TO_HEADING)..block).map(|b| b as usize);
    let mut near =
        above.filter(|&b| blocks.blocks[b].chars <= 120 && blocks.blocks[b].link_chars * 2 <= blocks.blocks[b].chars);
    near.any(|b| announces(blocks.text(b)))
        || facts.title.as_deref().is_some_and(announces)
        || facts.url.as_ref().is_some_and(|u| {
            u.path()
                .split(['/', '-', '_', '.'])
                .any(|s| s.eq_ignore_ascii_case("faq") || s.eq_ignore_ascii_case("faqs"))
        })
}

/// Returns whether the title of a page announces help.
fn is_help(facts: &Facts<'_>) -> bool {
    const HELP: &[&str] = lexicon!("help-titles.txt");
    facts.title.as_deref().is_some_and(|t| key(t).split(' ').any(|w| HELP.contains(&w)))
}

/// Returns whether a heading announces questions with answers.
fn announces(heading: &str) -> bool {
    let heading = format!(" {} ", key(heading));
    HEADINGS
        .iter()
        .any(|words| if words.is_ascii() { heading.contains(&format!(" {words} ")) } else { heading.contains(words) })
}

#[cfg(test)]
mod tests {
    use super::{announces, asks};

    #[test]
    fn headings_of_questions() {
        for heading in [
            "FAQ",
            "FAQs about kettles",
            "Q&A",
            "Häufig gestellte Fragen",
            "Foire aux questions",
            "よくある質問",
            "Частые вопросы",
        ] {
            assert!(announces(heading), "{heading}");
        }
        for heading in ["Facts", "Questionable results", "Our answer to winter", "Ask us"] {
            assert!(!announces(heading), "{heading}");
        }
    }

    #[test]
    fn questions_in_many_scripts() {
        assert!(asks("Does it boil?") && asks("お湯は沸きますか？") && asks("هل يغلي الماء؟") && asks("What is it? +"));
        assert!(!asks("Shipping") && !asks("?") && !asks("Why? Because."));
    }
}
