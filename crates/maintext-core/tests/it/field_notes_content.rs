//! Content that users of other extractors report as missed (adbar/trafilatura, mozilla/readability and others), each on a page of its own.
//!
//! The pages are written for the tests; the menu, related links, newsletter and footer around the content are typical of news sites and
//! blogs.
use maintext_core::{Options, extract};

/// A page with a menu before the content, and related links, a newsletter form and a footer after it.
fn page(content: &str) -> String {
    let related: String = ["Harbour to close for repairs", "New bridge opens in May", "Council votes on the ring road"]
        .iter()
        .map(|t| format!("<li><a href='/{}'>{t}</a></li>", t.len()))
        .collect();
    format!(
        "<!DOCTYPE html><html lang=en><head><title>The lighthouse keeper - Coast Daily</title></head><body>
        <header><a class=logo href=/>Coast Daily</a><nav><ul><li><a href=/news>News</a></li><li><a href=/sport>Sport</a></li>
        <li><a href=/culture>Culture</a></li><li><a href=/about>About us</a></li></ul></nav></header>
        {content}
        <aside class=related><h3>Read also</h3><ul>{related}</ul></aside>
        <section class=newsletter><h3>Our newsletter</h3><p>Sign up and never miss a story.</p><form><input name=mail>
        <button>Subscribe</button></form></section>
        <footer><p>© 2024 Coast Daily. All rights reserved. Reproduction only with written permission of the publisher.</p>
        <ul><li><a href=/imprint>Imprint</a></li><li><a href=/privacy>Privacy</a></li></ul></footer></body></html>"
    )
}

const FIRST: &str = "For forty years Anna Brandt climbed the hundred and ten steps twice a day, once to light the lamp and once to \
    put it out, and in all that time she missed a single evening.";
const SECOND: &str = "That was in the winter of 1987, when the sea took the path, the fence and the lower shed, and the men from the \
    village had to row her up to the rock in a boat that none of them trusted.";
const THIRD: &str = "Now the lamp turns by itself. A box in the harbour office switches it on at dusk, and nobody needs to live on the \
    island any more, least of all through the storms of November.";

fn text(content: &str) -> String {
    let text = extract(&page(content), &Options::default()).unwrap().text.unwrap_or_default();
    assert!(!text.contains("Imprint") && !text.contains("newsletter"), "boilerplate was kept:\n{text}");
    text
}

#[track_caller]
fn holds(text: &str, parts: &[&str]) {
    for p in parts {
        assert!(text.contains(p), "missing: {p}\nin:\n{text}");
    }
}

#[test]
fn readability_878_paragraphs_that_are_one_link() {
    let linked = "The keeper's diaries, which fill eleven notebooks and were thought lost, are being published by the island museum \
        this spring.";
    let t = text(&format!(
        "<main><article><h1>The lighthouse keeper</h1><p>{FIRST}</p><p>{SECOND}</p><p><a href=/diaries>{linked}</a></p><p>{THIRD}</p>
        </article></main>"
    ));
    holds(&t, &[FIRST, linked, THIRD]);
}

#[test]
fn readability_776_901_948_the_first_section_and_the_opening_paragraphs_stay() {
    let t = text(&format!(
        "<main><article><header><h1>The lighthouse keeper</h1><p class=standfirst>A life above the sea, told by the woman who lived \
        it.</p></header><div class=intro><p>{FIRST}</p></div><section><h2>The winter</h2><p>{SECOND}</p></section>
        <section><h2>Today</h2><p>{THIRD}</p></section></article></main>"
    ));
    holds(&t, &["A life above the sea", FIRST, "The winter", SECOND, "Today", THIRD]);
}

#[test]
fn readability_407_a_drop_cap_in_its_own_span() {
    let rest = &FIRST[1..];
    let t = text(&format!(
        "<div class=story><h1>The lighthouse keeper</h1><p><span class=dropcap>F</span>{rest}</p><p>{SECOND}</p><p>{THIRD}</p></div>"
    ));
    holds(&t, &[FIRST, SECOND, THIRD]);
}

#[test]
fn readability_945_footnotes_in_a_div_at_the_end() {
    let note =
        "The winter is described in the harbour master's log, which gives the height of the waves as nine metres.";
    let t = text(&format!(
        "<article><h1>The lighthouse keeper</h1><p>{FIRST}</p><p>{SECOND}<sup><a href=#n1>1</a></sup></p><p>{THIRD}</p>
        <div class=footnotes><hr><ol><li id=n1><p>{note}</p></li></ol></div></article>"
    ));
    holds(&t, &[FIRST, THIRD, note]);
}

