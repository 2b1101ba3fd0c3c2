//! The system's allocator, counting what each thread asks of it: the same in every run and build.
#![allow(dead_code)]
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has allocated so far.
pub fn calls() -> u64 {
    CALLS.get()
}

/// How many bytes this thread has allocated so far.
pub fn bytes() -> u64 {
    BYTES.get()
}

struct Counting;

// SAFETY: every call is handed to the system's allocator as it came; counting in thread-local cells without destructors allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        BYTES.set(BYTES.get() + layout.size() as u64);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
