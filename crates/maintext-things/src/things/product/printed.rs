//! Printed prices with their features and currencies.
use super::classes::{Classes, SaidWords};
use super::gather::Gatherer;
use super::price::{self, PrintedNumber};
use super::seen::{SaleSigns, ShownPrice, is_frame};
use super::{ProductSlot, locale, words};
use maintext_facts::metadata::ranking::rank::{Features, Source};
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::squeeze;
use maintext_page::dom::{Dom, NodeId, Tag, is_aria_hidden, style_hides};
use maintext_page::hash::{HashMap, HashSet};

/// Maximum number of characters around a price that fills its block, such as a currency and "incl. VAT".
const MAX_CHARS_AROUND: usize = 8;
/// Maximum length of a block that is searched for prices, in characters.
const MAX_BLOCK: u32 = 400;
/// Maximum number of printed prices that are described.
const MAX_PRICES: usize = 200;

/// Maximum number of elements in the card of another product.
const MAX_CARD_ELEMENTS: u32 = 60;

/// Maximum number of blocks between a former price and the reduced one.
const MAX_BLOCKS_TO_REDUCED: u32 = 3;
/// Number of elements around a price among which a link to another offer is sought.
const MAX_LEVELS_TO_LINK: usize = 3;

/// Finds the prices of the page.
pub(super) fn find(facts: &Facts<'_>, classes: &mut Classes) -> Vec<ShownPrice> {
    let mut out: Vec<ShownPrice> = Vec::new();
    let mut doubtful = Vec::new();
    for (i, block) in facts.blocks.blocks.iter().enumerate() {
        if out.len() >= MAX_PRICES {
            break;
        }
        let plain = facts.blocks.text(i);
        if block.chars > MAX_BLOCK || !plain.bytes().any(|b| b.is_ascii_digit()) || is_frame(facts, i) {
            continue;
        }
        let (text, raised, leaves) = run(facts, i, classes);
        // A label before another price belongs to that one: "RRP $20 Now $15".
        let mut from = 0;
        for printed in price::find(&text, &raised) {
            let at = leaves.partition_point(|l| l.0 <= printed.range.start).saturating_sub(1);
            let Some(&(_, node)) = leaves.get(at) else { continue };
            let named = facts.dom.ancestors(node).take(4).any(|n| classes.of(facts.dom, n).any(SaidWords::PRICE));
            if (printed.sign.is_none() && !named) || price::key(&printed.number) == "0" || out.len() >= MAX_PRICES {
                continue;
            }
            let (before, after) = beside(&text, from, &printed);
            from = if printed.sign.is_some() { printed.range.end } else { from };
            let mut aside = false;
            words::within(&before, |says, _| aside |= says == words::PhraseMeaning::Other);
            aside = aside || facts.dom.ancestors(node).take(4).any(|n| classes.of(facts.dom, n).is_aside());
            let struck = is_struck(facts.dom, node, classes);
            if !struck && may_be_former(facts.dom, node, classes) {
                doubtful.push(out.len());
            }
            out.push(ShownPrice {
                block: i as u32,
                node,
                struck,
                named,
                aside,
                alone: text.chars().count() <= printed.range.len() + MAX_CHARS_AROUND,
                before,
                after,
                printed,
            });
        }
    }
    // "Regular" is also the class of a price that was never reduced.
    doubtful.retain(|i| out.iter().any(|other| is_reduced_to(facts.dom, &out[*i], other)));
    doubtful.into_iter().for_each(|i| out[i].struck = true);
    out
}

/// Whether a price is lower than another one next to it, and is not part of a link to another offer.
fn is_reduced_to(dom: &Dom<'_>, former: &ShownPrice, other: &ShownPrice) -> bool {
    let amount = |s: &ShownPrice| s.printed.number.parse::<f64>().unwrap_or(0.0);
    !other.struck
        && other.block.abs_diff(former.block) <= MAX_BLOCKS_TO_REDUCED
        && amount(other) < amount(former)
        && !dom.ancestors(other.node).take(MAX_LEVELS_TO_LINK).any(|n| dom.tag(n) == Tag::A)
}

