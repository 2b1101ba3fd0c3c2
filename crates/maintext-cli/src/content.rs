//! The flags that say what is extracted, shared by `extract` and `batch`.
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use maintext::{Favor, Formats, Options};

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
    /// How the main content is found
    ///
    /// The methods carry their published names; the library's documentation describes them, each with its source.
    #[arg(long, value_name = "NAME", default_value_t = Options::default().method)]
    #[arg(value_parser = PossibleValuesParser::new(maintext::method::NAMES))]
    method: String,

    /// Shift the choice towards precision or recall
    #[arg(long, value_name = "SIDE")]
    favor: Option<Side>,

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
}

impl ContentArgs {
    /// The library's options for these flags; `formats` and `metadata` are what the output needs.
    pub fn options(&self, formats: Formats, metadata: bool) -> Options {
        let mut options = Options { method: self.method.clone(), formats, metadata, ..Options::default() };
        options.favor = match self.favor {
            None => Favor::Balance,
            Some(Side::Precision) => Favor::Precision,
            Some(Side::Recall) => Favor::Recall,
        };
        options.comments = !self.no_comments;
        options.render.tables = !self.no_tables;
        options.render.images = !self.no_images;
        options.render.links = !self.no_links;
        options
    }
}
