//! Puts parts of a page to the places where browsers show them: the shadow trees of custom elements, the footers of tables, and content that a
//! server streams in hidden containers for a script to move.
//!
//! Frameworks stream a page with placeholders, empty templates with an id. Later come the contents, in hidden elements or in templates with
//! another id, each with a script that calls a function with both ids. No function or id is known by name.
use crate::hash::{HashMap, HashSet};
use maintext_html::{Attr, Document, NodeId, NodeKind, Tag};

/// Maximum number of placeholders and named slots that are filled, and of footers that are moved, since each costs a walk to the root.
const MAX_PLACES: usize = 2000;
/// Maximum number of levels of contents that are streamed into each other.
const MAX_NESTED_CONTENTS: usize = 8;
/// Maximum depth of a place that is filled: moves must not pile up trees deeper than any page nests.
const MAX_DEPTH: usize = 1000;
/// Maximum number of bytes of an id that a script may name.
const MAX_ID_BYTES: usize = 100;
/// The comments that begin a boundary of React.
const OPENERS: [&str; 4] = ["$", "$?", "$!", "$~"];

/// Moves shadow trees to their hosts.
pub(super) fn place_shadows(document: &mut Document<'_>) {
    let templates: Vec<(NodeId, NodeId)> = document.templates().collect();
    let shadows = templates
        .iter()
        .filter(|t| ["shadowrootmode", "shadowroot"].into_iter().any(|a| document.attr_named(t.0, a).is_some()));
    let hosts: Vec<(NodeId, NodeId)> = shadows.filter_map(|t| Some((document.parent(t.0)?, t.1))).collect();
    let (mut left, mut seen) = (MAX_PLACES, HashSet::default());
    for (host, shadow) in hosts {
        // Only the first template of a host counts.
        if seen.insert(host) {
            fill_host(document, host, shadow, &mut left);
        }
    }
}

/// Puts the children of a host into the slots of its shadow tree, and the shadow tree into the host. Children without a slot stay behind it.
fn fill_host(document: &mut Document<'_>, host: NodeId, shadow: NodeId, left: &mut usize) {
    let mut named: HashMap<String, NodeId> = HashMap::default();
    let mut unnamed = None;
    let is_shallow = depth(document, host) < MAX_DEPTH;
    for n in document.descendants(shadow).filter(|&n| is_shallow && document.is_element(n, Tag::SLOT)) {
        match document.attr_named(n, "name").filter(|name| !name.is_empty()) {
            Some(name) => drop(named.entry(name.to_owned()).or_insert(n)),
            None => unnamed = unnamed.or(Some(n)),
        }
    }
    let slotted: Vec<(NodeId, NodeId)> = document
        .children(host)
        .filter_map(|c| Some((c, *named.get(document.attr_named(c, "slot")?)?)))
        .take(*left)
        .collect();
    *left -= slotted.len();
    let mut filled = HashSet::default();
    for (child, slot) in slotted {
        if filled.insert(slot) {
            clear(document, slot);
        }
        document.append(child, slot);
    }
    if let Some(slot) = unnamed {
        let has_content = document.children(host).any(|c| match document.kind(c) {
            NodeKind::Text => !document.text(c).trim().is_empty(),
            NodeKind::Element => !document.is_element(c, Tag::TEMPLATE),
            _ => false,
        });
        if has_content {
            clear(document, slot);
        }
        document.append_children(host, slot);
        document.append_children(shadow, host);
    } else if let Some(first) = document.first_child(host) {
        document.insert_children(shadow, first);
    }
}

