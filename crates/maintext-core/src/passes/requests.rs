//! Drops the boxes that ask a visitor for something: for an address, to send a newsletter, for money, or, above the main
//! heading, for consent.
use super::buttons::opens_part;
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_page::lexicon::lexicon;
use maintext_reading::features::tokens::NameSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Maximum numbers of blocks and of words of such a box, and of elements between it and its field or button.
const MAX_BLOCKS: usize = 5;
const MAX_WORDS: u32 = 50;
const MAX_LEVELS: usize = 6;
/// Minimum number of kept words outside of the box: a page with fewer may be the form.
const MIN_WORDS_OUTSIDE: u32 = 20;

/// Names of boxes that ask for an address or for money.
static NAMES: LazyLock<NameSet> =
    LazyLock::new(|| NameSet::new(&["newsletter", "newsletters", "mc4wp", "donate", "donation"]));
/// Words for a newsletter, in lower case. Many languages use the English one.
const NEWSLETTER: &[&str] = lexicon!("newsletters.txt");

/// Drops the labels of forms: short lines among several fields, with at most a heading.
pub(crate) fn drop_forms(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    /// Minimum number of fields, and maximum numbers of words of a line and of all.
    const MIN_FIELDS: usize = 2;
    const MAX_WORDS_OF_LINE: u32 = 12;
    const MAX_WORDS: u32 = 80;
    let mut forms =
        blocks.elements.iter().enumerate().filter(|(_, e)| e.tag == Tag::FORM && !e.blocks.is_empty()).peekable();
    if forms.peek().is_none() {
        return;
    }
    let heading = super::main_heading(blocks);
    let mut words = blocks.kept_words(kept);
    for (i, form) in forms {
        let own = form.blocks.start as usize..form.blocks.end as usize;
        let lines = &blocks.blocks[own.clone()];
        if heading.is_some_and(|heading| own.contains(&heading))
            || lines.iter().map(|b| b.words).sum::<u32>() > MAX_WORDS
            || lines.iter().any(|b| b.words > MAX_WORDS_OF_LINE || b.links > 0)
        {
            continue;
        }
        let fields = blocks.elements[blocks.below(i)].iter().filter(|e| is_field(dom, e)).count();
        if fields >= MIN_FIELDS {
            drop_part(blocks, own, &mut words, kept);
        }
    }
}

/// Whether an element is a field that a visitor fills in. Choices, such as the colour of an article, may be content.
fn is_field(dom: &Dom<'_>, e: &Element) -> bool {
    const FILLED: [&str; 9] = ["text", "email", "tel", "url", "file", "date", "password", "search", "number"];
    if e.tag != Tag::INPUT {
        return e.tag == Tag::TEXTAREA;
    }
    let kind = dom.attribute(e.node, Attr::TYPE).unwrap_or("text");
    FILLED.iter().any(|filled| kind.eq_ignore_ascii_case(filled))
}

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let names = blocks.names(dom);
    let is_named = names.named(|list| NAMES.has_any(list));
    let heading = super::main_heading(blocks).map(|heading| heading as u32);
    let mut words = blocks.kept_words(kept);
    for (i, e) in blocks.elements.iter().enumerate() {
        let asks = match e.tag {
            Tag::INPUT => dom.attribute(e.node, Attr::TYPE).is_some_and(|kind| kind.eq_ignore_ascii_case("email")),
            tag if is_box(tag) => is_named.has(i),
            Tag::H2 | Tag::H3 | Tag::H4 => {
                !e.blocks.is_empty() && says_newsletter(blocks.text(e.blocks.start as usize))
            }
            Tag::A => links_newsletter(dom, blocks, e),
            Tag::BUTTON => heading.is_some_and(|heading| e.blocks.end <= heading) && !opens_part(dom, e.node),
            _ => false,
        };
        if !asks {
            continue;
        }
        // The element itself is a box only if it is named like one.
        let inner = usize::from(!is_box(e.tag));
        let around = blocks.element_chain(i).skip(inner).take(MAX_LEVELS).map(|e| &blocks.elements[e]);
        let mut around = around.take_while(|e| is_small(blocks, e, heading));
        // A link asks for less than a field: only the box directly around it and its sentence is a request.
        let request = match e.tag {
            Tag::A => around.find(|e| is_box(e.tag) && e.blocks.len() > 1).filter(|e| has_sentence(blocks, e)),
            _ => around.last(),
        };
        let Some(request) = request else { continue };
        let mut own = request.blocks.start as usize..request.blocks.end as usize;
        // The sentence above a form may lack a box around both.
        let before = own.start.saturating_sub(1);
        if e.tag == Tag::INPUT && is_sentence(blocks, before) {
            own.start = before;
        }
        drop_part(blocks, own, &mut words, kept);
    }
}

