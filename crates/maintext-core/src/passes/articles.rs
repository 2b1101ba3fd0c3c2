//! Several whole articles on one page: sites with endless scrolling load the next articles below the requested one.
use super::is_link;
use super::labels::is_related;
use maintext_facts::metadata::sources::facts::{Facts, is_item};
use maintext_facts::metadata::text::{dates, names::byline};
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_reading::features::WordSet;
use std::ops::Range;

/// Minimum number of kept words of an element that is a whole article and not a teaser.
const WHOLE: u32 = 120;
/// The same minimum for an element that has a byline, like the first article, and a heading of the same or a lower level.
const SHORT: u32 = 20;
/// Minimum number of links of a group of cards, maximum number of its blocks, and of words of the line above them.
const MIN_CARDS: usize = 3;
const MAX_CARD_BLOCKS: usize = 64;
const MAX_LINE_WORDS: u32 = 12;
/// Maximum number of elements that are examined.
const MAX_ELEMENTS: usize = 200;
/// Share of a headline's words in the page's title from which the title names that article.
const NAMED: f32 = 0.7;
/// Share below which the title names another article.
const OTHER: f32 = 0.5;

/// An element with a headline, and its blocks.
struct Article {
    headline: WordSet,
    /// The level of the headline.
    level: u8,
    blocks: Range<u32>,
    /// Whether it has a byline.
    is_marked: bool,
    /// Whether the headline is a number of answers or comments.
    is_count: bool,
}

/// Drops the articles with a byline and a link as heading below the one that the page's `title` names: the teasers of other articles.
pub(crate) fn drop_teasers(dom: &Dom, blocks: &Blocks, title: &str, kept: &mut [bool]) {
    let elements = &blocks.elements;
    let mut articles = visible(blocks, Tag::ARTICLE);
    let (Some(heading), Some(main)) = (visible(blocks, Tag::H1).next(), articles.next()) else { return };
    let end = elements[main].blocks.end;
    if elements[heading].blocks.start >= end
        || kept_words(&elements[main].blocks, blocks, kept) < SHORT
        || is_teaser(dom, blocks, main)
        || WordSet::new(&dom.text_content(elements[heading].node)).share_in(&WordSet::new(title)) < NAMED
    {
        return;
    }
    for e in articles.filter(|&e| elements[e].blocks.start >= end && is_teaser(dom, blocks, e)) {
        kept[elements[e].blocks.start as usize..elements[e].blocks.end as usize].fill(false);
    }
}

/// Drops groups of cards that are links as a whole, between paragraphs of a text: other articles, whatever their heading says. Of 41 such groups
/// on articles with labels none is content; on lists, and as items of a list or cells of a table, many are.
pub(crate) fn drop_linked_cards(blocks: &Blocks, kept: &mut [bool]) {
    let mut next = 0;
    for b in 0..kept.len() {
        if b < next || !kept[b] || !is_linked(blocks, b) {
            continue;
        }
        let Some(group) = blocks.ancestors(b).take_while(|&e| is_card_group(blocks, e)).last() else { continue };
        let Element { blocks: own, parent, .. } = &blocks.elements[group];
        let own = own.start as usize..own.end as usize;
        next = own.end;
        let is_prose = |b: usize| kept.get(b) == Some(&true) && is_paragraph(blocks, b, *parent);
        if own.start == 0 || !is_prose(own.start - 1) || !is_prose(own.end) {
            continue;
        }
        // A card may have several lines in one link.
        let below = &blocks.elements[blocks.below(group)];
        let cards = below.iter().filter(|e| e.tag == Tag::A && !e.blocks.is_empty()).count();
        if cards >= MIN_CARDS || !is_linked(blocks, own.start) && is_related(&blocks.text(own.start).to_lowercase()) {
            kept[own].fill(false);
        }
    }
}

/// Whether a block is one link.
fn is_linked(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.link_chars > 0 && block.is_linked()
}

/// Whether an element holds nothing but links, below at most one line, and neither list nor table.
fn is_card_group(blocks: &Blocks, e: usize) -> bool {
    let element = &blocks.elements[e];
    let own = element.blocks.start as usize..element.blocks.end as usize;
    own.len() <= MAX_CARD_BLOCKS
        && !matches!(element.tag, Tag::LI | Tag::UL | Tag::OL | Tag::DL | Tag::TD | Tag::TABLE)
        && (own.start + 1..own.end).all(|b| is_linked(blocks, b))
        && (is_linked(blocks, own.start) || blocks.blocks[own.start].words <= MAX_LINE_WORDS)
}

