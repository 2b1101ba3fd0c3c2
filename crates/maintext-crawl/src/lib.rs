//! A polite crawler for list pages: it follows their paginations and entries and writes the detail pages, a JSON object a line.
//!
//! It keeps its state in an SQLite file beside the output. A page's line and the word that the page is done become durable together:
//! the line is synced first, then one transaction notes the output's new length and the page's state; after a kill the output is cut to the
//! noted length. So nothing is lost and nothing is written twice, whenever the process ends.
//!
//! - [`address`] says when two addresses are one, and which are traps.
//! - [`robots`] holds the rules of a server, [`starts`] reads feeds and sitemaps.
//! - [`store`] is the state: queue, validators, output.
//! - [`worker`] fetches and reads one page; [`run`](crawl) decides what is asked for next, and when.
#![forbid(unsafe_code)]

pub mod address;
mod options;
pub mod robots;
mod run;
pub mod starts;
pub mod store;
pub mod worker;

pub use options::{Error, Hosts, Observer, Options, Progress};
pub use run::crawl;
