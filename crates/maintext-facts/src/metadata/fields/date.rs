//! The publication date and the date of the last change.
//!
//! All dates of the page are candidates: in metadata, `<time>`, attributes, scripts, the address and visible text. All statements of one
//! day form one candidate. The ranker chooses the publication date; the date of the last change is chosen among the dates labelled as one.
use crate::metadata::fields::surroundings::{Surroundings, beside, place_block};
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{Candidate, DATE_THRESHOLD, Evidence, Features, Pool, PoolGroup, Source};
use crate::metadata::sources::facts::{alike, markup, may_hold_date, region, signature};
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::dates::{self, Hit, Stamp, Style, labels};
use crate::metadata::text::{cap, plain, tokens};
use jiff::civil::Date;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_reading::features::ends_sentence;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Number of blocks around heading and content that may hold the page's own date.
const NEAR_BLOCKS: u32 = 6;
/// See [`threshold`].
const ELSEWHERE_THRESHOLD: f32 = 3.0;
/// See [`threshold`].
const ASIDE_THRESHOLD: f32 = 4.0;
/// See [`threshold`].
const UNSTATED_THRESHOLD: f32 = -0.9;
/// See [`threshold`].
const MENTIONED_THRESHOLD: f32 = 3.0;

type Dates = Pool<Stamp>;

struct Builder<'a, 'f> {
    page: &'a Layout<'f>,
    pool: Dates,
    /// Days in machine-readable statements.
    machine: Vec<Date>,
    /// Ordinal of the next date in the visible text.
    nth: usize,
    modified: Vec<(u8, Stamp, Evidence)>,
    /// Signature of the markup and day of each visible date.
    seen: Vec<(u64, String)>,
    /// The same of each date between the ends of the content.
    in_content: Vec<(u64, Date)>,
    around: &'a Surroundings,
}

/// The candidates for the publication date, best first, and the date of the last change, if stated.
pub struct DateCandidates {
    /// The publication dates.
    pub published: Vec<(Stamp, Candidate)>,
    /// The date of the last change and its evidence.
    pub modified: Option<(Stamp, Evidence)>,
}

/// Finds all candidates.
pub fn candidates(page: &Layout<'_>) -> DateCandidates {
    let around = Surroundings::new(page);
    let mut b = Builder {
        page,
        pool: Pool::new(page.named),
        machine: Vec::new(),
        nth: 0,
        modified: Vec::new(),
        seen: Vec::new(),
        in_content: Vec::new(),
        around: &around,
    };
    b.structured();
    b.metas();
    b.props();
    b.address();
    b.scripts();
    b.elements();
    b.hidden_times();
    b.text();
    b.midnights();
    b.common_features();
    let Builder { pool, mut modified, in_content, .. } = b;
    let of_entries = if page.is_thread() { HashSet::default() } else { days_of_entries(&in_content) };
    let mut published = pool.rank(&page.rankers.date);
    published.retain(|(stamp, c)| {
        let is_of_entry = of_entries.contains(&stamp.date) && is_in_page(c) && !is_labelled(page, c);
        !(labels_other(page, c) || is_of_comments(page, c) || is_of_entry)
    });
    // A change that nothing shows is never the publication if the page states one.
    if published.iter().any(|(_, c)| claim(&c.evidence).published) {
        published.retain(|(_, c)| !is_unseen_change(c));
    }
    // The most trusted kind of statement wins, and among equals the latest date.
    modified.sort_by_key(|m| (m.0, m.1.date, m.1.time));
    let after = published.first().map(|p| p.0.date);
    let modified = modified.into_iter().rfind(|m| after.is_none_or(|d| m.1.date >= d)).map(|m| (m.1, m.2));
    DateCandidates { published, modified }
}

/// Returns the least score of a valid candidate. Dates that are only printed, away from heading and content or aside, mostly belong to
/// other articles and need the highest scores, as do dates that only sentences mention. Dates without a `<meta>`, JSON-LD or microdata
/// statement need a higher score than dates with one.
pub fn threshold(page: &Layout<'_>, c: &Candidate) -> f32 {
    // Places are relative to the content: by their distance to long blocks, wcxb-dev would lose 0.6 points and misinfo-crawler 2.5
    // (docs/experiments/metadata.md).
    let (first, last) = page.content;
    let top = page.heading.map_or(first, |h| h.min(first)).saturating_sub(NEAR_BLOCKS);
    let shown: Vec<u32> = c.evidence.iter().filter_map(shown_block).collect();
    let is_shown = shown.len() == c.evidence.len();
    if is_shown && c.evidence.iter().all(|e| is_mentioned(page, e)) {
        MENTIONED_THRESHOLD
    } else if is_shown && shown.iter().all(|&b| is_aside(page, b)) {
        ASIDE_THRESHOLD
    } else if is_shown
        && shown
            .iter()
            .all(|&b| b < top || b > last + NEAR_BLOCKS || is_aside(page, b) || page.in_record(b) == Some(false))
    {
        ELSEWHERE_THRESHOLD
    } else if c.evidence.iter().any(|e| e.source.is_declared() || e.source == Source::Derived) {
        DATE_THRESHOLD
    } else {
        UNSTATED_THRESHOLD
    }
}

/// Whether a day relative to today is the heading of a part or a cell of a table: "Today" above opening hours dates nothing.
fn is_title_of_day(page: &Layout<'_>, block: usize, hit: &Hit) -> bool {
    hit.style == Style::Relative
        && !page.blocks.text(block).contains(char::is_numeric)
        && page.blocks.ancestors(block).take(MAX_LEVELS).any(|e| {
            let tag = page.blocks.elements[e].tag;
            tag.heading_level().is_some() || matches!(tag, Tag::TH | Tag::TD)
        })
}

