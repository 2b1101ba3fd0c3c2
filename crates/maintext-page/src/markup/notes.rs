//! Notes that the page shows in its margin, or when a reader points at a mark, and that its source has in the middle of a sentence.
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::markup::seams::touches_word;
use crate::words::count_words;
use maintext_html::Attr;

/// Classes of such notes.
const CLASSES: [&str; 5] = ["sidenote", "marginnote", "side-note", "margin-note", "footnote"];
/// Beginnings of the classes of notes and tooltips. The element around word and note may have the same name, so the part that holds the
/// note is named by [`PARTS`].
const BEGINNINGS: [&str; 5] = ["sidenote", "footnote", "note", "tooltip", "popover"];
/// Ends of such classes, behind the beginning and its signs.
const PARTS: [&str; 8] = ["content", "text", "body", "inner", "popover", "popup", "tooltip", "bubble"];
/// Classes of tooltips, and of the elements around them.
const POPPING: [&str; 3] = ["tooltip", "popover", "popup"];
/// Minimum number of words of a note: shorter texts are references to one.
const MIN_NOTE_WORDS: u32 = 3;
/// Maximum number of nodes that are read to find them.
const MAX_NODES: usize = 16;
/// Maximum number of ancestors among which code and links are looked for.
const MAX_LEVELS_TO_CODE: usize = 16;

/// Whether an inline element is a side note. `is_revealed` says that only a click or a pointer shows it.
pub(super) fn is_beside(dom: &Dom<'_>, n: NodeId, is_revealed: bool) -> bool {
    (is_named(dom, n) || explains_mark(dom, n) || explains_word(dom, n) || is_revealed && touches_word(dom, n))
        && has_words(dom, n)
        && !dom
            .ancestors(n)
            .take(MAX_LEVELS_TO_CODE)
            .any(|a| matches!(dom.tag(a), Tag::PRE | Tag::CODE | Tag::A | Tag::XMP))
}

/// Whether an element shares a box within a sentence with the mark before it, and with nothing else.
fn explains_mark(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut before = dom.prev_siblings(n).take(MAX_NODES).filter(|&s| !is_blank(dom, s));
    before.next().is_some_and(|mark| is_mark(dom, mark))
        && before.next().is_none()
        && dom.next_siblings(n).take(MAX_NODES).all(|s| is_blank(dom, s))
}

/// Whether an element is a raised mark or a button for one, in a box within a sentence, or a button with a number in a sentence.
pub(super) fn is_mark(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Maximum number of letters and digits of a mark.
    const MAX_MARK_CHARS: usize = 3;
    if !matches!(dom.tag(n), Tag::SUP | Tag::BUTTON) {
        return false;
    }
    let is_in_box = dom.parent(n).is_some_and(|around| dom.tag(around) == Tag::SPAN && follows_text(dom, around));
    if !is_in_box && (dom.tag(n) != Tag::BUTTON || !follows_text(dom, n)) {
        return false;
    }
    let text = dom.text_content(n);
    let text = text.trim();
    text.chars().count() <= MAX_MARK_CHARS && (is_in_box || text.chars().all(char::is_numeric) && !text.is_empty())
}

/// Whether an element directly follows a text.
fn follows_text(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.prev_sibling(n).is_some_and(|s| dom.kind(s) == NodeKind::Text && !is_blank(dom, s))
}

/// Whether an element follows the word of a tooltip, which shows it when a reader points there.
fn explains_word(dom: &Dom<'_>, n: NodeId) -> bool {
    let Some(around) = dom.parent(n).filter(|&p| matches!(dom.tag(p), Tag::SPAN | Tag::ABBR | Tag::DFN)) else {
        return false;
    };
    ["tooltip", "popover"].iter().any(|name| dom.class(around).contains(name))
        && dom
            .prev_sibling(n)
            .is_some_and(|s| dom.descendants(s).take(MAX_NODES).any(|d| !dom.text(d).trim().is_empty()))
        && dom.next_siblings(n).take(MAX_NODES).all(|s| is_blank(dom, s))
}

/// Whether a node is white space.
fn is_blank(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.kind(n) == NodeKind::Text && dom.text(n).trim().is_empty()
}

/// Whether role or classes of an element say that it is a note.
fn is_named(dom: &Dom<'_>, n: NodeId) -> bool {
    let (mut class, mut is_tooltip) = ("", false);
    for (name, value) in dom.attributes(n) {
        match name {
            Attr::CLASS => class = value,
            Attr::ROLE => is_tooltip = value.eq_ignore_ascii_case("tooltip"),
            _ => {}
        }
    }
    is_tooltip
        || class.split_ascii_whitespace().any(|token| {
            let rest = BEGINNINGS.iter().find_map(|name| token.strip_prefix(name));
            CLASSES.contains(&token)
                || rest.is_some_and(|rest| PARTS.contains(&rest.trim_start_matches(['-', '_'])))
                // Without a space before it, an element of this name is not the one around word and note.
                || POPPING.contains(&token) && touches_word(dom, n)
        })
}

/// Whether the text of an element is longer than a reference to a note.
fn has_words(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut words = 0;
    dom.descendants(n).take(MAX_NODES).any(|d| {
        words += count_words(dom.text(d));
        words >= MIN_NOTE_WORDS
    })
}

