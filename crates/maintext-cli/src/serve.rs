//! `maintext serve`: the HTTP service.
use crate::content::BudgetArgs;
use crate::fetch::size;
use crate::report;
use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args};
use maintext_browser::BrowserOptions;
use maintext_fetch::{FetchOptions, HostPattern, Network, Policy, Proxy};
use maintext_server::{CacheLimits, Config, Forwarded, ForwardedHeader, JobLimits, Manners, Service, StartError, log};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const AFTER_HELP: &str = "\
Examples:
  maintext serve
      Serve on http://127.0.0.1:8000, for this machine only.
  maintext serve --listen 0.0.0.0:8000 --token-file /etc/maintext/tokens
      Serve the network, with bearer tokens.
  maintext serve --allow-network 10.20.0.0/16 --allow-port 8081
      Also fetch pages from a private network.

  curl -s --data-binary @page.html 'http://127.0.0.1:8000/v1/extract?formats=text'
  curl -s http://127.0.0.1:8000/https://example.org/article

Private, loopback, link-local and cloud-metadata addresses are blocked unless --allow-network permits them. docs/service.md \
describes the routes, docs/service-operation.md the limits and a setup with systemd. An environment variable such as \
MAINTEXT_SERVE_MAX_BODY sets the flag of its name. Logs are JSON lines on standard error. \
On SIGTERM or Ctrl-C, the service completes the accepted requests and stops.";

/// The beginning of the names of environment variables that set flags.
const VARIABLES: &str = "MAINTEXT_SERVE_";

/// Makes environment variables such as `MAINTEXT_SERVE_MAX_BODY` set the flags of their names.
pub fn with_environment(serve: clap::Command) -> clap::Command {
    serve.mut_args(|arg| {
        let Some(variable) = variable_of(&arg) else { return arg };
        let arg = arg.env(variable).hide_env(true);
        match arg.get_action() {
            ArgAction::SetTrue => arg.value_parser(BoolishValueParser::new()),
            ArgAction::Append => arg.value_delimiter(','),
            _ => arg,
        }
    })
}

/// Returns the environment variable that sets a flag.
fn variable_of(flag: &clap::Arg) -> Option<String> {
    Some(VARIABLES.to_owned() + &flag.get_long()?.to_ascii_uppercase().replace('-', "_"))
}

/// Returns the variables whose names begin like the name of one that sets a flag, but name no flag. Kubernetes adds such variables for a
/// service called "maintext-serve", so they are not errors.
fn without_flag(names: impl Iterator<Item = String>) -> Vec<String> {
    let serve = ServeArgs::augment_args(clap::Command::new("serve"));
    let known: Vec<String> = serve.get_arguments().filter_map(variable_of).collect();
    names.filter(|name| name.starts_with(VARIABLES) && !known.contains(name)).collect()
}

fn address_and_port(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8000")
}

