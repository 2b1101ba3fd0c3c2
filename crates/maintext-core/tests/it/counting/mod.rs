//! The system's allocator with a count of each thread's requests: the same in every run and build.
#![allow(dead_code)]
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[path = "../../../../maintext-html/tests/it/support/clock.rs"]
mod clock;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Returns how often this thread has allocated so far.
pub fn calls() -> u64 {
    CALLS.get()
}

/// Returns how many bytes this thread has allocated so far.
pub fn bytes() -> u64 {
    BYTES.get()
}

/// Returns the result of `f`, and the most bytes that this thread held at once while `f` ran, beyond those that it held before.
pub fn peak<T>(f: impl FnOnce() -> T) -> (T, i64) {
    let before = HELD.get();
    PEAK.set(before);
    let made = f();
    (made, PEAK.get() - before)
}

/// Returns the processor time of this thread in nanoseconds, which other processes do not affect; `None` if the system does not report it.
pub fn processor() -> Option<u64> {
    clock::processor()?.as_nanos().try_into().ok()
}

/// Measures the processor time of this thread.
pub struct Timer(Option<u64>);

impl Timer {
    pub fn start() -> Timer {
        Timer(processor())
    }

    /// Returns the seconds since the start; 0 where the system does not report them.
    pub fn seconds(&self) -> u64 {
        processor().zip(self.0).map_or(0, |(now, start)| (now - start) / 1_000_000_000)
    }
}

fn count(allocated: usize, freed: usize) {
    CALLS.set(CALLS.get() + (allocated > 0) as u64);
    BYTES.set(BYTES.get() + allocated as u64);
    HELD.set(HELD.get() + allocated as i64 - freed as i64);
    PEAK.set(PEAK.get().max(HELD.get()));
}

struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged; counting in thread-local cells without destructors does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The allocator may have grown the memory in place, without a copy; that cannot be seen here.
        count(size, layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
