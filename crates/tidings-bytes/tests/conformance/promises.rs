//! What a store promises, each as a function that takes an empty one.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;

use sha2::{Digest as _, Sha256};
use tidings_bytes::{
    ByteReader, ByteStore, CommitOutcome, FileDigest, FolderEntry, ListedFile, Occupant, StagedFile,
};

/// A staged file with these bytes.
pub(crate) fn stage(store: &dyn ByteStore, bytes: &[u8]) -> StagedFile {
    let (staged, mut file) = store.staging_area().unwrap().create().unwrap();
    file.write_all(bytes).unwrap();
    staged
}

fn commit(
    store: &mut dyn ByteStore,
    path: &str,
    bytes: &[u8],
    replaces: bool,
) -> (CommitOutcome, StagedFile) {
    let staged = stage(store, bytes);
    let sha256 = Sha256::digest(bytes).into();
    (store.commit(&staged, path, &sha256, replaces).unwrap(), staged)
}

fn put(store: &mut dyn ByteStore, path: &str, bytes: &[u8]) {
    assert_eq!(commit(store, path, bytes, true).0, CommitOutcome::Done, "{path}");
}

fn bytes_of(reader: &mut dyn ByteReader, path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.open(path).ok()?.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

fn listed(store: &mut dyn ByteStore) -> Vec<String> {
    let mut paths = Vec::new();
    store.list(&mut |listed| {
        match listed {
            ListedFile::File(path) => paths.push(path.to_str().unwrap().to_owned()),
            ListedFile::Unreadable(folder, error) => panic!("{}: {error}", folder.display()),
        }
        ControlFlow::Continue(())
    });
    paths.sort();
    paths
}

pub(crate) fn a_file_is_visible_only_when_it_is_committed(store: &mut dyn ByteStore) {
    let staged = stage(store, b"fog");
    assert!(listed(store).is_empty());
    assert!(store.stamp("a/b").is_none());
    assert!(store.open("a/b").is_err());
    assert_eq!(store.occupant("a/b").unwrap(), Occupant::Nothing);
    let sha256 = Sha256::digest(b"fog").into();
    let outcome = store.commit(&staged, "a/b", &sha256, false).unwrap();
    assert_eq!(outcome, CommitOutcome::Done);
    store.sync().unwrap();
    assert_eq!(store.stamp("a/b").unwrap().length, 3);
    assert_eq!(store.occupant("a/b").unwrap(), Occupant::File);
    assert_eq!(bytes_of(store, "a/b").unwrap(), b"fog");
    assert_eq!(listed(store), ["a/b"]);
    assert!(store.location("a/b").ends_with("a/b"));
}

pub(crate) fn what_is_there_is_replaced_only_if_that_is_said(store: &mut dyn ByteStore) {
    put(store, "a", b"old");
    let (outcome, staged) = commit(store, "a", b"new", false);
    assert_eq!(outcome, CommitOutcome::Taken);
    assert_eq!(bytes_of(store, "a").unwrap(), b"old");
    // The staged file is as it was.
    let sha256 = Sha256::digest(b"new").into();
    assert_eq!(store.commit(&staged, "a", &sha256, true).unwrap(), CommitOutcome::Done);
    assert_eq!(bytes_of(store, "a").unwrap(), b"new");
}

pub(crate) fn two_staged_files_do_not_meet(store: &mut dyn ByteStore) {
    let (mut one, mut two) = (store.staging_area().unwrap(), store.staging_area().unwrap());
    let mut staged = Vec::new();
    for (number, area) in [&mut one, &mut two].into_iter().enumerate() {
        for again in 0..2 {
            let (file, mut out) = area.create().unwrap();
            let text = format!("{number}.{again}");
            out.write_all(text.as_bytes()).unwrap();
            staged.push((file, text));
        }
    }
    for (file, text) in &staged {
        let sha256 = Sha256::digest(text).into();
        assert_eq!(store.commit(file, text, &sha256, false).unwrap(), CommitOutcome::Done);
    }
    for (_, text) in &staged {
        assert_eq!(bytes_of(store, text).unwrap(), text.as_bytes());
    }
}

pub(crate) fn a_path_below_a_file_is_taken(store: &mut dyn ByteStore) {
    put(store, "a/b", b"file");
    assert_eq!(store.occupant("a/b/c/d").unwrap(), Occupant::BelowFile(1));
    for replaces in [false, true] {
        assert_eq!(commit(store, "a/b/c/d", b"x", replaces).0, CommitOutcome::Taken);
    }
    assert!(store.stamp("a/b/c/d").is_none());
    assert_eq!(listed(store), ["a/b"]);
}

pub(crate) fn a_path_that_is_a_folder_is_taken(store: &mut dyn ByteStore) {
    put(store, "a/b", b"file");
    assert_eq!(store.occupant("a").unwrap(), Occupant::Folder);
    assert!(store.stamp("a").is_none());
    for replaces in [false, true] {
        assert_eq!(commit(store, "a", b"x", replaces).0, CommitOutcome::Taken);
    }
    assert_eq!(bytes_of(store, "a/b").unwrap(), b"file");
}

pub(crate) fn what_is_deleted_is_gone_with_its_empty_folders(store: &mut dyn ByteStore) {
    put(store, "a/b/c", b"1");
    put(store, "a/d", b"2");
    store.delete("a/b/c").unwrap();
    assert!(store.stamp("a/b/c").is_none());
    assert_eq!(store.occupant("a/b").unwrap(), Occupant::Nothing);
    assert_eq!(listed(store), ["a/d"]);
    put(store, "a/b", b"a file where a folder was");
    put(store, "a/e/f", b"3");
    store.delete("a/e/f").unwrap();
    put(store, "a/e/f", b"again");
    assert_eq!(listed(store), ["a/b", "a/d", "a/e/f"]);
}

pub(crate) fn what_was_never_there_is_deleted_and_set_aside_without_an_error(
    store: &mut dyn ByteStore,
) {
    store.delete("a/b").unwrap();
    store.set_aside("a/b", "trash/1").unwrap();
    put(store, "a/c", b"1");
    store.delete("a/b").unwrap();
    store.set_aside("a/b", "trash/1").unwrap();
    assert_eq!(listed(store), ["a/c"]);
}

pub(crate) fn what_is_set_aside_is_listed_no_more(store: &mut dyn ByteStore) {
    put(store, "a/b", b"1");
    put(store, "c", b"2");
    store.set_aside("a/b", "trash/1").unwrap();
    assert_eq!(listed(store), ["c"]);
    assert!(store.stamp("a/b").is_none());
    assert_eq!(store.occupant("a").unwrap(), Occupant::Nothing);
}

pub(crate) fn each_visible_file_is_listed_once_and_a_listing_can_be_stopped(
    store: &mut dyn ByteStore,
) {
    let paths = ["a", "b/c", "b/d/e", "f.g/h i/\u{e9}", "z"];
    paths.iter().for_each(|path| put(store, path, path.as_bytes()));
    let _waiting = stage(store, b"staged");
    assert_eq!(listed(store), paths);
    let mut count = 0;
    store.list(&mut |_| {
        count += 1;
        if count == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(count, 2);
}

pub(crate) fn readers_in_other_threads_see_what_is_committed(store: &mut dyn ByteStore) {
    put(store, "a/b", b"1");
    let mut reader = store.reader().unwrap();
    put(store, "a/c", b"2");
    put(store, "a/b", b"3");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            assert_eq!(bytes_of(reader.as_mut(), "a/b").unwrap(), b"3");
            assert_eq!(bytes_of(reader.as_mut(), "a/c").unwrap(), b"2");
            assert_eq!(reader.occupant("a/d").unwrap(), Occupant::Nothing);
        });
    });
}

