//! The flags that select content, shared by `extract`, `batch` and `crawl`.
use crate::method::MethodArgs;
use crate::rules::RuleArgs;
use crate::schema::SchemaFile;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use maintext_core::render::{AltText, TitleHeading};
use maintext_core::settings::html_only;
use maintext_core::{Budget, Favor, Formats, Options};
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Parses one of the words that a setting takes.
pub fn words<T>(names: [&'static str; 3]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| serde_json::from_value(name.into()))
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Content")]
pub struct ContentArgs {
    /// Favor precision (less boilerplate), recall (more content), or neither
    #[arg(long, value_name = "SIDE", default_value = "balance", value_parser = words::<Favor>(Favor::NAMES))]
    favor: Favor,

    /// Classify the page type (JSON), and extract the entries of list pages
    #[arg(long)]
    pub page_type: bool,

    /// Read products, recipes, events, jobs and other objects as data (JSON)
    #[arg(long)]
    pub things: bool,

    /// Read the values of a JSON Schema, whose properties name things, fields of the page or, with x-selector, elements
    ///
    /// 'extract' writes only the object, which validates against the schema; an input that lacks a required property fails. In the tables
    /// of 'batch' and 'crawl' the object is the column "data", or null if it lacks a required property.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,

    /// The content of that file, which may be a pipe and can then be read only once.
    #[arg(skip)]
    schema_read: OnceLock<SchemaFile>,

    /// Do not detect readers' comments
    #[arg(long)]
    no_comments: bool,

    /// Omit tables and their text
    #[arg(long)]
    no_tables: bool,

    /// Omit images
    #[arg(long)]
    no_images: bool,

    /// Write each cell of a Markdown table on one line, even if code or a table in it would need HTML
    #[arg(long)]
    no_html_tables: bool,

    /// Write cells that span rows, and headings that span columns, once in Markdown tables instead of repeating them in each
    #[arg(long)]
    no_repeat_spans: bool,

    /// Omit the numbers of ordered lists and the boxes of task lists in plain text
    #[arg(long)]
    no_list_numbers: bool,

    /// Write links as plain text
    #[arg(long)]
    no_links: bool,

    /// Write links within the site as plain text
    #[arg(long)]
    external_links: bool,

    /// Write links in Markdown as references, with their addresses at the end
    #[arg(long)]
    reference_links: bool,

    /// Omit authors and dates of the posts in a thread; plain text never has them
    #[arg(long)]
    no_post_headers: bool,

    /// Omit footnotes, citations included, and the references to them
    #[arg(long)]
    no_footnotes: bool,

    /// When Markdown and HTML begin with the page's title: once, never, or as the content has it
    #[arg(long, value_name = "WHEN", default_value = "once", value_parser = words::<TitleHeading>(TitleHeading::NAMES))]
    title: TitleHeading,

    /// Close gaps in the levels of headings
    #[arg(long)]
    level_headings: bool,

    /// Where to write alternative texts of images: nowhere, with the images, or in plain text too
    #[arg(long, value_name = "WHERE", default_value = "images", value_parser = words::<AltText>(AltText::NAMES))]
    alt_text: AltText,

    /// Keep text that no visitor sees
    #[arg(long)]
    keep_hidden: bool,

    // The flags below have headings of their own, so they follow the flags of "Content".
    #[command(flatten)]
    method: MethodArgs,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    budget: BudgetArgs,
}

/// Limits on the resources for one page. If a limit is reached, the result is partial and has the warning `limit_reached`.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limits")]
pub struct BudgetArgs {
    /// Maximum number of bytes of a page's decoded text; the rest is ignored [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = crate::fetch::size)]
    max_bytes: Option<usize>,

    /// Maximum number of nodes in a page's tree (elements, texts, comments) [default: 4000000]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,

    /// Maximum depth of a page's tree; deeper elements become siblings [default: 512]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,

    /// Maximum work after parsing, in steps of about 10 nanoseconds [default: 1073741824]
    #[arg(long, value_name = "N")]
    max_work: Option<u64>,
}

impl BudgetArgs {
    /// Returns the library's budget for these flags.
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
    /// Returns the first given flag that changes none of these formats, and the formats that it needs.
    pub fn without_effect(&self, formats: Formats) -> Option<(&'static str, &'static str)> {
        let tree = formats.markdown || formats.html || formats.xml || formats.blocks;
        let flags = [
            (self.no_html_tables, "--no-html-tables", formats.markdown, "-f markdown or json"),
            (self.no_repeat_spans, "--no-repeat-spans", formats.markdown, "-f markdown or json"),
            (self.reference_links, "--reference-links", formats.markdown, "-f markdown or json"),
            (self.no_list_numbers, "--no-list-numbers", formats.text, "-f text or json"),
            (self.level_headings, "--level-headings", tree, "a format with headings"),
            (self.no_links, "--no-links", tree, "a format with links"),
            (self.external_links, "--external-links", tree, "a format with links"),
        ];
        let unused = flags.into_iter().find(|(given, _, effective, _)| *given && !effective);
        unused.map(|(_, flag, _, format)| (flag, format))
    }

    /// Returns the file of `--schema`. Ends the program if it is wrong.
    pub fn schema_file(&self) -> Option<&SchemaFile> {
        let path = self.schema.as_deref()?;
        Some(self.schema_read.get_or_init(|| SchemaFile::read(path)))
    }

    /// Returns the library's options for these flags. `formats` and `metadata` are the parts that the output needs.
    pub fn options(&self, formats: Formats, metadata: bool) -> Options {
        let method = self.method.name.clone();
        let mut options = Options { method, formats, metadata, favor: self.favor, ..Options::default() };
        options.parameters = self.method.parameters();
        options.page_type = self.page_type;
        options.things = self.things;
        options.schema = self.schema_file().map(|file| file.schema.clone());
        options.comments = !self.no_comments;
        options.render.tables = !self.no_tables;
        options.render.images = !self.no_images;
        options.render.links = !self.no_links;
        options.render.external_links = self.external_links;
        options.render.reference_links = self.reference_links;
        options.render.html_tables = !self.no_html_tables;
        options.render.repeat_spans = !self.no_repeat_spans;
        options.render.list_numbers = !self.no_list_numbers;
        options.render.post_headers = !self.no_post_headers;
        options.render.footnotes = !self.no_footnotes;
        options.render.title = self.title;
        options.render.level_headings = self.level_headings;
        options.render.alt_text = self.alt_text;
        options.keep_hidden = self.keep_hidden;
        self.rules.apply(&mut options);
        options.budget = self.budget.budget();
        options
    }
}

/// Returns the flag of a setting that has an effect on HTML only, if one is set: a document that is content as a whole needs no choice.
pub fn html_flag(options: &Options) -> Option<String> {
    html_only(options).map(|name| format!("--{}", name.replace('_', "-")))
}
