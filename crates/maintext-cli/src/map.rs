//! `maintext map`: the addresses of a site.
use crate::fetch::{FetchArgs, seconds, seconds_or_zero};
use crate::input::CommandInput;
use crate::report;
use crate::site::{SiteArgs, no_formats, policy, print_reasons};
use maintext_crawl::store::Listing;
use maintext_crawl::{Error, Observer, Options, whole};
use maintext_fetch::FetchOptions;
use std::process::ExitCode;
use std::time::Duration;

const AFTER_HELP: &str = "\
The addresses come from the sitemaps that robots.txt names (else from /sitemap.xml, /sitemap_index.xml and /sitemap.txt), from the feeds \
that the page declares, from llms.txt, and from its links. --depth 2 also reads the pages that it links to, and so on. Sitemaps may be XML, plain \
text, compressed, or an index of others; feeds RSS, Atom or JSON Feed.

Each address is listed once, without fragment, session and tracking parameters (utm_...); it belongs to the site if it has the host of \
SITE and lies below its path. Files such as images and PDFs, and addresses that robots.txt forbids, are left out.

Examples:
  maintext map https://example.org
  maintext map https://example.org/docs/ --depth 3 --exclude '/docs/old/' --json > docs.jsonl

Exit status: 0 success, 1 nothing was found, 2 invalid usage.";

/// List the addresses of a site from its sitemaps, llms.txt, feeds and links
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct MapArgs {
    /// Address of the site, or of a part of it, such as https://example.org/docs/
    #[arg(value_name = "SITE", required = true)]
    sites: Vec<String>,

    /// Print JSON lines with url, source (start, sitemap, llms, feed or link), lastmod and title
    #[arg(long)]
    json: bool,

    /// List addresses up to N links away from SITE; pages nearer than that are fetched
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,

    /// Maximum number of addresses to list
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    max_pages: u64,

    /// Stop after this time in seconds and print the addresses found so far
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// Minimum time between two requests to a host in seconds; a longer Crawl-delay takes precedence
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds_or_zero)]
    delay: Duration,

    /// Number of retries for a page after a temporary failure
    #[arg(long, value_name = "N", default_value_t = 1)]
    retries: u32,

    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

pub fn run(args: &MapArgs) -> ExitCode {
    if let Some(no) = args.sites.iter().find(|s| !matches!(CommandInput::new(s), CommandInput::Url(_))) {
        report::usage(&format!("{no}: not an address; write it in full, such as https://example.org"));
    }
    match whole::map(&options(args), &MapNotes) {
        Ok((listings, totals)) => {
            print_reasons(&totals);
            // If nothing of a site could be read, it gives only its own address.
            let is_empty = listings.is_empty();
            let printed = report::printed(listings.iter().map(|l| line(l, args.json)).collect::<String>());
            if is_empty { ExitCode::FAILURE } else { printed }
        }
        Err(error @ Error::Start(_)) => report::usage(&error),
        Err(error) => {
            report::note(&error);
            ExitCode::FAILURE
        }
    }
}

fn line(listing: &Listing, json: bool) -> String {
    let Listing { url, source, lastmod, title } = listing;
    if json {
        let url = serde_json::Value::from(url.as_str());
        let source = source.name();
        format!(
            "{{\"url\":{url},\"source\":\"{source}\",\"lastmod\":{},\"title\":{}}}\n",
            json_text(lastmod),
            json_text(title)
        )
    } else {
        format!("{url}\n")
    }
}

fn json_text(t: &Option<String>) -> serde_json::Value {
    serde_json::Value::from(t.clone())
}

fn options(args: &MapArgs) -> Options {
    Options {
        starts: args.sites.clone(),
        max_pages: args.max_pages,
        max_time: args.max_time,
        delay: args.delay,
        retries: args.retries,
        site: Some(args.site.site(Some(args.depth), true)),
        robots: !args.site.ignore_robots,
        fetch: FetchOptions { policy: Some(policy(&args.sites)), ..args.fetch.options() },
        extract: maintext_core::Options { formats: no_formats(), ..maintext_core::Options::default() },
        ..Options::default()
    }
}

struct MapNotes;

impl Observer for MapNotes {
    fn note(&self, message: &str) {
        report::note(&message);
    }
}
