//! The versioned layout: shards of objects, each with its versions.

use crate::finding::{Fault, Finding};
use crate::object_id::ObjectId;
use crate::place::Place;
use crate::root::ContentRoot;
use crate::survey::{self, Half, Versions};

use super::{Changes, Keeper, Wanted, object, shard_of};

impl Keeper {
    pub(super) fn look_shard(
        &mut self,
        shard: u8,
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
        // First, so that nothing is missed between.
        self.watch.add(root.path(), &format!("content/{shard:02x}"));
        let found = match survey::shard(root, shard) {
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
            changes.push((*id, None));
        }
        for (id, versions) in &found {
            if known.get(id) != Some(versions) {
                self.judge(*id, versions, wanted, changes);
            }
        }
        self.shards[usize::from(shard)] = found;
    }

    pub(super) fn look_half(
        &mut self,
        half: Half,
        root: &ContentRoot,
        wanted: &mut Vec<Wanted>,
        changes: &mut Changes,
    ) {
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
}
