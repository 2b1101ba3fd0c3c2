//! Text helpers for all fields: white space, entities, comparison keys.
pub mod cjk;
pub mod dates;
pub mod names;

use crate::metadata::ranking::rank::FastMap;
use maintext_page::blocks::{is_permalink, is_zero_width};
use maintext_page::dom::characters::{self, Removed};
use maintext_page::dom::{self, Dom, Edge, NodeId, NodeKind, Tag};
use maintext_page::markup::seams::is_seam;

/// Words or phrases by their first letter.
pub type ByFirst = FastMap<char, Vec<&'static str>>;

/// Sorts words or phrases by their first letter.
pub fn by_first(words: &[&'static str]) -> ByFirst {
    let mut map = ByFirst::default();
    words.iter().for_each(|word| map.entry(word.chars().next().unwrap_or(' ')).or_default().push(word));
    map
}

/// Returns the text with white space collapsed and trimmed, without invisible characters.
pub fn squeeze(s: &str) -> String {
    let cleaned = if s.is_ascii() { None } else { characters::visible(s, &mut Removed::default()) };
    let s = cleaned.as_deref().unwrap_or(s);
    let bytes = s.as_bytes();
    let mut out = String::with_capacity(s.len());
    let (mut at, mut space) = (0, false);
    while at < bytes.len() {
        let from = at;
        at += squeezed(&bytes[at..]);
        if at == from {
            // Between the elements of a source, white space is long.
            let blanks = bytes[at..].iter().take_while(|b| matches!(b, b'\t'..=b'\r' | b' ')).count();
            if blanks > 0 {
                at += blanks;
                space = !out.is_empty();
                continue;
            }
            let c = s[at..].chars().next().unwrap_or(' ');
            at += c.len_utf8();
            if c.is_whitespace() || c == '\u{2800}' {
                space = !out.is_empty();
                continue;
            }
            if is_zero_width(c) || matches!(c, '\u{200e}' | '\u{200f}') || c.is_control() {
                continue;
            }
        }
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        out.push_str(&s[from..at]);
    }
    out
}

/// Whether [`squeeze`] leaves a byte before another as it is.
fn stays(byte: u8, next: u8) -> bool {
    byte.is_ascii_graphic() | (byte == b' ') & next.is_ascii_graphic()
}

/// Returns the number of bytes at the beginning that [`squeeze`] leaves as they are: visible ASCII with single spaces between.
fn squeezed(bytes: &[u8]) -> usize {
    /// Bytes that are examined together, without a branch, so that the compiler uses vector instructions.
    const STEP: usize = 16;
    if !bytes.first().is_some_and(u8::is_ascii_graphic) {
        return 0;
    }
    let mut at = 0;
    while let Some(step) = bytes.get(at..=at + STEP)
        && (0..STEP).fold(true, |all, i| all & stays(step[i], step[i + 1]))
    {
        at += STEP;
    }
    while at < bytes.len() && stays(bytes[at], bytes.get(at + 1).copied().unwrap_or(b' ')) {
        at += 1;
    }
    at
}

/// Elements for inline formatting.
const INLINE: &str = "b i em strong span a br p sup sub u font small mark wbr nobr cite";

/// Returns a value from an attribute or a script as it would be printed: character references and tags resolved, white space collapsed.
///
/// Publishers often escape twice, so `&amp;quot;` becomes a quotation mark.
pub fn plain(s: &str) -> String {
    if !s.contains(['&', '<']) {
        return squeeze(s);
    }
    // "<table>: the element" is literal text; only tags for inline formatting are treated as markup.
    let mut out = String::new();
    let mut rest = cap(s, 20_000);
    while let Some(i) = rest.find('<') {
        out.push_str(&rest[..i]);
        let name: String =
            rest[i + 1..].trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let formats = INLINE.split(' ').any(|tag| tag.eq_ignore_ascii_case(&name));
        out.push_str(if formats { "<" } else { "&lt;" });
        rest = &rest[i + 1..];
    }
    out.push_str(rest);
    for _ in 0..2 {
        if !(out.contains('&') && out.contains(';') || out.contains("</") || out.contains("<br")) {
            break;
        }
        let dom = dom::parse(&out, &Default::default());
        let next = node_text(&dom, NodeId::ROOT, usize::MAX);
        if next == out {
            break;
        }
        out = next;
    }
    squeeze(&out)
}

/// Appends the texts that a list lacks.
pub fn push_new(list: &mut Vec<String>, texts: impl IntoIterator<Item = String>) {
    for text in texts {
        if !list.contains(&text) {
            list.push(text);
        }
    }
}

/// Returns at most `bytes` bytes of the text, cut at a character boundary.
pub fn cap(s: &str, bytes: usize) -> &str {
    let mut end = bytes.min(s.len());
    while !s.is_char_boundary(end) {
        end -= 1;
    }
    &s[..end]
}

/// Returns a name of a vocabulary without the vocabulary: `Product` of `https://schema.org/Product`.
pub fn local_name(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// Returns the printed text of a subtree, without permalinks and with a space at each block boundary; the walk ends after `limit`
/// characters. Buttons count only if there is no other text: "Copy item path" in a heading is not part of it.
pub fn node_text(dom: &Dom, id: NodeId, limit: usize) -> String {
    let (text, pressed) = text_of(dom, id, limit, false);
    if text.is_empty() && pressed { text_of(dom, id, limit, true).0 } else { text }
}

/// Returns the text, with or without the text of buttons, and whether there are buttons.
fn text_of(dom: &Dom, id: NodeId, limit: usize, buttons: bool) -> (String, bool) {
    let mut out = String::with_capacity(limit.min(200));
    let mut pressed = false;
    let mut walk = dom.traverse(id);
    while let Some(edge) = walk.next() {
        if out.len() > limit {
            break;
        }
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Text => out.push_str(dom.text(n)),
            Edge::Enter(n) => {
                let tag = dom.tag(n);
                let unseen = tag.is_skipped() && !matches!(tag, Tag::HEAD | Tag::TITLE);
                let button = tag == Tag::BUTTON && !buttons && n != id;
                pressed |= button;
                // Ruby text repeats itself in its readings.
                let is_reading = matches!(tag, Tag::RT | Tag::RP);
                if n != id && (unseen || button || is_reading || is_permalink(dom, n)) {
                    walk.skip_children();
                }
                if tag == Tag::BR || tag.is_block() || n != id && is_seam(dom, n, tag) {
                    out.push(' ');
                }
            }
            Edge::Leave(n) if dom.tag(n).is_block() => out.push(' '),
            Edge::Leave(_) => {}
        }
    }
    (squeeze(&out), pressed)
}

/// Returns whether the short text `whole` contains the short text `part`. For names and titles this is faster than the searchers of the
/// standard library.
pub fn holds(whole: &str, part: &str) -> bool {
    let Some(&first) = part.as_bytes().first() else { return true };
    whole.as_bytes().windows(part.len()).any(|w| w[0] == first && w == part.as_bytes())
}

/// Whether each byte is an ASCII character that belongs to words of keys.
const IN_KEY: [bool; 256] = {
    let (mut is_in, mut byte) = ([false; 256], 0);
    while byte < 128 {
        is_in[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    is_in
};

/// Returns a comparison key that ignores spelling details: letters and digits in lower case, with one space between words.
pub fn key(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let mut space = false;
    if s.is_ascii() {
        let bytes = s.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            at += bytes[at..].iter().take_while(|b| IN_KEY[usize::from(**b)]).count();
            if at > from {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(&s[from..at]);
            }
            at += 1;
        }
        out.make_ascii_lowercase();
        return out;
    }
    for c in s.chars() {
        let c = half_width(c);
        if c.is_alphanumeric() || c == '_' {
            if std::mem::take(&mut space) && !out.is_empty() {
                out.push(' ');
            }
            push_lower(&mut out, c);
        } else {
            space = true;
        }
    }
    out
}

/// Appends a character in lower case.
pub fn push_lower(out: &mut String, c: char) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else {
        out.extend(c.to_lowercase());
    }
}

/// Returns the ASCII form of a full-width character.
pub fn half_width(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}

/// Returns the value of a decimal digit in any writing system used on pages.
pub fn digit(c: char) -> Option<u32> {
    const ZEROS: [u32; 12] = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xe50, 0x1040, 0xff10];
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let c = c as u32;
    if !matches!(c, 0x660..0x104a | 0xff10..0xff1a) {
        return None;
    }
    ZEROS.iter().find(|&&z| (z..z + 10).contains(&c)).map(|z| c - z)
}

