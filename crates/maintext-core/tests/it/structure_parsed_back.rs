//! The Markdown and the HTML of each page in `testdata/structure/`, read back by pulldown-cmark and by our HTML parser, have the same
//! outline: headings, items, table cells, code, formulas, images and links in the same order.

use maintext_core::dom::{Dom, Edge, NodeId, NodeKind, Tag as Element, parse};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::HashMap;
use std::path::Path;

/// Letters and digits of a text: what both formats must agree on.
fn plain(s: &str) -> String {
    crate::common::words(s).join(" ")
}

/// A part of an outline, with the text gathered so far.
struct Part {
    name: String,
    text: String,
}

/// An outline under construction. Text goes to all open parts.
#[derive(Default)]
struct Outline {
    lines: Vec<(usize, String)>,
    open: Vec<(usize, Part)>,
}

impl Outline {
    fn begin(&mut self, name: impl Into<String>) {
        self.lines.push((0, String::new()));
        self.open.push((self.lines.len() - 1, Part { name: name.into(), text: String::new() }));
    }

    fn is_in(&self, name: &str) -> bool {
        self.open.iter().any(|(_, p)| p.name.starts_with(name))
    }

    fn text(&mut self, s: &str) {
        self.open.iter_mut().for_each(|(_, p)| p.text.push_str(s));
    }

    /// Ends the innermost part whose name begins with `name`.
    fn end(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|(_, p)| p.name.starts_with(name)) else { return };
        let (line, part) = self.open.remove(at);
        let text = if part.name.starts_with("code") { part.text.trim_end().to_owned() } else { plain(&part.text) };
        self.lines[line] = (1, format!("{}: {text}", part.name));
    }

    fn add(&mut self, line: String) {
        self.lines.push((1, line));
    }

    fn finish(self) -> Vec<String> {
        self.lines.into_iter().filter(|l| l.0 == 1).map(|l| l.1).filter(|l| !l.ends_with(": ")).collect()
    }
}

fn of_markdown(markdown: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let mut out = Outline::default();
    let (mut links, mut images) = (Vec::new(), 0usize);
    let mut html = String::new();
    for event in Parser::new_ext(markdown, options) {
        if !html.is_empty() && !matches!(event, Event::Html(_) | Event::End(TagEnd::HtmlBlock)) {
            walk_html(&std::mem::take(&mut html), &mut out);
        }
        match event {
            Event::Html(s) => html.push_str(&s),
            Event::Start(Tag::Image { dest_url, .. }) => {
                out.add(format!("image: {dest_url}"));
                images += 1;
            }
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Start(Tag::Heading { level, .. }) => out.begin(format!("h{}", level as u8)),
            Event::End(TagEnd::Heading(_)) => out.end("h"),
            Event::Start(Tag::FootnoteDefinition(label)) => out.begin(format!("note {label}")),
            Event::End(TagEnd::FootnoteDefinition) => out.end("note"),
            Event::FootnoteReference(label) => out.add(format!("reference {label}")),
            Event::Start(Tag::BlockQuote(Some(kind))) => out.add(format!("callout {kind:?}").to_lowercase()),
            Event::Start(Tag::Item) => {
                out.text(" ");
                out.begin("item");
            }
            Event::End(TagEnd::Item) => out.end("item"),
            Event::Start(Tag::Table(columns)) => {
                let columns: Vec<&str> = columns.iter().map(|a| alignment(*a)).collect();
                out.add(format!("table {}", columns.join(" ")));
            }
            Event::Start(Tag::TableCell) => out.begin("cell"),
            Event::End(TagEnd::TableCell) => out.end("cell"),
            Event::Start(Tag::CodeBlock(kind)) => match kind {
                CodeBlockKind::Fenced(language) => out.begin(format!("code {language}")),
                CodeBlockKind::Indented => out.begin("code "),
            },
            Event::End(TagEnd::CodeBlock) => out.end("code"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                out.begin(format!("link {dest_url}"));
                links.push(());
            }
            Event::End(TagEnd::Link) => {
                links.pop();
                out.end("link");
            }
            Event::InlineMath(_) => out.add("formula".into()),
            Event::DisplayMath(_) => out.add("display formula".into()),
            Event::TaskListMarker(done) => out.add(format!("task {done}")),
            Event::Text(s) | Event::Code(s) => out.text(&s),
            Event::SoftBreak | Event::HardBreak => out.text(" "),
            Event::InlineHtml(s) if s.starts_with("<br") => out.text(" "),
            Event::Start(Tag::Paragraph | Tag::BlockQuote(_) | Tag::List(_)) => out.text(" "),
            _ => {}
        }
    }
    walk_html(&html, &mut out);
    out.finish()
}

