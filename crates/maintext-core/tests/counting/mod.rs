//! The system's allocator, counting what each thread asks of it: the same in every run and build.
#![allow(dead_code)]
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// How often this thread has allocated so far.
pub fn calls() -> u64 {
    CALLS.get()
}

/// How many bytes this thread has allocated so far.
pub fn bytes() -> u64 {
    BYTES.get()
}

/// The most bytes that this thread held at once while `f` ran, beyond those that it held before, with what `f` gives.
pub fn peak<T>(f: impl FnOnce() -> T) -> (T, i64) {
    let before = HELD.get();
    PEAK.set(before);
    let made = f();
    (made, PEAK.get() - before)
}

fn count(allocated: usize, freed: usize) {
    CALLS.set(CALLS.get() + (allocated > 0) as u64);
    BYTES.set(BYTES.get() + allocated as u64);
    HELD.set(HELD.get() + allocated as i64 - freed as i64);
    PEAK.set(PEAK.get().max(HELD.get()));
}

struct Counting;

// SAFETY: every call is handed to the system's allocator as it came; counting in thread-local cells without destructors allocates nothing.
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
        // What stays where it is was not copied, but that is for the allocator to know.
        count(size, layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