/// Whether a block is a paragraph of `parent` that hardly has links.
fn is_paragraph(blocks: &Blocks, b: usize, parent: u32) -> bool {
    let block = &blocks.blocks[b];
    blocks.elements[block.container as usize].parent == parent
        && block.words >= SHORT
        && block.link_chars * 3 < block.chars
}

/// Drops other questions below the question that the page declares as its subject, and below its answers.
pub(crate) fn drop_below_question(facts: &Facts<'_>, kept: &mut [bool]) {
    let mut declared = facts.props.iter().filter(|p| p.name == "mainEntity" && is_item(facts.dom, p.node, "/Question"));
    let (Some(question), None) = (declared.next(), declared.next()) else { return };
    let Some(element) = facts.element(question.node) else { return };
    let own = &facts.blocks.elements[element].blocks;
    if kept_words(own, facts.blocks, kept) >= SHORT {
        // Some systems declare the answers outside of the question.
        let answers = facts.props.iter().filter(|p| matches!(&*p.name, "suggestedAnswer" | "acceptedAnswer"));
        let ends = answers.filter_map(|p| Some(facts.blocks.elements[facts.element(p.node)?].blocks.end));
        kept[ends.fold(own.end, u32::max) as usize..].fill(false);
    }
}

/// Whether an element has a byline, and a link as its heading.
fn is_teaser(dom: &Dom, blocks: &Blocks, e: usize) -> bool {
    let Some(heading) = heading_of(blocks, e, MAX_ELEMENTS) else { return false };
    let block = blocks.blocks.get(blocks.elements[heading].blocks.start as usize);
    block.is_some_and(is_link) && has_byline(dom, blocks, e, heading)
}

/// Drops all articles except the one that the page's `title` names. Pages whose title names none, such as lists of whole articles, keep all.
pub(crate) fn keep_named(dom: &Dom, blocks: &Blocks, title: &str, kept: &mut [bool]) {
    let title = WordSet::new(title);
    let mut whole = articles(dom, blocks);
    let short = whole
        .iter()
        .find(|a| kept_words(&a.blocks, blocks, kept) >= SHORT)
        .filter(|a| a.is_marked)
        .map(|a| (a.level, kept_words(&a.blocks, blocks, kept) >= WHOLE));
    whole.retain(|a| match short {
        // Sites give the headline of the next article a lower level.
        Some((level, _)) if a.is_marked && a.level >= level => kept_words(&a.blocks, blocks, kept) >= SHORT,
        Some((_, false)) => false,
        _ => kept_words(&a.blocks, blocks, kept) >= WHOLE,
    });
    // "1 answer" is above the texts of a question.
    whole.retain(|a| !a.is_count);
    let [first, others @ ..] = whole.as_slice() else { return };
    if others.is_empty()
        || first.headline.share_in(&title) < NAMED
        || others.iter().any(|a| a.headline.share_in(&title) >= OTHER)
    {
        return;
    }
    for b in others.iter().flat_map(|a| a.blocks.clone()) {
        kept[b as usize] = false;
    }
}

fn kept_words(own: &Range<u32>, blocks: &Blocks, kept: &[bool]) -> u32 {
    own.clone().filter(|b| kept[*b as usize]).map(|b| blocks.blocks[b as usize].words).sum()
}

/// Returns the elements with one main heading each, the elements that follow the one with the main heading and begin as it does, or the
/// `<article>` elements with a heading. Returns at most one if the page has not several.
fn articles(dom: &Dom, blocks: &Blocks) -> Vec<Article> {
    let elements = &blocks.elements;
    let main: Vec<usize> = visible(blocks, Tag::H1).collect();
    let mut out = headed(dom, blocks, &main);
    if out.len() <= 1 {
        let first = main.first().copied().or_else(|| visible(blocks, Tag::H2).next());
        out = first.map_or_else(Vec::new, |heading| following(dom, blocks, heading));
    }
    if out.len() > 1 {
        return out;
    }
    let mut end = 0;
    out.clear();
    for e in visible(blocks, Tag::ARTICLE) {
        // A nested article is part of the outer one.
        if elements[e].blocks.start < end {
            continue;
        }
        if let Some(heading) = heading_of(blocks, e, MAX_ELEMENTS) {
            end = elements[e].blocks.end;
            out.push(article(dom, blocks, e, heading));
        }
    }
    out
}