/// Whether a sentence mentions a date among other words, and does not announce a publication: "The fair takes place on 12 June 2027 in the hall."
fn is_mentioned(page: &Layout<'_>, e: &Evidence) -> bool {
    const MIN_WORDS_BEFORE: usize = 4;
    const MIN_WORDS: u32 = 8;
    let (Source::Text, Some(block)) = (e.source, e.block) else { return false };
    let Some(hit) = page.hits_of(block).first() else { return false };
    let block = block as usize;
    let text = page.blocks.text(block);
    let (before, after) = (text.get(..hit.range.start).unwrap_or(""), text.get(hit.range.end..).unwrap_or(""));
    // "On 9 May a quartet will play": behind the date of a report follows a sign.
    let goes_on = after.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_lowercase));
    page.blocks.blocks[block].words >= MIN_WORDS
        && ends_sentence(text)
        && (goes_on || before.split_whitespace().count() >= MIN_WORDS_BEFORE)
        && !labels::may_date_page(&label_at_end(before).to_lowercase())
}

/// Number of days in the same markup within the content from which they are the dates of entries.
const MIN_ENTRY_DAYS: usize = 3;

/// Returns the days of the content that occur only in markup with several other days: the dates of a list's entries.
fn days_of_entries(in_content: &[(u64, Date)]) -> HashSet<Date> {
    let mut days: HashMap<u64, HashSet<Date>> = HashMap::default();
    for (signature, day) in in_content {
        days.entry(*signature).or_default().insert(*day);
    }
    let (of_entries, others): (Vec<_>, Vec<_>) = days.into_values().partition(|days| days.len() >= MIN_ENTRY_DAYS);
    let mut of_entries: HashSet<Date> = of_entries.into_iter().flatten().collect();
    others.iter().flatten().for_each(|day| _ = of_entries.remove(day));
    of_entries
}

/// Whether a date was seen only in comments: it is never the page's.
fn is_of_comments(page: &Layout<'_>, c: &Candidate) -> bool {
    !page.is_thread()
        && !c.evidence.is_empty()
        && c.evidence.iter().all(|e| shown_block(e).is_some_and(|block| page.is_in_comments(block)))
}

/// Whether a date occurs only in elements of the page, not in a statement about the page.
fn is_in_page(c: &Candidate) -> bool {
    c.evidence.iter().all(|e| matches!(e.source, Source::Text | Source::Time | Source::Microdata))
}

/// Returns the block of a date that was seen in the text.
fn shown_block(e: &Evidence) -> Option<u32> {
    if matches!(e.source, Source::Text | Source::Time) { e.block } else { None }
}

fn is_aside(page: &Layout<'_>, block: u32) -> bool {
    is_in_region(page, block, region::ASIDE | region::FOOTER | region::NAV)
}

fn is_in_region(page: &Layout<'_>, block: u32, regions: u16) -> bool {
    let e = page.blocks.blocks.get(block as usize).map_or(0, |b| b.element as usize);
    page.regions[e] & regions != 0
}

impl Builder<'_, '_> {
    fn add(&mut self, stamp: Stamp, source: Source, name: &str, node: Option<NodeId>) -> Option<&mut Features> {
        if self.page.now.is_some_and(|now| stamp.date > now.date.tomorrow().unwrap_or(now.date))
            || stamp.date.year() < 1990
        {
            return None;
        }
        let evidence = self.page.evidence(source, name, node);
        let key = stamp.date.to_string();
        // On the day of the page, a comment has its own time, and so has a change.
        let trust = match evidence.block {
            Some(b) if !self.page.is_thread() && self.page.is_in_comments(b) => 0,
            _ => 1 + stamp.time.is_some() as u8 * 4 + stamp.offset.is_some() as u8 * 2 + !names_change(name) as u8,
        };
        let g = self.pool.add(key, stamp, &stamp.to_string(), trust, evidence)?;
        if g.trust == trust && g.value != stamp && g.text == stamp.to_string() {
            g.value = stamp;
        }
        g.features.set(&["s:", name], 1.0);
        Some(&mut g.features)
    }

    fn see(&mut self, day: Date, node: NodeId) {
        let signature = signature(self.page, node);
        self.seen.push((signature, day.to_string()));
        let (first, last) = self.page.content;
        if self.page.block_of(node).is_some_and(|b| (first..=last).contains(&b)) {
            self.in_content.push((signature, day));
        }
    }

    fn note_change(&mut self, rank: u8, stamp: Stamp, name: &str, source: Source, node: Option<NodeId>) {
        if self.page.now.is_some_and(|now| stamp.date > now.date) {
            return;
        }
        let evidence = self.page.evidence(source, name, node);
        // The changes of other texts, in a side column, and the days of reviews are not the page's.
        if shown_block(&evidence)
            .is_some_and(|b| self.page.is_in_comments(b) || is_in_region(self.page, b, region::ASIDE))
        {
            return;
        }
        self.modified.push((rank, stamp, evidence));
    }