fn alignment(a: Alignment) -> &'static str {
    match a {
        Alignment::None => "-",
        Alignment::Left => "left",
        Alignment::Center => "center",
        Alignment::Right => "right",
    }
}

fn of_html(html: &str) -> Vec<String> {
    let mut out = Outline::default();
    walk_html(html, &mut out);
    out.finish()
}

fn walk_html(html: &str, out: &mut Outline) {
    let dom = parse(html, &Default::default());
    let mut walk = dom.traverse(NodeId::ROOT);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Text => out.text(dom.text(n)),
            Edge::Enter(n) if dom.kind(n) == NodeKind::Element && !enter(&dom, n, out) => walk.skip_children(),
            Edge::Leave(n) if dom.kind(n) == NodeKind::Element => leave(&dom, n, out),
            _ => {}
        }
    }
}

/// Returns whether to read the children.
fn enter(dom: &Dom<'_>, n: NodeId, out: &mut Outline) -> bool {
    let attr = |name| dom.attr(n, name).unwrap_or("").to_owned();
    match dom.tag(n) {
        Element::HEAD => return false,
        Element::MATH => {
            let display = dom.attr(n, "display") == Some("block");
            out.add(if display { "display formula".into() } else { "formula".into() });
            return false;
        }
        Element::SPAN if attr("class").starts_with("math ") => {
            out.add(if attr("class").contains("display") { "display formula".into() } else { "formula".into() });
            return false;
        }
        Element::IMG => out.add(format!("image: {}", attr("src"))),
        // In Markdown, a link.
        Element::VIDEO | Element::AUDIO => {
            out.begin(format!("link {}", attr("src")));
            out.text(&attr("title"));
            out.end("link");
        }
        Element::LI | Element::ASIDE if attr("id").starts_with("fn:") => {
            out.begin(format!("note {}", &attr("id")[3..]))
        }
        Element::A if attr("href").starts_with("#fn:") => {
            out.add(format!("reference {}", &attr("href")[4..]));
            return false;
        }
        Element::A if attr("href").starts_with("#fnref:") => return false,
        Element::ASIDE if attr("class") == "callout" => out.add(format!("callout {}", alert(&attr("data-callout")))),
        // A cell of a Markdown table holds the items of its lists on one line.
        Element::LI if out.is_in("cell") || is_section(dom, n) => out.text(" "),
        Element::LI => out.begin("item"),
        Element::TABLE => out.add(format!("table {}", columns(dom, n).join(" "))),
        Element::TD | Element::TH => out.begin("cell"),
        Element::PRE => {
            let code = dom.find(n, Element::CODE).map(|c| dom.attr(c, "class").unwrap_or("").to_owned());
            out.begin(format!("code {}", code.unwrap_or_default().trim_start_matches("language-")));
        }
        Element::A if is_link(dom, n) => out.begin(format!("link {}", attr("href"))),
        Element::INPUT => out.add(format!("task {}", dom.attr(n, "checked").is_some())),
        Element::BR => out.text(" "),
        tag => {
            if let Some(level) = tag.heading_level() {
                out.begin(format!("h{level}"));
            } else if tag.is_block() {
                out.text(" ");
            }
        }
    }
    true
}

/// Whether an item belongs to a list of sections, each with a heading at its beginning: Markdown writes these without bullets.
fn is_section(dom: &Dom<'_>, item: NodeId) -> bool {
    let Some(list) = dom.parent(item).filter(|&n| dom.tag(n) == Element::UL) else { return false };
    let items: Vec<NodeId> = dom.children(list).filter(|&n| dom.tag(n) == Element::LI).collect();
    let begins_with_heading = |n: &NodeId| {
        let first = dom.children(*n).find(|&c| dom.kind(c) == NodeKind::Element);
        first.is_some_and(|c| dom.tag(c).heading_level().is_some())
    };
    items.len() >= 2 && items.iter().all(begins_with_heading)
}

/// Whether the element is a link that Markdown has, too: it has none in code.
fn is_link(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attr(n, "href").is_some() && !dom.ancestors(n).any(|a| dom.tag(a) == Element::PRE)
}

fn leave(dom: &Dom<'_>, n: NodeId, out: &mut Outline) {
    match dom.tag(n) {
        Element::LI | Element::ASIDE if dom.attr(n, "id").is_some_and(|id| id.starts_with("fn:")) => out.end("note"),
        Element::LI if out.is_in("cell") || is_section(dom, n) => {}
        Element::LI => out.end("item"),
        Element::TD | Element::TH => out.end("cell"),
        Element::PRE => out.end("code"),
        Element::A if is_link(dom, n) => out.end("link"),
        tag if tag.heading_level().is_some() => out.end("h"),
        tag if tag.is_block() => out.text(" "),
        _ => {}
    }
}

