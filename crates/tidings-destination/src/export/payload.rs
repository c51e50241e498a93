//! The payload of a bag: files of the copy, verified while they are copied.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};
use tidings_bytes::ByteReader;
use tidings_document::{Algorithm, Digest};
use tidings_source::Function;

use super::ExportError;
use crate::state::Published;

/// How many bytes of a file are read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// The folder of files whose own paths are taken, by the SHA-256 of their URIs.
const CONFLICTS: &str = "=conflicts";

/// Copies files below `data/`.
pub(super) struct Payload {
    files: Box<dyn ByteReader>,
    folder: PathBuf,
    data: PathBuf,
    buffer: Vec<u8>,
    /// The folder of the last file, which is there.
    last_folder: PathBuf,
}

impl Payload {
    pub(super) fn new(files: Box<dyn ByteReader>, folder: &Path, data: PathBuf) -> Self {
        let (folder, buffer) = (folder.to_owned(), vec![0; BUFFER_BYTES]);
        Self { files, folder, last_folder: data.clone(), data, buffer }
    }

    /// Copies the file of a resource, and answers with its path in the bag. Bytes that do not have the
    /// recorded length and digests are an error.
    pub(super) fn copy(
        &mut self,
        row: &Published,
        file: &str,
        digests: &[Digest],
    ) -> Result<String, ExportError> {
        let corrupt = |reason: &str, path: PathBuf| ExportError::Corrupt {
            path,
            uri: row.uri.clone(),
            reason: reason.to_owned(),
        };
        let from = self.folder.join(file);
        let Some(stamp) = self.files.stamp(file) else {
            return Err(corrupt("the file is missing", from));
        };
        if stamp.length != row.length {
            let reason =
                format!("the file has {} bytes, and {} are recorded", stamp.length, row.length);
            return Err(corrupt(&reason, from));
        }
        let mut source = self.files.open(file).map_err(ExportError::io("could not read", &from))?;
        let (path, mut out) = self.create(&row.uri, file)?;
        let to = self.data.join(&path);
        let found = transfer(source.as_mut(), &mut out, &mut self.buffer, digests, (&from, &to))?;
        for (expected, found) in digests.iter().zip(found) {
            if Some(expected) != found.as_ref() {
                let name = expected.algorithm().name();
                return Err(corrupt(&format!("its {name} is not the recorded one"), from));
            }
        }
        // The time goes with the file where the system lets it.
        let _ = out.set_modified(system_time(stamp.mtime));
        Ok(format!("data/{path}"))
    }

    /// A new file for a resource: at the path of the copy if it is free. A percent sign becomes an equals
    /// sign: manifests have to encode it, and not all programs that validate bags decode it again.
    fn create(&mut self, uri: &str, file: &str) -> Result<(String, File), ExportError> {
        let plain = file.replace('%', "=");
        match self.try_create(&plain) {
            Ok(created) => return Ok((plain, created)),
            Err(error) if is_taken(&error) => {}
            Err(error) => {
                return Err(ExportError::io("could not write", &self.data.join(&plain))(error));
            }
        }
        let name = Digest::new(Algorithm::Sha256, &Sha256::digest(uri));
        let name = name.map(|name| name.to_string()).unwrap_or_default();
        let name = format!("{CONFLICTS}/{}", name.trim_start_matches("sha-256:"));
        let created = self.try_create(&name);
        created
            .map(|created| (name.clone(), created))
            .map_err(ExportError::io("could not write", &self.data.join(&name)))
    }

    fn try_create(&mut self, path: &str) -> io::Result<File> {
        let to = self.data.join(path);
        if let Some(folder) = to.parent().filter(|folder| *folder != self.last_folder) {
            fs::create_dir_all(folder)?;
            folder.clone_into(&mut self.last_folder);
        }
        File::create_new(&to)
    }
}

/// The time of a file, which may be before 1970.
fn system_time(mtime: i64) -> SystemTime {
    let distance = Duration::from_nanos(mtime.unsigned_abs());
    match mtime < 0 {
        true => UNIX_EPOCH - distance,
        false => UNIX_EPOCH + distance,
    }
}

/// True if another file, or a folder, has the name.
fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory};
    matches!(error.kind(), AlreadyExists | IsADirectory | NotADirectory)
}

/// Copies all bytes, and computes a digest for each that is expected.
fn transfer(
    source: &mut dyn Read,
    out: &mut File,
    buffer: &mut [u8],
    digests: &[Digest],
    (from, to): (&Path, &Path),
) -> Result<Vec<Option<Digest>>, ExportError> {
    let mut functions: Vec<Function> =
        digests.iter().map(|digest| Function::new(digest.algorithm())).collect();
    loop {
        let count = match source.read(buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ExportError::io("could not read", from)(error)),
        };
        let bytes = &buffer[..count];
        functions.iter_mut().for_each(|function| function.update(bytes));
        out.write_all(bytes).map_err(ExportError::io("could not write", to))?;
    }
    Ok(functions.into_iter().map(Function::finish).collect())
}
