//! Applies the changes of Change Lists.
//!
//! The last entry of a resource is its newest state: a Change List has all changes of its interval, in
//! their order (section 12.1). So it needs no time to be applied, and a `lastmod` proves nothing. An
//! entry is passed over only if its digest, or its position in the list, says that the copy has it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use tidings_document::{Change, Entry, Hash, Head, Moment};
use url::Url;

use crate::SyncError;
use crate::documents::Document;
use crate::engine::Engine;
use crate::mapping::Uri;
use crate::moments::{is_past, later};
use crate::state::{History, Role, Row, SetRow};
use crate::survey::{ReadSoFar, add_to_mark, tail_of};
use crate::wanted::Wanted;

/// How many changes are collected before they are acted on.
const CHUNK: usize = 50_000;

/// The last of the changes of one resource.
pub(crate) struct Last {
    pub(crate) order: usize,
    pub(crate) change: Change,
    /// When it changed, if the entry says so (`datetime`): a `lastmod` may be of any time.
    pub(crate) time: Option<Moment>,
    pub(crate) wanted: Wanted,
    /// True if the entry comes after those that were read before.
    pub(crate) is_new: bool,
}

/// A Change List that is applied.
pub(crate) struct Applied<'a> {
    pub(crate) url: &'a Url,
    pub(crate) head: &'a Head<'static>,
    pub(crate) read: ReadSoFar,
    /// A hash of what the index says of it; 0 if it is no part of one.
    pub(crate) identity: u64,
    /// Under which role the document is remembered; none if it is not, as something before it is
    /// missing.
    pub(crate) role: Option<Role>,
}

