//! Surveys the Change Lists of a set.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use tidings_document::{Capability, Entry, Moment};
use tidings_web::Validators;
use url::Url;

use super::listed_part::{ListedPart, PartMatch, parts_of};
use super::{ChangeContent, ChangeDocument, DocumentFailure, ReadSoFar, Survey};
use crate::SyncError;
use crate::coverage::{Edge, Interval, IntervalKind};
use crate::documents::{Document, Documents, Summary};
use crate::moments::{instant, is_past, later};
use crate::parts::LIST_POLICY;
use crate::state::{History, Role};

/// What a Change List costs that was not read yet.
const UNREAD_LIST_COST: u64 = 64 << 10;

/// The level of a document below the one that the Capability List names, and whether the Source lists it.
pub(crate) type Place = (usize, bool);

/// Reads Change Lists and their indexes, each document once.
pub(crate) struct ChangeSurvey<'a> {
    pub(crate) documents: &'a mut Documents,
    /// The documents of the set that the copy has read.
    pub(crate) known: &'a [History],
    /// The bytes that one request is worth.
    pub(crate) request_cost: u64,
    /// Documents that failed in this run, and are not asked for again.
    pub(crate) excluded: &'a HashSet<String>,
    /// Documents that turned out to be indexes, although their entries say an interval.
    pub(crate) indexes: &'a HashSet<String>,
    pub(crate) seen: HashSet<String>,
    /// Indexes that are as they were.
    pub(crate) unchanged: Vec<(ListedPart, Place, History)>,
    pub(crate) survey: &'a mut Survey,
}

