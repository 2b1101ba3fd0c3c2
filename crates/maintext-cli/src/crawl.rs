//! `maintext crawl`: the detail pages of a site, from its list pages on.
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
The starting points are list pages, feeds (RSS, Atom) or sitemaps. Entries of list pages are followed, and the list's further \
pages; an entry that is a list itself is followed too. What is no list is written, with every key that 'maintext extract -f json' \
writes; a page that cannot be fetched is written as {\"url\", \"error\"}.

A run that was killed goes on where it was when the same command is given again, without a page lost or written twice. The state \
is kept beside the output, and is needed for a later --recrawl: then pages are asked for only if they have changed, and those that \
have are written at the end of the output.

robots.txt is obeyed, and Crawl-delay and Retry-After with it. Pages are fetched from public addresses, and from those of the \
starting points.

Examples:
  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
  maintext crawl https://example.org/feed.xml https://example.org/sitemap.xml.gz -o site.jsonl
  maintext crawl https://example.org/news -o news.jsonl --recrawl
  maintext crawl https://example.org/news -o news.jsonl --delay 0.2 --host media.example.net

Exit status: 0 all went well, 1 nothing could be read or written, 2 wrong usage. Pages that fail are records, not failures of \
the crawl.";

/// Follow the list pages of a site and write its detail pages
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct CrawlArgs {
    /// Where to begin: addresses of list pages, feeds or sitemaps
    #[arg(value_name = "START_URL", required = true)]
    starts: Vec<String>,

    /// Write the pages to FILE, a JSON object a line
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Keep the state in FILE instead of beside the output
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Pages that are written at most
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    max_pages: u64,

    /// How deep lists of lists are followed
    #[arg(long, value_name = "N", default_value_t = 2)]
    max_levels: u32,

    /// Pages of one list that are followed at most
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_list_pages: u32,

    /// Follow links to this host too; may be given several times
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,

    /// Follow links to all hosts
    #[arg(long, conflicts_with = "host")]
    all_hosts: bool,

    /// Begin at the feeds that the starting pages declare and the sitemaps that robots.txt names too
    #[arg(long)]
    discover: bool,

    /// Ask for the pages of a crawl that has come to its end again, and write those that have changed
    #[arg(long)]
    recrawl: bool,

    /// Try pages again that have failed for good
    #[arg(long)]
    retry_failed: bool,

    /// Least time between two requests to a host, in seconds; a longer Crawl-delay counts
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    delay: Duration,

    /// Requests under way at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    concurrency: usize,

    /// Requests under way at once to one host
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    per_host: usize,

    /// How often a page is tried again whose failure may pass
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,

    /// Wait before the first new try, in seconds; doubled for each further one
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    backoff: Duration,

    /// Fetch from private addresses too, and through the proxies of the environment
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
        report::usage(&format!("{no}: not an address; write it in full, as https://example.org/news"));
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

/// Public addresses, and those of the starting points: who names a server on the own network means it, a page that links there does not.
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
        (p.duplicates, "known from another address"),
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

/// On standard error, if that is a terminal.
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
    fn only_the_servers_that_were_named_are_reached_on_private_networks() {
        let policy = policy(&["http://127.0.0.1:8123/news".into(), "https://8.8.8.8/".into()]);
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:8123/a").unwrap()).is_ok());
        assert!(policy.check_url(&Url::parse("http://127.0.0.2:8123/a").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://10.0.0.1/").unwrap()).is_err());
        assert!(policy.check_url(&Url::parse("http://127.0.0.1:22/").unwrap()).is_err());
    }
}
