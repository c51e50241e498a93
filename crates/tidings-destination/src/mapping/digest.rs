//! Digests in names.

use sha2::{Digest as _, Sha256};

/// Before a digest that is part of a name.
pub(super) const MARK: &str = "%_~";

/// All the digits of a SHA-256.
pub(super) const WHOLE: usize = 64;

/// Adds so many digits of the SHA-256 of a text, an even number.
pub(super) fn push(name: &mut String, text: &str, digits: usize) {
    tidings_base::push_hex(name, &Sha256::digest(text)[..digits / 2]);
}
