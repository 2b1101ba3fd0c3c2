//! Reads formats back with independent parsers and checks their words.
#![allow(dead_code)]
pub mod blocks;
pub mod soup;

use maintext_core::Metadata;
use maintext_core::blocks::Blocks;
use maintext_core::dom::{self, Dom};
use maintext_core::embed::{Embed, embed};
use maintext_core::render::{self, Content, RenderOptions};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};
use url::Url;

/// A generator of random numbers that are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Returns the HTML files in a folder and its subfolders, sorted by name.
pub fn html_files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    let below = |p: PathBuf| if p.is_dir() { html_files(&p) } else { vec![p] };
    paths.into_iter().flat_map(below).filter(|p| p.extension().is_some_and(|e| e == "html")).collect()
}

/// Calls `page` with the id and the decoded text of each page of a data set.
pub fn each_page(set: &Path, mut page: impl FnMut(&str, &str)) {
    use base64::Engine;
    let mut reader = zstd::Decoder::new(std::fs::File::open(set).unwrap()).unwrap();
    reader.window_log_max(31).unwrap();
    for line in std::io::BufRead::lines(std::io::BufReader::new(reader)) {
        let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let bytes = match record["html"].as_str() {
            Some(html) => html.as_bytes().to_vec(),
            None => {
                let encoded = record["html_base64"].as_str().unwrap();
                base64::engine::general_purpose::STANDARD.decode(encoded).unwrap()
            }
        };
        page(record["id"].as_str().unwrap_or(""), &maintext_core::decode::decode(&bytes, None).text);
    }
}

/// The example pages and the small ones of the test data.
pub fn example_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    ["examples", "testdata/small"].into_iter().flat_map(|dir| html_files(&root.join(dir))).collect()
}

/// A page from which a test renders any choice of blocks.
pub struct Rendered<'h> {
    pub html: &'h str,
    pub dom: Dom<'h>,
    pub blocks: Blocks,
}

impl<'h> Rendered<'h> {
    pub fn new(html: &'h str) -> Rendered<'h> {
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        Rendered { html, dom, blocks }
    }

    /// Returns the nodes to keep for a choice of blocks, with all media.
    pub fn keep(&self, kept: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut keep = vec![false; self.dom.len()];
        for (i, b) in self.blocks.blocks.iter().enumerate() {
            if kept(i) {
                self.blocks.leaves_of(b).iter().for_each(|n| keep[n.index()] = true);
            }
        }
        self.blocks.media.iter().for_each(|m| keep[m.node.index()] = true);
        keep
    }

    /// Returns the text of the kept blocks, one per line.
    pub fn expected(&self, kept: impl Fn(usize) -> bool) -> String {
        (0..self.blocks.len()).filter(|&i| kept(i)).map(|i| self.blocks.text(i).to_owned() + "\n").collect()
    }

    pub fn content<'a>(&'a self, keep: &'a [bool], base: Option<&'a Url>) -> Content<'a> {
        // Formats may repeat and number; the words are compared without that.
        let options = RenderOptions { repeat_spans: false, list_numbers: false, ..Default::default() };
        Content { dom: &self.dom, blocks: &self.blocks, keep, base, posts: &[], roles: &[], title: None, options }
    }
}

/// Renders a whole page with a base address and without metadata: text, Markdown, HTML, XML.
pub fn all_formats(html: &str) -> [String; 4] {
    let page = Rendered::new(html);
    let keep = page.keep(|_| true);
    let base = Url::parse("https://example.org/dir/page.html").unwrap();
    let mut c = page.content(&keep, Some(&base));
    c.options = RenderOptions::default();
    [
        render::Tree::new(&c).text(),
        render::Tree::new(&c).markdown(),
        render::Tree::new(&c).html(),
        render::Tree::new(&c).xml(&Metadata::default()),
    ]
}

/// Returns the words: the matches of `\w+`.
pub fn words(s: &str) -> Vec<&str> {
    s.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect()
}

/// Returns everything except white space and the signs that mark formulas.
fn signs(s: &str) -> String {
    s.chars().filter(|c| !c.is_whitespace() && !matches!(c, '$' | '`')).collect()
}

/// The addresses and titles of a page's videos, audio and other embedded parts. They are links in Markdown and HTML, and no text of the page.
pub fn media(page: &Rendered<'_>, base: Option<&Url>) -> Vec<Embed> {
    let elements = page.dom.descendants(dom::NodeId::ROOT).filter(|&n| page.dom.kind(n) == dom::NodeKind::Element);
    elements.filter_map(|n| embed(&page.dom, n, base)).collect()
}

