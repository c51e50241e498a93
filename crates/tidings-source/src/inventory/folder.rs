//! A folder as an inventory.

use std::fs::{self, DirEntry, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use tidings_document::{Algorithm, Moment, Precision};

use super::name::encoded;
use crate::{PublishError, Resource, fixity};

/// How many files are read at a time by all threads together: enough to keep them busy, few enough
/// that memory does not count.
const BATCH: usize = 256;

/// A file that is not published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// The files below a folder, each under the URI that its path gives it.
#[derive(Debug, Clone)]
pub struct Folder {
    /// The folder.
    pub root: PathBuf,
    /// The URI of the folder, with a slash at its end.
    pub base: String,
    /// The digests that are wanted.
    pub algorithms: Vec<Algorithm>,
    /// Paths below the folder, relative to it, that are not looked at: our own documents.
    pub leave_out: Vec<PathBuf>,
}

/// A file on its way to becoming a resource.
struct Found {
    path: PathBuf,
    uri: String,
    /// Why nothing more can be said of it.
    fault: Option<String>,
}

impl Folder {
    /// Shows each file, in the order of the URIs. Hidden files and folders are left out, and so are
    /// links that lead out of the folder. Of what cannot be read, or changes while it is read, only
    /// the URI is shown, in its place, with a slash at its end for a folder; why is said to `passed`.
    pub fn each(
        &self,
        mut resource: impl FnMut(Result<Resource, String>) -> Result<(), PublishError>,
        mut passed: impl FnMut(Passed),
    ) -> Result<(), PublishError> {
        let real =
            self.root.canonicalize().map_err(PublishError::io("could not open", &self.root))?;
        let mut batch = Vec::with_capacity(BATCH);
        let mut folders = vec![self.list(&self.root, &self.base, &real, &mut passed)?.into_iter()];
        while let Some(folder) = folders.last_mut() {
            match folder.next() {
                None => {
                    folders.pop();
                }
                Some(Child::Folder(path, uri)) => {
                    // A folder that went away, or may not be read, is passed over, not the rest.
                    match self.list(&path, &uri, &real, &mut passed) {
                        Ok(children) => folders.push(children.into_iter()),
                        Err(error) => batch.push(Found { path, uri, fault: Some(said(&error)) }),
                    }
                }
                Some(Child::File(found)) => batch.push(found),
            }
            if batch.len() == BATCH || folders.is_empty() {
                for (found, result) in self.read(std::mem::take(&mut batch)) {
                    match result {
                        Ok(one) => resource(Ok(one))?,
                        Err(reason) => {
                            resource(Err(found.uri))?;
                            passed(Passed { path: found.path, reason });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The children of a folder in the order of their URIs: a folder's name counts with the slash
    /// after it.
    fn list(
        &self,
        folder: &Path,
        uri: &str,
        real: &Path,
        passed: &mut impl FnMut(Passed),
    ) -> Result<Vec<Child>, PublishError> {
        let mut children = Vec::new();
        let entries = fs::read_dir(folder).map_err(PublishError::io("could not list", folder))?;
        for entry in entries {
            let entry = entry.map_err(PublishError::io("could not list", folder))?;
            if self.is_left_out(&entry) {
                continue;
            }
            let path = entry.path();
            let segment = encoded(&entry.file_name());
            match kind(&entry, real) {
                Ok(Kind::Folder) => children.push(Child::Folder(path, format!("{uri}{segment}/"))),
                Ok(Kind::File) => children.push(Child::File(Found {
                    path,
                    uri: format!("{uri}{segment}"),
                    fault: None,
                })),
                Ok(Kind::Other(reason)) => passed(Passed { path, reason: reason.into() }),
                Err(error) => {
                    let uri = format!("{uri}{segment}");
                    children.push(Child::File(Found { path, uri, fault: Some(error.to_string()) }));
                }
            }
        }
        children.sort_unstable_by(|one, other| one.uri().cmp(other.uri()));
        Ok(children)
    }

    fn is_left_out(&self, entry: &DirEntry) -> bool {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let path = entry.path();
        let relative = path.strip_prefix(&self.root).unwrap_or(&path);
        hidden || self.leave_out.iter().any(|own| own == relative)
    }

    /// Reads a batch of files with all cores; the answers are in the order of the files.
    fn read(&self, batch: Vec<Found>) -> Vec<(Found, Result<Resource, String>)> {
        let results: Vec<OnceLock<Result<Resource, String>>> =
            batch.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut buffer = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(found) = batch.get(place) else { break };
                let _ = results[place].set(self.resource(found, &mut buffer));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(batch.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let answers = results
            .into_iter()
            .map(|result| result.into_inner().unwrap_or_else(|| Err("it was not read".into())));
        batch.into_iter().zip(answers).collect()
    }

    /// One file, read until it did not change while it was read: twice at the most.
    fn resource(&self, found: &Found, buffer: &mut Vec<u8>) -> Result<Resource, String> {
        if let Some(fault) = &found.fault {
            return Err(fault.clone());
        }
        for _ in 0..2 {
            let read = || -> io::Result<(Metadata, Metadata, u64, _)> {
                let mut file = File::open(&found.path)?;
                let before = file.metadata()?;
                let (length, hash) = fixity::of_file(&mut file, &self.algorithms, buffer)?;
                Ok((before, fs::metadata(&found.path)?, length, hash))
            };
            let (before, after, length, hash) = { read }().map_err(|error| error.to_string())?;
            if stamp(&before) == stamp(&after) && before.len() == length {
                return Ok(Resource {
                    uri: found.uri.clone(),
                    lastmod: modified(&after),
                    length: Some(length),
                    media_type: Some(media_type(&found.path)),
                    hash: (!self.algorithms.is_empty()).then_some(hash),
                });
            }
        }
        Err("it changed while it was read".into())
    }
}

enum Child {
    Folder(PathBuf, String),
    File(Found),
}

impl Child {
    fn uri(&self) -> &str {
        match self {
            Self::Folder(_, uri) => uri,
            Self::File(found) => &found.uri,
        }
    }
}

enum Kind {
    Folder,
    File,
    Other(&'static str),
}

fn kind(entry: &DirEntry, real: &Path) -> io::Result<Kind> {
    let kind = entry.file_type()?;
    if kind.is_dir() {
        return Ok(Kind::Folder);
    }
    if kind.is_file() {
        return Ok(Kind::File);
    }
    if !kind.is_symlink() {
        return Ok(Kind::Other("it is neither a file nor a folder"));
    }
    let target = entry.path().canonicalize()?;
    Ok(match target.starts_with(real) {
        false => Kind::Other("it is a link that leads out of the folder"),
        true if target.is_file() => Kind::File,
        // Followed, it could lead around in a circle.
        true => Kind::Other("it is a link to a folder"),
    })
}

fn stamp(metadata: &Metadata) -> (u64, Option<std::time::SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

fn modified(metadata: &Metadata) -> Option<Moment> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Moment::from_unix(i64::try_from(since.as_secs()).ok()?, 0, Precision::Second)
}

fn media_type(path: &Path) -> String {
    mime_guess::from_path(path).first_raw().unwrap_or("application/octet-stream").to_owned()
}

fn said(error: &PublishError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> (tempfile::TempDir, Folder) {
        let root = tempfile::tempdir().unwrap();
        for name in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let folder = Folder {
            root: root.path().to_owned(),
            base: "https://e.example/".into(),
            algorithms: vec![Algorithm::Sha256],
            leave_out: vec!["own.xml".into()],
        };
        (root, folder)
    }

    fn listed(folder: &Folder) -> (Vec<String>, Vec<Passed>) {
        let (mut uris, mut passed) = (Vec::new(), Vec::new());
        folder
            .each(
                |resource| {
                    if let Ok(resource) = resource {
                        uris.push(resource.uri.replace("https://e.example/", ""));
                    }
                    Ok(())
                },
                |one| passed.push(one),
            )
            .unwrap();
        (uris, passed)
    }

    #[test]
    fn files_come_in_the_order_of_their_uris() {
        let names = [
            "a/b.html",
            "a.html",
            "a-1",
            "a/c/d",
            "a b",
            "z",
            ".hidden",
            "x/.git/config",
            "own.xml",
            "☃/ü",
        ];
        let (_root, folder) = folder(&names);
        let (uris, passed) = listed(&folder);
        let mut sorted = uris.clone();
        sorted.sort();
        assert_eq!(uris, sorted);
        assert_eq!(uris, ["%E2%98%83/%C3%BC", "a%20b", "a-1", "a.html", "a/b.html", "a/c/d", "z"]);
        assert!(passed.is_empty());
    }

    #[test]
    fn links_are_followed_only_inside() {
        let (root, folder) = folder(&["a", "sub/b"]);
        std::os::unix::fs::symlink("a", root.path().join("inside")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", root.path().join("outside")).unwrap();
        std::os::unix::fs::symlink("sub", root.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.path().join("dangling")).unwrap();
        let (uris, passed) = listed(&folder);
        assert_eq!(uris, ["a", "inside", "sub/b"]);
        assert_eq!(passed.len(), 3);
    }

    #[test]
    fn more_files_than_one_batch_stay_in_order() {
        let names: Vec<String> = (0..600).map(|number| format!("{number:04}")).collect();
        let (_root, folder) = folder(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(listed(&folder).0, names);
    }
}
