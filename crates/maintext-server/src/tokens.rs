//! Bearer tokens with names, rates and quotas. The file is read again when it changes and on SIGHUP.
use crate::config::Rate;
use crate::log;
use crate::problem::Problem;
use crate::rates::too_many;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessToken {
    /// The name of its holder, for the log and the metrics.
    pub name: Arc<str>,
    secret: String,
    /// Its own rate, if it differs from the other clients' rate.
    pub rate: Option<Rate>,
    /// Number of pages that it may read on one day (UTC).
    pub pages_per_day: Option<u64>,
}

/// Burst of a rate without `burst=`, in seconds.
const BURST_SECONDS: f64 = 4.0;

impl AccessToken {
    /// Parses a line of the token file: `[NAME] TOKEN [rate=N/s] [burst=N] [pages-per-day=N]`.
    fn parse(line: &str, number: usize) -> Result<AccessToken, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (settings, words): (Vec<&str>, Vec<&str>) = words
            .into_iter()
            .partition(|word| ["rate=", "burst=", "pages-per-day="].iter().any(|key| word.starts_with(key)));
        let (name, secret) = match words[..] {
            [secret] => (format!("token-{number}"), secret.to_owned()),
            [name, secret] => (name.to_owned(), secret.to_owned()),
            // The line holds a secret, so the message does not repeat it.
            _ => return Err(format!("line {number}: expected a name, a token, and settings such as rate=5/s")),
        };
        if !name.chars().all(|c| c.is_alphanumeric() || "-_.@".contains(c)) {
            return Err(format!("line {number}: a name has only letters, digits and - _ . @"));
        }
        let (mut per_second, mut burst, mut pages_per_day) = (None, None, None);
        for setting in settings {
            let wrong =
                || format!("line {number}: cannot read '{setting}'; write rate=5/s, burst=20 or pages-per-day=1000");
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            match key {
                "rate" => per_second = Some(parse_rate(value).ok_or_else(wrong)?),
                "burst" => burst = Some(value.parse().ok().filter(|n: &u32| *n > 0).ok_or_else(wrong)?),
                _ => pages_per_day = Some(value.parse().map_err(|_| wrong())?),
            }
        }
        let rate = match (per_second, burst) {
            (None, Some(_)) => return Err(format!("line {number}: 'burst' needs 'rate'")),
            (None, None) => None,
            (Some(per_second), burst) => {
                let usual = (per_second * BURST_SECONDS).ceil().clamp(1.0, 1e9) as u32;
                Some(Rate { per_second, burst: burst.unwrap_or(usual) })
            }
        };
        Ok(AccessToken { name: name.into(), secret, rate, pages_per_day })
    }
}

/// Parses `5/s`, `30/min`, `100/h`, or a number per second.
fn parse_rate(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once('/').unwrap_or((text, "s"));
    let seconds = match unit {
        "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number / seconds)
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
    day: u64,
    pages_of_day: u64,
}

const DAY: u64 = 24 * 3600;

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

    /// Returns the token of this name.
    pub fn named(&self, name: &str) -> Option<Arc<AccessToken>> {
        self.all().into_iter().find(|token| &*token.name == name)
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
    ///
    /// # Errors
    /// The quota of the day is used up (429).
    pub fn count_page(&self, name: &Arc<str>) -> Result<(), Problem> {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        self.count_page_at(name, since_epoch)
    }

    fn count_page_at(&self, name: &Arc<str>, seconds: u64) -> Result<(), Problem> {
        let quota = self.named(name).and_then(|token| token.pages_per_day);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.entry(name.clone()).or_default();
        if used.day != seconds / DAY {
            (used.day, used.pages_of_day) = (seconds / DAY, 0);
        }
        if let Some(quota) = quota.filter(|quota| used.pages_of_day >= *quota) {
            let wait = Duration::from_secs(DAY - seconds % DAY);
            let detail = format!("the quota pages-per-day={quota} of the token '{name}' is used up until midnight UTC");
            return Err(too_many(&detail, wait));
        }
        used.pages_of_day += 1;
        used.pages += 1;
        Ok(())
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
    fn a_file_names_tokens_and_their_limits() {
        let text = "# ours\n\nplain==\nnews s3cret rate=5/s pages-per-day=3\nlab  other rate=30/min burst=7\n";
        let tokens = parse(text).unwrap();
        let names: Vec<&str> = tokens.iter().map(|t| &*t.name).collect();
        assert_eq!(names, ["token-3", "news", "lab"]);
        assert_eq!(tokens[1].rate, Some(Rate { per_second: 5.0, burst: 20 }));
        assert_eq!(tokens[2].rate, Some(Rate { per_second: 0.5, burst: 7 }));
        assert_eq!((tokens[0].rate, tokens[1].pages_per_day), (None, Some(3)));
        for (wrong, says) in [
            ("", "no tokens found"),
            ("a b c", "expected a name"),
            ("a b rate=x", "cannot read 'rate=x'"),
            ("a b rate=-1/s", "cannot read"),
            ("a b burst=3", "needs 'rate'"),
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
    fn a_quota_ends_at_midnight() {
        let tokens = Tokens::new(None, &["lab second pages-per-day=2".into()]).unwrap();
        let name: Arc<str> = "lab".into();
        let evening = 20_000 * DAY - 90;
        tokens.count_page_at(&name, evening).unwrap();
        tokens.count_page_at(&name, evening).unwrap();
        let problem = tokens.count_page_at(&name, evening).unwrap_err();
        assert_eq!((problem.status.as_u16(), problem.retry_after), (429, Some(90)));
        assert!(problem.detail.contains("pages-per-day=2 of the token 'lab'"), "{}", problem.detail);
        tokens.count_page_at(&name, evening + 90).unwrap();
        let metrics = tokens.metrics(None);
        assert!(metrics.contains("maintext_token_pages_total{token=\"lab\"} 3\n"), "{metrics}");
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
