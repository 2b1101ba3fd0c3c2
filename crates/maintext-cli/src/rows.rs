//! Results of earlier runs as inputs: the JSON of `extract`, and the rows of `batch` and `crawl`.
use maintext_formats::{Hint, Limits};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A page of a result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Row {
    #[serde(deserialize_with = "id")]
    pub id: Option<String>,
    pub url: Option<String>,
    pub title: Option<String>,
    pub language: Option<String>,
    pub text: Option<String>,
    pub markdown: Option<String>,
    pub html: Option<String>,
    /// The headings above a chunk.
    pub headings: Vec<String>,
    pub error: Option<Value>,
    /// The file next to the row that holds the content, in the index of a folder.
    pub file: Option<String>,
}

/// The content of a row.
pub enum RowContent {
    /// A page that is not extracted yet.
    Page(String),
    /// The content of a page as HTML.
    Html(String),
    Markdown(String),
}

fn id<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(id) => Some(id),
        Value::Null => None,
        other => Some(other.to_string()),
    })
}

impl Row {
    /// Parses a result of `extract -f json`, or a row.
    pub fn parse(json: &[u8]) -> Result<Row, String> {
        // serde would accept an array with the fields in order.
        if json.trim_ascii_start().first() != Some(&b'{') {
            return Err("not a result of maintext: not a JSON object".into());
        }
        serde_json::from_slice(json).map_err(|e| format!("not a result of maintext: {e}"))
    }

    /// Adds the content that the index of a folder keeps in a file of its own.
    #[cfg(feature = "batch")]
    fn with_file(mut self, index: &Path, max_size: usize) -> Result<Row, String> {
        use std::path::Component;
        if self.content().is_some() {
            return Ok(self);
        }
        let Some(name) = self.file.take() else { return Ok(self) };
        let path = Path::new(&name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!("'{name}' is not a file of this folder"));
        }
        let file = index.parent().unwrap_or(Path::new("")).join(path);
        let source = crate::input::CommandInput::File(file).read(None, max_size)?;
        let content = Some(String::from_utf8_lossy(&source.bytes).into_owned());
        let is_text = path.extension().is_some_and(|end| end == "txt");
        *(if is_text { &mut self.text } else { &mut self.markdown }) = content;
        Ok(self)
    }

    /// Returns the content to read; `None` if the row has none.
    pub fn content(&self) -> Option<RowContent> {
        // The titles of a chunk's sections are not all in its text.
        if !self.headings.is_empty()
            && let Some(text) = self.text.as_deref()
        {
            let above = self.headings.iter().enumerate().filter(|h| !text.contains(h.1.as_str()));
            let above: String = above.map(|(i, h)| format!("{} {h}\n\n", "#".repeat(i.min(5) + 1))).collect();
            return Some(RowContent::Markdown(above + text));
        }
        let is_result = self.text.is_some() || self.markdown.is_some();
        match (&self.html, &self.markdown, &self.text) {
            (Some(html), ..) if !is_result => Some(RowContent::Page(html.clone())),
            (Some(html), ..) => Some(RowContent::Html(html.clone())),
            (None, Some(markdown), _) => Some(RowContent::Markdown(markdown.clone())),
            (None, None, Some(text)) => {
                let lines = text.lines().filter(|l| !l.trim().is_empty());
                Some(RowContent::Html(
                    lines.map(|line| format!("<p>{}</p>\n", line.replace('&', "&amp;").replace('<', "&lt;"))).collect(),
                ))
            }
            (None, None, None) => None,
        }
    }
}

/// Returns Markdown as HTML.
pub fn html_of(markdown: String, max_size: usize) -> Result<Vec<u8>, String> {
    let hint = Hint { name: Some("row.md"), content_type: Some("text/markdown"), ..Hint::default() };
    let limits = Limits { max_size, ..Limits::default() };
    let mut documents = maintext_formats::documents(markdown.into_bytes(), &hint, &limits)
        .map_err(|_| "the row holds only Markdown, which this build does not read; build with '--features full'")?;
    let document = documents.next().ok_or("the row holds no content")?.map_err(|e| e.to_string())?;
    Ok(document.bytes)
}

