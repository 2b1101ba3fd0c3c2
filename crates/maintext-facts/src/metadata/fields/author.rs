//! The authors: persons, in the order of the byline; organisations only where the page names one as the author.
mod declared;
mod features;
mod threshold;
mod visible;

use crate::metadata::fields::elsewhere::{MAX_BYLINE_CHARS, is_elsewhere, is_town};
use crate::metadata::fields::surroundings::place_block;
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{Candidate, Features, Pool, PoolGroup, Source};
use crate::metadata::text::names::{looks_like_name, names};
use crate::metadata::text::{key, node_text, push_new, slug, squeeze};
use maintext_html::Attr;
use maintext_page::dom::{Dom, Edge, NodeId, Tag};
use maintext_page::lexicon::lexicon;
pub use threshold::threshold;
use url::Url;
use visible::submitter;

/// Number of blocks before and after the heading that are searched for a byline.
const BLOCKS_BEFORE: u32 = 8;

const BLOCKS_AFTER: u32 = 16;

/// Number of blocks around the end of the content that are searched for a byline.
const BLOCKS_AFTER_CONTENT: u32 = 8;

/// Number of nodes of a person's scope that are searched for the name.
const MAX_SCOPE_NODES: usize = 40;

/// Key of the evidence of an East Asian byline.
pub(super) const EAST_ASIAN: &str = "east.asian";

/// Maximum number of names, each in a line of its own, that make a list.
const MAX_JOINED: usize = 6;

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
    let gone = gone.chain(b.pool.groups.iter().filter(|g| is_town(page, &g.evidence) || is_in_post(page, g)));
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
            && c.evidence.iter().any(|e| e.key == "joined")
            // The element around both names has the list as well.
            && c.evidence.iter().all(|e| e.key == "joined" || e.key == "element")
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
}

