//! `maintext mcp`: the extractor as tools for agents.
use crate::mcp_install::{self, Program};
use crate::report;
use crate::serve::{ResultArgs, ServedFetchArgs};
use maintext_server::Config;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Add the command and its arguments to the agent's configuration, or let --install do it:
  {\"mcpServers\": {\"maintext\": {\"command\": \"maintext\", \"args\": [\"mcp\"]}}}
  maintext mcp --install cursor --results text

The tools are extract, list, links, classify and inspect, which take a url or html, and map and crawl for sites. Every answer is at most \
max_chars long and says where it continues; docs/agents.md describes them. maintext serve offers the same tools at /mcp.

Private, loopback, link-local and cloud-metadata \
addresses are blocked unless --allow-network permits them.";

/// Serve the extractor as tools for agents, over the Model Context Protocol on standard input and output
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct McpArgs {
    /// Add maintext to the configuration of an agent program, after asking; the entry has the other flags of this call
    ///
    /// Without a name, to those that are found on this machine. The old file is kept beside the new one.
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, default_missing_value = "all")]
    install: Option<Program>,

    /// With --install, write without asking
    #[arg(long, requires = "install")]
    yes: bool,

    #[command(flatten)]
    results: ResultArgs,

    #[command(flatten)]
    fetch: ServedFetchArgs,
}

pub fn run(args: &McpArgs) -> ExitCode {
    if let Some(program) = args.install {
        return mcp_install::run(program, args.yes);
    }
    let config = Config {
        fetch: args.fetch.wanted(),
        render: args.fetch.browser(),
        cache: args.fetch.cache(),
        manners: args.fetch.manners(),
        results: args.results.wanted(),
        log: false,
        ..Config::default()
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            report::failed("mcp", &error);
            return ExitCode::FAILURE;
        }
    };
    let result = runtime.block_on(maintext_server::mcp::serve(config));
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::failed("mcp", &error);
            ExitCode::FAILURE
        }
    }
}