/// Returns the element that holds the links from a note back to its references, if `link` is such a link: the arrow of footnotes, or a list
/// of them.
pub fn back_link(dom: &Dom<'_>, link: NodeId) -> Option<NodeId> {
    /// Maximum number of ancestors of a link among which the list is looked for.
    const MAX_LEVELS_TO_LIST: usize = 3;
    /// Signs of links back.
    const ARROWS: [char; 16] = ['↩', '↑', '^', '⤴', '↵', '⏎', '⇑', '⬆', '⮐', '⮌', '↖', '⮥', '↲', '⟲', '⏫', '↥'];
    let href = dom.attribute(link, Attr::HREF).filter(|href| href.contains('#'))?;
    if href.starts_with('#') {
        let mut around = dom.ancestors(link).take(MAX_LEVELS_TO_LIST).filter(|&a| dom.tag(a) == Tag::SPAN);
        let list =
            around.find(|&a| dom.attribute(a, Attr::CLASS).is_some_and(|c| c.contains("backlink") || c == "backrefs"));
        if list.is_some() {
            return list;
        }
    }
    let mut text = String::new();
    for (count, n) in dom.descendants(link).enumerate() {
        if count > MAX_NODES || text.len() > 64 {
            return None;
        }
        text.push_str(dom.text(n));
        // WordPress replaces the arrow with a picture of it.
        text.push_str(dom.attribute(n, Attr::ALT).unwrap_or(""));
    }
    let arrow = text.contains(ARROWS) && !text.contains(char::is_alphanumeric);
    if arrow {
        return Some(link);
    }
    // Sphinx makes the number of a note the link back.
    if text.trim().chars().all(|c| c.is_ascii_digit() || matches!(c, '[' | ']')) || !href.starts_with('#') {
        return None;
    }
    let class = dom.class(link);
    let is_marked = dom.attribute(link, Attr::ROLE) == Some("doc-backlink")
        || ["backref", "backlink", "reversefootnote", "footnote-back"].iter().any(|c| class.contains(c));
    // Docutils links headings back to their table of contents.
    let mut around = dom.ancestors(link).take(MAX_LEVELS_TO_LIST);
    (is_marked && !around.any(|a| dom.tag(a).heading_level().is_some())).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the last `<span>` of a page is a side note.
    fn is_note(html: &str) -> bool {
        let dom = crate::dom::parse(html, &Default::default());
        let last = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::SPAN).last().unwrap();
        is_beside(&dom, last, false)
    }

    #[test]
    fn a_text_that_touches_a_word_and_shows_later_is_a_note() {
        for (html, expected) in [
            ("<p>The pier<span class=tooltip>It was built of oak.</span> was long.", [true, true]),
            ("<p>The pier <span class=tooltip>was built of oak</span> long ago.", [false, false]),
            ("<p>The pier<span id=n>It was built of oak.</span> was long.", [false, true]),
            ("<p>The pier<span id=n> was built of oak.</span> It was long.", [false, false]),
        ] {
            let dom = crate::dom::parse(html, &Default::default());
            let note = dom.descendants(NodeId::ROOT).find(|&n| dom.tag(n) == Tag::SPAN).unwrap();
            assert_eq!([false, true].map(|later| is_beside(&dom, note, later)), expected, "{html}");
        }
    }

    #[test]
    fn a_button_with_a_number_in_a_sentence_is_a_mark() {
        for (html, expected) in [
            ("<p>The reeve<button>۱</button> sat there.", true),
            ("<p>The reeve<button>OK</button> sat there.", false),
            ("<p><button>1</button> sat there.", false),
        ] {
            let dom = crate::dom::parse(html, &Default::default());
            let button = dom.descendants(NodeId::ROOT).find(|&n| dom.tag(n) == Tag::BUTTON).unwrap();
            assert_eq!(is_mark(&dom, button), expected, "{html}");
        }
    }

    #[test]
    fn the_text_of_a_tooltip_is_a_note() {
        let note = "<span hidden>It was built of oak.</span>";
        assert!(is_note(&format!("<p>The <span class=has-tooltip>pier{note}</span> was long.")));
        for html in [
            format!("<p>The <span class=tooltip>{note}</span> was long."),
            format!("<p>The <span class=tooltip>pier{note} of the town</span> was long."),
            format!("<p>The <span class=name>pier{note}</span> was long."),
        ] {
            assert!(!is_note(&html), "{html}");
        }
    }

    #[test]
    fn a_text_that_shares_a_box_with_a_mark_within_a_sentence_is_a_note() {
        let note = "<span>It was built of oak.</span>";
        for mark in ["<sup>1</sup>", "<button>1</button>"] {
            assert!(is_note(&format!("<p>The pier<span>{mark}{note}</span> was long.")), "{mark}");
        }
        for html in [
            format!("<p><span><sup>1</sup>{note}</span>"),
            format!("<p>The pier<span><sup>of old</sup>{note}</span> was long."),
            format!("<p>The pier<span>H<sup>2</sup>{note}</span> was long."),
            format!("<p>The pier <sup>1</sup>{note} was long."),
        ] {
            assert!(!is_note(&html), "{html}");
        }
    }
}