/// Serve the extractor over HTTP
///
/// POST /v1/extract takes a page or its address and returns its content; GET /https://... returns Markdown; GET /openapi.json
/// describes all routes.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ServeArgs {
    /// Address and port to listen on; port 0 selects a free port, which the log reports
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000", value_parser = address_and_port)]
    listen: SocketAddr,

    /// File of bearer tokens, one of which every request must present
    ///
    /// One per line: [NAME] TOKEN. The log and the metrics show names, never tokens.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Origin whose scripts may use the service, such as https://app.example.org, or * for all; can be repeated
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,

    /// Accepted host name in requests; can be repeated
    ///
    /// Default: any name, but on a loopback address only localhost, since a web page can point its own domain to that address (DNS
    /// rebinding). IP addresses are always accepted.
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,

    /// SQLite file for labels and site models from the playground, and for crawls and batches [default: in memory]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,

    /// Do not store labels or train site models
    #[arg(long)]
    no_teach: bool,

    /// Answer /healthz, /readyz and /metrics on this address too, without tokens; /metrics is then only there
    #[arg(long, value_name = "ADDRESS", value_parser = address_and_port)]
    admin_listen: Option<SocketAddr>,

    /// Do not log requests
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    jobs: JobArgs,

    #[command(flatten)]
    fetch: ServedFetchArgs,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Maximum size of a request body, in bytes or with K, M or G
    #[arg(long, value_name = "SIZE", default_value = "10M", value_parser = size)]
    max_body: usize,

    /// Memory for everything that requests cause; an idle service needs about 25 MB more
    #[arg(long, alias = "body-memory", value_name = "SIZE", default_value = "384M", value_parser = memory)]
    memory: usize,

    /// Memory for training a site model
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = size)]
    teach_memory: usize,

    /// Maximum number of pages that wait for a thread, half of them from one client; further requests get 503
    #[arg(long, value_name = "N", default_value_t = Config::default().in_flight)]
    in_flight: usize,

    /// Maximum number of fetches in progress, half of them for one client
    #[arg(long, value_name = "N", default_value_t = Config::default().fetches)]
    fetches: usize,

    /// Maximum number of fetches in progress from one host
    #[arg(long, value_name = "N", default_value_t = Config::default().fetches_per_host)]
    fetches_per_host: usize,

    /// Number of extraction threads, at least two [default: one per processor]
    #[arg(long, value_name = "N")]
    workers: Option<std::num::NonZeroUsize>,

    /// Maximum number of open connections
    #[arg(long, value_name = "N", default_value_t = Config::default().connections)]
    connections: usize,

    /// Maximum number of open connections from one address
    #[arg(long, value_name = "N", default_value_t = Config::default().connections_per_client)]
    connections_per_client: usize,

    /// Take the client's address from X-Forwarded-For; use only behind this number of proxies that set it
    #[arg(long, value_name = "PROXIES", num_args = 0..=1, default_missing_value = "1")]
    trust_forwarded_for: Option<usize>,

    /// Like --trust-forwarded-for, for proxies that set Forwarded (RFC 7239)
    #[arg(long, value_name = "PROXIES", num_args = 0..=1, default_missing_value = "1", conflicts_with = "trust_forwarded_for")]
    trust_forwarded: Option<usize>,

    /// Time limit for answering a request in seconds, counted from its last byte
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = crate::fetch::seconds)]
    request_timeout: Duration,

    /// Time after SIGTERM during which /readyz gives 503 but new connections are accepted, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = pause)]
    drain_delay: Duration,

    /// Time limit for open requests after SIGTERM, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = crate::fetch::seconds)]
    grace: Duration,

    #[command(flatten)]
    budget: BudgetArgs,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Crawls and batches")]
struct JobArgs {
    /// Maximum number of crawls and batches of one client that are not complete
    #[arg(long, value_name = "N", default_value_t = JobLimits::default().per_client)]
    jobs_per_client: usize,

    /// Maximum number of pages of one crawl or batch
    #[arg(long, value_name = "N", default_value_t = JobLimits::default().pages, value_parser = clap::value_parser!(u64).range(1..))]
    job_pages: u64,

    /// Maximum size of the results of all crawls and batches together
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    job_bytes: usize,

    /// Time for which results are kept, in hours
    #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u64).range(1..=8760))]
    job_hours: u64,

    /// Minimum time between two requests of a crawl to a host in seconds; a longer Crawl-delay takes precedence
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = crate::fetch::seconds)]
    crawl_delay: Duration,
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Fetching")]
pub struct ServedFetchArgs {
    /// Do not fetch addresses; accept only pages sent in requests
    #[arg(long)]
    no_fetch: bool,

    /// Load pages that need scripts in headless Chromium, under the same network rules as fetching
    #[arg(long)]
    render: bool,

    /// Start the browser without its sandbox, which does not work as root
    #[arg(long)]
    no_browser_sandbox: bool,

    /// Permit fetching from this non-public network, such as 10.0.0.0/8; can be repeated
    #[arg(long, value_name = "NETWORK")]
    allow_network: Vec<Network>,

    /// Permit fetching from this port in addition to 80, 443, 8080 and 8443; can be repeated
    #[arg(long, value_name = "PORT")]
    allow_port: Vec<u16>,

    /// Fetch only from this host, such as example.org, or *.example.org for all below it; can be repeated [default: all hosts]
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<HostPattern>,

    /// Never fetch from this host, or *.example.org for all below it; can be repeated
    #[arg(long, value_name = "HOST")]
    deny_host: Vec<HostPattern>,

    /// Fetch through this proxy, such as http://user:password@proxy.example:3128 or socks5://proxy.example:1080
    ///
    /// The proxy then resolves the names. --allow-host and --deny-host, ports, and addresses written as numbers are checked before.
    #[arg(long, value_name = "URL", value_parser = proxy, conflicts_with = "render")]
    proxy: Option<String>,

    /// Obey the robots.txt of the sites
    #[arg(long)]
    robots: bool,

