//! Reads many pages: from JSONL, WARC and Parquet files, from folders and lists of addresses.
//!
//! The `maintext` library itself does no input or output; this crate returns bytes, and the `charset` that the server declared.
#![forbid(unsafe_code)]

#[cfg(feature = "parquet")]
pub mod archive;
#[cfg(feature = "parquet")]
mod in_order;
#[cfg(feature = "parquet")]
pub mod inputs;
#[cfg(feature = "parquet")]
mod members;
pub use maintext_formats::warc;
pub mod pages;
#[cfg(feature = "parquet")]
pub mod parquet;
