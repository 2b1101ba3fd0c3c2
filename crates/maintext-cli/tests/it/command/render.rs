//! `--render`: pages that scripts fill.
use crate::command::server::Server;
use crate::command::{Folder, maintext};
use serde_json::Value;
use std::io::Write;

/// Serves a page without text until its script runs, like many web applications.
fn shell() -> Server {
    let words = "The heron stood in the water, and waited for the fish, and for the fog to lift.";
    let padding = "// a framework that would stand here\n".repeat(400);
    let page = format!(
        "<html><head><title>App</title></head><body><div id=app></div><script>{padding}\
         for (let i = 0; i < 8; i++) {{ const p = document.createElement('p'); p.textContent = i + ': ' + ['{words}'].join(); \
         document.getElementById('app').append(p); }}</script></body></html>"
    )
    .replace("The heron stood", "The her' + 'on stood");
    serve(page)
}

/// Starts a server that answers every request with one page.
fn serve(page: String) -> Server {
    Server::start(move |_, stream| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            page.len()
        );
        // The browser may have closed the connection.
        let _ = stream.write_all((head + &page).as_bytes());
    })
}

#[test]
fn a_page_filled_by_scripts_gives_a_warning_and_with_a_browser_its_text() {
    let site = shell();
    let plain = maintext(&["extract", &site.url("/")]);
    assert!(plain.stderr.contains("only after rendering") && !plain.stdout.contains("heron"), "{plain:?}");
    if !browser() {
        return;
    }
    for when in ["--render", "--render=always"] {
        let rendered = maintext(&["extract", when, "--no-browser-sandbox", &site.url("/")]);
        assert!(rendered.stdout.contains("7: The heron stood in the water"), "{when}: {rendered:?}");
    }
}

/// Whether a browser is installed. Without one, the rest of the test is skipped.
fn browser() -> bool {
    let found = maintext_browser::find_browser(None).is_some();
    if !found {
        eprintln!("SKIPPED: no chromium; install it to test rendering");
    }
    found
}

#[test]
fn a_batch_renders_the_pages_that_need_it() {
    let (shell, plain) = (shell(), serve(crate::command::article("alders")));
    let folder = Folder::new("batch-render");
    folder.write("in.urls", format!("{}\n{}\n", shell.url("/a"), plain.url("/b")));
    let rows = |flags: &[&str]| -> Vec<Value> {
        let (input, output) = (folder.path("in.urls"), folder.path("out.jsonl"));
        let mut args = vec!["batch", "-q", &input, "-o", &output, "--restart", "--no-browser-sandbox"];
        args.extend(flags);
        maintext(&args).good();
        folder.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let text = |row: &Value| row["text"].as_str().unwrap_or("").to_owned();
    let without = rows(&[]);
    assert!(!text(&without[0]).contains("heron") && without[0]["warnings"].to_string().contains("needs_rendering"));
    if !browser() {
        return;
    }
    for when in ["--render", "--render=always"] {
        let with = rows(&[when]);
        assert!(text(&with[0]).contains("7: The heron stood in the water"), "{when}: {}", with[0]);
        assert!(text(&with[1]).contains("alders"), "{when}: {}", with[1]);
        assert_eq!(with[0]["id"], shell.url("/a"));
    }
}

#[test]
fn text_density_looks_at_areas_on_a_rendered_page() {
    let text = |name: &str| format!("<p>The {name} says words, that is. More of them here.</p>").repeat(2);
    let (small, large) = (text("ticker"), text("story"));
    let page = serve(format!(
        "<body style='margin:0'><div style='height:4px;overflow:hidden'>{small}</div><div style='height:900px'>{large}</div>"
    ));
    let extract = |flags: &[&str]| {
        let url = page.url("/");
        let mut args = vec!["extract", "--method", "text-density", "--no-browser-sandbox", &url];
        args.extend(flags);
        maintext(&args).stdout
    };
    // The two differ only in area. Without areas they tie, and the first wins.
    assert!(extract(&[]).contains("ticker") && !extract(&[]).contains("story"));
    if browser() {
        let shown = extract(&["--render=always"]);
        assert!(shown.contains("story") && !shown.contains("ticker"), "{shown}");
    }
}

/// An empty mount point and one external script, as build tools write it; the script answers at `/app.js`.
fn application() -> Server {
    let notice = "You need to enable JavaScript to run this app.";
    let page = format!(
        "<!doctype html><html><head><title>App</title></head><body><noscript>{notice}</noscript><div id=\"root\"></div>\
         <script src=\"/app.js\"></script></body></html>"
    );
    let script = "setTimeout(() => { for (let i = 0; i < 8; i++) { const p = document.createElement('p'); p.className = 'entry'; \
        p.textContent = i + ': The heron stood in the water, and waited for the fish, and for the fog to lift.'; \
        document.getElementById('root').append(p); } }, 800)";
    Server::start(move |path, stream| {
        let (kind, body) = if path == "/app.js" { ("text/javascript", script) } else { ("text/html", page.as_str()) };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all((head + body).as_bytes());
    })
}

#[test]
fn an_empty_mount_point_is_rendered_and_its_notice_is_no_content() {
    let site = application();
    let plain = maintext(&["extract", &site.url("/")]);
    assert_eq!((plain.status, plain.stdout.as_str()), (Some(0), ""), "{plain:?}");
    assert!(plain.stderr.contains("only after rendering"), "{plain:?}");
    if !browser() {
        return;
    }
    let folder = Folder::new("screenshot");
    let picture = folder.path("page.png");
    let url = site.url("/");
    let base = ["extract", "--render", "--no-browser-sandbox", "--wait-for", "p.entry"];
    let shown = maintext(&[&base[..], &["--scroll", "--screenshot", &picture, &url]].concat()).good();
    assert!(shown.contains("7: The heron stood"), "{shown}");
    assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn flags_of_the_browser_need_rendering_and_a_picture_replaces_no_input() {
    let folder = Folder::new("screenshot-usage");
    let file = folder.write("a.html", crate::command::article("alders"));
    for (args, message) in [
        (vec!["extract", "--wait-for", "p", "http://127.0.0.1:9/"], "--wait-for needs --render"),
        (vec!["extract", "--scroll", "http://127.0.0.1:9/"], "--scroll needs --render"),
        (vec!["extract", "--screenshot", "a.png", "http://127.0.0.1:9/"], "--screenshot needs --render"),
        (vec!["extract", "--render", "--screenshot", &file, &file], "--screenshot needs one address"),
        (vec!["extract", "--render", "--screenshot", "x", "-o", "x", "http://127.0.0.1:9/"], "name the same file"),
        (vec!["batch", "--scroll", &file, "-o", "-"], "--scroll needs --render"),
    ] {
        let run = maintext(&args);
        assert!(run.status == Some(2) && run.stderr.contains(message), "{args:?}: {run:?}");
    }
    assert!(folder.read("a.html").contains("alders"));
}