    /// Maximum number of simultaneous requests to one host [default: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_host: Option<u32>,

    /// Minimum time between two requests to one host, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = pause)]
    host_delay: Duration,

    /// Memory for a cache of fetched pages, such as 64M; 0 means no cache
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = none_or_size)]
    cache_memory: usize,

    /// Maximum time that a cached page is used without asking its site, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = crate::fetch::seconds)]
    cache_age: Duration,

    /// Maximum number of cached pages
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    cache_entries: usize,

    /// Value of the User-Agent header
    #[arg(long, value_name = "TEXT", default_value_t = FetchOptions::default().user_agent)]
    user_agent: String,

    /// Time limit for fetching one page, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = crate::fetch::seconds)]
    timeout: Duration,

    /// Maximum size of a fetched page, after decompression
    #[arg(long, value_name = "SIZE", default_value = "10M", value_parser = size)]
    max_size: usize,
}

/// Reads the size of the memory, of which too little is a number without its unit.
fn memory(text: &str) -> Result<usize, String> {
    /// Less holds no page at all.
    const LEAST: usize = 1 << 20;
    match size(text)? {
        bytes if bytes < LEAST => Err(format!("{bytes} bytes hold no page; write {text}M for megabytes")),
        bytes => Ok(bytes),
    }
}

fn none_or_size(text: &str) -> Result<usize, String> {
    if text == "0" { Ok(0) } else { size(text) }
}

fn pause(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { crate::fetch::seconds(text) }
}

/// Checks the address of a proxy.
fn proxy(text: &str) -> Result<String, String> {
    let options = FetchOptions { proxy: Proxy::Url(text.to_owned()), ..FetchOptions::default() };
    if text.contains("://") {
        maintext_fetch::Fetcher::new(options).map(|_| text.to_owned()).map_err(|e| e.to_string())
    } else {
        Err("expected http://host:port or socks5://host:port".into())
    }
}

impl LimitArgs {
    fn trust(&self) -> Option<Forwarded> {
        forwarded(ForwardedHeader::XForwardedFor, self.trust_forwarded_for)
            .or(forwarded(ForwardedHeader::Forwarded, self.trust_forwarded))
    }
}

fn forwarded(header: ForwardedHeader, hops: Option<usize>) -> Option<Forwarded> {
    hops.map(|hops| Forwarded { header, hops: hops.max(1) })
}

impl ServeArgs {
    fn config(&self) -> Result<Config, String> {
        let default = Config::default();
        let limits = &self.limits;
        let loopback = self.listen.ip().is_loopback() && self.host_name.is_empty();
        let own = ["localhost".to_owned(), self.listen.ip().to_string()];
        Ok(Config {
            max_body: limits.max_body,
            memory: limits.memory,
            teach: !self.no_teach,
            teach_memory: limits.teach_memory,
            fetches: limits.fetches,
            fetches_per_host: limits.fetches_per_host,
            in_flight: limits.in_flight,
            workers: limits.workers.map_or(default.workers.max(1), std::num::NonZeroUsize::get),
            connections: limits.connections,
            connections_per_client: limits.connections_per_client,
            trust: limits.trust(),
            drain_delay: limits.drain_delay,
            request_timeout: limits.request_timeout,
            grace: limits.grace,
            budget: limits.budget.budget(),
            token_file: self.token_file.clone(),
            cors: self.cors.clone(),
            hosts: if loopback { own.into() } else { self.host_name.clone() },
            fetch: self.fetch.wanted(),
            cache: self.fetch.cache(),
            manners: self.fetch.manners(),
            render: self.fetch.browser(),
            store: self.store.clone(),
            jobs: JobLimits {
                per_client: self.jobs.jobs_per_client,
                pages: self.jobs.job_pages,
                bytes: self.jobs.job_bytes,
                keep: Duration::from_secs(self.jobs.job_hours * 3600),
                delay: self.jobs.crawl_delay,
            },
            log: !self.quiet,
            ..default
        })
    }
}

impl ServedFetchArgs {
    /// Returns the browser options, or `None` if no browser is used.
    pub fn browser(&self) -> Option<BrowserOptions> {
        let options =
            BrowserOptions { sandbox: !self.no_browser_sandbox, timeout: self.timeout, ..BrowserOptions::default() };
        self.render.then_some(options)
    }

