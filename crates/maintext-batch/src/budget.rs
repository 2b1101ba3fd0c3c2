//! Limits the pages in flight between the reading and the writing thread.
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Limits the number and the bytes of pages in flight, and with them the memory, whatever the size of the inputs.
pub(crate) struct FlightBudget {
    state: Mutex<OnTheWay>,
    freed: Condvar,
    max_pages: usize,
    max_bytes: usize,
}

#[derive(Default)]
struct OnTheWay {
    pages: usize,
    bytes: usize,
    closed: bool,
}

impl FlightBudget {
    pub(crate) fn new(max_pages: usize, max_bytes: usize) -> FlightBudget {
        FlightBudget { state: Mutex::default(), freed: Condvar::new(), max_pages, max_bytes }
    }

    /// Waits until a page of this size fits. A page larger than the budget passes alone. Returns false once the budget is closed.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let full = |s: &mut OnTheWay| {
            let room = s.pages < self.max_pages && s.bytes.saturating_add(bytes) <= self.max_bytes;
            !s.closed && s.pages > 0 && !room
        };
        let mut state = self.freed.wait_while(lock(&self.state), full).unwrap_or_else(PoisonError::into_inner);
        state.pages += 1;
        state.bytes = state.bytes.saturating_add(bytes);
        !state.closed
    }

    pub(crate) fn give(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.pages -= 1;
        state.bytes -= bytes;
        self.freed.notify_one();
    }

    /// Releases the reader, because nothing is written any longer.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.freed.notify_one();
    }
}

/// Locks a mutex and ignores poisoning: the guarded values are consistent at all times, even after a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_larger_than_the_budget_passes_alone() {
        let budget = FlightBudget::new(2, 10);
        assert!(budget.take(100));
        budget.give(100);
        assert!(budget.take(5) && budget.take(5));
        budget.close();
        assert!(!budget.take(1));
    }
}
