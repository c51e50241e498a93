//! The walk over a folder, in the order of the URIs.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Passed;
use super::Folder;
use super::children::{Children, Kind, file_name, kind};
use crate::cache::{CacheReader, Record};
use crate::{PublishError, Selection};

/// Something that the walk came by.
pub(super) enum Seen {
    /// A file, by its path below the root, and what is remembered of it.
    File { path: PathBuf, uri: String, record: Option<Record> },
    /// Something with that URI, of which nothing more can be said.
    Fault { uri: String, passed: Passed },
    /// Something that is not published.
    Passed(Passed),
}

/// A walk that is under way.
pub(super) struct Walk {
    root: PathBuf,
    /// The root without links in its own path.
    real: PathBuf,
    selection: Selection,
    leave_out: HashSet<PathBuf>,
    /// The folders that the walk is in, each with what is still to be seen of it.
    folders: Vec<(PathBuf, String, Children)>,
    /// What came up in a folder, to be handed on first.
    passed: Vec<Passed>,
    cache: Option<CacheReader>,
    /// The record that the cache is at.
    record: Option<Record>,
}

impl Walk {
    pub(super) fn begin(folder: &Folder, cache: Option<CacheReader>) -> Result<Self, PublishError> {
        let real = folder.root.canonicalize();
        let mut walk = Self {
            root: folder.root.clone(),
            real: real.map_err(PublishError::io("could not open", &folder.root))?,
            selection: folder.selection.clone(),
            leave_out: folder.leave_out.iter().cloned().collect(),
            folders: Vec::new(),
            passed: Vec::new(),
            cache,
            record: None,
        };
        walk.recall();
        let children =
            walk.list(Path::new("")).map_err(PublishError::io("could not list", &folder.root))?;
        walk.folders.push((PathBuf::new(), folder.base.clone(), children));
        Ok(walk)
    }

    /// The next files, so many of them; none after the last.
    pub(super) fn batch(&mut self, most: usize) -> Vec<Seen> {
        let mut batch = Vec::with_capacity(most);
        while batch.len() < most {
            batch.extend(self.passed.drain(..).map(Seen::Passed));
            let Some((folder, base, children)) = self.folders.last_mut() else { break };
            let Some(segment) = children.next() else {
                self.folders.pop();
                continue;
            };
            let path = folder.join(file_name(segment));
            let uri = format!("{base}{segment}");
            if !segment.ends_with('/') {
                let record = self.remembered(&uri);
                batch.push(Seen::File { path, uri, record });
                continue;
            }
            match self.list(&path) {
                Ok(children) => self.folders.push((path, uri, children)),
                // A folder that went away, or may not be read, is passed over, not the rest.
                Err(error) => {
                    let passed = Passed { path: self.root.join(path), reason: error.to_string() };
                    batch.push(Seen::Fault { uri, passed });
                }
            }
        }
        batch
    }

    /// What is in a folder of that path below the root.
    fn list(&mut self, folder: &Path) -> io::Result<Children> {
        let mut children = Children::default();
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            let name = entry.file_name();
            if !self.selection.allows_name(name.as_encoded_bytes()) {
                continue;
            }
            let path = folder.join(&name);
            if self.leave_out.contains(&path) {
                continue;
            }
            match entry.file_type().and_then(|of| kind(&entry, of, &self.real)) {
                Ok(Kind::Folder) if self.selection.enters(&path) => children.add(&name, true)?,
                // What cannot be looked at now is found out when it is to be read.
                Ok(Kind::File) if self.selection.takes(&path) => children.add(&name, false)?,
                Err(_) if self.selection.takes(&path) => children.add(&name, false)?,
                Ok(Kind::Other(reason)) => {
                    self.passed.push(Passed { path: entry.path(), reason: reason.into() });
                }
                _ => {}
            }
        }
        children.sort();
        Ok(children)
    }

    /// What is remembered of a URI; the cache is in the same order.
    fn remembered(&mut self, uri: &str) -> Option<Record> {
        loop {
            match self.record.as_ref()?.resource.uri.as_str().cmp(uri) {
                Ordering::Less => self.recall(),
                Ordering::Equal => {
                    let record = self.record.take();
                    self.recall();
                    return record;
                }
                Ordering::Greater => return None,
            }
        }
    }

    fn recall(&mut self) {
        let next = self.cache.as_mut().and_then(|cache| cache.next().ok().flatten());
        self.record = next.map(|(record, _)| record);
    }
}