/// Returns the text of a block with the starts of parts that are marked as cents, and the start of each text node.
fn run(facts: &Facts<'_>, block: usize, classes: &mut Classes) -> (String, Vec<usize>, Vec<(usize, NodeId)>) {
    let b = &facts.blocks.blocks[block];
    let leaves = facts.blocks.leaves_of(b);
    let (mut text, mut raised, mut places) = (String::new(), Vec::new(), Vec::new());
    for &leaf in leaves {
        let own = facts.dom.text(leaf);
        if own.starts_with(char::is_whitespace) && !text.ends_with(' ') && !text.is_empty() {
            text.push(' ');
        }
        let squeezed = squeeze(own);
        if squeezed.is_empty() {
            continue;
        }
        let is_cents = squeezed.len() <= 4
            && squeezed.starts_with(|c: char| c.is_ascii_digit())
            && facts
                .dom
                .ancestors(leaf)
                .take(3)
                .any(|n| facts.dom.tag(n) == Tag::SUP || classes.of(facts.dom, n).any(SaidWords::CENTS));
        if is_cents && raised.len() < 8 {
            raised.push(text.len());
        }
        // Numbers of separate elements are separate: a price and the count of bids behind it.
        if !is_cents && is_digit(text.chars().next_back()) && is_digit(squeezed.chars().next()) {
            text.push(' ');
        }
        places.push((text.len(), leaf));
        text.push_str(&squeezed);
        if own.ends_with(char::is_whitespace) {
            text.push(' ');
        }
    }
    (text, raised, places)
}

fn is_digit(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_digit())
}

fn is_struck(dom: &Dom<'_>, node: NodeId, classes: &mut Classes) -> bool {
    dom.ancestors(node).take(4).enumerate().any(|(up, n)| {
        matches!(dom.tag_name(n), "del" | "s" | "strike")
            || dom.attr(n, "style").is_some_and(|s| s.contains("line-through"))
            || up < 3 && classes.of(dom, n).any(SaidWords::STRUCK)
    })
}

/// Whether a class calls a price one that may have been reduced.
fn may_be_former(dom: &Dom<'_>, node: NodeId, classes: &mut Classes) -> bool {
    let mut around = dom.ancestors(node).take(2).map(|n| classes.of(dom, n));
    around.any(|says| says.any(SaidWords::WEAK_STRUCK) && says.any(SaidWords::PRICE))
}

/// Returns the texts before and after a price in its block, from the end of the price before, in lower case.
fn beside(text: &str, from: usize, printed: &PrintedNumber) -> (String, String) {
    let before: String = text[from..printed.range.start].chars().rev().take(40).collect();
    let before: String = before.chars().rev().collect();
    let after: String = text[printed.range.end..].chars().take(24).collect();
    (before.to_lowercase(), after.to_lowercase())
}

