//! The first pass of a run that compares the pages of each host.
use super::{
    BYTES_PER_THREAD, Closed, Failure, Job, MAX_BYTES, PAGES_PER_THREAD, Progress, Work, ended_by_caller, no_thread,
    read,
};
use crate::budget::{FlightBudget, lock};
use crate::totals::Totals;
use crate::worker::Worker;
use maintext_core::model::site::{Sample, Site, key};
use maintext_core::page_url;
use maintext_corpus::inputs::{Loaded, Position, RawPage};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the pages of each host share.
#[derive(Debug, Default)]
pub(super) struct SharedSites(HashMap<String, Arc<Site>>);

/// Returns the host of an address without `www.`.
fn host(address: &str) -> Option<String> {
    let url = page_url(address).ok()?;
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

impl SharedSites {
    /// Reads all inputs and samples the pages of each host. The samples do not depend on the order of the threads.
    pub(super) fn read(
        job: &Job,
        outputs: &[PathBuf],
        progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<SharedSites, Failure> {
        if job.options.method != "learned" {
            return Err(wrong("only the method 'learned' compares the pages of a host"));
        }
        if !job.inputs.can_resume() || job.inputs.fetches() {
            return Err(wrong("the inputs are read twice; standard input and lists of addresses cannot be"));
        }
        let threads = job.threads.max(1);
        let budget = FlightBudget::new(threads * PAGES_PER_THREAD, (threads * BYTES_PER_THREAD).min(MAX_BYTES));
        let samples: Mutex<HashMap<String, Sample>> = Mutex::default();
        let (work_in, work_out) = channel();
        let (done_in, done_out) = channel();
        let work_out = Mutex::new(work_out);
        let items = job.inputs.read(Position::default(), outputs);
        let consumed = job.inputs.consumed();
        thread::scope(|scope| {
            let _closed = Closed(&budget);
            let reading = thread::Builder::new().spawn_scoped(scope, || read(items, work_in, &budget));
            reading.map_err(|e| no_thread(&e))?;
            for started in 0..threads {
                let done_in = done_in.clone();
                let (work_out, samples, budget) = (&work_out, &samples, &budget);
                let closed = Closed(budget);
                let sample = move || {
                    let _closed = closed;
                    let mut worker = Worker::new(job.options.clone(), None);
                    while let Some(work) = next(work_out) {
                        let size = work.size;
                        if let Loaded::Page(page) = work.item.page(None, job.max_size) {
                            add(samples, &mut worker, &page);
                        }
                        budget.give(size);
                        if done_in.send(()).is_err() {
                            return;
                        }
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, sample) {
                    Err(error) if started == 0 => return Err(no_thread(&error)),
                    Err(_) => break,
                    Ok(_) => {}
                }
            }
            drop(done_in);
            let totals = Totals::default();
            for () in done_out {
                let now = Progress { totals: &totals, consumed: consumed.load(Ordering::Relaxed), first_pass: true };
                if progress(now).is_break() {
                    return Err(ended_by_caller());
                }
            }
            Ok(())
        })?;
        let samples = samples.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(SharedSites(samples.into_iter().filter_map(|(host, s)| Some((host, Arc::new(s.site()?)))).collect()))
    }

    /// Returns the similarities of the pages of an address's host, if there are enough of them.
    pub(super) fn of(&self, address: Option<&str>) -> Option<Arc<Site>> {
        self.0.get(&host(address?)?).cloned()
    }
}

fn wrong(message: &str) -> Failure {
    Failure::Settings(format!("sites: {message}"))
}

fn next(work: &Mutex<Receiver<Work>>) -> Option<Work> {
    lock(work).recv().ok()
}

/// Adds a page to the sample of its host, if the sample wants it. A page that fails is reported by the second pass.
fn add(samples: &Mutex<HashMap<String, Sample>>, worker: &mut Worker, page: &RawPage) {
    let Some((address, host)) = page.url.as_deref().and_then(|url| Some((url, host(url)?))) else { return };
    let key = key(address);
    if page.whole || lock(samples).get(&host).is_some_and(|sample| !sample.wants(key)) {
        return;
    }
    if let Some(trace) = worker.trace(&page.bytes, page.charset.as_deref()) {
        lock(samples).entry(host).or_default().add(key, trace);
    }
}
