//! What every store of files has to do, as plain functions that are run with each implementation.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "conformance/memory.rs"]
mod memory;
#[path = "conformance/promises.rs"]
mod promises;

use std::path::Path;

use tidings_bytes::{ByteStore, FolderStore, ServedFolder};

use memory::MemoryStore;

fn folder(place: &Path) -> Box<dyn ByteStore> {
    Box::new(FolderStore::open(place).unwrap())
}

fn served(place: &Path) -> Box<dyn ByteStore> {
    Box::new(ServedFolder::new(place, "own"))
}

fn memory(place: &Path) -> Box<dyn ByteStore> {
    Box::new(MemoryStore::new(place))
}

/// One test for each promise and each store.
macro_rules! promises {
    ($($promise:ident),* $(,)?) => {
        mod in_a_folder {
            $(#[test] fn $promise() {
                let place = tempfile::tempdir().unwrap();
                crate::promises::$promise(super::folder(place.path()).as_mut());
            })*
        }
        mod in_a_served_folder {
            $(#[test] fn $promise() {
                let place = tempfile::tempdir().unwrap();
                crate::promises::$promise(super::served(place.path()).as_mut());
            })*
        }
        mod in_memory {
            $(#[test] fn $promise() {
                let place = tempfile::tempdir().unwrap();
                crate::promises::$promise(super::memory(place.path()).as_mut());
            })*
        }
    };
}

promises! {
    a_file_is_visible_only_when_it_is_committed,
    what_is_there_is_replaced_only_if_that_is_said,
    two_staged_files_do_not_meet,
    a_path_below_a_file_is_taken,
    a_path_that_is_a_folder_is_taken,
    what_is_deleted_is_gone_with_its_empty_folders,
    what_was_never_there_is_deleted_and_set_aside_without_an_error,
    what_is_set_aside_is_listed_no_more,
    each_visible_file_is_listed_once_and_a_listing_can_be_stopped,
    readers_in_other_threads_see_what_is_committed,
    a_digest_is_that_of_the_bytes,
    names_from_the_web_stay_names,
    the_version_is_the_same_as_long_as_the_file_is,
    files_that_are_committed_together_replace_what_is_there,
    what_is_committed_together_stops_at_the_first_that_cannot,
    a_folder_shows_what_is_right_in_it,
    a_random_history_leaves_what_a_map_says,
}

/// Where a folder has more to fear than a store without links and other programs.
mod only_in_a_folder {
    use std::os::unix::fs::symlink;

    use tidings_bytes::{
        ByteReader as _, ByteStore as _, ByteStoreError, CommitOutcome, FolderStore, Occupant,
    };

    use crate::promises::stage;

    #[test]
    fn links_are_not_followed() {
        let (place, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("secret"), "s").unwrap();
        let mut store = FolderStore::open(place.path()).unwrap();
        symlink(outside.path(), place.path().join("out")).unwrap();
        symlink(outside.path().join("secret"), place.path().join("link")).unwrap();
        let staged = stage(&store, b"new");
        for path in ["out/secret", "out/new"] {
            assert!(store.stamp(path).is_none(), "{path}");
            assert!(store.open(path).is_err(), "{path}");
            let outcome = store.commit(&staged, path, &[0; 32], true);
            assert!(matches!(outcome, Err(ByteStoreError::LinkInTheWay { .. })), "{path}");
        }
        assert!(store.open("link").is_err());
        assert_eq!(store.occupant("link").unwrap(), Occupant::Other);
        store.delete("out/secret").unwrap();
        assert_eq!(std::fs::read(outside.path().join("secret")).unwrap(), b"s");
        assert!(!outside.path().join("new").exists());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let mut store = FolderStore::open(place.path()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(place.path().join("pipe")).status();
        assert!(made.unwrap().success());
        assert!(store.open("pipe").is_err());
        assert_eq!(store.occupant("pipe").unwrap(), Occupant::Other);
    }

    #[test]
    fn one_process_writes_at_a_time_and_others_may_read() {
        let place = tempfile::tempdir().unwrap();
        let store = FolderStore::open(place.path()).unwrap();
        let second = FolderStore::open(place.path());
        assert!(matches!(second, Err(ByteStoreError::Locked { .. })));
        assert!(FolderStore::open_read_only(place.path()).is_ok());
        drop(store);
        assert!(FolderStore::open(place.path()).is_ok());
    }

    #[test]
    fn what_a_killed_run_has_staged_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let store = FolderStore::open(place.path()).unwrap();
        std::mem::forget(stage(&store, b"half"));
        let staging = store.state_folder().join("tmp");
        assert_eq!(std::fs::read_dir(&staging).unwrap().count(), 1);
        drop(store);
        let mut store = FolderStore::open(place.path()).unwrap();
        assert_eq!(std::fs::read_dir(&staging).unwrap().count(), 0);
        let staged = stage(&store, b"whole");
        assert_eq!(store.commit(&staged, "a", &[0; 32], false).unwrap(), CommitOutcome::Done);
    }
}

