//! The machinery of maintext: an implementation detail of the `maintext` crate and of its tools.
//!
//! This crate promises no stability: any release may change any item. Depend on `maintext` instead.
//!
//! ```
//! use maintext_core::{Options, extract};
//!
//! let html = "<html><head><title>A walk</title></head><body><nav><a href=/>Home</a></nav>
//!   <article><h1>A walk</h1><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>
//!   <p>By noon we had seen two herons, a fox, and the first swallows of the year.</p></article></body></html>";
//! let page = extract(html, &Options::default())?;
//! assert!(page.text().contains("two herons"));
//! assert!(!page.text().contains("Home"));
//! # Ok::<(), maintext_core::Error>(())
//! ```
//!
//! The library does no I/O and gives the same answer for the same input. Its global state is computed once and never changes: models, word
//! lists, tables.
#![deny(unsafe_code)]

mod barrier;
mod embedded;
mod extract;
mod json;
mod options;
mod page;
pub mod parts;
mod passes;
pub mod schema;
pub mod settings;
mod shell;
mod source;
mod steps;

pub use barrier::Barrier;
pub use extract::{Analysis, Extractor, extract};
pub use maintext_facts::{Fields, Metadata, Preferences, metadata, preferences, rules};
pub use maintext_lists::{list, list::Entry, page_type};
pub use maintext_page::{Budget, CopyMeter, Warning, WarningCode};
pub use maintext_page::{address, blocks, decode, dom, embed, hash, image, markup, select, visibility, warnings};
pub use maintext_reading::choice::{self, Choice};
pub use maintext_reading::{Error, Favor, Method, View, classic, features, method, methods, model};
pub use maintext_render::{Image, render};
pub use maintext_things::things;
pub use options::{Formats, Html, Input, Options};
pub use page::{Comment, HiddenText, Page};
pub use shell::page_warnings;
pub use source::{DecodedPage, page_url, source};
