//! Feeds as bytes: made once, sent often.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderValue;
use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tidings_http::compression::{GZIP_SMALL, gzip};
use tidings_syndication::Changed;

/// For how long a feed is sent without a look at what it was made of. Changes that this process
/// records itself are seen at once.
const FRESH: Duration = Duration::from_secs(2);
/// How many bytes are kept.
const MOST_BYTES: usize = 64 << 20;

/// A document that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) body: Bytes,
    pub(crate) gzip: Bytes,
    pub(crate) media_type: HeaderValue,
    /// Its `ETag`, and that of its compressed form.
    pub(crate) etag: HeaderValue,
    pub(crate) etag_text: String,
    pub(crate) gzip_etag: HeaderValue,
    pub(crate) modified: Timestamp,
    pub(crate) last_modified: HeaderValue,
}

impl Rendered {
    /// Makes a document ready. The same bytes have the same tag, whichever server sends them.
    pub(crate) fn new(body: String, media_type: &'static str, modified: Timestamp) -> Self {
        let hex = tidings_base::to_hex(&Sha256::digest(body.as_bytes())[..16]);
        let value = |text: String| {
            HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
        };
        let room = Vec::with_capacity(body.len() / 4);
        // Writing into memory does not fail.
        let gzip = gzip(room, GZIP_SMALL, |encoder| encoder.write_all(body.as_bytes()));
        let gzip = gzip.unwrap_or_default();
        Self {
            gzip: Bytes::from(gzip),
            body: Bytes::from(body),
            media_type: HeaderValue::from_static(media_type),
            etag: value(format!("\"{hex}\"")),
            gzip_etag: value(format!("\"{hex}-gzip\"")),
            etag_text: hex,
            modified,
            last_modified: value(http_date(modified)),
        }
    }

    fn size(&self) -> usize {
        self.body.len() + self.gzip.len() + 512
    }
}

/// The key of the collection or site that the feed at a path is of.
fn key_of(path: &str) -> &str {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let rest = path.splitn(3, '/').nth(2).unwrap_or_default();
    match rest.split_once('/') {
        Some((key, _)) => key,
        None => rest.rsplit_once('.').map_or(rest, |(key, _)| key),
    }
}

/// As in `Last-Modified` (RFC 9110, section 5.6.7).
pub(crate) fn http_date(time: Timestamp) -> String {
    time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// The documents that were sent last.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    kept: Mutex<Kept>,
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
}

#[derive(Debug, Default)]
struct Kept {
    documents: HashMap<String, Slot>,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    rendered: Arc<Rendered>,
    made: Instant,
    used: Instant,
}

impl Cache {
    /// A document that is fresh, for a path.
    pub(crate) fn fresh(&self, path: &str, changed: &Changed) -> Option<Arc<Rendered>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = kept.documents.get_mut(path)?;
        let now = Instant::now();
        let is_different = match key_of(path) {
            // In these is something of all collections.
            "all" | "users" | "searches" => changed.any_since(slot.made),
            key => changed.since(key, slot.made),
        };
        if now.duration_since(slot.made) >= FRESH || is_different {
            return None;
        }
        slot.used = now;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(&slot.rendered))
    }

    /// Keeps a document, and forgets those that were not asked for longest if there are too many.
    ///
    /// A document whose bytes are those of before keeps its time of modification, too: some are
    /// made anew every [`FRESH`], and a client that has the bytes must get a 304 nevertheless.
    pub(crate) fn keep(&self, path: &str, made: Instant, rendered: Rendered) -> Arc<Rendered> {
        self.misses.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let rendered = match kept.documents.get(path) {
            Some(old) if old.rendered.etag_text == rendered.etag_text => Arc::clone(&old.rendered),
            _ => Arc::new(rendered),
        };
        let slot = Slot { rendered: Arc::clone(&rendered), made, used: made };
        kept.bytes += rendered.size();
        if let Some(old) = kept.documents.insert(path.to_owned(), slot) {
            kept.bytes -= old.rendered.size();
        }
        if kept.bytes > MOST_BYTES {
            kept.make_room();
        }
        rendered
    }
}

impl Kept {
    /// Half of it goes at once, so that this is seldom done.
    fn make_room(&mut self) {
        let mut by_use: Vec<(Instant, String)> =
            self.documents.iter().map(|(path, slot)| (slot.used, path.clone())).collect();
        by_use.sort_unstable();
        for (_, path) in by_use {
            if self.bytes <= MOST_BYTES / 2 {
                break;
            }
            if let Some(slot) = self.documents.remove(&path) {
                self.bytes -= slot.rendered.size();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_http_wants_them() {
        let time: Timestamp = "2022-11-06T08:49:37Z".parse().unwrap();
        assert_eq!(http_date(time), "Sun, 06 Nov 2022 08:49:37 GMT");
    }

    #[test]
    fn a_document_rendered_again_with_equal_bytes_keeps_its_time() {
        let cache = Cache::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let keep = |text: &str, second| {
            let rendered = Rendered::new(text.to_owned(), "text/plain", at(second));
            cache.keep("/feeds.opml", Instant::now(), rendered).modified
        };
        assert_eq!(keep("one", 1), at(1));
        assert_eq!(keep("one", 3), at(1));
        assert_eq!(keep("two", 5), at(5));
        assert_eq!(keep("one", 7), at(7));
        let kept = cache.kept.lock().unwrap();
        assert_eq!(kept.bytes, kept.documents["/feeds.opml"].rendered.size());
    }

    #[test]
    fn what_is_recorded_here_is_seen_at_once_and_memory_stays_bounded() {
        let cache = Cache::default();
        let made = |size| Rendered::new("x".repeat(size), "text/plain", Timestamp::UNIX_EPOCH);
        let changed = Changed::default();
        cache.keep("/feeds/a.atom", Instant::now(), made(10));
        assert!(cache.fresh("/feeds/a.atom", &changed).is_some());
        changed.note(["b".to_owned()]);
        assert!(cache.fresh("/feeds/a.atom", &changed).is_some());
        changed.note(["a".to_owned()]);
        assert!(cache.fresh("/feeds/a.atom", &changed).is_none());
        cache.keep("/feeds/all.atom?text=a.b%2Fc", Instant::now(), made(10));
        cache.keep("/feeds/a.atom?text=a.b%2Fc", Instant::now(), made(10));
        changed.note(["a".to_owned()]);
        assert!(cache.fresh("/feeds/all.atom?text=a.b%2Fc", &changed).is_none());
        assert!(cache.fresh("/feeds/a.atom?text=a.b%2Fc", &changed).is_none());
        for number in 0..100 {
            cache.keep(&number.to_string(), Instant::now(), made(2 << 20));
        }
        let kept = cache.kept.lock().unwrap();
        assert!(kept.bytes <= MOST_BYTES && kept.documents.len() > 10);
        assert_eq!(
            kept.bytes,
            kept.documents.values().map(|slot| slot.rendered.size()).sum::<usize>()
        );
    }
}
