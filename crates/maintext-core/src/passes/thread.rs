//! Threads as content: keeps the texts of the posts, builds their headers, and drops comments from other content.
use crate::page::Comment;
use maintext_facts::metadata::{Found, Record};
use maintext_lists::list::Group;
use maintext_page::blocks::Blocks;
use maintext_page::dom::Tag;
use maintext_page::hash::HashSet;
use maintext_reading::features::heading_level;
use maintext_render::render::Post;
use std::collections::BTreeMap;

/// Minimum share of the content in the texts of the posts from which the posts are the content.
const COVERED: f32 = 0.5;

/// Weight of a word of content within a post but outside of its text.
const BESIDE_WEIGHT: u32 = 3;

/// Probability of a list from which its entries are not the authors of posts.
const SURE_LIST: f32 = 0.5;

/// Number of elements above a line among which the quotation around it is looked for.
const QUOTATION_REACH: usize = 6;
/// Lines of fewer words are equal by chance: "Thank you."
const MIN_WORDS: u32 = 4;
/// Maximum number of words of a label.
const LABEL: u32 = 12;
/// Maximum number of words of a control with its label.
const CONTROL: u32 = 4;

/// Probability from which a group of comments is dropped from the content. On the training sets, dropping less certain groups loses
/// more content than boilerplate.
const SURE_COMMENTS: f32 = 0.55;
/// Probability of content from which a block stays, even inside comments.
const SURE_CONTENT: f32 = 0.99;
/// Minimum number of words of content that must be left without the comments: below that, the comments are the content.
const COMMENTED: u32 = 10;

/// Whether a page with posts and entries is a thread, with the names of its authors or the subjects of its posts as entries.
pub(crate) fn is_thread(posts: &[Record], groups: &[Group], kinds: &BTreeMap<&'static str, f32>) -> bool {
    if probability(kinds, "listing") + probability(kinds, "collection") >= SURE_LIST {
        return false;
    }
    // The entries of a list of threads are the threads, and a list of members has more members than posts.
    let authors: HashSet<&str> = posts.iter().filter_map(|post| post.author.as_deref()).collect();
    let entries: Vec<&str> = groups.iter().flat_map(|g| &g.entries).map(|entry| entry.title.as_str()).collect();
    let named = entries.iter().filter(|title| authors.contains(*title)).count();
    // The posts of a thread repeat its subject, and links in some of them are alike.
    let distinct: HashSet<&str> = entries.iter().copied().collect();
    2 * named > entries.len() || 2 * distinct.len() <= entries.len() || entries.len() < posts.len()
}

fn probability(kinds: &BTreeMap<&'static str, f32>, kind: &str) -> f32 {
    kinds.get(kind).copied().unwrap_or(0.0)
}

/// Whether the texts of the posts are most of the content, or have at least as many words as the content outside of the posts, as where the
/// method kept only the opening question. Dropped texts count, too. Content within posts but outside of their texts weighs more: it may be the
/// text that the records lack.
pub(crate) fn covers(posts: &[Record], blocks: &Blocks, kept: &[bool]) -> bool {
    let (mut in_posts, mut written, mut in_records) = (0, 0, 0);
    for r in posts {
        for b in &r.lines {
            in_posts += kept_words(kept, blocks, *b);
            written += blocks.blocks[*b as usize].words;
        }
        in_records += r.blocks.clone().map(|b| kept_words(kept, blocks, b)).sum::<u32>();
    }
    let all: u32 = (0..kept.len() as u32).map(|b| kept_words(kept, blocks, b)).sum();
    let (outside, beside) = (all.saturating_sub(in_records.max(in_posts)), in_records.saturating_sub(in_posts));
    in_posts as f32 >= COVERED * all as f32 || written >= outside + BESIDE_WEIGHT * beside
}

fn kept_words(kept: &[bool], blocks: &Blocks, b: u32) -> u32 {
    if kept[b as usize] { blocks.blocks[b as usize].words } else { 0 }
}

