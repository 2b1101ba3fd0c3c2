//! Keeps the price of a product, if the page declares it: "£68.00 £74.00 incl. tax" near the product's name.
use super::declared::is_place_on_map;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_lists::list::is_prices;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};
use maintext_reading::features::heading_level;

/// Maximum number of words of a line with a price.
const MAX_WORDS: u32 = 14;
/// Maximum number of blocks between the name and a price that is kept although the text already has one: a maker, stars, a sentence.
const MAX_BLOCKS: usize = 16;
/// Maximum number of blocks between the name and a price that is only printed.
const MAX_PRINTED_BLOCKS: usize = 4;
/// Minimum number of titles with prices that are a list.
const MIN_CARDS: usize = 3;
/// Maximum number of declared prices that are looked at: variants of one product.
const MAX_DECLARED: usize = 8;

/// Keeps the first line below the product's name that shows a declared price, however far a gallery moves it, or else one above the name.
/// Without a declared price, keeps a line of nothing but prices directly below the name.
pub(crate) fn apply(facts: &Facts<'_>, kept: &mut [bool]) {
    let blocks = facts.blocks;
    let declared = declared(facts);
    let name = super::main_heading(blocks);
    if declared.is_empty() {
        if let Some(line) = name.and_then(|name| printed(facts.dom, blocks, name)) {
            kept[line] = true;
            // The button below it buys.
            if let Some(next) = kept.get_mut(line + 1) {
                *next &= blocks.elements[blocks.blocks[line + 1].element as usize].tag != Tag::BUTTON;
            }
        }
        return;
    }
    let from = name.unwrap_or(0);
    let shown = (from..kept.len()).chain(0..from).find(|b| shows(blocks, *b, &declared));
    let Some(line) = shown else { return };
    // Far from the name, the price may already be in a sentence or a table.
    let is_near = (from..from + MAX_BLOCKS).contains(&line);
    if is_near || !(0..kept.len()).any(|b| kept[b] && has_price(blocks.text(b), &declared)) {
        kept[line] = true;
    }
}

/// Keeps the prices directly below kept titles if several titles have one, as in a list of goods.
pub(crate) fn keep_below_titles(blocks: &Blocks, kept: &mut [bool]) {
    let prices = (1..blocks.len()).filter(|&b| kept[b - 1] && is_price_of_title(blocks, b));
    let prices: Vec<usize> = prices.collect();
    if prices.len() >= MIN_CARDS {
        prices.into_iter().for_each(|b| kept[b] = true);
    }
}

/// Whether a block is a line of nothing but prices below a heading.
fn is_price_of_title(blocks: &Blocks, b: usize) -> bool {
    heading_level(blocks, b - 1) > 0 && heading_level(blocks, b) == 0 && is_printed(blocks, b)
}

fn is_printed(blocks: &Blocks, b: usize) -> bool {
    let block = &blocks.blocks[b];
    block.words <= MAX_WORDS && !block.hidden && is_prices(blocks.text(b))
}

/// Returns the line of nothing but prices below a name. In a list, a link to the first entry precedes it.
fn printed(dom: &Dom<'_>, blocks: &Blocks, name: usize) -> Option<usize> {
    let is_entry = |b: usize| {
        let block = &blocks.blocks[b];
        block.chars > 0 && block.link_chars >= block.chars && !is_place_on_map(dom, blocks, b)
    };
    let below = name + 1..(name + 1 + MAX_PRINTED_BLOCKS).min(blocks.len());
    let mut lines = below.take_while(|&b| !is_entry(b));
    lines.find(|&b| is_printed(blocks, b))
}

/// Returns the prices of the product that a page declares, in cents; none if it declares no product.
fn declared(facts: &Facts<'_>) -> Vec<u64> {
    let graph = facts.graph();
    let has_product = graph.things.iter().any(|thing| thing.depth == 0 && thing.kind.contains("Product"))
        || facts.metas("og:type").any(|kind| kind.contains("product"))
        || facts
            .props
            .iter()
            .any(|prop| prop.name == "price" && (prop.kind.contains("Product") || prop.kind.contains("Offer")));
    if !has_product {
        return Vec::new();
    }
    let metas = ["product:price:amount", "og:price:amount"].into_iter().flat_map(|key| facts.metas(key));
    let offers = graph.things.iter().filter(|thing| thing.kind.contains("Offer"));
    let offered = offers.filter_map(|offer| {
        graph.text(offer.id, "price").or_else(|| graph.text(offer.id, "lowPrice")).map(str::to_owned)
    });
    let props = facts.props.iter().filter(|prop| prop.name == "price").map(|prop| facts.prop_value(prop.node));
    let texts = metas.map(str::to_owned).chain(offered).chain(props);
    texts.filter_map(|text| amounts(&text).next()).filter(|cents| *cents > 0).take(MAX_DECLARED).collect()
}

