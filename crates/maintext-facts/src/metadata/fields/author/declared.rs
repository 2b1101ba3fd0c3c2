//! Authors that the page declares: in JSON-LD, in `<meta>` elements and in properties of its markup.
use super::{Builder, MAX_SCOPE_NODES, place};
use crate::metadata::ranking::rank::{Source, hash};
use crate::metadata::sources::facts::{Facts, Prop, is_item, is_property};
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::names::{catalogued, is_position, names, strip_label};
use crate::metadata::text::{plain, push_new, slug};
use maintext_page::dom::NodeId;
use maintext_page::lexicon::lexicon;

/// Maximum number of elements between the name of an author and the scope of the answer.
const MAX_LEVELS_TO_ANSWER: usize = 8;

/// Names of `<meta>` elements whose schemes write the family name first.
const CATALOGUES: &[&str] = lexicon!("catalogued-authors.txt");

impl Builder<'_, '_> {
    pub(super) fn structured(&mut self) {
        let page = self.page;
        let graph = page.graph();
        for thing in graph.things.iter().take(2000) {
            let work = Graph::is_work(&thing.kind);
            // The author of a review, comment or answer did not write the page.
            if thing.depth > 0 && (is_of_guests(&thing.kind) || is_of_guests(&thing.under)) {
                continue;
            }
            for property in ["author", "creator", "contributor", "editor"] {
                let values = graph.values(thing.id, property);
                if values.is_empty() {
                    continue;
                }
                let kinds: Vec<String> = values.iter().map(|&v| graph.kind(v)).collect();
                let mut list = Vec::new();
                let stated = values.iter().filter_map(|&v| graph.name(v, page.dom.copies()));
                push_new(&mut list, stated.flat_map(|n| names(&plain(&n))));
                let name = format!("ld.{property}");
                if let Some(f) = self.add(list, 5, Source::JsonLd, &name, None) {
                    f.set(&["ld:", if work { "work" } else { "other" }, ".", property], 1.0);
                    f.set(&["ld:", &thing.kind, ".", property], 1.0);
                    f.set(&["ld.under:", &thing.under], 1.0);
                    f.flag("ld.person", kinds.iter().any(|k| k == "Person"));
                    f.flag("ld.organization", kinds.iter().any(|k| k.ends_with("Organization")));
                }
            }
        }
        // The only person described by the page.
        let persons: Vec<_> = graph.things.iter().filter(|t| t.kind == "Person" && t.depth == 0).take(3).collect();
        if let [person] = persons.as_slice()
            && let Some(n) = graph.name(person.id, page.dom.copies()).filter(|n| !n.contains("://"))
        {
            let list = names(&plain(&n));
            self.add(list, 4, Source::JsonLd, "ld.Person", None);
        }
    }

    pub(super) fn metas(&mut self) {
        let page = self.page;
        let mut lists: Vec<(&str, Vec<String>, NodeId)> = Vec::new();
        for m in page.metas.iter().take(400) {
            let words = ["author", "creator", "byl", "writer", "reporter"].iter().any(|w| m.key.contains(w));
            // Properties of reviews are read with the others.
            if !words || m.key.contains("url") || m.key.ends_with(":id") || is_in_review(page, m.node) {
                continue;
            }
            let content = plain(&m.content);
            let mut found = if CATALOGUES.contains(&m.key.as_str()) { catalogued(&content) } else { names(&content) };
            found.retain(|name| !is_position(name));
            match lists.iter_mut().find(|l| l.0 == m.key) {
                Some(l) => push_new(&mut l.1, found),
                None => lists.push((&m.key, found, m.node)),
            }
        }
        let site: Vec<String> = self.site_parts.iter().chain([&self.site]).map(|s| slug(s)).collect();
        for (k, list, node) in lists {
            // Of "Senior Reporter, The Daily Example", only the site is left.
            if list.len() == 1
                && site.contains(&slug(&list[0]))
                && page.metas.iter().any(|m| m.node == node && !site.contains(&slug(&plain(&m.content))))
            {
                continue;
            }
            let source =
                if k.starts_with("article:") || k.starts_with("og:") { Source::OpenGraph } else { Source::Meta };
            self.add(list, 4, source, k, Some(node));
        }
        // <meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Jane Doe">
        for i in 1..=2 {
            let (label, data) = (format!("twitter:label{i}"), format!("twitter:data{i}"));
            let is_author = page.metas(&label).next().is_some_and(|l| !strip_label(&format!("{l}:")).1.is_empty());
            if let Some(d) = page.metas(&data).next()
                && is_author
            {
                self.add(names(&plain(d)), 4, Source::Meta, "twitter:data", None);
            }
        }
    }

    pub(super) fn props(&mut self) {
        let page = self.page;
        // The authors of a product's reviews are not the page's authors.
        let product = page.props.iter().any(|p| p.kind == "Product");
        let reviews = page.props.iter().filter(|p| p.name == "author" && is_of_review(page, p)).take(2).count();
        for p in page.props.iter().take(1000) {
            if !matches!(p.name.as_str(), "author" | "creator" | "name" | "editor") {
                continue;
            }
            let inside = page.dom.ancestors(p.node).take(6).any(|a| {
                ["itemprop", "property", "rel"]
                    .iter()
                    .any(|k| page.dom.attr(a, k).is_some_and(|v| v.contains("author") || v.contains("creator")))
            });
            if (p.name == "name" && !inside)
                || p.kind == "Comment"
                || ((product || reviews > 1) && is_of_review(page, p))
            {
                continue;
            }
            // An answer has an author of its own.
            if page.dom.ancestors(p.node).take(MAX_LEVELS_TO_ANSWER).any(|a| is_item(page.dom, a, "/Answer")) {
                continue;
            }
            // A scope has its name in an item of its own.
            if p.name != "name"
                && page.dom.attr(p.node, "itemscope").is_some()
                && page.dom.descendants(p.node).take(MAX_SCOPE_NODES).any(|n| is_property(page.dom, n, &["name"]))
            {
                continue;
            }
            let list = names(&page.prop_value(p.node));
            let block = page.block_of(p.node).unwrap_or(0);
            self.seen.push((hash(1, &p.name), block, list.clone()));
            let name = format!("itemprop.{}", p.name);
            let Some(f) = self.add(list, 6, Source::Microdata, &name, Some(p.node)) else { continue };
            f.set(&["ip:", &p.kind, ".", &p.name], 1.0);
            place(page, p.node, f);
        }
    }
}

/// Whether a property belongs to a review.
fn is_of_review(page: &Facts<'_>, p: &Prop) -> bool {
    p.kind == "Review" || is_in_review(page, p.node)
}

/// Whether an element is in the property of a thing that holds its reviews. Some sites name the property without a type.
fn is_in_review(page: &Facts<'_>, n: NodeId) -> bool {
    let mut around = page.dom.ancestors(n).take(MAX_LEVELS_TO_ANSWER);
    around.any(|a| is_property(page.dom, a, &["review", "reviews"]))
}

/// Whether the name of a type or property says that visitors wrote the thing.
fn is_of_guests(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["review", "comment", "answer"].iter().any(|guest| word.contains(guest))
}
