//! Bodies that broke off, kept for the next run.
//!
//! A large body whose server says how its version is known (a strong `ETag`) is written into
//! `.tidings/partial`, where a run that is killed leaves it. Beside the bytes there is a note of what they
//! are of. The next request asks for the rest (`Range`, `If-Range`): a server that has another version by
//! then answers with all of it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tidings_bytes::{STATE_FOLDER, StagedFile, StagingArea};
use url::Url;

/// How large a body must be to be kept, and how much of it must have come.
const MIN_BODY_BYTES: u64 = 4 << 20;
pub(super) const MIN_KEPT_BYTES: u64 = 1 << 20;

/// How long a body is kept that nobody asks for.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The kept bodies of a copy, as one thread sees them.
pub(super) struct Partials {
    copy: PathBuf,
    /// The folder, once something is kept.
    folder: RefCell<Option<StagingArea>>,
    /// What is in it: so that what was never begun costs nothing.
    names: RefCell<HashSet<String>>,
}

/// A kept body, or one that is about to be.
pub(super) struct Partial {
    pub(super) draft: StagedFile,
    pub(super) file: File,
    pub(super) note: Note,
}

/// What a kept body is of.
pub(super) struct Note {
    draft: StagedFile,
    file: File,
    said: Said,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    url: String,
    etag: String,
    /// How many bytes there are in all.
    length: u64,
    /// How many of them are known to be on the disk; none of a run that was killed.
    kept: Option<u64>,
}

impl Partials {
    pub(super) fn new(copy: &Path) -> Self {
        let folder = folder(copy);
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let (copy, names) = (copy.to_owned(), RefCell::new(names.collect()));
        Self { copy, folder: RefCell::default(), names }
    }

    /// What is kept of a body, if anything is.
    pub(super) fn find(&self, url: &Url) -> Option<Partial> {
        let name = name_of(url);
        if !self.names.borrow().contains(&name) {
            return None;
        }
        let found = self.open(&name, false)?;
        let mut text = String::new();
        (&found.1.1).take(1 << 16).read_to_string(&mut text).ok()?;
        let said: Said = serde_json::from_str(&text).ok()?;
        let ((draft, file), (note, note_file)) = found;
        let note = Note { draft: note, file: note_file, said };
        (note.said.url == url.as_str()).then_some(Partial { draft, file, note })
    }

    /// A place for a body that is about to come, if it is worth it and nobody else has it.
    pub(super) fn begin(&self, url: &Url, etag: &str, length: Option<u64>) -> Option<Partial> {
        let length = length.filter(|length| *length >= MIN_BODY_BYTES)?;
        let name = name_of(url);
        let ((draft, file), (note, note_file)) = self.open(&name, true)?;
        let (url, etag) = (url.to_string(), etag.to_owned());
        let said = Said { url, etag, length, kept: None };
        let mut note = Note { draft: note, file: note_file, said };
        file.set_len(0).ok()?;
        note.write().ok()?;
        self.names.borrow_mut().insert(name);
        Some(Partial { draft, file, note })
    }

    fn open(&self, name: &str, create: bool) -> Option<((StagedFile, File), (StagedFile, File))> {
        let mut folder = self.folder.borrow_mut();
        if folder.is_none() {
            *folder = StagingArea::open(&self::folder(&self.copy)).ok();
        }
        let folder = folder.as_ref()?;
        let body = folder.claim(name, create).ok()?;
        Some((body, folder.claim(&format!("{name}.json"), create).ok()?))
    }
}

impl Partial {
    /// How many bytes are there, if they can be relied on. After a power cut there may be others than were
    /// written; a digest of the whole would tell.
    pub(super) fn length(&self, has_digest: bool) -> Option<u64> {
        let length = self.file.metadata().ok()?.len();
        let is_safe = has_digest || self.note.said.kept == Some(length);
        let fits = (MIN_KEPT_BYTES..=self.note.said.length).contains(&length);
        (is_safe && fits).then_some(length)
    }

