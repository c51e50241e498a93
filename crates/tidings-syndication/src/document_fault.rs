//! Why a document that was fetched cannot be used.

use tidings_document::ReadError;

/// Why a document that was fetched cannot be used, as the rest of a sentence that begins with its URL.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentFault {
    /// It cannot be read. What it quotes of the document cannot do harm on a screen.
    #[error("cannot be read{}", ReadErrorText(.0))]
    Unreadable(#[from] ReadError),
    /// It is of another kind.
    #[error("is a {found}, not a {expected}")]
    Kind {
        /// The kind that it is of.
        found: String,
        /// The kind that it should be of.
        expected: &'static str,
    },
    /// It lies deeper than indexes are followed.
    #[error("is an index in an index in an index")]
    TooDeep,
    /// It leads to more documents than are followed.
    #[error("leads to more than {limit} Change Lists that were not read yet")]
    TooMany {
        /// How many are followed.
        limit: usize,
    },
    /// It names something that is no URL.
    #[error("names {text:?}, which is no URL: {error}")]
    Url {
        /// The text as it was found.
        text: String,
        /// The rule that it breaks.
        error: url::ParseError,
    },
}

struct ReadErrorText<'a>(&'a ReadError);

impl std::fmt::Display for ReadErrorText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            ReadError::Document(finding) => {
                let detail = tidings_base::text::visible_in_terminal(&finding.detail);
                write!(f, ", line {}: {detail}", finding.place.line)
            }
            ReadError::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                write!(f, ": {error}")
            }
            error => write!(f, ": {error}"),
        }
    }
}

impl DocumentFault {
    /// The same with the URL.
    pub(crate) fn at(self, url: &url::Url) -> crate::PollError {
        crate::PollError::Document { url: url.clone(), reason: self.to_string() }
    }
}
