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
    given: u64,
    layers: usize,
}

enum Layer<R> {
    Plain(Counted<R>),
    Packed(Box<MultiGzDecoder<Layer<R>>>),
    /// What was looked at, then the rest.
    Looked(Cursor<Vec<u8>>, Box<Layer<R>>),
    /// Only while one layer is being put around another.
    Gone,
}

struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

/// What can go wrong with compressed input.
pub(super) enum StreamError {
    Io(io::Error),
    Damaged(String),
    Inflated,
}

impl<R: Read> Stream<R> {
    pub(super) fn new(inner: R) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let layer = Layer::Plain(Counted { inner, taken: Arc::clone(&taken) });
        Self { layer, taken, given: 0, layers: 0 }
    }

    /// Looks at the first bytes, as many as there are up to `most`, and unpacks them if need be.
    pub(super) fn open(&mut self, most: usize, inflation: u64) -> Result<Vec<u8>, StreamError> {
        loop {
            let mut first = vec![0; most];
            let mut length = 0;
            while length < most {
                match self.read(&mut first[length..], inflation)? {
                    0 => break,
                    count => length += count,
                }
            }
            first.truncate(length);
            if !first.starts_with(&[0x1f, 0x8b]) || self.layers == MOST_LAYERS {
                return Ok(first);
            }
            let inner = std::mem::replace(&mut self.layer, Layer::Gone);
            let looked = Layer::Looked(Cursor::new(first), Box::new(inner));
            self.layer = Layer::Packed(Box::new(MultiGzDecoder::new(looked)));
            self.layers += 1;
            self.given = 0;
        }
    }

    pub(super) fn read(&mut self, out: &mut [u8], inflation: u64) -> Result<usize, StreamError> {
        let count = self.layer.read(out).map_err(|error| self.name(error))?;
        self.given += count as u64;
        if self.layers > 0
            && self.given > 1 << 20
            && self.given / inflation.max(1) > self.taken.load(Ordering::Relaxed)
        {
            return Err(StreamError::Inflated);
        }
        Ok(count)
    }

    /// A decoder reports damage as an I/O error; the input's own errors have other kinds.
    fn name(&self, error: io::Error) -> StreamError {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
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
        loop {
            let result = match self {
                Self::Plain(counted) => counted.read(out),
                Self::Packed(decoder) => decoder.read(out),
                Self::Looked(first, rest) => match first.read(out) {
                    Ok(0) => rest.read(out),
                    read => read,
                },
                Self::Gone => Ok(0),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
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
