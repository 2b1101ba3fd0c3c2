//! Lists and things that users of other extractors reported as wrong. Comments name the public report.
use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Group, Lists};
use maintext_core::method::View;
use maintext_core::things::{Thing, Value};
use maintext_core::{Extractor, Options, extract};

const TITLES: [&str; 5] =
    ["The pump below the bridge", "Tea in paper cups", "A yard that closed", "Two years of waiting", "Gulls at noon"];
const DAYS: [&str; 5] = ["3 Feb 2025", "14 Feb 2025", "1 Mar 2025", "9 Mar 2025", "30 Mar 2025"];
const DATES: [&str; 5] = ["2025-02-03", "2025-02-14", "2025-03-01", "2025-03-09", "2025-03-30"];

/// A page with a menu, a list and a side box.
fn page(list: &str) -> String {
    format!(
        "<html lang=en><head><title>Notes - Pier</title></head><body><header><a class=logo href=/>Pier</a><nav><ul><li><a href=/boats>Boats</a>\
         <li><a href=/weather>Weather</a><li><a href=/about>About</a></ul></nav></header><div><main><h1>Notes</h1>{list}</main>\
         <aside class=side><h3>Most read</h3><ul><li><a href=/m/1>Ferry timetable changes in May</a><li><a href=/m/2>Harbour loses its crane</a>\
         <li><a href=/m/3>Old mill becomes a library</a></ul></aside></div><footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer>"
    )
}

fn groups(html: &str) -> Vec<Group> {
    let dom = dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://pier.example/notes/") };
    Lists::named("learned").unwrap().page(&view).groups
}

fn list(entry: impl Fn(usize) -> String) -> Group {
    let entries: String = (0..5).map(entry).collect();
    groups(&page(&format!("<div>{entries}</div>"))).into_iter().next().unwrap_or_default()
}

fn titles(group: &Group) -> Vec<&str> {
    group.entries.iter().map(|e| e.title.as_str()).collect()
}

fn dates(group: &Group) -> Vec<&str> {
    group.entries.iter().map(|e| e.date.as_deref().unwrap_or("-")).collect()
}

fn prices(group: &Group) -> Vec<&str> {
    group.entries.iter().map(|e| e.price.as_deref().unwrap_or("-")).collect()
}

#[test]
fn the_line_of_a_link_has_its_date() {
    let link = |i: usize| format!("<a href=/n/{i}>{}</a>", TITLES[i]);
    for entry in [&(|i| format!("{} {}<br>", DAYS[i], link(i))) as &dyn Fn(usize) -> String, &|i| {
        format!("{} – <i>{}</i><br>", link(i), DAYS[i])
    }] {
        assert_eq!(dates(&list(entry)), DATES);
    }
}

#[test]
fn the_heading_of_a_section_completes_the_dates_below_it() {
    let item = |i: usize, day: &str| format!("<li><span>{day}</span> <a href=/n/{i}>{}</a>", TITLES[i]);
    let years = format!(
        "<h2>2025</h2><ul>{}{}{}</ul><h2>2024</h2><ul>{}{}</ul>",
        item(0, "3 Feb"),
        item(1, "14 Jan"),
        item(2, "2 Jan"),
        item(3, "9 Dec"),
        item(4, "30 Mar")
    );
    let days = format!(
        "<h3>3 February 2025</h3><ul>{}{}</ul><h3>2 February 2025</h3><ul>{}</ul><h3>1 February 2025</h3><ul>{}{}</ul>",
        item(0, ""),
        item(1, ""),
        item(2, ""),
        item(3, ""),
        item(4, "")
    );
    let dates_of = |html: &str| dates(&groups(&page(html))[0]).into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(dates_of(&years), ["2025-02-03", "2025-01-14", "2025-01-02", "2024-12-09", "2024-03-30"]);
    assert_eq!(dates_of(&days), ["2025-02-03", "2025-02-03", "2025-02-02", "2025-02-01", "2025-02-01"]);
}

