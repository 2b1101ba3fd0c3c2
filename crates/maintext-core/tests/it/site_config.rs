//! Configurations of FiveFilters.
use maintext_core::rules::SiteRules;
use maintext_core::site_config::SiteConfig;
use maintext_core::{Extractor, Options, Page, WarningCode};

fn rules(files: &[(&str, &str)]) -> SiteRules {
    let mut rules = SiteRules::default();
    for (name, text) in files {
        let read = SiteConfig::read(name, text);
        assert_eq!(read.errors, [], "{name}");
        rules.add_config(read.config);
    }
    rules
}

fn page(files: &[(&str, &str)], url: &str, html: &str) -> Page {
    let options = Options { site_rules: rules(files), ..Options::default() };
    Extractor::new(options).unwrap().extract_at(html, Some(url), None).unwrap()
}

/// The text of a page of `paper.example` by the rules of a file.
fn by(config: &str, html: &str) -> Page {
    page(&[("paper.example.txt", config)], "https://www.paper.example/a/walk?page=1", html)
}

const STORY: &str = "<html lang=en><head><title>A walk | The Paper</title><meta name=author content='Jane Doe'>
    <meta property='article:published_time' content='2024-05-17T09:30:00+02:00'></head><body><nav><a href=/>Home</a></nav>
    <main id=content class='col main-col'><h1 class=headline>A walk in the hills</h1><div class=byline>By <span>Jane Doe</span> and <span>John Roe</span></div>
    <span class=when>3 May 2024</span><div class='story story--long'><p class=lead>We left early.</p><p>The road was empty until noon.</p>
    <div class='promo promo-box'><p>Read every walk of the year.</p></div><p>Then we saw two herons.<br>They stood still.</p><img src=/ads/tall.gif><img src=/heron.jpg alt=Heron>
    <hr><p>More walks</p><p>Another walk</p></div><div id=comments><p>A fine walk, says a reader.</p></div></main>
    <p class=pages><a href='?page=2' class='btn next'>Next</a> <a href='/a/walk/print'>Print</a></p></body></html>";

