//! What changed since: Change Lists.
//!
//! Progress is remembered as documents and places in them. A document whose first entries are those
//! that were read before is read from there on; any other is read whole, and what it says is compared
//! with what the copy has. Times decide only between two changes of one resource.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use tidings_document::{Capability, Change, Entry, Head, Moment};
use tidings_web::FetchError;
use url::Url;

use crate::SyncError;
use crate::documents::Document;
use crate::engine::Engine;
use crate::mapping::Uri;
use crate::moments::{instant, last_instant};
use crate::options::Via;
use crate::parts::Parts;
use crate::same::Same;
use crate::state::{History, Role, SetRow};
use crate::wanted::Wanted;

/// How many changes are collected before they are acted on.
const CHUNK: usize = 50_000;

/// How far the Change Lists lead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing is new.
    Nothing,
    /// The copy was brought up to date.
    Now,
    /// They do not reach back to where the copy is.
    Gap(String),
    /// There is nothing to ask.
    Unknown,
}

/// The last of the changes of one resource.
struct Last {
    order: usize,
    change: Change,
    time: Option<Moment>,
    wanted: Wanted,
    standing: Standing,
}

/// How much the time of a change says.
#[derive(Debug, Clone, Copy)]
struct Standing {
    /// It comes after the place that was reached before: it is new, whatever its time says.
    is_new: bool,
    /// It is before the baseline, and only meant if the copy has the version of that very time.
    is_misdated: bool,
}