#[test]
fn the_heading_of_the_only_entry_is_its_title() {
    let entry = "<article><h2><a href=/n/1>The old pump</a></h2><time datetime=2025-02-03>3 Feb</time>\
                 <p>It lifted forty litres with each stroke and woke the whole street.</p><a href=/n/1>Read more</a></article>";
    assert_eq!(titles(&groups(&page(entry))[0]), ["The old pump"]);
}

// Olshansk/rss-feeds#25
#[test]
fn a_link_in_a_sentence_does_not_make_a_list() {
    let html = "<title>A walk</title><nav><a href=/>Home</a></nav><article><p>We left early, and the road was empty. Nobody spoke until the \
                hills, where <a href=fog>the fog</a> lifted.</p><p>By noon we had seen two herons.</p></article>";
    let options = Options { url: Some("https://pier.example/page".into()), page_type: true, ..Options::default() };
    let page = extract(html, &options).unwrap();
    assert!(page.entries.is_empty() && page.page_type.as_deref() != Some("listing"), "{:?}", page.page_type);
}

#[test]
fn the_lines_of_a_flat_list_belong_to_their_titles() {
    let link = |i: usize| format!("<a href=/n/{i}>{}</a>", TITLES[i]);
    let forms: [&dyn Fn(usize) -> String; 6] = [
        // The date precedes the title.
        &|i| format!("<p class=date>{}</p><h3>{}</h3><p>A line or two.</p>", DAYS[i], link(i)),
        &|i| format!("<div>{}</div><h2>{}</h2>", DAYS[i], link(i)),
        &|i| format!("<p>{}</p><p>From the pier</p><h3>{}</h3><p>A line or two.</p><p>And more.</p>", DAYS[i], link(i)),
        // The date follows it.
        &|i| format!("<h3>{}</h3><p class=date>{}</p><p>A line or two.</p>", link(i), DAYS[i]),
        &|i| format!("<h3>{}</h3><p>A line or two.</p><p class=date>{}</p>", link(i), DAYS[i]),
        // Records of their own.
        &|i| format!("<div><p class=date>{}</p><h3>{}</h3></div>", DAYS[i], link(i)),
    ];
    for (k, form) in forms.into_iter().enumerate() {
        let g = list(form);
        assert_eq!((titles(&g), dates(&g)), (TITLES.to_vec(), DATES.to_vec()), "form {k}");
    }
    // A dated line above a list whose dates follow the titles.
    let entries: String = (0..5).map(|i| format!("<h3>{}</h3><p>{}</p>", link(i), DAYS[i])).collect();
    let g = groups(&page(&format!("<div><p>Last change: 2 May 2025</p>{entries}</div>")));
    assert_eq!(dates(&g[0]), DATES);
}

// dgtlmoon/changedetection.io#3237
#[test]
fn a_card_that_is_a_link_has_its_own_price_and_date() {
    const PRICES: [&str; 5] = ["11,90 €", "8,50 €", "24,00 €", "6,25 €", "39,00 €"];
    let forms: [&dyn Fn(usize) -> String; 4] = [
        &|i| format!("<img src=/{i}.jpg alt=''><h3>{}</h3><span class=price>{}</span>", TITLES[i], PRICES[i]),
        &|i| format!("<span class=badge>New</span><h3>{}</h3><span>{}</span>", TITLES[i], PRICES[i]),
        &|i| format!("<span>{}</span><img src=/{i}.jpg alt=''><h3>{}</h3>", PRICES[i], TITLES[i]),
        &|i| format!("<img src=/{i}.jpg alt=''><div>{}</div><b>{}</b>", TITLES[i], PRICES[i]),
    ];
    for (k, form) in forms.into_iter().enumerate() {
        let g = list(|i| format!("<a class=p href=/p/{i}>{}</a>", form(i)));
        assert_eq!(prices(&g), PRICES, "form {k}");
    }
    let g =
        list(|i| format!("<a href=/p/{i}><img src=/{i}.jpg alt=''><h3>{}</h3><span>{}</span></a>", TITLES[i], DAYS[i]));
    assert_eq!((titles(&g), dates(&g)), (TITLES.to_vec(), DATES.to_vec()));
}

