//! Records without links, sections, further links and several lists.
use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Group, Lists};
use maintext_core::method::View;
use maintext_core::{Options, Page, extract};

const URL: &str = "https://dyke.example/list/";
const NAMES: [&str; 7] = [
    "An evening of shanties",
    "Mending nets together",
    "The old lamp, explained",
    "Children paint the mole",
    "Jazz on the slipway",
    "A film about gulls",
    "Market of small makers",
];

fn page(heading: &str, list: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>{heading} - Dyke House</title></head><body><header><a href=/>Dyke House</a><nav><ul>\
         <li><a href=/about>About us</a><li><a href=/visit>Visit</a><li><a href=/rooms>Rooms</a><li><a href=/contact>Contact</a></ul></nav>\
         </header><main><h1>{heading}</h1>{list}</main><footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer></body></html>"
    )
}

fn each(record: impl Fn(usize, &str) -> String) -> String {
    NAMES.iter().enumerate().map(|(i, name)| record(i, name)).collect()
}

fn read(html: &str) -> Page {
    let options = Options { url: Some(URL.into()), page_type: true, ..Default::default() };
    extract(html, &options).unwrap()
}

fn groups(html: &str) -> Vec<Group> {
    let dom = dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: html, dom: &dom, blocks: &blocks, url: Some(URL) };
    Lists::named("learned").unwrap().page(&view).groups
}

/// Lists of records without links, and each one's heading.
fn plain() -> Vec<(&'static str, String)> {
    let events = each(|i, name| {
        format!("<li><time datetime=2024-06-0{0}T19:30>{0} June 2024</time><h3>{name}</h3><p>Main hall</p></li>", i + 1)
    });
    let flat = each(|i, name| {
        format!("<h3>{name}</h3><p>Starts on {} May 2024</p><p>Full time at the harbour office.</p>", i + 2)
    });
    let rows =
        each(|i, name| format!("<tr class=r{}><td>{}<td>{name}<td>Jo {i}<td>2:1{i}:30<td>{}", i % 2, i + 1, 90 - i));
    let menu =
        each(|i, name| format!("<div class=dish><b>{name}</b><span>€{},50</span><p>With dill.</p></div>", 8 + i));
    vec![
        ("Events", format!("<p>Members enter free.</p><ul>{events}</ul>")),
        ("Open positions", flat),
        ("Results", format!("<table><tr><th>Place<th>Boat<th>Skipper<th>Time<th>Points</tr>{rows}</table>")),
        ("Menu", format!("<div>{menu}</div>")),
    ]
}

#[test]
fn records_without_links_are_entries_of_the_list() {
    for (heading, list) in plain() {
        let found = groups(&page(heading, &list));
        let titles: Vec<&str> = found[0].entries.iter().map(|e| e.title.as_str()).collect();
        assert_eq!((titles, found[0].name.as_deref()), (NAMES.to_vec(), Some(heading)));
        assert!(found[0].entries.iter().all(|e| e.url.is_none() && e.href.is_none() && e.group == 0));
        assert_eq!(found, groups(&page(heading, &list)));
    }
}

#[test]
fn a_page_of_records_without_links_is_a_list() {
    for (heading, list) in plain().into_iter().filter(|(heading, _)| *heading != "Results") {
        let found = read(&page(heading, &list));
        assert_eq!(found.entries.len(), NAMES.len(), "{heading}: {:?}", found.page_type_probabilities);
        assert!(matches!(found.page_type.as_deref(), Some("listing" | "collection")));
        assert_eq!((found.lists.len(), found.lists[0].count), (1, NAMES.len()));
    }
    let events = groups(&page("Events", &plain()[0].1));
    assert_eq!(events[0].entries[1].date.as_deref(), Some("2024-06-02T19:30"));
    assert_eq!(groups(&page("Menu", &plain()[3].1))[0].entries[2].price.as_deref(), Some("€10,50"));
}

