//! The lead image and the videos.
use crate::metadata::layout::Layout;
use crate::metadata::sources::facts::region;
use crate::metadata::sources::jsonld::Graph;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::image::{MIN_NAME_BYTES, card, image_source, picture_name, size_in};
use maintext_page::lexicon::lexicon;

/// Minimum width and height, in pixels, of a lead image; smaller images are icons and portraits.
const MIN_SIDE_PIXELS: u32 = 150;
/// A wider image than this many times its height, or the reverse, is a banner.
const MAX_SIDE_RATIO: u32 = 5;
/// Maximum number of images that are compared.
const MAX_IMAGES: usize = 60;

/// Width and height in pixels, if the page states them.
type Size = (Option<u32>, Option<u32>);

/// A possible lead image.
struct Seen {
    url: String,
    /// Number of statements of the page that name it.
    statements: u32,
    /// Whether the content shows it.
    shown: bool,
    size: Size,
}

impl Seen {
    /// Returns the rank of the image: how many statements agree on it, whether the content shows it, and how large it is. `None` if its
    /// size or shape is wrong for a lead image.
    fn score(&self) -> Option<u32> {
        let (w, h) = self.size;
        if is_small(w) || is_small(h) || w.zip(h).is_some_and(|(w, h)| w > MAX_SIDE_RATIO * h || h > MAX_SIDE_RATIO * w)
        {
            return None;
        }
        let area = u64::from(w.unwrap_or(500)) * u64::from(h.unwrap_or(300));
        let large = [150_000, 300_000].iter().filter(|a| area >= **a).count() as u32;
        Some(4 * self.statements.min(3) + 3 * self.shown as u32 + large)
    }
}

/// The possible lead images of a page.
struct LeadImages {
    logos: Vec<String>,
    seen: Vec<Seen>,
    /// The name of each picture seen.
    names: Vec<String>,
}

impl LeadImages {
    /// Adds an image that is neither a logo nor a decoration. If it is known, adds what is new about it.
    fn add(&mut self, mut image: Seen) {
        if self.logos.contains(&image.url) || is_decoration(&image.url) {
            return;
        }
        if image.size == (None, None) {
            image.size = size_in(&image.url).unzip();
        }
        let name = picture_name(&image.url);
        let is_same =
            |(s, known): (&Seen, &String)| s.url == image.url || name.len() >= MIN_NAME_BYTES && known == name;
        if let Some(at) = self.seen.iter().zip(&self.names).position(is_same) {
            let known = &mut self.seen[at];
            known.statements += image.statements;
            known.shown |= image.shown;
            if known.size == (None, None) {
                known.size = image.size;
            }
        } else if self.seen.len() < MAX_IMAGES {
            self.names.push(name.to_owned());
            self.seen.push(image);
        }
    }
}

fn is_small(side: Option<u32>) -> bool {
    side.is_some_and(|s| s < MIN_SIDE_PIXELS)
}

/// Returns the address of the lead image: the one that most statements of the page agree on, that the content shows and that is large.
/// Logos, buttons and icons are never lead images, even if the page declares them.
pub fn lead(page: &Layout<'_>) -> Option<String> {
    let mut images = LeadImages { logos: logos(page), seen: Vec::new(), names: Vec::new() };
    let og_size = (declared_side(page, "width"), declared_side(page, "height"));
    // The first image of each family of statements; a gallery names many more.
    for (i, family) in [
        &["og:image:secure_url", "og:image", "og:image:url"][..],
        &["twitter:image", "twitter:image:src"],
        &["image", "thumbnail", "parsely-image-url", "sailthru.image.full"],
    ]
    .into_iter()
    .enumerate()
    {
        let mut urls = family.iter().flat_map(|k| page.metas(k)).filter_map(|c| page.address(c));
        let size = if i == 0 { og_size } else { (None, None) };
        if let Some(url) = urls.next() {
            images.add(Seen { url, statements: 1, shown: false, size });
        }
        urls.take(8).for_each(|url| images.add(Seen { url, statements: 0, shown: false, size: (None, None) }));
    }
    let mut works = structured(page);
    if let Some(url) = works.next() {
        images.add(Seen { url, statements: 1, shown: false, size: (None, None) });
    }
    works.take(8).for_each(|url| images.add(Seen { url, statements: 0, shown: false, size: (None, None) }));
    for &n in
        page.links.iter().filter(|&&n| page.dom.attr(n, "rel").is_some_and(|r| r.eq_ignore_ascii_case("image_src")))
    {
        if let Some(url) = page.dom.attr(n, "href").and_then(|h| page.address(h)) {
            images.add(Seen { url, statements: 1, shown: false, size: (None, None) });
        }
    }
    // Most pages declare one picture, and name it everywhere.
    if !matches!(images.seen.as_slice(), [only] if only.score().is_some()) {
        for (url, size) in shown(page) {
            images.add(Seen { url, statements: 0, shown: true, size });
        }
    }
    // Among equals the first wins: they are in order of trust.
    let best = images.seen.iter().filter_map(|s| Some((s.score()?, s))).reduce(|a, b| if b.0 > a.0 { b } else { a });
    best.map(|(_, s)| s.url.clone())
}

