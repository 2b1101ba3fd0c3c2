//! Picks from a style sheet the rules that may decide about visibility on a page, without parsing it: reading all rules would take longer than
//! reading the page.
use crate::dom::names::{Name, Names};
use memchr::{memchr, memchr_iter, memchr2, memchr3, memmem};
use std::borrow::Cow;

/// What an element must have for a selector to match it, so that rules are found by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'s> {
    Id(Name),
    Class(Name),
    /// The name of an element, as it was written.
    Tag(&'s str),
    /// Any element may match.
    Any,
}

/// What the text of a selector says without being parsed.
pub(super) struct Outline<'s> {
    pub(super) key: Key<'s>,
    /// The name of the element, if it asks for one.
    pub(super) tag: Option<&'s str>,
    /// The classes and ids that the elements above must have, then the ones that the element itself must have.
    pub(super) names: Vec<Name>,
    /// The number of classes and ids of the elements above.
    pub(super) above: usize,
}

/// Reads the first selector of a list: its outline, `None` if nothing on the page has the names that it asks for, and the length of its text.
/// Whatever is in brackets is not looked at.
pub(super) fn first_selector<'s>(list: &'s str, page: &Names) -> (Option<Outline<'s>>, usize) {
    let bytes = list.as_bytes();
    let (mut key, mut tag, mut names, mut is_possible) = (Key::Any, None, Vec::new(), true);
    // Where the names of the current compound selector begin, and whether the next part begins another one.
    let (mut above, mut begins) = (0, false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at).filter(|byte| **byte != b',') {
        let is_between = byte.is_ascii_whitespace() || matches!(byte, b'>' | b'+' | b'~');
        if begins && !is_between {
            (above, key, tag, begins) = (names.len(), Key::Any, None, false);
        }
        at += 1;
        match byte {
            // What is before a sibling is not above the element.
            b'+' | b'~' => {
                names.clear();
                begins = true;
            }
            _ if is_between => begins = true,
            b'(' | b'[' => at = after_brackets(bytes, at),
            b'.' | b'#' => {
                let name = name_at(list, at);
                at += name.len();
                let found = if name.contains('\\') { page.find(&name.replace('\\', "")) } else { page.find(name) };
                match found {
                    Some(name) => {
                        names.push(name);
                        key = match key {
                            Key::Id(_) => key,
                            _ if byte == b'#' => Key::Id(name),
                            _ => Key::Class(name),
                        };
                    }
                    None => is_possible = false,
                }
            }
            b':' => at += name_at(list, at).len(),
            // The name before it is a namespace.
            b'|' => tag = None,
            b'*' => {}
            _ => {
                let name = name_at(list, at - 1);
                at += name.len().saturating_sub(1);
                tag = (!name.contains('\\')).then_some(name);
                // A number, such as in keyframes, or what no selector has.
                is_possible &= !name.is_empty() && !byte.is_ascii_digit();
            }
        }
    }
    if key == Key::Any {
        key = tag.map_or(Key::Any, Key::Tag);
    }
    (is_possible.then_some(Outline { key, tag, names, above }), at)
}

/// Whether an element of the page may match a list of selectors, by the last class or id of each: a quick test before the list is read.
pub(super) fn may_match(list: &str, page: &Names) -> bool {
    memchr3(b'(', b'[', b'\\', list.as_bytes()).is_some()
        || list.split(',').any(|selector| {
            let selector = selector.trim_ascii_end();
            let name = selector.bytes().rev().take_while(|b| is_of_name(*b)).count();
            match selector.as_bytes()[..selector.len() - name].last() {
                Some(b'.' | b'#') => page.find(&selector[selector.len() - name..]).is_some(),
                _ => true,
            }
        })
}

/// Whether a byte belongs to a name, unless it is escaped.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 128
}

/// Returns the name at a place, which ends at the first escaped character that no name has.
fn name_at(text: &str, at: usize) -> &str {
    let name = text.as_bytes()[at..].iter();
    let name = name.take_while(|b| is_of_name(**b) || **b == b'\\');
    &text[at..at + name.count()]
}

/// Returns the place after the bracket that closes the one before this place.
fn after_brackets(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 1u32;
    let mut quote = None;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(byte),
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth == 1 => return at,
            b')' | b']' => depth -= 1,
            _ => {}
        }
    }
    bytes.len()
}

