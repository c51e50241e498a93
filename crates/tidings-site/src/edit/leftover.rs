//! Temporary files of the editor that a program left that was killed.

use std::path::Path;

/// How deep folders are looked into.
const MAX_DEPTH: usize = 34;

/// Removes them. It is called while no other program edits the root: before a server answers anybody.
pub(crate) fn remove_leftovers(root: &Path) {
    for folder in ["content", "pages", "state/sys"] {
        let count = remove_below(&root.join(folder), MAX_DEPTH);
        if count > 0 {
            tracing::info!(folder, count, "temporary files of an edit that broke off were removed");
        }
    }
}

fn remove_below(folder: &Path, depth: usize) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if kind.is_dir() && depth > 0 && !name.starts_with('.') {
            count += remove_below(&entry.path(), depth - 1);
        } else if kind.is_file() && is_temporary(&name) {
            count += usize::from(std::fs::remove_file(entry.path()).is_ok());
        }
    }
    count
}

/// Whether a name is one of those that temporary files are made with.
fn is_temporary(name: &str) -> bool {
    name.strip_prefix(tidings_base::TEMPORARY_PREFIX).is_some_and(|number| {
        number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
