//! Output formats and destinations of extracted pages.
use crate::input::CommandInput;
use clap::ValueEnum;
use maintext_core::render::escape;
use maintext_core::{Fields, Formats, Metadata, Page};
use maintext_util::atomic::write_atomic;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use url::Url;

/// Output format.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Plain text, one line per block
    Text,
    /// CommonMark with GFM tables
    Markdown,
    /// Clean HTML, without scripts, styles and handlers
    Html,
    /// XML (TEI) with the metadata in its header
    Xml,
    /// Typed blocks as a JSON array: headings, paragraphs, lists, tables, each with its position in the source
    Blocks,
    /// All fields, including the content as text, Markdown and HTML
    Json,
}

impl OutputFormat {
    /// Returns the formats that the library must write.
    pub fn needs(self) -> Formats {
        let json = self == OutputFormat::Json;
        Formats {
            text: json || self == OutputFormat::Text,
            markdown: json || self == OutputFormat::Markdown,
            html: json || self == OutputFormat::Html,
            xml: self == OutputFormat::Xml,
            blocks: self == OutputFormat::Blocks,
        }
    }

    /// Returns the parts of the page that the output holds, or that cause its warnings and follow-up requests.
    pub fn parts(self, metadata: bool) -> Fields {
        if self == OutputFormat::Json {
            return Fields::ALL;
        }
        let own = if metadata { Fields::METADATA } else { Fields::NONE };
        own | Fields::LINKS | Fields::BARRIER
    }

    /// Whether the format always includes the metadata.
    pub fn holds_metadata(self) -> bool {
        matches!(self, OutputFormat::Xml | OutputFormat::Json)
    }

    fn extension(self) -> &'static str {
        match self {
            OutputFormat::Text => "txt",
            OutputFormat::Markdown => "md",
            OutputFormat::Html => "html",
            OutputFormat::Xml => "xml",
            OutputFormat::Blocks | OutputFormat::Json => "json",
        }
    }
}

/// How a page is written.
#[derive(Clone, Copy, Debug)]
pub struct OutputStyle {
    pub format: OutputFormat,
    /// Whether text, Markdown and HTML include the metadata.
    pub with_metadata: bool,
    /// Whether a JSON object takes one line, because the output may hold several.
    pub one_line: bool,
}

impl OutputStyle {
    /// Returns the output for a page of this name, which a JSON object names as rows do, if there are several.
    pub fn render_named(&self, name: &str, page: &Page) -> String {
        let out = self.render(page);
        match out.strip_prefix('{') {
            Some(rest) if self.format == OutputFormat::Json => {
                let id = serde_json::Value::from(name);
                let (begin, space) = if self.one_line { ("", "") } else { ("\n  ", " ") };
                format!("{{{begin}\"id\":{space}{id},{rest}")
            }
            _ => out,
        }
    }

