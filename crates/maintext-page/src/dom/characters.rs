//! Characters that show nothing: they carry text that no visitor sees, or split words.
//!
//! Scripts and emoji need some of them, in few places: docs/robustness.md lists these.
use super::{Dom, NodeId, NodeKind};
use maintext_html::Attr;

/// The characters that were removed from a page.
#[derive(Debug, Default, PartialEq)]
pub struct Removed {
    /// Number of characters.
    pub count: u32,
    /// The text that tag characters spell.
    pub tags: String,
    /// The first element with one in its own text or an attribute.
    pub first: Option<NodeId>,
}

/// Attributes that formats write as text.
const TEXTS: [Attr; 2] = [Attr::ALT, Attr::TITLE];

/// Removes such characters from the texts of a page, but not from scripts and style sheets.
pub fn clean(dom: &mut Dom<'_>) -> Removed {
    let mut removed = Removed::default();
    for node in (0..dom.len() as u32).map(NodeId) {
        match dom.kind(node) {
            NodeKind::Text if !dom.text(node).is_ascii() => {
                let parent = dom.parent(node).filter(|&parent| !dom.tag(parent).is_skipped());
                let text = parent.and_then(|_| visible(dom.text(node), &mut removed));
                if let (Some(parent), Some(text)) = (parent, text) {
                    removed.first.get_or_insert(parent);
                    dom.set_text(node, text);
                }
            }
            NodeKind::Element => {
                for name in TEXTS {
                    let value = dom.attribute(node, name).filter(|value| !value.is_ascii());
                    if let Some(value) = value.and_then(|value| visible(value, &mut removed)) {
                        removed.first.get_or_insert(node);
                        dom.set_attribute(node, name, &value);
                    }
                }
            }
            _ => {}
        }
    }
    removed
}

/// Returns the text without the characters that show nothing, or `None` if it has none of them.
pub fn visible(text: &str, removed: &mut Removed) -> Option<String> {
    let first = text.char_indices().find(|&(_, c)| is_suspect(c))?.0;
    let rtl = text.chars().any(is_right_to_left);
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut preceding = Preceding { before: text[..first].chars().next_back(), after_suspect: false, rtl };
    let mut rest = text[first..].chars();
    while let Some(c) = rest.next() {
        if !is_suspect(c) {
            out.push(c);
            preceding = Preceding { before: Some(c), after_suspect: false, rtl };
            continue;
        }
        let flag = if preceding.before == Some(BLACK_FLAG) { flag(c, rest.as_str()) } else { 0 };
        if flag > 0 {
            let sequence = std::iter::once(c).chain(rest.by_ref().take(flag - 1));
            out.extend(sequence);
            preceding.before = Some(END_OF_TAG);
        } else if preceding.needs(c, rest.clone().next()) {
            out.push(c);
            preceding.before = Some(c);
        } else {
            // The last sign of a text may be an operator that a formula states; it does not show that the page hides text.
            let is_operator = matches!(c, '\u{2061}'..='\u{2064}') && rest.as_str().is_empty();
            removed.count += u32::from(!is_operator || preceding.after_suspect);
            if let '\u{e0020}'..='\u{e007e}' = c {
                removed.tags.extend(char::from_u32(c as u32 - 0xe0000));
            }
        }
        preceding.after_suspect = true;
    }
    (out.len() < text.len()).then_some(out)
}

const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAG: char = '\u{e007f}';

/// Returns the number of tag characters that make a region's flag: two to six letters or digits and the end, `gbsct` for Scotland.
fn flag(c: char, rest: &str) -> usize {
    let letters = std::iter::once(c).chain(rest.chars());
    let length =
        letters.clone().take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}')).count();
    if (2..=6).contains(&length) && letters.clone().nth(length) == Some(END_OF_TAG) { length + 1 } else { 0 }
}

/// The text before a character.
struct Preceding {
    before: Option<char>,
    /// Whether the previous character is invisible.
    after_suspect: bool,
    /// Whether the text holds letters that are written from right to left.
    rtl: bool,
}

impl Preceding {
    /// Whether a script or an emoji needs an invisible character here. Only emoji need two in a row.
    fn needs(&self, c: char, next: Option<char>) -> bool {
        let before = |test: fn(char) -> bool| self.before.is_some_and(test);
        let next_is = |test: fn(char) -> bool| next.is_some_and(test);
        match c {
            // Emoji are joined, and shown in colour or not.
            '\u{200d}' if before(is_emoji) && next_is(is_emoji) => true,
            '\u{fe0e}' | '\u{fe0f}' => before(is_emoji) && !self.after_suspect,
            _ if self.after_suspect => false,
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => {
                before(char::is_alphabetic) && next_is(char::is_alphabetic)
            }
            '\u{200c}' | '\u{200d}' => before(joins),
            '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => self.rtl,
            // An operator of a formula is alone in its element.
            '\u{2061}'..='\u{2064}' => self.before.is_none() && next.is_none(),
            '\u{34f}' => next_is(is_combining),
            '\u{115f}' | '\u{1160}' => before(is_jamo) || next_is(is_jamo),
            '\u{180b}'..='\u{180f}' => before(|b| matches!(b, '\u{1820}'..='\u{18aa}')),
            '\u{fe00}'..='\u{fe02}' => before(has_variants),
            '\u{e0100}'..='\u{e01ef}' => before(is_ideograph),
            _ => false,
        }
    }
}

