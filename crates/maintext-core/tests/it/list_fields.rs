//! The fields of the entries of lists: prices and authors.
use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Entry, Lists};
use maintext_core::method::View;

const TITLES: [&str; 5] = [
    "A lamp for the harbour",
    "Rope of three strands",
    "The keeper's notebook",
    "Oilcloth in green",
    "Bell without a tongue",
];
const NAMES: [&str; 5] = ["Ines Falk", "Bo Larkin", "Mira Osei", "Tam Reid", "Ute Brandt"];

fn entries(list: &str) -> Vec<Entry> {
    let html = format!(
        "<html lang=en><head><title>Stock - Quay</title></head><body><nav><a href=/>Quay</a> <a href=/boats>Boats</a> <a href=/about>About</a>\
         </nav><main><h1>Stock</h1>{list}</main><footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer>"
    );
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: &html, dom: &dom, blocks: &blocks, url: Some("https://quay.example/stock") };
    Lists::named("learned").unwrap().page(&view).groups.into_iter().next().map(|g| g.entries).unwrap_or_default()
}

fn cards(fields: impl Fn(usize) -> String) -> Vec<Entry> {
    let card = |i: usize| format!("<div class=card><h3><a href=/s/{i}>{}</a></h3>{}</div>", TITLES[i], fields(i));
    entries(&(0..5).map(card).collect::<String>())
}

fn titles(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|e| e.title.as_str()).collect()
}

fn prices(entries: &[Entry]) -> Vec<Option<&str>> {
    entries.iter().map(|e| e.price.as_deref()).collect()
}

fn authors(entries: &[Entry]) -> Vec<Option<&str>> {
    entries.iter().map(|e| e.author.as_deref()).collect()
}

#[test]
fn the_price_is_that_of_the_plain_offer() {
    let forms = [
        "<p>$40.00</p><p>Delivered each month</p><p>$32.00</p>",
        "<p>Single: $40.00</p><p>from 10 pieces $32.00 each</p>",
        "<p>Special price $40.00 You save $15.00 Regular price $55.00</p>",
        "<p>$55.00</p><p>Sale price</p><p>$40.00</p><p>-$15.00</p>",
    ];
    for form in forms {
        assert_eq!(prices(&cards(|_| form.to_owned())), [Some("$40.00"); 5], "{form}");
    }
    assert_eq!(prices(&cards(|_| "<p>Price</p><p>Free</p><p>Two hours</p>".into())), [Some("Free"); 5]);
}

#[test]
fn money_that_few_entries_speak_of_is_not_a_price() {
    let told = |i: usize| match i {
        2 => "<p>The town paid at least $200,000 for the old house by the water.</p>".to_owned(),
        _ => "<p>The town looked at the old house by the water.</p>".to_owned(),
    };
    assert_eq!(prices(&cards(told)), [None; 5]);
    assert_eq!(prices(&cards(|i| format!("<p>$9{i}k - 12{i}k</p><p>Remote</p>"))), [None; 5]);
    // A price that is alone in its text counts, even if few entries have one.
    let sold = |i: usize| if i == 2 { "<p>$20.00</p>".to_owned() } else { "<p>Sold out</p>".to_owned() };
    assert_eq!(prices(&cards(sold)), [None, None, Some("$20.00"), None, None]);
}

#[test]
fn the_dates_of_a_list_are_read_in_one_order() {
    let dated = |days: [&str; 5]| -> Vec<Option<String>> {
        let found = cards(|i| format!("<p>{}</p>", days[i]));
        found.into_iter().map(|e| e.date).collect()
    };
    let months = dated(["12/22/2026", "12/1/2026", "11/3/2026", "10/27/2026", "10/5/2026"]);
    assert_eq!(months[1..3], [Some("2026-12-01".to_owned()), Some("2026-11-03".to_owned())]);
    let days = dated(["22/12/2026", "12/1/2026", "11/3/2026", "27/10/2026", "10/5/2026"]);
    assert_eq!(days[1..3], [Some("2026-01-12".to_owned()), Some("2026-03-11".to_owned())]);
}

#[test]
fn a_column_of_authors_names_them() {
    let table = |head: &str, cell: &dyn Fn(usize) -> String| {
        let row = |i: usize| format!("<tr><td><a href=/t/{i}>{}</a><td>{}<td>1{i}<td>4 May 2024", TITLES[i], cell(i));
        let rows: String = (0..5).map(row).collect();
        authors_of(&format!("<table><tr><th>Topic<th>{head}<th>Replies<th>Last post</tr>{rows}</table>"))
    };
    let plain = |i: usize| NAMES[i].to_lowercase().replace(' ', "_");
    let names: Vec<Option<String>> = (0..5).map(|i| Some(plain(i))).collect();
    assert_eq!(table("Started by", &plain), names);
    assert_eq!(table("作者", &|i| format!("<a href=/m/{i}>{}</a><br>May 2024", plain(i))), names);
    assert_eq!(table("Harbour", &plain), vec![None; 5]);
}

fn authors_of(list: &str) -> Vec<Option<String>> {
    entries(list).into_iter().map(|e| e.author).collect()
}

