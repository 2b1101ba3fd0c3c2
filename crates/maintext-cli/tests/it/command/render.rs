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
fn a_page_filled_by_scripts_gives_a_warning() {
    let site = shell();
    let plain = maintext(&["extract", &site.url("/")]);
    assert!(plain.stderr.contains("only after rendering") && !plain.stdout.contains("heron"), "{plain:?}");
}

/// Runs a batch over a page filled by scripts and a plain one, and returns both rows.
fn rows(flags: &[&str]) -> Vec<Value> {
    let (shell, plain) = (shell(), serve(crate::command::article("alders")));
    let folder = Folder::new("batch-render");
    let input = folder.write("in.urls", format!("{}\n{}\n", shell.url("/a"), plain.url("/b")));
    let output = folder.path("out.jsonl");
    let mut args = vec!["batch", "-q", &input, "-o", &output, "--restart", "--no-browser-sandbox"];
    args.extend(flags);
    maintext(&args).good();
    let rows: Vec<Value> = folder.read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["id"], shell.url("/a"));
    rows
}

#[test]
fn a_batch_warns_of_pages_that_need_rendering() {
    let row = &rows(&[])[0];
    assert!(!row.to_string().contains("heron") && row["warnings"].to_string().contains("needs_rendering"), "{row}");
}

/// Extracts a page with two parts that differ only in area.
fn by_density(flags: &[&str]) -> String {
    let text = |name: &str| format!("<p>The {name} says words, that is. More of them here.</p>").repeat(2);
    let (small, large) = (text("ticker"), text("story"));
    let page = serve(format!(
        "<body style='margin:0'><div style='height:4px;overflow:hidden'>{small}</div><div style='height:900px'>{large}</div>"
    ));
    let url = page.url("/");
    let mut args = vec!["extract", "--method", "text-density", "--no-browser-sandbox", &url];
    args.extend(flags);
    maintext(&args).stdout
}

#[test]
fn without_areas_the_first_of_two_equal_parts_wins() {
    let text = by_density(&[]);
    assert!(text.contains("ticker") && !text.contains("story"), "{text}");
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
fn the_notice_of_an_empty_mount_point_is_not_content() {
    let site = application();
    let plain = maintext(&["extract", &site.url("/")]);
    assert_eq!((plain.status, plain.stdout.as_str()), (Some(0), ""), "{plain:?}");
    assert!(plain.stderr.contains("only after rendering"), "{plain:?}");
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

mod in_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn a_page_filled_by_scripts_gives_its_text() {
        let site = shell();
        for when in ["--render", "--render=always"] {
            let rendered = maintext(&["extract", when, "--no-browser-sandbox", &site.url("/")]);
            assert!(rendered.stdout.contains("7: The heron stood in the water"), "{when}: {rendered:?}");
        }
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_batch_renders_the_pages_that_need_it() {
        for when in ["--render", "--render=always"] {
            let rows = rows(&[when]);
            let text = |row: &Value| row["text"].as_str().unwrap_or("").to_owned();
            assert!(text(&rows[0]).contains("7: The heron stood in the water"), "{when}: {}", rows[0]);
            assert!(text(&rows[1]).contains("alders"), "{when}: {}", rows[1]);
        }
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn text_density_looks_at_areas_on_a_rendered_page() {
        let shown = by_density(&["--render=always"]);
        assert!(shown.contains("story") && !shown.contains("ticker"), "{shown}");
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn an_empty_mount_point_is_rendered() {
        let folder = Folder::new("screenshot");
        let picture = folder.path("page.png");
        let site = application();
        let url = site.url("/");
        let base = ["extract", "--render", "--no-browser-sandbox", "--wait-for", "p.entry"];
        let shown = maintext(&[&base[..], &["--scroll", "--screenshot", &picture, &url]].concat()).good();
        assert!(shown.contains("7: The heron stood"), "{shown}");
        assert!(std::fs::read(&picture).unwrap().starts_with(b"\x89PNG"));
    }
}
