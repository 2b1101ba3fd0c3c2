//! The event of a page that is about one: by the classes of microformats, or a date with a time beside the main heading and a place.
use super::labels::Label;
use super::{Page, thing};
use crate::things::clean;
use crate::things::value::{Origin, Thing, Value};
use jiff::civil::Time;
use maintext_facts::metadata::Stamp;
use maintext_facts::metadata::sources::facts::{naming_words, region};
use maintext_facts::metadata::text::dates::{self, labels::announces_publication};
use maintext_facts::metadata::text::{cap, key, node_text};
use maintext_html::Attr;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Number of blocks before and after the main heading that may state the date.
const BLOCKS_BEFORE_HEADING: u32 = 6;
const BLOCKS_AFTER_HEADING: u32 = 14;
/// Maximum number of elements inside a microformat, and of elements of a page, that are looked at.
const MAX_INSIDE: usize = 2_000;
const MAX_ELEMENTS: usize = 100_000;

/// Words of the addresses of events.
const PATHS: &[&str] = lexicon!("event-addresses.txt");
/// Controls that add an event to a calendar.
static CALENDARS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| lexicon!("calendar-buttons.txt").iter().copied().collect());
/// The address of a service for calendars.
static EVENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("event"));
static SERVICE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("google.com/calendar"));

/// Returns the event that the page is about.
pub(super) fn event(page: &Page<'_>) -> Option<Thing> {
    microformat(page).or_else(|| visible(page))
}

/// Completes the declared event of a page: with the zone of its start, which a `<time>` element states, and with an end that a label states.
pub(super) fn complete(page: &Page<'_>, event: &mut Thing) {
    let Some(start) = event.text("start").and_then(Stamp::parse) else { return };
    let origin = Origin { from: "text", probability: 0.9 };
    let dom = page.facts.dom;
    // A declaration without zone that equals a printed time in UTC is in UTC.
    if start.offset.is_none() && start.time.is_some() {
        let times = page.facts.dated.iter().take(200).filter(|n| dom.tag(**n) == Tag::TIME);
        let stamps = times.filter_map(|n| dom.attribute(*n, Attr::DATETIME).and_then(Stamp::parse));
        let zoned = stamps
            .filter(|s| s.offset.is_some_and(|o| o != 0))
            .find(|s| utc(s) == utc(&Stamp { offset: Some(0), ..start }));
        if let Some(zoned) = zoned {
            event.set("start", Value::Text(zoned.to_string()), origin);
            return;
        }
    }
    let end = page.label(Label::End).and_then(|p| first(page, &p.value)).map(|d| d.0);
    if event.get("end").is_none()
        && let Some(end) =
            end.filter(|e| !is_before(e, &start) && e.date < start.date.saturating_add(jiff::Span::new().days(60)))
    {
        event.set("end", Value::Text(end.to_string()), origin);
    }
}

/// Returns the minute of a stamp in UTC; `None` without a time and a zone.
fn utc(stamp: &Stamp) -> Option<jiff::civil::DateTime> {
    let minutes = i64::from(stamp.offset?);
    stamp.date.to_datetime(stamp.time?).checked_sub(jiff::Span::new().minutes(minutes)).ok()
}

/// Reads an `h-event` or `vevent` of microformats, if it is the only one.
fn microformat(page: &Page<'_>) -> Option<Thing> {
    let (facts, dom) = (page.facts, page.facts.dom);
    let has = |n: NodeId, wanted: &[&str]| {
        let class = dom.attribute(n, Attr::CLASS).unwrap_or("");
        class.split_ascii_whitespace().any(|c| wanted.contains(&c))
    };
    let elements = facts.blocks.elements.iter().take(MAX_ELEMENTS).filter(|e| !e.hidden);
    let is_root = |n: NodeId| {
        dom.attribute(n, Attr::CLASS).is_some_and(|c| EVENT.find(c.as_bytes()).is_some())
            && has(n, &["h-event", "vevent"])
    };
    let mut roots = elements.filter(|e| is_root(e.node)).map(|e| e.node);
    let (root, None) = (roots.next()?, roots.next()) else { return None };
    let inside = |wanted: &[&str]| {
        dom.descendants(root).take(MAX_INSIDE).find(|&n| dom.attribute(n, Attr::CLASS).is_some() && has(n, wanted))
    };
    let text = |wanted: &[&str]| inside(wanted).and_then(|n| clean::text(&node_text(dom, n, 500)));
    let date = |wanted: &[&str]| {
        let n = inside(wanted)?;
        let own = ["datetime", "title", "value", "content"].iter().find_map(|a| dom.attr(n, a)).and_then(Stamp::parse);
        own.or_else(|| first(page, &node_text(dom, n, 200)).map(|d| d.0))
    };
    let name = text(&["p-name", "summary"])?;
    let start = date(&["dt-start", "dtstart"])?;
    let end = date(&["dt-end", "dtend"]).filter(|end| !is_before(end, &start));
    let place = text(&["p-location", "location"]);
    build(page, name, (start, end), place, 0.9)
}