    fn structured(&mut self) {
        let page = self.page;
        let graph = page.graph();
        for thing in graph.things.iter().take(3000) {
            for (property, value) in graph.members(thing.id) {
                let lower = property.to_ascii_lowercase();
                if !(lower.contains("date") || lower.contains("time"))
                    || matches!(lower.as_str(), "totaltime" | "preptime" | "cooktime")
                {
                    continue;
                }
                let Some(stamp) = graph.string(*value).and_then(Stamp::parse) else { continue };
                self.machine.push(stamp.date);
                let work = Graph::is_work(&thing.kind) || thing.kind.ends_with("Page");
                if lower.contains("modif") && work {
                    self.note_change(3, stamp, &format!("ld.{property}"), Source::JsonLd, None);
                }
                let name = format!("ld.{property}");
                if let Some(f) = self.add(stamp, Source::JsonLd, &name, None) {
                    f.set(&["ld:", if Graph::is_work(&thing.kind) { "work" } else { "other" }, ".", property], 1.0);
                    f.set(&["ld:", &thing.kind, ".", property], 1.0);
                    f.set(&["ld.under:", &thing.under, ".", property], 1.0);
                    f.bucket("ld.depth", thing.depth as usize);
                }
            }
        }
    }

    fn metas(&mut self) {
        let page = self.page;
        for m in page.metas.iter().take(500) {
            if m.content.len() > 80 || !m.content.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let dated = [
                "date", "time", "publish", "pub", "creat", "modif", "updat", "issued", "dc", "revis", "last", "data",
                "fecha", "datum",
            ]
            .iter()
            .any(|w| m.key.contains(w));
            if !dated || m.key.contains("expire") || m.key.contains("viewport") || m.key.contains("google") {
                continue;
            }
            let value = plain(&m.content);
            let Some(stamp) = Stamp::parse(&value) else { continue };
            self.machine.push(stamp.date);
            // 11/1/2023 in a `<meta>`: the other reading is a candidate too.
            let other = dates::find(&value, &page.hint()).first().and_then(|h| Some((h.swapped?, h.stamp.date)));
            for date in other.into_iter().flat_map(|o| [o.0, o.1]).filter(|d| *d != stamp.date) {
                self.machine.push(date);
                if let Some(f) = self.add(Stamp { date, ..stamp }, Source::Meta, "meta.swapped", Some(m.node)) {
                    tokens(&m.key, |t| f.set(&["m:", t], 1.0));
                }
            }
            if m.key.contains("modif") || m.key.contains("updat") || m.key.contains("revis") {
                let rank = if m.key.contains("article:") { 3 } else { 2 };
                self.note_change(rank, stamp, &m.key, Source::Meta, Some(m.node));
            }
            let is_open_graph = m.key.starts_with("og:") || m.key.starts_with("article:");
            let source = if is_open_graph { Source::OpenGraph } else { Source::Meta };
            let name = format!("meta.{}", m.key);
            if let Some(f) = self.add(stamp, source, &name, Some(m.node)) {
                tokens(&m.key, |t| f.set(&["m:", t], 1.0));
            }
        }
    }

    fn props(&mut self) {
        let (page, around) = (self.page, self.around);
        for p in page.props.iter().take(1500) {
            let lower = p.name.to_ascii_lowercase();
            if !(lower.contains("date") || lower.contains("time") || lower.contains("publish")) {
                continue;
            }
            let value = page.prop_value(p.node);
            let Some(stamp) = Stamp::parse(&value) else { continue };
            self.see(stamp.date, p.node);
            self.machine.push(stamp.date);
            if lower.contains("modif") {
                self.note_change(2, stamp, &format!("itemprop.{}", p.name), Source::Microdata, Some(p.node));
            }
            let name = format!("itemprop.{}", p.name);
            if let Some(f) = self.add(stamp, Source::Microdata, &name, Some(p.node)) {
                f.set(&["ip:", &p.kind, ".", &p.name], 1.0);
                place(page, around, p.node, f);
            }
        }
    }

    fn address(&mut self) {
        let page = self.page;
        let statements =
            [("url", page.view.url), ("canonical", page.link("canonical")), ("og:url", page.metas("og:url").next())];
        for (name, url) in statements {
            if let Some((date, true)) = url.and_then(dates::in_address) {
                self.machine.push(date);
                self.add(Stamp::day(date), Source::Url, name, None);
            }
        }
    }

    /// Adds `"datePublished":"2024-05-17"` and similar pairs in any script.
    fn scripts(&mut self) {
        let page = self.page;
        let mut budget = 60;
        for &script in &page.scripts {
            for n in page.dom.children(script) {
                let text = page.dom.text(n);
                for (key, value) in script_dates(text) {
                    let Some(stamp) = Stamp::parse(value) else { continue };
                    if budget == 0 {
                        return;
                    }
                    budget -= 1;
                    if let Some(f) = self.add(stamp, Source::Script, "script", Some(script)) {
                        tokens(key, |t| f.set(&["j:", t], 1.0));
                        f.set(&["j=", key], 1.0);
                        f.bucket("j.nth", 60 - budget - 1);
                    }
                }
            }
        }
    }

