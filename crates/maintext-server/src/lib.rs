//! maintext as a service: an HTTP API with strict limits, and a playground that explains the results.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use maintext_server::{Config, Service};
//!
//! let service = Service::new(Config::default())?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
//! service.run(listener, async { tokio::signal::ctrl_c().await.unwrap_or(()) }).await;
//! # Ok(())
//! # }
//! ```
//!
//! `docs/service.md` describes the routes and the settings.
#![forbid(unsafe_code)]

mod accept;
mod answers;
mod api;
mod app;
mod ask;
mod assets;
mod batch;
mod body;
mod cache;
mod client;
mod compat;
mod config;
mod cost;
mod fetching;
mod find;
mod flow;
mod gate;
mod inspect;
mod limits;
mod listen;
pub mod log;
mod manners;
pub mod mcp;
mod memory;
mod metrics;
mod openapi;
mod pages;
mod patience;
mod problem;
mod process;
mod reader;
mod running;
mod seats;
mod start;
mod store;
mod teach;
mod threads;
mod tokens;
mod trace;
mod turns;
mod view;
mod wrong_tokens;

pub use cache::CacheLimits;
pub use config::{Config, Forwarded, ForwardedHeader, JobLimits};
pub use manners::Manners;
pub use start::StartError;

use app::App;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, delete, get, post};
use std::future::Future;
use std::sync::Arc;
use tokio::net::TcpListener;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

/// A service that is ready to listen.
pub struct Service {
    app: Arc<App>,
    admin: Option<TcpListener>,
}

impl Service {
    /// Checks the settings and loads the models.
    ///
    /// # Errors
    /// A setting is invalid or a file cannot be read; the message is one line.
    pub fn new(config: Config) -> Result<Service, StartError> {
        Ok(Service { app: Arc::new(App::new(config)?), admin: None })
    }

    /// Answers `/healthz`, `/readyz` and `/metrics` on a port of their own, without tokens. Other ports then have no `/metrics`.
    #[must_use]
    pub fn with_admin(self, listener: TcpListener) -> Service {
        Service { admin: Some(listener), ..self }
    }

    /// Serves until `stop` resolves, then completes the accepted requests. Returns whether all of them were answered within
    /// [`Config::grace`].
    pub async fn run(self, listener: TcpListener, stop: impl Future<Output = ()>) -> bool {
        let router = router(self.app.clone(), self.admin.is_none());
        let admin = self.admin.map(|listener| tokio::spawn(listen::admin(listener, probes(self.app.clone()))));
        let jobs = tokio::spawn(compat::jobs::run(self.app.clone()));
        let all = listen::listen(self.app, router, listener, stop).await;
        // The jobs notice that the service stops, and continue when it starts again.
        let _ = jobs.await;
        admin.inspect(|task| task.abort());
        all
    }
}

/// The routes of the port for health and metrics.
fn probes(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(api::health))
        .route("/readyz", get(api::ready))
        .route("/metrics", get(api::metrics))
        .fallback(api::not_found)
        .with_state(app)
}

fn router(app: Arc<App>, metrics: bool) -> Router {
    let teach = Router::new()
        .route("/v1/teach/labels", post(teach::label).layer(from_fn(ask::body_only)))
        .route("/v1/teach/train", post(teach::train).layer(from_fn(ask::body_only)))
        .route("/v1/teach/sites", get(teach::sites))
        .route("/v1/teach/sites/{site}", delete(teach::forget))
        .route("/v1/teach/model/{site}", get(teach::model))
        .route("/v1/teach/export", get(teach::export));
    let teach = if app.config.teach { teach } else { Router::new().route("/v1/teach/{*rest}", any(teach::disabled)) };
    let metrics = if metrics { Router::new().route("/metrics", get(api::metrics)) } else { Router::new() };
    Router::new()
        .merge(teach)
        .merge(metrics)
        .route("/", get(assets::playground))
        .route("/docs", get(assets::docs))
        .route("/assets/{name}", get(assets::asset))
        .route("/v1/extract", post(api::extract))
        .route("/v1/list", post(api::list))
        .route("/v1/classify", post(api::classify))
        .route("/v1/find", post(find::find).layer(from_fn(ask::body_only)))
        .route("/v1/changes", post(find::compare).layer(from_fn(ask::body_only)))
        .route("/v1/batch", post(batch::batch).layer(from_fn(ask::body_only)))
        .merge(firecrawl_routes())
        .route("/v1/inspect", post(inspect::inspect))
        .route("/v1/explain", post(inspect::explain).layer(from_fn(ask::body_only)))
        .merge(reader_routes())
        .route("/mcp", post(mcp::over_http))
        .route("/healthz", get(api::health))
        .route("/readyz", get(api::ready))
        .route("/openapi.json", get(openapi::document))
        .method_not_allowed_fallback(api::wrong_method)
        .fallback(api::not_found)
        .layer(from_fn_with_state(app.clone(), gate::gate))
        // Outside of the gate, which counts the memory of complete answers.
        .layer(compression())
        .with_state(app)
}

/// Addresses of pages as paths, also with the two slashes of the address merged by a proxy.
fn reader_routes() -> Router<Arc<App>> {
    Router::new()
        .route("/https://{*address}", get(reader::read))
        .route("/http://{*address}", get(reader::read))
        .route("/https:/{*address}", get(reader::read))
        .route("/http:/{*address}", get(reader::read))
}

/// Firecrawl's routes.
fn firecrawl_routes() -> Router<Arc<App>> {
    use compat::crawl::{active, batch, cancel, crawl, errors, map, status};
    Router::new()
        .route("/v2/scrape", post(compat::scrape::scrape))
        .route("/v2/map", post(map))
        .route("/v2/crawl", post(crawl))
        .route("/v2/crawl/active", get(active))
        .route("/v2/crawl/{id}", get(status).delete(cancel))
        .route("/v2/crawl/{id}/errors", get(errors))
        .route("/v2/batch/scrape", post(batch))
        .route("/v2/batch/scrape/{id}", get(status).delete(cancel))
        .route("/v2/batch/scrape/{id}/errors", get(errors))
}

/// Compresses answers of at least a kilobyte for clients that accept it. Streams are left as they are, because their parts would wait in
/// the compressor. The client has sent all secrets that an answer holds, so its length reveals none (BREACH).
fn compression() -> CompressionLayer<impl Predicate> {
    let worth = SizeAbove::new(1024)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::SSE)
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/octet-stream"));
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(worth)
}