/// Moves the footer of a table to its end, since browsers show it there even if the source has it before the rows.
pub(super) fn place_footers(document: &mut Document<'_>) {
    // Most pages have none, and looking at the nodes one by one is quicker than a walk.
    if !(0..document.len() as u32).any(|n| document.is_element(NodeId(n), Tag::TFOOT)) {
        return;
    }
    let footers: Vec<(NodeId, NodeId)> = document
        .descendants(document.root())
        .filter(|n| document.is_element(*n, Tag::TFOOT))
        .take(MAX_PLACES)
        .filter_map(|n| Some((n, document.parent(n).filter(|&table| document.is_element(table, Tag::TABLE))?)))
        .collect();
    // Only the first footer of a table is shown as one.
    let mut seen = HashSet::default();
    for (footer, table) in footers {
        if seen.insert(table) {
            document.append(footer, table);
        }
    }
}

/// Returns the number of ancestors, counted up to the largest depth.
fn depth(document: &Document<'_>, n: NodeId) -> usize {
    document.ancestors(n).take(MAX_DEPTH).count()
}

/// Removes the content that a slot shows while nothing is assigned to it.
fn clear(document: &mut Document<'_>, slot: NodeId) {
    while let Some(child) = document.first_child(slot) {
        document.remove(child);
    }
}

/// Moves streamed contents to their placeholders if these are wanted; returns whether it moved any. `is_wanted` gets a placeholder, and its
/// parent if it is the last child.
pub(super) fn place_streamed(document: &mut Document<'_>, is_wanted: impl Fn(NodeId, Option<NodeId>) -> bool) -> bool {
    let templates: Vec<(NodeId, NodeId)> = document.templates().collect();
    let empty = templates.iter().filter(|t| document.first_child(t.1).is_none());
    let mut places: HashMap<String, NodeId> = HashMap::default();
    for &(template, _) in empty.take(MAX_PLACES) {
        if let Some(id) = document.attr(template, Attr::ID).filter(|id| !id.is_empty()) {
            places.entry(id.to_owned()).or_insert(template);
        }
    }
    if places.is_empty() {
        return false;
    }
    let scripts = document.descendants(document.root()).filter(|&n| document.is_element(n, Tag::SCRIPT));
    let texts = scripts.filter_map(|n| document.first_child(n)).map(|t| document.text(t));
    // The containers that scripts name, with their placeholders.
    let mut named: HashMap<String, String> = HashMap::default();
    for (a, b) in texts.flat_map(id_pairs) {
        let (is_first, is_second) = (places.contains_key(a), places.contains_key(b));
        if is_first && !is_second {
            named.insert(b.to_owned(), a.to_owned());
        } else if is_second && !is_first {
            named.insert(a.to_owned(), b.to_owned());
        }
    }
    if named.is_empty() {
        return false;
    }
    let mut moves = Vec::new();
    for n in document.descendants(document.root()) {
        let Some(id) = document.attr(n, Attr::ID) else { continue };
        let Some(place) = named.get(id).and_then(|p| places.remove(p)) else { continue };
        let contents = match document.template_content(n) {
            Some(contents) => Some(contents),
            None => is_container(document, n).then_some(n),
        };
        moves.extend(contents.map(|c| (c, place)));
    }
    let mut wanted: HashSet<NodeId> = HashSet::default();
    for &(contents, place) in &moves {
        let is_last = document.next_sibling(place).is_none();
        if is_wanted(place, if is_last { document.parent(place) } else { None }) {
            wanted.insert(contents);
        }
    }
    // Contents that are streamed into wanted contents are wanted, too.
    for _ in 0..MAX_NESTED_CONTENTS {
        let before = wanted.len();
        let more: Vec<NodeId> = moves
            .iter()
            .filter(|m| !wanted.contains(&m.0) && document.ancestors(m.1).take(MAX_DEPTH).any(|a| wanted.contains(&a)))
            .map(|m| m.0)
            .collect();
        wanted.extend(more);
        if wanted.len() == before {
            break;
        }
    }
    moves.retain(|m| wanted.contains(&m.0));
    let found = !moves.is_empty();
    for (contents, place) in moves {
        if depth(document, place) >= MAX_DEPTH {
            continue;
        }
        remove_fallback(document, place);
        document.insert_children(contents, place);
    }
    found
}

