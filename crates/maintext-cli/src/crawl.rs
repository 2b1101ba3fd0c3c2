//! `maintext crawl`: follows the list pages of a site to its detail pages.
use crate::content::ContentArgs;
use crate::fetch::{FetchArgs, seconds};
use crate::input::Input;
use crate::output::Format;
use crate::report;
use indicatif::{ProgressBar, ProgressStyle};
use maintext_crawl::{Error, Hosts, Observer, Options, Progress, crawl};
use maintext_fetch::{FetchOptions, Network, Policy};
use std::net::{IpAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use url::Url;

const AFTER_HELP: &str = "\
Starting points are list pages, feeds (RSS, Atom) or sitemaps. The crawler follows the entries of a list page and the links to its \
further pages; an entry may be a list itself. All other pages are written with the keys of 'maintext extract -f json'; \
a page that cannot be fetched is written as {\"url\", \"error\"}.

An interrupted crawl resumes where it stopped when the same command is run again; no page is lost or written twice. The state \
is stored next to the output, and a later --recrawl needs it: --recrawl asks servers only for pages that have changed and \
appends those to the output.

The crawler obeys robots.txt, Crawl-delay and Retry-After. It fetches pages from public addresses and from the hosts of the \
starting points.

Examples:
  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
  maintext crawl https://example.org/feed.xml https://example.org/sitemap.xml.gz -o site.jsonl
  maintext crawl https://example.org/news -o news.jsonl --recrawl
  maintext crawl https://example.org/news -o news.jsonl --delay 0.2 --host media.example.net

Exit status: 0 success, 1 nothing could be read or written, 2 invalid usage. Failed pages are records in the output and do not \
change the exit status.";

/// Follow the list pages of a site and write its detail pages
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct CrawlArgs {
    /// Addresses of list pages, feeds or sitemaps to start from
    #[arg(value_name = "START_URL", required = true)]
    starts: Vec<String>,

    /// Write the pages to FILE, one JSON object per line
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Store the state in FILE instead of next to the output
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Maximum number of pages to write
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    max_pages: u64,

    /// Maximum depth of nested lists to follow
    #[arg(long, value_name = "N", default_value_t = 2)]
    max_levels: u32,

    /// Maximum number of pages to follow in one list
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_list_pages: u32,

    /// Also follow links to this host; can be repeated
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,

    /// Follow links to all hosts
    #[arg(long, conflicts_with = "host")]
    all_hosts: bool,

    /// Also start from the feeds that the starting pages declare and the sitemaps in robots.txt
    #[arg(long)]
    discover: bool,

    /// Fetch the pages of a completed crawl again, and write those that have changed
    #[arg(long)]
    recrawl: bool,

    /// Retry pages that failed permanently
    #[arg(long)]
    retry_failed: bool,

    /// Minimum time between two requests to a host in seconds; a longer Crawl-delay takes precedence
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    delay: Duration,

    /// Maximum number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    concurrency: usize,

    /// Maximum number of concurrent requests to one host
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    per_host: usize,

    /// Number of retries for a page after a temporary failure
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,

    /// Wait before the first retry in seconds; doubled for each further retry
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    backoff: Duration,

    /// Also fetch from private addresses, and use the proxies set in the environment
    #[arg(long)]
    allow_private: bool,

    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| (1..=256).contains(n)).ok_or("expected a number from 1 to 256")
}

pub fn run(args: &CrawlArgs) -> ExitCode {
    if let Some(no) = args.starts.iter().find(|s| !matches!(Input::new(s), Input::Url(_))) {
        report::usage(&format!("{no}: not an address; write it in full, such as https://example.org/news"));
    }
    let watch = Watch { bar: bar() };
    match crawl(&options(args), &watch) {
        Ok(progress) => {
            watch.bar.finish_and_clear();
            report::note(&summary(&progress, args));
            match progress.written == 0 && progress.failed > 0 && progress.unchanged == 0 {
                true => ExitCode::FAILURE,
                false => ExitCode::SUCCESS,
            }
        }
        Err(error) => {
            watch.bar.finish_and_clear();
            if matches!(error, Error::Start(_)) {
                report::usage(&error);
            }
            report::note(&error);
            ExitCode::FAILURE
        }
    }
}

