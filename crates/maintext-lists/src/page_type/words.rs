//! The words of a page, by their place on it.
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::{FNV, fnv};
use maintext_page::signs::PageSigns;
use maintext_reading::method::View;
use url::Url;

/// The places of words: names in the markup, the address, the title and main heading, short texts, declarations, the content.
pub const PLACES: [&str; 6] = ["markup", "address", "title", "labels", "declared", "prose"];

/// Hashes of the distinct words of each of [`PLACES`], sorted.
pub type Words = [Vec<u32>; PLACES.len()];

/// A block with fewer words is a label.
const MIN_PROSE_WORDS: u32 = 8;
/// Maximum number of labels that are read.
const MAX_LABELS: usize = 1000;
/// Maximum number of words of a title that are read.
const MAX_TITLE_WORDS: usize = 40;
/// Maximum number of words of the content that are read.
const MAX_PROSE_WORDS: usize = 3000;

/// Returns the hash of a word in a place; the same word has another hash in each place.
fn place(mark: u32, word: &str) -> u32 {
    word.bytes().fold(fnv(FNV, mark), |h, b| fnv(h, u32::from(b.to_ascii_lowercase())))
}

/// Adds the words of a text, in lower case, that have at least `shortest` bytes; at most `most` words.
fn add_words(text: &str, mark: u32, shortest: usize, most: usize, out: &mut Vec<u32>) {
    let start = fnv(FNV, mark);
    let (before, end) = (out.len(), out.len().saturating_add(most));
    let (mut hash, mut length) = (start, 0);
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() {
            (hash, length) = (fnv(hash, u32::from(c.to_ascii_lowercase())), length + 1);
        } else if c.is_ascii() || !c.is_alphanumeric() {
            if length >= shortest && length > 0 {
                if out.len() >= end {
                    return;
                }
                out.push(hash);
            }
            (hash, length) = (start, 0);
        } else if matches!(c, 'Σ' | 'İ') {
            // The lower case of a sigma depends on the letters around it; the lower case of `İ` includes a mark that is not a letter.
            out.truncate(before);
            let lower = text.to_lowercase();
            let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() >= shortest.max(1));
            return out.extend(words.take(most).map(|w| place(mark, w)));
        } else {
            for c in c.to_lowercase() {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).as_bytes();
                (hash, length) = (bytes.iter().fold(hash, |h, b| fnv(h, u32::from(*b))), length + bytes.len());
            }
        }
    }
}

/// Reads the words of a page with the given content blocks.
pub(super) fn words(view: &View<'_>, url: Option<&Url>, signs: &PageSigns, kept: &[bool]) -> Words {
    let mut out: Words = [
        view.blocks.names(view.dom).distinct(),
        url.map(address).unwrap_or_default(),
        title(view.dom),
        labels(view.blocks),
        declared(view.dom, signs),
        prose(view.blocks, kept),
    ];
    for words in &mut out {
        words.sort_unstable();
        words.dedup();
    }
    out
}

fn address(url: &Url) -> Vec<u32> {
    let lower = (url.host_str().unwrap_or("").to_owned() + url.path()).to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| w.len() > 1);
    let mut out: Vec<u32> = words.map(|w| place(1, w)).collect();
    let segments: Vec<&str> = url.path().split('/').filter(|s| !s.is_empty()).collect();
    let (first, last) = (segments.first(), segments.last());
    out.extend(first.map(|s| place(5, s)).into_iter().chain(last.map(|s| place(6, s))));
    out.extend(url.query_pairs().take(10).map(|(k, _)| place(7, &k)));
    out
}

fn title(dom: &Dom<'_>) -> Vec<u32> {
    let mut out = Vec::new();
    for (n, mark) in [(dom.title(), 2), (dom.find(NodeId::ROOT, Tag::H1), 3)] {
        let text = n.map(|n| dom.text_content(n).to_lowercase()).unwrap_or_default();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
        out.extend(words.take(MAX_TITLE_WORDS).map(|w| place(mark, w)));
    }
    out
}

/// Returns the words of short texts: headings, buttons, labels. They name what a page offers.
fn labels(blocks: &Blocks) -> Vec<u32> {
    let mut out = Vec::new();
    for i in (0..blocks.len()).filter(|&i| blocks.blocks[i].words < MIN_PROSE_WORDS).take(MAX_LABELS) {
        add_words(blocks.text(i), 4, 2, usize::MAX, &mut out);
    }
    out
}

