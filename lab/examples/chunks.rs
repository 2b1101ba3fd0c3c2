//! Checks the chunks of all pages of a folder of data sets: `chunks DATA_DIR [--split-large]`. docs/chunks.md has the results.
//!
//! The checks verify the promises of chunks against the page's text and its source, independently of the splitter. The exit status is 1 if
//! one fails.
use maintext_chunks::{Chunk, PieceForm, Settings, Tokenizer, chunks};
use maintext_core::render::{Piece, PieceKind};
use maintext_core::{Extractor, Options, Page};
use maintext_lab::{Error, data};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The tokenizers and sizes, with overlap and minimum.
const RUNS: &[(&str, usize, usize, usize)] = &[
    ("words", 50, 0, 0),
    ("words", 350, 0, 0),
    ("words", 350, 50, 40),
    ("chars", 500, 100, 0),
    ("cl100k_base", 128, 0, 0),
    ("cl100k_base", 512, 64, 50),
    ("o200k_base", 512, 0, 0),
    ("o200k_base", 8, 2, 0),
];

/// Maximum number of places that are printed for a check of a run.
const EXAMPLES: usize = 5;

/// The counts of one run.
#[derive(Default)]
struct Counts {
    pages: usize,
    chunks: usize,
    oversized: usize,
    time: Duration,
    /// The checks that failed, with their number and the first places.
    violations: BTreeMap<&'static str, (usize, Vec<String>)>,
}

impl Counts {
    fn violate(&mut self, what: &'static str, example: impl FnOnce() -> String) {
        let (count, examples) = self.violations.entry(what).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            examples.push(example());
        }
    }

    fn add(mut self, other: Counts) -> Counts {
        self.pages += other.pages;
        self.chunks += other.chunks;
        self.oversized += other.oversized;
        self.time += other.time;
        for (what, (count, examples)) in other.violations {
            let own = self.violations.entry(what).or_default();
            own.0 += count;
            own.1.extend(examples);
            own.1.truncate(EXAMPLES);
        }
        self
    }
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, split_large) = match args.as_slice() {
        [folder] => (folder, false),
        [folder, flag] if flag == "--split-large" => (folder, true),
        _ => return Err(Error::other("usage: chunks DATA_DIR [--split-large]")),
    };
    let mut sets: Vec<PathBuf> =
        std::fs::read_dir(folder).map_err(|e| Error::other(e.to_string()))?.flatten().map(|e| e.path()).collect();
    sets.sort();
    let mut all: Vec<Counts> = RUNS.iter().chain(RUNS).map(|_| Counts::default()).collect();
    // wcxb-markdown has no pages of its own.
    sets.retain(|p| p.to_string_lossy().ends_with(".jsonl.zst") && data::set_name(p) != "wcxb-markdown");
    for set in &sets {
        let found = of_set(set, split_large)?;
        all = all.into_iter().zip(found).map(|(a, b)| a.add(b)).collect();
    }
    println!("| form | tokenizer | size | overlap | min | pages | chunks | oversized | chunks/s | violations |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let forms = [PieceForm::Markdown, PieceForm::Text].into_iter().flat_map(|f| RUNS.iter().map(move |r| (f, r)));
    for ((form, (tokenizer, size, overlap, min)), counts) in forms.zip(&all) {
        let Counts { pages, chunks, oversized, time, violations } = counts;
        let form = if form == PieceForm::Text { "text" } else { "markdown" };
        let rate = *chunks as f64 / time.as_secs_f64();
        let failed: usize = violations.values().map(|v| v.0).sum();
        println!(
            "| {form} | {tokenizer} | {size} | {overlap} | {min} | {pages} | {chunks} | {oversized} | {rate:.0} | {failed} |"
        );
    }
    let violations: Vec<_> = all.iter().flat_map(|c| &c.violations).collect();
    for (what, (count, examples)) in &violations {
        println!("{what}: {count}, first in {}", examples.join("; "));
    }
    if violations.is_empty() { Ok(()) } else { Err(Error::other("chunks break their promises")) }
}

