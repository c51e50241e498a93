//! How much a document may cost.

/// Limits on what a document may hold. The defaults take every document that keeps to the
/// standard, and a good deal more; with them no document takes more than a few MiB of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How deep elements may be nested. The standard needs 4.
    pub depth: usize,
    /// How many attributes one tag may have.
    pub attributes: usize,
    /// How many bytes a tag, a text, a comment or a CDATA section may have.
    pub token: usize,
    /// How many bytes one entry may have.
    pub entry: usize,
    /// How many bytes the elements before the first entry may have, all together.
    pub head: usize,
    /// How many entries a document may have: twice the standard's 50,000.
    pub entries: u64,
    /// How many bytes a document may have, uncompressed: twice the standard's 50 MB.
    pub bytes: u64,
    /// How many bytes one compressed byte may become, beyond the first MiB.
    pub inflation: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 32,
            attributes: 64,
            token: 64 << 10,
            entry: 1 << 20,
            head: 1 << 20,
            entries: 100_000,
            bytes: 100 << 20,
            inflation: 200,
        }
    }
}

impl Limits {
    /// The same, with documents of any length and any number of entries.
    #[must_use]
    pub fn of_any_size(self) -> Self {
        Self { entries: u64::MAX, bytes: u64::MAX, ..self }
    }
}

/// How to read a document.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// What it may cost.
    pub limits: Limits,
    /// The charset that came with it, as in `Content-Type: application/xml; charset=…`. It has more
    /// weight than the document's own declaration (RFC 7303, section 3).
    pub charset: Option<String>,
}
