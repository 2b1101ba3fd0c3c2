//! The title: the page's own heading, without the site's name and section.
//!
//! Candidates are the headings, titles and headlines in metadata, the `<title>` and its parts. Their features compare them with the
//! `<title>` and with each other (as GeneralNewsExtractor's published method compares `h`, `meta` and `<title>`) and with the address; a
//! heading also has a position relative to the content.
use super::tags;
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{Candidate, Evidence, Features, Pool, Source};
use crate::metadata::sources::facts::region;
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::{holds, key, node_text, plain, slug, tokens};
use maintext_html::Attr;
use maintext_page::blocks::is_cjk;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::lexicon::lexicon;

/// Characters that separate a title from the site's name when spaces surround them.
const SEPARATORS: &[char] =
    &['|', '-', '–', '—', '·', '•', '»', '«', ':', '/', '>', '<', '~', '∣', '⋅', '●', '►', '→', '⟩'];
/// Characters that separate even without spaces.
const TIGHT_SEPARATORS: &[char] = &['|', '｜', '_', '»', '•', '∣', '—'];
/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 400;

/// Names of pages that many sites have, as keys; they rarely name a page best.
const PAGE_WORDS: &[&str] = lexicon!("page-names.txt");

type Titles = Pool<()>;

struct Builder<'a, 'f> {
    page: &'a Layout<'f>,
    pool: Titles,
    site: String,
    window_title: String,
    og_title: String,
    /// Keys of the page's declared sections and breadcrumb.
    sections: Vec<String>,
}

/// Returns all candidates, best first.
pub fn candidates(page: &Layout<'_>, site: Option<&str>) -> Vec<Candidate> {
    let mut b = Builder {
        page,
        pool: Pool::new(page.named),
        site: key(site.unwrap_or("")),
        window_title: key(page.title.as_deref().unwrap_or("")),
        sections: tags::categories(page).iter().chain(&tags::declared_breadcrumb(page)).map(|s| key(s)).collect(),
        og_title: key(&page.meta(&["og:title"]).unwrap_or_default()),
    };
    b.headings();
    b.structured();
    b.metas();
    b.window();
    b.visible();
    b.common_features();
    let (shared, window) = (b.og_title.clone(), b.window_title.clone());
    let mut found: Vec<Candidate> = b.pool.rank(&page.rankers.title).into_iter().map(|c| c.1).collect();
    prefer_shared(page, [&shared, &window], &mut found);
    prefer_subject(page, [&shared, &window], &mut found);
    prefer_heading_over_recipe(page, &shared, &mut found);
    prefer_text_over_site(page, &mut found);
    prefer_title_over_logo(page, &mut found);
    prefer_shown_part(page, &mut found);
    found
}

/// Puts the title before the name of the site or of the book if that is a first-level heading and one end of `<title>`: "A short route - The
/// Gazette". It links to the front page, or the text begins with the rest of `<title>` or with a first-level heading of its own.
fn prefer_title_over_logo(page: &Layout<'_>, found: &mut [Candidate]) {
    /// Maximum number of lines of the text above its heading, such as its path.
    const MAX_BLOCKS_ABOVE: u32 = 2;
    /// Least probability of a heading in other words than `<title>` as a share of the first candidate's.
    const MIN_SHARE: f32 = 0.05;
    let [logo, others @ ..] = &*found else { return };
    let Some(block) = heading_block(logo, "h1") else { return };
    if page.is_root() {
        return;
    }
    let window = key(page.title.as_deref().unwrap_or(""));
    let site = key(&logo.value);
    let Some(rest) = window.strip_suffix(&site).or_else(|| window.strip_prefix(&site)).map(str::trim) else { return };
    let is_home = leads_home(page, block);
    let ends_with_site = !rest.is_empty() && window.ends_with(&site);
    let begins_text = |c: &Candidate, level: &str| {
        heading_block(c, level).is_some_and(|b| b > block && b <= page.content.0 + MAX_BLOCKS_ABOVE)
    };
    let title = others.iter().position(|c| {
        let is_rest = key(&c.value) == rest;
        let may_be_other = c.probability >= MIN_SHARE * logo.probability;
        is_home && is_rest && heading_block(c, "h1") != Some(block)
            || ends_with_site && (begins_text(c, "h1") && (is_rest || may_be_other) || begins_text(c, "h2") && is_rest)
    });
    if let Some(title) = title {
        found[..=title + 1].rotate_right(1);
    }
}

/// Puts a part of `<title>` that is a line above the text before another part of it that the page shows nowhere: "Town Council - News - A
/// short route", where only the last part is printed.
fn prefer_shown_part(page: &Layout<'_>, found: &mut [Candidate]) {
    /// Least probability of the shown part as a share of the first candidate's, and maximum number of blocks between it and the text.
    const MIN_SHARE: f32 = 0.5;
    const MAX_BLOCKS: u32 = 1;
    let Some(first) = found.first().filter(|c| !is_shown(c) && c.evidence.iter().all(|e| e.key.starts_with("title")))
    else {
        return;
    };
    let least = MIN_SHARE * first.probability;
    let shown = found.iter().position(|c| {
        c.probability >= least
            && c.evidence.iter().any(|e| e.key.starts_with("title."))
            && c.evidence
                .iter()
                .any(|e| e.key == "block" && e.block.is_some_and(|b| page.content.0.abs_diff(b) <= MAX_BLOCKS))
    });
    if let Some(shown) = shown {
        found[..=shown].rotate_right(1);
    }
}

