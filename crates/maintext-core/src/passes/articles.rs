//! Several whole articles on one page: sites with endless scrolling load the next articles below the requested one.
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_reading::features::WordSet;
use std::ops::Range;

/// Minimum number of kept words of an element that is a whole article and not a teaser.
const WHOLE: u32 = 120;
/// The same minimum for an element that has a byline, like the first article, and a heading of the same or a lower level.
const SHORT: u32 = 20;
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
}

/// Drops all articles except the one that the page's `title` names. Pages whose title names none, such as lists of whole articles, keep all.
pub(crate) fn keep_named(dom: &Dom, blocks: &Blocks, title: &str, kept: &mut [bool]) {
    let title = WordSet::new(title);
    let mut whole = articles(dom, blocks);
    let short = whole
        .iter()
        .find(|a| kept_words(a, blocks, kept) >= SHORT)
        .filter(|a| a.is_marked)
        .map(|a| (a.level, kept_words(a, blocks, kept) >= WHOLE));
    whole.retain(|a| match short {
        // Sites give the headline of the next article a lower level.
        Some((level, _)) if a.is_marked && a.level >= level => kept_words(a, blocks, kept) >= SHORT,
        Some((_, false)) => false,
        _ => kept_words(a, blocks, kept) >= WHOLE,
    });
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

fn kept_words(a: &Article, blocks: &Blocks, kept: &[bool]) -> u32 {
    a.blocks.clone().filter(|b| kept[*b as usize]).map(|b| blocks.blocks[b as usize].words).sum()
}

/// Returns the elements with one main heading each, the `<article>` elements with a heading, or the elements with a heading of the second level and
/// a byline each. Returns at most one if the page has not several.
fn articles(dom: &Dom, blocks: &Blocks) -> Vec<Article> {
    let elements = &blocks.elements;
    // The elements with one heading each.
    let out = headed(dom, blocks, Tag::H1);
    if out.len() > 1 {
        return out;
    }
    let (mut end, mut out) = (0, Vec::new());
    for e in of_tag(elements, Tag::ARTICLE).take(MAX_ELEMENTS) {
        let own = elements[e].blocks.clone();
        let below = e + 1..e + 1 + elements[e].descendants as usize;
        let heading = below
            .clone()
            .take(MAX_ELEMENTS)
            .find(|&e| elements.get(e).is_some_and(|e| e.tag.heading_level().is_some()));
        // A nested article is part of the outer one.
        if own.start >= end
            && let Some(h) = heading
        {
            end = own.end;
            out.push(article_at(dom, blocks, e, h));
        }
    }
    if out.len() > 1 {
        return out;
    }
    // Headings of the second level head sections more often than articles.
    headed(dom, blocks, Tag::H2).into_iter().filter(|a| a.is_marked).collect()
}

fn of_tag(elements: &[Element], tag: Tag) -> impl Iterator<Item = usize> {
    (0..elements.len()).filter(move |&e| elements[e].tag == tag && !elements[e].hidden)
}

fn article_at(dom: &Dom, blocks: &Blocks, e: usize, h: usize) -> Article {
    Article {
        headline: WordSet::new(&dom.text_content(blocks.elements[h].node)),
        level: blocks.elements[h].tag.heading_level().unwrap_or(0),
        blocks: blocks.elements[e].blocks.clone(),
        is_marked: has_byline(dom, blocks, e),
    }
}

fn headed(dom: &Dom, blocks: &Blocks, tag: Tag) -> Vec<Article> {
    let elements = &blocks.elements;
    let headings: Vec<usize> =
        of_tag(elements, tag).filter(|&e| !elements[e].blocks.is_empty()).take(MAX_ELEMENTS).collect();
    let mut out = Vec::new();
    for (i, &h) in headings.iter().enumerate() {
        let before = if i > 0 { headings.get(i - 1) } else { None };
        let after = headings.get(i + 1);
        let around = blocks.element_chain(h);
        let own = around.take_while(|&e| !begins_in(elements, before, e) && !begins_in(elements, after, e)).last();
        out.extend(own.map(|own| article_at(dom, blocks, own, h)));
    }
    out
}

/// Whether an element, if there is one, begins in another.
fn begins_in(elements: &[Element], inner: Option<&usize>, outer: usize) -> bool {
    inner.is_some_and(|&inner| elements[outer].blocks.contains(&elements[inner].blocks.start))
}

/// Whether a class or an attribute of an element near the beginning says that it names the author or the date.
fn has_byline(dom: &Dom, blocks: &Blocks, e: usize) -> bool {
    /// Maximum number of elements below an article that are examined.
    const MAX_DESCENDANTS: usize = 12;
    let below = blocks.below(e);
    blocks.elements[below].iter().take(MAX_DESCENDANTS).any(|x| {
        x.tag == Tag::TIME
            || [Attr::CLASS, Attr::REL, Attr::ITEMPROP].into_iter().any(|name| names_byline(dom, x, name))
    })
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
    fn sections_with_main_headings_stay() {
        let body = article("Walks around the lake", 1) + &article("Walks in the hills", 2);
        let page = read("Walks around the lake and in the hills", &body);
        assert!(page.text().contains("(2, 3)"), "{}", page.text());
    }
}