    /// Adds `<time>` elements, and dates in attributes of visible elements.
    fn elements(&mut self) {
        let (page, around) = (self.page, self.around);
        let dom = page.dom;
        let (mut times, mut budget) = (0, 300);
        for element in page.dated.iter().filter_map(|&n| Some(&page.blocks.elements[page.element(n)?])) {
            for (id, attr, value) in dom.attributes_named(element.node) {
                if budget == 0 || !may_hold_date(id, value) {
                    continue;
                }
                let is_time = element.tag == Tag::TIME && attr == "datetime";
                let dated = attr == "datetime"
                    || attr == "title"
                    || attr == "content"
                    || attr == "pubdate"
                    || attr.contains("timestamp")
                    || (attr.starts_with("data-") && names_date(attr));
                if !dated {
                    continue;
                }
                if matches!(attr, "content" | "title") && is_long_number(value) && !is_called_date(dom, element.node) {
                    continue;
                }
                budget -= 1;
                let Some(stamp) = Stamp::parse(&plain(value)) else { continue };
                let name = if is_time { "time".to_owned() } else { format!("@{attr}") };
                times += is_time as usize;
                self.see(stamp.date, element.node);
                let Some(f) = self.add(stamp, Source::Time, &name, Some(element.node)) else { continue };
                if is_time {
                    f.bucket("time.nth", times);
                    f.flag("time.pubdate", dom.attr(element.node, "pubdate").is_some());
                }
                place(page, around, element.node, f);
                markup(page, element.node, false, f);
                let label = label_before(page, element.node);
                describe(&label, f);
                if labels::announces_change(&label) {
                    self.note_change(1, stamp, &name, Source::Time, Some(element.node));
                }
            }
        }
    }

    /// Adds the times of elements that a style sheet hides, which machines still read: themes hide the date of a post, not what it says.
    fn hidden_times(&mut self) {
        const MAX_HIDDEN: usize = 20;
        let page = self.page;
        let hidden = page.dated.iter().filter(|&&n| page.dom.tag(n) == Tag::TIME && page.element(n).is_none());
        for &n in hidden.take(MAX_HIDDEN) {
            let Some(stamp) = page.dom.attr(n, "datetime").and_then(|value| Stamp::parse(&plain(value))) else {
                continue;
            };
            if let Some(f) = self.add(stamp, Source::Time, "time", Some(n)) {
                markup(page, n, false, f);
            }
        }
    }

    fn text(&mut self) {
        let page = self.page;
        let hits = page.hits().iter().flat_map(|(b, hits)| hits.iter().map(|h| (*b as usize, h.clone())));
        for (block, hit) in hits.take(300) {
            if is_title_of_day(page, block, &hit) {
                continue;
            }
            self.text_hit(block, cap(page.blocks.text(block), 20_000), hit);
        }
    }

    fn text_hit(&mut self, i: usize, text: &str, mut hit: Hit) {
        let (page, around) = (self.page, self.around);
        // Day and month are swapped only if machine-readable dates agree with the result.
        if let Some(other) = hit.swapped
            && self.machine.contains(&other)
            && !self.machine.contains(&hit.stamp.date)
        {
            hit.stamp.date = other;
        }
        let b = &page.blocks.blocks[i];
        let node = page.blocks.leaves.get(b.leaves.start as usize).copied();
        let node = node.and_then(|n| page.dom.parent(n)).unwrap_or(page.blocks.elements[b.element as usize].node);
        let nth = self.nth;
        self.nth += 1;
        let mut label = label_at_end(text.get(..hit.range.start).unwrap_or(""));
        // The label may be in the block before.
        if label.trim().is_empty() && i > 0 && page.blocks.blocks[i - 1].chars < 30 {
            label = page.blocks.text(i - 1);
        }
        let label = label.to_lowercase();
        if labels::announces_change(&label) && b.chars < 200 {
            self.note_change(1, hit.stamp, "text", Source::Text, Some(node));
        }
        let stamp = hit.stamp;
        self.see(stamp.date, node);
        let Some(f) = self.add(stamp, Source::Text, "text", Some(node)) else { return };
        let style = match hit.style {
            Style::YearFirst => "year-first",
            Style::Named => "named",
            Style::YearLast => "year-last",
            Style::Compact => "compact",
            Style::Relative => "relative",
        };
        f.set(&["style:", style], 1.0);
        f.bucket("text.nth", nth);
        f.bucket("block.words", b.words as usize);
        f.flag("block.link", b.link_chars * 2 > b.chars);
        f.flag("text.time", stamp.time.is_some());
        let alone = b.chars as usize <= text[hit.range.clone()].chars().count() + 4;
        f.flag("text.alone", alone);
        f.flag("text.starts", hit.range.start == 0);
        describe(&label, f);
        place_block(page, i as u32, b.element as usize, f);
        around.describe(page, i as u32, node, f);
        beside(text, &hit, f);
        markup(page, node, false, f);
    }

    /// Adds the following day for midnights in Central Europe that are written as times in Greenwich.
    fn midnights(&mut self) {
        let late: Vec<(Stamp, usize)> = self.pool.groups.iter().enumerate().map(|(i, g)| (g.value, i)).collect();
        for (stamp, i) in late {
            let Some(t) = stamp.time.filter(|t| t.minute() == 0 && t.second() == 0) else { continue };
            let european = matches!(t.hour(), 22 | 23) && stamp.offset == Some(0);
            if !european {
                continue;
            }
            let Some(date) = stamp.date.tomorrow().ok() else { continue };
            let features = self.pool.groups[i].features.clone();
            if let Some(f) = self.add(Stamp::day(date), Source::Derived, "midnight", None) {
                f.inherit(&features);
            }
        }
    }