pub(crate) fn a_digest_is_that_of_the_bytes(store: &mut dyn ByteStore) {
    // More than one buffer, and none.
    for length in [0, 1, 200_001] {
        let bytes = vec![7; length];
        put(store, "a", &bytes);
        let digest = FileDigest { length: length as u64, sha256: Sha256::digest(&bytes).into() };
        assert_eq!(store.digest("a").unwrap(), digest);
    }
    assert!(store.digest("b").is_err());
}

pub(crate) fn names_from_the_web_stay_names(store: &mut dyn ByteStore) {
    let names = ["a%2F..%2Fb", "...", "-rf", "a\\b", "$(id)", "con", "\u{202e}fdp", "a b", "~"];
    for name in names {
        put(store, &format!("h/{name}"), name.as_bytes());
    }
    for name in names {
        assert_eq!(bytes_of(store, &format!("h/{name}")).unwrap(), name.as_bytes());
    }
    assert_eq!(listed(store).len(), names.len());
}

pub(crate) fn the_version_is_the_same_as_long_as_the_file_is(store: &mut dyn ByteStore) {
    assert_eq!(store.version("a/b"), None);
    put(store, "a/b", b"1");
    let first = store.version("a/b").unwrap();
    assert_eq!(bytes_of(store, "a/b").unwrap(), b"1");
    put(store, "a/c", b"1");
    assert_eq!(store.version("a/b").unwrap(), first);
    assert_eq!(store.reader().unwrap().version("a/b").unwrap(), first);
    // Of the same length, and perhaps within the same tick of the clock.
    put(store, "a/b", b"2");
    assert_ne!(store.version("a/b").unwrap(), first);
    assert_eq!(store.version("a"), None);
}

