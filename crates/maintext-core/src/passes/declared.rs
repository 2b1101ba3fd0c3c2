//! Keeps the declared place and time of an event, the declared place of a job, and below the heading the declared description and a place that
//! leads to a map.
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::dates::Stamp;
use maintext_facts::metadata::text::key;
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};

/// Maximum number of words of a line with a place or a time, and of its label.
const MAX_WORDS: u32 = 14;
const MAX_LABEL_WORDS: u32 = 3;
/// Minimum number of bytes of the name of a place.
const MIN_BYTES: usize = 4;
/// Maximum number of names and addresses that are looked for.
const MAX_PLACES: usize = 12;
/// Maximum number of lines to keep: many pages print the place above and below the text.
const MAX_LINES: usize = 8;

/// Maximum numbers of blocks below the heading that may be a place with a link, or the description.
const MAX_LINES_TO_PLACE: usize = 3;
const MAX_LINES_TO_DESCRIPTION: usize = 12;
/// Words for a map in hosts, paths and fragments.
const MAPS: [&str; 10] = ["map", "maps", "openstreetmap", "geo", "karte", "carte", "mapa", "mappa", "kart", "harita"];

/// Keeps the first short lines below the event's name that contain a declared place or day, with their labels.
pub(crate) fn apply(facts: &Facts<'_>, kept: &mut [bool]) {
    let graph = facts.graph();
    let mut subjects = graph.things.iter().filter(|thing| thing.kind.ends_with("Event") || thing.kind == "JobPosting");
    // Several events are the entries of a list.
    let (Some(subject), None) = (subjects.next(), subjects.next()) else { return };
    let dates = ["startDate", "endDate"].iter().filter_map(|property| Stamp::parse(graph.text(subject.id, property)?));
    let days: Vec<_> = dates.map(|stamp| stamp.date).collect();
    let places = graph.things.iter().filter(|thing| thing.kind.ends_with("Place") || thing.kind == "PostalAddress");
    let named = ["name", "streetAddress", "addressLocality"];
    let places = places.flat_map(|place| named.iter().filter_map(|property| graph.text(place.id, property)));
    let places: Vec<String> = places.map(key).filter(|place| place.len() >= MIN_BYTES).take(MAX_PLACES).collect();
    let blocks = facts.blocks;
    let from = super::main_heading(blocks).map_or(0, |heading| heading + 1);
    let lines = (from..kept.len()).filter(|&b| {
        is_line(facts, b)
            && (facts.hits_of(b as u32).iter().any(|hit| days.contains(&hit.stamp.date)) || {
                let text = key(blocks.text(b));
                places.iter().any(|place| text.contains(place.as_str()))
            })
    });
    let lines: Vec<usize> = lines.take(MAX_LINES).collect();
    for line in lines {
        kept[line] = true;
        if let Some(above) = line.checked_sub(1) {
            let is_short = blocks.blocks[above].words <= MAX_LABEL_WORDS;
            kept[above] |= is_short && blocks.text(above).ends_with([':', '：']);
        }
    }
}

/// Keeps the first line directly below the main heading that is the declared description, such as a standfirst.
pub(crate) fn keep_description(facts: &Facts<'_>, kept: &mut [bool]) {
    let Some(heading) = super::main_heading(facts.blocks) else { return };
    let described = ["og:description", "description"].into_iter().flat_map(|name| facts.metas(name)).map(key);
    let described: Vec<String> = described.filter(|text| !text.is_empty()).collect();
    if described.is_empty() {
        return;
    }
    for line in (heading + 1..kept.len()).take(MAX_LINES_TO_DESCRIPTION) {
        let block = &facts.blocks.blocks[line];
        if block.links > 0 || block.hidden {
            continue;
        }
        let text = key(facts.blocks.text(line));
        if described.contains(&text) {
            // Some pages describe themselves by their title.
            kept[line] |= !key(&facts.blocks.signs(facts.dom).title).contains(&text);
            return;
        }
    }
}

/// Keeps lines directly below the main heading that are nothing but a link to a map: they name a place.
pub(crate) fn keep_places_on_map(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let Some(heading) = super::main_heading(blocks) else { return };
    for b in (heading + 1..kept.len()).take(MAX_LINES_TO_PLACE) {
        kept[b] |= is_place_on_map(dom, blocks, b) && !is_in_menu(blocks, b);
    }
}