/// Drops blocks if enough of the kept `words` are outside of them, and counts these words again.
fn drop_part(blocks: &Blocks, own: Range<usize>, words: &mut u32, kept: &mut [bool]) {
    let own_words: u32 = own.clone().filter(|b| kept[*b]).map(|b| blocks.blocks[b].words).sum();
    if *words - own_words >= MIN_WORDS_OUTSIDE {
        *words -= own_words;
        kept[own].fill(false);
    }
}

fn is_box(tag: Tag) -> bool {
    matches!(tag, Tag::DIV | Tag::SECTION | Tag::ASIDE)
}

fn says_newsletter(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    NEWSLETTER.iter().any(|name| heading.contains(name))
}

/// Whether a link with a line of its own leads to the page of a newsletter. Addresses hardly ever have other words than these, and each link
/// of the page is asked.
fn links_newsletter(dom: &Dom<'_>, blocks: &Blocks, link: &Element) -> bool {
    const NAMES: [&str; 4] = ["newsletter", "subscribe", "nyhetsbrev", "nieuwsbrief"];
    let is_line = link.blocks.len() == 1 && blocks.blocks[link.blocks.start as usize].is_linked();
    is_line && dom.attr(link.node, "href").is_some_and(|href| NAMES.iter().any(|name| href.contains(name)))
}

/// Whether a box holds a sentence about a newsletter.
fn has_sentence(blocks: &Blocks, e: &Element) -> bool {
    e.blocks.clone().any(|b| is_sentence(blocks, b as usize))
}

/// Whether a text without links, other than a heading, names a newsletter and is short.
fn is_sentence(blocks: &Blocks, b: usize) -> bool {
    let Some(block) = blocks.blocks.get(b) else { return false };
    block.link_chars == 0
        && block.words <= MAX_WORDS
        && blocks.elements[block.container as usize].tag.heading_level().is_none()
        && says_newsletter(blocks.text(b))
}

/// Whether an element is small, lacks the main heading, and is only a part of the page.
fn is_small(blocks: &Blocks, e: &Element, heading: Option<u32>) -> bool {
    let own = e.blocks.start as usize..e.blocks.end as usize;
    own.len() <= MAX_BLOCKS
        && !heading.is_some_and(|heading| e.blocks.contains(&heading))
        && !matches!(e.tag, Tag::BODY | Tag::MAIN | Tag::ARTICLE)
        && blocks.blocks[own].iter().map(|b| b.words).sum::<u32>() <= MAX_WORDS
}

#[cfg(test)]
mod tests {
    use super::{apply, drop_forms};
    use maintext_page::blocks::Blocks;

    const TEXT: &str = "<p>The mill has been closed since the flood of last year. The miller sells bread from a cart at the crossroads, as his father did before the first wheel was built.</p>";

    #[test]
    fn a_box_that_asks_for_an_address_goes_with_its_text() {
        let letter = "<div><h3>Our letter</h3><p>Every Friday in your inbox.</p><form><input type=email></form></div>";
        let kept = |html: &str, choice: &str| crate::passes::choice_after(html, choice, apply);
        assert_eq!(kept(&format!("<h1>Mill</h1>{TEXT}{letter}{TEXT}"), "+++++"), "++--+");
        assert_eq!(kept(&format!("<h1>Mill</h1>{letter}"), "+++"), "+++");
        let named =
            "<div class=news-box><h3>Newsletter Filo</h3><p>Le storie della settimana, il sabato mattina.</p></div>";
        assert_eq!(kept(&format!("<h1>Mill</h1>{TEXT}{named}{TEXT}"), "+++++"), "++--+");
        let without_field =
            "<aside><h4>Nyhetsbrev</h4><p>Bygdas beste saker hver fredag.</p><a href=/l>Meld deg på</a></aside>";
        assert_eq!(kept(&format!("<h1>Mill</h1>{TEXT}{without_field}{TEXT}"), "++++++"), "++---+");
        let donation =
            "<article><h1>Mill</h1>{TEXT}<div class=donate><p>Our work is free.</p><p>Help us.</p></div></article>";
        assert_eq!(kept(&donation.replace("{TEXT}", TEXT), "++++"), "++--");
        let question = letter.replace("email", "search");
        assert_eq!(kept(&format!("<h1>Mill</h1>{TEXT}{question}{TEXT}"), "+++++"), "+++++");
    }

