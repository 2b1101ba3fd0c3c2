//! Images that stand for characters: emoji and the initials that open a text.
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;
use std::borrow::Cow;

/// Short names, each with a space and its emoji, sorted by name.
const NAMES: &[&str] = lexicon!("emoji.txt");
/// Emoticons that hold letters or digits, and their emoji. The others are written as they are.
const EMOTICONS: [(&str, &str); 12] = [
    (":D", "😀"),
    (":-D", "😀"),
    (":P", "😛"),
    (":-P", "😛"),
    (":p", "😛"),
    (";P", "😜"),
    (":o", "😮"),
    (":O", "😮"),
    (":-o", "😮"),
    ("8)", "😎"),
    ("8-)", "😎"),
    ("xD", "😆"),
];
/// Maximum number of characters of an emoji with its modifiers.
const MAX_EMOJI_CHARS: usize = 16;

/// Returns the characters that an image stands for.
///
/// ```
/// use maintext_page::{dom, image::characters};
/// let dom = dom::parse("<p>Done <img class=emoji alt=':tada:' src=/e/tada.png>", &Default::default());
/// let img = dom.find(dom::NodeId::ROOT, dom::Tag::IMG).unwrap();
/// assert_eq!(characters(&dom, img).as_deref(), Some("🎉"));
/// ```
pub fn characters(dom: &Dom, img: NodeId) -> Option<Cow<'static, str>> {
    let alt = dom.attr(img, "alt").map(str::trim).unwrap_or("");
    // Most images have either no alternative text or a long one.
    if alt.len() > 40 {
        return None;
    }
    if alt.len() == 1 {
        return initial(dom, img, alt);
    }
    if !is_emoji(dom, img) {
        return None;
    }
    if is_pictographic(alt) {
        return Some(alt.to_owned().into());
    }
    if let Some((_, emoji)) = EMOTICONS.iter().find(|e| e.0 == alt) {
        return Some((*emoji).into());
    }
    let name = alt.strip_prefix(':').and_then(|a| a.strip_suffix(':')).filter(|name| !name.is_empty());
    if let Some(emoji) = name.and_then(named) {
        return Some(emoji.into());
    }
    let is_emoticon = !alt.is_empty() && alt.len() <= 4 && alt.bytes().all(|b| b.is_ascii_punctuation());
    if is_emoticon {
        return Some(alt.to_owned().into());
    }
    dom.attr(img, "src").and_then(of_file).map(Cow::from)
}

/// Whether the markup presents the image as an emoji.
fn is_emoji(dom: &Dom, img: NodeId) -> bool {
    const SIGNS: [&str; 4] = ["emoji", "smiley", "smilie", "emoticon"];
    ["class", "src", "data-src"]
        .into_iter()
        .any(|name| dom.attr(img, name).is_some_and(|v| SIGNS.iter().any(|s| v.contains(s))))
        || dom.attrs(img).any(|(name, _)| name.contains("emoji"))
}

/// Whether the text is one emoji, or a few, and nothing else.
fn is_pictographic(s: &str) -> bool {
    // Joiners, variation selectors, the frame around a digit, the tags of flags.
    let keycap = s.contains('\u{20e3}');
    s.chars().count() <= MAX_EMOJI_CHARS
        && s.chars().any(|c| is_picture(c) || keycap && is_key(c))
        && s.chars().all(|c| is_picture(c) || joins(c) || keycap && is_key(c))
}

/// Whether a character may be in the frame of a key.
fn is_key(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

fn is_picture(c: char) -> bool {
    matches!(u32::from(c), 0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21ff | 0x2300..=0x23ff
            | 0x2460..=0x27bf | 0x2900..=0x297f | 0x2b00..=0x2bff | 0x3030 | 0x303d | 0x3297 | 0x3299 | 0x1f000..=0x1faff)
}

fn joins(c: char) -> bool {
    matches!(u32::from(c), 0x200d | 0xfe0e | 0xfe0f | 0x20e3 | 0xe0020..=0xe007f)
}

/// Returns the emoji with a short name.
fn named(name: &str) -> Option<&'static str> {
    let at = NAMES.binary_search_by(|entry| entry.split_once(' ').map_or(*entry, |e| e.0).cmp(name)).ok()?;
    NAMES[at].split_once(' ').map(|e| e.1)
}

