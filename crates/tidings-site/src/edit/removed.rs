//! What was taken out of the content, and can be put back.

use rustix::io::Errno;

use super::folder::Folder;
use super::root::Root;
use super::temporary::{Temporary, random};
use super::{EditError, Result};

/// One folder of `state/tidings/removed/`, which has what one call took out.
pub(super) struct Removed {
    folder: Folder,
}

impl Removed {
    /// Begins one for files of that folder of the root, whose path they keep in it.
    pub(super) fn begin(root: &Root, of: &str) -> Result<Self> {
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        // Two at the same second are still two.
        let unique = random()? >> 48;
        let folder = root.make(&format!("state/tidings/removed/{time}-{unique:04x}/{of}"))?;
        Ok(Self { folder })
    }

    /// Moves a file there; it may be gone already.
    pub(super) fn take(&self, from: &Folder, name: &str) -> Result<()> {
        match from.rename_new(name, &self.folder, name) {
            Ok(()) => self.folder.sync(),
            Err(Errno::NOENT) => Ok(()),
            // The state is on another disk than the content.
            Err(Errno::XDEV) => self.copy(from, name),
            Err(error) => Err(EditError::os("move", &from.path().join(name))(error)),
        }
    }

    fn copy(&self, from: &Folder, name: &str) -> Result<()> {
        let Some((file, stat)) = from.file(name)? else { return Ok(()) };
        let copy = Temporary::of(&self.folder, file, u64::MAX)?;
        copy.permit_as(&stat);
        copy.place(name)?;
        from.remove(name).map_err(EditError::os("remove", &from.path().join(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_moved_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let from = root.make("pages").unwrap();
        std::fs::write(folder.path().join("pages/a.md"), "text").unwrap();
        let removed = Removed::begin(&root, "pages").unwrap();
        removed.copy(&from, "a.md").unwrap();
        removed.copy(&from, "gone.md").unwrap();
        assert!(!folder.path().join("pages/a.md").exists());
        assert_eq!(std::fs::read(removed.folder.path().join("a.md")).unwrap(), b"text");
    }
}