    /// Returns the output for a page. It ends with a newline unless it is empty.
    pub fn render(&self, page: &Page) -> String {
        let mut out = match (self.format, self.with_metadata) {
            (OutputFormat::Text, false) => body(&page.text),
            (OutputFormat::Text, true) => front_matter(&page.metadata) + &body(&page.text),
            (OutputFormat::Markdown, false) => body(&page.markdown),
            (OutputFormat::Markdown, true) => front_matter(&page.metadata) + &body(&page.markdown),
            (OutputFormat::Html, false) => body(&page.html),
            (OutputFormat::Html, true) => document(&page.metadata, &body(&page.html)),
            (OutputFormat::Xml, _) => body(&page.xml),
            (OutputFormat::Blocks, false) => self.blocks(page),
            (OutputFormat::Blocks, true) => self.blocks_with_metadata(page),
            (OutputFormat::Json, _) if self.one_line => json(page, serde_json::to_string),
            (OutputFormat::Json, _) => json(page, serde_json::to_string_pretty),
        };
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    fn blocks_with_metadata(&self, page: &Page) -> String {
        let metadata = serde_json::to_string(&page.metadata).unwrap_or_default();
        format!("{{\"metadata\":{metadata},{}\"blocks\":{}}}", if self.one_line { "" } else { "\n" }, self.blocks(page))
    }

    /// Returns the typed blocks, each on a line of its own unless the output may hold several pages.
    fn blocks(&self, page: &Page) -> String {
        let json = page.blocks.as_deref().unwrap_or("[]");
        match serde_json::from_str::<Vec<&RawValue>>(json) {
            Ok(blocks) if !self.one_line && !blocks.is_empty() => {
                let lines: Vec<&str> = blocks.iter().map(|b| b.get()).collect();
                format!("[\n{}\n]", lines.join(",\n"))
            }
            _ => json.to_owned(),
        }
    }
}

fn body(rendered: &Option<String>) -> String {
    rendered.clone().unwrap_or_default()
}

/// A page has only string keys, so its serialisation cannot fail.
fn json(page: &Page, to_json: impl Fn(&Page) -> serde_json::Result<String>) -> String {
    to_json(page).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"))
}

/// Returns the fields that have a value, in output order.
fn fields(m: &Metadata) -> impl Iterator<Item = (&'static str, &str)> {
    let fields = [
        ("title", &m.title),
        ("author", &m.author),
        ("url", &m.url),
        ("hostname", &m.hostname),
        ("description", &m.description),
        ("sitename", &m.sitename),
        ("date", &m.date),
        ("date_modified", &m.date_modified),
        ("language", &m.language),
        ("image", &m.image),
        ("license", &m.license),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)))
}

fn lists(m: &Metadata) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
    [("categories", &m.categories), ("tags", &m.tags)].into_iter().filter(|(_, list)| !list.is_empty())
}

/// Returns the metadata as YAML between two lines of `---`. Values are JSON strings, which are valid YAML once the characters are escaped
/// that only JSON allows.
fn front_matter(m: &Metadata) -> String {
    let mut out = String::from("---\n");
    for (name, value) in fields(m) {
        let _ = writeln!(out, "{name}: {}", quoted(value));
    }
    for (name, list) in lists(m) {
        let items: Vec<String> = list.iter().map(|s| quoted(s)).collect();
        let _ = writeln!(out, "{name}: [{}]", items.join(", "));
    }
    out + "---\n\n"
}

fn quoted(s: &str) -> String {
    yaml(&serde_json::Value::from(s).to_string())
}

/// Escapes the characters of a JSON string that YAML 1.2 does not call printable.
fn yaml(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns a complete HTML document with the metadata in its head.
fn document(m: &Metadata, content: &str) -> String {
    let lang = m.language.as_ref().map(|l| format!(" lang=\"{}\"", escape::html(l))).unwrap_or_default();
    let mut out = format!("<!DOCTYPE html>\n<html{lang}>\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = writeln!(out, "<title>{}</title>", escape::html(m.title.as_deref().unwrap_or("")));
    for (name, value) in fields(m).filter(|(name, _)| *name != "title") {
        let _ = writeln!(out, "<meta name=\"{name}\" content=\"{}\">", escape::html(value));
    }
    for (name, list) in lists(m) {
        let _ = writeln!(out, "<meta name=\"{name}\" content=\"{}\">", escape::html(&list.join(", ")));
    }
    let line_break = if content.ends_with('\n') { "" } else { "\n" };
    out + "</head>\n<body>\n" + content + line_break + "</body>\n</html>\n"
}

/// Standard output. On a terminal, control characters are removed, so that a page cannot manipulate it.
pub struct Stdout(Box<dyn Write>);

impl Stdout {
    pub fn new() -> Stdout {
        Stdout(maintext_util::terminal::stdout())
    }

    pub fn write(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        self.0.flush()
    }
}

/// An output folder with one file for each input.
pub struct OutputFolder {
    path: PathBuf,
    /// The output of each input.
    files: Vec<PathBuf>,
}

impl OutputFolder {
    /// Names the files after the inputs, with a number if a name is taken. Creates nothing yet.
    pub fn new(path: &Path, format: OutputFormat, inputs: &[CommandInput]) -> OutputFolder {
        // In lower case, since some file systems ignore case.
        let mut taken = HashSet::new();
        let mut name = |input: &CommandInput| {
            let stem = stem(input);
            let mut name = format!("{stem}.{}", format.extension());
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                name = format!("{stem}-{number}.{}", format.extension());
                number += 1;
            }
            path.join(name)
        };
        let files = inputs.iter().map(&mut name).collect();
        OutputFolder { path: path.to_owned(), files }
    }

    /// Returns the files that the folder will hold.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    pub fn create(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.path)
    }

    /// Writes the result of an input, given by its number.
    pub fn write(&self, input: usize, text: &str) -> io::Result<()> {
        write_atomic(&self.files[input], |file| file.write_all(text.as_bytes()))
    }
}

