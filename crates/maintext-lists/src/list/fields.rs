//! The fields of an entry beside its title: summary, date, author, image, price.
use super::Entry;
use super::prices::{MAX_PRICES, amount, price_in, prices_in};
use super::table::LinkTable;
use super::title;
use maintext_facts::metadata::text::dates::{Stamp, scan};
use maintext_facts::metadata::text::names;
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::image::image_source;
use maintext_page::lexicon::lexicon;
use std::borrow::Cow;
use std::ops::Range;
use url::Url;

/// A label in this many entries of a list, and in a third of them, is a button.
const MIN_REPEATED: usize = 3;
/// Maximum number of bytes of a title that is not the text of a link.
const MAX_TITLE: usize = 200;
/// Minimum number of characters of a summary; one Chinese character carries about as much as three Latin ones.
const MIN_SUMMARY: usize = 40;
const MIN_SUMMARY_CJK: usize = 14;
/// Maximum number of bytes of a block's text that are searched for dates, names and prices.
const MAX_SCAN: usize = 600;
/// Maximum number of bytes of a block's text that may be a summary.
const MAX_SUMMARY_SCAN: usize = 3000;
/// Maximum number of elements and blocks of a record that are examined: where markup is broken, each of many records may cover most of the
/// page.
const MAX_ELEMENTS: usize = 400;
const MAX_BLOCKS: usize = 100;
/// Maximum number of texts of a block that are looked for in a link, and of elements around each.
const MAX_LEAVES: usize = 60;
const MAX_DEPTH: usize = 20;
/// Maximum number of characters of an element's text that are read.
const MAX_TEXT: usize = 1000;

/// The part of the page that belongs to an entry.
struct EntryRecord {
    /// Its elements, as indices of `Blocks::elements`.
    elements: Range<usize>,
    /// Its blocks.
    blocks: Range<usize>,
}

/// Returns the entries of a group of links, in order.
pub fn entries(t: &LinkTable<'_>, links: &[usize], group: usize, base: Option<&Url>) -> Vec<Entry> {
    let records = records(t, links);
    let language = t.dom.find(NodeId::ROOT, Tag::HTML).and_then(|n| t.dom.attr(n, "lang")).unwrap_or("").to_owned();
    let hint = scan::Hint { language: &language, month_first: language == "en-US", ..Default::default() };
    let repeated = repeated_labels(t, links);
    let entry = |(k, (&i, r)): (usize, (&usize, &EntryRecord))| {
        let link = &t.links[i];
        let price = price(t, r);
        let date = date(t, r, &hint);
        let label = link.label();
        let names_nothing = repeated.contains(label) || title::is_note(t, i) || title::is_label(&[label], Some(&hint));
        let title = match names_nothing {
            true => first_text(t, r, label, &hint).unwrap_or_else(|| label.to_owned()),
            false => title(t, i, r, date.as_ref().map(|_| &hint)),
        };
        let title = title::without_price(&title).to_owned();
        let part = || base.filter(|_| link.href.starts_with('#')).and_then(|base| base.join(&link.href).ok());
        let found = link.url.clone().or_else(part).map_or_else(|| link.href.clone(), String::from);
        let url = if base.is_some() || link.href.contains("://") { found } else { link.href.clone() };
        Entry {
            url,
            href: link.href.clone(),
            summary: summary(t, r, &title),
            date,
            author: author(t, r, &title),
            image: image(t, r, base),
            price,
            group,
            position: k + 1,
            title,
        }
    };
    links.iter().zip(&records).enumerate().map(entry).collect()
}

/// Returns the blocks of each link's record.
pub(super) fn record_blocks(t: &LinkTable<'_>, links: &[usize]) -> Vec<Range<usize>> {
    records(t, links).into_iter().map(|r| r.blocks).collect()
}

