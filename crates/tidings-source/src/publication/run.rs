//! A publication under way: what becomes of each resource, and where that is said.

use std::path::PathBuf;

use tidings_document::{Capability, Capacity, Change, Form, Head};

use super::change_log::ChangeLog;
use super::desk::Desk;
use super::dump;
use super::fixed::may_write;
use super::leaves::Leaves;
use super::pages::Pages;
use super::patches::Patches;
use super::prior_state::{CacheState, PriorState};
use super::staged::Staged;
use super::tally::Tally;
use crate::cache::{CachePosition, CacheWriter, CachedFile, Record, Stamp, Totals};
use crate::changes::{InventoryDiff, InventoryResource, for_each_diff};
use crate::inventory::{Passed, ScanEvent, ScannedResource, glob_path};
use crate::layout::{CAPABILITY_LIST, Layout, RESOURCE_LIST, SITEMAP};
use crate::link_rule::add_links;
use crate::previous::{ListAgreement, PriorStream, PublishedResource, leaves};
use crate::{MaxDelete, Options, Outcome, Progress, PublishError, Resource, Set};

/// How many files that were passed over are kept; a folder of nothing else must not fill the memory.
const MAX_LISTED_PASSED: usize = 10_000;

/// How often it is said how far it is, in files.
const PROGRESS_EVERY_FILES: u64 = 64;

/// One set under way.
struct SetRun {
    number: usize,
    /// True if it was not published before: a beginning, not a change.
    first: bool,
    list: Leaves,
    log: ChangeLog,
}

/// The lists of a plan, as the inventory gives them.
pub(super) struct PlannedLists {
    pub(super) outcome: Outcome,
    pub(super) patches: Option<Staged>,
    pub(super) lists: Staged,
    pub(super) cache: Option<(CacheWriter, Totals)>,
}

/// What is remembered for the next publication while this one is prepared; nothing by default.
#[derive(Default)]
pub(super) struct Memory {
    cache: Option<CacheWriter>,
    patches: Option<Patches>,
}

/// Opens the memory of a publication.
pub(super) type OpenMemory = fn(&Options, &Desk, &CacheState) -> Memory;

impl Memory {
    /// The memory that the options ask for.
    pub(super) fn open(options: &Options, desk: &Desk, state: &CacheState) -> Self {
        let path = state.path.clone();
        // What cannot be remembered is found out again.
        let cache = path.and_then(|path| CacheWriter::new(path, state.is_current).ok());
        let patches = match (options.inventory.folder(), &state.path) {
            (Some(root), Some(path)) if options.patches => {
                let texts = path.with_extension("texts");
                Some(Patches::new(root, texts, &desk.layout, Staged::new(desk.clone())))
            }
            _ => None,
        };
        Self { cache, patches }
    }
}

/// A publication under way.
pub(super) struct PublicationRun<'r> {
    options: &'r Options,
    desk: Desk,
    layout: Layout,
    progress: &'r mut dyn Progress,
    sets: Vec<SetRun>,
    /// The Sitemap; none if it is somebody else's, or only one set is published.
    pages: Option<Pages>,
    cache_state: CacheState,
    cache: Option<CacheWriter>,
    patches: Option<Patches>,
    outcome: Outcome,
    tally: Tally,
    bytes: u64,
    files: u64,
}

