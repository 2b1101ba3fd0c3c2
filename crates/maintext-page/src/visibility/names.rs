//! Class names that hide an element by an external style sheet.
use super::Reason;
use crate::dom::{Dom, NodeId};
use crate::hash::HashMap;
use crate::lexicon::lexicon;

/// Returns the parts of names, by their first letter, that hide a text from all but screen readers.
fn for_screen_readers(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => &["assistive-text", "a11y-hidden", "accessibly-hidden"],
        b'e' => &["element-invisible"],
        // rustdoc's, for the label of a part that is unfolded.
        b'h' => &["hideme"],
        b'o' => &["offscreen", "off-screen"],
        b's' => &["sr-only", "sr_only", "sronly", "screen-reader", "screen_reader", "screenreader", "show-for-sr"],
        b'v' => &["visually-hidden", "visually_hidden", "visuallyhidden"],
        _ => &[],
    }
}

/// Whether a name holds one of several parts, in upper or lower case; `parts` returns those that begin with a letter.
fn holds(name: &str, parts: fn(u8) -> &'static [&'static str]) -> bool {
    let bytes = name.as_bytes();
    (0..bytes.len()).any(|i| {
        let next = bytes.get(i + 1).map(u8::to_ascii_lowercase);
        parts(bytes[i].to_ascii_lowercase()).iter().map(|part| part.as_bytes()).any(|part| {
            // The second letter excludes most parts.
            part.get(1).is_none_or(|second| Some(*second) == next)
                && bytes[i..].get(..part.len()).is_some_and(|found| found.eq_ignore_ascii_case(part))
        })
    })
}

/// Widths from which frameworks show or hide elements, up to the width of a screen.
const WIDTHS: [&str; 7] = ["xs", "sm", "md", "lg", "xl", "xxl", "2xl"];

/// The meaning of a class for its element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// Why it hides the element, if it does.
    pub(super) hides: Option<Reason>,
    /// Whether it shows the line breaks of a text, if it decides about them.
    pub(super) lines: Option<bool>,
    /// Whether the element is a copy of a slide, which a carousel adds to turn in a circle.
    pub(super) is_copy: bool,
}

impl Signs {
    /// Reads a `class` attribute.
    pub(super) fn of(class: &str) -> Signs {
        let pairs = pairs(class);
        let is_copy = pairs & COPY != 0 && class.split_ascii_whitespace().any(is_copy);
        Signs { hides: hides(class, pairs), lines: lines(class, pairs), is_copy }
    }
}

/// Returns why a class, with its [`pairs`], hides its element, if it does.
fn hides(class: &str, pairs: u8) -> Option<Reason> {
    if pairs & HIDES == 0 {
        return None;
    }
    let mut reason = None;
    for token in class.split_ascii_whitespace() {
        match token {
            "d-none" | "hidden" | "is-hidden" | "uk-hidden" | "display-none" | "invisible" | "ng-hide" | "hide" => {
                reason = reason.or(Some(Reason::Class));
            }
            _ if self::pairs(token) & HIDES != 0 && hides_from_eyes(token) => {
                return Some(Reason::ScreenReader);
            }
            _ => {}
        }
    }
    match reason {
        Some(_) if class.split_ascii_whitespace().any(shows_on_screens) => None,
        reason => reason,
    }
}

/// Pairs of letters of which each name that hides an element has one, the beginning of `pre`, and one in each name of a copy. Most classes have
/// none.
const PAIRS: [&[u8; 2]; 8] = [b"sr", b"cr", b"nv", b"ss", b"id", b"-n", b"pr", b"cl"];

/// The bit of the pair `-n`.
const NORMAL: u8 = 1 << 5;
/// The bit of the pair `pr`.
const PRE: u8 = 1 << 6;
/// The bit of the pair `cl`.
const COPY: u8 = 1 << 7;
/// The bits of the pairs in names that hide an element.
const HIDES: u8 = !(PRE | COPY);

/// Bit `i` of an entry says that the letter begins (0) or ends (1) pair `i`.
static LETTERS: [[u8; 256]; 2] = {
    let mut letters = [[0; 256]; 2];
    let mut i = 0;
    while i < PAIRS.len() {
        let mut end = 0;
        while end < 2 {
            let letter = PAIRS[i][end];
            letters[end][letter as usize] |= 1 << i;
            letters[end][letter.to_ascii_uppercase() as usize] |= 1 << i;
            end += 1;
        }
        i += 1;
    }
    letters
};

/// Returns the bits of the [`PAIRS`] that a class has.
fn pairs(class: &str) -> u8 {
    class
        .as_bytes()
        .windows(2)
        .fold(0, |found, pair| found | LETTERS[0][pair[0] as usize] & LETTERS[1][pair[1] as usize])
}

/// Whether a class of a framework, with its [`pairs`], shows the line breaks of a text; `None` if it does not decide about them.
fn lines(class: &str, pairs: u8) -> Option<bool> {
    if shows_lines(class, pairs) {
        return Some(true);
    }
    (pairs & NORMAL != 0 && class.split_ascii_whitespace().any(joins_lines)).then_some(false)
}

