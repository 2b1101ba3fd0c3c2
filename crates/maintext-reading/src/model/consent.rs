//! Finds consent dialogs, which ask a reader to agree to cookies and list them. Scripts write them into the page, with long tables of
//! cookies, when a browser loads it; pages as servers send them, which the model was trained on, contain a line or two of it.
use crate::features::sums::RunningSums;
use crate::features::tokens::NameSet;
use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element, ElementTokens};
use maintext_page::dom::{Dom, Tag};
use maintext_page::lexicon::lexicon;
use std::ops::Range;
use std::sync::LazyLock;

/// Names of elements that hold a consent dialog.
const NAMES: &[&str] = lexicon!("consent-names.txt");
/// Names that mark a dialog only together with one of [`PARTS`]: recipes are about cookies, too.
const COOKIES: [&str; 2] = ["cookie", "cookies"];
const PARTS: &[&str] = lexicon!("consent-parts.txt");
/// Maximum share of a page's words that a dialog can have, unless other text likely is content.
const MAX_SHARE: f32 = 0.9;

/// Subtracted from the log-odds of blocks in a dialog. Blocks with a high enough score stay: some pages are about consent dialogs.
const PENALTY_IN_DIALOG: f32 = 5.0;

/// Hashes of [`NAMES`], [`COOKIES`] and [`PARTS`].
static HASHES: LazyLock<[NameSet; 3]> = LazyLock::new(|| [NAMES, &COOKIES, PARTS].map(NameSet::new));

/// Subtracted from the log-odds of blocks in a dialog over the page.
const PENALTY_OVER_PAGE: f32 = 12.0;
/// Minimum number of words, likely content or not, outside of an element that declares itself a dialog.
const MIN_WORDS_BESIDE: u32 = 50;
/// Minimum number of words that likely are content, outside of a dialog.
const MIN_WORDS_BEHIND: u32 = 20;
/// Log-odds from which a text likely is content.
const LIKELY_SCORE: f32 = -1.0;

/// The roles of dialogs.
static DIALOGS: LazyLock<NameSet> = LazyLock::new(|| NameSet::new(&["dialog", "alertdialog"]));

/// Lowers the log-odds of blocks in dialogs that cover the page and in consent dialogs.
pub(super) fn doubt(dom: &Dom, blocks: &Blocks, tokens: &ElementTokens, scores: &mut [f32]) {
    doubt_modals(dom, blocks, tokens, scores);
    let [names, cookies, parts] = &*HASHES;
    // A rule, since a model that learned to find dialogs loses 0.001 to 0.004 on sets never seen (docs/experiments/content.md).
    let named = tokens.named(|list| names.has_any(list) || cookies.has_any(list) && parts.has_any(list));
    if !named.any() {
        return;
    }
    // The words of the blocks, and of those that likely are content.
    let words = RunningSums::new(
        blocks.blocks.iter().zip(&*scores).map(|(b, score)| [b.words, if *score > LIKELY_SCORE { b.words } else { 0 }]),
    );
    let saying: Vec<usize> = (0..blocks.len()).filter(|&i| mentions_cookies(blocks.text(i))).collect();
    // Elements are in document order: a dialog has covered everything that ends before `done`.
    let mut done = 0;
    for (i, e) in blocks.elements.iter().enumerate().filter(|e| !e.1.blocks.is_empty()) {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        if to <= done || !named.has(i) {
            continue;
        }
        let says = saying.get(saying.partition_point(|b| *b < from)).is_some_and(|b| *b < to);
        let is_small = words.of(from..to)[0] as f32 <= MAX_SHARE * words.all()[0] as f32;
        // A page with so much text outside of a declared dialog is not about cookies.
        let is_dialog =
            || has_value(dom, e, "role", "dialog") && words.all()[0] - words.of(from..to)[0] >= MIN_WORDS_BESIDE;
        let is_over_page = says && (is_apart(&words, scores, from..to) || is_dialog());
        if says && (is_small || is_over_page) {
            done = to;
            // A dialog with long tables has more words than the page behind it, so that its blocks would be worth a try.
            let penalty = if is_over_page { PENALTY_OVER_PAGE } else { PENALTY_IN_DIALOG };
            scores[from..to].iter_mut().for_each(|s| *s -= penalty);
        }
    }
}