/// Puts the main heading before the name of a recipe in the text, if `og:title` holds the heading: the text is about the dish, and the recipe
/// at its end has a title of its own.
fn prefer_heading_over_recipe(page: &Layout<'_>, shared: &str, found: &mut [Candidate]) {
    let Some(name) = found.first().filter(|c| heading_block(c, "h1").is_none()).map(|c| key(&c.value)) else { return };
    let mut recipes = page.graph().things.iter().filter(|thing| thing.kind == "Recipe");
    if name == shared || !recipes.any(|r| page.graph().text(r.id, "name").is_some_and(|own| key(own) == name)) {
        return;
    }
    let mut headings = found.iter().enumerate().filter(|(_, c)| heading_block(c, "h1").is_some());
    if let (Some((heading, c)), None) = (headings.next(), headings.next())
        && contains(shared, &key(&c.value))
    {
        found[..=heading].rotate_right(1);
    }
}

/// Whether a block is a link to the front page.
fn leads_home(page: &Layout<'_>, block: u32) -> bool {
    let block = &page.blocks.blocks[block as usize];
    let mut leaves = page.blocks.leaves_of(block).iter();
    let around = leaves.next().and_then(|&leaf| page.dom.ancestors(leaf).find(|n| page.dom.tag(*n) == Tag::A));
    let href = around.and_then(|a| page.dom.attr(a, "href"));
    block.is_linked() && href.is_some_and(|href| page.leads_home(href))
}

/// Puts the heading of the text before the name of the site above it, which is a heading of the first level, too: `<title>` begins with that
/// name and ends with the heading of the text, "The Gazette » A short route". With a colon, both are the title.
fn prefer_text_over_site(page: &Layout<'_>, found: &mut [Candidate]) {
    /// Least probability of the heading as a share of the first candidate's, and maximum number of blocks between it and the text.
    const MIN_SHARE: f32 = 0.3;
    const MAX_BLOCKS: u32 = 2;
    let [site, others @ ..] = &*found else { return };
    let window = page.title.as_deref().unwrap_or("");
    let rest = window.trim().strip_prefix(site.value.as_str()).map(str::trim_start);
    let (Some(above), Some(rest)) = (heading_block(site, "h1"), rest) else { return };
    let heading = others.iter().position(|c| {
        c.probability >= MIN_SHARE * site.probability
            && rest.ends_with(c.value.as_str())
            && heading_block(c, "h2").is_some_and(|b| b > above && page.content.0.abs_diff(b) <= MAX_BLOCKS)
    });
    if let Some(heading) = heading
        && !rest.starts_with([':', '：'])
    {
        found[..=heading + 1].rotate_right(1);
    }
}

/// Returns the block of the heading of a level that states a candidate.
fn heading_block(c: &Candidate, level: &str) -> Option<u32> {
    c.evidence.iter().find(|e| e.key == level).and_then(|e| e.block)
}

/// Puts the title in `og:title` before a part of it that is printed nowhere, if `<title>` adds something to that title, such as the name of the
/// site, and a link outside of navigation holds it whole, such as the subject line of a post: "Compass - how do I read it?".
fn prefer_shared(page: &Layout<'_>, [shared, window]: [&str; 2], found: &mut [Candidate]) {
    let Some(part) = found.first().filter(|c| !is_shown(c)).map(|c| key(&c.value)) else { return };
    if part == shared || !contains(shared, &part) || shared == window {
        return;
    }
    let whole = found.iter().position(|c| has_source(c, Source::Title) && key(&c.value) == shared);
    if let Some(whole) = whole
        && Links::new(page).subjects.contains_key(shared)
    {
        found[..=whole].rotate_right(1);
    }
}

/// Puts the subject line of a post before a title of which it is a part, if the title is printed nowhere: "r/planes - A short route", where
/// only "A short route" is on the page, as a link. `<title>` and `og:title`, the stated titles, agree on the subject alone, or the rest is
/// the name of a section.
fn prefer_subject(page: &Layout<'_>, stated: [&str; 2], found: &mut [Candidate]) {
    let Some(whole) = found.first().filter(|c| !is_shown(c)).map(|c| key(&c.value)) else { return };
    let mut parts = found.iter().enumerate().filter(|(_, c)| rest_of(&whole, &key(&c.value)).is_some()).peekable();
    if parts.peek().is_none() {
        return;
    }
    let links = Links::new(page);
    let is_agreed = stated.into_iter().all(|title| contains(title, &whole));
    let subjects = parts.filter(|(_, c)| {
        let part = key(&c.value);
        let agreed = !is_agreed && has_source(c, Source::OpenGraph) && has_source(c, Source::Title);
        // A heading without its kicker is not the whole title.
        let is_line = !has_source(c, Source::Heading) && (is_shown(c) || links.subjects.contains_key(&part));
        is_line && (agreed || rest_of(&whole, &part).is_some_and(|rest| links.sections.contains(rest)))
    });
    let best = subjects.max_by_key(|(i, c)| (c.value.len(), std::cmp::Reverse(*i)));
    let Some(best) = best.map(|(i, _)| i) else { return };
    if let Some(block) = links.subjects.get(&key(&found[best].value))
        && !is_shown(&found[best])
    {
        let link = Evidence { source: Source::Text, key: "link".into(), block: Some(*block), span: None };
        found[best].evidence.push(link);
    }
    found[..=best].rotate_right(1);
}

