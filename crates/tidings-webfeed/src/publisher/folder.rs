//! The files of a webfeed's folder.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tidings_feed::decode_page;

use super::draft::Ready;
use super::edit::Edit;
use super::line::path_of;
use super::{PublishError, Publisher, Result};

/// How the names of files begin that are being written. Those of `tidings publish`, which may be at work
/// in the same folder, begin otherwise.
const TEMPORARY: &str = ".tidings-webfeed-";

impl Publisher {
    /// Keeps others from editing the folder until it is dropped.
    pub(super) fn lock(&self) -> Result<File> {
        let lock = File::open(&self.folder).and_then(|folder| folder.lock().map(|()| folder));
        let lock = lock.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => PublishError::NoWebfeed(self.folder.clone()),
            _ => self.trouble("", error),
        })?;
        self.sweep();
        Ok(lock)
    }

    /// Removes what an edit left that was killed. Who has the lock is alone with these files.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_ours = entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
            if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                // One that stays does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// How long the index is.
    pub(super) fn length(&self) -> u64 {
        fs::metadata(self.index_path()).map_or(0, |index| index.len())
    }

    /// The file of a line, if it is in the folder.
    pub(super) fn file_of(&self, line: &str) -> Option<PathBuf> {
        path_of(line).map(|name| self.folder.join(name)).filter(|path| path.is_file())
    }

    pub(super) fn index_path(&self) -> PathBuf {
        self.folder.join("index.txt")
    }

    pub(super) fn index(&self) -> Result<Edit> {
        let bytes = match fs::read(self.index_path()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(PublishError::NoWebfeed(self.folder.clone()));
            }
            Err(error) => return Err(self.trouble("index.txt", error)),
        };
        Ok(Edit::of(&decode_page(&bytes, Some("text/plain"))))
    }

    /// A name that no other file of the folder has, nor any of the posts that are to come.
    pub(super) fn free(&self, name: Option<&str>, title: &str, others: &[Ready]) -> Result<String> {
        let is_taken = |file: &str| {
            self.folder.join(file).exists() || others.iter().any(|other| other.line == file)
        };
        if let Some(name) = name {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.starts_with('.') || !name.bytes().all(is_name) {
                return Err(PublishError::Name(name.to_owned()));
            }
            let file = if name.contains('.') { name.to_owned() } else { format!("{name}.html") };
            let path = self.folder.join(&file);
            return if is_taken(&file) { Err(PublishError::Taken(path)) } else { Ok(file) };
        }
        let slug = slug(title);
        let names = std::iter::once(format!("{slug}.html"))
            .chain((2..10_000).map(|number| format!("{slug}-{number}.html")));
        let free = names.into_iter().find(|name| !is_taken(name));
        free.ok_or(PublishError::Name(slug))
    }

    /// Writes a file beside its place, and then there: no reader sees half of it. A link stays one, and
    /// what it leads to changes.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.folder.join(name);
        let write = || -> io::Result<()> {
            let target = path.canonicalize().unwrap_or_else(|_| path.clone());
            let folder = target.parent().unwrap_or(&self.folder);
            let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
            file.write_all(text.as_ref())?;
            file.as_file().sync_all()?;
            readable(file.path(), &target)?;
            file.persist(&target).map_err(|error| error.error)?;
            // The name, too, is to be there after a crash.
            File::open(folder)?.sync_all()
        };
        write().map_err(|error| PublishError::Io { path: path.clone(), error })?;
        Ok(path)
    }

    pub(super) fn trouble(&self, name: &str, error: io::Error) -> PublishError {
        PublishError::Io { path: self.folder.join(name), error }
    }
}

/// Makes a new file as readable as the one that it replaces, or as others are: it is to be served.
fn readable(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(old).map_or(0o644, |it| it.permissions().mode() & 0o777);
        fs::set_permissions(new, fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (new, old);
    Ok(())
}

/// A file name for a title.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 48 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "post".to_owned() } else { slug.to_owned() }
}
