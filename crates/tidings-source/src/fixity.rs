//! Digests of what is published.

use std::fs::File;
use std::io::{self, Read};

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};
use tidings_document::{Algorithm, Digest, Hash};

/// How much is read at a time: large enough that the calls do not count.
const BUFFER: usize = 256 << 10;

/// The hash functions at work on one stream of bytes.
#[derive(Default)]
struct Functions {
    md5: Option<Md5>,
    sha1: Option<Sha1>,
    sha256: Option<Sha256>,
    sha512: Option<Sha512>,
}

/// Reads a file once for its length and all the digests that are asked for.
pub(crate) fn of_file(
    file: &mut File,
    algorithms: &[Algorithm],
    buffer: &mut Vec<u8>,
) -> io::Result<(u64, Hash<'static>)> {
    let wanted = |algorithm| algorithms.contains(&algorithm);
    let mut functions = Functions {
        md5: wanted(Algorithm::Md5).then(Md5::new),
        sha1: wanted(Algorithm::Sha1).then(Sha1::new),
        sha256: wanted(Algorithm::Sha256).then(Sha256::new),
        sha512: wanted(Algorithm::Sha512).then(Sha512::new),
    };
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
        functions.update(&buffer[..count]);
    }
    Ok((length, functions.finish()))
}

impl Functions {
    fn update(&mut self, bytes: &[u8]) {
        self.md5.iter_mut().for_each(|function| function.update(bytes));
        self.sha1.iter_mut().for_each(|function| function.update(bytes));
        self.sha256.iter_mut().for_each(|function| function.update(bytes));
        self.sha512.iter_mut().for_each(|function| function.update(bytes));
    }

    fn finish(self) -> Hash<'static> {
        let digests = [
            self.md5.and_then(|function| Digest::new(Algorithm::Md5, &function.finalize())),
            self.sha1.and_then(|function| Digest::new(Algorithm::Sha1, &function.finalize())),
            self.sha256.and_then(|function| Digest::new(Algorithm::Sha256, &function.finalize())),
            self.sha512.and_then(|function| Digest::new(Algorithm::Sha512, &function.finalize())),
        ];
        Hash::new(&digests.into_iter().flatten().collect::<Vec<_>>())
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
