//! Files on their way from the walk to where they are looked at.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::super::{Passed, Sight};
use super::children::OpenFolder;
use crate::cache::{Body, CacheReader, Remembered, Same};

/// Something that the walk came by.
pub(super) enum Seen {
    /// A file of which something is remembered.
    Known(Known),
    /// Another file, in the folder of that number.
    File { folder: usize, name: OsString, uri: String },
    /// Something with that URI, of which nothing more can be said.
    Fault { uri: String, passed: Passed },
    /// Something is remembered of what is in a folder that cannot be read.
    Unknown(Box<Remembered>),
    /// Something that is not published.
    Passed(Passed),
    /// Something that is remembered, but not there.
    Gone(Box<Remembered>),
    /// What is remembered cannot be read any further.
    Damaged,
    /// Nothing more can be opened.
    Exhausted(PathBuf, io::Error),
}

/// True if it is not about the file: the process, or the system, has no more room for open ones.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code == Some(rustix::io::Errno::MFILE.raw_os_error())
        || code == Some(rustix::io::Errno::NFILE.raw_os_error())
}

/// A file of which something is remembered: where in the batch that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    folder: usize,
    set: usize,
    uri: (usize, usize),
    /// Where in the URI its name begins.
    name: usize,
    body: (usize, usize),
    end: u64,
}

/// What is found out of one file, and why it is passed over. What is rare is in a box, so that many fit
/// into little memory.
pub(super) enum Answer {
    /// It is as it is remembered.
    Same(Known),
    Other(Option<Box<Sight<'static>>>, Option<Passed>),
}

/// Several files. What is remembered of them is in one piece of memory: there are no strings of their
/// own to be made and thrown away for each.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) seen: Vec<Seen>,
    folders: Vec<Arc<OpenFolder>>,
    bytes: Vec<u8>,
    /// How many files are there to be read.
    pub(super) unknown: usize,
}

impl Batch {
    /// How many folders the files are in.
    pub(super) fn folders(&self) -> usize {
        self.folders.len()
    }

    /// The number of a folder in the batch.
    fn folder_number(&mut self, folder: &Arc<OpenFolder>) -> usize {
        if !self.folders.last().is_some_and(|last| Arc::ptr_eq(last, folder)) {
            self.folders.push(folder.clone());
        }
        self.folders.len() - 1
    }

    /// Adds a file of which nothing is remembered.
    pub(super) fn add(&mut self, folder: &Arc<OpenFolder>, name: OsString, uri: String) {
        let folder = self.folder_number(folder);
        self.unknown += 1;
        self.seen.push(Seen::File { folder, name, uri });
    }

    /// Adds a file, with the record that the cache is at; `name` is how long its name is in the URI.
    pub(super) fn add_known(&mut self, folder: &Arc<OpenFolder>, cache: &CacheReader, name: usize) {
        let folder = self.folder_number(folder);
        let (uri, body) = (cache.uri(), cache.body().bytes());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(uri.as_bytes());
        self.bytes.extend_from_slice(body);
        let behind = start + uri.len();
        self.seen.push(Seen::Known(Known {
            folder,
            set: cache.set(),
            uri: (start, behind),
            name: behind - name,
            body: (behind, self.bytes.len()),
            end: cache.end(),
        }));
    }

    pub(super) fn folder(&self, number: usize) -> &OpenFolder {
        &self.folders[number]
    }

    pub(super) fn folder_of(&self, known: &Known) -> &OpenFolder {
        &self.folders[known.folder]
    }

    /// The name of a file, as it stands in its URI.
    pub(super) fn segment(&self, known: &Known) -> &str {
        self.text(known.name, known.uri.1)
    }

    /// What is remembered of a file.
    pub(super) fn same(&self, known: &Known) -> Same<'_> {
        Same {
            set: known.set,
            uri: self.text(known.uri.0, known.uri.1),
            body: Body::new(&self.bytes[known.body.0..known.body.1]),
            end: known.end,
        }
    }

    fn text(&self, start: usize, end: usize) -> &str {
        // It was one when it was added.
        std::str::from_utf8(&self.bytes[start..end]).unwrap_or_default()
    }
}
