//! The walk over a folder, in the order of the URIs.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::{Passed, ScanEvent};
use super::Folder;
use super::batch::{FileBatch, WalkItem, is_exhausted};
use super::children::{Children, Kind, OpenFolder, file_name};
use crate::previous::{Prior, PriorStream};
use crate::{PublishError, Selection};

/// No list holds what is longer.
const MAX_URI_BYTES: usize = 8 << 10;

/// How many files go from one thread to the next at a time: enough that handing over does not count,
/// few enough that memory does not.
const BATCH_MAX_FILES: usize = 512;

/// How many of them may have to be read: few enough that large files are shared out evenly.
const BATCH_MAX_UNCACHED: usize = 64;

/// How many folders they may be in. Each is open while the batch is under way, and a process may have
/// only so many open.
const BATCH_MAX_FOLDERS: usize = 12;

/// A folder that the walk is in.
struct WalkLevel {
    folder: Arc<OpenFolder>,
    /// Its path below the root.
    path: PathBuf,
    uri: String,
    /// What is still to be seen of it.
    children: Children,
}

/// A walk that is under way, beside what was known before it.
pub(super) struct FolderWalk {
    root: PathBuf,
    /// The root without links in its own path.
    real: PathBuf,
    selection: Selection,
    leave_out: HashSet<PathBuf>,
    /// How far below the root one of those can be.
    deepest: usize,
    levels: Vec<WalkLevel>,
    /// What came up while a folder was listed.
    passed: Vec<Passed>,
    prior: PriorStream,
    /// The URI of a folder that cannot be read, while the walk goes past what was published below it.
    unreadable: Option<String>,
    is_over: bool,
}

impl FolderWalk {
    pub(super) fn begin(folder: &Folder, prior: PriorStream) -> Result<Self, PublishError> {
        let real = folder.root.canonicalize();
        let mut walk = Self {
            root: folder.root.clone(),
            real: real.map_err(PublishError::io("could not open", &folder.root))?,
            selection: folder.selection.clone(),
            leave_out: folder.leave_out.iter().cloned().collect(),
            deepest: folder.leave_out.iter().map(|own| own.components().count()).max().unwrap_or(0),
            levels: Vec::new(),
            passed: Vec::new(),
            prior,
            unreadable: None,
            is_over: false,
        };
        walk.enter(PathBuf::new(), folder.base.clone())
            .map_err(PublishError::io("could not list", &folder.root))?;
        Ok(walk)
    }

    /// The next files; none after the last. They are many if most of them are in the cache, and need only
    /// be asked for, and few if they are to be read.
    pub(super) fn batch(&mut self) -> FileBatch {
        let mut batch = FileBatch::default();
        while !self.is_over
            && batch.items.len() < BATCH_MAX_FILES
            && batch.uncached < BATCH_MAX_UNCACHED
            && batch.folders() < BATCH_MAX_FOLDERS
        {
            if let Err(error) = self.step(&mut batch) {
                batch.items.push(WalkItem::Failed(Box::new(error)));
                self.is_over = true;
            }
            let passed = self.passed.drain(..).map(ScanEvent::Passed);
            batch.items.extend(passed.map(WalkItem::event));
        }
        batch
    }

    /// Goes on to the next file or folder, or to what was published before it.
    fn step(&mut self, batch: &mut FileBatch) -> Result<(), PublishError> {
        if self.unreadable.is_some() {
            return self.pass_unreadable(batch);
        }
        let Some(level) = self.levels.last_mut() else {
            match self.prior.advance(|_| Ordering::Less)? {
                Prior::Before(gone) => batch.items.push(WalkItem::event(ScanEvent::Gone(gone))),
                Prior::Here(_) => self.is_over = true,
            }
            return Ok(());
        };
        let Some(segment) = level.children.peek() else {
            self.levels.pop();
            return Ok(());
        };
        if segment.ends_with('/') {
            let path = level.path.join(file_name(segment));
            let uri = format!("{}{segment}", level.uri);
            level.children.pop();
            return match self.enter(path.clone(), uri.clone()) {
                Ok(()) => Ok(()),
                Err(source) if is_exhausted(&source) => {
                    Err(PublishError::TooManyOpenFiles { path: self.root.join(path), source })
                }
                // A folder that went away, or may not be read, is passed over, not the rest.
                Err(error) => {
                    let reason = error.to_string();
                    self.passed.push(Passed { path: self.root.join(path), reason });
                    self.unreadable = Some(uri);
                    Ok(())
                }
            };
        }
        // The URI of a file is only made where it is needed.
        match self.prior.advance(|uri| compare(uri, &level.uri, segment))? {
            Prior::Before(gone) => batch.items.push(WalkItem::event(ScanEvent::Gone(gone))),
            Prior::Here(published) => {
                let length = level.uri.len() + segment.len();
                if length > MAX_URI_BYTES {
                    let path = level.folder.path.join(file_name(segment));
                    let reason = format!("its URI would have {length} bytes");
                    self.passed.push(Passed { path, reason });
                } else {
                    let (parts, cached) = ((level.uri.as_str(), segment), self.prior.cached());
                    batch.add(&level.folder, parts, published, cached);
                }
                level.children.pop();
            }
        }
        Ok(())
    }

    /// Goes past what was published before and in a folder that cannot be read: all that was in it stays.
    fn pass_unreadable(&mut self, batch: &mut FileBatch) -> Result<(), PublishError> {
        let Some(folder) = &self.unreadable else { return Ok(()) };
        let order = |uri: &str| match uri < folder.as_str() || uri.starts_with(folder.as_str()) {
            true => Ordering::Less,
            false => Ordering::Greater,
        };
        match self.prior.advance(order)? {
            Prior::Before(published) => {
                let event = match published.resource.uri.starts_with(folder.as_str()) {
                    true => ScanEvent::Kept(published),
                    false => ScanEvent::Gone(published),
                };
                batch.items.push(WalkItem::event(event));
            }
            Prior::Here(_) => self.unreadable = None,
        }
        Ok(())
    }

    /// Goes into a folder of that path below the root.
    fn enter(&mut self, path: PathBuf, uri: String) -> io::Result<()> {
        let folder = OpenFolder::open(self.root.join(&path))?;
        let children = self.list(&folder, &path)?;
        self.levels.push(WalkLevel { folder: Arc::new(folder), path, uri, children });
        Ok(())
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
                    self.passed.push(Passed { path, reason });
                    Ok(())
                }
                _ => Ok(()),
            }
        })?;
        children.sort();
        Ok(children)
    }
}

/// The order of a URI and one that is in two parts.
fn compare(uri: &str, base: &str, segment: &str) -> Ordering {
    let (uri, base) = (uri.as_bytes(), base.as_bytes());
    match uri.split_at_checked(base.len()) {
        None => uri.cmp(base),
        Some((start, rest)) => start.cmp(base).then_with(|| rest.cmp(segment.as_bytes())),
    }
}
