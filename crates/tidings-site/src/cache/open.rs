//! How a content root is opened: the first look at all files, and the changes since the program ended.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use super::keeper::{Keeper, Look};
use super::reports::Reports;
use super::{PageMetaCache, SiteError, watch};
use crate::books::Books;
use crate::content_digest::ContentDigest;
use crate::finding::Finding;
use crate::journal::Journal;
use crate::object_id::ObjectId;
use crate::page_meta::Stamp;
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::site_lock::SiteLock;

impl PageMetaCache {
    /// Reads all that is there, and tells the journal what changed since it was looked last. Deletions are
    /// reported at once.
    pub fn open(root: &Path, reserved: Reserved) -> Result<Arc<Self>, SiteError> {
        Self::open_settling(root, reserved, Duration::ZERO)
    }

    /// The same, with a time that an object has to be gone for before its deletion is reported: a file that
    /// is replaced is gone for a moment.
    pub fn open_settling(
        root: &Path,
        reserved: Reserved,
        settle: Duration,
    ) -> Result<Arc<Self>, SiteError> {
        let begun = Instant::now();
        let root = ContentRoot::new(root.to_owned());
        if !root.is_there() {
            return Err(empty_of(&root));
        }
        let own = root.path().join("state/tidings");
        let lock = SiteLock::take(&own)?;
        let lock =
            lock.ok_or_else(|| SiteError::Locked { path: root.path().display().to_string() })?;
        let journal = Arc::new(Journal::open(&own)?);
        let keeper = Keeper::new(settle, Some(Arc::clone(&journal))).map_err(SiteError::Watch)?;
        let waiter = keeper.waiter().map_err(SiteError::Watch)?;
        let known = journal.contents()?;
        let cache = Arc::new(Self {
            root,
            reserved,
            books: RwLock::default(),
            keeper: Mutex::new(keeper),
            reports: Mutex::new(Reports::new(settle)),
            journal,
            is_away: AtomicBool::new(false),
            themes: AtomicU64::new(0),
            sweep: Mutex::default(),
            _lock: lock,
        });
        let held = cache.root.hold().map_err(|_| empty_of(&cache.root))?;
        let mut keeper = cache.keeper();
        let known = |id: ObjectId, blob: &Stamp, sidecar: Option<&Stamp>| {
            known.get(&id).and_then(|known| known.content_of(blob, sidecar))
        };
        keeper.look_for_layouts(&held);
        let reserved = &cache.reserved;
        let look = Look {
            root: &held,
            reserved,
            known: &known,
            known_stamps: &|_| None,
            before: &|_, _| None,
            came_back: false,
        };
        let changes = keeper.sweep(&look);
        cache.is_away.store(keeper.is_away(), Ordering::Relaxed);
        cache.books.write().unwrap_or_else(PoisonError::into_inner).put_all(changes);
        drop(keeper);
        drop(held);
        *cache.sweep.lock().unwrap_or_else(PoisonError::into_inner) = begun.elapsed();
        crate::edit::remove_leftovers(cache.root.path());
        cache.begin_reports(settle.saturating_sub(begun.elapsed()))?;
        watch(&cache, waiter);
        Ok(cache)
    }

    /// Compares what is there with what was there when the program ended. If something is missing, it may
    /// be being replaced: a start in the middle of that waits for it to settle.
    fn begin_reports(&self, patience: Duration) -> Result<(), SiteError> {
        if !patience.is_zero() && self.journal.has_missing(&self.source())? {
            std::thread::sleep(patience);
            self.refresh();
        }
        let mut reports = self.reports();
        if !self.is_there() {
            // What is not there may come back.
            self.journal.catch_up(&self.source(), &|_| true)?;
            reports.fall_behind();
        } else {
            self.journal.catch_up(&self.source(), &|_| false)?;
        }
        Ok(())
    }

    /// What is wrong with the content of a folder, and how many objects there are. Nothing is kept, and
    /// nothing is written.
    pub fn check(root: &Path, reserved: &Reserved) -> Result<(Vec<Finding>, usize), SiteError> {
        let root = ContentRoot::new(root.to_owned());
        if !root.is_there() {
            return Err(empty_of(&root));
        }
        let held = root.hold().map_err(|_| empty_of(&root))?;
        let mut keeper = Keeper::new(Duration::ZERO, None).map_err(SiteError::Watch)?;
        let mut books = Books::default();
        let known = |_: ObjectId, _: &Stamp, _: Option<&Stamp>| Some(ContentDigest::default());
        let look = Look {
            root: &held,
            reserved,
            known: &known,
            known_stamps: &|_| None,
            before: &|_, _| None,
            came_back: false,
        };
        books.put_all(keeper.sweep(&look));
        let mut findings = keeper.findings(&books);
        findings.extend(books.findings());
        findings.sort();
        findings.dedup();
        Ok((findings, books.len()))
    }
}

fn empty_of(root: &ContentRoot) -> SiteError {
    SiteError::Empty { path: root.path().display().to_string() }
}