/// Rules in the style of those that people share, and what they find: text, title, author, date.
#[test]
fn rules_in_the_manner_of_shared_ones() {
    let all = "We left early.\nThe road was empty until noon.\nRead every walk of the year.\nThen we saw two herons.\nThey stood still.\n";
    let plain = "We left early.\nThe road was empty until noon.\nThen we saw two herons.\nThey stood still.\n";
    let (title, author, date) = ("A walk in the hills", "Jane Doe, John Roe", "2024-05-17T09:30:00+02:00");
    for (number, (config, text, title, author, date)) in [
        (
            "# The first version\nbody: //div[contains(@class, 'story')]\nstrip_id_or_class: promo\nstrip: //hr | //hr/following-sibling::p\n\
             tidy: no\nprune: no\ntest_url: https://paper.example/a/walk\ntest_contains: two herons",
            plain,
            title,
            author,
            date,
        ),
        (
            "body://div[contains(concat(' ',normalize-space(@class),' '),' story ')]/p[not(preceding-sibling::hr)]\n\
             title: substring-before(//title, ' | ')\nauthor: //div[@class='byline']/span\ndate: //span[@class=\"when\"]",
            plain,
            "A walk",
            "Jane Doe, John Roe",
            "2024-05-03",
        ),
        (
            "title: //h2[@class='headline']\ntitle: //h1[@class='headline']\nbody: //article[@id='none']\nbody: //main/div[1][p]\n\
             body: //div[@class='story story--long']\nstrip: //hr/following::p\nstrip: //hr\nstrip: //div[starts-with(@class, \"promo\")]",
            plain,
            title,
            author,
            date,
        ),
        (
            "body: //p[@class='lead'] | //div[contains(@class,'story')]/p[2] | //div[contains(@class,'story')]/p[3]\n\
             author: //meta[@name=\"author\"]/@content\ndate: //meta[@property='article:published_time']/@content",
            plain,
            title,
            "Jane Doe",
            date,
        ),
        (
            "body: (//div[contains(@class, 'story')])[1]\nstrip: //hr/following-sibling::*\nauthor: string(//div[@class='byline']/span[2])\n\
             date: normalize-space(//span[@class='when']/text())",
            all,
            title,
            "John Roe",
            "2024-05-03",
        ),
        (
            "find_string: <hr>\nreplace_string: </div><div class=\"rest\">\nreplace_string(<div class='promo): <div class='gone\n\
             body: //div[contains(@class, 'story')]\nstrip_id_or_class: 'gone'",
            plain,
            title,
            author,
            date,
        ),
        (
            "autodetect_on_failure: no\nbody: //*[@id='content']/div[2]/p[position() <= 3]\nstrip: //p[contains(., 'every walk')]",
            plain,
            title,
            author,
            date,
        ),
        (
            "body: //main//p[not(ancestor::div[contains(@class, 'promo') or @id='comments'])][not(preceding::hr)]",
            plain,
            title,
            author,
            date,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let page = by(config, STORY);
        let m = &page.metadata;
        let found = (page.text(), m.title.as_deref(), m.author.as_deref(), m.date.as_deref());
        assert_eq!(found, (text, Some(title), Some(author), Some(date)), "{number}: {config}");
        assert!(page.warnings.iter().all(|w| w.code == WarningCode::HiddenText), "{number}: {:?}", page.warnings);
    }
}

#[test]
fn rules_that_match_nothing_fall_back() {
    let without = by("", STORY);
    let page = by("body: //article\nstrip: //video\ntitle: //h4\nauthor: //em\ndate: //h1", STORY);
    assert_eq!((page.text(), &page.metadata), (without.text(), &without.metadata));
    let messages: Vec<&str> = page.warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(messages.contains(&"no body of paper.example.txt matches: the method chooses the content"), "{messages:?}");
    let none = by("body: //article\nautodetect_on_failure: no", STORY);
    assert_eq!(none.text(), "");
    // An element without content is no match.
    assert_eq!(by("body: //nav/a/b\nbody: //hr\nbody: //p[@class='lead']", STORY).text(), "We left early.\n");
}

#[test]
fn pictures_are_left_out_by_their_source() {
    let page = by("body: //div[contains(@class, 'story')]\nstrip_image_src: /ads/", STORY);
    assert_eq!(page.images.iter().map(|i| i.alt.as_deref()).collect::<Vec<_>>(), [Some("Heron")]);
}

#[test]
fn links_lead_to_the_next_and_the_single_page() {
    let next = |config: &str| {
        let page = by(config, STORY);
        let next = page.parts.next.map(|next| next.url);
        (next, page.single_page, page.elsewhere)
    };
    let second = || Some("https://www.paper.example/a/walk?page=2".to_owned());
    let print = || vec!["https://www.paper.example/a/walk/print".to_owned()];
    for rule in [
        "next_page_link: //a[contains(@class, 'next')]",
        "next_page_link: //a[@rel='next']\nnext_page_link: //a[contains(text(), 'Next')]/@href",
        "next_page_link: concat('?page=', 1 + 1)",
        "next_page_link: //a[contains(@class, 'next')]\nif_page_contains: //h1",
    ] {
        assert_eq!(next(rule).0, second(), "{rule}");
    }
    let found = next("single_page_link: //p[@class='pages']/a[. = 'Print']");
    assert_eq!((found.1, found.2), (print(), print()));
    let condition = "single_page_link: //a[. = 'Print']\nif_page_contains: //video";
    assert_eq!(next(condition).2, Vec::<String>::new());
    // Links to the page itself and scripts are not followed.
    for rule in ["single_page_link: '/a/walk?page=1#top'", "single_page_link: 'javascript:print()'"] {
        assert_eq!(next(rule).2, Vec::<String>::new(), "{rule}");
    }
}

#[test]
fn the_name_of_a_file_is_its_site() {
    let body = |class: &str| format!("body: //p[@class='{class}']");
    let (own, below, deep, global) = (body("own"), body("below"), body("deep"), body("global"));
    let files = [
        ("rules/e.example.txt", own.as_str()),
        (".e.example.txt", &below),
        ("News.e.example.txt", &deep),
        ("global.txt", &global),
    ];
    let html = "<p class=own>own<p class=below>below<p class=deep>deep<p class=global>global";
    let of = |url: &str| page(&files, url, html).text().trim().to_owned();
    assert_eq!(of("https://e.example/"), "own");
    assert_eq!(of("https://www.e.example/"), "own");
    assert_eq!(of("https://NEWS.e.example/"), "deep");
    assert_eq!(of("https://sport.e.example/"), "below");
    assert_eq!(of("https://a.sport.e.example/"), "below");
    assert_eq!(of("https://f.example/"), "global");
    // Global rules find what those of the site leave open, unless these allow no other choice.
    let with = |config: &str| {
        page(&[("e.example.txt", config), ("global.txt", &global)], "https://e.example/", html).text().trim().to_owned()
    };
    assert_eq!(with("title: //p"), "global");
    assert_eq!(with("body: //h1"), "global");
    assert_eq!(with("body: //h1\nautodetect_on_failure: no"), "");
}

#[test]
fn lines_that_cannot_be_read_are_errors_with_their_place() {
    let text = "body: //div[\nbody: //article\n\nauthors: //p\nnonsense\ntitle:\nreplace_string: x\nfind_string: y\nstrip: //p[matches(., 'x')]\n\
        if_page_contains: //p\nautodetect_on_failure: maybe\nhttp_header(user-agent): A: B\nhttp_header(Cookie): c\ntidy: no\n";
    let read = SiteConfig::read("a/b.example.txt", text);
    let errors: Vec<String> = read.errors.iter().map(ToString::to_string).collect();
    let expected = [
        "a/b.example.txt, line 1: body: //div[: column 7: expected the name of an element",
        "a/b.example.txt, line 4: there is no rule 'authors'",
        "a/b.example.txt, line 5: 'nonsense' is not of the form KEY: VALUE",
        "a/b.example.txt, line 6: title: expected a value",
        "a/b.example.txt, line 7: replace_string: expected find_string before it",
        "a/b.example.txt, line 9: strip: //p[matches(., 'x')]: column 5: there is no function 'matches'",
        "a/b.example.txt, line 10: if_page_contains: expected after the rule that depends on it",
        "a/b.example.txt, line 11: autodetect_on_failure: expected yes or no, not 'maybe'",
        "a/b.example.txt, line 8: find_string: 'y' has no replace_string",
    ];
    assert_eq!(errors, expected);
    assert_eq!(read.ignored.iter().map(|(k, n)| (*k, *n)).collect::<Vec<_>>(), [("http_header", 2), ("tidy", 1)]);
    let many = SiteConfig::read("m.txt", &"strip: //p\n".repeat(1_200));
    assert!(many.errors[0].message.contains("more than 1000 rules"), "{:?}", many.errors);
}

#[test]
fn replacements_do_not_blow_a_page_up() {
    let config = SiteConfig::read("e.txt", &"find_string: e\nreplace_string: eeeeeeeeee\n".repeat(12)).config;
    let source = "We left early. ".repeat(300);
    let replaced = config.replaced(&source).unwrap();
    assert!(replaced.len() > source.len() && replaced.len() < 5 * source.len() + (1 << 20), "{}", replaced.len());
    assert_eq!(config.replaced("A fox."), None);
}
