//! The index of a webfeed: has it changed, and what does it say?

use sha2::{Digest as _, Sha256};
use tidings_web::{FetchError, Head, Phase, StatusCode, Url, Validators, Whole};
use tidings_webfeed::Index;

use crate::PollError;
use crate::change_list::off_the_road;
use crate::details::{By, Webfeed};
use crate::fetch::Fetch;

/// After so many polls that found the same length it is read in any case: an edit may keep its length,
/// and a server may say what it said before.
const READ_EVERY: u32 = 12;

/// What an index was known by when it was read.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) length: Option<u64>,
    pub(super) etag: Option<String>,
    pub(super) digest: String,
}

/// Reads the index if it is another one than it was.
///
/// By the specification it is known by its `Content-Length`. Where that is the same, another `ETag` says
/// that something is different all the same. `Last-Modified` is never asked for.
pub(super) async fn look(
    fetch: &Fetch<'_>,
    at: &Url,
    known: &mut Webfeed,
) -> Result<Option<(Index, Seen)>, PollError> {
    // One that was held back is to be seen again.
    let is_due = known.digest.is_empty() || known.unread >= READ_EVERY || known.held.is_some();
    let head = if known.by == By::Length || is_due { head(fetch, at).await? } else { None };
    let mut is_other_tag = false;
    known.by = By::Answer;
    if let Some(head) = &head {
        known.by = By::Length;
        let is_same_length = head.length == known.length;
        let tags = (&head.validators.etag, &known.etag);
        is_other_tag = is_same_length
            && !known.etag_lies
            && matches!(tags, (Some(one), Some(other)) if one != other);
        if is_same_length && !is_other_tag && !is_due {
            known.unread += 1;
            return Ok(None);
        }
    }
    let etag = known.etag.clone().filter(|_| head.is_none() && !is_due && !known.etag_lies);
    let Some(whole) = get(fetch, at, Validators { etag, last_modified: None }).await? else {
        known.unread += 1;
        return Ok(None);
    };
    known.unread = 0;
    let length = head.as_ref().and_then(|head| head.length);
    if length.is_some_and(|length| length != whole.length) {
        // What it says in answer to HEAD is not the length of what it sends.
        known.by = By::Answer;
    }
    let etag = head.and_then(|head| head.validators.etag).or(whole.validators.etag.clone());
    let digest = digest(&whole.bytes);
    // If something was held back, what was added with it may have to go again.
    if digest == known.digest && known.held.is_none() {
        // Only if somebody relied on it: a server may have many reasons to say another one once.
        known.etag_lies |= is_other_tag;
        (known.length, known.etag) = (length, etag);
        return Ok(None);
    }
    known.etag_lies = false;
    let index = parse(whole, at).await?;
    Ok(Some((index, Seen { length, etag, digest })))
}

/// Reads the index of a webfeed that is not followed yet; none if it is none.
pub(crate) async fn read(fetch: &Fetch<'_>, at: &Url) -> Result<Index, PollError> {
    match get(fetch, at, Validators::default()).await? {
        Some(whole) => parse(whole, at).await,
        None => Ok(Index::default()),
    }
}

/// Reads what may be an index, if it says itself that it is plain text; none if it is something else.
pub(crate) async fn read_plain(fetch: &Fetch<'_>, at: &Url) -> Result<Option<Index>, PollError> {
    let whole = get(fetch, at, Validators::default()).await?;
    let is_plain = |whole: &Whole| {
        let kind = whole.content_type.as_deref().unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("text/plain")
    };
    match whole.filter(is_plain) {
        Some(whole) => parse(whole, at).await.map(Some),
        None => Ok(None),
    }
}

async fn get(fetch: &Fetch<'_>, at: &Url, known: Validators) -> Result<Option<Whole>, PollError> {
    fetch.whole(at, known, Index::MOST_BYTES, true).await
}

/// What the server says of the index; none if it does not know how to, or says no length. There are
/// servers that break off at a method that they do not know.
async fn head(fetch: &Fetch<'_>, at: &Url) -> Result<Option<Head>, PollError> {
    match fetch.head(at).await {
        Ok(head) => Ok(Some(head).filter(|head| head.length.is_some())),
        Err(error) if error.is_refusal() => Err(error),
        Err(PollError::Fetch(error)) => match error {
            FetchError::Status { status, .. } if status == StatusCode::SERVICE_UNAVAILABLE => {
                Err(error.into())
            }
            // Whether it is there, GET says.
            FetchError::Status { .. }
            | FetchError::Truncated { .. }
            | FetchError::Unreachable { .. }
            | FetchError::TimedOut { phase: Phase::Headers, .. } => Ok(None),
            error => Err(error.into()),
        },
        Err(error) => Err(error),
    }
}

async fn parse(whole: Whole, at: &Url) -> Result<Index, PollError> {
    let index = off_the_road(move || Index::parse(&whole.bytes, &whole.url)).await;
    index.map_err(|error| PollError::Document {
        url: at.clone(),
        reason: format!("cannot be read as the index of a webfeed: {error}"),
    })
}

fn digest(bytes: &[u8]) -> String {
    tidings_base::to_hex(&Sha256::digest(bytes)[..16])
}
