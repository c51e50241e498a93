//! Objects in the order of their URLs.
//!
//! Whoever writes a list of them holds on to the listing as it was when the list was begun; an edit
//! copies one chunk of it, and leaves that as it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use crate::page_meta::PageMeta;

/// How many entries a chunk may have; it is cut in two when there are more.
const MOST: usize = 1024;
/// How many it gets when the listing is made.
const USUAL: usize = 768;

/// Objects in the order of their URLs.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    chunks: Vec<Arc<Chunk>>,
    count: usize,
    bytes: usize,
    digest: u64,
}

/// Some entries one after the other.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// Their paths, escaped as they are in XML, without anything between.
    text: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    end: u32,
    modified: i64,
    meta: Arc<PageMeta>,
}

impl Chunk {
    fn path(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.entries[place - 1].end as usize };
        &self.text[start..self.entries[place].end as usize]
    }

    fn find(&self, path: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.path(middle).cmp(path) {
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    fn push(&mut self, path: &[u8], meta: Arc<PageMeta>) {
        self.text.extend_from_slice(path);
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.entries.push(Entry { end, modified: meta.last_modified(), meta });
    }

    /// All of it but what is in `without`, with `new` in the place where that began.
    fn replaced(&self, without: Range<usize>, new: Option<(&[u8], Arc<PageMeta>)>) -> Self {
        let mut made = Self::default();
        made.text.reserve(self.text.len() + new.as_ref().map_or(0, |(path, _)| path.len()));
        made.entries.reserve(self.entries.len() + 1);
        for place in 0..without.start {
            made.push(self.path(place), Arc::clone(&self.entries[place].meta));
        }
        if let Some((path, meta)) = new {
            made.push(path, meta);
        }
        for place in without.end..self.entries.len() {
            made.push(self.path(place), Arc::clone(&self.entries[place].meta));
        }
        made
    }

    /// Each path, escaped, with when it was changed, in seconds since 1970.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&[u8], i64)> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let path = &self.text[start..entry.end as usize];
            start = entry.end as usize;
            (path, entry.modified)
        })
    }

    /// Each object.
    pub fn metas(&self) -> impl Iterator<Item = &Arc<PageMeta>> {
        self.entries.iter().map(|entry| &entry.meta)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none, which no chunk of a listing has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes their paths have, escaped.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// When the last of them was changed.
    #[must_use]
    pub fn newest(&self) -> i64 {
        self.entries.iter().map(|entry| entry.modified).max().unwrap_or_default()
    }
}

impl Listing {
    /// Makes one of objects in any order.
    #[must_use]
    pub fn new(metas: impl Iterator<Item = Arc<PageMeta>>) -> Self {
        let mut all: Vec<(Vec<u8>, Arc<PageMeta>)> =
            metas.map(|meta| (escaped(&meta.url_path()), meta)).collect();
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let mut made = Self::default();
        for some in all.chunks(USUAL) {
            let mut chunk = Chunk::default();
            chunk.text.reserve_exact(some.iter().map(|(path, _)| path.len()).sum());
            chunk.entries.reserve_exact(some.len());
            for (path, meta) in some {
                chunk.push(path, Arc::clone(meta));
                made.digest = made.digest.wrapping_add(digest(path, meta));
            }
            made.count += chunk.len();
            made.bytes += chunk.bytes();
            made.chunks.push(Arc::new(chunk));
        }
        made
    }

    /// Puts an object in, in the place of the one that has its URL, if there is one.
    pub fn put(&mut self, meta: &Arc<PageMeta>) {
        let path = escaped(&meta.url_path());
        self.digest = self.digest.wrapping_add(digest(&path, meta));
        if self.chunks.is_empty() {
            self.chunks.push(Arc::default());
        }
        let at = self.chunk_of(&path);
        let chunk = &self.chunks[at];
        let place = chunk.find(&path);
        let without = match place {
            Ok(place) => {
                self.digest = self.digest.wrapping_sub(digest(&path, &chunk.entries[place].meta));
                place..place + 1
            }
            Err(place) => {
                self.count += 1;
                self.bytes += path.len();
                place..place
            }
        };
        let made = chunk.replaced(without, Some((&path, Arc::clone(meta))));
        if made.len() <= MOST {
            self.chunks[at] = Arc::new(made);
            return;
        }
        let middle = made.len() / 2;
        let halves = [made.replaced(middle..made.len(), None), made.replaced(0..middle, None)];
        self.chunks.splice(at..=at, halves.map(Arc::new));
    }

