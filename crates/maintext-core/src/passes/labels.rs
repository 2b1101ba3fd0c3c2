//! Drops lines inside the text that do not belong to it: labels and texts of advertisements, the links of newsletters to their own pages, and
//! links to other texts behind a label.
use super::announced::sibling_below;
use maintext_facts::metadata::text::squeeze;
use maintext_html::Attr;
use maintext_page::blocks::{Block, Blocks, Element};
use maintext_page::dom::{Dom, Tag};
use maintext_page::lexicon::lexicon;
use maintext_reading::features::heading_level;
use std::ops::Range;

/// Maximum number of words of such a line.
const WORDS: u32 = 10;
/// Maximum number of bytes of such a line.
const BYTES: usize = 120;

/// Maximum number of blocks in the box of an advertisement.
const MAX_BOX_BLOCKS: usize = 6;
/// Maximum number of elements in a heading that are read.
const MAX_HEADING_ELEMENTS: usize = 8;

/// Drops the text of an advertisement if its heading is a paid link and was dropped.
pub(crate) fn drop_paid(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    for heading in blocks.elements.iter().filter(|e| e.tag.heading_level().is_some() && !e.blocks.is_empty()) {
        let around = blocks.elements[heading.parent as usize].blocks.clone();
        let around = around.start as usize..around.end as usize;
        if around.len() <= MAX_BOX_BLOCKS && !kept[heading.blocks.start as usize] && is_paid(dom, heading) {
            kept[around].fill(false);
        }
    }
}

fn is_paid(dom: &Dom<'_>, heading: &Element) -> bool {
    dom.descendants(heading.node).take(MAX_HEADING_ELEMENTS).any(|node| {
        let mut rel = dom.attribute(node, Attr::REL).unwrap_or("").split_ascii_whitespace();
        dom.tag(node) == Tag::A && rel.any(|word| word.eq_ignore_ascii_case("sponsored"))
    })
}

/// Drops lines of a newsletter if all their links open a copy of it or end the subscription. At the end of the page, drops the rest of their
/// cell, too: the reason for the letter, the sender's address.
pub(crate) fn drop_newsletter_lines(dom: &Dom, blocks: &Blocks, kept: &mut [bool]) {
    /// Maximum numbers of words of such a line, and of blocks of such a cell.
    const MAX_WORDS: u32 = 60;
    const MAX_BLOCKS: usize = 4;
    let mut last = None;
    for (b, block) in blocks.blocks.iter().enumerate() {
        let may_be_line = kept[b] && block.links > 0 && block.words <= MAX_WORDS;
        if may_be_line && has_only_links_of_newsletter(dom, blocks, block) {
            kept[b] = false;
            last = Some(b);
        }
    }
    let cell = last.and_then(|b| blocks.ancestors(b).map(|e| &blocks.elements[e].blocks).find(|own| own.len() > 1));
    let Some(cell) = cell.map(|own| own.start as usize..own.end as usize) else { return };
    let is_short = |b: usize| blocks.blocks[b].words <= MAX_WORDS && heading_level(blocks, b) == 0;
    let is_end = kept[..cell.start].contains(&true) && !kept[cell.end..].contains(&true);
    if is_end && cell.len() <= MAX_BLOCKS && cell.clone().all(is_short) {
        kept[cell].fill(false);
    }
}

/// Whether a block has links, and each of them opens a copy of a newsletter or changes the subscription. Links to copies count only after a
/// question, "Trouble viewing this email?": articles have them, too.
fn has_only_links_of_newsletter(dom: &Dom, blocks: &Blocks, block: &Block) -> bool {
    /// Maximum number of elements between a text and the link around it.
    const MAX_LEVELS: usize = 4;
    let (mut has_text, mut ends) = (false, false);
    for &leaf in blocks.leaves_of(block) {
        if !dom.ancestors(leaf).take(MAX_LEVELS).any(|n| dom.tag(n) == Tag::A) {
            continue;
        }
        let text = squeeze(dom.text(leaf)).to_lowercase();
        let text = text.trim_matches(|c: char| !c.is_alphanumeric());
        if text.is_empty() {
            continue;
        }
        let is_end = begins_with_any(text, SUBSCRIPTIONS);
        if !is_end && !begins_with_any(text, COPIES) {
            return false;
        }
        (has_text, ends) = (true, ends || is_end);
    }
    ends || has_text && asks(dom, blocks, block)
}