/// What the declarations of a rule say without being parsed.
#[derive(Clone, Copy, Default)]
pub(super) struct Declared {
    /// Whether one of them decides about visibility.
    pub(super) decides: bool,
    /// Whether one of them seems to hide an element by itself, and whether one of them might once it is parsed.
    pub(super) hides: bool,
    pub(super) may_hide: bool,
    /// Whether one of them sets the colour of a text, or what is behind it.
    pub(super) colours: bool,
    pub(super) fills: bool,
    /// Whether one of them is important.
    pub(super) is_important: bool,
    /// Whether one of them is of a property that elements below inherit, and whether it can hide their text.
    pub(super) is_inherited: bool,
    pub(super) hides_below: bool,
    /// The bits of the properties by which they may undo what others hide, and by which others may undo them.
    pub(super) undoing: u8,
    pub(super) undone_by: u8,
}

/// Returns the bit of a property by which rules for other names may undo one that hides. Nearly all rules have a colour or a size, which seldom
/// do.
fn undoing(name: &str) -> u8 {
    match name {
        "display" => 1,
        "opacity" => 2,
        "transform" => 4,
        "visibility" => 8,
        "content-visibility" => 16,
        "position" => 32,
        "white-space" | "white-space-collapse" => 64,
        _ => 0,
    }
}

impl Declared {
    /// Reads the declarations of a rule, or of a `style` attribute. `by_colour`: whether the colour behind a text is known.
    pub(super) fn of(body: &str, by_colour: bool) -> Declared {
        // An escape may be in any name.
        if memchr(b'\\', body.as_bytes()).is_some() {
            return Declared {
                decides: true,
                hides: true,
                may_hide: true,
                colours: true,
                fills: true,
                is_important: true,
                is_inherited: true,
                hides_below: true,
                undoing: u8::MAX,
                undone_by: 0,
            };
        }
        let mut all = Declared::default();
        for (name, value) in decisive(body) {
            let lower = name.bytes().any(|b| b.is_ascii_uppercase()).then(|| name.to_ascii_lowercase());
            let name = lower.as_deref().unwrap_or(name);
            all.decides = true;
            all.is_important |= value.ends_with("!important");
            all.undoing |= undoing(name);
            all.colours |= name == "color";
            all.fills |= name.starts_with("background");
            let is_inherited = is_inherited(name);
            all.is_inherited |= is_inherited;
            all.may_hide |= might_hide(name, value);
            if hides(name, value, by_colour) {
                all.hides = true;
                all.hides_below |= is_inherited;
                all.undone_by |= match name {
                    "left" | "top" | "right" | "bottom" | "clip" => undoing("position"),
                    name => undoing(name),
                };
            }
        }
        all
    }
}

/// Whether elements inherit a property that can hide text.
fn is_inherited(name: &str) -> bool {
    matches!(name, "visibility" | "font-size" | "font" | "text-indent")
}

/// Whether the declarations of a `style` attribute can hide an element.
pub(super) fn may_hide(style: &str) -> bool {
    memchr(b'\\', style.as_bytes()).is_some() || decisive(style).any(|(name, value)| hides(name, value, true))
}

/// A part of a style sheet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    /// The beginning of a block that holds rules, without its brace: `@media print`.
    Open(&'a str),
    Close,
    /// The selectors and the declarations of a rule.
    Rule(&'a str, &'a str),
}

/// Returns a style sheet without its comments.
pub(super) fn without_comments(css: &str) -> Cow<'_, str> {
    let mut rest = css;
    let mut out = String::new();
    while let Some(at) = memmem::find(rest.as_bytes(), b"/*") {
        out += &rest[..at];
        out.push(' ');
        let comment = &rest[at + 2..];
        rest = memmem::find(comment.as_bytes(), b"*/").map_or("", |end| &comment[end + 2..]);
    }
    if out.is_empty() { Cow::Borrowed(css) } else { (out + rest).into() }
}