    fn common_features(&mut self) {
        let page = self.page;
        let url = page.view.url.and_then(dates::in_address);
        let days: Vec<Date> = self.pool.groups.iter().map(|g| g.value.date).collect();
        let machine: Vec<Date> = self.pool.groups.iter().filter(|g| is_declared(g)).map(|g| g.value.date).collect();
        let (first, last) = (machine.iter().min().copied(), machine.iter().max().copied());
        let shown: Vec<Date> = self
            .pool
            .groups
            .iter()
            .filter(|g| g.evidence.iter().any(|e| matches!(e.source, Source::Text | Source::Time)))
            .map(|g| g.value.date)
            .collect();
        let claims: Vec<Claim> = self.pool.groups.iter().map(|g| claim(&g.evidence)).collect();
        let published = claims.iter().filter(|c| c.published).count();
        let latest = days.iter().max().copied();
        let image = page.metas("og:image").next().and_then(dates::in_address).map(|d| (d.0.year(), d.0.month()));
        let kind = page.declared_kind();
        let root = page.is_root();
        let total = self.pool.groups.len();
        let alike = alike(&self.seen);
        let of_page = page.page_features();
        for (g, claim) in self.pool.groups.iter_mut().zip(claims) {
            let families = Dates::families(g);
            let d = g.value.date;
            let is_machine = is_declared(g);
            let f = &mut g.features;
            f.set(&["prior"], 1.0);
            f.inherit(&of_page);
            f.inherit(self.around.of_page());
            // Apparent comments under an article may be a list of other articles; in a thread, the first post's date is the page's.
            if page.is_thread() {
                page.record_features(g.evidence.iter().filter_map(|e| e.block), f);
            }
            if let Some(n) = alike.get(&d.to_string()) {
                f.bucket("alike", *n);
                let number = if *n == 0 { "0" } else { ["few", "many"][usize::from(*n >= 4)] };
                f.set(&[if is_machine { "alike.machine:" } else { "alike.seen:" }, number], 1.0);
            }
            f.bucket("families", families);
            f.bucket("mentions", g.evidence.len());
            f.bucket("candidates", total);
            f.set(&["page:", kind], 1.0);
            f.flag("only.changed", claim.changed && !claim.published);
            f.flag("changed.beside.published", claim.changed && !claim.published && published > 0);
            f.flag("unnamed.beside.published", !claim.changed && !claim.published && published > 0);
            f.flag("published.alone", claim.published && published == 1);
            f.flag("root", root);
            f.flag("machine.first", is_machine && Some(d) == first);
            f.flag("machine.last", is_machine && Some(d) == last && first != last);
            f.flag("machine.only", is_machine && first == last);
            f.flag("not.machine", !is_machine && first.is_some());
            f.flag("before.machine", first.is_some_and(|m| d < m));
            f.flag("after.machine", last.is_some_and(|m| d > m));
            f.flag("latest", Some(d) == latest);
            f.flag("latest.shown", shown.iter().max() == Some(&d));
            f.flag("earliest.shown", shown.iter().min() == Some(&d));
            f.flag("nothing.else", total == 1);
            f.flag("year.shared", days.iter().filter(|day| day.year() == d.year()).nth(1).is_some());
            f.flag("new.year", d.month() == 1 && d.day() == 1);
            let utc = g.value.offset == Some(0);
            f.flag("utc.night", utc && g.value.time.is_some_and(|t| t.hour() < 6));
            f.flag("utc.evening", utc && g.value.time.is_some_and(|t| t.hour() >= 20));
            f.flag("has.time", g.value.time.is_some());
            f.flag("has.zone", g.value.offset.is_some());
            f.flag("shown", shown.contains(&d));
            f.flag("machine.not.shown", is_machine && !shown.is_empty() && !shown.contains(&d));
            f.flag(
                "heading.date",
                g.evidence
                    .iter()
                    .any(|e| e.source == Source::Text && page.heading.is_some() && e.block == page.heading),
            );
            f.flag("day.beside", days.iter().find(|o| o.since(d).is_ok_and(|s| s.get_days().abs() == 1)).is_some());
            match url {
                Some((u, true)) => {
                    let beside = u.since(d).is_ok_and(|s| s.get_days().abs() == 1);
                    let other = if beside { "url.beside" } else { "url.other" };
                    f.flag(if u == d { "url.same" } else { other }, true);
                }
                Some((u, false)) => f.flag(
                    if (u.year(), u.month()) == (d.year(), d.month()) { "url.month" } else { "url.other.month" },
                    true,
                ),
                None => {}
            }
            if let Some(m) = image {
                f.flag(if m == (d.year(), d.month()) { "image.month" } else { "image.other.month" }, true);
            }
        }
    }
}

fn is_declared(g: &PoolGroup<Stamp>) -> bool {
    g.evidence.iter().any(|e| e.source.is_declared())
}

/// The meaning that machine-readable statements give a date: published or modified.
struct Claim {
    published: bool,
    changed: bool,
}

/// Whether the name of a statement says that it is about a change.
fn names_change(name: &str) -> bool {
    ["modif", "updat", "revis"].iter().any(|word| contains_ignoring_case(name, word))
}

fn contains_ignoring_case(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

fn claim(evidence: &[Evidence]) -> Claim {
    let mut claim = Claim { published: false, changed: false };
    for key in evidence.iter().filter(|e| e.source.is_declared()).map(|e| e.key.to_ascii_lowercase()) {
        let changed = names_change(&key);
        claim.changed |= changed;
        claim.published |= !changed && ["publ", "issued", "creat"].iter().any(|w| key.contains(w));
    }
    claim
}

/// Whether only statements for machines name a date, and each as the one of a change.
fn is_unseen_change(c: &Candidate) -> bool {
    !c.evidence.is_empty() && c.evidence.iter().all(|e| e.source.is_declared() && names_change(&e.key))
}

/// Returns the keys that refer to time in a script, each with its value.
fn script_dates(text: &str) -> impl Iterator<Item = (&str, &str)> {
    static COLON: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\":"));
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // A key ends with `":`; its quotation marks may be escaped.
            let i = at + COLON.find(&bytes[at..])?;
            at = i + 2;
            // Few values begin with a digit, so the value is examined first.
            let from = bytes[at..].iter().take(8).position(|b| !matches!(b, b' ' | b'\\' | b'"' | b'\''));
            let Some(from) = from.map(|f| at + f).filter(|f| bytes[*f].is_ascii_digit()) else { continue };
            let tail = cap(&text[from..], 48);
            let value = tail.split(['"', '\\', ',', '}', '\'']).next().unwrap_or("");
            let key = key_before(&text[..i]);
            if value.len() >= 8 && refers_to_time(key) {
                return Some((key, value));
            }
        }
    })
}

