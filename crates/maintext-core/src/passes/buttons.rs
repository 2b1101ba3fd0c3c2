//! Drops the labels of single buttons: "Reply" below a comment, "Print" in a recipe, in any language.
use super::accordions;
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::image::is_share;

/// Maximum number of words of a line of buttons.
const MAX_WORDS: u32 = 7;
/// Probability of content from which a button stays: "Graphics" opens the explanation of that fact.
const SURE: f32 = 0.75;
/// Words in the class names of links that act on the page itself.
const ACTIONS: [&str; 5] = ["jump", "skip", "print", "pin", "share"];
/// Addresses of links that lead to the beginning of the page, or to the form for comments.
const PLACES: [&str; 6] = ["#top", "#page-top", "#pagetop", "#totop", "#respond", "#commentform"];
/// Maximum number of characters of the label of a row of links that share the page.
const MAX_LABEL_CHARS: usize = 30;
/// Number of elements around a text among which its button or link is sought.
const MAX_LEVELS: usize = 4;

/// Drops kept blocks. `probabilities` has a value for each block if the method gives any.
pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    for (b, kept) in kept.iter_mut().enumerate().filter(|(_, kept)| **kept) {
        let block = &blocks.blocks[b];
        let leaves = blocks.leaves_of(block);
        let buttons_count = probabilities.is_none_or(|p| p[b] < SURE);
        let is_button = block.words <= MAX_WORDS
            && is_action(blocks.text(b))
            && leaves.iter().all(|leaf| is_in_control(dom, *leaf, buttons_count))
            && (accordions::pair(dom, blocks, b).is_none() || opens_nothing(dom, leaves));
        *kept = !is_button && (!buttons_count || !is_row_of_shares(dom, leaves));
    }
}

/// Whether texts are links that share the page, but for one, their label. A paragraph that ends with such links is not a label.
fn is_row_of_shares(dom: &Dom<'_>, texts: &[NodeId]) -> bool {
    let (shares, others): (Vec<NodeId>, Vec<NodeId>) = texts.iter().partition(|&&text| is_in_share_link(dom, text));
    match others[..] {
        [] => !shares.is_empty(),
        [label] => shares.len() > 1 && dom.text_content(label).trim().chars().count() <= MAX_LABEL_CHARS,
        _ => false,
    }
}

fn is_in_share_link(dom: &Dom<'_>, text: NodeId) -> bool {
    let link = dom.ancestors(text).take(MAX_LEVELS).find(|&n| dom.tag(n) == Tag::A);
    let address = link.and_then(|link| dom.attribute(link, Attr::HREF));
    address.is_some_and(|address| address.contains("://") && is_share(address))
}

/// Whether a text lacks a number, as in offers and choices, and a question mark. The duration of a recording is not such a number.
fn is_action(text: &str) -> bool {
    let has_number = text.split(' ').any(|word| word.contains(char::is_numeric) && !is_duration(word));
    !has_number && !text.ends_with(['?', '？', '؟'])
}

fn is_duration(word: &str) -> bool {
    word.contains(':') && word.chars().all(|c| c.is_ascii_digit() || c == ':')
}

/// Whether a text is in a link that acts on the page, in a button that sends a form or, if buttons count, in any button; controls that open a
/// part of the page and controls in headings do not count.
fn is_in_control(dom: &Dom<'_>, text: NodeId, buttons_count: bool) -> bool {
    let mut around = dom.ancestors(text).take(MAX_LEVELS);
    let control = around.find(|&n| match dom.tag(n) {
        Tag::BUTTON => buttons_count || accordions::sends_form(dom, n),
        _ => acts_on_page(dom, n),
    });
    let Some(control) = control else { return false };
    !opens_part(dom, control)
        && !around.any(|n| dom.tag(n).heading_level().is_some() || matches!(dom.tag(n), Tag::SUMMARY | Tag::DT))
}

/// Whether a control opens a part of the page.
pub(super) fn opens_part(dom: &Dom<'_>, control: NodeId) -> bool {
    dom.attributes_named(control).any(|(_, name, value)| match name {
        "aria-expanded" | "aria-controls" | "data-toggle" | "data-bs-toggle" | "data-target" | "data-bs-target" => true,
        "role" => value == "tab",
        _ => false,
    })
}

/// Whether a text is in the button of a carousel or in a link that acts on the page. Either precedes the slides or the text, as the title of a
/// panel precedes the panel.
fn opens_nothing(dom: &Dom<'_>, leaves: &[NodeId]) -> bool {
    let mut around = leaves.first().into_iter().flat_map(|leaf| dom.ancestors(*leaf).take(MAX_LEVELS));
    around.any(|n| acts_on_page(dom, n) || dom.class_words(n).any(|word| ["prev", "next", "arrow"].contains(&word)))
}

