//! What a server says about something without sending it.

use url::Url;

use crate::Validators;
use crate::answer::Answer;

/// The answer to a `HEAD` request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Where it was in the end.
    pub url: Url,
    /// `Content-Length`; none if it is not said, or if it comes in pieces.
    pub length: Option<u64>,
    /// By what it can be known again.
    pub validators: Validators,
    /// `Content-Type`.
    pub content_type: Option<String>,
}

impl Head {
    pub(crate) fn of(answer: &Answer) -> Self {
        Self {
            url: answer.url.clone(),
            length: answer.content_length(),
            validators: answer.validators(),
            content_type: answer.content_type(),
        }
    }
}