/// Whether a block is a short visible line with one of these prices.
fn shows(blocks: &Blocks, b: usize, declared: &[u64]) -> bool {
    let block = &blocks.blocks[b];
    block.words <= MAX_WORDS && !block.hidden && has_price(blocks.text(b), declared)
}

/// Whether a text has one of these prices.
fn has_price(text: &str, declared: &[u64]) -> bool {
    amounts(text).any(|cents| declared.contains(&cents) || has_raised_cents(cents, declared))
}

/// Whether an amount without a separator is one of these prices with raised cents: `173<sup>34</sup>`.
fn has_raised_cents(amount: u64, declared: &[u64]) -> bool {
    let price = amount / 100;
    amount.is_multiple_of(100) && !price.is_multiple_of(100) && declared.contains(&price)
}

/// Returns the amounts in a text, in cents. Of several separators the last one is decimal if two digits follow it.
fn amounts(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(move |c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'' | '\u{a0}' | '\u{202f}'))
        .filter_map(cents)
}

fn cents(number: &str) -> Option<u64> {
    let number = number.trim_matches(|c: char| !c.is_ascii_digit());
    let (whole, fraction) = match number.rfind(['.', ',']) {
        Some(at) if matches!(number.len() - at, 2 | 3) => (&number[..at], &number[at + 1..]),
        _ => (number, ""),
    };
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let whole: u64 = digits.parse().ok()?;
    let fraction: u64 = format!("{fraction:0<2}").parse().ok()?;
    whole.checked_mul(100)?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::{amounts, keep_below_titles};
    use crate::{Options, extract};

    #[test]
    fn the_prices_of_a_list_stay_with_its_titles() {
        let kept = |cards: usize, price: &str, choice: &str| {
            let card = format!("<div><h3>A kettle</h3><p>{price}</p></div>");
            crate::passes::choice_after(&card.repeat(cards), choice, |_, blocks, kept| keep_below_titles(blocks, kept))
        };
        assert_eq!(kept(3, "$18.66", "+-+-+-"), "++++++");
        assert_eq!(kept(3, "$18.66", "------"), "------");
        assert_eq!(kept(2, "$18.66", "+-+-"), "+-+-");
        assert_eq!(kept(3, "Sold out", "+-+-+-"), "+-+-+-");
    }

    #[test]
    fn amounts_are_read_in_any_notation() {
        for (text, cents) in [
            ("£68.00", 6800),
            ("68", 6800),
            ("68.5", 6850),
            ("1.299,00 €", 129_900),
            ("$1,299.95", 129_995),
            ("1\u{202f}299 zł", 129_900),
            ("CHF 1'299.-", 129_900),
            ("₹12,34,567", 123_456_700),
        ] {
            assert_eq!(amounts(text).next(), Some(cents), "{text}");
        }
        assert_eq!(amounts("no price").next(), None);
    }

    #[test]
    fn the_declared_price_is_kept_and_other_prices_are_not() {
        let page = |declared: &str, line: &str| {
            let text = "<p>The kettle is spun from a single disc of steel and enamelled by hand in two coats, so there is no \
                seam to leak and no lining to wear off in all the years that it will stand on your stove.</p>";
            let html = format!(
                "<title>Kettle - Hearth</title><meta name=viewport content=x>{declared}<nav><a href=/>Home</a><a href=/k>Kettles</a></nav>\
                 <main><h1>Kettle</h1><div class=css-1>{line}</div><form><button>Add to bag</button></form><div>{text}{text}</div></main>\
                 <footer><a href=/terms>Terms</a></footer>"
            );
            extract(html.as_str(), &Options::default()).unwrap().text.unwrap()
        };
        let json = "<script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"Kettle\",\"offers\":{\"@type\":\"Offer\",\"price\":\"68\"}}</script>";
        let meta = "<meta property=og:type content=product><meta property=product:price:amount content=68.00>";
        for declared in [json, meta] {
            assert!(page(declared, "£68.00 <s>£74.00</s>").contains("£68.00"), "{declared}");
            assert!(!page(declared, "Free delivery over £60").contains("£60"), "{declared}");
        }
        assert!(page("", "<s>£74.00</s> £68.00").contains("£68.00"));
        // Below a gallery, and with raised cents.
        let gallery = "<ul>".to_owned() + &"<li><a href=/big>Enlarge this picture</a>".repeat(20) + "</ul>";
        assert!(page(json, &format!("{gallery}<p>£68.00</p>")).contains("£68.00"));
        let raised = json.replace("68", "173.34");
        assert!(page(&raised, "<p>173<sup>34</sup> Lei").contains("Lei"));
        assert!(!page("", "Free delivery over £60").contains("£60"));
    }
}