    /// Takes out what has this path.
    pub fn remove(&mut self, path: &str) {
        if self.chunks.is_empty() {
            return;
        }
        let path = escaped(path);
        let at = self.chunk_of(&path);
        let chunk = &self.chunks[at];
        let Ok(place) = chunk.find(&path) else { return };
        self.digest = self.digest.wrapping_sub(digest(&path, &chunk.entries[place].meta));
        self.count -= 1;
        self.bytes -= path.len();
        let made = chunk.replaced(place..place + 1, None);
        if made.is_empty() {
            self.chunks.remove(at);
        } else {
            self.chunks[at] = Arc::new(made);
        }
    }

    /// The last chunk that begins with the path or before it.
    fn chunk_of(&self, path: &[u8]) -> usize {
        let after = self.chunks.partition_point(|chunk| chunk.is_empty() || chunk.path(0) <= path);
        after.saturating_sub(1)
    }

    /// All chunks.
    #[must_use]
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Each object.
    pub fn metas(&self) -> impl Iterator<Item = &Arc<PageMeta>> {
        self.chunks.iter().flat_map(|chunk| chunk.metas())
    }

    /// The objects that were changed last, the latest first, of those that are wanted.
    #[must_use]
    pub fn newest(
        &self,
        most: usize,
        is_wanted: impl Fn(&PageMeta) -> bool,
    ) -> Vec<&Arc<PageMeta>> {
        // The least of those that are kept is on top.
        let mut kept: BinaryHeap<(Reverse<i64>, usize, usize)> = BinaryHeap::new();
        for (at, chunk) in self.chunks.iter().enumerate() {
            for (place, entry) in chunk.entries.iter().enumerate() {
                let is_full = kept.len() == most;
                let least = kept.peek().map_or(i64::MIN, |(Reverse(least), ..)| *least);
                if (is_full && entry.modified <= least) || !is_wanted(&entry.meta) {
                    continue;
                }
                if is_full {
                    kept.pop();
                }
                kept.push((Reverse(entry.modified), at, place));
            }
        }
        let sorted = kept.into_sorted_vec();
        sorted.iter().map(|(_, at, place)| &self.chunks[*at].entries[*place].meta).collect()
    }

    /// Each object whose path is `from` or after it, and before `until`.
    pub fn between<'l>(
        &'l self,
        from: Option<&str>,
        until: Option<&str>,
    ) -> impl Iterator<Item = &'l Arc<PageMeta>> {
        let from = from.map(escaped);
        let until = until.map(escaped);
        let chunk = from.as_ref().map_or(0, |from| self.chunk_of(from));
        let within = self.chunks.get(chunk..).unwrap_or_default().iter();
        let all = within.flat_map(|chunk| (0..chunk.len()).map(move |place| (chunk, place)));
        all.skip_while(move |(chunk, place)| {
            from.as_ref().is_some_and(|from| chunk.path(*place) < from.as_slice())
        })
        .take_while(move |(chunk, place)| {
            until.as_ref().is_none_or(|until| chunk.path(*place) < until.as_slice())
        })
        .map(|(chunk, place)| &chunk.entries[place].meta)
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes their paths have, escaped.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same for the same objects, and else another: paths, times and versions count.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Cuts it into parts of whole chunks that keep within both limits. `each` is how many bytes an entry
    /// has besides its path.
    #[must_use]
    pub fn parts(&self, most: usize, most_bytes: usize, each: usize) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut start, mut count, mut bytes) = (0, 0, 0);
        for (at, chunk) in self.chunks.iter().enumerate() {
            let own = chunk.bytes() + chunk.len() * each;
            if at > start && (count + chunk.len() > most || bytes + own > most_bytes) {
                parts.push(start..at);
                (start, count, bytes) = (at, 0, 0);
            }
            count += chunk.len();
            bytes += own;
        }
        parts.push(start..self.chunks.len());
        parts
    }
}

fn digest(path: &[u8], meta: &PageMeta) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    meta.id.hash(&mut hasher);
    meta.content.hash(&mut hasher);
    meta.last_modified().hash(&mut hasher);
    hasher.finish()
}

