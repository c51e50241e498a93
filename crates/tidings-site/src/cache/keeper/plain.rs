//! The plain layout: folders of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::access::Access;
use crate::finding::{Fault, Finding};
use crate::folder_rules::FOLDER_RULES;
use crate::guard::Guard;
use crate::load::{Loaded, is_page_name};
use crate::object_id::ObjectId;
use crate::page_meta::{PageMeta, Stamp};
use crate::root::is_gone;
use crate::section::is_folder_data;
use crate::survey;

use super::folders::has_public_files;
use super::{Changes, DEEPEST, Keeper, Look, Wanted, join, shard_of};

impl Keeper {
    /// Looks at a folder and those below it; only at those that are new, unless it is to be deep.
    pub(super) fn look_folder(
        &mut self,
        path: &str,
        depth: usize,
        is_deep: bool,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        let root = look.root;
        if self.layouts.pages.is_away {
            return;
        }
        let full = if path.is_empty() { "pages".to_owned() } else { format!("pages/{path}") };
        // First, so that nothing is missed between.
        self.watch.add(root, &full);
        let found = match survey::folder(root, path) {
            Ok(mut found) if depth <= DEEPEST => {
                self.look_for_missing(path, look, &mut found);
                found
            }
            Ok(_) => {
                let message = format!("it is more than {DEEPEST} folders deep, and left out");
                self.find(
                    &full,
                    vec![Finding { place: full.clone(), fault: Fault::Unreadable, message }],
                );
                return;
            }
            Err(error) if is_gone(&error) => return self.drop_folder(path, changes),
            // That it cannot be read now does not mean that it is gone.
            Err(error) => {
                let message = format!("it could not be read: {error}");
                let fault = Fault::Unreadable;
                self.find(&full, vec![Finding { place: full.clone(), fault, message }]);
                return;
            }
        };
        let odd = found.odd.iter().map(|name| Finding {
            place: format!("{full}/{name}"),
            fault: Fault::Unreadable,
            message: "it is no file, or a link that leads out of the content root, and is left out"
                .into(),
        });
        self.find(&full, odd.collect());
        if !self.folders.contains_key(path) {
            let is_empty = found.files.is_empty() && found.folders.is_empty();
            let has_rules = found.rules.is_some() || found.misnamed_rules.is_some();
            self.arrive_folder(path, has_rules, is_empty);
        }
        if !found.files.is_empty() {
            self.arrivals.fill_folder(path);
        }
        // Before its files are read by what it says.
        match found.misnamed_rules {
            Some((name, stamp)) => self.close_folder(path, &name, stamp, wanted),
            None => self.look_folder_rules(path, found.rules, look, wanted),
        }
        let known = self.folders.remove(path).unwrap_or_default();
        let mut files = BTreeMap::new();
        for (name, before) in &known {
            if found.unknown.contains(name) {
                files.insert(name.clone(), *before);
            } else if !found.files.contains_key(name) {
                self.drop_file(&join(path, name), Some(*before), changes);
            }
        }
        for (name, stamp) in found.files {
            let before = known.get(&name).copied();
            // Somebody is writing it; when that is done, it is told.
            let is_emptied = stamp.length == 0 && before.is_some_and(|(known, _)| known.length > 0);
            let full = format!("pages/{}", join(path, &name));
            if is_emptied || self.is_being_written(&full, root) {
                files.extend(before.map(|before| (name, before)));
                continue;
            }
            if before.map(|(known, _)| known) != Some(stamp) {
                wanted.push(Wanted::File(join(path, &name), before.and_then(|(_, id)| id)));
            }
            files.insert(name, (stamp, before.and_then(|(_, id)| id)));
        }
        self.folders.insert(path.into(), files);
        // Folders that were here, and are not.
        let below = self.below(path);
        for gone in below.iter().filter(|below| {
            let name = below[path.len()..].trim_start_matches('/');
            !found.folders.iter().any(|kept| {
                name.strip_prefix(&**kept)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        }) {
            self.drop_folder(gone, changes);
        }
        for name in &found.folders {
            let below = join(path, name);
            if is_deep || !self.folders.contains_key(below.as_str()) {
                self.look_folder(&below, depth + 1, is_deep, look, wanted, changes);
            }
        }
    }

    /// Looks for what was in a folder and is not in its listing: a listing may leave out what is renamed
    /// meanwhile. What cannot be looked at is not taken for gone.
    fn look_for_missing(&self, path: &str, look: &Look<'_>, found: &mut survey::Folder) {
        let root = look.root;
        let full = |name: &str| format!("pages/{}", join(path, name));
        if found.rules.is_none() && self.folder_rules.contains_key(path) {
            let stamp = root.look(&full(FOLDER_RULES));
            found.rules = stamp.unwrap_or_else(|_| Some(Stamp::default()));
        }
        for name in self.folders.get(path).into_iter().flat_map(|files| files.keys()) {
            if found.files.contains_key(name) || found.unknown.contains(name) {
                continue;
            }
            match root.look(&full(name)) {
                Ok(Some(stamp)) => drop(found.files.insert(name.clone(), stamp)),
                Ok(None) => {}
                Err(_) => drop(found.unknown.insert(name.clone())),
            }
        }
        for below in self.below(path) {
            let name = below[path.len()..].trim_start_matches('/');
            let name = name.split('/').next().unwrap_or(name);
            let is_known = found.folders.iter().any(|known| **known == *name);
            if !is_known && root.has_folder(&full(name)).unwrap_or(true) {
                found.folders.push(name.into());
            }
        }
        found.folders.sort_unstable();
    }

    /// Known folders below one.
    pub(super) fn below(&self, path: &str) -> Vec<Box<str>> {
        let start = if path.is_empty() { String::new() } else { format!("{path}/") };
        let all = self
            .folders
            .range::<str, _>((std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded));
        // Not all that begin with the name come one after the other: `a-b` is between `a` and `a/b`.
        let begin = |folder: &str| folder.starts_with(path);
        let all = all.map(|(folder, _)| folder).take_while(|folder| begin(folder));
        all.filter(|folder| folder.starts_with(&start)).cloned().collect()
    }

    pub(super) fn look_file(
        &mut self,
        path: &str,
        look: &Look<'_>,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        if self.layouts.pages.is_away {
            return;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(stamp) = look.root.look(&format!("pages/{path}")) else { return };
        let Some(files) = self.folders.get_mut(folder) else { return };
        match stamp {
            None => {
                let gone = files.remove(name);
                self.drop_file(path, gone, changes);
            }
            Some(stamp) => {
                let before = files.get(name).and_then(|(_, id)| *id);
                files.insert(name.into(), (stamp, before));
                self.arrivals.fill_folder(folder);
                wanted.push(Wanted::File(path.to_owned(), before));
            }
        }
    }

    pub(super) fn drop_file(
        &mut self,
        path: &str,
        file: Option<(Stamp, Option<ObjectId>)>,
        changes: &mut Changes,
    ) {
        let place = format!("pages/{path}");
        self.arrivals.leave(&place, file);
        self.findings.remove(&*place);
        self.guards.leave(&place);
        self.timed.remove(&*place);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.beside.leave(folder, name);
        self.sections.leave(folder, name);
        if let Some((_, Some(id))) = file {
            self.disown(id, changes);
        }
    }

    pub(super) fn drop_folder(&mut self, path: &str, changes: &mut Changes) {
        let mut all = self.below(path);
        all.push(path.into());
        for folder in all {
            for (name, file) in self.folders.remove(&folder).unwrap_or_default() {
                self.drop_file(&join(&folder, &name), Some(file), changes);
            }
            self.arrivals.leave_folder(&folder);
            self.findings.remove(&*format!("pages/{folder}"));
            self.look_gone_folder(&folder);
        }
        self.watch.forget(&if path.is_empty() {
            "pages".to_owned()
        } else {
            format!("pages/{path}")
        });
    }

    /// A file that was read. It has the id that it names, unless another has that already.
    pub(super) fn take_file(
        &mut self,
        path: &str,
        before: Option<ObjectId>,
        mut loaded: Loaded,
        look: &Look<'_>,
        changes: &mut Changes,
    ) {
        self.restrict(path, &mut loaded, look);
        if let Some(meta) = &mut loaded.meta {
            let owner = self.owners.get(&meta.id).filter(|owner| &***owner != path);
            let is_version = self.shards[shard_of(meta.id)].contains_key(&meta.id);
            if owner.is_some() || is_version {
                let other = owner.map_or_else(
                    || format!("content/{}", meta.id),
                    |owner| format!("pages/{owner}"),
                );
                loaded.findings.push(Finding {
                    place: format!("pages/{path}"),
                    fault: Fault::DuplicateId,
                    message: format!(
                        "{other} has the id {}, too; this is served by another",
                        meta.id
                    ),
                });
                meta.id = ObjectId::of_path(path);
            }
        }
        let id = loaded.meta.as_ref().map(|meta| meta.id);
        if let Some(before) = before.filter(|before| Some(*before) != id) {
            self.disown(before, changes);
        }
        self.find(&format!("pages/{path}"), loaded.findings);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some(known) = self.folders.get_mut(folder).and_then(|files| files.get_mut(name)) {
            // What was read may be newer than what was seen first.
            let stamp = loaded.meta.as_ref().map_or(known.0, |meta| meta.blob);
            *known = (stamp, id);
        }
        if let Some(meta) = loaded.meta {
            self.owners.insert(meta.id, path.into());
            changes.push((meta.id, Some(Arc::new(meta))));
        }
    }

    /// Adds to what a file says of who may see it what its folder, the pages beside it and its own past say.
    fn restrict(&mut self, path: &str, loaded: &mut Loaded, look: &Look<'_>) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let place = format!("pages/{path}");
        match loaded.next_change {
            Some(moment) => drop(self.timed.insert(place.as_str().into(), moment)),
            None => drop(self.timed.remove(&*place)),
        }
        let is_page = is_page_name(name);
        let Some(meta) = &mut loaded.meta else {
            if is_page {
                self.guards.hold(&place);
                self.beside.put_unreadable(folder, name, look);
                if loaded.is_closing_section {
                    self.sections.put(folder, name, true);
                }
            }
            return;
        };
        if is_page {
            let guard = self.guards.get(&place).filter(|_| loaded.is_blank).cloned();
            match guard {
                Some(guard) => {
                    self.guards.hold(&place);
                    restrict_by(meta, &guard.access(&self.rules.rules));
                    let message = "it says nothing, and stays as restricted as it was".to_owned();
                    let place = place.clone();
                    loaded.findings.push(Finding { place, fault: Fault::Guarded, message });
                }
                None => {
                    let tags = meta.tags.iter().map(ToString::to_string).collect();
                    let guard = Guard { number: 0, tags, own: meta.own_access.clone() };
                    self.guards.set(&place, Some(guard).filter(|_| !meta.is_public()));
                }
            }
            // What is blank or cut off says nothing of the folder.
            if !loaded.is_blank {
                self.sections.put(folder, name, loaded.is_closing_section);
            }
            if self.is_arriving(&place, meta, loaded.is_unwritten, look) {
                restrict_by(meta, &Access::Deny);
            }
            self.beside.put(folder, name, meta.access.clone(), look);
        } else if !has_public_files(&self.folder_rules, folder) {
            restrict_by(meta, &self.beside.apply(folder, name));
            if let Some(above) = self.folder_of_pages(folder).filter(|above| *above != folder)
                && !has_public_files(&self.folder_rules, above)
            {
                restrict_by(meta, &self.beside.apply_below(above, path));
            }
            if self.is_file_arriving(&place, meta, look) {
                restrict_by(meta, &Access::Deny);
            }
        }
        if is_folder_data(path) {
            self.sections.put(folder, name, loaded.is_closing_section);
        }
        restrict_by(meta, &self.folder_access(folder));
    }

    /// A file does not have this id any more. If an object of the other layout has it, that one stays.
    fn disown(&mut self, id: ObjectId, changes: &mut Changes) {
        self.owners.remove(&id);
        if !self.shards[shard_of(id)].contains_key(&id) {
            changes.push((id, None));
        }
    }
}

pub(super) fn restrict_by(meta: &mut PageMeta, access: &Access) {
    if !access.is_public() {
        meta.own_access = meta.own_access.and(access);
        meta.access = meta.access.and(access);
    }
}
