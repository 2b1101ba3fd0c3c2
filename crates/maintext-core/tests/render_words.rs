//! Every format, read by a parser of its own, has the words of the kept blocks: none lost, none doubled, none glued.
mod common;

use common::{
    Random, Rendered, check, check_tei, example_files, read_html, read_markdown_without, read_tei, visible,
    without_media, words,
};
use maintext_core::render::{self, Post};
use std::path::PathBuf;

fn check_subsets(page: &Rendered, random: &mut Random, name: &str) {
    check(page, |_| true).unwrap_or_else(|e| panic!("{name}: all blocks: {e}"));
    for _ in 0..4 {
        let every = 2 + random.below(4) as u64;
        let seed = random.next();
        let kept = move |i: usize| !Random(seed ^ ((i as u64 + 1) << 20)).next().is_multiple_of(every);
        check(page, kept).unwrap_or_else(|e| panic!("{name}: subset {seed}/{every}: {e}"));
        check(page, |i| !kept(i)).unwrap_or_else(|e| panic!("{name}: rest of {seed}/{every}: {e}"));
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

/// Posts of two or three blocks each, with blocks between them, and the words that their headers add.
#[test]
fn posts_begin_with_their_headers_in_all_formats() {
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
        let want: String = (0..page.blocks.len()).map(|i| head(i) + page.blocks.text(i) + "\n").collect();
        let media = common::media(&page, Some(&base));
        let same = |format: &str, read: &str| {
            assert_eq!(
                words(&visible(read)),
                words(&visible(&want)),
                "{format} {n}: {html:?}\n{}",
                render::Tree::new(&content).markdown()
            );
        };
        same("text", &render::Tree::new(&content).text());
        same("html", &read_html(&without_media(&render::Tree::new(&content).html(), &media)));
        same("blocks", &common::blocks::read_blocks(&render::Tree::new(&content).typed_blocks(true)).unwrap());
        same("markdown", &read_markdown_without(&render::Tree::new(&content).markdown(), true, &media));
        let xml = render::Tree::new(&content).xml(&Default::default());
        check_tei(&xml).unwrap_or_else(|e| panic!("tei {n}: {e}: {html:?}\n{xml}"));
        same("tei", &read_tei(&xml).unwrap());
    }
}

const TEXTS: [&str; 74] = [
    "<a href=#n1>1</a>",
    "<sup><a href=#n2>[2]</a></sup>",
    "word",
    "two words",
    " spaced ",
    "trailing ",
    " leading",
    "\n",
    " ",
    "a_b",
    "snake_case_name",
    "_x_",
    "__y__",
    "*z*",
    "**q**",
    "* item",
    "- item",
    "+ item",
    "1. one",
    "12) twelve",
    "1986. A year",
    "# head",
    "###",
    "C#",
    "> quote",
    "---",
    "===",
    "***",
    "___",
    ":--|--:",
    "| a | b |",
    "a|b",
    "`code`",
    "``",
    "a`b",
    "[link](url)",
    "[ref]: url",
    "[^1]",
    "[^1]: note",
    "![img](x)",
    "!",
    "[",
    "]",
    "](",
    "\\",
    "a\\",
    "\\*",
    "&amp;amp;",
    "&amp;",
    "&lt;b&gt;x&lt;/b&gt;",
    "&lt;!-- x --&gt;",
    "&lt;",
    "&gt;",
    "~5 km",
    "~~gone~~",
    "~",
    "$5",
    "$x$",
    "$",
    "5$",
    "中文",
    "日本語。",
    "：“引”",
    "한국",
    "الكلمة",
    "é",
    "e\u{301}",
    "\u{200b}",
    "€ 5",
    "“q”",
    "…",
    "http://e.org/a_b_c",
    "(c)",
    "&nbsp;",
];
const INLINE: [&str; 26] = [
    "a href='#n1'",
    "a href='#n2'",
    "b",
    "strong",
    "i",
    "em",
    "code",
    "kbd",
    "del",
    "s",
    "sub",
    "sup",
    "span",
    "u",
    "mark",
    "small",
    "q",
    "abbr title=t",
    "a href=/x(1)?a=b&copy;",
    "a href='y z'",
    "a",
    "font",
    "time",
    "x-y",
    "tt",
    "span lang=de",
];
const BLOCK: [&str; 43] = [
    "pre",
    "code",
    "div class=line",
    "div class=code-block",
    "span class=line",
    "li id=n1",
    "li id=n2",
    "p id=n1",
    "div id=n2",
    "p",
    "p",
    "div",
    "div",
    "h1",
    "h2",
    "h3",
    "ul",
    "ol",
    "ol start=7",
    "li",
    "li",
    "li",
    "blockquote",
    "pre",
    "pre class=language-x",
    "table",
    "tr",
    "td",
    "th",
    "td colspan=2",
    "td rowspan=2",
    "figure",
    "figcaption",
    "dl",
    "dt",
    "dd",
    "details",
    "summary",
    "section",
    "caption",
    "center",
    "button",
    "noscript",
];
const VOID: [&str; 13] = [
    "<iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ' title='A [talk] *of* `two` | $5 & more'></iframe>",
    "<video src=a.mp4></video>",
    "<audio src='b c.mp3' title='Nine_to_noon_'></audio>",
    "<p class=caption>",
    "<br>",
    "<br>",
    "<br><br>",
    "<hr>",
    "<img src=a.png alt='x [y] `z`'>",
    "<img>",
    "<wbr>",
    "<br/> ",
    "<iframe src=x></iframe>",
];
/// Code as highlighters, editors and forums write it, some of it broken.
const CODE: [&str; 16] = [
    "<pre><span class=line>a();</span><span class=line></span><span class=line>  b();</span></pre>",
    "<pre><div class=line>x</div>\n<div class=line>&nbsp;</div><div>y<br></div></pre>",
    "<pre><code><span class=lineno>1</span>one\n<span class=lineno>2</span>two\n</code></pre>",
    "<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>",
    "<table><tr><td class=blob-num data-line-number=1><td class=blob-code>a<tr><td class=blob-num data-line-number=2><td class=blob-code>+b</table>",
    "<code>a;<br>&nbsp; b;<br>\nc;</code>",
    "<p><code>x</code><br><code>y</code></p>",
    "<div class=fragment><div class=line><span class=lineno>1</span>&#160;x</div><div class=line>y</div></div>",
    "<div class=view-lines><div style='top:18px'>two</div><div style='top:0px'>one</div></div>",
    "<textarea readonly class=code>a = 1\nb = 2</textarea>",
    "<pre class=prettyprint><ol><li>one<li><br><li>two</ol></pre>",
    "<pre><div>python</div><div><button>Copy code</button></div><code>x = 1\n</code></pre>",
    "<div class=CodeMirror-code><div><div class=CodeMirror-gutter-wrapper><div>1</div></div><pre>q</pre></div></div>",
    "<button class=copy>Copy</button>",
    "<div class=code-header><span>bash</span></div>",
    "<pre><span style='user-select: none'>$ </span>ls<br><br>pwd<h2>x</h2></pre>",
];
const MATH: [&str; 20] = [
    "<math><msup><mi>x</mi><mn>2</mn></msup></math>",
    "<math display=block><annotation encoding='application/x-tex'>\\{a_1\\}, b_2*c*d</annotation></math>",
    "<math><mo>{</mo><mi>_</mi><mo>|</mo></math>",
    "<math></math>",
    "<script type='math/tex'>a_1 % note\n|b|</script>",
    "<script type='math/tex; mode=display'>- x \\text{if $y$} \\</script>",
    "<span class=math>\\alpha\\beta</span>",
    "<div class='math'>\\frac{1}{2}</div>",
    "<img alt='$x^2$'>",
    "<p data-latex='\\sqrt{2}'>drawn</p>",
    "$\\frac{a}{b}$",
    " $$\\sum_{i} x_i$$ ",
    "\\(\\alpha<br>+ \\beta\\)",
    "\\[ + \\gamma \\]",
    "\\begin{align} a &amp;= \\|b\\| \\\\ c \\end{align}",
    "$\\text{a $",
    "<table class=eqn><tr><td><math><mi>x</mi></math><td>,<td><math><mo>=</mo><mi>y</mi></math>.<td>(1)</table>",
    "<table><tr><td>(2)<td><math><mi>x</mi></math><td><math><mo>=</mo><mi>y</mi></math></table>",
    "<mjx-container display=true><mjx-math>x</mjx-math><mjx-assistive-mml><math><mi>π</mi><mo>*</mo><mi>r</mi></math></mjx-assistive-mml></mjx-container>",
    "<math><semantics><mi>y</mi><annotation encoding='application/x-tex'>\\frac{a}{b} \\_x `</annotation></semantics></math>",
];

/// Returns tag soup: wild markup that browsers accept.
fn soup(random: &mut Random) -> String {
    let mut html = String::new();
    let mut open: Vec<&str> = Vec::new();
    for _ in 0..5 + random.below(60) {
        match random.below(20) {
            0..7 => html.push_str(random.pick(&TEXTS)),
            7..11 => {
                let tag = random.pick(&INLINE);
                html.push_str(&format!("<{tag}>"));
                open.push(tag);
            }
            11..14 => {
                let tag = random.pick(&BLOCK);
                html.push_str(&format!("<{tag}>"));
                open.push(tag);
            }
            14 => html.push_str(random.pick(&VOID)),
            15 if random.below(3) == 0 => html.push_str(random.pick(&MATH)),
            15 if random.below(3) == 0 => html.push_str(random.pick(&CODE)),
            _ => {
                if let Some(tag) = open.pop() {
                    html.push_str(&format!("</{}>", tag.split(' ').next().unwrap_or("")));
                }
            }
        }
    }
    html
}

/// Shrinks the page to the smallest one that still fails.
fn shrink(html: &str) -> String {
    let fails = |html: &str| check(&Rendered::new(html), |_| true).is_err();
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

fn check_soup(seed: u64, pages: usize) {
    let mut random = Random(seed);
    for n in 0..pages {
        let html = soup(&mut random);
        let page = Rendered::new(&html);
        if let Err(e) = check(&page, |_| true) {
            let small = shrink(&html);
            let why = check(&Rendered::new(&small), |_| true).err().unwrap_or_default();
            panic!("soup {n}: {e}\nsmallest: {small:?}\n{why}\n{}", common::all_formats(&small)[1]);
        }
        check_subsets(&page, &mut random, &format!("soup {n}: {html:?}"));
    }
}

/// The brackets of the text are not read as references to the addresses at the end.
#[test]
fn links_as_references_keep_the_words() {
    let mut random = Random(23);
    for n in 0..400 {
        let html = soup(&mut random).replace("#n", "/n");
        let page = Rendered::new(&html);
        if page.blocks.markup.has_formulas() {
            continue;
        }
        let keep = page.keep(|_| true);
        let base = url::Url::parse("https://example.org/dir/page.html").unwrap();
        let mut content = page.content(&keep, Some(&base));
        content.options.reference_links = true;
        let media = common::media(&page, Some(&base));
        let markdown = render::Tree::new(&content).markdown();
        let read = read_markdown_without(&markdown, false, &media);
        assert_eq!(words(&read), words(&page.expected(|_| true)), "{n}: {html:?}\n{markdown}");
    }
}

#[test]
fn on_generated_tag_soup() {
    check_soup(0x9e37_79b9_7f4a_7c15, 1500);
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
    for n in 0..250 {
        let html: String = (0..4 + random.below(24)).map(|_| random.pick(&PARTS)).collect();
        let page = Rendered::new(&html);
        if let Err(e) = check(&page, |_| true) {
            panic!("{n}: {e}\n{html}\n{}", common::all_formats(&html)[1]);
        }
        check_subsets(&page, &mut random, &format!("{n}: {html:?}"));
    }
}

#[test]
#[ignore = "long: run after changes to the renderers, SOUP_PAGES and SOUP_SEED set the amount"]
fn on_much_generated_tag_soup() {
    let number = |name, default| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    check_soup(number("SOUP_SEED", 3), number("SOUP_PAGES", 200_000) as usize);
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
        let file = std::fs::File::open(data.join(format!("{set}.jsonl.zst"))).unwrap();
        let mut reader = zstd::Decoder::new(file).unwrap();
        reader.window_log_max(31).unwrap();
        for line in std::io::BufRead::lines(std::io::BufReader::new(reader)) {
            let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            let bytes = match record["html"].as_str() {
                Some(html) => html.as_bytes().to_vec(),
                None => decode_base64(record["html_base64"].as_str().unwrap()),
            };
            let html = maintext_core::decode::decode(&bytes, None).text;
            pages += 1;
            if let Err(e) = check_page(&html) {
                errors += 1;
                println!("{set} {}: {e}", record["id"]);
            }
        }
        println!("{set}: {} of {pages} pages have the same words in text, Markdown, HTML and TEI", pages - errors);
        failed += errors;
    }
    assert_eq!(failed, 0);
}

fn decode_base64(s: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(s).unwrap()
}

fn check_page(html: &str) -> Result<(), String> {
    let page = Rendered::new(html);
    check(&page, |_| true).map_err(|e| format!("all blocks: {e}"))?;
    let mut extractor = maintext_core::Extractor::new(Default::default()).unwrap();
    let verdicts = extractor.analyze(html, None).verdicts;
    check(&page, |i| verdicts[i].keep).map_err(|e| format!("default method: {e}"))
}
