//! Sources of a page: an address, a file or standard input.
use crate::report;
use maintext_core::{Page, Preferences};
use maintext_fetch::{Fetched, Fetcher};
use maintext_formats::{Documents, Format, Hint, Limits, Refusal};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The longest wait for a server that asked for one.
const PATIENCE: Duration = Duration::from_secs(60);

/// One INPUT of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandInput {
    /// An http or https address.
    Url(String),
    /// A file.
    File(PathBuf),
    /// Standard input, `-`.
    Stdin,
}

/// Prints a hint for each text file of addresses: it is a page as it is, and never fetched, since its name does not ask for requests.
pub fn hint_at_addresses(names: &[String]) {
    for name in names.iter().filter(|name| name.ends_with(".txt")) {
        if holds_only_addresses(Path::new(name)).unwrap_or(false) {
            report::warning(name, &"holds only addresses; 'maintext batch --input-format urls' fetches them");
        }
    }
}

/// Whether each line at the beginning of a file is an address.
fn holds_only_addresses(path: &Path) -> io::Result<bool> {
    /// Bytes of a file that are read.
    const HEAD: u64 = 2048;
    let mut head = Vec::new();
    if path.is_file() {
        File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    }
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    Ok(lines.peek().is_some() && lines.all(is_address))
}

fn is_address(line: &str) -> bool {
    matches!(CommandInput::new(line), CommandInput::Url(_)) && !line.contains(char::is_whitespace)
}

/// The bytes of a file before its format is recognised.
pub struct FileBytes {
    /// The page's address, if it is known.
    pub url: Option<String>,
    /// The charset in the HTTP header.
    pub charset: Option<String>,
    /// The whole `Content-Type` of the HTTP header.
    content_type: Option<String>,
    /// The path of the file or of the address.
    name: Option<String>,
    /// Facts about the answer other than the page's bytes, if the source is an address.
    pub facts: Option<AddressFacts>,
    pub bytes: Vec<u8>,
}

/// Facts about the answer of an address, other than the page's bytes.
#[derive(Clone, Debug)]
pub struct AddressFacts {
    /// The address that answered.
    pub url: String,
    status: u16,
    /// The whole `Content-Type` header.
    pub content_type: Option<String>,
    /// The uses that its headers allow or forbid.
    pub preferences: Preferences,
    /// The Markdown version that its headers declare.
    pub markdown_url: Option<String>,
}

impl AddressFacts {
    /// Reads the headers of an answer. `agent` is the `User-Agent` of the request.
    pub fn new(page: &Fetched, agent: &str) -> AddressFacts {
        let mut preferences = Preferences::default();
        page.headers.iter().for_each(|(name, value)| preferences.add_header(name, value, agent));
        let (url, content_type) = (page.url.clone(), page.content_type.clone());
        AddressFacts { url, status: page.status, content_type, preferences, markdown_url: page.markdown_link() }
    }

    /// Adds the facts of the answer to a page of this format.
    pub fn complete(&self, page: &mut Page, format: Format) {
        page.preferences.add(&self.preferences);
        page.markdown_url = page.markdown_url.take().or_else(|| self.markdown_url.clone());
        page.representation = Some(format.media_type(self.content_type.as_deref()));
        page.answered(self.status, Some(self.url.clone()));
    }
}

impl FileBytes {
    /// Returns what an address answered.
    fn of(page: Fetched, fetcher: &Fetcher) -> FileBytes {
        let facts = Some(AddressFacts::new(&page, &fetcher.options().user_agent));
        let name = url::Url::parse(&page.url).ok().map(|url| url.path().to_owned());
        let (charset, content_type) = (page.charset, page.content_type);
        FileBytes { url: Some(page.url), charset, content_type, name, facts, bytes: page.body }
    }

    /// Returns the documents in it.
    pub fn documents(self, max_size: usize) -> Result<Documents, String> {
        let hint = Hint {
            name: self.name.as_deref(),
            url: self.url.as_deref(),
            content_type: self.content_type.as_deref(),
            charset: self.charset.as_deref(),
        };
        let limits = Limits { max_size, ..Limits::default() };
        maintext_formats::documents(self.bytes, &hint, &limits).map_err(|refusal| match refusal {
            Refusal::LeftOut(format, _) => {
                format!("the input is {format}, which this build leaves out; build with '--features full' to read it")
            }
            refusal => refusal.to_string(),
        })
    }
}

impl CommandInput {
    /// Takes text that begins with `http://` or `https://` as an address. A file of such a name is written `./http:...`.
    pub fn new(text: &str) -> CommandInput {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        match (text, scheme.as_deref()) {
            ("-", _) => CommandInput::Stdin,
            (_, Some("http" | "https")) => CommandInput::Url(text.into()),
            _ => CommandInput::File(text.into()),
        }
    }

    /// Returns the path of a file.
    pub fn file(&self) -> Option<&Path> {
        match self {
            CommandInput::File(path) => Some(path),
            CommandInput::Url(_) | CommandInput::Stdin => None,
        }
    }

