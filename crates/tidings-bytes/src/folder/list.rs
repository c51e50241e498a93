//! Lists the files below a folder.

use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tidings_base::TEMPORARY_PREFIX;

use super::STATE_FOLDER;
use crate::{ByteStoreError, FolderEntry, ListedFile};

/// Shows each file but those that are the store's `own`. Memory has no more than the folders that are still
/// to be walked.
pub(crate) fn list(
    root: &Path,
    is_own: impl Fn(&Path) -> bool,
    visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(root.join(&folder)) {
            Ok(entries) => entries,
            // Somebody else may be at work here.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                visit(ListedFile::Unreadable(&folder, error))?;
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            if is_own(&path) {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
                continue;
            }
            visit(ListedFile::File(&path))?;
        }
    }
    ControlFlow::Continue(())
}

/// Shows the files and folders right in a folder but those that are the store's `own`, whose names begin with
/// a dot.
pub(crate) fn list_folder(
    root: &Path,
    folder: &str,
    is_own: impl Fn(&Path) -> bool,
    visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
) -> Result<(), ByteStoreError> {
    let path = root.join(folder);
    let failed = |error| ByteStoreError::io("could not list", &path)(error);
    let entries = match std::fs::read_dir(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(());
        }
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        // No path of a store leads to a name that is no text. Most names are nobody's secret.
        let is_hidden = |name: &str| name.starts_with('.') && is_own(&Path::new(folder).join(name));
        let Some(name) = name.to_str().filter(|name| !is_hidden(name)) else { continue };
        let shown = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => FolderEntry::Folder(name),
            false => FolderEntry::File(name),
        };
        if visit(shown).is_break() {
            break;
        }
    }
    Ok(())
}

/// True of the state of the store, and of what is being published into its folder.
pub(super) fn is_own(path: &Path) -> bool {
    let is_top = path.components().count() == 1;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_top && (name == STATE_FOLDER || name.starts_with(TEMPORARY_PREFIX))
}
