//! A gathered publication on its way to its place.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::PathBuf;

use tidings_base::{Access, PlaceError, sync_file, sync_parents};

use super::keep::Held;
use super::moves::Moves;
use crate::document_file::is_same;
use crate::layout::{self, Layout};
use crate::publication::is_ours;
use crate::{PublishError, Set};

/// True if what tells the gathered publication apart is in place already, and the files are there
/// that it would need besides.
pub(super) fn is_in_place<'n>(
    held: &[Held],
    besides: impl IntoIterator<Item = &'n str>,
    staged: &Layout,
    layout: &Layout,
) -> Result<bool, PublishError> {
    for one in held.iter().filter(|one| one.role.tells_apart()) {
        let (new, old) = (staged.path(&one.name), layout.document(&one.name));
        let same = || is_same(BufReader::new(File::open(&new)?), old.open()?);
        if !same().map_err(PublishError::io("could not read", old.path()))? {
            return Ok(false);
        }
    }
    Ok(besides.into_iter().all(|name| layout.has(name)))
}

/// True if the folder has a publication: of the sets of the gathered one, or of others.
pub(super) fn has_publication(held: &[Held], layout: &Layout) -> bool {
    let lists = held.iter().filter(|one| one.role.tells_apart());
    layout.has(layout::DESCRIPTION)
        || lists.map(|one| &one.name).any(|name| layout.has(name))
        || !stale(held, layout).is_empty()
}

/// Puts the gathered files into their places, those first that others point to, and takes away
/// documents that the publisher would take for part of it. If one cannot be put, all is put back.
pub(super) fn put(held: &mut [Held], staged: &Layout, layout: &Layout) -> Result<(), PublishError> {
    held.sort_by(|a, b| (a.role.rank(), &a.name).cmp(&(b.role.rank(), &b.name)));
    for one in held.iter() {
        let path = staged.path(&one.name);
        sync_file(&path, Access::Everybody).map_err(PublishError::io("could not write", &path))?;
    }
    let mut moves = Moves::new(staged.path("../old"))?;
    let done = put_all(held, staged, layout, &mut moves);
    if done.is_err() {
        moves.undo();
    }
    done
}

fn put_all(
    held: &[Held],
    staged: &Layout,
    layout: &Layout,
    moves: &mut Moves,
) -> Result<(), PublishError> {
    for rank in held.chunk_by(|a, b| a.role.rank() == b.role.rank()) {
        for one in rank {
            let path = layout.path(&one.name);
            let failed = PublishError::io("could not write", &path);
            moves.replace(&staged.path(&one.name), &path).map_err(failed)?;
        }
        // What points to these must not be on the disk before they are.
        let paths: Vec<PathBuf> = rank.iter().map(|one| layout.path(&one.name)).collect();
        sync_parents(paths.iter().map(PathBuf::as_path)).map_err(
            |PlaceError { path, source }| PublishError::io("could not write", path)(source),
        )?;
    }
    for name in stale(held, layout) {
        let path = layout.path(&name);
        moves.remove(&path).map_err(PublishError::io("could not remove", &path))?;
    }
    Ok(())
}

/// The documents of fixed names that are there and not part of the gathered publication.
fn stale(held: &[Held], layout: &Layout) -> Vec<String> {
    let names: HashSet<&str> = held.iter().map(|one| one.name.as_str()).collect();
    let mut sets = vec![layout.of_set(None)];
    let folders = fs::read_dir(layout.path("resourcesync")).into_iter().flatten().flatten();
    let folders = folders.filter_map(|folder| folder.file_name().into_string().ok());
    sets.extend(folders.filter(|name| Set::is_name(name)).map(|name| layout.of_set(Some(&name))));
    // Not `about.xml`: it is the author's.
    let documents = [
        layout::CAPABILITY_LIST,
        layout::RESOURCE_LIST,
        layout::CHANGE_LIST,
        layout::RESOURCE_DUMP,
        layout::CHANGE_DUMP,
    ];
    let of_sets = sets.iter().flat_map(|set| documents.map(|document| set.own(document)));
    let sitemap = Some(layout::SITEMAP.to_owned()).filter(|name| is_ours(layout, name));
    of_sets
        .chain(sitemap)
        .filter(|name| !names.contains(name.as_str()) && layout.has(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::role::Role;
    use super::*;

    #[test]
    fn a_place_that_cannot_be_taken_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::of_folder(&folder.path().join("out"), "http://e.example/").unwrap();
        let staged = Layout::of_folder(&folder.path().join("s/new"), "http://e.example/").unwrap();
        let write = |layout: &Layout, name: &str, text: &str| {
            fs::create_dir_all(layout.path(name).parent().unwrap()).unwrap();
            fs::write(layout.path(name), text).unwrap();
        };
        let names = ["resourcesync/a.zip", "resourcesync/s/b.zip", layout::DESCRIPTION];
        write(&layout, names[0], "old");
        let roles = [Role::Package, Role::Package, Role::Description];
        let mut held: Vec<Held> = Vec::new();
        for (name, role) in names.into_iter().zip(roles) {
            write(&staged, name, "new");
            held.push(Held { name: name.into(), role, bytes: 3, latest: None });
        }
        // A folder is in the way.
        write(&layout, ".well-known/resourcesync/x", "");
        assert!(put(&mut held, &staged, &layout).is_err());
        assert_eq!(fs::read(layout.path(names[0])).unwrap(), b"old");
        assert!(!layout.path("resourcesync/s").exists());
        assert!(layout.path(".well-known/resourcesync/x").exists());
    }
}
