//! The body of a request, which has to arrive in time.

use std::error::Error as _;
use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Response, StatusCode};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

use crate::connection_table::Connection;

/// The time that the whole body of a stranger may take.
const STRANGER_BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// The time that the whole body of somebody who is known may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// The time that any body may take before its rate counts.
const RATE_GRACE: Duration = Duration::from_secs(5);
/// The number of bytes that have to arrive in each second after that.
const MIN_BYTES_PER_SECOND: u64 = 1 << 10;

/// The length of the buffers that bodies are read into, at first.
const READ_BUFFER_BYTES: usize = 8 << 10;

/// What is known of a body while it arrives. It is an extension of its request.
#[derive(Debug, Default)]
pub struct BodyProgress {
    is_known_sender: AtomicBool,
    fault: AtomicU8,
}

/// The reason why a body could not be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum BodyFault {
    Slow = 1,
    Malformed = 2,
}

impl BodyProgress {
    /// Gives the body more time, because its sender is known.
    pub fn trust(request: &axum::http::Extensions) {
        if let Some(progress) = request.get::<Arc<Self>>() {
            progress.is_known_sender.store(true, Ordering::Relaxed);
        }
    }

    fn set_fault(&self, fault: BodyFault) {
        self.fault.store(fault as u8, Ordering::Relaxed);
    }

    /// The response to a request whose body was too slow or malformed, whatever its handler made of that.
    pub(crate) fn refusal(&self) -> Option<Response<Body>> {
        let (status, text) = match self.fault.load(Ordering::Relaxed) {
            fault if fault == BodyFault::Slow as u8 => {
                (StatusCode::REQUEST_TIMEOUT, "The body of the request arrived too slowly.\n")
            }
            fault if fault == BodyFault::Malformed as u8 => {
                (StatusCode::BAD_REQUEST, "The body of the request is malformed.\n")
            }
            _ => return None,
        };
        Some(refusal(status, text))
    }
}

/// A few words, after which the connection is closed.
pub(crate) fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(axum::http::header::CONTENT_TYPE, kind);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body that ends with an error if it arrives too slowly.
pub(crate) struct RequestBody {
    body: Incoming,
    progress: Arc<BodyProgress>,
    connection: Arc<Connection>,
    /// The time when it was asked for first.
    begun: Option<Instant>,
    received: u64,
    timer: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(crate) fn new(
        body: Incoming,
        progress: Arc<BodyProgress>,
        connection: Arc<Connection>,
    ) -> Self {
        Self { body, progress, connection, begun: None, received: 0, timer: None }
    }

    /// The time by which more has to arrive.
    fn deadline(&self, begun: Instant) -> Instant {
        let is_known = self.progress.is_known_sender.load(Ordering::Relaxed);
        let longest = if is_known { BODY_TIMEOUT } else { STRANGER_BODY_TIMEOUT };
        let at_rate = RATE_GRACE + Duration::from_secs(self.received / MIN_BYTES_PER_SECOND);
        begun + longest.min(at_rate)
    }

