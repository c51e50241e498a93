//! Going on with a body of which a part is here.

use std::io::Read as _;

use tidings_web::{Answer, FetchError, GetOptions, StatusCode, Validators};
use url::Url;

use super::body::Body;
use super::candidates::Candidate;
use super::one::Fetcher;
use super::partial::{MIN_KEPT_BYTES, Partial};
use crate::bytes::{Expected, Measure};

/// How many kept bytes are hashed before others have a turn.
const HASHED_AT_ONCE: usize = 1 << 20;

/// How a request begins.
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once")]
pub(super) enum Begun {
    /// With an answer, and what is here of its body already.
    Answer(Answer, Option<Body>),
    /// With all that was wanted: an earlier run had it, and could not put it into its place.
    Whole(Body),
}

impl Fetcher {
    /// Asks for a candidate, or for what is left of it if an earlier request broke off.
    pub(super) async fn begin(
        &self,
        candidate: &Candidate,
        options: &GetOptions,
    ) -> Result<Begun, FetchError> {
        if let Some(partial) = self.partials.find(&candidate.url)
            && let Some(begun) = self.go_on(partial, candidate, options).await?
        {
            return Ok(begun);
        }
        Ok(Begun::Answer(self.client.open(&candidate.url, options).await?, None))
    }

    /// Asks for what is left of a body that was kept; nothing if it is of no use.
    async fn go_on(
        &self,
        partial: Partial,
        candidate: &Candidate,
        options: &GetOptions,
    ) -> Result<Option<Begun>, FetchError> {
        let expected = &candidate.expected;
        let (etag, whole) = (partial.note.etag().to_owned(), partial.note.whole());
        let length = partial.length(expected.is_certain());
        let measure = match length {
            Some(_) => measure_kept(&partial, expected).await,
            None => None,
        };
        let Some(measure) = measure.filter(|measure| Some(measure.length()) == length) else {
            partial.discard();
            return Ok(None);
        };
        let body = Body::resumed(partial, measure);
        if body.length() == whole {
            if expected.is_certain() {
                return Ok(Some(Begun::Whole(body)));
            }
            body.discard();
            return Ok(None);
        }
        let rest = whole - body.length();
        let asked = part(options, body.length(), &etag);
        let answer = match self.client.open(&candidate.url, &asked).await {
            Ok(answer) => answer,
            Err(FetchError::Status { status: StatusCode::RANGE_NOT_SATISFIABLE, .. }) => {
                body.discard();
                return Ok(None);
            }
            // What is kept stays so.
            Err(error) => return Err(error),
        };
        let is_same = answer.validators().etag.is_none_or(|sent| sent == etag)
            && answer.content_length().is_none_or(|length| length == rest);
        if goes_on(&answer, &body) && is_same {
            return Ok(Some(Begun::Answer(answer, Some(body))));
        }
        body.discard();
        let is_all = answer.status == StatusCode::OK;
        Ok(is_all.then_some(Begun::Answer(answer, None)))
    }

    /// Asks for what is left of a body that just broke off, if it is worth it and can be done.
    pub(super) async fn resume(
        &self,
        url: &Url,
        options: &GetOptions,
        body: &Body,
        strong: Option<&str>,
    ) -> Option<Answer> {
        if body.length() < MIN_KEPT_BYTES {
            return None;
        }
        let options = part(options, body.length(), strong?);
        let answer = self.client.open(url, &options).await.ok()?;
        goes_on(&answer, body).then_some(answer)
    }
}

/// Asks for the bytes from there on, if it is still the version with that validator.
fn part(options: &GetOptions, from: u64, validator: &str) -> GetOptions {
    let range = Some((from, validator.to_owned()));
    GetOptions { range, validators: Validators::default(), ..options.clone() }
}

/// True if an answer begins where a body ends.
fn goes_on(answer: &Answer, body: &Body) -> bool {
    answer.status == StatusCode::PARTIAL_CONTENT
        && answer.content_encoding().is_none()
        && answer.begins_at() == Some(body.length())
}

/// What the kept bytes are. The file is at their end then.
async fn measure_kept(partial: &Partial, expected: &Expected) -> Option<Measure> {
    let mut measure = Measure::for_expected(expected);
    let mut buffer = vec![0; HASHED_AT_ONCE];
    let mut file = &partial.file;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(measure),
            Ok(count) => measure.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        tokio::task::yield_now().await;
    }
}