fn joins_lines(token: &str) -> bool {
    matches!(token, "whitespace-normal" | "white-space-normal" | "ws-normal" | "whitespace-nowrap")
}

fn shows_lines(class: &str, pairs: u8) -> bool {
    // Nearly all classes lack these letters.
    if pairs & PRE == 0 || !class.as_bytes().windows(3).any(|w| w == b"pre") {
        return false;
    }
    class.split_ascii_whitespace().any(|token| {
        let ends = ["pre-wrap", "pre-line"].iter().any(|end| {
            let before = token.strip_suffix(end);
            before.is_some_and(|b| b.is_empty() || b.ends_with(['-', '_']) && !b.contains(':'))
        });
        ends || matches!(token, "whitespace-pre" | "white-space-pre" | "ws-pre")
    })
}

/// The screens on which an element is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Screens {
    /// Shown on small screens alone.
    Small,
    /// Shown on large screens alone.
    Large,
}

/// The screens on which the classes of a page show their elements. Each class is read once.
#[derive(Debug, Default)]
pub struct ScreensByClass(HashMap<usize, Option<Screens>>);

impl ScreensByClass {
    /// Returns the screens on which the class of an element shows it, if it names some.
    pub fn of(&mut self, dom: &Dom<'_>, n: NodeId) -> Option<Screens> {
        *self.0.entry(dom.names().class_of(n).index()).or_insert_with(|| screens(dom.class(n)))
    }
}

/// Returns the screens on which a `class` attribute shows its element, if it names some: `d-md-none`, `hidden-xs`, `mobile-only`.
fn screens(class: &str) -> Option<Screens> {
    class.split_ascii_whitespace().find_map(screens_of_name).or_else(|| {
        let mut tokens = class.split_ascii_whitespace();
        (tokens.clone().any(|token| matches!(token, "d-none" | "hidden" | "hide" | "is-hidden"))
            && tokens.any(shows_on_screens))
        .then_some(Screens::Large)
    })
}

fn screens_of_name(token: &str) -> Option<Screens> {
    use Screens::{Large, Small};
    // Japanese and Korean sites: a computer, a smartphone.
    if matches!(token, "pc" | "sp") {
        return Some(if token == "pc" { Large } else { Small });
    }
    if token.len() < 6 || token.len() > 40 || !token.is_ascii() {
        return None;
    }
    let token = token.to_ascii_lowercase();
    if let Some((width, "hidden")) = token.split_once(':') {
        return if WIDTHS.contains(&width) { Some(Small) } else { width.starts_with("max-").then_some(Large) };
    }
    let mut words = token.split(|c: char| !c.is_ascii_alphanumeric());
    let has = |list: &[&str]| words.clone().any(|w| list.contains(&w));
    let small = has(&["mobile", "phone", "mobiles", "phones", "xs", "small", "handheld", "mo", "sp"]);
    let large = has(&["desktop", "desktops", "md", "lg", "xl", "large", "medium", "laptop", "pc"]);
    let hides = has(&["hide", "hidden", "none"]);
    let shows = has(&["only", "show", "visible", "for", "shown"]);
    let is_device = matches!(&*token, "mobile" | "desktop" | "is-mobile" | "is-desktop");
    let none = token.starts_with("d-") && words.next_back() == Some("none");
    match (small, large, none) {
        (_, _, true) => (small || large || token == "d-sm-none").then_some(Small),
        (true, false, _) if hides => Some(Large),
        (false, true, _) if hides => Some(Small),
        (true, false, _) if shows || is_device => Some(Small),
        (false, true, _) if shows || is_device => Some(Large),
        _ => None,
    }
}

/// Whether a `class` hides its element from all but screen readers.
pub fn is_for_screen_readers(class: &str) -> bool {
    class.split_ascii_whitespace().any(hides_from_eyes)
}

/// Whether a name is one of the copies that Slick, Owl, Splide, Glide, bxSlider, Tiny Slider and Keen make of slides.
fn is_copy(token: &str) -> bool {
    matches!(token, "slick-cloned" | "cloned" | "bx-clone" | "tns-slide-cloned" | "keen-slider__clone")
        || token.ends_with("__slide--clone")
}

fn hides_from_eyes(token: &str) -> bool {
    // "field--label-visually_hidden" describes the label inside, "md:sr-only" some screens only.
    fn of_others(first: u8) -> &'static [&'static str] {
        match first {
            b'n' => &["not-sr"],
            b'l' => &["label"],
            b':' => &[":"],
            _ => &[],
        }
    }
    holds(token, for_screen_readers) && !holds(token, of_others)
}

/// Whether a name shows an element on screens of some width: `d-md-block`, `lg:flex`.
fn shows_on_screens(token: &str) -> bool {
    match token.strip_prefix("d-").and_then(|rest| rest.split_once('-')) {
        Some((width, display)) => WIDTHS.contains(&width) && is_display(display),
        None => token.split_once(':').is_some_and(|(width, display)| {
            (WIDTHS.contains(&width) || matches!(width, "tablet" | "desktop" | "laptop")) && is_display(display)
        }),
    }
}

