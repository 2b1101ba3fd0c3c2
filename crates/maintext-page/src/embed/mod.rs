//! Finds the parts that a page embeds from elsewhere: players, posts of social networks, pieces of code. Each has a title and the address
//! that people open, which may differ from the one that the frame loads.
mod address;

use crate::address::resolve;
use crate::dom::{Dom, NodeId, Tag};
use crate::lexicon::lexicon;
use url::Url;

/// Maximum number of attributes of a stand-in that are looked at.
const MAX_ATTRIBUTES: usize = 24;

/// The kind of an embedded part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// A video.
    Video,
    /// A piece of music or speech.
    Audio,
    /// A post, a piece of code, a chart.
    Other,
}

/// Something that a page embeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Embed {
    /// Its kind.
    pub medium: Medium,
    /// The address that people open.
    pub address: String,
    /// The title, the name of the service, or the name of the file; never empty.
    pub title: String,
}

/// The address of an embedded part and the name of its service.
struct Found {
    medium: Medium,
    address: String,
    service: String,
}

/// Returns what an element embeds, if its address is known. Addresses of known services do not depend on `base`.
///
/// ```
/// use maintext_page::{dom, embed::embed};
/// let dom = dom::parse("<iframe src='//www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0' title='A song'></iframe>", &Default::default());
/// let frame = dom.find(dom::NodeId::ROOT, dom::Tag::IFRAME).unwrap();
/// let found = embed(&dom, frame, None).unwrap();
/// assert_eq!((&*found.address, &*found.title), ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "A song"));
/// ```
pub fn embed(dom: &Dom, n: NodeId, base: Option<&Url>) -> Option<Embed> {
    let found = match dom.tag(n) {
        Tag::VIDEO | Tag::AUDIO => file(dom, n, base),
        Tag::IFRAME => frame(dom, n, base),
        Tag::EMBED => dom.attr(n, "src").and_then(known),
        Tag::OBJECT => dom.attr(n, "data").and_then(known),
        Tag::SCRIPT => script(dom, n),
        Tag::IMG => dom.attr(n, "src").and_then(still),
        Tag::BLOCKQUOTE => quote(dom, n),
        _ => stand_in(dom, n, base),
    }
    .filter(|found| dom.copies().allows_address(found.address.len()))?;
    let title = title(dom, n).unwrap_or(found.service);
    Some(Embed { medium: found.medium, address: found.address, title })
}

/// Whether an element may stand for a player until someone clicks on it, or for a post until a script runs, by its kind and the names of its
/// attributes.
pub fn may_stand_in(dom: &Dom, n: NodeId, tag: Tag) -> bool {
    match tag {
        Tag::BLOCKQUOTE => true,
        Tag::OTHER => dom.tag_name(n).contains('-'),
        Tag::DIV | Tag::SECTION => dom.attrs(n).any(|(name, _)| name.starts_with("data-")),
        _ => false,
    }
}

/// Whether a script embeds a gist: it writes the code into the page.
pub fn is_gist(dom: &Dom, script: NodeId) -> bool {
    dom.attr(script, "src").is_some_and(|s| s.contains("//gist.github.com/"))
}

fn script(dom: &Dom, n: NodeId) -> Option<Found> {
    if is_gist(dom, n) { dom.attr(n, "src").and_then(known) } else { None }
}

fn known(address: &str) -> Option<Found> {
    // The address of a post of Bluesky in its own protocol.
    let at = address.strip_prefix("at://").map(|rest| format!("https://embed.bsky.app/embed/{rest}"));
    let url = parse(at.as_deref().unwrap_or(address), |address| Url::parse(address).ok())?;
    let (medium, address, service) = address::known(&url)?;
    Some(Found { medium, address, service: service.to_owned() })
}

/// Parses an address of any site. `//host/` is one too, even without a base.
fn parse(address: &str, parse: impl Fn(&str) -> Option<Url>) -> Option<Url> {
    let address = address.trim();
    let url = match address.strip_prefix("//") {
        Some(rest) => parse(&format!("https://{rest}")),
        None => parse(address),
    };
    url.filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host())
}