/// Returns the kind of GitHub's alerts that is closest to a callout.
fn alert(kind: &str) -> &str {
    match kind {
        "tip" | "important" | "warning" | "caution" => kind,
        "hint" | "success" | "check" => "tip",
        "danger" | "error" | "failure" | "bug" | "critical" => "caution",
        "attention" | "warn" | "alert" | "deprecated" | "experimental" => "warning",
        _ => "note",
    }
}

/// Returns the alignment of each column, by the cells of the first row.
fn columns(dom: &Dom<'_>, table: NodeId) -> Vec<&'static str> {
    let Some(row) = dom.find(table, Element::TR) else { return Vec::new() };
    let cells = dom.children(row).filter(|&c| matches!(dom.tag(c), Element::TD | Element::TH));
    let mut out = Vec::new();
    for c in cells {
        let style = dom.attr(c, "style").or(dom.attr(c, "align")).unwrap_or("");
        let align = ["left", "center", "right"].into_iter().find(|a| style.contains(a)).unwrap_or("-");
        let span = dom.attr(c, "colspan").and_then(|s| s.parse().ok()).unwrap_or(1);
        out.extend(std::iter::repeat_n(align, span));
    }
    out
}

/// Compares the lines of both outlines by kind; Markdown repeats or empties the cells of a span, so cells are compared as a set.
fn compare(markdown: &[String], html: &[String]) -> Result<(), String> {
    let of = |lines: &[String], kind: &str| -> Vec<String> {
        let mut found: Vec<String> = lines.iter().filter(|l| l.starts_with(kind)).cloned().collect();
        if kind == "cell" {
            found.sort();
            found.dedup();
        }
        found
    };
    for kind in [
        "h",
        "item",
        "table",
        "cell",
        "code",
        "link",
        "image",
        "formula",
        "display formula",
        "task",
        "note",
        "reference",
        "callout",
    ] {
        let (m, h) = (of(markdown, kind), of(html, kind));
        if m != h {
            return Err(format!("{kind}\nMarkdown: {m:#?}\nHTML: {h:#?}"));
        }
    }
    Ok(())
}

#[test]
fn markdown_and_html_have_the_same_outline() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/structure");
    let mut topics: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    topics.sort();
    let (mut wrong, mut parts) = (Vec::new(), HashMap::new());
    for path in
        topics.iter().flat_map(|t| crate::common::html_files(t)).filter(|p| p.to_string_lossy().ends_with(".out.html"))
    {
        let html = std::fs::read_to_string(&path).unwrap();
        let markdown = path.to_string_lossy().replace(".out.html", ".md");
        let (m, h) = (of_markdown(&std::fs::read_to_string(&markdown).unwrap()), of_html(&html));
        m.iter().for_each(|l| *parts.entry(l.split([' ', ':']).next().unwrap_or("").to_owned()).or_insert(0) += 1);
        if let Err(e) = compare(&m, &h) {
            wrong.push(format!("{markdown}: {e}"));
        }
    }
    println!("{parts:?}");
    assert!(wrong.is_empty(), "{} pages differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_outline_distinguishes_structures() {
    let markdown = "## A\n\n1. one\n   - two\n\n| a | b |\n| :-: | --- |\n| c | d |\n\n```rust\nlet x;\n```\n\n[l](/u) $x^2$ ![i](/i.png)\n";
    let html = "<h2>A</h2><ol><li>one<ul><li>two</li></ul></li></ol><table><tr><th style='text-align:center'>a</th><th>b</th></tr>\
        <tr><td>c</td><td>d</td></tr></table><pre><code class=language-rust>let x;</code></pre><p><a href='/u'>l</a> <math></math><img src='/i.png'></p>";
    let (m, h) = (of_markdown(markdown), of_html(html));
    assert_eq!(compare(&m, &h), Ok(()), "{m:#?} {h:#?}");
    for (from, to) in [
        ("h2>A", "h3>A"),
        ("<li>two", "<li>three"),
        ("center", "left"),
        ("<td>c", "<td>x"),
        ("let x", "let y"),
        ("'/u'", "'/v'"),
        ("/i.png", "/j.png"),
        ("<math>", "<math display=block>"),
    ] {
        assert!(compare(&m, &of_html(&html.replace(from, to))).is_err(), "{from}");
    }
}
