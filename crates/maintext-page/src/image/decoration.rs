//! Images that decorate a page or serve its interface: icons, portraits, buttons to share, marks of advertisements.
use crate::dom::{Dom, NodeId, Tag};
use crate::lexicon::lexicon;

/// Maximum number of pixels of the longer side of an icon.
const MAX_ICON_PX: u32 = 32;
/// Maximum number of pixels of the longer side of a small image, which is an icon or a portrait if it has the name of one.
const MAX_SMALL_PX: u32 = 160;
/// Elements around an image whose names are read.
const MAX_LEVELS: usize = 3;

/// Words of names that mark a decoration of any size.
const DECORATION_WORDS: &[&str] = lexicon!("decorations.txt");
/// Words of names that mark a decoration if the image is small or drawn in lines.
const SMALL_DECORATION_WORDS: [&str; 16] = [
    "icon", "icons", "ico", "logo", "logos", "share", "social", "author", "button", "btn", "arrow", "bullet", "badge",
    "profile", "portrait", "loading",
];
/// Parts of addresses to which buttons to share lead.
const SHARE_ADDRESSES: &[&str] = lexicon!("share-addresses.txt");

/// Whether an image decorates the page, by its size, names and link.
pub fn is_decoration(dom: &Dom, img: NodeId) -> bool {
    let (width, height) = (side(dom, img, "width"), side(dom, img, "height"));
    let longest = match (width, height) {
        (Some(w), Some(h)) => Some(w.max(h)),
        (w, h) => w.or(h),
    };
    let alt = dom.attr(img, "alt").map(str::trim).unwrap_or("");
    let (icon, small) = (longest.is_some_and(|l| l <= MAX_ICON_PX), longest.is_some_and(|l| l <= MAX_SMALL_PX));
    if icon
        && width.is_some()
        && height.is_some()
        && alt.is_empty()
        && !dom.attr(img, "style").is_some_and(|s| s.contains("width"))
    {
        return true;
    }
    if has_word(alt, &["advertisement", "avatar", "headshot", "spacer"]) && alt.len() < 40 {
        return true;
    }
    let src = dom.attr(img, "src").unwrap_or("");
    let address = src.split(['?', '#']).next().unwrap_or("");
    let names = [dom.attr(img, "class").unwrap_or(""), dom.attr(img, "id").unwrap_or(""), file(address)];
    if names.iter().any(|name| has_word(name, DECORATION_WORDS)) || src.contains("gravatar.com/") {
        return true;
    }
    if names.iter().any(|name| has_word(name, &["avatar", "avatars"])) && longest.is_none_or(|l| l <= MAX_SMALL_PX) {
        return true;
    }
    let drawn = is_drawn(address);
    if (small || drawn) && names.iter().any(|name| has_word(name, &SMALL_DECORATION_WORDS)) {
        return true;
    }
    if is_advertisement(dom, img) {
        return true;
    }
    dom.ancestors(img).take(MAX_LEVELS).any(|n| match dom.tag(n) {
        Tag::A => dom.attr(n, "href").is_some_and(|address| {
            matches!(address, "/" | "/index.html")
                || is_share(address)
                || !is_large(dom, img) && (writes(address) || drawn && address.starts_with('#'))
        }),
        Tag::BUTTON => icon,
        _ => {
            small
                && dom.attr(n, "class").is_some_and(|c| has_word(c, &["avatar", "author", "byline", "share", "social"]))
        }
    })
}

/// Whether a picture is a link in a figure that is named an advertisement.
fn is_advertisement(dom: &Dom, img: NodeId) -> bool {
    const NAMES: [&str; 6] = ["ad", "ads", "advert", "advertisement", "advertising", "sponsored"];
    let around = dom.ancestors(img).take(MAX_LEVELS).skip_while(|n| dom.tag(*n) != Tag::A);
    around
        .filter(|n| dom.tag(*n) == Tag::FIGURE)
        .flat_map(|n| dom.class_words(n))
        .any(|word| NAMES.iter().any(|name| name.eq_ignore_ascii_case(word)))
}

/// Whether a link writes to somebody.
fn writes(address: &str) -> bool {
    ["mailto:", "tel:"].iter().any(|scheme| address.starts_with(scheme))
}

/// Whether an address names a placeholder instead of a picture.
pub fn is_placeholder(address: &str) -> bool {
    let name = file(address.split(['?', '#']).next().unwrap_or(""));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let drawn = ["gif", "svg", "png"].iter().any(|e| extension.eq_ignore_ascii_case(e));
    let first = stem.split(['-', '_', '.']).next().unwrap_or("");
    let last = stem.rsplit(['-', '_', '.']).next().unwrap_or("");
    drawn && (is_placeholder_name(first) || is_placeholder_name(last)) && stem.len() < 24
}

const NAMES: &[&str] = lexicon!("placeholder-images.txt");