fn options(args: &CrawlArgs) -> Options {
    let state = args.state.clone().unwrap_or_else(|| {
        let mut name = args.output.clone().into_os_string();
        name.push(".crawl");
        name.into()
    });
    let hosts = match (args.all_hosts, args.host.is_empty()) {
        (true, _) => Hosts::All,
        (false, true) => Hosts::Starts,
        (false, false) => Hosts::And(args.host.clone()),
    };
    let policy = (!args.allow_private).then(|| policy(&args.starts));
    Options {
        starts: args.starts.clone(),
        output: args.output.clone(),
        state,
        max_pages: args.max_pages,
        max_depth: args.max_levels,
        max_list_pages: args.max_list_pages,
        delay: args.delay,
        backoff: args.backoff,
        retries: args.retries,
        concurrency: args.concurrency,
        per_host: args.per_host,
        hosts,
        discover: args.discover,
        recrawl: args.recrawl,
        retry_failed: args.retry_failed,
        fetch: FetchOptions { policy, ..args.fetch.options() },
        extract: args.content.options(Format::Json.needs(), true),
    }
}

/// Allows public addresses and those of the starting points. A user may name a private server; a page that links to one may not.
fn policy(starts: &[String]) -> Policy {
    let mut policy = Policy::default();
    for url in starts.iter().filter_map(|s| Url::parse(s).ok()) {
        let port = url.port_or_known_default().unwrap_or(80);
        policy.ports.push(port);
        let host = url.host_str().unwrap_or("").trim_matches(['[', ']']).to_owned();
        let found = (host.as_str(), port).to_socket_addrs().map(|a| a.collect::<Vec<_>>()).unwrap_or_default();
        let private = found.iter().map(|a| a.ip()).filter(|ip| policy.check_address(*ip).is_err());
        let networks: Vec<Network> = private.filter_map(one_address).collect();
        policy.networks.extend(networks);
    }
    policy
}

fn one_address(ip: IpAddr) -> Option<Network> {
    ip.to_string().parse().ok()
}

fn summary(p: &Progress, args: &CrawlArgs) -> String {
    let pages = if p.written == 1 { "page" } else { "pages" };
    let mut said = format!("{} {pages} written to {}", p.written, args.output.display());
    let rest = [
        (p.failed, "failed"),
        (p.unchanged, "unchanged"),
        (p.duplicates, "duplicates of another address"),
        (p.disallowed, "forbidden by robots.txt"),
        (p.lists, "lists read"),
        (p.queued, "left to fetch"),
    ];
    for (n, what) in rest.into_iter().filter(|(n, _)| *n > 0) {
        said += &format!(", {n} {what}");
    }
    said
}

struct Watch {
    bar: ProgressBar,
}

impl Observer for Watch {
    fn progress(&self, p: &Progress, now: &str) {
        self.bar.set_position(p.written);
        let rest = format!("{} waiting, {} failed, {} lists  {now}", p.queued, p.failed, p.lists);
        self.bar.set_message(rest.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>());
    }

    fn note(&self, message: &str) {
        self.bar.suspend(|| report::note(&message));
    }
}

/// Returns a progress bar, visible if standard error is a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {spinner} {pos} pages  {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_servers_are_reachable_on_private_networks() {
        let policy = policy(&["http://127.0.0.1:8123/news".into(), "https://8.8.8.8/".into()]);
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:8123/a").unwrap()).is_ok());
        assert!(policy.check_url(&Url::parse("http://127.0.0.2:8123/a").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://10.0.0.1/").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:22/").unwrap()).is_err());
    }
}