/// Reads a `<video>` or `<audio>`.
fn file(dom: &Dom, n: NodeId, base: Option<&Url>) -> Option<Found> {
    let sources = dom.children(n).filter(|&c| dom.tag(c) == Tag::SOURCE).take(8);
    let mut addresses = std::iter::once(n).chain(sources).filter_map(|n| {
        let own = ["src", "data-src"].into_iter().find_map(|name| dom.attr(n, name))?;
        resolve(dom, own, base)
    });
    let address = addresses.next()?;
    let path = address.split(['?', '#']).next().unwrap_or("");
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    let audio = dom.tag(n) == Tag::AUDIO || dom.tag_name(n) == "amp-audio";
    let (medium, service) = if audio { (Medium::Audio, "Audio") } else { (Medium::Video, "Video") };
    let service = name.map_or_else(|| service.to_owned(), decoded);
    Some(Found { medium, address, service })
}

/// Decodes the percent signs of a file name.
fn decoded(name: &str) -> String {
    let query = format!("n={}", name.replace('+', "%2B").replace('&', "%26"));
    let decoded = url::form_urlencoded::parse(query.as_bytes()).next().map(|p| p.1.into_owned());
    decoded
        .map(|d| d.rsplit('/').next().unwrap_or("").to_owned())
        .filter(|d| !d.is_empty())
        .filter(|d| !d.contains('\u{fffd}'))
        .unwrap_or_else(|| name.to_owned())
}

/// Reads a frame: one of a known service, or a player of another site. Frames that load late have their address in another attribute.
fn frame(dom: &Dom, n: NodeId, base: Option<&Url>) -> Option<Found> {
    let sources = dom.attrs(n).filter(|(name, _)| name.contains("src") && *name != "srcdoc").map(|(_, v)| v);
    let sources: Vec<&str> = sources.collect();
    if let Some(found) = sources.iter().find_map(|source| known(source)) {
        return Some(found);
    }
    if !dom.attrs(n).any(|(name, _)| name == "allowfullscreen" || name == "webkitallowfullscreen") {
        return None;
    }
    let mut addresses =
        sources.iter().filter_map(|s| parse(s, |address| crate::address::parse(dom, address, base).ok()));
    let url = addresses.find(address::is_player)?;
    let service = address::site(&url)?.to_owned();
    Some(Found { medium: Medium::Video, address: url.into(), service })
}

/// Returns the video of a still picture that a service keeps of it.
fn still(src: &str) -> Option<Found> {
    let (_, id) = src.split_once("/vi/").or_else(|| src.split_once("/vi_webp/"))?;
    let host = src.contains("//img.youtube.com/") || src.contains(".ytimg.com/");
    let id = id.split('/').next().filter(|id| host && address::is_youtube_id(id))?;
    Some(Found { medium: Medium::Video, address: address::youtube(id), service: "YouTube".into() })
}

/// Reads the quotation that a network's script turns into a post.
fn quote(dom: &Dom, n: NodeId) -> Option<Found> {
    let class = dom.attr(n, "class")?;
    if !["twitter-", "instagram-media", "tiktok-embed", "bluesky-embed", "mastodon-embed", "reddit-"]
        .into_iter()
        .any(|name| class.split_ascii_whitespace().any(|c| c.starts_with(name)))
    {
        return None;
    }
    let own = ["data-instgrm-permalink", "cite", "data-embed-url", "data-bluesky-uri"];
    own.into_iter().filter_map(|name| dom.attr(n, name)).find_map(known).or_else(|| {
        dom.descendants(n)
            .take(64)
            .filter(|&d| dom.tag(d) == Tag::A)
            .filter_map(|d| dom.attr(d, "href"))
            .filter_map(known)
            .last()
    })
}

