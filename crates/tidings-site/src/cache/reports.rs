//! What is reported of changes, and when: a deletion only after the object has been gone for a while, and
//! a change that could not be written as soon as there is room.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_document::Change;

use crate::books::{Noted, is_other};
use crate::journal::{Journal, JournalError};
use crate::listing::Listing;
use crate::object_id::ObjectId;
use crate::page_meta::PageMeta;

/// An object that is gone, and may be being replaced.
#[derive(Debug)]
struct PendingDeletion {
    since: Instant,
    meta: Arc<PageMeta>,
    /// Whether a list without it was handed out.
    is_published: bool,
}

/// Changes on their way into the journal.
#[derive(Debug)]
pub(super) struct Reports {
    settle: Duration,
    pending: BTreeMap<String, PendingDeletion>,
    /// True while the journal lacks changes: then it is compared with what is there.
    is_behind: bool,
}

impl Reports {
    pub(super) fn new(settle: Duration) -> Self {
        Self { settle, pending: BTreeMap::new(), is_behind: false }
    }

    /// Takes changes. `is_there` says whether an object is still there, though perhaps not for everybody or
    /// at another path: such a change is reported at once.
    pub(super) fn take(
        &mut self,
        noted: Vec<Noted>,
        is_there: impl Fn(&PageMeta) -> bool,
    ) -> Vec<Noted> {
        let mut reported = Vec::with_capacity(noted.len());
        for mut one in noted {
            match one.change {
                Change::Deleted if !self.settle.is_zero() && !is_there(&one.meta) => {
                    let pending = PendingDeletion {
                        since: Instant::now(),
                        meta: one.meta,
                        is_published: false,
                    };
                    self.pending.entry(one.path).or_insert(pending);
                }
                Change::Created => {
                    if let Some(pending) = self.pending.remove(&one.path) {
                        if !pending.is_published && !is_other(&pending.meta, &one.meta) {
                            continue;
                        }
                        one.change = Change::Updated;
                    }
                    reported.push(one);
                }
                Change::Updated | Change::Deleted => {
                    self.pending.remove(&one.path);
                    reported.push(one);
                }
            }
        }
        reported
    }

    /// Takes the deletions of objects that have been gone for long enough.
    /// `is_settling` says whether an object is only withheld.
    pub(super) fn due(&mut self, is_settling: impl Fn(&PageMeta) -> bool) -> Vec<Noted> {
        let settle = self.settle;
        let is_due = |pending: &PendingDeletion| {
            pending.since.elapsed() >= settle && !is_settling(&pending.meta)
        };
        let due = self.pending.extract_if(.., |_, pending| is_due(pending));
        let deleted = |(path, pending): (String, PendingDeletion)| Noted {
            path,
            change: Change::Deleted,
            meta: pending.meta,
        };
        due.map(deleted).collect()
    }

    /// An object that was public at this path, and is gone for a moment.
    pub(super) fn gone(&self, path: &str, id: ObjectId) -> Option<Arc<PageMeta>> {
        let pending = self.pending.get(path).filter(|pending| pending.meta.id == id)?;
        Some(Arc::clone(&pending.meta))
    }

    /// Lets what is gone count as gone from now on: nothing could be looked at meanwhile.
    pub(super) fn postpone(&mut self) {
        for pending in self.pending.values_mut() {
            pending.since = Instant::now();
        }
    }

    /// A list of all that is there is handed out: who takes it does not know what is gone for a while.
    pub(super) fn publish(&mut self) {
        for pending in self.pending.values_mut() {
            pending.is_published = true;
        }
    }

    /// The next changes cannot be told one by one.
    pub(super) fn fall_behind(&mut self) {
        self.is_behind = true;
    }

    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Writes changes into the journal. If that fails, or failed before, the journal is compared with what
    /// is there, now or as soon as that can be written.
    pub(super) fn write(&mut self, noted: &[Noted], journal: &Journal, now: &Listing) {
        let written =
            if self.is_behind { self.catch_up(journal, now) } else { journal.note(noted) };
        match written {
            Ok(()) => self.is_behind = false,
            Err(error) => {
                if !self.is_behind {
                    tracing::error!(%error, "changes could not be noted; it is tried again");
                }
                self.is_behind = true;
            }
        }
    }

    fn catch_up(&self, journal: &Journal, now: &Listing) -> Result<(), JournalError> {
        journal.catch_up(now, &|path| self.pending.contains_key(path)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content_digest::ContentDigest;
    use crate::listing::tests::meta;

    fn noted(change: Change, meta: &Arc<PageMeta>) -> Vec<Noted> {
        vec![Noted { path: "/a".into(), change, meta: Arc::clone(meta) }]
    }

    #[test]
    fn a_page_that_is_replaced_is_updated_if_it_is_another() {
        let (one, gone) = (meta("a", 1), |_: &PageMeta| false);
        let other = Arc::new(PageMeta { content: ContentDigest(9), ..(*one).clone() });
        for (after, is_published, expected) in [
            (&one, false, None),
            (&one, true, Some(Change::Updated)),
            (&other, false, Some(Change::Updated)),
        ] {
            let mut reports = Reports::new(Duration::from_secs(60));
            assert!(reports.take(noted(Change::Deleted, &one), gone).is_empty());
            if is_published {
                reports.publish();
            }
            assert!(reports.due(|_| false).is_empty());
            let reported = reports.take(noted(Change::Created, after), gone);
            assert_eq!(reported.first().map(|it| it.change), expected);
        }
    }

    #[test]
    fn what_is_not_for_everybody_any_more_is_reported_at_once() {
        let mut reports = Reports::new(Duration::from_secs(60));
        let reported = reports.take(noted(Change::Deleted, &meta("a", 1)), |_| true);
        assert_eq!(reported.len(), 1);
    }
}
