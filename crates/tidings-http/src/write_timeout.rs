//! A connection that is closed when the other side reads too slowly.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::connection_table::Connection;

/// The time that writes may wait for the other side, until it has to read again.
const MAX_STALL: Duration = Duration::from_secs(30);
/// The number of bytes that give one second of this time back.
const MIN_BYTES_PER_SECOND: u32 = 1 << 10;

/// A stream whose writes end with an error if the other side reads less than the minimum rate: whoever asks
/// for much and reads nothing, or a byte now and then, would keep the stream, and the answer, for ever.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    connection: Arc<Connection>,
    /// The time that writes may still wait.
    left: Duration,
    /// The time since when a write waits.
    since: Option<Instant>,
    timer: Pin<Box<Sleep>>,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, connection: Arc<Connection>) -> Self {
        let timer = Box::pin(tokio::time::sleep(MAX_STALL));
        Self { stream, connection, left: MAX_STALL, since: None, timer }
    }

    /// Passes the result of a write on, or that the reader is too slow.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
        written: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(result) = &done {
            if let Some(since) = self.since.take() {
                self.connection.set_awaits_reader(false);
                self.left = self.left.saturating_sub(since.elapsed());
            }
            let bytes = result.as_ref().map_or(0, written);
            let earned = Duration::from_secs(bytes as u64) / MIN_BYTES_PER_SECOND;
            self.left = self.left.saturating_add(earned).min(MAX_STALL);
            return done;
        }
        if self.since.is_none() {
            self.since = Some(Instant::now());
            self.connection.set_awaits_reader(true);
            let until = Instant::now() + self.left;
            self.timer.as_mut().reset(until);
        }
        ready!(self.timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, done, |written| *written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch(cx, done, |written| *written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, done, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, done, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(16);
        let mut ours = WriteTimeout::new(ours, Arc::default());
        let error = ours.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    /// Reads a hundred times, and says when the writer gave up.
    async fn read_slowly(bytes: usize, pause: Duration) -> Option<Duration> {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut ours = WriteTimeout::new(ours, Arc::default());
        let begun = Instant::now();
        let writing = tokio::spawn(async move {
            let written = ours.write_all(&vec![0; 100 * bytes]).await;
            written.err().map(|_| begun.elapsed())
        });
        let mut buffer = vec![0; bytes];
        for _ in 0..100 {
            tokio::time::sleep(pause).await;
            if theirs.read_exact(&mut buffer).await.is_err() {
                break;
            }
        }
        writing.await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_of_a_byte_now_and_then_is_given_up_and_a_slow_one_is_not() {
        let given_up = read_slowly(1, Duration::from_secs(10)).await.unwrap();
        assert!(given_up < Duration::from_secs(300), "{given_up:?}");
        assert_eq!(read_slowly(20 << 10, Duration::from_secs(15)).await, None);
    }
}
