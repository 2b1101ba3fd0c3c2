//! Authors that the page shows: in elements named for them, in bylines, and above posts.
use super::features::address;
use super::{
    BLOCKS_BEFORE, Builder, MAX_SCOPE_NODES, is_affiliation, link, place, refers_to_persons, text_without_marks,
};
use crate::metadata::fields::elsewhere::MAX_BYLINE_CHARS;
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::Source;
use crate::metadata::sources::facts::{markup, naming_words, region, signature};
use crate::metadata::text::cjk::is_organisation;
use crate::metadata::text::names::{
    NO_AUTHORS, byline, is_byline_label, is_position, looks_like_name, may_hold_name, names, strip_label,
};
use crate::metadata::text::{key, node_text, plain};
use maintext_html::Attr;
use maintext_page::blocks::Block;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use std::borrow::Cow;

/// Number of different authors, and of blocks between them, from which each is the author of a text of his own.
const MIN_AUTHORS_OF_TEXTS: usize = 3;

const MIN_BLOCKS_OF_TEXTS: u32 = 6;

/// Maximum number of declared organisations and places that are compared with names.
const MAX_OTHERS: usize = 20;

/// In texts of more words, names are sought only if the markup around them mentions persons.
const MANY_WORDS: usize = 12;

impl Builder<'_, '_> {
    /// Adds short elements near the heading or the end of the content, with the words of their attributes.
    pub(super) fn visible(&mut self) {
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
            let read = read.entry(text).or_insert_with_key(|t| names(&with_label(page, t)));
            let beside =
                if span.len() == 1 && !read.is_empty() { names_side_by_side(page, element.node) } else { None };
            let is_row = beside.is_some();
            let list = beside.unwrap_or_else(|| read.clone());
            if !explicit && self.named_by_link(span.start, &list).is_some() {
                continue;
            }
            if list.iter().all(|n| is_organisation(n))
                || hinted && !explicit && is_named_for_position(dom, element.node)
                || hinted && !explicit && self.is_named_for_section(e)
                || list.len() > 8
                || !hinted && !list.iter().any(|n| looks_like_name(n))
            {
                continue;
            }
            // Names with lines of their own are not one name.
            let lines = span.clone().filter(|&b| looks_like_name(blocks.text(b as usize)));
            if list.len() == 1 && span.len() > 1 && lines.take(2).count() == 2 {
                continue;
            }
            // "Example Trust · Springfield": what the page declares to be an organisation or a place is not a person.
            if !hinted && list.iter().all(|n| others.contains(&key(n))) {
                continue;
            }
            let signature = signature(page, element.node);
            self.seen.push((signature, span.start, list.clone()));
            let is_marked =
                !explicit && (is_row && is_named_for_persons(dom, element.node) || has_affiliations(dom, element.node));
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
                // A row of names, named for persons, and marks of affiliation say as much as a label.
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

    /// Whether a block is in an element with the block before it, and without the one after it: "Jane Doe", "Reporter".
    fn is_position_of_name_before(&self, block: usize) -> bool {
        let elements = &self.page.blocks.elements;
        let mut around = self.page.blocks.ancestors(block).map(|e| &elements[e].blocks);
        let (block, smallest) = (block as u32, around.find(|blocks| blocks.len() > 1));
        smallest.is_some_and(|blocks| blocks.start < block && blocks.end == block + 1)
    }

    /// Whether the name of an element, or of one around it with no other block, says that it holds the section or the tags of the page.
    fn is_named_for_section(&self, e: usize) -> bool {
        let blocks = self.page.blocks;
        let within = blocks.element_chain(e).take(3).take_while(|&e| blocks.elements[e].blocks.len() == 1);
        let (mut of_section, mut of_person) = (false, false);
        for e in within {
            naming_words(self.page.dom, blocks.elements[e].node, true, |word| {
                of_section |= matches!(word, "category" | "categories" | "cat" | "section" | "tag" | "tags" | "topic");
                of_person |= !matches!(word, "meta" | "name") && refers_to_persons(word);
            });
        }
        of_section && !of_person
    }

    /// Adds short blocks near the heading that name the author.
    pub(super) fn bylines(&mut self) {
        let page = self.page;
        let blocks = page.blocks;
        for (i, b) in blocks.blocks.iter().enumerate() {
            if b.chars > MAX_BYLINE_CHARS as u32 || b.hidden || !self.near(i as u32) {
                continue;
            }
            // "text: Jane Doe" in code is a key with its value, and a notice of copyright names the owner of the site.
            if b.code_chars == b.chars || blocks.text(i).starts_with('©') {
                continue;
            }
            let Some((list, label)) = byline(&with_label(page, blocks.text(i))) else { continue };
            let list = self.named_by_link(i as u32, &list).unwrap_or(list);
            let node = blocks.elements[b.element as usize].node;
            // A space may part two links.
            if b.link_chars + b.links >= b.chars && is_link_to_label(page, i as u32, label) {
                continue;
            }
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
            // "Authors", "Series", "Forum": links of a menu.
            if pair.iter().all(Block::is_linked) {
                continue;
            }
            let label = blocks.text(i);
            let bare = label.trim_end_matches([':', '：', ' ']);
            let (rest, found) = strip_label(label);
            if found.is_empty() || !rest.is_empty() || bare.is_empty() || self.is_position_of_name_before(i) {
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
    pub(super) fn thread(&mut self) {
        let Some(first) = self.page.records.first().filter(|r| r.is_post) else { return };
        let Some(name) = submitter(self.page).or_else(|| first.author.clone()) else { return };
        if let Some(f) = self.add(vec![name], 6, Source::Markup, "post", None) {
            f.set(&["post.author"], 1.0);
        }
    }
}

/// Returns a byline with its label in lower case where that begins names in other languages: "De Ioana Pop" is by Ioana Pop in Romanian.
fn with_label<'t>(page: &Layout<'_>, byline: &'t str) -> Cow<'t, str> {
    match byline.strip_prefix("De ") {
        Some(name) if page.declared.get(..2).is_some_and(|language| language.eq_ignore_ascii_case("ro")) => {
            format!("de {name}").into()
        }
        _ => byline.into(),
    }
}

/// Returns the person who submitted the subject of a thread: the link after a label of bylines, above the comments.
pub(super) fn submitter(page: &Layout<'_>) -> Option<String> {
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

/// Whether a link in a line of links is no more than a label of bylines: "Authors Series Forum" is a menu.
fn is_link_to_label(page: &Layout<'_>, line: u32, label: &str) -> bool {
    let links = page.blocks.beginning_with(line).map(|e| &page.blocks.elements[e]).filter(|e| e.tag == Tag::A);
    links.take(MAX_SCOPE_NODES).any(|e| node_text(page.dom, e.node, MAX_BYLINE_CHARS).to_lowercase() == label)
}

/// Returns the names in a line of nothing else but positions, each in an element or a line of its own of one kind, also without a sign between
/// them.
fn names_side_by_side(page: &Layout<'_>, line: NodeId) -> Option<Vec<String>> {
    let dom = page.dom;
    let mut names: Vec<String> = Vec::new();
    let (mut kind, mut has_position) = (None, false);
    for (i, n) in dom.descendants(line).enumerate() {
        let text = dom.text(n).trim().trim_start_matches(['-', '–', '—']).trim_start();
        if i == MAX_SCOPE_NODES {
            return None;
        } else if text.is_empty() {
            continue;
        }
        let own = signature(page, dom.parent(n)?);
        if !looks_like_name(text) || kind.is_some_and(|kind| kind != own) {
            return None;
        }
        kind = Some(own);
        if is_position(text) {
            has_position = true;
        } else {
            names.push(text.to_owned());
        }
    }
    if names.len() > 1 || names.len() == 1 && has_position { Some(names) } else { None }
}

/// Whether the name of an element says that it holds a position, such as "Special correspondent".
fn is_named_for_position(dom: &Dom<'_>, node: NodeId) -> bool {
    let mut found = false;
    naming_words(dom, node, false, |word| found |= matches!(word, "role" | "designation" | "job" | "jobtitle"));
    found
}

/// Whether the name of an element says that it holds persons; one named "meta" holds whatever a site says about a page.
pub(super) fn is_named_for_persons(dom: &Dom<'_>, node: NodeId) -> bool {
    let mut found = false;
    naming_words(dom, node, true, |word| found |= word != "meta" && refers_to_persons(word));
    found
}

/// Whether a line has at least two affiliations of authors, or short marks for them: "Jane Doe¹, John Roe²".
fn has_affiliations(dom: &Dom<'_>, node: NodeId) -> bool {
    const MAX_MARK_BYTES: usize = 6;
    let found = dom.descendants(node).take(MAX_SCOPE_NODES).filter(|&n| is_affiliation(dom, n));
    let marks = found.filter(|&n| {
        if dom.tag(n) != Tag::SUP {
            return true;
        }
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
