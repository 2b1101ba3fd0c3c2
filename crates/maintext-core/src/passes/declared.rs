//! Keeps the declared place and time of an event, and the declared place of a job.
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::dates::Stamp;
use maintext_facts::metadata::text::key;

/// Maximum number of words of a line with a place or a time, and of its label.
const MAX_WORDS: u32 = 14;
const MAX_LABEL_WORDS: u32 = 3;
/// Minimum number of bytes of the name of a place.
const MIN_BYTES: usize = 4;
/// Maximum number of names and addresses that are looked for.
const MAX_PLACES: usize = 12;
/// Maximum number of lines to keep: many pages print the place above and below the text.
const MAX_LINES: usize = 8;

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
