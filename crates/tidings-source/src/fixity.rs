//! Digests of what is published.

use std::fs::{File, Metadata};
use std::io::{self, Read};

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha224, Sha256, Sha384, Sha512};
use tidings_document::{Algorithm, Digest, Hash};

/// How much is read at a time: large enough that the calls do not count.
const BUFFER: usize = 256 << 10;

/// How much of a file's start is kept, to see what it is.
const START: usize = 512;

/// What was found out by reading a file once.
pub(crate) struct Content {
    pub(crate) length: u64,
    pub(crate) hash: Hash<'static>,
    /// The first bytes.
    pub(crate) start: Vec<u8>,
}

/// Reads a file once for its length and all the digests that are asked for, with its start if that is
/// asked for, too; and then asks what the system says of it.
pub(crate) fn of_file(
    file: &mut File,
    algorithms: &[Algorithm],
    wants_start: bool,
    buffer: &mut Vec<u8>,
) -> io::Result<(Content, Metadata)> {
    let mut functions: Vec<Function> = algorithms.iter().copied().map(Function::new).collect();
    buffer.resize(BUFFER, 0);
    let mut start = Vec::new();
    let mut length = 0;
    // A file that is written while it is read may have no end: what it had at first is enough to see
    // that it changed.
    let mut most = u64::MAX;
    let metadata = loop {
        let count = match file.read(buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if length == 0 && wants_start {
            start.extend_from_slice(&buffer[..count.min(START)]);
        }
        length += count as u64;
        functions.iter_mut().for_each(|function| function.update(&buffer[..count]));
        if length > most {
            break file.metadata()?;
        }
        // Less than there was room for is the end, if there is to be no more.
        if count < BUFFER || most == u64::MAX {
            let metadata = file.metadata()?;
            if count == 0 || metadata.len() == length && count < BUFFER {
                break metadata;
            }
            most = most.min(metadata.len());
        }
    };
    let digests: Vec<Digest> = functions.into_iter().filter_map(Function::finish).collect();
    Ok((Content { length, hash: Hash::new(&digests), start }, metadata))
}

/// A hash function at work on a stream of bytes.
#[expect(missing_docs, reason = "named as the algorithms are")]
pub enum Function {
    Md5(Md5),
    Sha1(Sha1),
    Sha224(Sha224),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl Function {
    /// The function of that algorithm, before the first byte.
    pub fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Md5 => Self::Md5(Md5::new()),
            Algorithm::Sha1 => Self::Sha1(Sha1::new()),
            Algorithm::Sha224 => Self::Sha224(Sha224::new()),
            Algorithm::Sha256 => Self::Sha256(Sha256::new()),
            Algorithm::Sha384 => Self::Sha384(Sha384::new()),
            Algorithm::Sha512 => Self::Sha512(Sha512::new()),
        }
    }

    /// Takes in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Md5(function) => function.update(bytes),
            Self::Sha1(function) => function.update(bytes),
            Self::Sha224(function) => function.update(bytes),
            Self::Sha256(function) => function.update(bytes),
            Self::Sha384(function) => function.update(bytes),
            Self::Sha512(function) => function.update(bytes),
        }
    }

    /// The digest; always there, as each function gives as many bytes as its algorithm has.
    pub fn finish(self) -> Option<Digest> {
        match self {
            Self::Md5(function) => Digest::new(Algorithm::Md5, &function.finalize()),
            Self::Sha1(function) => Digest::new(Algorithm::Sha1, &function.finalize()),
            Self::Sha224(function) => Digest::new(Algorithm::Sha224, &function.finalize()),
            Self::Sha256(function) => Digest::new(Algorithm::Sha256, &function.finalize()),
            Self::Sha384(function) => Digest::new(Algorithm::Sha384, &function.finalize()),
            Self::Sha512(function) => Digest::new(Algorithm::Sha512, &function.finalize()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn all_digests_come_of_one_reading() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"abc").unwrap();
        let mut file = file.reopen().unwrap();
        let all = [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256];
        let (content, _) = of_file(&mut file, &all, true, &mut Vec::new()).unwrap();
        assert_eq!((content.length, content.start.as_slice()), (3, &b"abc"[..]));
        assert_eq!(
            content.hash.as_str(),
            "md5:900150983cd24fb0d6963f7d28e17f72 sha-1:a9993e364706816aba3e25717850c26c9cd0d89d \
             sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
