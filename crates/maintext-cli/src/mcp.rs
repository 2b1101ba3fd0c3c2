//! `maintext mcp`: the extractor as tools for agents.
use crate::report;
use crate::serve::ServedFetchArgs;
use maintext_server::Config;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Add the command and its arguments to the configuration of the agent program; docs/agents.md shows the lines for each:
  {\"mcpServers\": {\"maintext\": {\"command\": \"maintext\", \"args\": [\"mcp\"]}}}

The tools are extract, find, changes and list, which take a url or html, and map and crawl for sites. Every answer is at most \
max_chars long and says where it continues; docs/agents.md describes them. maintext serve offers the same tools at /mcp.

Private, loopback, link-local and cloud-metadata \
addresses are blocked unless --allow-network permits them.";

/// Serve the extractor as tools for agents, over the Model Context Protocol on standard input and output
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct McpArgs {
    #[command(flatten)]
    fetch: ServedFetchArgs,
}

pub fn run(args: &McpArgs) -> ExitCode {
    let config = Config {
        fetch: args.fetch.wanted(),
        render: args.fetch.browser(),
        cache: args.fetch.cache(),
        manners: args.fetch.manners(),
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