fn of_set(path: &Path, split_large: bool) -> Result<Vec<Counts>, Error> {
    let pages: Vec<data::Page> = data::read(path)?.into_iter().filter(|p| !p.html.is_empty()).collect();
    let name = data::set_name(path);
    let extractor = |form| Extractor::new(Options { pieces: Some(form), ..Options::default() });
    let of_page = |page: &data::Page| -> Vec<Counts> {
        let mut all = Vec::new();
        for form in [PieceForm::Markdown, PieceForm::Text] {
            let Ok(mut extractor) = extractor(form) else { continue };
            let source = page.decoded();
            let Ok(found) = extractor.extract_at(source.as_ref(), page.url.as_deref(), None) else {
                all.extend(RUNS.iter().map(|_| Counts::default()));
                continue;
            };
            for &(tokenizer, limit, overlap, min) in RUNS {
                let Ok(tokenizer) = Tokenizer::named(tokenizer) else { continue };
                let settings = Settings { overlap, min, split_large, form, ..Settings::new(tokenizer, limit) };
                let name = || format!("{name} {}", page.id);
                all.push(checked(&found, &source, &settings, &name));
            }
        }
        all
    };
    let none = || RUNS.iter().chain(RUNS).map(|_| Counts::default()).collect::<Vec<_>>();
    let sum = |a: Vec<Counts>, b: Vec<Counts>| a.into_iter().zip(b).map(|(a, b)| a.add(b)).collect();
    Ok(pages.par_iter().map(of_page).reduce(none, sum))
}

/// Cuts a page and checks its chunks.
fn checked(page: &Page, source: &str, settings: &Settings, name: &dyn Fn() -> String) -> Counts {
    let text = match settings.form {
        PieceForm::Text => page.text(),
        PieceForm::Markdown => page.markdown.as_deref().unwrap_or(""),
    };
    let start = Instant::now();
    let found = chunks(page, settings);
    let mut counts = Counts { pages: 1, chunks: found.len(), time: start.elapsed(), ..Counts::default() };
    counts.oversized = found.iter().filter(|c| c.oversized).count();
    let characters: Vec<usize> = text.char_indices().map(|c| c.0).chain([text.len()]).collect();
    // Where the text of the chunks before ends.
    let mut at = 0;
    for chunk in &found {
        let place = || format!("{}, chunk {}", name(), chunk.index);
        if chunk.tokens != settings.tokenizer.count(&chunk.text) {
            counts.violate("the number of tokens is wrong", place);
        }
        if chunk.tokens > settings.limit && !(chunk.oversized && is_whole(page, chunk, settings)) {
            counts.violate("above the limit, and not a table, code, a formula or a single character", place);
        }
        let range = characters[chunk.start]..characters[chunk.end];
        let own = &text[range.clone()];
        if own != chunk.text && !(settings.split_large && chunk.text.contains(own)) {
            counts.violate("text[start:end] is another text", place);
        }
        let begin = characters[chunk.start + chunk.overlap];
        if begin < at || text.get(at..begin).is_none_or(|between| between.chars().any(char::is_alphanumeric)) {
            counts.violate("words between chunks are lost or doubled", place);
        }
        at = range.end;
        if !settings.split_large && page.pieces.iter().any(|p| is_atomic(p) && is_cut(&p.range, &range)) {
            counts.violate("a table, code or a formula is cut", place);
        }
        let expected = path(page, text, &(begin..range.end), settings.min > 0);
        if chunk.headings != expected {
            counts.violate("the path of headings is wrong", || {
                format!("{}: {:?}, not {expected:?}", place(), chunk.headings)
            });
        }
        if let Some(missing) = missing_in_source(page, (text, settings.form), source, chunk, &range) {
            counts.violate("a word is not at its place in the source", || format!("{}: {missing:?}", place()));
        }
    }
    if text[at..].chars().any(char::is_alphanumeric) && !page.pieces.is_empty() {
        counts.violate("words after the last chunk are lost", name);
    }
    counts
}

fn is_atomic(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Table | PieceKind::Code | PieceKind::Formula)
}

fn is_cut(piece: &Range<usize>, chunk: &Range<usize>) -> bool {
    let apart = piece.end <= chunk.start || chunk.end <= piece.start;
    let whole = chunk.start <= piece.start && piece.end <= chunk.end;
    !apart && !whole
}

/// Whether a chunk above the limit has nothing to cut: something atomic or a row or line of it, or one character of many tokens.
fn is_whole(page: &Page, chunk: &Chunk, settings: &Settings) -> bool {
    let inside = |p: &&Piece| p.range.start < chunk.bytes.end && chunk.bytes.start < p.range.end;
    let bodies: Vec<&Piece> = page
        .pieces
        .iter()
        .filter(inside)
        .filter(|p| !matches!(p.kind, PieceKind::Heading(_) | PieceKind::Sign))
        .collect();
    match bodies.as_slice() {
        [one] if is_atomic(one) => true,
        _ => chunk.bytes.len() <= 4 && chunk.bytes.len() > settings.limit || chunk.text.chars().count() == 1,
    }
}

