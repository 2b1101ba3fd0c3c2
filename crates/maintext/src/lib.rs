//! maintext turns any web page into its main text, with title, author, date, language and images.
//!
//! # One page
//!
//! ```
//! use maintext::{Input, Options};
//!
//! let html = "<html><head><title>A walk - The Daily Heron</title></head><body><nav><a href=/>Home</a></nav>
//!   <article><h1>A walk</h1><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>
//!   <p>By noon we had seen two herons, a fox, and the first swallows of the year.</p></article></body></html>";
//! let page = maintext::extract(Input::from(html).with_url("https://example.org/walk"), &Options::new())?;
//! assert!(page.text().contains("two herons") && !page.text().contains("Home"));
//! assert_eq!(page.metadata.title.as_deref(), Some("A walk"));
//! # Ok::<(), maintext::Error>(())
//! ```
//!
//! [`Page`] holds the text and the [`Metadata`] that the page states; [`Page::confidence`] estimates how good the text is, and
//! [`Page::warnings`] list limits and problems. Serde writes it as the JSON that the `maintext` command prints.
//!
//! # Formats and settings
//!
//! [`Options`] has a `with_` method per setting. [`Format::Markdown`] suits language models, [`Format::Tei`] suits corpora:
//!
//! ```
//! use maintext::{Favor, Format, Options};
//! let options = Options::new().with_formats([Format::Text, Format::Markdown]).with_favor(Favor::Recall);
//! # let _ = options;
//! ```
//!
//! # Many pages
//!
//! An [`Extractor`] checks the settings once and reuses its buffers. It is `Send`; give each thread its own:
//!
//! ```
//! use maintext::{Extractor, Options};
//! let pages = ["<p>The ferry leaves at nine.", "<p>It comes back in the evening.", "<p>On Sundays it does not run."];
//! let texts: Vec<String> = std::thread::scope(|scope| {
//!     let work = |html| move || Extractor::new(Options::new())?.extract(html);
//!     let threads: Vec<_> = pages.into_iter().map(|html| scope.spawn(work(html))).collect();
//!     let text = |page: Result<maintext::Page, maintext::Error>| page.map(|p| p.text().to_owned());
//!     threads.into_iter().map(|t| text(t.join().unwrap())).collect::<Result<_, _>>()
//! })?;
//! assert_eq!(texts[0], "The ferry leaves at nine.\n");
//! # Ok::<(), maintext::Error>(())
//! ```
//!
//! # Threads, comments and lists
//!
//! A forum thread's posts are in [`Page::posts`] and in the text; readers' comments are in [`Page::comments`] and not in the text. With
//! [`Options::with_lists`] a list page has [`Page::entries`]; [`Extractor::list`] gives entries and pagination of any page.
//!
//! # Things
//!
//! With [`Options::with_things`] the products, recipes, events and other objects of the page are in [`Page::things`], with the origin of
//! each field. [`Options::with_schema`] puts them, other fields of the page and elements by CSS selectors into an object of your own
//! schema, in [`Page::data`].
//!
//! # Preferences
//!
//! [`Page::preferences`] has the uses that the page itself forbids: search, input of a model, training. A program that fetches pages adds
//! the headers' preferences with [`Preferences::add_header`]:
//!
//! ```
//! let mut page = maintext::extract("<p>The ferry leaves at nine.", &maintext::Options::default())?;
//! page.preferences.add_header("Content-Usage", "train-ai=n", "mybot/1.0");
//! assert!(page.preferences.forbids(maintext::Use::AiTrain));
//! # Ok::<(), maintext::Error>(())
//! ```
//!
//! # A program
//!
//! This program prints a saved page as Markdown under its title. It is `examples/one_page.rs`; the other examples extract many pages on
//! threads, list the entries of a page and its further pages, and override a site's markup with selectors.
//!
//! ```no_run
#![doc = include_str!("../examples/one_page.rs")]
//! ```
//!
//! # Cargo features
//!
//! All are on by default, and the models take 2.4 MB together. `learned` (1.35 MB) is the default method. `metadata` (0.1 MB) chooses
//! title, author and date. `comments` (0.1 MB) finds comments and posts. `lists` (0.35 MB) finds page kinds, entries and pagination.
//! `things` reads products, recipes and other objects, also by a schema of the caller. `languages` (0.55 MB) knows 197 languages, not 70.
//! A build with the default method and metadata alone:
//!
//! ```toml
//! maintext = { version = "0.1", default-features = false, features = ["learned", "metadata"] }
//! ```
//!
//! Without `metadata`, the title is the first one that the page states. Debug builds take about twenty times as long for a page; in the profile
//! of your program, `[profile.dev.package."*"]` with `opt-level = 2` prevents that.
//!
//! The library does no I/O and gives the same answer for the same input. Everything else, such as trees, blocks and
//! trainers, is in `maintext-core`, which promises no stability.
#![forbid(unsafe_code)]

mod error;
mod extractor;
mod method;
mod options;
mod rules;

pub use error::Error;
pub use extractor::{Extractor, Input, extract};
/// Bounds on the cost of a page.
///
/// ```
/// use maintext::{Budget, Options};
/// let options = Options::new().with_budget(Budget::default().with_nodes(100));
/// let page = maintext::extract(&"<p>A sentence of some words, again and again.".repeat(1000), &options)?;
/// assert_eq!(page.warnings[0].code.as_str(), "limit_reached");
/// # Ok::<(), maintext::Error>(())
/// ```
pub use maintext_core::Budget;
pub use maintext_core::list::{EntryLink, Group, ListName, ListPage, PageLink, Pagination};
pub use maintext_core::metadata::Alternate;
pub use maintext_core::preferences::{Preferences, StatedIn, Statement, Use, Vocabulary};
pub use maintext_core::render::{AltText, Piece, TitleHeading};
pub use maintext_core::things::{Object as ThingObject, Origin as ThingOrigin, Thing, Value as ThingValue};
pub use maintext_core::visibility::Reason as HiddenReason;
pub use maintext_core::{Barrier, Comment, Entry, Favor, HiddenText, Image, Metadata, Page, Warning, WarningCode};
pub use method::Method;
pub use options::{Format, Options};
pub use rules::Rules;

/// The examples of README.md are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