/// Returns the emoji whose code points are the name of a file: `1f468-200d-1f4bb.png`.
fn of_file(src: &str) -> Option<String> {
    let file = src.split(['?', '#']).next()?.rsplit('/').next()?;
    let stem = file.rsplit_once('.')?.0;
    let points = stem.trim_start_matches(['u', 'U', '+']).split(['-', '_']).take(MAX_EMOJI_CHARS);
    let emoji: Option<String> = points
        .map(|p| if p.len() >= 4 { u32::from_str_radix(p, 16).ok().and_then(char::from_u32) } else { None })
        .collect();
    emoji.filter(|e| is_pictographic(e))
}

/// Returns the letter of an image that draws the first letter of a word: the rest of the word follows directly, in small letters.
fn initial(dom: &Dom, img: NodeId, alt: &str) -> Option<Cow<'static, str>> {
    let next = dom.next_sibling(img).filter(|&n| dom.kind(n) == NodeKind::Text);
    let begins = dom.prev_sibling(img).is_none_or(|p| dom.kind(p) == NodeKind::Text && dom.text(p).trim().is_empty());
    let follows = next.is_some_and(|n| dom.text(n).starts_with(char::is_lowercase));
    let linked = dom.parent(img).is_some_and(|p| dom.tag(p) == Tag::A);
    (alt.as_bytes()[0].is_ascii_uppercase() && begins && follows && !linked).then(|| alt.to_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Option<String> {
        let dom = crate::dom::parse(html, &Default::default());
        characters(&dom, dom.find(NodeId::ROOT, Tag::IMG)?).map(Cow::into_owned)
    }

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by_key(|e| e.split_once(' ').unwrap().0));
        assert_eq!(named("tada"), Some("🎉"));
        assert_eq!(named("+1"), Some("👍"));
        assert_eq!(named("nothing"), None);
        assert!(NAMES.iter().all(|e| is_pictographic(e.split_once(' ').unwrap().1)), "every entry is an emoji");
    }

    #[test]
    fn emoji_are_found_by_text_name_and_file() {
        for (html, want) in [
            ("<img class=emoji alt='😀' src=a.png>", "😀"),
            ("<img src='https://s.w.org/images/core/emoji/14.0.0/svg/1f642.svg' alt='🙂' class='wp-smiley'>", "🙂"),
            ("<img src='/images/emoji/twitter/heart.png?v=12' title=':heart:' class=emoji alt=':heart:'>", "❤️"),
            ("<img class='wp-smiley' alt=':)' src=s.gif>", ":)"),
            ("<img class='smilies' src='./images/smilies/icon_e_biggrin.gif' alt=':D'>", "😀"),
            ("<img src='https://abs.twimg.com/emoji/v2/svg/1f468-200d-1f4bb.svg' alt=''>", "👨‍💻"),
            ("<img data-emoji='5️⃣' alt='5️⃣' src=x.png>", "5️⃣"),
        ] {
            assert_eq!(read(html).as_deref(), Some(want), "{html}");
        }
    }

    #[test]
    fn pictures_are_not_characters() {
        for html in [
            "<img src=a.jpg alt='😀'>",
            "<img class=emoji alt=':shipit:' src=/e/shipit.png>",
            "<img class=emoji-story alt='A story of emoji' src=/story/face.jpg>",
            "<img src=cafe.png>",
            "<img src=/emoji/cafe.png>",
            "<img alt=X src=x.png> marks the spot",
        ] {
            assert_eq!(read(html), None, "{html}");
        }
    }

    #[test]
    fn a_drawn_initial_belongs_to_its_word() {
        assert_eq!(read("<p><img src=t.gif alt=T>he year was young").as_deref(), Some("T"));
    }
}
