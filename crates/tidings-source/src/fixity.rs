//! Digests of what is published.

use std::fs::File;
use std::io::{self, Read};

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha224, Sha256, Sha384, Sha512};
use tidings_document::{Algorithm, Digest, Hash};

/// How much is read at a time: large enough that the calls do not count.
const BUFFER: usize = 256 << 10;

/// Reads a file once for its length and all the digests that are asked for.
pub(crate) fn of_file(
    file: &mut File,
    algorithms: &[Algorithm],
    buffer: &mut Vec<u8>,
) -> io::Result<(u64, Hash<'static>)> {
    let mut functions: Vec<Function> = algorithms.iter().copied().map(Function::new).collect();
    buffer.resize(BUFFER, 0);
    let mut length = 0;
    loop {
        let count = match file.read(buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        length += count as u64;
        functions.iter_mut().for_each(|function| function.update(&buffer[..count]));
    }
    let digests: Vec<Digest> = functions.into_iter().filter_map(Function::finish).collect();
    Ok((length, Hash::new(&digests)))
}

/// A hash function at work on a stream of bytes.
pub(crate) enum Function {
    Md5(Md5),
    Sha1(Sha1),
    Sha224(Sha224),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl Function {
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Md5 => Self::Md5(Md5::new()),
            Algorithm::Sha1 => Self::Sha1(Sha1::new()),
            Algorithm::Sha224 => Self::Sha224(Sha224::new()),
            Algorithm::Sha256 => Self::Sha256(Sha256::new()),
            Algorithm::Sha384 => Self::Sha384(Sha384::new()),
            Algorithm::Sha512 => Self::Sha512(Sha512::new()),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
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
    pub(crate) fn finish(self) -> Option<Digest> {
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
        let (length, hash) = of_file(&mut file, &all, &mut Vec::new()).unwrap();
        assert_eq!(length, 3);
        assert_eq!(
            hash.as_str(),
            "md5:900150983cd24fb0d6963f7d28e17f72 sha-1:a9993e364706816aba3e25717850c26c9cd0d89d \
             sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
