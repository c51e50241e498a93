//! Accepts connections, and limits what each of them can take.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use crate::connection_table::{Connection, ConnectionLimits, ConnectionTable};
use crate::request_body::{BodyProgress, RequestBody, ResponseBody, refusal};
use crate::write_timeout::WriteTimeout;

/// The time that the head of a request may take.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of the head of a request.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// The time that a handler may take.
const HANDLER_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// The time that is left to requests in progress when the server is to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of connections that the kernel holds until they are accepted.
const BACKLOG: u32 = 4096;

/// The address that a request comes from. The listener gives it to each request as an extension.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Takes a port.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers until `stop` is true, then finishes what was begun.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    mut stop: watch::Receiver<bool>,
) {
    let table = ConnectionTable::new(within_file_limit(limits));
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES.max(8192))
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
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Without a place, the connection is closed at once.
        let Some(place) = table.admit(address.ip()) else { continue };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let state = Arc::clone(place.connection());
        let stream = WriteTimeout::new(stream, Arc::clone(&state));
        let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            respond(router.clone(), request, address, Arc::clone(&state))
        });
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            tokio::select! {
                // A connection that lost its place is not served any more, even if a request has arrived.
                biased;
                () = place.connection().displaced() => {}
                // A client that goes away is not an error of the server.
                _ = connection => {}
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(STOP_TIMEOUT, graceful.shutdown()).await;
}

/// A quarter of the files that this process may open is left to everything that is not a connection.
fn within_file_limit(limits: ConnectionLimits) -> ConnectionLimits {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let most = usize::try_from(files / 4 * 3).unwrap_or(usize::MAX);
    ConnectionLimits { total: limits.total.min(most), ..limits }
}

async fn respond(
    router: Router,
    request: hyper::Request<Incoming>,
    address: SocketAddr,
    connection: Arc<Connection>,
) -> Result<Response<Body>, Infallible> {
    connection.set_awaits_bytes(false);
    let progress = Arc::new(BodyProgress::default());
    let response = if has_one_host(&request) {
        let of_body = (Arc::clone(&progress), Arc::clone(&connection));
        let mut request: Request =
            request.map(|body| Body::new(RequestBody::new(body, of_body.0, of_body.1)));
        request.extensions_mut().insert(Peer(address));
        request.extensions_mut().insert(Arc::clone(&progress));
        let handled = tower::ServiceExt::oneshot(router, request);
        match tokio::time::timeout(HANDLER_TIMEOUT, handled).await {
            Ok(Ok(response)) => progress.refusal().unwrap_or(response),
            Ok(Err(never)) => match never {},
            Err(_) => refusal(StatusCode::REQUEST_TIMEOUT, "The request took too long.\n"),
        }
    } else {
        refusal(StatusCode::BAD_REQUEST, "A request has exactly one Host (RFC 9112, 3.2).\n")
    };
    Ok(response.map(|body| Body::new(ResponseBody::new(body, connection))))
}

/// Whether a request says once for which host it is; HTTP/1.0 does not ask for that.
fn has_one_host(request: &hyper::Request<Incoming>) -> bool {
    match request.headers().get_all(HOST).iter().count() {
        0 => request.version() < Version::HTTP_11,
        count => count == 1,
    }
}
