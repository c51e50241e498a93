//! The Change Lists: one that is open, and those that were closed before it.

use tidings_document::{Capability, Capacity, Change, Entry, Form, Head, Link, Moment, WriteError};

use super::desk::{Desk, Sheet, Spooled};
use super::staged::Staged;
use crate::clock::{is_older, next};
use crate::layout::{CAPABILITY_LIST, CHANGE_LIST, Layout, stamp};
use crate::link_rule::outlives;
use crate::options::{Retention, Spec};
use crate::previous::{Log, each_entry};
use crate::{PublishError, Resource};

/// The changes of this publication, after those of the ones before.
///
/// There is one open Change List, at the place that the Capability List names, until it is full or
/// old. Then that place becomes an index: closed lists never change again, and the last one is open.
pub(super) struct ChangeLog {
    desk: Desk,
    spec: Spec,
    retention: Retention,
    /// The lists before the open one.
    closed: Vec<Log>,
    /// True if lists were forgotten.
    shortened: bool,
    /// Lists that were filled by this publication, with their intervals.
    filled: Vec<(Spooled, Moment, Moment)>,
    /// The open list as it was.
    open: Option<Log>,
    /// Since when the open list has the changes.
    from: Moment,
    now: Moment,
    capacity: Capacity,
    /// The open list as it will be, once there is something to add to it.
    sheet: Option<(Spooled, Sheet)>,
}

impl ChangeLog {
    pub(super) fn begin(
        desk: &Desk,
        mut logs: Vec<Log>,
        now: Moment,
        most: u64,
        spec: Spec,
        retention: Retention,
    ) -> Self {
        let open = logs.pop_if(|log| log.until.is_none());
        let before = logs.len();
        logs.retain(|log| {
            let old = |until| retention.changes.is_some_and(|keep| is_older(until, keep, now));
            !log.until.is_some_and(old)
        });
        // What is open already has to find room, even if the limit was lowered since.
        let room = open.as_ref().map_or(0, |log| log.entries + 1);
        Self {
            desk: desk.clone(),
            spec,
            retention,
            shortened: logs.len() < before,
            closed: logs,
            filled: Vec::new(),
            from: open.as_ref().map_or(now, |log| log.from),
            open,
            now,
            capacity: Capacity { entries: most.max(room), ..Capacity::default() },
            sheet: None,
        }
    }

    /// The time of the last change.
    pub(super) fn now(&self) -> Moment {
        self.now
    }

    /// The moment since which all changes are told.
    pub(super) fn first(&self) -> Option<Moment> {
        self.closed.first().or(self.open.as_ref()).map(|log| log.from)
    }