impl ChangeSurvey<'_> {
    /// Surveys the document at a URL, and all that it leads to. One that the Source no longer lists may
    /// be gone.
    pub(crate) fn add(&mut self, url: &Url, is_listed: bool) -> Result<(), SyncError> {
        self.add_part(&ListedPart::top(url), (0, is_listed))
    }

    fn add_part(&mut self, part: &ListedPart, place: Place) -> Result<(), SyncError> {
        let (url, (level, is_listed)) = (&part.url, place);
        if !self.seen.insert(url.to_string()) || self.excluded.contains(url.as_str()) {
            return Ok(());
        }
        if !is_listed {
            self.survey.unlisted.push(url.to_string());
        }
        let limit = LIST_POLICY.limits.max_listed;
        if self.seen.len() > limit {
            let reason = format!("the list has more than {limit} documents");
            return Err(SyncError::Document { url: url.to_string(), reason });
        }
        let own = self.known.iter().find(|history| history.url == url.as_str());
        let cursor = own.or(part.predecessor.as_ref());
        let is_index = self.indexes.contains(url.as_str())
            || cursor.is_some_and(|cursor| cursor.role == Role::Index);
        if level > 0 && !is_index {
            let is_same = part.match_closed(cursor);
            if let (PartMatch::Same, Some(cursor)) = (is_same, cursor) {
                let times = (cursor.from, cursor.until);
                self.push(part, place, times, (ChangeContent::Unfetched, 0), ReadSoFar::All);
                return Ok(());
            }
            if is_same == PartMatch::Other && part.from.is_some() && part.until.is_some() {
                let times = (part.from, part.until);
                self.push(part, place, times, (ChangeContent::Unfetched, 0), ReadSoFar::Nothing);
                return Ok(());
            }
        }
        let validators = own.map(|own| own.validators.clone()).unwrap_or_default();
        let document = match self.documents.get(url, validators) {
            Ok(Some(document)) => document,
            Ok(None) => return self.add_unchanged(part, place, cursor),
            Err(error) if !is_listed && error.is_absence() => return Ok(()),
            Err(error) => {
                self.survey.failures.push(DocumentFailure::new(url, error));
                return Ok(());
            }
        };
        if let Err(error) = self.add_document(part, place, document, cursor) {
            self.survey.failures.push(DocumentFailure::new(url, error));
        }
        Ok(())
    }

    /// A document that is as it was: all of it was read.
    fn add_unchanged(
        &mut self,
        part: &ListedPart,
        place: Place,
        cursor: Option<&History>,
    ) -> Result<(), SyncError> {
        let Some(cursor) = cursor else { return Ok(()) };
        if cursor.role != Role::Index {
            let (_, is_listed) = place;
            let until = match (cursor.until, is_listed) {
                (None, false) => match cursor.tail_time.or(cursor.from) {
                    Some(last) => Some(last),
                    None => return Ok(()),
                },
                (until, _) => until,
            };
            let times = (cursor.from, until);
            self.push(part, place, times, (ChangeContent::Unfetched, 0), ReadSoFar::All);
            self.note_identity(part, cursor, &cursor.validators);
            return Ok(());
        }
        self.unchanged.push((part.clone(), place, cursor.clone()));
        Ok(())
    }

    /// Adds the parts of indexes that are as they were. Those of which an index says something else by now
    /// are there already.
    pub(crate) fn finish(&mut self) -> Result<(), SyncError> {
        self.add_unchanged_parts()?;
        if let Some(began_again) = self.began_again() {
            self.survey.contradiction.get_or_insert(began_again);
        }
        Ok(())
    }

    /// Says that a list is open again that was closed: one of which nothing had been read yet came after it,
    /// and is gone.
    fn began_again(&self) -> Option<String> {
        let is_empty_and_open = |one: &&History| {
            matches!(one.role, Role::Top | Role::Open) && one.until.is_none() && one.place == 0
        };
        let is_gone =
            |one: &&History| !self.survey.changes.iter().any(|other| other.url.as_str() == one.url);
        let mut gone = self.known.iter().filter(is_empty_and_open).filter(is_gone);
        gone.find_map(|gone| {
            let began = Edge::at(gone.from?);
            let mut intervals = self.survey.coverage.changes.iter();
            let covers = intervals.position(|one| {
                one.kind == IntervalKind::ChangeList && one.start() < began && one.end() > began
            })?;
            let url = &self.survey.changes[covers].url;
            Some(format!(
                "{url} goes on, and {} after it is gone: the Source was rolled back",
                gone.url
            ))
        })
    }

    fn add_unchanged_parts(&mut self) -> Result<(), SyncError> {
        loop {
            let unchanged = std::mem::take(&mut self.unchanged);
            if unchanged.is_empty() {
                return Ok(());
            }
            let is_listed = unchanged.iter().any(|(_, (_, is_listed), _)| *is_listed);
            if self.add_known_parts(is_listed)? {
                self.survey.indexes.extend(unchanged.into_iter().map(|(.., cursor)| cursor));
                continue;
            }
            // One of them is gone: the index itself says whether it still lists that one.
            for (part, place, cursor) in unchanged {
                let added = match self.documents.get(&part.url, Validators::default()) {
                    Ok(Some(document)) => self.add_document(&part, place, document, Some(&cursor)),
                    Ok(None) => Ok(()),
                    Err(error) => Err(error.into()),
                };
                if let Err(error) = added {
                    self.survey.failures.push(DocumentFailure::new(&part.url, error));
                }
            }
        }
    }

    /// Adds the parts of an index that is as it was: those that were read before. False if one is gone,
    /// which the index may have left out since it was read.
    fn add_known_parts(&mut self, is_listed: bool) -> Result<bool, SyncError> {
        let known = self.known;
        let parts = known.iter().filter(|one| matches!(one.role, Role::Open | Role::Closed));
        let mut are_there = true;
        for history in parts {
            let Ok(url) = Url::parse(&history.url) else { continue };
            let part = ListedPart::of_same_index(url, history);
            let failures = self.survey.failures.len();
            self.add_part(&part, (1, is_listed))?;
            if self.survey.failures.get(failures).is_some_and(DocumentFailure::is_absence) {
                self.survey.failures.truncate(failures);
                self.seen.remove(part.url.as_str());
                are_there = false;
            }
        }
        Ok(are_there)
    }

    fn add_document(
        &mut self,
        part: &ListedPart,
        place: Place,
        mut document: Document,
        cursor: Option<&History>,
    ) -> Result<(), SyncError> {
        let (url, (level, is_listed)) = (&part.url, place);
        let summary = document.summary()?;
        check_kind(url, &summary)?;
        if summary.lists_changes_elsewhere() {
            if !LIST_POLICY.allows_below(level) {
                let reason = "indexes are nested too deep".to_owned();
                return Err(SyncError::Document { url: url.to_string(), reason });
            }
            let parts = parts_of(&mut document)?;
            if let Err(error) = document.check_entries(url) {
                self.survey.failures.push(DocumentFailure::new(url, error));
                self.survey.misses_parts = true;
            }
            let mark = document.fingerprint()?;
            // A server without validators sends again what did not change.
            let is_same = document.validators == Validators::default()
                && cursor.is_some_and(|cursor| cursor.role == Role::Index && cursor.mark == mark);
            self.survey.indexes.push(History {
                url: url.to_string(),
                role: Role::Index,
                validators: document.validators.clone(),
                mark,
                from: summary.head.metadata.from,
                until: summary.head.metadata.until,
                ..History::default()
            });
            let names: HashSet<&str> = parts.iter().map(|part| part.url.as_str()).collect();
            let mut lost: Vec<&History> = self.known.iter().collect();
            lost.retain(|one| !names.contains(one.url.as_str()));
            for mut part in parts {
                part.is_of_same_index = is_same;
                part.predecessor = lost.iter().copied().find(|lost| part.replaces(lost)).cloned();
                self.add_part(&part, (level + 1, is_listed))?;
            }
            return Ok(());
        }
        let (from, until) = (summary.head.metadata.from, summary.head.metadata.until);
        let read = match continuation(&mut document, &summary, self.known, cursor)? {
            // A server without validators sends again what was read to its end.
            Continuation::Of(ReadSoFar::Entries(entries))
                if entries == summary.entries
                    && document.lost_entries() == 0
                    && (until.is_none() || cursor.is_some_and(|own| is_closed_at(own, until))) =>
            {
                if let Some(cursor) = cursor {
                    self.note_identity(part, cursor, &document.validators);
                }
                ReadSoFar::All
            }
            Continuation::Of(read) => read,
            Continuation::Contradicts => {
                self.survey.contradiction.get_or_insert_with(|| contradiction(url));
                ReadSoFar::Nothing
            }
        };
        let unread = match read {
            ReadSoFar::Entries(entries) => summary.entries.saturating_sub(entries),
            _ => summary.entries,
        };
        let cost = summary.length.saturating_add(unread.saturating_mul(self.request_cost));
        let until = match (until, is_listed) {
            (None, false) => match last_change(&mut document)?.or(from) {
                Some(last) => Some(last),
                None => return Ok(()),
            },
            (until, _) => until,
        };
        let lost = document.lost_entries();
        let content = (ChangeContent::Fetched(Box::new((document, summary.head))), lost);
        self.push(part, place, (from, until), content, read);
        if let Some(interval) = self.survey.coverage.changes.last_mut() {
            interval.cost = cost;
        }
        Ok(())
    }

    /// Remembers with the indexes that a closed part is the same as it was, although the index says other
    /// things of it.
    fn note_identity(&mut self, part: &ListedPart, cursor: &History, validators: &Validators) {
        if cursor.role == Role::Closed {
            let (identity, validators) = (part.identity, validators.clone());
            let url = part.url.to_string();
            self.survey.indexes.push(History { url, identity, validators, ..cursor.clone() });
        }
    }

    fn push(
        &mut self,
        part: &ListedPart,
        (level, is_listed): Place,
        (from, until): (Option<Moment>, Option<Moment>),
        (content, lost): (ChangeContent, u64),
        read: ReadSoFar,
    ) {
        // A list that ends before it begins tells nothing by its end.
        let until = until.filter(|until| from.is_none_or(|from| instant(from) <= instant(*until)));
        let cost = match read {
            ReadSoFar::All => 1,
            _ => UNREAD_LIST_COST + self.request_cost,
        };
        self.survey.coverage.changes.push(Interval {
            kind: IntervalKind::ChangeList,
            from,
            until,
            follows_on: read != ReadSoFar::Nothing,
            is_lossy: lost > 0,
            cost,
        });
        let is_top = level == 0;
        let (url, identity) = (part.url.clone(), part.identity);
        self.survey.changes.push(ChangeDocument {
            url,
            is_top,
            is_listed,
            identity,
            content,
            read,
            lost,
        });
    }
}

