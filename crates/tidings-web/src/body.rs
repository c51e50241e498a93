//! A body that is whole before anybody reads it.

use std::io::{self, BufRead, BufReader, Read, Seek, Write};

use crate::opening::opening;
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;

/// How large a body may be to stay in memory.
const IN_MEMORY: usize = 1 << 20;

/// The bytes of an answer as they came, all of them: in memory up to 1 MiB, else in a temporary
/// file that is gone with this value.
///
/// A list is all or nothing: to read the first half of one whose second half never comes is to act
/// on resources that seem to be gone. So the client takes in the whole body and compares it with its
/// announced length before it hands out the first byte, and the reader needs no async.
#[derive(Debug)]
pub struct SpooledBody {
    file: SpooledTempFile,
    length: u64,
}

impl SpooledBody {
    /// How many bytes came over the wire.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A reader from the first byte on. The bytes are as sent: if
    /// [`content_encoding`](crate::Fetched::content_encoding) says gzip, they are still compressed.
    #[must_use]
    pub fn into_reader(self) -> impl BufRead + Seek + Send + 'static {
        BufReader::with_capacity(64 << 10, self.file)
    }

    /// The SHA-256 of the bytes as they came, in hexadecimal digits.
    pub fn digest(&mut self) -> io::Result<String> {
        self.file.rewind()?;
        let digest = sha256(&mut self.file)?;
        self.file.rewind()?;
        Ok(digest)
    }

    /// The first bytes, at the most so many, with gzip undone.
    pub fn opening(self, most: u64) -> io::Result<Vec<u8>> {
        opening(self.into_reader(), most)
    }
}

/// The SHA-256 of all that a reader has, in hexadecimal digits.
pub(crate) fn sha256(reader: &mut impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(tidings_base::to_hex(&hash.finalize()))
}

/// A body that is still coming in.
pub(crate) struct Spool {
    file: SpooledTempFile,
    length: u64,
    limit: u64,
}

/// Why a piece of a body was not taken.
pub(crate) enum SpoolError {
    TooLarge,
    Io(io::Error),
}

impl Spool {
    pub(crate) fn new(limit: u64) -> Self {
        Self { file: SpooledTempFile::new(IN_MEMORY), length: 0, limit }
    }

    /// Takes a piece, or nothing of it if the limit does not allow it all.
    ///
    /// The write blocks, but no longer than a copy into the page cache: pieces are as large as a
    /// socket read, and nothing is synced.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<(), SpoolError> {
        self.length += piece.len() as u64;
        if self.length > self.limit {
            return Err(SpoolError::TooLarge);
        }
        self.file.write_all(piece).map_err(SpoolError::Io)
    }

    /// The body, rewound, so that a reader cannot fail before it reads.
    pub(crate) fn finish(mut self) -> io::Result<SpooledBody> {
        self.file.rewind()?;
        Ok(SpooledBody { file: self.file, length: self.length })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, SeekFrom};

    use super::*;

    fn spool(length: usize) -> SpooledBody {
        let mut spool = Spool::new(u64::MAX);
        let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
        for piece in bytes.chunks(10_000) {
            assert!(spool.push(piece).is_ok());
        }
        spool.finish().unwrap()
    }

    #[test]
    fn a_body_of_one_mebibyte_stays_in_memory_and_a_larger_one_does_not() {
        assert!(!spool(IN_MEMORY).file.is_rolled());
        assert!(spool(IN_MEMORY + 1).file.is_rolled());
    }

    #[test]
    fn a_body_can_be_read_from_its_start_and_again() {
        for length in [0, 1, IN_MEMORY, IN_MEMORY + 1] {
            let body = spool(length);
            assert_eq!(body.len(), length as u64);
            assert_eq!(body.is_empty(), length == 0);
            let mut reader = body.into_reader();
            for _ in 0..2 {
                let mut bytes = Vec::new();
                reader.read_to_end(&mut bytes).unwrap();
                assert!(bytes.iter().enumerate().all(|(i, &byte)| byte == i as u8));
                assert_eq!(bytes.len(), length);
                reader.seek(SeekFrom::Start(0)).unwrap();
            }
        }
    }

    #[test]
    fn c1_the_limit_itself_is_allowed_and_one_byte_more_is_not() {
        let mut spool = Spool::new(3);
        assert!(spool.push(b"ab").is_ok());
        assert!(spool.push(b"c").is_ok());
        assert!(matches!(spool.push(b"d"), Err(SpoolError::TooLarge)));
    }
}