fn declared_side(page: &Layout<'_>, side: &str) -> Option<u32> {
    page.meta(&[&format!("og:image:{side}")]).and_then(|v| pixels(&v))
}

fn pixels(text: &str) -> Option<u32> {
    text.trim().trim_end_matches("px").parse().ok()
}

/// Returns the addresses in a property of an object of the page's JSON-LD.
fn addresses<'a>(page: &'a Layout<'_>, object: u32, property: &str) -> impl Iterator<Item = String> + use<'a> {
    page.graph().values(object, property).into_iter().filter_map(|v| page.address(page.graph().address(v)?))
}

fn structured<'a>(page: &'a Layout<'_>) -> impl Iterator<Item = String> + 'a {
    let works = page.graph().things.iter().filter(|t| t.depth <= 1 && Graph::is_work(&t.kind));
    works.flat_map(|t| addresses(page, t.id, "image"))
}

/// Returns the images that the page declares as logos.
fn logos(page: &Layout<'_>) -> Vec<String> {
    page.graph().things.iter().flat_map(|t| addresses(page, t.id, "logo")).take(20).collect()
}

/// Returns whether the file's name marks a logo, a button or another part of the interface.
fn is_decoration(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let file = path.rsplit('/').next().unwrap_or("");
    url.starts_with("data:") || file.to_ascii_lowercase().ends_with(".svg") || names_decoration(file)
}

/// Words in the names of logos and of parts of the interface.
const DECORATIONS: &[&str] = lexicon!("decorations.txt");

fn names_decoration(text: &str) -> bool {
    let mut found = false;
    crate::metadata::text::tokens(text, |t| {
        let t = t.trim_end_matches(|c: char| c.is_ascii_digit());
        found |= DECORATIONS.contains(&t);
    });
    found
}

/// Returns the addresses of the videos: from metadata, and of players between the heading and the end of the content.
pub fn videos(page: &Layout<'_>) -> Vec<String> {
    let metas = ["og:video:secure_url", "og:video", "og:video:url", "twitter:player"];
    let mut out: Vec<String> = metas.iter().flat_map(|k| page.metas(k)).filter_map(|c| page.address(c)).collect();
    for t in page.graph().things.iter().filter(|t| t.kind == "VideoObject" && t.depth <= 1).take(20) {
        let url = ["embedUrl", "contentUrl"].iter().find_map(|p| page.graph().text(t.id, p));
        out.extend(url.and_then(|u| page.address(u)));
    }
    let (first, last) = page.content;
    let from = page.heading.map_or(first, |h| h.min(first));
    for m in page.blocks.media.iter().filter(|m| m.position >= from && m.position <= last + 1) {
        let dom = page.dom;
        let src = match dom.tag(m.node) {
            Tag::VIDEO => dom.attr(m.node, "src").or_else(|| dom.descendants(m.node).find_map(|n| dom.attr(n, "src"))),
            // A frame is a player if its address or its permissions suggest it.
            Tag::IFRAME => {
                let src = dom.attr(m.node, "src").or_else(|| dom.attr(m.node, "data-src"));
                let full = dom.attrs(m.node).any(|(name, _)| name == "allowfullscreen");
                src.filter(|s| full || s.contains("/embed") || s.contains("player") || s.contains("video"))
            }
            _ => None,
        };
        out.extend(src.and_then(|s| page.address(s)));
    }
    let mut seen = maintext_page::hash::HashSet::default();
    out.retain(|u| seen.insert(u.clone()));
    out.truncate(50);
    out
}

