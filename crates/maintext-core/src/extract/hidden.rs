//! Lists the invisible parts of a page in the result.
use crate::page::HiddenText;
use maintext_page::blocks::count_words;
use maintext_page::dom::{Dom, Edge, NodeId};
use maintext_page::visibility::{Hidden, Reason};
use maintext_page::warnings::{Warning, WarningCode};

/// Maximum number of parts in the list.
const MAX_PARTS: usize = 100;
/// Maximum number of characters of a part's first words.
const MAX_SHOWN_CHARS: usize = 100;
/// Number of words of a part from which it may be prose.
const MIN_PROSE_WORDS: u32 = 6;

/// The invisible parts of a page.
pub(super) struct HiddenReport {
    /// The first of them.
    pub parts: Vec<HiddenText>,
    /// Number of words of all of them.
    pub words: u32,
    /// The warning with the number of words in sentences.
    pub warning: Option<Warning>,
}

/// Returns the list, the number of words, and a warning.
pub(super) fn report(dom: &Dom<'_>, hidden: &[Hidden]) -> HiddenReport {
    let mut parts: Vec<HiddenText> = Vec::new();
    let mut by = None;
    let (mut sentences, mut words_of_prose, mut all) = (0, 0, 0u32);
    for part in hidden {
        let text = text(dom, part.node);
        let words = count_words(&text);
        all = all.saturating_add(words);
        if words >= MIN_PROSE_WORDS && is_prose(&text) {
            sentences += 1;
            words_of_prose += words;
        }
        let is_new = by != Some(part.by);
        if is_new && words > 0 && parts.len() < MAX_PARTS {
            let (reason, element) = (part.reason, element(dom, part.by));
            parts.push(HiddenText { reason, element, words: 0, text: String::new(), characters: None });
            by = Some(part.by);
        }
        if by == Some(part.by)
            && let Some(last) = parts.last_mut()
        {
            last.words += words;
            append(&mut last.text, &text);
        }
    }
    if let Some(part) = characters(dom) {
        all = all.saturating_add(part.words);
        if part.words >= MIN_PROSE_WORDS {
            sentences += 1;
            words_of_prose += part.words;
        }
        parts.push(part);
    }
    HiddenReport {
        parts,
        words: all,
        warning: (sentences > 0).then(|| {
            let parts = if sentences == 1 { "1 part" } else { &format!("{sentences} parts") };
            Warning::new(
                WarningCode::HiddenText,
                format!("{words_of_prose} words in {parts} of the page that no visitor sees were left out"),
            )
        }),
    }
}

/// Returns the invisible characters of the page, and the text that tag characters spell.
fn characters(dom: &Dom<'_>) -> Option<HiddenText> {
    let removed = dom.removed_characters();
    let element = element(dom, removed.first?);
    let mut text = String::new();
    append(&mut text, &removed.tags);
    let (words, characters) = (count_words(&removed.tags), Some(removed.count));
    Some(HiddenText { reason: Reason::Characters, element, words, text, characters })
}

/// Returns the text below a node with single spaces.
fn text(dom: &Dom<'_>, node: NodeId) -> String {
    let mut text = String::new();
    let mut walk = dom.traverse(node);
    while let Some(edge) = walk.next() {
        let Edge::Enter(n) = edge else { continue };
        if dom.tag(n).is_skipped() {
            walk.skip_children();
        }
        for word in dom.text(n).split_whitespace() {
            text += if text.is_empty() { "" } else { " " };
            text += word;
        }
    }
    text
}

/// Adds as much of a text as the list shows.
fn append(shown: &mut String, text: &str) {
    if text.is_empty() || shown.ends_with('…') {
        return;
    }
    *shown += if shown.is_empty() { "" } else { " " };
    let room = MAX_SHOWN_CHARS.saturating_sub(shown.chars().count());
    match text.char_indices().nth(room) {
        Some((end, _)) => {
            *shown += &text[..end];
            shown.push('…');
        }
        None => *shown += text,
    }
}

/// Returns the tag of an element with its id or its first class.
fn element(dom: &Dom<'_>, n: NodeId) -> String {
    let id = dom.attr(n, "id").filter(|id| !id.is_empty()).map(|id| format!("#{}", shortened(id)));
    let class =
        dom.attr(n, "class").and_then(|c| c.split_ascii_whitespace().next()).map(|c| format!(".{}", shortened(c)));
    format!("{}{}", dom.tag_name(n), id.or(class).unwrap_or_default())
}

/// Maximum number of characters of a name.
const MAX_NAME_CHARS: usize = 40;

fn shortened(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect::<String>()
}

/// Whether a text ends a sentence.
fn is_prose(text: &str) -> bool {
    text.contains(['.', '!', '?', '。', '！', '？', '؟', '।', '…'])
}
