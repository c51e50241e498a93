//! What is known of an object without reading all of it.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::access::Access;
use crate::alias::Alias;
use crate::content_digest::ContentDigest;
use crate::load::MOST_MARKDOWN;
use crate::object_id::ObjectId;
use crate::path::encoded;
use crate::place::Place;

/// The times, the length and the number of a file: equal stamps say that it is still the same.
///
/// Programs can set the time of modification and keep the length; the time of the last change of the
/// inode is set by the kernel alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanos: u32,
    /// In bytes.
    pub length: u64,
    /// When the inode was changed last, in seconds since 1970.
    pub changed_seconds: i64,
    /// And nanoseconds.
    pub changed_nanos: u32,
    /// The number of the inode.
    pub inode: u64,
}

impl Stamp {
    /// The time of modification, in seconds since 1970. One in the future was set by a program: the
    /// kernel's own time of the last change stands for it.
    #[must_use]
    pub fn modified(&self) -> i64 {
        self.seconds.min(self.changed_seconds)
    }

    /// Whether the kernel changed the inode less than so long ago.
    pub(crate) fn is_recent(&self, limit: Duration) -> bool {
        let changed = u64::try_from(self.changed_seconds).unwrap_or_default();
        let changed = UNIX_EPOCH + Duration::new(changed, self.changed_nanos);
        // A clock that was set back says nothing.
        changed.elapsed().is_ok_and(|age| age < limit)
    }

    /// Whether the kernel is emptying a file at this moment, of which `known` is the stamp from when it had bytes:
    /// ext4 sets the length first, frees the blocks, which may wait for its journal, and then sets the times.
    pub(crate) fn is_being_emptied(&self, known: &Self) -> bool {
        self.length == 0 && known.length > 0 && *self == Self { length: 0, ..*known }
    }

    /// How many bytes [`Self::to_bytes`] gives.
    pub(crate) const BYTES: usize = 40;

    /// The stamp as a database keeps it.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0..8].copy_from_slice(&self.seconds.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.nanos.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.length.to_le_bytes());
        bytes[20..28].copy_from_slice(&self.changed_seconds.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.changed_nanos.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.inode.to_le_bytes());
        bytes
    }

    /// Reads what [`Self::to_bytes`] gave.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let long = |at: usize| Some(i64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let short = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        Some(Self {
            seconds: long(0)?,
            nanos: short(8)?,
            length: long(12)?.cast_unsigned(),
            changed_seconds: long(20)?,
            changed_nanos: short(28)?,
            inode: long(32)?.cast_unsigned(),
        })
    }
}

/// What a page is, as against all that is only served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Shown as a page.
    Markdown,
    /// Sent as it is.
    Blob,
}

/// Where a page is in the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nav {
    /// What it is called there; else by its title.
    pub title: Option<Box<str>>,
    /// Below which page: an id, or an alias.
    pub parent: Option<Box<str>>,
    /// Smaller ones come first.
    pub order: Option<i32>,
}

/// The canonical metadata of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    /// What it is known by.
    pub id: ObjectId,
    /// Where it is in the content root.
    pub place: Place,
    /// Whether it is shown or sent.
    pub kind: Kind,
    /// The media type.
    pub mime: Arc<str>,
    /// Its name in URLs.
    pub alias: Option<Alias>,
    /// What it is called; Markdown always is.
    pub title: Box<str>,
    /// What it is about, and by that, who may see it.
    pub tags: Arc<[Box<str>]>,
    /// Who may see it, by itself.
    pub own_access: Access,
    /// Who may see it, all in all.
    pub access: Access,
    /// Where it is in the navigation, if it says so.
    pub nav: Option<Box<Nav>>,
    /// What search engines are told not to do with it, such as `noindex`; empty if nothing.
    pub robots: Box<str>,
    /// Where the body begins: after front matter.
    pub body: u32,
    /// The blob.
    pub blob: Stamp,
    /// The sidecar, if there is one.
    pub sidecar: Option<Stamp>,
    /// The digest of what is in the blob and the sidecar.
    pub content: ContentDigest,
}

impl PageMeta {
    /// The later of blob and sidecar, in seconds since 1970.
    #[must_use]
    pub fn last_modified(&self) -> i64 {
        let sidecar = self.sidecar.map_or(i64::MIN, |sidecar| sidecar.modified());
        self.blob.modified().max(sidecar)
    }

    /// The path of its one URL.
    #[must_use]
    pub fn url_path(&self) -> String {
        match &self.alias {
            Some(alias) => alias.url_path(),
            None => encoded(&format!("id/{}", self.id)),
        }
    }

    /// The media type of what is sent at its URL.
    #[must_use]
    pub fn sent_type(&self) -> &str {
        match self.kind {
            Kind::Markdown if self.blob.length > MOST_MARKDOWN => "text/plain",
            Kind::Markdown => "text/html",
            Kind::Blob => &self.mime,
        }
    }

    /// How long that is, where it is known without making it.
    #[must_use]
    pub fn sent_length(&self) -> Option<u64> {
        (self.kind == Kind::Blob).then_some(self.blob.length)
    }

    /// Whether everybody may see it.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.access.is_public()
    }

    /// Whether search engines may list it.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let words = self.robots.split([',', ' ']);
        !words.map(str::trim).any(|word| matches!(word, "noindex" | "none"))
    }

    /// Whether it is in the sitemap: public Markdown that search engines may list.
    #[must_use]
    pub fn is_in_sitemap(&self) -> bool {
        self.kind == Kind::Markdown && self.is_public() && self.is_indexed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_file_with_the_times_of_before_is_being_emptied() {
        let known = Stamp {
            seconds: 7,
            nanos: 1,
            length: 10,
            changed_seconds: 7,
            changed_nanos: 1,
            inode: 3,
        };
        let emptied = Stamp { length: 0, ..known };
        assert!(emptied.is_being_emptied(&known));
        for (now, before) in [
            (Stamp { changed_nanos: 2, ..emptied }, known),
            (Stamp { inode: 4, ..emptied }, known),
            (known, known),
            (emptied, emptied),
        ] {
            assert!(!now.is_being_emptied(&before), "{now:?} {before:?}");
        }
    }
}