/// Adds the prices with their features: the features of the best occurrence of each value, and its number of occurrences.
pub(super) fn describe(g: &mut Gatherer<'_>, seen: &SaleSigns, classes: &mut Classes) {
    let facts = g.sources.facts;
    let mut order: Vec<&str> = Vec::new();
    let mut times: HashMap<String, usize> = Default::default();
    for s in &seen.prices {
        *times.entry(price::key(&s.printed.number)).or_default() += 1;
    }
    let near_struck: HashSet<u32> =
        seen.prices.iter().filter(|s| s.struck).flat_map(|s| s.block.saturating_sub(3)..=s.block + 3).collect();
    // Places of prices that are not struck, with their amounts.
    let open: Vec<(u32, f64)> = seen
        .prices
        .iter()
        .filter(|s| !s.struck && !s.aside && s.printed.sign.is_some())
        .filter_map(|s| Some((s.block, s.printed.number.parse().ok()?)))
        .collect();
    let beaten = |s: &ShownPrice| {
        let own: f64 = s.printed.number.parse().unwrap_or(0.0);
        let from = open.partition_point(|o| o.0 + 3 < s.block);
        s.struck && open[from..].iter().take_while(|o| o.0 <= s.block + 3).any(|o| o.1 < own && o.1 > own / 5.0)
    };
    let lead = lead(g, seen);
    g.lead = lead.clone();
    let others = of_others(g, seen, lead.as_deref());
    let is_of_other = |lead: &String| {
        let mut own =
            seen.prices.iter().enumerate().filter(|(_, s)| *lead == price::key(&s.printed.number)).map(|own| own.0);
        own.all(|i| others.contains(&i))
    };
    if lead.as_ref().is_some_and(is_of_other) {
        g.lead = None;
    }
    for (_, s) in seen.prices.iter().enumerate().filter(|(i, _)| !others.contains(i)) {
        let number = s.printed.number.as_str();
        let is_beaten = beaten(s);
        let hidden = is_hidden(facts, s);
        if !s.struck && !hidden {
            g.printed.open.insert(price::key(number));
        } else if is_beaten && !hidden && matches!(g.place(s.block), "at" | "near" | "after") {
            g.printed.beaten.insert(price::key(number));
        }
        let after_heading = s.block >= g.heading;
        if after_heading && !s.struck && !s.aside && s.printed.sign.is_some() && !order.contains(&number) {
            order.push(number);
        }
        let rank = order.iter().position(|o| *o == number);
        let place = g.place(s.block);
        let button = nearest(&seen.buttons, s.block);
        let count = times.get(&price::key(number)).copied().unwrap_or(0);
        let (mut was, mut other, mut from) = (false, false, false);
        words::within(&s.before, |says, _| match says {
            words::PhraseMeaning::Was => was = true,
            words::PhraseMeaning::Other => other = true,
            words::PhraseMeaning::From => from = true,
            _ => {}
        });
        let unit = s.after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let per_unit =
            unit.starts_with('/') || s.after.contains("per ") || s.after.contains(" / ") || s.after.contains("/kg");
        let slot = if s.struck || was { ProductSlot::ListPrice } else { ProductSlot::Price };
        let describe = |f: &mut Features| {
            f.set(&["t."], 1.0);
            f.flag("t.sign/up", s.printed.sign.is_some());
            f.flag("t.named/up", s.named);
            f.flag("t.alone/up", s.alone);
            f.flag("t.cents", s.printed.has_cents);
            f.flag("t.starts.range", s.printed.starts_range);
            f.flag("t.ends.range", s.printed.ends_range);
            f.flag("t.struck/down", s.struck);
            f.flag("t.lead/up", lead.as_deref() == Some(price::key(number).as_str()));
            f.flag("t.beaten/down", is_beaten);
            f.flag("t.main.struck/down", s.struck && matches!(place, "at" | "near" | "after"));
            f.flag("t.main.open/up", !s.struck && !s.aside && !was && matches!(place, "at" | "near" | "after"));
            f.flag("t.was/down", was);
            f.flag("t.other/down", other);
            f.flag("t.from", from);
            f.flag("t.unit/down", per_unit);
            f.flag("t.hidden", hidden);
            f.flag("t.near.struck", !s.struck && !s.aside && near_struck.contains(&s.block));
            f.set(&["t.place:", place], 1.0);
            f.bucket("t.order", rank.unwrap_or(99));
            f.bucket("t.button", button.min(200));
            f.bucket("t.count", count);
            f.set(&["t.tag:", facts.dom.tag_name(facts.dom.parent(s.node).unwrap_or(s.node))], 1.0);
            let regions = facts.element(facts.dom.parent(s.node).unwrap_or(s.node)).map_or(0, |e| facts.regions[e]);
            for (bit, name) in region::NAMES.iter().enumerate() {
                if regions >> bit & 1 == 1 {
                    f.set(&["t.in:", name], 1.0);
                }
            }
            for n in facts.dom.ancestors(s.node).take(4) {
                classes.of(facts.dom, n).kinds().for_each(|kind| f.set(&["class:", kind], 1.0));
            }
            for n in facts.dom.ancestors(s.node).take(8) {
                let says = classes.of(facts.dom, n);
                f.flag("up.main/up", says.any(SaidWords::MAIN));
                f.flag("up.other/down", says.any(SaidWords::OTHER));
            }
        };
        g.add(ProductSlot::Price, number, Source::Text, "text", 5, describe);
        if slot == ProductSlot::ListPrice && matches!(place, "at" | "near" | "after") {
            g.add(ProductSlot::ListPrice, number, Source::Text, "text", 5, |f| f.set(&["t.place:", place], 1.0));
        }
    }
}

/// Returns the price that a reader sees first below the heading: printed for itself, not struck, not a saving or a rate.
pub(super) fn lead(g: &Gatherer<'_>, seen: &SaleSigns) -> Option<String> {
    seen.prices.iter().find(|s| may_lead(g, s)).map(|s| price::key(&s.printed.number))
}

fn may_lead(g: &Gatherer<'_>, s: &ShownPrice) -> bool {
    let mut was = false;
    words::within(&s.before, |says, _| was |= says == words::PhraseMeaning::Was);
    s.block >= g.heading
        && !s.struck
        && !s.aside
        && !was
        && s.printed.sign.is_some()
        && (s.alone || s.named)
        && !is_hidden(g.sources.facts, s)
        && g.place(s.block) != "farther"
}

/// Returns whether a visitor does not see a price. `aria-hidden` at the price itself hides a price that screen readers get in other words.
fn is_hidden(facts: &Facts<'_>, s: &ShownPrice) -> bool {
    let dom = facts.dom;
    facts.blocks.blocks[s.block as usize].hidden && !dom.ancestors(s.node).take(2).any(|n| is_for_eyes(dom, n))
}

