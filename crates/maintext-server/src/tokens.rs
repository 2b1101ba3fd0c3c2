//! Bearer tokens with names. The file is read again when it changes and on SIGHUP.
use crate::log;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessToken {
    /// The name of its holder, for the log and the metrics.
    pub name: Arc<str>,
    secret: String,
}

impl AccessToken {
    /// Parses a line of the token file: `[NAME] TOKEN`.
    fn parse(line: &str, number: usize) -> Result<AccessToken, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, secret) = match words[..] {
            [secret] => (format!("token-{number}"), secret.to_owned()),
            [name, secret] => (name.to_owned(), secret.to_owned()),
            // The line holds a secret, so the message does not repeat it.
            _ => return Err(format!("line {number}: expected a name and a token")),
        };
        if !name.chars().all(|c| c.is_alphanumeric() || "-_.@".contains(c)) {
            return Err(format!("line {number}: a name has only letters, digits and - _ . @"));
        }
        Ok(AccessToken { name: name.into(), secret })
    }
}

/// Parses a token file. Empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// A line is malformed, two have the same name or token, or the file has no token.
pub fn parse(text: &str) -> Result<Vec<AccessToken>, String> {
    let mut tokens = Vec::new();
    let (mut names, mut secrets) = (HashSet::new(), HashSet::new());
    for (i, line) in text.lines().enumerate().map(|(i, line)| (i, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let token = AccessToken::parse(line, i + 1)?;
        if !names.insert(token.name.clone()) || !secrets.insert(token.secret.clone()) {
            return Err(format!("line {}: another line has the same name or token", i + 1));
        }
        tokens.push(token);
    }
    if tokens.is_empty() { Err("no tokens found; the service would be open to everyone".into()) } else { Ok(tokens) }
}

/// The tokens that are valid now, and their use.
#[derive(Debug)]
pub struct Tokens {
    file: Option<PathBuf>,
    tokens: RwLock<Vec<Arc<AccessToken>>>,
    seen: Mutex<Option<(SystemTime, u64)>>,
    used: Mutex<BTreeMap<Arc<str>, TokenUse>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TokenUse {
    requests: u64,
    pages: u64,
}

impl Tokens {
    /// Reads the tokens of a file, or takes the `given` lines if `file` is `None`.
    ///
    /// # Errors
    /// The file cannot be read, or a line is malformed.
    pub fn new(file: Option<&Path>, given: &[String]) -> Result<Tokens, String> {
        let tokens = match file {
            Some(path) => read(path)?,
            None if given.is_empty() => Vec::new(),
            None => parse(&given.join("\n"))?,
        };
        let tokens = tokens.into_iter().map(Arc::new).collect();
        let seen = Mutex::new(file.and_then(state));
        Ok(Tokens { file: file.map(Path::to_owned), tokens: RwLock::new(tokens), seen, used: Mutex::default() })
    }

    /// Whether requests need a token.
    pub fn are_needed(&self) -> bool {
        self.file.is_some() || !self.all().is_empty()
    }

    /// Whether the tokens are from a file.
    pub fn have_file(&self) -> bool {
        self.file.is_some()
    }

    fn all(&self) -> Vec<Arc<AccessToken>> {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the token with this text.
    pub fn find(&self, given: &str) -> Option<Arc<AccessToken>> {
        // Every token is compared, so that timing does not reveal which one is similar.
        self.all().into_iter().fold(None, |found, token| if same(given, &token.secret) { Some(token) } else { found })
    }

    /// Reads the file again if it has changed, or in any case. A file with an error changes nothing.
    pub fn reload(&self, always: bool) {
        let Some(path) = &self.file else { return };
        let now = state(path);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == now && !always {
            return;
        }
        *seen = now;
        drop(seen);
        match read(path) {
            Ok(tokens) => {
                log::event("tokens", &format!("{} tokens read", tokens.len()));
                *self.tokens.write().unwrap_or_else(PoisonError::into_inner) =
                    tokens.into_iter().map(Arc::new).collect();
            }
            Err(error) => log::event("tokens", &format!("{error}; the tokens stay as they were")),
        }
    }

    /// Counts a request.
    pub fn count_request(&self, name: &Arc<str>) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).entry(name.clone()).or_default().requests += 1;
    }

    /// Counts a page for the holder of a token.
    pub fn count_page(&self, name: &Arc<str>) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).entry(name.clone()).or_default().pages += 1;
    }

    /// Returns the metrics in Prometheus' text format: of all tokens, or of `only` one, whose holder must not learn of the others.
    pub fn metrics(&self, only: Option<&str>) -> String {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        used.retain(|name, _| only.is_none_or(|only| only == &**name));
        let mut out = String::new();
        let mut family = |name: &str, help: &str, value: fn(&TokenUse) -> u64| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
            for (token, used) in &used {
                let _ = writeln!(out, "{name}{{token=\"{token}\"}} {}", value(used));
            }
        };
        if !used.is_empty() {
            family("maintext_token_requests_total", "Requests by the name of their token.", |u| u.requests);
            family("maintext_token_pages_total", "Pages by the name of their token.", |u| u.pages);
        }
        out
    }
}

fn read(path: &Path) -> Result<Vec<AccessToken>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn state(path: &Path) -> Option<(SystemTime, u64)> {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.modified().ok()?, facts.len()))
}

/// Compares in constant time, so that timing does not reveal a part of a token.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_tokens() {
        let text = "# ours\n\nplain==\nnews s3cret\nlab  other\n";
        let tokens = parse(text).unwrap();
        let names: Vec<&str> = tokens.iter().map(|t| &*t.name).collect();
        assert_eq!(names, ["token-3", "news", "lab"]);
        for (wrong, says) in [
            ("", "no tokens found"),
            ("a b c", "expected a name"),
            ("a b\na c", "line 2: another line"),
            ("a b\nc b", "line 2: another line"),
            ("a\"b c", "a name has only"),
        ] {
            let error = parse(wrong).unwrap_err();
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn only_complete_tokens_match() {
        let tokens = Tokens::new(None, &["first".into(), "lab second".into()]).unwrap();
        assert_eq!(tokens.find("second").unwrap().name, "lab".into());
        assert!(tokens.find("first").is_some() && tokens.are_needed());
        assert!(tokens.find("fir").is_none() && tokens.find("").is_none() && tokens.find("lab").is_none());
        assert!(!Tokens::new(None, &[]).unwrap().are_needed());
    }

    #[test]
    fn pages_are_counted_by_token() {
        let tokens = Tokens::new(None, &["lab second".into()]).unwrap();
        tokens.count_page(&"lab".into());
        let metrics = tokens.metrics(None);
        assert!(metrics.contains("maintext_token_pages_total{token=\"lab\"} 1\n"), "{metrics}");
        assert!(tokens.metrics(Some("lab")) == metrics && tokens.metrics(Some("la")).is_empty());
    }

    #[test]
    fn a_changed_file_is_read_again() {
        let path = std::env::temp_dir().join(format!("maintext-tokens-{}", std::process::id()));
        std::fs::write(&path, "a one\n").unwrap();
        let tokens = Tokens::new(Some(&path), &[]).unwrap();
        std::fs::write(&path, "a one\nb two\n").unwrap();
        tokens.reload(false);
        assert!(tokens.find("two").is_some());
        std::fs::write(&path, "\n").unwrap();
        tokens.reload(false);
        assert!(tokens.find("two").is_some(), "a file without tokens does not open or close the service");
        std::fs::remove_file(&path).unwrap();
        tokens.reload(true);
        assert!(tokens.find("one").is_some() && tokens.are_needed());
    }
}
