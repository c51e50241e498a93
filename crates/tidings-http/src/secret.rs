//! What nobody can guess.

use std::{fmt, io};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A text of random bytes of the operating system.
pub fn random(bytes: usize) -> io::Result<String> {
    let mut buffer = vec![0; bytes];
    getrandom::fill(&mut buffer)?;
    Ok(URL_SAFE_NO_PAD.encode(buffer))
}

/// What a secret is known by. It is random enough to need no salt, and no time to compute.
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// What forms carry that belong to a secret: it can be made of the secret, and not the other way.
pub fn guard_of(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(hash(&format!("tidings forms\n{secret}")))
}

/// A CSRF token as forms carry it: two forms never have the same text, so that nothing can be learned from
/// how well they compress. Without randomness it cannot be written, and neither can the page.
#[derive(Debug, Clone)]
pub struct MaskedToken(String);

impl MaskedToken {
    /// The token that forms of a visitor carry, as [`guard_of`] made it.
    pub fn new(guard: &str) -> Self {
        Self(guard.to_owned())
    }

    fn text(&self) -> io::Result<String> {
        let guard = URL_SAFE_NO_PAD.decode(&self.0).map_err(io::Error::other)?;
        let mut mask = [0; 32];
        if guard.len() != mask.len() {
            return Err(io::Error::other("there is no secret that the form belongs to"));
        }
        getrandom::fill(&mut mask)?;
        let hidden: Vec<u8> = guard.iter().zip(&mask).map(|(one, other)| one ^ other).collect();
        Ok(URL_SAFE_NO_PAD.encode([&mask, hidden.as_slice()].concat()))
    }
}

impl fmt::Display for MaskedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Ok(text) => f.write_str(&text),
            Err(error) => {
                tracing::error!(%error, "a form cannot be made without random numbers");
                Err(fmt::Error)
            }
        }
    }
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
        let token = MaskedToken::new(&guard);
        let (one, other) = (token.to_string(), token.to_string());
        assert!(one != other && one.len() == 86, "{one}");
        assert_eq!(unmasked(&one), Some(guard.clone()));
        assert_eq!(unmasked(&other), Some(guard));
        let mut text = String::new();
        assert!(fmt::write(&mut text, format_args!("{}", MaskedToken::new(""))).is_err());
        for bad in ["", "x", &"A".repeat(43), &"A".repeat(85), "é"] {
            assert_eq!(unmasked(bad), None);
        }
    }
}
