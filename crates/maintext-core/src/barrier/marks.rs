//! Reads the marks that products leave in the source of pages: the scripts and elements of challenges, and of parking services.
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::lexicon::lexicon;
use memchr::memmem;

/// Maximum number of bytes that are read of the inline scripts of a page.
const MAX_SCRIPT_BYTES: usize = 16_000;
/// Maximum number of elements that are read. Barriers are small pages.
const MAX_ELEMENTS: usize = 2_000;

/// The marks of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// Only pages of challenges have them.
    pub challenge: bool,
    /// Forms on other pages have them, too.
    pub captcha: bool,
    /// Only parked domains have them.
    pub parked: bool,
    /// A script that redirects at once.
    pub lander: bool,
}

/// Parts of addresses and names, and of inline scripts, of challenges.
const CHALLENGE_MARKS: &[&str] = lexicon!("barrier-challenge-marks.txt");

/// Parts of addresses and names of captchas and bot managers.
const CAPTCHA_MARKS: &[&str] = lexicon!("barrier-captcha-marks.txt");

/// Parts of addresses of the scripts and frames of parking services.
const PARKED_MARKS: &[&str] = lexicon!("barrier-parked-marks.txt");

impl Marks {
    /// Reads a page.
    pub fn of(dom: &Dom<'_>) -> Marks {
        let mut marks = Marks::default();
        let mut left = MAX_SCRIPT_BYTES;
        let mut lower = String::new();
        let elements = dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == NodeKind::Element);
        for n in elements.take(MAX_ELEMENTS) {
            let tag = dom.tag(n);
            let loads = matches!(tag, Tag::SCRIPT | Tag::IFRAME | Tag::LINK);
            for (name, value) in dom.attrs(n) {
                let is_address = loads && matches!(name, "src" | "href");
                if is_address || matches!(name, "id" | "class") {
                    lower_into(&mut lower, value);
                    marks.challenge |= has(&lower, CHALLENGE_MARKS);
                    marks.captcha |= has(&lower, CAPTCHA_MARKS);
                    marks.parked |= is_address && has(&lower, PARKED_MARKS);
                }
            }
            if tag == Tag::SCRIPT && left > 0 {
                let text = dom.first_child(n).map_or("", |t| dom.text(t));
                let text = &text[..text.floor_char_boundary(left)];
                left -= text.len();
                lower_into(&mut lower, text);
                marks.challenge |= has(&lower, CHALLENGE_MARKS);
                marks.lander |=
                    lower.contains("location") && (lower.contains("\"/lander\"") || lower.contains("'/lander'"));
            }
        }
        marks
    }
}

/// Maximum number of bytes of a value.
const MAX_VALUE_BYTES: usize = 20_000;

fn lower_into(out: &mut String, text: &str) {
    out.clear();
    out.push_str(&text[..text.floor_char_boundary(MAX_VALUE_BYTES)]);
    out.make_ascii_lowercase();
}

fn has(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| memmem::find(text.as_bytes(), part.as_bytes()).is_some())
}
