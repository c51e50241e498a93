//! Finds a path for a file where the one that the mapping gives cannot be, as where a folder `a` is and
//! `a` is to be a file.

use tidings_bytes::{ByteStore, Occupant};

use crate::SyncError;
use crate::mapping::{conflict_as_file, conflict_as_folder};

/// The path of a file, and what is there: nothing, a file, or something that is neither.
pub(crate) fn find_place(
    files: &mut dyn ByteStore,
    path: &str,
) -> Result<(String, Occupant), SyncError> {
    let mut path = path.to_owned();
    for _ in 0..path.matches('/').count() + 2 {
        match files.occupant(&path)? {
            Occupant::BelowFile(segment) => path = conflict_as_folder(&path, segment),
            Occupant::Folder => path = conflict_as_file(&path),
            occupant => return Ok((path, occupant)),
        }
    }
    Err(SyncError::LinkInTheWay { path: files.location(&path) })
}

#[cfg(test)]
mod tests {
    use tidings_bytes::FolderStore;

    use super::*;

    #[test]
    fn a_file_where_a_folder_is_needed_and_a_folder_where_a_file_is_lead_to_other_names() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = FolderStore::open(folder.path()).unwrap();
        std::fs::create_dir_all(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), "old").unwrap();
        let mut find = |path| find_place(&mut files, path).unwrap();
        assert_eq!(find("a/b"), ("a/b".to_owned(), Occupant::File));
        assert_eq!(find("a/b/c"), ("a/b%_d/c".to_owned(), Occupant::Nothing));
        assert_eq!(find("a"), ("a/%_self".to_owned(), Occupant::Nothing));
    }
}
