//! `maintext classify`: the page type.
use crate::fetch::FetchArgs;
use crate::input::CommandInput;
use crate::look::FirstDocument;
use crate::report;
use clap::ValueEnum;
use maintext_core::page_type::PageType;
use maintext_core::page_type::svm::{ListOrDetail, Svm};
use maintext_core::{Options, Warning};
use serde::Serialize;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Prints one JSON object: page_type as in 'maintext extract -f json --page-type', the probability of each type, the probability that the page is \
a list (a listing or a collection), and the warnings of 'maintext extract -f json'. page_type is null for a page without text. A page is a listing or a \
collection only if entries are found in it, whatever the probabilities. docs/sites.md reports the accuracy.

--classifier svm selects a published method that separates list pages from detail pages with a support vector machine over 15 \
features.

Examples:
  maintext classify https://example.org/news
  maintext classify --url https://example.org/news saved.html | jq -r .page_type
  maintext classify --classifier svm saved.html";

/// Classify a page as article, forum, product, collection, listing, documentation or service
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ClassifyArgs {
    /// An address (http or https), a file, or - for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    input: String,

    /// Address of a page from a file or standard input; it is strong evidence of the page type
    #[arg(long, value_name = "URL", value_parser = crate::look::absolute)]
    url: Option<String>,

    /// Classifier of the page type
    #[arg(long, value_name = "NAME", default_value = "learned")]
    classifier: Classifier,

    #[command(flatten)]
    fetch: FetchArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Classifier {
    /// Seven types, by a trained model
    Learned,
    /// List page or detail page, by the published method
    Svm,
}

/// The JSON output.
#[derive(Serialize)]
struct ClassifyOutput {
    #[serde(flatten)]
    said: KindSaid,
    warnings: Vec<Warning>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum KindSaid {
    Kind(PageType),
    List(ListOrDetail),
}

pub fn run(args: &ClassifyArgs) -> ExitCode {
    match classify(args).and_then(|said| serde_json::to_string_pretty(&said).map_err(|e| e.to_string())) {
        Ok(json) => report::printed(json + "\n"),
        Err(message) => {
            report::failed(&CommandInput::new(&args.input).to_string(), &message);
            ExitCode::FAILURE
        }
    }
}

fn classify(args: &ClassifyArgs) -> Result<ClassifyOutput, String> {
    let seen = FirstDocument::open(&args.fetch, &args.input, args.url.as_deref())?;
    seen.analyze(Options::default(), |extractor, analysis, url| {
        let said = match args.classifier {
            Classifier::Learned => KindSaid::Kind(extractor.page_type(&analysis, url).map_err(|e| e.to_string())?),
            Classifier::Svm => KindSaid::List(Svm::shipped().map_err(|e| e.to_string())?.classify(&analysis.view(url))),
        };
        Ok(ClassifyOutput { said, warnings: analysis.warnings })
    })
}
