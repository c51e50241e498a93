//! Files that change their places, all or none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::PublishError;

/// Renames that can be undone.
pub(super) struct Moves {
    /// Where what was there before is kept meanwhile.
    old: PathBuf,
    /// The places that have changed, with what was there before.
    done: Vec<(PathBuf, Option<PathBuf>)>,
    /// The folders that were not there before, each after those that it is in.
    made: Vec<PathBuf>,
}

impl Moves {
    pub(super) fn new(old: PathBuf) -> Result<Self, PublishError> {
        fs::create_dir_all(&old).map_err(PublishError::io("could not make the folder", &old))?;
        Ok(Self { old, done: Vec::new(), made: Vec::new() })
    }

    pub(super) fn replace(&mut self, new: &Path, path: &Path) -> io::Result<()> {
        let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let mut folders: Vec<&Path> = path.ancestors().skip(1).take_while(is_new).collect();
        while let Some(folder) = folders.pop() {
            fs::create_dir(folder)?;
            self.made.push(folder.to_owned());
        }
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let saved = self.saved();
        // A second name, so that there is no moment without the document; not every file system has
        // them.
        let kept = match fs::hard_link(path, &saved) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => fs::rename(path, &saved).map(|()| Some(saved))?,
            Ok(()) => Some(saved),
        };
        self.done.push((path.to_owned(), kept));
        fs::rename(new, path)
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let saved = self.saved();
        fs::rename(path, &saved)?;
        self.done.push((path.to_owned(), Some(saved)));
        Ok(())
    }

    fn saved(&self) -> PathBuf {
        self.old.join(self.done.len().to_string())
    }

    /// As far as that is possible.
    pub(super) fn undo(self) {
        for (path, kept) in self.done.into_iter().rev() {
            let _ = match kept {
                Some(kept) => fs::rename(kept, &path),
                None => fs::remove_file(&path),
            };
        }
        for folder in self.made.into_iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
