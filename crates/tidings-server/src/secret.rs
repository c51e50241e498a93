//! What nobody can guess.

use std::io::{self, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A text of so many random bytes.
pub(crate) fn random(bytes: usize) -> io::Result<String> {
    let mut buffer = vec![0; bytes];
    // The kernel's own: nothing else is needed for a few of them.
    std::fs::File::open("/dev/urandom")?.read_exact(&mut buffer)?;
    Ok(URL_SAFE_NO_PAD.encode(buffer))
}

/// What a secret is known by. It is random enough to need no salt, and no time to compute.
pub(crate) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// What forms carry that belong to a secret: it can be made of the secret, and not the other way.
pub(crate) fn guard_of(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(hash(&format!("tidings forms\n{secret}")))
}

/// Whether two secrets are the same. They are compared by their digests, so that how long it takes
/// says nothing about how much of them is.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    hash(one) == hash(other)
}
