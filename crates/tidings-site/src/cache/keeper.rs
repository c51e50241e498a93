//! What is known of the files, and how the books follow them.

mod plain;
mod versioned;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

use crate::books::Books;
use crate::finding::{Fault, Finding};
use crate::load::{Loaded, Loader};
use crate::object_id::ObjectId;
use crate::page_meta::{PageMeta, Stamp};
use crate::reserved::Reserved;
use crate::root::ContentRoot;
use crate::survey::{Half, Versions, is_hidden};
use crate::tag_rules::TagRules;
use crate::watch::{Touched, Waiter, Watch};

/// What is to be put into the books.
pub(super) type Changes = Vec<(ObjectId, Option<Arc<PageMeta>>)>;

/// The longest file of tags or roles.
const MOST_RULES: usize = 4 << 20;
/// How deep folders are looked into.
const DEEPEST: usize = 32;
const THEME: &str = "themes/tidings";
/// How deep its folders are, and no theme's are deeper.
const DEEPEST_THEME: usize = 4;
const RULES: &str = "state/sys/tags.yaml";
/// Threads that read files.
const READERS: usize = 4;

/// The files of a folder by name, with the object that each is, if it is one.
type Files = BTreeMap<Box<str>, (Stamp, Option<ObjectId>)>;

#[derive(Debug)]
pub(super) struct Keeper {
    watch: Watch,
    /// Which folder the content root was when all of it was looked at.
    folder: Option<(u64, u64)>,
    pending: Touched,
    /// Of the versioned layout, by shard.
    shards: Vec<HashMap<ObjectId, Versions>>,
    /// Of the plain layout, by folder and name.
    folders: BTreeMap<Box<str>, Files>,
    /// Who has an id that a file names.
    owners: HashMap<ObjectId, Box<str>>,
    /// What tags say; none if that could not be read.
    rules: Option<TagRules>,
    rules_stamp: Option<Stamp>,
    /// True while somebody writes them.
    is_rules_open: bool,
    findings: BTreeMap<Box<str>, Vec<Finding>>,
}