/// Returns the first visible elements of a tag that have text.
fn visible(blocks: &Blocks, tag: Tag) -> impl Iterator<Item = usize> + '_ {
    let own =
        blocks.elements.iter().enumerate().filter(move |(_, e)| e.tag == tag && !e.hidden && !e.blocks.is_empty());
    own.map(|(i, _)| i).take(MAX_ELEMENTS)
}

fn article(dom: &Dom, blocks: &Blocks, e: usize, heading: usize) -> Article {
    let headline = dom.text_content(blocks.elements[heading].node);
    Article {
        is_count: is_count(&headline),
        headline: WordSet::new(&headline),
        level: blocks.elements[heading].tag.heading_level().unwrap_or(0),
        blocks: blocks.elements[e].blocks.clone(),
        is_marked: has_byline(dom, blocks, e, heading),
    }
}

/// Whether a headline is a number with at most two words, such as the number of answers or comments below.
fn is_count(headline: &str) -> bool {
    /// Maximum number of words.
    const MAX_WORDS: usize = 3;
    let mut words = headline.split_whitespace();
    words.clone().count() <= MAX_WORDS && words.any(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the largest elements that hold one of the headings each.
fn headed(dom: &Dom, blocks: &Blocks, headings: &[usize]) -> Vec<Article> {
    let mut out = Vec::new();
    for (i, &heading) in headings.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| &headings[j]);
        let neighbours = [before, headings.get(i + 1)];
        let own = blocks.element_chain(heading).take_while(|&e| {
            let own = &blocks.elements[e].blocks;
            !neighbours.into_iter().flatten().any(|&other| own.contains(&blocks.elements[other].blocks.start))
        });
        let own = own.last();
        out.extend(own.map(|own| article(dom, blocks, own, heading)));
    }
    out
}

/// Returns the innermost element around a heading that siblings of the same tag follow which begin with a heading and a byline as well, and
/// these siblings.
fn following(dom: &Dom, blocks: &Blocks, heading: usize) -> Vec<Article> {
    /// Maximum number of elements before the heading of such a sibling.
    const MAX_ELEMENTS_BEFORE: usize = 8;
    /// Maximum number of elements between a heading and its article.
    const MAX_LEVELS: usize = 12;
    let elements = &blocks.elements;
    for own in blocks.element_chain(heading).skip(1).take(MAX_LEVELS) {
        let first = article(dom, blocks, own, heading);
        let words: u32 = first.blocks.clone().map(|b| blocks.blocks[b as usize].words).sum();
        if !first.is_marked || words < SHORT {
            continue;
        }
        let rest = blocks.below(own).end..blocks.below(elements[own].parent as usize).end;
        // Endless pages put the next article into a div or a section, and may name no class.
        let alike = blocks.outermost(rest).take(MAX_ELEMENTS).filter(|&e| elements[e].tag == elements[own].tag);
        let next = alike.filter_map(|e| Some(article(dom, blocks, e, heading_of(blocks, e, MAX_ELEMENTS_BEFORE)?)));
        let next: Vec<Article> = next.filter(|a| a.is_marked).collect();
        if !next.is_empty() {
            return std::iter::once(first).chain(next).collect();
        }
    }
    Vec::new()
}

/// Returns the first heading below an element, if it is among the first `limit` elements.
fn heading_of(blocks: &Blocks, e: usize, limit: usize) -> Option<usize> {
    blocks.below(e).take(limit).find(|&e| blocks.elements[e].tag.heading_level().is_some())
}

/// Whether the line next to the heading looks like a byline, or a class or an attribute of an element near the beginning says that it names the
/// author or the date.
fn has_byline(dom: &Dom, blocks: &Blocks, e: usize, heading: usize) -> bool {
    /// Maximum number of elements below an article that are examined.
    const MAX_DESCENDANTS: usize = 12;
    /// Maximum number of words of a byline.
    const MAX_WORDS: u32 = 16;
    // A label such as "Details" may come before the byline.
    let line = blocks.elements[heading].blocks.end as usize;
    let is_line = (line..blocks.len().min(line + 2))
        .take_while(|&b| blocks.blocks[b].words <= MAX_WORDS && blocks.elements[e].blocks.contains(&(b as u32)))
        .any(|b| states_author_or_date(blocks.text(b)));
    is_line
        || blocks.elements[blocks.below(e)].iter().take(MAX_DESCENDANTS).any(|x| {
            x.tag == Tag::TIME
                || [Attr::CLASS, Attr::REL, Attr::ITEMPROP].into_iter().any(|name| names_byline(dom, x, name))
        })
}

