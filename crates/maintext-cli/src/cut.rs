//! The flags for chunks, shared by `chunk`, `extract` and `batch`, and the chunks of a page as the first two write them.
use crate::report;
use clap::ValueEnum;
use maintext_chunks::{Chunk, PieceForm, Settings, Tokenizer};
use maintext_core::Page;
use serde::Serialize;
use std::fmt::Write as _;

/// The text that is cut.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum TextForm {
    /// Plain text
    Text,
    /// Markdown
    Markdown,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Chunks")]
pub struct CutArgs {
    /// What a token is: words, chars, or the tokens of a tokenizer.json [default for chunks: words]
    ///
    /// words counts runs between white space, and each character of a script without spaces, such as Chinese. A build with the feature
    /// openai-tokens also knows cl100k_base and o200k_base.
    #[arg(long, value_name = "NAME|FILE", value_parser = tokenizer)]
    pub tokenizer: Option<Tokenizer>,

    /// Maximum number of tokens in a chunk, with its overlap [default: 512; 350 with words, 2000 with chars]
    #[arg(long, value_name = "N")]
    size: Option<usize>,

    /// Maximum number of tokens that a chunk repeats from the end of the one before it, in whole sentences [default: 0]
    #[arg(long, value_name = "N")]
    overlap: Option<usize>,

    /// Join chunks with fewer tokens to their neighbours under the same heading, where the size allows [default: 0]
    #[arg(long, value_name = "N")]
    min: Option<usize>,

    /// Cut tables above the size between rows, and code between lines, instead of marking them as oversized
    #[arg(long)]
    split_large: bool,

    /// The text to cut [default: markdown]
    #[arg(long, value_name = "FORM")]
    form: Option<TextForm>,
}

impl CutArgs {
    /// Returns a flag that was given and that only chunks use.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--size", self.size.is_some()),
            ("--overlap", self.overlap.is_some()),
            ("--min", self.min.is_some()),
            ("--split-large", self.split_large),
            ("--form", self.form.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    /// Returns the settings; ends the program if they contradict each other.
    pub fn settings(&self) -> Settings {
        let tokenizer =
            self.tokenizer.clone().unwrap_or_else(|| Tokenizer::named("words").unwrap_or_else(|e| report::usage(&e)));
        let limit = self.size.unwrap_or_else(|| tokenizer.usual_limit());
        let form = match self.form {
            Some(TextForm::Text) => PieceForm::Text,
            Some(TextForm::Markdown) | None => PieceForm::Markdown,
        };
        let (overlap, min) = (self.overlap.unwrap_or(0), self.min.unwrap_or(0));
        let settings =
            Settings { overlap, min, split_large: self.split_large, form, ..Settings::new(tokenizer, limit) };
        if let Err(message) = settings.check() {
            let flag = match () {
                () if limit == 0 => "--size",
                () if min > limit => "--min",
                () => "--overlap",
            };
            report::usage(&format!("{flag}: {message}"));
        }
        settings
    }
}

/// Returns a tokenizer by its name or from its file.
fn tokenizer(name: &str) -> Result<Tokenizer, String> {
    match std::fs::read(name) {
        Err(_) if !name.ends_with(".json") => Tokenizer::named(name),
        Err(error) => Err(error.to_string()),
        #[cfg(feature = "tokenizer-json")]
        Ok(json) => Tokenizer::from_json(name, &json),
        #[cfg(not(feature = "tokenizer-json"))]
        Ok(_) => Err("this build leaves out tokenizers in files; build with '--features full'".into()),
    }
}

/// How the chunks of a page are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkShape {
    /// As the key `chunks` of the page's JSON.
    Key,
    /// As lines of JSON.
    Lines,
    /// For readers.
    Shown,
}

/// The chunks of a run.
pub struct Chunking {
    pub settings: Settings,
    pub shape: ChunkShape,
}

/// A line of the output.
#[derive(Serialize)]
struct ChunkLine<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: Option<&'a str>,
    #[serde(flatten)]
    chunk: &'a Chunk,
}

/// A page with its chunks.
#[derive(Serialize)]
struct ChunkedPage<'a> {
    #[serde(flatten)]
    page: &'a Page,
    chunks: &'a [Chunk],
}

impl Chunking {
    /// Returns the output for a page, which an input of this name gave, and adds a warning to the page if chunks are cut. `one_line`: whether JSON of a page takes one line.
    pub fn render(&self, id: &str, page: &mut Page, one_line: bool) -> Result<String, String> {
        let (chunks, warning) = maintext_chunks::chunks_with_warning(page, &self.settings);
        page.warnings.extend(warning);
        let metadata = &page.metadata;
        let (url, title) = (metadata.url.as_deref(), metadata.title.as_deref());
        match self.shape {
            ChunkShape::Key => {
                let whole = ChunkedPage { page, chunks: &chunks };
                let to_json = if one_line { serde_json::to_string } else { serde_json::to_string_pretty };
                to_json(&whole).map(|json| json + "\n").map_err(|e| e.to_string())
            }
            ChunkShape::Lines => chunks.iter().try_fold(String::new(), |mut lines, chunk| {
                let line = serde_json::to_string(&ChunkLine { id, url, title, chunk }).map_err(|e| e.to_string())?;
                lines.push_str(&line);
                lines.push('\n');
                Ok(lines)
            }),
            ChunkShape::Shown => Ok(chunks.iter().map(shown).collect::<Vec<_>>().join("\n")),
        }
    }
}

/// Returns a chunk for readers.
fn shown(chunk: &Chunk) -> String {
    let mut out = format!("--- {}: {} tokens, {}", chunk.index, chunk.tokens, chunk.kinds.join(" "));
    if chunk.oversized {
        out.push_str(", oversized");
    }
    if chunk.overlap > 0 {
        let _ = write!(out, ", repeats {} characters", chunk.overlap);
    }
    if !chunk.headings.is_empty() {
        let _ = write!(out, ", {}", chunk.headings.join(" > "));
    }
    let _ = writeln!(out, "\n{}", chunk.text);
    out
}