/// Whether text outside of a range likely is content, but none that touches the range: a policy on cookies follows its heading.
fn is_apart(words: &RunningSums<u32, 2>, scores: &[f32], range: Range<usize>) -> bool {
    let neighbours = [range.start.checked_sub(1), Some(range.end)];
    let touches = neighbours.into_iter().flatten().any(|b| scores.get(b).is_some_and(|s| *s > LIKELY_SCORE));
    !touches && words.all()[1] - words.of(range)[1] >= MIN_WORDS_BEHIND
}

/// Lowers the log-odds of blocks in dialogs that cover the page, if the page holds other text that likely is content.
fn doubt_modals(dom: &Dom, blocks: &Blocks, tokens: &ElementTokens, scores: &mut [f32]) {
    let named = tokens.named(|list| DIALOGS.has_any(list));
    let mut end = 0;
    // Counted once, and not for each dialog.
    let mut likely = likely_words(blocks, scores, 0..blocks.len());
    for (i, e) in blocks.elements.iter().enumerate() {
        let own = e.blocks.start as usize..e.blocks.end as usize;
        if own.is_empty() || own.start < end || !is_modal(dom, e, named.has(i)) || is_amid(blocks, e, scores) {
            continue;
        }
        end = own.end;
        let behind = likely - likely_words(blocks, scores, own.clone());
        if behind >= MIN_WORDS_BEHIND {
            scores[own.clone()].iter_mut().for_each(|s| *s -= PENALTY_OVER_PAGE);
            likely = behind + likely_words(blocks, scores, own);
        }
    }
}

/// Returns the number of words in the blocks of a range that likely are content.
fn likely_words(blocks: &Blocks, scores: &[f32], range: Range<usize>) -> u32 {
    range.filter(|b| scores[*b] > LIKELY_SCORE).map(|b| blocks.blocks[b].words).sum()
}

/// Whether a text contains "cookie", as such dialogs do in nearly every language.
fn mentions_cookies(text: &str) -> bool {
    const WORD: &[u8] = b"cookie";
    // Its rarest letter is the fourth.
    let begins = memchr::memchr2_iter(b'k', b'K', text.as_bytes()).filter_map(|at| at.checked_sub(3));
    let mut words = begins.filter_map(|begin| text.as_bytes().get(begin..begin + WORD.len()));
    words.any(|word| word.eq_ignore_ascii_case(WORD))
}

/// Whether an element is a dialog over the page. `is_named` says that its names mark it as a dialog.
fn is_modal(dom: &Dom, e: &Element, is_named: bool) -> bool {
    // A dialog that is hidden until a visitor asks for it, such as a table of sizes, does not cover the page.
    if e.hidden {
        return dom.attribute(e.node, Attr::POPOVER).is_some();
    }
    e.tag == Tag::DIALOG
        || is_named
            && (has_value(dom, e, "role", "dialog") || has_value(dom, e, "role", "alertdialog"))
            && has_value(dom, e, "aria-modal", "true")
}

fn has_value(dom: &Dom, e: &Element, attribute: &str, value: &str) -> bool {
    dom.attr(e.node, attribute).is_some_and(|v| v.eq_ignore_ascii_case(value))
}

