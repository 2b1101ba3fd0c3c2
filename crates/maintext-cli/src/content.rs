//! The flags that say what is extracted, shared by `extract` and `batch`.
use crate::method::MethodArgs;
use crate::rules::RuleArgs;
use clap::ValueEnum;
use maintext_core::{Budget, Favor, Formats, Options};

/// Which way to err.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Side {
    /// Rather lose content than keep boilerplate
    Precision,
    /// Rather keep boilerplate than lose content
    Recall,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Content")]
pub struct ContentArgs {
    #[command(flatten)]
    method: MethodArgs,

    /// Shift the choice towards precision or recall
    #[arg(long, value_name = "SIDE")]
    favor: Option<Side>,

    /// Say what kind of page it is (JSON), and list the entries of list pages
    #[arg(long)]
    page_type: bool,

    /// Do not look for readers' comments
    #[arg(long)]
    no_comments: bool,

    /// Leave out tables, with their text
    #[arg(long)]
    no_tables: bool,

    /// Leave out images
    #[arg(long)]
    no_images: bool,

    /// Write the text of links only
    #[arg(long)]
    no_links: bool,

    /// Write the posts of a thread without their authors and dates
    #[arg(long)]
    no_post_headers: bool,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    budget: BudgetArgs,
}

/// What one page may cost. Where a bound is reached the result is partial, and a warning `limit_reached` says so.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct BudgetArgs {
    /// Bytes of a page's text that are parsed [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = crate::fetch::size)]
    max_bytes: Option<usize>,

    /// Nodes of a page's tree (elements, texts, comments) [default: 4000000]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,

    /// Nesting depth of a page's tree; deeper elements become siblings [default: 512]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,

    /// Units of work after parsing: steps over the tree, about 10 nanoseconds each [default: 1073741824]
    #[arg(long, value_name = "N")]
    max_work: Option<u64>,
}

impl BudgetArgs {
    /// The library's bounds for these flags.
    pub fn budget(&self) -> Budget {
        let default = Budget::default();
        default
            .with_bytes(self.max_bytes.unwrap_or(default.bytes))
            .with_nodes(self.max_nodes.unwrap_or(default.nodes))
            .with_depth(self.max_depth.unwrap_or(default.depth))
            .with_work(self.max_work.unwrap_or(default.work))
    }
}

impl ContentArgs {
    /// The library's options for these flags; `formats` and `metadata` are what the output needs.
    pub fn options(&self, formats: Formats, metadata: bool) -> Options {
        let method = self.method.name.clone();
        let mut options = Options { method, formats, metadata, ..Options::default() };
        options.parameters = self.method.parameters();
        options.favor = favor(self.favor);
        options.page_type = self.page_type;
        options.comments = !self.no_comments;
        options.render.tables = !self.no_tables;
        options.render.images = !self.no_images;
        options.render.links = !self.no_links;
        options.render.post_headers = !self.no_post_headers;
        self.rules.apply(&mut options);
        options.budget = self.budget.budget();
        options
    }
}

/// The library's word for it.
pub fn favor(side: Option<Side>) -> Favor {
    match side {
        None => Favor::Balance,
        Some(Side::Precision) => Favor::Precision,
        Some(Side::Recall) => Favor::Recall,
    }
}
