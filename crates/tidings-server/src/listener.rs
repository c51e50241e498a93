//! Takes connections, and lets none of them take too much.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::access::Peer;
use crate::patience::Patience;

/// How long the head of a request may take: who is slower keeps a connection from others.
const HEAD: Duration = Duration::from_secs(10);
/// How many bytes it may have.
const MOST_HEAD: usize = 16 << 10;
/// How long an answer, or a body that is sent to us, may take.
const WHOLE: Duration = Duration::from_secs(10 * 60);
/// How long it is waited for requests under way when the server is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Answers until `stop` is true, then finishes what was begun.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    most: usize,
    mut stop: watch::Receiver<bool>,
) {
    let room = Arc::new(Semaphore::new(most.max(1)));
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MOST_HEAD.max(8192))
        .max_headers(64)
        .half_close(false);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, most likely; some will be closed soon.
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Beyond what there is room for, nobody is kept waiting.
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(Peer(address));
            let router = router.clone();
            async move {
                let answer = tower::ServiceExt::oneshot(router, request);
                Ok::<_, Infallible>(match tokio::time::timeout(WHOLE, answer).await {
                    Ok(Ok(response)) => response,
                    Ok(Err(never)) => match never {},
                    Err(_) => {
                        let mut response = axum::response::Response::new(Body::empty());
                        *response.status_mut() = axum::http::StatusCode::REQUEST_TIMEOUT;
                        response
                    }
                })
            }
        });
        let connection =
            graceful.watch(builder.serve_connection(TokioIo::new(Patience::new(stream)), service));
        tokio::spawn(async move {
            // Who goes away in the middle is no error of ours.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}
