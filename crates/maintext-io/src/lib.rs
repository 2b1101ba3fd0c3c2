//! Input and output for maintext: fetches pages over HTTP, loads them in a browser, reads them from JSONL, WARC and Parquet files,
//! and writes files atomically.
//!
//! The `maintext` library itself does no input or output. This crate provides what it takes: bytes, and the `charset` that the
//! server declared.
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
