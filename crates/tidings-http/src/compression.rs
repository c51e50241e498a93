//! Pages as few bytes.

use std::io::Write as _;

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

fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(4));
    encoder.write_all(bytes)?;
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
        move || pack(&bytes)
    };
    let packed = if bytes.len() > LARGE {
        tokio::task::spawn_blocking(packing)
            .await
            .unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))
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
