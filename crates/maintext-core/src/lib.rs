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
//! The library does no I/O and gives the same answer for the same input. What it keeps between calls is made once and never changes: models, word
//! lists, tables.
#![deny(unsafe_code)]

mod accordions;
pub mod address;
mod articles;
mod barrier;
pub mod blocks;
mod boxes;
mod budget;
pub mod classic;
mod contents;
pub mod decode;
pub mod dom;
pub mod embed;
mod embedded;
mod error;
mod extract;
pub mod features;
mod fields;
pub mod hash;
pub mod image;
mod keep;
mod labels;
mod lexicon;
pub mod list;
pub mod markup;
pub mod metadata;
pub mod method;
pub mod methods;
pub mod model;
mod noscript;
mod notes;
mod num;
mod options;
mod page;
pub mod page_type;
pub mod parts;
pub mod preferences;
pub mod render;
pub mod rules;
pub mod schema;
pub mod select;
pub mod settings;
pub mod site_config;
mod source;
mod tabs;
pub mod things;
mod thread;
mod twins;
pub mod visibility;
pub mod warnings;
pub mod xpath;

pub use barrier::Barrier;
pub use budget::{Budget, CopyMeter};
pub use embedded::page_warnings;
pub use error::Error;
pub use extract::{Analysis, Extractor, extract};
pub use fields::Fields;
pub use keep::Image;
pub use list::Entry;
pub use metadata::Metadata;
pub use method::{Favor, Method, Verdict, View};
pub use options::{Formats, Html, Input, Options};
pub use page::{Comment, HiddenText, Page};
pub use preferences::Preferences;
pub use source::{Source, page_url, source};
pub use warnings::{Warning, WarningCode};
