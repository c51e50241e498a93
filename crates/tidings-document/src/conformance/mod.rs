//! The conformance rules: what the specifications want of a document as a whole.
//!
//! What is wrong with one value (a time, a digest, a URI) the [`Reader`](crate::Reader) notices as
//! it reads; here is what follows from the kind of document. The rules are written once and serve
//! twice: [`check`] names what a document breaks, and the writer refuses what would break them.

mod check;
mod entry_rules;
mod head_rules;
mod rules;
mod seen;

pub use check::{CheckOptions, Report, check, check_each};
pub(crate) use rules::{Hit, Rules};

/// Which version of the standard a document is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spec {
    /// Either: documents do not say which they follow, so what one of the two allows is right.
    #[default]
    Auto,
    /// Z39.99-2014.
    V1_0,
    /// Z39.99-2017.
    V1_1,
}

/// Which use of the documents is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// ResourceSync where the document says so, else the Sitemap protocol.
    #[default]
    Auto,
    /// ResourceSync: a plain Sitemap will not do.
    ResourceSync,
    /// ResourceSync as IFCC-0001 wants it, so that a site can be followed.
    Ifcc,
    /// A plain Sitemap for search engines.
    Sitemap,
}