impl Keeper {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            watch: Watch::new()?,
            folder: None,
            pending: Touched::default(),
            shards: vec![HashMap::new(); 256],
            folders: BTreeMap::new(),
            owners: HashMap::new(),
            rules: Some(TagRules::default()),
            rules_stamp: None,
            is_rules_open: false,
            findings: BTreeMap::new(),
        })
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
        self.pending.is_all |= touched.is_all;
        self.pending.open.retain(|path| !touched.paths.contains(path));
        self.pending.open.extend(touched.open);
        self.pending.paths.extend(touched.paths);
        !self.pending.is_empty()
    }

    /// What was taken and not followed yet.
    pub(super) fn pending(&mut self) -> Touched {
        std::mem::take(&mut self.pending)
    }

    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.findings.values().flatten().cloned().collect();
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
        Loader::new(root, reserved, self.rules.as_ref()).version(id, number).meta
    }

    /// Looks at everything, and reads what is other than it was.
    pub(super) fn sweep(&mut self, root: &ContentRoot, reserved: &Reserved) -> Changes {
        let folder = root.identity();
        if folder != self.folder {
            for watched in ["", "content", "pages", "state", "themes"] {
                self.watch.forget(watched);
            }
            self.folder = folder;
        }
        for folder in ["", "content", "pages", "state", "state/sys", "themes"] {
            self.watch.add(root.path(), folder);
        }
        self.watch_theme(root);
        let mut changes = Changes::new();
        let is_changed = self.read_rules(root);
        if is_changed {
            // Nothing is taken over that was decided by other rules.
            self.forget(&mut changes);
        }
        let mut wanted = Vec::new();
        for shard in 0..=255_u8 {
            self.look_shard(shard, root, &mut wanted, &mut changes);
        }
        self.look_folder("", 0, true, root, &mut wanted, &mut changes);
        self.load(wanted, root, reserved, &mut changes);
        latest(changes)
    }

    /// What a look at all files consists of, so that others need not wait for all of it.
    pub(super) fn steps(&self) -> Vec<Step> {
        let shards = (0..=255).map(Step::Shard);
        let folders = self.folders.keys().cloned().chain(["".into()]).map(Step::Folder);
        std::iter::once(Step::Rules).chain(shards).chain(folders).collect()
    }

    /// Does one of these.
    pub(super) fn step(&mut self, step: &Step, root: &ContentRoot, reserved: &Reserved) -> Changes {
        let mut changes = Changes::new();
        let mut wanted = Vec::new();
        match step {
            Step::Rules if self.is_rules_open || root.stamp(RULES) == self.rules_stamp => {}
            Step::Rules => return self.sweep(root, reserved),
            Step::Shard(shard) => self.look_shard(*shard, root, &mut wanted, &mut changes),
            Step::Folder(path) => {
                let depth = if path.is_empty() { 0 } else { path.matches('/').count() + 1 };
                self.look_folder(path, depth, false, root, &mut wanted, &mut changes);
            }
        }
        self.load(wanted, root, reserved, &mut changes);
        latest(changes)
    }

    /// Follows what the kernel says was touched.
    pub(super) fn follow(
        &mut self,
        touched: &Touched,
        root: &ContentRoot,
        reserved: &Reserved,
        books: &Books,
    ) -> Changes {
        // Rules that are being written are not read: what is there says less than what will be.
        if touched.is_all || touched.paths.contains(RULES) {
            self.is_rules_open = touched.open.contains(RULES);
        }
        let is_rules_open = self.is_rules_open;
        let is_large = |path: &String| {
            if path == RULES && is_rules_open {
                return false;
            }
            matches!(path.as_str(), "content" | "pages" | "state" | "state/sys" | "themes" | RULES)
        };
        // What went away as a whole comes again, as a rule: nobody is told that all of it is gone.
        if !root.is_there() {
            return Changes::new();
        }
        if touched.is_all || touched.paths.iter().any(is_large) {
            return self.sweep(root, reserved);
        }
        if touched.paths.iter().any(|path| path.starts_with(THEME)) {
            self.watch_theme(root);
        }
        let mut changes = Changes::new();
        let mut wanted = Vec::new();
        let mut gone = Vec::new();
        for path in &touched.paths {
            // Whoever writes a file anew empties it first. What is in it then says nothing of who may see
            // it, and a sidecar nothing at all; that it was closed is told as well.
            if touched.open.contains(path) && root.stamp(path).is_some_and(|it| it.length == 0) {
                continue;
            }
            let mut parts = path.splitn(3, '/');
            match (parts.next(), parts.next(), parts.next()) {
                (Some("content"), Some(shard), None) => {
                    if let Some(shard) = shard_named(shard) {
                        self.look_shard(shard, root, &mut wanted, &mut changes);
                    }
                }
                (Some("content"), Some(shard), Some(name)) => {
                    let half = Half::parse(name);
                    let half = half.filter(|half| Some(half.id.0 as u8) == shard_named(shard));
                    if let Some(half) = half {
                        self.look_half(half, root, &mut wanted, &mut changes);
                    }
                }
                (Some("pages"), Some(_), _) => {
                    let path = path.strip_prefix("pages/").unwrap_or_default();
                    if path.split('/').any(is_hidden) {
                        continue;
                    }
                    if root.is_folder(&format!("pages/{path}")) {
                        let depth = path.matches('/').count() + 1;
                        self.look_folder(path, depth, true, root, &mut wanted, &mut changes);
                    } else if self.folders.contains_key(path) {
                        gone.push(path);
                    } else {
                        self.look_file(path, root, &mut wanted, &mut changes);
                    }
                }
                _ => {}
            }
        }
        // After what came, so that a folder that was only moved is not taken from the watch again.
        for path in gone {
            self.drop_folder(path, &mut changes);
        }
        self.load(wanted, root, reserved, &mut changes);
        let changes = latest(changes);
        // Most events are one of several about the same file.
        let is_new = |id: &ObjectId, meta: &Option<Arc<PageMeta>>| books.any(*id) != meta.as_ref();
        changes.into_iter().filter(|(id, meta)| is_new(id, meta)).collect()
    }

    /// Looks at one object again.
    pub(super) fn look(
        &mut self,
        meta: &PageMeta,
        root: &ContentRoot,
        reserved: &Reserved,
        books: &Books,
    ) -> Changes {
        let path = meta.place.path(meta.id);
        let mut paths = std::collections::BTreeSet::from([format!("{path}.ron")]);
        paths.insert(path);
        // What is empty may be about to be written.
        let open = paths.clone();
        self.follow(&Touched { paths, open, is_all: false }, root, reserved, books)
    }

    /// Watches the folder of the theme, and those in it.
    fn watch_theme(&mut self, root: &ContentRoot) {
        let mut folders = vec![THEME.to_owned()];
        while let Some(folder) = folders.pop() {
            self.watch.add(root.path(), &folder);
            if folder.matches('/').count() > DEEPEST_THEME {
                continue;
            }
            let found =
                std::fs::read_dir(root.path().join(&folder)).into_iter().flatten().flatten();
            let found = found.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let names = found.filter_map(|entry| entry.file_name().into_string().ok());
            folders.extend(names.map(|name| format!("{folder}/{name}")));
        }
    }

    /// What tags say. True if that is other than before.
    fn read_rules(&mut self, root: &ContentRoot) -> bool {
        // A link that leads out is there, and says something that is not known.
        let seen = match root.open(RULES) {
            Ok((_, stamp)) => Ok(Some(stamp)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        if self.is_rules_open || seen.as_ref().is_ok_and(|stamp| *stamp == self.rules_stamp) {
            return false;
        }
        self.rules_stamp = seen.ok().flatten();
        self.findings.remove(RULES);
        // More than is allowed, so that it is refused, and not taken for less than it is.
        let rules = match root.read(RULES, MOST_RULES + 1) {
            Ok((bytes, _)) => TagRules::parse(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TagRules::default()),
            Err(error) => Err(format!("it could not be read: {error}")),
        };
        let before = self.rules.take();
        match rules {
            Ok(rules) => self.rules = Some(rules),
            Err(message) => {
                tracing::error!(
                    place = RULES,
                    message,
                    "nothing with tags is public until this is mended"
                );
                let finding = Finding { place: RULES.into(), fault: Fault::Rules, message };
                self.findings.insert(RULES.into(), vec![finding]);
            }
        }
        before != self.rules
    }

    /// Forgets all files, so that they are read again.
    fn forget(&mut self, changes: &mut Changes) {
        for shard in &mut self.shards {
            changes.extend(shard.drain().map(|(id, _)| (id, None)));
        }
        for (_, files) in std::mem::take(&mut self.folders) {
            changes.extend(files.into_values().filter_map(|(_, id)| id).map(|id| (id, None)));
        }
        self.owners.clear();
        self.findings.retain(|place, _| &**place == RULES);
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

    /// Reads all that is wanted, several at once where there are many.
    fn load(
        &mut self,
        wanted: Vec<Wanted>,
        root: &ContentRoot,
        reserved: &Reserved,
        changes: &mut Changes,
    ) {
        let rules = self.rules.as_ref();
        let read = |wanted: &[Wanted]| -> Vec<Loaded> {
            let mut loader = Loader::new(root, reserved, rules);
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
        for (wanted, loaded) in wanted.into_iter().zip(loaded) {
            match wanted {
                Wanted::Version(id, _) => {
                    self.find(&object(id), loaded.findings);
                    changes.push((id, loaded.meta.map(Arc::new)));
                }
                Wanted::File(path, before) => self.take_file(&path, before, loaded, changes),
            }
        }
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

/// Of each object, what was said last.
fn latest(changes: Changes) -> Changes {
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