fn states_author_or_date(line: &str) -> bool {
    byline(line).is_some() || !dates::find(line, &dates::Hint::default()).is_empty()
}

fn names_byline(dom: &Dom, x: &Element, name: Attr) -> bool {
    let value = dom.attribute(x.node, name).unwrap_or("");
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|w| ["by", "byline", "author", "dateline", "published", "datePublished"].contains(&w))
}

#[cfg(test)]
mod tests {
    use crate::Options;
    use crate::Page;
    use crate::extract;
    use maintext_facts::metadata::Settings;
    use maintext_facts::metadata::sources::facts::Facts;
    use maintext_reading::method::View;

    const TEXT: &str = "The ferry leaves at nine and comes back in the evening, when the harbour lights are lit and the last \
        carts have gone home. Nobody on board spoke about the storm, though all of them had seen the broken masts in the \
        north bay, and the captain kept to the middle of the channel until the lighthouse was well behind. ";

    fn article(headline: &str, n: usize) -> String {
        let paragraph = |i: usize| format!("<p>{} ({n}, {i})</p>", TEXT.replace("ferry", &format!("ferry {n}{i}")));
        format!("<article class=story><h1>{headline}</h1>{}</article>", (0..4).map(paragraph).collect::<String>())
    }

    fn read(title: &str, body: &str) -> Page {
        let html = format!("<html lang=en><head><title>{title}</title></head><body><main>{body}</main></body></html>");
        extract(html.as_str(), &Options::default()).unwrap()
    }

    #[test]
    fn cards_that_are_links_go_from_a_text() {
        let kept = |before: &str, open: &str, close: &str| {
            let card = |n: u32| format!("{open}<a href=/n/{n}><img src=/{n}.jpg><p>The mine opens {n}</p></a>{close}");
            let cards: String = (1..4).map(card).collect();
            let html = format!(
                "<div><p>{TEXT}</p><section>{before}<div>{cards}</div></section><p>{}</p></div>",
                TEXT.replace("ferry", "boat")
            );
            let choice = if before.is_empty() { "+++++" } else { "++++++" };
            crate::passes::choice_after(&html, choice, |_, blocks, kept| super::drop_linked_cards(blocks, kept))
        };
        assert_eq!(kept("<h3>También te puede interesar</h3>", "<div>", "</div>"), "+----+");
        assert_eq!(kept("", "<div>", "</div>"), "+---+");
        assert_eq!(kept("", "<li>", "</li>"), "+++++");
        let book = format!(
            "<div><p>{TEXT}</p><div><a href=/b><p>Tales<p>Jacobs, Joseph<p>8.1</a></div><p>It is long. {TEXT}</p></div>"
        );
        let after =
            crate::passes::choice_after(&book, "+++++", |_, blocks, kept| super::drop_linked_cards(blocks, kept));
        assert_eq!(after, "+++++");
        let two = |label: &str| {
            let cards = "<article><h3><a href=/n/1>The mine opens</a></h3></article><article><h3><a href=/n/2>A bridge</a></h3></article>";
            let html = format!(
                "<div><p>{TEXT}</p><div><h3>{label}</h3>{cards}</div><p>{}</p></div>",
                TEXT.replace("ferry", "boat")
            );
            crate::passes::choice_after(&html, "+++++", |_, blocks, kept| super::drop_linked_cards(blocks, kept))
        };
        assert_eq!((two("Citește și"), two("The two mines")), ("+---+".into(), "+++++".into()));
    }

    #[test]
    fn other_questions_below_the_declared_one_go() {
        let kept = |main: &str, end: &str| {
            let html = format!(
                "<div {main} itemscope itemtype=https://schema.org/Question><h1 itemprop=name>When does it leave?</h1>\
                 <p itemprop=text>{TEXT}</p>{end}<div itemprop=acceptedAnswer itemscope itemtype=https://schema.org/Answer>\
                 <p itemprop=text>{TEXT}</p></div></div><h3><a href=/q/7>Where does it land?</a></h3><p>{TEXT}</p>"
            );
            crate::passes::choice_after(&html, "+++++", |dom, blocks, kept| {
                let view = View { source: &html, dom, blocks, url: None };
                super::drop_below_question(&Facts::new(&view, &Settings::default()), kept);
            })
        };
        assert_eq!((kept("itemprop=mainEntity", ""), kept("itemprop=hasPart", "")), ("+++--".into(), "+++++".into()));
        assert_eq!(kept("itemprop=mainEntity", "</div>"), "+++--");
    }