/// Whether a text is one of these labels, perhaps with more words: "Unsubscribe from our weekly letter".
fn begins_with_any(text: &str, labels: &[&str]) -> bool {
    labels.iter().any(|label| text.strip_prefix(label).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

fn asks(dom: &Dom, blocks: &Blocks, block: &Block) -> bool {
    blocks.leaves_of(block).iter().any(|&leaf| dom.text(leaf).contains(['?', '？', '؟']))
}

pub(crate) fn apply(blocks: &Blocks, kept: &mut [bool]) {
    for (i, b) in blocks.blocks.iter().enumerate() {
        // Korean, Chinese and Japanese words are counted by the character.
        // The title of another text is longer than a label.
        let bytes = if b.links > 0 { 3 * BYTES } else { BYTES };
        if !kept[i] || b.words > 2 * WORDS || blocks.text(i).len() > bytes {
            continue;
        }
        if b.words == 0 {
            kept[i] = !is_ornament(blocks.text(i));
            continue;
        }
        let text = blocks.text(i).to_lowercase();
        kept[i] = !match b.link_chars {
            0 if is_line(blocks, b) && is_related(&text) => {
                drop_links_below(blocks, i, kept);
                drop_list_below(blocks, i, &text, kept);
                continue;
            }
            0 => is_line(blocks, b) && is_mark_of_advertisement(&text),
            _ => {
                serves_newsletter(b, &text)
                    || leads_to_related(b, &text)
                    || is_line(blocks, b) && names_related(b, &text)
            }
        };
    }
}

/// Whether a text is only a quotation mark, which designs write in large type next to a quotation.
fn is_ornament(text: &str) -> bool {
    matches!(text.trim(), "„" | "“" | "”" | "\"" | "«" | "»" | "❝" | "❞" | "’" | "‘" | "「" | "」")
}

/// Whether a block is a line of its own, not a heading, term, item or cell, where the word may be the subject.
fn is_line(blocks: &Blocks, b: &Block) -> bool {
    matches!(
        blocks.elements[b.container as usize].tag,
        Tag::DIV
            | Tag::P
            | Tag::SECTION
            | Tag::ASIDE
            | Tag::ARTICLE
            | Tag::CENTER
            | Tag::FIGURE
            | Tag::FIGCAPTION
            | Tag::MAIN
            | Tag::OTHER
    )
}

/// Whether a text, in lower case, only says that an advertisement interrupts the article, or ends by saying that somebody paid for it.
fn is_mark_of_advertisement(text: &str) -> bool {
    // "The story continues below the surface." is a sentence.
    let is_sentence = text.ends_with('.');
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let last = text.rsplit(['.', '!', '?', '|', '·', '。']).next().unwrap_or("").trim_start();
    if ADVERTISEMENTS.contains(&text) || ALONE.contains(&text) || SPONSORED.contains(&last) {
        return true;
    }
    // A label without spaces is Chinese or Japanese.
    let spaces = text.bytes().filter(|b| *b == b' ').count();
    if is_sentence || spaces >= WORDS as usize || spaces < 2 && text.is_ascii() {
        return false;
    }
    has_any(text, &GOES_ON)
        && has_any(text, &BELOW)
        && (ADVERTISEMENTS.iter().filter(|a| a.len() > 3).any(|a| text.contains(*a)) || has_any(text, &INFLECTED))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|w| text.contains(w))
}

/// Whether a line of links leads to copies of a newsletter or ends it.
fn serves_newsletter(b: &Block, text: &str) -> bool {
    let parts = text.split(['|', '·', '•', '/']).map(|p| p.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut parts = parts.filter(|p| !p.is_empty()).peekable();
    // "How to unsubscribe from a list" leads to a text about it.
    b.link_chars * 10 >= b.chars * 7
        && parts.peek().is_some()
        && parts.all(|p| begins_with_any(p, COPIES) || begins_with_any(p, SUBSCRIPTIONS))
}

/// Whether a line, in lower case, is nothing but a label of links to other texts.
pub(super) fn is_related(text: &str) -> bool {
    RELATED.contains(&text.trim_end_matches([':', '：', ' ', '»', '>']))
}

/// Drops a label within a text with the list of links that follows it, unless the label also refers to parts of the document.
fn drop_list_below(blocks: &Blocks, label: usize, text: &str, kept: &mut [bool]) {
    const MAX_ENTRIES: usize = 12;
    let Some(list) = sibling_below(blocks, label) else { return };
    if !matches!(list.tag, Tag::UL | Tag::OL) {
        return;
    }
    let own = list.blocks.start as usize..list.blocks.end as usize;
    let is_reference = REFERENCES.contains(&text.trim_end_matches(|c: char| !c.is_alphanumeric()));
    let is_within = kept.get(own.end).is_some_and(|kept| *kept);
    if is_within && !is_reference && own.len() <= MAX_ENTRIES && own.clone().all(|b| blocks.blocks[b].is_linked()) {
        kept[label..own.end].fill(false);
    }
}

/// Drops a label with the links below it, or the cards of other texts, if its element holds nothing else and kept text follows: "Related news"
/// within an article.
fn drop_links_below(blocks: &Blocks, label: usize, kept: &mut [bool]) {
    const MAX_BLOCKS: usize = 24;
    let own = blocks.ancestors(label).map(|e| &blocks.elements[e].blocks).find(|own| own.len() > 1);
    let Some(own) = own.map(|own| own.start as usize..own.end as usize) else { return };
    if own.start == label
        && own.len() <= MAX_BLOCKS
        && are_links_or_cards(blocks, label + 1..own.end)
        && kept.get(own.end).is_some_and(|k| *k)
    {
        kept[own].fill(false);
    }
}

/// Whether blocks are links, or cards of other texts: a linked heading with at most a date and a short text below it.
fn are_links_or_cards(blocks: &Blocks, mut all: Range<usize>) -> bool {
    const MAX_WORDS_OF_CARD: u32 = 50;
    let mut words_of_card = None;
    all.all(|i| {
        let block = &blocks.blocks[i];
        // A heading inside a link has no link of its own.
        if block.chars > 0 && block.is_linked() {
            words_of_card = if heading_level(blocks, i) > 0 { Some(0) } else { words_of_card };
            return true;
        }
        words_of_card = words_of_card.map(|words| words + block.words);
        words_of_card.is_some_and(|words| words <= MAX_WORDS_OF_CARD)
    })
}

/// Labels before links to other texts, in square brackets or in a line of their own.
const RELATED: &[&str] = lexicon!("related-labels.txt");

/// Whether a line, in lower case, is nothing but a link behind a label in square brackets: "[Related] The flood of last year".
fn leads_to_related(b: &Block, text: &str) -> bool {
    /// Maximum number of signs and spaces around the label and the link.
    const MAX_SIGNS: usize = 6;
    let Some(inner) = text.strip_prefix(['[', '［', '【']) else { return false };
    let label = inner.split([']', '］', '】', ':', '：']).next().unwrap_or("").trim();
    RELATED.contains(&label) && b.link_chars as usize + label.chars().count() + MAX_SIGNS >= b.chars as usize
}

/// Whether a line, in lower case, is nothing but a link behind a label with a colon: "Related: The flood of last year".
fn names_related(b: &Block, text: &str) -> bool {
    /// Maximum number of signs and spaces around the label and the link.
    const MAX_SIGNS: usize = 4;
    let Some((label, _)) = text.split_once([':', '：']) else { return false };
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    RELATED.contains(&label)
        && !REFERENCES.contains(&label)
        && b.link_chars as usize + label.chars().count() + MAX_SIGNS >= b.chars as usize
}

/// Labels with which documents refer to their own parts.
#[rustfmt::skip]
const REFERENCES: [&str; 16] = [
    "see also", "siehe auch", "zie ook", "voir aussi", "ver también", "veja também", "vedi anche", "se også", "se även", "katso myös",
    "zobacz też", "zobacz także", "смотрите также", "дивіться також", "vezi și", "ראו גם",
];

/// Words for an advertisement.
#[rustfmt::skip]
const ADVERTISEMENTS: [&str; 67] = [
    "advertisement", "advertisements", "advertising", "advert", "ad", "ads", "sponsored content", "paid advertisement", "ad feedback",
    "anzeige", "werbung", "advertentie", "publicité", "publicidad", "publicidade", "pubblicità", "publicitate", "publicitat", "annons",
    "annonce", "annonse", "reklame", "mainos", "reklama", "reklam", "inzerce", "oglas", "hirdetés", "iklan", "quảng cáo", "реклама", "διαφήμιση",
    "広告", "スポンサーリンク", "广告", "廣告", "광고", "إعلان", "اعلان", "تبلیغات", "آگهی", "פרסומת", "विज्ञापन", "โฆษณา", "анонс рекламы",
    "auglýsing", "reklaam", "reklāma", "skelbimas", "реклами", "hysbyseb", "reclame",
    "tangazo", "advertensie", "reklamë", "publizitatea", "рэклама", "жарнама", "сурталчилгаа", "რეკლამა", "գովազդ", "বিজ্ঞাপন",
    "जाहिरात", "விளம்பரம்", "ప్రకటన", "اشتہار", "patalastas",
];

/// Sentences, or the last ones of a text, that say that somebody paid for it.
#[rustfmt::skip]
const SPONSORED: [&str; 28] = [
    "sponsored", "gesponsert", "sponsorisé", "patrocinado", "patrocinada", "promocionado", "sponsorizzato", "gesponsord",
    "sponsrad", "sponsrat", "sponsoreret", "sponset", "sponsoroitu", "sponsorowane", "sponzorováno", "sponzorované", "sponzorirano", "sponzorisano",
    "спонзорисано", "szponzorált", "sponsorizat", "спонсировано", "спонсорський", "χορηγούμενο", "sponsorlu", "赞助", "贊助", "ممول",
];

/// Their other forms in sentences.
#[rustfmt::skip]
const INFLECTED: [&str; 11] = [
    "annonsen", "annoncen", "mainoksen", "reklam", "reklám", "oglasa", "реклам", "anuncio", "anúncio", "annuncio", "inzerát",
];

/// Lines that announce that the article goes on without naming the interruption.
#[rustfmt::skip]
const ALONE: [&str; 16] = [
    "story continues below", "the story continues below", "article continues below", "content continues below", "continue reading below",
    "continue reading the main story", "skip advertisement", "scroll to continue", "scroll to continue with content", "artikel geht unten weiter",
    "lees hieronder verder", "la suite ci-dessous", "continúa abajo", "continua abaixo", "продолжение ниже", "haberin devamı aşağıda",
];

/// Words for going on.
#[rustfmt::skip]
const GOES_ON: [&str; 51] = [
    "continu", "keep reading", "scroll", "fortgesetzt", "weiter", "verder", "suite", "continú", "sigue", "segue", "proseg", "fortsätter", "fortsetter",
    "fortsætter", "jatkuu", "ciąg dalszy", "dalsza część", "czytaj dalej", "reszta tekstu", "pokrač", "продолж", "продовж", "συνέχεια",
    "συνεχίζεται", "devam", "folyta", "nastav", "lanjut", "tiếp", "続", "继续", "繼續", "계속", "يتبع", "ادامه", "המשך", "jätkub", "turpin", "tęsin",
    "dalej pod",
    "endelea", "vazhdon", "jarraitzen", "продълж", "працяг", "настав", "जारी", "अगले", "চলবে", "தொடர", "tęsiasi",
];

/// Words for below and after.
#[rustfmt::skip]
const BELOW: [&str; 60] = [
    "below", "after", "under", "past", "unter", "nach", "onder", "na ", "après", "sous", "después", "tras", "debajo", "após", "depois", "dopo",
    "sotto", "efter", "etter", "jälkeen", "alla", "pod ", "po ", "после", "під", "після", "под", "μετά", "sonra", "alt", "után", "nakon", "ispod",
    "下", "後", "아래",
    "baada", "chini", "după", "sub ", "després", "bawah", "setelah", "dưới", "sau ", "κάτω", "след", "након", "испод", "pärast", "pēc", "pasi",
    "poshtë", "नीचे", "बाद", "নিচে", "بعد", "پس از", "אחרי", "לאחר",
];

/// The links of a newsletter that lead to copies of it.
const COPIES: &[&str] = lexicon!("newsletter-copies.txt");

/// The links of a newsletter that end or change a subscription.
const SUBSCRIPTIONS: &[&str] = lexicon!("newsletter-subscriptions.txt");

#[cfg(test)]
mod tests {
    use super::apply;
    use super::drop_paid;

    /// Whether the pass keeps one block between two paragraphs.
    fn keeps(html: &str) -> bool {
        let page = format!("<p>One</p>{html}<p>Two</p>");
        let count = maintext_page::blocks::Blocks::new(&maintext_page::dom::parse(&page, &Default::default())).len();
        let kept = crate::passes::choice_after(&page, &"+".repeat(count), |_, blocks, kept| apply(blocks, kept));
        kept.chars().all(|c| c == '+')
    }

    #[test]
    fn a_labelled_box_of_links_to_other_texts_goes() {
        let kept = |label: &str, rest: &str| {
            let page = format!(
                "<p>One</p><div><p>{label}</p><ul><li><a href=/1>A flood</a><li><a href=/2>A frost</a></ul></div>{rest}"
            );
            let count =
                maintext_page::blocks::Blocks::new(&maintext_page::dom::parse(&page, &Default::default())).len();
            crate::passes::choice_after(&page, &"+".repeat(count), |_, blocks, kept| apply(blocks, kept))
        };
        for label in ["Related news", "Zum Thema:", "Tin liên quan", "相关阅读："] {
            assert_eq!(kept(label, "<p>Two</p>"), "+---+", "{label}");
        }
        assert_eq!(kept("The papers", "<p>Two</p>"), "+++++");
        let list = |label: &str| {
            let items = "<ul><li><a href=/1>A flood</a><li><a href=/2>A frost</a></ul>";
            let page = format!("<article><p>One</p><p>{label}</p>{items}<p>Two</p></article>");
            crate::passes::choice_after(&page, "+++++", |_, blocks, kept| apply(blocks, kept))
        };
        assert_eq!((list("Auch interessant:"), list("See also:")), ("+---+".into(), "+++++".into()));
        let cards = "<p>One</p><div><p>Related news</p><a href=/1><h4>A flood</h4></a><a href=/2><h4>A frost</h4></a></div><p>Two</p>";
        assert_eq!(crate::passes::choice_after(cards, "++-++", |_, blocks, kept| apply(blocks, kept)), "+---+");
        let cards = "<p>One</p><div><div>Читайте також</div><div><h2><a href=/1>The mill</a></h2><p>2 July</p><p>Why it fell silent.</p></div>\
                     <div><h2><a href=/2>The bench</a></h2><p>Who put it there.</p></div></div><p>Two</p>";
        assert_eq!(crate::passes::choice_after(cards, "++++++++", |_, blocks, kept| apply(blocks, kept)), "+------+");
        let part = cards.replace("<h2><a href=/1>The mill</a></h2>", "<h2>The mill</h2>");
        assert_eq!(crate::passes::choice_after(&part, "++++++++", |_, blocks, kept| apply(blocks, kept)), "++++++++");
        // At the end of a text, they may be its references.
        assert_eq!(kept("Related news", ""), "++++");
    }

    #[test]
    fn marks_of_advertisements_go() {
        for text in [
            "Advertisement",
            "- Anzeige -",
            "ADVERTISEMENT",
            "Story continues below",
            "Story continues below this advertisement",
            "Article continues after advertisement",
            "Der Artikel wird nach der Werbung fortgesetzt",
            "La suite après la publicité",
            "Continúa después de la publicidad",
            "Artikeln fortsätter under annonsen",
            "Продолжение после рекламы",
            "Dalsza część artykułu pod reklamą",
            "広告の後に続きます",
            "Sponsored",
            "The new map of the fells, ten per cent off. Sponsored.",
            "Tangazo",
            "Makala yanaendelea baada ya tangazo",
            "Bài viết tiếp tục sau quảng cáo",
        ] {
            assert!(!keeps(&format!("<div>{text}</div>")), "{text}");
        }
        assert!(!keeps("<p><a href=/u>Unsubscribe</a> | <a href=/p>Update your preferences</a></p>"));
        assert!(!keeps("<p><a href=/v>View this email in your browser</a></p>"));
    }

    #[test]
    fn the_end_of_a_newsletter_goes() {
        let kept = |html: &str| {
            let count = maintext_page::blocks::Blocks::new(&maintext_page::dom::parse(html, &Default::default())).len();
            crate::passes::choice_after(html, &"+".repeat(count), super::drop_newsletter_lines)
        };
        let text = "<table><tr><td><h1>Weeds</h1><p>I pulled up forty of them.</p></td></tr>";
        let end = "<tr><td>You receive this letter because you asked for it.<br>4 Weir Lane<br><a href=#u>Unsubscribe</a> · <a href=#f>Forward \
                   to a friend</a></td></tr>";
        assert_eq!(kept(&format!("{text}{end}")), "++-");
        let lines = "<tr><td><p>Vous recevez ce courriel.</p><p><a href=/u>Se désabonner de cette liste</a></p><p>Metz</p></td></tr>";
        assert_eq!(kept(&format!("{text}{lines}")), "++---");
        assert_eq!(kept(&format!("{text}{lines}<tr><td><p>More weeds.</p></td></tr>")), "+++-++");
        let how = "<p>I wrote about it in <a href=/how>How to unsubscribe from a list</a>.</p>";
        assert_eq!(kept(&format!("<p>Weeds</p>{how}")), "++");
        assert_eq!(kept("<p>Weeds</p><p>The whole letter can be <a href=/l>read online</a>.</p>"), "++");
        assert_eq!(kept("<p>Trouble viewing it? <a href=/l>Read it online</a></p><p>Weeds</p>"), "-+");
    }

    #[test]
    fn a_link_behind_a_label_in_square_brackets_goes() {
        for html in [
            "<p>[Related] <a href=/a>The bridge that stayed when the water came</a></p>",
            "<blockquote><p>“</p></blockquote>",
            "<p><strong>RELATED: <a href=/a>The bridge that stayed when the water came</a></strong></p>",
            "<div>Lees ook: <a href=/a>De brug die bleef staan</a></div>",
            "<ul><li><b>[Lire aussi]</b> <a href=/a>Le pont</a></ul>",
            "<p>[Читайте также: <a href=/a>Мост, который остался, когда пришла вода, и люди, которые его построили</a>]</p>",
            "<p>【関連記事】<a href=/a>水が来ても残った橋</a></p>",
        ] {
            assert!(!keeps(html), "{html}");
        }
        for html in [
            "<p>[PDF] <a href=/a>The bridge that stayed when the water came</a></p>",
            "<p>[Related] work by <a href=/a>Marn</a> shows that no bridge stays.</p>",
            "<p>See also: <a href=/a>List of bridges</a></p>",
            "<p>Related <a href=/a>bridges</a></p>",
        ] {
            assert!(keeps(html), "{html}");
        }
    }

    #[test]
    fn the_text_below_a_dropped_paid_link_goes_and_that_below_a_kept_one_stays() {
        let html = "<p>The mill turns.<div><h3><a rel='nofollow sponsored' href=/a>Oak by the crate</a></h3><p>Posted flat.</div>\
                    <div><h3><a href=/b>The next mill</a></h3><p>It turns as well.</div>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = maintext_page::blocks::Blocks::new(&dom);
        let paid = |mut kept: [bool; 5]| {
            drop_paid(&dom, &blocks, &mut kept);
            kept
        };
        assert_eq!(paid([true, false, true, false, true]), [true, false, false, false, true]);
        assert_eq!(paid([true; 5]), [true; 5]);
    }

    #[test]
    fn subjects_and_sentences_stay() {
        for html in [
            "<h2>Advertising</h2>",
            "<ul><li>Advertising</ul>",
            "<p>The advertisement continues to hang there after all these years, and nobody knows who paid for it.</p>",
            "<p>The story continues below the surface.</p>",
            "<p>Advertising continues after the merger.</p>",
            "<table><tr><td>Advertising<td>12</table>",
            "<p>This story first appeared in the March issue.</p>",
            "<p><a href=/how>How to unsubscribe from a list</a></p>",
            "<p>Advertisement: <a href=/a>a bakery</a></p>",
        ] {
            assert!(keeps(html), "{html}");
        }
    }
}
