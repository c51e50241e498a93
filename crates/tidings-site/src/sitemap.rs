//! `/sitemap.xml`, written while it is sent (sitemaps.org protocol 0.9).
//!
//! This does not go through the document writer: there is nothing in these entries but a path that is
//! escaped already and a time, and 50,000 of them should take no longer than sending them does.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::lastmod::LastMod;
use crate::listing::Listing;
use crate::origin::Origin;

/// How many URLs one file may have.
pub const MOST_URLS: usize = 50_000;
/// How many bytes it may have, uncompressed.
pub const MOST_BYTES: usize = 50 * 1024 * 1024;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
const BEFORE: &str = "<url><loc>";
const BETWEEN: &str = "</loc><lastmod>";
const AFTER: &str = "</lastmod></url>\n";
const TAIL: &str = "</urlset>\n";

/// How much is written at a time.
const PIECE: usize = 128 << 10;

/// How many bytes an entry has besides its path.
fn each(origin: &Origin) -> usize {
    BEFORE.len() + origin.as_str().len() + BETWEEN.len() + LastMod::LENGTH + AFTER.len()
}

/// The files of the sitemap as they are cut now: one if all fits in one.
#[derive(Debug, Clone)]
pub struct Sitemap {
    listing: Arc<Listing>,
    origin: Origin,
    parts: Vec<Range<usize>>,
}

impl Sitemap {
    /// That of these pages for whoever came by this origin.
    #[must_use]
    pub fn new(listing: Arc<Listing>, origin: Origin) -> Self {
        let room = MOST_BYTES - HEAD.len() - TAIL.len();
        let parts = listing.parts(MOST_URLS, room, each(&origin));
        Self { listing, origin, parts }
    }

    /// Whether `/sitemap.xml` is an index.
    #[must_use]
    pub fn is_index(&self) -> bool {
        self.parts.len() > 1
    }

    /// How many files there are.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// One of the files, counted from zero.
    #[must_use]
    pub fn part(&self, number: usize) -> Option<SitemapPart> {
        let chunks = self.parts.get(number)?.clone();
        let all = &self.listing.chunks()[chunks.clone()];
        let paths: usize = all.iter().map(|chunk| chunk.bytes()).sum();
        let count: usize = all.iter().map(|chunk| chunk.len()).sum();
        Some(SitemapPart {
            listing: Arc::clone(&self.listing),
            length: HEAD.len() + paths + count * each(&self.origin) + TAIL.len(),
            before: format!("{BEFORE}{}", self.origin).into(),
            again: format!("{AFTER}{BEFORE}{}", self.origin).into(),
            chunks,
            state: State::Head,
        })
    }

    /// The index of all files.
    #[must_use]
    pub fn index(&self) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
            .to_owned();
        for (number, chunks) in self.parts.iter().enumerate() {
            let chunks = &self.listing.chunks()[chunks.clone()];
            let newest = chunks.iter().map(|chunk| chunk.newest()).max().unwrap_or_default();
            let mut lastmod = LastMod::default();
            let lastmod = String::from_utf8_lossy(lastmod.of(newest)).into_owned();
            // Writing into a text does not fail.
            let _ = writeln!(
                text,
                "<sitemap><loc>{}/sitemaps/sitemap-{:04}.xml</loc><lastmod>{lastmod}</lastmod></sitemap>",
                self.origin,
                number + 1,
            );
        }
        text + "</sitemapindex>\n"
    }

    /// What changes when any byte of it does. One for all files: how they are cut depends on all.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("\"{:016x}\"", self.listing.digest())
    }

    /// How many pages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listing.len()
    }

    /// Whether there is no page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listing.is_empty()
    }
}

/// One file, in pieces.
#[derive(Debug, Clone)]
pub struct SitemapPart {
    listing: Arc<Listing>,
    chunks: Range<usize>,
    length: usize,
    /// What comes before the first path.
    before: Box<str>,
    /// What comes between a time and the next path.
    again: Box<str>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Entries,
    Done,
}

