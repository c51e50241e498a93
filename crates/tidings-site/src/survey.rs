//! What files there are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;

use crate::folder_rules::{FOLDER_RULES, is_nearly_folder_rules};
use crate::ignored::is_ignored;
use crate::object_id::ObjectId;
use crate::page_meta::Stamp;
use crate::root::{ContentRoot, stamp};

/// Which halves of a version there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Version {
    pub(crate) number: u32,
    pub(crate) blob: Option<Stamp>,
    pub(crate) sidecar: Option<Stamp>,
}

impl Version {
    pub(crate) fn is_whole(&self) -> bool {
        self.blob.is_some() && self.sidecar.is_some()
    }
}

/// The versions of one object, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Versions(pub(crate) Vec<Version>);

impl Versions {
    /// The one that counts: the highest of those that have both halves.
    pub(crate) fn current(&self) -> Option<&Version> {
        self.0.iter().rev().find(|version| version.is_whole())
    }

    /// Lets all of them be taken for others than they were.
    pub(crate) fn forget_stamps(&mut self) {
        for version in &mut self.0 {
            for half in [&mut version.blob, &mut version.sidecar] {
                *half = half.map(|_| Stamp::default());
            }
        }
    }

    /// Which halves of a version there are.
    pub(crate) fn get(&self, number: u32) -> Option<&Version> {
        let place = self.0.binary_search_by_key(&number, |version| version.number).ok()?;
        self.0.get(place)
    }

    pub(crate) fn entry(&mut self, number: u32) -> &mut Version {
        let place = match self.0.binary_search_by_key(&number, |version| version.number) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, Version { number, ..Version::default() });
                place
            }
        };
        &mut self.0[place]
    }
}

/// A file of the versioned layout by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Half {
    pub(crate) id: ObjectId,
    pub(crate) number: u32,
    pub(crate) is_sidecar: bool,
}

impl Half {
    /// Reads `<id>.<version>` and `<id>.<version>.ron`, in their one spelling.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (stem, is_sidecar) = match name.strip_suffix(".ron") {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        let (id, number) = stem.split_once('.')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let has_zero = number.len() > 1 && number.starts_with('0');
        if !is_number || has_zero {
            return None;
        }
        Some(Self { id: ObjectId::parse(id)?, number: number.parse().ok()?, is_sidecar })
    }
}

/// All objects of one shard.
pub(crate) fn shard(root: &ContentRoot, shard: u8) -> io::Result<HashMap<ObjectId, Versions>> {
    let mut found: HashMap<ObjectId, Versions> = HashMap::new();
    let name = format!("content/{shard:02x}");
    let mut problem = None;
    let each = each(root, &name, |name, entry| {
        let Some(half) = Half::parse(name).filter(|half| half.id.0 & 0xff == u64::from(shard))
        else {
            return;
        };
        let stamp = match entry {
            Ok((FileType::RegularFile, Some(stamp))) => stamp,
            Ok(_) => return,
            Err(error) => return problem = Some(error),
        };
        let version = found.entry(half.id).or_default().entry(half.number);
        *(if half.is_sidecar { &mut version.sidecar } else { &mut version.blob }) = Some(stamp);
    });
    match each {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(HashMap::new()),
        Err(error) => Err(error),
        Ok(()) => problem.map_or(Ok(found), Err),
    }
}

/// The files of one folder, and the folders in it, by their names.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) files: BTreeMap<Box<str>, Stamp>,
    pub(crate) folders: Vec<Box<str>>,
    /// The file that says who may see what is in the folder.
    pub(crate) rules: Option<Stamp>,
    /// A file that was probably meant to be that one.
    pub(crate) misnamed_rules: Option<(Box<str>, Stamp)>,
    /// Names that are no text, or lead out.
    pub(crate) odd: Vec<String>,
    /// Names of which it could not be found out what they are.
    pub(crate) unknown: BTreeSet<Box<str>>,
}

/// What is in a folder below `pages/`, or in that itself.
pub(crate) fn folder(root: &ContentRoot, path: &str) -> io::Result<Folder> {
    let full = if path.is_empty() { "pages".to_owned() } else { format!("pages/{path}") };
    let mut found = Folder::default();
    each(root, &full, |name, entry| match entry {
        Ok((_, stamp)) if name == FOLDER_RULES => found.rules = Some(stamp.unwrap_or_default()),
        Ok((FileType::Directory, _)) => found.folders.push(name.into()),
        Ok((_, stamp)) if is_nearly_folder_rules(name) => {
            found.misnamed_rules = Some((name.into(), stamp.unwrap_or_default()));
        }
        Ok((FileType::RegularFile, Some(stamp))) => drop(found.files.insert(name.into(), stamp)),
        Ok(_) => found.odd.push(name.to_owned()),
        Err(_) => drop(found.unknown.insert(name.into())),
    })?;
    found.folders.sort_unstable();
    Ok(found)
}

/// Shows each name of a folder with what it is, or why that could not be found out. What is renamed
/// meanwhile may be left out by the file system, even if there is something of that name all the time.
fn each(
    root: &ContentRoot,
    path: &str,
    mut take: impl FnMut(&str, io::Result<(FileType, Option<Stamp>)>),
) -> io::Result<()> {
    let folder = root.open_folder(path)?;
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        if is_ignored(&name) {
            continue;
        }
        // Not followed: a link is looked up within the root, below.
        let found = match statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(Errno::NOENT) => continue,
            Err(error) => {
                take(&name, Err(error.into()));
                continue;
            }
        };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => match root.look(&format!("{path}/{name}")) {
                Ok(Some(stamp)) => take(&name, Ok((FileType::RegularFile, Some(stamp)))),
                // A link to a folder could lead round in a circle.
                Ok(None) => take(&name, Ok((FileType::Symlink, None))),
                Err(error) => take(&name, Err(error)),
            },
            kind => take(&name, Ok((kind, Some(stamp(&found))))),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_versions_have_one_spelling() {
        let half = Half::parse("1122334455667788.12.ron").unwrap();
        assert_eq!((half.number, half.is_sidecar), (12, true));
        assert!(!Half::parse("1122334455667788.0").unwrap().is_sidecar);
        for wrong in [
            "1122334455667788",
            "1122334455667788.",
            "1122334455667788.01",
            "1122334455667788.-1",
            "1122334455667788.1.bak",
            "112233445566778.1",
            "1122334455667788.99999999999",
            "x.1",
            ".ron",
            "1122334455667788.1.ron.ron",
        ] {
            assert_eq!(Half::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_highest_whole_version_counts() {
        let stamp = Some(Stamp::default());
        let mut versions = Versions::default();
        versions.entry(2).blob = stamp;
        versions.entry(0).blob = stamp;
        versions.entry(0).sidecar = stamp;
        assert_eq!(versions.current().unwrap().number, 0);
        versions.entry(2).sidecar = stamp;
        assert_eq!(versions.current().unwrap().number, 2);
    }
}
