//! The fields of an entry other than its title: summary, date, author, image, price and details.
use super::authors::Authors;
use super::details::Details;
use super::permalinks::{self, BRACKETS};
use super::plain::PlainList;
use super::prices::{self, Price, price_in, prices_in};
use super::record::{EntryRecord, MAX_LEAVES, MAX_SCAN, text_of, texts};
use super::sections::{self, Sections};
use super::table::{Link, LinkTable};
use super::title;
use super::words;
use super::{Entry, EntryLink};
use maintext_facts::metadata::names_comments;
use maintext_facts::metadata::text::dates::{Stamp, month_first, scan};
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_html::Attr;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::image::image_source;
use maintext_reading::features::ends_sentence;
use std::cell::OnceCell;
use std::hash::Hash;
use std::ops::Range;
use url::Url;

/// A label in this many entries of a list, and in a third of them, is a button.
const MIN_REPEATED: usize = 3;
/// One entry in this many has a price if the list is one of offers.
const MIN_PRICED_SHARE: usize = 3;
/// Maximum number of bytes of a title that is not the text of a link.
const MAX_TITLE: usize = 200;
/// Minimum number of characters of a summary; one Chinese character carries about as much as three Latin ones.
const MIN_SUMMARY: usize = 40;
const MIN_SUMMARY_CJK: usize = 14;
/// Maximum number of bytes of a block's text that may be a summary.
const MAX_SUMMARY_SCAN: usize = 3000;
/// Maximum number of lists of a page with names and sections.
const MAX_NAMED: usize = 30;
/// Maximum number of links of a record that are examined.
const MAX_LINKS: usize = 20;
/// Maximum number of nodes on one side of a link that are read for its date, and of elements between a link and its heading.
const MAX_IN_LINE: usize = 6;
const MAX_LEVELS_TO_HEADING: usize = 4;
/// Maximum number of levels between the end of a term and its description.
const MAX_LEVELS_TO_TERM: usize = 6;
/// Maximum number of bytes of a day whose year is in the heading above.
const MAX_DAY: usize = 16;
/// Maximum number of bytes of a heading that is a date.
const MAX_DATE: usize = 60;
/// Maximum number of texts of a record that are compared with other records.
const MAX_FIRST_TEXTS: usize = 12;

/// Reads the fields of the entries of a page.
pub(super) struct FieldReader<'r> {
    t: &'r LinkTable<'r>,
    base: Option<&'r Url>,
    hint: scan::Hint<'r>,
    authors: Authors,
    details: Details,
    /// The headings of the page.
    headings: Vec<usize>,
    /// The addresses of the entries of the list, as [`Link::target`].
    targets: HashSet<u32>,
    /// For each entry of the list, whether its price is only mentioned.
    mentioned: Vec<bool>,
    /// Number of lists read.
    lists: usize,
}

