//! Chunks of extracted pages for retrieval, and the chunks that answer a question ([`Finder`]): passages of limited size that follow the structure of the page.
//!
//! The structure comes from the extraction, [`Page::pieces`]; Markdown is not parsed again. A chunk is a range of the page's text or
//! Markdown. Headings begin chunks; paragraphs, list items, tables, code and formulas fill them. Only a paragraph that no chunk can hold is
//! cut, between sentences, then words, then graphemes. A table, code or a formula above the limit is a chunk of its own, marked as
//! [`Chunk::oversized`], or is cut between its rows or lines with [`Settings::split_large`].
//!
//! The work is linear in the size of the page.
#![forbid(unsafe_code)]

mod changes;
mod chunk;
mod find;
mod links;
mod sentences;
mod split;
mod tokens;
mod units;

pub use changes::{CHANGES_SCHEMA, Change, ChangeKind, Changes, Reading, changes, words_of};
pub use chunk::{Chunk, Link, SCHEMA};
pub use find::{ANSWER_SCHEMA, Answer, Finder, Passage, Ranked};
pub use tokens::{TOKENIZERS, Tokenizer};

pub use maintext_core::render::PieceForm;

use maintext_core::{CopyMeter, Page, Warning, WarningCode};

/// How to cut pages.
///
/// ```
/// use maintext_chunks::{Settings, Tokenizer};
/// let settings = Settings { overlap: 20, ..Settings::new(Tokenizer::named("words").unwrap(), 200) };
/// assert!(settings.check().is_ok());
/// assert!(Settings { overlap: 150, ..settings }.check().unwrap_err().contains("at most half"));
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// Counts the tokens.
    pub tokenizer: Tokenizer,
    /// Maximum number of tokens of a chunk, with its overlap.
    pub limit: usize,
    /// Chunks with fewer tokens are joined with their neighbours under the same heading, within the limit. 0 joins none.
    pub min: usize,
    /// Maximum number of tokens that a chunk repeats from the end of the one before it in the same section: whole sentences of paragraphs and list items, never
    /// of tables, code or headings.
    pub overlap: usize,
    /// Whether a table above the limit is cut between its rows, with its header before each part, and code between its lines.
    pub split_large: bool,
    /// The text to cut. The page must have been extracted with the same [`Options::pieces`](maintext_core::Options::pieces).
    pub form: PieceForm,
}

impl Settings {
    /// Returns settings for Markdown without overlap and without a minimum.
    #[must_use]
    pub fn new(tokenizer: Tokenizer, limit: usize) -> Settings {
        Settings { tokenizer, limit, min: 0, overlap: 0, split_large: false, form: PieceForm::Markdown }
    }

    /// Returns the text of a page that is cut.
    fn text_of<'p>(&self, page: &'p Page) -> &'p str {
        let text = match self.form {
            PieceForm::Text => &page.text,
            PieceForm::Markdown => &page.markdown,
        };
        text.as_deref().unwrap_or("")
    }

    /// Checks the sizes.
    ///
    /// # Errors
    /// The limit is 0, the minimum is above the limit, or the overlap is above half of it.
    pub fn check(&self) -> Result<(), String> {
        let Settings { limit, min, overlap, .. } = *self;
        match () {
            () if limit == 0 => Err("the limit of a chunk is 0 tokens; it must be at least 1".into()),
            () if min > limit => Err(format!("the minimum of {min} tokens is above the limit of {limit}")),
            () if overlap > limit / 2 => {
                Err(format!("the overlap of {overlap} tokens is too large; it is at most half of the limit of {limit}"))
            }
            () => Ok(()),
        }
    }
}

/// Returns the chunks of a page, in its order. Without their overlaps they hold every word of the text once.
///
/// ```
/// use maintext_chunks::{PieceForm, Settings, Tokenizer, chunks};
/// let options = maintext_core::Options { pieces: Some(PieceForm::Markdown), ..Default::default() };
/// let html = "<article><h1>Ferries</h1><p>The ferry leaves at nine, and returns at six in the evening.</p>
///     <h2>Prices</h2><p>A ticket costs four pounds, or six for both ways. Dogs travel free of charge.</p></article>";
/// let page = maintext_core::extract(html, &options).unwrap();
/// let chunks = chunks(&page, &Settings::new(Tokenizer::named("words").unwrap(), 20));
/// assert_eq!(chunks[1].headings, ["Ferries", "Prices"]);
/// assert!(chunks[1].text.starts_with("## Prices\n\nA ticket costs"));
/// let markdown = page.markdown.unwrap();
/// assert!(chunks.iter().all(|c| markdown[c.bytes.clone()] == c.text));
/// ```
#[must_use]
pub fn chunks(page: &Page, settings: &Settings) -> Vec<Chunk> {
    chunks_with_warning(page, settings).0
}

/// Returns the chunks of a page like [`chunks`], and a warning if they repeat less than they should.
///
/// Beyond 256 bytes for each chunk, the headings and the table headers that chunks repeat may take eight times the size of the text and a
/// mebibyte. Then the former are cut and the latter left out.
#[must_use]
pub fn chunks_with_warning(page: &Page, settings: &Settings) -> (Vec<Chunk>, Option<Warning>) {
    let text = settings.text_of(page);
    // Pieces of another form, or of a text that has been changed since, would point anywhere.
    if !page.pieces.iter().all(|p| text.get(p.range.clone()).is_some()) {
        return (Vec::new(), None);
    }
    let copies = CopyMeter::new(text.len());
    let cuts = split::split(text, &page.pieces, settings, &copies);
    let chunks = chunk::build(text, &page.pieces, cuts, &copies);
    let warning = (copies.left_out() > 0).then(|| {
        let message = format!("{} repeated headings or table headers of chunks are cut", copies.left_out());
        Warning::new(WarningCode::LimitReached, message)
    });
    (chunks, warning)
}
