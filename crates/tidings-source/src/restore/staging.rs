//! Where a publication is gathered before it is put into its place.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tidings_bytes::ServedFolder;

use crate::PublishError;
use crate::layout::{LOCK, Layout, OWN, publication_folder};

const PREFIX: &str = ".tidings-restore-";

/// A folder for the files, beside their places so that a rename brings them there, and the lock of
/// the publication. Both are gone with this value, and so is everything else that it made unless
/// the publication was put into its place.
pub(super) struct Staging {
    layout: Layout,
    folder: Option<TempDir>,
    store: Option<ServedFolder>,
    /// The folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl Staging {
    /// Takes the lock and removes what a run before this one left half done.
    pub(super) fn begin(layout: &Layout) -> Result<Self, PublishError> {
        let own = layout.path(OWN);
        let is_new = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        let made = own.ancestors().take_while(is_new).map(ToOwned::to_owned).collect();
        let store = publication_folder(layout.place());
        store.lock()?;
        Ok(Self { layout: layout.clone(), folder: None, store: Some(store), made })
    }

    /// Begins with an empty folder; the answer is the layout of a publication in it.
    pub(super) fn fresh(&mut self) -> Result<Layout, PublishError> {
        self.folder = None;
        let own = self.layout.path(OWN);
        let folder = TempDir::with_prefix_in(PREFIX, &own)
            .map_err(PublishError::io("could not make a folder in", &own))?;
        let layout = Layout::of_folder(&folder.path().join("new"), self.layout.base())?;
        self.folder = Some(folder);
        Ok(layout)
    }

    /// Keeps what was made: the publication is in its place.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.folder = None;
        if !self.made.is_empty() {
            // The lock is still held while its name goes.
            let _ = fs::remove_file(self.layout.path(LOCK));
            for folder in &self.made {
                let _ = fs::remove_dir(folder);
            }
        }
        self.store = None;
    }
}
