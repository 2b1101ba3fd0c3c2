//! Parts of a heading that are not its text: signs and links from which people copy its address, links to its source or to an editor,
//! buttons, texts for screen readers only.
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;
use crate::words::{count_words, is_cjk};
use maintext_html::Attr;

/// Maximum number of nodes of a heading that are read.
const MAX_HEADING_NODES: usize = 200;

/// Maximum number of nodes of the label of a link or button.
const MAX_LABEL_NODES: usize = 12;

/// Parts of classes of elements in a heading that are not its text.
const CLASSES: &[&str] = lexicon!("heading-furniture-classes.txt");

/// Texts of links and buttons in a heading, in lower case and without brackets, that are not its text.
const TEXTS: &[&str] = lexicon!("heading-furniture.txt");

/// Returns the elements below a heading, or a term of a definition list, and behind it, that are not its text. If they hold all of its text,
/// they are its text.
pub fn furniture(dom: &Dom<'_>, heading: NodeId) -> Vec<NodeId> {
    let (mut found, mut controls, mut text, mut has_name) = (Vec::new(), Vec::new(), false, false);
    let mut walk = dom.traverse(heading);
    walk.next();
    let mut nodes = 0;
    while let Some(edge) = walk.next() {
        let Edge::Enter(n) = edge else { continue };
        nodes += 1;
        if nodes > MAX_HEADING_NODES {
            return Vec::new();
        }
        match dom.kind(n) {
            NodeKind::Text => {
                text |= dom.text(n).contains(char::is_alphanumeric);
                has_name |= is_name(dom.text(n));
            }
            NodeKind::Element if is_furniture(dom, n) => {
                found.push(with_brackets(dom, n, heading));
                walk.skip_children();
            }
            NodeKind::Element if is_control(dom, n) => {
                controls.push(n);
                walk.skip_children();
            }
            _ => {}
        }
    }
    // The button of an accordion holds the text of its heading, and a number or a sign may precede it.
    if has_name {
        found.extend(controls);
    } else if !text {
        return Vec::new();
    }
    found.extend(beside(dom, heading));
    found
}

/// Returns the element around a part of a heading if nothing else in it is text: the brackets of "[edit]".
fn with_brackets(dom: &Dom<'_>, part: NodeId, heading: NodeId) -> NodeId {
    let Some(around) = dom.parent(part).filter(|&n| n != heading && dom.tag(n) == Tag::SPAN) else { return part };
    let others = dom.children(around).take(MAX_LABEL_NODES).filter(|&n| n != part);
    // An element is the first of its descendants.
    let mut texts = others.flat_map(|n| dom.descendants(n).take(MAX_LABEL_NODES)).map(|n| dom.text(n));
    if texts.any(|text| text.contains(char::is_alphanumeric)) { part } else { around }
}

/// Maximum number of siblings of a heading that are read.
const MAX_SIBLINGS: usize = 4;

/// Returns the links and buttons directly behind a heading, and those at the beginning of its division.
fn beside<'a>(dom: &'a Dom<'_>, heading: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    let next = dom.next_siblings(heading).take(MAX_SIBLINGS).filter(|&s| dom.kind(s) == NodeKind::Element);
    let behind = next.filter(|&s| (is_furniture(dom, s) || holds_furniture(dom, s)) && is_short(dom, s));
    behind.chain(before(dom, heading))
}

/// Returns all that precedes a heading in its division, if it is permalinks and links to its source, perhaps with a version.
fn before(dom: &Dom<'_>, heading: NodeId) -> Vec<NodeId> {
    let siblings = dom.prev_siblings(heading);
    let shown = siblings.filter(|&n| dom.kind(n) == NodeKind::Element || !dom.text(n).trim().is_empty());
    let found: Vec<NodeId> = shown.take(MAX_SIBLINGS).collect();
    let is_furniture = found.len() < MAX_SIBLINGS
        && found.iter().any(|&n| is_tool(dom, n))
        && found.iter().all(|&n| is_tool(dom, n) || is_version(dom, n));
    if is_furniture { found } else { Vec::new() }
}

fn is_version(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut texts = dom.descendants(n).take(MAX_LABEL_NODES).map(|d| dom.text(d));
    dom.tag(n) == Tag::SPAN && !texts.any(|text| text.contains(char::is_alphabetic))
}

