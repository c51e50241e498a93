//! Which folders can be that of a copy.

use std::path::{Path, PathBuf};

use tidings_bytes::FolderStore;

use crate::SyncError;

/// Refuses what is no path of a folder: a URL, such as that of an object store.
pub fn check_folder(folder: &Path) -> Result<(), SyncError> {
    let text = folder.to_string_lossy();
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match text.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => {
            Err(SyncError::FolderIsUrl { path: folder.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Refuses a folder that a copy cannot be made in, as it is or lies in a publication: a copy would mix its
/// files with those that another Source publishes there. A copy that was republished in its own folder is a copy before all.
pub fn check_folder_for_sync(folder: &Path) -> Result<(), SyncError> {
    check_folder(folder)?;
    if FolderStore::exists(folder) {
        return Ok(());
    }
    match publication_around(folder) {
        Some((path, document)) => Err(SyncError::IsPublication { path, document }),
        None => Ok(()),
    }
}

/// The publication that a folder is, or lies in, and the document by which it is known. The folder itself need
/// not be there yet.
fn publication_around(folder: &Path) -> Option<(PathBuf, String)> {
    let absolute = std::path::absolute(folder).ok()?;
    let there = absolute.ancestors().find_map(|path| path.canonicalize().ok())?;
    there.ancestors().find_map(|path| Some((path.to_owned(), publication(path)?)))
}

/// The document by which a folder is known as a publication.
fn publication(folder: &Path) -> Option<String> {
    const LIST: &str = "capabilitylist.xml";
    let fixed = [".well-known/resourcesync".to_owned(), format!("resourcesync/{LIST}")];
    let sets = std::fs::read_dir(folder.join("resourcesync")).into_iter().flatten().flatten();
    let of_set = |entry: std::fs::DirEntry| {
        Some(format!("resourcesync/{}/{LIST}", entry.file_name().into_string().ok()?))
    };
    fixed.into_iter().chain(sets.filter_map(of_set)).find(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_folders() {
        for url in ["s3://bucket/copy", "https://a.example/", "file:///tmp/x", "git+ssh://a/b"] {
            assert!(check_folder(Path::new(url)).is_err(), "{url}");
        }
        for path in ["copy", "a/b://c", "/tmp/x", "C:/x", "://x", "a b://c"] {
            assert!(check_folder(Path::new(path)).is_ok(), "{path}");
        }
    }
}