#[test]
fn other_repeated_parts_are_not_records_of_a_list() {
    let prose =
        "The water came at night, and nobody in the house had heard it before it stood on the stairs. ".repeat(4);
    let rows = each(|i, name| format!("<tr><td>{name}<td>Jo {i}<td>2:1{i}<td>{}", 90 - i));
    let forms = [
        // A table in an article, features, questions, posts, a table of names and values, sections of a text.
        format!(
            "<p>{prose}</p><table><tr><th>Boat<th>Skipper<th>Time<th>Points</tr>{rows}</table><p>{prose}</p><p>{prose}</p>"
        ),
        each(|_, name| format!("<div class=card><h3>{name}</h3><p>A wall of stone keeps the swell out.</p></div>")),
        each(|_, name| format!("<h3>{name}?</h3><p>Ask at the office, which is open all day.</p>")),
        each(|i, name| {
            format!(
                "<div class=post><b class=author>jo_{i}</b><time>{} May 2024</time><p>I went to {name}.</p></div>",
                i + 1
            )
        }),
        format!("<table>{}</table>", each(|i, name| format!("<tr><td>{name}<td>{i} kg</tr>"))),
        each(|i, name| format!("<section><h2>{name}</h2><p>On {} May 2024</p><p>{prose}{prose}</p></section>", i + 1)),
        // Too few.
        (0..3).map(|i| format!("<li><h3>{}</h3><p>{} May 2024</p></li>", NAMES[i], i + 1)).collect(),
    ];
    for (k, list) in forms.iter().enumerate() {
        let html = page("The house on the dyke", list);
        assert!(groups(&html).iter().flat_map(|g| &g.entries).all(|e| e.url.is_some()), "form {k}");
        assert_eq!(read(&html).entries.len(), 0, "form {k}");
    }
}

#[test]
fn a_list_with_links_is_preferred() {
    let linked = each(|i, name| format!("<li><h3><a href=/e/{i}>{name}</a></h3><p>{} May 2024</p></li>", i + 1));
    let found = groups(&page("Events", &format!("<ul>{linked}</ul>")));
    assert!(found[0].entries.iter().all(|e| e.url.is_some()));
    // Buttons are not links of their own.
    let applied = each(|i, name| {
        format!(
            "<li><h3>{name}</h3><p>{} May 2024</p><a href='mailto:a@dyke.example'>Write</a> <a href=/tickets>Tickets</a></li>",
            i + 1
        )
    });
    assert!(groups(&page("Events", &format!("<ul>{applied}</ul>")))[0].entries[0].url.is_none());
}

#[test]
fn parts_of_a_book_lose_no_chapter() {
    let parts = ["Part one: the coast", "Part two: the river", "Part three: the hills"];
    let chapter = |i: usize, k: usize| format!("<a href=c{i}{k}.html>Chapter {k}</a>");
    let lists = |part: &dyn Fn(usize, &str) -> String| (0..3).map(|i| part(i, parts[i])).collect::<String>();
    let items = |i: usize| (1..5).map(|k| format!("<li>{}</li>", chapter(i, k))).collect::<String>();
    let forms = [
        lists(&|i, part| format!("<h2>{part}</h2><ol>{}</ol>", items(i))),
        lists(&|i, part| {
            format!("<section><h3>{part}</h3><p>In which much happens.</p><ul>{}</ul></section>", items(i))
        }),
        format!("<ul>{}</ul>", lists(&|i, part| format!("<li>{part}<ul>{}</ul></li>", items(i)))),
        format!(
            "<table>{}</table>",
            lists(&|i, part| {
                let rows: String = (1..5).map(|k| format!("<tr><td>{k}<td>{}</tr>", chapter(i, k))).collect();
                format!("<tr><th colspan=2>{part}</th></tr>{rows}")
            })
        ),
    ];
    for (k, form) in forms.iter().enumerate() {
        let found = groups(&page("A walk", form));
        assert_eq!(found[0].entries.len(), 12, "form {k}");
        let of: Vec<&str> = found[0].entries.iter().filter_map(|e| e.category.as_deref()).collect();
        assert_eq!(of, parts.iter().flat_map(|p| [*p; 4]).collect::<Vec<_>>(), "form {k}");
        assert_eq!(found[0].name.as_deref(), Some("A walk"));
    }
    // Headings above single entries are not sections.
    let teasers = each(|i, name| format!("<h2>{name}</h2><p>It was seen by many.</p><a href=/n/{i}>More</a>"));
    assert!(groups(&page("News", &teasers))[0].entries.iter().all(|e| e.category.is_none()));
}