impl Engine<'_> {
    /// Applies one Change List, and remembers how far.
    pub(crate) fn apply_changes(
        &mut self,
        set: &SetRow,
        document: &mut Document,
        applied: &Applied<'_>,
    ) -> Result<(), SyncError> {
        let mut last: HashMap<String, Last> = HashMap::new();
        let place = match applied.read {
            ReadSoFar::Entries(place) => place,
            ReadSoFar::Nothing | ReadSoFar::All => 0,
        };
        let is_continued = matches!(applied.read, ReadSoFar::Entries(_));
        let (mut entries, mut mark) = (0_u64, DefaultHasher::new());
        let (mut tail, mut newest) = ((0, None), None);
        document.each(|entry, base| {
            add_to_mark(&mut mark, entry);
            entries += 1;
            tail = (tail_of(entry), entry.metadata.datetime);
            newest = later(newest, entry.metadata.datetime.filter(|time| is_past(*time)));
            if entries <= place {
                self.meter.done += 1;
                return Ok(());
            }
            self.collect(set, entry, base, is_continued, &mut last)?;
            if last.len() >= CHUNK {
                self.act(set, &mut last)?;
                self.drain()?;
            }
            Ok(())
        })?;
        self.act(set, &mut last)?;
        self.drain()?;
        let Some(role) = applied.role else { return Ok(()) };
        let metadata = &applied.head.metadata;
        let history = History {
            url: applied.url.to_string(),
            role,
            validators: document.validators.clone(),
            place: entries,
            mark: mark.finish(),
            until: metadata.until,
            from: metadata.from,
            tail: tail.0,
            tail_time: tail.1,
            identity: applied.identity,
        };
        self.desk.state.begin()?;
        self.desk.state.remember(set.id, &history)?;
        // An open list has all changes up to the last one that it dates, at least.
        let reached = metadata.until.or(later(metadata.from, newest));
        self.advance(set, reached)?;
        self.desk.state.commit()
    }

    /// The copy has all changes up to that time.
    pub(crate) fn advance(&mut self, set: &SetRow, to: Option<Moment>) -> Result<(), SyncError> {
        let known = self.desk.state.sets()?.into_iter().find(|known| known.id == set.id);
        let reached = known.and_then(|known| known.reached.or(known.at));
        match later(reached, to) {
            Some(reached) => self.desk.state.reach(set.id, reached),
            None => Ok(()),
        }
    }

    /// Keeps the last change of each resource: by their times if both give one, else by their order.
    pub(crate) fn collect(
        &mut self,
        set: &SetRow,
        entry: &Entry<'_>,
        base: &Url,
        is_new: bool,
        last: &mut HashMap<String, Last>,
    ) -> Result<(), SyncError> {
        let Some(uri) = self.uri_of(set.id, entry, base)? else { return Ok(()) };
        // Some Sources list what changed and do not say how; it is there, then.
        let change = entry.metadata.change.unwrap_or(Change::Updated);
        let time = entry.metadata.datetime;
        let order = last.len();
        if let Some(other) = last.get(uri.as_str())
            && let (Some(time), Some(other)) = (time, other.time)
            && time.is_before(other)
        {
            return Ok(());
        }
        let mut wanted = Wanted::of(entry, &uri, set.id, base);
        if let Some(earlier) = last.remove(uri.as_str())
            && earlier.change != Change::Deleted
        {
            wanted = wanted.after(earlier.wanted);
        }
        last.insert(wanted.uri.clone(), Last { order, change, time, wanted, is_new });
        Ok(())
    }

    pub(crate) fn act(
        &mut self,
        set: &SetRow,
        last: &mut HashMap<String, Last>,
    ) -> Result<(), SyncError> {
        let mut changes: Vec<Last> = std::mem::take(last).into_values().collect();
        changes.sort_by_key(|last| last.order);
        for last in changes {
            self.act_on(set, last)?;
        }
        Ok(())
    }

    fn act_on(&mut self, set: &SetRow, last: Last) -> Result<(), SyncError> {
        let Last { change, time, mut wanted, is_new, .. } = last;
        let row = self.desk.state.find(&wanted.uri)?;
        if let Some(row) = &row {
            // The baseline is the later statement about the resource.
            let is_before_baseline = !is_new
                && !row.gone
                && matches!((time, set.at), (Some(time), Some(at)) if time.is_before(at));
            if is_before_baseline && !self.is_owed(&wanted.uri)? {
                self.meter.done += 1;
                return Ok(());
            }
        }
        if change == Change::Deleted {
            self.meter.done += 1;
            return self.act_on_delete(set, &wanted, row.as_ref());
        }
        if let Some(row) = &row {
            let hash = wanted.hash.as_deref().map(|hash| Hash::from_attribute(hash.into()));
            let own_type = wanted.media_type.as_deref();
            if self.has_change(hash.as_ref(), &Uri::known(&wanted.uri), row)
                && self.has_preferred(&wanted.links, own_type, row)
            {
                self.desk.tally.count_unchanged(row.id, &mut self.report);
                self.meter.done += 1;
                return self.confirm_row(row, &wanted, false);
            }
        }
        self.contest(&mut wanted, row.as_ref())?;
        wanted.known = row;
        self.describe(&wanted)?;
        self.want(wanted)
    }

    /// The set does not have the resource any more: it is gone, unless another set has it.
    pub(crate) fn act_on_delete(
        &mut self,
        set: &SetRow,
        wanted: &Wanted,
        row: Option<&Row>,
    ) -> Result<(), SyncError> {
        self.desk.state.begin()?;
        if self.desk.has_owed {
            self.desk.state.settle_in(&wanted.uri, set.id)?;
        }
        match row {
            Some(row) => {
                self.report.lag_meter.is_to_be_deleted(&wanted.uri, wanted.changed);
                self.desk.state.leave(row.id, set.id, wanted.changed)?;
                self.retract(&wanted.uri, row.id)
            }
            None => Ok(()),
        }
    }

    /// True if an earlier fetch of the resource failed.
    pub(crate) fn is_owed(&self, uri: &str) -> Result<bool, SyncError> {
        Ok(self.desk.has_owed && self.desk.state.is_owed(uri)?)
    }

    /// Lets the server decide where another set has the resource in another version: the documents of one
    /// of the two are older, and nothing in them says which.
    pub(crate) fn contest(
        &mut self,
        wanted: &mut Wanted,
        row: Option<&Row>,
    ) -> Result<bool, SyncError> {
        let Some(row) = row.filter(|row| !row.gone) else { return Ok(false) };
        let is_contested = self.desk.state.is_in_other_set(row, wanted.set)?;
        if is_contested {
            wanted.expected.other_set = Some((row.length, row.sha256));
        }
        Ok(is_contested)
    }
}