/// Reads an element that a script turns into a player: `<lite-youtube videoid=…>`, `<amp-vimeo data-videoid=…>`, `<div data-youtube-id=…>`.
fn stand_in(dom: &Dom, n: NodeId, base: Option<&Url>) -> Option<Found> {
    let name = dom.tag_name(n);
    if matches!(name, "amp-video" | "amp-audio") {
        return file(dom, n, base);
    }
    if name == "amp-iframe" {
        return frame(dom, n, base);
    }
    let service = dom.attrs(n).take(MAX_ATTRIBUTES).find_map(|(name, value)| match name {
        "class" | "data-provider" | "data-plyr-provider" | "data-platform" | "data-service" | "data-type" => {
            address::service_of(value)
        }
        _ => None,
    });
    let service = address::service_of(name).or(service);
    dom.attrs(n).take(MAX_ATTRIBUTES).find_map(|(name, value)| {
        let value = value.trim();
        if value.starts_with("//") || value.starts_with("http") {
            let own = name.contains("src") || name.contains("embed") || name.contains("url");
            return if own { known(value) } else { None };
        }
        let is_id =
            name.contains("id") || name == "data-shortcode" || name.contains("youtube") || name.contains("vimeo");
        if !is_id || name == "id" {
            return None;
        }
        let service = address::service_of(name).or(service)?;
        let (medium, address) = address::of_id(service, value)?;
        Some(Found { medium, address, service: service.to_owned() })
    })
}

/// Returns the title that the page gives, unless it only names the kind of player.
fn title(dom: &Dom, n: NodeId) -> Option<String> {
    const NAMES: [&str; 8] =
        ["title", "aria-label", "data-title", "data-video-title", "videotitle", "playlabel", "data-playlabel", "alt"];
    let own = NAMES.into_iter().filter_map(|name| dom.attr(n, name)).find_map(clean);
    own.or_else(|| {
        let below = dom.descendants(n).skip(1).take(16).filter(|&d| matches!(dom.tag(d), Tag::IMG | Tag::BUTTON));
        below.flat_map(|d| ["alt", "aria-label"].into_iter().filter_map(move |name| dom.attr(d, name))).find_map(clean)
    })
}

