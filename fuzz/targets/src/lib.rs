//! What the fuzz targets check: one function for each target, which takes any bytes and panics if a promise is broken.
//!
//! libFuzzer calls them by the programs of `fuzz/`, and the tests of this crate on the committed inputs.
#![forbid(unsafe_code)]

pub mod decode;
pub mod formats;
pub mod html_limits;
pub mod html_tree;
pub mod metadata;
pub mod model;
pub mod page;
pub mod render;
pub mod warc;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    ("decode", decode::run),
    ("formats", formats::run),
    ("html_limits", html_limits::run),
    ("html_tree", html_tree::run),
    ("metadata", metadata::run),
    ("model", model::run),
    ("page", page::run),
    ("render", render::run),
    ("warc", warc::run),
];
