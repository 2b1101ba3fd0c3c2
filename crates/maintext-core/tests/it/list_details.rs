//! Rating, place and number of replies of entries.
use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Entry, Lists};
use maintext_core::method::View;

const NAMES: [&str; 6] = [
    "The kettle that sings on the hob",
    "A lantern made from old bottles",
    "Three ways to mend a wicker chair",
    "Why the mill pond froze so early",
    "The last ferryman tells his story",
    "Bread from the oven on the green",
];

/// Returns the entries of a page with a record for each name.
fn entries(record: impl Fn(usize) -> String) -> Vec<Entry> {
    let card = |(i, name): (usize, &&str)| {
        format!(
            "<li><h3><a href=/things/{i}-kettle>{name}</a></h3><p>What we thought about it after a week.</p>{}</li>",
            record(i)
        )
    };
    let list: String = NAMES.iter().enumerate().map(card).collect();
    let html = format!("<html lang=en><title>Things</title><main><h1>Things</h1><ul>{list}</ul></main>");
    of_page(&html)
}

fn of_page(html: &str) -> Vec<Entry> {
    let dom = dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://pond.example/things/") };
    Lists::named("learned").unwrap().page(&view).groups.swap_remove(0).entries
}

/// Returns rating, place and replies of the second entry.
fn second(record: impl Fn(usize) -> String) -> (Option<String>, Option<String>, Option<u32>) {
    let mut found = entries(record);
    assert_eq!(found.len(), NAMES.len());
    let e = found.swap_remove(1);
    assert_eq!(e.title, NAMES[1]);
    (e.rating, e.place, e.replies)
}

fn found(rating: &str, place: &str, replies: u32) -> (Option<String>, Option<String>, Option<u32>) {
    (Some(rating.into()), Some(place.into()), Some(replies))
}

#[test]
fn microdata_states_them() {
    let record = |i: usize| {
        format!(
            "<div itemprop=aggregateRating><meta itemprop=ratingValue content='8.{i}'><meta itemprop=bestRating content=10></div>\
             <div itemprop=address><span itemprop=addressLocality>Bergen</span> <span itemprop=addressCountry>Norway</span></div>\
             <meta itemprop=commentCount content='1{i}'>"
        )
    };
    assert_eq!(second(record), found("8.1/10", "Bergen, Norway", 11));
}

#[test]
fn labels_classes_and_words_state_them() {
    let record = |i: usize| {
        format!(
            "<span class=stars aria-label='{} out of 5'>&#9733;</span><span class='meta location'>Lower Wick</span>\
             <a href=/things/{i}-kettle#talk>{i}2 comments</a>",
            i + 1
        )
    };
    assert_eq!(second(record), found("2/5", "Lower Wick", 12));
    let record = |i: usize| {
        format!(
            "<p>Bewertung: 4,{i} von 5 Sternen</p><div class=standort>Standort: K\u{f6}ln</div><p>{i}30 Aufrufe \u{b7} Antworten: {i}</p>"
        )
    };
    assert_eq!(second(record), found("4.1/5", "K\u{f6}ln", 1));
    let record = |i: usize| {
        format!(
            "<p>\u{2605}\u{2605}\u{2605}\u{2606}\u{2606}</p><address>Quay {i}, Lisbon</address><p>{i} r\u{e9}ponses</p>"
        )
    };
    assert_eq!(second(record), found("3/5", "Quay 1, Lisbon", 1));
}

#[test]
fn a_column_of_a_table_has_the_replies() {
    let row = |(i, name): (usize, &&str)| {
        format!("<tr><td><a href=/talk/{i}-kettle>{name}</a><td>jo{i}<td>1,2{i}0<td>9{i}</tr>")
    };
    let rows: String = NAMES.iter().enumerate().map(row).collect();
    let html = format!(
        "<title>Talk</title><h1>Talk</h1><table><tr><th>Topic<th>Started by<th>Replies<th>Views</tr>{rows}</table>"
    );
    let found = of_page(&html);
    assert_eq!(found.iter().map(|e| e.replies).collect::<Vec<_>>(), [1200, 1210, 1220, 1230, 1240, 1250].map(Some));
    assert!(found.iter().all(|e| e.rating.is_none() && e.place.is_none()));
}

#[test]
fn what_is_not_certain_is_left_out() {
    let nothing = (None, None, None);
    // Pages, numbers of views, a rating without a scale, an address of a person, words about places.
    let record = |i: usize| {
        format!(
            "<span title='Picture {i} of 5'></span><p>Rated {i}.5 stars</p><p>{i}2 views</p><address>jo{i}@pond.example</address>\
             <p class=place>Where would you put it, and who would come?</p>"
        )
    };
    assert_eq!(second(record), nothing);
    // Two ratings, two places and two numbers of replies.
    let record = |i: usize| {
        format!(
            "<p>Taste: 4.{i} out of 5</p><p>Looks: 3.{i} out of 5</p><span class=city>Porto</span><span class=city>Faro</span>\
             <p>{i}2 comments</p><p>{i}4 replies</p>"
        )
    };
    assert_eq!(second(record), nothing);
    assert_eq!(second(|_| String::new()), nothing);
}