/// Returns each link's record: the largest element around it without another entry, and the blocks after it up to the next record.
fn records(t: &LinkTable<'_>, links: &[usize]) -> Vec<EntryRecord> {
    let elements = &t.blocks.elements;
    let around = |k: usize| {
        let (before, after) = (k.checked_sub(1).map(|j| links[j]), links.get(k + 1).copied());
        let mut at = t.links[links[k]].element;
        for _ in 0..40 {
            let p = elements[at].parent as usize;
            let r = t.links_in(p);
            let alone = before.is_none_or(|b| b < r.start) && after.is_none_or(|a| a >= r.end);
            // The record of a page's only entry must not cover the page.
            if p == 0 || !alone || links.len() == 1 && elements[p].blocks.len() > 8 {
                break;
            }
            at = p;
        }
        at
    };
    let own: Vec<usize> = (0..links.len()).map(around).collect();
    // The first and last record climb no higher than their neighbours.
    let depth = own.get(1).map(|&e| elements[e].depth);
    let level = |e: usize| match depth {
        Some(d) => t
            .blocks
            .element_chain(t.links[t.links_in(e).start].element)
            .find(|&x| elements[x].depth <= d)
            .unwrap_or(e)
            .max(e),
        None => e,
    };
    let own: Vec<usize> = own.into_iter().map(level).collect();
    // Blocks after each record belong to it; the last record gets as many as the one before, within its parent.
    let mut following = 0;
    let mut record = |(k, &e): (usize, &usize)| {
        let blocks = &elements[e].blocks;
        let mut end = blocks.end;
        match own.get(k + 1) {
            Some(&next) if elements[next].parent == elements[e].parent && elements[next].blocks.start > end => {
                end = elements[next].blocks.start;
                following = end - blocks.end;
            }
            Some(_) => following = 0,
            None => end = (end + following).min(elements[elements[e].parent as usize].blocks.end).max(end),
        }
        let last = e + 1 + elements[e].descendants as usize;
        let (start, end) = (blocks.start as usize, end as usize);
        EntryRecord { elements: e..last.min(e + MAX_ELEMENTS), blocks: start..end.min(start + MAX_BLOCKS) }
    };
    let mut out: Vec<EntryRecord> = own.iter().enumerate().map(&mut record).collect();
    let before = lines_before(t, &own);
    if before > 0 {
        for k in (0..out.len()).rev() {
            let start = out[k].blocks.start - before;
            let end =
                if k + 1 < out.len() { out[k].blocks.end.min(out[k + 1].blocks.start) } else { out[k].blocks.end };
            out[k].blocks = start..end.max(start);
        }
    }
    out
}

/// Returns how many blocks before its title belong to each entry of a flat list, whose titles and other lines are siblings: if a date or
/// price precedes the first title and each other one, but does not follow the last.
fn lines_before(t: &LinkTable<'_>, own: &[usize]) -> usize {
    let elements = &t.blocks.elements;
    let [first, second, .., last] = own else { return 0 };
    let parent = elements[*first].parent as usize;
    let is_flat = own.iter().all(|e| elements[*e].parent as usize == parent);
    let (start, end) = (elements[parent].blocks.start as usize, elements[parent].blocks.end as usize);
    let [a, b, z] =
        [first, second, last].map(|e| (elements[*e].blocks.start as usize, elements[*e].blocks.end as usize));
    if !is_flat || b.0 <= a.1 || a.0 <= start {
        return 0;
    }
    let gap = b.0 - a.1;
    let has_value = |b: usize| {
        let text = cap(t.blocks.text(b), MAX_SCAN);
        price_in(text).is_some() || !scan::find(text, &scan::Hint::default()).is_empty()
    };
    let from = a.0.saturating_sub(gap).max(start);
    let Some(at) = (from..a.0).find(|i| has_value(*i)) else { return 0 };
    let size = a.0 - at;
    let follows = (z.1..end.min(z.1 + gap)).any(has_value);
    if has_value(b.0 - size) && !follows { size } else { 0 }
}

/// Returns the labels that several entries share: "View details".
fn repeated_labels<'t>(t: &'t LinkTable<'_>, links: &[usize]) -> HashSet<&'t str> {
    let mut counts: HashMap<&str, usize> = HashMap::default();
    links.iter().for_each(|&i| *counts.entry(t.links[i].label()).or_default() += 1);
    let is_repeated = |n: &usize| *n >= MIN_REPEATED && 3 * *n >= links.len();
    counts.into_iter().filter(|(_, n)| is_repeated(n)).map(|(label, _)| label).collect()
}

/// Returns the heading of a record, or else its first text that is neither a link's label nor a price, a date or a rating.
fn first_text(t: &LinkTable<'_>, r: &EntryRecord, label: &str, hint: &scan::Hint<'_>) -> Option<String> {
    let heading = r.elements.clone().find(|&e| t.blocks.elements[e].tag.heading_level().is_some());
    if let Some(heading) = heading.map(|e| text_of(t, e)).filter(|h| !h.is_empty()) {
        return Some(heading);
    }
    let is_title = |s: &Cow<'_, str>| {
        s.as_ref() != label
            && s.chars().filter(|c| c.is_alphabetic()).count() >= 3
            && !title::is_label(&[s.as_ref()], Some(hint))
    };
    texts(t, r).find(is_title).map(|s| cap(&s, MAX_TITLE).to_owned())
}

