//! The Change Lists: one that is open, and those that were closed before it.

use tempfile::NamedTempFile;
use tidings_document::{Capability, Capacity, Change, Entry, Form, Head, Link, Moment, WriteError};

use super::place::{Desk, Sheet, Staged};
use crate::clock::next;
use crate::layout::{self, Layout};
use crate::previous::{Log, each_entry};
use crate::{PublishError, Resource};

/// The changes of this publication, after those of the ones before.
///
/// There is one open Change List, at the place that the Capability List names, until it is full.
/// Then that place becomes an index: closed lists never change again, and the last one is open.
pub(super) struct ChangeLog {
    desk: Desk,
    /// The lists before the open one.
    closed: Vec<Log>,
    /// Lists that were filled by this publication, with their intervals.
    filled: Vec<(NamedTempFile, Moment, Moment)>,
    /// The open list: since when, and under which name it was begun by an earlier publication.
    from: Moment,
    name: Option<String>,
    now: Moment,
    capacity: Capacity,
    file: NamedTempFile,
    writer: Sheet,
}

impl ChangeLog {
    pub(super) fn begin(
        desk: &Desk,
        mut logs: Vec<Log>,
        now: Moment,
        most: u64,
    ) -> Result<Self, PublishError> {
        let open = logs.pop_if(|log| log.until.is_none());
        // What is open already has to find room, even if the limit was lowered since.
        let room = open.as_ref().map_or(0, |log| log.entries + 1);
        let capacity = Capacity { entries: most.max(room), ..Capacity::default() };
        let from = open.as_ref().map_or(now, |log| log.from);
        let head = head(&desk.layout, from, None, !logs.is_empty());
        let (file, writer) = desk.begin(layout::CHANGE_LIST, &head, capacity)?;
        let name = open.as_ref().map(|log| log.name.clone());
        let mut log = Self {
            desk: desk.clone(),
            closed: logs,
            filled: Vec::new(),
            from,
            name,
            now,
            capacity,
            file,
            writer,
        };
        if let Some(open) = open {
            each_entry(&open.path, |entry| {
                log.writer
                    .write(entry)
                    .map_err(|source| log.desk.failed(layout::CHANGE_LIST, source))
            })?;
        }
        Ok(log)
    }

    /// The time of the last change.
    pub(super) fn now(&self) -> Moment {
        self.now
    }

    pub(super) fn add(&mut self, change: Change, resource: &Resource) -> Result<(), PublishError> {
        for _ in 0..2 {
            let mut entry = if change == Change::Deleted {
                Entry::new(resource.uri.as_str())
            } else {
                resource.entry()
            };
            entry.metadata.change = Some(change);
            entry.metadata.datetime = Some(self.now);
            // The time of the change for readers of version 1.0, too.
            entry.lastmod = Some(self.now);
            match self.writer.write(&entry) {
                Err(WriteError::Full) => self.roll()?,
                result => {
                    return result.map_err(|source| self.desk.failed(layout::CHANGE_LIST, source));
                }
            }
        }
        Err(self.desk.failed(layout::CHANGE_LIST, WriteError::Full))
    }

    /// Fills one list and begins another: where the one ends the other begins, a moment later.
    fn roll(&mut self) -> Result<(), PublishError> {
        let until = self.now;
        let (file, writer) = self.desk.begin(
            layout::CHANGE_LIST,
            &head(&self.desk.layout, until, None, true),
            self.capacity,
        )?;
        let full = std::mem::replace(&mut self.writer, writer);
        full.finish().map_err(|source| self.desk.failed(layout::CHANGE_LIST, source))?;
        self.filled.push((std::mem::replace(&mut self.file, file), self.from, until));
        self.from = until;
        self.now = next(until);
        Ok(())
    }

    /// Stages the lists: those that are new first, what points to them last.
    pub(super) fn stage(self, staged: &mut Staged) -> Result<(), PublishError> {
        let Self { desk, closed, mut filled, mut from, name, now, capacity, mut file, writer } =
            self;
        let (_, written) =
            writer.finish().map_err(|source| desk.failed(layout::CHANGE_LIST, source))?;
        // A list of nine tenths is closed, so that most publications find room.
        if written.entries * 10 >= capacity.entries * 9 {
            let (empty, writer) =
                desk.begin(layout::CHANGE_LIST, &head(&desk.layout, now, None, true), capacity)?;
            writer.finish().map_err(|source| desk.failed(layout::CHANGE_LIST, source))?;
            filled.push((std::mem::replace(&mut file, empty), from, now));
            from = now;
        }
        if closed.is_empty() && filled.is_empty() {
            return staged.put(layout::CHANGE_LIST, file);
        }
        let first = closed.first().map_or(filled.first().map_or(from, |one| one.1), |log| log.from);
        let mut entries: Vec<Entry<'_>> =
            closed.iter().map(|log| part(&desk.layout, &log.name, log.from, log.until)).collect();
        // The list that was open goes on under its own name, unless that is the index's now.
        let mut name = name.filter(|name| name != layout::CHANGE_LIST);
        for (full, from, until) in filled {
            let name = name.take().unwrap_or_else(|| part_name(from));
            let head = head(&desk.layout, from, Some(until), true);
            staged.put(&name, desk.copied(&name, &full, &head)?)?;
            entries.push(part(&desk.layout, &name, from, Some(until)));
        }
        let name = name.unwrap_or_else(|| part_name(from));
        staged.put(&name, file)?;
        entries.push(part(&desk.layout, &name, from, None));
        let up = desk.layout.url(layout::CAPABILITY_LIST);
        staged.document(
            layout::CHANGE_LIST,
            &Head::interval(Capability::ChangeList, Form::Index, first, None, up),
            &entries,
        )
    }
}

fn part_name(from: Moment) -> String {
    let stamp: String = from.to_string().chars().filter(char::is_ascii_digit).collect();
    format!("resourcesync/changelist-{stamp}.xml")
}

fn part(layout: &Layout, name: &str, from: Moment, until: Option<Moment>) -> Entry<'static> {
    let mut entry = Entry::new(layout.url(name));
    entry.metadata.from = Some(from);
    entry.metadata.until = until;
    entry
}

fn head(layout: &Layout, from: Moment, until: Option<Moment>, indexed: bool) -> Head<'static> {
    let up = layout.url(layout::CAPABILITY_LIST);
    let head = Head::interval(Capability::ChangeList, Form::List, from, until, up);
    if indexed { head.with_link(Link::new("index", layout.url(layout::CHANGE_LIST))) } else { head }
}