/// Returns a fragment without the links to embedded parts.
pub fn without_media(html: &str, media: &[Embed]) -> String {
    let escaped = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let link =
        |m: &Embed| format!("<a href=\"{}\">{}</a>", escaped(&m.address).replace('"', "&quot;"), escaped(&m.title));
    media.iter().fold(html.to_owned(), |html, m| html.replace(&link(m), ""))
}

/// Returns the text that a CommonMark parser reads from a document, without the alternative texts of images.
pub fn read_markdown(markdown: &str, math: bool) -> String {
    read_markdown_without(markdown, math, &[])
}

/// Like [`read_markdown`], without the links to embedded parts.
pub fn read_markdown_without(markdown: &str, math: bool, media: &[Embed]) -> String {
    let mut options = Options::ENABLE_GFM
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH;
    options.set(Options::ENABLE_MATH, math);
    let mut out = String::new();
    let (mut images, mut html) = (0, String::new());
    let mut link = (0, String::new());
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Start(Tag::Link { dest_url, .. }) => link = (out.len(), dest_url.to_string()),
            Event::End(TagEnd::Link) => {
                let is_media = |m: &Embed| m.title == out[link.0..] && m.address == link.1;
                if media.iter().any(is_media) {
                    out.truncate(link.0);
                }
            }
            // In GitHub's and GitLab's form, formulas have backticks inside the dollar signs.
            Event::InlineMath(t) | Event::DisplayMath(t) => out.push_str(t.trim_matches('`')),
            Event::Text(t) | Event::Code(t) | Event::FootnoteReference(t) => out.push_str(&t),
            Event::SoftBreak | Event::HardBreak => out.push('\n'),
            Event::InlineHtml(tag)
                if ["sub", "sup", "strong", "em", "del", "kbd", "mark", "ins"]
                    .contains(&tag.trim_matches(['<', '/', '>'])) => {}
            Event::Html(t) => html.push_str(&t),
            Event::End(TagEnd::HtmlBlock) => {
                let block = std::mem::take(&mut html);
                out.push_str(&read_html(&without_media(&block, media)));
            }
            Event::InlineHtml(t) => out.push_str(&t),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => {}
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::Start(_) | Event::End(_) => out.push('\n'),
            _ => {}
        }
    }
    out
}

/// Returns the text that our HTML parser reads from a fragment.
pub fn read_html(html: &str) -> String {
    const MARK: &str = "\u{241e}";
    // The parser separates the words of neighbouring links; the page has already been through it, and a character between them prevents a
    // second separation.
    let mut html = html.to_owned();
    for end in ["</a>", "</small>", "</strong>", "</time>", "</span>"] {
        for start in ["<a ", "<small", "<time", "<span"] {
            html = html.replace(&format!("{end}{start}"), &format!("{end}{MARK}{start}"));
        }
    }
    Rendered::new(&html).expected(|_| true).replace(MARK, "")
}

/// Returns the text that an XML parser reads from the body of a TEI document; `<desc>` is an image's alternative text.
pub fn read_tei(xml: &str) -> Result<String, String> {
    let doc = roxmltree::Document::parse(xml).map_err(|e| e.to_string())?;
    let body = doc.descendants().find(|n| n.has_tag_name("body")).ok_or("no body")?;
    let mut out = String::new();
    tei_text(body, &mut out);
    Ok(out)
}

fn tei_text(node: roxmltree::Node<'_, '_>, out: &mut String) {
    const INLINE: [&str; 13] =
        ["abbr", "add", "date", "foreign", "hi", "ref", "code", "del", "q", "formula", "graphic", "media", "term"];
    let name = node.tag_name().name();
    if name == "desc" {
        return;
    }
    let border = node.is_element() && !INLINE.contains(&name);
    out.push_str(if border { "\n" } else { "" });
    out.push_str(node.text().filter(|_| node.is_text()).unwrap_or(""));
    node.children().for_each(|c| tei_text(c, out));
    out.push_str(if border { "\n" } else { "" });
}

/// Returns the elements that TEI allows below an element, limited to those that the renderer writes.
fn tei_children(name: &str) -> &'static [&'static str] {
    const PHRASE: [&str; 14] = [
        "abbr",
        "add",
        "foreign",
        "hi",
        "ref",
        "code",
        "del",
        "q",
        "formula",
        "graphic",
        "media",
        "term",
        "lb",
        "milestone",
    ];
    const BLOCK: [&str; 23] = [
        "abbr",
        "add",
        "foreign",
        "term",
        "note",
        "label",
        "hi",
        "ref",
        "code",
        "del",
        "q",
        "formula",
        "graphic",
        "media",
        "lb",
        "milestone",
        "p",
        "ab",
        "list",
        "table",
        "quote",
        "figure",
        "head",
    ];
    match name {
        "body" => &["div", "note", "post", "p", "ab", "list", "table", "quote", "figure", "milestone"],
        "div" => &["head", "note", "div", "post", "p", "ab", "list", "table", "quote", "figure", "milestone"],
        "post" => &["head", "note", "p", "ab", "list", "table", "quote", "figure", "milestone"],
        "p" | "ab" | "abbr" | "add" | "foreign" | "hi" | "ref" | "del" | "q" | "label" | "term" => &PHRASE,
        "head" => &[
            "abbr", "foreign", "term", "add", "date", "hi", "ref", "code", "del", "q", "formula", "graphic", "media",
            "lb", "list", "table", "quote", "figure", "note",
        ],
        "list" => &["label", "item"],
        "trailer" => &[
            "abbr", "foreign", "term", "add", "hi", "ref", "code", "del", "q", "formula", "graphic", "media", "lb",
            "list", "table", "quote", "figure", "note",
        ],
        "table" => &["head", "row", "trailer"],
        "row" => &["cell"],
        "item" | "cell" | "quote" | "figure" | "note" => &BLOCK,
        "graphic" | "media" => &["desc"],
        _ => &[],
    }
}

