//! Turns the addresses of frames into those that people open.
use super::Medium;
use url::Url;

/// Whether the text has the form of a video's id on YouTube.
pub(super) fn is_youtube_id(id: &str) -> bool {
    id.len() == 11 && is_name(id)
}

fn is_name(s: &str) -> bool {
    !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

fn is_number(s: &str) -> bool {
    !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn youtube(id: &str) -> String {
    format!("https://www.youtube.com/watch?v={id}")
}

/// Returns the service that a name mentions, in the form that [`of_id`] knows.
pub(super) fn service_of(name: &str) -> Option<&'static str> {
    /// Parts of names, each with the service.
    const NAMES: [(&str, &str); 8] = [
        ("youtube", "YouTube"),
        ("ytid", "YouTube"),
        ("yt-", "YouTube"),
        ("vimeo", "Vimeo"),
        ("dailymotion", "Dailymotion"),
        ("twitter", "Twitter"),
        ("tweet", "Twitter"),
        ("instagram", "Instagram"),
    ];
    let found = NAMES.iter().find(|(part, _)| {
        let mut windows = name.as_bytes().windows(part.len());
        windows.any(|w| w.eq_ignore_ascii_case(part.as_bytes()))
    });
    found.map(|(_, service)| *service)
}

/// Returns the address of a part by its id.
pub(super) fn of_id(service: &str, id: &str) -> Option<(Medium, String)> {
    let address = match service {
        "YouTube" if is_youtube_id(id) => youtube(id),
        "Vimeo" if is_number(id) => format!("https://vimeo.com/{id}"),
        "Dailymotion" if is_name(id) => format!("https://www.dailymotion.com/video/{id}"),
        "Twitter" if is_number(id) && id.len() > 8 => format!("https://twitter.com/i/status/{id}"),
        "Instagram" if is_name(id) => format!("https://www.instagram.com/p/{id}/"),
        _ => return None,
    };
    let is_video = matches!(service, "YouTube" | "Vimeo" | "Dailymotion");
    Some((if is_video { Medium::Video } else { Medium::Other }, address))
}

/// Returns the name of an address's site.
pub(super) fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").or_else(|| host.strip_prefix("m.")).unwrap_or(host))
}

/// Whether a frame that may fill the screen is a player, by its address.
pub(super) fn is_player(url: &Url) -> bool {
    let address = url.as_str();
    ["embed", "player", "video"].iter().any(|p| address.contains(p))
}

/// The parts of an address.
struct Parts<'a> {
    url: &'a Url,
    host: &'a str,
    path: Vec<&'a str>,
}

impl Parts<'_> {
    /// Returns a value of the query.
    fn query(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(n, v)| n == name && !v.is_empty()).map(|p| p.1.into_owned())
    }

    /// Returns the parameter of this name in the query, if it is an address.
    fn query_address(&self, name: &str) -> Option<String> {
        let url = Url::parse(&self.query(name)?).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| url.into())
    }
}

/// Returns the kind and the address of a known service's part, and the name of the service.
pub(super) fn known(url: &Url) -> Option<(Medium, String, &'static str)> {
    let host = site(url)?;
    let path: Vec<&str> = url.path_segments().into_iter().flatten().filter(|s| !s.is_empty()).take(8).collect();
    let p = Parts { url, host, path };
    let (medium, found) = if let Some(found) = video(&p) {
        (Medium::Video, found)
    } else if let Some(found) = audio(&p) {
        (Medium::Audio, found)
    } else {
        (Medium::Other, post(&p).or_else(|| code(&p)).or_else(|| chart(&p)).or_else(|| federated(&p))?)
    };
    Some((medium, found.0, found.1))
}