impl Engine<'_> {
    /// Asks whether there is anything new, with one request where the Source has one Change List.
    pub(crate) fn poll(&mut self, set: &SetRow) -> Result<Reach, SyncError> {
        let known = self.desk.state.documents(set.id)?;
        let tops: Vec<&History> = known
            .iter()
            .filter(|document| matches!(document.role, Role::Top | Role::List))
            .collect();
        if tops.is_empty() || !set.complete {
            return Ok(Reach::Unknown);
        }
        for top in tops {
            let Ok(url) = Url::parse(&top.url) else { return Ok(Reach::Unknown) };
            match self.documents.get(&url, top.validators.clone()) {
                Ok(None) => {}
                // Packages are looked for where the Source says that they are.
                Ok(Some(_)) if top.role == Role::List || self.options.via == Via::Dump => {
                    return Ok(Reach::Unknown);
                }
                Ok(Some(document)) => return self.increment(set, &url, Some(document), false),
                Err(error) if is_gone(&error) => return Ok(Reach::Unknown),
                Err(error) => return Err(error.into()),
            }
        }
        let mut reach = Reach::Nothing;
        for open in known.iter().filter(|document| document.role == Role::Open) {
            let Ok(url) = Url::parse(&open.url) else { return Ok(Reach::Unknown) };
            match self.documents.get(&url, open.validators.clone()) {
                Ok(None) => {}
                Ok(Some(mut document)) => {
                    let head = document.summary()?.head;
                    let place = self.place(&url, &mut document, &known)?;
                    let role = Some(Role::Open);
                    self.take_changes(set, &url, &mut document, &head, place, role)?;
                    reach = Reach::Now;
                }
                Err(error) if is_gone(&error) => return Ok(Reach::Unknown),
                Err(error) => return Err(error.into()),
            }
        }
        self.drain()?;
        Ok(reach)
    }

    /// Reads the Change List at that place, or all of those that its index names and that are not
    /// known to the end, and acts on them.
    pub(crate) fn increment(
        &mut self,
        set: &SetRow,
        url: &Url,
        document: Option<Document>,
        is_after_baseline: bool,
    ) -> Result<Reach, SyncError> {
        let known = self.desk.state.documents(set.id)?;
        let expected = Some(Capability::ChangeList);
        let mut parts = match document {
            Some(document) => Parts::with(url.clone(), document, expected),
            None => Parts::new([url.clone()], expected),
        };
        let reached = set.reached.or(set.at);
        let closed = |url: &str| {
            known.iter().any(|document| document.role == Role::Closed && document.url == url)
        };
        let mut is_first = true;
        // True if a list that was read before is still there: those after it follow on.
        let follows_on = Cell::new(false);
        loop {
            let skip = |part: &crate::parts::Part| {
                let before = |until: Moment| set.at.is_some_and(|at| until.is_before(at));
                let is_known = closed(part.url.as_str());
                follows_on.set(follows_on.get() || is_known);
                is_known || part.said.until.is_some_and(before)
            };
            let Some((part, mut document, summary)) = parts.next(&mut self.documents, skip)? else {
                break;
            };
            let head = summary.head;
            let place = self.place(&part.url, &mut document, &known)?;
            // What begins later than the list is of is true all the same.
            if std::mem::take(&mut is_first)
                && !is_after_baseline
                && !follows_on.get()
                && place.0 == 0
                && parts.missing.is_empty()
                && let Some(why) = gap(&head, reached, &known, &part.url)
            {
                return Ok(Reach::Gap(why));
            }
            self.total += summary.entries;
            let role = match (part.level, head.metadata.until) {
                (0, _) => Role::Top,
                (_, Some(_)) => Role::Closed,
                (_, None) => Role::Open,
            };
            // What comes after a part that is missing is read again when that is there.
            let role = Some(role).filter(|_| parts.missing.is_empty());
            self.take_changes(set, &part.url, &mut document, &head, place, role)?;
        }
        self.drain()?;
        let complete = !self.tell_missing(&parts);
        if let Some(top) =
            parts.top.filter(|top| !self.options.dry_run && top.summary.is_index() && complete)
        {
            let history = History {
                url: top.url.to_string(),
                role: Role::Top,
                validators: top.validators,
                ..History::default()
            };
            self.desk.state.begin()?;
            self.desk.state.remember(set.id, &history)?;
            self.desk.state.commit()?;
        }
        Ok(Reach::Now)
    }

    /// Acts on one Change List, and remembers how far.
    pub(crate) fn take_changes(
        &mut self,
        set: &SetRow,
        url: &Url,
        document: &mut Document,
        head: &Head<'_>,
        (place, found): (u64, bool),
        role: Option<Role>,
    ) -> Result<(), SyncError> {
        let mut last: HashMap<String, Last> = HashMap::new();
        let (mut entries, mut mark) = (0_u64, DefaultHasher::new());
        document.each(|entry, base| {
            add_to_mark(&mut mark, entry);
            entries += 1;
            let time = entry.change_time();
            let is_new = found && entries > place;
            let before = |time: Moment| set.at.is_some_and(|at| time.is_before(at));
            let is_past = !is_new && time.is_some_and(before);
            let is_misdated = is_past && is_misdated(entry);
            if found && !is_new || is_past && !is_misdated {
                self.done += 1;
                return Ok(());
            }
            let standing = Standing { is_new, is_misdated };
            self.collect(set, entry, base, standing, &mut last);
            if last.len() >= CHUNK {
                self.act(&mut last)?;
                self.drain()?;
            }
            Ok(())
        })?;
        self.act(&mut last)?;
        if self.options.dry_run {
            return Ok(());
        }
        self.drain()?;
        let Some(role) = role else { return Ok(()) };
        let history = History {
            url: url.to_string(),
            role,
            validators: document.validators.clone(),
            place: entries,
            mark: mark.finish(),
            until: head.metadata.until,
        };
        self.desk.state.begin()?;
        self.desk.state.remember(set.id, &history)?;
        // By what the document says of itself: times of entries may be anything.
        if let Some(reached) = head.metadata.until.or(head.metadata.from).max(set.reached) {
            self.desk.state.reach(set.id, reached)?;
        }
        self.desk.state.commit()
    }

    /// Where to go on in a document: after the entries that were read of it before, or of the one that
    /// it continues under another name. False if it is another document, or the first.
    fn place(
        &mut self,
        url: &Url,
        document: &mut Document,
        known: &[History],
    ) -> Result<(u64, bool), SyncError> {
        let own = known.iter().find(|history| history.url == url.as_str());
        let open = known.iter().rev().find(|history| history.until.is_none() && history.place > 0);
        let base = document.url.clone();
        for history in [own, open].into_iter().flatten().filter(|history| history.place > 0) {
            let mut mark = DefaultHasher::new();
            let mut reader = document.reader()?;
            let mut read = 0;
            while read < history.place {
                let entry = reader.next_entry();
                let entry = entry.map_err(|error| crate::documents::unusable(&base, &error))?;
                let Some(entry) = entry else { break };
                add_to_mark(&mut mark, &entry);
                read += 1;
            }
            if read == history.place && mark.finish() == history.mark {
                return Ok((history.place, true));
            }
        }
        if own.is_some_and(|history| history.place > 0) {
            self.report.note(format!(
                "{url} no longer begins with the changes that were read before: it was rewritten"
            ));
        }
        // A list that was empty goes on at its beginning.
        Ok((0, own.is_some_and(|history| history.place == 0 && history.role != Role::List)))
    }

    /// Keeps the last change of each resource: by their times if both have one, else by their order.
    fn collect(
        &mut self,
        set: &SetRow,
        entry: &Entry<'_>,
        base: &Url,
        standing: Standing,
        last: &mut HashMap<String, Last>,
    ) {
        let Some(uri) = self.uri_of(entry, base) else { return };
        // Some Sources list what changed and do not say how; it is there, then.
        let change = entry.metadata.change.unwrap_or(Change::Updated);
        let time = entry.change_time();
        let order = last.len();
        if let Some(other) = last.get(uri.as_str())
            && let (Some(time), Some(other)) = (time, other.time)
            && instant(time) < instant(other)
        {
            return;
        }
        let mut wanted = Wanted::of(entry, &uri, set.id, base);
        if let Some(earlier) = last.remove(uri.as_str())
            && earlier.change != Change::Deleted
        {
            wanted = wanted.after(earlier.wanted);
        }
        last.insert(wanted.uri.clone(), Last { order, change, time, wanted, standing });
    }

    fn act(&mut self, last: &mut HashMap<String, Last>) -> Result<(), SyncError> {
        let mut changes: Vec<Last> = std::mem::take(last).into_values().collect();
        changes.sort_by_key(|last| last.order);
        for last in changes {
            self.act_on(last)?;
        }
        Ok(())
    }

    fn act_on(&mut self, last: Last) -> Result<(), SyncError> {
        let Last { change, time, mut wanted, standing, .. } = last;
        let Standing { is_new, is_misdated } = standing;
        let row = self.desk.state.find(&wanted.uri)?;
        let is_later = |row: &crate::state::Row| {
            !is_new && time.is_some_and(|time| row.changed > Some(last_instant(time)))
        };
        let time = time.map(instant);
        let is_of_another = |row: &crate::state::Row| is_misdated && row.lastmod != time;
        if row.as_ref().is_some_and(|row| is_later(row) || is_of_another(row)) {
            self.done += 1;
            return Ok(());
        }
        if change == Change::Deleted {
            self.done += 1;
            if self.options.dry_run {
                self.would_go += u64::from(row.is_some_and(|row| !row.gone));
                return Ok(());
            }
            self.desk.state.begin()?;
            if self.desk.has_owed {
                self.desk.state.settle(&wanted.uri)?;
            }
            if let Some(row) = row {
                self.desk.state.mark_gone(row.id, wanted.changed)?;
            }
            return Ok(());
        }
        if let Some(row) = &row {
            let verdict = match wanted.expected.is_certain() {
                true => {
                    let hash = wanted.hash.as_deref();
                    let mut entry = Entry::new(wanted.uri.as_str());
                    entry.metadata.hash =
                        hash.map(|hash| tidings_document::Hash::from_attribute(hash.into()));
                    match self.is_current(&entry, &Uri::known(&wanted.uri), row) {
                        true => Same::Yes,
                        false => Same::No,
                    }
                }
                false if !is_new && row.changed.is_some() && row.changed >= time => Same::Yes,
                false => Same::Unknown,
            };
            let is_there = self.is_there(&Uri::known(&wanted.uri), row);
            if verdict == Same::Yes && is_there {
                self.report.unchanged += 1;
                self.done += 1;
                return self.confirm_row(row, &wanted);
            }
        }
        wanted.known = row;
        self.describe(&wanted)?;
        self.want(wanted)
    }
}

