//! What was published before.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use tidings_document::{Change, Entry, Form, Head, Limits, Moment, ReadError, ReadOptions, Reader};

use crate::layout::{CHANGE_LIST, Layout, RESOURCE_LIST};
use crate::{PublishError, Resource};

/// The last publication: its Resource List, and the changes since.
pub(crate) struct Previous {
    /// When the snapshot of the Resource List was begun.
    pub(crate) at: Moment,
    /// The documents of the Resource List, in the order of the URIs in them.
    lists: Vec<PathBuf>,
    /// The Change Lists, the oldest first.
    pub(crate) logs: Vec<Log>,
    /// What has changed since `at`; none where it went.
    since: BTreeMap<String, Option<Resource>>,
    /// The latest time in any of them.
    pub(crate) latest: Moment,
}

/// One Change List.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) from: Moment,
    pub(crate) until: Option<Moment>,
    pub(crate) entries: u64,
}

type Document = Reader<File>;

/// Opens a document that was published before; none if there is none.
fn open(path: &Path) -> Result<Option<Document>, PublishError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(PublishError::io("could not read", path)(error)),
    };
    let options = ReadOptions { limits: Limits::default().of_any_size(), charset: None };
    Ok(Some(Reader::with_options(file, options)))
}

fn damaged(path: &Path) -> impl FnOnce(ReadError) -> PublishError {
    move |error| match error {
        ReadError::Io(source) => PublishError::io("could not read", path)(source),
        error => PublishError::Previous { path: path.to_owned(), reason: error.to_string() },
    }
}

fn lacking(path: &Path, what: &str) -> PublishError {
    PublishError::Previous { path: path.to_owned(), reason: format!("it has no {what}") }
}

/// Shows each entry of a document.
pub(crate) fn each_entry(
    path: &Path,
    mut each: impl FnMut(&Entry<'_>) -> Result<(), PublishError>,
) -> Result<Head<'static>, PublishError> {
    let mut reader = open(path)?.ok_or_else(|| PublishError::Previous {
        path: path.to_owned(),
        reason: "it is listed, but not there".into(),
    })?;
    let head = reader.head().map_err(damaged(path))?.clone();
    while let Some(entry) = reader.next_entry().map_err(damaged(path))? {
        each(&entry)?;
    }
    Ok(head)
}

impl Previous {
    /// The last publication in that place; none where nothing was published yet.
    pub(crate) fn open(layout: &Layout) -> Result<Option<Self>, PublishError> {
        let path = layout.path(RESOURCE_LIST);
        let Some(mut reader) = open(&path)? else { return Ok(None) };
        let head = reader.head().map_err(damaged(&path))?.clone();
        let at = head.metadata.at.ok_or_else(|| lacking(&path, "at"))?;
        let up = head.link("up").ok_or_else(|| lacking(&path, "link up"))?;
        if up.href != layout.url(crate::layout::CAPABILITY_LIST) {
            let published =
                up.href.strip_suffix(crate::layout::CAPABILITY_LIST).unwrap_or(&up.href).to_owned();
            return Err(PublishError::OtherBase {
                path,
                published,
                base: layout.base().to_owned(),
            });
        }
        let lists = match head.form {
            Form::List => vec![path],
            Form::Index => {
                let mut lists = Vec::new();
                while let Some(entry) = reader.next_entry().map_err(damaged(&path))? {
                    let name = layout
                        .name(&entry.loc)
                        .ok_or_else(|| lacking(&path, "part of this publication"))?;
                    lists.push(layout.path(name));
                }
                lists
            }
        };
        let mut previous = Self { at, lists, logs: Vec::new(), since: BTreeMap::new(), latest: at };
        previous.read_logs(layout)?;
        Ok(Some(previous))
    }

