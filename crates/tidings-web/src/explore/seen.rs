//! What is in a document.

use std::collections::BTreeMap;

use tidings_document::Report;
use url::Url;

/// What is in a document.
#[derive(Debug)]
pub struct Seen {
    /// Its head, its size, and what is wrong with it.
    pub report: Report,
    /// How many links there are of each relation type, in its head and its entries together.
    pub links: BTreeMap<String, u64>,
    /// The packages that it lists.
    pub packages: Vec<Package>,
    /// The documents that it leads to.
    pub children: Vec<Url>,
}

/// A package of a dump. It is named, and never fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Where it is; as it is written, if that is no URL.
    pub url: String,
    /// Its length in bytes, as the dump says.
    pub length: Option<u64>,
    /// Its media type, as the dump says.
    pub media_type: Option<String>,
}

impl Seen {
    /// Whether it could be read to its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.report.head.is_some() && self.report.complete
    }

    /// For a document of changes: whether more of them may still be added.
    #[must_use]
    pub fn is_open(&self) -> Option<bool> {
        let metadata = &self.report.head.as_ref()?.metadata;
        metadata.from.map(|_| metadata.until.is_none())
    }
}
