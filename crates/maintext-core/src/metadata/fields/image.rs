//! The lead image and the videos.
use crate::dom::{NodeId, Tag};
use crate::image::image_source;
use crate::metadata::sources::facts::{Facts, region};
use crate::metadata::sources::jsonld::Graph;

/// Least width and height, in pixels, of a lead image; smaller images are icons and portraits.
const SMALLEST: u32 = 150;

/// Returns the address of the lead image: the one in metadata unless it is a logo, else the first large image of the content.
pub(crate) fn lead(facts: &Facts<'_>) -> Option<String> {
    let metas = [
        "og:image:secure_url",
        "og:image",
        "og:image:url",
        "twitter:image",
        "twitter:image:src",
        "image",
        "thumbnail",
        "parsely-image-url",
        "sailthru.image.full",
    ];
    let logos = logos(facts);
    let from_meta = metas.iter().flat_map(|k| facts.metas(k)).filter_map(|c| facts.address(c));
    let link =
        facts.links.iter().filter(|&&n| facts.dom.attr(n, "rel").is_some_and(|r| r.eq_ignore_ascii_case("image_src")));
    let from_link = link.filter_map(|&n| facts.address(facts.dom.attr(n, "href")?));
    let real = |u: &String| !logos.contains(u) && !is_logo(u);
    let named: Vec<String> = from_meta.chain(structured(facts)).chain(from_link).collect();
    named.iter().find(|u| real(u)).cloned().or_else(|| largest(facts)).or_else(|| named.into_iter().next())
}

fn structured<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = String> + 'a {
    let works = facts.graph.things.iter().filter(|t| t.depth <= 1 && Graph::is_work(&t.kind));
    works.flat_map(|t| {
        let values = facts.graph.values(t.id, "image");
        values.into_iter().filter_map(|v| {
            let url = facts
                .graph
                .string(v)
                .or_else(|| facts.graph.text(v, "url"))
                .or_else(|| facts.graph.text(v, "contentUrl"))?;
            facts.address(url)
        })
    })
}

/// Returns the images that the page declares as logos.
fn logos(facts: &Facts<'_>) -> Vec<String> {
    let of = |id| {
        facts
            .graph
            .values(id, "logo")
            .into_iter()
            .filter_map(|v| facts.address(facts.graph.string(v).or_else(|| facts.graph.text(v, "url"))?))
    };
    facts.graph.things.iter().flat_map(|t| of(t.id)).take(20).collect()
}

fn is_logo(url: &str) -> bool {
    let file = url.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    let mut found = false;
    crate::metadata::text::tokens(file.split('?').next().unwrap_or(""), |t| {
        found |= matches!(t, "logo" | "placeholder" | "favicon" | "sprite" | "blank" | "avatar" | "icon");
    });
    found || file.ends_with(".svg")
}

/// Returns the addresses of the videos: those in metadata, and players between the heading and the end of the content.
pub(crate) fn videos(facts: &Facts<'_>) -> Vec<String> {
    let metas = ["og:video:secure_url", "og:video", "og:video:url", "twitter:player"];
    let mut out: Vec<String> = metas.iter().flat_map(|k| facts.metas(k)).filter_map(|c| facts.address(c)).collect();
    for t in facts.graph.things.iter().filter(|t| t.kind == "VideoObject" && t.depth <= 1).take(20) {
        let url = ["embedUrl", "contentUrl"].iter().find_map(|p| facts.graph.text(t.id, p));
        out.extend(url.and_then(|u| facts.address(u)));
    }
    let (first, last) = facts.content;
    let from = facts.heading.map_or(first, |h| h.min(first));
    for m in facts.blocks.media.iter().filter(|m| m.position >= from && m.position <= last + 1) {
        let dom = facts.dom;
        let src = match dom.tag(m.node) {
            Tag::VIDEO => {
                let source = || dom.descendants(m.node).find_map(|n| dom.attr(n, "src"));
                dom.attr(m.node, "src").or_else(source)
            }
            // A frame is a player if its address or its permissions suggest it.
            Tag::IFRAME => {
                let src = dom.attr(m.node, "src").or_else(|| dom.attr(m.node, "data-src"));
                let player = |s: &&str| s.contains("/embed") || s.contains("player") || s.contains("video");
                let full = dom.attrs(m.node).any(|(name, _)| name == "allowfullscreen");
                src.filter(|s| full || player(s))
            }
            _ => None,
        };
        out.extend(src.and_then(|s| facts.address(s)));
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|u| seen.insert(u.clone()));
    out.truncate(50);
    out
}

/// Returns the first large image from the heading to the end of the content, by the stated sizes.
fn largest(facts: &Facts<'_>) -> Option<String> {
    let (first, last) = facts.content;
    let from = facts.heading.map_or(first, |h| h.min(first)).saturating_sub(2);
    let mut best: Option<(u64, NodeId)> = None;
    for m in &facts.blocks.media {
        let in_range = m.position >= from && m.position <= last + 1;
        let outside = facts.regions[m.element as usize] & (region::NAV | region::FOOTER | region::ASIDE) != 0;
        if facts.dom.tag(m.node) != Tag::IMG || !in_range || outside {
            continue;
        }
        let side = |name| facts.dom.attr(m.node, name).and_then(|v| v.trim_end_matches("px").parse::<u32>().ok());
        let (w, h) = (side("width"), side("height"));
        if w.is_some_and(|w| w < SMALLEST) || h.is_some_and(|h| h < SMALLEST) {
            continue;
        }
        // An image without a stated size counts as medium-sized.
        let area = u64::from(w.unwrap_or(500)) * u64::from(h.unwrap_or(300));
        let real = image_source(facts.dom, m.node, facts.base).is_some_and(|s| !is_logo(&s) && !s.starts_with("data:"));
        if real && best.is_none_or(|(a, _)| area > a) {
            best = Some((area, m.node));
        }
    }
    best.and_then(|(_, n)| image_source(facts.dom, n, facts.base))
}
