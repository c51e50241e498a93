//! An answer on its way to the disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use tidings_document::{Algorithm, Digest, Hash, Limits};
use tidings_web::Fetched;

use super::FileMismatch;
use super::role::Role;
use super::want::Want;
use crate::PublishError;
use crate::fixity::Function;

/// The largest package that is taken if its entry does not say how large it is.
const LARGEST_PACKAGE: u64 = 8 << 30;

/// How much of the start tells a page from a document.
const START: usize = 512;

/// Why a file was not kept.
pub(super) enum Unkept {
    /// It is not what it is listed as.
    Wrong(FileMismatch),
    /// It is a page for people.
    Page,
    /// It could not be written.
    Local(PublishError),
}

/// Writes an answer to `path`, without the coding that it came in, and verifies it against what is
/// said of it; how many bytes it has.
pub(super) fn store(fetched: Fetched, want: &Want, path: &Path) -> Result<u64, Unkept> {
    let coding = fetched.content_encoding.as_deref().unwrap_or("identity").to_ascii_lowercase();
    let body = fetched.body.into_reader();
    let body: Box<dyn Read> = match coding.as_str() {
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(body)),
        "identity" | "" => Box::new(body),
        other => {
            return Err(Unkept::Wrong(FileMismatch::Coding { coding: other.to_owned() }));
        }
    };
    let said = &want.said;
    let limit = match want.role {
        Role::Package => said.length.unwrap_or(LARGEST_PACKAGE),
        _ => Limits::default().bytes,
    };
    let local = |error| Unkept::Local(PublishError::io("could not write", path)(error));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(local)?;
    }
    let mut sink = Sink::new(File::create(path).map_err(local)?);
    let mut body = body.take(limit.saturating_add(1));
    // Only what is written is kept: a coding that cannot be undone is the host's fault.
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let reason = error.to_string();
                return Err(Unkept::Wrong(FileMismatch::Unpack { reason }));
            }
        };
        sink.write(&buffer[..count]).map_err(local)?;
    }
    let stored = sink.finish().map_err(local)?;
    if want.role.is_never_page() && is_page(&stored.start) {
        return Err(Unkept::Page);
    }
    verify(&stored, want, limit).map(|()| stored.length).map_err(Unkept::Wrong)
}

fn verify(stored: &Stored, want: &Want, limit: u64) -> Result<(), FileMismatch> {
    let length = stored.length;
    match want.said.length {
        Some(said) if length > said => {
            return Err(FileMismatch::Longer { said });
        }
        Some(said) if length < said => {
            return Err(FileMismatch::Shorter { length, said });
        }
        None if length > limit => return Err(FileMismatch::TooLong { limit }),
        _ => {}
    }
    let hash = want.said.hash.as_deref().map(|hash| Hash::from_attribute(hash.into()));
    let said = hash.iter().flat_map(Hash::digests).filter_map(Result::ok);
    let mut said = said.filter(|digest| digest.algorithm() == Algorithm::Sha256);
    match said.next() {
        Some(said) if Some(said) != stored.digest => Err(FileMismatch::Digest),
        None if want.role == Role::Package => Err(FileMismatch::NoDigest),
        _ => Ok(()),
    }
}

/// True for the start of an HTML document. Not the media type decides: hosts give one of their own
/// to files without an ending.
fn is_page(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    start.contains("<!doctype html") || start.contains("<html")
}

/// A file that is being written.
struct Sink {
    out: BufWriter<File>,
    function: Function,
    stored: Stored,
}

/// What was written.
struct Stored {
    length: u64,
    digest: Option<Digest>,
    start: Vec<u8>,
}

impl Sink {
    fn new(file: File) -> Self {
        Self {
            out: BufWriter::with_capacity(64 << 10, file),
            function: Function::new(Algorithm::Sha256),
            stored: Stored { length: 0, digest: None, start: Vec::new() },
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = START.saturating_sub(self.stored.start.len()).min(bytes.len());
        self.stored.start.extend_from_slice(&bytes[..more]);
        self.stored.length += bytes.len() as u64;
        self.function.update(bytes);
        self.out.write_all(bytes)
    }

    fn finish(mut self) -> io::Result<Stored> {
        self.out.flush()?;
        Ok(Stored { digest: self.function.finish(), ..self.stored })
    }
}
