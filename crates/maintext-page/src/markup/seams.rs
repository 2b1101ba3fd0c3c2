//! Words of neighbouring inline elements that only a style sheet separates: `<span class=label>Language</span><span
//! class=value>English</span>`.
//!
//! Style sheets are not read, so the letters decide: a capital, or a digit, directly after a small letter in another element begins a word.
//! A word that the page merely styles in parts (`<span>Y</span><span>ours</span>`) continues with a small letter.
use crate::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of elements between an element and its first or last text.
const MAX_LEVELS_TO_TEXT: usize = 6;

/// Signs of currencies and units, which end a value.
const ENDS: [char; 8] = ['€', '$', '£', '¥', '%', '²', '³', '°'];

/// Marks that follow a word without a space, in the scripts of the West, of Asia and of Arabic.
const PUNCTUATION: [char; 18] =
    [',', '.', ';', ':', '!', '?', ')', ']', '…', '»', '”', '、', '。', '，', '।', '،', '؛', '؟'];

/// Whether an inline element begins a word although nothing separates it from the element before it.
#[inline]
pub fn is_seam(dom: &Dom<'_>, n: NodeId, tag: Tag) -> bool {
    matches!(tag, Tag::SPAN | Tag::A | Tag::TIME | Tag::SMALL | Tag::LABEL)
        && dom.prev_siblings(n).find(|before| dom.tag(*before) != Tag::WBR).is_some_and(|before| {
            matches!(dom.tag(before), Tag::SPAN | Tag::A | Tag::TIME | Tag::SMALL | Tag::LABEL | Tag::B | Tag::STRONG)
                && (separates(dom, before, n) || are_apart(dom, before, n))
        })
}

fn separates(dom: &Dom<'_>, before: NodeId, n: NodeId) -> bool {
    let (Some(before), Some(after)) = (edge(dom, before, true), edge(dom, n, false)) else { return false };
    let (mut back, mut ahead) = (before.chars().rev(), after.chars());
    let (Some(a), Some(b)) = (back.next(), ahead.next()) else { return false };
    let begins = b.is_uppercase() && (a.is_lowercase() || a.is_ascii_digit()) || b.is_ascii_digit() && a.is_lowercase();
    // "39,500 €" and "to", "58 m²" and "floor", a name of two words and "@name", "2" and "Rooms"; but "$" and "12".
    let follows_value = || before[..before.len() - a.len_utf8()].trim_end().ends_with(char::is_alphanumeric);
    let is_unit = ENDS.contains(&a) && b.is_alphanumeric() && follows_value()
        || b == '@' && a.is_alphanumeric() && before.contains(' ');
    let before_last = back.next();
    // "Nice to touch." and "The plank"; but "Node." and "JS".
    let is_stop = matches!(a, '.' | ':' | '!' | '?' | ';') && b.is_uppercase() && is_word(before_last);
    let ends_part = is_stop && before.trim().contains(char::is_whitespace);
    (is_unit || ends_part || begins && (is_word(before_last) || a.is_ascii_digit() && before_last.is_none()))
        && (b.is_ascii_digit() || is_word(ahead.next()))
        && !is_in_code(dom, n)
}

/// Whether a text begins a word although nothing separates it from the number of a step before it: `<span>1</span>Peel the apples`.
pub fn is_after_number(dom: &Dom<'_>, n: NodeId, text: &str) -> bool {
    /// Maximum number of characters of the number.
    const MAX_DIGITS: usize = 2;
    let mut begins = text.chars();
    if !begins.next().is_some_and(char::is_uppercase) || !begins.next().is_some_and(char::is_lowercase) {
        return false;
    }
    // An element without text may draw a line between the two.
    let mut before =
        dom.prev_siblings(n).take(2).skip_while(|&s| dom.first_child(s).is_none() && dom.text(s).is_empty());
    before.next().filter(|&s| matches!(dom.tag(s), Tag::SPAN | Tag::B | Tag::STRONG)).is_some_and(|s| {
        edge(dom, s, true).is_some_and(|number| {
            (1..=MAX_DIGITS).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit())
        })
    })
}

/// Whether two elements with different classes hold several words each, like a byline and a date. In scripts without capitals, nothing else
/// shows where one ends.
fn are_apart(dom: &Dom<'_>, before: NodeId, n: NodeId) -> bool {
    let classes = [dom.class(before), dom.class(n)];
    if classes[0] == classes[1] || classes.contains(&"") {
        return false;
    }
    let (Some(end), Some(begin)) = (edge(dom, before, true), edge(dom, n, false)) else { return false };
    is_word(end.chars().next_back())
        && is_word(begin.chars().next())
        && [end, begin].into_iter().all(|text| text.contains(char::is_whitespace))
        && !is_in_code(dom, n)
}

fn is_in_code(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.ancestors(n).take(MAX_LEVELS_TO_TEXT).any(|a| matches!(dom.tag(a), Tag::PRE | Tag::CODE | Tag::XMP))
}

