//! Categories, tags, licence, breadcrumb.
use crate::metadata::layout::Layout;
use crate::metadata::sources::facts::list;
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::{key, node_text, plain};
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use memchr::memmem::Finder;

/// Maximum number of tags of a description; more are a word cloud.
const MAX_TAGS: usize = 60;

/// Returns the sections that the page declares.
pub fn categories(page: &Layout<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for k in lexicon!("section-names.txt") {
        page.metas(k).for_each(|c| push_sections(&mut out, &plain(c)));
    }
    for t in works(page) {
        for p in ["articleSection", "recipeCategory", "genre", "category"] {
            page.graph().texts(t, p, page.dom.copies()).iter().for_each(|c| push_sections(&mut out, &plain(c)));
        }
    }
    for p in page.props.iter().filter(|p| p.name == "articleSection").take(10) {
        push(&mut out, &page.prop_value(p.node));
    }
    relations(page, "category", &mut out);
    out
}

/// Returns the keywords.
pub fn tags(page: &Layout<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for k in ["article:tag", "og:article:tag", "video:tag", "citation_keywords"] {
        page.metas(k).for_each(|c| list(&plain(c)).iter().for_each(|c| push(&mut out, c)));
    }
    for t in works(page) {
        for words in page.graph().texts(t, "keywords", page.dom.copies()) {
            list(&plain(&words)).iter().for_each(|c| push(&mut out, c));
        }
    }
    for k in ["news_keywords", "keywords", "parsely-tags", "sailthru.tags", "dc.subject", "dcterms.subject"] {
        page.metas(k).for_each(|c| list(&plain(c)).iter().for_each(|c| push(&mut out, c)));
    }
    relations(page, "tag", &mut out);
    out
}

fn works(page: &Layout<'_>) -> Vec<u32> {
    page.graph().things.iter().filter(|t| Graph::is_work(&t.kind) && t.depth <= 1).map(|t| t.id).take(5).collect()
}

/// Adds sections that a system joined with commas and without spaces; the comma of a single name has a space behind it.
fn push_sections(out: &mut Vec<String>, text: &str) {
    let is_single = text.contains(", ");
    text.split(|c| c == ',' && !is_single).for_each(|section| push(out, section));
}

fn push(out: &mut Vec<String>, text: &str) {
    let k = key(text);
    if !k.is_empty()
        && text.chars().count() <= 100
        && out.len() < MAX_TAGS
        && !text.starts_with("http")
        && !out.iter().any(|o| key(o) == k)
    {
        out.push(text.to_owned());
    }
}

/// Adds the texts of links with a `rel` word, from the heading on.
fn relations(page: &Layout<'_>, rel: &str, out: &mut Vec<String>) {
    for node in related(page, rel) {
        let near = page.element(node).is_some_and(|e| page.blocks.elements[e].blocks.start <= page.content.1 + 20);
        if near {
            push(out, &node_text(page.dom, node, 100));
        }
    }
}

/// Returns the links in the text with a `rel` word.
fn related<'a>(page: &'a Layout<'_>, rel: &'a str) -> impl Iterator<Item = NodeId> + 'a {
    let links = page.with_rel.iter().filter(|&&n| page.dom.tag(n) == Tag::A && page.element(n).is_some());
    links.copied().filter(move |&n| page.has_rel(n, rel))
}

/// Returns the licence of the content: `rel=license`, metadata, or a link to Creative Commons.
pub fn license(page: &Layout<'_>) -> Option<String> {
    let link = page.links.iter().copied().find(|&n| page.has_rel(n, "license"));
    let mut anchors = page.blocks.elements.iter().filter(|e| e.tag == Tag::A).map(|e| e.node);
    let licences: HashSet<NodeId> = related(page, "license").collect();
    let commons = Finder::new("creativecommons.org/");
    let anchor = link.or_else(|| {
        anchors.find(|n| {
            let href = page.dom.attribute(*n, Attr::HREF).unwrap_or("");
            licences.contains(n)
                || commons.find_iter(href.as_bytes()).any(|at| {
                    let path = &href[at + commons.needle().len()..];
                    path.starts_with("licenses/") || path.starts_with("publicdomain/")
                })
        })
    });
    let address = anchor.and_then(|n| page.address(page.dom.attr(n, "href")?));
    address
        .or_else(|| {
            page.graph()
                .things
                .iter()
                .filter(|t| t.depth <= 1)
                .find_map(|t| page.graph().text(t.id, "license").map(str::to_owned))
        })
        .or_else(|| page.meta(&["dc.rights", "dcterms.license", "dcterms.rights", "rights"]))
}