/// Returns the key at the end of a text, from at most 40 bytes.
fn key_before(text: &str) -> &str {
    let head = text.trim_end_matches('\\');
    let from = head.len().saturating_sub(40);
    let from = (from..head.len()).find(|&f| head.is_char_boundary(f)).unwrap_or(head.len());
    head[from..].rsplit('"').next().unwrap_or("")
}

fn refers_to_time(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    ["date", "publish", "time", "creat"].iter().any(|w| lower.contains(w))
        || lower.ends_with("_at")
        || key.ends_with("At")
}

/// Returns whether a date is only printed, and each time as the value of a label that announces neither a publication nor a change: "Free
/// from: 1 November 2026" is a fact of a flat.
fn labels_other(page: &Layout<'_>, c: &Candidate) -> bool {
    !c.evidence.is_empty() && c.evidence.iter().all(|e| is_of_other(page, e))
}

/// Whether a label says that a date is the one of the publication or of a change.
fn is_labelled(page: &Layout<'_>, c: &Candidate) -> bool {
    c.evidence.iter().any(|e| label(page, e).is_some_and(|label| labels::may_date_page(&label)))
}

fn is_of_other(page: &Layout<'_>, e: &Evidence) -> bool {
    label(page, e).is_some_and(|label| !labels::may_date_page(&label))
}

/// Returns the label of a date that was seen in the text.
fn label(page: &Layout<'_>, e: &Evidence) -> Option<String> {
    label_of_value(page, shown_block(e)? as usize)
}

/// Returns the label of a block that begins with a date, in lower case: the text up to a colon or to a preposition such as "from", the first of
/// two cells, or the line before if it ends with such a preposition. `None` without a label, or if the block has several dates.
fn label_of_value(page: &Layout<'_>, block: usize) -> Option<String> {
    const MAX_LABEL_CHARS: usize = 40;
    let elements = &page.blocks.elements;
    let text = page.blocks.blocks.get(block).map(|_| page.blocks.text(block))?;
    let start = match page.hits_of(block as u32) {
        [] => 0,
        [hit] => hit.range.start,
        _ => return None,
    };
    let mut label = text.get(..start)?.trim();
    let mut is_label = ends_as_label(label);
    if label.is_empty() {
        // The title of a page is never the label of the date below it: "The end of summer".
        let before = block.checked_sub(1).filter(|&before| page.heading != Some(before as u32))?;
        label = page.blocks.text(before).trim();
        is_label = is_in(page, block, Tag::DD) && is_in(page, before, Tag::DT)
            || page.blocks.ancestors(block).take(MAX_LEVELS).any(|e| {
                elements[e].blocks == (before as u32..block as u32 + 1)
                    && (elements[e].tag == Tag::TR || ends_as_label(label))
            })
            || bounds(label) && are_neighbours(page, before, block);
    }
    let is_short = label.chars().count() <= MAX_LABEL_CHARS && label.contains(char::is_alphabetic);
    (is_label && is_short).then(|| label.to_lowercase())
}

fn ends_as_label(label: &str) -> bool {
    label.ends_with([':', '\u{ff1a}']) || bounds(label)
}

/// Whether a label says that a date is the first or last day of something.
fn bounds(label: &str) -> bool {
    labels::bounds_time(label) || labels::announces_deadline(label)
}

/// Whether two lines are next to each other in one element, such as the cells of a grid.
fn are_neighbours(page: &Layout<'_>, first: usize, second: usize) -> bool {
    let element = |block: usize| page.blocks.blocks[block].container as usize;
    let (first, second) = (element(first), element(second));
    first != second && page.blocks.elements[first].parent == page.blocks.elements[second].parent
}

const MAX_LEVELS: usize = 4;

fn is_in(page: &Layout<'_>, block: usize, tag: Tag) -> bool {
    let mut around = page.blocks.ancestors(block).take(MAX_LEVELS);
    around.any(|e| page.blocks.elements[e].tag == tag)
}

/// Returns the text before an element within its parent, in lower case.
fn label_before(page: &Layout<'_>, node: NodeId) -> String {
    let Some(block) = page.element(node).map(|e| page.blocks.elements[e].blocks.start as usize) else {
        return String::new();
    };
    if block >= page.blocks.len() {
        return String::new();
    }
    let own = crate::metadata::text::node_text(page.dom, node, 60);
    let text = page.blocks.text(block);
    let head = cap(text, 400);
    let before = match head.find(own.as_str()) {
        Some(0) | None if block > 0 && page.blocks.blocks[block - 1].chars < 30 => page.blocks.text(block - 1),
        Some(i) => &head[..i],
        None => "",
    };
    label_at_end(before).to_lowercase()
}