/// The texts of the links of a page, as keys.
#[derive(Default)]
struct Links {
    /// Those outside of navigation, with their blocks.
    subjects: HashMap<String, u32>,
    /// Those whose address ends with their text: names of sections.
    sections: HashSet<String>,
}

impl Links {
    fn new(page: &Layout<'_>) -> Links {
        const AROUND: u16 = region::NAV | region::ASIDE | region::FOOTER | region::HIDDEN;
        let mut links = Links::default();
        for (i, e) in page.blocks.elements.iter().enumerate().filter(|(_, e)| e.tag == Tag::A && !e.blocks.is_empty()) {
            let text = node_text(page.dom, e.node, MAX_TITLE_CHARS);
            let text = key(&text);
            if text.is_empty() {
                continue;
            }
            let address = page.dom.attribute(e.node, Attr::HREF).unwrap_or("");
            let name = address.split(['?', '#']).next().and_then(|path| path.trim_end_matches('/').rsplit('/').next());
            if name.is_some_and(|name| key(name) == text) {
                links.sections.insert(text.clone());
            }
            if page.regions[i] & AROUND == 0 {
                links.subjects.entry(text).or_insert(e.blocks.start);
            }
        }
        links
    }
}

/// Returns a title without separators at its ends, such as in "/ Red chair".
fn bare(text: &str) -> &str {
    let text = text.split_once(' ').filter(|(first, _)| is_separator(first)).map_or(text, |(_, rest)| rest);
    text.rsplit_once(' ').filter(|(_, last)| is_separator(last)).map_or(text, |(rest, _)| rest)
}

fn is_separator(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| SEPARATORS.contains(&c) || TIGHT_SEPARATORS.contains(&c))
}

impl Builder<'_, '_> {
    fn add(
        &mut self,
        text: &str,
        trust: u8,
        source: Source,
        name: &str,
        node: Option<NodeId>,
    ) -> Option<&mut Features> {
        let text = bare(text);
        if text.chars().count() > MAX_TITLE_CHARS {
            return None;
        }
        let evidence = self.page.evidence(source, name, node);
        let g = self.pool.add(key(text), (), text, trust, evidence)?;
        g.features.set(&["s:", name], 1.0);
        Some(&mut g.features)
    }

    fn headings(&mut self) {
        let page = self.page;
        let blocks = page.blocks;
        let h1s = (0..blocks.elements.len()).filter(|&e| blocks.elements[e].tag == Tag::H1 && is_visible(page, e));
        let h1s = h1s.count();
        let (mut nth, mut nth_h1, mut total) = (0, 0, 0);
        for e in 0..blocks.elements.len() {
            let element = &blocks.elements[e];
            let Some(level) = element.tag.heading_level() else { continue };
            if element.blocks.is_empty() || total > 150 {
                continue;
            }
            total += 1;
            let text = node_text(page.dom, element.node, MAX_TITLE_CHARS + 50);
            let text = if level == 1 { self.without_kicker(element.node, &text).unwrap_or(text) } else { text };
            let name = element.tag.name();
            let trust = 9 - level.min(3);
            let Some(f) = self.add(&text, trust, Source::Heading, name, Some(element.node)) else { continue };
            let is_visible = is_visible(page, e);
            nth += is_visible as usize;
            nth_h1 += (level == 1 && is_visible) as usize;
            if level == 1 {
                f.flag("h1.only", h1s == 1 && is_visible);
                f.bucket("h1.nth", nth_h1);
            }
            if level <= 2 {
                f.bucket(if level == 1 { "h1.order" } else { "h2.order" }, nth);
            }
            let first = page.content.0;
            let at = element.blocks.start;
            let place = page.side_of_content(at);
            f.set(&["at:", place], 1.0);
            f.set(&[name, ".at:", place], 1.0);
            f.bucket("to.content", at.abs_diff(first) as usize);
            for r in page.region_names(e) {
                f.set(&["in:", r], 1.0);
                f.set(&[name, ".in:", r], 1.0);
            }
            if level > 1 && h1s == 0 {
                f.set(&["no.h1.", name], 1.0);
            }
            for attr in ["class", "id", "itemprop", "property"] {
                tokens(page.dom.attr(element.node, attr).unwrap_or(""), |t| f.set(&["c:", t], 1.0));
            }
            if let Some(parent) = page.dom.parent(element.node) {
                tokens(page.dom.attr(parent, "class").unwrap_or(""), |t| f.set(&["p:", t], 1.0));
            }
        }
    }

