//! Time on the processor, so that measurements mean something on a machine that others use too.
#![allow(dead_code)]

use std::time::Instant;

/// A point in time to measure from.
pub struct Clock {
    wall: Instant,
    processor: Option<u64>,
}

/// Nanoseconds that this thread has run, where Linux says it.
fn processor() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

impl Clock {
    /// Now.
    pub fn start() -> Clock {
        Clock { processor: processor(), wall: Instant::now() }
    }

    /// Seconds since then: of this thread on the processor, or by the wall where that cannot be told.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor()) {
            (Some(start), Some(end)) => (end - start) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// The mean seconds of a run of `work`, repeated for at least `enough` seconds: the kernel counts a thread's time in ticks of some
/// milliseconds.
pub fn mean_seconds(enough: f64, mut work: impl FnMut()) -> f64 {
    let clock = Clock::start();
    let wall = Instant::now();
    let mut runs = 0.0;
    loop {
        work();
        runs += 1.0;
        // Ask the kernel now and then only.
        if wall.elapsed().as_secs_f64() >= enough {
            let seconds = clock.seconds();
            if seconds >= enough {
                return seconds / runs;
            }
        }
    }
}