/// The time of the last change that a list dates. An open list that the Source no longer offers tells of no
/// later ones: nobody writes to it any more.
fn last_change(document: &mut Document) -> Result<Option<Moment>, SyncError> {
    let mut last = None;
    document.each(|entry, _| {
        last = later(last, entry.metadata.datetime.filter(|time| is_past(*time)));
        Ok(())
    })?;
    Ok(last)
}

/// How a document stands to what was read before.
pub(crate) enum Continuation {
    Of(ReadSoFar),
    /// It does not have what it must have, after what was read.
    Contradicts,
}

/// How a document continues what was read before: of itself, or of the open list that it closes under
/// another name.
pub(crate) fn continuation(
    document: &mut Document,
    summary: &Summary,
    known: &[History],
    own: Option<&History>,
) -> Result<Continuation, SyncError> {
    let last = last_progress(known);
    let (from, until) = (summary.head.metadata.from, summary.head.metadata.until);
    if let Some(own) = own.filter(|own| is_closed_at(own, until)) {
        let is_same = summary.entries == own.place && begins_with(document, own)?;
        return Ok(match is_same {
            true => Continuation::Of(ReadSoFar::Entries(own.place)),
            false => Continuation::Contradicts,
        });
    }
    let newest = last.or_else(|| newest_closed(known));
    if let Some(before) = predecessor(document, own, last, from)? {
        // It goes on from one list, and may leave out what was read of a later one.
        let is_newest = newest.is_some_and(|newest| newest.url == before.url);
        return Ok(match !is_newest && contradicts(document, from, until, newest)? {
            true => Continuation::Contradicts,
            false => Continuation::Of(ReadSoFar::Entries(before.place)),
        });
    }
    let is_rewritten = own
        .is_some_and(|own| own.place > 0 && !is_after(from, own.from) || is_after(own.from, from));
    Ok(match is_rewritten || contradicts(document, from, until, newest)? {
        true => Continuation::Contradicts,
        false => Continuation::Of(ReadSoFar::Nothing),
    })
}

