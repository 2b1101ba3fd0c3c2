//! Every format, read by a parser of its own, has the words of the kept blocks: none lost, none duplicated, none glued together.

use crate::common::soup::{INVISIBLE, PARTS, soup, soup_with};
use crate::common::{
    Random, Rendered, check, check_tei, each_page, example_files, read_html, read_markdown_without, read_tei, visible,
    without_media, words,
};
use maintext_core::render::{self, Post};
use std::path::PathBuf;

fn check_subsets(page: &Rendered, random: &mut Random, name: &str) {
    check(page, |_| true).unwrap_or_else(|e| panic!("{name}: all blocks: {e}"));
    for _ in 0..4 {
        Subset::new(random).check(page).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

/// A choice of blocks: all but about one in `every`.
struct Subset {
    seed: u64,
    every: u64,
}

impl Subset {
    fn new(random: &mut Random) -> Subset {
        let every = 2 + random.below(4) as u64;
        Subset { seed: random.next(), every }
    }

    /// Checks the blocks of the choice, and the others.
    fn check(&self, page: &Rendered) -> Result<(), String> {
        let Subset { seed, every } = *self;
        let kept = move |i: usize| !Random(seed ^ ((i as u64 + 1) << 20)).next().is_multiple_of(every);
        check(page, kept).map_err(|e| format!("subset {seed}/{every}: {e}"))?;
        check(page, |i| !kept(i)).map_err(|e| format!("rest of {seed}/{every}: {e}"))
    }
}

#[test]
fn on_every_example_page() {
    let mut random = Random(7);
    for path in example_files() {
        let bytes = std::fs::read(&path).unwrap();
        let html = maintext_core::decode::decode(&bytes, None).text;
        check_subsets(&Rendered::new(&html), &mut random, &path.display().to_string());
    }
}

/// Posts of two or three blocks each, with blocks between them, and the words that their headers add to all formats but text.
#[test]
fn posts_begin_with_their_headers_in_all_formats_but_text() {
    let mut random = Random(11);
    for n in 0..400 {
        // Footnotes and quotation marks have tests of their own.
        let html = soup(&mut random).replace("#n", "/n").replace("<q>", "<u>");
        let page = Rendered::new(&html);
        let mut posts = Vec::new();
        let mut at = random.below(3) as u32;
        while at + 3 < page.blocks.len() as u32 {
            let end = at + 1 + random.below(3) as u32;
            let (author, date) = (format!("_jane_ *{at}*"), format!("2024-05-1{} 10:30", posts.len() % 10));
            posts.push(Post { author, date, when: "2024-05-10T10:30".into(), head: at, blocks: at..end });
            at = end + random.below(2) as u32;
        }
        let keep = page.keep(|_| true);
        let base = url::Url::parse("https://example.org/dir/page.html").unwrap();
        let mut content = page.content(&keep, Some(&base));
        content.posts = &posts;
        let heads = posts.iter().map(|p| (p.blocks.start as usize, format!("{} · {}\n", p.author, p.date)));
        let heads: std::collections::HashMap<usize, String> = heads.collect();
        let head = |i: usize| heads.get(&i).cloned().unwrap_or_default();
        let plain: String = (0..page.blocks.len()).map(|i| page.blocks.text(i).to_owned() + "\n").collect();
        let headed: String = (0..page.blocks.len()).map(|i| head(i) + page.blocks.text(i) + "\n").collect();
        let media = crate::common::media(&page, Some(&base));
        let same = |format: &str, read: &str| {
            let want = if format == "text" { &plain } else { &headed };
            assert_eq!(
                words(&visible(read)),
                words(&visible(want)),
                "{format} {n}: {html:?}\n{}",
                render::Tree::new(&content).markdown()
            );
        };
        same("text", &render::Tree::new(&content).text());
        same("html", &read_html(&without_media(&render::Tree::new(&content).html(), &media)));
        same("blocks", &crate::common::blocks::read_blocks(&render::Tree::new(&content).typed_blocks(true)).unwrap());
        same("markdown", &read_markdown_without(&render::Tree::new(&content).markdown(), true, &media));
        let xml = render::Tree::new(&content).xml(&Default::default());
        check_tei(&xml).unwrap_or_else(|e| panic!("tei {n}: {e}: {html:?}\n{xml}"));
        same("tei", &read_tei(&xml).unwrap());
    }
}

/// Shrinks the page to the smallest one that still fails in the same way.
fn shrink(html: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut html = html.to_owned();
    let mut size = html.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < html.len() {
            let end = (at + size).min(html.len());
            if html.is_char_boundary(at) && html.is_char_boundary(end) {
                let shorter = format!("{}{}", &html[..at], &html[end..]);
                if fails(&shorter) {
                    html = shorter;
                    continue;
                }
            }
            at += size;
        }
        size /= 2;
    }
    html
}

/// Checks pages of one seed and reports the first failures.
fn check_soup(seed: u64, pages: usize) -> Vec<String> {
    /// Maximum number of failures to shrink, which takes long.
    const REPORTED: usize = 5;
    let mut random = Random(seed);
    let mut failures = Vec::new();
    for n in 0..pages {
        let html = soup_with(&mut random, &PARTS);
        let subsets = [(); 4].map(|()| Subset::new(&mut random));
        let verdict = |html: &str| {
            let page = Rendered::new(html);
            check(&page, |_| true)?;
            subsets.iter().try_for_each(|s| s.check(&page))
        };
        let Err(e) = verdict(&html) else { continue };
        // The text before the first words names the format.
        let what =
            |e: &str| e.split("want").next().unwrap_or("").trim_end_matches(|c: char| !c.is_alphabetic()).to_owned();
        let small = shrink(&html, |shorter| verdict(shorter).is_err_and(|s| what(&s) == what(&e)));
        let why = verdict(&small).err().unwrap_or_default();
        let [text, markdown, ..] = crate::common::all_formats(&small);
        failures.push(format!("seed {seed}, page {n}: {e}\nsmallest: {small:?}\n{why}\n{text}\n{markdown}"));
        if failures.len() == REPORTED {
            break;
        }
    }
    failures
}

fn check_soups(seeds: std::ops::RangeInclusive<u64>, pages: usize) {
    let failures: Vec<String> = seeds.flat_map(|seed| check_soup(seed, pages)).collect();
    assert!(failures.is_empty(), "{} pages fail\n\n{}", failures.len(), failures.join("\n\n"));
}

/// The brackets of the text are not read as references to the addresses at the end.
#[test]
fn links_as_references_keep_the_words() {
    let mut random = Random(23);
    for n in 0..400 {
        let html = soup(&mut random).replace("#n", "/n").replace("<q>", "<u>");
        let page = Rendered::new(&html);
        if page.blocks.markup.has_formulas() {
            continue;
        }
        let keep = page.keep(|_| true);
        let base = url::Url::parse("https://example.org/dir/page.html").unwrap();
        let mut content = page.content(&keep, Some(&base));
        content.options.reference_links = true;
        let media = crate::common::media(&page, Some(&base));
        let markdown = render::Tree::new(&content).markdown();
        let read = read_markdown_without(&markdown, false, &media);
        let want = page.expected(|_| true);
        assert_eq!(words(&visible(&read)), words(&visible(&want)), "{n}: {html:?}\n{markdown}");
        // Invisible characters hide no words from both sides.
        let bare = html.replace(INVISIBLE, "");
        let letters = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let other = Rendered::new(&bare).expected(|_| true);
        assert_eq!(letters(&want), letters(&other), "{n}: {html:?}");
    }
}

/// Words and lines are not lost between invisible characters, at any position.
#[test]
fn invisible_characters_hide_no_words() {
    let mut random = Random(29);
    for n in 0..400 {
        let html = soup(&mut random);
        let mut strewn = String::new();
        let mut in_tag = false;
        for c in html.replace(INVISIBLE, "").chars() {
            in_tag = c == '<' || in_tag && c != '>';
            strewn.push(c);
            // Not inside of an entity or a formula.
            if !in_tag && c == ' ' && random.below(3) == 0 {
                strewn.push(INVISIBLE[random.below(INVISIBLE.len())]);
            }
        }
        let page = Rendered::new(&strewn);
        if page.blocks.markup.has_formulas() || html.contains("code") || html.contains("pre") {
            continue;
        }
        check(&page, |_| true).unwrap_or_else(|e| panic!("{n}: {e}: {strewn:?}"));
        let plain = Rendered::new(&html);
        let (got, want) = (page.expected(|_| true), plain.expected(|_| true));
        assert_eq!(words(&visible(&got)), words(&visible(&want)), "{n}: {strewn:?}");
    }
}

#[test]
fn on_generated_tag_soup() {
    check_soups(1..=20, 8);
}

/// Tabs, differences and drawings of formulas, also broken ones.
#[test]
fn on_generated_tabs_and_drawings() {
    const PARTS: [&str; 26] = [
        "<ul role=tablist>",
        "<div role=tablist>",
        "<div class=tabbed-labels>",
        "<b role=tab>A</b>",
        "<li role=tab>B [c]</li>",
        "<button role=tab>*D*</button>",
        "<label>E <i>e</i></label>",
        "</ul>",
        "</div>",
        "</div>",
        "</div>",
        "<div role=tabpanel>",
        "<div role=tabpanel>",
        "<div class=tabbed-block>",
        "<div class=sd-tab-set>",
        "<div>",
        "<blockquote>",
        "</blockquote>",
        "<pre>x = 1\n</pre>",
        "<p>some words",
        " text ",
        "<h2>head</h2>",
        "<table><tr><td class=blob-num data-line-number=1><td class=blob-code data-code-marker='+'>a *b*<tr><td class=blob-num>\
         <td class=blob-code>c</table>",
        "<mjx-container><mjx-math><mjx-mi><mjx-c class=mjx-c78></mjx-c></mjx-mi><mjx-mfrac><mjx-mn>2</mjx-mn></mjx-mfrac></mjx-math>\
         </mjx-container>",
        "<span class=katex><span class=katex-html><span class=mord>x<span class=mfrac>y</span></span>|</span></span>",
        "<div class='notecard note'><p><strong>Note:</strong> word</p></div>",
    ];
    let mut random = Random(77);
    for n in 0..80 {
        let html: String = (0..4 + random.below(24)).map(|_| random.pick(&PARTS)).collect();
        let page = Rendered::new(&html);
        if let Err(e) = check(&page, |_| true) {
            panic!("{n}: {e}\n{html}\n{}", crate::common::all_formats(&html)[1]);
        }
        check_subsets(&page, &mut random, &format!("{n}: {html:?}"));
    }
}

#[test]
#[ignore = "long: runs by night; SOUP_SEED sets a single seed, SOUP_PAGES the pages of each seed"]
fn on_much_generated_tag_soup() {
    let number = |name| std::env::var(name).ok().map(|s| s.parse::<u64>().expect(name));
    let seeds = number("SOUP_SEED").map_or(1..=20, |seed| seed..=seed);
    check_soups(seeds, number("SOUP_PAGES").unwrap_or(1500) as usize);
}

/// Renders all pages of `$MAINTEXT_DATA/train/wcxb-dev.jsonl.zst` (or of the sets in `$MAINTEXT_SETS`, comma-separated), with all blocks
/// and with those that the default method keeps.
#[test]
#[ignore = "needs $MAINTEXT_DATA"]
fn on_every_page_of_the_data() {
    let data = PathBuf::from(std::env::var_os("MAINTEXT_DATA").expect("MAINTEXT_DATA is set"));
    let sets = std::env::var("MAINTEXT_SETS").unwrap_or_else(|_| "train/wcxb-dev".into());
    let mut failed = 0;
    for set in sets.split(',') {
        let (mut pages, mut errors) = (0, 0);
        each_page(&data.join(format!("{set}.jsonl.zst")), |id, html| {
            pages += 1;
            if let Err(e) = check_page(html) {
                errors += 1;
                println!("{set} {id}: {e}");
            }
        });
        println!("{set}: {} of {pages} pages have the same words in text, Markdown, HTML and TEI", pages - errors);
        failed += errors;
    }
    assert_eq!(failed, 0);
}

fn check_page(html: &str) -> Result<(), String> {
    let page = Rendered::new(html);
    check(&page, |_| true).map_err(|e| format!("all blocks: {e}"))?;
    let mut extractor = maintext_core::Extractor::new(Default::default()).unwrap();
    let choice = extractor.analyze(html, None).choice;
    check(&page, |i| choice.keeps(i)).map_err(|e| format!("default method: {e}"))
}
