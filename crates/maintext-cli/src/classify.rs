//! `maintext classify`: what kind of page a page is.
use crate::fetch::FetchArgs;
use crate::guard;
use crate::input::Input;
use crate::report;
use maintext::blocks::Blocks;
use maintext::method::View;
use maintext::page_type::{PageType, PageTyper};
use maintext_io::fetch::Fetcher;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Writes one JSON object: page_type, the probability of each kind, and the probability that the page is a list (a listing or a \
collection). docs/lists.md says how good it is.

Examples:
  maintext classify https://example.org/news
  maintext classify --url https://example.org/news saved.html | jq -r .page_type";

/// Tell what kind of page a page is: article, forum, product, collection, listing, documentation or service
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ClassifyArgs {
    /// An address (http or https), a file, or - for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    input: String,

    /// The page's address, which tells much of its kind
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub fn run(args: &ClassifyArgs) -> ExitCode {
    let said = guard::catch(|| classify(args)).and_then(|said| said);
    match said.and_then(|said| serde_json::to_string_pretty(&said).map_err(|e| e.to_string())) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            report::failed(&args.input, &message);
            ExitCode::FAILURE
        }
    }
}

fn classify(args: &ClassifyArgs) -> Result<PageType, String> {
    let typer = PageTyper::shipped().map_err(|e| e.to_string())?;
    let input = Input::new(&args.input);
    let fetcher = match &input {
        Input::Url(_) => Some(Fetcher::new(args.fetch.options()).map_err(|e| e.to_string())?),
        _ => None,
    };
    let page = input.read(fetcher.as_ref(), args.fetch.max_size)?;
    let url = args.url.clone().or(page.url);
    let source = maintext::decode::decode(&page.bytes, page.charset.as_deref()).text;
    let dom = maintext::dom::parse(&source, &Default::default());
    let blocks = Blocks::new(&dom);
    Ok(typer.classify(&View { source: &source, dom: &dom, blocks: &blocks, url: url.as_deref() }))
}
