//! The crawls and batches in progress.
use maintext_util::guard::lock;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Notify;

/// The jobs in progress.
#[derive(Default)]
pub struct Jobs {
    running: Mutex<HashMap<String, Arc<RunningJob>>>,
    /// Tells the runner that there is a new job.
    pub wake: Notify,
}

/// A job in progress.
#[derive(Default)]
pub struct RunningJob {
    /// The client that began it.
    pub owner: String,
    /// Set if the work is to stop.
    pub stop: Arc<AtomicBool>,
    /// Number of addresses that a crawl has written or has in its queue, both at one moment.
    pub known: AtomicU64,
}

impl Jobs {
    /// Stops the work on a job.
    pub fn stop(&self, id: &str) {
        if let Some(running) = self.lock().get(id) {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Returns all jobs in progress.
    pub fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<RunningJob>>> {
        lock(&self.running)
    }
}