/// Cuts a style sheet without comments at its braces.
pub(super) fn pieces(css: &str) -> Vec<Piece<'_>> {
    // Nearly no sheet has braces in strings, and skipping strings takes longer than all else.
    cut_at(css, |from| memchr2(b'{', b'}', &css.as_bytes()[from..]).map(|i| from + i), true)
        .or_else(|| cut_at(css, |from| brace(css, from), false))
        .unwrap_or_default()
}

/// Returns the place of the next brace that is neither escaped nor in a string.
fn brace(css: &str, mut at: usize) -> Option<usize> {
    let bytes = css.as_bytes();
    let mut quote = None;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 1,
            b'\n' => quote = None,
            byte if quote == Some(byte) => quote = None,
            byte @ (b'"' | b'\'') if quote.is_none() => quote = Some(byte),
            b'{' | b'}' if quote.is_none() => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// Cuts a style sheet at the braces that `next` finds; `None` if a string may hold one and `is_checked`.
fn cut_at(css: &str, next: impl Fn(usize) -> Option<usize>, is_checked: bool) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(brace) = next(at) {
        at = brace + 1;
        if css.as_bytes()[brace] == b'}' {
            pieces.push(Piece::Close);
            from = at;
            continue;
        }
        let prelude = without_statements(&css[from..brace]);
        // The end of the sheet closes all blocks.
        let end = next(at).unwrap_or(css.len());
        if css.as_bytes().get(end) == Some(&b'{') {
            from = at;
            if !prelude.starts_with('@') {
                // Rules inside of a rule follow its declarations.
                from += css[at..end].rfind(';').map_or(0, |i| i + 1);
                pieces.push(Piece::Rule(prelude, &css[at..from]));
            }
            pieces.push(Piece::Open(prelude));
            continue;
        }
        let body = &css[at..end];
        if is_checked && memchr_iter(b'"', body.as_bytes()).count() % 2 == 1 {
            return None;
        }
        pieces.push(Piece::Rule(prelude, body));
        (from, at) = (end + 1, end + 1);
        if at > css.len() {
            break;
        }
    }
    Some(pieces)
}

/// Returns the text before a brace without what ends before it: `@import url(a.css);`, marks of comments of HTML.
fn without_statements(mut text: &str) -> &str {
    loop {
        text = text.trim_ascii_start();
        let mark = text.strip_prefix("<!--").or_else(|| text.strip_prefix("-->"));
        let rest = mark.or_else(|| text.starts_with('@').then(|| after_statement(text)).flatten());
        match rest {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// Returns the text after the semicolon that ends a statement, outside of brackets and strings.
fn after_statement(text: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0u32, None);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'"' | b'\'' => quote = Some(byte),
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return Some(&text[i + 1..]),
            _ => {}
        }
    }
    None
}

/// Returns the declarations that can decide about visibility, as names and values.
fn decisive(body: &str) -> impl Iterator<Item = (&str, &str)> {
    split(body).filter(|(name, _)| is_decisive(name))
}

/// Splits declarations without strings, brackets around semicolons and escapes into names and values.
pub(super) fn split(body: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = body;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            // Declarations are so short that a call to search for a byte takes longer than the search.
            let end = rest.bytes().position(|b| b == b';').unwrap_or(rest.len());
            let declaration = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or("");
            if let Some(colon) = declaration.bytes().position(|b| b == b':') {
                return Some((declaration[..colon].trim_ascii(), declaration[colon + 1..].trim_ascii()));
            }
        }
        None
    })
}

/// Whether a property can decide about visibility.
pub(super) fn is_decisive(name: &str) -> bool {
    match name.as_bytes().first() {
        Some(b'a'..=b'z') => is_known(name),
        Some(b'A'..=b'Z') => is_known(&name.to_ascii_lowercase()),
        Some(b'-') => name.starts_with("-webkit-text-fill") || name.starts_with("-webkit-background-clip"),
        _ => false,
    }
}

fn is_known(name: &str) -> bool {
    matches!(
        name,
        "display"
            | "visibility"
            | "content-visibility"
            | "opacity"
            | "filter"
            | "font-size"
            | "font"
            | "line-height"
            | "width"
            | "max-width"
            | "height"
            | "max-height"
            | "overflow"
            | "overflow-x"
            | "overflow-y"
            | "position"
            | "left"
            | "top"
            | "right"
            | "bottom"
            | "inset"
            | "clip"
            | "clip-path"
            | "text-indent"
            | "transform"
            | "scale"
            | "translate"
            | "color"
            | "background"
            | "background-color"
            | "background-image"
            | "margin-left"
            | "margin-top"
            | "margin-right"
            | "transition"
            | "animation"
            | "inset-inline-start"
            | "inset-inline-end"
            | "inset-block-start"
            | "white-space"
            | "white-space-collapse"
    )
}

