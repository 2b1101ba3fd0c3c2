//! The title of an entry: the text of its link without prices, dates, ratings, badges and buttons at its ends.
use super::prices::{BADGES, price_in};
use super::table::LinkTable;
use super::words::shape;
use maintext_facts::metadata::names_comments;
use maintext_facts::metadata::text::dates::{is_relative, scan};
use maintext_facts::metadata::text::names::is_byline_label;
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_page::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use maintext_page::hash::HashSet;
use maintext_page::visibility::names::is_for_screen_readers;

/// Maximum number of characters of a title that are read.
const MAX_TITLE_CHARS: usize = 1000;
/// Maximum number of pieces of a link's text that are examined, and of pieces of one label: a currency sign is often a piece of its own.
const MAX_PIECES: usize = 60;
const MAX_LABEL_PIECES: usize = 5;
/// Maximum number of letters of a currency.
const MAX_CURRENCY_LETTERS: usize = 3;
/// Characters between a title and its price.
const BEFORE_PRICE: [char; 6] = [' ', '-', '\u{2013}', ':', '|', ','];
/// Maximum number of bytes of a label.
const MAX_LABEL_BYTES: usize = 60;

/// Words of ratings.
const RATING_WORDS: [&str; 8] = ["rated", "stars", "star", "out of 5", "reviews", "review", "von 5", "sur 5"];

/// A text in a link.
#[derive(Clone, Copy)]
struct Piece<'d> {
    text: &'d str,
    /// The line of the link, which block-level elements and line breaks end.
    line: usize,
    /// Whether only screen readers read it: "(opens in a new window)".
    is_read_out: bool,
}

/// Returns the title of a link with several pieces: its heading, or else its text without labels at its ends: prices, dates, ratings,
/// badges, buttons. Of several lines, one is the title. Dates are left out if there is a hint for them. `repeated` has lines of many links
/// of the list, by [`shape`]. `None` if nothing is left out.
pub(super) fn of_link(
    dom: &Dom<'_>,
    link: NodeId,
    hint: Option<&scan::Hint<'_>>,
    repeated: &HashSet<String>,
) -> Option<String> {
    let (mut pieces, heading) = pieces(dom, link);
    // Shops put the title of a card into a heading, between a badge and a price.
    if let Some(heading) = heading {
        let text = node_text(dom, heading, MAX_TITLE_CHARS);
        return (!text.is_empty()).then_some(text);
    }
    let all = pieces.len();
    if pieces.iter().any(|p| !p.is_read_out) {
        pieces.retain(|p| !p.is_read_out);
    }
    let kept = without_labels(&pieces, hint);
    // All lines of a card that is one link would read "Bikini top $17.99 Sold out".
    if kept.first().map(|p| p.line) != kept.last().map(|p| p.line) {
        return of_lines(&lines(kept), hint, repeated).map(str::to_owned);
    }
    (kept.len() < all).then(|| squeeze(&texts(kept).join(" "))).filter(|title| !title.is_empty())
}

/// Returns the line that names the target of a card: the first one of several words that is neither a label nor repeated in the list.
fn of_lines<'l>(lines: &'l [String], hint: Option<&scan::Hint<'_>>, repeated: &HashSet<String>) -> Option<&'l str> {
    let own = lines.iter().filter(|line| {
        let is_number = !line.contains(char::is_alphabetic);
        !is_number && !is_label(&[line.as_str()], hint) && !repeated.contains(&shape(line))
    });
    let first = own.clone().next().or(lines.first());
    let mut phrases = own.filter(|line| line.contains(' ') || line.chars().any(maintext_page::blocks::is_cjk));
    phrases.next().or(first).map(String::as_str)
}

/// Returns the lines of a link's text.
pub(super) fn lines_of(dom: &Dom<'_>, link: NodeId) -> Vec<String> {
    lines(&pieces(dom, link).0)
}

