//! The flags of `maintext extract --find`.
use crate::report;
use maintext_chunks::Finder;

/// The flags of a search.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Find")]
pub struct FindArgs {
    /// Write only the passages that answer a question, best first, with headings, score and a link that opens the page at the passage
    ///
    /// All inputs are searched together. Besides pages, inputs may be the results of 'extract -f json', 'batch' and 'crawl': files named
    /// .json, .jsonl, .jsonl.gz, .jsonl.zst and .parquet. The passages are the chunks of 'maintext chunk', and its flags, such as --size,
    /// change them. Output is text, Markdown or JSON.
    #[arg(long, value_name = "QUESTION", conflicts_with_all = ["output_dir", "schema", "chunks", "with_metadata"])]
    pub find: Option<String>,

    /// Maximum number of passages
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    pub find_limit: usize,

    /// Maximum number of tokens of all passages together, as --tokenizer counts them [default: any]
    ///
    /// Passages that do not fit are left out. Only if the first one does not fit, its end is cut.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub find_tokens: Option<usize>,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| *n > 0).ok_or("expected a number of at least 1")
}

impl FindArgs {
    /// Returns a flag that was given and that has no effect without a question.
    pub fn given(&self) -> Option<&'static str> {
        let default = 5;
        [("--find-limit", self.find_limit != default), ("--find-tokens", self.find_tokens.is_some())]
            .into_iter()
            .find_map(|(name, given)| given.then_some(name))
    }

    /// Returns the finder of a question. Exits if it has no words.
    pub fn check(question: &str) -> Finder {
        Finder::new(question).unwrap_or_else(|e| report::usage(&format!("--find: {e}")))
    }
}

/// The flags of `extract` without a search.
impl Default for FindArgs {
    fn default() -> Self {
        FindArgs { find: None, find_limit: 5, find_tokens: None }
    }
}
