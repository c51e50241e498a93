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

use tidings_bytes::{ByteStore, FolderStore};

use memory::MemoryStore;

fn folder(place: &Path) -> Box<dyn ByteStore> {
    Box::new(FolderStore::open(place).unwrap())
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