    /// Returns the text of a heading without its kicker: an element at its beginning that a declared title sets apart by a mark, "Olympics - A
    /// quick race", or lacks.
    fn without_kicker(&self, heading: NodeId, text: &str) -> Option<String> {
        /// Maximum number of elements around the kicker, as in `<h1><a><span>`.
        const MAX_LEVELS: usize = 3;
        /// Least number of words of the rest, in scripts with spaces.
        const MIN_WORDS: usize = 3;
        let dom = self.page.dom;
        let first =
            |n: NodeId| dom.children(n).find(|c| !dom.text(*c).trim().is_empty() || dom.first_child(*c).is_some());
        let og_title = self.page.meta(&["og:title"]);
        let declared = [og_title.as_deref(), self.page.title.as_deref()];
        std::iter::successors(first(heading), |n| first(*n)).take(MAX_LEVELS).find_map(|element| {
            let kicker = node_text(dom, element, MAX_TITLE_CHARS);
            let rest = text.strip_prefix(kicker.as_str())?.trim_start();
            let (own, below) = (key(&kicker), key(rest));
            // With a colon, both are the title.
            let is_whole = !kicker.ends_with([':', '：'])
                && !rest.starts_with([':', '：'])
                && rest.len() > kicker.len()
                && (below.split(' ').count() >= MIN_WORDS || below.contains(is_cjk));
            let is_apart = |title: &str| {
                let part = cuts(title).first().map(|(end, _)| key(&title[..*end]));
                let title = key(title);
                part.is_some_and(|part| part == own) || contains(&title, &below) && !contains(&title, &own)
            };
            (is_whole && !own.is_empty() && declared.into_iter().flatten().any(is_apart)).then(|| rest.to_owned())
        })
    }

    fn structured(&mut self) {
        let page = self.page;
        for thing in page.graph().things.iter().take(2000) {
            for property in ["headline", "name", "title", "alternativeHeadline"] {
                let work = Graph::is_work(&thing.kind) || property == "headline";
                if !work && (thing.depth > 0 || thing.kind.is_empty()) && thing.under != "mainEntity" {
                    continue;
                }
                for text in page.graph().texts(thing.id, property, page.dom.copies()).into_iter().take(1) {
                    let text = plain(&text);
                    let name = format!("ld.{property}");
                    if let Some(f) = self.add(&text, 5, Source::JsonLd, &name, None) {
                        f.set(&["ld:", &thing.kind, ".", property], 1.0);
                        f.set(&["ld.under:", &thing.under, ".", property], 1.0);
                    }
                }
            }
        }
        for prop in page.props.iter().filter(|p| matches!(p.name.as_str(), "headline" | "name" | "title")).take(300) {
            if prop.name == "name"
                && !Graph::is_work(&prop.kind)
                && !prop.kind.ends_with("Product")
                && !prop.kind.ends_with("Page")
            {
                continue;
            }
            let text = page.prop_value(prop.node);
            let name = format!("itemprop.{}", prop.name);
            if let Some(f) = self.add(&text, 5, Source::Microdata, &name, Some(prop.node)) {
                f.set(&["ip:", &prop.kind, ".", &prop.name], 1.0);
            }
        }
    }

    fn metas(&mut self) {
        let page = self.page;
        for m in page.metas.iter().take(400) {
            let words =
                m.key.ends_with("title") || m.key.contains("headline") || m.key.ends_with(".title") || m.key == "hdl";
            if !words || m.key == "og:image:title" {
                continue;
            }
            let text = plain(&m.content);
            let source = if m.key.starts_with("og:") { Source::OpenGraph } else { Source::Meta };
            self.add(&text, 4, source, &m.key, Some(m.node));
            if m.key == "og:title" || m.key == "twitter:title" {
                self.parts(&text, "og", source);
            }
        }
    }

    fn window(&mut self) {
        let Some(title) = self.page.title.clone() else { return };
        self.add(&title, 2, Source::Title, "title", None);
        self.parts(&title, "title", Source::Title);
    }

    /// Adds the parts of a title that includes site and section: from each separator to the beginning and to the end.
    fn parts(&mut self, title: &str, name: &str, source: Source) {
        let cuts = cuts(title);
        let n = cuts.len();
        for (i, &(end, start)) in cuts.iter().enumerate() {
            let before = title[..end].trim();
            let after = title[start..].trim();
            let spot = match i {
                _ if n == 1 => "only",
                0 => "first",
                _ if i + 1 == n => "last",
                _ => "middle",
            };
            let mark = title[end..start].trim();
            for (text, other, side) in [(before, after, "head"), (after, before, "tail")] {
                let kind = format!("{name}.{side}.{spot}");
                let left_out = self.kind_of_part(other);
                if let Some(f) = self.add(text, 3, source, &kind, None) {
                    f.set(&["cut:", side, mark], 1.0);
                    f.set(&["left.out:", left_out], 1.0);
                    f.set(&["left.out:", name, side, left_out], 1.0);
                    f.bucket("left.out.words", other.split_whitespace().count());
                }
            }
            // The part between two separators.
            if let Some(&(next, _)) = cuts.get(i + 1) {
                let middle = title[start..next].trim();
                self.add(middle, 3, source, &format!("{name}.between"), None);
            }
        }
    }

