//! A polite crawler for list pages, which follows their paginations and entries and writes the detail pages as JSON Lines, and for whole
//! sites, which it maps from sitemaps, feeds and links.
//!
//! The state is an SQLite file next to the output. A page's output line and its state become durable together: the line is synced
//! first, then one transaction records the new length of the output and the page's state. After a kill, the output is truncated to the
//! recorded length. Nothing is lost and nothing is written twice, whenever the process ends.
//!
//! - [`address`] decides which addresses name the same page and which are traps.
//! - [`robots`] contains the rules of a server; [`starts`] reads feeds and sitemaps.
//! - [`store`] is the state: queue, validators, output.
//! - [`Site`] is the part of the web that a crawl of a whole site covers; [`whole`] crawls and maps it.
//! - [`worker`] fetches and reads one page; [`run`](crawl) schedules the requests.
#![forbid(unsafe_code)]

pub mod address;
mod embed;
mod options;
mod patterns;
pub mod robots;
mod run;
mod site;
pub mod starts;
pub mod store;
pub mod whole;
pub mod worker;

pub use embed::{EmbeddedPage, Host, SharedHost};
pub use options::{Error, Hosts, Observer, Options, Progress};
pub use patterns::Pattern;
pub use run::{crawl, max_requests};
pub use site::{Site, SitePlace, file_type, site_of, within};