fn lines(pieces: &[Piece<'_>]) -> Vec<String> {
    let lines = pieces.chunk_by(|a, b| a.line == b.line);
    lines.map(|line| squeeze(&texts(line).join(" "))).collect()
}

fn texts<'d>(pieces: &[Piece<'d>]) -> Vec<&'d str> {
    pieces.iter().map(|p| p.text).collect()
}

/// Returns a title without the price, or the range of prices, at its end.
pub(super) fn without_price(title: &str) -> &str {
    let start = price_in(title).and_then(|price| title.find(price));
    // "$12.00 USD - $19.00 USD" may be cut off, but not "$5 lamp of brass".
    let rest = start
        .filter(|at| title[*at..].chars().filter(|c| c.is_alphabetic()).count() <= 2 * MAX_CURRENCY_LETTERS)
        .map(|at| title[..at].trim_end_matches(BEFORE_PRICE));
    rest.filter(|t| t.chars().any(char::is_alphabetic)).unwrap_or(title)
}

/// Returns whether a link is a note about an entry: its date, its author after "by", the number of its comments, its place among
/// categories ("Science > Physics > Optics").
pub(super) fn is_note(t: &LinkTable<'_>, i: usize) -> bool {
    let text = t.links[i].text.as_str();
    if text.is_empty() || text.len() > MAX_LABEL_BYTES {
        return text.is_empty() || is_path(text);
    }
    let counted = text.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with(|c: char| c.is_ascii_digit());
    let counts = counted && text.split(' ').count() <= 3 && names_comments(text);
    counts
        || is_path(text)
        || is_relative(text)
        || is_date(text, &scan::Hint::default())
        || ends_as_byline(label_before(t, i))
}

/// Returns whether a text is a path of categories.
fn is_path(text: &str) -> bool {
    [" > ", " \u{203a} ", " \u{bb} "].iter().any(|between| text.matches(between).count() >= 2)
}

/// Returns the text before a link in the same element, or nothing.
pub(super) fn label_before<'d>(t: &LinkTable<'d>, i: usize) -> &'d str {
    let before = t.dom.prev_sibling(t.links[i].node).filter(|n| t.dom.kind(*n) == NodeKind::Text);
    before.map_or("", |n| t.dom.text(n).trim())
}

/// Whether a text ends with a label of bylines.
pub(super) fn ends_as_byline(text: &str) -> bool {
    is_byline_label(&text.split_whitespace().next_back().unwrap_or("").trim_end_matches(':').to_lowercase())
}

/// Returns the texts in a link, and its heading, or else the element that is named as its title.
fn pieces<'d>(dom: &'d Dom<'_>, link: NodeId) -> (Vec<Piece<'d>>, Option<NodeId>) {
    let (mut pieces, mut heading, mut named, mut line) = (Vec::new(), None, None, 0);
    let mut read_out = None;
    let mut walk = dom.traverse(link);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Text => {
                let text = dom.text(n).trim();
                if !text.is_empty() {
                    pieces.push(Piece { text, line, is_read_out: read_out.is_some() });
                }
            }
            Edge::Enter(n) if dom.tag(n).is_skipped() => walk.skip_children(),
            Edge::Enter(n) | Edge::Leave(n) => {
                if read_out == Some(n) {
                    read_out = None;
                } else if read_out.is_none() && n != link && is_for_screen_readers(dom.class(n)) {
                    read_out = Some(n);
                }
                line += usize::from(dom.tag(n).is_block() || dom.tag(n) == Tag::BR);
                if heading.is_none() && dom.tag(n).heading_level().is_some() {
                    heading = Some(n);
                }
                if named.is_none() && n != link && names_title(dom, n) {
                    named = Some(n);
                }
            }
        }
        if pieces.len() == MAX_PIECES {
            break;
        }
    }
    (pieces, heading.or(named).or_else(|| only_bold(dom, link)))
}

