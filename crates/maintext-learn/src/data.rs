//! Labelled pages: `<set>.jsonl.zst` or `<set>.jsonl`, one page per line.
//!
//! The keys of a line: `id`, `url`, `site`, `lang`, `page_type`; the page as `html` (text) or `html_base64` (raw bytes); the
//! ground truth as `text`, `with` and `without` (snippets), `title`, `author`, `date`, `links` (`{title, url}` of a list page's
//! entries); and `extra` for other annotations of the set. All keys except `id` and the page are optional.
use crate::error::Error;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use maintext_core::address::host_of;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest zstd window of a compressed set, as a power of two.
const WINDOW_LOG_MAX: u32 = 31;

/// A labelled page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Page id in its set.
    pub id: String,
    /// Address.
    pub url: Option<String>,
    /// Registrable domain, or the set's own name for the site; the host of the address if the set has neither. Pages of one site are never
    /// split between training and test.
    pub site: String,
    /// Language as annotated.
    pub lang: Option<String>,
    /// `article`, `forum`, `product`, ...
    pub page_type: Option<String>,
    /// The page as it came over the wire.
    pub html: Vec<u8>,
    /// The main content as plain text.
    pub text: Option<String>,
    /// Snippets that the extracted text should contain.
    pub with: Vec<String>,
    /// Snippets that it must not contain.
    pub without: Vec<String>,
    /// The page's title.
    pub title: Option<String>,
    /// Its author; several are joined by `", "`.
    pub author: Option<String>,
    /// Its publication date, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The entries of a list page.
    pub links: Vec<Link>,
    /// The records of a list page, each as its texts and addresses.
    pub records: Vec<Vec<String>>,
    /// Other annotations of the set.
    pub extra: serde_json::Value,
}

/// An entry of a list page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Link {
    /// Its heading.
    #[serde(default, deserialize_with = "absent_is_empty")]
    pub title: String,
    /// Its target address.
    #[serde(default, deserialize_with = "absent_is_empty")]
    pub url: String,
}

impl Page {
    /// Returns the page as text, decoded by its declared or detected encoding.
    pub fn decoded(&self) -> Cow<'_, str> {
        let text = maintext_core::decode::decode(&self.html, None).text;
        match maintext_core::decode::html_of_xml(&text) {
            Some(html) => Cow::Owned(html),
            None => text,
        }
    }
}

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    id: Option<String>,
    url: Option<String>,
    site: Option<String>,
    lang: Option<String>,
    page_type: Option<String>,
    html: Option<String>,
    html_base64: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "absent_is_empty")]
    with: Vec<String>,
    #[serde(default, deserialize_with = "absent_is_empty")]
    without: Vec<String>,
    title: Option<String>,
    author: Option<OneOrMany>,
    date: Option<String>,
    #[serde(default, deserialize_with = "absent_is_empty")]
    links: Vec<Link>,
    #[serde(default, deserialize_with = "absent_is_empty")]
    records: Vec<Vec<String>>,
    #[serde(default)]
    extra: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Reads `null` as the empty value.
fn absent_is_empty<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(d: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(d)?.unwrap_or_default())
}

/// Returns the host of an address without `www.`, or nothing if the address has none.
fn site_of(url: &str) -> String {
    let url = url::Url::parse(url).ok();
    url.as_ref().and_then(host_of).unwrap_or_default().to_owned()
}

