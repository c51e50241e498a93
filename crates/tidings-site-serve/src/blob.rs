//! Pictures and other files, sent as they are.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, IF_RANGE, LINK, RANGE,
    VARY,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use bytes::Bytes;
use tidings_site::{Kind, PageMeta};

use super::answer_error::AnswerError;
use super::page::{links, tell_robots};
use super::site_request::Asked;
use super::site_response::{Answer, marked, with};
use super::state::SharedSite;

/// What is sent at a time.
const PIECE: usize = 128 << 10;
/// What is read at once, and sent whole.
const SMALL: u64 = 64 << 10;

/// What a browser may do with a file: an HTML file or a drawing may have anything in it, and is shown
/// without the rights of this site.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self' 'unsafe-inline'; \
     font-src 'self'; frame-ancestors 'self'; sandbox",
);

/// The answer for a file that whoever asks may see.
pub(super) async fn blob(
    state: &SharedSite,
    asked: &Asked,
    meta: &Arc<PageMeta>,
) -> Result<Answer, AnswerError> {
    let (mut file, meta) = state.cache.open_blob(meta)?;
    if !asked.may_see(&meta) {
        return Err(AnswerError::Missing);
    }
    let length = meta.blob.length;
    let kind = kind(&meta);
    let mut hasher = DefaultHasher::new();
    (meta.id, meta.content, meta.last_modified(), &kind).hash(&mut hasher);
    let etag = format!("\"{:016x}\"", hasher.finish());
    let range = range(asked, &etag, length);
    let (status, start, end) = match range {
        Range::All => (StatusCode::OK, 0, length),
        Range::Some(start, end) => (StatusCode::PARTIAL_CONTENT, start, end),
        Range::None => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0),
    };
    let count = end - start;
    // What is small may be compressed, and then HEAD has to say so, too.
    let body = if count == 0 || asked.method == Method::HEAD && count > SMALL {
        Body::empty()
    } else {
        if start > 0 {
            file.seek(SeekFrom::Start(start))?;
        }
        if count <= SMALL {
            let mut bytes = vec![0; usize::try_from(count).unwrap_or_default()];
            file.read_exact(&mut bytes)?;
            bytes.into()
        } else {
            pieces(file, count)
        }
    };
    let mut response = marked(asked, &etag, Some(meta.last_modified()), || {
        let mut response = with(status, &kind, body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, count.into());
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let told = match range {
            Range::All => None,
            Range::Some(start, end) => Some(format!("bytes {start}-{}/{length}", end - 1)),
            Range::None => Some(format!("bytes */{length}")),
        };
        if let Some(told) = told.and_then(|told| HeaderValue::from_str(&told).ok()) {
            headers.insert(CONTENT_RANGE, told);
        }
        response
    });
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    // Pictures are for the pages of others, too; what is restricted is not.
    let policy = if meta.is_public() { "cross-origin" } else { "same-origin" };
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static(policy),
    );
    if !meta.is_public() {
        headers.append(VARY, HeaderValue::from_static("cookie"));
    }
    if let Ok(links) = HeaderValue::from_str(&links(&asked.origin, &meta)) {
        headers.insert(LINK, links);
    }
    tell_robots(headers, &meta);
    Ok(response)
}

/// A past version of a file.
pub(super) fn version(file: std::fs::File, meta: &PageMeta) -> Answer {
    let mut response = with(StatusCode::OK, &kind(meta), pieces(file, meta.blob.length));
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, meta.blob.length.into());
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

/// The media type that is told. Markdown that is too long for a page is plain text.
fn kind(meta: &PageMeta) -> String {
    match meta.kind {
        Kind::Markdown => "text/plain; charset=utf-8".to_owned(),
        Kind::Blob if meta.mime.starts_with("text/") && !meta.mime.contains(';') => {
            format!("{}; charset=utf-8", meta.mime)
        }
        Kind::Blob => meta.mime.to_string(),
    }
}

/// A file in pieces, each read when the one before has been taken.
fn pieces(file: std::fs::File, count: u64) -> Body {
    let stream = futures_util::stream::try_unfold((file, count), async |(mut file, left)| {
        if left == 0 {
            return Ok(None);
        }
        let read = tokio::task::spawn_blocking(move || {
            let want = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            let mut bytes = vec![0; want];
            file.read_exact(&mut bytes)?;
            Ok::<_, io::Error>((file, bytes))
        });
        let (file, bytes) = read.await.map_err(io::Error::other)??;
        let left = left - bytes.len() as u64;
        Ok::<_, io::Error>(Some((Bytes::from(bytes), (file, left))))
    });
    Body::from_stream(stream)
}

/// What was asked for, as first byte and the one after the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    All,
    Some(u64, u64),
    /// Not to be had.
    None,
}

/// One range at most (RFC 9110, section 14.2: a server may ignore the header, and does so for several).
fn range(asked: &Asked, etag: &str, length: u64) -> Range {
    let text = |name| asked.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(wanted) = text(RANGE).filter(|_| asked.is_read()) else { return Range::All };
    // Another state of the file than the one that the rest of it is wanted of.
    if text(IF_RANGE).is_some_and(|known| known != etag) {
        return Range::All;
    }
    parse(wanted, length)
}

fn parse(wanted: &str, length: u64) -> Range {
    let Some(range) = wanted.strip_prefix("bytes=").filter(|range| !range.contains(',')) else {
        return Range::All;
    };
    let Some((first, last)) = range.trim().split_once('-') else { return Range::All };
    let number = |text: &str| {
        text.parse::<u64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match (first, last) {
        ("", last) => match number(last) {
            None => Range::All,
            Some(0) => Range::None,
            Some(count) if length == 0 => {
                if count > 0 {
                    Range::None
                } else {
                    Range::All
                }
            }
            Some(count) => Range::Some(length.saturating_sub(count), length),
        },
        (first, last) => {
            let Some(first) = number(first) else { return Range::All };
            let last = if last.is_empty() { Some(u64::MAX) } else { number(last) };
            match last {
                None => Range::All,
                Some(last) if last < first => Range::All,
                Some(_) if first >= length => Range::None,
                Some(last) => Range::Some(first, last.saturating_add(1).min(length)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_sent() {
        for (wanted, range) in [
            ("bytes=0-0", Range::Some(0, 1)),
            ("bytes=2-", Range::Some(2, 10)),
            ("bytes=2-99", Range::Some(2, 10)),
            ("bytes=-3", Range::Some(7, 10)),
            ("bytes=-99", Range::Some(0, 10)),
            ("bytes=10-", Range::None),
            ("bytes=-0", Range::None),
            ("bytes=5-2", Range::All),
            ("bytes=0-1,3-4", Range::All),
            ("bytes=a-b", Range::All),
            ("bytes=+1-2", Range::All),
            ("lines=1-2", Range::All),
            ("bytes=", Range::All),
            ("bytes=18446744073709551615-18446744073709551615", Range::None),
        ] {
            assert_eq!(parse(wanted, 10), range, "{wanted}");
        }
        assert_eq!(parse("bytes=0-", 0), Range::None);
    }
}
