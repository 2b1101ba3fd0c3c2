//! One thread's extractor. A page that makes it panic or exceeds the time limit gives an error for that page only.
use maintext_core::model::site::{Site, Trace};
use maintext_core::{Error, Extractor, Html, Input, Options, Page, Warning, WarningCode};
use maintext_util::guard;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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
    extractor: Option<Extractor>,
    helper: Option<Helper>,
}

/// A thread that can be abandoned when a page takes too long.
struct Helper {
    work: Sender<Request>,
    done: Receiver<Outcome>,
    /// Closes when the extractor has been created.
    ready: Receiver<()>,
}

/// A page on its way to the helper.
struct Request {
    bytes: Vec<u8>,
    url: Option<String>,
    charset: Option<String>,
    whole: bool,
    site: Option<Arc<Site>>,
}

impl Request {
    fn input(&self) -> Input<'_> {
        let page = Input::at(&self.bytes, self.url.as_deref(), self.charset.as_deref());
        Input { whole: self.whole, site: self.site.as_deref(), ..page }
    }
}

impl Worker {
    /// Creates a worker with the options for all its pages and the time limit for each page.
    ///
    /// With a limit, extraction runs on a separate thread. A thread cannot be stopped from outside: after the limit the page fails, and its
    /// thread ends when the extraction does.
    #[must_use]
    pub fn new(options: Options, limit: Option<Duration>) -> Worker {
        Worker { options, limit, extractor: None, helper: None }
    }

    /// Extracts a page. If its site is given, the page is compared with the site's other pages. An invalid address only gives a warning,
    /// because the text is still useful.
    ///
    /// # Errors
    /// The extraction failed, panicked or exceeded the time limit. The message is one line.
    pub fn extract(&mut self, page: Input<'_>, site: Option<&Arc<Site>>) -> Outcome {
        let Some(limit) = self.limit else {
            let page = Input { site: site.map(Arc::as_ref), ..page };
            return extract(&mut self.extractor, &self.options, page);
        };
        let bytes = match page.html {
            Html::Text(text) => text.as_bytes(),
            Html::Bytes(bytes) => bytes,
        };
        let charset = if matches!(page.html, Html::Text(_)) { Some("utf-8") } else { page.charset };
        let (url, charset) = (page.url.map(str::to_owned), charset.map(str::to_owned));
        let request = Request { bytes: bytes.to_vec(), url, charset, whole: page.whole, site: site.cloned() };
        self.extract_within(request, limit)
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

    fn extract_within(&mut self, job: Request, limit: Duration) -> Outcome {
        let bytes = job.bytes.len();
        let helper = match self.helper.take() {
            Some(helper) => helper,
            None => Helper::start(self.options.clone())?,
        };
        // The time limit does not include loading the model.
        let _ = helper.ready.recv();
        if helper.work.send(job).is_err() {
            return Err(ended());
        }
        match helper.done.recv_timeout(limit) {
            Ok(outcome) => {
                self.helper = Some(helper);
                outcome
            }
            Err(RecvTimeoutError::Timeout) => {
                let message = format!("the page of {bytes} bytes took longer than {} s", limit.as_secs_f64());
                Err(PageError { reason: "time limit", message })
            }
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
        }
    }
}

impl Helper {
    fn start(options: Options) -> Result<Helper, PageError> {
        let (work, jobs) = channel::<Request>();
        let (results, done) = channel();
        let (is_ready, ready) = channel();
        let started = thread::Builder::new().name("extract".into()).spawn(move || {
            let mut extractor = Extractor::new(options.clone()).ok();
            drop(is_ready);
            for job in jobs {
                if results.send(extract(&mut extractor, &options, job.input())).is_err() {
                    return;
                }
            }
        });
        started.map_err(|e| PageError { reason: "no thread", message: format!("cannot start a thread: {e}") })?;
        Ok(Helper { work, done, ready })
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

fn ended() -> PageError {
    PageError { reason: "internal error", message: "the extracting thread has ended".into() }
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