#[test]
fn pictures_and_programs_of_members_name_authors() {
    let found = cards(|i| format!("<p>by the last one: <a href='profile.php?id={i}'>{}</a></p>", NAMES[i]));
    assert_eq!(authors(&found), NAMES.map(Some));
    let member = |i: usize, picture: &str| {
        let name = NAMES[i].split(' ').next().unwrap().to_lowercase();
        format!(
            "<div class=card><div><a href=/{name}>{picture}</a></div><div><p><a href=/{name}>{}</a></p><p>4 May</p></div><h2><a \
             href=/{name}/story-{i}>{}</a></h2><p>What the harbour saw on that day, and who came to see it.</p></div>",
            NAMES[i], TITLES[i]
        )
    };
    let of = |picture: &str| authors_of(&(0..5).map(|i| member(i, picture)).collect::<String>());
    assert_eq!(of("<img src=/face.jpg alt=''>"), NAMES.map(|n| Some(n.to_owned())));
    // A section has no picture.
    assert_eq!(of(""), vec![None; 5]);
}

#[test]
fn names_with_initials_below_titles_are_authors() {
    let found =
        cards(|i| format!("<div>R Okafor, LM Sandberg</div><div>Annals of Harbours {i} (2), 1-9, 201{i}</div>"));
    assert_eq!(authors(&found), [Some("R Okafor, LM Sandberg"); 5]);
    let places = cards(|i| format!("<div>Oslo, Bergen</div><div>Open in 201{i}</div>"));
    assert_eq!(authors(&places), [None; 5]);
}

#[test]
fn a_card_of_several_lines_is_named_by_the_line_of_its_own() {
    let card = |head: &str, i: usize| {
        format!(
            "<li><a href=/s/{i}><div><img src={i}.jpg></div>{head}<div>{}</div><div>$1{i}.00</div><div>Only {i} left</div>\
             <div><button>Quick look</button></div></a>",
            TITLES[i]
        )
    };
    for head in ["", "<div>Lamps</div>", "<div>Sold out until May</div>"] {
        let cards: String = (0..5).map(|i| card(head, i)).collect();
        assert_eq!(titles(&entries(&format!("<ul>{cards}</ul>"))), TITLES, "{head}");
    }
}

#[test]
fn a_card_without_a_heading_has_the_title_that_its_markup_names() {
    let card = |i: usize| {
        format!(
            "<a class=card href=/s/{i}><div class=cat>Stock update</div><div class=date>{} May 2026</div>\
             <div class=card-title>{}</div><div class=desc>A few words about number {i} and what it is good for.</div></a>",
            i + 1,
            TITLES[i]
        )
    };
    assert_eq!(titles(&entries(&(0..5).map(card).collect::<String>())), TITLES);
}

#[test]
fn pictures_without_a_label_are_named_by_their_records() {
    let card = |i: usize| {
        format!(
            "<div class=item><div class=pic><a href=/s/{i}><img src={i}.jpg></a></div><ul><li><a href=/s/{i}?c=1><img src=c1.jpg></a>\
             <li><a href=/s/{i}?c=2><img src=c2.jpg></a></ul><div class=count>{} colours</div><p class=name>{}</p><p>$1{i}.00</p></div>",
            i + 2,
            TITLES[i]
        )
    };
    let found = entries(&(0..5).map(card).collect::<String>());
    assert_eq!(titles(&found), TITLES);
    assert!(found.iter().enumerate().all(|(i, e)| e.href.as_deref() == Some(&*format!("/s/{i}"))), "{found:?}");
}

#[test]
fn a_title_that_several_records_share_is_not_replaced_by_a_label_that_all_have() {
    let card = |i: usize| {
        let title = TITLES[i % 2];
        format!(
            "<li><a href=/s/{i} title='{title}'><img src={i}.jpg><div>{title}</div><div>$1{i}.00</div><div>Not available now</div></a>"
        )
    };
    let found = entries(&format!("<ul>{}</ul>", (0..6).map(card).collect::<String>()));
    assert_eq!(titles(&found), [TITLES[0], TITLES[1]].repeat(3));
}

#[test]
fn the_summary_of_a_card_that_is_one_link_is_linked_too() {
    let card = |i: usize| {
        format!(
            "<li><a href=/s/{i}><div>{}</div><div>It hung above the door of the chandler for {i} years, and nobody asked what it was for.</div></a>",
            TITLES[i]
        )
    };
    let found = entries(&format!("<ul>{}</ul>", (0..5).map(card).collect::<String>()));
    assert_eq!(titles(&found), TITLES);
    let summaries =
        found.iter().filter(|e| e.summary.as_deref().is_some_and(|s| s.starts_with("It hung above"))).count();
    assert_eq!(summaries, 5, "{found:?}");
}

#[test]
fn a_list_written_once_for_each_width_of_the_screen_keeps_its_order() {
    let list = |class: &str, tag: &str| {
        let card =
            |i: usize| format!("<div class={tag}><a href=/s/{i}><h3>{}</h3></a><p>From the quay</p></div>", TITLES[i]);
        format!("<div class='{class}'>{}</div>", (0..5).map(card).collect::<String>())
    };
    let both = list("wide:hidden column", "narrow") + &list("hidden wide:grid", "wide");
    assert_eq!(titles(&entries(&both)), TITLES);
}

#[test]
fn an_element_of_the_sites_own_may_date_an_entry() {
    let dated =
        cards(|i| format!("<p>opened <relative-time datetime=2024-03-1{i}></relative-time> by {}</p>", NAMES[i]));
    let expected: Vec<String> = (0..5).map(|i| format!("2024-03-1{i}")).collect();
    assert_eq!(dated.iter().map(|e| e.date.clone().unwrap_or_default()).collect::<Vec<_>>(), expected);
}