/// Returns whether a file is read as rows, by the end of its name.
pub fn is_rows(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".json", ".jsonl", ".ndjson"].iter().any(|end| plain.ends_with(end)) || name.ends_with(".parquet")
}

/// Passes each row of a file to `take`, or the error in it.
#[cfg(not(feature = "batch"))]
pub fn each(path: &Path, max_size: usize, take: &mut dyn FnMut(Result<Row, String>)) -> Result<(), String> {
    if path.extension().is_some_and(|e| e == "json") {
        single(path, max_size, take)
    } else {
        Err("this build leaves out rows; build with '--features full' to read them".into())
    }
}

/// Passes each row of a file to `take`, or the error in it.
#[cfg(feature = "batch")]
pub fn each(path: &Path, max_size: usize, take: &mut dyn FnMut(Result<Row, String>)) -> Result<(), String> {
    use maintext_corpus::pages::Pages;
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => return single(path, max_size, take),
        Some("parquet") => return table(path, max_size, take),
        _ => {}
    }
    let mut lines = Pages::open(path).map_err(|e| e.to_string())?.max_line(max_size.saturating_mul(8));
    while let Some(line) = lines.next_raw() {
        match line {
            Ok(line) => {
                let row = Row::parse(line.as_bytes()).and_then(|row| row.with_file(path, max_size));
                take(row.map_err(|e| format!("line {}: {e}", line.number)));
            }
            Err(error) => take(Err(error.to_string())),
        }
    }
    Ok(())
}

/// Reads a file that holds one object.
fn single(path: &Path, max_size: usize, take: &mut dyn FnMut(Result<Row, String>)) -> Result<(), String> {
    let source = crate::input::CommandInput::File(path.to_owned()).read(None, max_size.saturating_mul(8))?;
    take(Row::parse(&source.bytes));
    Ok(())
}

/// Reads a table of results. Its content is in `markdown`, else in `text`, else in `html`.
#[cfg(feature = "batch")]
fn table(path: &Path, max_size: usize, take: &mut dyn FnMut(Result<Row, String>)) -> Result<(), String> {
    use maintext_corpus::parquet::{Columns, ParquetPages};
    let open = |column: &str| {
        let columns = Columns { html: column.into(), ..Columns::default() };
        ParquetPages::open(path, &columns, 0, 1, max_size).map(|pages| (column.to_owned(), pages))
    };
    let (column, pages) = open("markdown").or_else(|_| open("text")).or_else(|_| open("html"))?;
    for page in pages {
        take(page.map_err(|e| e.message).map(|page| {
            let content = Some(String::from_utf8_lossy(&page.bytes).into_owned());
            let row = Row { id: page.id, url: page.url, ..Row::default() };
            match column.as_str() {
                "markdown" => Row { markdown: content, ..row },
                "text" => Row { text: content, ..row },
                _ => Row { html: content, ..row },
            }
        }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_rows_are_known_by_their_names() {
        for (name, expected) in
            [("a.jsonl", true), ("A.JSONL.zst", true), ("a.parquet", true), ("a.json", true), ("a.html", false)]
        {
            assert_eq!(is_rows(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn the_best_content_of_a_row_is_read() {
        let of = |json: &str| match Row::parse(json.as_bytes()).unwrap().content() {
            Some(RowContent::Page(text)) => format!("page {text}"),
            Some(RowContent::Html(text)) => format!("html {text}"),
            Some(RowContent::Markdown(text)) => format!("markdown {text}"),
            None => "none".into(),
        };
        assert_eq!(of(r#"{"id": 3, "html": "<p>a", "url": null}"#), "page <p>a");
        assert_eq!(of(r#"{"html": "<p>a", "text": "a"}"#), "html <p>a");
        assert_eq!(of(r#"{"text": "a <b>\nc"}"#), "html <p>a &lt;b></p>\n<p>c</p>\n");
        assert_eq!(of(r###"{"text": "## B\n\nc", "headings": ["A", "B"]}"###), "markdown # A\n\n## B\n\nc");
        assert_eq!(of(r#"{"error": "x"}"#), "none");
        assert!(Row::parse(b"[]").unwrap_err().starts_with("not a result of maintext"));
    }
}
