//! The flags for chunks, shared by `chunk`, `extract` and `batch`.
use crate::report;
use clap::ValueEnum;
use maintext_chunks::{PieceForm, Settings, Tokenizer};

/// The text that is cut.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Form {
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
    /// words are between white space; each character of a script without spaces, such as Chinese, is one. A build with the feature
    /// openai-tokens also knows cl100k_base and o200k_base.
    #[arg(long, value_name = "NAME|FILE", value_parser = tokenizer)]
    pub tokenizer: Option<Tokenizer>,

    /// Most tokens of a chunk, with its overlap [default: 512; 350 with words, 2000 with chars]
    #[arg(long, value_name = "N")]
    size: Option<usize>,

    /// Most tokens that a chunk repeats from the end of the one before it, in whole sentences [default: 0]
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
    form: Option<Form>,
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
        let words = || Tokenizer::named("words").unwrap_or_else(|e| report::usage(&e));
        let tokenizer = self.tokenizer.clone().unwrap_or_else(words);
        let limit = self.size.unwrap_or_else(|| tokenizer.usual_limit());
        let form = match self.form {
            Some(Form::Text) => PieceForm::Text,
            Some(Form::Markdown) | None => PieceForm::Markdown,
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