    /// Reads the page; more than `max_size` bytes are an error. Only addresses need a `fetcher`.
    pub fn read(&self, fetcher: Option<&Fetcher>, max_size: usize) -> Result<FileBytes, String> {
        match self {
            CommandInput::Url(url) => {
                let fetcher = fetcher.ok_or("this command does not fetch addresses")?;
                wait_for(fetcher, url);
                let page = fetcher.fetch(url).map_err(|e| e.to_string())?;
                Ok(FileBytes::of(page, fetcher))
            }
            CommandInput::File(path) => {
                let bytes = open(path).and_then(|file| read_limited(file, max_size))?;
                let name = Some(path.to_string_lossy().into_owned());
                Ok(FileBytes { url: None, charset: None, content_type: None, name, facts: None, bytes })
            }
            CommandInput::Stdin => {
                let bytes = read_limited(io::stdin().lock(), max_size)?;
                Ok(FileBytes { url: None, charset: None, content_type: None, name: None, facts: None, bytes })
            }
        }
    }
}

/// Waits if the server of an address asked for it. If the wait would be too long, the fetch fails without a request.
pub fn wait_for(fetcher: &Fetcher, url: &str) {
    if let Some(rest) = fetcher.rest(url).filter(|rest| *rest <= PATIENCE) {
        report::note(&format!("{url}: waiting {} s, as the server asked", rest.as_secs_f64().ceil()));
        thread::sleep(rest);
    }
}

impl fmt::Display for CommandInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandInput::Url(url) => f.write_str(url),
            CommandInput::File(path) => path.display().fmt(f),
            CommandInput::Stdin => f.write_str("standard input"),
        }
    }
}

fn open(path: &Path) -> Result<File, String> {
    // On Unix, opening a folder succeeds and reading it then fails with an unhelpful message.
    if path.is_dir() {
        return Err("is a folder; give the files in it as inputs".into());
    }
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => no_such_file(&path.to_string_lossy()),
        _ => error.to_string(),
    })
}

/// Endings of file names that could be taken for a domain.
const FILE_ENDINGS: [&str; 22] = [
    "html", "htm", "xhtml", "shtml", "mhtml", "mht", "txt", "md", "json", "jsonl", "xml", "rss", "atom", "gz", "zst",
    "br", "zip", "warc", "wacz", "epub", "eml", "mbox",
];

fn no_such_file(name: &str) -> String {
    if let Some((scheme, _)) = name.split_once("://") {
        return format!("{scheme}: addresses are not supported, only http: and https:");
    }
    let host = name.split('/').next().unwrap_or("");
    let like_a_host = host.contains('.') && !host.starts_with('.') && !host.contains(char::is_whitespace);
    let ending = host.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let is_file = !name.contains('/') && FILE_ENDINGS.contains(&ending.as_str());
    if like_a_host && !is_file {
        format!("no such file; for a web address, write https://{name}")
    } else {
        "no such file, and not an http(s) address".into()
    }
}

fn read_limited(reader: impl Read, max_size: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let limit = (max_size as u64).saturating_add(1);
    reader.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() > max_size {
        return Err(format!("larger than {max_size} bytes; raise --max-size to read it"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_files_are_distinguished() {
        assert_eq!(CommandInput::new("-"), CommandInput::Stdin);
        assert_eq!(CommandInput::new("HTTPS://e.org"), CommandInput::Url("HTTPS://e.org".into()));
        assert_eq!(CommandInput::new("./http://e.org"), CommandInput::File("./http://e.org".into()));
        assert_eq!(CommandInput::new("http.html"), CommandInput::File("http.html".into()));
    }

    #[test]
    fn a_missing_file_gets_matching_advice() {
        assert!(no_such_file("ftp://e.org/x").contains("ftp:"));
        assert!(no_such_file("www.e.org").contains("https://www.e.org"));
        assert!(no_such_file("e.org/a").contains("https://e.org/a"));
        assert!(no_such_file("example.org").contains("https://example.org"));
        assert_eq!(no_such_file("page.html"), "no such file, and not an http(s) address");
    }

    #[test]
    fn oversized_input_is_rejected() {
        assert_eq!(read_limited(&b"12345"[..], 5), Ok(b"12345".to_vec()));
        assert!(read_limited(io::repeat(b'x'), 5).unwrap_err().starts_with("larger than 5 bytes"));
    }

    #[cfg(not(feature = "formats"))]
    #[test]
    fn a_format_that_was_left_out_is_named() {
        let bytes = b"From: a@example.org\nSubject: b\n\nText.".to_vec();
        let source = FileBytes { url: None, charset: None, content_type: None, name: None, facts: None, bytes };
        let error = source.documents(1000).unwrap_err();
        assert_eq!(
            error,
            "the input is an e-mail message, which this build leaves out; build with '--features full' to read it"
        );
    }
}