fn is_word(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

/// Whether nothing separates the words around a hidden element: punctuation follows it at once, perhaps behind the inline elements that end
/// with it, or it is a word within a word, as the explanation of a term is.
pub fn leaves_no_gap(dom: &Dom<'_>, hidden: NodeId) -> bool {
    let inline = dom.ancestors(hidden).take_while(|&a| !dom.tag(a).is_block()).take(MAX_LEVELS_TO_TEXT);
    let next = std::iter::once(hidden).chain(inline).find_map(|n| dom.next_sibling(n));
    let next = next.map_or("", |next| dom.text(next));
    next.starts_with(PUNCTUATION) || is_word(next.chars().next()) && is_within_word(dom, hidden)
}

/// Whether a text ends with a letter directly before an element that begins and ends with a letter or a mark.
fn is_within_word(dom: &Dom<'_>, n: NodeId) -> bool {
    let ends = [edge(dom, n, false), edge(dom, n, true)];
    follows_letter(dom, n)
        && ends.into_iter().all(|text| text.is_some_and(|text| !text.trim().is_empty() && text.trim() == text))
        && ends[0].is_some_and(|text| text.contains(char::is_alphanumeric))
}

/// Whether an element continues a word: letters meet at its beginning.
pub fn touches_word(dom: &Dom<'_>, n: NodeId) -> bool {
    follows_letter(dom, n) && is_word(edge(dom, n, false).and_then(|text| text.chars().next()))
}

fn follows_letter(dom: &Dom<'_>, n: NodeId) -> bool {
    is_word(dom.prev_sibling(n).and_then(|before| dom.text(before).chars().next_back()))
}

/// Returns the text at the end or at the beginning of an element, if nothing but elements lies between.
fn edge<'a>(dom: &'a Dom<'_>, n: NodeId, end: bool) -> Option<&'a str> {
    let mut below = std::iter::successors(Some(n), |n| if end { dom.last_child(*n) } else { dom.first_child(*n) })
        .take(MAX_LEVELS_TO_TEXT);
    below.find(|&n| dom.kind(n) == NodeKind::Text).map(|n| dom.text(n))
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, EventKind};

    fn text(html: &str) -> String {
        let dom = crate::dom::parse(html, &Default::default());
        Blocks::new(&dom).text(0).to_owned()
    }

    #[test]
    fn labels_and_badges_are_words_of_their_own() {
        for (html, want) in [
            ("<p><span class=label>Language</span><span class=value>English</span>", "Language English"),
            ("<p><span>Living</span><span>Written</span>", "Living Written"),
            ("<p><a href=/a>Home</a><a href=/b>About</a>", "Home About"),
            ("<p><b>Price</b><span><i>12</i></span>", "Price 12"),
            ("<p><a href=/a>RawOsError</a><wbr><span class=stab>Experimental</span>", "RawOsError Experimental"),
            ("<p><span>39,500 €</span><span>to</span><span>47,800 €</span>", "39,500 € to 47,800 €"),
            ("<p><strong>58 m²</strong><span>floor</span>", "58 m² floor"),
            ("<p><strong>2</strong><span>Rooms</span>", "2 Rooms"),
            ("<p><span>It is nice to touch.</span><span>The plank</span>", "It is nice to touch. The plank"),
            ("<p><span>Table top:</span><span>Pine</span>", "Table top: Pine"),
            ("<p><span class=step>1</span>Peel the apples.", "1 Peel the apples."),
            ("<p><span>Step </span><span>12</span><span class=line></span>Peel", "Step 12 Peel"),
            ("<p><a href=/a>Onno Reimers</a><a href=/b>@onno</a>", "Onno Reimers @onno"),
            ("<p><span class=by>अनुराधा जोशी</span><span class=on>अपडेट: 19 जनवरी</span>", "अनुराधा जोशी अपडेट: 19 जनवरी"),
        ] {
            assert_eq!(text(html), want, "{html}");
        }
    }

    #[test]
    fn a_hidden_element_before_punctuation_or_within_a_word_leaves_no_gap() {
        let gaps = |html: &str| {
            let blocks = Blocks::new(&crate::dom::parse(html, &Default::default()));
            blocks.events.iter().filter(|event| event.kind == EventKind::Space).count()
        };
        let hidden = "<p>In winter the ferry<span style='display:none'>draft</span>";
        assert_eq!(gaps(&format!("{hidden}, which was always late, left at ten.</p>")), 0);
        assert_eq!(gaps(&format!("{hidden} which was always late, left at ten.</p>")), 1);
        let within = "<p>In winter the <b>ferry<span style='display:none'>draft</span></b>";
        assert_eq!(gaps(&format!("{within}, which was always late, left at ten.</p>")), 0);
        for (hidden, expected) in [("a beam", 0), (" a beam", 1), ("a beam\n", 1), (", ", 1)] {
            let word = format!("<p>In winter the log<span style='display:none'>{hidden}</span>s are put in.</p>");
            assert_eq!(gaps(&word), expected, "{hidden:?}");
        }
    }

    #[test]
    fn parts_of_words_and_code_stay_together() {
        for (html, want) in [
            ("<p><span class=dropcap>T</span>he oldest", "The oldest"),
            ("<p><span>You</span><span>rs</span>", "Yours"),
            ("<p><b>Mac</b>Leod", "MacLeod"),
            ("<p><span class=a>one pound sil</span><span class=a>ver or gold</span>", "one pound silver or gold"),
            ("<p><span>w</span><span>O</span><span>W</span>", "wOW"),
            ("<pre><span>let</span><span>Some</span></pre>", "letSome"),
            (
                "<pre><i><b><u><s><q><em><sub><span>let</span><span>Some</span></sub></em></q></s></u></b></i></pre>",
                "letSome",
            ),
            ("<p><span>H</span><sub>2</sub>", "H2"),
            ("<p><span>4</span><span>K</span>", "4K"),
            ("<p><b>3</b>D and <b>4</b>th", "3D and 4th"),
            ("<p><span>Node.</span><span>JS</span>", "Node.JS"),
            ("<p><span>$</span><span>12</span>", "$12"),
            ("<p><a href=/a>onno</a><span>@example.org</span>", "onno@example.org"),
            ("<p><span>20 °</span><span>C</span>", "20 °C"),
        ] {
            assert_eq!(text(html), want, "{html}");
        }
    }
}