/// Returns the words of the content: a shop writes "we" and "your", an article "said".
fn prose(blocks: &Blocks, kept: &[bool]) -> Vec<u32> {
    let mut out = Vec::new();
    for i in (0..blocks.len()).filter(|&i| kept[i] && blocks.blocks[i].words >= MIN_PROSE_WORDS) {
        let left = MAX_PROSE_WORDS - out.len();
        add_words(blocks.text(i), 8, 1, left, &mut out);
    }
    out
}

/// Returns the declarations to machines: names of `<meta>` and `<link>`, types of schema.org, the generator, classes of the body, names of
/// form fields and custom elements.
fn declared(dom: &Dom<'_>, signs: &PageSigns) -> Vec<u32> {
    let mut out = Vec::new();
    signs.declaring.iter().for_each(|&n| declaration(dom, n, &mut out));
    out
}

fn declaration(dom: &Dom<'_>, n: NodeId, out: &mut Vec<u32>) {
    let attr = |name: Attr| dom.attribute(n, name).unwrap_or("");
    match dom.tag(n) {
        Tag::META => {
            let name = dom.attribute(n, Attr::PROPERTY).or_else(|| dom.attribute(n, Attr::NAME)).unwrap_or("");
            out.push(place(10, name));
            match name {
                "generator" => {
                    let words = attr(Attr::CONTENT).split(|c: char| !c.is_ascii_alphabetic()).filter(|w| w.len() > 1);
                    out.extend(words.take(4).map(|w| place(11, w)));
                }
                "og:type" => out.push(place(12, attr(Attr::CONTENT))),
                _ => {}
            }
        }
        Tag::LINK => out.push(place(13, attr(Attr::REL))),
        Tag::BODY | Tag::HTML => {
            let names = attr(Attr::CLASS).split_ascii_whitespace().chain(std::iter::once(attr(Attr::ID)));
            out.extend(names.filter(|w| !w.is_empty()).take(40).map(|w| place(14, w)));
        }
        Tag::INPUT | Tag::SELECT | Tag::BUTTON | Tag::TEXTAREA => {
            out.push(place(15, attr(Attr::NAME)));
            out.push(place(16, attr(Attr::TYPE)));
        }
        Tag::FORM => {
            let action = attr(Attr::ACTION).split(|c: char| !c.is_ascii_alphabetic()).filter(|w| w.len() > 1);
            out.extend(action.take(10).map(|w| place(17, w)));
        }
        Tag::SCRIPT if attr(Attr::TYPE).eq_ignore_ascii_case("application/ld+json") => {
            types(dom.first_child(n).map_or("", |t| dom.text(t)), out);
        }
        Tag::A => {
            if let Some((scheme @ ("tel" | "mailto" | "javascript"), _)) = attr(Attr::HREF).split_once(':') {
                out.push(place(18, scheme));
            }
            out.extend(attr(Attr::REL).split_ascii_whitespace().map(|w| place(19, w)));
        }
        Tag::OTHER => {
            let name = dom.tag_name(n);
            if name.contains('-') {
                out.extend(name.split('-').filter(|w| w.len() > 1).map(|w| place(20, w)));
            }
        }
        _ => {}
    }
    if let Some(t) = dom.attribute(n, Attr::ITEMTYPE) {
        out.push(place(21, t.rsplit(['/', '#']).next().unwrap_or(t)));
    }
}

