//! The digest of an object's bytes: it decides whether an object is another one than before.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use crate::page_meta::Stamp;

/// Files of more bytes are not read for their digest: their length and time of modification stand for
/// what is in them.
pub(crate) const MAX_DIGESTED_BYTES: u64 = 64 << 20;

/// A digest of what is in the blob and the sidecar of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContentDigest(pub(crate) u128);

/// Computes a [`ContentDigest`] of bytes as they are read.
#[derive(Debug, Clone)]
pub(crate) struct ContentHasher(Sha256);

impl ContentHasher {
    /// Begins with the sidecar, which is none in the plain layout.
    pub(crate) fn new(sidecar: Option<&[u8]>) -> Self {
        let mut hasher = Sha256::new();
        hasher.update((sidecar.map_or(0, |it| it.len() as u64 + 1)).to_le_bytes());
        hasher.update(sidecar.unwrap_or_default());
        Self(hasher)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Reads the rest of a blob, unless it is too long for that.
    pub(crate) fn finish(mut self, rest: impl Read, blob: &Stamp) -> io::Result<ContentDigest> {
        if blob.length > MAX_DIGESTED_BYTES {
            self.0.update(blob.length.to_le_bytes());
            self.0.update(blob.seconds.to_le_bytes());
            self.0.update(blob.nanos.to_le_bytes());
        } else {
            let mut rest = rest.take(MAX_DIGESTED_BYTES);
            let mut buffer = vec![0; 64 << 10];
            loop {
                match rest.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => self.0.update(&buffer[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        let mut first = [0; 16];
        first.copy_from_slice(&self.0.finalize()[..16]);
        Ok(ContentDigest(u128::from_le_bytes(first)))
    }
}