    #[test]
    fn endless_pages_keep_the_requested_article() {
        let all = [
            "Storm closes the northern harbour",
            "Council votes for a new bridge",
            "Museum opens its winter rooms to schools",
        ];
        let body: String = all.iter().enumerate().map(|(i, h)| article(h, i + 1)).collect();
        let page = read("Storm closes the northern harbour - The Gazette", &body);
        assert!(page.text().contains("(1, 3)") && !page.text().contains("(2, 0)"), "{}", page.text());
        // The front page of a blog lists whole articles.
        let list = read("The Gazette", &body);
        assert!((1..4).all(|n| list.text().contains(&format!("({n}, 2)"))), "{}", list.text());
    }

    #[test]
    fn teasers_below_an_article_go_and_a_list_of_them_stays() {
        let teaser = |n: u32| {
            format!(
                "<article class=teaser><h3><a href=/b/{n}>The vote number {n}</a></h3><div class=by>Blog | Jane Doe</div><p>{TEXT}</p></article>"
            )
        };
        let teasers: String = (1..4).map(teaser).collect();
        let below = read(
            "Storm closes the harbour",
            &format!(
                "<h1>Storm closes the harbour</h1><article class=full><p>{TEXT}</p></article><div>{teasers}</div>"
            ),
        );
        assert!(below.text().contains("broken masts") && !below.text().contains("vote number"), "{}", below.text());
        let list = read("News", &format!("<h1>News</h1>{teasers}"));
        assert!(list.text().contains("vote number 1") && list.text().contains("vote number 3"), "{}", list.text());
    }

    /// Returns the text of a page with two short articles, each in an element of its own, of which the title names the first.
    fn read_two(element: &str, lines: [&str; 2], second: &str) -> String {
        let part = |heading: &str, line: &str, text: &str| {
            format!("<{element}><{heading}</{}><p>{line}</p>{text}</{element}>", &heading[..2])
        };
        let text = |n: usize| {
            format!(
                "<p>{}</p><p>The crew slept ashore that night {n}.</p>",
                TEXT.replace("ferry", &format!("ferry {n}"))
            )
        };
        let body = part("h1>Storm closes the harbour", lines[0], &text(1)) + &part(second, lines[1], &text(2));
        read("Storm closes the harbour - The Gazette", &body).text().to_owned()
    }

    #[test]
    fn the_next_article_goes_whatever_its_element() {
        let lines = ["By Emma Rohde · Sep 25, 2026", "By Ole Quint · Sep 24, 2026"];
        let german = ["Von Emma Rohde", "Von Ole Quint"];
        for (element, lines) in [("div", lines), ("section", lines), ("article", german), ("div", german)] {
            for heading in ["h1>Museum opens its winter rooms", "h2>Museum opens its winter rooms"] {
                let text = read_two(element, lines, heading);
                assert!(text.contains("ferry 1") && !text.contains("ferry 2"), "{element} {heading}: {text}");
            }
        }
    }

    #[test]
    fn the_answers_below_a_count_stay() {
        let text = read_two("div", ["By Emma Rohde · Sep 25, 2026", "By Ole Quint · Sep 24, 2026"], "h2>1 answer");
        assert!(text.contains("ferry 1") && text.contains("ferry 2"), "{text}");
    }

    #[test]
    fn a_label_may_precede_the_bylines_of_two_articles() {
        let lines = ["Details</p><p>Written by Emma Rohde", "Details</p><p>Written by Ole Quint"];
        let text = read_two("div", lines, "h2>Museum opens its winter rooms");
        assert!(text.contains("ferry 1") && !text.contains("ferry 2"), "{text}");
    }

    #[test]
    fn a_section_without_a_byline_stays() {
        for lines in [["By Emma Rohde", "What the crew did"], ["What happened", "What the crew did"]] {
            let text = read_two("div", lines, "h2>After the storm");
            assert!(text.contains("ferry 1") && text.contains("ferry 2"), "{text}");
        }
    }

    #[test]
    fn sections_with_main_headings_stay() {
        let body = article("Walks around the lake", 1) + &article("Walks in the hills", 2);
        let page = read("Walks around the lake and in the hills", &body);
        assert!(page.text().contains("(2, 3)"), "{}", page.text());
    }
}