fn video(p: &Parts<'_>) -> Option<(String, &'static str)> {
    let address = match (p.host, p.path.as_slice()) {
        ("youtube.com" | "youtube-nocookie.com", ["embed" | "p", "videoseries", ..] | ["playlist"]) => {
            (format!("https://www.youtube.com/playlist?list={}", p.query("list").filter(|l| is_name(l))?), "YouTube")
        }
        ("youtube.com" | "youtube-nocookie.com", ["embed" | "v" | "shorts" | "live", id, ..]) | ("youtu.be", [id]) => {
            (youtube_at(p, id.split('&').next()?)?, "YouTube")
        }
        ("youtube.com", ["watch"]) => (youtube_at(p, &p.query("v")?)?, "YouTube"),
        ("player.vimeo.com", ["video", id, ..]) if is_number(id) => {
            let hash = p.query("h").filter(|h| is_name(h)).map(|h| format!("/{h}")).unwrap_or_default();
            (format!("https://vimeo.com/{id}{hash}"), "Vimeo")
        }
        ("vimeo.com", [id]) if is_number(id) => (format!("https://vimeo.com/{id}"), "Vimeo"),
        ("dailymotion.com", ["embed", "video", id] | ["video", id]) if is_name(id) => {
            (format!("https://www.dailymotion.com/video/{id}"), "Dailymotion")
        }
        ("geo.dailymotion.com", [..]) => {
            (format!("https://www.dailymotion.com/video/{}", p.query("video").filter(|v| is_name(v))?), "Dailymotion")
        }
        ("player.twitch.tv", _) => (
            p.query("video")
                .map(|v| format!("https://www.twitch.tv/videos/{}", v.trim_start_matches('v')))
                .or_else(|| p.query("channel").filter(|c| is_name(c)).map(|c| format!("https://www.twitch.tv/{c}")))?,
            "Twitch",
        ),
        ("clips.twitch.tv", ["embed"]) => {
            (format!("https://clips.twitch.tv/{}", p.query("clip").filter(|c| is_name(c))?), "Twitch")
        }
        ("embed.ted.com", ["talks", ..]) => (format!("https://www.ted.com{}", p.url.path()), "TED"),
        ("loom.com", ["embed", id]) if is_name(id) => (format!("https://www.loom.com/share/{id}"), "Loom"),
        ("streamable.com", ["e" | "o", id, ..]) if is_name(id) => {
            (format!("https://streamable.com/{id}"), "Streamable")
        }
        ("player.bilibili.com", _) => {
            (format!("https://www.bilibili.com/video/{}", p.query("bvid").filter(|b| is_name(b))?), "Bilibili")
        }
        ("archive.org", ["embed", id, ..]) => (format!("https://archive.org/details/{id}"), "Internet Archive"),
        ("facebook.com", ["plugins", "video.php"]) => (p.query_address("href")?, "Facebook"),
        ("giphy.com", ["embed", id, ..]) if is_name(id) => (format!("https://giphy.com/gifs/{id}"), "GIPHY"),
        ("fast.wistia.net" | "fast.wistia.com", ["embed", "iframe" | "medias", id, ..]) => {
            (format!("https://fast.wistia.net/embed/iframe/{}", id.split('.').next()?), "Wistia")
        }
        _ => return None,
    };
    Some(address)
}

/// Returns the address of a video on YouTube, with the second at which it begins.
fn youtube_at(p: &Parts<'_>, id: &str) -> Option<String> {
    let start = p.query("start").or_else(|| p.query("t")).map(|s| s.trim_end_matches('s').to_owned());
    let start = start.filter(|s| is_number(s) && s != "0").map(|s| format!("&t={s}s")).unwrap_or_default();
    is_youtube_id(id).then(|| youtube(id) + &start)
}

fn post(p: &Parts<'_>) -> Option<(String, &'static str)> {
    let address = match (p.host, p.path.as_slice()) {
        ("platform.twitter.com", ["embed", ..]) => {
            (format!("https://twitter.com/i/status/{}", p.query("id").filter(|i| is_number(i))?), "Twitter")
        }
        ("twitter.com" | "x.com" | "mobile.twitter.com", [user, "status" | "statuses", id, ..]) if is_number(id) => {
            (format!("https://{}/{user}/status/{id}", p.host), "Twitter")
        }
        ("instagram.com", [kind @ ("p" | "reel" | "tv"), id, ..]) => {
            (format!("https://www.instagram.com/{kind}/{id}/"), "Instagram")
        }
        ("tiktok.com", [user, "video", id]) if is_number(id) => {
            (format!("https://www.tiktok.com/{user}/video/{id}"), "TikTok")
        }
        ("tiktok.com", ["embed", .., id] | ["player", .., id]) if is_number(id) => {
            (format!("https://www.tiktok.com/embed/v2/{id}"), "TikTok")
        }
        ("embed.bsky.app", ["embed", did, "app.bsky.feed.post", id]) => {
            (format!("https://bsky.app/profile/{did}/post/{id}"), "Bluesky")
        }
        ("bsky.app", ["profile", user, "post", id]) => {
            (format!("https://bsky.app/profile/{user}/post/{id}"), "Bluesky")
        }
        ("embed.reddit.com" | "redditmedia.com" | "reddit.com" | "old.reddit.com", ["r", _, "comments", ..]) => {
            (format!("https://www.reddit.com{}", p.url.path()), "Reddit")
        }
        ("facebook.com", ["plugins", "post.php"]) => (p.query_address("href")?, "Facebook"),
        _ => return None,
    };
    Some(address)
}