    fn slow(&self) -> axum::Error {
        self.progress.set_fault(BodyFault::Slow);
        axum::Error::new(io::Error::from(io::ErrorKind::TimedOut))
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let begun = *this.begun.get_or_insert_with(Instant::now);
        let polled = Pin::new(&mut this.body).poll_frame(cx);
        this.connection.set_awaits_bytes(polled.is_pending());
        match polled {
            Poll::Ready(Some(Ok(frame))) => {
                this.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                if Instant::now() > this.deadline(begun) {
                    return Poll::Ready(Some(Err(this.slow())));
                }
                Poll::Ready(Some(Ok(frame.map_data(unpinned))))
            }
            Poll::Ready(Some(Err(error))) => {
                if !is_closed(&error) {
                    this.progress.set_fault(BodyFault::Malformed);
                }
                Poll::Ready(Some(Err(axum::Error::new(error))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                let deadline = this.deadline(begun);
                let timer =
                    this.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
                if timer.deadline() != deadline {
                    timer.as_mut().reset(deadline);
                }
                if timer.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                Poll::Ready(Some(Err(this.slow())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The same bytes without the buffer that they were read into, of which they may be a small part. A body that comes
/// byte by byte would keep a buffer for each of its bytes.
fn unpinned(data: Bytes) -> Bytes {
    if data.len() < READ_BUFFER_BYTES { Bytes::copy_from_slice(&data) } else { data }
}

/// Whether the client went away, which says nothing of what it sent before.
fn is_closed(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    let kind = cause.map(io::Error::kind);
    error.is_incomplete_message()
        || matches!(
            kind,
            Some(
                io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
            )
        )
}

/// The body of a response, after which the server waits for the client again.
pub(crate) struct ResponseBody {
    body: Body,
    connection: Arc<Connection>,
}

impl ResponseBody {
    pub(crate) fn new(body: Body, connection: Arc<Connection>) -> Self {
        Self { body, connection }
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.connection.set_awaits_bytes(true);
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::poll_fn;
    use std::sync::Mutex;

    use axum::extract::Request;
    use hyper::server::conn::http1;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// What came of a body that was sent at a steady rate: whether it was read to its end, how many bytes of
    /// it were read, and when that was over.
    #[derive(Debug)]
    struct Reading {
        is_whole: bool,
        bytes: usize,
        duration: Duration,
    }

    /// Sends so many bytes in a second, for so many seconds, to a server in this process. The clock is the
    /// runtime's, which goes on when nothing else is left to do.
    async fn sent(bytes_per_second: usize, seconds: usize, is_known_sender: bool) -> Reading {
        let (mut client, server) = tokio::io::duplex(1 << 16);
        let reading = Arc::new(Mutex::new(None));
        let result = Arc::clone(&reading);
        let begun = Instant::now();
        let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let result = Arc::clone(&result);
            async move {
                let progress = Arc::new(BodyProgress::default());
                let connection = Arc::new(Connection::default());
                let shared = Arc::clone(&progress);
                let mut request: Request =
                    request.map(|body| Body::new(RequestBody::new(body, shared, connection)));
                request.extensions_mut().insert(Arc::clone(&progress));
                if is_known_sender {
                    BodyProgress::trust(request.extensions());
                }
                let mut body = request.into_body();
                let mut frame = async || poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
                let (mut bytes, mut is_whole) = (0, true);
                while let (true, Some(frame)) = (is_whole, frame().await) {
                    is_whole = frame.is_ok();
                    bytes += frame.map_or(0, |frame| frame.data_ref().map_or(0, Bytes::len));
                }
                let duration = begun.elapsed();
                *result.lock().unwrap() = Some(Reading { is_whole, bytes, duration });
                let response = progress.refusal();
                assert_eq!(response.is_none(), is_whole);
                Ok::<_, Infallible>(response.unwrap_or_default())
            }
        });
        let served = http1::Builder::new().serve_connection(TokioIo::new(server), service);
        // The connection ends with it.
        let sending = async move {
            let length = bytes_per_second * seconds;
            let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
            client.write_all(head.as_bytes()).await.unwrap();
            for _ in 0..seconds {
                tokio::time::sleep(Duration::from_secs(1)).await;
                // Who is refused is not listened to any more.
                if client.write_all(&vec![b'a'; bytes_per_second]).await.is_err() {
                    break;
                }
            }
            let mut answer = [0; 12];
            client.read_exact(&mut answer).await.unwrap();
            String::from_utf8_lossy(&answer).into_owned()
        };
        let (_, answer) = tokio::join!(served, sending);
        let reading = reading.lock().unwrap().take().unwrap();
        let expected = if reading.is_whole { "HTTP/1.1 200" } else { "HTTP/1.1 408" };
        assert_eq!(answer, expected);
        reading
    }

    #[tokio::test(start_paused = true)]
    async fn the_body_of_a_stranger_is_cut_off_after_twenty_seconds() {
        let cut = sent(2 << 10, 60, false).await;
        assert!(!cut.is_whole && cut.duration == Duration::from_secs(20), "{cut:?}");
        assert!((19 << 11..=20 << 11).contains(&cut.bytes), "{cut:?}");
        let fast = sent(2 << 10, 19, false).await;
        assert!(fast.is_whole && fast.bytes == 19 << 11, "{fast:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn the_body_of_a_known_sender_may_take_ten_minutes() {
        let whole = sent(2 << 10, 599, true).await;
        assert!(whole.is_whole && whole.bytes == 599 << 11, "{whole:?}");
        let cut = sent(2 << 10, 660, true).await;
        assert!(!cut.is_whole && cut.duration == Duration::from_secs(600), "{cut:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_below_the_minimum_rate_is_cut_off_whoever_sends_it() {
        for is_known_sender in [false, true] {
            let cut = sent(100, 60, is_known_sender).await;
            assert!(!cut.is_whole && cut.duration < Duration::from_secs(7), "{cut:?}");
        }
    }
}