// chalie-ai/chalie#1723
#[test]
fn the_list_of_the_page_precedes_the_side_box() {
    let forms: [&dyn Fn(usize) -> String; 3] = [
        &|i| format!("<dt>{}</dt><dd><a href=/n/{i}>{}</a></dd>", DAYS[i], TITLES[i]),
        &|i| format!("<dt>{}</dt><dd><a href=/n/{i}>{}</a><p>A line or two.</p></dd>", DAYS[i], TITLES[i]),
        &|i| format!("<dt><a href=/n/{i}>{}</a></dt><dd>{}</dd>", TITLES[i], DAYS[i]),
    ];
    for (k, form) in forms.into_iter().enumerate() {
        let entries: String = (0..5).map(form).collect();
        let g = groups(&page(&format!("<dl>{entries}</dl>")));
        assert_eq!((titles(&g[0]), dates(&g[0])), (TITLES.to_vec(), DATES.to_vec()), "form {k}");
    }
    let bare = list(|i| format!("<li><a href=/n/{i}>{}</a></li>", TITLES[i]));
    assert_eq!(titles(&bare), TITLES);
}

// wezm/rsspls#13
#[test]
fn headings_without_links_title_their_records() {
    let forms: [&dyn Fn(usize) -> String; 6] = [
        &|i| {
            format!(
                "<a href=/n/{i}><img src=/{i}.jpg alt='' width=300 height=200></a><h2>{}</h2><p>A line or two.</p>",
                TITLES[i]
            )
        },
        &|i| format!("<h2>{}</h2><p>A line or two about it.</p><a href=/n/{i}>Read more</a>", TITLES[i]),
        &|i| format!("<h3>{}</h3><p>A line or two about it.</p><p><a href=/n/{i}>Weiterlesen</a></p>", TITLES[i]),
        &|i| format!("<a href=/n/{i}><img src=/{i}.jpg></a><h4>{}</h4><a href=/n/{i}>Read more</a>", TITLES[i]),
        &|i| {
            format!(
                "<h2>{}</h2><p>A line or two.</p><a class=button href=/n/{i}><span>En savoir plus</span></a>",
                TITLES[i]
            )
        },
        // The heading is a link: its text is the title anyway.
        &|i| format!("<h2><a href=/n/{i}>{}</a></h2><p>A line or two.</p><a href=/n/{i}>Read more</a>", TITLES[i]),
    ];
    for (k, form) in forms.into_iter().enumerate() {
        let g = list(|i| format!("<div class=item>{}</div>", form(i)));
        assert_eq!(titles(&g), TITLES, "form {k}");
        assert!(g.entries.iter().enumerate().all(|(i, e)| e.href.as_deref() == Some(&format!("/n/{i}"))), "form {k}");
    }
}

#[test]
fn buttons_and_notes_of_records_are_no_entries() {
    // A list of links with votes, authors, times and comments, in two rows each.
    let row = |i: usize| {
        format!(
            "<tr class=top id={i}><td>{i}.</td><td><a href='/up?id={i}'>▲</a></td><td><a href='https://s{i}.example/a'>A harbour story of {i} \
             parts, told twice</a></td></tr><tr><td colspan=2></td><td class=sub>{i} points by <a href='/user?id=u{i}'>mate{i}</a> <a \
             href='/item?id={i}'>{i} minutes ago</a> | <a href='/hide?id={i}'>hide</a> | <a href='/item?id={i}'>{i} comments</a></td></tr>"
        )
    };
    let rows: String = (1..=20).map(row).collect();
    let html = format!(
        "<html lang=en><title>New links | Pier News</title><header><a href=/>Pier</a></header><table><tr><td><table>{rows}</table></table>"
    );
    let g = groups(&html);
    assert_eq!((g.len(), g[0].entries.len()), (1, 20), "{g:?}");
    assert!(g[0].entries.iter().all(|e| e.url.as_ref().unwrap().contains(".example/a")));
    assert!(extract(&html, &Options::default()).unwrap().posts.is_empty());
    // Results of a search.
    let hit = |i: usize| {
        format!(
            "<div class=hit><p><a href=https://pier.example/d{i}>Log {i} of the second pump</a></p><p>In log {i}, the mechanic wrote down \
             what he changed.</p><p><a href='/like?d={i}'>Similar</a> <a href='/cite?d={i}'>Cite</a> <a href=/t/{}>Part {}</a></p></div>",
            i % 3,
            i % 3
        )
    };
    let g = groups(&page(&(1..=10).map(hit).collect::<String>()));
    let found = titles(&g[0]);
    assert!(found.len() == 10 && found.iter().all(|t| t.starts_with("Log ")), "{found:?}");
    // Entries may have the same title, and dates may be the titles of an archive.
    let g = list(|i| format!("<li>{} <a href=/n/{i}>Minutes of the meeting</a></li>", DAYS[i]));
    assert_eq!(g.entries.len(), 5, "{g:?}");
    let g = list(|i| format!("<li><a href=/n/{i}>{}</a></li>", DAYS[i]));
    assert_eq!(titles(&g), DAYS);
}