    /// Reads the Change Lists that may have something since `at`; of the others only what they cover
    /// is of interest.
    fn read_logs(&mut self, layout: &Layout) -> Result<(), PublishError> {
        let path = layout.path(CHANGE_LIST);
        let Some(mut reader) = open(&path)? else { return Ok(()) };
        let mut names = Vec::new();
        match reader.head().map_err(damaged(&path))?.form {
            Form::List => names.push(CHANGE_LIST.to_owned()),
            Form::Index => {
                while let Some(entry) = reader.next_entry().map_err(damaged(&path))? {
                    let name = layout
                        .name(&entry.loc)
                        .ok_or_else(|| lacking(&path, "part of this publication"))?;
                    names.push(name.to_owned());
                }
            }
        }
        for name in names {
            let path = layout.path(&name);
            let mut entries = 0;
            let head = each_entry(&path, |entry| {
                entries += 1;
                self.replay(entry);
                Ok(())
            })?;
            let from = head.metadata.from.ok_or_else(|| lacking(&path, "from"))?;
            let until = head.metadata.until;
            self.latest = self.latest.max(from).max(until.unwrap_or(from));
            self.logs.push(Log { name, path, from, until, entries });
        }
        Ok(())
    }

    fn replay(&mut self, entry: &Entry<'_>) {
        let Some(time) = entry.change_time() else { return };
        self.latest = self.latest.max(time);
        if self.at.is_before(time) {
            let now =
                (entry.metadata.change != Some(Change::Deleted)).then(|| Resource::of_entry(entry));
            self.since.insert(entry.loc.clone().into_owned(), now);
        }
    }

    /// True if there are changes that the Resource List does not have in it.
    pub(crate) fn is_behind(&self) -> bool {
        !self.since.is_empty()
    }

    /// What is published, in the order of the URIs: the list, with the changes since.
    pub(crate) fn resources(self) -> impl Iterator<Item = Result<Resource, PublishError>> {
        let listed = Listed { lists: self.lists.into_iter(), current: None, last: String::new() };
        Overlaid { listed: listed.peekable(), since: self.since.into_iter().peekable() }
    }
}

/// The entries of the Resource List, document after document.
struct Listed {
    lists: std::vec::IntoIter<PathBuf>,
    current: Option<(PathBuf, Document)>,
    last: String,
}

impl Listed {
    fn step(&mut self) -> Result<Option<Resource>, PublishError> {
        loop {
            if self.current.is_none() {
                let Some(path) = self.lists.next() else { return Ok(None) };
                let reader = open(&path)?.ok_or_else(|| lacking(&path, "file"))?;
                self.current = Some((path, reader));
            }
            let Some((path, reader)) = &mut self.current else { return Ok(None) };
            let Some(entry) = reader.next_entry().map_err(damaged(path))? else {
                self.current = None;
                continue;
            };
            let resource = Resource::of_entry(&entry);
            if resource.uri <= self.last {
                let reason = format!("{} is out of order", resource.uri);
                return Err(PublishError::Previous { path: path.clone(), reason });
            }
            self.last.clone_from(&resource.uri);
            return Ok(Some(resource));
        }
    }
}

impl Iterator for Listed {
    type Item = Result<Resource, PublishError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// A list with changes laid over it.
struct Overlaid {
    listed: std::iter::Peekable<Listed>,
    since: std::iter::Peekable<std::collections::btree_map::IntoIter<String, Option<Resource>>>,
}

impl Iterator for Overlaid {
    type Item = Result<Resource, PublishError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let changed_first = match (self.listed.peek(), self.since.peek()) {
                (_, None) | (Some(Err(_)), _) => return self.listed.next(),
                (None, Some(_)) => true,
                (Some(Ok(listed)), Some((changed, _))) => {
                    if listed.uri < *changed {
                        return self.listed.next();
                    }
                    listed.uri > *changed
                }
            };
            if !changed_first {
                self.listed.next();
            }
            if let Some((_, Some(resource))) = self.since.next() {
                return Some(Ok(resource));
            }
        }
    }
}