/// Returns the text of an element without affiliations and their raised marks behind names, "Jane Doe<sup>a,b</sup>", and with commas between
/// the items of a list.
fn text_without_marks(dom: &Dom<'_>, node: NodeId) -> String {
    const MAX_CHARS: usize = MAX_BYLINE_CHARS + 20;
    let is_list = matches!(dom.tag(node), Tag::UL | Tag::OL);
    if !is_list && !dom.descendants(node).take(MAX_SCOPE_NODES).any(|n| is_affiliation(dom, n)) {
        return node_text(dom, node, MAX_CHARS);
    }
    let (mut text, mut walk) = (String::new(), dom.traverse(node));
    while let Some(edge) = walk.next() {
        let Edge::Enter(n) = edge else { continue };
        if text.len() > MAX_CHARS {
            break;
        } else if is_affiliation(dom, n) || dom.tag(n).is_skipped() {
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

/// Whether an element is a raised mark, or named for an affiliation as in the pages of Open Journal Systems.
fn is_affiliation(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.tag(node) == Tag::SUP
        || dom.attribute(node, Attr::CLASS).is_some_and(|class| {
            class.split_ascii_whitespace().any(|word| matches!(word, "affiliation" | "affiliations" | "institution"))
        })
}

/// Whether a candidate occurs only in the text of a thread's posts, and is not the author of the first one.
fn is_in_post(page: &Layout<'_>, g: &PoolGroup<Vec<String>>) -> bool {
    let Some(author) = page.records.first().filter(|r| r.is_post).and_then(|r| r.author.as_deref()) else {
        return false;
    };
    let is_text = |block: u32| page.records.iter().any(|r| r.lines.contains(&block));
    g.key != key(author) && g.evidence.iter().all(|e| e.block.is_some_and(is_text))
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
        for class in
            ["section", "kicker", "venue", "topic", "meta", "job-location", "'field field--name-site location'"]
        {
            assert!(found(&format!("<p class={class}>Small Boats</p>")).is_empty(), "{class}");
        }
        assert_eq!(found("<p><i>Dale</i> · <i class=szerzo>Ruta Mend</i> · <i>17 May 2024</i></p>"), ["Ruta Mend"]);
        for class in ["author", "byline", "writer", "szerzo", "kirjoittaja", "avtor", "field--name-author"] {
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

    /// Whether the site's name is a candidate on a page whose heading is its second block.
    fn is_author(site: &str, html: &str) -> bool {
        let mut found = false;
        layout_of(html, |page| {
            let mut page = page.clone();
            page.heading = Some(1);
            found = candidates(&page, Some(site), Some("A walk")).iter().any(|c| c.0 == [site]);
        });
        found
    }

    #[test]
    fn a_site_may_have_the_name_of_its_author() {
        let html = "<header><a href=/>Ruta Mend</a></header><article><header><h1>A walk</h1><h4><a href=/author/ruta>Ruta \
                    Mend</a></h4></header><p>We left early, and the road was empty until the hills.</p></article>";
        assert!(is_author("Ruta Mend", html));
        // In the header of the page, a site's name is nothing else.
        assert!(!is_author("Ruta Mend", &html.replace("article>", "div>")));
    }

    #[test]
    fn a_link_to_a_person_makes_the_site_in_an_author_field_the_publisher() {
        let html = "<meta name=author content='Small Boats'><header><a class=logo href=/>Small Boats</a></header><h1>A walk</h1>\
                    <p><a rel=author href=/a/ruta>Ruta Mend</a></p><p>We left early, and the road was empty until the hills.</p>";
        assert!(!is_author("Small Boats", html));
        assert!(is_author("Small Boats", &html.replace("rel=author", "")));
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
    fn in_romanian_a_first_word_de_is_a_label() {
        let first = |language: &str, line: &str| {
            let html = format!("<html lang={language}><h1>Podul din vale</h1>{line}<p>Podul lipsește din iarnă.</p>");
            let mut found = None;
            layout_of(&html, |page| found = candidates(page, None, None).into_iter().next().map(|c| c.0.join(", ")));
            found
        };
        for line in
            ["<p class=author>De Ioana Pop</p>", "<p>De <a href=/u/1>Ioana Pop</a> · <span>3 mai 2024</span></p>"]
        {
            assert_eq!(first("ro-RO", line).as_deref(), Some("Ioana Pop"), "{line}");
        }
        assert_eq!(first("nl", "<p class=author>De Groene Redactie</p>").as_deref(), Some("De Groene Redactie"));
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
    fn affiliations_and_their_marks_make_a_byline() {
        let item = |name: &str, affiliation: &str| {
            format!("<li><span>{name}</span><span class=affiliation>{affiliation}</span>")
        };
        let list =
            format!("<ul class=lista>{}{}</ul>", item("Jane Doe", "Hill College"), item("John Roe", "Dale College"));
        let marks = "<div class=lista><a href=/a/1>Jane Doe</a><sup>1</sup>, <a href=/a/2>John Roe</a><sup>2</sup></div><ul><li><sup>1</sup>Hill College<li><sup>2</sup>Dale College</ul>";
        for authors in [&list[..], marks] {
            layout_of(&format!("<h1>A walk</h1>{authors}<p>We left early."), |page| {
                let found = candidates(page, None, None);
                let byline = found.iter().find(|c| c.1.evidence.iter().any(|e| e.key == "byline"));
                assert_eq!(byline.map(|c| c.0.join("; ")).as_deref(), Some("Jane Doe; John Roe"), "{authors}");
            });
        }
    }

    #[test]
    fn names_in_elements_of_their_own_are_a_list_without_signs_between_them() {
        let item = |name: &str| format!("<span class=entry><a href=#><span>{name}</span></a></span>");
        let found = |line: &str| {
            let html = format!("<h1>A walk</h1><div><span class=contributors>{line}</span></div><p>We left early.");
            let mut found = Vec::new();
            layout_of(&html, |page| found.extend(candidates(page, None, None).into_iter().map(|c| c.0)));
            found
        };
        assert_eq!(found(&(item("Ilse Marn") + &item("Bo Stenga")))[0], ["Ilse Marn", "Bo Stenga"]);
        // The names of one person differ in kind.
        let parts = found("<span class=given>Ilse Ann</span> <span class=family>Marn Roe</span>");
        assert!(parts.iter().all(|names| names.len() == 1), "{parts:?}");
    }

    #[test]
    fn authors_of_one_kind_side_by_side_are_joined() {
        let html = "<h1>A walk</h1><p class=m><a class=by href=/p/jane-doe>Jane Doe</a>, <a class=by href=/p/john-roe>John Roe</a></p><p>We left early.";
        layout_of(html, |page| {
            let found = candidates(page, None, None);
            assert!(found.iter().any(|c| c.0 == ["Jane Doe", "John Roe"]), "{found:?}");
        });
    }

    #[test]
    fn a_position_below_a_name_is_not_a_second_author() {
        let html = "<h1>A walk</h1><p>We left early, and the road was empty until the hills.</p><p class=sign>– Ilse Marn<br>Contributing Writer</p>";
        layout_of(html, |page| {
            let found = candidates(page, None, None);
            assert!(found.iter().any(|c| c.0 == ["Ilse Marn"]), "{found:?}");
            assert!(!found.iter().any(|c| c.0.iter().any(|name| name.contains("Writer"))), "{found:?}");
        });
    }

    #[test]
    fn two_linked_authors_of_a_line_are_both_authors() {
        let name = |path: &str, name: &str| format!("<a class=writer rel=author href=/p/{path}>{name}</a>");
        let line = format!("{} · {}", name("ha", "Lê Thu Hạ"), name("vinh", "Đỗ Quang Vinh"));
        let html = format!("<h1>Chiếc thuyền</h1><div class=writers>{line}</div><p>Xóm có một con thuyền cũ.</p>");
        layout_of(&html, |page| {
            let found = candidates(page, None, None);
            assert_eq!(found[0].0, ["Lê Thu Hạ", "Đỗ Quang Vinh"], "{found:?}");
        });
    }
}
