//! Holding a member against what a manifest says of it.

use std::io::Read as _;

use tidings_document::{Algorithm, Metadata};

use super::{Member, Package, PackageError};
use crate::bytes::{Expected, Measure};

/// How the bytes of a member contradict the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// It has another length.
    Length {
        /// The length that the manifest tells.
        told: u64,
        /// The length that it has.
        found: u64,
    },
    /// It has another digest, by this algorithm.
    Digest(Algorithm),
}

impl Package {
    /// Reads a member, and compares its bytes with the length and the digests that the entry of a
    /// manifest tells. None if they agree, as far as they are told. No more than a piece of the member is
    /// in memory at once.
    pub fn verify(
        &self,
        member: &Member,
        told: &Metadata<'_>,
    ) -> Result<Option<Mismatch>, PackageError> {
        let expected = Expected::of(told.length, told.hash.as_ref());
        let mut measure = Measure::for_expected(&expected);
        let (mut reader, mut buffer) = (self.read(member), vec![0; 64 << 10]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => measure.update(&buffer[..count]),
                Err(error) => return Err(error.into()),
            }
        }
        let measured = measure.finish();
        if let Some(told) = expected.length.filter(|length| *length != measured.length) {
            return Ok(Some(Mismatch::Length { told, found: measured.length }));
        }
        let wrong = expected.digests.iter().find(|digest| !measured.has(digest));
        Ok(wrong.map(|digest| Mismatch::Digest(digest.algorithm())))
    }
}
