//! The files of a webfeed's folder.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tidings_feed::decode_page;

use super::edit::Edit;
use super::line::path_of;
use super::{PublishError, Publisher, Result};

impl Publisher {
    /// Keeps others from editing the folder until it is dropped.
    pub(super) fn lock(&self) -> Result<File> {
        let lock = File::open(&self.folder).and_then(|folder| folder.lock().map(|()| folder));
        lock.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => PublishError::NoWebfeed(self.folder.clone()),
            _ => self.trouble("", error),
        })
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

    /// A name that no other file of the folder has.
    pub(super) fn free(&self, name: Option<&str>, title: &str) -> Result<String> {
        self.index()?;
        if let Some(name) = name {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.starts_with('.') || !name.bytes().all(is_name) {
                return Err(PublishError::Name(name.to_owned()));
            }
            let file = if name.contains('.') { name.to_owned() } else { format!("{name}.html") };
            let path = self.folder.join(&file);
            return if path.exists() { Err(PublishError::Taken(path)) } else { Ok(file) };
        }
        let slug = slug(title);
        let names = std::iter::once(format!("{slug}.html"))
            .chain((2..10_000).map(|number| format!("{slug}-{number}.html")));
        let free = names.into_iter().find(|name| !self.folder.join(name).exists());
        free.ok_or(PublishError::Name(slug))
    }

    /// Writes a file beside its place, and then there: no reader sees half of it.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.folder.join(name);
        let write = || -> io::Result<()> {
            let mut file =
                tempfile::Builder::new().prefix(".tidings-").tempfile_in(&self.folder)?;
            file.write_all(text.as_ref())?;
            file.as_file().sync_all()?;
            readable(file.path(), &path)?;
            file.persist(&path).map_err(|error| error.error)?;
            // The name, too, is to be there after a crash.
            File::open(&self.folder)?.sync_all()
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
