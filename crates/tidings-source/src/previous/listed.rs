//! What a list says, entry after entry.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tidings_base::{Joined, MergeJoin};

use super::document::{DocumentReader, damaged, open_listed};
use crate::document_file::DocumentFile;
use crate::{PublishError, Resource};

/// The entries of the Resource List, document after document.
pub(super) struct Listed {
    lists: std::vec::IntoIter<DocumentFile>,
    current: Option<(DocumentFile, DocumentReader)>,
    last: String,
}

impl Listed {
    pub(super) fn new(lists: Vec<DocumentFile>) -> Self {
        Self { lists: lists.into_iter(), current: None, last: String::new() }
    }

    fn step(&mut self) -> Result<Option<Resource>, PublishError> {
        loop {
            if self.current.is_none() {
                let Some(list) = self.lists.next() else { return Ok(None) };
                let reader = open_listed(&list)?;
                self.current = Some((list, reader));
            }
            let Some((list, reader)) = &mut self.current else { return Ok(None) };
            let Some(entry) = reader.next_entry().map_err(damaged(list.path()))? else {
                self.current = None;
                continue;
            };
            let resource = Resource::of_entry(&entry);
            if resource.uri <= self.last {
                let reason = format!("{} is out of order", resource.uri);
                return Err(PublishError::Previous { path: list.path().to_owned(), reason });
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

/// Whether the Resource List agrees with the Change Lists on a resource: a run may have been cut off
/// between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListAgreement {
    /// It says what was published.
    Agrees,
    /// It does not say yet what the Change List says.
    Lags,
    /// It still has what is gone by the Change List.
    Outlives,
}

/// A list with changes laid over it.
pub(super) fn overlaid(
    listed: Listed,
    since: BTreeMap<String, Option<Resource>>,
) -> impl Iterator<Item = Result<(ListAgreement, Resource), PublishError>> {
    let compare = |listed: &Result<Resource, _>, (changed, _): &(String, _)| match listed {
        Ok(listed) => listed.uri.cmp(changed),
        Err(_) => Ordering::Less,
    };
    MergeJoin::new(listed, since.into_iter(), compare).filter_map(|joined| {
        let (listed, changed) = match joined {
            Joined::Left(listed) => {
                return Some(listed.map(|listed| (ListAgreement::Agrees, listed)));
            }
            Joined::Right((_, changed)) => (None, changed),
            Joined::Both(listed, (_, changed)) => (listed.ok(), changed),
        };
        match (listed, changed) {
            (None, None) => None,
            (Some(listed), None) => Some(Ok((ListAgreement::Outlives, listed))),
            (Some(listed), Some(changed))
                if listed.is_unchanged_from(&changed) && listed.lastmod == changed.lastmod =>
            {
                Some(Ok((ListAgreement::Agrees, listed)))
            }
            (_, Some(changed)) => Some(Ok((ListAgreement::Lags, changed))),
        }
    })
}