/// Returns the breadcrumb, outermost first: the declared one, or the one that the page shows.
pub fn breadcrumb(page: &Layout<'_>) -> Vec<String> {
    let declared = declared_breadcrumb(page);
    if declared.is_empty() { shown_breadcrumb(page) } else { declared }
}

/// Returns the items of the first element that is named a breadcrumb, as nearly all sites name it in any language.
fn shown_breadcrumb(page: &Layout<'_>) -> Vec<String> {
    /// Maximum number of bytes of an item.
    const MAX_ITEM: usize = 200;
    let dom = page.dom;
    // Each distinct name is read once.
    let named: Vec<bool> = dom.names().texts().map(names_breadcrumb).collect();
    let is_any_named = named.contains(&true);
    let is_named = |n: &NodeId| {
        is_any_named && has_name(dom, *n, &named) || dom.attribute(*n, Attr::ARIA_LABEL).is_some_and(names_breadcrumb)
    };
    let Some(trail) = page.blocks.elements.iter().map(|e| e.node).find(is_named) else { return Vec::new() };
    let all = |tag: Tag| dom.descendants(trail).filter(move |&n| dom.tag(n) == tag).take(MAX_TAGS);
    let items: Vec<NodeId> = if all(Tag::LI).nth(1).is_some() { all(Tag::LI).collect() } else { all(Tag::A).collect() };
    let separates = |c: char| c.is_whitespace() || matches!(c, '/' | '>' | '›' | '»' | '→' | '|' | '·' | ':');
    let names = items.into_iter().map(|n| node_text(dom, n, MAX_ITEM).trim_matches(separates).to_owned());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if names.len() > 1 { names } else { Vec::new() }
}

/// Whether a class or the id of an element is one of the chosen names, given by their number.
fn has_name(dom: &Dom<'_>, n: NodeId, chosen: &[bool]) -> bool {
    let names = dom.names();
    let mut own = names.words(names.class_of(n)).iter().copied().chain(names.id_of(n));
    own.any(|name| chosen[name.index()])
}

fn names_breadcrumb(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
    words.any(|word| word.eq_ignore_ascii_case("breadcrumb") || word.eq_ignore_ascii_case("breadcrumbs"))
}

/// Returns the breadcrumb that the page declares to machines.
pub fn declared_breadcrumb(page: &Layout<'_>) -> Vec<String> {
    let graph = page.graph();
    let Some(list) = graph.things.iter().find(|t| t.kind == "BreadcrumbList") else {
        return microdata_breadcrumb(page);
    };
    let items = graph.values(list.id, "itemListElement");
    let names = items.iter().take(MAX_TAGS).filter_map(|&item| {
        graph.text(item, "name").or_else(|| graph.text(*graph.values(item, "item").first()?, "name"))
    });
    names.map(plain).filter(|s| !s.is_empty()).collect()
}

fn microdata_breadcrumb(page: &Layout<'_>) -> Vec<String> {
    let items = page.props.iter().filter(|p| p.name == "name" && (p.kind == "ListItem" || p.kind == "Breadcrumb"));
    let mut path: Vec<String> = Vec::new();
    for name in items.map(|p| page.prop_value(p.node)).filter(|s| !s.is_empty()).take(MAX_TAGS) {
        // The path is often shown again below the text.
        if path.first() == Some(&name) {
            break;
        }
        path.push(name);
    }
    path
}