/// Why a Change List that is the first one to be read, and no continuation of one that was, may not tell of
/// all changes since.
fn gap(head: &Head<'_>, reached: Option<Moment>, known: &[History], url: &Url) -> Option<String> {
    match (head.metadata.from, reached) {
        (Some(from), Some(reached)) if reached.is_before(from) => {
            Some(format!("its changes begin at {from}, and the copy is of {reached}"))
        }
        (None, _) if known.iter().any(|one| one.url == url.as_str() && one.place > 0) => {
            Some("its changes are others than before, and it does not say since when".to_owned())
        }
        _ => None,
    }
}

/// True if the server says that there is no such document: then there may be another.
fn is_gone(error: &FetchError) -> bool {
    matches!(error, FetchError::Status { status, .. } if matches!(status.as_u16(), 404 | 410))
}

/// Some give what was deleted the time that it had, which is before the list that named it. It is only meant
/// if what is deleted is the version of that very time.
pub(crate) fn is_misdated(entry: &Entry<'_>) -> bool {
    entry.metadata.change == Some(Change::Deleted) && entry.metadata.datetime.is_none()
}

/// Entries that are told apart are told apart by these.
fn add_to_mark(mark: &mut DefaultHasher, entry: &Entry<'_>) {
    mark.write(entry.loc.as_bytes());
    mark.write_u8(entry.metadata.change.map_or(0, |change| change as u8 + 1));
    mark.write_i64(entry.change_time().map_or(0, instant));
    if let Some(hash) = &entry.metadata.hash {
        mark.write(hash.as_str().as_bytes());
    }
}