/// Whether a link acts on the page instead of leading to another.
fn acts_on_page(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.tag(n) == Tag::A
        && (dom.class_words(n).any(|word| ACTIONS.contains(&word))
            || dom.attribute(n, Attr::HREF).is_some_and(|href| PLACES.contains(&href) || prints(href)))
}

/// Whether an address is a script that prints the page.
fn prints(href: &str) -> bool {
    href.starts_with("javascript:") && href.contains("print(")
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn labels_of_buttons_go_and_titles_of_panels_and_offers_stay() {
        let kept = |button: &str| {
            let html = format!("<p>We left early, and the road was empty.</p><div>{button}</div><p>It rained.</p>");
            crate::passes::choice_after(&html, "+++", |dom, blocks, kept| apply(dom, blocks, None, kept))
        };
        for button in [
            "<button class=x>Yanıtla</button>",
            "<button><span>Del</span></button>",
            "<a href='#top'>&lt; zurück nach oben</a>",
            "<a href='#respond'>Click here to leave a star rating!</a>",
            "<a href='javascript:window.print();'>Imprimer cette page</a>",
            "<button>Lytt til artikkelen <i>3:41</i></button>",
            "<a class=recipe-print href=/print/1>Print recept</a> <a class=recipe-pin href=/pin>Pin recept</a>",
        ] {
            assert_eq!(kept(button), "+-+", "{button}");
        }
        for button in [
            "<button>12 months, 49 €</button>",
            "<button>How long does it take?</button>",
            "<h3><button>Delivery</button></h3>",
            "<button aria-expanded=false>Delivery</button>",
            "<button role=tab>Delivery</button>",
            "<a href='#results'>Results</a>",
            "<a href='javascript:show(3)'>Results</a>",
        ] {
            assert_eq!(kept(button), "+++", "{button}");
        }
    }

    #[test]
    fn links_that_share_the_page_go_with_their_label() {
        let kept = |row: &str| {
            let html = format!("<p>We left early, and the road was empty.</p><div>{row}</div><p>It rained.</p>");
            crate::passes::choice_after(&html, "+++", |dom, blocks, kept| apply(dom, blocks, None, kept))
        };
        let [a, b] = ["https://facebook.example/sharer?u=x", "https://wa.me/?text=x"];
        assert_eq!(kept(&format!("<span>Compartir</span> <a href={a}>Facebook</a> <a href={b}>WhatsApp</a>")), "+-+");
        assert_eq!(kept(&format!("<a href={a}><i></i>Facebook</a>")), "+-+");
        assert_eq!(kept(&format!("Ask us on <a href={b}>WhatsApp</a>")), "+++");
        let paragraph = format!("The road was empty when we left. <a href={a}>Facebook</a> <a href={b}>WhatsApp</a>");
        assert_eq!(kept(&paragraph), "+++");
        assert_eq!(kept("<a href=/share/report>The report</a> <a href=/share/map>The map</a>"), "+++");
    }

    #[test]
    fn a_link_that_jumps_over_a_part_is_not_the_title_of_the_next() {
        let kept = |link: &str| {
            let html = format!("<main>{link}<div><p>We left early, and the road was empty.</p></div></main>");
            crate::passes::choice_after(&html, "++", |dom, blocks, kept| apply(dom, blocks, None, kept))
        };
        assert_eq!(kept("<a class=page-jump-link href='#menu'>Do nawigacji</a>"), "-+");
        assert_eq!(kept("<a class=skip-link href='#menu'>Do nawigacji</a>"), "-+");
        assert_eq!(kept("<a class=toggle href='#answer'>Do nawigacji</a>"), "++");
    }

    #[test]
    fn a_button_that_sends_a_form_goes_however_probable_its_label_is() {
        let kept = |button: &str| {
            let html = format!("<p>We left early, and the road was empty.</p><div>{button}</div><p>It rained.</p>");
            crate::passes::choice_after(&html, "+++", |dom, blocks, kept| {
                apply(dom, blocks, Some(&[0.9, 0.9, 0.9]), kept);
            })
        };
        for attributes in ["type=submit name=add", "class=add-to-cart", "class=product-form__submit"] {
            assert_eq!(kept(&format!("<button {attributes}>ใส่รถเข็น</button>")), "+-+", "{attributes}");
        }
        for attributes in ["", "type=button class=topic", "type=submit aria-expanded=false"] {
            assert_eq!(kept(&format!("<button {attributes}>Graphics</button>")), "+++", "{attributes}");
        }
    }
}
