//! Processor time, so that measurements are meaningful on a machine shared with others.
#![allow(dead_code)]

use std::time::{Duration, Instant};

/// A starting point for a measurement.
pub struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

/// Returns the processor time of this thread where the system reports it.
pub fn processor() -> Option<Duration> {
    #[cfg(unix)]
    return rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().ok();
    #[cfg(not(unix))]
    None
}

impl Clock {
    /// Starts a measurement.
    pub fn start() -> Clock {
        Clock { processor: processor(), wall: Instant::now() }
    }

    /// Returns the seconds since the start: processor time of this thread, or wall time where that is not available.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor()) {
            (Some(start), Some(end)) => (end - start).as_secs_f64(),
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Returns the mean seconds per run of `work`, repeated for at least `enough` seconds.
pub fn mean_seconds(enough: f64, mut work: impl FnMut()) -> f64 {
    let clock = Clock::start();
    let wall = Instant::now();
    let mut runs = 0.0;
    loop {
        work();
        runs += 1.0;
        // Avoids asking the kernel too often.
        if wall.elapsed().as_secs_f64() >= enough {
            let seconds = clock.seconds();
            if seconds >= enough {
                return seconds / runs;
            }
        }
    }
}
