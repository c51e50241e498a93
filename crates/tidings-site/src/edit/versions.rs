//! Objects of the versioned layout.

use std::collections::BTreeMap;
use std::io;

use super::draft::said;
use super::folder::Folder;
use super::removed::Removed;
use super::root::{Lock, Root};
use super::temporary::{Temporary, random};
use super::{Draft, EditError, LONGEST, Result, Seen};
use crate::{ObjectId, Place, Sidecar};

/// Longer than any that is read.
const LONGEST_SIDECAR: usize = 1024 * 1024;

/// Which halves of a version there are.
#[derive(Debug, Default, Clone, Copy)]
struct Halves {
    has_blob: bool,
    has_sidecar: bool,
}

fn folder_of(id: ObjectId) -> String {
    format!("content/{}", id.shard())
}

fn name_of(id: ObjectId) -> String {
    format!("object {id}")
}

/// All versions of an object, complete or not.
fn versions(folder: &Folder, id: ObjectId) -> Result<BTreeMap<u32, Halves>> {
    let mut versions: BTreeMap<u32, Halves> = BTreeMap::new();
    let prefix = format!("{id}.");
    for name in folder.names()? {
        let Some(rest) = name.strip_prefix(&prefix) else { continue };
        let number = rest.strip_suffix(".ron").unwrap_or(rest);
        let Some(version) = number.parse().ok().filter(|one: &u32| one.to_string() == number)
        else {
            continue;
        };
        let halves = versions.entry(version).or_default();
        if number == rest {
            halves.has_blob = true;
        } else {
            halves.has_sidecar = true;
        }
    }
    Ok(versions)
}

/// The version that readers take: the highest that has both halves.
fn current(versions: &BTreeMap<u32, Halves>) -> Option<u32> {
    let whole = versions.iter().rev().find(|(_, halves)| halves.has_blob && halves.has_sidecar);
    whole.map(|(version, _)| *version)
}

/// Opens the shard of an object whose current version is the one that was seen.
fn seen_folder(root: &Root, id: ObjectId, seen: Seen) -> Result<(Folder, BTreeMap<u32, Halves>)> {
    let missing = || EditError::Missing(name_of(id));
    let folder = root.folder(&folder_of(id))?.ok_or_else(missing)?;
    let versions = versions(&folder, id)?;
    let current = current(&versions).ok_or_else(missing)?;
    if seen != Seen::Version(current) {
        return Err(EditError::Changed(name_of(id)));
    }
    Ok((folder, versions))
}

fn sidecar_of(draft: &Draft, theme: Option<String>) -> Result<Sidecar> {
    if draft.roles.iter().any(|role| !role.trim().is_empty()) {
        return Err(EditError::RolesNeedTag);
    }
    let parent = said(draft.nav_parent.as_ref());
    if let Some(parent) = parent.as_ref().filter(|parent| ObjectId::parse(parent).is_none()) {
        return Err(EditError::Parent(parent.clone()));
    }
    let sidecar = Sidecar {
        alias: said(draft.alias.as_ref()).unwrap_or_default(),
        title: said(draft.title.as_ref()),
        mime: draft.mime.clone(),
        tags: draft.tags.iter().map(|tag| tag.trim().to_owned()).collect(),
        nav_title: said(draft.nav_title.as_ref()),
        nav_parent_id: parent,
        nav_order: draft.nav_order,
        original_filename: said(draft.original_filename.as_ref()),
        theme,
        robots: said(draft.robots.as_ref()),
        ..Sidecar::default()
    };
    sidecar.check()?;
    Ok(sidecar)
}

/// Puts both halves in their places.
///
/// The sidecar goes FIRST. Readers take the highest version that has both halves, so that it is the
/// blob that makes the version the current one, at once and whole; and at no time is there a blob
/// without what says who may see it. The sidecar also claims the number: who finds it taken was slower.
fn put(
    folder: &Folder,
    id: ObjectId,
    number: u32,
    sidecar: Temporary<'_>,
    blob: Temporary<'_>,
) -> Result<Place> {
    let (blob_name, sidecar_name) = (format!("{id}.{number}"), format!("{id}.{number}.ron"));
    let changed = |error| match error {
        EditError::Exists(_) => EditError::Changed(name_of(id)),
        other => other,
    };
    sidecar.place(&sidecar_name).map_err(changed)?;
    if let Err(error) = blob.place(&blob_name) {
        let _ = folder.remove(&sidecar_name);
        return Err(changed(error));
    }
    Ok(Place::Version { number })
}

pub(super) fn create(root: &Root, draft: &Draft) -> Result<(ObjectId, Place)> {
    create_of(root, draft, |folder| folder.temporary(&draft.body))
}

