//! Bytes that no digest can verify, and that may be somebody else's: the page of a captive portal, of a
//! login, of a server in trouble.

use tidings_web::Answer;
use url::{Origin, Url};

use super::candidates::Candidate;
use crate::bytes::Measured;
use crate::verified::is_verified;
use crate::wanted::Wanted;

/// Why the body of an answer is not taken.
pub(super) struct Refusal {
    pub(super) reason: String,
    /// The length and SHA-256 of the one body that is taken all the same: of the bytes that the copy has.
    known: Option<(u64, [u8; 32])>,
}

impl Refusal {
    fn of_any(reason: String) -> Self {
        Self { reason, known: None }
    }

    /// True if a body of that length, as far as it was announced, cannot be taken.
    pub(super) fn refuses_length(&self, announced: Option<u64>) -> bool {
        self.known.is_none_or(|(length, _)| announced.is_some_and(|announced| announced != length))
    }

    /// More than that is not what the copy has.
    pub(super) fn max_length(&self) -> Option<u64> {
        self.known.map(|(length, _)| length)
    }

    /// True if these bytes cannot be taken.
    pub(super) fn refuses(&self, measured: &Measured) -> bool {
        self.known.is_none_or(|(_, sha256)| measured.sha256 != sha256)
    }
}

/// Why the body of an answer is not taken, whatever it is or unless it is what the copy has.
pub(super) fn refusal(wanted: &Wanted, candidate: &Candidate, answer: &Answer) -> Option<Refusal> {
    if candidate.expected.is_certain() {
        return None;
    }
    let own = || (!candidate.is_alternate).then_some(wanted.validator.media_type.as_deref())?;
    let expected = candidate.media_type.as_deref().or_else(own);
    if let Some(expected) = expected.filter(|expected| !is_html(expected))
        && answer.content_type().is_some_and(|sent| is_html(&sent))
    {
        return Some(Refusal::of_any(format!("an HTML page came, and it should be {expected}")));
    }
    let known = wanted.known.as_ref().filter(|_| !candidate.is_alternate)?;
    if !is_verified(known.hash.as_deref()) {
        return None;
    }
    let reason = if !is_same_place(&candidate.url, &answer.url) {
        let origin = answer.url.origin().ascii_serialization();
        format!(
            "it came from {origin} without a digest, and the bytes in the copy were verified by one"
        )
    } else if wanted.expected.has_unusable {
        "its digest cannot be checked, and the bytes in the copy were verified by one".to_owned()
    } else {
        return None;
    };
    Some(Refusal { reason, known: Some((known.length, known.sha256)) })
}

fn is_html(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|html| essence.eq_ignore_ascii_case(html))
}

/// True if both are of one origin, or the one that came is the same host by TLS.
fn is_same_place(asked: &Url, came: &Url) -> bool {
    let is_secured = || {
        let (Origin::Tuple(one, host, 80), Origin::Tuple(other, same, 443)) =
            (asked.origin(), came.origin())
        else {
            return false;
        };
        one == "http" && other == "https" && host == same
    };
    asked.origin() == came.origin() || is_secured()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_host_by_tls_is_the_same_place() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (asked, came, same) in [
            ("http://a.example/1", "http://a.example/2", true),
            ("http://a.example/", "https://a.example/", true),
            ("https://a.example/", "http://a.example/", false),
            ("http://a.example/", "https://b.example/", false),
            ("http://a.example:8080/", "https://a.example/", false),
        ] {
            assert_eq!(is_same_place(&url(asked), &url(came)), same, "{asked} {came}");
        }
    }

    #[test]
    fn html_is_known_with_its_parameters() {
        assert!(is_html("Text/HTML; charset=utf-8") && is_html("application/xhtml+xml"));
        assert!(!is_html("text/plain") && !is_html(""));
    }
}
