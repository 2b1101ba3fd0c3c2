//! Tests of the playground in a real browser, with mouse and keyboard.

use crate::support::tab::{self, Tab};
use crate::support::{config, page, site, start};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns a page of a site whose readers' letters look like its articles.
fn story(k: usize) -> String {
    let p = |what: &str, n: usize| {
        format!(
            "<p>{what} {n} of page {k} tells, at some length, of herons, of a fox, and of the first swallows of the year.</p>"
        )
    };
    let story: String = (0..5 + k % 2).map(|n| p("Paragraph", n)).collect();
    let letters: String = (0..6).map(|n| p("Letter", n)).collect();
    format!(
        "<html lang=en><head><title>Page {k}</title><meta name=author content='Ann Wright'></head><body><div class=qx-top><a href=/>Home</a> \
         <a href=/b>Birds</a></div><div class=qx-main><h1>Page {k}</h1>{story}</div><div class=qx-post>{letters}</div><div>Imprint</div>\
         </body></html>"
    )
}

fn birds() -> SocketAddr {
    site(|path| page(&story(path.trim_start_matches('/').parse().unwrap_or(0))))
}

/// Enters the address of a page with the keyboard and waits for the result.
fn ask(tab: &mut Tab, url: &str) {
    tab.eval(
        "{ const a = document.querySelector('#address'); a.focus(); a.value = ''; document.querySelector('.status').textContent = ''; }",
    );
    // Clears the frame, so that the next check cannot see the previous page.
    tab.eval_in_frame("document.body.replaceChildren()");
    tab.type_text(url);
    tab.key("Enter");
    tab.wait("/^Kept|词/.test(document.querySelector('.status').textContent)");
    tab.wait_in_frame("document.querySelector('.block.kept')");
}

/// Shows the coloured page.
fn show_page(tab: &mut Tab) {
    tab.click("#tab-page");
    tab.wait("document.querySelector('iframe.frame').clientHeight > 0");
}

#[test]
#[ignore = "needs Chromium"]
fn an_address_gives_an_article_reasons_and_data() {
    let mut tab = tab::open(1400, 1000, false);
    let service = start(config());
    let birds = birds();
    tab.go(&format!("http://{}/", service.address));
    // The scheme may be left out.
    ask(&mut tab, &format!("{birds}/1"));
    assert!(tab.eval("location.search").as_str().unwrap().ends_with("%2F1"));
    tab.wait_in_article("document.querySelector('h1')");
    let article = tab.eval_in_article("document.body.innerText");
    let article = article.as_str().unwrap();
    assert!(article.contains("Page 1\n\nAnn Wright") && article.contains("Paragraph 3"), "{article}");
    assert!(!article.contains("Imprint"), "{article}");
    tab.picture("desktop-article.png");

    show_page(&mut tab);
    tab.click_block(4);
    tab.wait("document.querySelectorAll('#why table.features tbody tr').length > 5");
    let why = tab.eval("document.querySelector('#why').innerText");
    let why = why.as_str().unwrap();
    assert!(why.contains("Paragraph 2") && why.contains("Kept because:") && why.contains("long sentences"), "{why}");
    tab.picture("desktop-why.png");
    // Selects the next block with the keyboard.
    tab.key("ArrowDown");
    tab.wait("document.querySelector('#why').innerText.includes('Paragraph 3')");

    let kept = tab.eval_in_frame("document.querySelectorAll('.block.kept').length");
    tab.click("#tab-methods");
    tab.wait("document.querySelectorAll('table.methods tbody tr').length === 6");
    tab.wait("document.querySelectorAll('.sides .only').length > 0");
    tab.click("[data-method='text-density']");
    tab.wait("document.querySelector('[data-method=\"text-density\"]').getAttribute('aria-pressed') === 'true'");
    tab.picture("desktop-compare.png");
    tab.wait_in_frame(&format!("document.querySelectorAll('.block.kept').length !== {kept}"));
    tab.click("#panel details summary");
    tab.wait("document.querySelector('details[open] svg.chart path')");
    tab.click("#tab-metadata");
    tab.wait("document.querySelector('#panel').innerText.includes('Ann Wright')");
    tab.click("#tab-markdown");
    for (format, what) in [("markdown", "# Page 1"), ("text", "Paragraph 3"), ("html", "<p>Paragraph 1")] {
        tab.click(&format!("#format-{format}"));
        tab.wait(&format!("document.querySelector('.result').innerText.includes({what:?})"));
    }
    assert_eq!(tab.eval("document.querySelector('.result').textContent.includes('Imprint')"), false);
    for (name, what) in [("json", "\"page_type\""), ("list", "Kind of page"), ("things", "describes no product")] {
        tab.click(&format!("#tab-{name}"));
        tab.wait(&format!("document.querySelector('#panel').innerText.includes({what:?})"));
    }
    tab.click("#code");
    tab.click("[data-code='python']");
    tab.wait("document.querySelector('dialog pre').textContent.includes('maintext.extract(html, url=')");
    tab.click("dialog button.plain");
    tab.click("#language");
    tab.wait(
        "document.documentElement.lang === 'zh-CN' && document.querySelector('#tab-teach').textContent === '训练'",
    );
    tab.picture("desktop-zh.png");
    assert!(
        tab.eval_in_frame("document.querySelectorAll('.block').length").as_u64() > Some(5),
        "the page stays after a change of language"
    );
}

