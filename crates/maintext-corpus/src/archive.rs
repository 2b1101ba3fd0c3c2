//! Web archives that are read over HTTP or from disk, a range at a time.
//!
//! The addresses come from the caller's list, so no [`Policy`](maintext_fetch::Policy) applies to them. Every request has a time
//! limit and a largest size. A request that fails is repeated with growing waits; bytes that arrived before the failure are kept.
use maintext_fetch::{FetchError, FetchOptions, Fetcher};
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) mod remote;

/// Largest number of bytes requested at once.
pub(crate) const CHUNK: usize = 8 << 20;
/// A request that brought this many bytes before it failed does not count as a failure: the line is slow, not broken.
const PROGRESS: usize = 64 << 10;
/// Longest wait before a request is repeated.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Longest wait that a server can ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(300);

/// How archives are read.
#[derive(Clone, Debug)]
pub struct ArchiveOptions {
    /// What relative paths in lists start with: an address such as `https://data.commoncrawl.org/`, or a folder.
    pub base: Option<String>,
    /// Largest number of requests at the same time. As many parts of 8 MiB are held in memory.
    pub connections: usize,
    /// How often a request is repeated that brings no data: the server is busy, the connection breaks.
    pub retries: u32,
    /// Wait before the first repetition; it doubles with each further one, up to a minute.
    pub wait: Duration,
    /// Limits and headers of requests. The time limit applies to each request.
    pub fetch: FetchOptions,
}

impl Default for ArchiveOptions {
    fn default() -> Self {
        let (retries, wait) = (8, Duration::from_secs(1));
        ArchiveOptions { base: None, connections: 8, retries, wait, fetch: FetchOptions::default() }
    }
}

/// A file on disk or on a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Local(PathBuf),
    Remote(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Local(path) => write!(f, "{}", path.display()),
            Location::Remote(address) => f.write_str(address),
        }
    }
}

impl Location {
    /// Determines the location of a path or address; `base` goes before relative paths.
    pub(crate) fn new(path: &str, base: Option<&str>) -> Result<Location, String> {
        match (path.split_once("://"), base) {
            (Some(("http" | "https", _)), _) => Ok(Location::Remote(path.to_owned())),
            (Some(("file", local)), _) => Ok(Location::Local(local.into())),
            (Some((scheme, _)), _) => {
                Err(format!("{path}: {scheme}: addresses cannot be read, only http:, https: and file:"))
            }
            (None, None) => Ok(Location::Local(path.into())),
            (None, Some(base)) if path.starts_with('/') && !base.contains("://") => Ok(Location::Local(path.into())),
            (None, Some(base)) => {
                Location::new(&format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/')), None)
            }
        }
    }
}

/// Why a range could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadError {
    /// A few words that many failures share.
    pub(crate) reason: Cow<'static, str>,
    /// The message, in one line without the name of the file.
    pub(crate) message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    fn new(reason: &'static str, message: impl Into<String>) -> ReadError {
        ReadError { reason: reason.into(), message: message.into() }
    }

    fn of(address: &str, error: &FetchError) -> ReadError {
        let text = error.to_string();
        let message = text.strip_prefix(address).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
        ReadError { reason: error.reason(), message: message.to_owned() }
    }
}

/// Bytes of a file.
#[derive(Debug, Default)]
pub(crate) struct FileRange {
    /// Fewer than requested only at the end of the file.
    pub(crate) bytes: Vec<u8>,
    /// The size of the file, if known.
    pub(crate) total: Option<u64>,
}

/// Reads ranges of files. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Ranges {
    fetcher: Fetcher,
    retries: u32,
    wait: Duration,
    /// Set when the results are no longer needed.
    pub(crate) stopped: Arc<AtomicBool>,
}

impl Ranges {
    /// # Errors
    /// The headers or the proxy of the options are invalid.
    pub(crate) fn new(options: &ArchiveOptions) -> Result<Ranges, String> {
        let fetcher = Fetcher::new(options.fetch.clone()).map_err(|e| e.to_string())?;
        Ok(Ranges { fetcher, retries: options.retries, wait: options.wait, stopped: Arc::default() })
    }