    /// Classifies a part of the title that a candidate leaves out.
    fn kind_of_part(&self, part: &str) -> &'static str {
        let (k, s) = (key(part), slug(part));
        let host = self.page.host().map(slug).unwrap_or_default();
        let site = self.site.replace(' ', "");
        if k == self.site {
            "site"
        } else if s.len() > 2 && host.contains(&s) {
            "host"
        } else if s.len() > 3 && site.len() > 3 && (site.contains(&s) || s.contains(&site)) {
            "like.site"
        } else if self.sections.contains(&k) {
            "section"
        } else if self.pool.groups.iter().any(|g| g.trust >= 6 && g.key == k) {
            "heading"
        } else {
            "other"
        }
    }

    /// Returns for each group the first block that holds exactly its text.
    fn printed(&mut self) -> Vec<Option<u32>> {
        let blocks = self.page.blocks;
        let mut out = vec![None; self.pool.groups.len()];
        // Only blocks that begin and end like a candidate need a closer look; a character outside ASCII may match any.
        let known: Vec<_> = self.pool.groups.iter().map(|g| ends(&g.text)).collect();
        for (i, b) in blocks.blocks.iter().enumerate() {
            if b.chars > 250 || b.hidden {
                continue;
            }
            let text = blocks.text(i);
            let own = ends(text);
            if !known.iter().any(|k| may_match(k.0, own.0) && may_match(k.1, own.1)) {
                continue;
            }
            if let Some(g) = self.pool.position(&key(text)) {
                out[g].get_or_insert(i as u32);
            }
        }
        out
    }

    fn visible(&mut self) {
        let page = self.page;
        let printed = self.printed();
        let first = page.content.0;
        for (g, at) in self.pool.groups.iter_mut().zip(printed) {
            let Some(at) = at else { continue };
            let e = page.blocks.blocks[at as usize].element as usize;
            g.evidence.push(Evidence { source: Source::Text, key: "block".into(), block: Some(at), span: None });
            let place = page.side_of_content(at);
            g.features.set(&["printed:", place], 1.0);
            page.region_names(e).for_each(|r| g.features.set(&["printed.in:", r], 1.0));
            g.features.bucket("printed.to.content", at.abs_diff(first) as usize);
            if g.trust < 6 {
                g.trust = 6;
                // A footer with the owner, "© Jane Doe", prints the title with a sign that is not part of it.
                let text = page.blocks.text(at as usize);
                if !text.starts_with('©') || g.text.starts_with('©') {
                    g.text = text.to_owned();
                }
            }
        }
    }

    fn common_features(&mut self) {
        let address = self.page.view.url.map(|u| slug(last_segments(u))).unwrap_or_default();
        let root = self.page.is_root();
        let host = self.page.host().map(|h| slug(h.split('.').next().unwrap_or(""))).unwrap_or_default();
        let window_words = self.window_title.split(' ').count().max(1);
        let window_set = word_set(&self.window_title);
        let groups = &self.pool.groups;
        let all: Vec<(String, bool)> =
            groups.iter().map(|g| (g.key.clone(), g.evidence.iter().any(is_main_heading))).collect();
        let h1_key = groups.iter().find(|g| g.evidence.iter().any(|e| e.key == "h1")).map(|g| g.key.clone());
        let sections = std::mem::take(&mut self.sections);
        for g in &mut self.pool.groups {
            let k = g.key.clone();
            let families = Titles::families(g);
            let f = &mut g.features;
            let words = k.split(' ').count();
            f.set(&["prior"], 1.0);
            let heading = g.evidence.iter().any(|e| e.source == Source::Heading);
            f.bucket("families", families);
            f.bucket("words", words);
            f.flag("is.site", k == self.site);
            f.flag("is.host", !host.is_empty() && slug(&g.text) == host);
            f.flag("has.site", !self.site.is_empty() && k != self.site && k.contains(&self.site));
            f.flag("root", root && g.evidence.iter().any(|e| e.key == "title"));
            let longer = all.iter().find(|(o, _)| o.len() > k.len() && o.starts_with(&k));
            f.flag("starts.longer.heading", longer.is_some_and(|l| l.1));
            f.flag(
                "cut.off",
                g.text.ends_with(['…', '.'])
                    && g.text.trim_end_matches(['…', '.']).len() + 2 < g.text.len()
                    && longer.is_some(),
            );
            f.flag("cut.in.word", longer.is_some_and(|(o, _)| !o[k.len()..].starts_with(' ')));
            f.flag("is.section", sections.contains(&k));
            f.flag("page.word", PAGE_WORDS.contains(&k.as_str()));
            let interface = super::person::interface_words(&k);
            if interface > 0 {
                f.bucket("interface", interface);
                f.set(&["interface.share"], interface as f32 / words as f32);
            }
            // A kicker within the heading: "Olympics: A quick race", shared as "A quick race".
            let ends_h1 = k.len() > 12 && h1_key.as_deref().is_some_and(|h| h.len() > k.len() + 1 && ends_with(h, &k));
            let shared =
                g.evidence.iter().any(|e| matches!(e.key.as_str(), "og:title" | "twitter:title" | "ld.headline"));
            f.flag("ends.h1", ends_h1);
            f.flag("ends.h1.shared", shared && ends_h1);
            let own_h1 = h1_key.as_deref() == Some(k.as_str());
            f.flag(
                "h1.with.kicker",
                own_h1 && self.og_title.len() > 12 && k.len() > self.og_title.len() && ends_with(&k, &self.og_title),
            );
            f.flag(
                "window.tail",
                heading && !k.is_empty() && self.window_title != k && ends_with(&self.window_title, &k),
            );
            f.flag("starts.og", self.og_title.len() > k.len() && self.og_title.starts_with(k.as_str()));
            if let Some(h) = &h1_key {
                f.flag("in.h1", *h != k && contains(h, &k));
                f.flag("holds.h1", *h != k && contains(&k, h));
            }
            f.flag("long", k.len() > 180);
            f.flag("one.letter", k.chars().count() < 3);
            let in_window = contains(&self.window_title, &k);
            let kind = if heading { "h" } else { "o" };
            f.set(&["window.", kind, if in_window { ":in" } else { ":out" }], 1.0);
            let in_og = if self.og_title.is_empty() {
                ":none"
            } else if contains(&self.og_title, &k) {
                ":in"
            } else {
                ":out"
            };
            f.set(&["og.", kind, in_og], 1.0);
            f.flag("window.start", in_window && self.window_title.starts_with(&k));
            if in_window {
                f.set(&["window.share"], words as f32 / window_words as f32);
            }
            let shared = overlap(&window_set, &word_set(&k));
            f.set(&["window.overlap"], shared);
            if heading {
                f.set(&["window.overlap.h"], shared);
            }
            f.flag("no.h1", h1_key.is_none() && heading);
            f.set(&["address.overlap"], address_overlap(&address, &g.text));
        }
    }
}

