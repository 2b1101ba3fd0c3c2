//! The Model Context Protocol, for agents: on standard input and output, and as `/mcp` of the service.
//!
//! Every answer is bounded: the result of a call, written as JSON, has at most `max_chars` characters. It ends at the border of a
//! paragraph or entry and names the `next_offset` at which the next call continues.
//!
//! Revisions from 2024-11-05 to 2026-07-28 are supported: the ones with a handshake, and the stateless one, in which each request names its
//! revision. rmcp distinguishes them by request.
//!
//! - `tools` describes the tools; `arguments` reads a call.
//! - `task` reports the progress of a call and ends it when the client cancels it.
//! - `page` answers from one page, `site` from several.
//! - `answers` cuts an answer to its limit; its memory keeps it for the next call.
mod advice;
mod arguments;
mod http;
mod page;
mod site;
mod task;
mod tools;

pub use http::over_http;

use crate::answers::{CallAnswer, KeptAnswers};
use crate::app::App;
use crate::config::Config;
use crate::problem::Problem;
use crate::trace::{self, RequestTrace};
use arguments::CheckedCall;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, Implementation, JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, serve_server};
use rmcp::{ErrorData, transport};
use std::sync::Arc;
use std::time::Duration;
use task::CallTask;
use tools::Offer;

/// How long a client may keep the list of tools, which changes only when the server is restarted with other flags.
const FRESH: Duration = Duration::from_secs(3600);
/// The methods that this server answers.
const METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/call", "tools/list"];
/// Smallest `max_chars` with which an answer names its server. Below it, the content gets no more room than with this limit, so that a
/// larger limit never gives less.
const ROOM_FOR_NAME: usize = 1_000;

/// Serves on standard input and output until the client closes them.
///
/// # Errors
/// A setting is invalid, or the client violates the protocol.
pub async fn serve(config: Config) -> Result<(), String> {
    let handler = Handler { app: Arc::new(App::new(config).map_err(|e| e.to_string())?), request: None };
    let running = serve_server(handler, transport::stdio()).await.map_err(|e| {
        format!("{e}; this command speaks the Model Context Protocol on standard input, and an agent starts it")
    })?;
    running.waiting().await.map(drop).map_err(|e| e.to_string())
}

/// The tools over one [`App`].
struct Handler {
    app: Arc<App>,
    /// The HTTP request, to whose client the calls count; rmcp runs them in a task of their own.
    request: Option<Arc<RequestTrace>>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(server()).with_instructions(tools::instructions(self.offer()))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut result = DiscoverResult::from_server_info(versions, self.get_info());
        (result.ttl_ms, result.cache_scope) = (fresh(), CacheScope::Public);
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = ListToolsResult::with_all_items(tools::tools(self.offer()));
        if is_stateless(&context) {
            result = result.with_ttl_ms(fresh()).with_cache_scope(CacheScope::Public);
            result.meta = Some(named());
        }
        Ok(result)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // A method that rmcp knows comes here with parameters of another shape.
        if METHODS.contains(&&*method) {
            let needs = if method == "server/discover" { "; it needs _meta with the protocol version" } else { "" };
            return Err(ErrorData::invalid_params(format!("invalid parameters of {method}{needs}"), None));
        }
        let message = format!("method not found: {}", method.chars().take(80).collect::<String>());
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
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
        let is_stateless = is_stateless(&context);
        let name = (is_stateless && limit >= ROOM_FOR_NAME).then(named);
        let length = serde_json::to_string(&named()).map_or(0, |name| name.len() + 9);
        let spare = match &name {
            _ if !is_stateless => 0,
            Some(_) => length,
            None => limit.saturating_sub(ROOM_FOR_NAME - length),
        };
        let (task, steps) = CallTask::new();
        let work = self.answer(&task, spare, &tool.name, &tool.input_schema, arguments);
        let work = async {
            match self.request.clone() {
                Some(request) => request.scope(work).await,
                None => work.await,
            }
        };
        let result = task::while_wanted(&context, steps, work).await?;
        let mut result = result.unwrap_or_else(|problem| advice::failed(&problem, limit - spare));
        result.meta = name;
        Ok(result.into())
    }
}

/// The name and version of this server.
fn server() -> Implementation {
    Implementation::new("maintext", env!("CARGO_PKG_VERSION"))
}

/// Returns the facts with which a result names its server.
fn named() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert("io.modelcontextprotocol/serverInfo".into(), serde_json::json!(server()));
    meta
}

fn fresh() -> u64 {
    u64::try_from(FRESH.as_millis()).unwrap_or(0)
}

/// Whether a request follows a revision without a handshake.
fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl Handler {
    fn offer(&self) -> Offer {
        Offer { fetch: self.app.config.fetch.is_some(), render: self.app.config.render.is_some() }
    }

    /// Answers a call. `spare` units of its limit are needed for something else.
    async fn answer(
        &self,
        task: &CallTask,
        spare: usize,
        tool: &str,
        schema: &JsonObject,
        arguments: JsonObject,
    ) -> Result<CallToolResult, Problem> {
        let name = KeptAnswers::name(trace::client().holder(), tool, &arguments);
        let call = CheckedCall::read(tool, schema, arguments)?;
        let (limit, offset, json) = (call.max_chars - spare, call.offset, call.json);
        // Only later parts come from memory, so that a new call sees the page as it is now.
        let kept = if offset > 0 { self.app.answers.get(name) } else { None };
        let answer = match kept {
            Some(answer) => answer,
            None => {
                let answer = Arc::new(self.find(task, tool, call).await?);
                if !answer.is_whole(limit) {
                    self.app.answers.keep(name, answer.clone());
                }
                answer
            }
        };
        answer.part(limit, offset, json)
    }

    async fn find(&self, task: &CallTask, tool: &str, call: CheckedCall) -> Result<CallAnswer, Problem> {
        let app = &self.app;
        match tool {
            "map" => site::map(app, task, call).await,
            "crawl" => site::crawl(app, task, call).await,
            "find" => page::find(app, call).await,
            "changes" => page::changes(app, call).await,
            tool => {
                let work = if tool == "list" { page::list } else { page::extract };
                let (job, wanted) = call.job()?;
                app.on_page(job, move |app, choices, source| work(app, choices, &wanted, source)).await
            }
        }
    }
}
