//! The threads that extract. Their number is fixed, because each thread keeps some memory for its next page.
use crate::problem::Problem;
use maintext_util::guard::lock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

type Task = Box<dyn FnOnce() + Send>;

/// A fixed number of threads.
#[derive(Debug)]
pub struct Threads {
    tasks: Mutex<Sender<Task>>,
}

impl Threads {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn new(name: &str, count: usize) -> std::io::Result<Threads> {
        let (sender, receiver) = channel::<Task>();
        let receiver = Arc::new(Mutex::new(receiver));
        for n in 0..count.max(1) {
            let receiver = receiver.clone();
            std::thread::Builder::new().name(format!("{name}-{n}")).spawn(move || run(&receiver))?;
        }
        Ok(Threads { tasks: Mutex::new(sender) })
    }

    /// Runs `work` on the next free thread; `None` if it panics, which ends only this work.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        let task: Task = Box::new(move || {
            // Nothing of the work is used after a panic.
            if let Ok(value) = catch_unwind(AssertUnwindSafe(work)) {
                drop(sender.send(value));
            }
        });
        lock(&self.tasks).send(task).ok()?;
        receiver.await.ok()
    }
}

/// Runs work that waits for something on a thread of its own. It continues if the caller leaves.
///
/// # Errors
/// The work panicked (500).
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Problem::internal())
}

/// Runs tasks until the sender is gone.
fn run(tasks: &Mutex<Receiver<Task>>) {
    loop {
        // The lock is free again while the task runs.
        let Ok(task) = lock(tasks).recv() else { return };
        task();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_ends_only_its_own_work() {
        let threads = Threads::new("test", 1).unwrap();
        assert_eq!(
            threads
                .run(|| if std::env::args().count() > 0 {
                    panic!("expected by this test")
                })
                .await,
            None
        );
        assert_eq!(threads.run(|| 7).await, Some(7));
    }
}
