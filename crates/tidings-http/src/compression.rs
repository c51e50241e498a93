//! Compresses responses with gzip.

use std::io::{self, Write};

use axum::body::{Body, HttpBody as _};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::conditional::takes_gzip;

/// What is shorter is not worth it.
const LEAST: u64 = 1_000;
/// What is longer would take too long; nothing of ours is.
const MOST: u64 = 8 << 20;

/// What takes longer than others should wait for.
const LARGE: usize = 256 << 10;

/// The level of what is compressed each time that it is asked for.
pub const GZIP_FAST: u32 = 4;

/// The level of what is compressed once and sent often.
pub const GZIP_SMALL: u32 = 6;

/// Compresses what `write` writes, and returns the place that it was written to.
pub fn gzip<W: Write>(
    out: W,
    level: u32,
    write: impl FnOnce(&mut GzEncoder<W>) -> io::Result<()>,
) -> io::Result<W> {
    let mut encoder = GzEncoder::new(out, Compression::new(level));
    write(&mut encoder)?;
    encoder.finish()
}

/// The same answer, compressed if that is wanted and worth it. Feeds are compressed once, elsewhere.
pub async fn smaller(response: Response<Body>, asked: &HeaderMap) -> Response<Body> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| {
        ["text/html", "text/css", "text/javascript", "image/svg+xml"]
            .iter()
            .any(|known| kind.starts_with(known))
    });
    let length = response.body().size_hint().exact();
    let is_worth_it = length.is_some_and(|length| (LEAST..=MOST).contains(&length));
    // A part of a file is a part of it as it is.
    let is_part = response.status() == StatusCode::PARTIAL_CONTENT;
    let is_packed = response.headers().contains_key(CONTENT_ENCODING);
    if !is_text || !is_worth_it || is_packed || is_part {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    if !takes_gzip(asked) {
        return Response::from_parts(parts, body);
    }
    let Ok(bytes) = axum::body::to_bytes(body, MOST as usize).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let packing = {
        let bytes = bytes.clone();
        let out = Vec::with_capacity(bytes.len() / 4);
        move || gzip(out, GZIP_FAST, |encoder| encoder.write_all(&bytes))
    };
    let packed = if bytes.len() > LARGE {
        tokio::task::spawn_blocking(packing)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    } else {
        packing()
    };
    // Writing into memory does not fail; if it did, the page would go as it is.
    let Ok(packed) = packed else { return Response::from_parts(parts, bytes.into()) };
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(CONTENT_LENGTH);
    // Other bytes have another strong tag (RFC 9110, section 8.8.3.3).
    let tag = parts.headers.get(ETAG).and_then(|tag| tag.to_str().ok());
    let tag = tag.and_then(|tag| tag.strip_prefix('"')?.strip_suffix('"'));
    if let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&format!("\"{tag}-gzip\"")).ok()) {
        parts.headers.insert(ETAG, tag);
    }
    Response::from_parts(parts, packed.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn written_bytes_come_back_and_errors_are_passed_on() {
        let packed = gzip(Vec::new(), GZIP_FAST, |out| out.write_all(b"a page")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a page");
        let failed = gzip(Vec::new(), GZIP_FAST, |_| Err(io::ErrorKind::TimedOut.into()));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
