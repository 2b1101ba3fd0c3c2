//! The fields of an entry beside its title: summary, date, author, image, price.
use super::table::LinkTable;
use super::title;
use crate::dom::{NodeId, Tag};
use crate::image::image_source;
use crate::metadata::text::dates::{Stamp, scan};
use crate::metadata::text::names;
use crate::metadata::text::{cap, node_text, squeeze};
use crate::page::Entry;
use std::borrow::Cow;
use std::ops::Range;
use url::Url;

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
pub(crate) fn entries(t: &LinkTable<'_>, links: &[usize], group: usize, base: Option<&Url>) -> Vec<Entry> {
    let records = records(t, links);
    let language = t.dom.find(NodeId::ROOT, Tag::HTML).and_then(|n| t.dom.attr(n, "lang")).unwrap_or("").to_owned();
    let hint = scan::Hint { language: &language, month_first: language == "en-US", ..Default::default() };
    let entry = |(k, (&i, r)): (usize, (&usize, &EntryRecord))| {
        let link = &t.links[i];
        let price = price(t, r);
        let date = date(t, r, &hint);
        let title = title(t, i, r, date.as_ref().map(|_| &hint));
        let title = title::without_price(&title, price.as_deref()).to_owned();
        let found = link.url.as_ref().map_or_else(|| link.href.clone(), Url::to_string);
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

/// Returns the beginnings of a record's visible texts; of a card that is a link, only those in the link. They count as work, since every link
/// of a long paragraph has the paragraph as its record.
fn texts<'t>(t: &'t LinkTable<'_>, r: &EntryRecord) -> impl Iterator<Item = Cow<'t, str>> {
    let visible = |i: &usize| !t.blocks.blocks[*i].hidden;
    let card = &t.blocks.elements[r.elements.start];
    let own = (card.tag == Tag::A && card.blocks.len() > 1).then_some(card.node);
    let text = move |i: usize| {
        let text = cap(t.blocks.text(i), MAX_SCAN);
        t.dom.reads(text.len());
        own.and_then(|link| inside(t, i, link)).map_or(Cow::Borrowed(text), Cow::Owned)
    };
    r.blocks.clone().filter(visible).map(text)
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
        let cjk = rest.chars().filter(|c| crate::blocks::is_cjk(*c)).count() * 2 > chars;
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
    declared.or_else(written).map(|s| s.to_string())
}

fn author(t: &LinkTable<'_>, r: &EntryRecord, title: &str) -> Option<String> {
    let names_author = |e: usize| {
        let n = t.blocks.elements[e].node;
        let is = |name: &str| t.dom.attr(n, name).is_some_and(|v| v.split_ascii_whitespace().any(|w| w == "author"));
        is("rel") || is("itemprop") || is("class")
    };
    let clean = |s: String| {
        let (name, _) = names::strip_label(&s);
        let name = name.trim();
        (!name.is_empty() && name.chars().count() <= 80).then(|| name.to_owned())
    };
    let marked = r.elements.clone().find(|&e| names_author(e)).and_then(|e| clean(text_of(t, e)));
    // A title is not a byline, and most records hold little else.
    let byline_in = |s: Cow<'_, str>| {
        let beside = s.strip_prefix(title).unwrap_or(&s);
        if beside.is_empty() || beside.len() >= 200 { None } else { names::byline(beside) }
    };
    let byline = || texts(t, r).find_map(byline_in).map(|(names, _)| names.join(", "));
    marked.or_else(byline)
}

fn image(t: &LinkTable<'_>, r: &EntryRecord, base: Option<&Url>) -> Option<String> {
    let mut images = r.elements.clone().filter(|&e| t.blocks.elements[e].tag == Tag::IMG);
    images.find_map(|e| image_source(t.dom, t.blocks.elements[e].node, base))
}

/// Currency signs and codes used in prices.
const CURRENCIES: [&str; 24] = [
    "$", "\u{20ac}", "\u{a3}", "\u{a5}", "\u{20b9}", "\u{20bd}", "\u{20a9}", "\u{20ba}", "\u{20b4}", "\u{20ab}",
    "\u{e3f}", "\u{ffe5}", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "RMB", "kr", "z\u{142}", "K\u{10d}", "\u{5143}",
    "\u{5186}",
];

fn price(t: &LinkTable<'_>, r: &EntryRecord) -> Option<String> {
    let marked = r.elements.clone().find(|&e| t.dom.attr(t.blocks.elements[e].node, "itemprop") == Some("price"));
    let declared = marked.map(|e| match t.dom.attr(t.blocks.elements[e].node, "content") {
        Some(c) => squeeze(c),
        None => text_of(t, e),
    });
    declared.filter(|p| p.contains(|c: char| c.is_ascii_digit())).or_else(|| texts(t, r).find_map(|s| price_in(&s)))
}

/// Returns the first number with a currency beside it, as written.
pub(super) fn price_in(text: &str) -> Option<String> {
    let mut from = 0;
    while let Some(at) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + at;
        let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'');
        let end = text[start..].find(|c: char| !number(c)).map_or(text.len(), |i| start + i);
        let number = text[start..end].trim_end_matches(['.', ',', '\'']);
        let end = start + number.len();
        let before = text[..start].trim_end();
        let after = text[end..].trim_start();
        let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
        // Nearly every number has no currency beside it.
        let near = |c: Option<char>, of: fn(&str) -> Option<char>| c.is_some() && CURRENCIES.iter().any(|s| of(s) == c);
        if !near(before.chars().next_back(), |s| s.chars().next_back())
            && !near(after.chars().next(), |s| s.chars().next())
        {
            from = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
            continue;
        }
        if let Some(sign) = CURRENCIES.iter().find(|s| before.ends_with(**s)) {
            return Some(text[before.len() - sign.len()..end].to_owned());
        }
        if let Some(sign) = CURRENCIES.iter().find(|s| after.starts_with(**s) && !word(after[s.len()..].chars().next()))
        {
            return Some(text[start..text.len() - after.len() + sign.len()].to_owned());
        }
        from = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_as_written() {
        assert_eq!(price_in("Now only $1,299.00, was more").as_deref(), Some("$1,299.00"));
        assert_eq!(price_in("12 pieces, 19,90 \u{20ac} each").as_deref(), Some("19,90 \u{20ac}"));
        assert_eq!(price_in("\u{ffe5}88\u{8d77}").as_deref(), Some("\u{ffe5}88"));
        assert_eq!(price_in("3 krakens in 2024"), None);
        assert_eq!(price_in("no number"), None);
    }
}
