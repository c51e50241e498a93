//! Fixity information: the `hash` attribute and the digests in it.

mod base64;

use std::borrow::Cow;
use std::fmt;

use crate::bytes;

/// A digest algorithm, under the name that the `hash` attribute gives it (IANA's, in lower case).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Algorithm {
    /// The token before the colon.
    pub fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha-1",
            Self::Sha224 => "sha-224",
            Self::Sha256 => "sha-256",
            Self::Sha384 => "sha-384",
            Self::Sha512 => "sha-512",
        }
    }

    /// How many bytes its digests have.
    pub fn size(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// The algorithm of that name; case does not count, and `sha256` is understood as `sha-256`.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "md5" => Self::Md5,
            "sha-1" => Self::Sha1,
            "sha-256" => Self::Sha256,
            _ => match name.to_ascii_lowercase().as_str() {
                "md5" => Self::Md5,
                "sha-1" | "sha1" => Self::Sha1,
                "sha-224" | "sha224" => Self::Sha224,
                "sha-256" | "sha256" => Self::Sha256,
                "sha-384" | "sha384" => Self::Sha384,
                "sha-512" | "sha512" => Self::Sha512,
                _ => return None,
            },
        })
    }
}

/// A hash with its algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    bytes: [u8; 64],
}

impl Digest {
    /// A digest from the bytes that a hash function gave; `None` if their number is not the
    /// algorithm's.
    pub fn new(algorithm: Algorithm, digest: &[u8]) -> Option<Self> {
        let mut bytes = [0; 64];
        if digest.len() != algorithm.size() {
            return None;
        }
        bytes[..digest.len()].copy_from_slice(digest);
        Some(Self { algorithm, bytes })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.size()]
    }

    /// The algorithm of a token of a `hash` attribute that could be read by [`Digest::parse`].
    pub(crate) fn check(token: &str) -> Result<Algorithm, DigestError> {
        let colon = token.bytes().position(|byte| byte == b':').filter(|colon| *colon > 0);
        let colon = colon.ok_or(DigestError::NoAlgorithm)?;
        let (name, hex) = (&token[..colon], &token[colon + 1..]);
        let algorithm = Algorithm::by_name(name).ok_or(DigestError::UnknownAlgorithm)?;
        if bytes::any(hex.as_bytes(), |digit| !is_hex(digit)) {
            return Err(DigestError::NotHex);
        }
        if hex.len() != algorithm.size() * 2 {
            return Err(DigestError::WrongLength);
        }
        Ok(algorithm)
    }

    /// Reads one token of a `hash` attribute, such as `md5:1584abdf8ebdc9802ac0c6a7402c03b6`. A digest in
    /// base64 is read, too, if it has the length of its algorithm's (see [`is_base64`](Self::is_base64)).
    pub fn parse(token: &str) -> Result<Self, DigestError> {
        let algorithm = match Self::check(token) {
            Err(DigestError::NotHex) => return Self::of_base64(token).ok_or(DigestError::NotHex),
            checked => checked?,
        };
        let hex = token.split_once(':').map_or("", |(_, hex)| hex);
        let mut bytes = [0; 64];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = nibble(pair[0]) << 4 | nibble(pair[1]);
        }
        Ok(Self { algorithm, bytes })
    }

    /// True for a token that [`parse`](Self::parse) reads though it is in base64, and not in hexadecimal as
    /// it should be.
    #[must_use]
    pub fn is_base64(token: &str) -> bool {
        Self::check(token) == Err(DigestError::NotHex) && Self::of_base64(token).is_some()
    }

    fn of_base64(token: &str) -> Option<Self> {
        let (name, text) = token.split_once(':')?;
        let algorithm = Algorithm::by_name(name)?;
        let mut bytes = [0; 64];
        base64::decode(text, algorithm.size(), &mut bytes).then_some(Self { algorithm, bytes })
    }

    /// Writes the token of a `hash` attribute. By hand: of each resource that is published there is
    /// one, and formatting byte by byte took half of the time.
    fn push_to(&self, text: &mut String) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 128];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.bytes()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        let hex = &hex[..self.bytes().len() * 2];
        text.reserve_exact(self.algorithm.name().len() + 1 + hex.len());
        text.push_str(self.algorithm.name());
        text.push(':');
        text.push_str(std::str::from_utf8(hex).unwrap_or_default());
    }
}