/// Returns the end of a text, where the label of a date is: behind the date before it, if there is one.
fn label_at_end(text: &str) -> &str {
    const MAX_LABEL_CHARS: usize = 40;
    let end = text.char_indices().nth_back(MAX_LABEL_CHARS - 1).map_or(text, |(i, _)| &text[i..]);
    let label = end.rsplit(|c: char| c.is_ascii_digit()).next().unwrap_or(end);
    if label.contains(char::is_alphabetic) { label } else { end }
}

/// Adds features from the words before a date.
fn describe(label: &str, f: &mut Features) {
    let modified = labels::announces_change(label);
    f.flag("label.modified", modified);
    f.flag("label.published", !modified && labels::announces_publication(label));
    let words: Vec<&str> = label.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    for w in words.iter().rev().take(2) {
        f.set(&["w:", w], 1.0);
    }
    f.flag("label.copyright", label.contains('©') || label.contains("copyright"));
}

fn place(page: &Layout<'_>, around: &Surroundings, node: NodeId, f: &mut Features) {
    if let Some((at, e)) = page.place_of(node).filter(|place| place.1 > 0) {
        place_block(page, at, e, f);
        around.describe(page, at, node, f);
    }
}

/// Returns whether a value may be seconds since 1970; article numbers such as `itemprop=gtin13` also pass.
fn is_long_number(value: &str) -> bool {
    value.trim().len() > 8 && value.trim().bytes().all(|b| b.is_ascii_digit())
}

/// Returns whether an element's own name refers to a date.
fn is_called_date(dom: &Dom, node: NodeId) -> bool {
    let names = ["itemprop", "property", "name"].into_iter().filter_map(|attr| dom.attr(node, attr));
    names.map(str::to_ascii_lowercase).any(|name| names_date(&name))
}

