//! The authors: persons, in the order of the byline; organisations only where the page names one as the author.
use crate::metadata::fields::elsewhere::{MAX_BYLINE_CHARS, is_elsewhere, is_town, is_unstated};
use crate::metadata::fields::surroundings::place_block;
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{AUTHOR_THRESHOLD, Candidate, Evidence, Features, Pool, PoolGroup, Source, hash};
use crate::metadata::sources::facts::{alike, is_property, markup, naming_words, region, signature};
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::cjk::is_organisation;
use crate::metadata::text::names::{
    NO_AUTHORS, byline, catalogued, is_byline_label, is_position, looks_like_name, may_hold_name, names, strip_label,
};
use crate::metadata::text::{holds, key, node_text, plain, push_new, slug, squeeze, tokens};
use maintext_html::Attr;
use maintext_page::dom::{Dom, Edge, NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::lexicon::lexicon;
use url::Url;

/// Number of blocks before and after the heading that are searched for a byline.
const BLOCKS_BEFORE: u32 = 8;
const BLOCKS_AFTER: u32 = 16;
/// Number of blocks around the end of the content that are searched for a byline.
const BLOCKS_AFTER_CONTENT: u32 = 8;

/// Number of different authors, and of blocks between them, from which each is the author of a text of his own.
const MIN_AUTHORS_OF_TEXTS: usize = 3;
const MIN_BLOCKS_OF_TEXTS: u32 = 6;

/// Maximum number of elements between the name of an author and the scope of the answer.
const MAX_LEVELS_TO_ANSWER: usize = 8;

/// Number of nodes of a person's scope that are searched for the name.
const MAX_SCOPE_NODES: usize = 40;

/// Maximum number of declared organisations and places that are compared with names.
const MAX_OTHERS: usize = 20;

/// In texts of more words, names are sought only if the markup around them mentions persons.
const MANY_WORDS: usize = 12;

/// Names of `<meta>` elements whose schemes write the family name first.
const CATALOGUES: &[&str] = lexicon!("catalogued-authors.txt");

/// Keys of authors who are not persons.
const GENERIC: &str = "admin administrator editor staff webmaster guest user author team root";

/// Key of the evidence of an East Asian byline.
pub(super) const EAST_ASIAN: &str = "east.asian";

/// See [`threshold`].
const UNSTATED_THRESHOLD: f32 = 1.0;

/// Maximum number of names, each in a line of its own, that make a list.
const MAX_JOINED: usize = 6;

/// See [`threshold`].
const BYLINE_THRESHOLD: f32 = -1.0;

/// See [`threshold`]. Most lines of two capitalised words that name a place or a section score up to this; of 1,159 pages with a known author,
/// five state it by such an element alone with less.
const UNNAMED_THRESHOLD: f32 = 2.4;
/// Number of elements around a line whose names are read.
const MAX_LEVELS_TO_NAME: usize = 4;

/// Returns the least score of a valid candidate. It is higher for a candidate that is only a short text in a likely place, without a label
/// before it or a machine-readable statement, lower for a labelled line right below the heading, and highest if the markup around it does not mention persons either, nor the address of its link
/// the name: a place, a section.
pub fn threshold(page: &Layout<'_>, c: &Candidate) -> f32 {
    if c.evidence.iter().any(|e| is_line_below_heading(page, e)) {
        return BYLINE_THRESHOLD;
    }
    if !c.evidence.iter().all(is_unstated) {
        return AUTHOR_THRESHOLD;
    }
    let mut mentions = Mentions { person: false, place: false };
    for e in &c.evidence {
        match e.block {
            Some(block) if e.key == "element" => mentions.read(page, inner_element(page, block, e)),
            _ => mentions.person = true,
        }
    }
    match mentions {
        Mentions { person: true, .. } => UNSTATED_THRESHOLD,
        Mentions { place: true, .. } => f32::INFINITY,
        _ => UNNAMED_THRESHOLD,
    }
}

/// Whether a label begins a short line right below the heading and a name follows: "By Jane Doe on 4 March 2024". Its place and form state
/// the author, whatever its classes are called.
fn is_line_below_heading(page: &Layout<'_>, e: &Evidence) -> bool {
    const MAX_BLOCKS_BELOW: u32 = 2;
    const MAX_WORDS: u32 = 8;
    let (Some(heading), Some(block)) = (page.heading, e.block) else { return false };
    let is_below = block > heading && block - heading <= MAX_BLOCKS_BELOW;
    e.key == "byline"
        && is_below
        && page.blocks.blocks[block as usize].words <= MAX_WORDS
        && !strip_label(page.blocks.text(block as usize)).1.is_empty()
}

/// Returns the element that states a name in a block: the block's own, or one of the first within its line, such as a span.
fn inner_element(page: &Layout<'_>, block: u32, e: &Evidence) -> usize {
    const MAX_WITHIN: usize = 40;
    let start = e.span.as_ref().map(|span| span.start as usize);
    let mut within = page.blocks.beginning_with(block).take(MAX_WITHIN);
    let stated = within.find(|&i| Some(page.dom.span(page.blocks.elements[i].node).start) == start);
    stated.unwrap_or(page.blocks.blocks[block as usize].element as usize)
}

/// What the markup around lines, or the path of their links, mentions: a person, or a place or an organisation.
struct Mentions {
    person: bool,
    place: bool,
}

impl Mentions {
    fn read(&mut self, page: &Layout<'_>, element: usize) {
        const PLACES: [&str; 9] =
            ["loc", "location", "place", "city", "venue", "org", "company", "employer", "department"];
        // Lines named "meta" hold whatever a site says about a page: its author, its section, its length.
        let mut read = |word: &str| {
            self.person |= word != "meta" && refers_to_persons(word);
            self.place |= PLACES.contains(&word);
        };
        for e in page.blocks.element_chain(element).take(MAX_LEVELS_TO_NAME) {
            naming_words(page.dom, page.blocks.elements[e].node, true, &mut read);
        }
        let href = link_around(page.dom, page.blocks.elements[element].node).and_then(|a| page.dom.attr(a, "href"));
        let path = href.and_then(|href| href.split(['?', '#']).next()).unwrap_or("").trim_end_matches('/');
        tokens(path.rsplit_once('/').map_or("", |(above, _)| above), &mut read);
    }
}

/// Maximum number of links to authors that are read.
const MAX_AUTHOR_LINKS: usize = 60;

pub(super) type Authors = Pool<Vec<String>>;

pub(super) struct Builder<'a, 'f> {
    pub(super) page: &'a Layout<'f>,
    pub(super) pool: Authors,
    site: String,
    /// What the `<title>` may call the site: its ends, as keys.
    site_parts: Vec<String>,
    title: String,
    /// The names in the links to authors, with the blocks of the links.
    linked: Vec<(u32, Vec<String>)>,
    /// Visible bylines, to join bylines of the same kind: signature, block, names.
    seen: Vec<(u64, u32, Vec<String>)>,
    /// Signature and comparison key of each visible byline.
    seen_kinds: Vec<(u64, String)>,
    /// Keys of the editors, who are not authors.
    pub(super) editors: Vec<String>,
}

/// Returns all candidates with their lists of names, best first.
pub fn candidates(page: &Layout<'_>, site: Option<&str>, title: Option<&str>) -> Vec<(Vec<String>, Candidate)> {
    let author_links = page.with_rel.iter().filter(|&&n| page.has_rel(n, "author"));
    let linked = author_links.filter_map(|&n| Some((page.block_of(n)?, n))).take(MAX_AUTHOR_LINKS);
    let mut b = Builder {
        page,
        pool: Pool::new(page.named),
        site: key(site.unwrap_or("")),
        site_parts: site_parts(page),
        title: key(title.unwrap_or("")),
        linked: linked.map(|(block, n)| (block, names(&text_without_marks(page.dom, n)))).collect(),
        seen: Vec::new(),
        seen_kinds: Vec::new(),
        editors: Vec::new(),
    };
    b.structured();
    b.metas();
    b.props();
    b.east_asian();
    b.visible();
    b.bylines();
    b.thread();
    b.seen_kinds = b.seen.iter().map(|s| (s.0, key(&s.2.join(", ")))).collect();
    b.joined();
    b.common_features();
    // What the site may be called: not as the page.
    let site: Vec<String> =
        std::iter::once(b.site.clone()).chain(b.site_parts.clone()).filter(|s| *s != b.title).collect();
    let has_comments = !page.is_thread() || submitter(page).is_some();
    let gone = b.pool.groups.iter().filter(|g| is_elsewhere(page, &site, &g.value, &g.evidence, has_comments));
    let gone = gone.chain(b.pool.groups.iter().filter(|g| is_town(page, &g.evidence)));
    let gone: Vec<String> = gone.map(|g| g.key.clone()).collect();
    // Where a line or a link below the heading names a person, the site's name in an author field is the publisher's.
    let mut groups = b.pool.groups.iter();
    if groups.any(|g| {
        (is_byline(g) || is_link_below_heading(page, g))
            && g.value.iter().all(|n| looks_like_name(n))
            && !names_one_of(g, &site)
    }) {
        b.pool.groups.retain(|g| !names_one_of(g, &site));
    }
    b.pool.groups.retain(|g| {
        let is_joined = g.evidence.iter().all(|e| e.key == "joined");
        !(gone.contains(&g.key) || is_joined && g.value.iter().any(|name| gone.contains(&key(name))))
    });
    let mut ranked = b.pool.rank(&page.rankers.author);
    prefer_joined(&mut ranked);
    ranked
}

/// Puts the list of names that begins with the best one in front, if each of them has a line of its own like that one: the ranker has learned
/// from pages with one author.
fn prefer_joined(ranked: &mut Vec<(Vec<String>, Candidate)>) {
    let Some((best, first)) = ranked.first() else { return };
    let [name] = &best[..] else { return };
    let of_line = ["element", "rel=author", "itemprop.author", "itemprop.name"];
    if !first.evidence.iter().all(|e| of_line.contains(&e.key.as_str())) {
        return;
    }
    let score = first.score;
    let found = ranked.iter().position(|(names, c)| {
        names.first() == Some(name)
            && names.len() <= MAX_JOINED
            && c.evidence.iter().all(|e| e.key == "joined")
            && names.iter().all(|other| looks_like_name(other))
            && (names.iter().all(|other| scores_near(ranked, other, score)) || are_properties_in_a_row(ranked, names))
    });
    if let Some(at) = found {
        let (names, joined) = ranked.remove(at);
        ranked[0].0 = names;
        ranked[0].1.value = joined.value;
    }
}

/// Whether a name scores about as much as the best one.
fn scores_near(ranked: &[(Vec<String>, Candidate)], name: &str, best: f32) -> bool {
    /// Maximum difference: the first line below the heading scores more than the second.
    const MAX_DIFFERENCE: f32 = 2.0;
    ranked.iter().any(|(names, c)| names[..] == [name] && best - c.score <= MAX_DIFFERENCE)
}

/// Whether the markup states each name as an author, one next to the other.
fn are_properties_in_a_row(ranked: &[(Vec<String>, Candidate)], names: &[String]) -> bool {
    /// Maximum number of blocks from one name to the next: a position may follow.
    const MAX_DISTANCE: u32 = 2;
    let blocks: Option<Vec<u32>> = names.iter().map(|name| block_of_property(ranked, name)).collect();
    blocks.is_some_and(|blocks| blocks.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= MAX_DISTANCE))
}

