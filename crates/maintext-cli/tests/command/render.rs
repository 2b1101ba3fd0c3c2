//! `--render`: pages that scripts make.
use crate::maintext;
use crate::server::Server;
use std::io::Write;

/// A page whose text is there only after its script ran, as many applications are.
fn shell() -> Server {
    let words = "The heron stood in the water, and waited for the fish, and for the fog to lift.";
    let padding = "// a framework that would stand here\n".repeat(400);
    let page = format!(
        "<html><head><title>App</title></head><body><div id=app></div><script>{padding}\
         for (let i = 0; i < 8; i++) {{ const p = document.createElement('p'); p.textContent = i + ': ' + ['{words}'].join(); \
         document.getElementById('app').append(p); }}</script></body></html>"
    )
    .replace("The heron stood", "The her' + 'on stood");
    Server::start(move |_, stream| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            page.len()
        );
        // The browser may have gone.
        let _ = stream.write_all((head + &page).as_bytes());
    })
}

#[test]
fn a_page_that_scripts_fill_says_so_and_gives_its_text_with_a_browser() {
    let site = shell();
    let plain = maintext(&["extract", &site.url("/")]);
    assert!(plain.stderr.contains("only after rendering") && !plain.stdout.contains("heron"), "{plain:?}");
    if maintext_io::render::find_browser(None).is_none() {
        eprintln!("SKIPPED: no chromium; install it to test rendering");
        return;
    }
    for when in ["--render", "--render=always"] {
        let rendered = maintext(&["extract", when, "--no-browser-sandbox", &site.url("/")]);
        assert!(rendered.stdout.contains("7: The heron stood in the water"), "{when}: {rendered:?}");
    }
}
