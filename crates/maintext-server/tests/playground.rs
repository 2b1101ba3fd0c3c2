//! Tests of the playground in a real browser, with mouse and keyboard. Without a browser, they are skipped with a message.
mod support;
#[path = "support/tab.rs"]
mod tab;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{config, page, site, start};
use tab::Tab;

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
        "<html lang=en><head><title>Page {k}</title><meta name=author content='Ann Writer'></head><body><div class=qx-top><a href=/>Home</a> \
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
    tab.wait("/words kept|词/.test(document.querySelector('.status').textContent)");
    tab.wait_in_frame("document.querySelector('.block.kept')");
}

#[test]
fn an_address_gives_text_reasons_methods_and_charts() {
    let Some(mut tab) = tab::open(1400, 1000, false) else { return };
    let service = start(config());
    let birds = birds();
    tab.go(&format!("http://{}/", service.address));
    ask(&mut tab, &format!("http://{birds}/1"));
    tab.wait("document.querySelector('.result').textContent.includes('Paragraph 3')");
    assert_eq!(tab.eval("document.querySelector('.result').textContent.includes('Imprint')"), false);
    tab.click_block(4);
    tab.wait("document.querySelectorAll('#why table.features tbody tr').length > 5");
    let why = tab.eval("document.querySelector('#why').innerText");
    assert!(why.as_str().unwrap().contains("Paragraph 2") && why.as_str().unwrap().contains("kept"), "{why}");
    tab.picture("desktop-why.png");
    // Selects the next block with the keyboard.
    tab.key("ArrowDown");
    tab.wait("document.querySelector('#why').innerText.includes('Paragraph 3')");

    tab.click("#tab-methods");
    tab.wait("document.querySelectorAll('table.methods tbody tr').length === 6");
    let kept = tab.eval_in_frame("document.querySelectorAll('.block.kept').length");
    tab.click("[data-method='text-density']");
    tab.wait("document.querySelector('[data-method=\"text-density\"]').getAttribute('aria-pressed') === 'true'");
    tab.picture("desktop-methods.png");
    assert_ne!(tab.eval_in_frame("document.querySelectorAll('.block').length"), kept);
    tab.click("#tab-density");
    tab.wait("document.querySelector('svg.chart path')");
    tab.picture("desktop-density.png");
    tab.click("#tab-metadata");
    tab.wait("document.querySelector('#panel').innerText.includes('Ann Writer')");
    tab.picture("desktop-metadata.png");
    for (name, what) in
        [("markdown", "Paragraph 1 of"), ("html", "<p>Paragraph 1"), ("json", "\"page_type\""), ("list", "Page type")]
    {
        tab.click(&format!("#tab-{name}"));
        tab.wait(&format!("document.querySelector('#panel').innerText.includes({what:?})"));
    }
    tab.click("#language");
    tab.wait("document.documentElement.lang === 'zh' && document.querySelector('#tab-teach').textContent === '训练'");
    tab.picture("desktop-zh.png");
    assert!(
        tab.eval_in_frame("document.querySelectorAll('.block').length").as_u64() > Some(5),
        "the page stays after a change of language"
    );
}

#[test]
fn labels_on_three_pages_correct_a_fourth() {
    let Some(mut tab) = tab::open(1400, 1000, false) else { return };
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
fn the_layout_fits_a_phone_in_dark_mode() {
    let Some(mut tab) = tab::open(390, 844, true) else { return };
    let service = start(config());
    let birds = birds();
    tab.go(&format!("http://{}/", service.address));
    ask(&mut tab, &format!("http://{birds}/1"));
    tab.click_block(3);
    tab.wait("document.querySelectorAll('#why table.features tbody tr').length > 5");
    let width = tab.eval("document.documentElement.scrollWidth");
    assert!(width.as_u64() <= Some(390), "{width} pixels wide");
    tab.eval("scrollTo(0, 0)");
    tab.picture("phone-top.png");
    tab.eval("document.querySelector('#why').scrollIntoView()");
    tab.picture("phone-why.png");
    for name in ["methods", "density", "metadata", "teach"] {
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
fn hostile_pages_run_and_load_nothing() {
    let Some(mut tab) = tab::open(1200, 900, false) else { return };
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
        tab.click_block(1);
        tab.wait("document.querySelector('#why table.features')");
        for name in ["markdown", "html", "json", "metadata", "methods", "density", "list", "teach", "text"] {
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
fn the_api_can_be_tried_in_the_browser() {
    let Some(mut tab) = tab::open(1200, 900, false) else { return };
    let service = start(config());
    tab.go(&format!("http://{}/docs", service.address));
    tab.wait("document.querySelectorAll('details').length > 10");
    tab.click("details summary");
    tab.click("details[open] button");
    tab.wait("document.querySelector('details[open] pre').textContent.includes('the road was empty')");
    tab.picture("desktop-docs.png");
}