/// Reads the date and the place beside the main heading.
fn visible(page: &Page<'_>) -> Option<Thing> {
    let facts = page.facts;
    let name = page.title.clone()?;
    let heading = page.heading?;
    let named = page.path_has(PATHS) || facts.meta(&["og:type"]).is_some_and(|t| t.contains("event"));
    let calendar = has_calendar(page);
    if !named && !calendar {
        return None;
    }
    // Several labelled dates are a list of events.
    let labelled_dates = page.pairs.iter().filter(|p| matches!(p.label, Label::Start | Label::When));
    let mut days: Vec<_> = labelled_dates.filter_map(|p| first(page, &p.value)).map(|d| d.0.date).collect();
    days.sort_unstable();
    days.dedup();
    if days.len() > 2 {
        return None;
    }
    let (dates, at) = labelled(page).or_else(|| beside(page, heading))?;
    let (start, _) = dates;
    let place = place(page, at);
    // Without a control of a calendar, only a time and a place make the date that of an event.
    if !calendar && (start.time.is_none() || place.is_none()) {
        return None;
    }
    build(page, name, dates, place, if calendar { 0.85 } else { 0.75 })
}

fn build(
    page: &Page<'_>,
    name: String,
    dates: (Stamp, Option<Stamp>),
    place: Option<String>,
    probability: f32,
) -> Option<Thing> {
    let mut fields = vec![("name", Value::Text(name)), ("start", Value::Text(dates.0.to_string()))];
    fields.extend(dates.1.map(|d| ("end", Value::Text(d.to_string()))));
    let address = page.label(Label::Address).map(|p| p.value.clone());
    let mut parts: Vec<(&'static str, Value)> = place.map(|p| ("name", Value::Text(p))).into_iter().collect();
    parts.extend(address.map(|a| ("address", Value::object(vec![("street", Value::Text(a))]))));
    if !parts.is_empty() {
        fields.push(("place", Value::object(parts)));
    }
    fields.extend(page.label(Label::Organizer).map(|p| ("organizer", Value::Text(p.value.clone()))));
    fields.extend(page.description().map(|d| ("description", d)));
    Some(thing("Event", probability, fields))
}

/// Returns whether the page offers to add an event to a calendar.
fn has_calendar(page: &Page<'_>) -> bool {
    let (facts, dom) = (page.facts, page.facts.dom);
    let blocks = facts.blocks;
    let from = facts.content.0.min(page.heading.unwrap_or(0)).saturating_sub(BLOCKS_BEFORE_HEADING) as usize;
    let mut range = from..(facts.content.1 as usize + 20).min(blocks.len());
    let says =
        range.any(|b| (6..=40).contains(&blocks.blocks[b].chars) && CALENDARS.contains(&key(blocks.text(b))[..]));
    says || blocks.elements.iter().take(MAX_ELEMENTS).any(|e| {
        e.tag == Tag::A
            && dom.attribute(e.node, Attr::HREF).is_some_and(|h| {
                let path = h.split(['?', '#']).next().unwrap_or(h);
                path.ends_with(".ics")
                    || h.starts_with("webcal:")
                    || SERVICE
                        .find(h.as_bytes())
                        .is_some_and(|at| h[..at].ends_with("calendar.") || h[at..].starts_with("google.com/calendar/"))
            })
    })
}

/// Returns the dates that labels state, and the block of the first.
fn labelled(page: &Page<'_>) -> Option<((Stamp, Option<Stamp>), u32)> {
    let dated = |label| {
        page.pairs.iter().filter(move |p| p.label == label).find_map(|p| Some((first(page, &p.value)?, p.block)))
    };
    let ((start, end), at) = dated(Label::Start).or_else(|| dated(Label::When))?;
    let end = dated(Label::End).map(|e| e.0.0).or(end).filter(|e| !is_before(e, &start));
    Some(((start, end), at))
}

/// Returns the nearest date with a time, or else the nearest date, beside the main heading.
fn beside(page: &Page<'_>, heading: u32) -> Option<((Stamp, Option<Stamp>), u32)> {
    let facts = page.facts;
    let near = heading.saturating_sub(BLOCKS_BEFORE_HEADING)..heading + BLOCKS_AFTER_HEADING;
    let usable = |b: u32| {
        let block = &facts.blocks.blocks[b as usize];
        let regions = facts.regions[block.element as usize];
        !block.hidden && block.chars <= 200 && regions & (region::NAV | region::FOOTER | region::ASIDE) == 0
    };
    let blocks = facts.hits().iter().map(|h| h.0).filter(|b| near.contains(b) && usable(*b));
    let found: Vec<_> = blocks.filter_map(|b| Some((first(page, facts.blocks.text(b as usize))?, b))).collect();
    let timed = found.iter().filter(|f| f.0.0.time.is_some());
    let nearest = |f: &&((Stamp, Option<Stamp>), u32)| f.1.abs_diff(heading);
    timed.min_by_key(nearest).or_else(|| found.iter().min_by_key(nearest)).copied()
}

/// Returns the first date of a text and the end that follows it, unless the text says that it is a date of publication.
fn first(page: &Page<'_>, text: &str) -> Option<(Stamp, Option<Stamp>)> {
    let text = cap(text, 400);
    let hits = dates::find(text, &page.facts.hint());
    let hit = hits.iter().find(|h| h.style != dates::Style::Relative)?;
    let before = &text[..hit.range.start];
    if announces_publication(before.trim().to_lowercase().trim_end_matches([':', ' '])) {
        return None;
    }
    // "12. – 14. May": the day before the dash begins the range.
    if let Some(day) = day_before(before)
        && let Some(date) = dates::day(hit.stamp.date.year().into(), hit.stamp.date.month() as u32, day)
        && date < hit.stamp.date
    {
        return Some((Stamp::day(date), Some(hit.stamp)));
    }
    let rest = &text[hit.range.end..];
    let second = hits.iter().find(|h| h.range.start > hit.range.start && h.style != dates::Style::Relative);
    let between = second.map(|s| text[hit.range.end..s.range.start.max(hit.range.end)].trim());
    let end = match (second, between) {
        (Some(s), Some(between)) if between.chars().count() <= 8 && begins_end(between).is_some() => Some(s.stamp),
        _ => None,
    };
    let mut start = hit.stamp;
    let mut after = rest;
    if start.time.is_none()
        && let Some((time, rest)) = leading_time(skip_words(rest))
    {
        (start.time, after) = (Some(time), rest);
    }
    let end = end.or_else(|| {
        start.time?;
        let after = begins_end(after.trim_start().trim_start_matches("Uhr").trim_start_matches('h').trim_start())?;
        let time = leading_time(after)?.0;
        Some(Stamp { time: Some(time), ..start })
    });
    let end = end.filter(|e| !is_before(e, &start));
    Some((start, end))
}

/// Skips the signs and short words between a date and its time.
fn skip_words(text: &str) -> &str {
    const WORDS: [&str; 14] =
        ["at", "um", "ab", "from", "von", "à", "a las", "alle", "às", "om", "kl.", "kl", "в", "o"];
    let text = text
        .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '|' | '·' | '•' | '/' | '–' | '-' | '@'));
    let word = WORDS.iter().find_map(|w| text.strip_prefix(w).filter(|r| r.starts_with(' ')));
    word.unwrap_or(text).trim_start()
}