/// Returns the only bold part of a card of several elements, such as a name before a price.
fn only_bold(dom: &Dom<'_>, link: NodeId) -> Option<NodeId> {
    let parts: Vec<NodeId> =
        dom.children(link).filter(|&n| !dom.text(n).trim().is_empty() || has_text(dom, n)).take(MAX_PIECES).collect();
    let mut bold = parts.iter().filter(|&&n| matches!(dom.tag(n), Tag::STRONG | Tag::B));
    let (Some(&title), None) = (bold.next(), bold.next()) else { return None };
    let is_card = parts.len() > 1 && parts.iter().all(|&n| dom.kind(n) == NodeKind::Element);
    is_card.then_some(title)
}

fn has_text(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.descendants(n).take(MAX_PIECES).any(|d| !dom.text(d).trim().is_empty())
}

/// Whether the class of an element names the title of a card: `card-title`, `name`.
fn names_title(dom: &Dom<'_>, n: NodeId) -> bool {
    const TITLES: [&str; 4] = ["title", "headline", "heading", "name"];
    const OTHERS: [&str; 7] = ["sub", "author", "user", "category", "company", "brand", "section"];
    has_word(dom, n, &TITLES) && !has_word(dom, n, &OTHERS)
}

fn has_word(dom: &Dom<'_>, n: NodeId, words: &[&str]) -> bool {
    dom.class_words(n).any(|word| words.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// Returns the fewest pieces at an end that form a label. At least one piece is left.
fn label(pieces: usize, is_label: &dyn Fn(usize) -> bool) -> Option<usize> {
    (1..pieces.min(MAX_LABEL_PIECES + 1)).find(|&n| is_label(n))
}

fn without_labels<'p, 'd>(pieces: &'p [Piece<'d>], hint: Option<&scan::Hint<'_>>) -> &'p [Piece<'d>] {
    let mut kept = pieces;
    // Only at the ends: "Win 11 lamps for $5 each day" is a title with a price.
    while let Some(n) = label(kept.len(), &|n| is_label(&texts(&kept[kept.len() - n..]), hint)) {
        kept = &kept[..kept.len() - n];
    }
    while let Some(n) = label(kept.len(), &|n| is_label(&texts(&kept[..n]), hint)) {
        kept = &kept[n..];
    }
    kept
}

pub(super) fn is_label(pieces: &[&str], hint: Option<&scan::Hint<'_>>) -> bool {
    if pieces.iter().map(|p| p.len()).sum::<usize>() > MAX_LABEL_BYTES {
        return false;
    }
    let text = pieces.join(" ");
    // A currency sign is often a piece of its own.
    let glued = pieces.concat();
    let is_glued = glued.chars().filter(|c| c.is_alphabetic()).count() <= MAX_CURRENCY_LETTERS;
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    bare.is_empty()
        || BADGES.contains(&bare.as_str())
        || is_rating(&text.to_lowercase())
        || is_price(&text)
        || is_glued && is_price(&glued)
        || hint.is_some_and(|hint| is_date(&text, hint))
}

fn is_rating(text: &str) -> bool {
    let stars = text.contains(['\u{2605}', '\u{2606}', '\u{2b50}']) && !text.contains(char::is_alphabetic);
    stars
        || text.bytes().any(|b| b.is_ascii_digit())
            && text.len() < 40
            && RATING_WORDS.iter().any(|w| holds_word(text, w))
}

fn holds_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        is_word_end(text[..at].chars().next_back()) && is_word_end(text[at + word.len()..].chars().next())
    })
}

fn is_word_end(c: Option<char>) -> bool {
    c.is_none_or(|c| !c.is_alphabetic())
}

/// Returns whether a text is a price, a discount, or a price with a label: "from $12".
fn is_price(text: &str) -> bool {
    let text = text.trim();
    let is_percentage = text.ends_with('%') && !text.contains(char::is_alphabetic);
    is_percentage || price_in(text).is_some_and(|price| is_label_of(text, price))
}

