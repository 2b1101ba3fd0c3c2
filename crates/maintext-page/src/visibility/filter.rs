//! Picks from a style sheet the rules that can hide an element, and those that can undo them, since reading all rules would take longer than
//! reading the page.
use crate::dom::names::Names;
use crate::hash::HashSet;
use memchr::{memchr, memchr_iter, memchr2, memmem};
use std::borrow::Cow;
use std::cell::RefCell;

/// Bytes of a sheet up to which all colours count. In longer ones, only light ones do.
pub(super) const MAX_SMALL_BYTES: usize = 4000;

/// The facts about a page that decide which rules of its style sheets are read.
#[derive(Clone, Copy)]
pub(super) struct Page<'a> {
    pub(super) names: &'a Names,
    /// Whether the style of an element hides elements that inherit it.
    pub(super) hides_below: bool,
    /// Whether style sheets apply that are not in the page, so that the colours behind most texts are not known.
    pub(super) external: bool,
}

/// Returns the parts of a style sheet without comments that decide about visibility on a page, with all beginnings and ends of blocks around
/// them.
pub(super) fn filtered<'a>(css: &'a str, is_small: bool, page: Page<'_>) -> Vec<Piece<'a>> {
    let Page { names, external, .. } = page;
    let mut pieces = pieces(css);
    pieces.retain(|piece| match piece {
        Piece::Rule(prelude, _) => can_match(prelude, names),
        _ => true,
    });
    let hides = |name: &str, value: &str| {
        let is_colour = || is_small && name.eq_ignore_ascii_case("color") || name.starts_with("background");
        hides(name, value, !external) || !external && is_colour()
    };
    let hiding = |piece: &Piece| match piece {
        Piece::Rule(_, body) => declares(body, hides),
        _ => false,
    };
    let hiding: Vec<bool> = pieces.iter().map(hiding).collect();
    let (mut keys, mut hides_below) = (HashSet::default(), page.hides_below);
    let undone = RefCell::new(HashSet::default());
    for (piece, _) in pieces.iter().zip(&hiding).filter(|(_, hides)| **hides) {
        if let Piece::Rule(prelude, body) = piece {
            keys.extend(last_names(prelude));
            hides_below |= hides_what_inherits(body);
            declares(body, |name, value| {
                if hides(name, value) {
                    undone.borrow_mut().extend(undoing(&name.to_ascii_lowercase()));
                }
                false
            });
        }
    }
    if keys.is_empty() && !hides_below {
        return Vec::new();
    }
    let undone = undone.into_inner();
    let shows = |name: &str, value: &str| {
        hides_below && is_inherited(name) || undone.contains(name) || value.ends_with("!important")
    };
    let mut hiding = hiding.into_iter();
    pieces.retain(|piece| {
        let hides = hiding.next() == Some(true);
        let Piece::Rule(prelude, body) = piece else { return true };
        let is_alike = || last_names(prelude).any(|name| keys.contains(name)) && declares(body, |_, _| true);
        hides || is_alike() || declares(body, shows)
    });
    pieces
}

/// Returns the property by which rules for other names may undo one that hides. Nearly all rules have a colour or a size, which seldom do.
fn undoing(name: &str) -> Option<&'static str> {
    Some(match name {
        "display" => "display",
        "opacity" => "opacity",
        "transform" => "transform",
        "visibility" => "visibility",
        "content-visibility" => "content-visibility",
        "left" | "top" | "right" | "bottom" | "clip" => "position",
        _ => return None,
    })
}

/// Whether elements inherit a property that can hide text.
fn is_inherited(name: &str) -> bool {
    ["visibility", "font-size", "font", "text-indent"].iter().any(|n| name.eq_ignore_ascii_case(n))
}

/// Whether declarations can hide the text of elements below, which may undo it.
pub(super) fn hides_what_inherits(style: &str) -> bool {
    declares(style, |name, value| is_inherited(name) && hides(name, value, true))
}

/// Whether the declarations of a `style` attribute can hide an element.
pub(super) fn may_hide(style: &str) -> bool {
    declares(style, |name, value| hides(name, value, true))
}

/// Whether one of several selectors asks only for classes and ids that the page has. Whatever is in brackets is not looked at.
fn can_match(prelude: &str, names: &Names) -> bool {
    let (mut possible, mut depth) = (true, 0u32);
    let bytes = prelude.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 && possible => return true,
            b',' if depth == 0 => possible = true,
            b'\\' => return true,
            b'.' | b'#' if depth == 0 && possible => {
                let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'\\') || *b >= 128;
                let end = at + bytes[at..].iter().take_while(|b| is_name(b)).count();
                let name = &prelude[at..end];
                possible = match name.contains('\\') {
                    true => names.find(&name.replace('\\', "")).is_some(),
                    false => names.find(name).is_some(),
                };
                at = end;
            }
            _ => {}
        }
    }
    possible
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
    if memmem::find(css.as_bytes(), b"/*").is_none() {
        return Cow::Borrowed(css);
    }
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        out += before;
        out.push(' ');
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    (out + rest).into()
}

/// Cuts a style sheet without comments at its braces.
fn pieces(css: &str) -> Vec<Piece<'_>> {
    // Nearly no sheet has braces in strings, and skipping strings takes longer than all else.
    cut_at(css, |from| memchr2(b'{', b'}', &css.as_bytes()[from..]).map(|i| from + i), true)
        .or_else(|| cut_at(css, |from| brace(css, from), false))
        .unwrap_or_default()
}

