//! What a list says, entry after entry.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::document::{Document, damaged, open_listed};
use crate::{PublishError, Resource};

/// The entries of the Resource List, document after document.
pub(super) struct Listed {
    lists: std::vec::IntoIter<PathBuf>,
    current: Option<(PathBuf, Document)>,
    last: String,
}

impl Listed {
    pub(super) fn new(lists: Vec<PathBuf>) -> Self {
        Self { lists: lists.into_iter(), current: None, last: String::new() }
    }

    fn step(&mut self) -> Result<Option<Resource>, PublishError> {
        loop {
            if self.current.is_none() {
                let Some(path) = self.lists.next() else { return Ok(None) };
                let reader = open_listed(&path)?;
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

/// How the Resource List stands to a resource that was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It says what was published.
    Listed,
    /// It does not say yet what the Change List says: a run was cut off between the two.
    Ahead,
    /// It still has what is gone by the Change List.
    Left,
}

/// A list with changes laid over it.
pub(super) struct Overlaid {
    listed: std::iter::Peekable<Listed>,
    since: std::iter::Peekable<std::collections::btree_map::IntoIter<String, Option<Resource>>>,
}

impl Overlaid {
    pub(super) fn new(listed: Listed, since: BTreeMap<String, Option<Resource>>) -> Self {
        Self { listed: listed.peekable(), since: since.into_iter().peekable() }
    }
}

impl Iterator for Overlaid {
    type Item = Result<(Standing, Resource), PublishError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.listed.peek(), self.since.peek()) {
                (_, None) | (Some(Err(_)), _) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(Ok(listed)), Some((changed, _))) => listed.uri.cmp(changed),
            };
            let listed = match order {
                Ordering::Greater => None,
                _ => self.listed.next(),
            };
            if order == Ordering::Less {
                return Some(listed?.map(|resource| (Standing::Listed, resource)));
            }
            let listed = listed.and_then(Result::ok);
            match (listed, self.since.next().and_then(|(_, changed)| changed)) {
                (None, None) => {}
                (Some(listed), None) => return Some(Ok((Standing::Left, listed))),
                (Some(listed), Some(changed))
                    if listed.is_unchanged_from(&changed) && listed.lastmod == changed.lastmod =>
                {
                    return Some(Ok((Standing::Listed, listed)));
                }
                (_, Some(changed)) => return Some(Ok((Standing::Ahead, changed))),
            }
        }
    }
}