/// Whether a character shows nothing, changes others, or has a meaning in one font only. Blocks and formats leave out those that permit or
/// forbid a line break. Some private-use characters are signs of KaTeX and MathJax.
fn is_suspect(c: char) -> bool {
    c >= '\u{34f}'
        && !matches!(c, '\u{e020}' | '\u{e150}'..='\u{e153}')
        && matches!(c,
            '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2061}'..='\u{206f}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

fn is_right_to_left(c: char) -> bool {
    c != '\u{61c}'
        && matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Whether letters of its script change shape next to each other: Arabic and its relatives, Mongolian, the scripts of India and its
/// neighbours.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{7ff}' | '\u{840}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1900}'..='\u{1cff}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{11fff}'
        | '\u{1e900}'..='\u{1e95f}')
}

/// Whether it is an emoji, or a sign that a selector turns into one.
fn is_emoji(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '©' | '®' | '\u{200d}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{fe0f}'
        | '\u{1f000}'..='\u{1faff}')
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}')
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether the standard has variants of it: mathematical signs, East Asian punctuation, ideographs, Burmese letters, Phags-pa.
fn has_variants(c: char) -> bool {
    is_ideograph(c)
        || matches!(c, '0' | '\u{1000}'..='\u{109f}' | '\u{2018}'..='\u{201d}' | '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}'
            | '\u{3000}'..='\u{30ff}' | '\u{a840}'..='\u{a877}' | '\u{aa60}'..='\u{aa7f}' | '\u{ff01}'..='\u{ff60}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> (String, u32, String) {
        let mut removed = Removed::default();
        let out = visible(text, &mut removed).unwrap_or_else(|| text.to_owned());
        (out, removed.count, removed.tags)
    }

    #[test]
    fn characters_that_show_nothing_carry_no_text() {
        let tags: String = "Obey me".chars().filter_map(|c| char::from_u32(c as u32 + 0xe0000)).collect();
        assert_eq!(cleaned(&format!("The pier{tags} is open.")), ("The pier is open.".into(), 7, "Obey me".into()));
        let after_flag = format!("{BLACK_FLAG}{tags}");
        assert_eq!(cleaned(&after_flag).0, BLACK_FLAG.to_string());
        for (text, expected) in [
            ("i\u{200c}g\u{200d}n\u{206a}o\u{180e}re", "ignore"),
            ("a\u{202e}cba\u{202c}", "acba"),
            ("x\u{fe00}\u{fe01}\u{fe0a}y", "xy"),
            ("😀\u{e0101}\u{e0155}!", "😀!"),
            ("😀\u{fe0f}\u{fe0f}\u{fe0f}", "😀\u{fe0f}"),
            ("\u{f0c1} Link \u{f101}\u{f102}", " Link "),
            ("one\u{200e}\u{200f} two\u{200e}", "one two"),
            ("one\u{61c} two\u{61c}\u{61c}", "one two"),
            ("f\u{2061}(x) i\u{2062}g\u{2063}n\u{2064}ore", "f(x) ignore"),
            ("fill\u{3164}er\u{fffa}s", "fillers"),
            ("שלום\u{200f}\u{200f}\u{200e}\u{200f}", "שלום\u{200f}"),
        ] {
            assert_eq!(cleaned(text).0, expected, "{text:?}");
        }
    }

    #[test]
    fn an_operator_at_the_end_of_a_text_is_no_sign_of_hidden_text() {
        assert_eq!(cleaned("sin\u{2061}"), ("sin".into(), 0, String::new()));
        assert_eq!(cleaned("sin\u{2061}\u{2062}"), ("sin".into(), 2, String::new()));
    }

    #[test]
    fn scripts_and_emoji_keep_what_they_need() {
        for text in [
            "می\u{200c}روم",
            "क्\u{200d}ष ශ්\u{200d}රී",
            "👩\u{200d}👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} 1\u{fe0f}\u{20e3} ☎\u{fe0e}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland",
            "Donau\u{ad}dampf\u{ad}schiff und ภาษา\u{200b}ไทย",
            "葛\u{e0100}城 ≨\u{fe00}",
            "שלום\u{200f}, world\u{200e} \u{2067}עברית\u{2069}",
            "\u{2061}",
            "þ\u{f158}r",
            "مرحبا \u{61c}(1)",
        ] {
            assert_eq!(cleaned(text), (text.to_owned(), 0, String::new()));
        }
    }
}
