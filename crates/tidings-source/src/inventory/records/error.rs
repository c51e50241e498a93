//! Why a record is passed over.

use tidings_document::{Algorithm, DigestError, MomentError, Rule, WriteError};

use super::MAX_RECORD_BYTES;

/// The reason why a record is not one of a resource that can be published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The line, or the record, is too long to be looked at.
    #[error("it is longer than {MAX_RECORD_BYTES} bytes")]
    TooLong,
    /// A line of JSON is something else than an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// A line is not JSON, or not that of a record.
    #[error("it is not JSON of a record: {} at column {}", json_reason(.0), .0.column())]
    Json(serde_json::Error),
    /// A quote in a record of CSV is never closed.
    #[error("a quote in it is never closed")]
    OpenQuote,
    /// A record of CSV has more fields than are looked at.
    #[error("it has more than {limit} fields")]
    TooManyFields {
        /// How many are looked at.
        limit: usize,
    },
    /// A record of CSV does not fit its header.
    #[error("it has {fields} fields, the header {header}")]
    FieldCount {
        /// How many fields it has.
        fields: usize,
        /// How many the header has.
        header: usize,
    },
    /// A field is not text.
    #[error("{field}: it is not UTF-8")]
    NotUtf8 {
        /// The name of the field.
        field: String,
    },
    /// It does not say of which resource it is.
    #[error("it has no uri")]
    NoUri,
    /// A time is none.
    #[error("{field} {text:?}: {cause}")]
    Moment {
        /// The name of the field.
        field: &'static str,
        /// What it says.
        text: String,
        /// What is wrong with it.
        cause: MomentError,
    },
    /// A length is none.
    #[error("length {text:?}: it is no number of bytes")]
    Length {
        /// What it says.
        text: String,
    },
    /// A digest is none.
    #[error("hash {text:?}: {cause}")]
    Digest {
        /// What it says.
        text: String,
        /// What is wrong with it.
        cause: DigestError,
    },
    /// Two digests of one algorithm differ.
    #[error("it has two digests of {}", .0.name())]
    TwoDigests(Algorithm),
    /// A Resource List could not hold it.
    #[error("{detail}: {}", rule.wants)]
    Refused {
        /// The rule that it breaks.
        rule: &'static Rule,
        /// What it breaks it with.
        detail: String,
    },
    /// It could not be tried whether a Resource List could hold it.
    #[error(transparent)]
    Write(WriteError),
}

impl From<WriteError> for RecordError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused { rule, detail } => Self::Refused { rule, detail },
            error => Self::Write(error),
        }
    }
}

/// What is wrong with JSON, without the place: serde counts lines of its own, and always finds itself
/// on the first.
fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(reason, _)| reason.to_owned())
}