/// The list, as it was read before, that a document goes on from.
fn predecessor<'h>(
    document: &mut Document,
    own: Option<&'h History>,
    last: Option<&'h History>,
    from: Option<Moment>,
) -> Result<Option<&'h History>, SyncError> {
    for history in [own, last].into_iter().flatten().filter(|history| history.place > 0) {
        if begins_with(document, history)? {
            return Ok(Some(history));
        }
    }
    // A list that was empty goes on at its beginning.
    Ok(own.filter(|own| own.place == 0 && own.role != Role::List && own.from == from))
}

/// True if a list was closed at that very time when it was read: nothing may have been added to it since.
fn is_closed_at(own: &History, until: Option<Moment>) -> bool {
    let is_list = matches!(own.role, Role::Top | Role::Open | Role::Closed);
    let is_same =
        matches!((own.until, until), (Some(own), Some(until)) if instant(own) == instant(until));
    is_list && is_same
}

/// Says that a document contradicts what was read before.
pub(crate) fn contradiction(url: &Url) -> String {
    format!(
        "{url} no longer has the changes that were read before: it was rewritten, or the Source was \
         rolled back"
    )
}

/// The open list of which entries were read last.
fn last_progress(known: &[History]) -> Option<&History> {
    known.iter().rev().find(|history| history.until.is_none() && history.place > 0)
}

