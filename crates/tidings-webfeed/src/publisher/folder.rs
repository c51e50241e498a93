//! The files of a webfeed's folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tidings_base::{Access, Replacement};
use tidings_feed::decode_page;

use super::draft::Ready;
use super::edit::Edit;
use super::line::path_of;
use super::{PublishError, Publisher, Result};

/// How the names of files begin that are being written. Those of `tidings publish`, which may be at work
/// in the same folder, begin otherwise.
pub(super) const TEMPORARY: &str = ".tidings-webfeed-";

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
            self.folder.join(file).exists()
                || others
                    .iter()
                    .any(|other| path_of(&other.line).is_some_and(|it| it == Path::new(file)))
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
        self.write_from(name, text.as_ref())
    }

    /// The same with what comes from elsewhere.
    pub(super) fn write_from(&self, name: &str, bytes: impl Read) -> Result<PathBuf> {
        let path = self.folder.join(name);
        replace(&path, bytes).map_err(|error| PublishError::Io { path: path.clone(), error })?;
        Ok(path)
    }

    pub(super) fn trouble(&self, name: &str, error: io::Error) -> PublishError {
        PublishError::Io { path: self.folder.join(name), error }
    }
}

/// Writes a file beside its place, and then there, or to where a link leads that is in its place.
pub(super) fn replace(path: &Path, mut bytes: impl Read) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut file = Replacement::with_prefix(&target, TEMPORARY, Access::AsReplaced)?;
    io::copy(&mut bytes, &mut file)?;
    file.commit()
}

/// A file name for a title: its letters and digits, of whatever script.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        // Marks are parts of letters in many scripts.
        if letter.is_alphanumeric() || is_mark(letter) && !slug.is_empty() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.chars().count() >= MAX_SLUG_CHARS || slug.len() >= MAX_SLUG_BYTES {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "post".to_owned() } else { slug.to_owned() }
}

/// How long the name of a file may be that is made of a title.
const MAX_SLUG_CHARS: usize = 48;
const MAX_SLUG_BYTES: usize = 120;

/// Whether a sign belongs to the letter before it, as vowels of the scripts of India do.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{dff}' | '\u{e31}'..='\u{e4e}' | '\u{3099}' | '\u{309a}')
}