/// Whether another item of the same list is nothing but a link, too.
fn is_in_menu(blocks: &Blocks, b: usize) -> bool {
    let parent = |b: usize| blocks.elements[blocks.blocks[b].container as usize].parent;
    let neighbours = [b.checked_sub(1), Some(b + 1).filter(|after| *after < blocks.len())];
    neighbours.into_iter().flatten().any(|other| parent(other) == parent(b) && blocks.blocks[other].is_linked())
}

/// Whether a block is a short link to a map.
pub(crate) fn is_place_on_map(dom: &Dom<'_>, blocks: &Blocks, b: usize) -> bool {
    /// Maximum number of elements between a text and its link.
    const MAX_LEVELS: usize = 4;
    let block = &blocks.blocks[b];
    if block.words > MAX_WORDS || block.hidden || block.link_chars < block.chars {
        return false;
    }
    let Some(leaf) = blocks.leaves_of(block).first() else { return false };
    let link = dom.ancestors(*leaf).take(MAX_LEVELS).find(|&n| dom.tag(n) == Tag::A);
    let address = link.and_then(|n| dom.attribute(n, Attr::HREF)).unwrap_or("").to_ascii_lowercase();
    let place =
        if address.starts_with('#') { address.as_str() } else { address.split(['?', '#']).next().unwrap_or("") };
    let mut words = place.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| MAPS.contains(&word))
}

/// Whether a block is short, visible, and neither in the navigation nor in the footer.
fn is_line(facts: &Facts<'_>, b: usize) -> bool {
    let block = &facts.blocks.blocks[b];
    let regions = facts.regions[block.element as usize];
    block.words <= MAX_WORDS && !block.hidden && regions & (region::NAV | region::FOOTER) == 0
}

#[cfg(test)]
mod tests {
    use crate::{Options, extract};

    #[test]
    fn a_place_below_the_heading_that_leads_to_a_map_is_kept() {
        let kept = |href: &str| {
            let html = format!("<h1>Keeper</h1><p><a href={href}>Tanjung Kelapa</a></p><p>The lamp is old.</p>");
            crate::passes::choice_after(&html, "+-+", super::keep_places_on_map)
        };
        for href in ["https://maps.example/?q=Tanjung", "#mappa", "geo:1,2", "/karte/12"] {
            assert_eq!(kept(href), "+++", "{href}");
        }
        for href in ["#reviews", "/sitemap", "/list?view=map"] {
            assert_eq!(kept(href), "+-+", "{href}");
        }
        let menu =
            "<h1>Canal</h1><ul><li><a href=/>Home</a><li><a href=/p/map.html>Places</a></ul><p>The lamp is old.</p>";
        assert_eq!(crate::passes::choice_after(menu, "+--+", super::keep_places_on_map), "+--+");
    }

    #[test]
    fn the_declared_description_below_the_heading_is_kept() {
        let html = "<meta property=og:description content='Nordvær, Helgeland'><h1>Keeper</h1><p>Nordvær, Helgeland</p><p>Apply</p>";
        let kept = crate::passes::choice_after(html, "+--", |dom, blocks, kept| {
            let view = maintext_reading::method::View { source: html, dom, blocks, url: None };
            super::keep_description(&super::Facts::new(&view, &Default::default()), kept);
        });
        assert_eq!(kept, "++-");
    }

    #[test]
    fn the_declared_place_and_day_of_an_event_are_kept() {
        let page = |kind: &str| {
            let text = "<p>For four days the great glasshouse belongs to the orchids of three gardens, and each afternoon one of the \
                gardeners shows how they are divided and repotted.</p>";
            let html = format!(
                "<title>Orchids - Garden</title><meta name=viewport content=x><script type=application/ld+json>{{\"@type\":\"{kind}\",\
                 \"name\":\"Orchids\",\"startDate\":\"2026-03-14T10:00\",\"location\":{{\"@type\":\"Place\",\"name\":\"Great glasshouse hall\"}}}}\
                 </script><nav><a href=/>Home</a><a href=/e>Events</a></nav><main><h1>Orchids</h1>\
                 <div class=event-meta><div class=event-date>14 March 2026</div><div class=event-location>Great glasshouse hall</div></div>\
                 <div>{text}{text}</div></main><footer>Great glasshouse hall <a href=/terms>Terms</a></footer>"
            );
            extract(html.as_str(), &Options::default()).unwrap().text.unwrap()
        };
        let text = page("MusicEvent");
        assert!(text.contains("14 March 2026") && text.matches("glasshouse hall").count() == 1, "{text}");
        assert!(!page("Article").contains("14 March 2026"));
    }
}