/// Checks the body of a TEI document against TEI's content model: allowed children, heads first, divs last, no empty list.
pub fn check_tei(xml: &str) -> Result<(), String> {
    let doc = roxmltree::Document::parse(xml).map_err(|e| e.to_string())?;
    let body = doc.descendants().find(|n| n.has_tag_name("body")).ok_or("no body")?;
    for n in body.descendants().filter(|n| n.is_element()) {
        let name = n.tag_name().name();
        let (mut divs, mut heads) = (false, true);
        for c in n.children().filter(|c| c.is_element()) {
            let child = c.tag_name().name();
            if !tei_children(name).contains(&child) {
                return Err(format!("<{child}> in <{name}>"));
            }
            if divs && !matches!(child, "div" | "milestone" | "note") {
                return Err(format!("<{child}> behind a <div>"));
            }
            divs |= child == "div";
            if child == "head" && !heads && matches!(name, "div" | "post" | "table") {
                return Err(format!("<head> in the middle of <{name}>"));
            }
            heads &= child == "head";
        }
        if name == "list" {
            let is_gloss = n.attribute("type") == Some("gloss");
            for (k, c) in n.children().filter(|c| c.is_element()).enumerate() {
                let want = if is_gloss && k % 2 == 0 { "label" } else { "item" };
                if c.tag_name().name() != want {
                    return Err(format!("<{}> instead of <{want}> in a list", c.tag_name().name()));
                }
            }
            if is_gloss && n.children().filter(|c| c.is_element()).count() % 2 == 1 {
                return Err("a <label> without an <item>".into());
            }
        }
        let empty = !n.children().any(|c| c.is_element());
        if empty && matches!(name, "list" | "table" | "row") {
            return Err(format!("empty <{name}>"));
        }
        let holds_text =
            !matches!(name, "body" | "div" | "post" | "list" | "table" | "row" | "figure" | "quote" | "note");
        let text = n.children().any(|c| c.is_text() && !c.text().unwrap_or("").trim().is_empty());
        if text && !holds_text {
            return Err(format!("text in <{name}>"));
        }
    }
    Ok(())
}