/// Whether a value can hide an element by itself.
fn hides(name: &str, value: &str, by_colour: bool) -> bool {
    match name.as_bytes()[0].to_ascii_lowercase() {
        b'd' => begins(value, "none"),
        b'v' => begins(value, "hidden") || begins(value, "collapse"),
        b'o' if name.len() == 7 => value.starts_with('0') || value.starts_with('.'),
        b'o' => false,
        b'c' if name.eq_ignore_ascii_case("color") => is_light(value) && (by_colour || is_transparent(value)),
        b'c' => !begins(value, "auto") && !begins(value, "none") && !begins(value, "visible"),
        b'f' if name.eq_ignore_ascii_case("filter") => value.contains("opacity"),
        b'f' if name.len() == 4 => begins(value, "0") || value.contains(" 0"),
        b'f' => is_tiny_font(value),
        b'h' | b'w' | b'm' if !name.starts_with("margin") && !name.starts_with("white") => is_tiny(value),
        b'l' if name.len() > 4 => begins(value, "0"),
        b'm' | b'l' | b'b' | b'i' if value.starts_with('-') => is_far(value),
        b't' if name.eq_ignore_ascii_case("transform") => moves_away(value),
        b't' | b'r' if value.starts_with('-') => is_far(value),
        b'r' => is_far(value) && value.starts_with(|c: char| c.is_ascii_digit()),
        b't' if name.eq_ignore_ascii_case("text-indent") => begins(value, "1"),
        b's' => begins(value, "0") || begins(value, "."),
        b'w' => begins(value, "pre") || begins(value, "break-spaces"),
        b'-' => is_transparent(value),
        _ => false,
    }
}

/// Whether a length may be zero or a pixel.
fn is_tiny(value: &str) -> bool {
    value.starts_with(['0', '.', '1']) && value.parse::<f32>().is_ok_and(|n| n == 0.0)
        || ["0", "1px", "0.", ".0"].iter().any(|with| begins(value, with))
}

/// Whether a value that does not seem to hide an element might do so once its number and its unit are known.
fn might_hide(name: &str, value: &str) -> bool {
    match name {
        "opacity" => leading_number(value) < 0.5 || value.ends_with('%'),
        "font" => true,
        "font-size" => leading_number(value) < if value.ends_with('%') { 25.0 } else { 4.0 },
        "height" | "width" | "max-height" | "max-width" | "line-height" => leading_number(value) <= 1.0,
        "text-indent" | "translate" => true,
        "transform" => !value.eq_ignore_ascii_case("none"),
        _ => false,
    }
}

/// Returns the number that a value begins with.
fn leading_number(value: &str) -> f32 {
    let end = value.bytes().position(|b| !matches!(b, b'0'..=b'9' | b'.' | b'+' | b'-')).unwrap_or(value.len());
    value[..end].parse().unwrap_or(f32::MAX)
}

/// Whether letters may be too small to be read.
fn is_tiny_font(value: &str) -> bool {
    let end = value.bytes().position(|b| !matches!(b, b'0'..=b'9' | b'.' | b'+')).unwrap_or(value.len());
    let size = value[..end].parse().unwrap_or(f32::MAX);
    let unit = value[end..].trim_start();
    size == 0.0 || size < 4.0 && unit.starts_with(['p', 'P']) || size < 0.25 || size < 25.0 && unit.starts_with('%')
}

/// Whether a distance has at least three digits.
fn is_far(value: &str) -> bool {
    value.bytes().skip(1).take_while(u8::is_ascii_digit).count() >= 3 || value.contains("em") || value.contains('v')
}

/// Whether a transformation may leave nothing to be seen.
fn moves_away(value: &str) -> bool {
    ["(0", "(.0", ",0", "90deg"].iter().any(|part| value.contains(part))
        || value.match_indices('-').any(|(i, _)| is_far(&value[i..]))
}

