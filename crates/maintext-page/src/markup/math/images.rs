//! Images that draw a formula, with its source in their address or their alternative text.
use super::{Formula, tex};
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;
use maintext_html::Attr;

/// Maximum number of siblings of an image that are searched for other images.
const MAX_SIBLINGS: usize = 8;

/// Returns the formula that an image draws.
pub(super) fn formula(dom: &Dom<'_>, img: NodeId) -> Option<Formula> {
    let (mut class, mut alt, mut title, mut address) = ("", "", "", None);
    for (attr, name, value) in dom.attributes_named(img) {
        match attr {
            Attr::CLASS => class = value,
            Attr::ALT => alt = value.trim(),
            Attr::TITLE => title = value.trim(),
            Attr::SRC => address = address.or_else(|| of_address(value)),
            _ if !attr.is_known() && matches!(name, "data-tex" | "data-latex" | "data-formula" | "data-math") => {
                address = address.or_else(|| tex::is_beyond_doubt(value).then(|| value.to_owned()));
            }
            _ => {}
        }
    }
    let of_alt = || {
        let text = if alt.is_empty() || alt.eq_ignore_ascii_case("tex") { title } else { alt };
        let trusted = is_formula_class(class) && !text.is_empty();
        let sure = tex::delimited(text).is_some()
            || trusted
            || class.starts_with("mwe-math")
            || tex::is_beyond_doubt(text) && text.starts_with(['\\', '{']);
        sure.then(|| text.to_owned())
    };
    let source = address.or_else(of_alt).or_else(|| {
        let mut others = dom.attrs(img).filter(|(name, _)| name.starts_with("data-"));
        if alt.starts_with("http") || !may_be_lazy(class) {
            None
        } else {
            others.find_map(|(_, value)| of_address(value))
        }
    })?;
    let tex = tex::clean(&source);
    let display = class.contains("display")
        || class.contains("latexcenter")
        || tex::delimited(source.trim()).is_some_and(|d| d.1)
        || is_alone(dom, img);
    (tex::is_balanced(&tex) && !tex.is_empty()).then_some(Formula { tex, display, math: None })
}

/// Whether the image before an image draws the same formula and one of them replaces the other: it loads late, or browsers without scripts
/// show it.
pub(super) fn is_copy(dom: &Dom<'_>, img: NodeId, tex: &str) -> bool {
    let own = dom.parent(img).filter(|n| is_noscript(dom, *n));
    let Some(before) = super::sibling(dom, own.unwrap_or(img), false) else { return false };
    let other = match dom.tag(before) {
        Tag::IMG => before,
        Tag::NOSCRIPT => match dom.children(before).take(MAX_SIBLINGS).find(|&n| dom.tag(n) == Tag::IMG) {
            Some(other) => other,
            None => return false,
        },
        _ => return false,
    };
    (own.is_some() || is_noscript(dom, before) || is_late(dom, img) != is_late(dom, other))
        && formula(dom, other).is_some_and(|f| f.tex == tex)
}

fn is_noscript(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.tag(n) == Tag::NOSCRIPT
}

fn is_late(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attribute(n, Attr::CLASS).is_some_and(may_be_lazy)
        || dom.attribute(n, Attr::SRC).is_none_or(|s| s.starts_with("data:"))
        || dom.attrs(n).any(|(name, _)| matches!(name, "data-src" | "data-lazy-src" | "data-original"))
}

fn may_be_lazy(class: &str) -> bool {
    class.contains("lazy")
}

/// Whether a class says that the alternative text is TeX.
fn is_formula_class(class: &str) -> bool {
    class.split_ascii_whitespace().any(|c| lexicon!("formula-image-classes.txt").contains(&c))
}

/// Whether an image is the only content of a paragraph.
fn is_alone(dom: &Dom<'_>, img: NodeId) -> bool {
    let Some(parent) =
        dom.parent(img).filter(|&p| matches!(dom.tag(p), Tag::P | Tag::DIV | Tag::CENTER | Tag::FIGURE | Tag::DD))
    else {
        return false;
    };
    let mut children = dom.children(parent).take(MAX_SIBLINGS + 1);
    children.by_ref().all(|n| {
        n == img || dom.kind(n) == NodeKind::Other || dom.kind(n) == NodeKind::Text && dom.text(n).trim().is_empty()
    })
}

/// The services that draw formulas, each by a part of its address and the sign before the source; `?` alone: the whole query.
const SERVICES: &[&str] = lexicon!("formula-services.txt");

/// Returns the TeX in the address of a service that draws formulas.
fn of_address(address: &str) -> Option<String> {
    // Few addresses hold any of these letters.
    if address.starts_with("data:")
        || !["tex", "math", "cogs", "cht=tx"]
            .into_iter()
            .any(|s| memchr::memmem::find(address.as_bytes(), s.as_bytes()).is_some())
    {
        return None;
    }
    let mut services = SERVICES.iter().filter_map(|entry| entry.split_once(' '));
    let (_, sign) = services.find(|(service, sign)| address.contains(service) && address.contains(sign))?;
    let source = &address[address.find(sign)? + sign.len()..];
    let named = sign.ends_with('=');
    // A named parameter ends at the next one; in a bare query an ampersand separates columns unless a parameter follows.
    let source = if named { source.split('&').next().unwrap_or("") } else { source };
    let source = decode(source);
    let mut source = source.trim();
    source = source.split("&is-pending-load").next().unwrap_or(source);
    // Parameters of CodeCogs before the formula: resolution, size, colour.
    loop {
        let rest = OPTIONS.iter().find_map(|o| source.strip_prefix(o)).map(|rest| match rest.strip_prefix('{') {
            Some(value) => value.split_once('}').map_or("", |(_, rest)| rest),
            None => rest,
        });
        match rest {
            Some(rest) => source = rest.trim_start(),
            None => break,
        }
    }
    (!source.is_empty() && !source.starts_with("http")).then(|| source.to_owned())
}

const OPTIONS: &[&str] = lexicon!("formula-image-options.txt");

/// Decodes `%5C`, `+` where spaces are written so, and `&space;`.
fn decode(s: &str) -> String {
    let bytes = s.as_bytes();
    let mut out = Vec::with_capacity(s.len());
    // A plus is a sum, unless the source is encoded as forms are.
    let plus = s.contains("%5C") && !s.contains("%20") && !s.contains("&space;");
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'%' => match (hex_digit(bytes, at + 1), hex_digit(bytes, at + 2)) {
                (Some(a), Some(b)) => {
                    out.push((a * 16 + b) as u8);
                    at += 2;
                }
                _ => out.push(b'%'),
            },
            b'+' if plus => out.push(b' '),
            b => out.push(b),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).replace("&space;", " ").replace("&plus;", "+").replace("&amp;", "&")
}

fn hex_digit(bytes: &[u8], i: usize) -> Option<u32> {
    bytes.get(i).and_then(|&b| (b as char).to_digit(16))
}
