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

/// The same, as it is shown once: two pages never have the same, so that nothing can be learned from how
/// well they compress.
pub(crate) fn masked(guard: &str) -> String {
    let (Ok(mask), Ok(guard)) = (random(32), URL_SAFE_NO_PAD.decode(guard)) else {
        return String::new();
    };
    let mask = URL_SAFE_NO_PAD.decode(mask).unwrap_or_default();
    let hidden: Vec<u8> = guard.iter().zip(&mask).map(|(one, other)| one ^ other).collect();
    URL_SAFE_NO_PAD.encode([mask, hidden].concat())
}

/// What was masked; none if that is not what it is.
pub(crate) fn unmasked(shown: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(shown).ok().filter(|bytes| bytes.len() == 64)?;
    let (mask, hidden) = bytes.split_at(32);
    let guard: Vec<u8> = hidden.iter().zip(mask).map(|(one, other)| one ^ other).collect();
    Some(URL_SAFE_NO_PAD.encode(guard))
}

/// Whether two secrets are the same. They are compared by their digests, so that how long it takes
/// says nothing about how much of them is.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    hash(one) == hash(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_shown_otherwise_each_time_and_known_again() {
        let guard = guard_of("secret");
        let (one, other) = (masked(&guard), masked(&guard));
        assert!(one != other && one.len() == 86, "{one}");
        assert_eq!(unmasked(&one), Some(guard.clone()));
        assert_eq!(unmasked(&other), Some(guard));
        for bad in ["", "x", &"A".repeat(43), &"A".repeat(85), "é"] {
            assert_eq!(unmasked(bad), None);
        }
    }
}
