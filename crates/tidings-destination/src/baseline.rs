//! Everything that the Source has, compared with everything that the copy has.

use tidings_document::{Capability, Entry, Moment};
use url::Url;

use crate::SyncError;
use crate::bytes::Expected;
use crate::documents::{Document, Summary};
use crate::engine::Engine;
use crate::mapping::Uri;
use crate::parts::{Parts, Top};
use crate::same::{Same, same};
use crate::seen::Seen;
use crate::state::{History, Lookup, Role, Row, SetRow};
use crate::survey::list_cursor;
use crate::wanted::Wanted;

/// The set of descriptions, which no list has to name.
pub(crate) const DESCRIPTIONS: i64 = 0;

impl Engine<'_> {
    /// Compares with a Resource List, or with Sitemaps, and fetches what differs. What the list does
    /// not name is gone, if all of the list could be read. False if some of it could not.
    pub(crate) fn baseline_from_list(
        &mut self,
        set: &SetRow,
        urls: &[Url],
        first: Option<Document>,
    ) -> Result<bool, SyncError> {
        let expected = Some(Capability::ResourceList);
        let mut parts = match (first, urls.first()) {
            (Some(document), Some(url)) => {
                Parts::with(url.clone(), document, expected).and(&urls[1..])
            }
            _ => Parts::new(urls.to_vec(), expected),
        };
        let mut lookup = Lookup::default();
        let mut seen = Seen::new(self.desk.state.last_id()?);
        let mut histories = Vec::new();
        let mut at = None;
        let doubtful = self.source.doubtful_uris;
        while let Some((part, mut document, summary)) =
            parts.next(&mut self.documents, |_| false)?
        {
            self.meter.total += summary.entries;
            let own = summary.head.metadata.at;
            at = earliest(at, own);
            self.compare(set, &mut document, &mut lookup, &mut seen)?;
            histories.push(list_cursor(&part.url, &document, own));
            self.check_mixed(parts.top.as_ref(), &summary, &part.url);
        }
        self.drain()?;
        if let Some(top) = parts.top.as_ref().filter(|_| histories.is_empty())
            && parts.missing.is_empty()
        {
            let reason = "it is an index that leads to no list".to_owned();
            return Err(SyncError::Document { url: top.url.to_string(), reason });
        }
        let top = parts.top.take();
        // An index may promise more than its parts keep.
        let at = earliest(at, top.as_ref().and_then(|top| top.summary.head.metadata.at));
        if self.tell_missing(&parts) {
            return Ok(false);
        }
        // An entry whose URI cannot be used may be of what the copy has: it is not gone, then.
        if self.source.doubtful_uris == doubtful {
            self.mark_unseen(set, &seen)?;
        }
        self.finish_baseline(set, at)?;
        self.remember_lists(set, top, &histories, at)?;
        self.desk.state.commit()?;
        Ok(true)
    }

    /// Tells of documents that could not be had. What is only in them is not gone.
    pub(crate) fn tell_missing(&mut self, parts: &Parts) -> bool {
        for (url, error) in &parts.missing {
            self.source.has_lost_entries |= error.is_of_lost_entries();
            self.report.fail(url, &error.to_string());
        }
        self.source.is_partial |= !parts.missing.is_empty();
        !parts.missing.is_empty()
    }

    /// The index promises that its parts are not older than it says.
    fn check_mixed(&mut self, top: Option<&Top>, summary: &Summary, url: &Url) {
        let promised = top.filter(|top| top.summary.is_index());
        let promised = promised.and_then(|top| top.summary.head.metadata.at);
        if let (Some(promised), Some(at)) = (promised, summary.head.metadata.at)
            && at.is_before(promised)
        {
            self.report.note(format!(
                "{url} is of {at}, before the {promised} of its index: the Source may have been \
                 rolled back, or mixes two publications"
            ));
        }
    }

    /// Wants what differs between a list and the copy.
    pub(crate) fn compare(
        &mut self,
        set: &SetRow,
        document: &mut Document,
        lookup: &mut Lookup,
        seen: &mut Seen,
    ) -> Result<(), SyncError> {
        document.each(|entry, base| {
            let Some(uri) = self.uri_of(set.id, entry, base)? else {
                // What is passed over is not gone.
                return self.pass(entry, lookup, seen);
            };
            let row = lookup.find(&self.desk.state, uri.as_str())?.cloned();
            if let Some(row) = &row {
                seen.insert(row.id);
            }
            self.consider(set.id, entry, &uri, row, base)
        })
    }

    pub(crate) fn pass(
        &mut self,
        entry: &Entry<'_>,
        lookup: &mut Lookup,
        seen: &mut Seen,
    ) -> Result<(), SyncError> {
        if let Ok(uri) = Uri::parse(entry.loc.trim())
            && let Some(row) = lookup.find(&self.desk.state, uri.as_str())?
        {
            seen.insert(row.id);
        }
        Ok(())
    }

    /// Wants what an entry speaks of, if the copy does not have it.
    pub(crate) fn consider(
        &mut self,
        set: i64,
        entry: &Entry<'_>,
        uri: &Uri<'_>,
        row: Option<Row>,
        base: &Url,
    ) -> Result<(), SyncError> {
        if self.options.descriptions {
            self.describe(&Wanted::of(entry, uri, set, base))?;
        }
        let wanted = || Wanted::of(entry, uri, set, base);
        if let Some(row) = &row
            && self.has_preferred(&entry.links, entry.metadata.media_type.as_deref(), row)
            && self.is_current(entry, uri, row)
        {
            self.desk.tally.count_unchanged(row.id, &mut self.report);
            if let Some(listed) = &mut self.desk.listed
                && Expected::of(None, entry.metadata.hash.as_ref()).is_certain()
            {
                listed.insert(row.id);
            }
            self.meter.done += 1;
            self.tell("comparing");
            if row.gone || row.set != set || self.is_owed(uri.as_str())? {
                self.confirm_row(row, &wanted(), false)?;
            }
            return Ok(());
        }
        let mut wanted = wanted();
        self.contest(&mut wanted, row.as_ref())?;
        // A file that is not as it was left is looked at, and replaced if it is not right.
        wanted.known = row.filter(|row| self.is_there(uri, row));
        self.want(wanted)
    }

    /// Wants what describes a resource, if that was asked for.
    pub(crate) fn describe(&mut self, wanted: &Wanted) -> Result<(), SyncError> {
        if !self.options.descriptions {
            return Ok(());
        }
        for link in wanted.links.iter().filter(|link| link.is("describedby")) {
            let mut entry = Entry::new(link.href.as_ref());
            entry.lastmod = link.modified;
            entry.metadata.hash.clone_from(&link.hash);
            entry.metadata.length = link.length;
            entry.metadata.media_type.clone_from(&link.media_type);
            let Ok(uri) = Uri::parse(&link.href) else { continue };
            if !self.described.insert(uri.as_str().to_owned()) {
                continue;
            }
            let known = self.desk.state.find(uri.as_str())?;
            if known.as_ref().is_some_and(|row| same(&entry, row) == Same::Yes) {
                continue;
            }
            let Ok(base) = Url::parse(&wanted.uri) else { continue };
            let mut description = Wanted::of(&entry, &uri, DESCRIPTIONS, &base);
            description.known = known;
            self.want(description)?;
        }
        Ok(())
    }

    /// True if the file is as it was left.
    pub(crate) fn is_there(&mut self, uri: &Uri<'_>, row: &Row) -> bool {
        let path = match &row.path {
            Some(path) => path.clone(),
            None => self.desk.mapping.path(uri),
        };
        let stamp = self.desk.files.stamp(&path);
        stamp.is_some_and(|stamp| stamp.length == row.length && stamp.mtime == row.mtime)
    }

    /// Marks what was not listed: the set does not have it any more.
    pub(crate) fn mark_unseen(&mut self, set: &SetRow, seen: &Seen) -> Result<(), SyncError> {
        const ROWS: usize = 10_000;
        self.desk.state.begin()?;
        let mut last = 0;
        loop {
            let ids = self.desk.state.ids_after(set.id, last, ROWS)?;
            let Some(end) = ids.last() else { break };
            last = *end;
            self.mark_some_unseen(set, &ids, seen)?;
        }
        // What another set has, too.
        last = 0;
        loop {
            let ids = self.desk.state.shared_ids_after(set.id, last, ROWS)?;
            let Some(end) = ids.last() else { break };
            last = *end;
            self.mark_some_unseen(set, &ids, seen)?;
        }
        Ok(())
    }

    fn mark_some_unseen(
        &mut self,
        set: &SetRow,
        ids: &[i64],
        seen: &Seen,
    ) -> Result<(), SyncError> {
        for id in ids.iter().filter(|id| !seen.contains(**id)) {
            self.desk.state.leave(*id, set.id, None)?;
        }
        Ok(())
    }

    /// The copy has all that the set had at that time, or owes it.
    pub(crate) fn finish_baseline(
        &mut self,
        set: &SetRow,
        at: Option<Moment>,
    ) -> Result<(), SyncError> {
        self.desk.state.begin()?;
        self.desk.state.forget_documents(set.id)?;
        self.desk.state.settle_before(set.id, self.run)?;
        self.desk.state.settle_before(DESCRIPTIONS, self.run)?;
        self.desk.state.finish_baseline(set.id, at)
    }

    /// Remembers what to ask at the next poll: the top, and its parts if the top does not say when they
    /// change.
    fn remember_lists(
        &mut self,
        set: &SetRow,
        top: Option<Top>,
        histories: &[History],
        at: Option<Moment>,
    ) -> Result<(), SyncError> {
        let Some(top) = top else { return Ok(()) };
        let several = histories.len() > 1 && !top.summary.is_index();
        if several || !top.dates_parts || !top.summary.is_index() {
            for history in histories {
                self.desk.state.remember(set.id, history)?;
            }
        }
        if top.summary.is_index() {
            let history = History {
                url: top.url.to_string(),
                role: Role::List,
                validators: top.validators,
                from: at,
                ..History::default()
            };
            self.desk.state.remember(set.id, &history)?;
        }
        Ok(())
    }
}

fn earliest(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