impl<'r> PublicationRun<'r> {
    /// Begins a publication; besides, all that was published, for the inventory to be held against.
    pub(super) fn begin(
        options: &'r Options,
        desk: &Desk,
        state: PriorState,
        open_memory: OpenMemory,
        progress: &'r mut dyn Progress,
    ) -> Result<(Self, PriorStream), PublishError> {
        let (now, cache_state) = (state.now, state.cache.clone());
        if let Some(Totals { files, bytes }) = state.totals() {
            progress.expected(files, bytes);
        }
        let layout = &desk.layout;
        let capacity = Capacity { entries: options.max_entries, ..Capacity::default() };
        let mut sets = Vec::new();
        for &(number, ref last) in &state.previous {
            let desk = desk.of_set(options.sets[number].name.as_deref());
            let logs = last.as_ref().map(|last| last.logs.clone()).unwrap_or_default();
            let (most, spec) = (options.max_entries, options.spec);
            let log = ChangeLog::begin(&desk, logs, now, most, spec, options.retention);
            let up = desk.layout.own_url(CAPABILITY_LIST);
            let head = Head::snapshot(Capability::ResourceList, Form::List, now, up);
            let name = desk.layout.own(RESOURCE_LIST);
            let old = last.as_ref().map(|last| last.leaves.clone()).unwrap_or_default();
            let list = Leaves::begin(&desk, name, head, capacity, old, log.first())?;
            sets.push(SetRun { number, first: last.is_none(), list, log });
        }
        // One that cannot be read is written anew; but not of one set alone.
        let old = leaves(layout, SITEMAP).unwrap_or_default();
        let old = if options.full { Vec::new() } else { old };
        let whole = options.only.is_none() || !old.is_empty();
        let pages = match whole && may_write(options, layout, SITEMAP) {
            true => {
                let head = Head::sitemap(Form::List);
                let list = Leaves::begin(desk, SITEMAP.to_owned(), head, capacity, old, None)?;
                Some(Pages::new(list.merging()))
            }
            false => None,
        };
        let Memory { cache, patches } = open_memory(options, desk, &cache_state);
        let first = sets.iter().all(|set| set.first);
        let outcome = Outcome { first, ..Outcome::default() };
        let layout = layout.clone();
        let (files, bytes) = (0, 0);
        let run = Self {
            options,
            desk: desk.clone(),
            layout,
            progress,
            sets,
            pages,
            cache_state,
            cache,
            patches,
            outcome,
            tally: Tally::default(),
            bytes,
            files,
        };
        Ok((run, state.into_stream()?))
    }

    /// Says what the inventory tells, in all places where that is said.
    pub(super) fn apply(&mut self, event: ScanEvent<'_>) -> Result<(), PublishError> {
        match event {
            ScanEvent::Unchanged(file) => self.keep_unchanged(file),
            ScanEvent::Present { resource, published } => {
                let published = published.into_iter().map(|one| self.as_published(one)).collect();
                let current = self.admit(resource);
                for_each_diff(published, current, |diff| self.apply_diff(diff))
            }
            ScanEvent::Kept(published) if published.agreement == ListAgreement::Outlives => {
                self.apply_diff(InventoryDiff::Gone(published))
            }
            ScanEvent::Kept(published) => {
                let published = self.as_published(published);
                self.apply_diff(InventoryDiff::Kept { published, current: None })
            }
            ScanEvent::Gone(published) => {
                self.apply_diff(InventoryDiff::Gone(self.as_published(published)))
            }
            ScanEvent::Passed(passed) => {
                self.pass(passed);
                Ok(())
            }
        }
    }

    /// Remembers that something was passed over.
    fn pass(&mut self, passed: Passed) {
        if self.outcome.passed.len() < MAX_LISTED_PASSED {
            self.outcome.passed.push(passed);
        }
    }

    /// A resource as it was published: the cache has it without the links that rules give.
    fn as_published(&self, mut published: PublishedResource) -> PublishedResource {
        if published.cached.is_some() {
            let base = self.layout.base();
            published.resource = linked(self.options, base, published.resource);
        }
        published
    }

    /// Gives a resource its sets, in their order; none if it is not to be published.
    fn admit(&mut self, scanned: ScannedResource) -> Vec<InventoryResource> {
        let ScannedResource { resource, stamp } = scanned;
        self.look(resource.length);
        let options = self.options;
        // The only set has everything, if nothing was said of it.
        let path = match options.sets.iter().all(|set| set.name.is_none()) {
            true => PathBuf::new(),
            false => glob_path(self.layout.base(), &resource.uri),
        };
        let mut places = Set::places(&options.sets, &path).peekable();
        if places.peek().is_none() {
            self.outcome.unset += 1;
        }
        let mut places: Vec<usize> =
            places.filter(|place| self.sets.iter().any(|run| run.number == *place)).collect();
        let last = places.pop();
        let current = |set| InventoryResource { set, resource: resource.clone(), stamp };
        let mut currents: Vec<InventoryResource> = places.into_iter().map(current).collect();
        currents.extend(last.map(|set| InventoryResource { set, resource, stamp }));
        currents
    }

    /// Counts a file that was looked at.
    fn look(&mut self, length: Option<u64>) {
        self.files += 1;
        self.bytes += length.unwrap_or(0);
        if self.files.is_multiple_of(PROGRESS_EVERY_FILES) {
            self.progress.looked_at(self.files, self.bytes);
        }
    }

