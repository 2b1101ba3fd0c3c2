//! Lists stay lists in every format: each entry is an item with its linked title, teaser, price and date.

use crate::common::all_formats;

fn text(html: &str) -> String {
    all_formats(html)[0].clone()
}

fn markdown(html: &str) -> String {
    all_formats(html)[1].clone()
}

const LAMPS: [&str; 4] =
    ["Brass reading lamp", "Paper lantern, small", "Storm lamp with handle", "Night light for stairs"];

fn lamps(card: impl Fn(usize, &str) -> String) -> String {
    LAMPS.iter().enumerate().map(|(i, t)| card(i, t)).collect()
}

#[test]
fn cards_with_headings_are_items() {
    let card = |i: usize, t: &str| {
        format!(
            "<div class='card c{i}'><img src=/i/{i}.jpg alt=''><h3><a href=/lamp/{i}>{t}</a></h3><p>Made by hand, and lit \
             for an hour before it leaves us.</p><span>$1{i}</span></div>"
        )
    };
    let html = format!("<h1>Lamps</h1><div>{}</div><p>Prices are without tax.</p>", lamps(card));
    let text = text(&html);
    assert!(text.starts_with("Lamps\n- Brass reading lamp\nMade by hand"), "{text}");
    assert_eq!(text.matches("\n- ").count(), 4, "{text}");
    assert!(text.ends_with("$13\nPrices are without tax.\n"), "{text}");
    let markdown = markdown(&html);
    assert!(
        markdown.contains(
            "- ![](https://example.org/i/0.jpg)\n\n  ### [Brass reading lamp](https://example.org/lamp/0)\n\n  Made by hand"
        ),
        "{markdown}"
    );
    assert!(markdown.contains("\n\nPrices are without tax."), "{markdown}");
}

#[test]
fn sections_with_headings_need_no_bullets_in_markdown() {
    let card = |i: usize, t: &str| {
        format!(
            "<section><h2><a href=/lamp/{i}>{t}</a></h2><p>Made by hand, and lit for an hour before it leaves us.</p></section>"
        )
    };
    let html = format!("<h1>Lamps</h1><div>{}</div>", lamps(card));
    let markdown = markdown(&html);
    assert!(
        markdown.contains("\n\n## [Paper lantern, small](https://example.org/lamp/1)\n\nMade by hand"),
        "{markdown}"
    );
    assert_eq!(text(&html).matches("\n- ").count(), 4);
}

#[test]
fn entries_in_cells_of_their_own_are_one_list() {
    let card = |i: usize, t: &str| {
        format!(
            "<tr><td><input type=checkbox></td><td><div class=summary><a href=/lamp/{i}>{t}</a><p>Made by hand, and lit for \
             an hour before it leaves us.</p></div></td></tr>"
        )
    };
    let markdown = markdown(&format!("<h1>Lamps</h1><table>{}</table>", lamps(card)));
    assert_eq!((markdown.matches("\n- ").count(), markdown.matches("\n* ").count()), (4, 0), "{markdown}");
}

#[test]
fn cards_that_are_links_are_items() {
    let card = |i: usize, t: &str| format!("<a href=/lamp/{i}><h3>{t}</h3><p>Made by hand in our own house.</p></a>");
    let text = text(&format!("<h1>Lamps</h1><div>{}</div>", lamps(card)));
    assert!(text.contains("- Paper lantern, small\nMade by hand"), "{text}");
    assert_eq!(text.matches("- ").count(), 4, "{text}");
}

#[test]
fn cards_of_a_grid_are_items_but_its_rows_are_not() {
    let card = |i: usize, t: &str| {
        format!("<div class=col><a href=/lamp/{i}>{t}</a><p>It burns for {i} hours and more.</p></div>")
    };
    let row = |i: usize| format!("<div class=row>{}</div>", lamps(|k, t| card(4 * i + k, t)));
    let text = text(&(0..3).map(row).collect::<String>());
    assert_eq!(text.matches("- ").count(), 12, "{text}");
}

#[test]
fn the_rows_of_a_link_aggregator_are_items() {
    let row = |i: usize, t: &str| {
        format!(
            "<tr class=thing><td align=right>{}.</td><td><a href=/vote?{i}><div class=up></div></a></td><td><a href=/s/{i}>{t} \
             explained</a> <span>(<a href=/from>example.org</a>)</span></td></tr><tr><td colspan=2></td><td>1{i} points by \
             <a href=/u/{i}>ann</a> <a href=/item/{i}>3 hours ago</a> | <a href=/hide/{i}>hide</a> | <a href=/item/{i}>4{i} \
             comments</a></td></tr><tr class=spacer></tr>",
            i + 1
        )
    };
    let html = format!(
        "<table><tr><td><table>{}<tr><td colspan=2></td><td><a href=/p2>More</a></td></tr></table></td></tr></table>",
        lamps(row)
    );
    let text = text(&html);
    assert!(
        text.starts_with("- 1. Brass reading lamp explained (example.org)\n10 points by ann 3 hours ago"),
        "{text}"
    );
    assert!(text.ends_with("| 43 comments\n- More\n"), "{text}");
    assert_eq!(text.matches("- ").count(), 5, "{text}");
    let markdown = markdown(&html);
    assert!(
        markdown.contains("[Paper lantern, small explained](https://example.org/s/1) ([example.org]"),
        "{markdown}"
    );
    assert!(!markdown.contains("| ---"), "{markdown}");
}

#[test]
fn tables_of_data_stay_tables() {
    let row = |i: usize, t: &str| {
        format!(
            "<tr><td><a href=/lamp/{i}>{t}</a></td><td>{i}2 cm</td><td>ships in {i} days</td><td>in stock, {i}9 left</td></tr>"
        )
    };
    let plain = format!("<table>{}</table>", lamps(row));
    assert!(text(&plain).contains("Brass reading lamp | 02 cm | ships"), "{}", text(&plain));
    let headed = format!(
        "<table><tr><th>Lamp</th></tr>{}</table>",
        lamps(|i, t| format!("<tr><td><a href=/{i}>{t}</a><td>{i}</tr>"))
    );
    assert!(text(&headed).contains("Brass reading lamp | 0"), "{}", text(&headed));
}

#[test]
fn articles_stay_articles() {
    let long = "The road was empty until noon, and then the first carts came down from the hills, one after another, with apples. ".repeat(5);
    // Whole posts, one after another.
    let post = |i: usize, t: &str| format!("<article><h2><a href=/p/{i}>{t}</a></h2><p>{long}</p></article>");
    assert!(!text(&lamps(post)).contains("- "));
    // A link in some paragraphs.
    let paragraph = |i: usize, t: &str| format!("<p>{long}</p><p><a href=/p/{i}>{t} again</a></p>");
    assert!(!text(&lamps(paragraph)).contains("- "));
    // Descriptions of services, each with a button below.
    let service = |i: usize, t: &str| {
        format!(
            "<div><h3>{t}</h3><p>We repair it while you wait, and it comes back as good as new.</p><a href=/s/{i}>Learn more</a></div>"
        )
    };
    assert!(!text(&lamps(service)).contains("- "));
}
