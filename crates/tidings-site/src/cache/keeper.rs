//! What is known of the files, and how the books follow them.

mod arrivals;
mod beside;
mod folders;
mod follow;
mod guards;
mod layouts;
mod named_files;
mod plain;
mod rules;
mod sections;
mod theme;
mod versioned;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::books::Books;
use crate::finding::{Fault, Finding};
use crate::journal::Journal;
use crate::load::{KnownContent, Loaded, Loader};
use crate::object_id::ObjectId;
use crate::page_meta::{PageMeta, Stamp};
use crate::place::Place;
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::survey::Versions;
use crate::watch::{Touched, Waiter, Watch};
use arrivals::Arrivals;
use beside::Beside;
use folders::ReadFolderRules;
use guards::Guards;
use layouts::{LayoutFolder, Layouts};
use rules::RulesFile;
use sections::Sections;

/// What is to be put into the books.
pub(super) type Changes = Vec<(ObjectId, Option<Arc<PageMeta>>)>;

/// How deep folders are looked into.
const DEEPEST: usize = 32;
/// Threads that read files.
const READERS: usize = 4;
/// How long a file that is open for writing is left alone. After that it is read as it is.
const WRITING_LIMIT: Duration = Duration::from_secs(10);
/// Up to how many files are read at once for their stamps to be compared again afterwards: at the start of a large
/// site it would take as long as the reading.
const MAX_COMPARED_STAMPS: usize = 10_000;
/// How long a file that was emptied is left alone, since it may be about to be written anew.
const EMPTIED_LIMIT: Duration = Duration::from_millis(200);

/// The files of a folder by name, with the object that each is, if it is one.
type Files = BTreeMap<Box<str>, (Stamp, Option<ObjectId>)>;

/// One look at the files.
pub(super) struct Look<'l> {
    /// A root that is held, so that all of the look is of the same folders.
    pub(super) root: &'l ContentRoot,
    pub(super) reserved: &'l Reserved,
    /// What need not be read again.
    pub(super) known: KnownContent<'l>,
    /// The stamps of the files of an object when it was read last, in the order of [`Wanted::paths`]; none at
    /// the start.
    pub(super) known_stamps: &'l dyn Fn(ObjectId) -> Option<[Stamp; 2]>,
    /// An object as it was before this look, by its id, or, if it is gone for a moment, by its path as well.
    pub(super) before: &'l dyn Fn(ObjectId, &str) -> Option<Arc<PageMeta>>,
    /// Whether a layout came back that was away.
    pub(super) came_back: bool,
}

#[derive(Debug)]
pub(super) struct Keeper {
    watch: Watch,
    /// Which folder the content root was when all of it was looked at.
    folder: Option<(u64, u64)>,
    layouts: Layouts,
    pending: Touched,
    /// Files that somebody has opened to write, with the time since when that is known.
    writing: HashMap<String, Instant>,
    /// Of the versioned layout, by shard.
    shards: Vec<HashMap<ObjectId, Versions>>,
    /// Of the plain layout, by folder and name.
    folders: BTreeMap<Box<str>, Files>,
    folder_rules: BTreeMap<Box<str>, ReadFolderRules>,
    beside: Beside,
    sections: Sections,
    arrivals: Arrivals,
    /// Who has an id that a file names.
    owners: HashMap<ObjectId, Box<str>>,
    rules: RulesFile,
    guards: Guards,
    /// Files that are to be read again at a time, in seconds since 1970.
    timed: BTreeMap<Box<str>, i64>,
    /// Files of which the kernel told, before this look, that a write to them ended.
    ended: BTreeSet<String>,
    /// False until all files were looked at once.
    is_begun: bool,
    /// Files that were written while they were read, with the time since when.
    disturbed: HashMap<String, Instant>,
    /// Whether there was such a file since that was asked last.
    was_disturbed: bool,
    findings: BTreeMap<Box<str>, Vec<Finding>>,
    /// How long something that is gone counts as being replaced.
    settle: Duration,
    /// None if nothing is to be written.
    journal: Option<Arc<Journal>>,
}

