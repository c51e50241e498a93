//! Where a publication is gathered before it is put into its place.

use std::fs::{self, File};
use std::path::PathBuf;

use tempfile::TempDir;

use crate::PublishError;
use crate::layout::{LOCK, Layout};
use crate::publication::lock;

const PREFIX: &str = ".tidings-restore-";

/// A folder for the files, beside their places so that a rename brings them there, and the lock of
/// the publication. Both are gone with this value, and so is everything else that it made unless
/// the publication was put into its place.
pub(super) struct Staging {
    layout: Layout,
    folder: Option<TempDir>,
    lock: Option<File>,
    /// The folders that were not there before, the innermost first.
    made: Vec<PathBuf>,
}

impl Staging {
    /// Takes the lock and removes what a run before this one left half done.
    pub(super) fn begin(layout: &Layout) -> Result<Self, PublishError> {
        let own = layout.path("resourcesync");
        let is_new = |path: &&std::path::Path| !path.as_os_str().is_empty() && !path.exists();
        let made = own.ancestors().take_while(is_new).map(ToOwned::to_owned).collect();
        let lock = Some(lock(layout)?);
        let staging = Self { layout: layout.clone(), folder: None, lock, made };
        for entry in fs::read_dir(&own).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                // What cannot be removed is in nobody's way.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(staging)
    }

    /// Begins with an empty folder; the answer is the layout of a publication in it.
    pub(super) fn fresh(&mut self) -> Result<Layout, PublishError> {
        self.folder = None;
        let own = self.layout.path("resourcesync");
        let folder = TempDir::with_prefix_in(PREFIX, &own)
            .map_err(PublishError::io("could not make a folder in", &own))?;
        let layout = Layout::new(&folder.path().join("new"), self.layout.base())?;
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
        self.lock = None;
    }
}
