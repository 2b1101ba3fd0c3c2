//! Turns a panic on one page into an error of that page, so that the run continues.
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Silences panics inside [`catch`]; all others are printed as usual. A second call does nothing.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| if GUARDED.get() { MESSAGE.set(describe(info)) } else { usual(info) }));
    });
}

/// Runs `work` and turns a panic into a message. After a panic, everything that `work` changed must be discarded.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    result.map_err(|_| format!("a bug in maintext, please report it with the page: {}", MESSAGE.take()))
}

/// Locks a mutex, also after a panic of another holder: only where no holder leaves its value half changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let what = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let what = what.unwrap_or("panic");
    match info.location() {
        Some(at) => format!("{what} ({}:{})", at.file(), at.line()),
        None => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message_with_its_location() {
        install();
        assert_eq!(catch(|| 3), Ok(3));
        let message = catch(|| panic!("out of cheese")).unwrap_err();
        assert!(message.contains("out of cheese") && message.contains("guard.rs"), "{message}");
    }
}