fn things(html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some("https://pier.example/p/bell".into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

// jez500/pricebuddy#7
#[test]
fn prices_below_also_bought_are_not_the_products() {
    let shop = |buy: &str, more: &str| {
        format!(
            "<html lang=en><title>Brass bell | Pier Shop</title><nav><a href=/>Home</a></nav><main><h1>Brass bell</h1><div class=buybox>{buy}\
             <button>Add to cart</button></div><p>Cast in one piece, tuned by ear, and loud enough to call a ferry across the river in fog.</p>{more}</main>"
        )
    };
    let lists = [
        "<section><h2>Customers also bought</h2><ul><li><a href=/p/rope>Rope</a> $19.00</li><li><a href=/p/hook>Hook</a> $4.00</li></ul></section>",
        "<h3>Das könnte Ihnen auch gefallen</h3><div><a href=/p/rope><b>Rope</b><span>$19.00</span></a><a href=/p/hook><b>Hook</b><span>$4.00</span></a></div>",
        "<div class=row><div><a href=/p/rope>Rope</a><div class=price>$19.00</div></div><div><a href=/p/hook>Hook</a><div class=price>$4.00</div></div></div>",
    ];
    for buy in [
        "<div class=price>$289.00</div>",
        "<div class=price><span aria-hidden=true>$289.00</span><span class=sr-only>Your price is $289.00</span></div>",
        "<div class=price><del>$320.00</del> <span>$289.00</span></div>",
        "<div class=price>RRP $320.00 Now $289.00</div>",
    ] {
        for more in lists {
            let found = things(&shop(buy, more));
            let product = found.iter().find(|t| t.kind == "Product").unwrap_or_else(|| panic!("{buy} {more}"));
            assert_eq!(product.text("offers.price"), Some("289.00"), "{buy} {more}");
        }
    }
}

/// Returns the steps of a recipe.
fn steps(html: &str) -> Vec<String> {
    let found = things(html);
    let recipe = found.iter().find(|t| t.kind == "Recipe").unwrap();
    let Some(Value::List(values)) = recipe.get("instructions") else { return Vec::new() };
    values.iter().map(|v| if let Value::Text(t) = v { t.clone() } else { String::new() }).collect()
}

// hhursev/recipe-scrapers#1522
#[test]
fn a_paragraph_behind_the_steps_is_no_step() {
    let declared = r#"<script type="application/ld+json">{"@type":"Recipe","name":"Pier soup","recipeIngredient":["2 leeks","200 g fish"],
        "recipeInstructions":[{"@type":"HowToStep","name":"Step 1","text":"Slice the leeks."},{"@type":"HowToStep","text":"Poach the fish."}]}</script>"#;
    let remark = "<p>The crew of the ferry has eaten this soup every Friday since the galley burned down, and nobody has asked for another one yet.</p>";
    let list = "<h1>Pier soup</h1><h2>Ingredients</h2><ul><li>2 leeks</li><li>200 g fish</li><li>1 l water</li></ul><h2>Method</h2><ol><li>Slice the \
                leeks.</li><li>Poach the fish.</li></ol>";
    for head in [declared, ""] {
        for body in [
            format!("<article>{list}{remark}</article>"),
            format!("<article><section>{list}</section><section>{remark}</section></article>"),
        ] {
            assert_eq!(
                steps(&format!("<title>Pier soup</title>{head}{body}")),
                ["Slice the leeks.", "Poach the fish."],
                "{head} {body}"
            );
        }
    }
    // Steps in paragraphs behind a list of tools.
    let tools = "<h1>Pier soup</h1><h2>Ingredients</h2><ul><li>2 leeks</li><li>200 g fish</li><li>1 l water</li></ul><h2>Method</h2><ul><li>A pot</li>\
                 <li>A knife</li></ul><p>Slice the leeks and stew them in butter until they are soft.</p><p>Add water, then poach the fish for ten minutes.</p>";
    let found = steps(&format!("<title>Pier soup</title><article>{tools}</article>"));
    assert!(
        found.iter().any(|s| s.starts_with("Slice")) && found.iter().any(|s| s.starts_with("Add water")),
        "{found:?}"
    );
}

#[test]
fn rows_of_buttons_below_records_are_no_content() {
    let record = |i: usize, row: &str| {
        format!(
            "<div class=hit><p><a href=https://pier.example/d{i}>Log {i} of the second pump</a></p><p>In log {i}, the mechanic wrote down what he \
             changed and why it did not help.</p><p>{row}</p></div>"
        )
    };
    let text = |row: &dyn Fn(usize) -> String| {
        let hits: String = (1..=10).map(|i| record(i, &row(i))).collect();
        extract(&page(&hits), &Options::default()).unwrap().text.unwrap_or_default()
    };
    let buttons = text(&|i| {
        format!("<a href='/like?d={i}'>Similar</a> <a href='/cite?d={i}'>Cite</a> <a href=/t/{i}>Part {i}</a>")
    });
    assert!(buttons.contains("In log 7,") && !buttons.contains("Similar") && !buttons.contains("Cite"), "{buttons}");
    // Links whose labels differ are content as before.
    let own = text(&|i| format!("<a href=/a/{i}>First half of log {i}</a> <a href=/b/{i}>Second half of log {i}</a>"));
    assert!(own.contains("First half of log 7"), "{own}");
}

const CHAPTERS: [&str; 12] = [
    "A quiet harbour",
    "The long road north",
    "Letters from home",
    "Winter at the mill",
    "The second voyage",
    "Stones and rivers",
    "The empty house",
    "A market day",
    "Voices in the fog",
    "The old ferry",
    "Lanterns",
    "What remained",
];

fn contents(title: &str, main: &str) -> String {
    format!(
        "<html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home</a> <a href=/books>Books</a> <a href=/about>About</a></nav>\
         <main><h1>{title}</h1>{main}</main><footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer>"
    )
}

/// Returns a book with a foreword and an index, and the titles of its contents. The sections are at the addresses of their chapters with
/// the given text between.
fn book(between: Option<&str>) -> (String, Vec<String>) {
    let mut titles = vec!["Foreword".to_owned()];
    let mut items = "<li><a href=foreword.html>Foreword</a></li>".to_owned();
    for (i, chapter) in CHAPTERS.iter().enumerate() {
        titles.push(format!("Chapter {}: {chapter}", i + 1));
        items += &format!("<li><a href=ch{i}>Chapter {}: {chapter}</a>", i + 1);
        if let Some(between) = between {
            let sections = ["Before dawn", "The crossing", "An answer"].map(|s| format!("{s}, {}", i + 1));
            let item = |(k, s): (usize, &String)| format!("<li><a href=ch{i}{between}{k}>{s}</a></li>");
            items += &format!("<ul>{}</ul>", sections.iter().enumerate().map(item).collect::<String>());
            titles.extend(sections);
        }
        items += "</li>";
    }
    titles.push("Index".into());
    items += "<li><a href=names.html>Index</a></li>";
    (contents("The Ferryman", &format!("<ul>{items}</ul>")), titles)
}

#[test]
fn the_contents_of_a_book_lose_no_chapter() {
    for between in [None, Some("#s"), Some("/")] {
        let (html, expected) = book(between);
        let g = groups(&html);
        assert_eq!(titles(&g[0]), expected, "{between:?}");
        let boxed = html
            .replace("<li>", "<li><div>")
            .replace("</a></li>", "</a></div></li>")
            .replace("</a><ul>", "</a></div><ul>");
        assert_eq!(titles(&groups(&boxed)[0]), expected, "{between:?}");
        assert_eq!(g[0].entries[1].url.as_deref(), Some("https://pier.example/notes/ch0"));
        assert!(
            g.iter().skip(1).all(|g| g.entries.iter().all(|e| !e.url.as_ref().unwrap().contains("/ch"))),
            "{between:?}"
        );
    }
    let (html, _) = book(Some("#s"));
    assert_eq!(groups(&html)[0].entries[2].url.as_deref(), Some("https://pier.example/notes/ch0#s0"));
    // If the page has a longer text, the nested list is not its main content.
    let text = format!("<p>{}</p>", "They crossed the water before dawn and spoke to nobody on the way. ".repeat(40));
    let g = groups(&html.replace("</main>", &(text + "</main>")));
    assert!(g.iter().all(|g| g.entries.len() < 50), "{}", g[0].entries.len());
}

const QUESTIONS: [&str; 6] = [
    "How do I return a parcel?",
    "When does the ferry leave?",
    "Can I bring a dog?",
    "What does a ticket cost?",
    "Where can I park?",
    "Is there a discount for groups?",
];

fn questions(answer: &str) -> String {
    let item = |(i, q): (usize, &&str)| format!("<li><a href='#q{i}'>{q}</a></li>");
    let part = |(i, q): (usize, &&str)| {
        format!("<h2 id=q{i}>{q}</h2><p>{answer}<sup><a href='#n{i}'>[{i}]</a></sup></p><a href='#top'>Back to top</a>")
    };
    let items: String = QUESTIONS.iter().enumerate().map(item).collect();
    let parts: String = QUESTIONS.iter().enumerate().map(part).collect();
    let notes: String = (0..6).map(|i| format!("<p id=n{i}>See the timetable.</p>")).collect();
    contents("Questions", &format!("<ul id=top>{items}</ul>{parts}{notes}"))
}

#[test]
fn an_index_of_parts_of_the_page_is_a_list_if_there_is_no_other() {
    let html = questions("Ask at the office.")
        .replace("<a href='#top'>Back to top</a>", "")
        .replace("<sup>", "<!--")
        .replace("</sup>", "-->");
    let g = groups(&html);
    assert_eq!(titles(&g[0]), QUESTIONS);
    assert_eq!(g[0].entries[1].url.as_deref(), Some("https://pier.example/notes/#q1"));
    // Fragments that lead nowhere are buttons.
    let g = groups(&html.replace(" id=q", " class=q"));
    assert!(g.iter().all(|g| g.entries.iter().all(|e| !e.url.as_ref().unwrap().contains('#'))));
    // Another list comes before them.
    let list: String = TITLES.iter().map(|t| format!("<li><a href='/n/{}'>{t}</a></li>", t.len())).collect();
    let g = groups(&html.replace("</main>", &format!("<ul>{list}</ul></main>")));
    assert_eq!(titles(&g[0]), TITLES);
    // Most links of this page are notes and buttons.
    assert!(
        groups(&questions("Ask at the office.")).iter().all(|g| g.entries.iter().all(|e| !e
            .url
            .as_ref()
            .unwrap()
            .contains('#')))
    );
}

#[test]
fn an_article_with_a_table_of_contents_has_no_entries() {
    let text = "The first ferry crossed in the spring of that year, with nine people and a cow on board, and it came back empty. ".repeat(6);
    let html = questions(&text).replace("<a href='#top'>Back to top</a>", "");
    let url = Some("https://pier.example/notes/ferry".to_owned());
    let page = extract(&html, &Options { url, page_type: true, ..Options::default() }).unwrap();
    assert!(page.entries.is_empty(), "{:?}", page.entries);
    assert!(page.text().contains("nine people and a cow"));
}