/// The closed list whose last change is the newest.
fn newest_closed(known: &[History]) -> Option<&History> {
    let closed = known.iter().filter(|history| history.until.is_some() && history.place > 0);
    closed.max_by_key(|history| history.tail_time.map(instant))
}

/// True if a list begins later than another one did: it is the next one under the same URL, and not
/// the same one rewritten.
fn is_after(from: Option<Moment>, before: Option<Moment>) -> bool {
    matches!((from, before), (Some(from), Some(before)) if instant(from) > instant(before))
}

/// True if a list covers the last change that was read elsewhere, and does not have it.
fn contradicts(
    document: &mut Document,
    from: Option<Moment>,
    until: Option<Moment>,
    last: Option<&History>,
) -> Result<bool, SyncError> {
    let Some(last) = last.filter(|last| last.tail != 0) else { return Ok(false) };
    let Some(from) = from else { return Ok(false) };
    // A day or a minute says less than where the other list begins.
    let is_next = matches!((last.from, until), (Some(began), Some(until)) if instant(began) >= instant(until));
    let is_over = |time: Moment| until.is_none_or(|until| instant(time) < instant(until));
    let covers = match (last.tail_time, last.from) {
        (Some(time), _) => instant(from) <= instant(time) && is_over(time) && !is_next,
        (None, Some(began)) => until.is_none() && instant(from) <= instant(began),
        (None, None) => false,
    };
    if !covers {
        return Ok(false);
    }
    let mut is_there = false;
    document.each(|entry, _| {
        is_there |= tail_of(entry) == last.tail;
        Ok(())
    })?;
    Ok(!is_there)
}

/// True if a document begins with the entries that were read before.
fn begins_with(document: &mut Document, history: &History) -> Result<bool, SyncError> {
    let base = document.url.clone();
    let mut mark = DefaultHasher::new();
    let mut reader = document.reader()?;
    for _ in 0..history.place {
        let entry = reader.next_entry();
        let entry = entry.map_err(|error| crate::documents::unusable(&base, &error))?;
        let Some(entry) = entry else { return Ok(false) };
        add_to_mark(&mut mark, &entry);
    }
    Ok(mark.finish() == history.mark)
}

/// Adds an entry to a running hash, by all that tells entries apart.
pub(crate) fn add_to_mark(mark: &mut DefaultHasher, entry: &Entry<'_>) {
    mark.write(entry.loc.as_bytes());
    mark.write_u8(entry.metadata.change.map_or(0, |change| change as u8 + 1));
    mark.write_i64(entry.change_time().map_or(0, instant));
    if let Some(hash) = &entry.metadata.hash {
        mark.write(hash.as_str().as_bytes());
    }
}

/// A hash of one entry, which is never 0.
pub(crate) fn tail_of(entry: &Entry<'_>) -> u64 {
    let mut mark = DefaultHasher::new();
    add_to_mark(&mut mark, entry);
    mark.finish().max(1)
}

pub(crate) fn check_kind(url: &Url, summary: &Summary) -> Result<(), SyncError> {
    let found = summary.head.capability();
    let is_right = found.is_none_or(|found| {
        matches!(found, Capability::ChangeList | Capability::ChangeListArchive)
    });
    let reason = if !is_right {
        format!("it is {}, and should be a changelist", summary.head.title())
    } else if found.is_none() && summary.entries == 0 {
        "it is empty, and does not say what it is".to_owned()
    } else {
        return Ok(());
    };
    Err(SyncError::Document { url: url.to_string(), reason })
}

/// Validators of a document that was read, to ask for it only if it changed.
pub(crate) fn validators_of(known: &[History], url: &Url) -> Validators {
    let cursor = known.iter().find(|history| history.url == url.as_str());
    cursor.map(|cursor| cursor.validators.clone()).unwrap_or_default()
}