/// The open headings with their levels, in and outside of posts.
#[derive(Default)]
struct Headings<'a> {
    open: Vec<(u8, &'a str)>,
    outer: Vec<(u8, &'a str)>,
    post: u32,
}

impl<'a> Headings<'a> {
    /// Closes the sections that end before a piece.
    fn reach(&mut self, piece: &Piece) {
        if piece.post != self.post {
            if self.post == 0 {
                self.outer.clone_from(&self.open);
            }
            self.open.clone_from(&self.outer);
            self.post = piece.post;
        }
        if let PieceKind::Heading(level) = piece.kind {
            self.open.retain(|h| h.0 < level);
        }
    }

    fn add(&mut self, piece: &'a Piece) {
        self.reach(piece);
        if let PieceKind::Heading(level) = piece.kind {
            self.open.push((level, &piece.title));
        }
    }

    fn path(&self) -> Vec<String> {
        self.open.iter().map(|h| h.1.to_owned()).collect()
    }
}

/// Returns the headings above a place, read from the pieces anew. Chunks that were joined share what their parts with a text have in common.
fn path(page: &Page, text: &str, range: &Range<usize>, joins: bool) -> Vec<String> {
    let mut found: Option<Vec<String>> = None;
    let mut only_signs = true;
    let mut headings = Headings::default();
    // Headings with nothing between them and the end of the chunk count too.
    let before = page.pieces.partition_point(|p| p.range.start < range.end);
    for piece in &page.pieces[..before] {
        headings.add(piece);
        let is_inside = piece.range.end > range.start && text[piece.range.clone()].chars().any(|c| !c.is_whitespace());
        only_signs &= !is_inside || piece.kind == PieceKind::Sign;
        if is_inside && !matches!(piece.kind, PieceKind::Heading(_) | PieceKind::Sign) {
            let here = headings.path();
            found = Some(match found {
                Some(before) if joins => {
                    let shared = before.iter().zip(&here).take_while(|(a, b)| a == b).count();
                    before[..shared].to_vec()
                }
                Some(before) => before,
                None => here,
            });
        }
    }
    // A sign belongs to the piece after it, so it gets the path of the next heading without that heading itself.
    if only_signs && let Some(next) = page.pieces[before..].iter().find(|p| p.kind != PieceKind::Sign) {
        headings.reach(next);
    }
    found.unwrap_or_else(|| headings.path())
}

/// Returns a word of a chunk that the source does not have between the chunk's offsets, neither in its text nor in its markup, which holds the
/// descriptions of pictures.
fn missing_in_source(
    page: &Page,
    (text, form): (&str, PieceForm),
    source: &str,
    chunk: &Chunk,
    range: &Range<usize>,
) -> Option<String> {
    let (start, end) = (chunk.source_start?, chunk.source_end?);
    let Some(part) = source.get(start..end) else { return Some("offsets outside of the source".into()) };
    let pieces = page.pieces.iter().filter(|p| p.range.start < range.end && range.start < p.range.end);
    let all_placed = pieces.clone().all(|p| p.source.is_some());
    if !all_placed {
        return None;
    }
    // Descriptions of pictures are attributes; the name of a player is part of its address.
    let markup = decoded(&part.replace(['<', '>', '"', '\''], " "));
    let (plain, raw) = (letters(&decoded(part)), lower(&letters(&markup)));
    let rendered: HashSet<&str> = words(page.text()).collect();
    for piece in pieces.filter(|p| matches!(p.kind, PieceKind::Text | PieceKind::Heading(_))) {
        let whole = match form {
            PieceForm::Text => text[piece.range.clone()].to_owned(),
            PieceForm::Markdown => without_addresses(&text[piece.range.clone()]),
        };
        let own =
            piece.range.start.max(range.start) - piece.range.start..piece.range.end.min(range.end) - piece.range.start;
        // Markdown adds the names of embedded media, and backslashes in words.
        let found = words(&whole[own]).filter(|w| form == PieceForm::Text || rendered.contains(w));
        let missing = found.map(letters).find(|w| !plain.contains(w) && !raw.contains(&lower(w)));
        if missing.is_some() {
            return missing;
        }
    }
    None
}

/// Returns Markdown with spaces instead of addresses, labels of notes, HTML and character references.
fn without_addresses(markdown: &str) -> String {
    let mut out = markdown.as_bytes().to_vec();
    for (open, close) in [("](", b')'), ("[^", b']'), ("<", b'>'), ("&", b';'), ("http", b' ')] {
        let mut at = 0;
        while let Some(start) = markdown[at..].find(open).map(|start| at + start) {
            let end = out[start..].iter().position(|b| *b == close).map_or(out.len(), |e| start + e + 1);
            out[start..end].fill(b' ');
            at = end;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns the longer words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().count() > 3)
}

/// Returns a text in lower case, whatever the position of a letter in its word.
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Returns the letters of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns HTML without its tags, with its character references resolved.
fn decoded(html: &str) -> String {
    let dom = maintext_core::dom::parse(html, &maintext_core::Budget::default());
    let blocks = maintext_core::blocks::Blocks::new(&dom);
    (0..blocks.len()).map(|i| blocks.text(i)).collect::<Vec<_>>().join("")
}