/// Whether an element is, or holds, a permalink or a link to the source, and little else.
fn is_tool(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut links = dom.descendants(n).take(MAX_LABEL_NODES).filter(|&d| dom.tag(d) == Tag::A);
    matches!(dom.tag(n), Tag::A | Tag::SPAN)
        && is_short(dom, n)
        && links.any(|link| shows_sign(dom, link) || is_furniture(dom, link))
}

/// Whether a link to a place on the page shows no word.
fn shows_sign(dom: &Dom<'_>, link: NodeId) -> bool {
    dom.attr(link, "href").is_some_and(|href| href.starts_with('#'))
        && !dom.descendants(link).take(MAX_LABEL_NODES).any(|d| dom.text(d).contains(char::is_alphanumeric))
}

/// Whether an element has the few words of a label, and no heading: a link around a heading is the title of its own part.
fn is_short(dom: &Dom<'_>, n: NodeId) -> bool {
    const MAX_TEXT_BYTES: usize = 40;
    let mut bytes = 0;
    dom.descendants(n).take(MAX_HEADING_NODES).all(|d| {
        bytes += dom.text(d).trim().len();
        bytes <= MAX_TEXT_BYTES && dom.tag(d).heading_level().is_none()
    })
}

/// Whether an element is the brackets around a link or button that is not text: "[edit]".
fn holds_furniture(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut parts = dom.children(n).take(MAX_LABEL_NODES);
    parts.any(|part| {
        dom.kind(part) == NodeKind::Element && is_furniture(dom, part) && with_brackets(dom, part, NodeId::ROOT) == n
    })
}

fn is_furniture(dom: &Dom<'_>, n: NodeId) -> bool {
    let tag = dom.tag(n);
    if !matches!(tag, Tag::A | Tag::SPAN | Tag::BUTTON | Tag::DIV | Tag::SMALL | Tag::SUP | Tag::OTHER) {
        return false;
    }
    if dom.attribute(n, Attr::CLASS).is_some_and(is_class_of_furniture) {
        return true;
    }
    matches!(tag, Tag::A | Tag::BUTTON) && (is_label(dom, n) || shows_fragment(dom, n))
}

/// Whether an element is a button with a short label, such as the units and amounts next to "Ingredients".
fn is_control(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Maximum number of words of the label.
    const MAX_LABEL_WORDS: u32 = 3;
    let is_button = match dom.tag(n) {
        Tag::BUTTON => true,
        Tag::A | Tag::SPAN | Tag::DIV => {
            dom.attribute(n, Attr::ROLE).is_some_and(|role| role.eq_ignore_ascii_case("button"))
        }
        _ => false,
    };
    if !is_button {
        return false;
    }
    let mut nodes = dom.descendants(n);
    let words: u32 = nodes.by_ref().take(MAX_LABEL_NODES).map(|d| count_words(dom.text(d))).sum();
    words <= MAX_LABEL_WORDS && nodes.next().is_none()
}

/// Whether a text is more than the number or the sign before a heading.
fn is_name(text: &str) -> bool {
    /// Minimum number of letters of a name: shorter texts are "Q" and "No".
    const MIN_LETTERS: usize = 3;
    text.chars().any(is_cjk) || text.chars().filter(|c| c.is_alphabetic()).take(MIN_LETTERS).count() == MIN_LETTERS
}

/// Whether a link shows its own address, a place on the page: `<a href="#setup">#setup</a>`.
fn shows_fragment(dom: &Dom<'_>, n: NodeId) -> bool {
    let text = dom.first_child(n).map_or("", |t| dom.text(t)).trim();
    text.len() > 1 && text.starts_with('#') && dom.attr(n, "href").is_some_and(|href| href.ends_with(text))
}

fn is_class_of_furniture(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    CLASSES.iter().any(|part| class.contains(part)) && !class.contains("not-sr-only")
}

