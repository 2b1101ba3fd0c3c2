//! The Model Context Protocol on standard input and output, for agents that start the command themselves.
use crate::api::{classified, listed};
use crate::app::App;
use crate::ask::{Ask, Choices, FormatName};
use crate::config::Config;
use crate::inspect::blocks_of;
use crate::problem::Problem;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, serve_server};
use rmcp::{ErrorData, transport};
use serde_json::{Value, json};
use std::sync::Arc;

const INSTRUCTIONS: &str = "Reads web pages without menus, advertisements and other boilerplate. `extract` returns a page's main \
    text as Markdown with title, author and date. `list` returns the entries of a list page, such as an index or a search result. \
    `classify` returns the page type. `inspect` returns the page's text blocks with the probability that each is content. \
    Each tool takes a `url` to fetch, or the page itself as `html`.";

/// Default maximum length of the content in characters, since an agent's context is small.
const MAX_CHARS: usize = 50_000;

/// Serves on standard input and output until the client closes them.
///
/// # Errors
/// A setting is invalid, or the client violates the protocol.
pub async fn serve(config: Config) -> Result<(), String> {
    let handler = Handler { app: Arc::new(App::new(config)?) };
    let running = serve_server(handler, transport::stdio()).await.map_err(|e| e.to_string())?;
    running.waiting().await.map(drop).map_err(|e| e.to_string())
}

struct Handler {
    app: Arc<App>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("maintext", env!("CARGO_PKG_VERSION"));
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        // An error about the page is a tool result, which the agent can read and act on. An unknown tool is a protocol error.
        let result = match &*request.name {
            "extract" => extract(&self.app, arguments).await,
            "list" => structured(&self.app, arguments, listed).await,
            "classify" => structured(&self.app, arguments, classified).await,
            "inspect" => structured(&self.app, arguments, blocks_of).await,
            other => return Err(ErrorData::invalid_params(format!("unknown tool '{other}'"), None)),
        };
        let failed = |problem: Problem| CallToolResult::error(vec![ContentBlock::text(problem.detail)]);
        Ok(result.unwrap_or_else(failed).into())
    }
}

fn tools() -> Vec<Tool> {
    let page = json!({
        "url": {"type": "string", "description": "Address of the page (http or https). The page is fetched unless html is given."},
        "html": {"type": "string", "description": "The HTML of the page."},
    });
    let tool = |name: &'static str, what: &'static str, more: Value| {
        let objects = [&page, &more].into_iter().filter_map(Value::as_object).cloned();
        let properties: JsonObject = objects.flatten().collect();
        let mut schema = JsonObject::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.insert("additionalProperties".into(), false.into());
        Tool::new(name, what, Arc::new(schema))
            .with_annotations(ToolAnnotations::new().read_only(true).open_world(true))
    };
    let method = json!({"type": "string", "enum": maintext_core::method::NAMES, "description": "Method that finds the content. The default is the most accurate."});
    let favor = json!({"type": "string", "enum": ["balance", "precision", "recall"], "description": "Whether to favor precision (less boilerplate) or recall (more content)."});
    vec![
        tool(
            "extract",
            "The main content of a web page, without menus, advertisements and other boilerplate, with title, author and date.",
            json!({
                "format": {"type": "string", "enum": ["markdown", "text", "html", "json"], "default": "markdown"},
                "max_chars": {"type": "integer", "minimum": 1, "default": MAX_CHARS, "description": "Maximum length of the content in characters."},
                "favor": favor, "method": method,
            }),
        ),
        tool("list", "The entries of a list page: titles and addresses, in groups, the best group first.", json!({})),
        tool("classify", "The type of a web page (article, forum, product, listing, ...) and its language.", json!({})),
        tool(
            "inspect",
            "The text blocks of a web page, each with the probability that it is main content and the decision to keep it.",
            json!({"favor": favor, "method": method}),
        ),
    ]
}

/// Converts the arguments of a call to a request, with `favor` and `method` as its options.
fn ask(mut arguments: JsonObject) -> Result<Ask, Problem> {
    let mut options = JsonObject::new();
    for name in ["favor", "method"] {
        options.extend(arguments.remove(name).map(|value| (name.to_owned(), value)));
    }
    arguments.insert("options".into(), options.into());
    serde_json::from_value(arguments.into()).map_err(|e| Problem::bad_request(format!("invalid arguments: {e}")))
}

async fn structured(
    app: &Arc<App>,
    arguments: JsonObject,
    work: fn(&App, &Choices, crate::app::Source) -> Result<Value, Problem>,
) -> Result<CallToolResult, Problem> {
    let job = ask(arguments)?.job()?;
    Ok(CallToolResult::structured(app.on_page(job, work).await?))
}

async fn extract(app: &Arc<App>, mut arguments: JsonObject) -> Result<CallToolResult, Problem> {
    let format = match arguments.remove("format") {
        None => "markdown".to_owned(),
        Some(Value::String(format)) => format,
        Some(other) => {
            return Err(Problem::bad_request(format!(
                "the format {other} is not supported; use markdown, text, html or json"
            )));
        }
    };
    let max_chars = match arguments.remove("max_chars") {
        None => MAX_CHARS,
        Some(value) => value.as_u64().map_or(MAX_CHARS, |n| usize::try_from(n).unwrap_or(usize::MAX)),
    };
    let formats = match format.as_str() {
        "markdown" => vec![FormatName::Markdown],
        "text" => vec![FormatName::Text],
        "html" => vec![FormatName::Html],
        "json" => vec![FormatName::Text, FormatName::Markdown],
        other => {
            return Err(Problem::bad_request(format!(
                "the format '{other}' is not supported; use markdown, text, html or json"
            )));
        }
    };
    let mut job = ask(arguments)?.job()?;
    job.choices.formats = formats;
    let page = app.on_page(job, |app, choices, source| app.extract(choices, &source)).await?;
    if format == "json" {
        return Ok(CallToolResult::structured(json!(page)));
    }
    let m = &page.metadata;
    let mut out = String::new();
    for (name, value) in [("title", &m.title), ("author", &m.author), ("date", &m.date), ("url", &m.url)] {
        if let Some(value) = value {
            out += &format!("{name}: {value}\n");
        }
    }
    for warning in &page.warnings {
        out += &format!("warning: {}\n", warning.message);
    }
    out.push('\n');
    let content = [&page.markdown, &page.text, &page.html].into_iter().flatten().next().map_or("", String::as_str);
    let mut chars = content.chars();
    out.extend(chars.by_ref().take(max_chars));
    if chars.next().is_some() {
        out += "\n\n(truncated; raise max_chars for more)";
    }
    Ok(CallToolResult::success(vec![ContentBlock::text(out)]))
}
