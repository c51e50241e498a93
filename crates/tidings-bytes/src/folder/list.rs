//! Lists the files below a folder.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::STATE_FOLDER;
use crate::ListedFile;

/// Names at the top that begin so are those of files that are being written.
const TEMPORARY_PREFIX: &str = ".tidings-";

/// Shows each file. Memory has no more than the folders that are still to be walked.
pub(super) fn list(
    root: &Path,
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

/// True of the state of the store, and of what is being published into its folder.
fn is_own(path: &Path) -> bool {
    let is_top = path.components().count() == 1;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    is_top && (name == STATE_FOLDER || name.starts_with(TEMPORARY_PREFIX))
}