/// Reads a time of day with minutes or with a mark of the half of the day at the beginning of a text.
fn leading_time(text: &str) -> Option<(Time, &str)> {
    let text = text.trim_start();
    let digits = |s: &str| s.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let hours = digits(text);
    let mut hour: i8 = text.get(..hours)?.parse().ok()?;
    let mut rest = &text[hours..];
    let mut minute: Option<i8> = None;
    if let Some(after) = rest.strip_prefix([':', '.', 'h'])
        && digits(after) == 2
    {
        minute = after[..2].parse().ok();
        rest = &after[2..];
    }
    let marked = rest.trim_start();
    let lower = cap(marked, 4).to_ascii_lowercase();
    let marks = [("p.m.", 12), ("a.m.", 0), ("pm", 12), ("am", 0)];
    let mark = marks.iter().find(|(m, _)| lower.starts_with(m));
    if let Some((mark, add)) = mark {
        hour = hour % 12 + add;
        rest = &marked[mark.len()..];
    } else if minute.is_none() && !lower.starts_with("uhr") {
        return None;
    }
    let time = Time::new(hour, minute.unwrap_or(0), 0, 0).ok()?;
    Some((time, rest))
}

/// Returns the text after a sign or word that leads to the end.
fn begins_end(text: &str) -> Option<&str> {
    const LEADS: [&str; 16] =
        ["–", "—", "-", "−", "~", "〜", "～", "bis", "to", "until", "till", "à", "al", "a", "до", "do"];
    LEADS.iter().find_map(|l| text.strip_prefix(l)).map(str::trim_start)
}