/// Returns whether a key ends with the words of another.
fn ends_with(whole: &str, part: &str) -> bool {
    whole.strip_suffix(part).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
}

/// Returns the places to cut a title: the end of the part before and the beginning of the part after.
fn cuts(title: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let chars: Vec<(usize, char)> = title.char_indices().collect();
    let mut quoted = 0;
    for (i, &(at, c)) in chars.iter().enumerate() {
        if is_quotation(&chars, i, &mut quoted) {
            continue;
        }
        let before = i.checked_sub(1).is_none_or(|before| chars[before].1.is_whitespace());
        let after = chars.get(i + 1).is_none_or(|c| c.1.is_whitespace());
        let spaced = SEPARATORS.contains(&c) && before && after;
        let colon = c == ':' && after && i > 0;
        let full = matches!(c, '：' | '－' | '―');
        let cjk = c == '-' && chars.get(i + 1).is_some_and(|c| is_cjk(c.1));
        // "::" and "--" are one separator.
        let tight = TIGHT_SEPARATORS.contains(&c);
        if (spaced || colon || tight || full || cjk) && at > 0 && out.len() < 12 {
            let end = at + c.len_utf8();
            match out.last_mut() {
                Some((_, e)) if *e == at => *e = end,
                last => {
                    // "::": the first colon had no space after it.
                    let from = last.map_or(0, |l| l.1);
                    let begin = from + title[from..at].trim_end_matches(c).len();
                    if begin > from || from == 0 {
                        out.push((begin, end));
                    }
                }
            }
        }
    }
    out
}

/// Whether a character is a mark of a quotation, «such as this», of which `quoted` counts the open ones.
fn is_quotation(chars: &[(usize, char)], i: usize, quoted: &mut u32) -> bool {
    let is_at_word = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| !c.1.is_whitespace());
    match chars[i].1 {
        '«' if is_at_word(Some(i + 1)) => *quoted += 1,
        '»' if *quoted > 0 && is_at_word(i.checked_sub(1)) => *quoted -= 1,
        _ => return false,
    }
    true
}

/// Returns whether `whole` contains the words of `part` in sequence.
fn contains(whole: &str, part: &str) -> bool {
    // Preparing a search takes longer than a look at the beginnings of all words.
    let mut words = std::iter::once(0).chain(memchr::memchr_iter(b' ', whole.as_bytes()).map(|space| space + 1));
    !part.is_empty()
        && words.any(|at| matches!(whole.as_bytes()[at..].strip_prefix(part.as_bytes()), Some([] | [b' ', ..])))
}

/// Returns the first and the last letter or digit of a text in lower case, `None` if it is not ASCII.
fn ends(text: &str) -> (Option<char>, Option<char>) {
    let mut counted = text.chars().filter(|c| c.is_alphanumeric() || *c == '_');
    let first = counted.next();
    let last = counted.next_back().or(first);
    (plain_letter(first), plain_letter(last))
}

