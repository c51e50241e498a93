//! Objects and folders that came a moment ago, and may be restricted by a file that is still to come: they
//! are for nobody until they have settled.
//!
//! A checkout writes a page before the `tags.yaml` that restricts its tag, a page before the `_folder.toml`
//! of its new folder, and a picture before the restricted page that names it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::folders::{folders_above, has_public_files};
use super::named_files::named_in;
use super::{Changes, Keeper, Look, Wanted, join, object};
use crate::load::is_page_name;
use crate::object_id::ObjectId;
use crate::page_meta::{Kind, PageMeta, Stamp};
use crate::path::normalized;
use crate::place::Place;
use crate::tag_rules::TagRules;

/// Up to how long something is withheld while other files keep coming.
const ARRIVAL_LIMIT: Duration = Duration::from_secs(30);
/// How many pages of a folder are searched for the name of a file that came.
const MAX_SEARCHED_PAGES: usize = 256;

/// An object that came a moment ago.
#[derive(Debug)]
struct ArrivedObject {
    since: Instant,
    /// The tags that no rules know; none if it is a file that is no page.
    tags: BTreeSet<Box<str>>,
    /// True if it is known to be for everybody, or came through the administration.
    is_released: bool,
}

/// A folder that came a moment ago, or whose rules did.
#[derive(Debug, Default)]
struct ArrivedFolder {
    /// Since when it or a folder in it has a file.
    since: Option<Instant>,
    /// The tags of its rules that no rules of tags know.
    tags: BTreeSet<Box<str>>,
}

/// All that came a moment ago.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// By place.
    objects: BTreeMap<Box<str>, ArrivedObject>,
    folders: BTreeMap<Box<str>, ArrivedFolder>,
    /// Files that came in this look.
    new_files: BTreeSet<Box<str>>,
    /// When the kernel told of a change last.
    touched: Option<Instant>,
    /// Paths that came by a rename in this look.
    moved: BTreeSet<String>,
    /// Objects whose files went in this look, by the number of the file.
    left: HashMap<u64, ObjectId>,
}

/// The tags that not all rules know.
fn unknown_tags<'t>(
    rules: &[TagRules],
    tags: impl IntoIterator<Item = &'t str>,
) -> BTreeSet<Box<str>> {
    let is_known = |tag: &&str| rules.iter().all(|rules| rules.tags.contains_key(*tag));
    tags.into_iter().filter(|tag| !is_known(tag)).map(Into::into).collect()
}

fn has_tags(meta: &PageMeta, tags: &BTreeSet<Box<str>>) -> bool {
    tags.iter().all(|tag| meta.tags.contains(tag))
}

impl Arrivals {
    /// A look begins, in which these paths came by a rename.
    pub(super) fn begin_look(&mut self, moved: BTreeSet<String>) {
        self.moved = moved;
        self.left.clear();
        self.new_files.clear();
    }

    /// The kernel told of a change.
    pub(super) fn touch(&mut self) {
        self.touched = Some(Instant::now());
    }

    /// The file of an object is gone.
    pub(super) fn leave(&mut self, place: &str, file: Option<(Stamp, Option<ObjectId>)>) {
        self.objects.remove(place);
        if let Some((stamp, Some(id))) = file {
            self.left.insert(stamp.inode, id);
        }
    }

    /// A folder is gone.
    pub(super) fn leave_folder(&mut self, folder: &str) {
        self.folders.remove(folder);
    }

