//! What the Source says of the bytes of a resource, and what they are.

use tidings_document::{Algorithm, Digest, Entry, Hash};
use tidings_source::Function;

use crate::same::is_of_row;
use crate::state::Row;

/// What the bytes have to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) length: Option<u64>,
    /// All digests that can be checked.
    pub(crate) digests: Vec<Digest>,
    /// True if there is a digest that cannot be: of an unknown algorithm, or malformed.
    pub(crate) has_unusable: bool,
    /// The length and SHA-256 of what another set has of the resource: that is right as well, if the
    /// server has it.
    pub(crate) other_set: Option<(u64, [u8; 32])>,
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

    /// True if these are known to be the bytes that the copy has.
    pub(crate) fn is_of(&self, row: &Row) -> bool {
        let mut known = self.digests.iter().filter_map(|digest| is_of_row(digest, row)).peekable();
        known.peek().is_some() && known.all(|same| same)
    }

    /// The most bytes that may come, if that is known.
    pub(crate) fn max_length(&self) -> Option<u64> {
        let other = self.other_set.map_or(0, |(length, _)| length);
        self.length.map(|length| length.max(other))
    }

    /// True if bytes are not what this set says, but what another one does.
    pub(crate) fn is_of_other_set(&self, measured: &Measured) -> bool {
        self.is_other(measured) && self.own_mismatch(measured).is_some()
    }

    fn is_other(&self, measured: &Measured) -> bool {
        self.other_set.is_some_and(|(_, sha256)| sha256 == measured.sha256)
    }

    /// Why bytes are not the ones.
    pub(crate) fn mismatch(&self, measured: &Measured) -> Option<String> {
        if self.is_other(measured) { None } else { self.own_mismatch(measured) }
    }

    fn own_mismatch(&self, measured: &Measured) -> Option<String> {
        if let Some(length) = self.length.filter(|length| *length != measured.length) {
            return Some(format!("it has {} bytes, and should have {length}", measured.length));
        }
        let wrong = self.digests.iter().find(|digest| !measured.has(digest))?;
        Some(format!("its {} is not the one that the Source gives", wrong.algorithm().name()))
    }
}

/// How many digests of an entry are not as they should be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DigestCount {
    /// Those that cannot be checked.
    pub(crate) unchecked: u64,
    /// Those that are in base64.
    pub(crate) base64: u64,
}

impl DigestCount {
    pub(crate) fn of(entry: &Entry<'_>) -> Self {
        let mut count = Self::default();
        for token in entry.metadata.hash.iter().flat_map(Hash::tokens) {
            match Digest::parse(token) {
                Ok(_) => count.base64 += u64::from(Digest::is_base64(token)),
                Err(_) => count.unchecked += 1,
            }
        }
        count
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
