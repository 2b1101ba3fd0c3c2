//! One thread's extractor. A page that makes it panic or exceeds the time limit gives an error for that page only.
use maintext_core::model::site::{Site, Trace};
use maintext_core::{Error, Extractor, Html, Input, Options, Page, Warning, WarningCode};
use maintext_util::guard;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The extracted page, or the reason of the failure.
pub type Outcome = Result<Page, PageError>;

/// Why a page gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// A few words that many pages share, to count failures by: "a PDF", "time limit".
    pub reason: &'static str,
    /// The message about this page, in one line.
    pub message: String,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PageError {}

/// Extracts pages one after another and survives panics and timeouts.
///
/// ```
/// let mut worker = maintext_batch::Worker::new(maintext_core::Options::default(), None);
/// let page = worker.extract(b"<p>A page, with a sentence.".into(), None).unwrap();
/// assert_eq!(page.text(), "A page, with a sentence.\n");
/// assert!(worker.extract(b"%PDF-1.7".into(), None).unwrap_err().message.contains("a PDF"));
/// ```
pub struct Worker {
    options: Options,
    /// Time limit for a page.
    limit: Option<Duration>,
    /// Set when the limit has passed: the extractor then ends its work.
    stop: Arc<AtomicBool>,
    extractor: Option<Extractor>,
}

impl Worker {
    /// Creates a worker with the options for all its pages and the time limit for each page.
    ///
    /// With a limit, a thread for each page watches the time.
    #[must_use]
    pub fn new(options: Options, limit: Option<Duration>) -> Worker {
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options { stop: limit.map(|_| stop.clone()).or(options.stop.clone()), ..options };
        Worker { options, limit, stop, extractor: None }
    }

    /// Extracts a page. If its site is given, the page is compared with the site's other pages. An invalid address only gives a warning,
    /// because the text is still useful.
    ///
    /// # Errors
    /// The extraction failed, panicked or exceeded the time limit. The message is one line.
    pub fn extract(&mut self, page: Input<'_>, site: Option<&Arc<Site>>) -> Outcome {
        let page = Input { site: site.map(Arc::as_ref), ..page };
        let Some(limit) = self.limit else { return extract(&mut self.extractor, &self.options, page) };
        let bytes = match page.html {
            Html::Text(text) => text.len(),
            Html::Bytes(bytes) => bytes.len(),
        };
        if self.extractor.is_none() {
            // The time limit does not include loading the model.
            self.extractor = Extractor::new(self.options.clone()).ok();
        }
        self.stop.store(false, Ordering::Relaxed);
        let (running, ended) = channel::<()>();
        let stop = &self.stop;
        let outcome = thread::scope(|scope| {
            let watch = move || {
                if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            // Without a thread, the page has no limit.
            let _ = thread::Builder::new().spawn_scoped(scope, watch);
            let outcome = extract(&mut self.extractor, &self.options, page);
            drop(running);
            outcome
        });
        if self.stop.load(Ordering::Relaxed) {
            let message = format!("the page of {bytes} bytes took longer than {} s", limit.as_secs_f64());
            return Err(PageError { reason: "time limit", message });
        }
        outcome
    }

    /// Records a page for the sample of its site. Returns `None` for a page that fails. The time limit does not apply: the options' budget
    /// bounds the work.
    pub fn trace(&mut self, bytes: &[u8], charset: Option<&str>) -> Option<Trace> {
        let traced = guard::catch(|| {
            let extractor = match &mut self.extractor {
                Some(extractor) => extractor,
                None => self.extractor.insert(Extractor::new(self.options.clone())?),
            };
            extractor.trace(bytes, charset)
        });
        if traced.is_err() {
            // After a panic the extractor may be inconsistent, so it is replaced.
            self.extractor = None;
        }
        traced.ok()?.ok()
    }
}

fn extract(extractor: &mut Option<Extractor>, options: &Options, page: Input<'_>) -> Outcome {
    let result = guard::catch(|| {
        let extractor = match extractor {
            Some(extractor) => extractor,
            None => extractor.insert(Extractor::new(options.clone())?),
        };
        page_of(extractor, page)
    });
    match result {
        Ok(outcome) => outcome.map_err(|error| {
            let reason = if let Error::NotHtml(what) = error { what } else { "settings" };
            PageError { reason, message: error.to_string() }
        }),
        Err(message) => {
            // After a panic the extractor may be inconsistent, so it is replaced.
            *extractor = None;
            Err(PageError { reason: "internal error", message })
        }
    }
}

fn page_of(extractor: &mut Extractor, input: Input<'_>) -> Result<Page, Error> {
    let result = extractor.extract(input);
    let Err(Error::BadUrl { url, .. }) = result else { return result };
    let mut page = extractor.extract(Input { url: None, ..input })?;
    page.warnings.push(Warning::new(WarningCode::BadUrl, format!("'{url}' is not an absolute address: ignored")));
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_over_the_time_limit_is_given_up_and_the_next_is_extracted() {
        let mut worker = Worker::new(Options::default(), Some(Duration::from_millis(20)));
        let large = "<p>a word and <b>another</b>".repeat(200_000);
        let error = worker.extract(large.as_bytes().into(), None).unwrap_err();
        assert!(error.message.contains("took longer than 0.02 s"), "{error}");
        let mut worker = Worker { limit: Some(Duration::from_secs(60)), ..worker };
        assert_eq!(worker.extract(b"<p>A sentence, at last.".into(), None).unwrap().text(), "A sentence, at last.\n");
    }

    #[test]
    fn an_invalid_address_gives_a_warning() {
        let mut worker = Worker::new(Options::default(), None);
        let page = worker.extract(Input::at(b"<p>Words.", Some("nonsense"), None), None).unwrap();
        assert!(page.warnings.iter().any(|w| w.code.as_str() == "bad_url"));
    }
}