/// Keeps the text of each post and drops the rest of it: names, buttons, signatures. Quotations are part of the text, with the name of
/// the quoted person, and so is the heading of an update. Short lines around the posts are dropped, too: counts of readers, buttons for the
/// whole thread; the items of a list of facts stay.
pub(crate) fn keep_posts(posts: &[Record], blocks: &Blocks, kept: &mut [bool]) {
    let mut seen: HashSet<&str> = HashSet::default();
    let mut decided = vec![false; kept.len()];
    for r in posts {
        let is_dropped = !r.lines.iter().any(|b| kept[*b as usize]);
        for b in r.lines.iter().map(|b| *b as usize) {
            let again = blocks.blocks[b].words >= MIN_WORDS && !seen.insert(blocks.text(b));
            // A few words with a link that the method dropped are a control, such as "Code: Select all".
            let is_control = blocks.blocks[b].links > 0 && blocks.blocks[b].words <= CONTROL;
            let is_quoted = is_in(blocks, b, |t| t == Tag::BLOCKQUOTE);
            let is_text = if is_quoted {
                // A line of a quotation that is only a link unfolds it.
                blocks.blocks[b].link_chars < blocks.blocks[b].chars
            } else {
                !again && !is_control
            };
            decided[b] = kept[b] || is_dropped || is_text;
        }
    }
    let mut end = 0;
    for quotation in blocks.elements.iter().filter(|e| e.tag == Tag::BLOCKQUOTE) {
        // The outermost quotation has decided for the quotations inside it.
        if quotation.blocks.end <= end {
            continue;
        }
        end = quotation.blocks.end;
        let own = quotation.blocks.start as usize..end as usize;
        if let Some(text) = own.clone().find(|b| decided[*b]) {
            // The name of the quoted person stands before the text, or in a `<cite>`.
            own.filter(|b| *b < text && blocks.blocks[*b].words <= LABEL || is_in(blocks, *b, |t| t == Tag::CITE))
                .for_each(|b| decided[b] = true);
        }
    }
    // The subject of a thread is the headline of its first post alone.
    let headlines: Vec<usize> = posts.iter().filter_map(|r| headline(r, blocks, kept)).collect();
    let different: HashSet<&str> = headlines.iter().map(|b| blocks.text(*b)).collect();
    if different.len() > 1 && 2 * different.len() > posts.len() {
        headlines.into_iter().for_each(|b| decided[b] = true);
    }
    let mut inside = vec![false; kept.len()];
    for b in posts.iter().flat_map(|r| r.blocks.clone()).map(|b| b as usize) {
        (kept[b], inside[b]) = (decided[b], true);
    }
    for b in (0..kept.len()).filter(|b| !inside[*b]) {
        let block = &blocks.blocks[b];
        kept[b] &= block.words > LABEL
            || is_in(blocks, b, |t| t.heading_level().is_some())
            || block.links == 0 && block.words >= MIN_WORDS && is_in(blocks, b, |t| t == Tag::LI);
    }
}

fn is_in(blocks: &Blocks, b: usize, tag: fn(Tag) -> bool) -> bool {
    let mut around = blocks.ancestors(b).take(QUOTATION_REACH);
    around.any(|e| tag(blocks.elements[e].tag))
}

/// Returns the kept headline before the text of a post, as updates of a live blog have it: not the name of its author, a number or the subject
/// of an answer.
fn headline(post: &Record, blocks: &Blocks, kept: &[bool]) -> Option<usize> {
    (post.blocks.start as usize..*post.lines.first()? as usize).find(|b| {
        let text = blocks.text(*b).trim();
        kept[*b]
            && heading_level(blocks, *b) > 0
            && blocks.blocks[*b].words > 1
            && !post.author.as_deref().is_some_and(|author| text.contains(author))
            && !text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("re:"))
    })
}