/// Returns whether a lower-case name refers to a date.
fn names_date(name: &str) -> bool {
    ["date", "time", "publish"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::layout_of;

    #[test]
    fn dates_in_scripts_are_found() {
        let text = r#"x={"a":1,"datePublished":"2024-05-17T10:00","n":{\"created_at\":\"2024-05-16 09:00\"},"date":null,"updatedAt": 1715938205000}"#;
        let found: Vec<_> = script_dates(text).collect();
        assert_eq!(
            found,
            [("datePublished", "2024-05-17T10:00"), ("created_at", "2024-05-16 09:00"), ("updatedAt", "1715938205000")]
        );
    }

    #[test]
    fn day_and_month_are_swapped_to_agree_with_metadata() {
        let html = "<meta property=article:published_time content=2024-05-06><p>05/06/2024</p>";
        layout_of(html, |page| {
            let found = candidates(page).published;
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0.to_string(), "2024-05-06");
        });
    }

    #[test]
    fn article_numbers_are_not_dates() {
        let dates = |attrs: &str| {
            let html = format!("<div itemscope><meta {attrs}><p>A pot, and a lid.</p></div>");
            let mut days = Vec::new();
            layout_of(&html, |page| days.extend(candidates(page).published.iter().map(|p| p.0.date.to_string())));
            days
        };
        assert!(dates("itemprop=gtin13 content=2000000043333").is_empty());
        assert!(dates("itemprop=sku content=1606927854").is_empty());
        assert_eq!(dates("itemprop=datePublished content=1606927854"), ["2020-12-02"]);
        assert_eq!(dates("itemprop=sku content=2020-12-02"), ["2020-12-02"]);
    }

    #[test]
    fn a_date_labelled_as_a_fact_of_something_else_is_not_the_page_s() {
        let days = |lines: &str| {
            let mut days = Vec::new();
            let html =
                format!("<title>A flat</title><h1>A flat</h1>{lines}<p>The stairs are steep, and the yard is small.");
            layout_of(&html, |page| days.extend(candidates(page).published.iter().map(|p| p.0.date.to_string())));
            days
        };
        for of_flat in [
            "<dl><dt>Free from</dt><dd>1 November 2026</dd></dl>",
            "<table><tr><td>Bezugsfrei ab</td><td>01.11.2026</td></tr></table>",
            "<ul><li>Floor: 2</li><li><b>Disponible desde:</b> 1 de noviembre de 2026</li></ul>",
            "<p>Available from 1 November 2026</p>",
            "<div><span>Ansøgningsfrist</span><span>1. november 2026</span></div>",
            "<p>Application deadline 1 November 2026</p>",
            "<div><div>Floor</div><div>2</div><div>Free from</div><div>1 November 2026</div><div>Pets</div><div>No</div></div>",
            "<div><p>Etasje 2</p><p>Ledig fra</p><p>1. november 2026</p></div>",
            "<ul><li>Поверх: 2</li><li>Вільна з 1 листопада 2026</li></ul>",
            "<ul><li><b>12 of 40</b> shares<li><b>Campaign ends</b> <span>1 November 2026</span></ul>",
            "<div><p>Konec sbírky</p><p>1. listopadu 2026</p></div>",
            "<div><div>Closing date:</div><div><time datetime=2026-11-01>1 November</time></div></div>",
        ] {
            assert!(days(of_flat).is_empty(), "{of_flat}");
            assert_eq!(days(&format!("{of_flat}<p>Published 2 September 2026</p>")), ["2026-09-02"], "{of_flat}");
        }
        for of_page in [
            "<dl><dt>Date</dt><dd>1 November 2026</dd></dl>",
            "<table><tr><td>Veröffentlicht</td><td>01.11.2026</td></tr></table>",
            "<div><div>Orla Finch</div><div>1 November 2026</div></div>",
            "<p>DUNMOOR, 1 November 2026</p>",
            "<p>Opslået: 1. november 2026</p>",
        ] {
            assert_eq!(days(of_page), ["2026-11-01"], "{of_page}");
        }
    }

    #[test]
    fn the_title_is_not_the_label_of_the_date_below_it() {
        layout_of("<div><h1>Ende einer Ernte</h1><p>1. November 2026</p></div><p>The yard is small.</p>", |page| {
            let mut page = page.clone();
            let days = |page: &Layout<'_>| candidates(page).published.len();
            assert_eq!(days(&page), 0);
            page.heading = Some(0);
            assert_eq!(days(&page), 1);
        });
    }

    #[test]
    fn the_dates_below_a_heading_for_comments_are_not_the_page_s() {
        let text = "The stairs are steep, and the yard is small, but nobody has ever wanted to leave this house.";
        let dates = |lang: &str, heading: &str| {
            let notes: String = ["3. 5. 2024", "4. 5. 2024"]
                .map(|day| format!("<div class=q><b>Orla</b> <i>{day}</i><p>We had one like it, and sold it.</div>"))
                .concat();
            let html = format!(
                "<html lang={lang}><h1>A house</h1><p>{text}<p>{text}<div class=p>{heading}<div class=r>{notes}</div></div>"
            );
            let mut dates = 0;
            layout_of(&html, |page| dates = candidates(page).published.len());
            dates
        };
        for heading in ["Comments", "2 Kommentare", "Diskuse (2)", "دیدگاه‌ها", "Hozzászólások", "মন্তব্য"]
        {
            assert_eq!(dates("en", &format!("<h3>{heading}</h3>")), 0, "{heading}");
        }
        assert_eq!(dates("en", ""), 2);
        // The French word asks how.
        assert_eq!(dates("fr", "<h3>Comment faire</h3>"), 2);
        assert_eq!(dates("fr", "<h3>Commentaires</h3>"), 0);
    }

    #[test]
    fn the_change_of_another_text_is_not_the_page_s() {
        let modified = |element: &str| {
            let html = format!(
                "<article><h1>Herons</h1><p>3 May 2024</p><p>We left early, and the road was empty until the hills.</p></article>
                 <{element}><p>Updated: 12 May 2024</p></{element}>"
            );
            let mut found = false;
            layout_of(&html, |page| found = candidates(page).modified.is_some());
            found
        };
        assert!(modified("div") && modified("footer") && !modified("aside"));
    }

    #[test]
    fn the_time_of_the_publication_precedes_the_one_of_a_change_on_the_same_day() {
        let html = "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"dateModified\":\"2025-11-06T20:15:00+01:00\",\
                    \"datePublished\":\"2025-11-06T04:05:23+01:00\"}</script><h1>Herons</h1><p>We left early.</p>";
        layout_of(html, |page| {
            assert_eq!(candidates(page).published[0].1.value, "2025-11-06T04:05:23+01:00");
        });
    }

    #[test]
    fn the_time_that_a_style_hides_is_still_the_page_s() {
        let found = |time: &str| {
            let html = format!(
                "<head><style>.posted-on {{display: none}}</style></head><h1>The mill</h1><div class=entry-meta>{time}</div>
                <p>{}</p>",
                "The mill has been closed since the flood. ".repeat(9)
            );
            let mut found = Vec::new();
            layout_of(&html, |page| found = candidates(page).published.iter().map(|p| p.0.to_string()).collect());
            found
        };
        let time = "<time class='entry-date published' datetime=2024-05-06T10:00:00Z>6 May 2024</time>";
        assert_eq!(found(&format!("<span class=posted-on>{time}</span>")), ["2024-05-06T10:00:00Z"]);
        assert!(found("<span class=posted-on>6 May 2024</span>").is_empty());
    }

    #[test]
    fn a_change_that_only_machines_read_is_not_the_publication() {
        let days = |published: &str| {
            let html = format!(
                "{published}<meta property=article:modified_time content=2025-04-19><h1>The mill</h1><p>It turns.</p>"
            );
            let mut days = Vec::new();
            layout_of(&html, |page| days = candidates(page).published.iter().map(|p| p.0.to_string()).collect());
            days
        };
        assert_eq!(days("<meta property=article:published_time content=2024-02-01>"), ["2024-02-01"]);
        assert_eq!(days(""), ["2025-04-19"]);
    }

    #[test]
    fn a_labelled_date_among_other_facts_is_not_the_one_of_an_entry() {
        let fact = |label: &str, day: u32| format!("<li><strong>{label}</strong> <span>{day}. září 2026</span></li>");
        let html = format!(
            "<h1>Byt nad řekou</h1><p>{}</p><ul>{}{}{}</ul>",
            "Podkrovní byt s terasou čeká na nové obyvatele. ".repeat(4),
            fact("K nastěhování od:", 1),
            fact("Inzerát zveřejněn:", 2),
            fact("Prohlídky možné od:", 12)
        );
        layout_of(&html, |page| {
            let days = candidates(page).published.iter().map(|p| p.0.date.day()).collect::<Vec<_>>();
            assert_eq!(days, [2]);
        });
    }

    #[test]
    fn the_last_change_is_never_before_the_publication() {
        let html = "<meta property=article:published_time content=2024-05-06><meta property=article:modified_time content=2024-05-01>";
        layout_of(html, |page| {
            let mut found = candidates(page);
            found.published.retain(|p| p.0.date.day() == 6);
            assert!(found.modified.is_none_or(|m| m.0.date.day() == 6));
        });
    }
}
