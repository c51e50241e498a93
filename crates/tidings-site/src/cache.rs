//! The one cache: the canonical metadata of each object, as it is on disk.
//!
//! Nothing that is sent is kept, only what the files are like. Whoever is about to answer calls
//! [`PageMetaCache::refresh`], which takes what the kernel has queued about changes; a look at all files
//! from time to time finds what was not queued, and a page is compared with its files when it is read.

mod keeper;
mod open;
mod reports;

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use crate::books::Books;
use crate::finding::{Fault, Finding};
use crate::journal::{Journal, JournalError, Millis};
use crate::listing::Listing;
use crate::object_id::ObjectId;
use crate::page_meta::{PageMeta, Stamp};
use crate::place::Place;
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::site_lock::SiteLock;
use crate::watch::{Touched, Waiter};
use keeper::{Changes, Keeper, Look, latest};
use reports::Reports;

/// The least time between two looks at all files.
const SWEEP: Duration = Duration::from_secs(10);
/// A look at all files may take one part in so many of the time.
const SHARE: u32 = 50;

/// How often what was written meanwhile is read again before an answer. Whoever writes for longer tells its end.
const MAX_LOOKS: usize = 3;

/// Why the file of an object could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The object is gone.
    #[error("the object is gone")]
    Gone,
    /// The content root is not there at the moment.
    #[error("the content root is away")]
    RootAway,
    /// The file is being written.
    #[error("the file is being written")]
    BeingWritten,
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Why a site cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// There is nothing to serve.
    #[error(
        "{path} is no content root: it has neither a folder pages (Markdown files with front matter) nor a \
         folder content (objects with sidecars); make one of them, such as {path}/pages with an index.md"
    )]
    Empty {
        /// The folder.
        path: String,
    },
    /// Changes on disk are not told.
    #[error("the kernel does not tell about changes on disk: {0}")]
    Watch(io::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Another program serves the same folder.
    #[error(
        "another server serves {path}, and holds {path}/state/tidings/site.lock; stop it first"
    )]
    Locked {
        /// The folder.
        path: String,
    },
}

/// The canonical metadata of all objects.
#[derive(Debug)]
pub struct PageMetaCache {
    root: ContentRoot,
    reserved: Reserved,
    books: RwLock<Books>,
    keeper: Mutex<Keeper>,
    reports: Mutex<Reports>,
    journal: Arc<Journal>,
    /// Whether one of the layouts is away.
    is_away: AtomicBool,
    /// Goes up when a theme's files change.
    themes: AtomicU64,
    /// How long the last look at all files took.
    sweep: Mutex<Duration>,
    _lock: SiteLock,
}