/// Returns the images from the heading to the end of the content, with their stated sizes. Images in links to the front page, in buttons,
/// with the classes of logos, and those shown several times are parts of the interface.
fn shown(page: &Layout<'_>) -> Vec<(String, Size)> {
    let (first, last) = page.content;
    let from = page.heading.map_or(first, |h| h.min(first)).saturating_sub(2);
    let dom = page.dom;
    let mut found: Vec<(String, Size)> = Vec::new();
    let mut repeated: Vec<String> = Vec::new();
    for m in &page.blocks.media {
        let in_range = m.position >= from && m.position <= last + 1;
        let outside = page.regions[m.element as usize] & (region::NAV | region::FOOTER | region::ASIDE) != 0;
        if dom.tag(m.node) != Tag::IMG
            || !in_range
            || outside
            || card(dom, page.blocks, m).is_some()
            || found.len() >= MAX_IMAGES
            || is_part_of_interface(page, m.node)
        {
            continue;
        }
        let Some(url) = image_source(dom, m.node, page.base) else { continue };
        if found.iter().any(|f| f.0 == url) {
            repeated.push(url);
        } else {
            found
                .push((url, (dom.attr(m.node, "width").and_then(pixels), dom.attr(m.node, "height").and_then(pixels))));
        }
    }
    found.retain(|f| repeated.iter().filter(|r| **r == f.0).count() < 2);
    found
}

fn is_part_of_interface(page: &Layout<'_>, img: NodeId) -> bool {
    let dom = page.dom;
    std::iter::once(img).chain(dom.ancestors(img).take(3)).any(|n| {
        dom.tag(n) == Tag::BUTTON
            || ["class", "id", "alt"].iter().any(|a| dom.attr(n, a).is_some_and(names_decoration))
            || n != img && names_person(dom, n)
            || dom.tag(n) == Tag::A && dom.attr(n, "href").is_some_and(|href| page.leads_home(href))
    })
}

/// Whether a class names a part about the author, which may hold a portrait.
fn names_person(dom: &Dom<'_>, n: NodeId) -> bool {
    const PERSONS: [&str; 5] = ["author", "byline", "profile", "follow", "bio"];
    dom.class_words(n).any(|word| PERSONS.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::tests::layout_of;

    const TEXT: &str =
        "<p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>";

    fn lead_of(head: &str, body: &str) -> Option<String> {
        let mut out = None;
        let base = "<base href=https://example.org/>";
        layout_of(&format!("{base}{head}<body><h1>A walk in the hills</h1>{body}{TEXT}"), |page| out = lead(page));
        out
    }

    #[test]
    fn a_logo_or_a_button_is_never_the_lead_image() {
        let og = |url: &str| format!("<meta property=og:image content=https://example.org/{url}>");
        for url in
            ["img/site-logo.png", "btn/share-button.png", "logo_2x.jpg", "i/favicon-32x32.png", "a/avatar.jpg", "x.svg"]
        {
            assert_eq!(lead_of(&og(url), ""), None, "{url}");
        }
        let buttons = "<button><img src=https://example.org/press.png></button><a href=https://example.org/><img src=https://example.org/us.png></a><img class=header-logo src=https://example.org/we.png>";
        assert_eq!(lead_of("", buttons), None);
        let photo = format!("{buttons}<img src=https://example.org/fog.jpg width=800 height=500>");
        assert_eq!(lead_of(&og("img/site-logo.png"), &photo).as_deref(), Some("https://example.org/fog.jpg"));
    }

    #[test]
    fn statements_that_agree_outrank_the_first_one() {
        let head = "<meta property=og:image content=https://example.org/everywhere.jpg><meta name=twitter:image content=https://example.org/fog-over-hills.jpg>\
            <link rel=image_src href=https://example.org/fog-over-hills.jpg>";
        let body = "<img src=https://example.org/fog-over-hills-800x600.jpg>";
        assert_eq!(lead_of(head, body).as_deref(), Some("https://example.org/fog-over-hills.jpg"));
        let small =
            "<meta property=og:image content=https://example.org/tiny.jpg><meta property=og:image:width content=60>";
        let body = "<img src=https://example.org/fog.jpg width=800 height=500>";
        assert_eq!(lead_of(small, body).as_deref(), Some("https://example.org/fog.jpg"));
        // Smaller pictures in the text do not displace the one that the page declares.
        let head = "<meta property=og:image content=https://example.org/fog.jpg>";
        let body = "<img src=https://example.org/map.png width=300 height=200>";
        assert_eq!(lead_of(head, body).as_deref(), Some("https://example.org/fog.jpg"));
    }
}