fn plain_letter(c: Option<char>) -> Option<char> {
    c.filter(char::is_ascii).map(|c| c.to_ascii_lowercase())
}

fn may_match(a: Option<char>, b: Option<char>) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// Whether a candidate was seen on the page.
fn is_shown(c: &Candidate) -> bool {
    has_source(c, Source::Heading) || has_source(c, Source::Text)
}

fn has_source(c: &Candidate, source: Source) -> bool {
    c.evidence.iter().any(|e| e.source == source)
}

fn is_main_heading(e: &Evidence) -> bool {
    e.source == Source::Heading && matches!(e.key.as_str(), "h1" | "h2")
}

/// Returns what a title has before or after one of its parts, if that is shorter than the part.
fn rest_of<'t>(whole: &'t str, part: &str) -> Option<&'t str> {
    let after = whole.strip_prefix(part).and_then(|rest| rest.strip_prefix(' '));
    let rest = after.or_else(|| whole.strip_suffix(part).and_then(|rest| rest.strip_suffix(' ')));
    rest.filter(|rest| !rest.is_empty() && rest.len() < part.len())
}

/// Whether an element has text that visitors see.
fn is_visible(page: &Layout<'_>, e: usize) -> bool {
    page.regions[e] & region::HIDDEN == 0 && !page.blocks.elements[e].blocks.is_empty()
}

/// Returns the words of a text as sorted hashes; East Asian characters are words of their own.
fn word_set(s: &str) -> Vec<u64> {
    let mut w: Vec<u64> = Vec::new();
    for word in s.split(' ') {
        if !word.is_ascii() && word.chars().any(is_cjk) {
            w.extend(word.chars().map(|c| c as u64));
        } else {
            w.push(crate::metadata::ranking::rank::hash(7, word));
        }
    }
    w.sort_unstable();
    w.dedup();
    w
}

/// Returns the Jaccard coefficient: of characters in the published method, here of words where there are any.
fn overlap(a: &[u64], b: &[u64]) -> f32 {
    let common = b.iter().filter(|w| a.binary_search(w).is_ok()).count();
    common as f32 / (a.len() + b.len() - common).max(1) as f32
}

/// Returns the part of an address that names the page: its longest path segment.
fn last_segments(url: &str) -> &str {
    let path = url.split_once("://").map_or(url, |p| p.1);
    let path = path.split_once('/').map_or("", |p| p.1);
    path.split(['?', '#']).next().unwrap_or("").split('/').max_by_key(|s| s.len()).unwrap_or("")
}