impl PageMetaCache {
    fn keeper(&self) -> MutexGuard<'_, Keeper> {
        // Whatever happened, the next look at all files puts it right.
        self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn books(&self) -> RwLockReadGuard<'_, Books> {
        self.books.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the books are up to date with what was changed on disk before this was called, which takes
    /// less than a microsecond to find out. If not, [`Self::refresh`] brings them there.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.keeper.try_lock().is_ok_and(|mut keeper| !keeper.take(&self.root))
    }

    /// Brings the books up to date with what was changed on disk before this was called: files are read.
    pub fn refresh(&self) {
        let mut keeper = self.keeper();
        // What was written while it was read is read again.
        for _ in 0..MAX_LOOKS {
            let Some(touched) = self.touched(&mut keeper) else { return };
            if !self.look(&mut keeper, |keeper, look, books| keeper.follow(&touched, look, books)) {
                // Whatever happened meanwhile is found when it is there again.
                return keeper.look_later();
            }
            if !keeper.take_disturbance() {
                return;
            }
        }
    }

    /// What was changed on disk and not followed yet.
    fn touched(&self, keeper: &mut Keeper) -> Option<Touched> {
        if !keeper.take(&self.root) {
            return None;
        }
        let touched = keeper.pending();
        if touched.is_all || touched.paths.iter().any(|path| path.starts_with("themes")) {
            self.themes.fetch_add(1, Ordering::Relaxed);
        }
        Some(touched)
    }

    /// Looks at all files, some at a time, so that nobody waits for all of it; unless the rules about who
    /// may see what are other ones, which is for all of it at once.
    pub fn sweep(&self) {
        let begun = Instant::now();
        let steps = self.keeper().steps();
        for step in &steps {
            let mut keeper = self.keeper();
            if !self.look(&mut keeper, |keeper, look, _| keeper.step(step, look)) {
                return;
            }
        }
        *self.sweep.lock().unwrap_or_else(PoisonError::into_inner) = begun.elapsed();
    }

    /// Does what is to be done because time has passed: reports deletions that have settled, and changes
    /// that could not be written.
    pub fn wake(&self) {
        let mut keeper = self.keeper();
        // What happened before is followed in the same look: what came back with the root is not gone.
        let touched = self.touched(&mut keeper);
        let is_there = self.look(&mut keeper, |keeper, look, books| {
            let followed = touched.as_ref().map(|touched| keeper.follow(touched, look, books));
            let mut changes = followed.unwrap_or_default();
            changes.extend(keeper.wake(look));
            latest(changes)
        });
        if !is_there && touched.is_some() {
            keeper.look_later();
        }
        let mut reports = self.reports();
        if !is_there || self.is_away.load(Ordering::Relaxed) {
            // It is not known what would be there.
            return reports.postpone();
        }
        let due = {
            let books = self.books();
            let is_settling = |now: &Arc<PageMeta>| keeper.is_settling(now);
            reports.due(|meta| books.any(meta.id).is_some_and(is_settling))
        };
        if !due.is_empty() || reports.is_behind() {
            reports.write(&due, &self.journal, &self.source());
        }
    }

    /// An object was written through the administration: it is what it is meant to be, and does not settle.
    pub(crate) fn release(&self, id: ObjectId, place: &Place) {
        self.refresh();
        let mut keeper = self.keeper();
        self.look(&mut keeper, |keeper, look, _| keeper.release(id, place, look));
    }

    /// Lets the keeper look at the files, and puts what it finds into the books. All of a look is of the
    /// folders that were there when it began: what is moved away as a whole meanwhile is not taken for
    /// deleted. False if the content root is not there.
    fn look(
        &self,
        keeper: &mut Keeper,
        work: impl FnOnce(&mut Keeper, &Look<'_>, &Books) -> Changes,
    ) -> bool {
        let Ok(held) = self.root.hold() else { return false };
        if held.held_folder("content").or_else(|| held.held_folder("pages")).is_none() {
            return false;
        }
        let was_away = self.is_away.load(Ordering::Relaxed);
        let changes = {
            let books = self.books();
            let known = |id: ObjectId, blob: &Stamp, sidecar: Option<&Stamp>| {
                let meta = books.any(id)?;
                let is_same = meta.blob == *blob && meta.sidecar.as_ref() == sidecar;
                is_same.then_some(meta.content)
            };
            let came_back = keeper.look_for_layouts(&held);
            let known_stamps = |id: ObjectId| {
                let meta = books.any(id)?;
                Some([meta.sidecar.unwrap_or(meta.blob), meta.blob])
            };
            let before = |id: ObjectId, path: &str| {
                books.any(id).cloned().or_else(|| self.reports().gone(path, id))
            };
            let look = Look {
                root: &held,
                reserved: &self.reserved,
                known: &known,
                known_stamps: &known_stamps,
                before: &before,
                came_back,
            };
            work(keeper, &look, &books)
        };
        self.is_away.store(keeper.is_away(), Ordering::Relaxed);
        if was_away && !keeper.is_away() {
            tracing::info!("the content is there again");
        }
        self.apply(changes, keeper);
        true
    }

    fn apply(&self, changes: Changes, keeper: &Keeper) {
        if changes.is_empty() {
            return;
        }
        let (noted, source) = {
            let mut books = self.books.write().unwrap_or_else(PoisonError::into_inner);
            let noted = books.put_all(changes);
            (noted, Arc::clone(&books.source))
        };
        let mut reports = self.reports();
        let reported = {
            let books = self.books();
            // What is withheld for a moment may come back as it was.
            let is_there = |now: &Arc<PageMeta>| !keeper.is_settling(now);
            reports.take(noted, |meta| books.any(meta.id).is_some_and(is_there))
        };
        // While something is away, it is not known what is missing.
        if !(reported.is_empty() || reports.is_behind() && self.is_away.load(Ordering::Relaxed)) {
            reports.write(&reported, &self.journal, &source);
        }
    }

    fn reports(&self) -> MutexGuard<'_, Reports> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the content is there as a whole: neither the content root nor the folder of a layout is away.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.root.is_there() && !self.is_away.load(Ordering::Relaxed)
    }

    /// Says what all pages have around them now: theme and navigation, as a number.
    pub fn set_shell(&self, digest: u64) {
        // Nothing is noted between, so that what is noted is what is there.
        let _keeper = self.keeper();
        if let Err(error) = self.journal.set_shell(digest, &self.source()) {
            tracing::error!(%error, "a change of all pages could not be noted");
        }
    }

    /// What has this alias, whoever may see it. The name is one of [`crate::path::named`].
    #[must_use]
    pub fn find(&self, alias: &str) -> Option<Arc<PageMeta>> {
        self.books().find(alias).cloned()
    }

    /// What has this id, if it is served at all, whoever may see it.
    #[must_use]
    pub fn get(&self, id: ObjectId) -> Option<Arc<PageMeta>> {
        self.books().get(id).cloned()
    }

    /// What has this id, served or not: for those who mend it.
    #[must_use]
    pub fn any(&self, id: ObjectId) -> Option<Arc<PageMeta>> {
        self.books().any(id).cloned()
    }

    /// All objects, served or not, that are wanted, in no order, up to so many.
    #[must_use]
    pub fn select(&self, most: usize, wanted: impl Fn(&PageMeta) -> bool) -> Vec<Arc<PageMeta>> {
        self.books().all().filter(|meta| wanted(meta)).take(most).cloned().collect()
    }

    /// Shows all objects, served or not, in no order. Changes wait until it is over.
    pub fn each(&self, see: impl FnMut(&Arc<PageMeta>)) {
        self.books().all().for_each(see);
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.books().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Public pages that search engines may list.
    #[must_use]
    pub fn sitemap(&self) -> Arc<Listing> {
        Arc::clone(&self.books().sitemap)
    }

    /// All that is public.
    #[must_use]
    pub fn source(&self) -> Arc<Listing> {
        Arc::clone(&self.books().source)
    }

    /// All that is public, with a moment: what changed before is in it, and what changes later comes later.
    #[must_use]
    pub fn snapshot(&self) -> (Arc<Listing>, Millis) {
        let _keeper = self.keeper();
        self.reports().publish();
        (self.source(), self.journal.moment())
    }

    /// Those pages that say where they are in the navigation, and a number that changes when they do.
    #[must_use]
    pub fn navigating(&self) -> (Vec<Arc<PageMeta>>, u64) {
        let books = self.books();
        let metas = books.navigating.iter().filter_map(|id| books.get(*id)).cloned().collect();
        (metas, books.generation)
    }

    /// Goes up with each change of any object.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.books().generation
    }

    /// Goes up when something in `themes/` changes.
    #[must_use]
    pub fn themes(&self) -> u64 {
        self.themes.load(Ordering::Relaxed)
    }

    /// What is wrong with the content.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let keeper = self.keeper();
        let books = self.books();
        let mut findings = keeper.findings(&books);
        findings.extend(books.findings());
        findings.sort();
        findings.dedup();
        findings
    }

    /// The versions of an object that there are, in their order.
    #[must_use]
    pub fn versions(&self, id: ObjectId) -> Vec<u32> {
        self.keeper().versions(id)
    }

    /// One version of an object, as it would be if it were the current one.
    #[must_use]
    pub fn version(&self, id: ObjectId, number: u32) -> Option<PageMeta> {
        self.keeper().version(id, number, &self.root, &self.reserved)
    }

    /// Opens what an object has in it. If that is not what the books say, they are put right first.
    pub fn open_blob(&self, meta: &Arc<PageMeta>) -> Result<(File, Arc<PageMeta>), OpenError> {
        let mut meta = Arc::clone(meta);
        for _ in 0..3 {
            let path = meta.place.path(meta.id);
            let opened = self.root.open(&path);
            let is_sidecar_same = match (&meta.place, meta.sidecar) {
                (Place::Version { .. }, Some(known)) => {
                    self.root.stamp(&format!("{path}.ron")) == Some(known)
                }
                _ => true,
            };
            match opened {
                Ok((file, stamp)) if stamp == meta.blob && is_sidecar_same => {
                    return Ok((file, meta));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
            let mut keeper = self.keeper();
            let is_there =
                self.look(&mut keeper, |keeper, look, books| keeper.look_at(&meta, look, books));
            drop(keeper);
            if !is_there || !self.is_there() {
                return Err(OpenError::RootAway);
            }
            meta = self.get(meta.id).ok_or(OpenError::Gone)?;
        }
        // It is being written, and so is not what anybody should see.
        Err(OpenError::BeingWritten)
    }

    /// The last good text of a file of rules, such as `state/sys/tags.yaml`, if one was ever read.
    #[must_use]
    pub fn last_rules(&self, path: &str) -> Option<Vec<u8>> {
        self.journal.rules(path).ok().flatten()
    }

    /// The folder that all of it is in.
    #[must_use]
    pub fn root(&self) -> &ContentRoot {
        &self.root
    }

    /// The reserved paths.
    #[must_use]
    pub fn reserved(&self) -> &Reserved {
        &self.reserved
    }

    /// What changed.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    fn patience(&self) -> Duration {
        let last = *self.sweep.lock().unwrap_or_else(PoisonError::into_inner);
        SWEEP.max(last * SHARE)
    }
}

/// Follows changes for as long as the cache is used, and looks at all files from time to time.
fn watch(cache: &Arc<PageMetaCache>, waiter: Waiter) {
    let weak = Arc::downgrade(cache);
    let work = move || {
        let mut swept = Instant::now();
        while let Some(cache) = weak.upgrade() {
            let due = cache.patience();
            if swept.elapsed() >= due {
                cache.sweep();
                swept = Instant::now();
            }
            cache.wake();
            drop(cache);
            if waiter.wait(Duration::from_millis(500).min(due))
                && let Some(cache) = weak.upgrade()
            {
                cache.refresh();
            }
        }
    };
    let started = std::thread::Builder::new().name("content".into()).spawn(work);
    if let Err(error) = started {
        tracing::error!(%error, "changes are not followed");
    }
}

/// A finding of a folder that is not watched.
fn unwatched(count: usize) -> Finding {
    Finding {
        place: "pages".into(),
        fault: Fault::Unwatched,
        message: format!(
            "{count} folders are not watched, and changes in them take some seconds to be seen; \
             raise fs.inotify.max_user_watches"
        ),
    }
}