fn is_label_of(text: &str, price: &str) -> bool {
    let beside = text.replacen(price, "", 1);
    let beside = beside.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    BADGES.contains(&beside.as_str()) || beside.chars().filter(|c| c.is_alphanumeric()).count() <= MAX_CURRENCY_LETTERS
}

pub(super) fn is_date(text: &str, hint: &scan::Hint<'_>) -> bool {
    if !text.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let hits = scan::find(cap(text, MAX_LABEL_BYTES), hint);
    let covered: usize = hits.iter().map(|h| h.range.len()).sum();
    covered > 0 && covered + 6 >= text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(html: &str) -> String {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let link = dom.find(NodeId::ROOT, maintext_page::dom::Tag::A).unwrap();
        let hint = scan::Hint { language: "en", ..Default::default() };
        of_link(&dom, link, Some(&hint), &HashSet::default()).unwrap_or_else(|| squeeze(&dom.text_content(link)))
    }

    #[test]
    fn shop_cards_yield_their_titles() {
        // Markup of WordPress's shop plugin.
        let heading = "<a href=/l><span class=onsale>Sale!</span><img src=l.jpg><h2>Brass lamp</h2><div class=star-rating><span>Rated \
            <strong>4.50</strong> out of 5</span></div><span class=price><del><bdi><span>$</span>20.00</bdi></del> \
            <ins><bdi><span>$</span>15.00</bdi></ins></span></a>";
        assert_eq!(title(heading), "Brass lamp");
        let bare = heading.replace("<h2>", "<p>").replace("</h2>", "</p>");
        assert_eq!(title(&bare), "Brass lamp");
        // Markup of hosted shops.
        assert_eq!(
            title(
                "<a href=/l><div class=card__title>Brass lamp</div><div>Regular price</div><div>$20.00 USD</div><div>Sale price</div><div>From $15.00</div></a>"
            ),
            "Brass lamp"
        );
        let parts = "<a href=/l><span><img src=l.jpg></span><strong>Brass lamp</strong><span class=sklad>Skladem</span><span class=cena>890 Kč</span></a>";
        assert_eq!(title(parts), "Brass lamp");
        assert_eq!(title("<a href=/l><b>Lamps</b> of brass</a>"), "Lamps of brass");
        let rated = "<a href=/l>Brass lamp<span>\u{2605}\u{2605}\u{2605}\u{2605}\u{2606}</span> <span>(12)</span> <span>12,50 \u{20ac}</span> <span>Add to Cart</span></a>";
        assert_eq!(title(rated), "Brass lamp");
    }

    #[test]
    fn dates_and_badges_are_cut_only_at_the_ends() {
        assert_eq!(
            title("<a href=/n><time>12 May 2024</time> <span>Council votes for the bridge</span></a>"),
            "Council votes for the bridge"
        );
        assert_eq!(title("<a href=/n>Win 11 lamps for <b>$5</b> each day</a>"), "Win 11 lamps for $5 each day");
        assert_eq!(title("<a href=/n><b>New</b></a>"), "New");
        let read_out = "<span class=visually-hidden>(opens in a new window)</span>";
        assert_eq!(title(&format!("<a href=/n><span>2026 Slip 01102</span> {read_out}</a>")), "2026 Slip 01102");
        assert_eq!(title(&format!("<a href=/n>{read_out}</a>")), "(opens in a new window)");
        assert_eq!(title("<a href=/n>Windows <b>11</b></a>"), "Windows 11");
        assert_eq!(title("<a href=/n><span>$12</span> <span>$10</span></a>").len(), 3);
    }

    #[test]
    fn a_price_at_the_end_is_cut_off() {
        assert_eq!(without_price("Brass lamp - $12.00"), "Brass lamp");
        assert_eq!(without_price("Brass lamp $12.00 - $19.00"), "Brass lamp");
        assert_eq!(without_price("The $5 lamp of brass"), "The $5 lamp of brass");
        assert_eq!(without_price("$12.00"), "$12.00");
    }
}
