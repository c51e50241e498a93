//! What an object of the content root is known by, whatever else about it changes.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A number of 64 bits, written as 16 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u64);

impl ObjectId {
    /// Reads it as it is written: 16 digits, and no capital letters, so that it has one spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 16 || !text.bytes().all(is_digit) {
            return None;
        }
        u64::from_str_radix(text, 16).ok().map(Self)
    }

    /// The id of a file of the plain layout that names none: it stays the same for as long as the file
    /// stays where it is, on any machine.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(path.as_bytes()).into();
        Self(u64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default()))
    }

    /// The folder that its versions are in: its last two digits.
    #[must_use]
    pub fn shard(self) -> String {
        format!("{:02x}", self.0 & 0xff)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        let id = ObjectId::parse("1122334455667788").unwrap();
        assert_eq!(id.to_string(), "1122334455667788");
        assert_eq!(id.shard(), "88");
        for wrong in
            ["", "112233445566778", "11223344556677889", "112233445566778A", "+12233445566778"]
        {
            assert_eq!(ObjectId::parse(wrong), None, "{wrong}");
        }
        assert_eq!(ObjectId::of_path("a.md"), ObjectId::of_path("a.md"));
        assert_ne!(ObjectId::of_path("a.md"), ObjectId::of_path("b.md"));
    }
}
