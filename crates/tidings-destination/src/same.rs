//! Whether the copy has what an entry speaks of.

use tidings_document::{Algorithm, Digest, Entry, Hash, Link};

use crate::bytes::Expected;
use crate::engine::Engine;
use crate::fetch::measure;
use crate::links::preferred;
use crate::mapping::Uri;
use crate::moments::instant;
use crate::state::Row;
use crate::verified::union;
use crate::wanted::Wanted;

/// What can be told without asking the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Same {
    Yes,
    No,
    /// Only the server knows.
    Unknown,
    /// The file knows: the Source gives digests of other algorithms than before.
    AskFile,
}

/// Compares what the Source says now with what was recorded. A digest decides, whatever the times
/// say; without one, length and time do.
pub(crate) fn same(entry: &Entry<'_>, row: &Row) -> Same {
    let is_other_length = entry.metadata.length.is_some_and(|length| length != row.length);
    if let Some(hash) = &entry.metadata.hash {
        match by_digest(hash, row) {
            Same::Unknown => {}
            Same::AskFile if is_other_length => return Same::No,
            verdict => return verdict,
        }
    }
    if is_other_length {
        return Same::No;
    }
    match (entry.lastmod.map(instant), row.lastmod) {
        (Some(now), Some(then)) if now == then && row.lastmod_is_open => Same::Unknown,
        (Some(now), Some(then)) if now == then => Same::Yes,
        (Some(_), _) => Same::No,
        (None, _) => Same::Unknown,
    }
}

/// Compares the digests of all algorithms that both have.
fn by_digest(hash: &Hash<'_>, row: &Row) -> Same {
    if row.hash.as_deref() == Some(hash.as_str()) {
        return Same::Yes;
    }
    let mut verdict = Same::Unknown;
    for digest in hash.digests().flatten() {
        match is_of_row(&digest, row) {
            Some(true) => verdict = Same::Yes,
            Some(false) => return Same::No,
            None if verdict == Same::Unknown => verdict = Same::AskFile,
            None => {}
        }
    }
    verdict
}

/// Whether a digest is of the bytes in the copy, if one of its algorithm is known of these.
pub(crate) fn is_of_row(digest: &Digest, row: &Row) -> Option<bool> {
    if digest.algorithm() == Algorithm::Sha256 {
        return Some(digest.bytes() == row.sha256);
    }
    let known = row.hash.as_deref()?.split_ascii_whitespace();
    let mut known = known.filter_map(|token| Digest::parse(token).ok());
    known.find(|known| known.algorithm() == digest.algorithm()).map(|known| known == *digest)
}

impl Engine<'_> {
    /// The link to the representation that the copy should have of a resource, if it is another than that of
    /// its entry.
    fn preferred<'l>(&self, links: &'l [Link<'_>], own_type: Option<&str>) -> Option<&'l Link<'l>> {
        preferred(links, own_type, self.options.prefer.as_deref()?)
    }

    /// False if the copy should have another representation of a resource, and does not have the one that its
    /// link tells of.
    pub(crate) fn has_preferred(
        &self,
        links: &[Link<'_>],
        own_type: Option<&str>,
        row: &Row,
    ) -> bool {
        let Some(link) = self.preferred(links, own_type) else { return true };
        let expected = Expected::of(link.length, link.hash.as_ref());
        let is_of_length = expected.length.is_none_or(|length| length == row.length);
        is_of_length && expected.sha256().is_none_or(|sha256| sha256 == row.sha256)
    }

    /// True if the copy should have another representation of a resource than the one in a package.
    pub(crate) fn prefers_other(&self, wanted: &Wanted) -> bool {
        self.preferred(&wanted.links, wanted.media_type.as_deref()).is_some()
    }

    /// True if the copy has what an entry speaks of, and its file is as it was left. Where the Source gives
    /// digests of other algorithms than before, they are computed of the file, and recorded.
    pub(crate) fn is_current(&mut self, entry: &Entry<'_>, uri: &Uri<'_>, row: &Row) -> bool {
        match same(entry, row) {
            Same::Yes => self.is_there(uri, row),
            Same::AskFile => self.is_there(uri, row) && self.has_digests(entry, uri, row),
            Same::No | Same::Unknown => false,
        }
    }

    /// The same of a change, which only a digest proves to be in the copy: two changes may have one `lastmod` and one
    /// length.
    pub(crate) fn has_change(&mut self, hash: Option<&Hash<'_>>, uri: &Uri<'_>, row: &Row) -> bool {
        let mut entry = Entry::new(uri.as_str());
        entry.metadata.hash = hash.cloned();
        Expected::of(None, hash).is_certain() && self.is_current(&entry, uri, row)
    }

    fn has_digests(&mut self, entry: &Entry<'_>, uri: &Uri<'_>, row: &Row) -> bool {
        let hash = entry.metadata.hash.as_ref();
        let expected = Expected::of(entry.metadata.length, hash);
        let path = self.desk.path(uri.as_str(), row.path.as_deref());
        let file = self.desk.files.open(&path).ok();
        let Some(measured) = file.and_then(|file| measure(file, &expected)) else { return false };
        if measured.sha256 != row.sha256 || expected.mismatch(&measured).is_some() {
            return false;
        }
        // Not to have it in the state costs as much the next time, and nothing else.
        let all = union(row.hash.as_deref(), hash.map(Hash::as_str));
        let _ = self.desk.state.begin();
        let _ = self.desk.state.set_hash(row.id, all.as_deref());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "md5:1e0d5cb8ef6ba40c99b14c0237be735e";

    fn row(hash: Option<&str>) -> Row {
        Row {
            id: 1,
            set: 1,
            path: None,
            length: 3,
            sha256: [0; 32],
            mtime: 0,
            hash: hash.map(str::to_owned),
            lastmod: None,
            lastmod_is_open: false,
            gone: false,
        }
    }

    #[test]
    fn digests_are_compared_by_the_algorithms_that_both_have() {
        let sha = format!("sha-256:{}", "00".repeat(32));
        let sha1 = format!("sha-1:{}", "11".repeat(20));
        let zero = format!("md5:{}", "00".repeat(16));
        let base64 = "md5:Hg1cuO9rpAyZsUwCN75zXg==";
        for (said, known, verdict) in [
            (MD5, Some(MD5), Same::Yes),
            (base64, Some(MD5), Same::Yes),
            (MD5, Some("sha-256 md5:1e0d5cb8ef6ba40c99b14c0237be735e"), Same::Yes),
            (&zero, Some(MD5), Same::No),
            (&sha, Some(MD5), Same::Yes),
            (&format!("{zero} {sha}"), Some(MD5), Same::No),
            (&format!("{sha1} {MD5}"), Some(MD5), Same::Yes),
            (&sha1, Some(MD5), Same::AskFile),
            (MD5, None, Same::AskFile),
            ("crc32:0", Some(MD5), Same::Unknown),
        ] {
            let mut entry = Entry::new("http://a.example/");
            entry.metadata.hash = Some(Hash::from_attribute(said.into()));
            assert_eq!(same(&entry, &row(known)), verdict, "{said} {known:?}");
        }
    }

    #[test]
    fn another_length_needs_no_file() {
        let mut entry = Entry::new("http://a.example/");
        entry.metadata.hash = Some(Hash::from_attribute(MD5.into()));
        entry.metadata.length = Some(4);
        assert_eq!(same(&entry, &row(None)), Same::No);
    }
}