/// Whether the element's text is one of [`TEXTS`], or such a text with the heading's own name behind it: "Direct link to Setup".
fn is_label(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut text = String::new();
    for (count, d) in dom.descendants(n).enumerate() {
        if count >= MAX_LABEL_NODES {
            return false;
        }
        text.push_str(dom.text(d));
    }
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '!').to_lowercase();
    TEXTS.contains(&text.as_str())
        || ["direct link to ", "permalink to ", "link to "].iter().any(|p| text.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(html: &str) -> String {
        let dom = crate::dom::parse(html, &Default::default());
        let heading = dom.find(NodeId::ROOT, Tag::H2).or_else(|| dom.find(NodeId::ROOT, Tag::DT)).unwrap();
        let found = furniture(&dom, heading);
        let mut out = String::new();
        let mut walk = dom.traverse(heading);
        while let Some(edge) = walk.next() {
            let Edge::Enter(n) = edge else { continue };
            if found.contains(&n) {
                walk.skip_children();
            }
            out.push_str(dom.text(n));
        }
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn links_and_buttons_around_a_heading_are_not_its_text() {
        for html in [
            "<h2>Setup<a class=headerlink href='#s' title='Link to this heading'>Link to this heading</a></h2>",
            "<h2><span class=mw-headline>Setup</span><span class=mw-editsection>[<a href=/edit>edit</a>]</span></h2>",
            "<h2>Setup <small><span class=tools>[<a href=/edit>edit</a>]</span></small></h2>",
            "<h2>Setup <button>Copy link</button></h2>",
            "<h2>Setup<span class=x8><a href='/edit/s?section=1'>[편집]</a></span></h2>",
            "<h2>Setup <span>[<a href='/w?a=edit'>Quelltext bearbeiten</a>]</span></h2>",
            "<h2>Setup <div><button>1x</button><button>2x</button><button>3x</button></div></h2>",
            "<h2><span>Setup</span>&nbsp;<div><button>US Customary</button><button>Metric</button></div></h2>",
            "<h2>Setup <span role=button>Unfold</span></h2>",
            "<h2><a role=button href=#>Print</a> Setup</h2>",
            "<h2>Setup <span class='sr-only'>section</span></h2>",
            "<h2><a href='#s'>Direct link to Setup</a>Setup</h2>",
            "<h2>Setup<a class=subhead-anchor href='#section2'>#section2</a></h2>",
            "<dt>Setup <a href=/src/x.html><span class=viewcode-link>[source]</span></a></dt>",
        ] {
            assert_eq!(text_of(html), "Setup", "{html}");
        }
    }

    #[test]
    fn a_link_in_brackets_beside_a_heading_is_not_text() {
        for (html, want) in [
            ("<div><h2>Setup</h2><span class=x1>[<a href=/edit>edit</a>]</span></div>", 1),
            ("<div><h2>Setup</h2><span class=x1>Written for <a href=/edit>edit</a></span></div>", 0),
            ("<div><h2>Setup</h2><span class=x1>[<a href=/new>new</a>]</span></div>", 0),
            ("<div><h2>Setup</h2><a class=heading-link href='#s'>Link</a></div>", 1),
            ("<div><a class=src href=/src>Source</a><a class=anchor href='#s'>§</a><h2>Setup</h2></div>", 2),
            ("<div><span>1.2.0 · <a class=src href=/src>Source</a></span><h2>Setup</h2></div>", 1),
            ("<div><a class=anchor href='#s'>§</a><span class=since>1.2.0</span><h2>Setup</h2></div>", 2),
            ("<div><p>They left early.</p><a href=/src>Source</a><h2>Setup</h2></div>", 0),
            ("<div><a href=/news>News</a><h2>Setup</h2></div>", 0),
            ("<div><h2>Best mill</h2><a class=heading-link href=/shop/mill><h3>The brass mill</h3></a></div>", 0),
        ] {
            let dom = crate::dom::parse(html, &Default::default());
            assert_eq!(furniture(&dom, dom.find(NodeId::ROOT, Tag::H2).unwrap()).len(), want, "{html}");
        }
    }

    #[test]
    fn a_heading_keeps_its_only_text() {
        for (html, want) in [
            ("<h2><button>Copy</button></h2>", "Copy"),
            ("<h2><button>US Customary</button></h2>", "US Customary"),
            ("<h2>1. <button>How it works</button></h2>", "1. How it works"),
            ("<h2>Q: <button>Is it safe?</button></h2>", "Q: Is it safe?"),
            (
                "<h2>Part one <button>How the engine came to the school</button></h2>",
                "Part one How the engine came to the school",
            ),
            ("<h2>Setup <span class=button>now</span></h2>", "Setup now"),
            ("<h2><a href='#s' class=anchor-link>Setup</a></h2>", "Setup"),
            ("<h2>Read the <a href=/x>source code</a></h2>", "Read the source code"),
            ("<h2><span class='not-sr-only'>Setup</span> now</h2>", "Setup now"),
            ("<h2>Tagged <a href='/tags/rust'>#rust</a></h2>", "Tagged #rust"),
        ] {
            assert_eq!(text_of(html), want, "{html}");
        }
    }
}