fn is_display(display: &str) -> bool {
    lexicon!("display-names.txt").contains(&display)
}

/// Returns the parts of names, by their first letter, of elements that a visitor opens or that a script shows.
fn revealed(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => &["accordion", "accordian", "active", "ajax", "anim", "answer", "aos", "appear"],
        b'c' => &["carousel", "collaps"],
        b'd' => &["details", "disclos", "drawer", "dropdown"],
        b'e' => &["elementor", "expand"],
        b'f' => &["fade", "faq", "filter", "flickity", "flip", "fold"],
        b'g' => &["glide"],
        b'h' => &["hover"],
        b'i' => &["infinite"],
        b'l' => &["lazy", "load"],
        b'm' => &["menu", "modal", "more"],
        b'o' => &["option"],
        b'p' => &["pagin", "pane", "panel", "popover", "popup"],
        b'r' => &["reveal"],
        b's' => &["scroll", "show", "slick", "slide", "spoiler", "step", "swiper"],
        // Not "table".
        b't' => &["tab-", "tab_", "tab ", "tabs", "tabbed", "tabpan", "tabcont", "toggle", "tooltip", "transition"],
        b'v' => &["variant", "view"],
        b'w' => &["wow"],
        b'z' => &["zoom"],
        _ => &[],
    }
}

/// Whether a `class` belongs to an element that a visitor presses.
pub(super) fn is_of_control(class: &str) -> bool {
    fn parts(first: u8) -> &'static [&'static str] {
        match first {
            b'a' => &["accordion"],
            b'c' => &["collaps"],
            b'e' => &["expand"],
            b'r' => &["read-more", "readmore"],
            b's' => &["show-more"],
            b't' => &["toggle", "trigger"],
            _ => &[],
        }
    }
    holds(class, parts)
}

/// Whether a `class` or `id` is one of parts that are opened or moved into view.
pub(super) fn is_revealed(name: &str) -> bool {
    // The box of a switch holds no other part.
    holds(name, revealed) && !name.contains("toggle-switch") || name.ends_with("tab") || name.ends_with("Tab")
}

/// Whether a `class` or `id` says that an element is the content of another one, such as a fold. On an element around a hidden one, the name
/// usually means the content of the page: `entry-content`.
pub(super) fn is_content_of_other(name: &str) -> bool {
    fn parts(first: u8) -> &'static [&'static str] {
        match first {
            b'-' => &["-content"],
            b'c' => &["content-"],
            _ => &[],
        }
    }
    holds(name, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_are_named() {
        use Screens::{Large, Small};
        for (class, screens) in [
            ("d-none d-md-block", Some(Large)),
            ("d-md-none", Some(Small)),
            ("hidden-xs", Some(Large)),
            ("visible-xs-block", Some(Small)),
            ("md:hidden", Some(Small)),
            ("hidden lg:flex", Some(Large)),
            ("mobile-only", Some(Small)),
            ("show-desktop", Some(Large)),
            ("hide-for-small-only", Some(Large)),
            ("show-for-small-only", Some(Small)),
            ("is-hidden-desktop", Some(Small)),
            ("pc_only", Some(Large)),
            ("mo-only", Some(Small)),
            ("img sp", Some(Small)),
            ("pc-parts", None),
            ("mobile-menu", None),
            ("text-md-left", None),
            ("card", None),
            ("col-md-6", None),
        ] {
            assert_eq!(super::screens(class), screens, "{class}");
        }
    }

    #[test]
    fn names_of_frameworks_are_known() {
        let (class, reader) = (Some(Reason::Class), Some(Reason::ScreenReader));
        for (name, reason) in [
            ("d-none", class),
            ("d-none d-md-block", None),
            ("hidden lg:flex", None),
            ("card hidden", class),
            ("overflow-hidden", None),
            ("sr-only", reader),
            ("VisuallyHidden_a1b", reader),
            ("md:sr-only", None),
            ("screen-reader-text skip-link", reader),
            ("share", None),
            ("field--label-visually_hidden", None),
        ] {
            assert_eq!(Signs::of(name).hides, reason, "{name}");
        }
    }

    #[test]
    fn classes_show_line_breaks_or_join_lines() {
        for (class, lines) in [
            ("whitespace-pre-wrap mt-4", Some(true)),
            ("ws-pre", Some(true)),
            ("mt-4 whitespace-normal", Some(false)),
            ("whitespace-nowrap", Some(false)),
            ("pre-wrapper", None),
            ("form-normal", None),
        ] {
            assert_eq!(Signs::of(class).lines, lines, "{class}");
        }
    }

    #[test]
    fn names_that_hide_have_the_pairs_that_are_looked_for() {
        let all: Vec<&str> = (0..=u8::MAX).flat_map(for_screen_readers).copied().collect();
        assert_eq!(all.len(), 17);
        for name in all {
            assert_eq!(
                Signs::of(&format!("a {}", name.to_ascii_uppercase())).hides,
                Some(Reason::ScreenReader),
                "{name}"
            );
        }
        assert_eq!(pairs("entry-content large"), 0);
    }
}
