//! The versioned layout: shards of objects, each with its versions.

use std::collections::HashMap;
use std::io;

use crate::access::Access;
use crate::finding::{Fault, Finding};
use crate::guard::Guard;
use crate::load::Loaded;
use crate::object_id::ObjectId;
use crate::page_meta::Stamp;
use crate::place::Place;
use crate::root::ContentRoot;
use crate::survey::{self, Half, Versions};

use super::plain::restrict_by;
use super::{Changes, Keeper, Look, Wanted, object, shard_of};

impl Keeper {
    pub(super) fn look_shard(
        &mut self,
        shard: u8,
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        if self.layouts.content.is_away {
            return;
        }
        // First, so that nothing is missed between.
        self.watch.add(root, &format!("content/{shard:02x}"));
        let found = survey::shard(root, shard)
            .and_then(|found| self.look_for_missing_halves(shard, root, found));
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                let place = format!("content/{shard:02x}");
                let message = format!("it could not be read: {error}");
                self.find(
                    &place,
                    vec![Finding { place: place.clone(), fault: Fault::Unreadable, message }],
                );
                return;
            }
        };
        self.findings.remove(&*format!("content/{shard:02x}"));
        let known = std::mem::take(&mut self.shards[usize::from(shard)]);
        for id in known.keys().filter(|id| !found.contains_key(id)) {
            self.findings.remove(&*object(*id));
            self.guards.leave(&object(*id));
            self.arrivals.leave(&object(*id), None);
            changes.push((*id, None));
        }
        for (id, versions) in &found {
            if known.get(id) != Some(versions) {
                self.judge(*id, versions, wanted, changes);
            }
        }
        self.shards[usize::from(shard)] = found;
    }

    /// Looks for files that were in a shard and are not in its listing: a listing may leave out what is
    /// renamed meanwhile.
    fn look_for_missing_halves(
        &self,
        shard: u8,
        root: &ContentRoot,
        mut found: HashMap<ObjectId, Versions>,
    ) -> io::Result<HashMap<ObjectId, Versions>> {
        for (id, versions) in &self.shards[usize::from(shard)] {
            for known in &versions.0 {
                let now = found.get(id).and_then(|now| now.get(known.number));
                let now = now.copied().unwrap_or_default();
                let blob = Place::Version { number: known.number }.path(*id);
                let look = |known: Option<Stamp>, now: Option<Stamp>, path: &str| {
                    if known.is_some() && now.is_none() { root.look(path) } else { Ok(now) }
                };
                let of_blob = look(known.blob, now.blob, &blob)?;
                let sidecar = look(known.sidecar, now.sidecar, &format!("{blob}.ron"))?;
                if of_blob != now.blob || sidecar != now.sidecar {
                    let version = found.entry(*id).or_default().entry(known.number);
                    (version.blob, version.sidecar) = (of_blob, sidecar);
                }
            }
        }
        Ok(found)
    }

    pub(super) fn look_half(
        &mut self,
        half: Half,
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        if self.layouts.content.is_away {
            return;
        }
        let blob = Place::Version { number: half.number }.path(half.id);
        let (Ok(of_blob), Ok(beside)) = (root.look(&blob), root.look(&format!("{blob}.ron")))
        else {
            return;
        };
        let stamps = [of_blob, beside];
        let known = &mut self.shards[shard_of(half.id)];
        let versions = known.entry(half.id).or_default();
        let version = versions.entry(half.number);
        [version.blob, version.sidecar] = stamps;
        versions.0.retain(|version| version.blob.is_some() || version.sidecar.is_some());
        let versions = versions.clone();
        if versions.0.is_empty() {
            known.remove(&half.id);
            self.findings.remove(&*object(half.id));
            self.guards.leave(&object(half.id));
            self.arrivals.leave(&object(half.id), None);
            changes.push((half.id, None));
            return;
        }
        self.judge(half.id, &versions, wanted, changes);
    }

    /// What to do about an object that has these versions.
    pub(super) fn judge(
        &mut self,
        id: ObjectId,
        versions: &Versions,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        // A page that names the same id gets another.
        if let Some(owner) = self.owners.get(&id) {
            wanted.push(Wanted::File(owner.to_string(), Some(id)));
        }
        self.look_guarded(id, versions);
        if let Some(current) = versions.current() {
            wanted.push(Wanted::Version(id, current.number));
            return;
        }
        changes.push((id, None));
        let blob = versions.0.iter().rev().find(|version| version.blob.is_some());
        let findings = blob.map(|version| Finding {
            place: Place::Version { number: version.number }.path(id),
            fault: Fault::NoSidecar,
            message: "there is no sidecar beside it, and it is left out".to_owned(),
        });
        self.find(&object(id), findings.into_iter().collect());
    }

    /// Finds out whether the version that restricted an object last is still there, or half of it.
    fn look_guarded(&mut self, id: ObjectId, versions: &Versions) {
        let place = object(id);
        let Some(number) = self.guards.get(&place).map(|guard| guard.number) else { return };
        if versions.0.iter().any(|version| version.number >= number) {
            self.guards.hold(&place);
        } else {
            self.guards.leave(&place);
        }
    }

    /// Adds the restriction of the newest version of an object that was whole to a version that was read:
    /// while the newest one is being replaced, an older one is not more public than it.
    pub(super) fn restrict_version(
        &mut self,
        id: ObjectId,
        number: u32,
        loaded: &mut Loaded,
        look: &Look<'_>,
    ) {
        let place = object(id);
        let guard = self.guards.get(&place).filter(|guard| guard.number > number).cloned();
        let Some(meta) = &mut loaded.meta else { return };
        if let Some(guard) = guard {
            let access = guard.access(&self.rules.rules);
            meta.own_access = meta.own_access.and(&access);
            meta.access = meta.access.and(&access);
            let message = format!(
                "version {} is not whole; the one before it is served, as restricted as that was",
                guard.number
            );
            let place = Place::Version { number: guard.number }.path(id);
            loaded.findings.push(Finding { place, fault: Fault::Guarded, message });
            return;
        }
        let tags = meta.tags.iter().map(ToString::to_string).collect();
        let guard = Guard { number, tags, own: meta.own_access.clone() };
        self.guards.set(&place, Some(guard).filter(|_| !meta.is_public()));
        if self.is_arriving(&place, meta, false, look) {
            restrict_by(meta, &Access::Deny);
        }
    }
}
