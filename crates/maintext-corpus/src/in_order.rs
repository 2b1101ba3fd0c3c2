//! Work on several threads whose results come in the order of the jobs.
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The results of jobs, each with the job's key, in the order of the jobs. The threads end when it is dropped.
pub(crate) struct InOrder<K, T>(Receiver<(K, Receiver<T>)>);

impl<K: Send + 'static, T: Send + 'static> InOrder<K, T> {
    /// Starts the threads: one takes the jobs from their iterator, `threads` work on them. Two more than `ahead` jobs are in progress or
    /// finished at most. A key without a job has no result.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn new<J: Send + 'static>(
        threads: usize,
        ahead: usize,
        jobs: impl Iterator<Item = (K, Option<J>)> + Send + 'static,
        work: impl Fn(J) -> T + Send + Sync + 'static,
    ) -> io::Result<InOrder<K, T>> {
        let (order, results) = sync_channel(ahead);
        let (to_do, jobs_out) = channel();
        let (jobs_out, work) = (Arc::new(Mutex::new(jobs_out)), Arc::new(work));
        for _ in 0..threads {
            let (jobs_out, work) = (jobs_out.clone(), work.clone());
            thread::Builder::new().name("unpack".into()).spawn(move || run(&jobs_out, &*work))?;
        }
        let distribute = move || {
            for (key, job) in jobs {
                let (result_in, result) = channel();
                if order.send((key, result)).is_err() {
                    return;
                }
                if let Some(job) = job
                    && to_do.send((job, result_in)).is_err()
                {
                    return;
                }
            }
        };
        thread::Builder::new().name("split".into()).spawn(distribute)?;
        Ok(InOrder(results))
    }
}

fn run<J, T>(jobs: &Mutex<Receiver<(J, Sender<T>)>>, work: &dyn Fn(J) -> T) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((job, result)) = next else { return };
        // The receiver is gone if the reader has been dropped.
        let _ = result.send(work(job));
    }
}

impl<K, T> Iterator for InOrder<K, T> {
    type Item = (K, Option<T>);

    fn next(&mut self) -> Option<(K, Option<T>)> {
        let (key, result) = self.0.recv().ok()?;
        Some((key, result.recv().ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs = (0..100).map(|n: u64| (n, (!n.is_multiple_of(7)).then_some(n)));
        let work = |n: u64| {
            thread::sleep(Duration::from_micros(n * 37 % 50));
            2 * n
        };
        let found: Vec<_> = InOrder::new(4, 8, jobs, work).unwrap().collect();
        let expected: Vec<_> = (0..100).map(|n| (n, (n % 7 != 0).then_some(2 * n))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_job_that_panics_has_no_result() {
        let jobs = (0..3).map(|n| (n, Some(n)));
        let found: Vec<_> = InOrder::new(4, 1, jobs, |n| 10 / (n - 1)).unwrap().collect();
        assert_eq!(found, [(0, Some(-10)), (1, None), (2, Some(10))]);
    }
}
