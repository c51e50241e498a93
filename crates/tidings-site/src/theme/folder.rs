//! The folder of a theme.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bytes::Bytes;

use super::ThemeError;

/// A theme is held in memory: these are more than one needs, and less than a wrong folder has.
const MOST_FILES: usize = 200;
const MOST_BYTES: u64 = 8 << 20;
const MOST_DEPTH: usize = 4;

/// The files of a theme by their names, and when the newest was changed.
pub(super) fn read(
    folder: &Path,
) -> Result<(BTreeMap<String, Bytes>, Option<SystemTime>), ThemeError> {
    let shown = folder.display().to_string();
    let root = folder.canonicalize().map_err(|error| ThemeError::new(shown, error))?;
    let mut reading = Reading { root, files: BTreeMap::new(), bytes: 0, modified: None };
    let root = reading.root.clone();
    reading.folder(&root, "", 0)?;
    Ok((reading.files, reading.modified))
}

struct Reading {
    root: PathBuf,
    files: BTreeMap<String, Bytes>,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Reading {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), ThemeError> {
        if depth > MOST_DEPTH {
            return Err(ThemeError::new(
                prefix,
                format!("it is more than {MOST_DEPTH} folders deep"),
            ));
        }
        let failed = |error| ThemeError::new(if prefix.is_empty() { "." } else { prefix }, error);
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                return Err(ThemeError::new(
                    format!("{prefix}{}", name.display()),
                    "its name is not UTF-8",
                ));
            };
            if name.starts_with('.') {
                continue;
            }
            let kind = entry.file_type().map_err(failed)?;
            let name = format!("{prefix}{name}");
            if kind.is_dir() {
                self.folder(&entry.path(), &format!("{name}/"), depth + 1)?;
            } else {
                self.file(name, &entry.path())?;
            }
        }
        Ok(())
    }

    /// A link is followed to a file within the folder, and to nothing else.
    fn file(&mut self, name: String, path: &Path) -> Result<(), ThemeError> {
        let failed = |error| ThemeError::new(name.clone(), error);
        let path = path.canonicalize().map_err(failed)?;
        if !path.starts_with(&self.root) {
            return Err(ThemeError::new(name, "it is a link that leads out of the folder"));
        }
        let kind = fs::metadata(&path).map_err(failed)?;
        if !kind.is_file() {
            return Err(ThemeError::new(name, "it is neither a file nor a folder"));
        }
        if self.files.len() == MOST_FILES {
            return Err(ThemeError::new(name, format!("there are more than {MOST_FILES} files")));
        }
        let mut bytes = Vec::new();
        let left = MOST_BYTES - self.bytes;
        let file = fs::File::open(&path).map_err(failed)?;
        // One more than may be, to see whether there is.
        file.take(left + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > left {
            let most = MOST_BYTES >> 20;
            return Err(ThemeError::new(name, format!("the files are more than {most} MiB")));
        }
        self.bytes += bytes.len() as u64;
        self.modified = self.modified.max(kind.modified().ok());
        self.files.insert(name, Bytes::from(bytes));
        Ok(())
    }
}