impl<'r> FieldReader<'r> {
    pub fn new(t: &'r LinkTable<'r>, base: Option<&'r Url>) -> FieldReader<'r> {
        let language = t.dom.find(NodeId::ROOT, Tag::HTML).and_then(|n| t.dom.attr(n, "lang")).unwrap_or("");
        let texts = (0..t.blocks.len()).map(|b| t.blocks.text(b));
        let month_first = month_first(texts).unwrap_or(language == "en-US");
        let hint = scan::Hint { language, month_first, ..Default::default() };
        FieldReader {
            t,
            base,
            hint,
            authors: Authors::new(),
            details: Details::new(),
            headings: sections::headings(t),
            targets: HashSet::default(),
            mentioned: Vec::new(),
            lists: 0,
        }
    }

    /// Returns the name of a group of links, and its entries in order.
    pub fn linked(&mut self, links: &[usize]) -> (Option<String>, Vec<Entry>) {
        let t = self.t;
        let (records, level) = (records(t, links, false), records(t, links, true));
        let repeated = repeated_labels(t, links);
        let repeated_lines = repeated_lines(t, links);
        let (common, counts) = (OnceCell::new(), OnceCell::new());
        self.targets = links.iter().map(|i| t.links[*i].target).collect();
        let hint = self.hint;
        let entries = links.iter().zip(&records).enumerate().map(|(k, (&i, r))| {
            self.entry(Some(i), r, |dated| {
                let label = t.links[i].label();
                let names_nothing = repeated.contains(label)
                    || title::is_note(t, i)
                    || permalinks::is_sign(label)
                    || title::is_label(&[label], Some(&hint));
                if names_nothing {
                    let beside = link_beside(t, i, counts.get_or_init(|| text_counts(t)), &hint);
                    beside
                        .or_else(|| {
                            first_text(t, &level[k], label, &hint, common.get_or_init(|| common_texts(t, &level)))
                        })
                        .unwrap_or_else(|| label.to_owned())
                } else {
                    title(t, i, &level[k], dated, &repeated_lines)
                }
            })
        });
        let entries = entries.collect();
        self.list(&records.iter().collect::<Vec<_>>(), entries)
    }

    /// Returns the name of a list of records without links, and its entries in order.
    pub fn plain(&mut self, list: &PlainList) -> (Option<String>, Vec<Entry>) {
        let entries = list.records.iter().map(|r| self.entry(None, &r.place, |_| r.title.clone())).collect();
        self.list(&list.records.iter().map(|r| &r.place).collect::<Vec<_>>(), entries)
    }

    /// Returns an entry with the fields of its record. The title may depend on whether the record has a date.
    fn entry(
        &mut self,
        link: Option<usize>,
        r: &EntryRecord,
        title: impl FnOnce(Option<&scan::Hint<'_>>) -> String,
    ) -> Entry {
        let t = self.t;
        let price = price(t, r);
        self.mentioned.push(price.as_ref().is_some_and(|p| p.is_mentioned));
        let date = link.and_then(|i| date_in_line(t, i, &self.hint)).or_else(|| date(t, r, &self.hint));
        let title = title(date.as_ref().map(|_| &self.hint));
        let title = title::without_price(&title).to_owned();
        let href = link.map(|i| t.links[i].href.clone());
        let details = self.details.of(t, link, r, &title);
        Entry {
            url: link.map(|i| self.url(&t.links[i])),
            href,
            summary: summary(t, r, link, &title),
            date,
            author: self.authors.of(t, link, r, &title),
            image: image(t, r, self.base),
            price: price.map(|p| p.text),
            rating: details.rating,
            place: details.place,
            replies: details.replies,
            category: details.category,
            links: self.links(link, r),
            position: self.mentioned.len(),
            title,
            ..Entry::default()
        }
    }

    fn url(&self, link: &Link) -> String {
        let mut found = link.url.clone();
        if found.is_none() && link.href.starts_with('#') {
            found = self.base.and_then(|base| base.join(&link.href).ok());
        }
        match found {
            Some(url) if self.base.is_some() || link.href.contains("://") => url.into(),
            _ => link.href.clone(),
        }
    }

    /// Returns the links of a record to other addresses than its own.
    fn links(&self, link: Option<usize>, r: &EntryRecord) -> Vec<EntryLink> {
        let t = self.t;
        let first = t.links.partition_point(|l| first_block(t, l) < r.blocks.start);
        let own = t.links[first..].iter().take_while(|l| first_block(t, l) < r.blocks.end).take(MAX_LINKS);
        let mut seen = HashSet::default();
        let further = own.filter(|l| {
            let is_entry = link.is_some() && self.targets.contains(&l.target);
            l.url.is_some() && !is_entry && !l.label().is_empty() && seen.insert(l.target)
        });
        further.map(|l| EntryLink { text: l.label().to_owned(), href: self.url(l) }).collect()
    }

    /// Returns the name of the list and its entries, with their categories. Prices that are only mentioned are removed if few entries have
    /// one: their texts are about money.
    fn list(&mut self, records: &[&EntryRecord], mut entries: Vec<Entry>) -> (Option<String>, Vec<Entry>) {
        self.lists += 1;
        date_by_lines(self.t, records, &mut entries, &self.hint);
        let sections = if self.lists <= MAX_NAMED {
            sections::sections(self.t, &self.headings, &records.iter().map(|r| &r.elements).collect::<Vec<_>>())
        } else {
            Sections::default()
        };
        for ((entry, section), r) in entries.iter_mut().zip(sections.categories).zip(records) {
            if let (None, Some(heading)) = (&entry.date, section.as_ref().or(sections.name.as_ref())) {
                entry.date = date_below(self.t, r, heading, section.is_some(), &self.hint);
            }
            entry.category = section.or_else(|| entry.category.take());
        }
        let mentioned = std::mem::take(&mut self.mentioned);
        let priced = entries.iter().filter(|e| e.price.is_some()).count();
        if MIN_PRICED_SHARE * priced < entries.len() {
            let mentioned = entries.iter_mut().zip(mentioned).filter(|(_, is_mentioned)| *is_mentioned);
            mentioned.for_each(|(e, _)| e.price = None);
        }
        (sections.name, entries)
    }
}

fn first_block(t: &LinkTable<'_>, l: &Link) -> usize {
    t.blocks.elements[l.element].blocks.start as usize
}

/// Returns the blocks of each link's record.
pub(super) fn record_blocks(t: &LinkTable<'_>, links: &[usize]) -> Vec<Range<usize>> {
    records(t, links, true).into_iter().map(|r| r.blocks).collect()
}

/// Returns each link's record: the largest element around it without another entry, and the blocks after it up to the next record. With
/// `is_level`, no record is larger than the second one, as for titles, which are never far from their links.
fn records(t: &LinkTable<'_>, links: &[usize], is_level: bool) -> Vec<EntryRecord> {
    let elements = &t.blocks.elements;
    let own: Vec<usize> = (0..links.len()).map(|k| element_of_only(t, links, k)).collect();
    // The first and last record climb no higher than their neighbours.
    let depth = own.get(1).map(|&e| elements[e].depth);
    let last = own.len().saturating_sub(1);
    let own = own.into_iter().enumerate().map(|(k, e)| match depth {
        Some(depth) if is_level || k == 0 || k == last => {
            let mut chain = t.blocks.element_chain(t.links[t.links_in(e).start].element);
            chain.find(|&x| elements[x].depth <= depth).unwrap_or(e).max(e)
        }
        _ => e,
    });
    let own: Vec<usize> = own.collect();
    let begin = beginnings(t, &own);
    // Blocks after each record belong to it; the last record gets as many as the one before, within its parent.
    let mut following = 0;
    let records = own.iter().enumerate().map(|(k, &e)| {
        let blocks = &elements[e].blocks;
        let mut end = blocks.end;
        match begin.get(k + 1) {
            Some(&next) if elements[next].parent == elements[e].parent && elements[next].blocks.start > end => {
                end = elements[next].blocks.start;
                following = end - blocks.end;
            }
            Some(_) => following = 0,
            None => end = (end + following).min(elements[elements[e].parent as usize].blocks.end).max(end),
        }
        let (start, end) = (elements[begin[k]].blocks.start as usize, end as usize);
        EntryRecord { elements: begin[k]..t.subtree(e).end, blocks: start..end }.capped()
    });
    let mut out: Vec<EntryRecord> = records.collect();
    let before = lines_before(t, &begin);
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

/// Returns the first element of each record: before a description, its term, if most of the records are a term with one description.
fn beginnings(t: &LinkTable<'_>, own: &[usize]) -> Vec<usize> {
    let elements = &t.blocks.elements;
    let mut begin = own.to_vec();
    let mut terms = 0;
    // The element before a description is the last of its siblings, or is below it.
    for e in begin.iter_mut().filter(|e| elements[**e].tag == Tag::DD) {
        let parent = elements[*e].parent;
        let before = t.blocks.element_chain(*e - 1).take(MAX_LEVELS_TO_TERM).find(|&b| elements[b].parent == parent);
        if let Some(term) = before.filter(|&b| elements[b].tag == Tag::DT && t.links_below(b) == 0) {
            *e = term;
            terms += 1;
        }
    }
    if 2 * terms > own.len() { begin } else { own.to_vec() }
}

fn element_of_only(t: &LinkTable<'_>, links: &[usize], k: usize) -> usize {
    let (before, after) = (k.checked_sub(1).map(|j| links[j]), links.get(k + 1).copied());
    let mut at = t.links[links[k]].element;
    for _ in 0..40 {
        let p = t.blocks.elements[at].parent as usize;
        let r = t.links_in(p);
        let alone = before.is_none_or(|b| b < r.start) && after.is_none_or(|a| a >= r.end);
        // The record of a page's only entry must not cover the page.
        if p == 0 || !alone || links.len() == 1 && t.blocks.elements[p].blocks.len() > 8 {
            break;
        }
        at = p;
    }
    at
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
    let from = a.0.saturating_sub(gap).max(start);
    let Some(at) = (from..a.0).find(|i| has_value(t, *i)) else { return 0 };
    let size = a.0 - at;
    let follows = (z.1..end.min(z.1 + gap)).any(|b| has_value(t, b));
    if has_value(t, b.0 - size) && !follows { size } else { 0 }
}

fn has_value(t: &LinkTable<'_>, b: usize) -> bool {
    let text = cap(t.blocks.text(b), MAX_SCAN);
    price_in(text).is_some() || !scan::find(text, &scan::Hint::default()).is_empty()
}

/// Returns the labels that several entries share: "View details".
fn repeated_labels<'t>(t: &'t LinkTable<'_>, links: &[usize]) -> HashSet<&'t str> {
    let mut counts: HashMap<&str, usize> = HashMap::default();
    links.iter().for_each(|&i| *counts.entry(t.links[i].label()).or_default() += 1);
    of_many(counts, links.len())
}

/// Returns the texts that a third of the entries share.
fn of_many<T: Hash + Eq>(counts: HashMap<T, usize>, entries: usize) -> HashSet<T> {
    counts.into_iter().filter(|(_, n)| *n >= MIN_REPEATED && 3 * *n >= entries).map(|(text, _)| text).collect()
}

/// Returns the lines that many links of the list have, by their shapes: "sold out", "3 colours".
fn repeated_lines(t: &LinkTable<'_>, links: &[usize]) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::default();
    for link in links.iter().map(|&i| &t.links[i]).filter(|l| t.blocks.elements[l.element].blocks.len() > 1) {
        let lines = title::lines_of(t.dom, link.node);
        let own: HashSet<String> = lines.iter().map(|line| words::shape(line)).collect();
        own.into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
    }
    of_many(counts, links.len())
}

/// Returns the first texts that many records have, by their shapes: "not available", "3 colours".
fn common_texts(t: &LinkTable<'_>, records: &[EntryRecord]) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::default();
    for r in records {
        let own: HashSet<String> = texts(t, r).take(MAX_FIRST_TEXTS).map(|text| words::shape(&text)).collect();
        own.into_iter().for_each(|text| *counts.entry(text).or_default() += 1);
    }
    of_many(counts, records.len())
}

/// Returns the heading of a record, or else its first text that is not a link's label, a price, a date, a rating, or a text of many records.
fn first_text(
    t: &LinkTable<'_>,
    r: &EntryRecord,
    label: &str,
    hint: &scan::Hint<'_>,
    common: &HashSet<String>,
) -> Option<String> {
    let heading = r.elements.clone().find(|&e| t.blocks.elements[e].tag.heading_level().is_some());
    if let Some(heading) = heading.map(|e| text_of(t, e)).filter(|h| !h.is_empty()) {
        return Some(heading);
    }
    // A permalink may be in the line that it links.
    let is_permalink = permalinks::is_sign(label) || title::is_date(label, hint);
    texts(t, r)
        .map(|s| {
            let inner = s.trim_matches(BRACKETS);
            let sign = label.trim_matches(BRACKETS);
            let rest = if is_permalink { inner.strip_prefix(sign).or_else(|| inner.strip_suffix(sign)) } else { None };
            opening(rest.map_or(s.as_ref(), |rest| rest.trim_matches(BRACKETS).trim())).to_owned()
        })
        .find(|s| {
            s != label
                && s.chars().filter(|c| c.is_alphabetic()).count() >= 3
                && !title::is_label(&[s.as_str()], Some(hint))
                && !common.contains(&words::shape(s))
        })
}

/// Returns the text of a link near a button that leads where the button does, and names the target: "A new bridge", before "Details".
fn link_beside(
    t: &LinkTable<'_>,
    button: usize,
    counts: &HashMap<&str, usize>,
    hint: &scan::Hint<'_>,
) -> Option<String> {
    /// Maximum number of links between the two.
    const MAX_DISTANCE: usize = 3;
    let near = button.saturating_sub(MAX_DISTANCE)..t.links.len().min(button + MAX_DISTANCE + 1);
    let mut alike = near.filter(|&i| i != button && t.links[i].target == t.links[button].target);
    let found = alike.find(|&i| {
        let text = t.links[i].text.as_str();
        text.contains(char::is_alphabetic)
            && counts.get(text).is_some_and(|n| *n < MIN_REPEATED)
            && !names_comments(text)
            && !title::is_label(&[text], Some(hint))
    });
    found.map(|i| t.links[i].text.clone())
}

/// Counts the links of the page with the same text.
fn text_counts<'t>(t: &'t LinkTable<'_>) -> HashMap<&'t str, usize> {
    let mut counts = HashMap::default();
    t.links.iter().for_each(|link| *counts.entry(link.text.as_str()).or_default() += 1);
    counts
}

/// Returns the beginning of a text, up to the end of a sentence, or else of a word.
fn opening(text: &str) -> &str {
    let start = cap(text, MAX_TITLE);
    if start.len() == text.len() {
        return text;
    }
    let sentence = [". ", "! ", "? "].iter().filter_map(|stop| start.rfind(stop)).max().map(|at| at + 1);
    &start[..sentence.or_else(|| start.rfind(' ')).unwrap_or(start.len())]
}

/// Returns the link's text, or the heading if the link is an image, or a phrase like "more" near a heading.
fn title(
    t: &LinkTable<'_>,
    i: usize,
    r: &EntryRecord,
    hint: Option<&scan::Hint<'_>>,
    repeated_lines: &HashSet<String>,
) -> String {
    let link = &t.links[i];
    let heading = r.elements.clone().find(|&e| t.blocks.elements[e].tag.heading_level().is_some());
    let is_heading = t
        .blocks
        .element_chain(link.element)
        .take(MAX_LEVELS_TO_HEADING)
        .any(|e| Some(e) != heading && t.blocks.elements[e].tag.heading_level().is_some());
    // A link in a heading of its own is the title.
    let heading = if is_heading { None } else { heading.map(|e| text_of(t, e)) };
    match heading.filter(|h| h.chars().count() > link.text.chars().count()) {
        Some(h) if link.text.is_empty() || link.text.chars().count() < 14 && h.chars().count() < 200 => h,
        _ if link.text.is_empty() => link.label().to_owned(),
        _ => title::of_link(t.dom, link.node, hint, repeated_lines).unwrap_or_else(|| link.text.clone()),
    }
}

/// Returns the longest text of a record that is neither its title nor mostly links. In a card that is one link, the text is linked, too.
fn summary(t: &LinkTable<'_>, r: &EntryRecord, link: Option<usize>, title: &str) -> Option<String> {
    let label = link.map_or("", |i| t.links[i].label());
    let card = link.map(|i| &t.blocks.elements[t.links[i].element].blocks).filter(|blocks| blocks.len() > 1);
    let best = r
        .blocks
        .clone()
        .filter_map(|i| {
            let text = cap(t.blocks.text(i), MAX_SUMMARY_SCAN);
            t.dom.reads(text.len());
            let b = &t.blocks.blocks[i];
            // If the text begins with the title, it is cut there; a permalink may precede the title.
            let between = [' ', '-', '\u{2013}', '\u{2014}', ':', '|'];
            let named = if title == label { text } else { text.strip_prefix(label).unwrap_or(text).trim_start() };
            let rest = named.strip_prefix(title).unwrap_or(text).trim_start_matches(between);
            if rest.len() < MIN_SUMMARY_CJK {
                return None;
            }
            let chars = rest.chars().count();
            let cjk = rest.chars().filter(|c| maintext_page::blocks::is_cjk(*c)).count() * 2 > chars;
            let long = chars >= if cjk { MIN_SUMMARY_CJK } else { MIN_SUMMARY };
            // Cards of shops and news are one link, so that all of their text is linked: with it, 0.848 instead of 0.812 of the long texts of
            // search results are summaries.
            let is_plain =
                (b.link_chars as usize) * 2 < chars || card.is_some_and(|blocks| blocks.contains(&(i as u32)));
            (long && !b.hidden && rest != title && is_plain).then_some((chars, rest, i))
        })
        .max_by_key(|c| c.0)?;
    let text = link.map_or(best.1, |i| without_button(t, best.2, &t.links[i], best.1));
    Some(cap(text, 2000).to_owned())
}

/// Returns the text at the end of a block without a link after its last sentence that leads where the entry does: "Read on", in any language.
fn without_button<'s>(t: &LinkTable<'_>, block: usize, entry: &Link, text: &'s str) -> &'s str {
    /// Maximum number of elements around a text among which its link is sought.
    const MAX_LEVELS_TO_LINK: usize = 4;
    let link_of = |leaf| t.dom.ancestors(leaf).take(MAX_LEVELS_TO_LINK).find(|&a| t.dom.tag(a) == Tag::A);
    let leaves = t.blocks.leaves_of(&t.blocks.blocks[block]);
    let Some(button) = leaves.last().and_then(|&leaf| link_of(leaf)) else { return text };
    if button == entry.node || t.dom.attribute(button, Attr::HREF).map(str::trim) != Some(&entry.href) {
        return text;
    }
    let own = leaves.iter().rposition(|&leaf| link_of(leaf) != Some(button)).map_or(0, |last| last + 1);
    let label: String = leaves[own..].iter().map(|&leaf| t.dom.text(leaf)).collect();
    let before = text.strip_suffix(&squeeze(&label)).unwrap_or(text).trim_end();
    if ends_sentence(before) { before } else { text }
}

fn date(t: &LinkTable<'_>, r: &EntryRecord, hint: &scan::Hint<'_>) -> Option<String> {
    // Elements of a site's own, `<relative-time>`, write their date when scripts run.
    let times = r.elements.clone().filter(|&e| matches!(t.blocks.elements[e].tag, Tag::TIME | Tag::OTHER));
    let declared = times.filter_map(|e| t.dom.attr(t.blocks.elements[e].node, "datetime")).find_map(Stamp::parse);
    declared
        .or_else(|| {
            texts(t, r)
                .filter(|s| may_be_dated(s))
                .find_map(|s| scan::find(&s, hint).into_iter().next().map(|h| h.stamp))
        })
        .or_else(|| {
            // A block joins two dates that the tree separates, such as one for screen readers.
            let texts = r.blocks.clone().flat_map(|i| first_leaves(t, i)).map(|n| cap(t.dom.text(*n), MAX_SCAN));
            texts.filter(|s| may_be_dated(s)).find_map(|s| {
                t.dom.reads(s.len());
                scan::find(s, hint).into_iter().next().map(|h| h.stamp)
            })
        })
        .map(|s| s.to_string())
}

/// Dates entries by the lines above them, if each of these is the date of several entries: such a line ends the record before it. Where most
/// records end with a date, it is their own.
fn date_by_lines(t: &LinkTable<'_>, records: &[&EntryRecord], entries: &mut [Entry], hint: &scan::Hint<'_>) {
    let dated = entries.iter().filter(|entry| entry.date.is_some()).count();
    if dated == 0 || 2 * dated > records.len() {
        return;
    }
    let last_lines = records.iter().map(|r| r.blocks.clone().skip(1).last().and_then(|b| date_of_line(t, b, hint)));
    let last_lines: Vec<Option<String>> = last_lines.collect();
    if entries.iter().zip(&last_lines).any(|(entry, line)| entry.date != *line) {
        return;
    }
    let first = records[0].blocks.start.checked_sub(1);
    let mut date = first.and_then(|b| date_of_line(t, b, hint));
    for (entry, line) in entries.iter_mut().zip(last_lines) {
        entry.date.clone_from(&date);
        date = line.or(date);
    }
}

/// Returns the date of a line that is nothing else, except for a weekday before it.
fn date_of_line(t: &LinkTable<'_>, block: usize, hint: &scan::Hint<'_>) -> Option<String> {
    /// Maximum number of bytes of a weekday's name with the signs around it.
    const MAX_WEEKDAY_BYTES: usize = 24;
    let text = t.blocks.text(block);
    if text.len() > MAX_DATE + MAX_WEEKDAY_BYTES || !may_be_dated(text) {
        return None;
    }
    let hit = scan::find(text, hint).into_iter().next()?;
    let is_alone = hit.range.start <= MAX_WEEKDAY_BYTES && !text[hit.range.end..].contains(char::is_alphanumeric);
    is_alone.then(|| hit.stamp.to_string())
}

/// Returns the date next to a link, if line breaks end lines of one link each: "3 May <a>A walk</a><br>".
fn date_in_line(t: &LinkTable<'_>, i: usize, hint: &scan::Hint<'_>) -> Option<String> {
    let (dom, link) = (t.dom, t.links[i].node);
    let ends = |n: &NodeId| matches!(dom.tag(*n), Tag::BR | Tag::A);
    let before: Vec<NodeId> = dom.prev_siblings(link).take(MAX_IN_LINE).take_while(|n| !ends(n)).collect();
    let after: Vec<NodeId> = dom.next_siblings(link).take(MAX_IN_LINE).take_while(|n| !ends(n)).collect();
    let is_line = [before.last().copied().unwrap_or(link), after.last().copied().unwrap_or(link)];
    let borders = [dom.prev_sibling(is_line[0]), dom.next_sibling(is_line[1])];
    let has_break = borders.iter().flatten().any(|&n| dom.tag(n) == Tag::BR);
    if !has_break || borders.into_iter().flatten().any(|n| dom.tag(n) == Tag::A) {
        return None;
    }
    let texts = before.into_iter().rev().chain(after).map(|n| node_text(dom, n, MAX_SCAN));
    texts.filter(|s| may_be_dated(s)).find_map(|s| scan::find(&s, hint).into_iter().next()).map(|h| h.stamp.to_string())
}

/// Returns the date of a record without one, if the heading of its section is the date or the rest of it: "2026" above "3 May", "May 2026"
/// above "3" or "3 May", "Meetings in 2026" above "3 May". The heading of the whole list is only the rest of dates.
fn date_below(
    t: &LinkTable<'_>,
    r: &EntryRecord,
    heading: &str,
    is_section: bool,
    hint: &scan::Hint<'_>,
) -> Option<String> {
    if !may_be_dated(heading) {
        return None;
    }
    let year = only_year(heading);
    let leaves = r.blocks.clone().flat_map(|i| first_leaves(t, i)).map(|n| squeeze(cap(t.dom.text(*n), MAX_SCAN)));
    let days = leaves.filter(|s| s.len() <= MAX_DAY && may_be_dated(s)).take(MAX_FIRST_TEXTS);
    let rest = if heading.len() <= MAX_DATE { Some(heading) } else { None };
    let with_rest = days.flat_map(|day| {
        let rests = [rest, year].into_iter().flatten();
        rests.map(|rest| format!("{day} {rest}")).collect::<Vec<String>>()
    });
    let of_section = if is_section { Some(heading.to_owned()) } else { None };
    with_rest.chain(of_section).find_map(|s| {
        let hit = scan::find(&s, hint).into_iter().next()?;
        (hit.range.len() + 3 >= s.len()).then(|| hit.stamp.to_string())
    })
}

/// Returns the year in a text, if it is the only one: of two, neither is certain.
fn only_year(text: &str) -> Option<&str> {
    let mut years = text.split(|c: char| !c.is_alphanumeric()).filter(|word| is_year(word));
    let year = years.next();
    if years.next().is_none() { year } else { None }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && word.bytes().all(|b| b.is_ascii_digit())
}

fn first_leaves<'t>(t: &'t LinkTable<'_>, i: usize) -> impl Iterator<Item = &'t NodeId> {
    let leaves = &t.blocks.blocks[i].leaves;
    t.blocks.leaves[leaves.start as usize..leaves.end as usize].iter().take(MAX_LEAVES)
}

/// A date has a digit, in some script. Latin letters and signs have none beyond ASCII.
fn may_be_dated(s: &str) -> bool {
    s.bytes().any(|b| b.is_ascii_digit())
        || !s.is_ascii() && s.contains(|c: char| c >= '\u{600}' && !('\u{1e00}'..='\u{2e7f}').contains(&c))
}

fn image(t: &LinkTable<'_>, r: &EntryRecord, base: Option<&Url>) -> Option<String> {
    let mut images = r.elements.clone().filter(|&e| t.blocks.elements[e].tag == Tag::IMG);
    images.find_map(|e| image_source(t.dom, t.blocks.elements[e].node, base))
}

/// Words in the class names of elements with a price that is no longer asked.
const OLD_PRICE_CLASSES: [&str; 8] = ["was", "old", "regular", "compare", "strike", "original", "rrp", "msrp"];
/// Maximum number of elements of a record that are struck through.
const MAX_STRUCK: usize = 8;

/// Returns the price to pay: a declared one, else one that is written.
fn price(t: &LinkTable<'_>, r: &EntryRecord) -> Option<Price> {
    let marked =
        r.elements.clone().find(|&e| t.dom.attribute(t.blocks.elements[e].node, Attr::ITEMPROP) == Some("price"));
    let declared = marked.map(|e| match t.dom.attr(t.blocks.elements[e].node, "content") {
        Some(c) => squeeze(c),
        None => text_of(t, e),
    });
    if let Some(declared) = declared.filter(|p| p.contains(|c: char| c.is_ascii_digit())) {
        return Some(Price { text: declared, is_mentioned: false });
    }
    prices::to_pay(texts(t, r), || struck_prices(t, r))
}

/// Returns the prices in the elements of a record that are struck through, or that their class names call old.
fn struck_prices(t: &LinkTable<'_>, r: &EntryRecord) -> Vec<String> {
    let struck = r.elements.clone().filter(|e| is_struck(t, *e)).take(MAX_STRUCK).map(|e| text_of(t, e));
    struck
        .flat_map(|text| {
            let found = prices_in(cap(&text, MAX_SCAN));
            found.into_iter().map(|p| text[p.range].to_owned()).collect::<Vec<String>>()
        })
        .collect()
}

fn is_struck(t: &LinkTable<'_>, e: usize) -> bool {
    let element = &t.blocks.elements[e];
    matches!(element.tag, Tag::DEL | Tag::S | Tag::STRIKE)
        || element.blocks.len() <= 1
            && t.dom
                .attr(element.node, "class")
                .unwrap_or("")
                .split([' ', '-', '_'])
                .any(|word| OLD_PRICE_CLASSES.iter().any(|old| word.eq_ignore_ascii_case(old)))
}