/// Cleans a title; `None` if it does not describe the content.
fn clean(title: &str) -> Option<String> {
    /// Words of titles that do not describe the content, in lower case.
    const EMPTY: &[&str] = lexicon!("embed-words.txt");
    let words: Vec<&str> = title.split_whitespace().collect();
    if words.is_empty()
        || words.iter().all(|w| EMPTY.contains(&w.to_lowercase().as_str()))
        || !title.contains(char::is_alphanumeric)
    {
        return None;
    }
    let joined = words.join(" ");
    let bare = ["Play: ", "Play Video: ", "Play video: ", "Watch: ", "Spotify Embed: "]
        .iter()
        .find_map(|p| joined.strip_prefix(p));
    Some(bare.unwrap_or(&joined).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(html: &str) -> Option<(String, String)> {
        let dom = crate::dom::parse(html, &Default::default());
        let base = Url::parse("https://e.org/a/b.html").unwrap();
        let found = dom.descendants(NodeId::ROOT).filter(|&n| dom.kind(n) == crate::dom::NodeKind::Element);
        found.into_iter().find_map(|n| embed(&dom, n, Some(&base))).map(|e| (e.address, e.title))
    }

    #[test]
    fn players_lead_to_the_page_of_the_video() {
        for (html, address, title) in [
            (
                "<iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ' title='YouTube video player'></iframe>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "YouTube",
            ),
            (
                "<iframe src='about:blank' data-src='//www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90' title=Talk></iframe>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=90s",
                "Talk",
            ),
            (
                "<iframe src='https://www.youtube.com/embed/videoseries?list=PL1'></iframe>",
                "https://www.youtube.com/playlist?list=PL1",
                "YouTube",
            ),
            (
                "<lite-youtube videoid=dQw4w9WgXcQ playlabel='Play: A song'></lite-youtube>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "A song",
            ),
            (
                "<amp-youtube data-videoid=dQw4w9WgXcQ></amp-youtube>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "YouTube",
            ),
            (
                "<div class=facade data-youtube-id=dQw4w9WgXcQ><img src=t.jpg alt='The cat'></div>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "The cat",
            ),
            (
                "<div class='youtube-player' data-id=dQw4w9WgXcQ></div>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "YouTube",
            ),
            ("<div data-plyr-provider=vimeo data-plyr-embed-id=76979871></div>", "https://vimeo.com/76979871", "Vimeo"),
            (
                "<img src='https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg' alt='A song'>",
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                "A song",
            ),
            (
                "<iframe src='https://player.vimeo.com/video/76979871?h=8272103f6e&byline=0'></iframe>",
                "https://vimeo.com/76979871/8272103f6e",
                "Vimeo",
            ),
            (
                "<iframe src='https://www.dailymotion.com/embed/video/x7tgad0'></iframe>",
                "https://www.dailymotion.com/video/x7tgad0",
                "Dailymotion",
            ),
            (
                "<iframe src='https://open.spotify.com/embed/episode/7makk4?theme=0' title='Spotify Embed: Nine to noon'></iframe>",
                "https://open.spotify.com/episode/7makk4",
                "Nine to noon",
            ),
            (
                "<iframe src='https://w.soundcloud.com/player/?url=https%3A//api.soundcloud.com/tracks/293&color=%23ff'></iframe>",
                "https://api.soundcloud.com/tracks/293",
                "SoundCloud",
            ),
            (
                "<iframe src='https://codepen.io/ann/embed/preview/AbCdE?default-tab=js' title='A clock'></iframe>",
                "https://codepen.io/ann/pen/AbCdE",
                "A clock",
            ),
            (
                "<script src='https://gist.github.com/ann/0123abc.js'></script>",
                "https://gist.github.com/ann/0123abc",
                "Gist",
            ),
            (
                "<iframe src='https://social.example/@ann/1098/embed' class=mastodon-embed></iframe>",
                "https://social.example/@ann/1098",
                "Mastodon",
            ),
            (
                "<iframe src='https://platform.twitter.com/embed/Tweet.html?id=1453'></iframe>",
                "https://twitter.com/i/status/1453",
                "Twitter",
            ),
            (
                "<blockquote class=twitter-tweet><a href='https://twitter.com/ann/status/1453?ref_src=twsrc%5Etfw'>May 1</a></blockquote>",
                "https://twitter.com/ann/status/1453",
                "Twitter",
            ),
            (
                "<blockquote class=bluesky-embed data-bluesky-uri='at://did:plc:abc/app.bsky.feed.post/3k'></blockquote>",
                "https://bsky.app/profile/did:plc:abc/post/3k",
                "Bluesky",
            ),
            (
                "<blockquote class=instagram-media data-instgrm-permalink='https://www.instagram.com/p/Cx/?utm_source=ig'></blockquote>",
                "https://www.instagram.com/p/Cx/",
                "Instagram",
            ),
            (
                "<blockquote class=tiktok-embed cite='https://www.tiktok.com/@ann/video/71'></blockquote>",
                "https://www.tiktok.com/@ann/video/71",
                "TikTok",
            ),
            ("<video src=/m/the%20film.mp4></video>", "https://e.org/m/the%20film.mp4", "the film.mp4"),
            ("<audio aria-label='Nine to noon'><source src=n.mp3></audio>", "https://e.org/a/n.mp3", "Nine to noon"),
            (
                "<iframe allowfullscreen src='https://media.example/player/771'></iframe>",
                "https://media.example/player/771",
                "media.example",
            ),
        ] {
            assert_eq!(first(html), Some((address.to_owned(), title.to_owned())), "{html}");
        }
    }

    #[test]
    fn other_frames_and_elements_are_not_embedded_parts() {
        for html in [
            "<iframe src='https://ads.example/frame?x=1'></iframe>",
            "<iframe src='https://www.youtube.com/subscribe_embed?usegapi=1'></iframe>",
            "<iframe src='https://www.facebook.com/plugins/like.php?href=https://e.org'></iframe>",
            "<iframe></iframe>",
            "<div data-id=dQw4w9WgXcQ></div>",
            "<div class=youtube-icon></div>",
            "<div data-url='https://www.example.org/video'></div>",
            "<video src='blob:https://e.org/1'></video>",
            "<video src='javascript:alert(1)'></video>",
            "<script src='https://e.org/a.js'></script>",
            "<img src='https://e.org/vi/dQw4w9WgXcQ/a.jpg'>",
            "<blockquote class=quote cite='https://twitter.com/ann/status/1453'></blockquote>",
        ] {
            assert_eq!(first(html), None, "{html}");
        }
    }
}