/// Returns the link's text, or the heading if the link is an image or a phrase like "more" beside one.
fn title(t: &LinkTable<'_>, i: usize, r: &EntryRecord, hint: Option<&scan::Hint<'_>>) -> String {
    let link = &t.links[i];
    let heading = r.elements.clone().find(|&e| t.blocks.elements[e].tag.heading_level().is_some());
    let heading = heading.map(|e| text_of(t, e)).filter(|h| h.chars().count() > link.text.chars().count());
    match heading {
        Some(h) if link.text.is_empty() || link.text.chars().count() < 14 && h.chars().count() < 200 => h,
        _ if link.text.is_empty() => link.label().to_owned(),
        _ => title::of_link(t.dom, link.node, hint).unwrap_or_else(|| link.text.clone()),
    }
}

fn text_of(t: &LinkTable<'_>, element: usize) -> String {
    node_text(t.dom, t.blocks.elements[element].node, MAX_TEXT)
}

/// Returns the beginnings of a record's texts, the hidden ones last: shops hide prices from screen readers and read out others. Of a card that is a
/// link, only those in the link. They count as work, since every link
/// of a long paragraph has the paragraph as its record.
fn texts<'t>(t: &'t LinkTable<'_>, r: &EntryRecord) -> impl Iterator<Item = Cow<'t, str>> {
    let hidden = |i: &usize| t.blocks.blocks[*i].hidden;
    let card = &t.blocks.elements[r.elements.start];
    let own = (card.tag == Tag::A && card.blocks.len() > 1).then_some(card.node);
    let text = move |i: usize| {
        let text = cap(t.blocks.text(i), MAX_SCAN);
        t.dom.reads(text.len());
        own.and_then(|link| inside(t, i, link)).map_or(Cow::Borrowed(text), Cow::Owned)
    };
    r.blocks.clone().filter(move |i| !hidden(i)).chain(r.blocks.clone().filter(hidden)).map(text)
}

/// Returns the text of a block in a link, if the block holds other texts, such as the end of the card before.
fn inside(t: &LinkTable<'_>, block: usize, link: NodeId) -> Option<String> {
    let leaves = &t.blocks.blocks[block].leaves;
    let leaves = &t.blocks.leaves[leaves.start as usize..leaves.end as usize];
    let is_inside = |n: &&NodeId| t.dom.ancestors(**n).take(MAX_DEPTH).any(|a| a == link);
    let own: Vec<NodeId> = leaves.iter().take(MAX_LEAVES).filter(is_inside).copied().collect();
    let text = || own.iter().map(|n| t.dom.text(*n)).collect::<String>();
    (own.len() < leaves.len()).then(|| cap(&squeeze(&text()), MAX_SCAN).to_owned())
}

fn summary(t: &LinkTable<'_>, r: &EntryRecord, title: &str) -> Option<String> {
    let candidate = |i: usize| {
        let text = cap(t.blocks.text(i), MAX_SUMMARY_SCAN);
        t.dom.reads(text.len());
        let b = &t.blocks.blocks[i];
        // If the text begins with the title, it is cut there.
        let rest =
            text.strip_prefix(title).unwrap_or(text).trim_start_matches([' ', '-', '\u{2013}', '\u{2014}', ':', '|']);
        let chars = rest.chars().count();
        let cjk = rest.chars().filter(|c| maintext_page::blocks::is_cjk(*c)).count() * 2 > chars;
        let long = chars >= if cjk { MIN_SUMMARY_CJK } else { MIN_SUMMARY };
        (long && !b.hidden && rest != title && (b.link_chars as usize) * 2 < chars).then_some((chars, rest))
    };
    let best = r.blocks.clone().filter_map(candidate).max_by_key(|c| c.0)?;
    Some(cap(best.1, 2000).to_owned())
}