    pub(super) fn discard(self) {
        self.draft.discard();
        self.note.discard();
    }
}

impl Note {
    pub(super) fn etag(&self) -> &str {
        &self.said.etag
    }

    /// How many bytes there are in all.
    pub(super) fn whole(&self) -> u64 {
        self.said.length
    }

    /// Says that so many bytes are on the disk.
    pub(super) fn keep(mut self, length: u64) -> io::Result<()> {
        self.said.kept = Some(length);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.said)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)
    }

    pub(super) fn discard(&self) {
        self.draft.discard();
    }
}

/// Removes what is kept for too long, and what lacks its bytes or its note. Only before a run begins, as
/// nobody has anything open then.
pub(super) fn remove_stale(copy: &Path) {
    let folder = folder(copy);
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let other = match name.strip_suffix(".json") {
            Some(body) => folder.join(body),
            None => folder.join(format!("{name}.json")),
        };
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.map(|modified| SystemTime::now().duration_since(modified));
        let is_stale = matches!(age, Ok(Ok(age)) if age > MAX_AGE);
        if is_stale || !other.exists() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn folder(copy: &Path) -> PathBuf {
    copy.join(STATE_FOLDER).join("partial")
}

fn name_of(url: &Url) -> String {
    let digest = Sha256::digest(url.as_str());
    tidings_base::to_hex(&digest[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETAG: &str = "\"1\"";

    fn url() -> Url {
        Url::parse("http://a.example/large").unwrap()
    }

    /// Begins a body in a copy, and leaves it as a run that is killed does.
    fn begun(copy: &Path) -> Partials {
        let partials = Partials::new(copy);
        assert!(partials.find(&url()).is_none());
        assert!(partials.begin(&url(), ETAG, Some(MIN_BODY_BYTES - 1)).is_none(), "too small");
        let mut partial = partials.begin(&url(), ETAG, Some(MIN_BODY_BYTES)).unwrap();
        partial.file.write_all(&vec![7; MIN_KEPT_BYTES as usize]).unwrap();
        assert!(partials.begin(&url(), ETAG, Some(MIN_BODY_BYTES)).is_none(), "one at a time");
        partials
    }

    #[test]
    fn bytes_of_a_run_that_was_killed_count_only_with_a_digest() {
        let copy = tempfile::tempdir().unwrap();
        drop(begun(copy.path()));
        remove_stale(copy.path());
        let partial = Partials::new(copy.path()).find(&url()).unwrap();
        assert_eq!((partial.note.etag(), partial.note.whole()), (ETAG, MIN_BODY_BYTES));
        assert_eq!(partial.length(true), Some(MIN_KEPT_BYTES));
        assert_eq!(partial.length(false), None);
        partial.note.keep(MIN_KEPT_BYTES).unwrap();
        drop(partial.file);
        let partial = Partials::new(copy.path()).find(&url()).unwrap();
        assert_eq!(partial.length(false), Some(MIN_KEPT_BYTES));
        partial.discard();
        assert_eq!(std::fs::read_dir(folder(copy.path())).unwrap().count(), 0);
    }

    #[test]
    fn stale_bodies_are_removed_and_others_are_not() {
        let copy = tempfile::tempdir().unwrap();
        drop(begun(copy.path()));
        let count = || std::fs::read_dir(folder(copy.path())).unwrap().count();
        std::fs::write(folder(copy.path()).join("alone"), "x").unwrap();
        remove_stale(copy.path());
        assert_eq!(count(), 2, "what has no note is of no use");
        let name = folder(copy.path()).join(name_of(&url()));
        let file = File::options().write(true).open(&name).unwrap();
        file.set_modified(SystemTime::now() - MAX_AGE - Duration::from_secs(60)).unwrap();
        remove_stale(copy.path());
        remove_stale(copy.path());
        assert_eq!(count(), 0);
    }
}
