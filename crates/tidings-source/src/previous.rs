//! What was published before.

mod document;
mod listed;
mod merged;
mod prior;

use std::collections::BTreeMap;

use tidings_document::{Change, Entry, Form, Moment, PATCH};

use crate::document_file::DocumentFile;
use crate::layout::{CAPABILITY_LIST, CHANGE_LIST, Layout, RESOURCE_LIST};
use crate::{PublishError, Resource};
pub(crate) use document::{Entries, Leaf, each_entry, entries_before, head, leaves};
use document::{damaged, lacking, open, open_listed};
pub(crate) use listed::ListAgreement;
use listed::{Listed, overlaid};
pub(crate) use merged::{PublishedResource, merged};
pub(crate) use prior::{Prior, PriorStream, PublishedResources};

/// The last publication of a set: its Resource List, and the changes since.
pub(crate) struct Previous {
    layout: Layout,
    /// Up to when the Resource List has the changes in it.
    listed: Moment,
    /// The documents of the Resource List, in the order of the URIs in them.
    pub(crate) leaves: Vec<Leaf>,
    /// The Change Lists, the oldest first.
    pub(crate) logs: Vec<Log>,
    /// What has changed since; none where it went.
    since: BTreeMap<String, Option<Resource>>,
    /// The latest time in any of them.
    pub(crate) latest: Moment,
}

/// One Change List.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) name: String,
    pub(crate) document: DocumentFile,
    pub(crate) from: Moment,
    pub(crate) until: Option<Moment>,
    /// How many entries it has; only of an open one it is known.
    pub(crate) entries: u64,
}

impl Previous {
    /// The last publication in that place; none where nothing was published yet.
    pub(crate) fn open(layout: &Layout) -> Result<Option<Self>, PublishError> {
        let name = layout.own(RESOURCE_LIST);
        let document = layout.document(&name);
        let (path, Some(mut reader)) = (document.path(), open(&document)?) else {
            return Ok(None);
        };
        let head = reader.head().map_err(damaged(path))?.clone();
        let at = head.metadata.at.ok_or_else(|| lacking(path, "at"))?;
        let up = head.link("up").ok_or_else(|| lacking(path, "link up"))?;
        if up.href != layout.own_url(CAPABILITY_LIST) {
            let end = layout.own(CAPABILITY_LIST);
            let published = up.href.strip_suffix(&end).unwrap_or(&up.href).to_owned();
            let base = layout.base().to_owned();
            return Err(PublishError::OtherBase { path: path.to_owned(), published, base });
        }
        let leaves = leaves(layout, &name)?;
        // Each run writes the changes first, and then the parts of the list that they are about: so
        // what the list lacks is later than its latest part.
        let listed = leaves.iter().filter_map(|leaf| leaf.at).max().unwrap_or(at).max(at);
        let latest = listed;
        let (layout, since) = (layout.clone(), BTreeMap::new());
        let mut previous = Self { layout, listed, leaves, logs: Vec::new(), since, latest };
        previous.read_logs()?;
        Ok(Some(previous))
    }

    fn read_logs(&mut self) -> Result<(), PublishError> {
        let name = self.layout.own(CHANGE_LIST);
        let list = self.layout.document(&name);
        let path = list.path();
        // Put into its place before the Resource List: it cannot have been forgotten.
        let mut reader = open_listed(&list)?;
        let head = reader.head().map_err(damaged(path))?.clone();
        let mut lists = Vec::new();
        match head.form {
            Form::List => lists.push((name, head.metadata.from, head.metadata.until)),
            Form::Index => {
                while let Some(entry) = reader.next_entry().map_err(damaged(path))? {
                    let part = self.layout.name(&entry.loc);
                    let part = part.ok_or_else(|| lacking(path, "part of this publication"))?;
                    lists.push((part.to_owned(), entry.metadata.from, entry.metadata.until));
                }
            }
        }
        for (name, from, until) in lists {
            let document = self.layout.document(&name);
            let from = from.ok_or_else(|| lacking(document.path(), "from"))?;
            let mut log = Log { name, document, from, until, entries: 0 };
            self.latest = self.latest.max(from).max(until.unwrap_or(from));
            // A closed list whose changes are all in the Resource List has nothing more to say.
            if until.is_none_or(|until| self.listed.is_before(until)) {
                each_entry(&log.document, |entry| {
                    log.entries += 1;
                    self.replay(entry);
                    Ok(())
                })?;
            }
            self.logs.push(log);
        }
        Ok(())
    }

    /// Takes a change into account that the list may lack.
    fn replay(&mut self, entry: &Entry<'_>) {
        let Some(time) = entry.change_time() else { return };
        self.latest = self.latest.max(time);
        if self.listed.is_before(time) {
            let now = (entry.metadata.change != Some(Change::Deleted)).then(|| {
                let mut resource = Resource::of_entry(entry);
                // How it changed is said of the change, not of the resource.
                resource.links.retain(|link| !link.is(PATCH));
                resource
            });
            self.since.insert(entry.loc.clone().into_owned(), now);
        }
    }

    /// What is published, in the order of the URIs: the list, with the changes since.
    pub(crate) fn resources(
        self,
    ) -> impl Iterator<Item = Result<(ListAgreement, Resource), PublishError>> {
        let lists = self.leaves.iter().map(|leaf| self.layout.document(&leaf.name)).collect();
        overlaid(Listed::new(lists), self.since)
    }
}
