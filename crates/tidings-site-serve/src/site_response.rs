//! What answers have in common.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION, RETRY_AFTER, VARY,
};
use axum::http::{HeaderValue, Response, StatusCode};
use bytes::Bytes;
use tidings_http::compression::{GZIP_FAST, gzip};
use tidings_http::conditional::{is_known, takes_gzip};
use tidings_http::form::FormError;
use tidings_site::memento::http_date;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::admin::sentence;
use super::site_request::Asked;
use super::stream_table::{StreamPlace, StreamState, StreamTable};

pub(super) type Answer = Response<Body>;

/// How much of a document waits to be sent, at the most.
const WAITING: usize = 4;
const PIECE: usize = 64 << 10;

/// An answer of that kind.
pub(super) fn with(status: StatusCode, kind: &str, body: impl Into<Body>) -> Answer {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    if let Ok(kind) = HeaderValue::from_str(kind) {
        response.headers_mut().insert(CONTENT_TYPE, kind);
    }
    response
}

/// A few words.
pub(super) fn text(status: StatusCode, words: &'static str) -> Answer {
    with(status, "text/plain; charset=utf-8", words)
}

/// The answer to a form that is not taken.
pub(super) fn form_refused(error: FormError) -> Answer {
    let sentence = sentence(&error.to_string());
    with(error.status(), "text/plain; charset=utf-8", format!("{sentence}\n"))
}

/// Sends elsewhere on this site. The path has one slash at its beginning.
pub(super) fn go(status: StatusCode, path: &str) -> Answer {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    match HeaderValue::from_str(path) {
        Ok(path) => drop(response.headers_mut().insert(LOCATION, path)),
        Err(_) => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    response
}

/// How a public answer may be kept: by whoever asks, who is to ask again each time; and not by caches for
/// many if it is for a host that we are not known by.
pub(super) fn keeping(asked: &Asked) -> HeaderValue {
    if asked.account.is_some() {
        HeaderValue::from_static("private, no-store")
    } else if asked.is_known_host {
        HeaderValue::from_static("no-cache")
    } else {
        HeaderValue::from_static("private, no-cache")
    }
}

/// Sets what says which state of a resource this is. Says that it is known, if it is.
pub(super) fn marked(
    asked: &Asked,
    etag: &str,
    modified: Option<i64>,
    make: impl FnOnce() -> Answer,
) -> Answer {
    let time = modified.and_then(|modified| jiff::Timestamp::from_second(modified).ok());
    let has_tag = asked.headers.contains_key(axum::http::header::IF_NONE_MATCH);
    let known = match time {
        Some(time) => is_known(&asked.headers, etag, time),
        None => has_tag && is_known(&asked.headers, etag, jiff::Timestamp::MAX),
    };
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        make()
    };
    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.entry(ETAG).or_insert(etag);
    }
    if let Some(modified) = modified
        && let Ok(modified) = HeaderValue::from_str(&http_date(modified))
    {
        headers.insert(LAST_MODIFIED, modified);
    }
    headers.entry(CACHE_CONTROL).or_insert_with(|| keeping(asked));
    response
}

/// Too much is going on; whoever asks may come again.
pub(super) fn busy() -> Answer {
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, "Too much is asked for at once.\n");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// A response that is written while it is sent, by a thread that waits for the reader. A reader that goes
/// away ends it, and so does a reader that stalls while others have no place in `table`.
pub(super) fn streamed<W>(
    asked: &Asked,
    table: &Arc<StreamTable>,
    kind: &'static str,
    may_pack: bool,
    write: W,
) -> Answer
where
    W: FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
{
    let packs = may_pack && takes_gzip(&asked.headers);
    if asked.method == axum::http::Method::HEAD {
        // How long it is, is not known: an empty body would be told as one of no bytes.
        let mut response = with(StatusCode::OK, kind, unsized_body());
        varied(&mut response, may_pack, packs);
        return response;
    }
    let Some(place) = table.admit(asked.address) else { return busy() };
    let state = Arc::clone(place.state());
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(WAITING);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let (failed, state) = (sender.clone(), Arc::clone(place.state()));
        let mut out = io::BufWriter::with_capacity(PIECE, Sending { sender, place, runtime });
        let written = if packs {
            gzip(&mut out, GZIP_FAST, |encoder| write(encoder)).map(drop)
        } else {
            write(&mut out)
        };
        if let Err(error) = written.and_then(|()| out.flush())
            && !state.is_displaced()
        {
            // The response is broken off, so that nobody takes it for whole.
            let _ = failed.blocking_send(Err(error));
        }
    });
    let mut response = with(StatusCode::OK, kind, Body::from_stream(pieces(receiver, state)));
    varied(&mut response, may_pack, packs);
    response
}

/// The pieces of a response, and an error at the end if it lost its place before it was whole.
fn pieces(
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    state: Arc<StreamState>,
) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    futures_util::stream::unfold(Some((receiver, state)), async |open| {
        let (mut receiver, state) = open?;
        match receiver.recv().await {
            Some(piece) => Some((piece, Some((receiver, state)))),
            None if state.is_displaced() => Some((Err(io::ErrorKind::TimedOut.into()), None)),
            None => None,
        }
    })
}

/// A body without bytes that says nothing of its length.
pub(super) fn unsized_body() -> Body {
    Body::from_stream(futures_util::stream::empty::<io::Result<Bytes>>())
}

fn varied(response: &mut Answer, may_pack: bool, packs: bool) {
    let headers = response.headers_mut();
    if may_pack {
        headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    }
    if packs {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

/// Passes written bytes on to the response.
struct Sending {
    sender: mpsc::Sender<io::Result<Bytes>>,
    place: StreamPlace,
    runtime: Handle,
}

impl Sending {
    /// Waits for the reader, unless another response takes the place of this one.
    fn wait(&self, piece: Bytes) -> io::Result<()> {
        let state = self.place.state();
        state.set_waits(true);
        let sent = self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = state.displaced() => Err(io::Error::from(io::ErrorKind::TimedOut)),
                sent = self.sender.send(Ok(piece)) => sent.map_err(|_| io::ErrorKind::BrokenPipe.into()),
            }
        });
        state.set_waits(false);
        sent
    }
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.place.state().is_displaced() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match self.sender.try_send(Ok(Bytes::copy_from_slice(bytes))) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(Ok(piece))) => self.wait(piece)?,
            Err(_) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