    #[test]
    fn a_sentence_with_a_link_to_a_newsletter_goes() {
        let kept = |html: &str, choice: &str| crate::passes::choice_after(html, choice, apply);
        let page = |request: &str| format!("<h1>Mill</h1>{request}<div>{TEXT}{TEXT}</div>");
        let request =
            "<div class=x><p>Our newsletter brings the mill to your door.</p><a href=/newsletter>Join</a></div>";
        assert_eq!(kept(&page(request), "+++++"), "+--++");
        assert_eq!(kept(&page(&request.replace("/newsletter", "/mills/9")), "+++++"), "+++++");
        assert_eq!(kept(&page(&request.replace("newsletter brings", "cart brings")), "+++++"), "+++++");
        let sentence = "<p>The <a href=/newsletter>newsletter</a> of the mill was written by the miller himself.</p>";
        assert_eq!(kept(&page(&format!("<div><p>It is told.</p>{sentence}</div>")), "+++++"), "+++++");
    }

    #[test]
    fn the_labels_of_a_form_go() {
        let page = |form: &str| {
            let html = format!("<h1>Mill</h1>{TEXT}{form}{TEXT}");
            let count = Blocks::new(&maintext_page::dom::parse(&html, &Default::default())).len();
            crate::passes::choice_after(&html, &"+".repeat(count), drop_forms)
        };
        let fields = "<p>Name</p><input name=a><p>Letter</p><input type=file><button>Send</button>";
        assert_eq!(page(&format!("<form id=apply><h2>Apply</h2>{fields}</form>")), "++----+");
        for form in [
            format!("<form><h2>Apply</h2><p><a href=/a>A job</a></p>{fields}</form>"),
            format!(
                "<form><p>We read each letter within a week, and we answer by hand, whatever we decide.</p>{fields}</form>"
            ),
            "<form><p>Name</p><input type=hidden><button>Send</button></form>".to_owned(),
        ] {
            assert!(!page(&form).contains('-'), "{form}");
        }
    }

    #[test]
    fn a_sentence_above_the_form_of_a_newsletter_goes() {
        let kept = |html: &str, choice: &str| crate::passes::choice_after(html, choice, apply);
        let form = "<form><input type=email><button>OK</button></form>";
        let page = |sentence: &str| format!("<h1>Mill</h1><div>{TEXT}<p>{sentence}</p>{form}{TEXT}</div>");
        assert_eq!(kept(&page("Read our newsletter every Friday."), "+++++"), "++--+");
        assert_eq!(kept(&page("The mill opens every Friday."), "+++++"), "+++-+");
    }

    #[test]
    fn a_notice_with_a_button_above_the_heading_goes() {
        let kept = |html: &str, choice: &str| crate::passes::choice_after(html, choice, apply);
        let notice = "<div><p>Nous et nos partenaires mesurons l’audience.</p><button>Accepter</button></div>";
        assert_eq!(kept(&format!("{notice}<main><h1>Moulin</h1>{TEXT}</main>"), "+-++"), "--++");
        assert_eq!(kept(&format!("<main><h1>Moulin</h1>{TEXT}{notice}</main>"), "+++-"), "+++-");
        // The button of a panel asks for nothing.
        let panel = notice.replace("<button>", "<button aria-controls=care aria-expanded=true>");
        assert_eq!(kept(&format!("{panel}<main><h1>Moulin</h1>{TEXT}</main>"), "++++"), "++++");
    }
}
