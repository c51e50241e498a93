//! The walk over a folder, in the order of the URIs.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::Passed;
use super::Folder;
use super::children::{Children, Kind, OpenFolder, file_name};
use crate::cache::{CacheReader, Remembered};
use crate::{PublishError, Selection};

/// Something that the walk came by.
pub(super) enum Seen {
    /// A file of an open folder.
    File { folder: Arc<OpenFolder>, name: OsString, uri: String },
    /// A file of which something is remembered.
    Known { folder: Arc<OpenFolder>, name: OsString, remembered: Remembered },
    /// Something with that URI, of which nothing more can be said.
    Fault { uri: String, passed: Passed },
    /// Something is remembered of what is in a folder that cannot be read.
    Unknown(Remembered),
    /// Something that is not published.
    Passed(Passed),
    /// Something that is remembered, but not there.
    Gone(Remembered),
    /// What is remembered cannot be read any further.
    Damaged,
}

/// A folder that the walk is in.
struct Level {
    folder: Arc<OpenFolder>,
    /// Its path below the root.
    path: PathBuf,
    uri: String,
    /// What is still to be seen of it.
    children: Children,
}

/// A walk that is under way.
pub(super) struct Walk {
    root: PathBuf,
    /// The root without links in its own path.
    real: PathBuf,
    selection: Selection,
    leave_out: HashSet<PathBuf>,
    levels: Vec<Level>,
    /// What came up, to be handed on first.
    first: Vec<Seen>,
    cache: Option<CacheReader>,
    /// The record that the cache is at.
    record: Option<Remembered>,
    gone: bool,
}

impl Walk {
    pub(super) fn begin(
        folder: &Folder,
        cache: Option<CacheReader>,
        gone: bool,
    ) -> Result<Self, PublishError> {
        let real = folder.root.canonicalize();
        let mut walk = Self {
            root: folder.root.clone(),
            real: real.map_err(PublishError::io("could not open", &folder.root))?,
            selection: folder.selection.clone(),
            leave_out: folder.leave_out.iter().cloned().collect(),
            levels: Vec::new(),
            first: Vec::new(),
            cache,
            record: None,
            gone,
        };
        walk.recall();
        walk.enter(PathBuf::new(), folder.base.clone())
            .map_err(|(_, error)| PublishError::io("could not list", &folder.root)(error))?;
        Ok(walk)
    }

    /// The next files, so many of them or a few more; none after the last.
    pub(super) fn batch(&mut self, most: usize) -> Vec<Seen> {
        let mut batch = Vec::with_capacity(most + 1);
        while batch.len() < most {
            batch.append(&mut self.first);
            let Some(level) = self.levels.last_mut() else {
                match self.record.take().filter(|_| self.gone) {
                    Some(remembered) => batch.push(Seen::Gone(remembered)),
                    None => break,
                }
                self.recall();
                continue;
            };
            let Some(segment) = level.children.next() else {
                self.levels.pop();
                continue;
            };
            let name = file_name(segment);
            let folder = level.folder.clone();
            if segment.ends_with('/') {
                let (path, uri) = (level.path.join(name), format!("{}{segment}", level.uri));
                if let Err((uri, error)) = self.enter(path.clone(), uri) {
                    // A folder that went away, or may not be read, is passed over, not the rest.
                    let passed = Passed { path: self.root.join(path), reason: error.to_string() };
                    self.hidden(&uri);
                    self.first.push(Seen::Fault { uri, passed });
                }
                continue;
            }
            // Most files are remembered: then the URI need not be made again.
            let order = loop {
                let Some(Remembered { record, .. }) = &self.record else { break Ordering::Greater };
                let order = joined(&record.resource.uri, &level.uri, segment);
                if order != Ordering::Less {
                    break order;
                }
                let skipped = self.record.take();
                recall(&mut self.cache, &mut self.record, &mut self.first, self.gone);
                batch.extend(skipped.filter(|_| self.gone).map(Seen::Gone));
            };
            match self.record.take_if(|_| order == Ordering::Equal) {
                Some(remembered) => {
                    batch.push(Seen::Known { folder, name, remembered });
                    self.recall();
                }
                None => {
                    let uri = format!("{}{segment}", level.uri);
                    batch.push(Seen::File { folder, name, uri });
                }
            }
        }
        batch.append(&mut self.first);
        batch
    }

    /// Goes into a folder of that path below the root.
    fn enter(&mut self, path: PathBuf, uri: String) -> Result<(), (String, io::Error)> {
        match OpenFolder::open(self.root.join(&path)).and_then(|folder| {
            let children = self.list(&folder, &path)?;
            Ok((Arc::new(folder), children))
        }) {
            Ok((folder, children)) => {
                self.levels.push(Level { folder, path, uri, children });
                Ok(())
            }
            Err(error) => Err((uri, error)),
        }
    }

    /// What is in a folder that is to be published.
    fn list(&mut self, folder: &OpenFolder, path: &Path) -> io::Result<Children> {
        let mut children = Children::default();
        // Our own documents are not far below, and often there are no globs to ask.
        let all = self.selection.is_plain() && path.components().count() > 1;
        folder.each(|name, of| {
            if !self.selection.allows_name(name.as_encoded_bytes()) {
                return Ok(());
            }
            let path = if all { PathBuf::new() } else { path.join(name) };
            if !all && self.leave_out.contains(&path) {
                return Ok(());
            }
            match folder.kind(name, of, &self.real) {
                Ok(Kind::Folder) if all || self.selection.enters(&path) => children.add(name, true),
                // What cannot be looked at now is found out when it is to be read.
                Ok(Kind::File) | Err(_) if all || self.selection.takes(&path) => {
                    children.add(name, false)
                }
                Ok(Kind::Other(reason)) => {
                    let (path, reason) = (folder.path.join(name), reason.to_owned());
                    self.first.push(Seen::Passed(Passed { path, reason }));
                    Ok(())
                }
                _ => Ok(()),
            }
        })?;
        children.sort();
        Ok(children)
    }

    /// Hands on what is remembered before and in a folder that cannot be read.
    fn hidden(&mut self, folder: &str) {
        while let Some(remembered) = self.record.take_if(|remembered| {
            let uri = remembered.record.resource.uri.as_str();
            uri < folder || uri.starts_with(folder)
        }) {
            if remembered.record.resource.uri.starts_with(folder) {
                self.first.push(Seen::Unknown(remembered));
            } else if self.gone {
                self.first.push(Seen::Gone(remembered));
            }
            self.recall();
        }
    }

    fn recall(&mut self) {
        recall(&mut self.cache, &mut self.record, &mut self.first, self.gone);
    }
}

/// Goes on to the next record.
fn recall(
    cache: &mut Option<CacheReader>,
    record: &mut Option<Remembered>,
    first: &mut Vec<Seen>,
    gone: bool,
) {
    let next = cache.as_mut().map_or(Ok(None), CacheReader::next);
    *record = next.unwrap_or_else(|_| {
        *cache = None;
        if gone {
            first.push(Seen::Damaged);
        }
        None
    });
}

/// The order of a URI and one that is in two parts.
fn joined(uri: &str, base: &str, segment: &str) -> Ordering {
    let (uri, base) = (uri.as_bytes(), base.as_bytes());
    match uri.split_at_checked(base.len()) {
        None => uri.cmp(base),
        Some((start, rest)) => start.cmp(base).then_with(|| rest.cmp(segment.as_bytes())),
    }
}
