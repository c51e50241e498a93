//! The plain layout: folders of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::finding::{Fault, Finding};
use crate::load::Loaded;
use crate::object_id::ObjectId;
use crate::root::{ContentRoot, is_gone};
use crate::survey;

use super::{Changes, DEEPEST, Keeper, Wanted, join, shard_of};

impl Keeper {
    /// Looks at a folder and those below it; only at those that are new, unless it is to be deep.
    pub(super) fn look_folder(
        &mut self,
        path: &str,
        depth: usize,
        is_deep: bool,
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        let full = if path.is_empty() { "pages".to_owned() } else { format!("pages/{path}") };
        // First, so that nothing is missed between.
        self.watch.add(root.path(), &full);
        let found = match survey::folder(root, path) {
            Ok(found) if depth <= DEEPEST => found,
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
        let known = self.folders.remove(path).unwrap_or_default();
        for (name, (_, id)) in &known {
            if !found.files.contains_key(name) {
                self.drop_file(&join(path, name), *id, changes);
            }
        }
        let mut files = BTreeMap::new();
        for (name, stamp) in found.files {
            let before = known.get(&name).copied();
            // Somebody may be writing it; when that is done, it is told.
            if stamp.length == 0 && before.is_some_and(|(known, _)| known.length > 0) {
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
                self.look_folder(&below, depth + 1, is_deep, root, wanted, changes);
            }
        }
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
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(stamp) = root.look(&format!("pages/{path}")) else { return };
        let Some(files) = self.folders.get_mut(folder) else { return };
        match stamp {
            None => {
                let gone = files.remove(name);
                self.drop_file(path, gone.and_then(|(_, id)| id), changes);
            }
            Some(stamp) => {
                let before = files.get(name).and_then(|(_, id)| *id);
                files.insert(name.into(), (stamp, before));
                wanted.push(Wanted::File(path.to_owned(), before));
            }
        }
    }

    pub(super) fn drop_file(&mut self, path: &str, id: Option<ObjectId>, changes: &mut Changes) {
        self.findings.remove(&*format!("pages/{path}"));
        if let Some(id) = id {
            self.disown(id, changes);
        }
    }

    pub(super) fn drop_folder(&mut self, path: &str, changes: &mut Changes) {
        let mut all = self.below(path);
        all.push(path.into());
        for folder in all {
            for (name, (_, id)) in self.folders.remove(&folder).unwrap_or_default() {
                self.drop_file(&join(&folder, &name), id, changes);
            }
            self.findings.remove(&*format!("pages/{folder}"));
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
        changes: &mut Changes,
    ) {
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

    /// A file does not have this id any more. If an object of the other layout has it, that one stays.
    fn disown(&mut self, id: ObjectId, changes: &mut Changes) {
        self.owners.remove(&id);
        if !self.shards[shard_of(id)].contains_key(&id) {
            changes.push((id, None));
        }
    }
}