/// Returns the position of the next brace that is neither escaped nor in a string.
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

/// Returns the text before a brace without complete statements before it: `@import url(a.css);`, marks of comments of HTML.
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

/// Returns the names that elements must have for one of several selectors to match: classes, ids and tags of the last part of each.
fn last_names(prelude: &str) -> impl Iterator<Item = &str> {
    let last = |selector: &str| {
        let selector = selector.trim_end();
        let start = selector.rfind([' ', '>', '+', '~', '\n', '\t', '}', ';']).map_or(0, |i| i + 1);
        start..selector.len()
    };
    let names = move |selector| {
        let range: std::ops::Range<usize> = last(selector);
        let part: &str = &selector[range];
        let part = part.split([':', '[']).next().unwrap_or(part);
        part.split(['.', '#']).filter(|name| !name.is_empty())
    };
    // A selector without a name, such as "[hidden]", stands for all of them.
    prelude.split(',').flat_map(move |selector: &str| {
        let mut names = names(selector).peekable();
        let none = names.peek().is_none();
        names.chain(none.then_some("*"))
    })
}

/// Whether one of the declarations of a rule is of a property that decides about visibility and has a value for which `test` holds.
fn declares(body: &str, test: impl Fn(&str, &str) -> bool) -> bool {
    let bytes = body.as_bytes();
    // An escape may be in any name.
    if memchr(b'\\', bytes).is_some() {
        return true;
    }
    let mut at = 0;
    while let Some(colon) = memchr(b':', &bytes[at..]).map(|i| at + i) {
        let end = memchr(b';', &bytes[colon..]).map_or(bytes.len(), |i| colon + i);
        let name = body[at..colon].trim_ascii();
        if is_decisive(name) && test(name, body[colon + 1..end].trim_ascii()) {
            return true;
        }
        at = (end + 1).min(bytes.len());
    }
    false
}

/// Whether a property can decide about visibility.
fn is_decisive(name: &str) -> bool {
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

/// Whether a value alone can hide an element.
fn hides(name: &str, value: &str, by_colour: bool) -> bool {
    let begins = |with: &str| value.get(..with.len()).is_some_and(|v| v.eq_ignore_ascii_case(with));
    let is_tiny = || {
        value.starts_with(['0', '.', '1']) && value.parse::<f32>().is_ok_and(|n| n == 0.0)
            || ["0", "1px", "0.", ".0"].iter().any(|v| begins(v))
    };
    match name.as_bytes()[0].to_ascii_lowercase() {
        b'd' => begins("none"),
        b'v' => begins("hidden") || begins("collapse"),
        b'o' if name.len() == 7 => value.starts_with('0') || value.starts_with('.'),
        b'o' => false,
        b'c' if name.eq_ignore_ascii_case("color") => is_light(value) && (by_colour || is_transparent(value)),
        b'c' => !begins("auto") && !begins("none") && !begins("visible"),
        b'f' if name.eq_ignore_ascii_case("filter") => value.contains("opacity"),
        b'f' if name.len() == 4 => begins("0") || value.contains(" 0"),
        b'f' => is_tiny_font(value),
        b'h' | b'w' | b'm' if !name.starts_with("margin") && !name.starts_with("white") => is_tiny(),
        b'l' if name.len() > 4 => begins("0"),
        b'm' | b'l' | b'b' | b'i' if value.starts_with('-') => is_far(value),
        b't' if name.eq_ignore_ascii_case("transform") => moves_away(value),
        b't' | b'r' if value.starts_with('-') => is_far(value),
        b'r' => is_far(value) && value.starts_with(|c: char| c.is_ascii_digit()),
        b't' if name.eq_ignore_ascii_case("text-indent") => begins("1"),
        b's' => begins("0") || begins("."),
        b'w' => begins("pre") || begins("break-spaces"),
        b'-' => is_transparent(value),
        _ => false,
    }
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
    let has_far = || value.match_indices('-').any(|(i, _)| is_far(&value[i..]));
    value.contains("(0") || value.contains("(.0") || value.contains(",0") || value.contains("90deg") || has_far()
}

/// Whether a colour may be transparent.
fn is_transparent(value: &str) -> bool {
    let begins = |with: &str| value.get(..with.len()).is_some_and(|v| v.eq_ignore_ascii_case(with));
    begins("t") || begins("rgba") || begins("hsla") || value.contains('/') || value.starts_with('#') && value.len() != 7
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
    fn rules_that_hide_and_rules_that_undo_them_are_kept() {
        let css = ".a{color:red} .b , p.c{display : none} @media print{.d{color:#000}.e{DISPLAY:NONE}}\n\
                   .c:not(.x){display:block}.f{margin:0;left:-9999px}.g{opacity:1}.c .absent{display:none}";
        let long = format!("{css}{}", ".z{padding:0}".repeat(400));
        let dom = crate::dom::parse("<p class='b c d e f g z'>", &Default::default());
        let page = Page { names: dom.names(), hides_below: false, external: false };
        let kept = filtered(&long, false, page);
        let rules: Vec<&str> = kept
            .iter()
            .filter_map(|piece| match piece {
                Piece::Rule(prelude, _) => Some(prelude.trim()),
                _ => None,
            })
            .collect();
        assert_eq!(rules, [".b , p.c", ".e", ".c:not(.x)", ".f"]);
        assert_eq!(kept[1..3], [Piece::Open("@media print"), Piece::Rule(".e", "DISPLAY:NONE")]);
        assert_eq!(filtered(&".z{padding:0}".repeat(400), false, page), []);
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