fn audio(p: &Parts<'_>) -> Option<(String, &'static str)> {
    let address = match (p.host, p.path.as_slice()) {
        ("open.spotify.com", ["embed" | "embed-podcast", rest @ ..]) if !rest.is_empty() => {
            (format!("https://open.spotify.com/{}", rest.join("/")), "Spotify")
        }
        ("w.soundcloud.com", ["player", ..]) => (p.query_address("url")?, "SoundCloud"),
        ("embed.music.apple.com", _) => (at_host(p, "music.apple.com"), "Apple Music"),
        ("embed.podcasts.apple.com", _) => (at_host(p, "podcasts.apple.com"), "Apple Podcasts"),
        ("bandcamp.com", ["EmbeddedPlayer", ..]) => (p.url.as_str().to_owned(), "Bandcamp"),
        _ => return None,
    };
    Some(address)
}

/// Returns the address at another host, with the number of the episode or track.
fn at_host(p: &Parts<'_>, host: &str) -> String {
    let query = p.query("i").filter(|i| is_number(i)).map(|i| format!("?i={i}")).unwrap_or_default();
    format!("https://{host}{}{query}", p.url.path())
}

fn code(p: &Parts<'_>) -> Option<(String, &'static str)> {
    let address = match (p.host, p.path.as_slice()) {
        ("codepen.io", [user, "embed", .., id]) => (format!("https://codepen.io/{user}/pen/{id}"), "CodePen"),
        ("gist.github.com", [user, id]) => {
            (format!("https://gist.github.com/{user}/{}", id.strip_suffix(".js").unwrap_or(id)), "Gist")
        }
        ("jsfiddle.net", [before @ .., "embedded"] | [before @ .., "embedded", _]) if !before.is_empty() => {
            (format!("https://jsfiddle.net/{}/", before.join("/")), "JSFiddle")
        }
        ("codesandbox.io", ["embed", id]) => (format!("https://codesandbox.io/s/{id}"), "CodeSandbox"),
        ("stackblitz.com", ["edit", id]) => (format!("https://stackblitz.com/edit/{id}"), "StackBlitz"),
        ("observablehq.com", ["embed", rest @ ..]) if !rest.is_empty() => {
            (format!("https://observablehq.com/{}", rest.join("/")), "Observable")
        }
        ("asciinema.org", ["a", id, ..]) => {
            (format!("https://asciinema.org/a/{}", id.strip_suffix(".js").unwrap_or(id)), "asciinema")
        }
        _ => return None,
    };
    Some(address)
}

fn chart(p: &Parts<'_>) -> Option<(String, &'static str)> {
    let address = match (p.host, p.path.as_slice()) {
        ("datawrapper.dwcdn.net", [id, ..]) => (format!("https://datawrapper.dwcdn.net/{id}/"), "Datawrapper"),
        ("flo.uri.sh" | "public.flourish.studio", [kind @ ("visualisation" | "story"), id, ..]) => {
            (format!("https://public.flourish.studio/{kind}/{id}/"), "Flourish")
        }
        ("slideshare.net", ["slideshow", "embed_code", ..]) => (p.url.as_str().to_owned(), "SlideShare"),
        ("speakerdeck.com", ["player", ..]) => (p.url.as_str().to_owned(), "Speaker Deck"),
        _ => return None,
    };
    Some(address)
}

/// Posts of Mastodon and videos of PeerTube, on any host.
fn federated(p: &Parts<'_>) -> Option<(String, &'static str)> {
    match p.path.as_slice() {
        [user, id, "embed"] if user.starts_with('@') && is_number(id) => {
            Some((format!("https://{}/{user}/{id}", p.url.host_str()?), "Mastodon"))
        }
        ["videos", "embed", id] if is_name(id) && id.len() > 20 => {
            Some((format!("https://{}/videos/watch/{id}", p.url.host_str()?), "PeerTube"))
        }
        _ => None,
    }
}
