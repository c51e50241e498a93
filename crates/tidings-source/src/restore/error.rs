//! Why the last publication could not be had.

use tidings_web::FetchError;

use super::FileMismatch;
use crate::PublishError;

/// What keeps the last publication from being restored. The folder is as it was before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Not where a Source can be served.
    #[error(
        "{from:?} cannot be where the last publication is: give the URL of the site, like https://example.com/"
    )]
    From {
        /// What was given.
        from: String,
    },
    /// The host did not answer, or not with the document. Trying again may help.
    #[error("the last publication could not be fetched")]
    Fetch {
        /// Which document, and why.
        source: Box<FetchError>,
    },
    /// In the place of the Source Description there is a page for people.
    #[error(
        "{url} is an HTML page, not a Source Description: the host seems to answer everything with a page, so it cannot be told whether there is a last publication"
    )]
    Page {
        /// The place.
        url: String,
    },
    /// Documents of the publication do not fit together, at two attempts: it is damaged, or is being
    /// replaced just now, or caches hold documents of several publications.
    #[error(
        "the last publication could not be had whole: {url}: {reason}; try again when the caches of the host have caught up"
    )]
    Mismatch {
        /// The document, as it was fetched.
        url: String,
        /// What is wrong with it.
        reason: FileMismatch,
    },
    /// The last publication is of another base.
    #[error("the publication at {url} is of {published}, not of {base}; publish with that base")]
    OtherBase {
        /// The document that says so.
        url: String,
        /// The base that it was published under, or else what is not below the base.
        published: String,
        /// The base that was given now.
        base: String,
    },
    /// A document lists another in a place where this program would not put it.
    #[error("{url} lists {listed}, which is not the place of such a document of ours")]
    Foreign {
        /// The document that lists it.
        url: String,
        /// What it lists.
        listed: String,
    },
    /// More documents than any publication of ours has.
    #[error("the publication at {url} has more than {limit} documents")]
    TooMany {
        /// Where it is.
        url: String,
        /// How many are taken.
        limit: usize,
    },
    /// It could not be kept on this machine.
    #[error(transparent)]
    Local(#[from] PublishError),
}
