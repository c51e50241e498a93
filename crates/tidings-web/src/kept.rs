//! Connections that are kept for the next request, and may be gone by then.
//!
//! A server may close a connection whenever it likes, also while a request is on its way to it. That
//! request failed, and says nothing about the server: on a connection that had been answered on before,
//! it is to be sent once more on another (RFC 9112, 9.3.1; all that is ever sent is idempotent).

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http::Extensions;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::Error;
use hyper_util::client::legacy::connect::{Connected, Connection};

use crate::cause::find;

/// Whether there ever was an answer on a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answered(Arc<AtomicBool>);

impl Answered {
    /// An answer came, with these extensions.
    pub(crate) fn note(extensions: &Extensions) {
        if let Some(Self(answered)) = extensions.get() {
            answered.store(true, Ordering::Relaxed);
        }
    }
}

/// True if a request failed only because the connection it was sent on had been kept too long.
pub(crate) fn was_gone(error: &Error) -> bool {
    let mut extras = Extensions::new();
    error.connect_info().inspect(|connected| connected.get_extras(&mut extras));
    let had_answered = extras.get().is_some_and(|Answered(one)| one.load(Ordering::Relaxed));
    had_answered && is_end(error)
}

/// True if the other side hung up before it had answered; in HTTP/2 it may say so (RFC 9113, 8.7).
fn is_end(error: &(dyn std::error::Error + 'static)) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
    let ends = [BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof];
    find::<io::Error>(error).is_some_and(|error| ends.contains(&error.kind()))
        || find::<hyper::Error>(error).is_some_and(|error| {
            error.is_incomplete_message() || error.is_canceled() || error.is_closed()
        })
        || find::<h2::Error>(error).is_some_and(|error| {
            error.is_go_away() || error.reason() == Some(h2::Reason::REFUSED_STREAM)
        })
}

/// A connection that knows whether there ever was an answer on it.
pub(crate) struct Kept<T> {
    stream: T,
    answered: Answered,
}

impl<T> Kept<T> {
    pub(crate) fn new(stream: T) -> Self {
        Self { stream, answered: Answered::default() }
    }
}

impl<T: Connection> Connection for Kept<T> {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.answered.clone())
    }
}

impl<T: Read + Unpin> Read for Kept<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<T: Write + Unpin> Write for Kept<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_known_whoever_says_so() {
        let is_end = |error: io::Error| super::is_end(&error);
        assert!(is_end(ErrorKind::ConnectionReset.into()) && is_end(ErrorKind::BrokenPipe.into()));
        assert!(is_end(io::Error::other(h2::Error::from(h2::Reason::REFUSED_STREAM))));
        assert!(!is_end(io::Error::other(h2::Error::from(h2::Reason::PROTOCOL_ERROR))));
        assert!(!is_end(ErrorKind::InvalidData.into()) && !is_end(ErrorKind::TimedOut.into()));
    }
}