/// Returns the share of the text's words that occur in the address.
fn address_overlap(address: &str, text: &str) -> f32 {
    let words: Vec<String> = text.split_whitespace().map(slug).filter(|w| w.chars().count() > 2).collect();
    if words.is_empty() || address.len() < 6 {
        return 0.0;
    }
    words.iter().filter(|w| holds(address, w)).count() as f32 / words.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::layout_of;

    #[test]
    fn separators_at_the_ends_are_not_part_of_a_title() {
        assert_eq!(bare("/ Red chair"), "Red chair");
        assert_eq!(bare("| Red chair -"), "Red chair");
        for whole in ["<body> and <head>", "-40 °C", "Chairs / tables", "/", "Red-"] {
            assert_eq!(bare(whole), whole);
        }
    }

    #[test]
    fn the_kicker_within_a_heading_is_not_part_of_the_title() {
        let check = |declared: &str, heading: &str, expected: &str| {
            let html =
                format!("<title>{declared}</title><h1>{heading}</h1><p>We left early, and the road was empty.</p>");
            layout_of(&html, |page| assert_eq!(candidates(page, None)[0].value, expected, "{declared}"));
        };
        let title = "Drinks reach the city by boat";
        let heading = format!("<span class=over>Olympics in Paris</span> {title}");
        check(&format!("Olympics in Paris - {title} - The Gazette"), &heading, title);
        check(&format!("{title} | The Gazette"), &heading, title);
        check(&format!("{title} | The Gazette"), &format!("<a href=/o><small>Olympics</small><br>{title}</a>"), title);
        check("大工と橋 | 谷新聞", "<span>政治</span><span>大工と橋</span>", "大工と橋");
        let with_colon = format!("Olympics: {title}");
        check(&with_colon, &format!("<span>Olympics:</span> {title}"), &with_colon);
        let both = format!("Olympics in Paris {title}");
        check(&both, &heading, &both);
    }

    #[test]
    fn a_heading_that_leads_to_the_front_page_is_not_the_title() {
        for logo in ["<a href=/>The Gazette</a>", "<a href=https://gazette.example/>The Gazette</a>"] {
            let html = format!(
                "<title>The herons are back – The Gazette</title><header><h1>{logo}</h1></header>
                <div><span class=headline>The herons are back</span><p>We left early, and the road was empty.</p></div>"
            );
            layout_of(&html, |page| assert_eq!(candidates(page, None)[0].value, "The herons are back", "{logo}"));
        }
    }

    #[test]
    fn the_title_of_a_chapter_precedes_the_one_of_the_book() {
        let check = |declared: &str, heading: &str, expected: &str| {
            let html = format!(
                "<title>{declared} - The Book of Tides</title><div class=menu-bar><h1 class=menu-title>The Book of Tides</h1></div><main>{heading}
                <p>We left early, and the road was empty until the hills, where the fog lifted and the herons stood.</p></main>"
            );
            layout_of(&html, |page| assert_eq!(candidates(page, None)[0].value, expected, "{heading}"));
        };
        check("What is Ebb?", "<h2>What Is Ebb?</h2>", "What Is Ebb?");
        check("E0106", "<h1>Error code E0106</h1>", "Error code E0106");
        check("Springs", "<h1><a href=#springs>Springs</a></h1>", "Springs");
        check("Data", "<h1>Representation of tides</h1>", "Representation of tides");
        check("Springs", "<h2>Other matters</h2>", "The Book of Tides");
    }

    #[test]
    fn the_recipe_in_a_text_does_not_name_the_page() {
        let check = |shared: &str, expected: &str| {
            let html = "<title>Honey glazed carrots with dill</title><h1>Honey glazed carrots with dill</h1><p>We left early.</p>
                <h2>Glazed carrots</h2><script type=application/ld+json>{\"@type\":\"Recipe\",\"name\":\"Glazed carrots\"}</script>";
            layout_of(html, |page| {
                let candidate = |value: &str, level: &str| Candidate {
                    value: value.into(),
                    evidence: vec![Evidence { source: Source::Heading, key: level.into(), block: Some(0), span: None }],
                    score: 0.0,
                    probability: 0.0,
                    features: Vec::new(),
                };
                let mut found = [candidate("Glazed carrots", "h2"), candidate("Honey glazed carrots with dill", "h1")];
                prefer_heading_over_recipe(page, &key(shared), &mut found);
                assert_eq!(found[0].value, expected);
            });
        };
        check("Honey glazed carrots with dill | Kitchen", "Honey glazed carrots with dill");
        check("Glazed carrots", "Glazed carrots");
    }

    #[test]
    fn the_part_of_the_title_that_the_page_shows_is_the_title() {
        let html = "<title>Town of Dereköy - News - The cistern is being repaired</title><font size=4><b>The cistern is being repaired</b>
            </font><p>The repair of the old cistern above the village began last week, and it will go on until the autumn.</p>";
        layout_of(html, |page| assert_eq!(candidates(page, None)[0].value, "The cistern is being repaired"));
    }

    #[test]
    fn the_subject_line_of_a_post_is_its_title_without_the_name_of_the_forum() {
        let title = |window: &str, shared: &str, body: &str| {
            let html = format!(
                "<title>{window}</title><meta property='og:title' content='{shared}'><div>{body}</div><p>I have an hour \
                 after work and would like to fly something real in it, from gate to gate, with a small jet.</p>"
            );
            let mut best = String::new();
            layout_of(&html, |page| best.clone_from(&candidates(page, None)[0].value));
            best
        };
        let line = "<p><a href=/c/1>A short route for the evening</a> (self.planes)</p>";
        let subject = "A short route for the evening";
        assert_eq!(
            title("A short route for the evening : planes", "r/planes - A short route for the evening", line),
            subject
        );
        let section = format!("<b><a href=/r/planes>planes</a></b>{line}");
        assert_eq!(title("A short route for the evening : planes", "", &section), subject);
        // A link to the shorter part is not the subject.
        let whole = "Tides: the year in numbers";
        assert_eq!(title("Tides: the year in numbers | Paper", whole, "<p><a href=/tides>Tides</a>, again</p>"), whole);
    }

    #[test]
    fn a_title_that_a_link_holds_whole_is_not_cut_at_a_sign() {
        let subject = "Compass - how does one read the older maps by night?";
        let body = format!(
            "<h1><a href=/g/maps>maps</a></h1><p>8,204 readers</p><div class=post><p class=title><a href=/g/maps/88>{subject}</a> \
             (own.maps)</p><p>The search field has only the name and the sheet, and I would like to see one decade.</p></div>"
        );
        let html = format!("<title>{subject} : maps</title><meta property='og:title' content='{subject}'>{body}");
        layout_of(&html, |page| assert_eq!(candidates(page, None)[0].value, subject));
    }

    #[test]
    fn marks_of_quotations_are_not_separators() {
        let parts = |title: &str| cuts(title).len();
        assert_eq!(parts("The mayor's «worry» about rain: «No water, no bread» – The Gazette"), 2);
        assert_eq!(parts("A short route » The Gazette"), 1);
        assert_eq!(parts("A short route» The Gazette"), 1);
    }

    #[test]
    fn titles_are_split_at_separators() {
        let parts = |t: &str| {
            cuts(t).iter().map(|&(a, b)| (t[..a].trim().to_owned(), t[b..].trim().to_owned())).collect::<Vec<_>>()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(parts("A walk - The News"), [pair("A walk", "The News")]);
        assert_eq!(parts("Well-known :: page"), [pair("Well-known", "page")]);
        assert_eq!(parts("标题_新闻网"), [pair("标题", "新闻网")]);
        assert_eq!(parts("Co-op").len(), 0);
    }
}