/// Whether an element waits to be moved: it is hidden, or it is the part of a hidden table that holds rows.
fn is_container(document: &Document<'_>, n: NodeId) -> bool {
    /// A row's table is its grandparent.
    const MAX_LEVELS_TO_TABLE: usize = 2;
    is_hidden(document, n)
        || document
            .ancestors(n)
            .take(MAX_LEVELS_TO_TABLE)
            .any(|a| document.is_element(a, Tag::TABLE) && is_hidden(document, a))
}

fn is_hidden(document: &Document<'_>, n: NodeId) -> bool {
    let style = document.attr(n, Attr::STYLE).unwrap_or("");
    document.attr(n, Attr::HIDDEN).is_some() || super::style_hides(style)
}

/// Removes the content that React shows until the contents arrive: the nodes between the placeholder and the comment that ends its
/// boundary.
fn remove_fallback(document: &mut Document<'_>, place: NodeId) {
    let before = document.prev_sibling(place).and_then(|n| comment(document, n));
    if !before.is_some_and(|c| OPENERS.contains(&c.as_str())) {
        return;
    }
    let (mut end, mut depth) = (document.next_sibling(place), 0usize);
    while let Some(n) = end {
        match comment(document, n) {
            Some(c) if c == "/$" && depth == 0 => break,
            Some(c) if c == "/$" => depth -= 1,
            Some(c) if OPENERS.contains(&c.as_str()) => depth += 1,
            _ => {}
        }
        end = document.next_sibling(n);
    }
    // Without its end, the boundary is not whole, and nothing is known to be a fallback.
    while end.is_some() && document.next_sibling(place) != end {
        match document.next_sibling(place) {
            Some(n) => document.remove(n),
            None => return,
        }
    }
}

fn comment(d: &Document<'_>, n: NodeId) -> Option<String> {
    match d.kind(n) {
        NodeKind::Comment => Some(d.text(n).to_owned()),
        _ => None,
    }
}