#[test]
fn readability_922_the_text_before_a_table() {
    let before = "The heights of the waves in that week were noted each morning by the harbour master, and they leave little doubt:";
    let t = text(&format!(
        "<article><h1>The lighthouse keeper</h1><p>{FIRST}</p><p>{SECOND}</p><p>{before}</p><table><tr><th>Day</th><th>Metres</th></tr>
        <tr><td>Monday</td><td>6.5</td></tr><tr><td>Tuesday</td><td>9.0</td></tr></table><p>{THIRD}</p></article>"
    ));
    holds(&t, &[before, "Tuesday", THIRD]);
}

#[test]
fn node_readability_5_bodies_of_div_and_br_without_p() {
    let t = text(&format!(
        "<div id=wrap><div id=left><div class=head>The lighthouse keeper</div><div id=txt>{FIRST}<br><br>{SECOND}<br><br>{THIRD}
        </div></div></div>"
    ));
    holds(&t, &[FIRST, SECOND, THIRD]);
}

#[test]
fn general_news_extractor_91_text_directly_in_a_div() {
    let t =
        text(&format!("<div class=c><h1>The lighthouse keeper</h1><div class=t>{FIRST} {SECOND} {THIRD}</div></div>"));
    holds(&t, &[FIRST, SECOND, THIRD]);
}

#[test]
fn general_news_extractor_60_108_the_legal_statement_is_not_the_article() {
    let legal = "The content of this site has been prepared with the greatest care. The publisher does not answer for its accuracy and \
        completeness, nor for the content of pages that it links to. All texts are protected by copyright; any use that the law does \
        not allow needs the written consent of the publisher or of the author concerned.";
    let t = text(&format!(
        "<div class=main><h1>The lighthouse keeper</h1><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p></div>
        <div class=bottom><div class=disclaimer><p>{legal}</p></div></div>"
    ));
    holds(&t, &[FIRST, THIRD]);
    assert!(!t.contains("prepared with the greatest care"), "the legal statement was kept:\n{t}");
}

/// Consent tools write their dialogs and tables of cookies into pages that a browser loads.
#[test]
fn a_table_of_cookies_is_not_content() {
    let row = |name: &str, who: &str, what: &str| {
        format!("<tr><td>{name}</td><td>{who}</td><td>{what}</td><td>Session</td><td>HTTP</td></tr>")
    };
    let cookies: String = (0..14)
        .map(|n| {
            row(
                &format!("_id{n}"),
                "Example",
                "This cookie is used to remember what a visitor chose, and to count the visits to the site.",
            )
        })
        .collect();
    let html = format!(
        "<html><head><title>Walnut stool - Example Shop</title></head><body>\
        <div id='CybotCookiebotDialog' name='CybotCookiebotDialog'><div id='CybotCookiebotDialogBody'><h2>This website uses cookies</h2>\
        <p>We use cookies to remember your choices and to see how the site is used. You can change your consent at any time.</p>\
        <div id='CybotCookiebotDialogDetailBody'><div class='CookieCard'><p>Necessary cookies make the site usable by letting pages be opened and closed \
        areas be entered.</p><table class='CybotCookiebotDialogDetailBodyContentCookieTypeTable'><thead><tr><th>Name</th><th>Provider</th>\
        <th>Purpose</th><th>Expiry</th><th>Type</th></tr></thead><tbody>{cookies}</tbody></table></div></div></div></div>\
        <header><nav><ul><li><a href=/chairs>Chairs</a></li><li><a href=/stools>Stools</a></li></ul></nav></header>\
        <main class='product'><h1>Walnut stool</h1><span class='price'>$120</span><div class='product-description'>\
        <p>A stool of solid walnut, turned by hand in a workshop at the river. The seat is hollowed a little, so that one sits on it for longer.</p>\
        <p>It comes in two heights, oiled or soaped, and it is packed in cardboard without any plastic.</p></div></main>\
        <footer><a href=/imprint>Imprint</a></footer></body></html>"
    );
    let page = maintext_core::extract(html.as_str(), &maintext_core::Options::default()).unwrap();
    assert!(page.text().contains("turned by hand") && page.text().contains("two heights"), "{}", page.text());
    assert!(!page.text().to_lowercase().contains("cookie"), "{}", page.text());
}

#[test]
fn the_text_after_a_self_closed_script_is_kept() {
    let page = "<html><head><meta charset='utf-8'/><link rel='a'/><script src='a.js'/></head><body><br/><p>Two herons, a fox, and the first swallows.</p></body></html>";
    let result = extract(page, &Options::default()).unwrap();
    assert!(result.text().contains("herons"));
}