fn date(t: &LinkTable<'_>, r: &EntryRecord, hint: &scan::Hint<'_>) -> Option<String> {
    let times = r.elements.clone().filter(|&e| t.blocks.elements[e].tag == Tag::TIME);
    let declared = times.filter_map(|e| t.dom.attr(t.blocks.elements[e].node, "datetime")).find_map(Stamp::parse);
    // A date has a digit, in some script.
    let dated = |s: &Cow<'_, str>| !s.is_ascii() || s.bytes().any(|b| b.is_ascii_digit());
    let written = || texts(t, r).filter(dated).find_map(|s| scan::find(&s, hint).into_iter().next().map(|h| h.stamp));
    // Dates glued together, one of them for screen readers, are apart in the tree.
    let leaves = |i: usize| {
        let leaves = &t.blocks.blocks[i].leaves;
        t.blocks.leaves[leaves.start as usize..leaves.end as usize].iter().take(MAX_LEAVES)
    };
    let apart = || {
        let texts = r.blocks.clone().flat_map(leaves).map(|n| cap(t.dom.text(*n), MAX_SCAN));
        texts.filter(|s| dated(&Cow::Borrowed(s))).find_map(|s| {
            t.dom.reads(s.len());
            scan::find(s, hint).into_iter().next().map(|h| h.stamp)
        })
    };
    declared.or_else(written).or_else(apart).map(|s| s.to_string())
}

/// Words in the class names of elements that name the author of a record.
const AUTHOR_CLASSES: [&str; 6] = ["author", "byline", "username", "poster", "creator", "writer"];
/// Segments of addresses of authors and members.
const PROFILES: &[&str] = lexicon!("profile-addresses.txt");
/// Maximum numbers of characters and words of a name without a label.
const MAX_NAME_CHARS: usize = 40;
const MAX_NAME_WORDS: usize = 5;
/// Maximum number of words of a line of facts about an entry.
const MAX_LINE_WORDS: usize = 16;

/// Returns whether an address leads to an author or a member: its path has a segment such as `author`, and a name after it.
fn leads_to_profile(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or("");
    let mut segments = path.split('/').filter(|s| !s.is_empty());
    let is_profile = |s: &str| PROFILES.iter().any(|p| s.eq_ignore_ascii_case(p));
    segments.any(is_profile) && segments.next().is_some()
}

/// Returns the name at the end of a short line of facts: "Posted Mar 5, 2026 by Jo Field".
fn name_at_end(text: &str) -> Option<String> {
    let is_line = text.contains(|c: char| c.is_ascii_digit()) && text.split_whitespace().count() <= MAX_LINE_WORDS;
    let is_label = |w: &&str| names::is_byline_label(&w.trim_end_matches(':').to_lowercase());
    let from_end = || text.split_whitespace().rev();
    let after = from_end().take(MAX_NAME_WORDS + 1).position(|w| is_line && is_label(&w)).filter(|n| *n > 0)?;
    let words: Vec<&str> = from_end().take(after).collect();
    let name = words.iter().rev().copied().collect::<Vec<&str>>().join(" ");
    let is_name = from_end().nth(after + 1).is_some() && !name.contains(|c: char| c.is_ascii_digit());
    is_name.then_some(name)
}

fn author(t: &LinkTable<'_>, r: &EntryRecord, title: &str) -> Option<String> {
    let attr = |e: usize, name: &str| t.dom.attr(t.blocks.elements[e].node, name);
    let names_author = |e: usize| {
        let is = |name: &str| attr(e, name).is_some_and(|v| v.split_ascii_whitespace().any(|w| w == "author"));
        is("rel") || is("itemprop") || is("class")
    };
    let is_name = |s: &String| {
        let letters = s.chars().any(char::is_alphabetic);
        letters && s.chars().count() <= MAX_NAME_CHARS && s.split_whitespace().count() <= MAX_NAME_WORDS && s != title
    };
    let named_by_class = |e: usize| {
        let class = attr(e, "class").unwrap_or("").as_bytes();
        AUTHOR_CLASSES.iter().any(|w| class.windows(w.len()).any(|part| part.eq_ignore_ascii_case(w.as_bytes())))
    };
    let is_profile = |e: usize| t.blocks.elements[e].tag == Tag::A && attr(e, "href").is_some_and(leads_to_profile);
    let clean = |s: String| {
        let (name, _) = names::strip_label(&s);
        let name = name.trim();
        (!name.is_empty() && name.chars().count() <= 80).then(|| name.to_owned())
    };
    let name_of = |e: usize| clean(text_of(t, e)).filter(is_name);
    let marked = r.elements.clone().find(|&e| names_author(e)).and_then(|e| clean(text_of(t, e)));
    let linked = || r.elements.clone().filter(|&e| is_profile(e)).find_map(name_of);
    let classed = || r.elements.clone().filter(|&e| named_by_class(e)).find_map(name_of);
    // A title is not a byline, and most records hold little else.
    let byline_in = |s: Cow<'_, str>| {
        let beside = s.strip_prefix(title).unwrap_or(&s);
        if beside.is_empty() || beside.len() >= 200 { None } else { names::byline(beside) }
    };
    let byline = || texts(t, r).find_map(byline_in).map(|(names, _)| names.join(", "));
    let last = || texts(t, r).filter(|s| s.as_ref() != title).find_map(|s| name_at_end(&s));
    marked.or_else(linked).or_else(classed).or_else(byline).or_else(last)
}