/// `dir/page.html` is `page`, `https://example.org/a/b?c=1` is `example.org_a_b_c_1`.
fn stem(input: &CommandInput) -> String {
    /// File systems allow 255 bytes, which also hold a number, the extension and the suffix of the temporary file.
    const MAX_STEM_BYTES: usize = 150;
    let raw = match input {
        CommandInput::Stdin => "stdin".into(),
        CommandInput::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        CommandInput::Url(address) => match Url::parse(address) {
            Ok(url) => format!("{}{}_{}", url.host_str().unwrap_or(""), url.path(), url.query().unwrap_or("")),
            Err(_) => address.clone(),
        },
    };
    let mut stem = String::new();
    for c in raw.chars() {
        let c = if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        if stem.len() + c.len_utf8() > MAX_STEM_BYTES {
            break;
        }
        if c != '_' || !stem.ends_with('_') {
            stem.push(c);
        }
    }
    let stem = stem.trim_end_matches('_').trim_start_matches('.');
    if stem.is_empty() { "page".into() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_yaml_refuses_are_escaped() {
        assert_eq!(yaml("\"a\u{fffe}\u{9b}\u{7f}\u{85}\u{e9}\""), "\"a\\ufffe\\u009b\\u007f\u{85}\u{e9}\"");
    }

    fn metadata() -> Metadata {
        let mut metadata = Metadata::default();
        metadata.title = Some("\"A\": <b>\n".into());
        metadata.date = Some("2024-05-17".into());
        metadata.tags = vec!["x".into(), "y: z".into()];
        metadata
    }

    #[test]
    fn front_matter_is_quoted() {
        let expected = "---\ntitle: \"\\\"A\\\": <b>\\n\"\ndate: \"2024-05-17\"\ntags: [\"x\", \"y: z\"]\n---\n\n";
        assert_eq!(front_matter(&metadata()), expected);
    }

    #[test]
    fn html_documents_escape_the_metadata() {
        let html = document(&metadata(), "<p>a</p>");
        assert!(html.contains("<title>&quot;A&quot;: &lt;b&gt;"), "{html}");
        assert!(
            html.contains("<meta name=\"tags\" content=\"x, y: z\">") && html.ends_with("<p>a</p>\n</body>\n</html>\n")
        );
    }

    #[test]
    fn result_names_are_safe_and_unique() {
        let long = format!("https://e.org/{}", "ж".repeat(500));
        let expected = [
            ("a/page.html", "page.txt"),
            ("b/Page.html", "Page-2.txt"),
            ("https://example.org/a/b?c=1", "example.org_a_b_c_1.txt"),
            ("https://example.org/../../etc/", "example.org_etc.txt"),
            ("-", "stdin.txt"),
            ("..", "page-3.txt"),
        ];
        let inputs: Vec<CommandInput> =
            expected.iter().map(|(input, _)| *input).chain([&*long]).map(CommandInput::new).collect();
        let folder = OutputFolder::new("out".as_ref(), OutputFormat::Text, &inputs);
        for ((_, name), file) in expected.iter().zip(folder.files()) {
            assert_eq!(file, Path::new("out").join(name));
        }
        assert!(folder.files[expected.len()].as_os_str().len() < 160);
    }
}
