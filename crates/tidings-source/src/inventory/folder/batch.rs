//! Files on their way from the walk to where they are looked at, and from there to the publication.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::super::ScanEvent;
use super::children::OpenFolder;
use crate::PublishError;
use crate::cache::{CachedFile, EncodedRecord};
use crate::previous::PublishedResource;

/// Something that the walk came by. A file that is looked at becomes one of the others.
pub(super) enum WalkItem {
    /// A file that is to be looked at.
    File(WalkedFile),
    /// A file that is as the cache has it.
    Unchanged(WalkedFile),
    /// What the publication is to know. It is in a box, so that many items fit into little memory.
    Event(Box<ScanEvent<'static>>),
    /// The walk ends here.
    Failed(Box<PublishError>),
}

impl WalkItem {
    pub(super) fn event(event: ScanEvent<'static>) -> Self {
        Self::Event(Box::new(event))
    }
}

/// True if it is not about the file: the process, or the system, has no more room for open ones.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code == Some(rustix::io::Errno::MFILE.raw_os_error())
        || code == Some(rustix::io::Errno::NFILE.raw_os_error())
}

/// A file: where in the batch its folder, its URI and its record are.
pub(super) struct WalkedFile {
    folder: usize,
    uri: Range<usize>,
    /// Where in the URI its name begins.
    name: usize,
    cached: Option<CachedFileRef>,
    /// What the documents say was published of it.
    pub(super) published: Vec<PublishedResource>,
}

/// The record of a file: where in the batch it is.
struct CachedFileRef {
    set: usize,
    body: Range<usize>,
    end: u64,
}

/// Several files. Their URIs and what the cache has of them are in one piece of memory: there are no strings
/// of their own to be made and thrown away for each.
#[derive(Default)]
pub(super) struct FileBatch {
    pub(super) items: Vec<WalkItem>,
    folders: Vec<Arc<OpenFolder>>,
    bytes: Vec<u8>,
    /// How many files are there to be read.
    pub(super) uncached: usize,
}

impl FileBatch {
    /// How many folders the files are in.
    pub(super) fn folders(&self) -> usize {
        self.folders.len()
    }

    /// Adds a file of that folder, whose URI is in two parts: its folder's, and its name.
    pub(super) fn add(
        &mut self,
        folder: &Arc<OpenFolder>,
        (base, segment): (&str, &str),
        published: Vec<PublishedResource>,
        cached: Option<CachedFile<'_>>,
    ) {
        if !self.folders.last().is_some_and(|last| Arc::ptr_eq(last, folder)) {
            self.folders.push(folder.clone());
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(base.as_bytes());
        let name = self.bytes.len();
        self.bytes.extend_from_slice(segment.as_bytes());
        let end = self.bytes.len();
        self.uncached += usize::from(cached.is_none());
        let cached = cached.map(|cached| {
            self.bytes.extend_from_slice(cached.body.bytes());
            CachedFileRef { set: cached.set, body: end..self.bytes.len(), end: cached.end }
        });
        let folder = self.folders.len() - 1;
        let file = WalkedFile { folder, uri: start..end, name, cached, published };
        self.items.push(WalkItem::File(file));
    }

    pub(super) fn folder(&self, file: &WalkedFile) -> &OpenFolder {
        &self.folders[file.folder]
    }

    /// The name of a file, as it stands in its URI.
    pub(super) fn segment(&self, file: &WalkedFile) -> &str {
        self.text(file.name..file.uri.end)
    }

    pub(super) fn uri(&self, file: &WalkedFile) -> &str {
        self.text(file.uri.clone())
    }

    /// What the cache has of a file.
    pub(super) fn cached(&self, file: &WalkedFile) -> Option<CachedFile<'_>> {
        let CachedFileRef { set, body, end } = file.cached.as_ref()?;
        let body = EncodedRecord::new(&self.bytes[body.clone()]);
        Some(CachedFile { set: *set, uri: self.uri(file), body, end: *end })
    }

    fn text(&self, range: Range<usize>) -> &str {
        // It was one when it was added.
        std::str::from_utf8(&self.bytes[range]).unwrap_or_default()
    }
}