/// Whether a dialog lies between likely texts of one element: then it is a part of the text.
fn is_amid(blocks: &Blocks, e: &Element, scores: &[f32]) -> bool {
    let around = &blocks.elements[e.parent as usize].blocks;
    let neighbours = [e.blocks.start.checked_sub(1), Some(e.blocks.end)];
    neighbours.into_iter().all(|b| b.is_some_and(|b| around.contains(&b) && scores[b as usize] > LIKELY_SCORE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_found_in_upper_and_lower_case() {
        assert!(["Wir verwenden Cookies.", "COOKIES", "Политика cookie"].into_iter().all(mentions_cookies));
        assert!(!["ookie", "The rookie came.", ""].into_iter().any(mentions_cookies));
    }

    #[test]
    fn dialogs_over_a_page_are_doubted() {
        let doubted = |html: &str| {
            let dom = maintext_page::dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let mut scores = vec![0.0; blocks.len()];
            doubt(&dom, &blocks, blocks.names(&dom), &mut scores);
            scores.iter().filter(|s| **s < 0.0).count()
        };
        let text = format!("<article><p>{}</p></article>", "The mill has been closed since the flood. ".repeat(4));
        for (over, end) in [("div role=dialog aria-modal=true", "div"), ("dialog open", "dialog")] {
            assert_eq!(doubted(&format!("<{over}><p>Your choice</p></{end}>{text}")), 1, "{over}");
            // A post that opens over an empty page is its content.
            assert_eq!(doubted(&format!("<{over}>{text}</{end}><p>Home</p>")), 0, "{over}");
        }
        assert_eq!(doubted(&format!("<div role=dialog><p>Your choice</p></div>{text}")), 0);
        assert_eq!(doubted(&format!("{text}<dialog open><p>Your choice</p></dialog>{text}")), 0, "amid a text");
    }

    #[test]
    fn a_dialog_with_long_tables_is_doubted_as_much_as_one_over_the_page() {
        let long = "<p>A cookie of this kind stays for a year.".repeat(40);
        let html = format!(
            "<div class=cookiebanner>{long}</div><nav>Home</nav><p>{}</p>",
            "The mill has been closed. ".repeat(5)
        );
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut scores = vec![2.0; blocks.len()];
        scores[40] = -5.0;
        doubt(&dom, &blocks, blocks.names(&dom), &mut scores);
        assert_eq!((scores[0], scores[41]), (2.0 - PENALTY_OVER_PAGE, 2.0));
    }

    #[test]
    fn a_declared_dialog_is_over_the_page_whatever_the_page_is_like() {
        let long = "<p>A cookie of this kind stays for a year.".repeat(40);
        let first = |role: &str| {
            let page = "<p>Sold.".repeat(60);
            let html = format!("<div id=CybotCookiebotDialog {role}>{long}</div>{page}");
            let dom = maintext_page::dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let mut scores = vec![-4.0; blocks.len()];
            scores[..40].fill(2.0);
            doubt(&dom, &blocks, blocks.names(&dom), &mut scores);
            scores[0]
        };
        assert_eq!((first("role=dialog"), first("")), (2.0 - PENALTY_OVER_PAGE, 2.0 - PENALTY_IN_DIALOG));
    }

    #[test]
    fn a_dialog_is_distinguished_from_a_page_about_cookies() {
        let doubted = |html: &str| -> Vec<String> {
            let dom = maintext_page::dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let mut scores = vec![0.0; blocks.len()];
            doubt(&dom, &blocks, blocks.names(&dom), &mut scores);
            (0..blocks.len()).filter(|&i| scores[i] == -PENALTY_IN_DIALOG).map(|i| blocks.text(i).to_owned()).collect()
        };
        let recipe = "<article class='post cookies'><p>Bake the cookies for ten minutes, and let them cool.</article>";
        for attrs in ["id=CybotCookiebotDialog", "class='cookie-banner'", "id='onetrust-consent-sdk'"] {
            let html = format!("{recipe}<div {attrs}><div class=gdpr><p>We use cookies.</div><p>Accept</div>");
            assert_eq!(doubted(&html), ["We use cookies.", "Accept"], "{attrs}");
        }
        assert!(doubted(recipe).is_empty());
        assert!(doubted(&format!("{recipe}<div class=gdpr-form><p>Your name</div>")).is_empty());
        // An element with nearly all of a page's words is the page.
        assert!(
            doubted("<div class=cookie-policy><p>All about our cookies, and how long they are kept.</div>").is_empty()
        );
    }
}