/// Returns the day of the month before a dash at the end of a text: 12 of "12. – ".
fn day_before(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let text = text.strip_suffix(['–', '—', '-', '−', '/']).or_else(|| text.strip_suffix(" bis"))?;
    let text = text.trim_end().trim_end_matches('.');
    let at =
        text.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let digits = &text[at..];
    (1..=2).contains(&digits.len()).then(|| digits.parse().ok()).flatten()
}

/// Returns whether a date is before another.
fn is_before(a: &Stamp, b: &Stamp) -> bool {
    a.date < b.date || a.date == b.date && matches!((a.time, b.time), (Some(a), Some(b)) if a < b)
}

/// Returns the place: of a label, of an element named for places beside the date.
fn place(page: &Page<'_>, at: u32) -> Option<String> {
    if let Some(pair) = page.label(Label::Place) {
        return clean::text(&pair.value).filter(|p| p.chars().count() <= 200);
    }
    let (facts, blocks) = (page.facts, page.facts.blocks);
    let near = at.saturating_sub(4)..(at + 10).min(blocks.len() as u32);
    let named = |b: &u32| {
        let block = &blocks.blocks[*b as usize];
        if block.hidden || block.chars > 150 || *b == at || page.heading == Some(*b) {
            return false;
        }
        blocks.ancestors(*b as usize).take(3).take_while(|e| blocks.elements[*e].blocks.len() <= 3).any(|e| {
            let mut found = blocks.elements[e].tag == Tag::ADDRESS;
            naming_words(facts.dom, blocks.elements[e].node, false, |w| {
                found |= matches!(
                    w,
                    "location"
                        | "venue"
                        | "place"
                        | "ort"
                        | "lieu"
                        | "lugar"
                        | "luogo"
                        | "sede"
                        | "locatie"
                        | "standort"
                );
            });
            found
        })
    };
    near.clone().find(named).and_then(|b| clean::text(blocks.text(b as usize)))
}

#[cfg(test)]
mod tests {
    use super::{begins_end, day_before, leading_time, skip_words};

    #[test]
    fn times_after_dates() {
        let cases = [
            ("19:30 Uhr", "19:30"),
            ("7 pm", "19:00"),
            ("7.30pm", "19:30"),
            ("20 Uhr", "20:00"),
            ("20h30", "20:30"),
            ("12:15 a.m.", "00:15"),
        ];
        for (text, expected) in cases {
            let time = leading_time(text).unwrap().0;
            assert_eq!(format!("{:02}:{:02}", time.hour(), time.minute()), expected, "{text}");
        }
        for text in ["", "2024", "at noon", "25:00", "7"] {
            assert!(leading_time(text).is_none(), "{text}");
        }
        assert_eq!(skip_words(", um 19 Uhr"), "19 Uhr");
        assert_eq!(begins_end("– 21 Uhr"), Some("21 Uhr"));
        assert_eq!(day_before("vom 12. – "), Some(12));
        assert_eq!(day_before("in 2019 – "), None);
    }
}
