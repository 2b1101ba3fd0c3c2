//! The video or the episode of a page that shows one player as its content.
use super::labels::Label;
use super::{Page, text_of, thing};
use crate::things::duration;
use crate::things::value::{Thing, Value};
use maintext_facts::metadata::text::{key, tokens};
use maintext_page::blocks::Media;
use maintext_page::dom::Tag;
use maintext_page::embed::{Medium, embed};
use maintext_page::lexicon::lexicon;

/// Number of blocks before the heading and after the content among which the player is looked for.
const BLOCKS_TO_PLAYER: u32 = 6;
/// Maximum number of players that are looked at.
const MAX_PLAYERS: usize = 200;
/// Minimum number of words of a transcript.
const MIN_TRANSCRIPT: u32 = 25;

/// Words of addresses and titles of pages about one video.
const VIDEO: &[&str] = lexicon!("video-words.txt");
/// Words of addresses and titles of episodes.
const EPISODE: &[&str] = lexicon!("episode-words.txt");
/// Words of the addresses of players whose service is unknown.
const AUDIO_PLAYERS: &[&str] = lexicon!("audio-players.txt");
const TRANSCRIPTS: &[&str] = lexicon!("transcript-headings.txt");

/// A player.
struct Player {
    medium: Medium,
    position: u32,
    /// The address of its frame, or of its file.
    address: String,
    is_file: bool,
}

