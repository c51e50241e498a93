//! Why a request is not answered with what it asks for.

use std::io;

use tidings_site::OpenError;

/// Why a request is not answered with what it asks for.
#[derive(Debug, thiserror::Error)]
pub(super) enum AnswerError {
    /// Nothing is there, or nothing that this visitor may see.
    #[error("nothing is there")]
    Missing,
    /// The content root is away, or the file is being written: the visitor should come again.
    #[error("the content is not there at the moment")]
    Away,
    /// The answer could not be made.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for AnswerError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            // A file that ends early while it is read is being written.
            io::ErrorKind::UnexpectedEof => Self::Away,
            _ => Self::Io(error),
        }
    }
}

impl From<OpenError> for AnswerError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Gone => Self::Missing,
            OpenError::Io(error) => error.into(),
            // What cannot be opened for another reason can be opened later.
            _ => Self::Away,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_come_back_is_away_and_what_is_gone_is_missing() {
        let of = |kind: io::ErrorKind| AnswerError::from(io::Error::from(kind));
        assert!(matches!(of(io::ErrorKind::NotFound), AnswerError::Missing));
        assert!(matches!(of(io::ErrorKind::UnexpectedEof), AnswerError::Away));
        assert!(matches!(of(io::ErrorKind::PermissionDenied), AnswerError::Io(_)));
        // An error of a socket is not taken for an absent content root.
        assert!(matches!(of(io::ErrorKind::NotConnected), AnswerError::Io(_)));
        assert!(matches!(OpenError::Gone.into(), AnswerError::Missing));
        for error in [OpenError::RootAway, OpenError::BeingWritten] {
            assert!(matches!(error.into(), AnswerError::Away));
        }
    }
}
