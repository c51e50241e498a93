//! The walk over a folder, in the order of the URIs.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::Passed;
use super::Folder;
use super::batch::{Batch, Seen, is_exhausted};
use super::children::{Children, Kind, OpenFolder, file_name};
use crate::cache::CacheReader;
use crate::{PublishError, Selection};

/// No list holds what is longer.
const LONGEST_URI: usize = 8 << 10;

/// How many files go from one thread to the next at a time: enough that handing over does not count,
/// few enough that memory does not.
const MOST: usize = 512;

/// How many of them may have to be read: few enough that large files are shared out evenly.
const MOST_UNKNOWN: usize = 64;

/// How many folders they may be in. Each is open while the batch is under way, and a process may have
/// only so many open.
const MOST_FOLDERS: usize = 12;

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
    /// How far below the root one of those can be.
    deepest: usize,
    levels: Vec<Level>,
    /// What came up, to be handed on first.
    first: Vec<Seen>,
    /// What is remembered; none after the last record.
    cache: Option<CacheReader>,
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
            deepest: folder.leave_out.iter().map(|own| own.components().count()).max().unwrap_or(0),
            levels: Vec::new(),
            first: Vec::new(),
            cache,
            gone,
        };
        walk.recall();
        walk.enter(PathBuf::new(), folder.base.clone())
            .map_err(|(_, error)| PublishError::io("could not list", &folder.root)(error))?;
        Ok(walk)
    }

    /// The next files; none after the last. They are many if most of them are remembered, and need only
    /// be asked for, and few if they are to be read.
    pub(super) fn batch(&mut self) -> Batch {
        let mut batch = Batch::default();
        while batch.seen.len() < MOST
            && batch.unknown < MOST_UNKNOWN
            && batch.folders() < MOST_FOLDERS
        {
            batch.seen.append(&mut self.first);
            let Some(level) = self.levels.last_mut() else {
                if !self.skip(&mut batch) {
                    break;
                }
                continue;
            };
            let Some(segment) = level.children.next() else {
                self.levels.pop();
                continue;
            };
            if segment.ends_with('/') {
                let path = level.path.join(file_name(segment));
                let uri = format!("{}{segment}", level.uri);
                if let Err((uri, error)) = self.enter(path.clone(), uri) {
                    if is_exhausted(&error) {
                        self.first.push(Seen::Exhausted(self.root.join(path), error));
                        continue;
                    }
                    // A folder that went away, or may not be read, is passed over, not the rest.
                    let passed = Passed { path: self.root.join(path), reason: error.to_string() };
                    self.hidden(&uri);
                    self.first.push(Seen::Fault { uri, passed });
                }
                continue;
            }
            // Most files are remembered: then the URI need not be made again.
            let order = loop {
                let Some(cache) = &self.cache else { break Ordering::Greater };
                match joined(cache.uri(), &level.uri, segment) {
                    Ordering::Less if self.gone => batch.seen.push(gone(cache)),
                    Ordering::Less => {}
                    order => break order,
                }
                recall(&mut self.cache, &mut self.first, self.gone);
            };
            match &self.cache {
                Some(cache) if order == Ordering::Equal => {
                    batch.add_known(&level.folder, cache, segment.len());
                    self.recall();
                }
                _ => {
                    let uri = format!("{}{segment}", level.uri);
                    if uri.len() > LONGEST_URI {
                        let path = level.folder.path.join(file_name(segment));
                        let reason = format!("its URI would have {} bytes", uri.len());
                        batch.seen.push(Seen::Passed(Passed { path, reason }));
                        continue;
                    }
                    batch.add(&level.folder, file_name(segment), uri);
                }
            }
        }
        batch.seen.append(&mut self.first);
        batch
    }

    /// Hands on one record after the last file; false if there is none.
    fn skip(&mut self, batch: &mut Batch) -> bool {
        let Some(cache) = self.cache.as_ref().filter(|_| self.gone) else { return false };
        batch.seen.push(gone(cache));
        self.recall();
        true
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
        let all = self.selection.is_plain() && path.components().count() > self.deepest;
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
                Ok(Kind::Other(reason)) if all || self.selection.takes(&path) => {
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
        while let Some(cache) = &self.cache {
            let inside = cache.uri().starts_with(folder);
            if !inside && cache.uri() > folder {
                break;
            }
            // Without all that was published, only the folder itself says what stays.
            match inside && self.gone {
                true => self.first.push(
                    cache.remembered().map_or(Seen::Damaged, |one| Seen::Unknown(Box::new(one))),
                ),
                false if self.gone && !inside => self.first.push(gone(cache)),
                false => {}
            }
            self.recall();
        }
    }

    fn recall(&mut self) {
        recall(&mut self.cache, &mut self.first, self.gone);
    }
}

fn gone(cache: &CacheReader) -> Seen {
    cache.remembered().map_or(Seen::Damaged, |one| Seen::Gone(Box::new(one)))
}

/// Goes on to the next record.
fn recall(cache: &mut Option<CacheReader>, first: &mut Vec<Seen>, gone: bool) {
    match cache.as_mut().map(CacheReader::advance) {
        Some(Ok(true)) | None => {}
        Some(Ok(false)) => *cache = None,
        Some(Err(_)) => {
            *cache = None;
            if gone {
                first.push(Seen::Damaged);
            }
        }
    }
}

/// The order of a URI and one that is in two parts.
fn joined(uri: &str, base: &str, segment: &str) -> Ordering {
    let (uri, base) = (uri.as_bytes(), base.as_bytes());
    match uri.split_at_checked(base.len()) {
        None => uri.cmp(base),
        Some((start, rest)) => start.cmp(base).then_with(|| rest.cmp(segment.as_bytes())),
    }
}