    /// A file is just as the cache has it, and so is all that is said of it. That is not even looked at,
    /// unless a document has to be written anew.
    fn keep_unchanged(&mut self, file: CachedFile<'_>) -> Result<(), PublishError> {
        let (length, is_page) = file.body.outline().map_err(|_| self.cache_state.damaged())?;
        self.look(length);
        self.outcome.resources += 1;
        let Self { options, layout, cache, pages, sets, cache_state, .. } = self;
        let record = || file.record().map_err(|_| cache_state.damaged());
        if let Some(writer) = cache
            && !writer.keep(file.uri, file.end)
        {
            let Record { set, resource, stamp } = record()?;
            if writer.add(set, &resource, stamp.as_ref(), None).is_err() {
                *cache = None;
            }
        }
        if let Some(pages) = pages.as_mut().filter(|_| is_page) {
            pages.keep(file.uri, || Ok(record()?.resource.lastmod))?;
        }
        let Some(set) = sets.iter_mut().find(|set| set.number == file.set) else { return Ok(()) };
        set.list.keep(file.uri, || {
            Ok(linked(options, layout.base(), record()?.resource).entry().into_owned())
        })
    }

    fn apply_diff(&mut self, diff: InventoryDiff) -> Result<(), PublishError> {
        match diff {
            InventoryDiff::Kept { published, current } => {
                let is_first = self.is_first(&published.resource.uri);
                let was = published.resource;
                let (now, stamp) = match current {
                    Some(current) => {
                        // Its time stays: to be written anew is no change. But a resource without a
                        // digest is known by the inventory's, which a Change List may not have.
                        let lastmod = match published.agreement {
                            ListAgreement::Agrees => was.lastmod,
                            _ if was.hash.is_some() => was.lastmod,
                            _ => current.resource.lastmod,
                        };
                        let now = Resource { lastmod, ..current.resource };
                        let now = linked(self.options, self.layout.base(), now);
                        (Some(now), current.stamp)
                    }
                    None => (None, None),
                };
                let now = now.filter(|now| *now != was);
                let listed = published.agreement == ListAgreement::Agrees;
                let same = listed && now.is_none();
                let before = published.cached.filter(|cached| same && cached.stamp == stamp);
                let resource = now.as_ref().unwrap_or(&was);
                if is_first {
                    self.remember(published.set, resource, stamp, before);
                    if let (None, Some(patches)) = (before, &self.patches) {
                        patches.remember(resource);
                    }
                }
                let list = &mut self.set(published.set).list;
                match same {
                    true => list.keep(&resource.uri, || Ok(resource.entry()))?,
                    false => list.put(&resource.entry())?,
                }
                self.page(Some(&was), Some(resource), !listed)
            }
            InventoryDiff::Changed { change, mut current, published } => {
                let is_first = self.is_first(&current.resource.uri);
                current.resource = linked(self.options, self.layout.base(), current.resource);
                self.count(change, &current.resource);
                let at = self.set(current.set).log.now();
                let patch = match (&mut self.patches, &published) {
                    (Some(patches), Some(was)) => patches.of(was, &current.resource, at)?,
                    (Some(patches), None) => {
                        patches.remember(&current.resource);
                        None
                    }
                    (None, _) => None,
                };
                let set = self.set(current.set);
                if !set.first {
                    let lastmod = set.log.add(change, &current.resource, patch.as_slice())?;
                    // Both lists tell the same time. But a resource without a digest is known by
                    // the time that the inventory has.
                    if current.resource.hash.is_some() {
                        current.resource.lastmod = lastmod;
                    }
                }
                set.list.put(&current.resource.entry())?;
                let resource = &current.resource;
                if is_first {
                    self.remember(current.set, resource, current.stamp, None);
                }
                self.page(published.as_ref(), Some(resource), true)
            }
            InventoryDiff::Gone(published) => {
                let uri = &published.resource.uri;
                let set = self.set(published.set);
                set.list.drop(uri)?;
                // Of what only the Resource List still has, that was said already.
                if published.agreement != ListAgreement::Outlives {
                    set.log.add(Change::Deleted, &published.resource, &[])?;
                    self.count(Change::Deleted, &published.resource);
                    // In another set it may stay.
                    let stays = self.tally.is_there(uri);
                    if let Some(patches) = self.patches.as_ref().filter(|_| !stays) {
                        patches.forget(&published.resource);
                    }
                }
                self.forget();
                self.page(Some(&published.resource), None, true)
            }
        }
    }

