//! Tokens: what programs show to be let in.

use std::io;

use tidings_http::secret::{hash, random};

/// A token as it is shown once, to the one who asked for it.
pub struct NewToken(String);

impl NewToken {
    /// A new one, of 256 random bits.
    pub fn make() -> io::Result<Self> {
        Ok(Self(format!("tidings_{}", random(32)?)))
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
