//! A file held against what its entry says of it.

use tidings_document::{Digest, Hash};

use super::Difference;
use crate::fixity::Function;

/// What an entry says of a file.
#[derive(Debug, Clone)]
pub(super) struct Expectation {
    pub(super) length: u64,
    digests: Vec<Digest>,
}

impl Expectation {
    /// Digests of algorithms that are not known here are left to readers who know them.
    pub(super) fn new(length: u64, hash: Option<&Hash<'_>>) -> Self {
        let digests = hash.map(|hash| hash.digests().flatten().collect()).unwrap_or_default();
        Self { length, digests }
    }

    /// Begins to look at a file.
    pub(super) fn check(&self) -> Check<'_> {
        let functions = self.digests.iter().map(|digest| Function::new(digest.algorithm()));
        Check { expected: self, length: 0, functions: functions.collect() }
    }
}

/// A file of which so much was seen.
pub(super) struct Check<'e> {
    expected: &'e Expectation,
    length: u64,
    functions: Vec<Function>,
}

impl Check<'_> {
    /// Takes the next bytes. A file that is too long is told from the first byte too many, so that
    /// none is read without an end.
    pub(super) fn update(&mut self, bytes: &[u8]) -> Result<(), Difference> {
        self.length += bytes.len() as u64;
        if self.length > self.expected.length {
            return Err(Difference::Length { said: self.expected.length });
        }
        self.functions.iter_mut().for_each(|function| function.update(bytes));
        Ok(())
    }

    /// The verdict, after the last byte.
    pub(super) fn finish(self) -> Result<(), Difference> {
        if self.length != self.expected.length {
            return Err(Difference::Length { said: self.expected.length });
        }
        for (said, function) in self.expected.digests.iter().zip(self.functions) {
            if function.finish() != Some(*said) {
                return Err(Difference::Digest { said: *said });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_known_and_every_digest_counts() {
        let all = "md5:900150983cd24fb0d6963f7d28e17f72 \
            sha-1:a9993e364706816aba3e25717850c26c9cd0d89d \
            sha-224:23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7 \
            sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad \
            sha-384:cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7 \
            sha-512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let seen = |bytes: &[u8], length, hash: &str| {
            let hash = Hash::from_attribute(hash.into());
            let expected = Expectation::new(length, Some(&hash));
            let mut check = expected.check();
            check.update(bytes)?;
            check.finish()
        };
        assert_eq!(seen(b"abc", 3, all), Ok(()));
        assert_eq!(seen(b"ab", 3, all), Err(Difference::Length { said: 3 }));
        assert_eq!(seen(b"abcd", 3, all), Err(Difference::Length { said: 3 }));
        for token in all.split_whitespace() {
            let said = Digest::parse(token).unwrap();
            assert_eq!(seen(b"abd", 3, token), Err(Difference::Digest { said }));
        }
        assert_eq!(seen(b"abd", 3, "crc32:00000000"), Ok(()));
    }
}