/// Returns the block in which microdata states a name.
fn block_of_property(ranked: &[(Vec<String>, Candidate)], name: &str) -> Option<u32> {
    let (_, c) = ranked.iter().find(|(names, _)| names[..] == [name])?;
    c.evidence.iter().find(|e| e.source == Source::Microdata)?.block
}

impl Builder<'_, '_> {
    pub(super) fn add(
        &mut self,
        mut list: Vec<String>,
        trust: u8,
        source: Source,
        name: &str,
        node: Option<NodeId>,
    ) -> Option<&mut Features> {
        // A site after the name: "Jane Doe, The Daily Example".
        if list.len() > 1 {
            let site = slug(&self.site);
            list.retain(|n| slug(n) != site);
        }
        if list.is_empty() {
            return None;
        }
        let evidence = self.page.evidence(source, name, node);
        let text = list.join(", ");
        let g = self.pool.add(key(&text), list, &text, trust, evidence)?;
        g.features.set(&["s:", name], 1.0);
        Some(&mut g.features)
    }

    fn structured(&mut self) {
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

    fn metas(&mut self) {
        let page = self.page;
        let mut lists: Vec<(&str, Vec<String>, NodeId)> = Vec::new();
        for m in page.metas.iter().take(400) {
            let words = ["author", "creator", "byl", "writer", "reporter"].iter().any(|w| m.key.contains(w));
            if !words || m.key.contains("url") || m.key.ends_with(":id") {
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

    fn props(&mut self) {
        let page = self.page;
        // The authors of a product's reviews are not the page's authors.
        let product = page.props.iter().any(|p| p.kind == "Product");
        let reviews = page.props.iter().filter(|p| p.kind == "Review" && p.name == "author").count();
        for p in page.props.iter().take(1000) {
            if !matches!(p.name.as_str(), "author" | "creator" | "name" | "editor") {
                continue;
            }
            let inside = page.dom.ancestors(p.node).take(6).any(|a| {
                ["itemprop", "property", "rel"]
                    .iter()
                    .any(|k| page.dom.attr(a, k).is_some_and(|v| v.contains("author") || v.contains("creator")))
            });
            if (p.name == "name" && !inside) || p.kind == "Comment" || (p.kind == "Review" && (product || reviews > 1))
            {
                continue;
            }
            // An answer has an author of its own.
            if page.dom.ancestors(p.node).take(MAX_LEVELS_TO_ANSWER).any(|a| is_answer(page.dom, a)) {
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

    /// Returns whether a block is where bylines usually are.
    pub(super) fn near(&self, block: u32) -> bool {
        let (first, last) = self.page.content;
        let heading = self.page.heading.unwrap_or(first);
        let around = [
            heading.saturating_sub(BLOCKS_BEFORE)..=heading + BLOCKS_AFTER,
            first.saturating_sub(BLOCKS_BEFORE)..=first + BLOCKS_AFTER,
            last.saturating_sub(3)..=last + BLOCKS_AFTER_CONTENT,
        ];
        around.iter().any(|place| place.contains(&block))
    }

    /// Adds short elements near the heading or the end of the content, with the words of their attributes.
    fn visible(&mut self) {
        let page = self.page;
        let blocks = page.blocks;
        let mut budget = 400;
        let mut read: HashMap<String, Vec<String>> = HashMap::default();
        let mut hints = Hints(vec![None; blocks.elements.len()]);
        let others = organisations_and_places(page);
        let mut stated: HashSet<NodeId> =
            page.with_rel.iter().copied().filter(|&n| page.has_rel(n, "author")).collect();
        if are_of_several_texts(page, &stated) {
            stated.clear();
        }
        for e in 1..blocks.elements.len() {
            let element = &blocks.elements[e];
            let span = element.blocks.clone();
            if span.is_empty() || span.len() > 3 || element.tag == Tag::H1 || budget == 0 {
                continue;
            }
            let dom = page.dom;
            let explicit = stated.contains(&element.node);
            if !explicit && !self.near(span.start) {
                continue;
            }
            let marked = explicit
                || element.tag == Tag::A
                || element.tag == Tag::ADDRESS
                || dom
                    .attributes(element.node)
                    .any(|(name, _)| matches!(name, Attr::CLASS | Attr::ID | Attr::ITEMPROP));
            let short =
                span.clone().map(|b| blocks.blocks[b as usize].chars).sum::<u32>() as usize <= 3 * MAX_BYLINE_CHARS;
            if !marked || !short && element.tag.is_block() || page.regions[e] & region::NAV != 0 && !explicit {
                continue;
            }
            budget -= 1;
            let text = text_without_marks(dom, element.node);
            if text.chars().count() > MAX_BYLINE_CHARS {
                continue;
            }
            let hinted = explicit || blocks.element_chain(e).take(3).any(|e| hints.of(page, e));
            if !hinted && (text.split(' ').count() > MANY_WORDS || !may_hold_name(&text)) {
                continue;
            }
            // Nested elements often hold the same text.
            let list = read.entry(text).or_insert_with_key(|t| names(t)).clone();
            if !explicit && self.named_by_link(span.start, &list).is_some() {
                continue;
            }
            if list.iter().all(|n| is_organisation(n))
                || hinted && !explicit && is_named_for_position(dom, element.node)
                || list.len() > 8
                || !hinted && !list.iter().any(|n| looks_like_name(n))
            {
                continue;
            }
            // Names with lines of their own are not one name.
            if list.len() == 1 && span.len() > 1 && span.clone().all(|b| looks_like_name(blocks.text(b as usize))) {
                continue;
            }
            // "Example Trust · Springfield": what the page declares to be an organisation or a place is not a person.
            if !hinted && list.iter().all(|n| others.contains(&key(n))) {
                continue;
            }
            let signature = signature(page, element.node);
            self.seen.push((signature, span.start, list.clone()));
            let is_marked = !explicit && has_affiliations(dom, element.node);
            let name = if explicit {
                "rel=author"
            } else if is_marked {
                "byline"
            } else {
                "element"
            };
            let first = list[0].clone();
            let Some(f) = self.add(list, 6, Source::Markup, name, Some(element.node)) else { continue };
            if is_marked {
                // Marks of affiliation say as much as a label.
                f.set(&["label:", "by"], 1.0);
            }
            f.set(&["tag:", element.tag.name()], 1.0);
            place(page, element.node, f);
            markup(page, element.node, true, f);
            if let Some(href) = link(page, element.node) {
                address(&href, &first, f);
            }
        }
    }

    /// Returns the names of the links to authors in a line, if none of the names read from the line is one of them: "By Ledger columnist
    /// <a rel=author>Jane Doe</a>".
    fn named_by_link(&self, block: u32, read: &[String]) -> Option<Vec<String>> {
        let links = self.linked.iter().filter(|link| link.0 == block);
        let linked: Vec<String> = links.flat_map(|link| link.1.iter().cloned()).collect();
        (!linked.is_empty() && !read.iter().any(|name| linked.contains(name))).then_some(linked)
    }

    /// Adds short blocks near the heading that name the author.
    fn bylines(&mut self) {
        let page = self.page;
        let blocks = page.blocks;
        for (i, b) in blocks.blocks.iter().enumerate() {
            if b.chars > MAX_BYLINE_CHARS as u32 || b.hidden || !self.near(i as u32) {
                continue;
            }
            let Some((list, label)) = byline(blocks.text(i)) else { continue };
            let list = self.named_by_link(i as u32, &list).unwrap_or(list);
            let node = blocks.elements[b.element as usize].node;
            let Some(f) = self.add(list, 6, Source::Text, "byline", Some(node)) else { continue };
            f.set(&["label:", label], 1.0);
            f.bucket("byline.words", blocks.text(i).split(' ').count());
            place(page, node, f);
            markup(page, node, true, f);
        }
        // A label in one block, the name in the next.
        for (i, pair) in blocks.blocks.windows(2).enumerate() {
            if pair[0].chars > 24 || pair[1].chars > 80 || !self.near(i as u32) || pair[1].hidden {
                continue;
            }
            let label = blocks.text(i);
            let bare = label.trim_end_matches([':', '：', ' ']);
            let (rest, found) = strip_label(label);
            if found.is_empty() || !rest.is_empty() || bare.is_empty() {
                continue;
            }
            let list = names(blocks.text(i + 1));
            if NO_AUTHORS.contains(&found) {
                self.editors.extend(list.iter().map(|n| key(n)));
                continue;
            }
            let node = blocks.elements[pair[1].element as usize].node;
            if let Some(f) = self.add(list, 6, Source::Text, "label", Some(node)) {
                f.set(&["label:", found], 1.0);
                place(page, node, f);
                markup(page, node, true, f);
            }
        }
    }

    /// Adds the author of a thread's first post, or the person who submitted the link that the thread is about.
    fn thread(&mut self) {
        let Some(first) = self.page.records.first().filter(|r| r.is_post) else { return };
        let Some(name) = submitter(self.page).or_else(|| first.author.clone()) else { return };
        if let Some(f) = self.add(vec![name], 6, Source::Markup, "post", None) {
            f.set(&["post.author"], 1.0);
        }
    }

    /// Joins adjacent bylines of the same kind.
    fn joined(&mut self) {
        let mut seen = std::mem::take(&mut self.seen);
        seen.sort_by_key(|s| s.0);
        for same in seen.chunk_by(|a, b| a.0 == b.0) {
            let mut list: Vec<String> = Vec::new();
            let mut at = same[0].1;
            for (_, block, names) in same {
                if block.abs_diff(at) > 4 || list.len() > 12 {
                    break;
                }
                at = *block;
                push_new(&mut list, names.iter().cloned());
            }
            if list.len() < 2 || list.len() > 12 {
                continue;
            }
            let known: Vec<usize> = list.iter().filter_map(|n| self.pool.position(&key(n))).collect();
            let [first, _, ..] = known[..] else { continue };
            let inherited = self.pool.groups[first].features.clone();
            if let Some(f) = self.add(list, 6, Source::Markup, "joined", None) {
                f.inherit(&inherited);
            }
        }
    }

    fn common_features(&mut self) {
        let page = self.page;
        let host = page.host().map(|h| slug(h.rsplit('.').nth(1).unwrap_or(""))).unwrap_or_default();
        let (site, title) = (self.site.clone(), self.title.clone());
        let site_slug = slug(&site);
        let root = page.is_root();
        let kind = page.declared_kind();
        let total = self.pool.groups.len();
        let all: Vec<String> = self.pool.groups.iter().map(|g| g.key.clone()).collect();
        let mut evidence = self.pool.groups.iter().flat_map(|g| &g.evidence);
        let any_stated = evidence.any(|e| e.source.is_declared() && e.key != "itemprop.name");
        let (_, last) = page.content;
        // The visible candidates in document order.
        let mut shown: Vec<u32> =
            self.pool.groups.iter().flat_map(|g| g.evidence.iter().filter_map(|e| e.block)).collect();
        shown.retain(|b| page.heading.is_none_or(|h| *b >= h));
        shown.sort_unstable();
        shown.dedup();
        let alike = alike(&self.seen_kinds);
        let best_families = self.pool.groups.iter().map(Authors::families).max().unwrap_or(0);
        let of_page = page.page_features();
        let editors = std::mem::take(&mut self.editors);
        let any_east = self.pool.groups.iter().flat_map(|g| &g.evidence).any(|e| e.key == EAST_ASIAN);
        for (i, g) in self.pool.groups.iter_mut().enumerate() {
            let families = Authors::families(g);
            let k = &all[i];
            let f = &mut g.features;
            let seen = g.evidence.iter().any(|e| matches!(e.source, Source::Markup | Source::Text | Source::Microdata));
            let machine =
                g.evidence.iter().any(|e| matches!(e.source, Source::JsonLd | Source::OpenGraph | Source::Meta));
            f.set(&["prior"], 1.0);
            f.inherit(&of_page);
            page.record_features(g.evidence.iter().filter_map(|e| e.block), f);
            if let Some(n) = alike.get(k) {
                f.bucket("alike", *n);
            }
            f.flag("seen.and.said", seen && machine);
            f.flag("only.said", machine && !seen);
            f.flag("only.seen", seen && !machine && any_stated);
            f.flag("only.seen.nothing.said", seen && !any_stated);
            let blocks = g.evidence.iter().filter_map(|e| e.block);
            let (highest, lowest) = (blocks.clone().min(), blocks.clone().max());
            let top = highest.is_some_and(|b| b + 8 <= last || page.heading.is_some_and(|h| b <= h + 6));
            f.flag("top.and.end", top && lowest.is_some_and(|b| b + 4 > last) && lowest > highest.map(|b| b + 4));
            if let Some(b) = blocks.filter(|b| page.heading.is_none_or(|h| *b >= h)).min() {
                f.bucket("shown.nth", shown.partition_point(|s| *s < b));
            }
            f.bucket("families", families);
            f.bucket("mentions", g.evidence.len());
            f.flag("families.best", families == best_families);
            f.bucket("names", g.value.len());
            f.bucket("candidates", total);
            f.set(&["page:", kind], 1.0);
            f.flag("root", root);
            super::person::features(&g.value, k, f);
            let is_east = g.evidence.iter().any(|e| e.key == EAST_ASIAN);
            f.flag("east.beside", any_east && !is_east);
            f.flag("east.beside.said", any_east && !is_east && machine);
            f.flag("in.site.part", k.chars().count() > 1 && self.site_parts.iter().any(|p| holds(p, k)));
            f.flag("is.editor", editors.iter().any(|e| k.ends_with(e.as_str())));
            let persons = g.value.iter().filter(|n| looks_like_name(n)).count();
            f.set(&["person"], persons as f32 / g.value.len().max(1) as f32);
            let own = slug(&g.text);
            f.flag("is.site", !site_slug.is_empty() && own == site_slug);
            f.flag("is.host", host.len() > 2 && own == host);
            f.flag(
                "like.site",
                own.len() > 3
                    && own != site_slug
                    && (site_slug.contains(&own) || (site_slug.len() > 3 && own.contains(&site_slug))),
            );
            f.flag("in.title", !k.is_empty() && title.contains(k.as_str()));
            f.flag("is.lower", g.text.chars().all(|c| !c.is_uppercase()) && g.text.is_ascii());
            f.flag("is.upper", g.text.chars().all(|c| !c.is_lowercase()) && g.text.is_ascii());
            f.flag("has.digit", g.text.chars().any(|c| c.is_ascii_digit()));
            f.flag("has.mail", g.text.contains('@'));
            f.bucket("words", g.value.first().map_or(0, |n| n.split(' ').count()));
            let longer = all.iter().enumerate().any(|(j, o)| j != i && o.len() > k.len() && o.starts_with(k.as_str()));
            f.flag("part.of.longer", longer);
            f.flag(
                "holds.shorter",
                all.iter().enumerate().any(|(j, o)| j != i && o.len() < k.len() && holds(k, o) && o.contains(' ')),
            );
            f.flag("generic", GENERIC.split(' ').any(|word| word == k));
        }
    }
}

/// Returns the person who submitted the subject of a thread: the link after a label of bylines, above the comments.
fn submitter(page: &Layout<'_>) -> Option<String> {
    let first = page.records.first().filter(|r| r.is_post && page.is_in_comments(r.blocks.start))?;
    let from = page.heading.unwrap_or(0).saturating_sub(BLOCKS_BEFORE);
    page.blocks.elements.iter().find_map(|e| {
        if e.tag != Tag::A || e.hidden || !(from..first.blocks.start).contains(&e.blocks.start) {
            return None;
        }
        let name = node_text(page.dom, e.node, MAX_BYLINE_CHARS);
        let (before, _) = page.blocks.text(e.blocks.start as usize).split_once(name.as_str())?;
        let label = before.trim_end().rsplit(char::is_whitespace).next()?;
        (!name.is_empty() && is_byline_label(&label.to_lowercase())).then_some(name)
    })
}

/// Whether the name of a type or property says that visitors wrote the thing.
fn is_of_guests(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["review", "comment", "answer"].iter().any(|guest| word.contains(guest))
}

/// Whether the name of an element says that it holds a position, such as "Special correspondent".
fn is_named_for_position(dom: &Dom<'_>, node: NodeId) -> bool {
    let mut found = false;
    naming_words(dom, node, false, |word| found |= matches!(word, "role" | "designation" | "job" | "jobtitle"));
    found
}

/// Returns the text of an element without the raised marks of affiliations behind names, "Jane Doe<sup>a,b</sup>", and with commas between
/// the items of a list.
fn text_without_marks(dom: &Dom<'_>, node: NodeId) -> String {
    const MAX_CHARS: usize = MAX_BYLINE_CHARS + 20;
    let is_list = matches!(dom.tag(node), Tag::UL | Tag::OL);
    if !is_list && !dom.descendants(node).take(MAX_SCOPE_NODES).any(|n| dom.tag(n) == Tag::SUP) {
        return node_text(dom, node, MAX_CHARS);
    }
    let (mut text, mut walk) = (String::new(), dom.traverse(node));
    while let Some(edge) = walk.next() {
        let Edge::Enter(n) = edge else { continue };
        if text.len() > MAX_CHARS {
            break;
        } else if dom.tag(n) == Tag::SUP || dom.tag(n).is_skipped() {
            walk.skip_children();
        } else if dom.tag(n).is_block() && !text.trim().is_empty() {
            // The next item of a list is another author.
            text.push_str(", ");
        } else {
            text.push_str(dom.text(n));
        }
    }
    squeeze(&text)
}

/// Whether a line has at least two short marks, as authors of papers have for their affiliations: "Jane Doe¹, John Roe²".
fn has_affiliations(dom: &Dom<'_>, node: NodeId) -> bool {
    const MAX_MARK_BYTES: usize = 6;
    let raised = dom.descendants(node).take(MAX_SCOPE_NODES).filter(|&n| dom.tag(n) == Tag::SUP);
    let marks = raised.filter(|&n| {
        let text = node_text(dom, n, MAX_MARK_BYTES + 1);
        !text.is_empty() && text.len() <= MAX_MARK_BYTES && !text.contains(' ')
    });
    // A line of affiliations begins with its mark.
    let begins = dom.children(node).find(|&n| !dom.text(n).trim().is_empty() || dom.first_child(n).is_some());
    marks.count() >= 2 && begins.is_none_or(|n| dom.tag(n) != Tag::SUP)
}

/// Returns the keys of the organisations and places that the page declares.
fn organisations_and_places(page: &Layout<'_>) -> HashSet<String> {
    const PROPERTIES: [&str; 4] = ["name", "addressLocality", "addressRegion", "addressCountry"];
    let graph = page.graph();
    let things = graph.things.iter().take(2000);
    let others = things.filter(|t| t.kind.ends_with("Organization") || ["Place", "PostalAddress"].contains(&&*t.kind));
    let things = others.take(MAX_OTHERS);
    let texts = things.flat_map(|t| PROPERTIES.iter().flat_map(|p| graph.texts(t.id, p, page.dom.copies())));
    texts.map(|text| key(&plain(&text))).filter(|k| !k.is_empty()).collect()
}

/// Whether a label before the name says that it is an author.
fn is_byline(g: &PoolGroup<Vec<String>>) -> bool {
    g.evidence.iter().any(|e| matches!(e.key.as_str(), "byline" | "label"))
}

/// Whether a link to the author, not far below the heading, states a candidate.
fn is_link_below_heading(page: &Layout<'_>, g: &PoolGroup<Vec<String>>) -> bool {
    let Some(heading) = page.heading else { return false };
    let near = heading..heading + BLOCKS_AFTER;
    g.evidence.iter().any(|e| e.key == "rel=author" && e.block.is_some_and(|b| near.contains(&b)))
}

/// Whether a candidate is nothing but one of these names, given as keys.
fn names_one_of(g: &PoolGroup<Vec<String>>, names: &[String]) -> bool {
    matches!(g.value.as_slice(), [name] if names.contains(&key(name)))
}

/// Returns the keys of the first and the last part of the page's title, which often name the site.
fn site_parts(page: &Layout<'_>) -> Vec<String> {
    let title = page.title.as_deref().unwrap_or("");
    let parts: Vec<&str> = title.split(['|', '｜', '_', '-', '–', '—', '·', '»']).collect();
    let ends = [parts.first(), parts.last()].into_iter().flatten();
    if parts.len() < 2 { Vec::new() } else { ends.map(|p| key(p)).collect() }
}

/// For each index of [`Blocks::elements`](maintext_page::blocks::Blocks), whether the element's attributes mention persons, computed on first use.
///
/// A text in any other element is a candidate only if it looks like a name; on most pages this excludes two thirds of the short texts near
/// the heading.
struct Hints(Vec<Option<bool>>);

impl Hints {
    fn of(&mut self, page: &Layout<'_>, e: usize) -> bool {
        *self.0[e].get_or_insert_with(|| mentions_persons(page, e))
    }
}

/// Returns whether the attributes of an element mention persons.
fn mentions_persons(page: &Layout<'_>, e: usize) -> bool {
    let mut found = false;
    naming_words(page.dom, page.blocks.elements[e].node, true, |t| found |= refers_to_persons(t));
    found
}

/// Whether the authors that links state belong to many texts of the page, such as comments: they are not next to each other.
fn are_of_several_texts(page: &Layout<'_>, stated: &HashSet<NodeId>) -> bool {
    let blocks: Vec<u32> = stated.iter().filter_map(|&n| page.block_of(n)).collect();
    let (first, last) = (blocks.iter().min(), blocks.iter().max());
    let are_apart = first.zip(last).is_some_and(|(first, last)| last - first >= MIN_BLOCKS_OF_TEXTS);
    let names: HashSet<String> =
        stated.iter().map(|&n| key(&node_text(page.dom, n, MAX_BYLINE_CHARS))).filter(|k| !k.is_empty()).collect();
    are_apart && names.len() >= MIN_AUTHORS_OF_TEXTS
}

fn is_answer(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attribute(n, Attr::ITEMTYPE).is_some_and(|kind| kind.ends_with("/Answer"))
}

/// Returns whether a word of a class name refers to persons.
fn refers_to_persons(word: &str) -> bool {
    const STEMS: &[&str] = lexicon!("person-stems.txt");
    // The first letter rules out most stems.
    let first = word.as_bytes().first();
    STEMS.iter().any(|s| first == s.as_bytes().first() && word.starts_with(s))
        || word.ends_with("name")
        || matches!(word, "vcard" | "fn" | "meta")
}

/// Adds features of a node's position relative to heading and content, and of the elements around it.
pub(super) fn place(page: &Layout<'_>, node: NodeId, f: &mut Features) {
    if let Some((at, e)) = page.place_of(node) {
        place_block(page, at, e, f);
    }
}

/// Returns the address of the link that is the node, contains it or is inside it.
fn link(page: &Layout<'_>, node: NodeId) -> Option<Url> {
    let a = link_around(page.dom, node)?;
    maintext_page::address::parse(page.dom, page.dom.attr(a, "href")?, page.base).ok()
}

fn link_around(dom: &Dom<'_>, node: NodeId) -> Option<NodeId> {
    let up = std::iter::once(node).chain(dom.ancestors(node).take(3)).find(|&n| dom.tag(n) == Tag::A);
    up.or_else(|| dom.descendants(node).take(12).find(|&n| dom.tag(n) == Tag::A))
}

/// Adds features of a link's address: the address of an author's page contains the author's name.
fn address(href: &Url, name: &str, f: &mut Features) {
    f.flag("link", true);
    let path = href.path();
    let own = slug(name);
    let last = slug(path.rsplit('/').find(|s| !s.is_empty()).unwrap_or(""));
    f.flag("link.is.name", own.len() > 3 && last.contains(&own));
    let initials = name.split(' ').next_back().map(slug).unwrap_or_default();
    f.flag("link.has.surname", initials.len() > 3 && last.contains(&initials));
    f.flag("link.root", path.len() <= 1);
    for segment in path.split('/').filter(|s| !s.is_empty()).take(4) {
        if segment.len() < 24 && slug(segment) != own {
            tokens(segment, |t| f.set(&["u:", t], 1.0));
        }
    }
    f.flag("link.mail", href.scheme() == "mailto");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::layout_of;

    #[test]
    fn a_line_of_capitalised_words_is_no_author_unless_its_markup_mentions_persons() {
        let found = |line: &str| {
            let html = format!(
                "<title>A school learns to wait</title><article><h1>A school learns to wait</h1>{line}<div><p>The engine \
                 was found in the store room of the school, and nobody remembered who had put it there.</p></div></article>"
            );
            let mut out = Vec::new();
            layout_of(&html, |page| {
                let found = candidates(page, None, None).into_iter().next();
                out.extend(found.filter(|c| c.1.score > threshold(page, &c.1)).map(|c| c.0).unwrap_or_default());
            });
            out
        };
        for class in ["section", "kicker", "venue", "topic", "meta", "job-location"] {
            assert!(found(&format!("<p class={class}>Small Boats</p>")).is_empty(), "{class}");
        }
        assert_eq!(found("<p><i>Dale</i> · <i class=szerzo>Ruta Mend</i> · <i>17 May 2024</i></p>"), ["Ruta Mend"]);
        for class in ["author", "byline", "writer", "szerzo", "kirjoittaja", "avtor"] {
            assert_eq!(found(&format!("<p class={class}>Ruta Mend</p>")), ["Ruta Mend"], "{class}");
        }
        assert_eq!(found("<p><a href=/author/ruta-mend>Ruta Mend</a></p>"), ["Ruta Mend"]);
        assert!(found("<p><a href=/topics/small-boats>Small Boats</a></p>").is_empty());
    }

    #[test]
    fn an_element_named_for_a_position_holds_no_name() {
        let html = "<h1>A walk</h1><div class=sign><a class=name href=/a/ruta-mend>Ruta Mend</a><span class='sign-role author'>Voice \
                    of the Coast</span></div><p>We left early, and the road was empty until the hills.</p>";
        let found = |html: &str| {
            let mut found = Vec::new();
            layout_of(html, |page| found.extend(candidates(page, None, None).into_iter().map(|c| c.0.join(", "))));
            found
        };
        assert!(!found(html).contains(&"Voice of the Coast".to_owned()));
        assert!(found(&html.replace("-role", "")).contains(&"Voice of the Coast".to_owned()));
    }

    #[test]
    fn a_site_may_have_the_name_of_its_author() {
        let html = "<header><a href=/>Ruta Mend</a></header><article><header><h1>A walk</h1><h4><a href=/author/ruta>Ruta \
                    Mend</a></h4></header><p>We left early, and the road was empty until the hills.</p></article>";
        let is_author = |html: &str| {
            let mut found = false;
            layout_of(html, |page| {
                let mut page = page.clone();
                page.heading = Some(1);
                found = candidates(&page, Some("Ruta Mend"), Some("A walk")).iter().any(|c| c.0 == ["Ruta Mend"]);
            });
            found
        };
        assert!(is_author(html));
        // In the header of the page, a site's name is nothing else.
        assert!(!is_author(&html.replace("article>", "div>")));
    }

    #[test]
    fn a_link_to_a_person_makes_the_site_in_an_author_field_the_publisher() {
        let html = "<meta name=author content='Small Boats'><header><a class=logo href=/>Small Boats</a></header><h1>A walk</h1>\
                    <p><a rel=author href=/a/ruta>Ruta Mend</a></p><p>We left early, and the road was empty until the hills.</p>";
        let is_author = |html: &str| {
            let mut found = false;
            layout_of(html, |page| {
                let mut page = page.clone();
                page.heading = Some(1);
                found = candidates(&page, Some("Small Boats"), Some("A walk")).iter().any(|c| c.0 == ["Small Boats"]);
            });
            found
        };
        assert!(!is_author(html));
        assert!(is_author(&html.replace("rel=author", "")));
    }

    #[test]
    fn a_byline_right_below_the_heading_needs_less_score() {
        let least = |lines: &str| {
            let mut least = Vec::new();
            layout_of(&format!("<h1>A bell learns to wait</h1>{lines}<p>It dries for six weeks."), |page| {
                let mut page = page.clone();
                page.heading = Some(0);
                let found = candidates(&page, None, None);
                least.extend(found.iter().filter(|c| c.0 == ["Ruta Mend"]).map(|c| threshold(&page, &c.1)));
            });
            least
        };
        let byline = "<div><span>By</span> <span>Ruta Mend</span> <span>on</span> <span>4 March 2024</span></div>";
        assert_eq!(least(byline), [BYLINE_THRESHOLD]);
        assert!(least(&byline.replace("By", "")).is_empty());
        assert_eq!(least(&format!("<p>It is built of loam.<p>And of hair.{byline}")), [AUTHOR_THRESHOLD]);
        assert_eq!(least("<p>Why we did what we did, in 2024, by Ruta Mend</p>"), [AUTHOR_THRESHOLD]);
    }

    #[test]
    fn authors_stated_side_by_side_are_a_list() {
        let person = |name: &str| {
            format!(
                "<div itemprop=author itemscope><img src=p.jpg alt='{name}'><a href=/p><b itemprop=name>{name}</b></a><p>Baker</div>"
            )
        };
        let simple = |name: &str| format!("<div><img src=p.jpg alt='{name}'><span itemprop=author>{name}</span></div>");
        let text = "<p>We left early, and the road was empty until the hills.</p>";
        for of in [&person as &dyn Fn(&str) -> String, &simple] {
            let html = format!(
                "<div itemscope itemtype=https://schema.org/Article><h1>A walk</h1><div class=by>{}{}</div>{text}{text}</div>",
                of("Ilse Marn"),
                of("Bo Stenga")
            );
            layout_of(&html, |page| {
                assert_eq!(candidates(page, None, None)[0].0, ["Ilse Marn", "Bo Stenga"], "{html}")
            });
        }
    }

    #[test]
    fn in_danish_by_with_a_colon_labels_a_town() {
        let found = |language: &str, line: &str| {
            let html =
                format!("<html lang={language}><h1>En mølle</h1><div>{line}</div><p>Den åbner igen til foråret.</p>");
            let mut found = Vec::new();
            layout_of(&html, |page| found.extend(candidates(page, None, None).into_iter().map(|c| c.0.join(", "))));
            found
        };
        for line in
            ["<p>By: Nørre Snede</p>", "<p class=author><b>By:</b> Nørre Snede</p>", "<dl><dt>By<dd>Nørre Snede</dl>"]
        {
            assert!(found("da", line).is_empty(), "{line}");
            assert!(found("en", line).contains(&"Nørre Snede".to_owned()), "{line}");
        }
        assert_eq!(found("da", "<p>By Ilse Marn</p>"), ["Ilse Marn"]);
    }

    #[test]
    fn the_raised_marks_of_affiliations_are_not_parts_of_names() {
        let html = "<h1>Roots</h1><p class=authors>Ilse Marn<sup>a,b</sup>, Bo Stenga<sup>b</sup> and Kai Ruhl<sup>†</sup></p><p>Text";
        layout_of(html, |page| assert_eq!(candidates(page, None, None)[0].0, ["Ilse Marn", "Bo Stenga", "Kai Ruhl"]));
        let html = "<h1>Roots</h1><ul class=authors><li>Ilse Marn<sup>1</sup><li>Bo Stenga<sup>2</sup></ul><p>Text";
        layout_of(html, |page| assert_eq!(candidates(page, None, None)[0].0, ["Ilse Marn", "Bo Stenga"]));
        let html = html.replace("<sup>1</sup>", "").replace("<sup>2</sup>", "");
        layout_of(&html, |page| assert_eq!(candidates(page, None, None)[0].0, ["Ilse Marn", "Bo Stenga"]));
    }

    #[test]
    fn the_link_to_an_author_holds_the_whole_name_and_nothing_else() {
        for byline in [
            "By Ledger columnist <a rel=author href=/hv>Henning Voss</a>",
            "von Hafen-Experte <a rel=author href=/hv>Henning Voss</a>",
        ] {
            let html = format!("<h1>A walk</h1><p class=byline>{byline}</p><p>We left early.</p><p>It rained.</p>");
            layout_of(&html, |page| assert_eq!(candidates(page, None, None)[0].0, ["Henning Voss"], "{byline}"));
        }
    }

    #[test]
    fn answers_and_comments_have_authors_of_their_own() {
        let answer = "<div itemscope itemtype=https://schema.org/Answer><p itemprop=author itemscope><span itemprop=name>Jane Doe</span></p></div>";
        let comments: String = ["Ann", "Bea", "Cleo"]
            .map(|name| {
                format!("<div><a rel=author href=/u/{name}>{name}</a></div><p>We left early.</p><p>It rained.</p>")
            })
            .concat();
        for html in [format!("<h1>A walk</h1>{answer}<p>We left early."), format!("<h1>A walk</h1>{comments}")] {
            layout_of(&html, |page| {
                let found = candidates(page, None, None);
                let stated =
                    |c: &Candidate| c.evidence.iter().any(|e| e.key == "itemprop.name" || e.key == "rel=author");
                assert!(!found.iter().any(|c| stated(&c.1)), "{found:?}");
            });
        }
    }

    #[test]
    fn marks_of_affiliations_make_a_byline() {
        let html = "<h1>A walk</h1><div class=lista><a href=/a/1>Jane Doe</a><sup>1</sup>, <a href=/a/2>John Roe</a><sup>2</sup></div><ul><li><sup>1</sup>Hill College<li><sup>2</sup>Dale College</ul><p>We left early.";
        layout_of(html, |page| {
            let found = candidates(page, None, None);
            let byline = found.iter().find(|c| c.1.evidence.iter().any(|e| e.key == "byline"));
            assert_eq!(byline.map(|c| c.0.join("; ")).as_deref(), Some("Jane Doe; John Roe"));
        });
    }

    #[test]
    fn authors_of_one_kind_side_by_side_are_joined() {
        let html = "<h1>A walk</h1><p class=m><a class=by href=/p/jane-doe>Jane Doe</a>, <a class=by href=/p/john-roe>John Roe</a></p><p>We left early.";
        layout_of(html, |page| {
            let found = candidates(page, None, None);
            assert!(found.iter().any(|c| c.0 == ["Jane Doe", "John Roe"]), "{found:?}");
        });
    }
}
