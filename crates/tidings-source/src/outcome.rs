//! What a publication came to, and how far it is.

use tidings_document::Change;

use crate::Passed;

/// What a publication came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// How many resources there are now.
    pub resources: u64,
    /// How many are new.
    pub created: u64,
    /// How many are other than before.
    pub updated: u64,
    /// How many are gone.
    pub deleted: u64,
    /// How many are in none of the sets, and therefore not published.
    pub unset: u64,
    /// True if there was no publication before, or it was to be forgotten.
    pub first: bool,
    /// The Capability Lists of sets that were published before, and are not any more: their documents
    /// stay, but say nothing new to those who follow them.
    pub abandoned: Vec<String>,
    /// The dumps that were withdrawn, by their names below the base: the Change Lists no longer tell
    /// what changed since. Their files stay for as long as other superseded files.
    pub withdrawn: Vec<String>,
    /// The documents that were written, by their names below the base.
    pub written: Vec<String>,
    /// The files that were passed over, and why: the first 10,000 of them.
    pub passed: Vec<Passed>,
}

/// Is told how far a publication is.
pub trait Progress {
    /// That is how much there was the last time.
    fn expected(&mut self, files: u64, bytes: u64);
    /// So many files were looked at, of so many bytes.
    fn looked_at(&mut self, files: u64, bytes: u64);
    /// One resource came, changed or went.
    fn changed(&mut self, change: Change, uri: &str);
    /// The documents, or packages, of that name are written now.
    fn writing(&mut self, name: &str);
}