/// Where a folder is its owner's, who has other files in it, and all of it is served.
mod only_in_a_served_folder {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use tidings_bytes::{ByteStore as _, ByteStoreError, ServedFolder};

    use crate::promises::stage;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_touched_before_something_is_written() {
        let place = tempfile::tempdir().unwrap();
        let mut store = ServedFolder::new(&place.path().join("out"), "own");
        assert!(store.reader().unwrap().stamp("a").is_none());
        store.list(&mut |_| panic!("there is nothing"));
        assert!(names(place.path()).is_empty());
        let mut area = store.staging_area().unwrap();
        assert_eq!(names(&place.path().join("out/own")), [".lock"]);
        let (staged, _) = area.create().unwrap();
        assert_eq!(names(&place.path().join("out/own")).len(), 2);
        drop((staged, area));
        assert_eq!(names(&place.path().join("out/own")), [".lock"]);
    }

    #[test]
    fn one_store_writes_at_a_time_and_the_next_removes_what_is_left() {
        let place = tempfile::tempdir().unwrap();
        let store = ServedFolder::new(place.path(), "own");
        std::mem::forget(stage(&store, b"half"));
        fs::write(place.path().join("own/.tidings-old"), "left by a run that was killed").unwrap();
        let second = ServedFolder::new(place.path(), "own");
        assert!(matches!(second.staging_area(), Err(ByteStoreError::Locked { .. })));
        assert_eq!(names(&place.path().join("own")).len(), 3);
        drop(store);
        second.lock().unwrap();
        assert_eq!(names(&place.path().join("own")), [".lock"]);
    }

    /// What is not committed is in a folder that nobody else may enter.
    #[test]
    fn everybody_may_read_what_is_committed() {
        let place = tempfile::tempdir().unwrap();
        let mut store = ServedFolder::new(place.path(), "own");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let mut area = store.staging_area().unwrap();
        let mut files = Vec::new();
        for number in 0..40 {
            let (staged, mut file) = area.create().unwrap();
            file.write_all(b"x").unwrap();
            files.push((staged, format!("f/{number}")));
        }
        let staging = names(&place.path().join("own")).pop().unwrap();
        assert_eq!(mode(&place.path().join("own").join(staging)), 0o700);
        let alone = files.pop().unwrap();
        store.commit_all(vec![alone]).unwrap();
        store.commit(&files.pop().unwrap().0, "f/38", &[0; 32], false).unwrap();
        store.commit_all(files).unwrap();
        for number in 0..40 {
            assert_eq!(mode(&place.path().join(format!("f/{number}"))), 0o644);
        }
    }

    /// Its owner arranges the folder: a folder below may be a link, and on another file system.
    #[test]
    fn a_folder_on_another_file_system_gets_its_files() {
        let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
        symlink(elsewhere.path(), place.path().join("out")).unwrap();
        let mut store = ServedFolder::new(place.path(), "own");
        for bytes in ["1", "2"] {
            store.commit_all(vec![(stage(&store, bytes.as_bytes()), "out/a".into())]).unwrap();
            assert_eq!(fs::read_to_string(elsewhere.path().join("a")).unwrap(), bytes);
        }
        let mode = fs::metadata(elsewhere.path().join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        let outcome = store.commit(&stage(&store, b"3"), "out/a", &[0; 32], false).unwrap();
        assert_eq!(outcome, tidings_bytes::CommitOutcome::Taken);
        assert_eq!(names(elsewhere.path()), ["a"]);
        assert_eq!(names(&place.path().join("own")), [".lock"]);
    }
}