impl Keeper {
    pub(super) fn new(settle: Duration, journal: Option<Arc<Journal>>) -> io::Result<Self> {
        let mut keeper = Self {
            watch: Watch::new()?,
            folder: None,
            layouts: Layouts::default(),
            pending: Touched::default(),
            writing: HashMap::new(),
            shards: vec![HashMap::new(); 256],
            folders: BTreeMap::new(),
            folder_rules: BTreeMap::new(),
            beside: Beside::default(),
            sections: Sections::default(),
            arrivals: Arrivals::default(),
            owners: HashMap::new(),
            rules: RulesFile::default(),
            guards: Guards::default(),
            timed: BTreeMap::new(),
            ended: BTreeSet::new(),
            is_begun: false,
            disturbed: HashMap::new(),
            was_disturbed: false,
            findings: BTreeMap::new(),
            settle,
            journal,
        };
        if let Some(journal) = keeper.journal.clone() {
            keeper.rules = RulesFile::from_journal(&journal);
            keeper.guards = Guards::from_journal(&journal);
            let known = |name| LayoutFolder::known(journal.layout(name).ok().flatten());
            keeper.layouts = Layouts { content: known("content"), pages: known("pages") };
        }
        Ok(keeper)
    }

    pub(super) fn waiter(&self) -> io::Result<Waiter> {
        self.watch.waiter()
    }

    /// Takes what the kernel has to say. True if there is something to follow.
    pub(super) fn take(&mut self, root: &ContentRoot) -> bool {
        // Another folder may have taken its place, of which nothing is told.
        let folder = root.identity();
        self.pending.is_all |= folder.is_some() && folder != self.folder;
        let touched = self.watch.take();
        if !touched.is_empty() {
            self.arrivals.touch();
        }
        for path in &touched.paths {
            if touched.open.contains(path) {
                self.writing.entry(path.clone()).or_insert_with(Instant::now);
            } else {
                self.writing.remove(path);
            }
        }
        self.pending.add(touched);
        !self.pending.is_empty()
    }

    /// What was taken and not followed yet.
    pub(super) fn pending(&mut self) -> Touched {
        std::mem::take(&mut self.pending)
    }