/// Returns only letters and digits, without marks and case, to compare names with addresses: `José O'Neil` is `joseoneil`.
pub fn slug(s: &str) -> String {
    if s.is_ascii() {
        let mut out = String::with_capacity(s.len());
        s.split(|c: char| !c.is_ascii_alphanumeric()).for_each(|word| out.push_str(word));
        out.make_ascii_lowercase();
        return out;
    }
    s.chars().flat_map(char::to_lowercase).filter_map(fold).collect()
}

/// Returns the plain Latin letter of an accented one; `None` for characters other than letters and digits.
fn fold(c: char) -> Option<char> {
    let plain = match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ę' | 'ě' | 'ė' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ł' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ő' | 'ō' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ů' | 'ű' | 'ū' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        c => c,
    };
    plain.is_alphanumeric().then_some(plain)
}

/// Calls `each` with the words of a `class`, `id`, `rel` or `itemprop`, in lower case: `entry-dateTime` is `entry`, `date`, `time`.
pub fn tokens(s: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    let mut last_lower = false;
    if s.is_ascii() {
        let s = &s[..s.len().min(300)];
        let (mut from, mut upper) = (0, false);
        // A word in lower case is passed on without a copy.
        let mut end = |from: usize, to: usize, upper: bool| {
            if upper {
                word.clear();
                word.push_str(&s[from..to]);
                word.make_ascii_lowercase();
                each(&word);
            } else {
                each(&s[from..to]);
            }
        };
        for (at, c) in s.bytes().enumerate() {
            let big = c.is_ascii_uppercase();
            if !c.is_ascii_alphabetic() {
                if from < at {
                    end(from, at, upper);
                }
                (from, upper) = (at + 1, false);
            } else if big && last_lower {
                end(from, at, upper);
                (from, upper) = (at, true);
            }
            upper |= big;
            last_lower = c.is_ascii_lowercase();
        }
        if from < s.len() {
            end(from, s.len(), upper);
        }
        return;
    }
    for c in s.chars().take(300) {
        let border = !c.is_alphabetic() || (c.is_uppercase() && last_lower);
        if border && !word.is_empty() {
            each(&word);
            word.clear();
        }
        if c.is_alphabetic() {
            push_lower(&mut word, c);
        }
        last_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        each(&word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_escaped_twice_are_resolved() {
        assert_eq!(plain("Q&amp;amp;A &#8211; it&rsquo;s  <b>on</b>"), "Q&A – it’s on");
        assert_eq!(plain("AT&T & more"), "AT&T & more");
        assert_eq!(plain("<table>: the &lt;table&gt; element"), "<table>: the <table> element");
    }

    #[test]
    fn class_names_are_split_into_words() {
        let mut words = Vec::new();
        tokens("postMeta__author-name2 x", |w| words.push(w.to_owned()));
        assert_eq!(words, ["post", "meta", "author", "name", "x"]);
    }

    #[test]
    fn keys_compare_words_only() {
        assert_eq!(key("“Full‑width” ＡＢＣ １"), key("full width abc 1"));
        assert_eq!(slug("José O'Neil"), "joseoneil");
    }
}
