//! The way of one page through the service: it is loaded, waits for its client's turn, is worked on, and its answer keeps its memory until
//! the client has read it.
use crate::app::{App, Source};
use crate::ask::{Choices, Fetch, PageJob};
use crate::client::Client;
use crate::cost::{self, Cost};
use crate::memory::MemoryShare;
use crate::metrics::{Counted, Timing};
use crate::problem::Problem;
use crate::trace;
use crate::turns::{Need, Turn};
use axum::body::Bytes;
use axum::http::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tokio::time::timeout;

impl App {
    /// Reads the start of a site of which a map has found no address, to learn why: a crawl tells failures apart by their messages only.
    ///
    /// # Errors
    /// The start cannot be read.
    pub async fn check_start(self: &Arc<App>, url: &str) -> Result<(), Problem> {
        let job = PageJob::at(url, Fetch::default(), Choices::default());
        self.on_page(job, |app, choices, source| app.extract(choices, source).map(drop)).await
    }

    /// Loads a page and runs `work` on it, within the limits of one request.
    ///
    /// # Errors
    /// The service is at capacity (503), the page cannot be loaded, `work` fails, or the time limit is exceeded.
    pub async fn on_page<T: Send + 'static>(
        self: &Arc<Self>,
        job: PageJob,
        work: impl Fn(&App, &Choices, &Source) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<T, Problem> {
        self.on_page_as(cost::PAGE, job, work).await
    }

    /// Like [`App::on_page`], for work of another cost.
    ///
    /// # Errors
    /// As for [`App::on_page`].
    pub async fn on_page_as<T: Send + 'static>(
        self: &Arc<Self>,
        cost: Cost,
        job: PageJob,
        work: impl Fn(&App, &Choices, &Source) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<T, Problem> {
        let (value, turn, _) = self.page(cost, job, false, work).await?;
        // The result needs memory until it has become an answer.
        trace::keep(turn);
        Ok(value)
    }

    /// Like [`App::on_page`], for work whose waiting amount the caller limits.
    ///
    /// # Errors
    /// As for [`App::on_page`].
    pub async fn on_page_patiently<T: Send + 'static>(
        self: &Arc<Self>,
        job: PageJob,
        work: impl Fn(&App, &Choices, &Source) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<T, Problem> {
        Ok(self.page(cost::PAGE, job, true, work).await?.0)
    }

    /// Like [`App::on_page_patiently`], for `work` that returns a part of an answer. Its bytes occupy the client's share of the memory until
    /// they are dropped.
    ///
    /// # Errors
    /// The service is at capacity (503), the page cannot be loaded, `work` fails, or the time limit is exceeded.
    pub async fn reply(
        self: &Arc<Self>,
        job: PageJob,
        work: impl Fn(&App, &Choices, &Source) -> Result<Vec<u8>, Problem> + Send + Sync + 'static,
    ) -> Result<Bytes, Problem> {
        let (bytes, turn, mut share) = self.page(cost::PAGE, job, true, work).await?;
        // The page is gone; the memory of the extraction stays taken until the answer has its own.
        share.shrink(bytes.len());
        share.grow_soon(bytes.len() - share.bytes()).await?;
        drop(turn);
        Ok(share.hold(bytes))
    }

    async fn page<T: Send + 'static>(
        self: &Arc<Self>,
        cost: Cost,
        job: PageJob,
        patient: bool,
        work: impl Fn(&App, &Choices, &Source) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<(T, Turn, MemoryShare), Problem> {
        let steps = async {
            let choices = job.choices.clone();
            let work = Arc::new(work);
            let run = |source: Source, share: MemoryShare| {
                let (client, work) = (share.client().clone(), work.clone());
                // If the client leaves, the work continues, and must keep the share of the page.
                let work =
                    move |app: &App, choices: &Choices, source: Source| (work(app, choices, &source), source, share);
                let choices = choices.clone();
                async move { self.work_on(cost, &client, choices, source, patient, work).await }
            };
            let (source, share) = self.source(job).await?;
            let ((done, source, share), turn) = run(source, share).await?;
            match self.rendered_if_needed(&source, &choices.options.method, &share).await {
                None => Ok((done?, turn, share)),
                Some((rendered, memory)) => {
                    // The rendered page replaces this one.
                    drop((done, turn, share, source));
                    let ((done, _, share), turn) = run(rendered, memory).await?;
                    Ok((done?, turn, share))
                }
            }
        };
        timeout(self.config.request_timeout, steps).await.unwrap_or_else(|_| Err(self.too_long()))
    }

    /// Runs `work` on a loaded page when it is the client's turn.
    ///
    /// # Errors
    /// Too many requests wait (503), or the work panicked.
    pub async fn work_on<T: Send + 'static>(
        self: &Arc<Self>,
        cost: Cost,
        client: &Client,
        choices: Choices,
        source: Source,
        patient: bool,
        work: impl FnOnce(&App, &Choices, Source) -> T + Send + 'static,
    ) -> Result<(T, Turn), Problem> {
        let estimate = cost.of(&source.bytes, self.limits.most(), self.config.budget);
        let waited_for = StopOnDrop::default();
        let choices = choices.with(|o| (o.budget, o.stop) = (estimate.budget, Some(waited_for.0.clone())));
        let need = Need { bytes: estimate.bytes, long: estimate.long, host: None };
        let app = self.clone();
        self.queued(client, need, patient, move || work(&app, &choices, source)).await
    }

    /// Runs `work` that needs up to `bytes` of memory when it is the client's turn. A panic there fails only this request.
    ///
    /// # Errors
    /// Too many requests wait (503), the work panicked, or the time limit is exceeded.
    pub async fn on_worker<T: Send + 'static>(
        self: &Arc<Self>,
        bytes: usize,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        let need = Need { bytes: bytes.min(self.limits.most()), long: bytes > cost::LONG, host: None };
        let client = trace::client();
        let run = self.queued(&client, need, false, move || work(&app));
        let (value, turn) = timeout(self.config.request_timeout, run).await.unwrap_or_else(|_| Err(self.too_long()))?;
        trace::keep(turn);
        Ok(value)
    }

    /// Runs `work` on an extraction thread when it is the client's turn.
    ///
    /// # Errors
    /// Too many requests wait (503), or the work panicked.
    pub async fn queued<T: Send + 'static>(
        &self,
        client: &Client,
        need: Need,
        patient: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Turn), Problem> {
        let (start, waiting) = (Instant::now(), Counted::new(&self.metrics.queued));
        let turn = self.limits.workers.take(client, need, patient).await?;
        drop(waiting);
        self.metrics.time(Timing::Queue, start.elapsed());
        trace::note(|facts| facts.queue = Some(facts.queue.unwrap_or_default() + start.elapsed()));
        let (trace, client) = (trace::current(), client.clone());
        self.limits.run(turn, move || trace::within(trace, client, work)).await
    }

    fn too_long(&self) -> Problem {
        let detail = format!("the request was not completed within {} s", self.config.request_timeout.as_secs_f64());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "request_timeout", detail)
    }
}

/// Stops work on another thread, which reads this mark, when its request ends: by an answer, by the time limit, or because the client
/// leaves.
#[derive(Debug, Default)]
pub struct StopOnDrop(pub Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