    pub(super) fn findings(&self, books: &Books) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.findings.values().flatten().cloned().collect();
        findings.extend(self.tags_without_rules(books));
        if self.watch.unwatched() > 0 {
            findings.push(super::unwatched(self.watch.unwatched()));
        }
        findings
    }

    pub(super) fn versions(&self, id: ObjectId) -> Vec<u32> {
        let versions = self.shards[shard_of(id)].get(&id).map_or(&[][..], |versions| &versions.0);
        versions.iter().filter(|version| version.is_whole()).map(|version| version.number).collect()
    }

    pub(super) fn version(
        &self,
        id: ObjectId,
        number: u32,
        root: &ContentRoot,
        reserved: &Reserved,
    ) -> Option<PageMeta> {
        Loader::new(root, reserved, &self.rules.rules, None).version(id, number).meta
    }

    /// Everything is to be looked at, as soon as there is something.
    pub(super) fn look_later(&mut self) {
        self.pending.is_all = true;
    }

    /// Whether somebody is writing a file, and has begun to not long ago.
    fn is_being_written(&self, path: &str, root: &ContentRoot) -> bool {
        let since = self.writing.get(path);
        if since.is_none_or(|since| since.elapsed() >= WRITING_LIMIT) || root.is_link(path) {
            return false;
        }
        // A time that is set is told as if the file were written; but a write sets both times to the same.
        let is_written =
            |now: Stamp| (now.seconds, now.nanos) == (now.changed_seconds, now.changed_nanos);
        root.stamp(path).is_some_and(is_written)
    }

    /// Whether a file was written while it was read, so that what was read may be a part of it. Whoever
    /// never stops writing is not waited for.
    fn is_disturbed(
        &mut self,
        wanted: &Wanted,
        loaded: &Loaded,
        look: &Look<'_>,
        compares_stamps: bool,
    ) -> bool {
        let root = look.root;
        let paths = wanted.paths();
        // The kernel changes a file first, and tells it later.
        let is_other = |path: &str, read: &Stamp| {
            compares_stamps && root.stamp(path).is_some_and(|now| now != *read)
        };
        let [first, blob] = &paths;
        let is_torn = loaded.meta.as_ref().is_some_and(|meta| {
            let sidecar = meta.sidecar.as_ref();
            is_other(blob, &meta.blob) || sidecar.is_some_and(|sidecar| is_other(first, sidecar))
        });
        // Whoever writes a file anew empties it first; an empty file of which nothing was told is being made.
        let is_empty =
            loaded.is_empty || loaded.meta.as_ref().is_some_and(|meta| meta.blob.length == 0);
        let is_recent =
            |path: &String| root.stamp(path).is_some_and(|now| now.is_recent(EMPTIED_LIMIT));
        let known = wanted.id().and_then(look.known_stamps);
        let may_be_filled = || {
            let empty = if loaded.is_empty { first } else { blob };
            known.is_some_and(|[_, blob]| blob.length > 0) || !self.ended.contains(empty)
        };
        // A file that the kernel is still emptying has the times of before.
        let is_being_emptied = || {
            paths.iter().zip(known.iter().flatten()).any(|(path, known)| {
                root.stamp(path).is_some_and(|now| now.is_being_emptied(known))
            })
        };
        let is_emptied = is_empty
            && self.is_begun
            && !self.settle.is_zero()
            && may_be_filled()
            && (paths.iter().any(is_recent) || is_being_emptied());
        let is_written = |path: &String| {
            let is_touched = self.pending.paths.contains(path);
            // What was renamed to its place was whole before and after.
            is_touched && !self.pending.moved.contains(path) || self.is_being_written(path, root)
        };
        if !(is_torn || is_emptied || paths.iter().any(is_written)) {
            self.disturbed.remove(first);
            return false;
        }
        let since = self.disturbed.entry(first.clone()).or_insert_with(Instant::now);
        let waits = since.elapsed() < WRITING_LIMIT;
        if waits {
            // That nothing follows is told by nobody.
            self.pending.paths.extend(paths);
        } else {
            // The next time counts anew.
            self.disturbed.remove(first);
        }
        waits
    }

    /// Leaves an object as it was until the write that is under way is told to have ended.
    fn look_again(&mut self, wanted: &Wanted) {
        self.was_disturbed = true;
        match wanted {
            Wanted::Version(id, _) => {
                if let Some(versions) = self.shards[shard_of(*id)].get_mut(id) {
                    versions.forget_stamps();
                }
            }
            Wanted::File(path, _) => {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                if let Some((stamp, _)) =
                    self.folders.get_mut(folder).and_then(|files| files.get_mut(name))
                {
                    *stamp = Stamp::default();
                }
            }
        }
    }

    /// Whether something was written since this was asked last while it was read.
    pub(super) fn take_disturbance(&mut self) -> bool {
        std::mem::take(&mut self.was_disturbed)
    }

    /// Looks at everything, and reads what is other than it was.
    pub(super) fn sweep(&mut self, look: &Look<'_>) -> Changes {
        let root = look.root;
        let folder = root.identity();
        if folder != self.folder {
            for watched in ["", "content", "pages", "state", "themes"] {
                self.watch.forget(watched);
            }
            self.folder = folder;
        }
        for folder in ["", "content", "pages", "state", "state/sys", "themes"] {
            self.watch.add(root, folder);
        }
        self.watch_theme(root);
        let mut changes = Changes::new();
        if self.read_rules(root) {
            // Nothing is taken over that was decided by other rules.
            self.forget(&mut changes);
        }
        let mut wanted = Vec::new();
        for shard in 0..=255_u8 {
            self.look_shard(shard, root, &mut wanted, &mut changes);
        }
        self.look_folder("", 0, true, look, &mut wanted, &mut changes);
        self.load(wanted, look, &mut changes);
        self.remember_layouts(root);
        self.is_begun = true;
        latest(changes)
    }

    /// What a look at all files consists of, so that others need not wait for all of it.
    pub(super) fn steps(&self) -> Vec<Step> {
        let shards = (0..=255).map(Step::Shard);
        let folders = self.folders.keys().cloned().chain(["".into()]).map(Step::Folder);
        std::iter::once(Step::Rules).chain(shards).chain(folders).collect()
    }

    /// Does one of these.
    pub(super) fn step(&mut self, step: &Step, look: &Look<'_>) -> Changes {
        self.ended.clear();
        self.arrivals.begin_look(BTreeSet::new());
        if look.came_back {
            return self.sweep(look);
        }
        let mut changes = Changes::new();
        let mut wanted = Vec::new();
        match step {
            Step::Rules => {
                // Nobody writes for so long: the end of it was not told.
                self.rules.is_open &= self.writing_rules();
                if self.rules.is_stale(look.root) {
                    return self.sweep(look);
                }
            }
            Step::Shard(shard) => self.look_shard(*shard, look.root, &mut wanted, &mut changes),
            Step::Folder(path) => {
                let depth = if path.is_empty() { 0 } else { path.matches('/').count() + 1 };
                self.look_folder(path, depth, false, look, &mut wanted, &mut changes);
            }
        }
        self.load(wanted, look, &mut changes);
        latest(changes)
    }

    fn writing_rules(&self) -> bool {
        self.writing.get(rules::TAGS).is_some_and(|since| since.elapsed() < WRITING_LIMIT)
    }

    /// What is to be done because time has passed: what is gone does not count any more, and what was not
    /// for everybody yet is.
    pub(super) fn wake(&mut self, look: &Look<'_>) -> Changes {
        self.ended.clear();
        self.arrivals.begin_look(BTreeSet::new());
        if look.came_back {
            return self.sweep(look);
        }
        let mut changes = Changes::new();
        if self.is_away() {
            return changes;
        }
        let mut wanted = Vec::new();
        for place in self.guards.expire(self.settle) {
            let id = place.strip_prefix("content/").and_then(ObjectId::parse);
            if let Some((id, versions)) =
                id.and_then(|id| Some((id, self.shards[shard_of(id)].get(&id)?.clone())))
            {
                self.judge(id, &versions, &mut wanted, &mut changes);
            }
        }
        self.beside.expire(self.settle, |folder| {
            look.root.has_folder(&folders::path_of(folder)).unwrap_or_default()
        });
        self.expire_folder_rules(look, &mut wanted);
        self.expire_sections(look);
        self.settle_arrivals(look, &mut wanted, &mut changes);
        let now = jiff::Timestamp::now().as_second();
        let due: Vec<Box<str>> = self
            .timed
            .iter()
            .filter(|(_, moment)| **moment <= now)
            .map(|(place, _)| place.clone())
            .collect();
        for place in due {
            self.timed.remove(&place);
            let path = place.strip_prefix("pages/").unwrap_or(&place);
            if path.ends_with(crate::folder_rules::FOLDER_RULES) {
                let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
                self.forget_folder_rules_stamp(folder);
                self.look_folder_rules(folder, look.root.stamp(&place), look, &mut wanted);
            } else {
                self.look_file(path, look, &mut wanted, &mut changes);
            }
        }
        self.load(wanted, look, &mut changes);
        latest(changes)
    }

    /// Forgets all files, so that they are read again.
    fn forget(&mut self, changes: &mut Changes) {
        // What is away is read again when it comes back.
        if self.layouts.content.is_away {
            let versions = self.shards.iter_mut().flat_map(|shard| shard.values_mut());
            versions.for_each(Versions::forget_stamps);
        } else {
            for shard in &mut self.shards {
                changes.extend(shard.drain().map(|(id, _)| (id, None)));
            }
        }
        if self.layouts.pages.is_away {
            let files = self.folders.values_mut().flat_map(|files| files.values_mut());
            files.for_each(|(stamp, _)| *stamp = Stamp::default());
        } else {
            // The folders themselves are not new when their files are read again.
            for files in self.folders.values_mut() {
                let files = std::mem::take(files);
                changes.extend(files.into_values().filter_map(|(_, id)| id).map(|id| (id, None)));
            }
            self.owners.clear();
            self.beside.forget();
        }
        self.findings.retain(|place, _| place.starts_with("state/") || place.ends_with('/'));
    }

    fn find(&mut self, place: &str, findings: Vec<Finding>) {
        for finding in &findings {
            if self.findings.get(place).is_none_or(|known| !known.contains(finding)) {
                match finding.fault {
                    // It is what people do who write down a thought.
                    Fault::NoTitle => tracing::debug!(place = finding.place, "{}", finding.message),
                    _ => tracing::warn!(place = finding.place, "{}", finding.message),
                }
            }
        }
        if findings.is_empty() {
            self.findings.remove(place);
        } else {
            self.findings.insert(place.into(), findings);
        }
    }

    /// Reads all that is wanted, several at once where there are many, and then what is to be read again
    /// because of that.
    fn load(&mut self, wanted: Vec<Wanted>, look: &Look<'_>, changes: &mut Changes) {
        self.load_once(wanted, look, changes);
        let below = self.files_below_changed_sections();
        if !below.is_empty() {
            self.load_once(below, look, changes);
        }
        let beside = self.files_beside_changed(look);
        if !beside.is_empty() {
            self.load_once(beside, look, changes);
        }
        let named = self.files_named_publicly(look, changes);
        if !named.is_empty() {
            self.load_once(named, look, changes);
        }
        // Before anybody is answered by it.
        self.guards.save(self.journal.as_deref());
    }

    fn load_once(&mut self, wanted: Vec<Wanted>, look: &Look<'_>, changes: &mut Changes) {
        // What was told until now is in what is read.
        self.take(look.root);
        let mut told = self.pending();
        let rules = &self.rules.rules[..];
        let read = |wanted: &[Wanted]| -> Vec<Loaded> {
            let mut loader = Loader::new(look.root, look.reserved, rules, Some(look.known));
            let each = wanted.iter().map(|wanted| match wanted {
                Wanted::Version(id, number) => loader.version(*id, *number),
                Wanted::File(path, _) => loader.file(path),
            });
            each.collect()
        };
        let loaded: Vec<Loaded> = if wanted.len() < 256 {
            read(&wanted)
        } else {
            std::thread::scope(|scope| {
                let size = wanted.len().div_ceil(READERS);
                let begin = |some| (some, scope.spawn(move || read(some)));
                let handles: Vec<_> = wanted.chunks(size).map(begin).collect();
                // As many as there are, whatever happened: the next ones are not its own.
                let nothing =
                    |some: &[Wanted]| some.iter().map(|_| Loaded::default()).collect::<Vec<_>>();
                let all = handles.into_iter();
                all.flat_map(|(some, it)| it.join().unwrap_or_else(|_| nothing(some))).collect()
            })
        };
        // A write is told before its bytes can be read: what was written while it was read is known now.
        self.take(look.root);
        let compares_stamps = wanted.len() < MAX_COMPARED_STAMPS;
        for (wanted, mut loaded) in wanted.into_iter().zip(loaded) {
            if self.is_disturbed(&wanted, &loaded, look, compares_stamps) {
                self.look_again(&wanted);
                // That it is for everybody was found out before the pages beside it were read, if it was: this
                // look was to restrict it.
                let is_open = |meta: &Option<Arc<PageMeta>>| {
                    meta.as_ref().is_some_and(|meta| meta.is_public())
                };
                let id = wanted.id();
                changes.retain(|(other, meta)| Some(*other) != id || !is_open(meta));
                continue;
            }
            match wanted {
                Wanted::Version(id, number) => {
                    self.restrict_version(id, number, &mut loaded, look);
                    self.find(&object(id), loaded.findings);
                    changes.push((id, loaded.meta.map(Arc::new)));
                }
                Wanted::File(path, before) => self.take_file(&path, before, loaded, look, changes),
            }
        }
        told.add(self.pending());
        self.pending = told;
    }
}

