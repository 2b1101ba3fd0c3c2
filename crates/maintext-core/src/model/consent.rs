//! Finds consent dialogs, which ask a reader to agree to cookies and list them. Scripts write them into the page, with long tables of
//! cookies, when a browser loads it; pages as servers send them, which the model was trained on, contain a line or two of it.
use crate::blocks::{Blocks, ElementTokens};
use crate::features::tokens::NameSet;
use std::sync::LazyLock;

/// Names of elements that hold a consent dialog.
const NAMES: [&str; 12] = [
    "consent",
    "gdpr",
    "ccpa",
    "cookiebot",
    "cookieconsent",
    "cookiebanner",
    "cookiebar",
    "cookielaw",
    "cookienotice",
    "onetrust",
    "didomi",
    "usercentrics",
];
/// Names that mark a dialog only beside one of [`PARTS`]: recipes are about cookies, too.
const COOKIES: [&str; 2] = ["cookie", "cookies"];
const PARTS: [&str; 14] = [
    "alert",
    "banner",
    "bar",
    "declaration",
    "dialog",
    "disclaimer",
    "info",
    "law",
    "message",
    "modal",
    "notice",
    "notification",
    "policy",
    "popup",
];
/// Largest share of a page's words that a dialog can have.
const LARGEST: f32 = 0.9;

/// Subtracted from the log-odds of blocks in a dialog. Blocks with a high enough score stay: some pages are about consent dialogs.
const IN_DIALOG: f32 = 5.0;

/// Hashes of [`NAMES`], [`COOKIES`] and [`PARTS`].
static HASHES: LazyLock<[NameSet; 3]> = LazyLock::new(|| [&NAMES[..], &COOKIES, &PARTS].map(NameSet::new));

/// Lowers the log-odds of blocks in consent dialogs.
pub(super) fn doubt(blocks: &Blocks, tokens: &ElementTokens, scores: &mut [f32]) {
    let [names, cookies, parts] = &*HASHES;
    let named = tokens.named(|list| {
        let has = |names: &NameSet| list.iter().any(|t| names.has(*t));
        has(names) || has(cookies) && has(parts)
    });
    if !named.any() {
        return;
    }
    let mut words = vec![0u32];
    words.extend(blocks.blocks.iter().scan(0, |sum, b| {
        *sum += b.words;
        Some(*sum)
    }));
    let saying: Vec<usize> = (0..blocks.len()).filter(|&i| mentions_cookies(blocks.text(i))).collect();
    // Elements are in document order: a dialog has covered everything that ends before `done`.
    let mut done = 0;
    for (i, e) in blocks.elements.iter().enumerate().filter(|e| !e.1.blocks.is_empty()) {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        if to <= done || !named.has(i) {
            continue;
        }
        let says = saying.get(saying.partition_point(|b| *b < from)).is_some_and(|b| *b < to);
        if says && (words[to] - words[from]) as f32 <= LARGEST * words[blocks.len()] as f32 {
            done = to;
            scores[from..to].iter_mut().for_each(|s| *s -= IN_DIALOG);
        }
    }
}

/// Whether a text contains "cookie", as such dialogs do in nearly every language.
fn mentions_cookies(text: &str) -> bool {
    text.as_bytes().windows(6).any(|w| w.eq_ignore_ascii_case(b"cookie"))
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
    fn a_dialog_is_distinguished_from_a_page_about_cookies() {
        let doubted = |html: &str| -> Vec<String> {
            let dom = crate::dom::parse(html, &Default::default());
            let blocks = Blocks::new(&dom);
            let mut scores = vec![0.0; blocks.len()];
            doubt(&blocks, blocks.names(&dom), &mut scores);
            (0..blocks.len()).filter(|&i| scores[i] == -IN_DIALOG).map(|i| blocks.text(i).to_owned()).collect()
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
