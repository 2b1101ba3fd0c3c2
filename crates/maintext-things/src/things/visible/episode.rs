//! The episode of a page that shows one player as its content, and the transcripts of players.
use super::{VisiblePage, text_of, thing};
use crate::things::duration;
use crate::things::value::{Thing, Value};
use maintext_facts::metadata::text::{key, tokens};
use maintext_page::blocks::{Blocks, Media};
use maintext_page::dom::Tag;
use maintext_page::embed::{Medium, embed};
use maintext_page::lexicon::lexicon;

/// Number of blocks before the heading and after the content among which the player is looked for.
const BLOCKS_TO_PLAYER: u32 = 6;
/// Maximum number of players that are looked at.
const MAX_PLAYERS: usize = 200;
/// Minimum number of words of a transcript.
const MIN_TRANSCRIPT: u32 = 25;

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

/// Returns the episode that the page is about.
pub(super) fn episode(page: &VisiblePage<'_>) -> Option<Thing> {
    let facts = page.facts;
    let heading = page.heading?;
    let title = page.title.as_deref()?;
    let og = facts.meta(&["og:type"]).unwrap_or_default();
    let host = key(facts.host().unwrap_or_default());
    let is_episode = names_episode(title)
        || names_episode(&host)
        || page.path_has(EPISODE)
        || page.path.first().is_some_and(|w| matches!(&w[..], "audio" | "listen"))
        || og.contains("podcast");
    if !is_episode || og.starts_with("video") {
        return None;
    }
    let player = players(page, heading).into_iter().find(|p| matches!(p.medium, Medium::Audio | Medium::Video))?;
    let mut fields: Vec<(&'static str, Value)> = vec![("name", Value::Text(page.title.clone()?))];
    fields.extend(page.sources.metadata.date.clone().map(|d| ("date", Value::Text(d))));
    fields.extend(length(page, player.position).map(|t| ("duration", Value::Text(t))));
    fields.extend(page.description().map(|d| ("description", d)));
    fields.extend(Value::texts(page.sources.metadata.image.clone()).map(|images| ("images", images)));
    fields.push((if player.is_file { "media" } else { "embed" }, Value::Text(player.address)));
    fields.extend(transcript(page).map(|t| ("transcript", Value::Text(t))));
    Some(thing("PodcastEpisode", 0.85, fields))
}

fn names_episode(text: &str) -> bool {
    key(text).split(' ').any(|w| EPISODE.contains(&w))
}

/// Adds the transcript that the page shows to its declared video or episode.
pub(super) fn complete(page: &VisiblePage<'_>, thing: &mut Thing) {
    if thing.get("transcript").is_none()
        && let Some(text) = transcript(page)
    {
        thing.set("transcript", Value::Text(text), super::Origin { from: "text", probability: 0.9 });
    }
}

/// Returns the players near the content, in order.
fn players(page: &VisiblePage<'_>, heading: u32) -> Vec<Player> {
    let facts = page.facts;
    let from = heading.min(facts.content.0).saturating_sub(BLOCKS_TO_PLAYER);
    let to = facts.content.1.max(heading) + BLOCKS_TO_PLAYER;
    let media = facts.blocks.media.iter().filter(|m| (from..=to).contains(&m.position));
    media.take(MAX_PLAYERS).filter_map(|m| player(page, m)).collect()
}

fn player(page: &VisiblePage<'_>, media: &Media) -> Option<Player> {
    let (facts, dom, n) = (page.facts, page.facts.dom, media.node);
    let tag = dom.tag(n);
    let own = ["src", "data-src", "data-lazy-src"].iter().find_map(|a| dom.attr(n, a)).filter(|s| !s.is_empty());
    let is_file = matches!(tag, Tag::VIDEO | Tag::AUDIO);
    let address = facts.address(own.or_else(|| {
        is_file
            .then(|| dom.descendants(n).take(16).find(|c| dom.tag(*c) == Tag::SOURCE).and_then(|c| dom.attr(c, "src")))
            .flatten()
    })?)?;
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
    if audio {
        Some(Medium::Audio)
    } else if plays {
        Some(Medium::Video)
    } else {
        None
    }
}

/// Returns the duration next to the player, alone or in brackets: "(Duration: 13:55 — 9.6 MB)".
fn length(page: &VisiblePage<'_>, position: u32) -> Option<String> {
    let blocks = page.facts.blocks;
    let near = position.saturating_sub(4)..(position + 8).min(blocks.len() as u32);
    near.map(|b| blocks.text(b as usize).trim()).filter(|text| text.len() <= 200).find_map(|text| {
        let inside = text.split_once('(').map_or("", |(_, inside)| inside).split_whitespace().nth(1).unwrap_or("");
        [text, inside]
            .into_iter()
            .find(|part| part.contains(':') && part.chars().all(|c| c.is_ascii_digit() || c == ':'))
            .and_then(duration::iso)
    })
}

/// Returns the text below a heading that announces a transcript.
fn transcript(page: &VisiblePage<'_>) -> Option<String> {
    let facts = page.facts;
    let blocks = facts.blocks;
    let from = page.heading? as usize;
    let at = (from..blocks.len()).find(|&b| is_transcript_title(blocks, b))?;
    let rank = heading_level_around(blocks, at).unwrap_or(3);
    let limit = if heading_level_around(blocks, at).is_some() {
        blocks.len()
    } else {
        (facts.content.1 as usize + 1).min(blocks.len())
    };
    let region = blocks.elements.iter().rfind(|e| {
        e.blocks.contains(&(at as u32))
            && matches!(e.tag, Tag::ARTICLE | Tag::MAIN | Tag::SECTION | Tag::ASIDE | Tag::FOOTER)
    });
    let limit = region.map_or(limit, |e| limit.min(e.blocks.end as usize));
    let end = (at + 1..limit).find(|&b| heading_level_around(blocks, b).is_some_and(|r| r <= rank)).unwrap_or(limit);
    let words: u32 = blocks.blocks[at + 1..end.max(at + 1)].iter().map(|b| b.words).sum();
    if words < MIN_TRANSCRIPT {
        return None;
    }
    text_of(facts, at as u32 + 1..end as u32)
}

fn is_transcript_title(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.chars <= 60 && !block.hidden && TRANSCRIPTS.contains(&&key(blocks.text(b))[..])
}

fn heading_level_around(blocks: &Blocks, b: usize) -> Option<u8> {
    blocks.ancestors(b).take(4).find_map(|e| blocks.elements[e].tag.heading_level())
}
