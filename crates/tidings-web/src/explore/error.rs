//! Why a document of a Source could not be looked at.

use std::io;

use url::Url;

use crate::FetchError;

/// Why a document could not be looked at. What is wrong within one is no error: that is in its
/// [`Report`](tidings_document::Report). Each message is one sentence that stands alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VisitError {
    /// It could not be had.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// It was had, and could not be read again on this machine; trying again may help.
    #[error("the body of {url} could not be read: {error}")]
    Read {
        /// Its URL, without credentials.
        url: Box<Url>,
        /// What the system says.
        error: io::Error,
    },
}

impl VisitError {
    /// Reading it broke off.
    pub(super) fn broken(url: &Url) -> Self {
        let error = io::Error::other("reading broke off: this is a fault of tidings");
        Self::Read { url: Box::new(url.clone()), error }
    }
}
