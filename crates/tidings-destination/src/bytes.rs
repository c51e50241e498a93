//! What the Source says of the bytes of a resource, and what they are.

use tidings_document::{Algorithm, Digest, Hash};
use tidings_source::Function;

/// What the bytes have to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) length: Option<u64>,
    /// All digests that can be checked.
    pub(crate) digests: Vec<Digest>,
    /// True if there is a digest that cannot be: of an unknown algorithm, or malformed.
    pub(crate) has_unusable: bool,
}

impl Expected {
    pub(crate) fn of(length: Option<u64>, hash: Option<&Hash<'_>>) -> Self {
        let mut expected = Self { length, ..Self::default() };
        for digest in hash.into_iter().flat_map(Hash::digests) {
            match digest {
                Ok(digest) => expected.digests.push(digest),
                Err(_) => expected.has_unusable = true,
            }
        }
        expected
    }

    /// The digest that the copy computes of everything, if the Source gives it.
    pub(crate) fn sha256(&self) -> Option<&[u8]> {
        self.digests
            .iter()
            .find(|digest| digest.algorithm() == Algorithm::Sha256)
            .map(Digest::bytes)
    }

    /// True if the bytes can be told from others.
    pub(crate) fn is_certain(&self) -> bool {
        !self.digests.is_empty()
    }

    /// Why bytes are not the ones.
    pub(crate) fn mismatch(&self, measured: &Measured) -> Option<String> {
        if let Some(length) = self.length.filter(|length| *length != measured.length) {
            return Some(format!("it has {} bytes, and should have {length}", measured.length));
        }
        let wrong = self.digests.iter().find(|digest| !measured.has(digest))?;
        Some(format!("its {} is not the one that the Source gives", wrong.algorithm().name()))
    }
}

/// What bytes are, as they go by.
pub(crate) struct Measure {
    length: u64,
    functions: Vec<Function>,
}

/// What they are, once all have.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) length: u64,
    pub(crate) sha256: [u8; 32],
    others: Vec<Digest>,
}

impl Measure {
    /// Computes SHA-256, which the copy remembers, and every digest that is expected.
    pub(crate) fn for_expected(expected: &Expected) -> Self {
        let others = expected.digests.iter().map(Digest::algorithm);
        let others = others.filter(|algorithm| *algorithm != Algorithm::Sha256);
        let all = std::iter::once(Algorithm::Sha256).chain(others);
        Self { length: 0, functions: all.map(Function::new).collect() }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.functions.iter_mut().for_each(|function| function.update(bytes));
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn finish(self) -> Measured {
        let mut digests = self.functions.into_iter().filter_map(Function::finish);
        let mut sha256 = [0; 32];
        if let Some(digest) = digests.next() {
            sha256.copy_from_slice(digest.bytes());
        }
        Measured { length: self.length, sha256, others: digests.collect() }
    }
}

impl Measured {
    /// What some bytes in memory are.
    pub(crate) fn of(bytes: &[u8], expected: &Expected) -> Self {
        let mut measure = Measure::for_expected(expected);
        measure.update(bytes);
        measure.finish()
    }

    pub(crate) fn has(&self, digest: &Digest) -> bool {
        match digest.algorithm() {
            Algorithm::Sha256 => digest.bytes() == self.sha256,
            _ => self.others.contains(digest),
        }
    }
}