/// A part of a look at all files.
#[derive(Debug)]
pub(super) enum Step {
    /// Who may see what.
    Rules,
    /// Of the versioned layout.
    Shard(u8),
    /// Of the plain layout.
    Folder(Box<str>),
}

/// An object that is to be read.
#[derive(Debug)]
enum Wanted {
    Version(ObjectId, u32),
    /// With the id that it had.
    File(String, Option<ObjectId>),
}

impl Wanted {
    /// The object that it is, or was when it was read last.
    fn id(&self) -> Option<ObjectId> {
        match self {
            Self::Version(id, _) => Some(*id),
            Self::File(_, before) => *before,
        }
    }

    /// The files that it consists of: for one file, the same twice.
    fn paths(&self) -> [String; 2] {
        match self {
            Self::Version(id, number) => {
                let blob = Place::Version { number: *number }.path(*id);
                [format!("{blob}.ron"), blob]
            }
            Self::File(path, _) => [format!("pages/{path}"), format!("pages/{path}")],
        }
    }
}

/// Of each object, what was said last.
pub(super) fn latest(changes: Changes) -> Changes {
    let mut places: HashMap<ObjectId, usize> = HashMap::with_capacity(changes.len());
    let mut kept: Changes = Vec::with_capacity(changes.len());
    for (id, meta) in changes {
        match places.get(&id) {
            Some(place) => kept[*place].1 = meta,
            None => {
                places.insert(id, kept.len());
                kept.push((id, meta));
            }
        }
    }
    kept
}

fn shard_of(id: ObjectId) -> usize {
    // One byte.
    (id.0 & 0xff) as usize
}

fn shard_named(name: &str) -> Option<u8> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if name.len() != 2 || !name.bytes().all(is_digit) {
        return None;
    }
    u8::from_str_radix(name, 16).ok()
}

/// What findings about an object of the versioned layout are kept by.
fn object(id: ObjectId) -> String {
    format!("content/{id}")
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
