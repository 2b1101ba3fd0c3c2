//! The Model Context Protocol, for agents: on standard input and output, and as `/mcp` of the service.
//!
//! Every answer is bounded: the result of a call, written as JSON, has at most `max_chars` characters. It ends at the border of a
//! paragraph or entry and names the `next_offset` at which the next call continues.
//!
//! - `tools` describes the tools; `arguments` reads a call.
//! - `page` answers from one page, `site` from several.
//! - `answers` cuts an answer to its limit; its memory keeps it for the next call.
mod advice;
mod arguments;
mod http;
mod page;
mod site;
mod tools;

pub use http::over_http;

use crate::answers::{Answer, Answers};
use crate::app::App;
use crate::config::Config;
use crate::problem::Problem;
use crate::trace::{self, Trace};
use arguments::Call;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, serve_server};
use rmcp::{ErrorData, transport};
use std::sync::Arc;
use tools::Offer;

/// Default of `max_chars`: four answers, such as a list and three pages, take about 8,000 tokens.
const MAX_CHARS: usize = 6_000;
/// Range of `max_chars`.
const CHARS: std::ops::RangeInclusive<usize> = 200..=200_000;

/// Serves on standard input and output until the client closes them.
///
/// # Errors
/// A setting is invalid, or the client violates the protocol.
pub async fn serve(config: Config) -> Result<(), String> {
    let handler = Handler { app: Arc::new(App::new(config)?), request: None };
    let running = serve_server(handler, transport::stdio()).await.map_err(|e| e.to_string())?;
    running.waiting().await.map(drop).map_err(|e| e.to_string())
}

/// The tools over one [`App`].
struct Handler {
    app: Arc<App>,
    /// The HTTP request, to whose client the calls count; rmcp runs them in a task of their own.
    request: Option<Arc<Trace>>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("maintext", env!("CARGO_PKG_VERSION"));
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(tools::instructions(self.offer()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::tools(self.offer())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let offered = tools::tools(self.offer());
        let Some(tool) = offered.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = offered.iter().map(|tool| &*tool.name).collect();
            let message = format!("unknown tool '{}'; the tools are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        // An error about the page is a tool result, which the agent can read and act on. An unknown tool is a protocol error.
        let limit = arguments::limit(&arguments);
        let work = self.answer(&tool.name, &tool.input_schema, arguments);
        let result = match self.request.clone() {
            Some(request) => request.scope(work).await,
            None => work.await,
        };
        Ok(result.unwrap_or_else(|problem| advice::failed(&problem, limit)).into())
    }
}

impl Handler {
    fn offer(&self) -> Offer {
        Offer { fetch: self.app.config.fetch.is_some(), render: self.app.config.render.is_some() }
    }

    async fn answer(&self, tool: &str, schema: &JsonObject, arguments: JsonObject) -> Result<CallToolResult, Problem> {
        let name = Answers::name(trace::client().holder(), tool, &arguments);
        let call = Call::read(tool, schema, arguments)?;
        let (limit, offset, json) = (call.max_chars, call.offset, call.json);
        // Only later parts come from memory, so that a new call sees the page as it is now.
        let answer = match self.app.answers.get(name).filter(|_| offset > 0) {
            Some(answer) => answer,
            None => {
                let answer = Arc::new(self.find(tool, call).await?);
                if !answer.is_whole(limit) {
                    self.app.answers.keep(name, answer.clone());
                }
                answer
            }
        };
        answer.part(limit, offset, json)
    }

    async fn find(&self, tool: &str, call: Call) -> Result<Answer, Problem> {
        let app = &self.app;
        match tool {
            "map" => site::map(app, call).await,
            "crawl" => site::crawl(app, call).await,
            "find" => page::find(app, call).await,
            tool => {
                let work = match tool {
                    "list" => page::list,
                    "classify" => page::classify,
                    "inspect" => page::inspect,
                    "links" => page::links,
                    _ => page::extract,
                };
                let (job, wanted) = call.job()?;
                app.on_page(job, move |app, choices, source| work(app, choices, &wanted, source)).await
            }
        }
    }
}