fn image(t: &LinkTable<'_>, r: &EntryRecord, base: Option<&Url>) -> Option<String> {
    let mut images = r.elements.clone().filter(|&e| t.blocks.elements[e].tag == Tag::IMG);
    images.find_map(|e| image_source(t.dom, t.blocks.elements[e].node, base))
}

/// Words in the class names of elements with a price that is no longer asked.
const OLD_PRICE_CLASSES: [&str; 8] = ["was", "old", "regular", "compare", "strike", "original", "rrp", "msrp"];
/// Maximum number of words of a text with a price: longer texts speak of money.
const MAX_PRICE_WORDS: usize = 24;
/// Minimum share of the price before at which a lower price after it is the one to pay, not a rate.
const MIN_REDUCED_SHARE: f64 = 0.2;

/// Returns the price to pay: a declared one, else the first one in a short text. A struck-through price, or one that its label calls the
/// original one, is taken only if there is no other, and of two prices in a row the reduced one.
fn price(t: &LinkTable<'_>, r: &EntryRecord) -> Option<String> {
    let marked = r.elements.clone().find(|&e| t.dom.attr(t.blocks.elements[e].node, "itemprop") == Some("price"));
    let declared = marked.map(|e| match t.dom.attr(t.blocks.elements[e].node, "content") {
        Some(c) => squeeze(c),
        None => text_of(t, e),
    });
    if let Some(declared) = declared.filter(|p| p.contains(|c: char| c.is_ascii_digit())) {
        return Some(declared);
    }
    let mut prices: Vec<(String, bool)> = Vec::new();
    for text in texts(t, r).filter(|s| s.split_whitespace().count() <= MAX_PRICE_WORDS) {
        prices.extend(prices_in(&text).into_iter().take(MAX_PRICES - prices.len()));
    }
    if prices.len() > 1 {
        let struck = struck_prices(t, r);
        prices.iter_mut().for_each(|(price, old)| *old |= struck.contains(price));
    }
    let mut asked: Vec<&String> = prices.iter().filter(|p| !p.1).map(|p| &p.0).collect();
    if asked.is_empty() {
        asked = prices.iter().map(|p| &p.0).collect();
    }
    let (first, second) = (asked.first()?, asked.get(1));
    let reduced = second.filter(|p| {
        let (before, after) = (amount(first), amount(p));
        after < before && after >= MIN_REDUCED_SHARE * before
    });
    Some(reduced.unwrap_or(first).to_string())
}

/// Returns the prices in the elements of a record that are struck through, or that their class names call old.
fn struck_prices(t: &LinkTable<'_>, r: &EntryRecord) -> Vec<String> {
    let is_struck = |e: &usize| {
        let element = &t.blocks.elements[*e];
        let class = || t.dom.attr(element.node, "class").unwrap_or("");
        let is_old = |word: &str| OLD_PRICE_CLASSES.iter().any(|old| word.eq_ignore_ascii_case(old));
        let named = || class().split([' ', '-', '_']).any(is_old);
        matches!(element.tag, Tag::DEL | Tag::S | Tag::STRIKE) || element.blocks.len() <= 1 && named()
    };
    let found = r.elements.clone().filter(is_struck).take(MAX_PRICES);
    found.flat_map(|e| prices_in(cap(&text_of(t, e), MAX_SCAN))).map(|p| p.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_addresses_with_a_name_after_their_segment() {
        assert!(leads_to_profile("/users/jo") && leads_to_profile("https://e.org/profile/6/Tom?tab=1"));
        assert!(!leads_to_profile("/users/") && !leads_to_profile("/news/users-guide/1"));
    }
}