fn is_for_eyes(dom: &Dom<'_>, n: NodeId) -> bool {
    is_aria_hidden(dom, n) && dom.attr(n, "hidden").is_none() && !dom.attr(n, "style").is_some_and(style_hides)
}

/// Returns the prices of other products: each in a card with a link to another page, next to similar cards, behind the product's own price or
/// with a heading.
fn of_others(g: &Gatherer<'_>, seen: &SaleSigns, lead: Option<&str>) -> HashSet<usize> {
    let facts = g.sources.facts;
    let elements = &facts.blocks.elements;
    let Some(first) = seen.prices.iter().position(|s| lead == Some(price::key(&s.printed.number).as_str())) else {
        return HashSet::default();
    };
    let cards: Vec<Option<(usize, &str)>> = seen
        .prices
        .iter()
        .map(|s| {
            let mut around = facts.blocks.ancestors(s.block as usize).take_while(|e| {
                elements[*e].descendants <= MAX_CARD_ELEMENTS && !elements[*e].blocks.contains(&g.heading)
            });
            around.find_map(|e| {
                // A card that is a link as a whole is the element around the link.
                let inside = e + 1..=e + elements[e].descendants as usize;
                Some((e, inside.into_iter().find_map(|i| leads_away(g, elements[i].node))?))
            })
        })
        .collect();
    let mut links: HashMap<(u32, u8), HashSet<&str>> = HashMap::default();
    cards.iter().skip(first).flatten().for_each(|(e, href)| {
        links.entry((elements[*e].parent, elements[*e].tag.0)).or_default().insert(href);
    });
    let kind_of = |(e, _): (usize, &str)| (elements[e].parent, elements[e].tag.0);
    let own = cards[first].map(kind_of);
    // The product's own price is not in a card with the heading of another product.
    let is_own = cards[first].is_none_or(|(e, _)| {
        let mut inside = elements[e..=e + elements[e].descendants as usize].iter();
        !inside.any(|e| e.tag.heading_level().is_some())
    });
    let is_of_other = |card: &(usize, &str)| {
        let kind = kind_of(*card);
        (!is_own || Some(kind) != own) && links.get(&kind).is_some_and(|links| links.len() > 1)
    };
    let from = if is_own { first + 1 } else { first };
    let later = cards.iter().enumerate().skip(from);
    later.filter(|(_, card)| card.as_ref().is_some_and(is_of_other)).map(|(i, _)| i).collect()
}

fn leads_away<'g>(g: &'g Gatherer<'_>, n: NodeId) -> Option<&'g str> {
    if g.sources.facts.dom.tag(n) != Tag::A {
        return None;
    }
    let href = g.sources.facts.dom.attr(n, "href")?;
    (!href.starts_with('#') && !href.starts_with("javascript") && !g.is_page(href)).then_some(href)
}

/// Returns the distance to the nearest button, in blocks.
pub(super) fn nearest(buttons: &[u32], block: u32) -> usize {
    let after = buttons.partition_point(|b| *b < block);
    let around = [buttons.get(after), after.checked_sub(1).and_then(|i| buttons.get(i))];
    around.into_iter().flatten().map(|b| b.abs_diff(block) as usize).min().unwrap_or(999)
}

/// Adds the currencies that are printed with prices, with separate features for the chosen price.
pub(super) fn currencies(g: &mut Gatherer<'_>, seen: &SaleSigns, chosen: Option<&str>) {
    for s in &seen.prices {
        let Some(sign) = &s.printed.sign else { continue };
        let own = chosen.is_some_and(|c| c == price::key(&s.printed.number));
        let vague = locale::meanings(sign).len() > 1;
        let place = g.place(s.block);
        g.add(ProductSlot::Currency, sign, Source::Text, "text", 5, |f| {
            f.set(&["t."], 1.0);
            f.flag("t.own", own);
            f.flag("t.own.clear", own && !vague);
            f.flag("t.clear", !vague);
            f.set(&["t.place:", place], 1.0);
        });
        // A vague sign may also mean another of its currencies, if the page declares that one.
        if vague && own {
            for code in locale::meanings(sign) {
                g.feature(ProductSlot::Currency, code, |f| f.set(&["t.own.maybe"], 1.0));
            }
        }
    }
    for (nth, country) in g.countries.clone().iter().enumerate().take(3) {
        let Some(code) = locale::currency_of(country) else { continue };
        g.add(ProductSlot::Currency, code, Source::Derived, "text", 1, |f| {
            f.set(&["country:", if nth == 0 { "first" } else { "other" }], 1.0);
        });
    }
}