/// A path as it is in XML. Of what XML wants escaped, the path of a URL can have two. It does not change
/// their order.
fn escaped(path: &str) -> Vec<u8> {
    if !path.bytes().any(|byte| matches!(byte, b'&' | b'\'')) {
        return path.as_bytes().to_vec();
    }
    path.replace('&', "&amp;").replace('\'', "&apos;").into_bytes()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::access::Access;
    use crate::alias::{Alias, AliasOf};
    use crate::content_digest::ContentDigest;
    use crate::object_id::ObjectId;
    use crate::page_meta::{Kind, Stamp};
    use crate::place::Place;
    use crate::reserved::Reserved;

    pub(crate) fn meta(alias: &str, seconds: i64) -> Arc<PageMeta> {
        let reserved = Reserved::new("back-room").unwrap();
        Arc::new(PageMeta {
            id: ObjectId::of_path(alias),
            place: Place::File { path: alias.into() },
            kind: Kind::Markdown,
            mime: "text/markdown".into(),
            alias: Alias::parse(alias, AliasOf::File, &reserved).unwrap(),
            title: alias.into(),
            tags: [].into(),
            own_access: Access::Public,
            access: Access::Public,
            nav: None,
            robots: "".into(),
            body: 0,
            blob: Stamp { seconds, changed_seconds: seconds, length: 1, ..Stamp::default() },
            sidecar: None,
            content: ContentDigest(u128::from(seconds.cast_unsigned())),
        })
    }

    fn paths(listing: &Listing) -> Vec<String> {
        let each = listing.chunks().iter().flat_map(|chunk| chunk.each());
        each.map(|(path, _)| String::from_utf8(path.to_vec()).unwrap()).collect()
    }

    #[test]
    fn an_edited_listing_is_one_made_anew() {
        let mut listing = Listing::default();
        let mut expected: Vec<Arc<PageMeta>> = Vec::new();
        for number in 0..5_000_u64 {
            let alias = format!("p{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40);
            let meta = meta(&alias, number.cast_signed());
            expected.retain(|known| known.alias != meta.alias);
            expected.push(Arc::clone(&meta));
            listing.put(&meta);
            if number % 3 == 0 {
                let gone = expected.swap_remove((number as usize * 7) % expected.len());
                listing.remove(&gone.url_path());
                listing.remove(&gone.url_path());
            }
        }
        let anew = Listing::new(expected.iter().cloned());
        assert_eq!(paths(&listing), paths(&anew));
        assert!(paths(&listing).is_sorted());
        assert_eq!(
            (listing.len(), listing.bytes(), listing.digest()),
            (anew.len(), anew.bytes(), anew.digest())
        );
        assert!(listing.chunks().iter().all(|chunk| !chunk.is_empty() && chunk.len() <= MOST));
        let parts = listing.parts(1000, usize::MAX, 0);
        assert!(parts.len() > 2);
        assert_eq!(parts.first().unwrap().start, 0);
        assert_eq!(parts.last().unwrap().end, listing.chunks().len());
        for gone in &expected {
            listing.remove(&gone.url_path());
        }
        assert!(listing.is_empty() && listing.bytes() == 0 && listing.digest() == 0);
    }

    #[test]
    fn the_newest_are_those_that_were_changed_last() {
        let listing =
            Listing::new((0..3_000).map(|number| meta(&format!("p{number}"), number * 7 % 3_000)));
        let newest = listing.newest(5, |meta| meta.last_modified() != 2_998);
        let times: Vec<i64> = newest.iter().map(|meta| meta.last_modified()).collect();
        assert_eq!(times, [2_999, 2_997, 2_996, 2_995, 2_994]);
        assert!(Listing::default().newest(5, |_| true).is_empty());
    }

    #[test]
    fn whoever_reads_it_keeps_what_was_there() {
        let mut listing = Listing::new([meta("a", 1), meta("b", 2)].into_iter());
        let before = listing.clone();
        listing.put(&meta("c&'d", 3));
        listing.put(&meta("a", 9));
        assert_eq!(paths(&before), ["/a", "/b"]);
        assert_eq!(paths(&listing), ["/a", "/b", "/c&amp;&apos;d"]);
        assert_ne!(before.digest(), listing.digest());
    }
}
