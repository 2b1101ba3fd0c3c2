//! Extraction of many pages, shared by `maintext batch`, the Python package and its Spark functions.
//!
//! - [`Columns`]: the fields to write, as JSON and as an Arrow table.
//! - [`Filter`], [`Dedup`]: the pages to keep.
//! - [`Worker`]: one thread's extractor, which survives panics and pages that take too long.
//! - [`write_rows`]: rows that were extracted elsewhere, such as by a crawl, as JSONL, Parquet or a folder.
//! - [`run`]: from inputs to output on all cores, in order, in bounded memory, with checkpoints.
//!
//! The library `maintext` does no input or output and starts no threads; this crate, `maintext-corpus`, `maintext-fetch` and
//! `maintext-browser` do.
#![forbid(unsafe_code)]

mod budget;
mod checkpoint;
mod columns;
mod dedup;
mod filter;
mod measures;
mod output;
mod run;
mod totals;
mod worker;

pub use columns::{Columns, Extra, Rows, Values};
pub use dedup::{Dedup, SeenSignatures, Signature};
pub use filter::{CONDITIONS, Filter};
pub use measures::{measure, measures};
pub use output::{Body, Compression, ShardFormat, Target};
pub use run::{Failure, Job, Progress, UseBrowser, readers, run, write_rows};
pub use totals::{Reasons, Tally, Totals};
pub use worker::{Outcome, PageError, Worker};