    /// Adds a change, with links that are about it alone. The answer is the `lastmod` that is told:
    /// for version 1.0 the time of the change, for the Resource List to tell the same.
    pub(super) fn add(
        &mut self,
        change: Change,
        resource: &Resource,
        links: &[Link<'static>],
    ) -> Result<Option<Moment>, PublishError> {
        self.unfold()?;
        for _ in 0..2 {
            let mut entry = if change == Change::Deleted {
                let mut entry = Entry::new(resource.uri.as_str());
                entry.links =
                    resource.links.iter().filter(|link| outlives(link)).cloned().collect();
                entry
            } else {
                resource.entry()
            };
            entry.links.extend(links.iter().cloned());
            entry.metadata.change = Some(change);
            // Version 1.0 has the time of the change in `lastmod`, version 1.1 in `datetime`.
            if self.spec != Spec::V1_0 {
                entry.metadata.datetime = Some(self.now);
            }
            if self.spec != Spec::V1_1 {
                entry.lastmod = Some(self.now);
            }
            let Some((_, sheet)) = &mut self.sheet else { break };
            match sheet.write(&entry) {
                Err(WriteError::Full) => self.roll()?,
                Err(source) => return Err(self.failed(source)),
                Ok(_) => return Ok(entry.lastmod),
            }
        }
        Err(self.failed(WriteError::Full))
    }

    /// Brings the open list onto the desk; one that has been open for too long is closed.
    fn unfold(&mut self) -> Result<(), PublishError> {
        if self.sheet.is_some() {
            return Ok(());
        }
        let head = self.head(self.from, None, !self.closed.is_empty());
        let (file, mut sheet) =
            self.desk.begin(&self.desk.layout.own(CHANGE_LIST), &head, self.capacity)?;
        if let Some(open) = &self.open {
            each_entry(&open.document, |entry| {
                sheet.write(entry).map_err(|source| self.failed(source))
            })?;
        }
        self.sheet = Some((file, sheet));
        let old = |log: &Log| {
            let age = self.retention.open;
            log.entries > 0 && age.is_some_and(|age| is_older(log.from, age, self.now))
        };
        if self.open.as_ref().is_some_and(old) { self.roll() } else { Ok(()) }
    }

    /// Closes one list and begins another: where the one ends the other begins, a moment later.
    fn roll(&mut self) -> Result<(), PublishError> {
        let until = self.now;
        let head = self.head(until, None, true);
        let next_sheet =
            self.desk.begin(&self.desk.layout.own(CHANGE_LIST), &head, self.capacity)?;
        if let Some((file, sheet)) = self.sheet.replace(next_sheet) {
            sheet.finish().map_err(|source| self.failed(source))?;
            self.filled.push((file, self.from, until));
        }
        self.from = until;
        self.now = next(until);
        Ok(())
    }

    /// Stages the lists, if there is anything to say: those that are new first, what points to them
    /// last.
    pub(super) fn stage(mut self, staged: &mut Staged) -> Result<(), PublishError> {
        let idle = self.sheet.is_none() && self.open.is_some();
        if idle && !self.shortened {
            return Ok(());
        }
        if !idle {
            self.unfold()?;
        }
        // A list of nine tenths is closed, so that most publications find room.
        let entries = self.sheet.as_ref().map_or(0, |(_, sheet)| sheet.written().entries);
        if entries * 10 >= self.capacity.entries * 9 {
            self.roll()?;
        }
        let file = match self.sheet.take() {
            Some((file, sheet)) => {
                sheet.finish().map_err(|source| self.failed(source))?;
                Some(file)
            }
            None => None,
        };
        let top = self.desk.layout.own(CHANGE_LIST);
        let single = self.closed.is_empty() && self.filled.is_empty();
        let mut name = self.open.as_ref().map(|log| log.name.clone());
        if single {
            return match (file, &self.open) {
                // What was under an index stands alone now.
                (None, Some(open)) => {
                    let head = self.head(self.from, None, false);
                    staged.put(&top, self.desk.copied(&top, &open.document, &head)?)
                }
                (Some(file), _) => staged.put(&top, file),
                (None, None) => Ok(()),
            };
        }
        let layout = &self.desk.layout;
        let listed = |log: &Log| part(layout, &log.name, log.from, log.until);
        let mut entries: Vec<Entry<'_>> = self.closed.iter().map(listed).collect();
        // The list that was open goes on under its own name, unless that is the index's now. Closed, a
        // list has another: whoever has the last index still finds an open one.
        name = name.filter(|name| *name != top);
        for (full, from, until) in &self.filled {
            name = None;
            let name = self.closed_name(*from, *until);
            let head = self.head(*from, Some(*until), true);
            staged.put(&name, self.desk.copied(&name, full.document(), &head)?)?;
            entries.push(part(layout, &name, *from, Some(*until)));
        }
        let name = name.unwrap_or_else(|| self.part_name(self.from));
        if let Some(file) = file {
            staged.put(&name, file)?;
        }
        entries.push(part(layout, &name, self.from, None));
        let first = entries.first().and_then(|entry| entry.metadata.from).unwrap_or(self.from);
        let up = layout.own_url(CAPABILITY_LIST);
        let head = Head::interval(Capability::ChangeList, Form::Index, first, None, up);
        staged.document(&top, &head, &entries)
    }

    fn closed_name(&self, from: Moment, until: Moment) -> String {
        self.desk.layout.own(&format!("changelist-{}-{}.xml", stamp(from), stamp(until)))
    }

    fn part_name(&self, from: Moment) -> String {
        self.desk.layout.own(&format!("changelist-{}.xml", stamp(from)))
    }

    fn head(&self, from: Moment, until: Option<Moment>, indexed: bool) -> Head<'static> {
        let layout = &self.desk.layout;
        let up = layout.own_url(CAPABILITY_LIST);
        let head = Head::interval(Capability::ChangeList, Form::List, from, until, up);
        if indexed {
            return head.with_link(Link::new("index", layout.own_url(CHANGE_LIST)));
        }
        head
    }

    fn failed(&self, source: WriteError) -> PublishError {
        self.desk.failed(&self.desk.layout.own(CHANGE_LIST), source)
    }
}

fn part(layout: &Layout, name: &str, from: Moment, until: Option<Moment>) -> Entry<'static> {
    let mut entry = Entry::new(layout.url(name));
    entry.metadata.from = Some(from);
    entry.metadata.until = until;
    entry
}