    /// Reads `length` bytes from `start` on, at most [`CHUNK`].
    pub(crate) fn read(&self, place: &Location, start: u64, length: usize) -> Result<FileRange, ReadError> {
        match place {
            Location::Local(path) => read_file(path, start, length)
                .map_err(|e: std::io::Error| ReadError::new("unreadable file", format!("cannot be read: {e}"))),
            Location::Remote(address) => self.fetch(address, start, length.min(CHUNK)),
        }
    }

    fn fetch(&self, address: &str, start: u64, length: usize) -> Result<FileRange, ReadError> {
        let mut found = FileRange { bytes: Vec::with_capacity(length), total: None };
        let mut failures = 0;
        loop {
            let before = found.bytes.len();
            let at = start + before as u64;
            let result = self.fetcher.range(address, at, length - before, &mut found.bytes);
            let arrived = found.bytes.len() - before;
            let failure = match result {
                Ok(part) => {
                    found.total = part.total.or(found.total);
                    let end = found.total.is_none_or(|total| at + arrived as u64 >= total);
                    if found.bytes.len() == length || end {
                        return Ok(found);
                    }
                    // The server sent fewer bytes than requested; the rest is requested next.
                    if arrived > 0 {
                        continue;
                    }
                    FetchError::Damaged { url: address.to_owned(), reason: "it is empty".into() }
                }
                Err(error) if !error.is_temporary() => return Err(ReadError::of(address, &error)),
                Err(error) => error,
            };
            // The server asked another request to wait. A wait that is not too long is not a failure of this one.
            if let FetchError::Status { sent: false, retry_after: Some(wait), .. } = &failure
                && *wait <= LONGEST_RETRY_AFTER
            {
                self.pause(&failure, failures.max(1), start)?;
                continue;
            }
            failures = if arrived >= PROGRESS { 1 } else { failures + 1 };
            if failures > self.retries {
                let error = ReadError::of(address, &failure);
                let message = format!("{} (after {failures} attempts)", error.message);
                return Err(ReadError { message, ..error });
            }
            self.pause(&failure, failures, start)?;
        }
    }

    /// Waits before a request is repeated: as long as the server asks, or twice as long as the last time.
    fn pause(&self, failure: &FetchError, failures: u32, start: u64) -> Result<(), ReadError> {
        let asked = match failure {
            FetchError::Status { retry_after, .. } => retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER),
            _ => Duration::ZERO,
        };
        let doubled = self.wait.saturating_mul(1 << (failures - 1).min(16)).min(LONGEST_WAIT);
        // Requests that failed together are not repeated together.
        let spread = doubled.mul_f64((start / 4096 % 32) as f64 / 64.0);
        let until = Instant::now() + asked.max(doubled + spread);
        while Instant::now() < until {
            if self.stopped.load(Ordering::Relaxed) {
                return Err(ReadError::new("ended", "the run has ended"));
            }
            thread::sleep(until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)));
        }
        Ok(())
    }
}

fn read_file(path: &std::path::Path, start: u64, length: usize) -> std::io::Result<FileRange> {
    let mut file = File::open(path)?;
    let total = file.metadata()?.len();
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(FileRange { bytes, total: Some(total) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_base() {
        let at = |path: &str, base: Option<&str>| Location::new(path, base).map(|l| l.to_string());
        let base = Some("https://data.commoncrawl.org/");
        assert_eq!(at("crawl-data/a.warc.gz", base), Ok("https://data.commoncrawl.org/crawl-data/a.warc.gz".into()));
        assert_eq!(at("http://b.org/a.warc.gz", base), Ok("http://b.org/a.warc.gz".into()));
        assert_eq!(at("a.warc.gz", Some("file:///crawls")), Ok("/crawls/a.warc.gz".into()));
        assert_eq!(at("a.warc.gz", Some("/crawls/")), Ok("/crawls/a.warc.gz".into()));
        assert_eq!(at("/b/a.warc.gz", Some("/crawls")), Ok("/b/a.warc.gz".into()));
        assert_eq!(at("a.warc.gz", None), Ok("a.warc.gz".into()));
        assert!(at("s3://commoncrawl/a", base).unwrap_err().contains("s3: addresses cannot be read"));
    }
}
