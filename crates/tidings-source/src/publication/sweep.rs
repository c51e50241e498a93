//! What is no longer needed.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::time::{Duration, SystemTime};

use super::fixed::is_ours;
use crate::PublishError;
use crate::layout::{self, Layout};
use crate::previous::each_entry;

/// How long documents stay that nothing points to any more: somebody may be reading them.
const GRACE: Duration = Duration::from_secs(7 * 86_400);

/// Removes what runs before this one left half done. Only for the holder of the lock.
pub(super) fn unfinished(layout: &Layout) {
    each_file(layout, |name, file| {
        if name.starts_with(".tidings-") {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(file.path());
        }
    });
}

/// Removes parts of lists that the lists do not name any more, after a while.
pub(super) fn superseded(layout: &Layout) -> Result<(), PublishError> {
    let mut named = HashSet::new();
    for list in [layout::RESOURCE_LIST, layout::RESOURCE_DUMP, layout::SITEMAP] {
        // A Sitemap of somebody else may be anything.
        if layout.path(list).exists() && (list != layout::SITEMAP || is_ours(layout, list)) {
            each_entry(&layout.path(list), |entry| {
                let contents = entry.link("contents").map(|link| &link.href);
                let uris = contents.into_iter().chain([&entry.loc]);
                named.extend(uris.filter_map(|uri| layout.name(uri)).map(str::to_owned));
                Ok(())
            })?;
        }
    }
    let before = SystemTime::now().checked_sub(GRACE);
    each_file(layout, |name, file| {
        let stems = ["resourcelist", "resourcedump", "sitemap"];
        let ours = stems.iter().any(|stem| layout::is_part(&name, stem));
        let known = named.contains(&name) || named.contains(&format!("resourcesync/{name}"));
        let old = file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| before.is_some_and(|before| time < before));
        if ours && !known && old {
            let _ = fs::remove_file(file.path());
        }
    });
    Ok(())
}

/// Shows the files in the folders that documents are written into.
fn each_file(layout: &Layout, mut each: impl FnMut(String, &DirEntry)) {
    for folder in ["", ".well-known", "resourcesync"] {
        let Ok(entries) = fs::read_dir(layout.path(folder)) else { continue };
        for entry in entries.flatten() {
            if let Ok(name) = entry.file_name().into_string() {
                each(name, &entry);
            }
        }
    }
}
