//! What was had.

use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LINK};
use url::Url;

use crate::answer::Answer;
use crate::body::SpooledBody;
use crate::headers;
use crate::options::Validators;

/// A whole answer of a [`get`](crate::Client::get). Header values are as sent, without the space
/// around them, and URLs are without credentials and fragment.
#[derive(Debug)]
pub struct Fetched {
    /// Where the answer came from, after all redirects: the base of its relative references.
    pub url: Url,
    /// The URLs that redirected, in order; the one that was asked for is the first.
    pub redirects: Vec<Url>,
    /// A success (2xx), but never 206 unless a part was asked for; 304 if the request was conditional.
    pub status: StatusCode,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Content-Encoding`. It has not been taken off the body: whoever reads that can also limit
    /// what comes out of it.
    pub content_encoding: Option<String>,
    /// The length that was announced, if any. It is [`SpooledBody::len`] then.
    pub content_length: Option<u64>,
    /// `ETag`, with its quotes and `W/`.
    pub etag: Option<String>,
    /// `Last-Modified`, if it is not of the second in which the answer was sent: then it tells no two
    /// versions apart.
    pub last_modified: Option<String>,
    /// True if it changed in the second in which it was sent, or just before. Many servers make an `ETag`
    /// of that time and the length, so that it may not tell versions apart either.
    pub is_fresh: bool,
    /// The values of `Link` headers, in their order; see [`link_header`](crate::link_header).
    pub links: Vec<String>,
    /// The bytes.
    pub body: SpooledBody,
}

impl Fetched {
    pub(crate) fn new(answer: Answer, body: SpooledBody) -> Self {
        let text = |name: HeaderName| headers::text(answer.headers(), &name);
        Self {
            status: answer.status,
            content_type: text(CONTENT_TYPE),
            content_encoding: text(CONTENT_ENCODING),
            content_length: answer.content_length(),
            etag: text(ETAG),
            last_modified: headers::last_modified(answer.headers()),
            is_fresh: headers::is_fresh(answer.headers()),
            links: answer.headers().get_all(LINK).iter().map(lossy).collect(),
            body,
            url: answer.url,
            redirects: answer.redirects,
        }
    }

    /// By what the answer can be known again.
    #[must_use]
    pub fn validators(&self) -> Validators {
        Validators { etag: self.etag.clone(), last_modified: self.last_modified.clone() }
    }

    /// True if the request was conditional, and what was had before still holds: there is no body.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED
    }
}

fn lossy(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
