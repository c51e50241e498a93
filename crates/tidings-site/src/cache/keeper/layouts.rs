//! The folders of the two layouts, which may be away for a while: a disk that is not mounted deletes
//! nothing.

use rustix::fs::Dir;

use super::Keeper;
use crate::finding::{Fault, Finding};
use crate::root::ContentRoot;

/// The folder of one layout.
#[derive(Debug, Clone, Default)]
pub(super) struct LayoutFolder {
    /// Which folder it was when it was looked at last, by device and number.
    folder: Option<(u64, u64)>,
    /// Whether it had objects then.
    had_objects: bool,
    pub(super) is_away: bool,
}

/// The two folders.
#[derive(Debug, Clone, Default)]
pub(super) struct Layouts {
    pub(super) content: LayoutFolder,
    pub(super) pages: LayoutFolder,
}

impl LayoutFolder {
    /// A folder as the journal knows it.
    pub(super) fn known(folder: Option<(u64, u64)>) -> Self {
        Self { folder, had_objects: folder.is_some(), is_away: false }
    }
}

/// Whether a folder has nothing in it, as one where nothing is mounted.
fn is_empty(root: &ContentRoot, name: &str) -> bool {
    let Ok(entries) = root.open_folder(name).and_then(|folder| Ok(Dir::read_from(&folder)?)) else {
        return false;
    };
    entries.into_iter().flatten().all(|entry| matches!(entry.file_name().to_bytes(), b"." | b".."))
}

impl Keeper {
    /// Finds out which layouts are there: one that had objects is away if its folder is gone, or if
    /// another, empty folder has its place. True if one came back.
    pub(in crate::cache) fn look_for_layouts(&mut self, root: &ContentRoot) -> bool {
        let mut came_back = false;
        for name in ["content", "pages"] {
            let now = root.held_folder(name);
            let layout = self.layout(name);
            let was_away = layout.is_away;
            let is_other = now != layout.folder;
            layout.is_away = layout.had_objects
                && match now {
                    None => true,
                    Some(_) => is_other && is_empty(root, name),
                };
            came_back |= was_away && !layout.is_away;
            if layout.is_away == was_away {
                continue;
            }
            if layout.is_away {
                let message =
                    "the folder is not there, or another, empty one is in its place; its objects \
                    are not taken for deleted; put a file into it if they are"
                        .to_owned();
                let finding = Finding { place: name.into(), fault: Fault::Away, message };
                tracing::warn!(place = name, "{}", finding.message);
                self.findings.insert(format!("{name}/").into(), vec![finding]);
            } else {
                self.findings.remove(&*format!("{name}/"));
            }
        }
        came_back
    }

    /// Whether objects are not there that may come back.
    pub(crate) fn is_away(&self) -> bool {
        self.layouts.content.is_away || self.layouts.pages.is_away
    }

    /// Remembers the folders that were looked at, and whether they have objects.
    pub(super) fn remember_layouts(&mut self, root: &ContentRoot) {
        let has_objects = [
            ("content", self.shards.iter().any(|shard| !shard.is_empty())),
            ("pages", self.folders.values().any(|files| !files.is_empty())),
        ];
        for (name, has_objects) in has_objects {
            let folder = root.held_folder(name);
            let journal = self.journal.clone();
            let layout = self.layout(name);
            if layout.is_away || (layout.folder, layout.had_objects) == (folder, has_objects) {
                continue;
            }
            (layout.folder, layout.had_objects) = (folder, has_objects);
            let kept = folder.filter(|_| has_objects);
            if let Some(Err(error)) = journal.map(|journal| journal.keep_layout(name, kept)) {
                tracing::warn!(%error, "the folder of a layout could not be kept");
            }
        }
    }

    fn layout(&mut self, name: &str) -> &mut LayoutFolder {
        if name == "content" { &mut self.layouts.content } else { &mut self.layouts.pages }
    }
}