/// Returns the pairs of short string literals that only a comma separates.
fn id_pairs(script: &str) -> impl Iterator<Item = (&str, &str)> {
    let bytes = script.as_bytes();
    let (mut at, mut last) = (0, None::<(usize, &str)>);
    std::iter::from_fn(move || {
        loop {
            let open = at + memchr::memchr3(b'"', b'\'', b'`', bytes.get(at..)?)?;
            let Some(close) = bytes[open + 1..].iter().take(MAX_ID_BYTES + 1).position(|b| *b == bytes[open]) else {
                at = open + 1;
                continue;
            };
            let (from, to) = (open + 1, open + 1 + close);
            at = to + 1;
            let (literal, before) = (script.get(from..to).unwrap_or(""), last);
            last = Some((at, literal));
            if let Some((end, first)) = before
                && bytes[end..open].iter().all(|b| matches!(b, b',' | b' '))
                && bytes[end..open].contains(&b',')
            {
                return Some((first, literal));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::blocks::Blocks;

    fn texts(html: &str) -> Vec<String> {
        let mut dom = crate::dom::parse(html, &Default::default());
        dom.place_streamed(|_, _| true);
        let b = Blocks::new(&dom);
        (0..b.len()).map(|i| (if b.blocks[i].hidden { "hidden: " } else { "" }).to_owned() + b.text(i)).collect()
    }

    #[test]
    fn streamed_contents_replace_their_fallback() {
        let html = "<main><h1>Title</h1><!--$?--><template id='B:0'></template><p>Loading</p><!--/$--><p>after</p></main>\
            <div hidden id='S:0'><p>one <template id='P:1'></template> three</p></div><script>$RC=function(a,b){};$RC(\"B:0\",\"S:0\")</script>\
            <div hidden id='S:1'><b>two</b></div><script>$RS(\"S:1\",\"P:1\")</script>";
        assert_eq!(texts(html), ["Title", "one two three", "after"]);
    }

    #[test]
    fn only_wanted_places_are_filled_and_what_they_stream() {
        let html = "<p id=1>x<template id=a></template></p><p>y<template id=b></template></p><p hidden id=c>A<template id=d></template></p>\
            <p hidden id=e>B</p><p hidden id=g>D</p><script>f('a','c');f('b','e');f('d','g')</script>";
        let mut dom = crate::dom::parse(html, &Default::default());
        let first = dom.find(crate::dom::NodeId::ROOT, crate::dom::Tag::P);
        assert!(dom.place_streamed(|_, last_of| last_of == first));
        let b = Blocks::new(&dom);
        assert_eq!((0..b.len()).map(|i| b.text(i)).collect::<Vec<_>>(), ["xAD", "y", "B"]);
    }

    #[test]
    fn rows_and_templates_are_containers_too() {
        let html = "<table><tr><td>a<template id=p1></template></table><table hidden><tbody id=c1><tr><td>b</table>\
            <div><template id=p2></template></div><template id=c2><p>c</template><script>f('c1', 'p1');f('p2','c2')</script>";
        assert_eq!(texts(html), ["a", "b", "c"]);
    }

    #[test]
    fn other_hidden_elements_stay() {
        let visible = "<p>x<template id=a></template></p><p id=b>y</p><script>f('a','b')</script>";
        assert_eq!(texts(visible), ["x", "y"]);
        let unnamed = "<p>x<template id=a></template></p><p id=b hidden>y</p><script>f('a');f('b')</script>";
        assert_eq!(texts(unnamed), ["x", "hidden: y"]);
        let inside = "<div id=b hidden>y<template id=a></template></div><script>f('a','b')</script>";
        assert_eq!(texts(inside), ["hidden: y"]);
    }

    #[test]
    fn the_footer_of_a_table_follows_its_rows() {
        let foot = "<tfoot><tr><td>sum</tfoot>";
        for html in [
            format!("<table><thead><tr><th>h</thead>{foot}<tbody><tr><td>a</table>"),
            format!("<table>{foot}<tr><td>h<tr><td>a</table>"),
            format!("<table><tr><td>h<tbody><tr><td>a</tbody>{foot}</table>"),
            format!("<table>{}<tr><td>h<tr><td>a</table>", foot.replace("tfoot", "TFOOT")),
        ] {
            assert_eq!(texts(&html), ["h", "a", "sum"], "{html}");
        }
        // A second footer is shown where it is, and a nested table has its own.
        assert_eq!(texts(&format!("<table>{foot}<tr><td>a</tr><tfoot><tr><td>b</table>")), ["a", "b", "sum"]);
        assert_eq!(
            texts(&format!("<table><tr><td><table>{foot}<tr><td>a</table><tr><td>b</table>")),
            ["a", "sum", "b"]
        );
        assert_eq!(texts("<div><tfoot>a</tfoot>b</div>"), ["ab"]);
    }

    #[test]
    fn shadow_trees_hold_the_children_of_their_host() {
        let html = "<my-card><template shadowrootmode=open><style>p{}</style><h2>Head</h2><slot name=by>nobody</slot>\
            <slot><p>empty</p></slot><footer>foot</footer></template><p>light</p><p slot=by>author</p></my-card>";
        assert_eq!(texts(html), ["Head", "author", "light", "foot"]);
        let nested = "<x-a><template shadowrootmode=closed><x-b><template shadowrootmode=open><i>deep</i> <slot></slot></template>\
            <slot></slot></x-b></template><b>light</b></x-a>";
        assert_eq!(texts(nested), ["deep light"]);
        assert_eq!(
            texts("<x-a><template shadowrootmode=open><p>shown <slot>by default</slot></template></x-a>"),
            ["shown by default"]
        );
        assert_eq!(texts("<template><p>never</template><p>a"), ["a"]);
    }
}
