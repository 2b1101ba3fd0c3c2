//! Extraction of many pages: what `maintext batch`, the Python package and its Spark functions share.
//!
//! - [`Columns`]: what is written of a page, as JSON and as an Arrow table.
//! - [`Filter`], [`Dedup`]: which pages are kept.
//! - [`Worker`]: one thread's extractor, which outlives panics and pages that take too long.
//! - [`run`]: inputs to output on all cores, in order, in bounded memory, with checkpoints.
//!
//! The library `maintext` stays free of input, output and threads; they are here and in `maintext-corpus`, `maintext-fetch` and `maintext-browser`.
#![forbid(unsafe_code)]

mod budget;
mod checkpoint;
mod columns;
mod dedup;
mod filter;
mod output;
mod run;
mod totals;
mod worker;

pub use columns::Columns;
pub use dedup::{Dedup, Seen, Signature};
pub use filter::{CONDITIONS, Filter};
pub use output::{Body, Compression, Target};
pub use run::{Failure, Job, Progress, Render, run};
pub use totals::Totals;
pub use worker::{Outcome, Worker};
