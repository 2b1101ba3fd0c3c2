//! The program `maintext`.
#![deny(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if start::OUTPUT_IS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        maintext_cli::refuse_output();
    }
    ExitCode::from(maintext_cli::run(std::env::args_os().skip(1)))
}

/// Checks before `main` whether standard output is closed: Rust's runtime then opens `/dev/null` instead, and all output would be lost
/// without an error.
#[cfg(target_os = "linux")]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        OUTPUT_IS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }

    /// The section of the functions that run before `main`. Its name is all that the compiler cannot check: the function makes one system
    /// call, and uses nothing that the runtime prepares.
    #[used]
    #[allow(unsafe_code)]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}
