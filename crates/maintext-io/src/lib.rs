//! Everything of maintext that touches the world: it fetches pages over HTTP, reads them from JSONL, WARC
//! and Parquet files, and writes results so that no half-written file is ever seen.
//!
//! The `maintext` library itself does no input or output; what this crate hands out (bytes, and the `charset` that
//! the server named) is what `maintext` takes.
//!
//! ```no_run
//! use maintext_io::fetch::{FetchOptions, Fetcher};
//!
//! let fetcher = Fetcher::new(FetchOptions::default())?;
//! let page = fetcher.fetch("https://www.example.org/")?;
//! println!("{}: {} bytes, charset {:?}", page.url, page.body.len(), page.charset);
//! # Ok::<(), maintext_io::fetch::FetchError>(())
//! ```
#![forbid(unsafe_code)]

pub mod atomic;
pub mod browser;
pub mod fetch;
pub mod inputs;
pub mod pages;
pub mod parquet;
pub mod warc;
