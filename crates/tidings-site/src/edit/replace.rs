//! What is said of files of any length, and what is in them.

use std::io::Read;

use super::root::Root;
use super::temporary::Temporary;
use super::{Draft, Editor, Result, Seen, pages, versions};
use crate::{ObjectId, Place};

impl Editor {
    /// What [`remove`](Self::remove) has to be told, also of what cannot be read to be edited.
    pub fn seen(&self, place: &Place) -> Result<Seen> {
        match place {
            Place::Version { number } => Ok(Seen::Version(*number)),
            Place::File { path } => {
                pages::head(&Root::open(&self.root)?, path).map(|(_, seen)| seen)
            }
        }
    }

    /// What is said of an object, without what is in it: for files that are too long to be edited.
    pub fn head(&self, id: ObjectId, place: &Place) -> Result<(Draft, Seen)> {
        let root = Root::open(&self.root)?;
        match place {
            Place::Version { number } => versions::head(&root, id, *number),
            Place::File { path } if pages::is_page(path) => {
                let (draft, seen) = pages::read(&root, path)?;
                Ok((Draft { body: Vec::new(), ..draft }, seen))
            }
            Place::File { path } => pages::head(&root, path),
        }
    }

    /// Saves an object as [`save`](Self::save) does, with at most `limit` bytes as they are read in the
    /// place of the body of the draft. In the plain layout it is for files that are no pages.
    pub fn replace(
        &self,
        id: ObjectId,
        place: &Place,
        seen: Seen,
        draft: &Draft,
        bytes: impl Read,
        limit: u64,
    ) -> Result<Place> {
        draft.check()?;
        let root = Root::open(&self.root)?;
        let place = match place {
            Place::Version { .. } => versions::save_of(&root, id, seen, draft, |folder| {
                Temporary::of(folder, bytes, limit)
            }),
            Place::File { path } => pages::replace(&root, path, seen, draft, bytes, limit),
        }?;
        self.release(id, &place);
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EditError;

    #[test]
    fn files_are_replaced_as_they_were_seen() {
        let folder = tempfile::tempdir().unwrap();
        let pages = folder.path().join("pages");
        std::fs::create_dir(&pages).unwrap();
        std::fs::write(pages.join("a.css"), "old").unwrap();
        let editor = Editor::new(folder.path());
        let place = Place::File { path: "a.css".into() };
        let id = ObjectId::of_path("a.css");
        let (draft, seen) = editor.head(id, &place).unwrap();
        assert_eq!((draft.mime.as_str(), draft.body.len()), ("text/css", 0));
        assert_eq!(editor.seen(&place).unwrap(), seen);
        let large = editor.replace(id, &place, seen, &draft, &b"too long"[..], 3);
        assert!(matches!(large, Err(EditError::TooLarge { limit: 3 })));
        editor.replace(id, &place, seen, &draft, &b"new"[..], 3).unwrap();
        assert_eq!(std::fs::read(pages.join("a.css")).unwrap(), b"new");
        let late = editor.replace(id, &place, seen, &draft, &b"xxx"[..], 3);
        assert!(matches!(late, Err(EditError::Changed(_))));
        assert_eq!(std::fs::read_dir(&pages).unwrap().count(), 1);
    }

    #[test]
    fn a_new_version_may_have_the_blob_of_another() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("content")).unwrap();
        let editor = Editor::new(folder.path());
        let (id, place) =
            editor.upload("a.png", "image/png", &b"png"[..], 9, Some("a.png"), &[]).unwrap();
        let (mut draft, seen) = editor.head(id, &place).unwrap();
        assert_eq!(draft.original_filename.as_deref(), Some("a.png"));
        draft.alias = Some("b.png".to_owned());
        let place = editor.replace(id, &place, seen, &draft, &b"png"[..], 9).unwrap();
        assert_eq!(place, Place::Version { number: 1 });
        let (draft, seen) = editor.read(id, &place).unwrap();
        assert_eq!((draft.alias.as_deref(), &draft.body[..]), (Some("b.png"), &b"png"[..]));
        assert_eq!(seen, editor.seen(&place).unwrap());
    }
}