/// Makes an object whose blob is written, in the folder where it belongs, before others have to wait.
pub(super) fn create_of(
    root: &Root,
    draft: &Draft,
    blob: impl for<'f> FnOnce(&'f Folder) -> Result<Temporary<'f>>,
) -> Result<(ObjectId, Place)> {
    let written = sidecar_of(draft, None)?.write();
    let (id, folder) = unused(root)?;
    let blob = blob(&folder)?;
    let sidecar = folder.temporary(written.as_bytes())?;
    let _lock: Lock = root.lock()?;
    Ok((id, put(&folder, id, 0, sidecar, blob)?))
}

/// An id that nothing has, and its folder.
fn unused(root: &Root) -> Result<(ObjectId, Folder)> {
    loop {
        let id = ObjectId(random()?);
        let folder = root.make(&folder_of(id))?;
        // Of 2^64 the first will do, unless somebody's randomness is not random.
        if versions(&folder, id)?.is_empty() {
            return Ok((id, folder));
        }
    }
}

pub(super) fn read(root: &Root, id: ObjectId, number: u32) -> Result<(Draft, Seen)> {
    let (mut draft, folder) = described(root, id, number)?;
    let missing = || EditError::Missing(format!("version {number} of {}", name_of(id)));
    (draft.body, _) = folder.read(&format!("{id}.{number}"), LONGEST)?.ok_or_else(missing)?;
    if draft.is_markdown() && std::str::from_utf8(&draft.body).is_err() {
        return Err(EditError::Encoding);
    }
    Ok((draft, Seen::Version(number)))
}

/// The same without what is in it, however long that is.
pub(super) fn head(root: &Root, id: ObjectId, number: u32) -> Result<(Draft, Seen)> {
    described(root, id, number).map(|(draft, _)| (draft, Seen::Version(number)))
}

/// What the sidecar of a version says, and the folder that it is in.
fn described(root: &Root, id: ObjectId, number: u32) -> Result<(Draft, Folder)> {
    let missing = || EditError::Missing(format!("version {number} of {}", name_of(id)));
    let folder = root.folder(&folder_of(id))?.ok_or_else(missing)?;
    let sidecar = folder.read(&format!("{id}.{number}.ron"), LONGEST_SIDECAR)?;
    let (sidecar, _) = sidecar.ok_or_else(missing)?;
    let sidecar = Sidecar::parse(&sidecar)?;
    let draft = Draft {
        title: sidecar.title,
        alias: Some(sidecar.alias).filter(|alias| !alias.is_empty()),
        tags: sidecar.tags,
        roles: Vec::new(),
        nav_title: sidecar.nav_title,
        nav_parent: sidecar.nav_parent_id,
        nav_order: sidecar.nav_order,
        robots: sidecar.robots,
        body: Vec::new(),
        mime: sidecar.mime,
        original_filename: sidecar.original_filename,
    };
    Ok((draft, folder))
}

pub(super) fn save(root: &Root, id: ObjectId, seen: Seen, draft: &Draft) -> Result<Place> {
    save_of(root, id, seen, draft, |folder| folder.temporary(&draft.body))
}

/// Saves an object whose blob is written by somebody else.
pub(super) fn save_of(
    root: &Root,
    id: ObjectId,
    seen: Seen,
    draft: &Draft,
    blob: impl for<'f> FnOnce(&'f Folder) -> Result<Temporary<'f>>,
) -> Result<Place> {
    let _lock = root.lock()?;
    let (folder, versions) = seen_folder(root, id, seen)?;
    // No form has it, so it stays. A sidecar that cannot be read is mended by this.
    let known = match seen {
        Seen::Version(number) => folder.read(&format!("{id}.{number}.ron"), LONGEST_SIDECAR)?,
        Seen::File { .. } => None,
    };
    let theme = known.and_then(|(known, _)| Sidecar::parse(&known).ok()?.theme);
    let sidecar = folder.temporary(sidecar_of(draft, theme)?.write().as_bytes())?;
    let blob = blob(&folder)?;
    // Also above halves that a crash has left: the other half of one is not made of this.
    let highest = versions.last_key_value().map_or(0, |(version, _)| *version);
    let number = highest.checked_add(1).ok_or_else(|| {
        let full = io::Error::other("its version is the highest number that there is");
        EditError::io("save", &folder.path().join(id.to_string()))(full)
    })?;
    put(&folder, id, number, sidecar, blob)
}

pub(super) fn remove(root: &Root, id: ObjectId, seen: Seen) -> Result<()> {
    let _lock = root.lock()?;
    let (folder, versions) = seen_folder(root, id, seen)?;
    let removed = Removed::begin(root, &folder_of(id))?;
    let current = current(&versions);
    // The current one goes last, and of each the blob first: at no time is a past version the current.
    let order = versions.keys().filter(|version| Some(**version) != current);
    for version in order.copied().chain(current) {
        removed.take(&folder, &format!("{id}.{version}"))?;
        removed.take(&folder, &format!("{id}.{version}.ron"))?;
    }
    folder.sync()
}
