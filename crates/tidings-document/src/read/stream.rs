//! The bytes of a document, unpacked if they are compressed.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

/// How often a document may be compressed: once by its author, once by a server on the way.
const MOST_LAYERS: usize = 2;

/// The bytes of a document. Compression is told by the first bytes, not by a name or a header:
/// both are often wrong.
pub(super) struct Stream<R> {
    layer: Layer<R>,
    /// Bytes taken from the input, before any unpacking.
    taken: Arc<AtomicU64>,
    layers: usize,
    inflation: u64,
}

enum Layer<R> {
    Plain(Counted<R>),
    Packed(Box<Packed<R>>),
    /// What was looked at, then the rest.
    Looked(Cursor<Vec<u8>>, Box<Layer<R>>),
    /// Only while one layer is being put around another.
    Gone,
}

struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

/// One layer of compression. What it gives is held against what was taken from the input itself,
/// so that a bomb inside a bomb is seen at the layer that explodes.
struct Packed<R> {
    decoder: MultiGzDecoder<Layer<R>>,
    taken: Arc<AtomicU64>,
    given: u64,
    inflation: u64,
}

/// Inside an I/O error: that it is one of [`StreamError::Inflated`].
#[derive(Debug, thiserror::Error)]
#[error("expands more than the limit allows")]
struct Inflated;

/// What can go wrong with compressed input.
pub(super) enum StreamError {
    Io(io::Error),
    Damaged(String),
    Inflated,
}

impl<R: Read> Stream<R> {
    pub(super) fn new(inner: R, inflation: u64) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let layer = Layer::Plain(Counted { inner, taken: Arc::clone(&taken) });
        Self { layer, taken, layers: 0, inflation: inflation.max(1) }
    }

    /// Looks at the first bytes, as many as there are up to `most`, and unpacks them if need be.
    pub(super) fn open(&mut self, most: usize) -> Result<Vec<u8>, StreamError> {
        loop {
            let mut first = vec![0; most];
            let length = self.read(&mut first)?;
            first.truncate(length);
            if !first.starts_with(&[0x1f, 0x8b]) || self.layers == MOST_LAYERS {
                return Ok(first);
            }
            let inner = std::mem::replace(&mut self.layer, Layer::Gone);
            let looked = Layer::Looked(Cursor::new(first), Box::new(inner));
            self.layer = Layer::Packed(Box::new(Packed {
                decoder: MultiGzDecoder::new(looked),
                taken: Arc::clone(&self.taken),
                given: 0,
                inflation: self.inflation,
            }));
            self.layers += 1;
        }
    }

    /// Fills `out`, but for the end of the input: little at a time would be looked at again and
    /// again.
    pub(super) fn read(&mut self, out: &mut [u8]) -> Result<usize, StreamError> {
        let mut length = 0;
        while length < out.len() {
            match self.layer.read(&mut out[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.name(error)),
            }
        }
        Ok(length)
    }

    /// A decoder reports damage as an I/O error; the input's own errors have other kinds.
    fn name(&self, error: io::Error) -> StreamError {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if error.get_ref().is_some_and(|inner| inner.is::<Inflated>()) {
            return StreamError::Inflated;
        }
        match error.kind() {
            UnexpectedEof if self.layers > 0 => {
                StreamError::Damaged("the compressed document breaks off".into())
            }
            InvalidData | InvalidInput if self.layers > 0 => {
                StreamError::Damaged(format!("the compressed document is damaged: {error}"))
            }
            _ => StreamError::Io(error),
        }
    }
}

impl<R: Read> Read for Layer<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(counted) => counted.read(out),
            Self::Packed(packed) => packed.read(out),
            Self::Looked(first, rest) => match first.read(out) {
                Ok(0) => rest.read(out),
                read => read,
            },
            Self::Gone => Ok(0),
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(out)?;
        self.given += count as u64;
        let taken = self.taken.load(Ordering::Relaxed);
        if self.given > 1 << 20 && self.given / self.inflation > taken {
            return Err(io::Error::other(Inflated));
        }
        Ok(count)
    }
}