/// Returns the video or episode that the page is about.
pub(super) fn media(page: &Page<'_>) -> Option<Thing> {
    let facts = page.facts;
    let heading = page.heading?;
    let title = page.title.as_deref()?;
    let og = facts.meta(&["og:type"]).unwrap_or_default();
    let is_video = og.starts_with("video") || page.folder_is(VIDEO) || is_marked(title, VIDEO);
    let host = key(facts.host().unwrap_or_default());
    let names = |text: &str| key(text).split(' ').any(|w| EPISODE.contains(&w));
    let is_episode = names(title)
        || names(&host)
        || page.path_has(EPISODE)
        || page.folder_is(&["audio", "listen"])
        || og.contains("podcast");
    let is_wanted = |p: &Player| match p.medium {
        Medium::Audio => is_episode,
        Medium::Video => is_video || is_episode,
        Medium::Other => false,
    };
    let player = if is_video || is_episode { players(page, heading).into_iter().find(is_wanted) } else { None };
    let declared = facts
        .meta(&["og:video:secure_url", "og:video:url", "og:video", "twitter:player"])
        .and_then(|v| facts.address(&v));
    let kind = match &player {
        Some(p) if p.medium == Medium::Audio => "PodcastEpisode",
        Some(_) if is_video || !is_episode => "VideoObject",
        Some(_) => "PodcastEpisode",
        None if og.starts_with("video") && declared.is_some() => "VideoObject",
        None => return None,
    };
    let mut fields: Vec<(&'static str, Value)> = vec![("name", Value::Text(page.title.clone()?))];
    fields.extend(page.sources.metadata.date.clone().map(|d| ("date", Value::Text(d))));
    let time = length(page, player.as_ref().map_or(heading, |p| p.position));
    fields.extend(time.map(|t| ("duration", Value::Text(t))));
    fields.extend(page.description().map(|d| ("description", d)));
    fields.extend(Value::texts(page.sources.metadata.image.clone()).map(|images| ("images", images)));
    match player {
        Some(p) if p.is_file => fields.push(("media", Value::Text(p.address))),
        Some(p) => fields.push(("embed", Value::Text(p.address))),
        None => fields.extend(declared.map(|v| ("embed", Value::Text(v)))),
    }
    fields.extend(transcript(page).map(|t| ("transcript", Value::Text(t))));
    Some(thing(kind, 0.85, fields))
}

/// Adds the transcript that the page shows to its declared video or episode.
pub(super) fn complete(page: &Page<'_>, thing: &mut Thing) {
    if thing.get("transcript").is_none()
        && let Some(text) = transcript(page)
    {
        thing.set("transcript", Value::Text(text), super::Origin { from: "text", probability: 0.9 });
    }
}

/// Returns whether a title begins with one of these words and a mark, as in "Video: ...", or ends with one in brackets.
fn is_marked(title: &str, words: &[&str]) -> bool {
    let is = |word: &str| words.contains(&&word.trim().to_lowercase()[..]);
    let first = title.split_once([':', '：', '|', '–', '—']).is_some_and(|(word, _)| is(word));
    let inside = title
        .trim_end()
        .strip_suffix([']', ')'])
        .and_then(|t| t.rsplit_once(['[', '(']))
        .is_some_and(|(_, word)| is(word));
    first || inside
}

/// Returns the players near the content, in order.
fn players(page: &Page<'_>, heading: u32) -> Vec<Player> {
    let facts = page.facts;
    let from = heading.min(facts.content.0).saturating_sub(BLOCKS_TO_PLAYER);
    let to = facts.content.1.max(heading) + BLOCKS_TO_PLAYER;
    let media = facts.blocks.media.iter().filter(|m| (from..=to).contains(&m.position));
    media.take(MAX_PLAYERS).filter_map(|m| player(page, m)).collect()
}

fn player(page: &Page<'_>, media: &Media) -> Option<Player> {
    let (facts, dom, n) = (page.facts, page.facts.dom, media.node);
    let tag = dom.tag(n);
    let own = ["src", "data-src", "data-lazy-src"].iter().find_map(|a| dom.attr(n, a)).filter(|s| !s.is_empty());
    let is_file = matches!(tag, Tag::VIDEO | Tag::AUDIO);
    let source = || dom.descendants(n).take(16).find(|c| dom.tag(*c) == Tag::SOURCE).and_then(|c| dom.attr(c, "src"));
    let address = facts.address(own.or_else(|| is_file.then(source).flatten())?)?;
    let medium = match (tag, embed(dom, n, facts.base)) {
        (Tag::AUDIO, _) => Medium::Audio,
        (Tag::VIDEO, _) => Medium::Video,
        (Tag::IFRAME | Tag::EMBED | Tag::OBJECT, Some(found)) => found.medium,
        (Tag::IFRAME, None) => unknown(&address)?,
        _ => return None,
    };
    Some(Player { medium, position: media.position, address, is_file })
}

/// Returns the medium of a frame by the words of its address.
fn unknown(address: &str) -> Option<Medium> {
    let (mut audio, mut plays) = (false, false);
    tokens(address, |word| {
        audio |= AUDIO_PLAYERS.contains(&word);
        plays |= matches!(word, "player" | "players" | "embed" | "video" | "jwplayer" | "jwplatform");
    });
    match (audio, plays) {
        (true, _) => Some(Medium::Audio),
        (false, true) => Some(Medium::Video),
        _ => None,
    }
}

/// Returns the duration that a label states, or one that stands alone beside the player.
fn length(page: &Page<'_>, position: u32) -> Option<String> {
    if let Some(pair) = page.label(Label::Duration)
        && let Some(time) = duration_of(&pair.value)
    {
        return Some(time);
    }
    let blocks = page.facts.blocks;
    let near = position.saturating_sub(4)..(position + 8).min(blocks.len() as u32);
    near.map(|b| blocks.text(b as usize)).find_map(|text| {
        let alone = text.len() <= 12 && text.contains(':');
        if alone {
            return duration_of(text);
        }
        // "(Duration: 13:55 — 9.6 MB)" in a line of other links.
        if text.len() > 200 {
            return None;
        }
        let mut parts = text.split(['(', ')', '|', '—', '·', '•']);
        parts.find_map(|part| {
            let (label, value) = part.split_once(':')?;
            (super::labels::meaning(label) == Some(Label::Duration)).then(|| duration_of(value)).flatten()
        })
    })
}

/// Reads a duration: a clock time, or numbers with units in words.
fn duration_of(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains(':') && text.chars().all(|c| c.is_ascii_digit() || c == ':') {
        return duration::iso(text);
    }
    if text.len() > 80 {
        return None;
    }
    let (mut seconds, mut number, mut found) = (0u64, None, false);
    let lower = text.to_lowercase();
    let mut rest = &lower[..];
    while let Some(c) = rest.chars().next() {
        let end = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        if c.is_ascii_digit() {
            let end = end(|c| c.is_ascii_digit());
            number = rest[..end].parse::<u64>().ok().filter(|n| *n < 10_000);
            rest = &rest[end..];
        } else if c.is_alphabetic() {
            let end = end(char::is_alphabetic);
            if let (Some(n), Some(unit)) = (number.take(), unit(&rest[..end])) {
                seconds += n * unit;
                found = true;
            }
            rest = &rest[end..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    (found && seconds > 0).then(|| duration::write(seconds))
}

/// Returns the seconds of a unit of time.
fn unit(word: &str) -> Option<u64> {
    const HOURS: &[&str] = &[
        "hour", "hr", "std", "stunde", "heure", "hora", "ora", "ore", "uur", "tim", "time", "час", "год", "godz",
        "hodin", "óra", "saat", "tunti", "小时", "小時", "時間", "시간", "giờ",
    ];
    const MINUTES: &[&str] = &["min", "мин", "хв", "perc", "dk", "dakika", "λεπτ", "phút", "分", "분"];
    const SECONDS: &[&str] = &["s", "sec", "sek", "seg", "сек", "сe", "másodperc", "秒", "초", "giây"];
    let begins = |list: &[&str]| list.iter().any(|u| word.starts_with(u));
    match word {
        "h" | "u" | "t" | "ч" => Some(3600),
        "m" => Some(60),
        _ if begins(MINUTES) => Some(60),
        _ if begins(HOURS) => Some(3600),
        "s" | "с" => Some(1),
        _ if begins(&SECONDS[1..]) => Some(1),
        _ => None,
    }
}

/// Returns the text below a heading that announces a transcript.
fn transcript(page: &Page<'_>) -> Option<String> {
    let facts = page.facts;
    let blocks = facts.blocks;
    let is_title = |b: usize| {
        let block = &blocks.blocks[b];
        block.chars <= 60 && !block.hidden && TRANSCRIPTS.contains(&&key(blocks.text(b))[..])
    };
    let heading = |b: usize| blocks.ancestors(b).take(4).find_map(|e| blocks.elements[e].tag.heading_level());
    let from = page.heading? as usize;
    let at = (from..blocks.len()).find(|&b| is_title(b))?;
    let rank = heading(at).unwrap_or(3);
    let limit = if heading(at).is_some() { blocks.len() } else { (facts.content.1 as usize + 1).min(blocks.len()) };
    let region = blocks.elements.iter().rfind(|e| {
        e.blocks.contains(&(at as u32))
            && matches!(e.tag, Tag::ARTICLE | Tag::MAIN | Tag::SECTION | Tag::ASIDE | Tag::FOOTER)
    });
    let limit = region.map_or(limit, |e| limit.min(e.blocks.end as usize));
    let end = (at + 1..limit).find(|&b| heading(b).is_some_and(|r| r <= rank)).unwrap_or(limit);
    let words: u32 = blocks.blocks[at + 1..end.max(at + 1)].iter().map(|b| b.words).sum();
    if words < MIN_TRANSCRIPT {
        return None;
    }
    text_of(facts, at as u32 + 1..end as u32)
}

#[cfg(test)]
mod tests {
    use super::duration_of;

    #[test]
    fn durations_in_words() {
        let cases = [
            ("1 Stunde 4 Minuten", "PT1H4M"),
            ("13:55", "PT13M55S"),
            ("45 min", "PT45M"),
            ("1h 20m", "PT1H20M"),
            ("1 ч 5 мин", "PT1H5M"),
            ("2時間30分", "PT2H30M"),
            ("90 minutes", "PT1H30M"),
        ];
        for (text, expected) in cases {
            assert_eq!(duration_of(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "long", "12", "99999999999999 min"] {
            assert_eq!(duration_of(text), None, "{text}");
        }
    }
}