/// Parses one line of a set.
///
/// # Errors
/// Returns the reason why the line is invalid: invalid JSON, a value of the wrong type, a missing `id` or page, invalid base64.
///
/// ```
/// let line = br#"{"id":"1","url":"https://www.example.org/a","html":"<p>a","text":"a"}"#;
/// let page = maintext_learn::data::parse_line(line).unwrap();
/// assert_eq!((&page.id[..], &page.site[..], &page.html[..]), ("1", "example.org", &b"<p>a"[..]));
/// ```
pub fn parse_line(json: &[u8]) -> Result<Page, String> {
    let line: Line = serde_json::from_slice(json).map_err(|e| {
        // serde_json's line number is always 1 here; only the column is useful.
        let message = e.to_string();
        let what = message.split(" at line ").next().unwrap_or(&message);
        format!("{what} (column {})", e.column())
    })?;
    let id = line.id.filter(|id| !id.is_empty()).ok_or("no 'id'")?;
    let html = match (line.html, line.html_base64) {
        (Some(html), None) => html.into_bytes(),
        (None, Some(b)) => BASE64.decode(b.as_bytes()).map_err(|e| format!("page '{id}': html_base64: {e}"))?,
        (None, None) => return Err(format!("page '{id}' has neither 'html' nor 'html_base64'")),
        (Some(_), Some(_)) => return Err(format!("page '{id}' has both 'html' and 'html_base64'")),
    };
    let author = line.author.map(|a| match a {
        OneOrMany::One(name) => name,
        OneOrMany::Many(names) => names.join(", "),
    });
    Ok(Page {
        id,
        site: line.site.unwrap_or_else(|| line.url.as_deref().map(site_of).unwrap_or_default()),
        url: line.url,
        lang: line.lang,
        page_type: line.page_type,
        html,
        text: line.text,
        with: line.with,
        without: line.without,
        title: line.title,
        author,
        date: line.date,
        links: line.links,
        records: line.records,
        extra: line.extra,
    })
}

/// Reads a set page by page.
///
/// ```no_run
/// for page in maintext_learn::data::Reader::open("data/news.jsonl.zst")? {
///     let page = page?;
///     println!("{} {} bytes", page.id, page.html.len());
/// }
/// # Ok::<(), maintext_learn::Error>(())
/// ```
pub struct Reader {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    line: usize,
    buffer: Vec<u8>,
    /// Number of bytes read from the file, and its size.
    read: Arc<AtomicU64>,
    size: u64,
}

/// Reads a whole file of text; decompresses it if its name ends with `.zst`.
///
/// # Errors
///
/// If the file cannot be read, or its bytes are not UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let file = File::open(path).map_err(|e| Error::file(path, e))?;
    let read = if path.extension().is_some_and(|e| e == "zst") {
        zstd::Decoder::new(file).and_then(|mut decoder| decoder.read_to_string(&mut text))
    } else {
        BufReader::new(file).read_to_string(&mut text)
    };
    read.map_err(|e| Error::file(path, e))?;
    Ok(text)
}

/// Counts the bytes that pass through it.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl Reader {
    /// Opens a set; decompresses it if its name ends with `.zst`.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|e| Error::file(path, e))?;
        let size = file.metadata().map_err(|e| Error::file(path, e))?.len();
        let read = Arc::new(AtomicU64::new(0));
        let file = Counted { inner: file, read: read.clone() };
        let compressed = path.extension().is_some_and(|e| e == "zst");
        let lines: Box<dyn BufRead + Send> = if compressed {
            let mut decoder = zstd::Decoder::new(file).map_err(|e| Error::file(path, e))?;
            decoder.window_log_max(WINDOW_LOG_MAX).map_err(|e| Error::file(path, e))?;
            Box::new(BufReader::with_capacity(1 << 20, decoder))
        } else {
            Box::new(BufReader::with_capacity(1 << 20, file))
        };
        Ok(Reader { path: path.to_owned(), lines, line: 0, buffer: Vec::new(), read, size })
    }

    /// Reads a set that is already open; `path` is used in error messages.
    pub fn new(path: impl Into<PathBuf>, read: impl Read + Send + 'static) -> Reader {
        let lines = Box::new(BufReader::new(read));
        Reader { path: path.into(), lines, line: 0, buffer: Vec::new(), read: Arc::default(), size: 0 }
    }

    /// Returns the number of bytes read from the file and its size; (0, 0) if they are unknown.
    pub fn position(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed).min(self.size), self.size)
    }

    /// Returns the next line that is not blank, unparsed, so that other threads can parse it with [`parse_line`].
    fn next_line(&mut self) -> Option<Result<(usize, Vec<u8>), Error>> {
        loop {
            self.buffer.clear();
            self.line += 1;
            match self.lines.read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(_) if self.buffer.iter().all(u8::is_ascii_whitespace) => {}
                Ok(_) => return Some(Ok((self.line, std::mem::take(&mut self.buffer)))),
                Err(cause) => {
                    return Some(Err(Error::File { path: self.path.clone(), line: Some(self.line), cause }));
                }
            }
        }
    }

    /// Reads up to `n` pages and parses them on all threads. Returns no pages at the end of the set.
    pub fn chunk(&mut self, n: usize) -> Result<Vec<Page>, Error> {
        use rayon::prelude::*;
        let mut lines = Vec::with_capacity(n);
        while lines.len() < n {
            match self.next_line() {
                Some(line) => lines.push(line?),
                None => break,
            }
        }
        let path = &self.path;
        lines.par_iter().map(|(line, json)| parse(path, *line, json)).collect()
    }
}