/// Collects the values of "@type" in JSON-LD, without a parser, so that broken scripts still name their types. A type that occurs three
/// times or more has a second hash: a list has many products, a product page one.
fn types(json: &str, out: &mut Vec<u32>) {
    let mut seen: Vec<u32> = Vec::new();
    for at in memchr::memmem::find_iter(json.as_bytes(), b"\"@type\"").take(500) {
        let rest = json.get(at + 7..).unwrap_or("");
        let end = rest.bytes().position(|b| matches!(b, b',' | b'}' | b']')).unwrap_or(rest.len()).min(400);
        let words = rest.get(..end).unwrap_or("").split(|c: char| !c.is_ascii_alphanumeric());
        seen.extend(words.filter(|w| !w.is_empty()).map(|w| place(21, w)));
    }
    seen.sort_unstable();
    for same in seen.chunk_by(|a, b| a == b) {
        out.push(same[0]);
        if same.len() > 2 {
            out.push(fnv(same[0], 3));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str, url: Option<&str>) -> Words {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kept = vec![true; blocks.len()];
        let view = View { source: html, dom: &dom, blocks: &blocks, url };
        words(&view, url.and_then(|u| Url::parse(u).ok()).as_ref(), blocks.signs(&dom), &kept)
    }

    fn has(words: &[u32], mark: u32, names: &[&str]) -> Vec<bool> {
        names.iter().map(|w| words.contains(&place(mark, w))).collect()
    }

    #[test]
    fn words_are_kept_by_place() {
        let html = "<title>Our prices</title><h1>Prices</h1><button>Buy now</button>\
                    <p>We repair every kind of boat that floats, and a few that do not.";
        let url = "https://shop.example.org/services/boat-repair?page=2";
        let [_, address, title, labels, _, prose] = of(html, Some(url));
        assert_eq!(has(&address, 1, &["shop", "repair", "prices"]), [true, true, false]);
        assert_eq!((has(&address, 5, &["services"]), has(&address, 6, &["boat-repair"])), (vec![true], vec![true]));
        assert_eq!(has(&address, 7, &["page"]), [true]);
        assert_eq!((has(&title, 2, &["our"]), has(&title, 3, &["our", "prices"])), (vec![true], vec![false, true]));
        assert_eq!(has(&labels, 4, &["buy", "prices", "boat"]), [true, true, false]);
        assert_eq!(has(&prose, 8, &["we", "boat", "buy"]), [true, true, false]);
    }

    #[test]
    fn declarations_are_read() {
        let offer = r#"{"@type": "Offer"}"#;
        let json = format!(r#"{{"@type": ["ItemList"], "x": [{offer},{offer},{offer}]}}"#);
        let html = format!(
            r#"<meta name=generator content="WooCommerce 8.1"><meta property="og:type" content="product">
            <link rel=next href=/2><script type="application/ld+json">{json}</script>
            <body class="single-product"><form action="/cart/add"><input name=quantity type=number></form>
            <a href="tel:+1">Call</a><x-comment-tree>x</x-comment-tree><p itemtype="https://schema.org/Product">y"#
        );
        let declared = &of(&html, None)[4];
        let all = [(10, "generator"), (11, "WooCommerce"), (12, "product"), (13, "next"), (14, "single-product")];
        all.iter().for_each(|(mark, w)| assert!(declared.contains(&place(*mark, w)), "{w}"));
        let all = [(15, "quantity"), (16, "number"), (17, "cart"), (18, "tel"), (20, "comment"), (21, "ItemList")];
        all.iter().for_each(|(mark, w)| assert!(declared.contains(&place(*mark, w)), "{w}"));
        assert_eq!(has(declared, 21, &["Product", "Offer", "Recipe"]), [true, true, false]);
        // Many offers are a list.
        let many = |w: &str| declared.contains(&fnv(place(21, w), 3));
        assert!(many("Offer") && !many("ItemList"));
    }

    #[test]
    fn words_in_any_script_are_those_of_the_text_in_lower_case() {
        for text in ["It’s 3 o'clock — ÉTÉ", "ΟΔΟΣ ΚΑΙ ΣΟΦΙΑ", "İstanbul’da", "吃饭 x Ⅷ ⓐ", "", "a", "ﬁ ŐZ K"]
        {
            for (shortest, most) in [(1, usize::MAX), (2, usize::MAX), (1, 2)] {
                let lower = text.to_lowercase();
                let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() >= shortest);
                let expected: Vec<u32> = words.take(most).map(|w| place(4, w)).collect();
                let mut out = vec![7];
                add_words(text, 4, shortest, most, &mut out);
                assert_eq!(out[1..], expected, "{text}");
            }
        }
    }

    #[test]
    fn prose_is_limited() {
        let words: String = (0..9000).map(|i| format!("w{i} ")).collect();
        assert_eq!(of(&format!("<p>{words}<p>{words}"), None)[5].len(), MAX_PROSE_WORDS);
    }
}