    /// A folder has a file.
    pub(super) fn fill_folder(&mut self, folder: &str) {
        for folder in folders_above(folder) {
            if let Some(arrived) = self.folders.get_mut(folder) {
                arrived.since.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Whether a folder or one that it is in was renamed to its place in this look: it was whole before.
    fn is_moved(&self, folder: &str) -> bool {
        let is_moved = |folder: &str| self.moved.contains(&super::folders::path_of(folder));
        folders_above(folder).any(is_moved)
    }

    /// Whether something that came then has settled: nothing else comes any more, or it has been there for
    /// long.
    fn is_due(&self, since: Instant, settle: Duration) -> bool {
        let age = since.elapsed();
        let is_quiet = self.touched.is_none_or(|touched| touched.elapsed() >= settle);
        age >= settle && (is_quiet || age >= ARRIVAL_LIMIT.max(settle))
    }
}

impl Keeper {
    /// Whether arrivals are withheld: not those of the first look, and not if nothing settles.
    fn withholds(&self) -> bool {
        self.is_begun && !self.settle.is_zero()
    }

    /// Takes note of a folder that was not there before. One that has rules, or was whole before, is not
    /// withheld.
    pub(super) fn arrive_folder(&mut self, folder: &str, has_rules: bool, is_empty: bool) {
        let is_known = has_rules || self.folder_rules.contains_key(folder);
        let is_whole = is_known || !is_empty && self.arrivals.is_moved(folder);
        if self.withholds() && !folder.is_empty() && !is_whole {
            self.arrivals.folders.entry(folder.into()).or_default();
        }
    }

    /// Takes note of the rules of a folder, which have these tags, and had those.
    pub(super) fn arrive_folder_rules(&mut self, folder: &str, tags: &[String], last: &[String]) {
        let unknown = unknown_tags(&self.rules.rules, tags.iter().map(String::as_str));
        let is_new = unknown.iter().any(|tag| !last.iter().any(|last| **last == **tag));
        let is_withheld = is_new && self.withholds();
        match self.arrivals.folders.get_mut(folder) {
            Some(arrived) if !arrived.tags.is_empty() && !unknown.is_empty() => {
                if is_new {
                    arrived.since = Some(Instant::now());
                }
                arrived.tags = unknown;
            }
            _ if is_withheld => {
                let arrived = ArrivedFolder { since: Some(Instant::now()), tags: unknown };
                self.arrivals.folders.insert(folder.into(), arrived);
            }
            _ => drop(self.arrivals.folders.remove(folder)),
        }
    }

    /// Whether a folder or one that it is in is for nobody yet.
    pub(super) fn is_folder_arriving(&self, folder: &str) -> bool {
        let is_withheld = |arrived: &ArrivedFolder| {
            let tags = arrived.tags.iter().map(|tag| &**tag);
            arrived.tags.is_empty() || !unknown_tags(&self.rules.rules, tags).is_empty()
        };
        folders_above(folder)
            .any(|folder| self.arrivals.folders.get(folder).is_some_and(is_withheld))
    }

    /// Whether an object that was read is for nobody yet: a page or an object with tags that are new on it
    /// and that no rules know, or a new page whose file says nothing yet.
    pub(super) fn is_arriving(
        &mut self,
        place: &str,
        meta: &PageMeta,
        is_unwritten: bool,
        look: &Look<'_>,
    ) -> bool {
        let unknown = unknown_tags(&self.rules.rules, meta.tags.iter().map(|tag| &**tag));
        if unknown.is_empty() && !is_unwritten || !self.withholds() {
            self.arrivals.objects.remove(place);
            return false;
        }
        if let Some(arrived) = self.arrivals.objects.get_mut(place) {
            if !unknown.is_subset(&arrived.tags) {
                *arrived =
                    ArrivedObject { since: Instant::now(), tags: unknown, is_released: false };
            }
            return !arrived.is_released;
        }
        let had_tags = |before: Arc<PageMeta>| has_tags(&before, &unknown);
        if self.before(meta, look).is_some_and(had_tags) {
            return false;
        }
        let arrived = ArrivedObject { since: Instant::now(), tags: unknown, is_released: false };
        self.arrivals.objects.insert(place.into(), arrived);
        true
    }

    /// Whether a file that is no page is for nobody yet: it is new, and a restricted page that names it may
    /// be still to come.
    pub(super) fn is_file_arriving(
        &mut self,
        place: &str,
        meta: &PageMeta,
        look: &Look<'_>,
    ) -> bool {
        if let Some(arrived) = self.arrivals.objects.get(place) {
            return !arrived.is_released;
        }
        if !self.withholds() || self.before(meta, look).is_some() {
            return false;
        }
        let (since, tags) = (Instant::now(), BTreeSet::new());
        self.arrivals
            .objects
            .insert(place.into(), ArrivedObject { since, tags, is_released: false });
        self.arrivals.new_files.insert(place.into());
        true
    }

    /// The object as it was before, also if it is gone for a moment, or had another name until now.
    fn before(&self, meta: &PageMeta, look: &Look<'_>) -> Option<Arc<PageMeta>> {
        let known = (look.before)(meta.id, &meta.url_path());
        known.or_else(|| {
            let id = self.arrivals.left.get(&meta.blob.inode)?;
            (look.before)(*id, "").filter(|before| before.content == meta.content)
        })
    }

    /// Files that came and that a public page beside them names: they are for everybody, and to be read
    /// again.
    pub(super) fn files_named_publicly(
        &mut self,
        look: &Look<'_>,
        changes: &Changes,
    ) -> Vec<Wanted> {
        let files = self.arrivals.objects.iter().filter(|(place, arrived)| {
            !arrived.is_released && place.starts_with("pages/") && !is_page_name(place)
        });
        let paths = files.filter_map(|(place, _)| place.strip_prefix("pages/")).map(str::to_owned);
        let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in paths {
            let (folder, _) = path.rsplit_once('/').unwrap_or(("", &path));
            folders.entry(folder.to_owned()).or_default().push(path);
        }
        if folders.is_empty() {
            return Vec::new();
        }
        let changed: HashMap<ObjectId, Option<&Arc<PageMeta>>> =
            changes.iter().map(|(id, meta)| (*id, meta.as_ref())).collect();
        let mut wanted = Vec::new();
        for (folder, paths) in folders {
            let is_new =
                |path: &String| self.arrivals.new_files.contains(&*format!("pages/{path}"));
            let has_new = paths.iter().any(is_new);
            let Some(files) = self.folders.get(&*folder) else { continue };
            let pages = files.iter().filter(|(name, _)| is_page_name(name));
            let is_public = |id: ObjectId| match changed.get(&id) {
                Some(meta) => meta.is_some_and(|meta| meta.is_public()),
                None => has_new && (look.before)(id, "").is_some_and(|meta| meta.is_public()),
            };
            let pages = pages.filter(|(_, (_, id))| id.is_some_and(is_public));
            let named: HashSet<String> = pages
                .take(MAX_SEARCHED_PAGES)
                .flat_map(|(name, _)| named_in(&folder, name, look).links)
                .collect();
            for path in paths {
                let name = path.rsplit('/').next().unwrap_or(&path);
                if !named.contains(&*normalized(&path)) {
                    continue;
                }
                let id = files.get(name).and_then(|(_, id)| *id);
                if let Some(arrived) = self.arrivals.objects.get_mut(&*format!("pages/{path}")) {
                    arrived.is_released = true;
                    wanted.push(Wanted::File(path, id));
                }
            }
        }
        wanted
    }

    /// Takes what has settled, which is to be read again.
    pub(super) fn settle_arrivals(
        &mut self,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        let settle = self.settle;
        let is_due = |since: Instant| self.arrivals.is_due(since, settle);
        let objects = self.arrivals.objects.iter().filter(|(_, it)| is_due(it.since));
        let objects: Vec<Box<str>> = objects.map(|(place, _)| place.clone()).collect();
        let folders = self.arrivals.folders.iter();
        let folders = folders.filter(|(_, it)| it.since.is_some_and(is_due));
        let folders: Vec<Box<str>> = folders.map(|(folder, _)| folder.clone()).collect();
        for place in objects {
            let settled = self.arrivals.objects.remove(&place);
            if settled.is_none_or(|settled| settled.is_released) {
                continue;
            }
            self.look_again_at(&place, look, wanted, changes);
        }
        for folder in folders {
            self.arrivals.folders.remove(&folder);
            self.want_below(&folder, wanted);
        }
    }

    fn look_again_at(
        &mut self,
        place: &str,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        if let Some(path) = place.strip_prefix("pages/") {
            self.look_file(path, look, wanted, changes);
        } else if let Some(id) = place.strip_prefix("content/").and_then(ObjectId::parse)
            && let Some(versions) = self.shards[super::shard_of(id)].get(&id).cloned()
        {
            self.judge(id, &versions, wanted, changes);
        }
    }

    /// Releases an object that came through the administration, and the folders that were made for it.
    pub(in crate::cache) fn release(
        &mut self,
        id: ObjectId,
        place: &Place,
        look: &Look<'_>,
    ) -> Changes {
        let (mut wanted, mut changes) = (Vec::new(), Changes::new());
        let key = match place {
            Place::Version { .. } => object(id),
            Place::File { path } => {
                let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
                let above: Vec<&str> = folders_above(folder).collect();
                for folder in above {
                    if self.arrivals.folders.remove(folder).is_some() {
                        self.want_below(folder, &mut wanted);
                    }
                }
                format!("pages/{path}")
            }
        };
        if let Some(arrived) = self.arrivals.objects.get_mut(&*key) {
            arrived.is_released = true;
            self.look_again_at(&key, look, &mut wanted, &mut changes);
        }
        self.load(wanted, look, &mut changes);
        super::latest(changes)
    }

    /// Whether an object that is for nobody may be so only until it has settled.
    pub(in crate::cache) fn is_settling(&self, meta: &PageMeta) -> bool {
        let is_withheld = |arrived: &ArrivedObject| !arrived.is_released;
        let path = match &meta.place {
            Place::Version { .. } => {
                return self.arrivals.objects.get(&*object(meta.id)).is_some_and(is_withheld);
            }
            Place::File { path } => path,
        };
        let place = format!("pages/{path}");
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.arrivals.objects.get(&*place).is_some_and(is_withheld)
            || self.is_folder_arriving(folder)
        {
            return true;
        }
        // A file is as restricted as the pages beside it, or above it.
        let has_arriving = |above: &str| {
            let start = format!("pages/{}", join(above, ""));
            let from = (Bound::Included(&*start), Bound::Unbounded);
            let below = self.arrivals.objects.range::<str, _>(from);
            let mut below =
                below.map_while(|(place, arrived)| Some((place.strip_prefix(&*start)?, arrived)));
            below.any(|(other, arrived)| {
                let is_own = above == folder && other == name;
                !is_own && !other.contains('/') && is_page_name(other) && is_withheld(arrived)
            })
        };
        meta.kind != Kind::Markdown
            && !has_public_files(&self.folder_rules, folder)
            && self.folder_of_pages(folder).is_some_and(has_arriving)
    }
}