/// Returns the text without invisible characters, or with a space for those that separate words.
pub fn visible(s: &str) -> String {
    let is_invisible = |c: char| matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    let mut out = String::with_capacity(s.len());
    let mut hidden = false;
    for c in s.chars() {
        if is_invisible(c) {
            hidden = true;
            continue;
        }
        let small = out.ends_with(|p: char| p.is_lowercase() || p.is_ascii_digit());
        if std::mem::take(&mut hidden) && small && c.is_uppercase() {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// The words and signs that only some formats have: the labels of notes, the names of callouts, quotation marks.
struct Additions {
    /// The names of callouts: Markdown leaves out a title that only repeats the name.
    words: Vec<String>,
    /// The signs of labels, which Markdown, HTML and TEI write in their own way.
    labels: Vec<char>,
    /// The marks of `<q>` and ruby text.
    signs: Vec<char>,
    /// Whether some of these marks are set off by spaces.
    divides: bool,
}

impl Additions {
    fn new(page: &Rendered, markdown: &str) -> Additions {
        let (mut words, mut labels, mut signs) = (Vec::new(), Vec::new(), Vec::new());
        for label in markdown.split("[^").skip(1).filter_map(|rest| rest.split(']').next()) {
            labels.extend(label.chars());
            labels.extend("[]().:*†‡§¶‖↩".chars());
        }
        if markdown.contains("[!") {
            let names = ["note", "tip", "important", "warning", "caution"];
            words.extend(names.map(str::to_owned));
        }
        let has = |tag| page.dom.find(dom::NodeId::ROOT, tag).is_some();
        if has(dom::Tag::RT) || has(dom::Tag::Q) {
            signs.extend("„“”«»「」()‘’‚『』".chars());
        }
        let divides = has(dom::Tag::Q) && page.html.contains("lang=fr");
        Additions { words, labels, signs, divides }
    }

    /// Checks that a format has the words and the signs, in order.
    fn check(&self, what: &str, want: &str, got: &str) -> Result<(), String> {
        let (want, got) = (visible(want), visible(got));
        let names: &[String] = if what == "markdown" { &self.words } else { &[] };
        let labels: &[char] = if what == "text" { &[] } else { &self.labels };
        let without = |s: &str| s.replace(labels, "").replace(&self.signs[..], "");
        let own = |s: &str| -> Vec<String> {
            let s = &without(s);
            let kept = words(s).into_iter().filter(|w| !names.iter().any(|a| a.eq_ignore_ascii_case(w)));
            let kept: Vec<String> = kept.map(str::to_owned).collect();
            if self.divides { vec![kept.concat()] } else { kept }
        };
        let (a, b) = (own(&want), own(&got));
        same(
            what,
            &a.iter().map(String::as_str).collect::<Vec<_>>(),
            &b.iter().map(String::as_str).collect::<Vec<_>>(),
        )?;
        if !names.is_empty() {
            return Ok(());
        }
        let bare = |s: &str| without(&signs(s));
        same_signs(what, &bare(&want), &bare(&got))
    }
}

/// Checks that each format has the kept blocks' words and characters, in order. The error shows the first difference.
pub fn check(page: &Rendered, kept: impl Fn(usize) -> bool + Copy) -> Result<(), String> {
    let keep = page.keep(kept);
    let base = Url::parse("https://example.org/dir/page.html").unwrap();
    let c = page.content(&keep, Some(&base));
    let want = page.expected(kept);
    let media = media(page, Some(&base));
    let markdown = render::Tree::new(&c).markdown();
    let additions = Additions::new(page, &markdown);
    let text = render::Tree::new(&c).text();
    let bare = |s: &str| s.replace(['|', '-'], " ");
    additions.check("text", &bare(&want), &bare(&text))?;
    // A parser without formulas reads their TeX as text with markup.
    let modes: &[bool] = if page.blocks.markup.has_formulas() { &[true] } else { &[false, true] };
    for &math in modes {
        let read = read_markdown_without(&markdown, math, &media);
        // A parser without formulas reads their dollar signs as text. Items in the cells of a table have bullets.
        let own: &[char] = if math { &['•'] } else { &['$', '•'] };
        additions.check("markdown", &want.replace(own, ""), &read.replace(own, ""))?;
    }
    if markdown.contains("\n\n\n") && !markdown.contains("```") {
        return Err("markdown: two blank lines in a row".into());
    }
    let html = render::Tree::new(&c).html();
    additions.check("html", &want, &read_html(&without_media(&html, &media)))?;
    let json = render::Tree::new(&c).typed_blocks(true);
    blocks::check_blocks(&json, page.html).map_err(|e| format!("blocks: {e}"))?;
    let read = blocks::read_blocks(&json).map_err(|e| format!("blocks: {e}"))?;
    additions.check("blocks", &want, &read)?;
    let xml = render::Tree::new(&c).xml(&Metadata::default());
    check_tei(&xml).map_err(|e| format!("tei: {e}"))?;
    let read = read_tei(&xml).map_err(|e| format!("tei: {e}"))?;
    let allowed = |s: &str| -> String {
        s.chars().map(|c| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { '\n' } else { c }).collect()
    };
    let (want, read) = (allowed(&want), allowed(&read));
    if page.expected(kept).contains(|c: char| c.is_control() && c != '\n') {
        let bare = |s: &str| signs(&visible(s)).replace(&additions.labels[..], "").replace(&additions.signs[..], "");
        return same_signs("tei", &bare(&want), &bare(&read));
    }
    additions.check("tei", &want, &read)
}

fn same(what: &str, want: &[&str], got: &[&str]) -> Result<(), String> {
    let at = want.iter().zip(got).position(|(a, b)| a != b).unwrap_or(want.len().min(got.len()));
    if at == want.len() && at == got.len() {
        return Ok(());
    }
    let near = |v: &[&str]| v[at.saturating_sub(4).min(v.len())..(at + 6).min(v.len())].join(" ");
    Err(format!("{what}: word {at}: want [{}] got [{}]", near(want), near(got)))
}

fn same_signs(what: &str, want: &str, got: &str) -> Result<(), String> {
    if want == got {
        return Ok(());
    }
    let at = want.chars().zip(got.chars()).take_while(|(a, b)| a == b).count();
    let near = |s: &str| s.chars().skip(at.saturating_sub(25)).take(60).collect::<String>();
    Err(format!("{what}: character {at}: want [{}] got [{}]", near(want), near(got)))
}
