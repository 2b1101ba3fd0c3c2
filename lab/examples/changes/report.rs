//! Differences as text and as an HTML page.
use crate::Difference;
use maintext_core::render::escape::html as html_text;
use similar::ChangeTag;

/// Lines of a text that are printed.
const LINES: usize = 12;
/// Characters of a line that are printed.
const WIDTH: usize = 150;

fn heading(d: &Difference<'_>) -> String {
    let f1 = d.f1.map_or(String::new(), |[before, after]| format!(", F1 {before:.3} to {after:.3}"));
    format!("{} {} ({}): {} words{f1}", d.after.set, d.after.id, d.after.kind, d.words)
}

/// Prints the first changed lines of a page.
pub fn print(d: &Difference<'_>) {
    println!("\n{}", heading(d));
    for (name, before, after) in d.fields() {
        println!("  {name}: {} -> {}", short(&before), short(&after));
    }
    let lines = d.lines();
    for (tag, line) in lines.iter().take(LINES) {
        println!("  {} {}", if *tag == ChangeTag::Insert { '+' } else { '-' }, short(line));
    }
    if lines.len() > LINES {
        println!("  … {} more lines", lines.len() - LINES);
    }
}

/// Returns the beginning of a line, without control characters of the page.
fn short(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).take(WIDTH).collect()
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
    h2{font-size:1.05rem;margin-top:2.5rem}ins,del{display:block;white-space:pre-wrap;text-decoration:none;padding:.1rem .6rem;\
    border-left:4px solid}ins{border-color:#2a8a3e;background:#2a8a3e1f}del{border-color:#c33;background:#cc33331f}p{overflow-wrap:anywhere}";

/// Returns a page with all changed lines of each difference.
pub fn html(differences: &[Difference<'_>]) -> String {
    let mut out = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Changes</title>\
         <style>{STYLE}</style><h1>The largest differences</h1>\n"
    );
    for d in differences {
        out += &format!("<h2>{}</h2>\n", html_text(&heading(d)));
        if let Some(url) = d.after.url.as_deref().filter(|url| url.starts_with("http")) {
            out += &format!("<p>{}</p>\n", html_text(url));
        }
        for (name, before, after) in d.fields() {
            out += &format!("<p>{name}</p><del>{}</del><ins>{}</ins>\n", html_text(&before), html_text(&after));
        }
        for (tag, line) in d.lines() {
            let element = if tag == ChangeTag::Insert { "ins" } else { "del" };
            out += &format!("<{element}>{}</{element}>\n", html_text(&line));
        }
    }
    out
}