    fn set(&mut self, number: usize) -> &mut SetRun {
        let place = self.sets.iter().position(|set| set.number == number).unwrap_or_default();
        &mut self.sets[place]
    }

    /// Counts a resource that is there; true if it was not counted before, for another set.
    fn is_first(&mut self, uri: &str) -> bool {
        let is_first = self.tally.is_first(uri);
        self.outcome.resources += u64::from(is_first);
        is_first
    }

    fn count(&mut self, change: Change, resource: &Resource) {
        if !self.tally.is_first_change(change, &resource.uri) {
            return;
        }
        match change {
            Change::Created => self.outcome.created += 1,
            Change::Updated => self.outcome.updated += 1,
            Change::Deleted => self.outcome.deleted += 1,
        }
        self.progress.changed(change, &resource.uri);
    }

    fn remember(
        &mut self,
        set: usize,
        resource: &Resource,
        stamp: Option<Stamp>,
        before: Option<CachePosition>,
    ) {
        if let Some(cache) = &mut self.cache
            && cache.add(set, resource, stamp.as_ref(), before).is_err()
        {
            self.cache = None;
        }
    }

    fn forget(&mut self) {
        if self.cache.as_mut().is_some_and(|cache| cache.touch().is_err()) {
            self.cache = None;
        }
    }

    /// Says in the Sitemap what became of a page.
    fn page(
        &mut self,
        was: Option<&Resource>,
        now: Option<&Resource>,
        changed: bool,
    ) -> Result<(), PublishError> {
        self.pages.as_mut().map_or(Ok(()), |pages| pages.say(was, now, changed))
    }

    /// Refuses to announce more deletions than are allowed.
    fn check_deletions(&self) -> Result<(), PublishError> {
        let Outcome { resources, created, deleted, .. } = self.outcome;
        let (limit, place) = (self.options.max_delete, || self.options.inventory.to_string());
        let published = (resources + deleted).saturating_sub(created);
        if resources == 0 && deleted > 0 && limit != MaxDelete::Any {
            return Err(PublishError::Emptied { published: deleted, place: place() });
        }
        match limit.allows(deleted, published) {
            true => Ok(()),
            false => Err(PublishError::MassDeletion { deleted, published, limit, place: place() }),
        }
    }

    /// Prepares the lists: the changes first, so that a run that is cut off is seen to be by the Resource
    /// List that is behind them.
    pub(super) fn into_lists(mut self) -> Result<PlannedLists, PublishError> {
        self.progress.looked_at(self.files, self.bytes);
        if self.outcome.resources == 0 && self.outcome.unset > 0 && self.options.only.is_none() {
            return Err(PublishError::NoneInSets { files: self.outcome.unset });
        }
        self.check_deletions()?;
        let mut staged = Staged::new(self.desk.clone());
        for set in self.sets.iter().filter(|_| !self.options.full) {
            let own = self.layout.of_set(self.options.sets[set.number].name.as_deref());
            let first = set.log.first();
            let withdrawn = dump::withdraw(self.options, &own, first, &mut staged)?;
            self.outcome.withdrawn.extend(withdrawn);
        }
        let mut lists = Vec::new();
        let mut latest = None;
        for set in self.sets {
            let at = set.log.now();
            latest = latest.max(Some(at));
            set.log.stage(&mut staged)?;
            lists.push((set.list, at));
        }
        if let (Some(pages), Some(at)) = (self.pages, latest) {
            pages.stage(&mut staged, at)?;
        }
        for (list, at) in lists {
            list.stage(&mut staged, at)?;
        }
        let totals = Totals { files: self.files, bytes: self.bytes };
        Ok(PlannedLists {
            outcome: self.outcome,
            patches: self.patches.map(Patches::into_staged),
            lists: staged,
            cache: self.cache.map(|cache| (cache, totals)),
        })
    }
}

/// A resource with the links that the rules give it.
fn linked(options: &Options, base: &str, mut resource: Resource) -> Resource {
    if !options.links.is_empty() {
        let path = glob_path(base, &resource.uri);
        add_links(&options.links, base, &path, &mut resource);
    }
    resource
}