#[test]
fn headings_that_are_not_of_sections_are_no_categories() {
    let entry = |i: usize, name: &str| {
        format!(
            "<article><h3><a href=/story/{i}-dyke>{name}</a></h3><p>Told by those who saw it, in their own words.</p></article>"
        )
    };
    let with = |first: &str, second: &str| {
        each(|i, name| {
            let before = [first, "", "", second].get(i).copied().unwrap_or("");
            before.to_owned() + &entry(i, name)
        })
    };
    let read = |first: &str, second: &str| {
        let group = groups(&page("Stories", &with(first, second))).swap_remove(0);
        assert_eq!(group.entries.len(), NAMES.len(), "{first} {second}");
        let of: Vec<Option<String>> = group.entries.into_iter().map(|e| e.category).collect();
        (group.name, of)
    };
    let none = (Some("Stories".to_owned()), vec![None; NAMES.len()]);
    // Titles of teasers among the entries, headings with different markup, questions.
    let promoted = "<aside><h3>A lamp for every window</h3><p>Order now.</p></aside>";
    assert_eq!(read(promoted, promoted).1, none.1);
    assert_eq!(read("<h2>Search within the stories</h2>", "<h4 class=filter>Rating</h4>"), none);
    assert_eq!(read("<h2>Would you like to tell one?</h2>", "<h2>What do others tell?</h2>"), none);
    // Sections, with a teaser among the entries of the second.
    let (name, of) = read("<h2>Of the sea</h2>", &format!("<h2>Of the land</h2>{promoted}"));
    assert_eq!(name.as_deref(), Some("Stories"));
    let of: Vec<&str> = of.iter().flatten().map(String::as_str).collect();
    assert_eq!(of, [["Of the sea"; 3].as_slice(), &["Of the land"; 4]].concat());
}

#[test]
fn records_have_further_links() {
    let list = each(|i, name| {
        format!(
            "<div class=story><h3><a href=/s/{i}>{name}</a></h3><p>by <a href=/users/jo{i}>Jo {i}</a> | <a href=/s/{i}/talk>{i} comments</a> | \
             <a href=/s/{i}>permalink</a></p></div>"
        )
    });
    let found = groups(&page("Stories", &list));
    let links: Vec<(&str, &str)> =
        found[0].entries[2].links.iter().map(|l| (l.text.as_str(), l.href.as_str())).collect();
    assert_eq!(links, [("Jo 2", "https://dyke.example/users/jo2"), ("2 comments", "https://dyke.example/s/2/talk")]);
}

#[test]
fn a_list_of_threads_has_no_posts_and_a_thread_has_no_entries() {
    let row = |i: usize, name: &str| {
        format!(
            "<tr><td><a href=/t/{i}-a-thread>{name}</a><td><a href=/member/jo{i}>jo{i}</a><td>{}<td>{} May 2024 by <a href=/member/bo{i}>bo{i}</a>",
            3 * i + 1,
            i + 1
        )
    };
    let index = format!("<table><tr><th>Topic<th>Started by<th>Replies<th>Last post</tr>{}</table>", each(row));
    let found = read(&page("Harbour talk", &index));
    assert_eq!((found.entries.len(), found.posts.len()), (NAMES.len(), 0));
    assert_eq!(found.entries[1].author.as_deref(), Some("jo1"));
    let text = "I have tied boats here for twenty years, and a rope of three strands has never let me down in any wind, whatever \
                the books and the people with the new boats say about it in the evenings.";
    let post = |i: usize, name: &str| {
        format!(
            "<div class=post id=p{i}><div class=author><a href=/member/jo{i}>jo{i}</a></div><time datetime=2024-05-0{0}>{0} May 2024</time>\
             <div class=body><p>{text} So much about {name}.</p></div></div>",
            i + 1
        )
    };
    let found = read(&page("Which rope for a mooring?", &each(post)));
    assert_eq!(found.entries.len(), 0);
}

#[test]
fn results_precede_headlines_at_the_side() {
    let results = each(|i, name| {
        format!(
            "<div class=result><h3><a href=/a/{i}-story>{name}</a></h3><p>{i} May 2024 ... The evening begins at seven, and whoever comes late \
             stands at the back of the hall.</p></div>"
        )
    });
    let latest: String = (0..20)
        .map(|i| format!("<li><a href=/n/{i}-news>The harbour council argues again about point {i} of the plan</a>"))
        .collect();
    let side = format!("<aside><h3>Latest</h3><ul>{latest}</ul></aside>");
    let found = groups(&page("Results for evening", &format!("<div>{results}</div></main>{side}<main>")));
    let first: Vec<&str> = found[0].entries.iter().map(|e| e.title.as_str()).collect();
    assert_eq!(first, NAMES);
}

/// In a language whose words for bylines are not known.
#[test]
fn links_that_follow_the_same_label_in_each_record_are_not_entries() {
    let record = |i: usize, name: &str| {
        format!(
            "<li class=result><div><a class=title href=/r/{i}>{name}</a></div><div>от <a href=/author/{i}>Petar Ivanov {i}</a></div>\
             <div class=summary>An evening in the old dyke house, with tea and with songs about the sea, for all who can come.</div>\
             <div>Тема: <a href=/subject/{i}>Songs of harbour {i}</a></div></li>"
        )
    };
    let found = groups(&page("Results", &format!("<ul class=results>{}</ul>", each(record))));
    let titles: Vec<&str> = found[0].entries.iter().map(|e| &e.title[..]).collect();
    assert_eq!(titles, NAMES);
}