impl SitemapPart {
    /// How many bytes it has, all in all.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Iterator for SitemapPart {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.state == State::Done {
            return None;
        }
        // A chunk more than was asked for is the most that it can be.
        let mut out = Vec::with_capacity(PIECE + (PIECE / 2));
        let mut lastmod = LastMod::default();
        let mut is_first = self.state == State::Head;
        if is_first {
            out.extend_from_slice(HEAD.as_bytes());
            self.state = State::Entries;
        }
        let again = self.again.as_bytes();
        while out.len() < PIECE {
            let Some(chunk) = self.chunks.next().map(|at| &self.listing.chunks()[at]) else {
                if self.length > HEAD.len() + TAIL.len() {
                    out.extend_from_slice(AFTER.as_bytes());
                }
                out.extend_from_slice(TAIL.as_bytes());
                self.state = State::Done;
                break;
            };
            let more =
                chunk.bytes() + chunk.len() * (again.len() + BETWEEN.len() + LastMod::LENGTH);
            out.reserve(more);
            for (path, modified) in chunk.each() {
                if is_first {
                    out.extend_from_slice(self.before.as_bytes());
                    is_first = false;
                } else {
                    out.extend_from_slice(again);
                }
                out.extend_from_slice(path);
                out.extend_from_slice(BETWEEN.as_bytes());
                out.extend_from_slice(lastmod.of(modified));
            }
        }
        Some(out.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::tests::meta;

    fn text(part: SitemapPart) -> String {
        let bytes: Vec<u8> = part.flatten().collect();
        String::from_utf8(bytes).unwrap()
    }

    fn sitemap(count: i64) -> Sitemap {
        let metas =
            (0..count).map(|number| meta(&format!("page/{number}"), 1_768_900_000 + number));
        let listing = Arc::new(Listing::new(metas));
        Sitemap::new(listing, Origin::new(true, "example.com").unwrap())
    }

    #[test]
    fn a_small_sitemap_is_one_file() {
        let metas = [meta("b&c", 0), meta("a", 1_768_912_496)];
        let listing = Arc::new(Listing::new(metas.into_iter()));
        let sitemap = Sitemap::new(listing, Origin::new(false, "a.example:81").unwrap());
        let part = sitemap.part(0).unwrap();
        let length = part.length();
        let text = text(part);
        assert_eq!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             <url><loc>http://a.example:81/a</loc><lastmod>2026-01-20T12:34:56Z</lastmod></url>\n\
             <url><loc>http://a.example:81/b&amp;c</loc><lastmod>1970-01-01T00:00:00Z</lastmod></url>\n\
             </urlset>\n"
        );
        assert_eq!(length, text.len());
        assert!(!sitemap.is_index() && sitemap.part(1).is_none());
    }

    #[test]
    fn no_page_is_a_sitemap_without_entries() {
        let part = sitemap(0).part(0).unwrap();
        assert_eq!(part.length(), HEAD.len() + TAIL.len());
        assert_eq!(text(part), format!("{HEAD}{TAIL}"));
    }

    #[test]
    fn a_large_sitemap_has_parts_within_the_limits() {
        let sitemap = sitemap(120_000);
        assert!(sitemap.is_index());
        let mut all = Vec::new();
        for number in 0..sitemap.parts() {
            let part = sitemap.part(number).unwrap();
            let length = part.length();
            let text = text(part);
            assert_eq!(length, text.len());
            let locs: Vec<String> = text
                .split("<loc>")
                .skip(1)
                .map(|rest| rest.split_once('<').unwrap().0.to_owned())
                .collect();
            assert!(locs.len() <= MOST_URLS && text.len() <= MOST_BYTES);
            all.extend(locs);
        }
        assert_eq!(all.len(), 120_000);
        assert!(all.is_sorted());
        let index = sitemap.index();
        assert_eq!(index.matches("<sitemap>").count(), sitemap.parts());
        assert!(index.contains("https://example.com/sitemaps/sitemap-0003.xml"));
    }
}