    /// Returns the fetch options, or `None` if nothing is fetched.
    pub fn wanted(&self) -> Option<FetchOptions> {
        (!self.no_fetch).then(|| self.options())
    }

    /// Returns the limits of the cache; `None` without a cache.
    pub fn cache(&self) -> Option<CacheLimits> {
        let limits = CacheLimits { bytes: self.cache_memory, entries: self.cache_entries, age: self.cache_age };
        (self.cache_memory > 0 && !self.no_fetch).then_some(limits)
    }

    /// Returns the politeness towards sites.
    pub fn manners(&self) -> Manners {
        let per_host = self.per_host.map(|n| n as usize);
        Manners { per_host, delay: self.host_delay, robots: self.robots }
    }

    fn options(&self) -> FetchOptions {
        let mut policy = Policy { networks: self.allow_network.clone(), ..Policy::default() };
        policy.ports.extend(&self.allow_port);
        (policy.allowed_hosts, policy.denied_hosts) = (self.allow_host.clone(), self.deny_host.clone());
        FetchOptions {
            user_agent: self.user_agent.clone(),
            timeout: self.timeout,
            max_size: self.max_size,
            policy: Some(policy),
            proxy: self.proxy.clone().map_or(Proxy::Direct, Proxy::Url),
            ..FetchOptions::default()
        }
    }
}

pub fn run(args: &ServeArgs) -> ExitCode {
    for name in without_flag(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())) {
        report::warning(&name, &"has no effect, since 'maintext serve' has no flag of this name");
    }
    let config = args.config().unwrap_or_else(|e| report::usage(&e));
    let open = config.token_file.is_none() && !args.listen.ip().is_loopback();
    let service = match Service::new(config) {
        Ok(service) => service,
        Err(error @ StartError::Store(_)) => {
            report::failed("serve", &error);
            return ExitCode::FAILURE;
        }
        Err(error) => report::usage(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            report::failed("serve", &error);
            return ExitCode::FAILURE;
        }
    };
    if open {
        report::note(
            &"everyone who can reach this address can use the service; --token-file restricts it to token holders",
        );
    }
    let result = runtime.block_on(serve(service, args));
    // A hanging fetch has its own time limit; shutdown does not wait for it.
    runtime.shutdown_background();
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            report::failed("serve", &"some requests were not answered in time");
            ExitCode::FAILURE
        }
        Err((address, error)) => {
            report::failed(&address.to_string(), &error);
            ExitCode::FAILURE
        }
    }
}

async fn serve(mut service: Service, args: &ServeArgs) -> Result<bool, (SocketAddr, std::io::Error)> {
    let bind = async |address| tokio::net::TcpListener::bind(address).await.map_err(|e| (address, e));
    let listener = bind(args.listen).await?;
    if let Some(address) = args.admin_listen {
        let admin = bind(address).await?;
        let local = admin.local_addr().map_err(|e| (address, e))?;
        log::event("admin", &format!("http://{local}"));
        service = service.with_admin(admin);
    }
    let stop = stopped().map_err(|e| (args.listen, e))?;
    log::event("listening", &format!("http://{}", listener.local_addr().map_err(|e| (args.listen, e))?));
    let all = service.run(listener, async {
        stop.await;
        log::event("stopping", "completing accepted requests");
    });
    let all = all.await;
    log::event(
        "stopped",
        if all { "all requests were answered" } else { "time limit reached before all requests were answered" },
    );
    Ok(all)
}

/// Returns a future that resolves on a stop signal. The handlers are installed when this function returns.
#[cfg(unix)]
fn stopped() -> Result<impl Future<Output = ()>, std::io::Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut term, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stopped() -> Result<impl Future<Output = ()>, std::io::Error> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_without_its_unit_is_refused() {
        assert_eq!(memory("10").unwrap_err(), "10 bytes hold no page; write 10M for megabytes");
        assert_eq!(memory("10M"), size("10M"));
    }

    #[test]
    fn variables_without_a_flag_are_found() {
        let names =
            ["MAINTEXT_SERVE_MAX_BODY", "MAINTEXT_SERVE_MAX_BODDY", "MAINTEXT_DATA", "MAINTEXT_SERVE_CACHE_MEMORY"];
        let found = without_flag(names.into_iter().map(str::to_owned));
        assert!(
            found.contains(&"MAINTEXT_SERVE_MAX_BODDY".to_owned()) && !found.contains(&names[0].to_owned()),
            "{found:?}"
        );
    }
}