/// Returns the headers of the posts and the blocks of their texts, sorted and without overlaps; empty if the posts are not the content.
pub(crate) fn posts(records: &[Record], blocks: &Blocks, kept: &[bool]) -> Vec<Post> {
    let mut out: Vec<Post> = Vec::new();
    if !records.first().is_some_and(|r| r.is_post) || !covers(records, blocks, kept) {
        return out;
    }
    for r in records {
        let (Some(first), Some(last)) = (r.lines.first(), r.lines.last()) else { continue };
        if out.last().is_some_and(|p| p.blocks.end > *first) {
            continue;
        }
        // The headline of a post belongs below its header.
        let first = &(r.blocks.start..*first).find(|b| kept[*b as usize]).unwrap_or(*first);
        let when = r.stamp.map(|s| s.to_string()).unwrap_or_default();
        // Down to the minute, if known: a header does not need the time zone.
        let date = when.get(..16).map_or_else(|| when.clone(), |d| d.replace('T', " "));
        let date = if date.is_empty() { r.when.clone() } else { date };
        let author = r.author.clone().unwrap_or_default();
        out.push(Post { author, date, when, head: r.blocks.start.min(*first), blocks: *first..*last + 1 });
    }
    out
}

/// Drops the images between the texts of posts: avatars, ranks, buttons.
pub(crate) fn drop_images_between(posts: &[Post], blocks: &Blocks, keep: &mut [bool]) {
    let Some(first) = posts.first() else { return };
    // The first avatar can precede the first line of its post.
    for m in blocks.media.iter().filter(|m| m.position + 1 >= first.head) {
        let i = posts.partition_point(|p| p.blocks.end < m.position);
        let own = posts[i.min(posts.len() - 1)..].iter().take(2);
        let mut own = own.map(|p| &p.blocks);
        keep[m.node.index()] &= own.any(|r| {
            r.start < m.position && m.position < r.end
                || blocks.element_chain(m.element as usize).any(|e| {
                    let inside = &blocks.elements[e].blocks;
                    !inside.is_empty() && r.start <= inside.start && inside.end <= r.end
                })
        });
    }
}

/// Drops readers' comments from the content.
pub(crate) fn set_apart(found: &Found, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let mut rest = kept.to_vec();
    for (own, _) in found.apart.iter().filter(|a| a.1 > SURE_COMMENTS) {
        for b in own.clone().map(|b| b as usize).filter(|b| *b < kept.len()) {
            rest[b] &= probabilities.and_then(|p| p.get(b)).is_some_and(|p| *p > SURE_CONTENT);
        }
    }
    let words = blocks.blocks.iter().zip(&rest).filter(|(_, k)| **k).map(|(b, _)| b.words).sum::<u32>();
    if words >= COMMENTED {
        kept.copy_from_slice(&rest);
    }
}

/// Converts a record to a comment of the page.
pub(crate) fn comment(r: Record) -> Comment {
    Comment {
        author: r.author,
        author_url: r.author_url,
        date: r.stamp.map(|s| s.to_string()),
        date_text: Some(r.when).filter(|when| !when.is_empty()),
        text: r.text,
        url: r.url,
        depth: r.depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_as_many_words_as_the_question_are_the_content() {
        let html = "<p>How do you seal a slate roof against the west wind?</p><p>With lime and goat hair, three to one.</p>\
                    <p>Foam is for windows, never for slates.</p>";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let posts: Vec<Record> =
            (1..3).map(|b| Record { blocks: b..b + 1, lines: vec![b], is_post: true, ..Record::default() }).collect();
        let only_question = [true, false, false];
        assert!(covers(&posts, &blocks, &only_question) && !covers(&posts[..1], &blocks, &only_question));
        // The question is in the first post, whose text lacks it.
        let beside = [Record { blocks: 0..2, ..posts[0].clone() }, posts[1].clone()];
        assert!(!covers(&beside, &blocks, &only_question));
    }
}