/// As `is_ascii_hexdigit`, but in a form that is done for many digits at a time.
#[inline]
fn is_hex(digit: u8) -> bool {
    (digit.wrapping_sub(b'0') < 10) | ((digit | 0x20).wrapping_sub(b'a') < 6)
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20).wrapping_sub(b'a') + 10,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a token of a `hash` attribute cannot be used to verify anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DigestError {
    /// There is no colon.
    #[error("it names no algorithm")]
    NoAlgorithm,
    /// An algorithm that is not known here; others may know it.
    #[error("its algorithm is not known")]
    UnknownAlgorithm,
    /// Base64url or anything else but hexadecimal digits, or base64 of the right length.
    #[error("its digest is not hex-encoded")]
    NotHex,
    /// Hexadecimal, but too short or too long.
    #[error("its digest has not the length of that algorithm's")]
    WrongLength,
}

/// The value of a `hash` attribute: digests with white space between them, kept as they were
/// written. Tokens that cannot be used (the standard's own Example 27 has some) survive a round
/// trip; [`Hash::digests`] says which can.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hash<'a>(Cow<'a, str>);

impl<'a> Hash<'a> {
    /// A `hash` of these digests.
    pub fn new(digests: &[Digest]) -> Hash<'static> {
        let mut text = String::new();
        for digest in digests {
            if !text.is_empty() {
                text.push(' ');
            }
            digest.push_to(&mut text);
        }
        Hash(Cow::Owned(text))
    }

    /// Takes an attribute's value as it is, white space collapsed.
    pub fn from_attribute(value: Cow<'a, str>) -> Self {
        // A single digest has no white space at all.
        if !bytes::any(value.as_bytes(), |byte| byte <= b' ') {
            return Self(value);
        }
        Self(Cow::Owned(value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// The tokens as they were written.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.0.split_ascii_whitespace()
    }

    /// Each token read.
    pub fn digests(&self) -> impl Iterator<Item = Result<Digest, DigestError>> + '_ {
        self.tokens().map(Digest::parse)
    }

    /// The attribute's value.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Hash<'static> {
        Hash(Cow::Owned(self.0.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "md5:1e0d5cb8ef6ba40c99b14c0237be735e";

    #[test]
    fn reads_several_digests_with_any_white_space_between() {
        let sha = "sha-256:854f61290e2e197a11bc91063afce22e43f8ccc655237050ace766adc68dc784";
        let hash = Hash::from_attribute(Cow::Owned(format!(" {MD5}\n\t   {sha} ")));
        assert_eq!(hash.as_str(), format!("{MD5} {sha}"));
        let digests: Vec<_> = hash.digests().map(Result::unwrap).collect();
        assert_eq!(Hash::new(&digests), hash);
        assert_eq!(digests[1].algorithm(), Algorithm::Sha256);
    }

    #[test]
    fn says_why_a_digest_cannot_be_used() {
        for (token, error) in [
            ("1e0d5cb8ef6ba40c99b14c0237be735e", DigestError::NoAlgorithm),
            ("crc32:00000000", DigestError::UnknownAlgorithm),
            ("sha-256:Hg1cuO9rpAyZsUwCN75zXg==", DigestError::NotHex),
            ("sha-256:f4OxZX_x_DFGFDgghgdfb6rtSx-iosjf6735432nklj", DigestError::NotHex),
            ("md5:1e0d", DigestError::WrongLength),
        ] {
            assert_eq!(Digest::parse(token), Err(error));
        }
        // Sixty-four digits are too few for SHA-384, and not base64 of it.
        let short = format!("sha-384:{}", "ab".repeat(32));
        assert_eq!(Digest::parse(&short), Err(DigestError::WrongLength));
        assert_eq!(Digest::parse("MD5:1E0D5CB8EF6BA40C99B14C0237BE735E").unwrap().to_string(), MD5);
    }

    #[test]
    fn reads_base64_as_it_was_written_once_and_knows_it() {
        let token = "md5:Hg1cuO9rpAyZsUwCN75zXg==";
        assert_eq!(Digest::parse(token).unwrap().to_string(), MD5);
        assert!(Digest::is_base64(token) && !Digest::is_base64(MD5));
        assert!(!Digest::is_base64("crc32:AAAAAA=="));
    }
}
