//! Categories, tags, licence, breadcrumb.
use crate::dom::{NodeId, Tag};
use crate::metadata::sources::facts::{Facts, list};
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::{key, node_text, plain};
use maintext_html::Attr;
use memchr::memmem::Finder;

/// Maximum number of tags of a description; more are a word cloud.
const MOST: usize = 60;

/// Returns the sections that the page declares.
pub(crate) fn categories(facts: &Facts<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for k in [
        "article:section",
        "og:section",
        "category",
        "section",
        "parsely-section",
        "cxenseparse:category",
        "dc.subject.category",
    ] {
        facts.metas(k).for_each(|c| push(&mut out, &plain(c)));
    }
    for t in works(facts) {
        for p in ["articleSection", "recipeCategory", "genre", "category"] {
            facts.graph().texts(t, p, facts.dom.copies()).iter().for_each(|c| push(&mut out, &plain(c)));
        }
    }
    for p in facts.props.iter().filter(|p| p.name == "articleSection").take(10) {
        push(&mut out, &facts.prop_value(p.node));
    }
    relations(facts, "category", &mut out);
    out
}

/// Returns the keywords.
pub(crate) fn tags(facts: &Facts<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for k in ["article:tag", "og:article:tag", "video:tag", "citation_keywords"] {
        facts.metas(k).for_each(|c| list(&plain(c)).iter().for_each(|c| push(&mut out, c)));
    }
    for t in works(facts) {
        for words in facts.graph().texts(t, "keywords", facts.dom.copies()) {
            list(&plain(&words)).iter().for_each(|c| push(&mut out, c));
        }
    }
    for k in ["news_keywords", "keywords", "parsely-tags", "sailthru.tags", "dc.subject", "dcterms.subject"] {
        facts.metas(k).for_each(|c| list(&plain(c)).iter().for_each(|c| push(&mut out, c)));
    }
    relations(facts, "tag", &mut out);
    out
}

fn works(facts: &Facts<'_>) -> Vec<u32> {
    facts.graph().things.iter().filter(|t| Graph::is_work(&t.kind) && t.depth <= 1).map(|t| t.id).take(5).collect()
}

fn push(out: &mut Vec<String>, text: &str) {
    let k = key(text);
    if !k.is_empty()
        && text.chars().count() <= 100
        && out.len() < MOST
        && !text.starts_with("http")
        && !out.iter().any(|o| key(o) == k)
    {
        out.push(text.to_owned());
    }
}

/// Adds the texts of links with a `rel` word, from the heading on.
fn relations(facts: &Facts<'_>, rel: &str, out: &mut Vec<String>) {
    for e in &facts.blocks.elements {
        let near = e.blocks.start <= facts.content.1 + 20;
        if e.tag == Tag::A && near && has_rel(facts, e.node, rel) {
            push(out, &node_text(facts.dom, e.node, 100));
        }
    }
}

fn has_rel(facts: &Facts<'_>, n: NodeId, rel: &str) -> bool {
    facts.dom.attribute(n, Attr::REL).is_some_and(|r| r.split_whitespace().any(|w| w.eq_ignore_ascii_case(rel)))
}

/// Returns the licence of the content: `rel=license`, metadata, or a link to Creative Commons.
pub(crate) fn license(facts: &Facts<'_>) -> Option<String> {
    let link = facts.links.iter().copied().find(|&n| has_rel(facts, n, "license"));
    let mut anchors = facts.blocks.elements.iter().filter(|e| e.tag == Tag::A).map(|e| e.node);
    let commons = Finder::new("creativecommons.org/");
    let commons = |n: &NodeId| {
        let href = facts.dom.attribute(*n, Attr::HREF).unwrap_or("");
        let is_licence = |at: usize| {
            let path = &href[at + commons.needle().len()..];
            path.starts_with("licenses/") || path.starts_with("publicdomain/")
        };
        has_rel(facts, *n, "license") || commons.find_iter(href.as_bytes()).any(is_licence)
    };
    let anchor = link.or_else(|| anchors.find(commons));
    let address = anchor.and_then(|n| facts.address(facts.dom.attr(n, "href")?));
    let structured = || {
        facts
            .graph()
            .things
            .iter()
            .filter(|t| t.depth <= 1)
            .find_map(|t| facts.graph().text(t.id, "license").map(str::to_owned))
    };
    address.or_else(structured).or_else(|| facts.meta(&["dc.rights", "dcterms.license", "dcterms.rights", "rights"]))
}

/// Returns the breadcrumb, outermost first.
pub(crate) fn breadcrumb(facts: &Facts<'_>) -> Vec<String> {
    let graph = facts.graph();
    let Some(list) = graph.things.iter().find(|t| t.kind == "BreadcrumbList") else {
        return microdata_breadcrumb(facts);
    };
    let items = graph.values(list.id, "itemListElement");
    let name = |&i: &u32| {
        let own = graph.text(i, "name").map(str::to_owned);
        own.or_else(|| graph.values(i, "item").first().and_then(|&x| graph.text(x, "name")).map(str::to_owned))
            .map(|s| plain(&s))
    };
    items.iter().take(MOST).filter_map(name).filter(|s| !s.is_empty()).collect()
}

fn microdata_breadcrumb(facts: &Facts<'_>) -> Vec<String> {
    let items = facts.props.iter().filter(|p| p.name == "name" && (p.kind == "ListItem" || p.kind == "Breadcrumb"));
    items.map(|p| facts.prop_value(p.node)).filter(|s| !s.is_empty()).take(MOST).collect()
}