/// Returns a site whose page `/slow` takes two seconds.
fn hasty() -> SocketAddr {
    site(|path| {
        if path == "/slow" {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        page(&story(usize::from(path == "/slow")))
    })
}

#[test]
#[ignore = "needs Chromium"]
fn the_latest_question_wins_and_an_error_leaves_nothing_old() {
    let mut tab = tab::open(1200, 900, false);
    let service = start(config());
    let hasty = hasty();
    let title = |tab: &mut Tab| tab.eval("document.title").as_str().unwrap().to_owned();
    let begin = |tab: &mut Tab, address: &str| {
        tab.eval("{ const a = document.querySelector('#address'); a.focus(); a.value = ''; }");
        tab.type_text(address);
        tab.key("Enter");
    };
    tab.go(&format!("http://{}/", service.address));
    begin(&mut tab, &format!("{hasty}/slow"));
    tab.wait("!document.querySelector('#cancel').hidden");
    begin(&mut tab, &format!("{hasty}/fast"));
    tab.wait("document.title.startsWith('Page 0')");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(title(&mut tab).starts_with("Page 0"), "a late answer replaced the one asked for last");

    begin(&mut tab, &format!("{hasty}/slow"));
    tab.wait("!document.querySelector('#cancel').hidden");
    tab.click("#cancel");
    tab.wait("document.querySelector('.status').textContent === 'Cancelled.'");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(title(&mut tab).starts_with("Page 0"));

    begin(&mut tab, "127.0.0.1:1/nothing");
    tab.wait("document.querySelector('.failure h2')");
    assert_eq!(tab.eval("document.querySelector('.results').hidden"), true);
    tab.eval("history.back()");
    tab.wait("document.title.startsWith('Page 0') && !document.querySelector('.results').hidden");
    // The start page.
    tab.eval("history.back()");
    tab.wait("document.querySelector('.results').hidden && document.querySelectorAll('a.example').length > 5");
    tab.picture("desktop-home.png");
    for (id, words) in
        [("news", "Captain Aske"), ("zh", "云岭站"), ("forum", "Klempner_Uwe"), ("recipe", "Ingredients")]
    {
        tab.go(&format!("http://{}/?example={id}", service.address));
        tab.wait("!document.querySelector('.results').hidden");
        tab.wait_in_article(&format!("document.body.innerText.includes({words:?})"));
    }
    // Its own picture is shown without a request.
    tab.wait_in_article("document.querySelector('img').naturalWidth > 0");
    tab.click("#tab-things");
    tab.wait("document.querySelector('#panel').innerText.includes('390 ml cold water')");
}

#[test]
#[ignore = "needs Chromium"]
fn labels_on_three_pages_correct_a_fourth() {
    let mut tab = tab::open(1400, 1000, false);
    let service = start(config());
    let birds = birds();
    tab.go(&format!("http://{}/", service.address));
    let kept_letters =
        "[...document.querySelectorAll('.block.kept')].filter((b) => b.textContent.startsWith('Letter')).length";
    ask(&mut tab, &format!("http://{birds}/7"));
    assert!(tab.eval_in_frame(kept_letters).as_u64() > Some(0), "the shipped model makes no mistake to correct");
    for k in 0..3 {
        ask(&mut tab, &format!("http://{birds}/{k}"));
        tab.click("#tab-teach");
        tab.wait("document.querySelector('iframe.frame').clientHeight > 0");
        let first = tab.eval_in_frame("Number([...document.querySelectorAll('.block')].find((b) => b.textContent.startsWith('Letter')).dataset.block)");
        let first = first.as_u64().unwrap();
        // Marks the first block with the mouse, the others with the keyboard.
        tab.click_block(first);
        tab.wait("!document.querySelector('#mark-not').disabled");
        tab.click("#mark-not");
        tab.click_block(first + 1);
        for _ in 0..5 {
            tab.key("-");
            tab.key("ArrowDown");
        }
        tab.wait("/^6 labels/.test(document.querySelector('#label-count').textContent)");
        if k == 0 {
            // Unsaved labels survive a change of method.
            let choose = |method: &str| {
                format!(
                    "{{ const m = document.querySelector('#method'); m.value = '{method}'; m.dispatchEvent(new Event('change')); }}"
                )
            };
            for method in ["text-density", "learned"] {
                tab.eval("document.querySelector('.status').textContent = ''");
                tab.eval(&choose(method));
                tab.wait("/^Kept/.test(document.querySelector('.status').textContent)");
                tab.wait("/^6 labels on this page, [1-9]/.test(document.querySelector('#label-count').textContent)");
            }
        }
        tab.click("#save-labels");
        tab.wait("document.querySelector('.status').textContent === 'Saved.'");
    }
    tab.picture("desktop-teach-labels.png");
    tab.click("#train");
    tab.wait("document.querySelectorAll('table.figures tbody tr').length === 4");
    let last = "document.querySelector('table.figures tbody tr:last-child')";
    let figure = |tab: &mut Tab, k: u32| -> f64 {
        tab.eval(&format!("Number({last}.children[{k}].textContent)")).as_f64().unwrap()
    };
    let (before, after) = (figure(&mut tab, 1), figure(&mut tab, 2));
    assert!(after > before, "{before} {after}");
    tab.picture("desktop-teach-figures.png");
    ask(&mut tab, &format!("http://{birds}/7"));
    assert_eq!(tab.eval_in_frame(kept_letters), 0);
    assert!(tab.eval_in_frame("document.querySelectorAll('.block.kept').length").as_u64() > Some(4));
}

#[test]
#[ignore = "needs Chromium"]
fn the_layout_fits_a_phone_in_dark_mode() {
    let mut tab = tab::open(390, 844, true);
    let service = start(config());
    let birds = birds();
    tab.go(&format!("http://{}/", service.address));
    ask(&mut tab, &format!("http://{birds}/1"));
    // The text comes first.
    assert!(tab.eval("document.querySelector('iframe.article').getBoundingClientRect().top").as_f64() < Some(422.0));
    tab.picture("phone-top.png");
    show_page(&mut tab);
    tab.click_block(3);
    tab.wait("document.querySelectorAll('#why table.features tbody tr').length > 5");
    let width = tab.eval("document.documentElement.scrollWidth");
    assert!(width.as_u64() <= Some(390), "{width} pixels wide");
    tab.eval("document.querySelector('#why').scrollIntoView()");
    tab.picture("phone-why.png");
    for name in ["methods", "json", "metadata", "teach"] {
        tab.click(&format!("#tab-{name}"));
        let width = tab.eval("document.documentElement.scrollWidth");
        assert!(width.as_u64() <= Some(390), "{name}: {width} pixels wide");
        tab.eval("document.querySelector('.tabs').scrollIntoView()");
        tab.picture(&format!("phone-{name}.png"));
    }
}

/// Returns a page that tries to run scripts and to load files from `canary`, in one of several ways chosen by `k`.
fn hostile(canary: &str, k: usize) -> String {
    let call = format!("fetch('{canary}/ran')");
    let ways = [
        format!("<script>{call}</script>"),
        format!("<img src=x onerror=\"{call}\" alt=\"picture\"><img src='{canary}/ran' alt='p'>"),
        format!(
            "<svg onload=\"{call}\"><script>{call}</script><a xlink:href='javascript:{call}'><text>t</text></a></svg>"
        ),
        format!(
            "<iframe src='javascript:{call}'></iframe><iframe srcdoc='&lt;script&gt;{call}&lt;/script&gt;'></iframe>"
        ),
        format!(
            "<a href=\"javascript:{call}\">link</a><form action='{canary}/ran'><input autofocus onfocus=\"{call}\"></form>"
        ),
        format!(
            "<style>@import '{canary}/ran'; body {{ background: url({canary}/ran) }}</style><link rel=stylesheet href='{canary}/ran'>"
        ),
        format!("<body onload=\"{call}\" onpageshow=\"{call}\"><meta http-equiv=refresh content='0;url={canary}/ran'>"),
        format!(
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror={call}&gt;\">"
        ),
        format!("<noscript><p title=\"</noscript><img src=x onerror={call}>\">"),
        format!(
            "<template><script>{call}</script></template><object data='{canary}/ran'></object><embed src='{canary}/ran'>"
        ),
        format!(
            "<video src='{canary}/ran' poster='{canary}/ran' onerror=\"{call}\"></video><details open ontoggle=\"{call}\">d</details>"
        ),
        format!(
            "<textarea></textarea><script>{call}</script><xmp><img src=x onerror={call}></xmp><plaintext><script>{call}</script>"
        ),
    ];
    let escaped =
        format!("&lt;script&gt;{call}&lt;/script&gt; &lt;img src=x onerror={call}&gt; \"'><script>{call}</script>");
    let title = format!(
        "<title>&lt;img src=x onerror={call}&gt;</title><meta name=author content=\"&lt;script&gt;{call}&lt;/script&gt;\">"
    );
    let way = &ways[k % ways.len()];
    let words =
        "The heron stood in the water, and waited for the fish, and for the fog to lift, as it does in spring. "
            .repeat(2);
    format!(
        "{title}<h1>{escaped}</h1><p class=\"{escaped}\">{words} {escaped}</p>{way}<p>{words}</p>{way}<p id='x\" onclick=\"{call}'>{words}</p>"
    )
}

#[test]
#[ignore = "needs Chromium"]
fn hostile_pages_run_and_load_nothing() {
    let mut tab = tab::open(1200, 900, false);
    let service = start(config());
    let ran = Arc::new(AtomicUsize::new(0));
    let seen = ran.clone();
    let canary = site(move |path| {
        // Every request here means that the page ran a script or loaded a file.
        seen.fetch_add(usize::from(path == "/ran"), Ordering::SeqCst);
        ("200 OK\r\nContent-Type: text/plain\r\nAccess-Control-Allow-Origin: *".into(), String::new())
    });
    let canary = format!("http://{canary}");
    let from = canary.clone();
    let pages = site(move |path| page(&hostile(&from, path.trim_start_matches('/').parse().unwrap_or(0))));
    tab.go(&format!("http://{}/", service.address));
    for k in 0..12 {
        ask(&mut tab, &format!("http://{pages}/{k}"));
        tab.wait_in_article("document.querySelector('article')");
        let acts = "document.querySelectorAll('script:not([src=\"/assets/article.js\"]), iframe, object, embed, form, video, svg, style, \
                    img:not([src^=\"data:image/\"]), [onclick], [onload], [onerror], [href^=javascript]').length";
        assert_eq!(tab.eval_in_article(acts), 0, "article {k}");
        show_page(&mut tab);
        tab.click_block(1);
        tab.wait("document.querySelector('#why table.features')");
        for name in ["markdown", "json", "things", "metadata", "methods", "list", "teach", "article"] {
            tab.click(&format!("#tab-{name}"));
        }
        let acts = "document.querySelectorAll('script:not([src=\"/assets/frame.js\"]), img, iframe, object, embed, form, video, svg, style, \
                    [onclick], [onload], [href^=javascript]').length";
        assert_eq!(tab.eval_in_frame(acts), 0, "page {k}");
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(ran.load(Ordering::SeqCst), 0, "a hostile page ran a script or loaded a file");
    // Checks that the canary detects a request at all.
    tab.eval(&format!(
        "new Promise((done) => {{ const i = new Image(); i.onload = i.onerror = done; i.src = '{canary}/ran'; }})"
    ));
    tab.go(&format!("{canary}/ran"));
    assert!(ran.load(Ordering::SeqCst) > 0);
}

#[test]
#[ignore = "needs Chromium"]
fn the_api_can_be_tried_in_the_browser() {
    let mut tab = tab::open(1200, 900, false);
    let service = start(config());
    tab.go(&format!("http://{}/docs", service.address));
    tab.wait("document.querySelectorAll('details').length > 10");
    tab.click("details summary");
    tab.click("details[open] button");
    tab.wait("document.querySelector('details[open] pre').textContent.includes('the road was empty')");
    tab.picture("desktop-docs.png");
}