fn parse(path: &Path, line: usize, json: &[u8]) -> Result<Page, Error> {
    parse_line(json).map_err(|message| Error::Line { path: path.to_owned(), line, message })
}

impl Iterator for Reader {
    type Item = Result<Page, Error>;
    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line()?;
        Some(line.and_then(|(line, json)| parse(&self.path, line, &json)))
    }
}

/// Returns the name of a set: its file name up to `.jsonl`.
pub fn set_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split(".jsonl").next().unwrap_or(&name).to_owned()
}

/// Reads a whole set into memory.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Page>, Error> {
    let mut reader = Reader::open(path)?;
    let mut pages = Vec::new();
    loop {
        let chunk = reader.chunk(64)?;
        if chunk.is_empty() {
            return Ok(pages);
        }
        pages.extend(chunk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_read() {
        let json =
            br#"{"id":"a","url":"https://e.org/","site":"e.org","lang":"en","page_type":"listing","html_base64":"PHA+",
            "text":"x \u00e9","with":["w"],"without":null,"title":"t","author":["A","B"],"date":"2020-01-02",
            "links":[{"title":"one","url":"/1"}],"extra":{"k":1}}"#;
        let p = parse_line(json).unwrap();
        assert_eq!(p.html, b"<p>");
        assert_eq!((p.text.as_deref(), p.author.as_deref()), (Some("x é"), Some("A, B")));
        assert_eq!((p.with.len(), p.without.len(), p.links[0].url.as_str()), (1, 0, "/1"));
        assert_eq!(p.extra["k"], 1);
    }

    #[test]
    fn errors_name_file_and_line() {
        let text = "{\"id\":\"a\",\"html\":\"\"}\n\n{\"id\":\"b\"}\n";
        let mut r = Reader::new("set.jsonl", text.as_bytes());
        assert_eq!(r.next().unwrap().unwrap().id, "a");
        let e = r.next().unwrap().unwrap_err().to_string();
        assert_eq!(e, "set.jsonl, line 3: page 'b' has neither 'html' nor 'html_base64'");
        assert!(r.next().is_none());
        let e = Reader::new("s", &b"{\"id\":1}"[..]).next().unwrap().unwrap_err().to_string();
        assert!(e.starts_with("s, line 1: invalid type: integer") && e.contains("column"), "{e}");
        let e = Reader::open("/does/not/exist.jsonl").err().unwrap().to_string();
        assert!(e.starts_with("/does/not/exist.jsonl: "), "{e}");
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let whole = zstd::encode_all(&b"{\"id\":\"a\",\"html\":\"x\"}\n".repeat(5000)[..], 3).unwrap();
        let decoder = zstd::Decoder::new(std::io::Cursor::new(whole[..whole.len() / 2].to_vec())).unwrap();
        let result: Result<Vec<_>, _> = Reader::new("cut.jsonl.zst", decoder).collect();
        assert!(result.unwrap_err().to_string().starts_with("cut.jsonl.zst, line "));
    }

    #[test]
    fn set_names_end_before_jsonl() {
        assert_eq!(set_name(Path::new("/d/wcxb-dev.jsonl.zst")), "wcxb-dev");
        assert_eq!(set_name(Path::new("x.jsonl")), "x");
    }
}