pub(crate) fn files_that_are_committed_together_replace_what_is_there(store: &mut dyn ByteStore) {
    put(store, "a/b", b"old");
    // More than a store syncs one by one.
    for count in [0, 1, 40] {
        let mut files: Vec<_> = (0..count)
            .map(|number| (stage(store, number.to_string().as_bytes()), format!("n/{number}")))
            .collect();
        files.push((stage(store, b"new"), "a/b".to_owned()));
        store.commit_all(files).unwrap();
        assert_eq!(bytes_of(store, "a/b").unwrap(), b"new");
        for number in 0..count {
            let bytes = bytes_of(store, &format!("n/{number}")).unwrap();
            assert_eq!(bytes, number.to_string().as_bytes());
        }
        assert_eq!(listed(store).len(), count + 1);
        put(store, "a/b", b"old");
    }
}

pub(crate) fn what_is_committed_together_stops_at_the_first_that_cannot(store: &mut dyn ByteStore) {
    for taken in ["a", "a/b/c"] {
        put(store, "a/b", b"in the way");
        let (before, wrong, after) = (stage(store, b"1"), stage(store, b"2"), stage(store, b"3"));
        let files = [(&before, "x"), (&wrong, taken), (&after, "y")];
        let files = files.map(|(file, path)| (file.clone(), path.to_owned())).to_vec();
        assert!(store.commit_all(files).is_err(), "{taken}");
        assert_eq!(bytes_of(store, "x").unwrap(), b"1");
        assert_eq!(listed(store), ["a/b", "x"]);
        // What did not become visible is gone.
        assert!(wrong.open().is_err() && after.open().is_err());
        store.delete("x").unwrap();
    }
}

fn listed_in(store: &mut dyn ByteStore, folder: &str) -> Vec<String> {
    let mut names = Vec::new();
    let shown = store.list_folder(folder, &mut |entry| {
        names.push(match entry {
            FolderEntry::File(name) => name.to_owned(),
            FolderEntry::Folder(name) => format!("{name}/"),
        });
        ControlFlow::Continue(())
    });
    shown.unwrap();
    names.sort();
    names
}

pub(crate) fn a_folder_shows_what_is_right_in_it(store: &mut dyn ByteStore) {
    assert!(listed_in(store, "a").is_empty());
    for path in ["a", "b/c", "b/d/e", "b/d/f", "b.c"] {
        put(store, path, path.as_bytes());
    }
    let _waiting = stage(store, b"staged");
    assert_eq!(listed_in(store, "b"), ["c", "d/"]);
    assert_eq!(listed_in(store, "b/d"), ["e", "f"]);
    for nothing in ["a", "b/c", "b/x", "x/y"] {
        assert!(listed_in(store, nothing).is_empty(), "{nothing}");
    }
    let top = listed_in(store, "");
    assert!(["a", "b.c", "b/"].iter().all(|name| top.contains(&(*name).to_owned())), "{top:?}");
    let mut count = 0;
    let stopped = store.list_folder("b", &mut |_| {
        count += 1;
        ControlFlow::Break(())
    });
    stopped.unwrap();
    assert_eq!(count, 1);
}

/// Steps drawn at random, beside a map: after each the store has what the map has.
pub(crate) fn a_random_history_leaves_what_a_map_says(store: &mut dyn ByteStore) {
    let paths = ["a", "a/b", "a/b/c", "a/d", "e", "e/f", "g/h/i", "g/h", "j"];
    let mut model: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut state = 20_260_101_u64;
    let mut draw = |limit: usize| {
        // Knuth's linear congruential generator: the same history in each run.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for step in 0..600 {
        let path = paths[draw(paths.len())];
        let is_below = |below: &str, above: &str| {
            below.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
        };
        match draw(5) {
            0..3 => {
                let bytes = step.to_string().into_bytes();
                let replaces = draw(2) == 0;
                let conflicts = model.keys().any(|key| is_below(key, path) || is_below(path, key));
                let is_taken = conflicts || (!replaces && model.contains_key(path));
                let (outcome, _) = commit(store, path, &bytes, replaces);
                let expected = if is_taken { CommitOutcome::Taken } else { CommitOutcome::Done };
                assert_eq!(outcome, expected, "step {step}: {path}");
                if !is_taken {
                    model.insert(path, bytes);
                }
            }
            // A folder is not deleted: who asks for that has looked under the path before.
            _ if model.keys().any(|key| is_below(key, path)) => {}
            3 => {
                store.delete(path).unwrap();
                model.remove(path);
            }
            _ => {
                store.set_aside(path, &format!("trash/{step}")).unwrap();
                model.remove(path);
            }
        }
        assert_eq!(listed(store), model.keys().copied().collect::<Vec<_>>(), "step {step}");
        for path in paths {
            assert_eq!(bytes_of(store, path), model.get(path).cloned(), "step {step}: {path}");
        }
    }
}
