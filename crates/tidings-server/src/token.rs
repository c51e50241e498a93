//! Tokens: what programs show to be let in.

use std::io::{self, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// A token as it is shown once, to the one who asked for it.
pub struct NewToken(String);

impl NewToken {
    /// A new one, of 256 random bits.
    pub fn make() -> io::Result<Self> {
        let mut bytes = [0; 32];
        // The kernel's own: nothing else is needed for a few tokens.
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(format!("tidings_{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// The token itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewToken(…)")
    }
}

/// What a token is known by. It is random enough to need no salt, and no time to compute.
pub(crate) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
