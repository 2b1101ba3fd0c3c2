//! Accepts connections, limits their number and idle time, and completes all requests before shutdown.
use crate::app::App;
use crate::client::Client;
use crate::gate::Peer;
use crate::patience::Patience;
use crate::seats::{ClientPlace, Seats};
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tower_service::Service as _;

/// Serves until `stop` resolves, then completes the accepted requests for as long as the settings allow.
/// Returns whether all requests were answered.
pub async fn listen(app: Arc<App>, router: Router, listener: TcpListener, stop: impl Future<Output = ()>) -> bool {
    let seats = Arc::new(Semaphore::new(app.config.connections.max(1)));
    let clients = Arc::new(Seats::default());
    let graceful = GracefulShutdown::new();
    let serve = |accepted: Option<Accepted>| {
        let Some((seat, stream, peer)) = accepted else { return };
        // A trusted proxy's connections serve many clients, whose requests are counted instead.
        let limit = if app.config.trust.is_some() { usize::MAX } else { app.config.connections_per_client };
        let Some(place) = ClientPlace::take(&clients, &Client::at(peer.ip()), limit) else { return };
        let connection = graceful.watch(connection(&app, router.clone(), stream, peer));
        let app = app.clone();
        tokio::spawn(async move {
            app.metrics.connections.fetch_add(1, Ordering::Relaxed);
            // An error on a connection concerns only its client.
            let _ = connection.await;
            app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop((seat, place));
        });
    };
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            accepted = accept(&seats, &listener) => serve(accepted),
            () = &mut stop => break,
        }
    }
    app.stopping.store(true, Ordering::Relaxed);
    let delay = Instant::now() + app.config.drain_delay;
    while let Ok(accepted) = timeout_at(delay, accept(&seats, &listener)).await {
        serve(accepted);
    }
    // Connections in the kernel's queue are open for their clients, which may already have sent a request.
    let end = Instant::now() + LONGEST_DRAIN;
    while let Ok(accepted) = timeout_at(end.min(Instant::now() + QUEUE_EMPTY), accept(&seats, &listener)).await {
        serve(accepted);
    }
    drop(listener);
    tokio::time::timeout(app.config.grace, graceful.shutdown()).await.is_ok()
}

/// Serves the port for health and metrics.
pub async fn admin(listener: TcpListener, router: Router) {
    // Few clients need it, and none of them long.
    let seats = Arc::new(Semaphore::new(64));
    loop {
        let Some((seat, stream, _)) = accept(&seats, &listener).await else { continue };
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| router.clone().call(request));
        tokio::spawn(async move {
            let serve = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_secs(10))
                .serve_connection(Patience::new(TokioIo::new(stream), Duration::from_secs(10)), service);
            // An error on a connection concerns only its client.
            let _ = serve.await;
            drop(seat);
        });
    }
}

/// An accepted connection with its permit and the client's address.
type Accepted = (OwnedSemaphorePermit, TcpStream, SocketAddr);
/// The kernel's queue counts as empty if no connection arrives for this long.
const QUEUE_EMPTY: Duration = Duration::from_millis(50);
/// Time limit for accepting queued connections during shutdown, since clients may keep connecting.
const LONGEST_DRAIN: Duration = Duration::from_secs(1);

/// Accepts the next connection. At the limit, further connections wait in the kernel's queue.
async fn accept(seats: &Arc<Semaphore>, listener: &TcpListener) -> Option<Accepted> {
    let seat = seats.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((seat, stream, peer)),
        Err(_) => {
            // The process has probably run out of file descriptors; some will be closed soon.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

fn connection(
    app: &App,
    router: Router,
    stream: TcpStream,
    peer: SocketAddr,
) -> impl GracefulConnection<Error = hyper::Error> + Send + use<> {
    // Without this option, a small response would wait for the acknowledgement of the previous one.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.clone().call(request)
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.header_timeout)
        .max_buf_size(64 * 1024)
        .serve_connection(Patience::new(TokioIo::new(stream), app.config.body_timeout), service)
}