fn is_placeholder_name(s: &str) -> bool {
    NAMES.iter().any(|n| n.eq_ignore_ascii_case(s))
}

/// Whether an image is too large for an icon or a portrait, by its stated size.
pub fn is_large(dom: &Dom, img: NodeId) -> bool {
    side(dom, img, "width").or_else(|| side(dom, img, "height")).is_some_and(|s| s >= MAX_SMALL_PX)
}

/// Whether an image may be a picture that opens a text: not a drawing in lines, a logo, or a small image.
pub fn may_be_picture(dom: &Dom, img: NodeId) -> bool {
    let src = dom.attr(img, "src").unwrap_or("");
    let address = src.split(['?', '#']).next().unwrap_or("");
    let small = ["width", "height"].into_iter().any(|name| side(dom, img, name).is_some_and(|s| s < MAX_SMALL_PX));
    let names = [dom.attr(img, "class"), dom.attr(img, "id"), dom.attr(img, "alt"), Some(file(address))];
    !small
        && !is_drawn(address)
        && !names.into_iter().flatten().any(|n| has_word(n, &["logo", "logos", "icon", "brand"]))
}

fn is_drawn(address: &str) -> bool {
    [".svg", ".gif", ".ico"].iter().any(|e| address.ends_with(e))
}

fn side(dom: &Dom, img: NodeId, name: &str) -> Option<u32> {
    dom.attr(img, name)?.trim().trim_end_matches("px").parse().ok()
}

/// Returns the last part of a path.
fn file(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or("")
}

/// Whether one of the words of a name is in the list.
fn has_word(name: &str, words: &[&str]) -> bool {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| p.len() > 2);
    parts.into_iter().any(|p| words.iter().any(|w| w.eq_ignore_ascii_case(p)))
}

/// Whether an address is one to which buttons lead that share a page.
pub fn is_share(href: &str) -> bool {
    /// Bytes of an address that are read: a link around many images may be long.
    const START: usize = 512;
    let href = &href[..href.floor_char_boundary(START)];
    SHARE_ADDRESSES.iter().any(|s| href.contains(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decorates(html: &str) -> bool {
        let dom = crate::dom::parse(html, &Default::default());
        is_decoration(&dom, dom.find(NodeId::ROOT, Tag::IMG).unwrap())
    }

    #[test]
    fn icons_portraits_and_buttons_decorate() {
        for html in [
            "<img src=a.png width=16 height=16>",
            "<img src=a.jpg class='user-avatar' width=96 height=96>",
            "<img src='https://secure.gravatar.com/avatar/0123?s=96'>",
            "<img src=/img/share-icon.svg>",
            "<img src=facebook.png width=40 class=social>",
            "<a href='https://www.facebook.com/sharer/sharer.php?u=x'><img src=fb.png></a>",
            "<a href='/'><img src=brand.png alt='The Gazette'></a>",
            "<div class=author-box><img src=ann.jpg width=80 height=80></div>",
            "<a href=mailto:ann@gazette.example><img src=letter.png alt=mail></a>",
            "<a href=#comments><img src=balloon.svg alt=Comments></a>",
            "<img src=x.png alt=Advertisement>",
            "<img src=/i/spacer.gif>",
            "<figure class=ad_figure><a href='https://e.org/shop'><img src=chair.jpg width=640></a></figure>",
        ] {
            assert!(decorates(html), "{html}");
        }
    }

    #[test]
    fn pictures_do_not_decorate() {
        for html in [
            "<img src=a.jpg>",
            "<img src=check.png width=16 height=16 alt=yes>",
            "<img src=logo.png width=600 alt='The new logo'>",
            "<a href=/big.jpg><img src=small.jpg></a>",
            "<a href=#big><img src=small.jpg></a>",
            "<img src=google-pixel-9.jpg alt='The phone'>",
            "<img src=author.jpg width=600 height=400 alt='The author at work'>",
            "<a href='https://e.org/story'><img src=teaser.jpg alt=Teaser></a>",
            "<figure class=ad_figure><img src=poster.jpg alt='A poster of 1920'></figure>",
            "<figure class=wide><a href='https://e.org/story'><img src=teaser.jpg></a></figure>",
        ] {
            assert!(!decorates(html), "{html}");
        }
    }

    #[test]
    fn placeholders_are_known_by_name() {
        for name in
            ["/img/blank.png", "https://e.org/a/lazy_placeholder.gif", "spinner.svg", "1x1.gif?x=2", "ajax-loader.gif"]
        {
            assert!(is_placeholder(name), "{name}");
        }
        for name in
            ["/img/loading-dock.jpg", "a/pixel-art.jpg", "placeholder-names-in-law-explained.png", "clear.jpg", ""]
        {
            assert!(!is_placeholder(name), "{name}");
        }
    }
}