/// Whether a colour may be transparent.
fn is_transparent(value: &str) -> bool {
    ["t", "rgba", "hsla"].iter().any(|with| begins(value, with))
        || value.contains('/')
        || value.starts_with('#') && value.len() != 7
}

/// Whether a value begins with a text in lower case, ignoring case.
fn begins(value: &str, with: &str) -> bool {
    value.get(..with.len()).is_some_and(|v| v.eq_ignore_ascii_case(with))
}

/// Whether a colour may be white or transparent.
fn is_light(value: &str) -> bool {
    let value = value.as_bytes();
    match value.first().map(u8::to_ascii_lowercase) {
        Some(b'#') => value.get(1).is_some_and(|b| matches!(b.to_ascii_lowercase(), b'f' | b'e')),
        Some(b'w' | b't' | b'h' | b's' | b'r') => !value.eq_ignore_ascii_case(b"red"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_if_the_page_has_the_last_name_of_a_selector() {
        let dom = crate::dom::parse("<p class=a id=b>", &Default::default());
        let may_match = |list: &str| super::may_match(list, dom.names());
        for list in [".a", ".x .a ", "#b", ".x,.y>p.a", "p", ".x p", "*", ".x:hover", ".x:not(.y)", r".x\:y", ".x\t,p "]
        {
            assert!(may_match(list), "{list}");
        }
        for list in [".x", ".a .x", "p.x", ".a#c", ".ab, #x ", ".a.x"] {
            assert!(!may_match(list), "{list}");
        }
    }

    #[test]
    fn selectors_are_found_by_what_they_ask_of_their_element() {
        let dom = crate::dom::parse("<p class='b c d'><a id=i>", &Default::default());
        let names = dom.names();
        let name = |text| names.find(text).unwrap();
        for (list, length, key, above, own) in [
            (".b,p", 2, Key::Class(name("b")), "", "b"),
            ("p.c:not(.x, .y) > A", 19, Key::Tag("A"), "c", ""),
            (" .b #i[title=',']:hover , p", 24, Key::Id(name("i")), "b", "i"),
            (".b .c+p.d", 9, Key::Class(name("d")), "", "d"),
            (".b + .c p ~ .d", 14, Key::Class(name("d")), "", "d"),
            (".b + .c .d *", 12, Key::Any, "c d", ""),
            ("svg|*, p", 5, Key::Any, "", ""),
            ("[hidden]::before", 16, Key::Any, "", ""),
            (":is(.b,p", 8, Key::Any, "", ""),
        ] {
            let (outline, end) = first_selector(list, names);
            let outline = outline.unwrap_or_else(|| panic!("{list}"));
            let texts: Vec<&str> = outline.names.iter().map(|name| names.text(*name)).collect();
            let (found_above, found_own) = texts.split_at(outline.above);
            assert_eq!((end, outline.key, &*found_above.join(" "), &*found_own.join(" ")), (length, key, above, own));
        }
        for (list, length) in [(".x p, p", 4), ("50%", 3), ("p .x\\:y,p", 7)] {
            let (outline, end) = first_selector(list, names);
            assert!(outline.is_none() && end == length, "{list}");
        }
    }

    #[test]
    fn sheets_are_cut_at_their_braces() {
        use Piece::{Close, Open, Rule};
        for (css, cut) in [
            ("@import url(a;b);@layer x, y;<!-- .a{b:c}", vec![Rule(".a", "b:c")]),
            (
                "@media x{.a{}.b{c:d}}.e{f:g",
                vec![Open("@media x"), Rule(".a", ""), Rule(".b", "c:d"), Close, Rule(".e", "f:g")],
            ),
            (".a{b:'}';c:\"{\"}.d{e:'\\'}'}", vec![Rule(".a", "b:'}';c:\"{\""), Rule(".d", "e:'\\'}'")]),
            (".a{b:c;&:d{e:f}}", vec![Rule(".a", "b:c;"), Open(".a"), Rule("&:d", "e:f"), Close]),
            ("}.a{b:c}", vec![Close, Rule(".a", "b:c")]),
            ("", vec![]),
        ] {
            assert_eq!(pieces(css), cut, "{css}");
        }
    }
}
